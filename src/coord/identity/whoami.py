"""Who acts: explicit, pinned or inferred, and what an inferred identity may not do.

pin; no explicit actor, or the pinned one    pinned      the pin's instance
pin; another explicit actor                  —           identity-conflict (readers are warned)
no pin; explicit actor                       explicit    an instance minted once per worktree
no pin, nothing explicit, one worktree       inferred    minted likewise
no pin, nothing explicit, several worktrees  inferred    none: refused where guessing destroys
"""

from __future__ import annotations

import os

from coord.base import command, peerfile, publish, sharing
from coord.base.errors import Environment, Refused, Usage
from coord.base.frozen import NamedTuple
from coord.base.names import answers_to, is_actor, quote, slug
from coord.identity import includeif, pin
from coord.repo import git, heads, worktree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.repo.worktree import Worktree

VARIABLE = "COORD_ACTOR"


class Identity(NamedTuple):
    """The acting identity in one worktree.

    Attributes:
        actor: readable name.
        instance: what ownership is keyed by; None when it cannot be told apart from a sibling's.
        source: ``explicit``, ``pinned`` or ``inferred``.
        worktrees: how many worktrees the repository has; None where nothing is inferred, and so
            nobody has asked.
        conflict: an explicit actor that contradicts the pin, None when there is none.
    """

    actor: str
    instance: str | None
    source: str
    worktrees: int | None
    conflict: str | None = None


def resolve(
    here: Worktree,
    asked: str | None,
    environ: Mapping[str, str] = os.environ,
    *,
    minting: bool = True,
) -> Identity:
    """Return who acts at `here`; `asked` is ``--as``, which outranks COORD_ACTOR.

    Without `minting` an unpinned actor has the instance that it was given before, or none.

    Raises:
        Usage: the explicit name is no actor.
        Environment: the pin cannot be read.
    """
    explicit = asked or environ.get(VARIABLE) or None
    if explicit is not None:
        require_actor(explicit, instead_of(asked))
    pinned = read_pin(here)
    if pinned is not None:
        clash = explicit if explicit and not answers_to(pinned.actor, explicit) else None
        return Identity(pinned.actor, pinned.instance, "pinned", None, clash)
    if explicit is not None:
        return Identity(explicit, minted(here, explicit, minting=minting), "explicit", None)
    count = worktree.count(here)
    actor = inferred_actor(here)
    instance = minted(here, actor, minting=minting) if count == 1 else None
    return Identity(actor, instance, "inferred", count)


def instead_of(asked: str | None) -> str:
    """Return what to run with another name than ``--as``, or than COORD_ACTOR, had."""
    return "git coord --as {} whoami" if asked else f"export {VARIABLE}={{}}"


def require_actor(name: str, command: str) -> None:
    """Insist that `name` may be an actor.

    Args:
        name: what was asked for.
        command: what to run instead; ``{}`` stands for a name that will do.

    Raises:
        Usage: it may not.
    """
    if not is_actor(name):
        raise Usage(
            "actor-invalid",
            "not the name of an actor",
            where=name or "(empty)",
            why="an actor is [a-z0-9][a-z0-9._-]*, at most 100 characters, not ending in a dot",
            run=command.format(slug(name) or "worker"),
        )


def require_certain(identity: Identity, here: Worktree, verb: str) -> None:
    """Refuse a verb that destroys work when its identity could be a peer's.

    Raises:
        Refused: inferred among several worktrees, or contradicting the pin.
    """
    require_consistent(identity, here, verb)
    if identity.source != "inferred" or identity.worktrees == 1:
        return
    raise Refused(
        "identity-inferred",
        f"{verb} as {identity.actor} refused",
        where=here.cwd,
        why=f"that name is only inferred from what is checked out, which a peer can change; "
        f"{identity.worktrees} worktrees share this repository and this one has no pin",
        run=pin.command(here.git_dir),
    )


def require_consistent(identity: Identity, here: Worktree, verb: str) -> None:
    """Refuse to act under a name that contradicts the pin.

    Raises:
        Refused: ``--as`` or COORD_ACTOR names another actor than the pin.
    """
    if identity.conflict is None:
        return
    raise Refused(
        "identity-conflict",
        f"{verb} as {identity.conflict} refused, {identity.actor} is pinned",
        where=here.cwd,
        why=f"--as or {VARIABLE} says {identity.conflict}; if this worktree changed hands, "
        f"git coord pin --replace --actor {identity.conflict}",
        run=f"unset {VARIABLE}; git coord {verb}",
    )


