"""Who is pinned where, and whether git writes the pinned author: pure judgement."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import command
from coord.base.names import answers_to, quote
from coord.doctor.configured import Listing, in_order, truth
from coord.doctor.findings import Finding, Verdict, verdict
from coord.identity import includeif, pin, whoami

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coord.doctor.configured import Entry
    from coord.doctor.facts import View
    from coord.identity.pin import Authorship, Pin

_ROLES = ("author", "committer")


class Surroundings(NamedTuple):
    """Where the command was run.

    Attributes:
        environ: the environment, as the user's next command will see it.
        git_dir: private git dir of the current worktree.
        leaked: another git dir that GIT_DIR names, "" when there is none.
        rule: how authors follow pins here, None where nothing is installed.
        copied: keys of ours that another library has copied into the shared config.
    """

    environ: Mapping[str, str]
    git_dir: str
    leaked: str
    rule: Authorship | None
    copied: Sequence[str] = ()


def judge(views: Sequence[View], around: Surroundings) -> Verdict:
    """Judge the pins of every worktree, and what in this environment contradicts them."""
    findings = [
        *(_unpinned(views) if around.rule else ()),
        *_pins(views),
        *(finding for view in views for finding in _authors(view, around.rule, around.copied)),
        *(finding for view in views for finding in _blind(view, around.rule)),
        *(_shared(views, around.rule) if not around.copied else ()),
        *_environment(views, around),
    ]
    return verdict("pins", _right(views, around.rule), findings, _notes(views))


def is_unpinned(view: View) -> bool:
    """Tell whether a linked worktree has no pin at all."""
    return view.here.linked and not view.bare and view.pin is None and not view.pin_broken


def _unpinned(views: Sequence[View]) -> Iterator[Finding]:
    """Yield each linked worktree without a pin; one command is for all of them."""
    for view in views:
        if is_unpinned(view) and view.works:
            message = "unpinned: who works here is only guessed from the branch"
            yield Finding(
                "identity-inferred", view.folder, message, command.install("--pin-existing")
            )


def _pins(views: Sequence[View]) -> Iterator[Finding]:
    """Yield pins that are no use: broken ones, and copies of another's.

    One that may not be read is whole for others: what keeps us out is a finding of its own.
    """
    owners: dict[str, View] = {}
    for view in views:
        path = view.here.private(pin.PIN)
        if view.pin_broken and (os.path.islink(path) or os.access(path, os.R_OK)):
            message = f"the pin cannot be read: {path}"
            yield Finding("pin-unreadable", view.folder, message, _replace(view))
        if view.pin is not None:
            first = owners.setdefault(view.pin.instance, view)
            if first is not view:
                message = f"the pin is a copy of the one in {first.folder}: {view.pin.actor}"
                yield Finding("pin-copied", view.folder, message, _replace(view))


def _replace(view: View) -> str:
    words = pin.command(view.here.git_dir, "--replace").removeprefix("git ")
    return f"git -C {quote(view.folder)} {words}"


def _authors(view: View, rule: Authorship | None, copied: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding where git would not write the pinned author, and no other explains it."""
    if rule is None or rule.keep or view.pin is None or not view.works:
        return
    if not view.pin.email:
        if view.pin.awaits(rule):
            yield _unknown(view, view.pin)
        return
    wanted = f"{view.pin.name} <{view.pin.email}>"
    wrong = [role for role in _ROLES if getattr(view, role) != wanted]
    if not wrong:
        return
    found = getattr(view, wrong[0]) or "nobody"
    culprits = _culprits(view, view.pin, wrong)
    if culprits and all(_is_copy(view, entry, copied) for entry in culprits):
        return
    names = ", ".join(f"{entry.key} in {entry.file}" for entry in culprits)
    why = (
        f"{names} wins" if culprits else f"git does not read {view.here.private(includeif.AUTHOR)}"
    )
    message = f"git writes {found} as {' and '.join(wrong)}, {wanted} is pinned: {why}"
    yield Finding("author-mismatch", view.folder, message, _mended(view, culprits))


def _is_copy(view: View, entry: Entry, copied: Sequence[str]) -> bool:
    shared = os.path.realpath(os.path.join(view.here.common_dir, "config"))
    return entry.file == shared and entry.key in copied


def _unknown(view: View, pinned: Pin) -> Finding:
    """Return the finding about a pin that was made before git knew who the user is."""
    message = f"git knew no e-mail when {pinned.actor} was pinned: it has no author"
    known = view.config.last("user.email")
    ask = [] if known else ['git config --global user.email "${EMAIL:?your address}"']
    return Finding("author-unknown", view.folder, message, in_order([*ask, command.install()]))


def _culprits(view: View, pinned: Pin, roles: Sequence[str]) -> list[Entry]:
    """Return the entries that win over the pinned author, where git reads that at all."""
    ours = os.path.realpath(view.here.private(includeif.AUTHOR))
    if not view.config.in_file(ours).entries:
        return []
    found = []
    for role in roles:
        for part, wanted in (("name", pinned.name), ("email", pinned.email)):
            entry = view.config.last(f"{role}.{part}", f"user.{part}")
            if entry is not None and entry.value != wanted:
                found.append(entry)
    return list(dict.fromkeys(found))


