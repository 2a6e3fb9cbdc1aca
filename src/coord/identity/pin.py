"""The pin: an actor's identity in a worktree's private git dir, and the author that follows it.

Hot path: ``git worktree add`` waits for :func:`ensure`, so there is no TOML parser, no git child
and no import beyond ``os`` and ``time`` here. Three files belong together (docs/design.md):

    <private git dir>/coord-identity.toml    who works here; create-only
    <private git dir>/coord.config           the author, committer and user git reads
    <common git dir>/coord/identities*       the includeIf line that joins the second

The pin is written last: a kill before it leaves an unpinned worktree, which the next hook pins.
"""

from __future__ import annotations

import os
import time

from coord.base import gitconfig, peerfile, publish, sharing
from coord.base.names import is_actor, slug
from coord.identity import includeif
from coord.identity.includeif import AUTHOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PIN = "coord-identity.toml"
_FIELDS = ("actor", "instance", "name", "email", "created", "host")


class Unreadable(ValueError):
    """A pin file that is not one of ours: never taken for "unpinned"."""


class Pin:
    """Who works in a worktree.

    Attributes:
        actor: readable name.
        instance: random UUID, what ownership is keyed by.
        name: author name git writes here.
        email: author e-mail git writes here.
        created: RFC 3339 UTC time of the pin.
        host: machine that wrote it.
    """

    __slots__ = _FIELDS

    def __init__(  # noqa: PLR0917  # the file's own order
        self, actor: str, instance: str, name: str, email: str, created: str, host: str
    ) -> None:
        self.actor = actor
        self.instance = instance
        self.name = name
        self.email = email
        self.created = created
        self.host = host

    def text(self) -> str:
        """Return the pin as the TOML file it is kept in."""
        lines = [f"{key} = {gitconfig.value(getattr(self, key))}\n" for key in _FIELDS]
        return "version = 1\n" + "".join(lines)

    def awaits(self, rule: Authorship) -> bool:
        """Tell whether git knew no e-mail for this actor when the pin was made by `rule`."""
        return not (self.email or rule.keep) and self.name == rule.filled(self.actor)[0]

    def encoded(self) -> bytes:
        """Return :meth:`text` as the bytes of the file."""
        return self.text().encode(errors="surrogateescape")


class Authorship:
    """How the author follows the pin: ``[coord]`` in the installed config, or the defaults.

    Attributes:
        name: template of the author's name; ``{actor}`` is replaced.
        email: template of the e-mail; empty when the user has none, and the author is kept.
        key: signing key to write beside them, empty for none.
        keep: leave git's author alone.
    """

    __slots__ = ("email", "keep", "key", "name")

    def __init__(self, name: str, email: str, *, key: str = "", keep: bool = False) -> None:
        self.name = name
        self.email = email
        self.key = key
        self.keep = keep

    @property
    def tagged(self) -> bool:
        """Whether each actor has an e-mail of its own."""
        return "{actor}" in self.email

    def filled(self, actor: str) -> tuple[str, str]:
        """Return name and e-mail for `actor`."""
        return self.name.replace("{actor}", actor), self.email.replace("{actor}", actor)


