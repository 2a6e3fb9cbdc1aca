"""Attributes files as text: committed lines, macros, and the block in info/attributes."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coord.guard.guarded import KINDS
from coord.installer import attributesfile
from coord.installer.attributesfile import Line
from harness import Repo

LINES = st.lists(
    st.sampled_from(
        [
            b"*.txt text",
            b"[attr]coord-log -merge",
            b"# a comment",
            b'"a b" coord-log',
            b"x.json merge=npm",
            b"x.json text coord-derived",
            b"",
            b"\r",
            b"\xff binary",
        ]
    )
)
TEXTS = st.builds(lambda body, end: b"\n".join(body) + end, LINES, st.sampled_from([b"", b"\n"]))
PATTERNS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\0"), min_size=1
).filter(lambda text: not text.startswith(("!", "[attr]")))


@given(st.none() | TEXTS, PATTERNS, st.sampled_from(KINDS))
def test_declaring_and_undeclaring_is_identity(old: bytes | None, pattern: str, kind: str) -> None:
    """Also where macros, comments and other rules stand already.

    Only a file with rules and without their macros, which was broken, keeps those it was given.
    """
    macros = b"".join(b"[attr]coord-%s -merge\n" % kind.encode() for kind in KINDS)
    old = macros + old if old and attributesfile.rules(old) else old
    new = attributesfile.declared(old, pattern, kind)

    if new != old:
        assert attributesfile.undeclared(new, pattern) == old


@given(TEXTS, PATTERNS, st.sampled_from(KINDS))
def test_declaring_twice_declares_once(old: bytes, pattern: str, kind: str) -> None:
    """A second track finds its own line."""
    once = attributesfile.declared(old, pattern, kind)

    assert attributesfile.declared(once, pattern, kind) == once


@given(st.none() | TEXTS)
def test_the_block_goes_without_a_trace(old: bytes | None) -> None:
    """Whatever else stands in info/attributes."""
    block = attributesfile.block(["coord-log"], [Line(b"*.tsv", (b"coord-log",))])
    new = attributesfile.with_block(old, block)

    assert attributesfile.without_block(new) == old
    assert attributesfile.with_block(new, block) == new


def test_the_block_is_renewed_in_its_place() -> None:
    """Lines of the user below it stay below it, and go on winning."""
    block = attributesfile.block(["coord-log"], [])
    text = attributesfile.with_block(b"above\n", block) + b"below\n"
    renewed = attributesfile.block(["coord-log"], [Line(b"*.tsv", (b"coord-log",))])

    new = attributesfile.with_block(text, renewed)

    assert new == b"above\n" + renewed + b"below\n"
    assert attributesfile.guarded(new) == [Line(b"*.tsv", (b"coord-log",))]


def test_a_line_that_somebody_put_into_the_block_survives() -> None:
    """It is not ours, wherever it stands."""
    block = attributesfile.block(["coord-log"], [])
    first, *rest = block.splitlines(keepends=True)
    text = b"".join([first, b"*.c diff=cpp\n", *rest])

    assert attributesfile.without_block(text) == b"*.c diff=cpp\n"
    assert b"*.c diff=cpp\n" in attributesfile.with_block(text, block)


def test_a_torn_block_takes_nothing_of_others_with_it() -> None:
    """Its end is gone: what looks like ours goes, the rest stays."""
    block = attributesfile.block(["coord-log"], [Line(b"*.tsv", (b"coord-log",))])
    torn = block.rpartition(b"# git-coord end")[0] + b"*.c diff=cpp\n"

    assert attributesfile.without_block(torn) == b"*.c diff=cpp\n"


@settings(max_examples=40)
@given(PATTERNS.filter(lambda text: not set(text) & set("*?[\\") and "/" not in text))
def test_git_reads_the_pattern_that_was_meant(pattern: str) -> None:
    """Quoted or not, a name without wildcards guards the file of that name."""
    if os.fsencode(pattern) in {b".", b".."} or len(os.fsencode(pattern)) > 200:
        return
    repo = _scratch()
    repo.write(".gitattributes", attributesfile.declared(None, pattern, "log"))

    value = repo.git("check-attr", "-z", "coord-log", "--", pattern).split("\0")[2]

    assert value == "set"


def _scratch() -> Repo:
    """Return one repository for all examples: a fixture would be shared by them anyway."""
    global _made  # noqa: PLW0603  # hypothesis runs many examples in one test
    if _made is None:
        import tempfile  # noqa: PLC0415
        from pathlib import Path  # noqa: PLC0415

        _made = Repo.init(Path(tempfile.mkdtemp()), dict(os.environ))
    return _made


_made: Repo | None = None


def test_the_fallback_is_a_loud_conflict_without_the_toolkit(repo: Repo) -> None:
    """The committed macros alone make git refuse a text merge."""
    repo.commit("guard", {".gitattributes": attributesfile.declared(None, "x.json", "derived")})

    assert repo.git("check-attr", "merge", "--", "x.json") == "x.json: merge: unset"


def test_the_block_outranks_the_committed_fallback(repo: Repo) -> None:
    """The same macro, redefined in info/attributes, selects the driver."""
    text = attributesfile.declared(None, "x.json", "derived")
    repo.commit("guard", {".gitattributes": text})
    block = attributesfile.block(["coord-derived"], attributesfile.rules(text))
    repo.common("info").mkdir(exist_ok=True)
    repo.common("info/attributes").write_bytes(block)

    assert repo.git("check-attr", "merge", "--", "x.json") == "x.json: merge: coord-derived"


def test_only_what_merging_needs_is_copied() -> None:
    """`text` in info/attributes would outrank a later committed line about line ends."""
    text = b"x.json text eol=lf coord-derived\ny.json -coord-derived merge=npm diff\nz text\n"

    assert attributesfile.rules(text) == [
        Line(b"x.json", (b"coord-derived",)),
        Line(b"y.json", (b"-coord-derived", b"merge=npm")),
    ]


def test_undeclaring_keeps_the_other_attributes_of_the_line() -> None:
    """A line that says more than ours loses only ours."""
    assert attributesfile.undeclared(b"x.json text coord-log -diff\n", "x.json") == (
        b"x.json text -diff\n"
    )


def test_macros_that_were_there_before_stay() -> None:
    """Only those that track wrote, below its note, go with the last rule."""
    old = b"[attr]coord-derived -merge\n"
    new = attributesfile.declared(old, "x.json", "derived")

    assert new.count(b"[attr]coord-derived") == 1
    assert attributesfile.undeclared(new, "x.json") == old


def test_known_rules_stay_and_declared_ones_win() -> None:
    """A worktree on an older branch declares less; what is declared now comes last."""
    known = [Line(b"a", (b"coord-log",)), Line(b"b", (b"coord-log",))]
    declaring = [Line(b"a", (b"coord-log",)), Line(b"c", (b"coord-log",))]

    joined = attributesfile.joined(known, declaring)

    assert [rule.pattern for rule in joined] == [b"b", b"a", b"c"]


@pytest.mark.parametrize(
    ("later", "count"), [(b"*.json merge=npm\n", 1), (b"*.json binary\n", 0), (b"y text\n", 0)]
)
def test_a_later_line_that_changes_the_merge_is_found(later: bytes, count: int) -> None:
    """Only lines below the guard that name `merge` can override it."""
    text = b"*.json merge=union\n" + attributesfile.declared(None, "x.json", "derived") + later

    assert len(attributesfile.later_merge_rules(text, "x.json", "derived")) == count
