"""The sign-off guard: no new ``Signed-off-by`` of the committer under an identity that is a guess.

``prepare-commit-msg`` knows what the message is made from, ``commit-msg`` does not: so the first
leaves in ``coord-signed`` who the committer was and which trailers were there, and the second
judges what was typed since. Inside a rebase old trailers are replayed: there it only warns.
"""

from __future__ import annotations

import os

from coord.base import peerfile, publish
from coord.base.errors import CoordError, Refused
from coord.base.names import answers_to, is_actor, slug
from coord.hooks import messagefile
from coord.identity import outgoing, pin, whoami
from coord.repo import git, worktree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coord.repo.worktree import Worktree

HANDED_ON = "coord-signed"
_SCISSORS = b"------------------------ >8 ------------------------"
_KEY = b"signed-off-by"


def judged(event: str, here: Worktree, args: Sequence[str]) -> str:
    """Judge the sign-offs in the message ``args[0]``; return a warning, empty for none.

    Raises:
        Refused: a new one is the committer's, and who that is can only be guessed, or is disputed.
    """
    found = sign_offs(messagefile.text(args[0]))
    was_pinned, committer, known = _handed_on(here) if event == "commit-msg" else _now(here)
    known |= _already_there(event, here, args)
    new = [line for line in found if line not in known and _email(line) == committer]
    warning = _refused(here, committer, was_pinned=was_pinned) if new else ""
    if event == "prepare-commit-msg":
        _hand_on(here, was_pinned, committer, found)
    return warning


def sign_offs(message: bytes) -> list[bytes]:
    """Return the lines above the scissors that sign off, as they stand."""
    found = []
    for line in message.split(b"\n"):
        if line.endswith(_SCISSORS):
            break
        key, colon, _ = line.partition(b":")
        if colon and key.rstrip().lower() == _KEY:
            found.append(line.rstrip())
    return found


def is_replayed(here: Worktree) -> bool:
    """Tell whether the message may be an old one, in a rebase."""
    return os.path.isdir(here.private("rebase-merge"))


def _refused(here: Worktree, committer: bytes, *, was_pinned: bool) -> str:
    """Refuse a new sign-off where identity is not certain; inside a rebase, return a warning."""
    try:
        _require_certain(here, committer, was_pinned=was_pinned)
    except Refused as refusal:
        if not is_replayed(here):
            raise
        return f"coord: {refusal.rule}: signed off in a rebase all the same; {refusal.run}\n"
    return ""


def _require_certain(here: Worktree, committer: bytes, *, was_pinned: bool) -> None:
    asked = os.environ.get(whoami.VARIABLE, "")
    _refuse_leaked(here)
    pinned = _pin_of(here)
    if pinned is None or not was_pinned:
        if is_actor(asked):
            return
        if pinned is not None:
            raise _pinned_too_late(here, pinned.actor)
        guess = whoami.inferred_actor(here)
        me = whoami.Identity(guess, None, "inferred", worktree.count(here))
        whoami.require_certain(me, here, "sign-off")
    elif asked and not answers_to(pinned.actor, asked):
        raise _disputed(here, asked, pinned.actor)
    elif outgoing.follows(here.common_dir, pinned) and committer != _email(
        f"<{pinned.email}>".encode("utf-8", "surrogateescape")
    ):
        raise _outranked(here, pinned)


def _pin_of(here: Worktree) -> pin.Pin | None:
    try:
        return whoami.read_pin(here)
    except CoordError as error:  # who works here cannot be told, so it would be a guess
        raise Refused(
            error.rule, error.what, where=error.where, why=error.why, run=error.run
        ) from error


def _refuse_leaked(here: Worktree) -> None:
    """Refuse where the folder is in another worktree than the one GIT_DIR names.

    Inside ``git rebase --exec 'cd ../b && git commit -s'`` the commit goes to worktree a.
    """
    if not os.environ.get("GIT_DIR"):
        return
    done = git.ask("rev-parse", "--path-format=absolute", "--git-dir", cwd=here.cwd)
    if done.code or os.path.realpath(done.text) == here.git_dir:
        return
    raise Refused(
        "identity-conflict",
        "sign-off in one of two repositories",
        where=f"{here.git_dir} and {done.text}",
        why="GIT_DIR in the environment names the first, but the current folder is in the second",
        run="unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE",
    )


