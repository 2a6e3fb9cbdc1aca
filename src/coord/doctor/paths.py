"""Guarded paths that are not guarded as declared: pure judgement."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING, NamedTuple

from coord.base import command
from coord.base.names import quote, shown
from coord.doctor import installation
from coord.doctor.findings import Finding, Verdict, verdict
from coord.drivers.registered import DRIVERS
from coord.guard.guarded import KINDS, attribute
from coord.installer import attributesfile
from coord.repo import heads
from coord.settings import config
from coord.settings.sections import editor
from coord.settle import producers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from coord.doctor.facts import View
    from coord.doctor.guards import Missing
    from coord.installer.attributesfile import Line

_NAMED = 5
_LFS = "lfs"
_PROGRAM = re.compile(r"[\w./+-]+")
# What sh itself knows, and words that begin more than a command.
_SHELL = frozenset((
    ".", ":", "[", "alias", "break", "case", "cd", "command", "continue", "eval", "exec",
    "exit", "export", "false", "for", "getopts", "hash", "if", "printf", "pwd", "read",
    "readonly", "return", "set", "shift", "test", "times", "trap", "true", "type", "ulimit",
    "umask", "unset", "until", "wait", "while", "echo",
))  # fmt: skip
_TAUGHT = {"ours": "true"}  # no built-in, whatever the web says


class Declared(NamedTuple):
    """What is declared where, in this clone.

    Attributes:
        common_dir: the common git dir.
        block: the rules in ``info/attributes``.
        named: merge drivers of others that ``info/attributes`` names.
        branches: local branch → the rules in its root ``.gitattributes``.
        remote: rules that a remote-tracking branch declares.
        producers: pattern → a branch that declares what makes such files.
    """

    common_dir: str
    block: tuple[Line, ...]
    named: tuple[str, ...]
    branches: Mapping[str, tuple[Line, ...]]
    remote: frozenset[Line]
    producers: Mapping[str, str]


def judge(views: Sequence[View], declared: Declared) -> Verdict:
    """Judge the guarded paths of every worktree."""
    working = [view for view in views if view.works]
    findings = [
        *(finding for view in working for finding in _of(view, declared)),
        *_branches(working, declared),
        *_leftovers(working, declared),
    ]
    return verdict("guarded", _right(working), findings, _notes(working, declared))


def _of(view: View, declared: Declared) -> Iterator[Finding]:
    there, guards = view.here, view.guards
    missing = [rule for rule in guards.rules if rule not in declared.block]
    if missing:
        message = f"declared, but not yet guarded in this clone: {_patterns(missing)}"
        yield Finding("not-guarded", view.folder, message, command.install())
    for path in guards.paths:
        name = attribute(path.kind)
        if name in DRIVERS and path.driver != name and not missing:
            yield installation.otherwise(there, path.path, name, path.driver)
    yield from _fallbacks(view)
    yield from _drivers(view, declared)
    yield from _unknown(view)
    yield from _producers(view, declared.producers)
    yield from _sparse(view)
    for name, why in view.guards.changelogs:
        message = (
            f"{name} is declared as a log and written as a changelog: {why}; "
            "what people edit in it is refused, or joined below another heading"
        )
        run = f"cd {quote(view.folder)} && git coord track changelog {quote(name)}"
        yield Finding("not-a-log", view.folder, message, run)


def _fallbacks(view: View) -> Iterator[Finding]:
    """Yield the macros that other clones would miss: without them they merge as text."""
    used = {word for rule in view.guards.rules for word in rule.attributes}
    names = [name for name in map(attribute, KINDS) if name.encode() in used]
    lacking = [name for name in names if name not in view.guards.fallbacks]
    if not lacking:
        return
    file = quote(os.path.join(view.folder, attributesfile.COMMITTED))
    macros = " ".join(quote(f"[attr]{name} -merge") for name in lacking)
    message = (
        f"{attributesfile.COMMITTED} does not define {', '.join(lacking)}: a clone without "
        "git-coord merges such a file as text, and says nothing"
    )
    run = f"printf '%s\\n' {macros} | cat - {file} >{file}.new && mv {file}.new {file}"
    yield Finding("fallback-missing", view.folder, message, run)


def _drivers(view: View, declared: Declared) -> Iterator[Finding]:
    """Yield the drivers of others that attributes name and that are registered by halves."""
    for _, name in _named(view, declared):
        about = view.config.last(f"merge.{name}.name")
        if about is not None and view.config.last(f"merge.{name}.driver") is None:
            message = f"merge.{name} in {about.file} has no driver: git dies at such a merge"
            yield Finding("driver-missing", view.folder, message, about.unset())


def _named(view: View, declared: Declared) -> Iterator[tuple[str, str]]:
    """Yield (file, driver of others) of the attributes files that hold in a worktree."""
    yield from view.guards.named
    yield from (("info/attributes", name) for name in declared.named)


def _unregistered(view: View, declared: Declared) -> Iterator[str]:
    """Yield a remark on each driver of others that no config speaks of.

    They guard nothing of ours; and of ``merge=lfs`` git-lfs itself means nothing but a name.
    """
    for file, name in _named(view, declared):
        known = view.config.last(f"merge.{name}.driver", f"merge.{name}.name")
        if name != _LFS and known is None:
            what = f"{file} says merge={name}, which nobody registered: git merges it as text"
            how = f"git config merge.{name}.driver {_TAUGHT[name]}" if name in _TAUGHT else ""
            yield f"{what}; {how}" if how else what


def _unknown(view: View) -> Iterator[Finding]:
    """Yield the keys of ``.coord.toml`` that nothing here reads."""
    for key in view.guards.unknown:
        run = editor(os.path.join(view.folder, config.FILE), key.line)
        yield Finding("config-unknown", view.folder, key.told(config.FILE), run)


def _producers(view: View, known: Mapping[str, str]) -> Iterator[Finding]:
    """Yield derived paths that nothing is declared to make, in any branch."""
    fault = view.guards.fault
    if fault is not None:
        message = f"{fault.where}: {fault.what}: {fault.why}"
        yield Finding("config-invalid", view.folder, message, fault.run)
    if view.guards.undeclared:
        message = ".coord.toml is outside of the sparse checkout: nothing it declares holds here"
        run = f"git -C {quote(view.folder)} sparse-checkout add /.coord.toml"
        yield Finding("outside-sparse", view.folder, message, run)
        return
    for pattern, group in _unmade(view).items():
        if pattern not in known:
            names = _some(missing.path for missing in group)
            message = f"derived, but no command that makes it is declared: {names}"
            yield Finding("producer-missing", view.folder, message, _tracked(view, group[0]))


def _unmade(view: View) -> dict[str, list[Missing]]:
    """Return pattern → the derived paths of which this worktree does not say what makes them."""
    groups: dict[str, list[Missing]] = {}
    for missing in () if view.guards.undeclared else view.guards.without:
        groups.setdefault(missing.pattern or missing.path, []).append(missing)
    return groups


def _tracked(view: View, missing: Missing) -> str:
    """Return the command that declares a producer, to be filled in.

    Never with one that stands in some commit: `track` accepts what it is given.
    """
    word = quote(missing.pattern) if missing.pattern else producers.pattern(missing.path)
    made = '"${PRODUCER:?the command that makes it}"'
    return f"git -C {quote(view.folder)} coord track derived {word} --regenerate {made}"


def _behind(working: Sequence[View], known: Mapping[str, str]) -> Iterator[str]:
    """Yield a remark for each branch that declares what older worktrees lack: a merge brings it."""
    folders: dict[str, list[str]] = {}
    for view in working:
        for branch in dict.fromkeys(known[one] for one in _unmade(view) if one in known):
            folders.setdefault(branch, []).append(view.folder)
    for branch, lacking in folders.items():
        where = f"{lacking[0]} and {len(lacking) - 1} more" if len(lacking) > 1 else lacking[0]
        ref = heads.HEADS + branch
        word = heads.spelled(lacking[0], ref).get(ref, ref)
        yield (
            f"what makes derived files is declared on {branch}, and not yet in {where}: "
            f"git merge {quote(word)} brings it there"
        )


def _unfound(working: Sequence[View]) -> Iterator[str]:
    """Yield a remark for each producer that begins with a program which is not found here."""
    seen: dict[tuple[str, str], str] = {}
    for view in working:
        for rule in view.guards.producers:
            seen.setdefault((rule.pattern, rule.regenerate), view.folder)
    for (pattern, text), folder in seen.items():
        word = next((word for word in text.split() if "=" not in word), "")
        if _PROGRAM.fullmatch(word) and word not in _SHELL and not _is_found(folder, word):
            yield (
                f"what makes {pattern} begins with {word}, which is not found here: "
                f"git coord regenerate fails where it is not on PATH ({folder})"
            )


def _is_found(folder: str, word: str) -> bool:
    if "/" in word:
        return os.path.exists(os.path.join(folder, word))
    return shutil.which(word) is not None


def _sparse(view: View) -> Iterator[Finding]:
    """Yield what a sparse checkout takes out of force."""
    add = f"git -C {quote(view.folder)} sparse-checkout add"
    for name in view.guards.hidden:
        message = f"{name} guards paths, and is outside of the sparse cone: git does not read it"
        folder = quote(os.path.dirname(name))
        yield Finding("outside-sparse", view.folder, message, f"{add} {folder}")
    away = [path.path for path in view.guards.paths if path.sparse and path.kind == "derived"]
    folders = dict.fromkeys(os.path.dirname(path) for path in away)
    if away:
        message = (
            f"derived, and outside of the sparse checkout: {_some(away)}: after a merge that "
            "refuses it, what makes it lacks its files here"
        )
        where = " ".join(quote(folder or f"/{away[0]}") for folder in folders)
        yield Finding("outside-sparse", view.folder, message, f"{add} {where}")


def _branches(working: Sequence[View], declared: Declared) -> Iterator[Finding]:
    """Yield what only a branch without a worktree declares: it is merged by our attributes."""
    seen = {rule for view in working for rule in view.guards.rules} | set(declared.block)
    for branch, rules in declared.branches.items():
        missing = [rule for rule in rules if rule not in seen]
        seen |= set(missing)
        if missing:
            message = (
                f"declared on branch {branch} only, and not guarded in this clone: "
                f"{_patterns(missing)}: a merge into another branch takes it for text"
            )
            yield Finding("not-guarded", declared.common_dir, message, command.install())


def _leftovers(working: Sequence[View], declared: Declared) -> Iterator[Finding]:
    """Yield what this clone guards and no branch declares any more.

    Of a pattern that is declared as another kind, `untrack` would delete that declaration.
    """
    local = {rule for rules in declared.branches.values() for rule in rules}
    local |= {rule for view in working for rule in view.guards.rules}
    meant = {rule.meant for rule in local}
    for rule in declared.block:
        if rule not in local | declared.remote:
            said = shown(os.fsdecode(rule.text()).strip())
            message = f"info/attributes says {said}, which no branch declares any more"
            otherwise = rule.meant in meant
            run = command.install() if otherwise else f"git coord untrack {quote(rule.meant)}"
            yield Finding("guard-leftover", declared.common_dir, message, run)


def _right(working: Sequence[View]) -> str:
    kinds = [path.kind for view in working[:1] for path in view.guards.paths]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    return (
        f"{counts}: each with its driver and producer"
        if counts
        else "no path is guarded yet: git coord help track"
    )


def _notes(working: Sequence[View], declared: Declared) -> Iterator[str]:
    """Yield the paths that only ``info/attributes`` guards: the branch is older."""
    yield from _behind(working, declared.producers)
    yield from _unfound(working)
    for view in working:
        yield from _unregistered(view, declared)
        if view.guards.paths and not view.guards.rules:
            yield f"{view.folder}: its branch declares no guard; info/attributes guards it all"


def _patterns(rules: Sequence[Line]) -> str:
    return _some(rule.meant for rule in rules)


def _some(names: Iterable[str]) -> str:
    """Return a few names, and how many more there are."""
    found = list(names)
    more = len(found) - _NAMED
    return " ".join(found[:_NAMED]) + (f" and {more} more" if more > 0 else "")
