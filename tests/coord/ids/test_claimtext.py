"""Identifiers that are not one file's alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.ids import claimtext
from harness.check import declare, found, problems

if TYPE_CHECKING:
    from harness import Repo

HERE = b"coordination/ids/adr/"
NAMES = [b"7.toml", b"07.toml", b"0.toml", b"a.toml", b"A.toml", b"a.b.toml", b"a.TOML", b"a.md",
         b"a", b".toml", b"HW-07.toml", b"hw-07.toml", b"HW-7.toml", "é.toml".encode()]  # fmt: skip


def clashes(files: dict[bytes, bytes]) -> list[tuple[bytes, str]]:
    """Return the clashes of files in the folder of ids."""
    return list(
        claimtext.clashes((HERE + name for name in files), lambda path: files[path[len(HERE) :]])
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"ab.toml", b"AB.toml"),
        (b"7.toml", b"0007.toml"),
        (b"7.toml", b"7.md"),
        ("é.toml".encode(), "e\u0301.toml".encode()),
        ("ß.toml".encode(), b"ss.toml"),
    ],
)
def test_spellings_of_one_identifier_clash(one: bytes, other: bytes) -> None:
    """Case, leading zeros, suffix and composition make no other identifier."""
    [clash] = clashes({one: b"1", other: b"2"})

    assert clash.path in {HERE + one, HERE + other}
    assert "the same identifier" in clash.message


@pytest.mark.parametrize(
    ("one", "other"), [(b"7.toml", b"70.toml"), (b"a1.toml", b"a01.toml"), (b"0.toml", b"00a.toml")]
)
def test_different_identifiers_do_not(one: bytes, other: bytes) -> None:
    """Zeros count inside a word."""
    assert not clashes({one: b"1", other: b"2"})


def test_namespaces_are_apart() -> None:
    """``adr/7`` and ``rfc/7`` are two."""
    paths = (b"coordination/ids/adr/7.toml", b"coordination/ids/rfc/7.toml")

    assert not list(claimtext.clashes(paths, lambda _path: b""))


def test_a_file_that_says_it_is_another_clashes() -> None:
    """The path is the id; a copy that kept its content is a second claim."""
    [clash] = clashes({b"8.toml": b'id = "7"\n'})

    assert clash.message == "its file says it is 7"


def test_a_file_without_a_suffix_is_its_identifier() -> None:
    """Whatever people call their claims."""
    assert not clashes({b"8": b'id = "8"\n', b".9": b'id = ".9"\n'})


def test_a_nonce_belongs_to_one_file() -> None:
    """The same nonce twice is a copied claim."""
    [clash] = clashes({b"7.toml": b"nonce = 'x'\n", b"8.toml": b"nonce = 'x' # copied\n"})

    assert clash.path == HERE + b"8.toml"
    assert clash.message.startswith("a copy of coordination/ids/adr/7.toml")


def test_write_once_files_elsewhere_are_folded_whole() -> None:
    """There only case and composition are one to a file system."""
    paths = (b"claims/A.toml", b"claims/a.toml", b"claims/a.md")

    assert [clash.path for clash in claimtext.clashes(paths, lambda _path: b"")] == [
        b"claims/a.toml"
    ]


def test_the_tree_is_judged_whatever_the_range(repo: Repo) -> None:
    """Two branches took one number under two spellings; git saw two paths."""
    declare(repo)
    repo.commit("claim", {"coordination/ids/adr/1.toml": "other\n"})
    repo.commit("later", {"x": "x"})

    [problem] = problems(repo, "HEAD^..HEAD")

    assert (problem.rule, problem.path) == ("id-taken", "coordination/ids/adr/1.toml")
    assert problem.commit is None
    assert problem.run == "git coord id renumber coordination/ids/adr/1.toml"
    assert found(repo, tree=True) == [("id-taken", "coordination/ids/adr/1.toml")]


def test_the_folder_is_judged_without_a_declaration(repo: Repo) -> None:
    """Identifiers are identifiers, guarded or not."""
    files = {"coordination/ids/a/x.toml": "1", "coordination/ids/a/X.toml": "2"}
    repo.commit("claims", files)

    assert found(repo) == [("id-taken", "coordination/ids/a/x.toml")]


@given(
    st.lists(
        st.sampled_from([b"coordination/ids/HW/", b"coordination/ids/hw/", b"coordination/ids/"])
        .flatmap(lambda folder: st.tuples(st.just(folder), st.sampled_from(NAMES)))
        .map(b"".join),
        unique=True,
    )
)
def test_what_is_apart_at_a_glance_is_folded_into_nothing_else(paths: list[bytes]) -> None:
    """Where the glance does not do, each is looked at."""
    if claimtext.are_apart(paths):
        assert len({claimtext.folded(path) for path in paths}) == len(paths)


def test_a_glance_does_for_what_is_numbered_here() -> None:
    """Not for two spellings of one number, a suffix of another make, or letters beyond ASCII."""
    plain = [b"coordination/ids/HW/HW-%04d.toml" % number for number in range(20)]

    assert claimtext.are_apart(plain)
    assert claimtext.are_apart([])
    for other in (b"hw-0007.toml", b"HW-0007.md", b"0007.toml", "é.toml".encode()):
        assert not claimtext.are_apart([*plain, b"coordination/ids/HW/" + other])
