"""Draw what goes wrong without git-coord, and what happens with it: ``python docs/without.py``.

The same commands are run in two repositories, one of which has git-coord. docs/pictures/without.svg
and without-dark.svg show what was said, less the lines that no scene keeps.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import textwrap
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from replay import environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PICTURES = Path(__file__).parent / "pictures"
_MAKE = """{ echo '{"fields": ['; sed 's/.*/"&"/; $!s/$/,/' fields.txt
echo '],'; echo '"count":' $(wc -l <fields.txt); echo '}'; } >schema.json"""
_START = f"""git init -q .
printf 'id\\nname\\nprice\\nstock\\n' >fields.txt
printf '2026-01-02\\tfirst release\\n' >moves.tsv
cat >make-schema.sh <<'MAKE'
{_MAKE}
MAKE
sh make-schema.sh
git add . && git commit -q -m start"""
_GUARD = """coord-install
git coord track derived schema.json --regenerate 'sh make-schema.sh' --input fields.txt
git coord track log moves.tsv
git add . && git commit -q -m guard"""
_WORK = """git worktree add -q -b feat/colour ../colour
git worktree add -q -b feat/size ../size
cd ../size && git config user.name search-bot
cd ../colour && sed -i 's/id/id\\ncolour/' fields.txt && sh make-schema.sh
printf '2026-01-03\\tcolour\\n' >>moves.tsv && git commit -q -a -m 'Add colour'
cd ../size && echo size >>fields.txt && sh make-schema.sh
printf '2026-01-04\\tsize\\n' >>moves.tsv && git commit -q -a -m 'Add size'"""


class Scene(NamedTuple):
    """A question, the commands that answer it on each side, what that comes to, what is shown."""

    question: str
    commands: tuple[tuple[str, ...], tuple[str, ...]]
    verdicts: tuple[str, str]
    kept: str = "."


_LOG = "git show -s --format='%an: %s' feat/colour feat/size"
_MERGE = ("git merge -q feat/colour && git merge -q feat/size",)
_READ = ("tr -d ' \\n' <schema.json",)
_TAIL = ("tail -n +2 moves.tsv",)
_CLAIM = ("git -C ../colour coord claim login", "git -C ../size coord claim login")
SCENES = (
    Scene(
        "One worker has set user.name. Who wrote what?",
        ((_LOG,), (_LOG,)),
        (
            "git config is shared: all commits are the bot's",
            "each worktree is pinned to its worker",
        ),
    ),
    Scene(
        "Both branches regenerate schema.json, and git merges the text",
        (_MERGE + _READ, (*_MERGE, "git coord regenerate schema.json", *_READ)),
        ("six fields, and it says five: neither branch's result", "refused, with the way out"),
        r"^(coord: derived|  run|regenerated|\{)",
    ),
    Scene(
        "Both add a line to a log",
        (_TAIL, _TAIL),
        ("a conflict, at every merge", "joined: nothing lost, nothing doubled"),
    ),
    Scene(
        "Both are about to start on the same task",
        ((), _CLAIM),
        ("nobody is told: it is done twice", "told before, not at the merge"),
        "^task",
    ),
)


class Line(NamedTuple):
    """A line of a drawing, and what it is: a command, what that has said, or what it comes to."""

    kind: str
    text: str


def told(scratch: Path, env: Mapping[str, str], side: int) -> list[list[Line]]:
    """Run a side of the scenes, 0 plain and 1 guarded, and return the lines of each."""
    repo = scratch / str(side) / "repo"
    repo.mkdir(parents=True)
    for script in (_START, _GUARD, _WORK) if side else (_START, _WORK):
        subprocess.run(["sh", "-ec", script], cwd=repo, env=env, check=True, capture_output=True)
    return [list(_scene(scene, repo, env, side)) for scene in SCENES]


def _scene(scene: Scene, repo: Path, env: Mapping[str, str], side: int) -> Iterator[Line]:
    for command in scene.commands[side]:
        yield from _wrapped("command", f"$ {command}")
        said = subprocess.run(
            ["sh", "-c", command],
            cwd=repo,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        ).stdout
        for line in _normalised(said).splitlines():
            if re.search(scene.kept, line):
                yield from _wrapped("said", line)
    yield Line(("bad", "good")[side], scene.verdicts[side])


def _normalised(text: str) -> str:
    """Return what was said without what differs from run to run."""
    return re.sub(r"\b(colour|size)-[0-9a-f]{4}\b", r"\1-a71f", text).expandtabs()


def _wrapped(kind: str, text: str) -> Iterator[Line]:
    for part in textwrap.wrap(text, _COLUMNS, subsequent_indent="    ", break_on_hyphens=False):
        yield Line(kind, part)


_COLUMNS, _WIDTH, _PITCH, _PAD = 56, 880, 17, 14
_LIGHT = {"cell": "#f6f8fa", "said": "#1f2328", "command": "#57606a"}
_LIGHT |= {"bad": "#b32424", "good": "#116329", "edge": "#d0d7de"}
_DARK = {"cell": "#161b22", "said": "#e6edf3", "command": "#9198a1"}
_DARK |= {"bad": "#ff7b72", "good": "#56d364", "edge": "#30363d"}
PALETTES = {"without.svg": _LIGHT, "without-dark.svg": _DARK}
_SIDES = ("plain git worktrees", "with git-coord")


def drawn(sides: list[list[list[Line]]], colours: Mapping[str, str]) -> str:
    """Return the two sides as an SVG drawing, a row a scene."""
    y = 24
    lines = [_text(_left(side), y, "said", name, 15) for side, name in enumerate(_SIDES)]
    for scene, *cells in zip(SCENES, *sides, strict=True):
        y += 30
        lines.append(_text(0, y, "said", scene.question, 13))
        high = max(map(len, cells)) * _PITCH + _PAD
        for side, cell in enumerate(cells):
            lines += _cell(_left(side), y + 8, high, cell)
        y += 8 + high
    style = "".join(f".{kind}{{fill:{colour}}}" for kind, colour in colours.items())
    style += "text{font:12px monospace;white-space:pre}.h{font-family:sans-serif;font-weight:600}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y + 4}">'
    return "\n".join(
        [f"{head}<style>{style}.cell{{stroke:{colours['edge']}}}</style>", *lines, "</svg>\n"]
    )


def _left(side: int) -> int:
    return side * (_WIDTH + _PAD) // 2


def _cell(x: int, y: int, high: int, cell: list[Line]) -> Iterator[str]:
    yield (
        f'<rect class="cell" x="{x + 1}" y="{y}" width="{(_WIDTH - _PAD) // 2 - 2}" '
        f'height="{high}" rx="6"/>'
    )
    for number, line in enumerate(cell):
        size = 12 if line.kind in {"bad", "good"} else 0
        yield _text(x + 11, y + 3 + _PITCH * (number + 1), line.kind, line.text, size)


def _text(x: int, y: int, kind: str, text: str, size: int = 0) -> str:
    """Return a line of text: a heading of a size, or in the terminal's own."""
    head = f' h" style="font-size:{size}px' if size else ""
    return f'<text class="{kind}{head}" x="{x}" y="{y}">{escape(text)}</text>'


def pictures(scratch: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Return both pictures by the names of their files, made in an empty folder."""
    sides = [told(scratch, env, side) for side in (0, 1)]
    return {name: drawn(sides, colours) for name, colours in PALETTES.items()}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        for name, picture in pictures(home, environment(home, "Ada")).items():
            (PICTURES / name).write_text(picture, encoding="utf-8")
            sys.stdout.write(f"{PICTURES / name} is drawn\n")
