"""What ``whoami``, ``pin`` and ``worktree add`` print: who acts in a worktree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.cli import show

if TYPE_CHECKING:
    from coord.work.whoami import Known


def answer(found: Known, *, as_json: bool) -> None:
    """Print who acts in a worktree; the author is what git itself will write."""
    if as_json:
        from coord.documents import whoami  # noqa: PLC0415  # scripts pay for it

        show.document(whoami.document(found))
        return
    me, author, branch = found.me, found.author, found.branch
    show.line(f"{me.actor} ({me.source})")
    show.line(f"author    {author.name} <{author.email}>")
    show.line(f"instance  {me.instance or 'none: pin this worktree'}")
    show.line(f"worktree  {found.worktree}, {f'on {branch}' if branch else 'detached'}")
