"""How a call to a server fails, by what the caller must believe of it then.

    Failure
    ├── Absent     surely not applied: nobody there, or the server said that it did nothing
    ├── Lost       may have been applied: sent, and no answer that says
    ├── Denied     surely not applied: who we are is not known there, or may not do this
    ├── Unfit      surely not applied: what stands there, or what we were given, does not do
    │   └── Spoiled    a repository in which something else stands where the board was
    ├── Refused    surely not applied: the request itself, with the server's code
    └── TooLarge   the answer is larger than the caller reads; the next call begins anew

No message holds a secret: a password and a token are struck from what a server says.
"""

from __future__ import annotations


class Failure(Exception):
    """Base of them all; raised through its branches, never directly.

    Attributes:
        where: the endpoint, as ``host:port``, or the repository.
        why: one line of reason.
        run: the command that mends it; empty where none is known here.
    """

    def __init__(self, where: str, why: str, run: str = "") -> None:
        super().__init__(where, why)
        self.where = where
        self.why = why
        self.run = run


class Absent(Failure):
    """Nothing was applied, and the same call can succeed elsewhere or later.

    Attributes:
        alive: something answered there, so that it is worth asking again.
    """

    def __init__(self, where: str, why: str, *, alive: bool = False) -> None:
        super().__init__(where, why)
        self.alive = alive


class Lost(Failure):
    """The call may have been applied, or may yet be."""


class Denied(Failure):
    """The user or the password is wrong, or the user's roles do not reach there."""


class Unfit(Failure):
    """The certificate, the kind of server, or a file we were given."""


class Spoiled(Unfit):
    """What stands where the board is kept is no board; the command puts it back, or aside."""


class Refused(Failure):
    """The server will not do this at all.

    Attributes:
        code: its gRPC status code.
    """

    def __init__(self, where: str, why: str, code: int) -> None:
        super().__init__(where, why)
        self.code = code


class TooLarge(Failure):
    """The answer is larger than the caller reads."""
