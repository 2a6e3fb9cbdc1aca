"""``announce`` and ``overlap``: what a branch is about, and where branches meet."""

from __future__ import annotations

import click

from coord.cli import answer, edge, progress, show
from coord.overlap import text as overlap_text


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
    once, and you by the answer; nobody is kept from anything.
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
    show.lines(overlap_text.told(made.met, made.claims.worker.instance))


@click.command()
@show.json_option
@click.pass_obj
def overlap(asked: str | None, *, as_json: bool) -> None:
    """Show which declared paths meet, and which files two branches have in fact both changed.

    Your own branch comes first; what a merge settles by itself is left out.
    """
    from coord.work import overlap as meeting  # noqa: PLC0415

    with progress.going("comparing branches"):
        found = meeting.overlap(edge.call(asked, "overlap"))
    if as_json:
        from coord.documents import overlaps as documents  # noqa: PLC0415

        show.document(documents.document(found))
        return
    worker = found.worker
    shown = [*overlap_text.lines(found.declared, found.actual, worker.instance, worker.branch)]
    show.lines(shown or ["nothing that is declared or changed meets"])