def uuid() -> str:
    """Return a random version-4 UUID (the module ``uuid`` costs 4 ms to import)."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    text = raw.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def now() -> str:
    """Return the present as RFC 3339 UTC with microseconds."""
    return at(time.time())


def at(stamp: float) -> str:
    """Return seconds since the epoch as RFC 3339 UTC with microseconds."""
    micros = int(stamp % 1 * 1_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stamp)) + f".{micros:06d}Z"


def read(git_dir: str) -> Pin | None:
    """Return the pin of a private git dir, or None when there is none.

    Raises:
        Unreadable: there is a file, but not one this version wrote.
        OSError: the file cannot be read.
    """
    try:
        lines = peerfile.read(os.path.join(git_dir, PIN)).decode().split("\n")
    except FileNotFoundError:
        return None
    except (UnicodeDecodeError, peerfile.Unfit) as error:
        raise Unreadable(git_dir) from error
    found = gitconfig.pairs("[pin]\n" + "\n".join("\t" + line for line in lines), "pin")
    made = Pin(**{key: found.get(key, "") for key in _FIELDS})
    if "version = 1" not in lines or not _is_ours(made):
        raise Unreadable(git_dir)
    return made


def _is_ours(pin: Pin) -> bool:
    """Tell whether the texts can be what they name: both become file names, all become config."""
    plain = all(gitconfig.is_writable(getattr(pin, key)) for key in _FIELDS)
    return plain and is_actor(pin.actor) and is_actor(pin.instance)


def installed_authorship(common_dir: str) -> Authorship | None:
    """Return what ``coord-install`` recorded about authors, or None where it never ran."""
    path = os.path.join(common_dir, "hooks", "coord", "config")
    try:
        text = peerfile.read(path).decode(errors="surrogateescape")
    except OSError:
        return None
    found = gitconfig.pairs(text, "coord")
    return Authorship(
        found.get("name", "{actor}"),
        found.get("email", ""),
        key=found.get("signingKey", ""),
        keep=found.get("author") == "keep",
    )


def live_pins(common_dir: str) -> Iterator[tuple[str, Pin]]:
    """Yield (private git dir, pin) of every pinned worktree; unreadable pins are passed over."""
    for git_dir in (common_dir, *sharing.private_dirs(common_dir)):
        try:
            pin = read(git_dir)
        except (Unreadable, OSError):
            continue
        if pin is not None:
            yield git_dir, pin


def ensure(git_dir: str, common_dir: str, wanted: str, rule: Authorship) -> tuple[Pin, bool]:
    """Pin a worktree as `wanted` unless it is pinned; return (the pin now there, whether new).

    Args:
        git_dir: private git dir, absolute.
        common_dir: common git dir, absolute.
        wanted: a valid actor name, or a handle: empty, or ending in ``-``, asks for 4 hex after it.
        rule: how the author follows.

    Raises:
        Unreadable: a foreign pin file stands there.
        gitconfig.Unwritable: name or e-mail holds a control character.
        OSError: the git dir cannot be written.
    """
    with _alone(common_dir):
        there = read(git_dir)
        if there is not None:
            return there, False
        return _written(git_dir, common_dir, _free_name(common_dir, wanted), rule), True


def replace(git_dir: str, common_dir: str, wanted: str, rule: Authorship) -> Pin:
    """Pin a worktree anew, with a fresh instance, whoever was pinned there before.

    It is never without a pin. The author's file goes first and comes last: whenever we are killed,
    or the disk is full, it is whole or absent, and an absent one is mended by the next hook.
    """
    with _alone(common_dir):
        made = _made(_free_name(common_dir, wanted, but=git_dir), rule)
        path = os.path.join(git_dir, PIN)
        temp = publish.written(path, made.encoded(), share=sharing.of(common_dir))
        try:
            publish.unlink(os.path.join(git_dir, AUTHOR))
            os.replace(temp, path)
        except OSError:
            os.unlink(temp)
            raise
        publish.keep(path)
        _follow(git_dir, common_dir, made, rule)
        return made


def mend(git_dir: str, common_dir: str, pin: Pin, rule: Authorship) -> None:
    """Put back the author files of a pinned worktree (deleted by hand, or a new config)."""
    with _alone(common_dir):
        _follow(git_dir, common_dir, pin, rule)


def complete(git_dir: str, common_dir: str, pin: Pin, rule: Authorship) -> Pin:
    """Give a pin the author that was not known when it was made; it stays the same owner.

    Nothing changes while `rule` knows none, or keeps git's own; nor for a person who pinned
    themselves, for whom git writes its own author anyway.
    """
    if not pin.awaits(rule) or not rule.email:
        return pin
    with _alone(common_dir):
        there = read(git_dir)
        if there is None or not there.awaits(rule):
            return there or pin
        name, email = rule.filled(there.actor)
        made = Pin(there.actor, there.instance, name, email, there.created, there.host)
        share = sharing.of(common_dir)
        publish.replace(os.path.join(git_dir, PIN), made.encoded(), share=share)
        _follow(git_dir, common_dir, made, rule)
        return made


def command(git_dir: str, *flags: str) -> str:
    """Return what pins a worktree: the main one as the person whose it is, another as a worker."""
    who = () if sharing.common_dir(git_dir) != git_dir else ("--self",)
    return " ".join(("git coord pin", *flags, *who))


def renew(git_dir: str, common_dir: str) -> Pin | None:
    """Make whoever is pinned another owner with the same name and author; None where nobody is.

    Raises:
        Unreadable: a foreign pin file stands there.
        OSError: the git dir cannot be written.
    """
    with _alone(common_dir):
        there = read(git_dir)
        if there is None:
            return None
        made = Pin(there.actor, uuid(), there.name, there.email, now(), os.uname().nodename)
        publish.replace(os.path.join(git_dir, PIN), made.encoded(), share=sharing.of(common_dir))
        return made


def regroup(common_dir: str) -> None:
    """Lay out anew what joins the authors of all worktrees."""
    with _alone(common_dir):
        includeif.regroup(common_dir)


def _alone(common_dir: str) -> publish.lock:
    folder = os.path.join(common_dir, "coord")
    sharing.folders(folder, sharing.of_folder(common_dir))
    return publish.lock(os.path.join(folder, "pin.lock"), sharing.of(common_dir))


def branch_handle(git_dir: str) -> str:
    """Return ``slug-`` for the branch a worktree stands on, else for the worktree's own id.

    A detached HEAD, or a branch of which no character can be kept, leaves the id.
    """
    path = os.path.realpath(os.path.join(git_dir, "HEAD"))  # once a link of git's, to a ref
    head = peerfile.head(path).decode("utf-8", "replace").partition("\n")[0]
    branch = head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else ""
    if branch == ".invalid":  # what a reftable repository has there, for git before 2.45 to refuse
        branch = _asked(git_dir)
    return (slug(branch) or slug(os.path.basename(git_dir)) or "worktree") + "-"


def _asked(git_dir: str) -> str:
    """Return the branch that git says, empty when detached: a child, which a file has to spare."""
    from coord.repo import git, heads  # noqa: PLC0415  # 20 ms: only reftable repositories pay

    env = {**git.elsewhere(), "GIT_DIR": git_dir}
    return heads.checked_out(git_dir, env)


def _free_name(common_dir: str, wanted: str, but: str = "") -> str:
    """Return `wanted`, with 4 hex where it asks for them or another worktree has the name."""
    name = wanted
    while name.endswith("-") or _is_taken(common_dir, name, but):
        name = f"{wanted.rstrip('-')[:95]}-{os.urandom(2).hex()}"
    return name


def _is_taken(common_dir: str, name: str, but: str) -> bool:
    """Tell whether the pin of another worktree has a name; read as bytes, for there may be many."""
    line = f"\nactor = {gitconfig.value(name)}\n".encode(errors="surrogateescape")
    for git_dir in (common_dir, *sharing.private_dirs(common_dir)):
        try:
            if git_dir != but and line in peerfile.read(os.path.join(git_dir, PIN)):
                return True
        except OSError:
            continue
    return False


def _written(git_dir: str, common_dir: str, actor: str, rule: Authorship) -> Pin:
    pin = _made(actor, rule)
    _follow(git_dir, common_dir, pin, rule)
    share = sharing.of(common_dir)
    publish.create(os.path.join(git_dir, PIN), pin.encoded(), share=share)
    return pin


def _made(actor: str, rule: Authorship) -> Pin:
    name, email = rule.filled(actor)
    return Pin(actor, uuid(), name, email, now(), os.uname().nodename)


def _follow(git_dir: str, common_dir: str, pin: Pin, rule: Authorship) -> None:
    if rule.keep or not (pin.email or "{actor}" in rule.name):
        # Empty, it tells the hooks that git's own author is meant; absent, that it is to come.
        publish.replace(os.path.join(git_dir, AUTHOR), b"", share=sharing.as_config(common_dir))
        return
    if not pin.email:  # not known yet: the next hook asks again
        publish.unlink(os.path.join(git_dir, AUTHOR))
        return
    who = [("name", pin.name), ("email", pin.email)]
    user = [*who, ("signingKey", rule.key)] if rule.key else who
    # author.* and committer.* too: they outrank user.*, which a peer may set at any time.
    text = "".join(
        gitconfig.block(section, None, pairs)
        for section, pairs in (("user", user), ("author", who), ("committer", who))
    )
    # The shared config includes it: where it could not be read, git itself would die.
    share = sharing.as_config(common_dir)
    publish.replace(
        os.path.join(git_dir, AUTHOR), text.encode(errors="surrogateescape"), share=share
    )
    includeif.join(git_dir, common_dir)
