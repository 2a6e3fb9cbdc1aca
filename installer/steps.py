"""The steps of a plan, as data: what an install or its undoing does to the disk, one by one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

Change = Callable[[bytes | None], bytes | None]


@dataclass(frozen=True)
class Folder:
    """Make a folder."""

    path: str


@dataclass(frozen=True)
class Write:
    """Give a file of ours its whole content."""

    path: str
    data: bytes
    mode: int


@dataclass(frozen=True)
class Create:
    """Make a file, unless one is there: others write it, too."""

    path: str
    data: bytes = b""


@dataclass(frozen=True)
class Edit:
    """Change a file that others write too.

    Attributes:
        path: the file.
        change: old text → new text, None for no file; pure, it sees the text as it is then.
        about: what the change is, in a word or two.
        locked: hold git's own lock on it (``PATH.lock``) meanwhile.
    """

    path: str
    change: Change
    about: str
    locked: bool = False


@dataclass(frozen=True)
class Keep:
    """Give a hook a second name, before ours takes its first.

    Attributes:
        path: its name.
        beside: its second one.
        runs: ours runs it there: a foreign one, and not one of ours that somebody has changed.
    """

    path: str
    beside: str
    runs: bool = True


@dataclass(frozen=True)
class Move:
    """Rename over whatever stands at `to`."""

    path: str
    to: str


@dataclass(frozen=True)
class Drop:
    """Delete a file, or a folder of ours with all in it."""

    path: str


@dataclass(frozen=True)
class Leave:
    """Delete a folder that we made, if nothing is left in it."""

    path: str


Step = Folder | Write | Create | Edit | Keep | Move | Drop | Leave


def described(step: Step, base: str) -> str:
    """Return one line about a step, with its paths relative to the common git dir `base`."""
    match step:
        case Folder(path):
            return f"make    {near(path, base)}/"
        case Write(path, _, _) | Create(path, _):
            return f"write   {near(path, base)}"
        case Edit(path, _, about):
            return f"edit    {near(path, base)} ({about})"
        case Keep(path, beside, runs):
            how = "run first by ours" if runs else "not run: it is ours, with changes"
            return f"keep    {near(path, base)} as {os.path.basename(beside)}, {how}"
        case Move(path, to):
            return f"rename  {near(path, base)} to {os.path.basename(to)}"
        case Drop(path) | Leave(path):
            return f"delete  {near(path, base)}"


def near(path: str, base: str) -> str:
    """Return `path` as seen from the common git dir `base`, absolute when it lies outside."""
    return os.path.relpath(path, base) if path.startswith(base + os.sep) else path