def _mended(view: View, culprits: Sequence[Entry]) -> str:
    ours = os.path.realpath(view.here.private(includeif.AUTHOR))
    files = {entry.file for entry in culprits}
    if ours in files:  # edited by hand; an install writes it anew where it is gone
        return in_order([f"rm {quote(ours)}", command.install()])
    return in_order(entry.unset() for entry in culprits) or command.install()


def _blind(view: View, rule: Authorship | None) -> Iterator[Finding]:
    """Yield what keeps the push guard from knowing who made a commit: no reflog, or none for long.

    A log that is there goes on being written, whatever the setting.
    """
    if rule is None or rule.keep or not view.works or not (view.pin or view.here.linked):
        return
    kept = view.config.last("core.logallrefupdates")
    logged = os.path.exists(view.here.private("logs/HEAD"))
    if kept is not None and kept.value.lower() != "always" and not truth(kept.value) and not logged:
        said = f"{kept.key} = {kept.value} in {kept.file}"
        message = f"{said}: without reflogs the push guard is blind here"
        yield Finding("reflog-off", view.folder, message, kept.unset())
    for key in ("gc.reflogexpire", "gc.reflogexpireunreachable"):
        entry = view.config.last(key)
        if entry is not None and entry.value.lower() in {"now", "all"}:
            message = f"{key} in {entry.file} empties reflogs: then the push guard is blind here"
            yield Finding("reflog-off", view.folder, message, entry.unset())


def _shared(views: Sequence[View], rule: Authorship | None) -> Iterator[Finding]:
    """Yield a finding about an identity in the config that all worktrees share.

    ``git config user.email`` in a linked worktree writes there: what was meant for one worker is
    what every worktree without a pin commits as.
    """
    pins = [view.pin for view in views if view.pin is not None]
    if rule is None or rule.keep or not pins:
        return
    for view in views:
        wrong = disagreeing(view, pins, rule)
        if wrong:
            said = ", ".join(f"{entry.key} = {entry.value}" for entry in wrong)
            message = f"{said} in {wrong[0].file}: every worktree without a pin commits as that"
            run = in_order(entry.unset() for entry in wrong)
            yield Finding("shared-identity", view.here.common_dir, message, run)
            return


def disagreeing(view: View, pins: Sequence[Pin], rule: Authorship) -> list[Entry]:
    """Return the shared ``user.*`` that nobody's pin was made from.

    A pin's e-mail is the user's own with a tag, so it tells a user's own shared identity from a
    worker's. A name tells nothing of the kind: it goes with the e-mail, and alone it is wrong when
    it is an actor's, or when the user has another name outside of this repository.
    """
    shared = view.config.in_file(os.path.join(view.here.common_dir, "config"))
    email, name = shared.last("user.email"), shared.last("user.name")
    if email is not None:
        own = whoami.tagged(email.value) == rule.email
        agrees = own or any(email.value == pinned.email for pinned in pins)
        return [] if agrees else [entry for entry in (name, email) if entry is not None]
    if name is None or any(name.value == pinned.name != pinned.actor for pinned in pins):
        return []
    outside = Listing(tuple(e for e in view.config.entries if e.scope in {"global", "system"}))
    elsewhere = outside.last("user.name")
    actor = any(answers_to(pinned.actor, name.value) for pinned in pins)
    differs = elsewhere is not None and elsewhere.value != name.value
    return [name] if actor or differs else []


def _environment(views: Sequence[View], around: Surroundings) -> Iterator[Finding]:
    """Yield what this very environment would do to the current worktree's commits."""
    here = next((view for view in views if view.here.git_dir == around.git_dir), None)
    folder = here.folder if here else around.git_dir
    if around.leaked:
        message = f"GIT_DIR names {around.leaked}, and git obeys it wherever it is run"
        yield Finding(
            "identity-conflict", folder, message, "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE"
        )
    if here is None or here.pin is None:
        return
    said = around.environ.get(whoami.VARIABLE)
    if said and not answers_to(here.pin.actor, said):
        message = f"{whoami.VARIABLE} says {said}, {here.pin.actor} is pinned"
        yield Finding("identity-conflict", folder, message, f"unset {whoami.VARIABLE}")
    if around.rule is None or around.rule.keep or not here.pin.email:
        return
    wanted = {"NAME": here.pin.name, "EMAIL": here.pin.email}
    names = [f"GIT_{role.upper()}_{part}" for role in _ROLES for part in wanted]
    wrong = [name for name in names if around.environ.get(name, wanted[name.rpartition("_")[2]])
             != wanted[name.rpartition("_")[2]]]  # fmt: skip
    if wrong:
        message = f"{', '.join(wrong)} in the environment outranks the author of {here.pin.actor}"
        yield Finding("author-mismatch", folder, message, f"unset {' '.join(wrong)}")


def _right(views: Sequence[View], rule: Authorship | None) -> str:
    pinned = [view for view in views if view.pin is not None]
    if not pinned:
        return "no linked worktree is without a pin"
    keep = rule is not None and rule.keep
    author = "its author is kept" if keep else "git writes each one as author and committer"
    return f"{len(pinned)} pinned, {author}"


def _notes(views: Sequence[View]) -> Iterator[str]:
    """Yield who is not pinned by design."""
    several = sum(not view.bare and not view.away for view in views) > 1
    for view in views:
        main = not view.here.linked and not view.bare
        if main and several and view.pin is None and not view.pin_broken:
            yield (
                f"{view.folder} is the main worktree and stays its user's own; to sign off there: "
                f"git -C {quote(view.folder)} coord pin --self"
            )
