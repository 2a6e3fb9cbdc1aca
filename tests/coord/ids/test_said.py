"""What many claims say is read once, and kept by their blobs."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.base import publish
from coord.history.blobs import Blobs
from coord.ids import claim as claim_of
from coord.ids import claimtext, said
from harness.ids import claim, path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness import Repo

ODD = [
    b"",
    b"\xff\xfe\n",
    b'id = ""\nactor = ""\nnonce = ""\ncreated = ""\n',
    b'id = "a\x00b"\nactor = "x\x1b[1m"\nnonce = "\xe9"\n',
    b'actor = "ada"\ncreated = "%s"\n' % (b"9" * 2000),
    "actor = \"\u2028\"\nnonce = 'n'\n".encode(),
]


@pytest.fixture(autouse=True)
def _many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(said, "_MANY", 4)


@pytest.fixture
def common(tmp_path: Path) -> str:
    """A common git dir in which something may be kept."""
    (tmp_path / "common" / "coord").mkdir(parents=True)
    return str(tmp_path / "common")


class Texts(Blobs):
    """Blobs that are no repository's, and tell what was asked for."""

    def __init__(self, texts: dict[str, bytes]) -> None:
        self.texts = texts
        self.asked: list[str] = []
        self.missing = set()

    def read_small(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Return the bytes of some; none for one that is not here."""
        wanted = list(blobs)
        self.asked += wanted
        self.missing |= {name for name in wanted if name not in self.texts}
        return {name: self.texts.get(name, b"") for name in wanted}


def many(count: int = 9) -> dict[str, bytes]:
    """Return the texts of claims by what stands for their blobs."""
    return {f"{number:040x}": claim(number, "ada", "2026").encode() for number in range(count)}


def all_of(texts: dict[str, bytes], common: str, ask: Iterable[str] = ()) -> Iterator[object]:
    """Yield what was asked of git, and what each claim says."""
    blobs = Texts(texts)
    names = list(ask or texts)
    found = said.read(blobs, names, common)
    yield blobs.asked
    yield {name: found.of(name) for name in names}


def test_what_many_say_is_asked_of_git_once(common: str) -> None:
    """Then only what is new, however little; the file holds what is asked for now and no more."""
    texts = many()
    whole = {name: said.of(text) for name, text in texts.items()}

    assert list(all_of(texts, common)) == [list(texts), whole]
    assert list(all_of(texts, common)) == [[], whole]
    more = many(10)
    assert next(all_of(more, common)) == [f"{9:040x}"]
    other = {f"x{name}": text for name, text in many(30).items()}
    assert next(all_of(other, common)) == list(other)
    assert set(said._kept(os.path.join(common, said.FILE)).names) == set(other)


def test_what_somebody_who_was_killed_has_left_goes_with_the_next_one(common: str) -> None:
    """Megabytes, or they would add up."""
    folder = Path(common, "coord")
    for name in ("id-claims.tmp-1-a", "identities.tmp-1-a"):
        (folder / name).write_text("half")

    list(all_of(many(), common))
    assert sorted(os.listdir(folder)) == ["id-claims", "identities.tmp-1-a"]


def test_few_are_not_kept(common: str) -> None:
    """They are read in no time."""
    list(all_of(many(4), common))

    assert os.listdir(os.path.join(common, "coord")) == []


@given(st.lists(st.binary(max_size=40) | st.sampled_from(ODD)))
def test_claims_of_whatever_make_say_the_same_when_they_were_kept(
    tmp_path_factory: pytest.TempPathFactory, odd: list[bytes]
) -> None:
    """Those that no line holds are read again; nothing is made of what is not said."""
    common = tmp_path_factory.mktemp("common")
    (common / "coord").mkdir()
    texts = many() | {f"odd{number}": text for number, text in enumerate(odd)}

    for _ in range(2):
        _, found = all_of(texts, str(common))
        assert found == {name: said.of(text) for name, text in texts.items()}


@given(
    st.lists(st.sampled_from(["id", "namespace", "actor", "instance", "nonce", "created"])),
    st.sampled_from(["a-1", "a", "é", "", "a'b", "a,", " a", "a" * 90, "2026-01-01T00:00:00Z"]),
)
def test_the_common_make_says_what_any_make_would(keys: list[str], value: str) -> None:
    """Whatever the order, the number and the values of its lines."""
    text = "".join(f'{key} = "{value}"\n' for key in keys).encode()
    fields, nonce = claim_of.fields(text), claimtext.nonce(text)
    whose, wanted = claim_of.claimant(text, fields), nonce.decode() if nonce is not None else None

    assert said.of(text) == (whose, fields.get("created"), fields.get("id"), wanted)


@pytest.mark.parametrize("instance", ["", "i-1"])
@pytest.mark.parametrize("created", ["", "2026-01-02T03:04:05Z"])
def test_what_id_next_writes_is_of_the_common_make(instance: str, created: str) -> None:
    """And says who, when, and which."""
    text = claim_of.Claim("HW-7", "HW", "ada-1", instance, "0f", created).text()

    assert said._OURS.fullmatch(text)
    assert said.of(text) == ("ada-1", created or None, "HW-7", "0f")


def test_a_file_that_is_not_whole_counts_for_nothing(common: str) -> None:
    """Cut anywhere, of another make, not text."""
    list(all_of(many(), common))
    place = os.path.join(common, said.FILE)
    file = Path(place)
    whole = file.read_bytes()
    damaged = [whole[:end] for end in range(len(whole))]
    damaged += [whole + b"\0", b"\xff" + whole, whole.replace(b" 2", b" 1", 1)]
    texts = whole.partition(b"\0")[2]
    odd = [texts + b"\0", texts.replace(b"ada\n", b"", 1), texts.replace(b"ada", b"\xff", 1), b""]
    damaged += [said._seal(one) + one for one in odd]

    for data in damaged:
        file.write_bytes(data)
        assert said._kept(place) == said._NOTHING
    file.write_bytes(whole)
    assert len(said._kept(place).names) == 9


def test_a_file_that_was_edited_is_made_anew(common: str) -> None:
    """An owner that no claim names would be told for ever; so would what a flipped bit says."""
    texts = many()
    right = list(all_of(texts, common))[1]
    file = Path(common, said.FILE)
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[whole.index(b"2026")] ^= 1

    for data in (whole.replace(b"ada", b"eve"), bytes(flipped), whole.replace(b"HW-0001", b"HW-9")):
        file.write_bytes(data)
        assert list(all_of(texts, common)) == [list(texts), right]
        assert file.read_bytes() == whole


@pytest.mark.parametrize("what", ["fifo", "link", "folder"])
def test_what_a_peer_puts_in_its_place_is_not_followed(common: str, what: str) -> None:
    """It neither hangs nor leads out, and what is asked for is answered."""
    place = os.path.join(common, said.FILE)
    {"fifo": os.mkfifo, "folder": os.mkdir}.get(what, partial(os.symlink, "/dev/zero"))(place)
    texts = many()

    assert list(all_of(texts, common))[1] == {name: said.of(text) for name, text in texts.items()}


def test_where_nothing_may_be_written_it_is_read_each_time(
    common: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only git dir, a full disk, a clone that git-coord is not installed in."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    assert next(all_of(many(), os.path.join(common, "none"))) == list(many())
    assert not os.path.lexists(os.path.join(common, "none"))
    monkeypatch.setattr(publish, "replace", refused)
    for _ in range(2):
        assert next(all_of(many(), common)) == list(many())


def test_what_this_clone_lacks_is_not_kept(common: str) -> None:
    """A partial clone, or one that is corrupt: it may have the object later."""
    texts = many()
    gone = texts.pop(f"{3:040x}")
    names = list(many())
    list(all_of(texts, common, names))
    assert next(all_of(texts, common, names)) == [f"{3:040x}"]

    asked, found = all_of(many(), common)
    assert asked == [f"{3:040x}"]
    assert isinstance(found, dict)
    assert found[f"{3:040x}"] == said.of(gone)


def test_a_list_and_a_check_of_many_claims_read_none_of_them_again(
    installed: Repo, tmp_path: Path
) -> None:
    """What they say does not change; a claim that is not known yet is read, whoever claims it."""
    files = {path(number): claim(number, "ada") for number in range(1, 300)}
    installed.commit("claims", files)
    installed.git("branch", "side")
    before = [installed.coord("id", verb).out for verb in ("list", "check")]
    trace = tmp_path / "trace"
    traced = installed.with_env(GIT_TRACE=str(trace))

    assert [traced.coord("id", verb).out for verb in ("list", "check")] == before
    assert "ls-files" in trace.read_text()
    assert "cat-file --batch --buffer" not in trace.read_text()
    installed.commit("mine", {path(7): claim(7, "lin")})
    told = installed.coord("id", "check").out
    assert "HW-0007.toml: claimed by ada on side and by lin here" in told
