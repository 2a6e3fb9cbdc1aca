"""The hooks around a commit's message: gate, conflict, log and once rules, sign-off, in this order.

``prepare-commit-msg`` runs for every commit: ``--no-verify``, merges, picks, each step of a rebase.
``commit-msg`` and ``applypatch-msg`` see what was typed or mailed; ``pre-applypatch`` gates ``am``.
"""

from __future__ import annotations

import os

from coord.hooks import unjudged
from coord.repo.worktree import Worktree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def judged(event: str, needs: Sequence[str], dirs: tuple[str, str], args: Sequence[str]) -> str:
    """Judge one call of a message hook and return what to say.

    Args:
        event: name of the hook.
        needs: what the sh found to judge: ``refused``, ``conflicts``, ``records``, ``once``, …
        dirs: private and common git dir, as the hook file found them.
        args: the hook's own arguments.

    Raises:
        Refused: the commit may not be made as it is.
    """
    here = Worktree(os.path.realpath(dirs[0]), os.path.realpath(dirs[1]), os.getcwd())
    message = args[0] if args else None
    said = ""
    if "refused" in needs:
        from coord.hooks import gate  # noqa: PLC0415  # each need loads its own module only

        if event == "commit-msg" and message is not None:
            unjudged.judged(lambda: gate.note(here, message), unjudged.REFUSALS)
        else:
            said = unjudged.judged(lambda: gate.judge(here, message), unjudged.REFUSALS)
    if "conflicts" in needs:
        from coord.hooks import conflicts  # noqa: PLC0415

        unjudged.judged(lambda: conflicts.judge(here, args), unjudged.DERIVED)
    if "records" in needs:
        from coord.hooks import logrules  # noqa: PLC0415

        said += unjudged.judged(lambda: logrules.judge(here, args), unjudged.RECORDS)
    if "once" in needs:
        from coord.hooks import oncerules  # noqa: PLC0415

        unjudged.judged(lambda: oncerules.judge(here, args), unjudged.ONCE)
    if message is not None and ("signed" in needs or "pin" in needs):
        from coord.hooks import signoff  # noqa: PLC0415

        if "signed" in needs and not signoff.is_replayed(here):
            said += unjudged.judged(lambda: signoff.judged(event, here, args), unjudged.SIGNED)
        else:
            said += signoff.judged(event, here, args)
    return said
