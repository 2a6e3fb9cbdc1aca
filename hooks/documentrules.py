"""Changelogs and logs of blocks at commit: the next merge must be able to join what is committed.

So the staged text is joined with its parent, as the driver would. A changelog takes what one side
edits or deletes, hence a plain commit to one is free; a merge must hold what the driver would have
joined, and where that refuses, every line of both sides.
"""

from __future__ import annotations

from coord.drivers import law, markers
from coord.drivers.clash import Clash
from coord.drivers.join import Refused
from coord.drivers.records import count
from coord.hooks.loss import Loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.hooks.versions import Versions


class Document:
    """One changelog, or log of blocks, and its versions."""

    def __init__(self, versions: Versions, path: str, kind: str, start: bytes | None) -> None:
        self._versions = versions
        self._path = path
        self._kind = kind
        self._start = start
        self._quoted: frozenset[bytes] = frozenset()
        self._joins: dict[tuple[bytes, bytes], Refused | None] = {}

    def loss(self, new: bytes, texts: list[bytes]) -> tuple[Loss | None, Loss | None]:
        """Return what of shared history the text `new` would lose, and what it reverts.

        `texts` are those of the parents.
        """
        self._quoted = markers.conflicts(new)
        texts = [self._settled(text) for text in texts]
        if len(texts) > 1:
            return self._lacking(new, texts), None
        if self._kind == "changelog":
            return None, None
        return self._unjoined(new, texts[0])

    def _unjoined(self, new: bytes, old: bytes) -> tuple[Loss | None, Loss | None]:
        refused = self._refused(old, new)
        past = self._versions.past
        if refused is None or (past.replaced and not self._is_refused(past.replaced, new)):
            return None, None
        lost = self._lost(old, new)
        undone = self._undone()
        loss = _loss(refused, len(lost))
        if lost and not lost - undone:
            return None, loss
        return loss if self._is_refused(self._versions.shared, new) else None, None

    def _lacking(self, new: bytes, texts: list[bytes]) -> Loss | None:
        """Return the first line that a merge lacks of what others know."""
        lacks: list[bytes] = []
        for parent, text in zip(self._versions.past.parents[1:], texts[1:], strict=True):
            base = self._at(self._versions.base(parent))
            lacks += law.lacking(self._kind, self._start, (base, texts[0], text), new)
        if not lacks:
            return None
        known = {line for tip in self._versions.shared for line in _lines(self._at(tip))}
        lacks = [line for line in dict.fromkeys(lacks) if line in known]
        for lines in map(_lines, texts):
            if lacks and lacks[0] in lines:
                return Loss(lines.index(lacks[0]) + 1, lacks[0], len(lacks) - 1)
        return None

    def _refused(self, old: bytes, new: bytes) -> Refused | None:
        """Return why a text does not join with an older one; what others have is often the same."""
        if (old, new) not in self._joins:
            self._joins[old, new] = self._tried(old, new)
        return self._joins[old, new]

    def _tried(self, old: bytes, new: bytes) -> Refused | None:
        try:
            law.joined(self._kind, self._start, old, new, old)
        except Refused as error:
            return error
        return None

    def _is_refused(self, commits: Iterable[str], new: bytes) -> bool:
        return any(self._refused(self._at(commit), new) for commit in commits)

    def _lost(self, old: bytes, new: bytes) -> set[object]:
        had, has = (count(self._contents(text)) for text in (old, new))
        return {one for one, copies in had.items() if has.get(one, 0) < copies}

    def _undone(self) -> set[object]:
        """Return what a commit had brought which this one reverts."""
        if self._versions.reverted is None:
            return set()
        commit, against = self._versions.reverted
        return self._lost(self._at(commit), self._at(against))

    def _contents(self, text: bytes) -> list[tuple[tuple[bytes, ...], bytes]]:
        return law.contents(self._kind, self._start, text)

    def _at(self, commit: str) -> bytes:
        return self._settled(self._versions.text(commit, self._path))

    def _settled(self, text: bytes) -> bytes:
        return markers.settled(text, self._start, self._quoted)


def _loss(refused: Refused, lines: int) -> Loss:
    if not isinstance(refused, Clash):
        return Loss(1, b"", 0)
    return Loss(refused.line, refused.name, max(lines - 1, 0))


def _lines(text: bytes) -> list[bytes]:
    return [line.strip() for line in text.split(b"\n")]
