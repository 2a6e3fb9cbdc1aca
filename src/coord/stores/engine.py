"""Which kind of store a URL names, and what opens it: the one place that tells them apart.

etcd://, etcds://    coord.stores.cluster, a client of etcd
git+…                coord.stores.chain, a repository on a git remote
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.stores import choice

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.etcd import address as servers
    from coord.remote import address as repositories
    from coord.stores.chain import Chain
    from coord.stores.choice import Choice
    from coord.stores.cluster import Cluster

    Far = Cluster | Chain

FRESH, FETCHED = 1.0, 5.0  # seconds
PATIENCE = 5.0  # seconds; an election among etcd's members takes one or two
_GIT = "git+"
_ETCD = ("etcd://", "etcds://")


def is_git(url: str) -> bool:
    """Tell whether a board at `url` is kept on a git remote."""
    return url.startswith(_GIT)


def freshness(url: str) -> float:
    """Return how old, in seconds, what a command has read may be until it is read again.

    A command that pushes to a git remote lasts for seconds, and would fetch at each of its steps.
    """
    return FETCHED if is_git(url) else FRESH


def require(url: str) -> None:
    """Insist that a URL names a board.

    Raises:
        ValueError: it does not, in one line that does not show it.
    """
    if is_git(url):
        _repository(url)
    elif url.startswith(_ETCD):
        _cluster(url)
    else:
        raise ValueError(
            "a board is named etcd://HOST/PREFIX, etcds://HOST/PREFIX for TLS, or git+URL, as "
            "git+https://HOST/PATH, for a repository"
        )


def suggestible(url: str) -> str:
    """Return where a board is that a committed file may suggest, as a person is shown it.

    Raises:
        ValueError: nobody may be led there by a branch: a repository on this machine runs its
            hooks as whoever pushes, and by ``git://`` or ``http://`` nobody knows who answers.
    """
    if is_git(url):
        from coord.remote import address  # noqa: PLC0415  # most boards are files

        found = _repository(url)
        if found.protocol not in address.SUGGESTED:
            raise ValueError("a board on a git remote is suggested by https or ssh alone")
        return f"{found.host} by {found.protocol}"
    server = _cluster(url)
    return f"{', '.join(map(str, server.endpoints))}{' by TLS' if server.tls else ''}"


def opened(found: Choice, base: str, cwd: str, tell: Callable[[str], object] | None = None) -> Far:
    """Return the store that a choice names.

    Args:
        found: the choice.
        base: path that what is kept of it here begins with.
        cwd: where ``git credential`` is asked.
        tell: is told what is waited for; None for nobody.

    Raises:
        Misconfigured: the choice names none.
    """
    try:
        if is_git(found.url):
            from coord.remote.tips import mute  # noqa: PLC0415  # likewise
            from coord.stores.chain import Chain  # noqa: PLC0415  # most boards are files

            where = _repository(found.url)
            return Chain(where, f"{base}.chain", rate=found.pace, tell=tell or mute)
        server = _cluster(found.url)
    except ValueError as error:
        raise choice.unfit(found.url, str(error)) from error
    from coord.stores.cluster import Cluster  # noqa: PLC0415  # 0.8 ms; most ask for news only

    server = server._replace(
        ca=found.ca, cert=found.cert, key=found.key, password_file=found.password_file
    )
    return Cluster(server, cache=f"{base}.token", cwd=cwd, patience=PATIENCE)


def _cluster(url: str) -> servers.Address:
    from coord.etcd import address  # noqa: PLC0415  # most boards are files

    return address.parsed(url)


def _repository(url: str) -> repositories.Address:
    from coord.remote import address  # noqa: PLC0415  # most boards are files

    return address.parsed(url)
