"""Where a call comes from: its worktree, which is pinned as soon as that can be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.liveness import clone, copied
from coord.repo import worktree

if TYPE_CHECKING:
    from coord.identity.pin import Pin
    from coord.repo.worktree import Worktree
    from coord.work.call import Call


def located(call: Call) -> Worktree:
    """Return the worktree of the caller's folder."""
    return worktree.discover(call.cwd, call.environ)


def require_own(call: Call, here: Worktree) -> None:
    """Refuse a verb that would own, or give up, for another worktree or another clone.

    Raises:
        Refused: as :func:`coord.repo.worktree.require_own`; or this repository may be a copy.
    """
    worktree.require_own(here, call.cwd, call.words, call.environ)
    if not copied.is_copied(here.common_dir):
        return
    original = copied.original(here.common_dir)
    if original is not None:
        raise Refused(
            "clone-copied",
            f"{call.words} would act for the repository that this one was copied from",
            where=f"{here.common_dir} is a copy of {original}",
            why="board, claims and pins came along with it, and are the original's",
            run="git coord clone-id new",
        )
    raise Refused(
        "clone-copied",
        f"{call.words} would act by a board that was copied, with its claims and pins",
        where=here.common_dir,
        why="if this is the same clone, moved or restored by copying: git coord clone-id keep; "
        "if it is one beside its original: git coord clone-id new",
        run="git coord clone-id",
    )


def tell_of_clone(call: Call, here: Worktree) -> None:
    """Say whose board this is where that surprises: of a copy; and once, that another has its own.

    Once is as long as nobody has come to this clone's own.
    """
    found = clone.read(here.common_dir)
    if found is None:
        from coord.repo import localremotes  # noqa: PLC0415  # once in a clone's life

        for text in localremotes.notes(here):
            call.note(text)
    tell_of_copy(call, here)


def tell_of_copy(call: Call, here: Worktree) -> None:
    """Say that who acts here is the worker of what this repository, or worktree, is a copy of."""
    if copied.is_copied(here.common_dir):
        call.note("this repository was copied, and its board came along: git coord clone-id")
    original = worktree.copied_from(here)
    if original is not None:
        call.note(
            f"this folder is a copy of {original}, and so is its worker: "
            f"{worktree.own_worktree(here, original)}"
        )


def lazily_pin(call: Call, here: Worktree) -> None:
    """Pin an unpinned linked worktree (made with ``--no-checkout``, or before the install).

    Never the main worktree: its branch may be a peer's. A git dir that cannot be written leaves
    the identity inferred, which the guards then refuse by name.
    """
    from coord.identity import pin, whoami  # noqa: PLC0415  # many verbs ask for nobody's name

    if not (here.linked and here.installed) or worktree.copied_from(here) is not None:
        return
    pinned = whoami.read_pin(here)
    if pinned is not None:
        _complete(here, pinned)
        return
    wanted = call.actor or call.environ.get(whoami.VARIABLE) or pin.branch_handle(here.git_dir)
    if not wanted.endswith("-"):
        whoami.require_actor(wanted, whoami.instead_of(call.actor))
    try:
        made, _ = pin.ensure(here.git_dir, here.common_dir, wanted, whoami.authorship(here))
    except OSError as error:
        call.note(f"this worktree could not be pinned: {error.strerror}: {error.filename}")
    else:
        from coord.work import enrolment  # noqa: PLC0415  # once in a worktree's life

        enrolment.enrol_pinned(here, made)
        call.note(f"pinned {made.actor} to {here.cwd}")


def _complete(here: Worktree, pinned: Pin) -> None:
    """Give a pin the author that git did not know when it was made, if it does now."""
    from coord.identity import pin, whoami  # noqa: PLC0415  # as above

    if pinned.email:
        return
    try:
        pin.complete(here.git_dir, here.common_dir, pinned, whoami.authorship(here))
    except OSError:
        return  # a git dir that cannot be written: doctor says that the pin has no author
