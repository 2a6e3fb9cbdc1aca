"""One door in sh too: what is opened was looked at before, so that nothing waits or follows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = sorted([*ROOT.glob("hooks/sh/*"), *ROOT.glob("drivers/sh/*")])
LINES = (ROOT / "drivers/registered.py", ROOT / "installer/launcher.py")  # sh in texts of Python
# `<FILE`, `>FILE`, `>>FILE`, and a file that is sourced or handed to a command that reads it.
_OPENED = re.compile(
    r"(?<![<&\d])(?:<|>>?)(?![<&>])\s*(\"[^\"]+\"|\.?[a-z][\w./-]+)|(?:^|\s)\.\s(\"[^\"]+\")"
)
# What is no peer's to place, and why.
OUTSIDE = {
    '"$1"': "a side of the merge; the message; a file that the caller has looked at",
    '"$coord_probe"': "what doctor made; a file, by the test where it is set",
    '"$COORD_PROBE"': "the same, tested where it is used",
    '"$coord_home/refuse"': "beside the driver that git has just sourced",
    '"$coord_home/join"': "the same",
    '"$coord_dir/coord-refused/$coord_n"': "a name that nothing bears, by the loop before it",
    '"$2"': "%A, which git has just written",
}


def _code(path: Path) -> list[str]:
    return [line.partition(" # ")[0] for line in path.read_text().splitlines()]


def _unguarded(lines: list[str]) -> Iterator[str]:
    """Yield what is opened without a look at it in the function, or the scope, around it."""
    before: list[str] = []
    for line in lines:
        if re.match(r"\w+\(\) \{", line):
            before = []
        before.append(line)
        if line.lstrip().startswith(("#", "printf", "'", '"')):
            continue
        for one, two in _OPENED.findall(line):
            name = one or two
            looked = any(f"-{test} {form}" in text for text in before
                         for test in "fLp" for form in (name, name.strip('"')))  # fmt: skip
            if name not in OUTSIDE and not looked:
                yield name


@pytest.mark.parametrize("path", [*SCRIPTS, *LINES], ids=lambda path: path.name)
def test_nothing_is_opened_in_sh_without_a_look_at_it(path: Path) -> None:
    """A FIFO in its place would hold every commit, a symlink lead it anywhere."""
    lines = _code(path)
    if path.suffix == ".py":
        lines = [line.strip(" '\"") for line in lines if "coord_" in line]
    assert list(_unguarded(lines)) == []


@pytest.mark.parametrize(
    "line", ['read x <"$coord_dir/x"', 'true >"$coord_dir/x"', '. "$coord_dir/x"', "read x <.git"]
)
def test_each_way_to_open_a_file_in_sh_is_found(line: str) -> None:
    """The walk would otherwise hold nothing."""
    assert list(_unguarded([line]))
