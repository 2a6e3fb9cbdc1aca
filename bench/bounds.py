"""What a peer wrote, at its worst: a declaration at its cap, and a megabyte of any one thing.

The walk takes each file that a peer can write through the merge, the commit and the verbs.

CPU seconds, so that a busy machine counts less: of the parser alone in this process, and of whole
commands less their start.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from coord.drivers import join, law, logfile
from coord.settings import config, sections
from measure import scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CAP = 64 * 1024
MEGABYTE = 1_000_000
ROUNDS = 2
DECLARED = {
    "keys that nobody knows": "k{} = 1\n",
    "sections": "[s{}]\n",
    "keys of many parts": "a.a.a.a.a.a.a.a.a.a.a.b{} = 1\n",
    "one key of 30,000 parts": "a.",
    "lanes": "[lane.p{}]\nevery = '1d'\n",
    "numbers": "1,",
    "brackets": "[",
    "blank lines": "\n",
    "larger than the cap": "#" * (CAP + 1),
}
SEED = b"## one\nx\n\n## two\n\ny\n"
PIECES = (b"\n", b"a b\n", b"- x\n", b"## x\n", b"[", b"-\n", b"# \n", b"* x\n", b"a\n\n")
KINDS = {"lines": ("log", None), "paragraphs": ("log", b""), "blocks": ("log", b"## "),
         "changelog": ("changelog", None)}  # fmt: skip
COMMANDS = ("board", "doctor", "check --tree", "commit")


def filled(unit: str) -> str:
    """Return a declaration of the cap's length."""
    if "{}" not in unit:
        text = {"1,": "x = [", "[": "x = "}.get(unit, "") + unit * (CAP // len(unit))
        return text[: CAP - 1] + "]" if unit == "1," else text[: max(CAP, len(unit))]
    lines = "".join(unit.format(number) for number in range(CAP // len(unit)))
    return lines[: lines.rindex("\n", 0, CAP) + 1]


def cost(act: Callable[[], object]) -> float:
    """Return the least CPU seconds of a few rounds of `act`, whatever it raises of its own."""
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        try:
            act()
        except (sections.ConfigInvalid, join.Refused, logfile.NotText):
            pass
        times.append(time.process_time() - started)
    return min(times)


def declarations() -> Iterator[tuple[str, float]]:
    """Yield what each declaration at its cap costs the parser."""
    for name, unit in DECLARED.items():
        data = filled(unit).encode()
        yield name, cost(lambda data=data: config.parse(data, "x"))  # type: ignore[misc]


def merges() -> Iterator[tuple[str, float]]:
    """Yield the dearest piece of each kind of log: a megabyte on one side, a half on the other."""
    texts = {repr(piece): piece * (MEGABYTE // len(piece)) for piece in PIECES}
    texts["items that differ"] = b"".join(b"- %x\n" % number for number in range(MEGABYTE))
    texts["headings that differ"] = b"".join(b"## %x\n" % number for number in range(MEGABYTE))
    for name, (kind, start) in KINDS.items():
        costs = {}
        for what, text in texts.items():
            long, short = text[:MEGABYTE], text[: MEGABYTE // 2]
            sides = SEED, SEED + long + b"\nours\n", SEED + short + b"\ntheirs\n"
            costs[what] = cost(lambda sides=sides: law.merged(kind, start, *sides))  # type: ignore[misc]  # noqa: B023
        worst = max(costs, key=lambda what: costs[what])
        yield f"{name}, of {worst}", costs[worst]


def commands(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield what a declaration of unknown keys at its cap adds to whole commands."""
    env = scratch(folder)
    (folder / ".gitattributes").write_text("[attr]coord-log -merge\n*.tsv coord-log\n")
    (folder / "l.tsv").write_text("one\ntwo\n")
    for words in (("git", "add", "-A"), ("git", "commit", "-qm", "x"), ("coord-install",)):
        subprocess.run(words, cwd=folder, env=env, check=True, capture_output=True)
    (folder / "l.tsv").write_text("two\n")
    subprocess.run(("git", "add", "l.tsv"), cwd=folder, env=env, check=True)
    bare = {name: _ran(name, folder, env) for name in COMMANDS}
    (folder / ".coord.toml").write_text(filled(DECLARED["keys that nobody knows"]) + "x = = 1\n")
    for name in COMMANDS:
        yield f"{name}, refusing it", _ran(name, folder, env) - bare[name]


def _ran(name: str, folder: Path, env: dict[str, str]) -> float:
    verb = ("git", "commit", "-qm", "x") if name == "commit" else ("git", "coord", *name.split())
    return min(_cpu(verb, folder, env) for _ in range(ROUNDS))


def _cpu(argv: tuple[str, ...], folder: Path, env: dict[str, str]) -> float:
    child = subprocess.Popen(
        argv, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return usage.ru_utime + usage.ru_stime


WALKED = {
    "l.tsv, of lines": ("l.tsv", "a\n"),
    "l.tsv, of newlines": ("l.tsv", "\n"),
    "l.blocks, of headings": ("l.blocks", "## x\n"),
    "l.blocks, of one block": ("l.blocks", "a\n"),
    "c.md, of items": ("c.md", "- x\n"),
    "o.once": ("o.once", "a\n"),
    ".gitattributes, of rules": (".gitattributes", "x merge=y\n"),
    ".gitattributes, of our rules": (".gitattributes", "x coord-log\n"),
    ".gitattributes, of newlines": (".gitattributes", "\n"),
}
ACTS = ("merge -q side", "commit -qam edit", "coord check HEAD~1..HEAD", "coord check --tree",
        "coord doctor", "coord board", "coord track log *.tsv", "coord untrack *.tsv")  # fmt: skip
ATTRIBUTES = "*.tsv coord-log\n*.blocks coord-log\n*.md coord-changelog\n*.once coord-once\n"


def walk(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield what each act costs with a megabyte in each file, less what it does with none."""
    start = _walked(folder / "none", "l.tsv", "")
    for number, (what, (name, piece)) in enumerate(WALKED.items()):
        found = _walked(folder / str(number), name, piece)
        for act in ACTS:
            yield f"{what}: {act}", found[act] - start[act]


def _walked(path: Path, name: str, piece: str) -> dict[str, float]:
    env = scratch(path)

    def run(*argv: str) -> None:
        subprocess.run(argv, cwd=path, env=env, check=False, capture_output=True)

    def commit(share: float, last: str) -> None:
        text = (ATTRIBUTES if name == ".gitattributes" else "first\n") + last
        (path / name).write_text(text + piece * round(share * MEGABYTE / max(len(piece), 1)) + last)
        run("git", "add", "-A")
        run("git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", last)

    (path / ".gitattributes").write_text(ATTRIBUTES)
    (path / ".coord.toml").write_text('[log."*.blocks"]\nstart = "## "\n')
    commit(0.0, "base\n")
    run("coord-install")
    run("git", "switch", "-q", "-c", "side")
    commit(0.5, "side\n")
    run("git", "switch", "-q", "main")
    commit(1.0, "main\n")
    found = {}
    for act in ACTS:
        if act.startswith("commit"):
            run("git", "reset", "-q", "--hard")
            (path / name).write_text("first\n" + piece * (MEGABYTE // 2 // max(len(piece), 1)))
        found[act] = _cpu(("git", *act.split()), path, env)
    return found


def main() -> None:
    """Print each bound with what was measured."""
    gc.disable()  # as the drivers do
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as folder:
        for title, bound, rows in (
            (".coord.toml at its cap", 0.05, [*declarations(), *commands(Path(folder, "repo"))]),
            ("a merge of a megabyte", 1.0, list(merges())),
            ("a walk with a megabyte", 1.0, list(walk(Path(folder)))),
        ):
            sys.stdout.write(f"{title}\n")
            for what, seconds in rows:
                verdict = "kept" if seconds <= bound else "MISSED"
                sys.stdout.write(
                    f"  {what:<48} {1000 * seconds:7.1f} ms  ≤ {1000 * bound:g} {verdict}\n"
                )


if __name__ == "__main__":
    main()
