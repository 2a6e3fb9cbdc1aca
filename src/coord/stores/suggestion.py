"""That a committed file suggests where the board be kept, which this clone has not accepted."""

from __future__ import annotations

from coord.base.names import shown
from coord.remote import address
from coord.settings.config import DIRECTORY
from coord.stores import chosen, engine
from coord.stores.store import Misconfigured

_MOST = 200  # characters of what may be no URL


def pending(common_dir: str, suggested: str) -> str:
    """Return a line about a suggestion that a clone has not accepted; empty where there is none."""
    if suggested == DIRECTORY:
        return ""
    try:
        accepted = chosen.choice(common_dir)
    except Misconfigured:
        return ""
    if accepted is not None and accepted.url == suggested:
        return ""
    try:
        engine.suggestible(suggested)
    except ValueError as error:
        return f"what is suggested for the board is none that can be: {short(suggested)}: {error}"
    said = "a server is suggested for the board and not accepted"
    return f"{said}: {short(suggested)}: git coord store use --suggested"


def short(text: str) -> str:
    """Return what is suggested as a screen or a log may have it: cut, without a secret."""
    user, at, rest = text.rpartition("@")
    name = user.rpartition("//")[2]
    if ":" in name or address.may_be_token(name):
        text = f"…{at}{rest}"
    return shown(text if len(text) <= _MOST else f"{text[:_MOST]}…")
