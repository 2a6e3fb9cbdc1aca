"""A commit among the tools people have: pre-commit, prek, lefthook, each with one idle hook.

All of our hooks stand in the other repository, with a log declared and a worktree pinned. The sides
take turns within a round; a tool that is not installed beside this interpreter is named and passed
over (``pip install '.[bench]'`` brings them).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from measure import interleaved, ratio, report, scratch

ROUNDS = 30
_PRE_COMMIT = """\
repos:
  - repo: local
    hooks: [{id: none, name: none, entry: "true", language: system, always_run: true}]
"""
_LEFTHOOK = 'pre-commit:\n  commands:\n    none:\n      run: "true"\n'
#: tool → its declaration, by file, and its command that installs the hook
PEERS = {
    "pre-commit": (".pre-commit-config.yaml", _PRE_COMMIT, "pre-commit install"),
    "prek": (".pre-commit-config.yaml", _PRE_COMMIT, "prek install"),
    "lefthook": ("lefthook.yml", _LEFTHOOK, "lefthook install"),
}


class Side:
    """A repository that commits one changed file at a time."""

    def __init__(self, path: Path, files: dict[str, str], install: str) -> None:
        self.path, self.env, self.number = path, scratch(path), 0
        for name, text in files.items():
            (path / name).write_text(text)
        self.run("git", "add", "-A")
        self.run("git", "commit", "-q", "--allow-empty", "-m", "start")
        self.run("sh", "-c", install)
        self.commit()  # the first run of a tool sets itself up

    def run(self, *argv: str) -> None:
        """Run a command in silence and insist on success."""
        subprocess.run(argv, cwd=self.path, env=self.env, check=True, capture_output=True)

    def commit(self, *options: str) -> None:
        """Commit one changed file that nothing guards."""
        self.number += 1
        (self.path / "file").write_text(f"{self.number}\n")
        self.run("git", "add", "file")
        self.run("git", "commit", "-q", "-m", "change", *options)


def main() -> None:
    """Print every peer's commit beside ours."""
    here = Path(sysconfig.get_path("scripts"))
    present = {name: peer for name, peer in PEERS.items() if shutil.which(name, path=str(here))}
    log = {".gitattributes": "[attr]coord-log -merge\n*.tsv coord-log\n", "log.tsv": "one\n"}
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as folder:
        ours = Side(Path(folder, "ours"), log, "coord-install && git coord pin --actor ada")
        bare = Side(Path(folder, "bare"), {}, "true")
        sides = {
            name: Side(Path(folder, name), {file: text}, install)
            for name, (file, text, install) in present.items()
        }
        acts = {name: side.commit for name, side in sides.items()}
        acts |= {"bare": bare.commit, "ours": ours.commit}
        times = interleaved({**acts, "signed": lambda: ours.commit("-s")}, ROUNDS)
    rows = [ratio("our commit, beside git's own", times["ours"], times["bare"])]
    for name in present:
        rows.append(ratio(f"our commit, beside {name}'s", times["ours"], times[name], 1.0))
        rows.append(ratio("  signed off", times["signed"], times[name], 1.0))
    report(rows)
    for name in PEERS.keys() - present.keys():
        sys.stdout.write(f"{name} is not installed here\n")


if __name__ == "__main__":
    main()
