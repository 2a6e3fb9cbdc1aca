"""``handoff`` and ``ack``: the one way in which a claim is given to another."""

from __future__ import annotations

import click

from coord.cli import answer, edge, show, words
from coord.work import ack as acks
from coord.work import handoff as handoffs
from coord.work.claim import Claims


@click.command()
@click.argument("to", shell_complete=words.worker, metavar="TO")
@click.option(
    "--scope",
    "names",
    multiple=True,
    shell_complete=words.scope,
    metavar="S",
    help="What; default: all you hold.",
)
@click.option("--note", metavar="TEXT", help="What the other should know.")
@show.json_option
@click.pass_obj
def handoff(
    asked: str | None, *, to: str, names: tuple[str, ...], note: str | None, as_json: bool
) -> None:
    """Offer what you hold to an actor or an instance; it stays yours until the other's ack.

    An offer ends when the scope changes its holder in any way. The first ack of several has it.
    """
    call = edge.call(asked, "handoff", [], {"--scope": names, "--note": note}, [to])
    made = handoffs.handoff(call, to, names, note)
    if as_json:
        from coord.documents import offers  # noqa: PLC0415  # scripts pay for it

        show.document(offers.document(made))
        return
    for scope, state, offer in made:
        show.line(
            f"{scope} is offered to {offer.name} at generation {state.generation}: {offer.id}"
        )
        show.note(f"{scope} stays yours until {offer.name} runs git coord ack {offer.id}")


@click.command()
@click.argument("name", metavar="ID")
@show.json_option
@click.pass_obj
def ack(asked: str | None, *, name: str, as_json: bool) -> None:
    """Take up an offered scope, which is yours from then on, or tell a sender that you read.

    ID is of your inbox; or it is a scope with its kind, which somebody claimed for your branch.
    """
    done = acks.ack(edge.call(asked, "ack", tail=[name]), name)
    if isinstance(done, Claims):
        answer.claims(done, as_json=as_json)
        return
    message, new = done
    if as_json:
        from coord.documents import messages  # noqa: PLC0415

        show.document(messages.read(done))
        return
    if message.kind == "ack":
        show.line(f"read: an ack from {message.sender.actor}, which is not answered")
        return
    again = "" if new else " before; nothing was sent again"
    show.line(f"acknowledged {message.kind} from {message.sender.actor}{again}")
