"""The one entry of the hooks, started by ``hooks/sh/hook`` when there is something to judge.

Exit 0: allowed. Exit 65: refused. Anything else is a crash, which that sh tells from a refusal: a
fault of ours must not stop git. Imports only what the event needs; ``pin`` alone is on the path of
``git worktree add``.
"""

from __future__ import annotations

import gc
import os
import sys

from coord.base.errors import CoordError, Refused

REFUSED = 65
# Of which silence would be the loss.
_STAKES = frozenset({"refused", "conflicts", "records", "once"})
_GATES = frozenset({"prepare-commit-msg", "commit-msg", "pre-applypatch"})


def main() -> None:
    """Judge ``hooks EVENT NEEDS GIT_DIR COMMON_DIR ARGUMENT…`` and end the process."""
    gc.disable()  # it ends soon; of a large log, looking for cycles takes half the time
    event, needs, git_dir, common_dir, *args = sys.argv[2:]
    code = answer(event, needs.split(), (git_dir, common_dir), args)
    os._exit(code)  # 0.9 ms less than taking the interpreter down


def answer(event: str, needs: list[str], dirs: tuple[str, str], args: list[str]) -> int:
    """Judge one call of a hook, print what there is to say, and return the exit code."""
    try:
        said, code = _judged(event, needs, dirs, args)
    except Refused as error:
        said, code = placed(error).lines(), REFUSED
    except CoordError as error:
        said, code = placed(error).lines(), 0
    except Exception as error:
        if os.environ.get("COORD_DEBUG") == "1":
            raise
        said, code = _fault(event, error, needs, dirs[0])
    if said:
        os.write(2, said.encode("utf-8", "surrogateescape"))
    return code


def _judged(
    event: str, needs: list[str], dirs: tuple[str, str], args: list[str]
) -> tuple[str, int]:
    said, code = "", 0
    if "push" in needs:
        from coord.hooks import pre_push  # noqa: PLC0415  # each event loads its own module only

        code = REFUSED if pre_push.run(args, sys.stdin.buffer.read(), dirs) else 0
    elif event == "post-rewrite" and "refused" in needs:
        from coord.hooks import post_rewrite  # noqa: PLC0415

        said = post_rewrite.dropped(dirs)
    elif event not in {"post-checkout", "post-rewrite", "pre-push"}:
        from coord.hooks import message  # noqa: PLC0415

        said = message.judged(event, needs, dirs, args)
    if "pin" in needs or "mend" in needs:
        from coord.hooks import post_checkout  # noqa: PLC0415

        said += post_checkout.pinned(*dirs, os.environ, during=event)
    return said, code


def placed(error: CoordError) -> CoordError:
    """Return an error with a command that works where git was typed, maybe with ``-C``."""
    from coord.repo import caller  # noqa: PLC0415  # only where something is refused

    error.run = caller.placed(error.run)
    return error


def _is_at_stake(needs: list[str], git_dir: str) -> bool:
    """Tell whether silence would be the loss; in a rebase old sign-offs are said again."""
    signed = "signed" in needs and not os.path.isdir(os.path.join(git_dir, "rebase-merge"))
    return signed or not _STAKES.isdisjoint(needs)


def _fault(event: str, error: Exception, needs: list[str], git_dir: str) -> tuple[str, int]:
    """Say what broke; where something would be lost by it, git does not go on."""
    from coord.base.names import shown  # noqa: PLC0415
    from coord.repo import cwd  # noqa: PLC0415  # only after a fault

    gone = cwd.gone()
    if gone:
        return gone.lines(), 0
    if event in _GATES and _is_at_stake(needs, git_dir):
        from coord.hooks import unjudged  # noqa: PLC0415

        return placed(unjudged.fault(error, unjudged.GUARDED)).lines(), REFUSED
    text = shown(f"{type(error).__name__}: {error}")
    return f"coord: a fault in the {event} hook, git goes on (COORD_DEBUG=1 shows it): {text}\n", 0
