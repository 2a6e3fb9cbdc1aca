"""A series of numbered files in one folder, and the next number nobody has.

A number is reserved on the board before its file is written: create-only, so two worktrees never
get one, however they race. A number whose file never came, because its writer was killed, stays
spent: nobody can tell whether the file is still to come.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerjson
from coord.ids import claim, namespaces
from coord.ids import format as formats
from coord.ids.claimtext import folded
from coord.ids.sources import survey
from coord.stores import keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from coord.ids.claim import Claim
    from coord.ids.format import Format
    from coord.repo.worktree import Worktree
    from coord.stores.store import Store


@dataclass(frozen=True)
class Series:
    """Where files of a series are, and how they are numbered.

    Attributes:
        folder: path from the top level, empty for that level.
        format: how the names are spelled.
        suffix: what follows the name, such as ``.toml``.
        spent: the last number that is taken whatever files there are.
    """

    folder: str
    format: Format
    suffix: str
    spent: int = 0

    @property
    def name(self) -> str:
        """What the board knows the series by; the suffix makes no other identifier."""
        return os.path.join(self.folder, f"{self.format.prefix}#{self.format.suffix}")

    def path(self, text: str) -> str:
        """Return the file of an identifier."""
        return os.path.join(self.folder, text + self.suffix)

    def numbers(self, paths: Iterable[bytes]) -> Iterator[int]:
        """Yield the numbers that `paths` take, whatever follows them, in folders alike."""
        mine = self.folder.casefold()
        before, after = self.path(self.format.prefix).removesuffix(self.suffix), self.format.suffix
        plain = re.compile(
            re.escape(os.fsencode(before))
            + b"([0-9]{1,9})"
            + re.escape(os.fsencode(after + self.suffix))
        )
        alike: dict[bytes, bool] = {}  # folder → whether it is this one, as file systems fold case
        for path in paths:
            if found := plain.fullmatch(path):  # as all are that were made here
                yield int(found[1])
                continue
            folder, _, last = path.rpartition(b"/")
            if folder not in alike:
                alike[folder] = os.fsdecode(folder).casefold() == mine
            if alike[folder]:
                name = os.fsdecode(last)
                for stem in {name, name.removesuffix(self.suffix), os.path.splitext(name)[0]}:
                    number = self.format.number(stem)
                    if number is not None:
                        yield number


class Reserved(NamedTuple):
    """A number on the board.

    Attributes:
        number: the number.
        actor: who reserved it; empty where the record cannot be read.
        at: when, RFC 3339.
    """

    number: int
    actor: str
    at: str


def of_namespace(top: str | None, namespace: str) -> Series:
    """Return the series of a namespace, as ``.coord.toml`` declares it."""
    folder = os.path.join(claim.FOLDER, namespace)
    return Series(folder, namespaces.format_of(top, namespace), claim.SUFFIX)


def of_path(top: str | None, path: str) -> Series:
    """Return the series that a file belongs to, or seems to."""
    folder, name = os.path.split(path)
    stem, suffix = os.path.splitext(name)
    if os.path.dirname(folder) == claim.FOLDER:
        series = of_namespace(top, os.path.basename(folder))
        if suffix == claim.SUFFIX and series.format.number(stem) is not None:
            return series
    format_ = formats.guessed(stem)
    return Series(folder, format_, suffix, int(format_.number(stem) is None))


def take(store: Store, here: Worktree, series: Series, mine: Claim) -> str:
    """Reserve the next identifier of a series and return it.

    Args:
        store: the board.
        here: from where branches and worktrees are looked at.
        series: what is counted.
        mine: who takes it; the record on the board holds its nonce.

    Raises:
        StoreError: the board cannot be written; nothing was taken.
    """
    deep = series.folder.startswith(claim.FOLDER + "/")
    used = survey(here, claim.FOLDER if deep else series.folder, deep=deep).paths()
    folder = keys.series(series.name)
    spent = [keys.number_of(rec.key) for rec in store.list(folder, values=False)]
    number = max(
        [series.spent, *series.numbers(used), *(one for one in spent if one < formats.MOST)]
    )
    while True:
        number += 1
        text = series.format.text(number)
        if _is_taken(os.fsencode(series.path(text)), number, used):
            continue  # a name that takes this one's place without being of the series
        value = _record(text, mine)
        if store.create(keys.number(folder, number), value).value == value:
            return text


def _is_taken(path: bytes, number: int, used: Iterable[bytes]) -> bool:
    """Tell whether one of the `used` paths is the same identifier as `path`, which has `number`."""
    digits, own = str(number).encode(), folded(path)  # no folding makes or takes a digit
    return any(folded(other) == own for other in used if digits in other)


def reserved(store: Store, series: Series) -> Iterator[Reserved]:
    """Yield what was ever reserved of a series, in order."""
    for rec in store.list(keys.series(series.name)):
        try:
            found = peerjson.document(rec.value)
            yield Reserved(keys.number_of(rec.key), str(found["actor"]), str(found["at"]))
        except (ValueError, LookupError, TypeError):
            yield Reserved(keys.number_of(rec.key), "", "")


def _record(text: str, mine: Claim) -> bytes:
    document = {
        "schema": 1,
        "id": text,
        "actor": mine.actor,
        "instance": mine.instance or None,
        "nonce": mine.nonce,
        "at": mine.created,
    }
    return json.dumps(document).encode() + b"\n"
