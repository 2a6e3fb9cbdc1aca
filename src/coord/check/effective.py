"""The declarations of a tree: every guarded path has its driver, every artifact its producer.

"Set" is not "guarded": a later line may give the path another driver, and an attribute may name a
driver that nobody registered, which git takes for a plain text merge without a word. So it is the
*effective* ``merge`` that counts. Without the toolkit the macros stand for ``-merge``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.guard.guarded import KINDS, attribute
from coord.history.problem import counted, printed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

UNREGISTERED = "attribute-unregistered"
PRODUCER = "producer-missing"
_BUILT_IN = frozenset({b"text", b"binary", b"union", b"set", b"unset", b"unspecified"})
_LFS = b"lfs"
_MACROS = {attribute(kind).encode(): kind for kind in KINDS}


class Finding(NamedTuple):
    """A path that is not merged as declared, why, and whether ``coord-install`` mends that."""

    path: bytes
    message: str
    by_install: bool = False


def unguarded(
    triples: Iterable[tuple[bytes, bytes, bytes]], drivers: Collection[bytes]
) -> Iterator[Finding]:
    """Yield the guarded paths that git would merge in another way than declared.

    Args:
        triples: (path, ``merge`` or a macro, value) as git sees them.
        drivers: the drivers this clone's config has a command for.
    """
    merges: dict[bytes, bytes] = {}
    declared: dict[bytes, str] = {}
    for path, name, value in triples:
        if name == b"merge":
            merges[path] = value
        elif value == b"set":
            declared.setdefault(path, _MACROS[name])
    for path, kind in declared.items():
        merge, own = merges[path], attribute(kind).encode()
        fault = _fault(merge, own, drivers)
        if fault:
            yield Finding(path, fault, merge in _MACROS or merge == b"unset")
    ours = {path: merge for path, merge in merges.items() if merge in _MACROS}
    yield from _nobodys(ours, declared, drivers)


def _fault(merge: bytes, own: bytes, drivers: Collection[bytes]) -> str:
    if merge in _MACROS:
        return "" if merge in drivers else f"no driver {_word(merge)} is registered: merged as text"
    if merge == b"unset":
        return "this clone has the driver and does not select it" if own in drivers else ""
    if merge in {b"set", b"unspecified"}:
        return "its macro is not defined: merged as text"
    return f"another line gives it merge={_word(merge)}"


def unregistered(
    triples: Iterable[tuple[bytes, bytes, bytes]], drivers: Collection[bytes]
) -> Iterator[str]:
    """Yield a remark for each driver of others that an attribute names and no config has.

    git-lfs writes ``merge=lfs`` and means it for a name only: of that there is nothing to say.
    """
    own, triples = {_LFS, *_MACROS}, list(triples)
    guarded = {path for path, name, value in triples if name != b"merge" and value == b"set"}
    merges = {
        path: value
        for path, name, value in triples
        if name == b"merge" and value not in own and path not in guarded
    }
    for finding in _nobodys(merges, (), drivers):
        yield f"{printed(finding.path)}: {finding.message}"


def _nobodys(
    merges: Mapping[bytes, bytes], declared: Collection[bytes], drivers: Collection[bytes]
) -> Iterator[Finding]:
    """Yield the first path of each driver that is named by an attribute and by no config."""
    paths: dict[bytes, list[bytes]] = {}
    for path, merge in merges.items():
        if path not in declared and merge not in _BUILT_IN and merge not in drivers:
            paths.setdefault(merge, []).append(path)
    for merge, found in paths.items():
        more = f", and {counted(len(found) - 1, 'other path')}" if len(found) > 1 else ""
        text = f"no driver {_word(merge)} is registered: merged as text{more}"
        yield Finding(found[0], text, merge in _MACROS)


def _word(name: bytes) -> str:
    return name.decode("utf-8", "replace")
