"""``claim --wait``: until what was claimed is held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.cli import answer, asleep, headlines, pulse, show
from coord.work import news
from coord.work.wait import could_hold, held

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.work.call import Call
    from coord.work.claim import Claims
    from coord.work.wait import Waiting


def claims(call: Call, made: Claims, timeout: float, *, as_json: bool) -> None:
    """Wait for what only waits, and print each scope once it is held; as JSON all at the end."""
    back = asleep.resumed()
    waiting = [one.scope for one in made.made if not could_hold(made.worker, one.state)]
    if not as_json:
        own = tuple(one for one in made.made if one.scope not in waiting)
        answer.claims(made._replace(made=own), as_json=False)
    try:
        for done in held(call, made, timeout, _falling(call, timeout, as_json=as_json), back):
            waiting.remove(done.scope)
            pulse.tell(news.reader(done.worker))  # what its last holder has done there already
            if not as_json:
                show.line(f"{done.scope} is yours")
    except KeyboardInterrupt:
        for scope in waiting:
            show.note(headlines.kept(scope))
        raise
    if as_json:
        answer.claims(made.again(), as_json=True)


def _falling(call: Call, timeout: float, *, as_json: bool) -> Callable[[Waiting], None]:
    def fall(waiting: Waiting) -> None:
        if not as_json:  # the small program knows one scope, and JSON tells of all
            asleep.fall(waiting, "claim", asleep.claiming(call.actor, waiting.scope, timeout))

    return fall