def read_pin(here: Worktree) -> pin.Pin | None:
    """Return the pin of this worktree.

    Raises:
        Environment: there is a pin, but it cannot be read.
    """
    try:
        return pin.read(here.git_dir)
    except PermissionError as error:  # whole for others, who would lose it by a new one
        raise Environment(
            "not-permitted",
            "the pin may not be read",
            where=here.private(pin.PIN),
            why=sharing.closed(here.private(pin.PIN)) or str(error.strerror),
            run="git coord doctor",
        ) from error
    except (pin.Unreadable, OSError) as error:
        raise Environment(
            "pin-unreadable",
            "the pin cannot be read",
            where=here.private(pin.PIN),
            why=getattr(error, "strerror", None) or "it is not a file this version wrote",
            run=pin.command(here.git_dir, "--replace"),
        ) from error


def inferred_actor(here: Worktree) -> str:
    """Return the name suggested by what is checked out: the branch, else the folder."""
    head = heads.checked_out(here.cwd)
    return slug(head) or slug(os.path.basename(here.cwd)) or "worktree"


def minted(here: Worktree, actor: str, *, minting: bool = True) -> str | None:
    """Return the instance of an unpinned `actor` here, minted once per worktree and actor.

    None where the private git dir cannot be written, or it was not to be: it owns nothing.
    """
    path = here.private(f"coord-instances/{actor}")
    try:
        if minting:
            mint(path, sharing.of(here.common_dir))
        return peerfile.read(path).decode("ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def mint(path: str, share: int) -> None:
    """Give an actor an instance, kept at `path`, unless there is one.

    Raises:
        OSError: the private git dir cannot be written, or is full.
    """
    sharing.folders(os.path.dirname(path), share)
    publish.create(path, pin.uuid().encode() + b"\n", share=share)


def own(here: Worktree, key: str) -> str:
    """Return the user's own config `key`, looking past the author that a pin put in front.

    Also where another library has copied that into the shared config.
    """
    from coord.identity import copied  # noqa: PLC0415  # 5 ms that no hook pays at a commit

    listing = git.ask("config", "-z", "--show-origin", "--get-all", key, cwd=here.cwd).out
    fields = [os.fsdecode(part) for part in listing.split(b"\0")[:-1]]
    pairs = zip(fields[::2], fields[1::2], strict=True)
    copies = copied.of(here.common_dir)
    kept = [
        text
        for origin, text in pairs
        if os.path.basename(origin) != includeif.AUTHOR and not copies.holds(key.lower(), text)
    ]
    return kept[-1] if kept else ""


def authorship(here: Worktree) -> pin.Authorship:
    """Return how the author follows a pin here: as installed, else by the defaults.

    Never from the checked-out ``.coord.toml``: a peer may have written that.
    """
    rule = pin.installed_authorship(here.common_dir) or default_authorship(here)
    if rule.keep or rule.email:
        return rule
    return default_authorship(here, rule.name)  # the install came before the user's identity


def default_authorship(
    here: Worktree, name: str = "{actor}", email: str | None = None
) -> pin.Authorship:
    """Return the authorship of `here`'s own user: name the actor, e-mail with a plus tag.

    With ``commit.gpgsign`` and no key, git takes the key of the committer's name and e-mail, which
    the pin changes: every commit would fail. So the key is written as it was before the pin.
    """
    base = own(here, "user.email")
    key = ""
    if own(here, "commit.gpgsign") == "true" and not own(here, "user.signingKey"):
        key = f"{own(here, 'user.name')} <{base}>" if base else ""
    return pin.Authorship(name, email if email is not None else tagged(base), key=key)


def tagged(email: str) -> str:
    """Return `email` with a plus tag for the actor: ``me@x`` → ``me+{actor}@x``; "" stays ""."""
    local, at, domain = email.rpartition("@")
    return f"{local}+{{actor}}@{domain}" if at and local else ""


def self_authorship(here: Worktree) -> pin.Authorship:
    """Return the authorship of a person who pins a worktree as themselves."""
    return pin.Authorship(own(here, "user.name"), own(here, "user.email"))


def way_back(here: Worktree, role: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the command that lets git write the pinned identity again.

    A pin's ``author.*`` and ``committer.*`` give way only to the environment, and to the same keys
    set where git reads them later: at the end of the shared config, or in config.worktree.

    Args:
        here: a pinned worktree in which git writes somebody else.
        role: ``author`` or ``committer``.
        environ: the environment git was called with.
    """
    exported = [f"GIT_{role.upper()}_{part}" for part in ("NAME", "EMAIL")]
    if any(name in environ for name in exported):
        return f"unset {' '.join(exported)}"
    for key in (f"{role}.email", f"{role}.name"):
        shown = git.ask("config", "-z", "--show-origin", "--get", key, cwd=here.cwd).fields
        if shown and os.path.basename(shown[0]) != includeif.AUTHOR:
            file = os.path.join(here.cwd, shown[0].removeprefix("file:"))
            return f"git config --file {quote(file)} --remove-section {role}"
    return command.recorded(here.common_dir)
