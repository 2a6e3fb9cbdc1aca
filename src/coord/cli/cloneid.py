"""``clone-id``: which clone this is; and what a copied repository is to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.base.names import quote
from coord.cli import edge, show
from coord.work import cloneid

if TYPE_CHECKING:
    from coord.work.cloneid import Known

_NEW = (
    "git coord clone-id new   makes it a clone of its own; the board that was copied is set aside"
)


@click.command("clone-id")
@click.argument("answer", required=False, type=click.Choice(["keep", "new"]))
@show.json_option
@click.pass_obj
def clone_id(asked: str | None, *, answer: str | None, as_json: bool) -> None:
    """Show which clone this is; of a copied repository, say whether it is the same or a new one.

    keep: it is the same clone, moved or restored; its board goes on. new: it is a clone of its own;
    the board that came along is set aside, and its worktrees get new owners of the same names.
    """
    call = edge.call(asked, "clone-id", [answer] if answer else [])
    done = {"keep": cloneid.keep, "new": cloneid.new}.get(answer or "", cloneid.show)(call)
    if as_json:
        from coord.documents import cloneid as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(done))
        return
    show.lines(_lines(done))


def _lines(found: Known) -> list[str]:
    """Return which clone this is, and what is to be decided."""
    if found.set_aside is not None:
        aside = f"the board that was copied lies in {found.set_aside}"
        return [
            f"{found.id} is the new id of this clone",
            f"{aside}: rm -r {quote(found.set_aside)}",
        ]
    if found.proved:
        return [found.id or "no id yet: the first claim makes one"]
    if found.original is not None:
        return [f"{found.id} is the id of {found.original}, which was copied here", _NEW]
    said = found.id or "an id that cannot be read"
    return [
        f"{said} came here by copying: it is not proved to be this clone's",
        "git coord clone-id keep  says that it is the same clone: board, claims and pins go on",
        _NEW,
    ]
