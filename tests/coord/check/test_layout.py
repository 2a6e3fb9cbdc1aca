"""Attributes and pathspecs judged by git, in a repository of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.check.layout import Scratch

if TYPE_CHECKING:
    from pathlib import Path

MACROS = b"[attr]coord-log -merge\n[attr]coord-once -merge\n"


def test_declarations_are_those_of_the_layout_alone(env: dict[str, str], home: Path) -> None:
    """Neither this user's attributes nor the folder we are in add to them."""
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "attributes").write_text("* coord-once\n")
    del env
    with Scratch() as scratch:
        rules = MACROS + b"*.log coord-log\nfree.log -coord-log\n"
        top = scratch.layout({b".gitattributes": rules, b"sub/.gitattributes": b"x coord-once\n"})

        found = scratch.declared(top, [b"a.log", b"free.log", b"x", b"sub/x", b"sub/b.log"])

    assert found == {b"a.log": "log", b"sub/x": "once", b"sub/b.log": "log"}


def test_of_two_declarations_the_later_wins(env: dict[str, str]) -> None:
    """As it does where the drivers are installed; one that lost its driver is still declared."""
    del env
    with Scratch() as scratch:
        rules = MACROS + b"* coord-log\nid.x coord-once\n*.y merge=npm\n"
        top = scratch.layout({b".gitattributes": rules})

        found = scratch.declared(top, [b"id.x", b"a.x", b"a.y"])

    assert found == {b"id.x": "once", b"a.x": "log", b"a.y": "log"}


def test_pathspecs_match_paths_that_never_stood_together(env: dict[str, str]) -> None:
    """A path that was a file in one commit and a folder in another."""
    del env
    paths = [b"src", b"src/a.proto", b"src/a.proto/b", b"src/deep/c.proto", b"x", b"\xff.proto"]
    with Scratch() as scratch:
        assert scratch.matching(paths, ["src/*.proto"]) == {b"src/a.proto", b"src/deep/c.proto"}
        assert scratch.matching(paths, [":(glob)src/*.proto"]) == {b"src/a.proto"}
        assert scratch.matching(paths, ["*", ":!src"]) == {b"x", b"\xff.proto"}
