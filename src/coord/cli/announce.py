"""``announce`` and ``overlap``: what a branch is about, and where branches meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.cli import answer, edge, show
from coord.overlap import text as overlap_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.overlap.contact import Contact, Touched


@click.command()
@click.option("--intent", metavar="T", help="What you mean to do.")
@click.option("--path", "globs", multiple=True, metavar="GLOB", help="Files you mean to touch.")
@click.option("--session", metavar="S", help="The session you work in.")
@show.json_option
@click.pass_obj
def announce(
    asked: str | None,
    *,
    intent: str | None,
    globs: tuple[str, ...],
    session: str | None,
    as_json: bool,
) -> None:
    """Claim the branch you are on and say what you mean to do there, and to which files.

    GLOB is a pathspec as git has it. Who has declared the same paths on another branch is told,
    once, and so are you; nobody is kept from anything.
    """
    from coord.work import announce as announcing  # noqa: PLC0415  # not for the other verb

    options = {"--intent": intent, "--path": globs, "--session": session}
    call = edge.call(asked, "announce", options=options)
    made = announcing.announce(call, intent=intent, globs=globs, session=session)
    if as_json:
        from coord.documents import overlaps as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.announced(made))
        return
    answer.claims(made.claims, as_json=False)
    for one in made.met:
        show.lines(overlap_text.lines(one))


@click.command()
@show.json_option
@click.pass_obj
def overlap(asked: str | None, *, as_json: bool) -> None:
    """Show which declared paths meet, and which files two branches have in fact both changed."""
    from coord.work import overlap as meeting  # noqa: PLC0415

    found = meeting.overlap(edge.call(asked, "overlap"))
    if as_json:
        from coord.documents import overlaps as documents  # noqa: PLC0415

        show.document(documents.document(found))
        return
    for one in found.declared:
        show.lines(overlap_text.lines(one))
    for contact in found.actual:
        show.lines(_lines(contact))
    if not found.declared and not found.actual:
        show.line("nothing that is declared or changed meets")


def _lines(found: Contact) -> Iterator[str]:
    one, other = found.branches
    yield f"{one} and {other} have both changed, since {found.base[:12]}"
    for touched in found.files:
        yield f"  | {touched.path}{_where(touched)}"


def _where(touched: Touched) -> str:
    if touched.regions is None:
        return ""
    if not touched.regions:
        return ", in different lines"
    if touched.regions[0].end <= 1:
        return ", from the first line on"
    lines = [
        f"{one.start}-{one.end}" if one.end > one.start else str(one.start)
        for one in touched.regions
    ]
    return f", lines {', '.join(lines)}"
