"""``reauthor``: unpublished commits get the identity their worktree is pinned to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.base.errors import Environment, Refused, Usage
from coord.cli import edge, show
from coord.identity import outgoing, whoami
from coord.reauthor import reauthor as rewriting
from coord.reauthor.request import Request
from coord.repo import reflog, worktree
from coord.work import where

if TYPE_CHECKING:
    from coord.reauthor.reauthor import Done, Plan
    from coord.reauthor.rewrite import Change
    from coord.repo.worktree import Worktree


@click.command()
@click.argument("commits", nargs=-1, metavar="[COMMIT]...")
@click.option("--outgoing", is_flag=True, help="All that the push guard names; ^REV leaves out.")
@click.option("--branch", "branches", multiple=True, metavar="BRANCH", help="Rewrite BRANCH.")
@click.option(
    "--pushed",
    multiple=True,
    metavar="REMOTE/BRANCH",
    help="Also what was pushed there; you push it again.",
)
@click.option("--dry-run", is_flag=True, help="Say what would change.")
@show.json_option
@click.pass_obj
def reauthor(
    asked: str | None,
    *,
    commits: tuple[str, ...],
    outgoing: bool,
    branches: tuple[str, ...],
    pushed: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Give COMMITs, made here and not published, the identity of this worktree.

    Author and committer change, of a picked commit only the committer. Trees, dates, messages,
    merges and everybody else's commits stay as they are.
    """
    request = Request(commits, outgoing, branches, pushed)
    _require_sense(request)
    here = edge.located()
    signature = _signature(here, asked, request)
    plan = _planned(here, signature, request)
    done = None if dry_run or not plan.chain else rewriting.carry_out(here, plan)
    if as_json:
        show.document(_document(plan, done, dry_run=dry_run))
    else:
        _print(plan, done, outgoing=outgoing)
    _comment(plan, done, pushed)


def _require_sense(request: Request) -> None:
    """Insist on something to do.

    Raises:
        Usage: neither commits nor ``--outgoing``, or ``^REV`` without it.
    """
    excluded = any(commit.startswith("^") for commit in request.commits)
    if request.outgoing or (request.commits and not excluded):
        return
    raise Usage(
        "usage",
        "nothing to leave ^REV out of" if excluded else "no commit is named",
        where="git coord reauthor",
        why="name the commits, or take all that the push guard names",
        run="git coord reauthor --outgoing --dry-run",
    )


def _signature(here: Worktree, asked: str | None, request: Request) -> tuple[str, str]:
    """Return name and e-mail that this worktree's commits are to bear.

    Raises:
        Refused: no pin, or another actor than the pinned one is asked for.
    """
    verb = request.words().removeprefix("git coord ")
    call = edge.call(asked, verb)
    worktree.refuse_leaked(here, call.cwd, verb, call.environ)
    where.lazily_pin(call, here)
    me = whoami.resolve(here, asked)
    whoami.require_certain(me, here, verb)
    pinned = whoami.read_pin(here)
    if pinned is None:
        raise Refused(
            "identity-inferred",
            f"reauthor as {me.actor} refused",
            where=here.cwd,
            why="only a pin says for good which identity this worktree's commits bear",
            run="git coord pin" if here.linked else "git coord pin --self",
        )
    if outgoing.follows(here.common_dir, pinned):
        return pinned.name, pinned.email
    return whoami.own(here, "user.name"), whoami.own(here, "user.email")


def _planned(here: Worktree, signature: tuple[str, str], request: Request) -> Plan:
    try:
        return rewriting.plan(here, signature, request)
    except reflog.Doubt as doubt:
        raise Environment(
            "git-failed",
            "the commits could not be listed",
            where=here.cwd,
            why=str(doubt),
            run="git fsck --connectivity-only",
        ) from doubt


def _document(plan: Plan, done: Done | None, *, dry_run: bool) -> dict[str, object]:
    new = done.new if done else {}
    return {
        "dry_run": dry_run,
        "name": plan.who[0],
        "email": plan.who[1],
        "commits": [
            {
                "old": commit,
                "new": new.get(commit),
                "author": change.author,
                "committer": change.committer,
            }
            for commit, change in plan.changes.items()
        ],
        "rebuilt": len(plan.chain),
        "branches": [move._asdict() for move in done.moves] if done else [],
        "unsigned": list(done.unsigned) if done else [],
        "left": list(done.left) if done else [],
    }


def _print(plan: Plan, done: Done | None, *, outgoing: bool) -> None:
    if not plan.changes:
        which = "made here since the pin and not published" if outgoing else "named"
        show.line(f"nothing to change: no commit {which} bears another identity")
    for commit in plan.chain:
        if commit in plan.changes:
            new = f" -> {done.new[commit][:12]}" if done else ""
            text = f"  {done.subjects[commit]}" if done else ""
            show.line(f"{commit[:12]}{new}  {_signed(plan.changes[commit])}{text}")


def _signed(change: Change) -> str:
    return " and ".join(
        word
        for word, changed in (("author", change.author), ("committer", change.committer))
        if changed
    )


def _comment(plan: Plan, done: Done | None, pushed: tuple[str, ...]) -> None:
    """Say on stderr what was kept, lost and left."""
    name, email = plan.who
    if plan.changes:
        verb = "now signed" if done else "would be signed"
        show.note(
            f"{len(plan.changes)} of {len(plan.chain)} rebuilt commits {verb} {name} <{email}>"
        )
    if done is None:
        return
    for move in done.moves:
        show.note(f"{move.ref} stood at {move.old[:12]}, kept as {move.backup}")
    if done.unsigned:
        show.note(f"{len(done.unsigned)} lost a signature that covered the old identity or parents")
    for ref in done.left:
        show.note(f"{ref} still holds the old commits")
    if plan.missed:
        show.note(
            f"{len(plan.missed)} more are not signed as pinned: git coord reauthor --outgoing"
        )
    for ref in pushed:
        remote, _, branch = ref.partition("/")
        source = done.moves[0].ref.removeprefix("refs/heads/")
        target = branch if source == branch else f"{source}:{branch}"
        show.note(f"then: git push --force-with-lease {remote} {target}")
