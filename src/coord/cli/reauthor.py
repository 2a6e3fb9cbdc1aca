"""``reauthor``: unpublished commits get the identity their worktree is pinned to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.cli import edge, progress, show
from coord.documents import reauthor as documents
from coord.reauthor import signing
from coord.reauthor.request import Request
from coord.work import reauthor as rewriting
from coord.work import where

if TYPE_CHECKING:
    from coord.reauthor.reauthor import Done, Plan
    from coord.reauthor.rewrite import Change


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
    words = request.words().removeprefix("git coord ") + (" --dry-run" if dry_run else "")
    call = edge.call(asked, words)
    with progress.going("rebuilding commits", lambda: signing.is_wanted(where.located(call))):
        rewritten = rewriting.reauthor(call, request, dry_run=dry_run)
    plan, done, typed = rewritten
    if as_json:
        show.document(documents.reauthored(rewritten, dry_run=dry_run))
    else:
        _print(plan, done, outgoing=outgoing)
    _comment(plan, done)
    if done is not None:
        _say_pushes(plan, done, pushed, typed)


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


def _comment(plan: Plan, done: Done | None) -> None:
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
    if done.notes:
        show.note(f"their notes could not be copied: {done.notes}")
    for ref in done.left:
        show.note(f"{ref} still holds the old commits")
    if plan.missed:
        show.note(
            f"{len(plan.missed)} more are not signed as pinned: git coord reauthor --outgoing"
        )


def _say_pushes(plan: Plan, done: Done, pushed: tuple[str, ...], typed: str) -> None:
    """Say what the pushes are that have to follow, with the branch as it is `typed`."""
    for ref in pushed:
        remote, _, branch = ref.partition("/")
        full = f"refs/heads/{branch}" if typed.startswith("refs/") else branch
        target = branch if typed == branch else f"{typed}:{full}"
        # Git compares with the tracking ref; where that never heard of the push, with what we know.
        lease = "" if ref in plan.fetched else f"={branch}:{done.moves[0].old}"
        show.note(f"then: git push --force-with-lease{lease} {remote} {target}")
