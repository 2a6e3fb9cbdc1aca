"""``git coord doctor`` in tests: the findings of a repository, and their commands pasted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.doctor.examine import examine
from coord.repo import worktree

if TYPE_CHECKING:
    from coord.doctor.examine import Diagnosis
    from coord.doctor.findings import Finding
    from harness.repo import Repo


def diagnosis(repo: Repo) -> Diagnosis:
    """Examine in this process, as if ``git coord doctor`` had been typed in the worktree."""
    cwd = os.path.realpath(repo.path)
    return examine(worktree.discover(cwd, repo.env), cwd, repo.env)


def findings(repo: Repo, rule: str | None = None) -> list[Finding]:
    """Return what is wrong, of one rule or of all."""
    return [one for one in diagnosis(repo).findings if rule in {None, one.rule}]


def rules(repo: Repo) -> set[str]:
    """Return the rules of all that is wrong."""
    return {one.rule for one in findings(repo)}


def notes(repo: Repo) -> str:
    """Return all remarks, a line each."""
    return "\n".join(note for verdict in diagnosis(repo).verdicts for note in verdict.notes)


def mended(repo: Repo, rule: str, **environ: str) -> Finding:
    """Insist on one finding of `rule` and that its command, pasted here, ends it; return it."""
    found = findings(repo, rule)
    assert len(found) == 1, findings(repo)
    done = repo.with_env(**environ).paste(found[0].run)
    assert done.code == 0, f"{found[0].run}\nexit {done.code}\n{done.out}{done.err}"
    assert findings(repo, rule) == []
    return found[0]


def healthy(repo: Repo) -> bool:
    """Tell whether nothing is wrong; a finding is shown by the failing assert."""
    found = findings(repo)
    assert found == [], found
    return True
