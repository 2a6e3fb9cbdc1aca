"""Which store a repository's board is kept in: the one place that opens it."""

from __future__ import annotations

import contextlib
import os

from coord.base import publish, sharing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.stores.choice import Choice
    from coord.stores.directory import Directory
    from coord.stores.replica import Replica
    from coord.stores.store import Store
    from coord.stores.unreached import Unreached

# One copy a command, however often it comes to the board: what it has read it need not ask again.
_AFAR: dict[tuple[str, Choice], Replica] = {}
_TOLD: list[Callable[[str], object]] = []


def tell_by(tell: Callable[[str], object]) -> None:
    """Have `tell` say what a board elsewhere is waited for, in all that this command does."""
    _TOLD[:] = [tell]


def _say(text: str) -> None:
    for tell in _TOLD:
        tell(text)


def folder(common_dir: str) -> str:
    """Return where the embedded store keeps a repository's board."""
    return os.path.join(common_dir, "coord", "board")


def choice(common_dir: str) -> Choice | None:
    """Return which board a clone has chosen elsewhere; None where it is in its git dir.

    Raises:
        Misconfigured: that cannot be told.
    """
    if not os.path.lexists(os.path.join(common_dir, "hooks", "coord", "store")):
        return None
    from coord.stores import choice as choices  # noqa: PLC0415  # 3 ms, for a prompt

    return choices.read(common_dir)


def board_of(common_dir: str) -> Store:
    """Return the board of the repository with this common git dir.

    Raises:
        Misconfigured: which one that is cannot be told.
    """
    found = choice(common_dir)
    if found is not None:
        return afar(common_dir, found)
    return local(common_dir)


def is_board_of(common_dir: str, store: Store) -> bool:
    """Tell whether `store`, which was opened before, is the repository's board still.

    Raises:
        Misconfigured: as :func:`board_of`.
    """
    found = choice(common_dir)
    return copy_of(store) is (None if found is None else _AFAR.get((common_dir, found)))


def local(common_dir: str) -> Directory:
    """Return the board in the git dir, whichever is chosen."""
    from coord.stores.directory import Directory  # noqa: PLC0415  # 0.8 ms; most ask for news only

    return Directory(folder(common_dir))


def afar(common_dir: str, chosen: Choice) -> Replica:
    """Return a board elsewhere, with the copy of it that is kept here.

    Token, git's cache and copy are their user's alone, so that each has its own.

    Raises:
        Misconfigured: `chosen` names no board.
    """
    if (common_dir, chosen) not in _AFAR:
        _AFAR[common_dir, chosen] = _opened(common_dir, chosen)
    return _AFAR[common_dir, chosen]


def another(common_dir: str) -> Replica | None:
    """Return the board elsewhere once more, for another thread; None where it is in the git dir.

    Raises:
        Misconfigured: as :func:`board_of`.
    """
    found = choice(common_dir)
    return None if found is None else _opened(common_dir, found)


def _opened(common_dir: str, chosen: Choice) -> Replica:
    from coord.stores import engine  # noqa: PLC0415  # 0.8 ms; most ask for news only
    from coord.stores.replica import Replica  # noqa: PLC0415  # likewise

    home = os.path.join(common_dir, "coord")
    with contextlib.suppress(OSError):  # read-only: the copy is kept in memory
        sharing.folders(home, sharing.of(common_dir))
    kept = base(common_dir, chosen)
    store = engine.opened(chosen, kept, common_dir, _say)
    fresh = engine.freshness(chosen.url)
    return Replica(store, f"{kept}.copy", fresh, chosen.epoch, chosen.url)


def base(common_dir: str, chosen: Choice) -> str:
    """Return what the paths begin with of all that is kept here of a board elsewhere."""
    import zlib  # noqa: PLC0415  # most boards are files

    return f"{_own(common_dir)}-{zlib.crc32(chosen.url.encode()):08x}"


def forget(common_dir: str) -> None:
    """Drop what this user has here of boards elsewhere."""
    for key in [key for key in _AFAR if key[0] == common_dir]:
        _AFAR.pop(key).close()
    own = os.path.basename(_own(common_dir))
    for name in os.listdir(os.path.join(common_dir, "coord")):
        if name.startswith(f"{own}-"):
            publish.drop(os.path.join(common_dir, "coord", name))


def _own(common_dir: str) -> str:
    return os.path.join(common_dir, "coord", f"board-{os.geteuid()}")


def copy_of(store: Store) -> Replica | None:
    """Return `store` where it is one of those on servers."""
    return next((found for found in _AFAR.values() if found is store), None)


def unreached(store: Store) -> Unreached | None:
    """Return since when `store` is read from its copy alone; None where it is not."""
    copy = copy_of(store)
    return None if copy is None else copy.unreached


def opened() -> list[Replica]:
    """Return the boards on servers that this command has come to."""
    return list(_AFAR.values())


def clones() -> set[str]:
    """Return the common dirs of the clones whose boards these are."""
    return {common_dir for common_dir, _ in _AFAR}


def may_have(common_dir: str, prefix: str) -> bool:
    """Tell by one look whether the board has anything below `prefix`, without opening it.

    Of a board elsewhere this says what is known here: no prompt waits for a server.

    Raises:
        OSError: the folder cannot be read.
        Misconfigured: as :func:`board_of`.
    """
    found = choice(common_dir)
    if found is not None:
        return afar(common_dir, found).knows(prefix)
    try:
        return bool(os.listdir(os.path.join(folder(common_dir), prefix)))
    except FileNotFoundError:
        return False