def _disputed(here: Worktree, asked: str, actor: str) -> Refused:
    return Refused(
        "identity-conflict",
        f"sign-off as {asked} refused, {actor} is pinned",
        where=here.cwd,
        why=f"{whoami.VARIABLE} says {asked}; if this worktree changed hands, "
        f"git coord pin --replace --actor {slug(asked) or 'NAME'}",
        run=f"unset {whoami.VARIABLE}",
    )


def _outranked(here: Worktree, pinned: pin.Pin) -> Refused:
    """Return the refusal of a sign-off under a committer that outranks the pin's.

    ``author.*`` and ``committer.*`` written into the shared config after our include, or exported,
    make every worktree sign off as one and the same.
    """
    return Refused(
        "identity-conflict",
        "sign-off as another committer than the pinned one refused",
        where=here.cwd,
        why=f"{pinned.actor} <{pinned.email}> is pinned here, but the environment, or a setting "
        "that git reads after the pin's, names somebody else",
        run=whoami.way_back(here, "committer"),
    )


def _pinned_too_late(here: Worktree, actor: str) -> Refused:
    return Refused(
        "identity-inferred",
        "sign-off as the committer of before the pin refused",
        where=here.cwd,
        why=f"this worktree was pinned as {actor} only while the message was being written; "
        "the next commit is that actor's",
        run="git coord whoami",
    )


def _now(here: Worktree) -> tuple[bool, bytes, set[bytes]]:
    """Return whether the worktree is pinned, the committer's e-mail, and no known trailers."""
    ident = git.tell("var", "GIT_COMMITTER_IDENT", cwd=here.cwd, env=git.here()).out
    pinned = os.path.exists(here.private(pin.PIN))
    return pinned, _email(ident), set()


def _handed_on(here: Worktree) -> tuple[bool, bytes, set[bytes]]:
    """Return what ``prepare-commit-msg`` left, and remove it; as it is now, where it left none."""
    path = here.private(HANDED_ON)
    try:
        state, email, *known = peerfile.read(path, peerfile.WHOLE).split(b"\n")
        os.unlink(path)
    except (OSError, ValueError):  # without it, each sign-off counts as new
        return _now(here)
    return state == b"pinned", email, set(known)


def _hand_on(here: Worktree, was_pinned: bool, committer: bytes, known: Iterable[bytes]) -> None:
    lines = [b"pinned" if was_pinned else b"unpinned", committer, *known]
    publish.note(here.private(HANDED_ON), b"\n".join(lines))


def _already_there(event: str, here: Worktree, args: Sequence[str]) -> set[bytes]:
    """Return the sign-offs of what the message is made from: commits, or a mail."""
    if event == "commit-msg":
        return set()
    found: set[bytes] = set()
    if event == "applypatch-msg":
        found |= _in_mail(here)
    for commit in _sources(here, args):
        shown = git.ask(
            "log", "-1", "--format=%B", "--end-of-options", commit, cwd=here.cwd, env=git.here()
        )
        found |= set(sign_offs(shown.out))
    return found


def _in_mail(here: Worktree) -> set[bytes]:
    """Return the sign-offs of the mail being applied: git keeps its body without ``am -s``."""
    try:
        mail = peerfile.read(here.private("rebase-apply/msg"), peerfile.WHOLE)
    except FileNotFoundError:
        return set()
    return set(sign_offs(mail))


def _sources(here: Worktree, args: Sequence[str]) -> list[str]:
    """Return the commits whose message this one starts from."""
    sources = [args[2]] if args[1:2] == ["commit"] and len(args) > 2 else []  # noqa: PLR2004
    if here.has("CHERRY_PICK_HEAD"):
        sources.append("CHERRY_PICK_HEAD")
    if is_replayed(here):
        sources += ["HEAD", *_replayed(here)]  # HEAD: a fixup starts from what it is added to
    try:
        original = peerfile.read(here.private("rebase-apply/original-commit"))
    except FileNotFoundError:
        return sources
    return [*sources, original.decode("ascii", "replace").strip()]


def _replayed(here: Worktree) -> list[str]:
    """Return the commit that a rebase is picking: the second word of the last line it has done."""
    try:
        done = peerfile.read(here.private("rebase-merge/done"), peerfile.WHOLE)
    except FileNotFoundError:
        return []
    lines = done.decode("utf-8", "replace").splitlines()
    words = [line.split() for line in lines if not line.startswith("#")]
    return [word for word in words[-1][1:] if not word.startswith("-")][:1] if words else []


def _email(ident: bytes) -> bytes:
    """Return what stands in the last angle brackets, in small letters."""
    return ident.rpartition(b"<")[2].partition(b">")[0].strip().lower()
