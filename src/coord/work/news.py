"""A sign of life, and the news: claims lost or won, which each command tells before all else.

Felt at each prompt, so it asks no git child and, where there is nothing to tell, reads a handful
of small files (0.5 ms).
"""

from __future__ import annotations

from coord.base.frozen import NamedTuple
from coord.liveness import beats
from coord.repo import worktree
from coord.stores import chosen, keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coord.board.notices import Notice
    from coord.stores.store import Store
    from coord.stores.waiting import Watch
    from coord.work.arrive import Worker


class Reader(NamedTuple):
    """Whom the news are for, and the board that keeps them."""

    store: Store
    instance: str


class News(NamedTuple):
    """Something to be told; of an offer, whether it still stands."""

    notice: Notice
    stands: bool


def beat(cwd: str, actor: str | None, watch: Callable[[], Watch]) -> Reader | None:
    """Renew the presence of whoever acts in `cwd`; return them where there may be news.

    Args:
        cwd: the caller's folder.
        actor: the explicit actor, by option or environment.
        watch: looks at the processes above, which is done only where somebody can see the sign.

    Raises:
        OSError: a file of the git dir, or the news, cannot be read.
    """
    place = worktree.of_files(cwd)
    if place is None or not place.in_use:
        return None  # nobody is there to see it, and a clone is left as it was
    if worktree.is_copy(cwd, place):
        return None  # the original's worker is not here, and would never be told
    instance = beats.acting(place.git_dir, actor)
    beats.beat(place.git_dir, instance, watch().chain)
    if instance is None or not chosen.may_have(place.common_dir, keys.notices(instance)):
        return None
    return Reader(chosen.board_of(place.common_dir), instance)


def reader(worker: Worker) -> Reader | None:
    """Return a worker as who the news are for; None where it is not certain who acts."""
    me = worker.me
    certain = me.instance is not None and me.conflict is None
    return Reader(worker.store, worker.instance) if certain else None


def unread(reader: Reader) -> Iterator[News]:
    """Yield what was not told yet, oldest first.

    Raises:
        StoreError: the board cannot be read.
    """
    from coord.board import notices  # noqa: PLC0415  # only with news

    for notice in notices.unread(reader.store, reader.instance):
        yield News(notice, notice.kind != "offered" or _stands(reader.store, notice))


def told(reader: Reader, news: News) -> None:
    """Forget news that were shown."""
    from coord.board import notices  # noqa: PLC0415  # only with news

    notices.told(reader.store, news.notice)


def _stands(store: Store, notice: Notice) -> bool:
    from coord.board import claims, handover  # noqa: PLC0415  # only with an offer to tell of

    return handover.standing(claims.state(store, notice.scope), notice.event) is not None
