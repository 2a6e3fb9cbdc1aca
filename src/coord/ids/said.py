"""What claims say, by blob: each text is parsed once, and where there are many, once for all times.

A blob's id is the hash of its bytes, so what it says never changes. What a hundred thousand of them
say is kept in one file of the common git dir: to read them anew takes git and us a second. The file
is written where many are new, holds what was asked for then and nothing else, and whoever cannot
read or write it does without. A checksum seals it: an edit, or a bit that has flipped, makes all be
read anew. That is no signature: who may write in the git dir could forge it, as well as hooks.
"""

from __future__ import annotations

import os
import re
import zlib
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from coord.base import peerfile, publish, sharing
from coord.ids import claim, claimtext

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coord.history.blobs import Blobs

#: Below the common git dir.
FILE = "coord/id-claims"
_MANY = 256  # are kept; fewer are read anew in no time
_LONG = 512  # characters; a claim of ours says less
_VERSION = "coord id-claims 2"
# What `id next` writes, where no parser can take a value for anything else.
_OURS = re.compile(
    rb'id = "([\w.-]+)"\n(?:namespace = "[\w.-]+"\n)?actor = "([\w.-]{1,80})"\n'
    rb'(?:instance = "[\w.-]+"\n)?nonce = "(\w+)"\n(?:created = "([\w:.+-]+)"\n)?'
)


class Kept(NamedTuple):
    """The file: the blobs, and of each attribute of :class:`Said` a line for each of them."""

    names: list[str]
    columns: list[str]


_NOTHING = Kept([], [])


class Said(NamedTuple):
    """What a claim says.

    Attributes:
        claimant: whose it is, as the driver names it.
        created: when it was claimed; None where it does not say so.
        id: which identifier it is; likewise.
        nonce: what no other claim holds; likewise. What is no UTF-8 in it is escaped.
    """

    claimant: str
    created: str | None
    id: str | None
    nonce: str | None

    def is_plain(self) -> bool:
        """Tell whether it is of the common make, which a line each can hold."""
        told = [text for text in self if text is not None]
        return "" not in told and len(all_ := "".join(told)) <= _LONG and all_.isprintable()


def of(text: bytes) -> Said:
    """Return what a claim says."""
    if ours := _OURS.fullmatch(text):  # at a quarter of the cost
        identifier, actor, nonce, created = ours.groups()
        when = None if created is None else created.decode()
        return Said(actor.decode(), when, identifier.decode(), nonce.decode())
    fields, nonce = claim.fields(text), claimtext.nonce(text)
    return Said(
        claim.claimant(text, fields),
        fields.get("created"),
        fields.get("id"),
        None if nonce is None else nonce.decode("utf-8", "surrogateescape"),
    )


class Claims:
    """What many claims say: blob → text, of one thing at a time, since nobody asks for all.

    A blob that this clone does not have says nothing.
    """

    def __init__(self, kept: Kept, new: Mapping[str, Said]) -> None:
        self._kept = kept
        self._new = new

    @cached_property
    def claimant(self) -> dict[str, str]:
        """Whose each is."""
        return cast("dict[str, str]", self._column(0))

    @cached_property
    def created(self) -> dict[str, str | None]:
        """When each was claimed."""
        return self._column(1)

    @cached_property
    def id(self) -> dict[str, str | None]:
        """Which identifier each says that it is."""
        return self._column(2)

    @cached_property
    def nonce(self) -> dict[str, str | None]:
        """What each holds that no other does."""
        return self._column(3)

    def of(self, blob: str) -> Said:
        """Return all that one says."""
        return Said(self.claimant[blob], self.created[blob], self.id[blob], self.nonce[blob])

    def _column(self, place: int) -> dict[str, str | None]:
        names, columns = self._kept
        texts = columns[place].split("\n") if names else []
        found = dict(zip(names, [text or None for text in texts], strict=True))
        found.update({name: said[place] for name, said in self._new.items()})
        return found


def read(blobs: Blobs, wanted: Iterable[str], common_dir: str) -> Claims:
    """Return what claims say.

    Raises:
        Environment: git could not read them.
    """
    names = dict.fromkeys(wanted)
    place = os.path.join(common_dir, FILE)
    kept = _kept(place) if len(names) > _MANY else _NOTHING
    known = set(kept.names)
    texts = blobs.read_small([name for name in names if name not in known])
    new = {name: of(text) for name, text in texts.items()}
    found = Claims(kept, new)
    plain = {n: said for n, said in new.items() if n not in blobs.missing and said.is_plain()}
    if len(plain) > _MANY:
        plain.update((name, found.of(name)) for name in names if name in known)
        _keep(place, plain, sharing.of(common_dir))
    return found


def _kept(place: str) -> Kept:
    """Return what is kept; nothing where the file is not whole, or none of ours."""
    try:
        data = peerfile.read(place, peerfile.WHOLE)
        texts = memoryview(data)[_SEAL:]
        columns = str(texts, "utf-8").split("\0") if data[:_SEAL] == _seal(texts) else []
    except (OSError, ValueError):
        return _NOTHING
    lengths = [column.count("\n") for column in columns]
    if len(lengths) != 1 + len(Said._fields) or len(set(lengths)) != 1:
        return _NOTHING
    return Kept(columns[0].split("\n"), columns[1:])


def _seal(texts: bytes | memoryview) -> bytes:
    return f"{_VERSION} {zlib.crc32(texts):08x}\0".encode()


_SEAL = len(_seal(b""))


def _keep(place: str, found: Mapping[str, Said], share: int) -> None:
    columns = [found, *zip(*found.values(), strict=True)]
    texts = "\0".join("\n".join(text or "" for text in column) for column in columns).encode()
    folder, own = os.path.split(place)
    try:
        for name in os.listdir(folder):  # of who was killed; who was not does without its own
            if name.startswith(f"{own}.tmp-"):
                publish.forget(os.path.join(folder, name))
        publish.replace(place, _seal(texts) + texts, share=share)
    except OSError:  # nothing of ours may be written here, or there is no room for it
        pass
