"""The runs that regenerate files: which commands, in which order, and whether they can run yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.names import operand, quote
from coord.guard import guarded
from coord.repo import git
from coord.settings import config, sections
from coord.settle import index, template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.repo.worktree import Worktree
    from coord.settings.config import Derived
    from coord.settle.index import Spot


@dataclass(frozen=True)
class Job:
    """One run of a producer.

    Attributes:
        text: the producer as declared, which is what is trusted.
        command: what is run, as a person would type it.
        paths: the files it makes.
        inputs: pathspecs of what it makes them from.
    """

    text: str
    command: str
    paths: tuple[str, ...]
    inputs: tuple[str, ...]


def jobs(rules: Iterable[tuple[str, Derived]]) -> list[Job]:
    """Return the runs: one a producer, or one a path where the producer names ``{path}``.

    Raises:
        Refused: it names ``{path}`` where a shell would read a file's name as code.
    """
    jobs: dict[str, Job] = {}
    for path, rule in rules:
        if template.is_code(rule.regenerate):
            raise _quoting(path, rule)
        command = rule.regenerate.replace(template.PATH, operand(path))
        known = jobs.get(command, Job(rule.regenerate, command, (), ()))
        inputs = tuple(dict.fromkeys((*known.inputs, *rule.inputs)))
        jobs[command] = Job(rule.regenerate, command, (*known.paths, path), inputs)
    return list(jobs.values())


def argv(job: Job) -> list[str]:
    """Return what runs a job: the file's name is an argument, and never text of the shell."""
    if template.PATH not in job.text:
        return ["sh", "-c", job.text]
    (path,) = job.paths
    name = f"./{path}" if path.startswith("-") else path
    return ["sh", "-c", template.with_argument(job.text), "sh", name]


def require_inputs(spot: Spot, runs: Sequence[Job]) -> list[str]:
    """Return the paths that are unmerged and made by none of `runs`.

    Raises:
        Refused: one of them is a declared input; or one that was staged still has its markers.
    """
    made = {path for job in runs for path in job.paths}
    conflicts = sorted(index.unmerged(spot.here) - made)
    settled = sorted(index.unmerged(spot.here, "--resolve-undo") - made)
    unready = dict.fromkeys(conflicts, 0)
    unready |= {path: line for path in settled if (line := index.marker_line(spot.full(path)))}
    for job in runs:
        inputs = matched(spot.here, job.inputs)
        found = {path: line for path, line in unready.items() if path in inputs}
        if found:
            raise _unready(spot, job, found)
    return conflicts


def ordered(here: Worktree, runs: Sequence[Job]) -> list[Job]:
    """Return the runs so that what makes an input of another comes first."""
    left, order = list(runs), []
    reads = {job.command: matched(here, job.inputs) for job in runs}
    while left:
        waiting = {path for job in left for path in job.paths}
        ready = [job for job in left if not reads[job.command] & (waiting - set(job.paths))]
        order.append((ready or left)[0])  # inputs that go round in a circle: as declared
        left.remove(order[-1])
    return order


def matched(here: Worktree, inputs: Sequence[str]) -> set[str]:
    """Return the paths in the index that declared inputs match, as pathspecs from the top level."""
    specs = [spec if spec.startswith(":") else f":(top){spec}" for spec in inputs]
    if not specs:
        return set()
    listing = git.tell("ls-files", "-z", "--cached", "--full-name", "--", *specs, cwd=here.cwd)
    return set(listing.fields)


def pattern(path: str) -> str:
    """Return the gitattributes pattern that matches `path`, as a word of a shell."""
    return quote(guarded.exact_pattern(path))


def _quoting(path: str, rule: Derived) -> Refused:
    return Refused(
        "producer-quotes-path",
        "a producer names {path} where a file's name could run as code",
        where=f"{path}: {rule.regenerate}",
        why="{path} is handed over as one word of its own, whatever is in it: write it without "
        f"quotes, outside of here-documents, eval and sh -c: {template.mended(rule.regenerate)}",
        run=sections.editor(config.FILE, 0),
    )


def _unready(spot: Spot, job: Job, unready: Mapping[str, int]) -> Refused:
    files = spot.typed(*unready)
    return Refused(
        "inputs-unmerged",
        f"{', '.join(job.paths)} cannot be made yet",
        where=", ".join(f"{path}:{line}" if line else path for path, line in unready.items()),
        why="these declared inputs still have conflicts, and so would what is made from them",
        run=f"${{EDITOR:-vi}} {files} && git add {files} && "
        f"git coord regenerate {spot.typed(*job.paths)}",
    )
