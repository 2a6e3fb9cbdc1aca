"""Each parser of what a peer wrote gives a value or its own error, in time, for whatever bytes.

A fixed seed, a few hundred inputs a parser, and a box of time; COORD_FUZZ=100000 tries as many, and
COORD_FUZZ_SEED others.
"""

# ruff: noqa: E501  # a table of bytes

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from coord.base import cquote, duration, gitconfig, names
from coord.board import actors, eventjson, messages
from coord.drivers import facts, instant, law, logfile, markers, records
from coord.drivers.join import Refused as NotJoined
from coord.fleet import ledger
from coord.guard import refusal, written
from coord.history import commits
from coord.identity import includeif, pin
from coord.ids import claim, claimtext
from coord.installer import attributesfile, declaration, manifest
from coord.overlap import pathspecs
from coord.repo import reflog
from coord.settings import config
from coord.settings.sections import ConfigInvalid
from coord.stores.store import Rec

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = int(os.environ.get("COORD_FUZZ", "150"))
BOX = 2.0 if COUNT < 1000 else 3600.0  # seconds, of one parser's inputs
SLOWEST = 1.0  # seconds of the processor, of one input: others may be at work beside it
SEED = int(os.environ.get("COORD_FUZZ_SEED", "13"))
AT = "2026-11-29T00:00:00Z"
LOG = b"2026-01-01 one\n2026-01-02T10:00:00+02:00 two\n  more\n\n2026-01-03 three\n"
CHANGES = (
    b"# Changes\n\n## Unreleased\n\n### Added\n- one\n- two\n\n## [1.0.0] - 2026-01-01\n- old\n"
)
CONFLICT = b"a\n<<<<<<< HEAD\nb\n||||||| base\nc\n=======\nd\n>>>>>>> side\ne\n"
RECORD = (
    b"coord-refused 1\nkind log\nhead abc\nours a\ntheirs b\nresolved c\nreason r\npath a/b.tsv\n"
)
TOML = (
    b'[derived."s.json"]\nregenerate = "make s"\ninputs = ["a"]\n[log."*.tsv"]\nstart = "## "\n'
    b'[identity]\nname = "{actor}"\n[presence]\nexpires = "30m"\n[lane."x y"]\nevery = "1d"\n'
    b'[moves]\nkinds = ["fix"]\nledger = "a/b.tsv"\n'
)
PIN = (
    b'version = 1\nactor = "ada"\ninstance = "ada-1234"\nname = "Ada"\nemail = "a@b.c"\n'
    b'created = "2026-01-01T00:00:00.000000Z"\nhost = "h"\n'
)
PLACE = {"actor": "e", "instance": "i", "branch": "b", "since": AT}
EVENT = json.dumps(
    {"schema": 1, "seq": 1, "nonce": "n", "after": None, "kind": "claim", "scope": "task:x"}
    | {"actor": "e", "instance": "i", "at": AT}
    | {"state": {"generation": 1, "line": [PLACE], "paused_at": None}}
).encode()
PARTY = {"actor": "e", "instance": "i", "branch": None, "source": None}
MESSAGE = json.dumps(
    {"schema": 1, "id": "m", "kind": "message", "from": PARTY, "to": PARTY, "scope": None}
    | {"generation": None, "text": "hello", "sent_at": AT}
).encode()
ACTOR = json.dumps(
    {"schema": 1, "actor": "e", "instance": "e-1", "home": ".", "host": "h", "since": AT}
).encode()
MOVE = b"\t".join([AT.encode(), b"ada", b"i", b"fix", b"a\\tb", b"x", b"y", b"n"])
ATTRIBUTES = (
    b'# c\n[attr]coord-log merge=coord-log\n*.log coord-log\n"a b\\"c" -coord-derived text\n'
)
INCLUDE = b'[includeIf "gitdir:worktrees/x"]\n\tpath = "../worktrees/x/coord.config"\n'
CLAIM = b'actor = "ada"\ntitle = "x"\ncreated = "2026-01-01"\nnonce = "0123"\n# note\n'
REFLOG = b"%s %s Ada <a@b.c> 1700000000 +0000\tcommit (amend): x\n" % (b"a" * 40, b"b" * 40)
MANIFEST = b'{"schema": 1, "version": "1", "made": [], "hooks": [], "files": {}, "declared": []}'


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _pinned(data: bytes) -> object:
    path = SCRATCH / pin.PIN
    path.write_bytes(data)
    return pin.read(str(SCRATCH))


def _merged(kind: str, start: bytes | None) -> Callable[[bytes], object]:
    def merge(data: bytes) -> object:
        base, ours, theirs = [*data.split(b"\x00\x00"), b"", b""][:3]
        try:
            return law.merged(kind, start, base, ours, theirs)
        except NotJoined as error:
            return facts.told(error, kind, base, start)

    return merge


def _logged(data: bytes) -> object:
    log = reflog.Log(data, data)
    return [log.made(_text(word)) for word in data.split()[:20] if word.isascii()]


SCRATCH = Path("/nonexistent")
JOINED = b"\x00\x00".join
LOGS = (
    JOINED([LOG, LOG + b"2026-02-01 o\n", LOG + b"2026-02-02 t\n"]),
    JOINED([LOG, CONFLICT, LOG]),
)
HISTORIES = (JOINED([CHANGES, CHANGES.replace(b"- two", b"- 2"), CHANGES + b"- x\n"]),)
PARSERS: dict[str, tuple[Callable[[bytes], object], tuple[bytes, ...], tuple[type[Exception], ...]]] = {
    "a refusal": (lambda data: refusal.parse("1", _text(data)), (RECORD,), ()),
    "a quoted path": (lambda data: cquote.c_unquoted(_text(data)), (b'"a\\303\\n"',), (ValueError,)),
    "a pin": (_pinned, (PIN,), (pin.Unreadable,)),
    "an event": (
        lambda data: eventjson.decode(data, "claims/s-task=3ax", 1), (EVENT,), (eventjson.Foreign,),
    ),
    "a message": (messages.decode, (MESSAGE,), ()),
    "an actor": (lambda data: actors._decoded(Rec("actors/e-1", data)), (ACTOR,), ()),
    ".coord.toml": (lambda data: config.parse(data, "x"), (TOML,), (ConfigInvalid,)),
    "a section of it": (
        lambda data: declaration.undeclared(data, "log", "*.tsv"),
        (TOML,), (ConfigInvalid, declaration.Refused),
    ),
    "attributes": (
        lambda data: (
            attributesfile.rules(data), attributesfile.guarded(data),
            attributesfile.declared(data, "*.x", "log"), attributesfile.without_block(data),
            [attributesfile.unquoted(_text(rule.pattern)) for rule in attributesfile.rules(data)],
        ),
        (ATTRIBUTES,), (),
    ),
    "records": (lambda data: records.split(data, b"2026"), (LOG,), ()),
    "instants": (lambda data: [instant.instant(line) for line in data.split(b"\n")], (LOG,), ()),
    "markers": (
        lambda data: (markers.conflicts(data), markers.line(data), markers.settled(data, None)),
        (CONFLICT,), (),
    ),
    "a log of lines": (_merged("log", None), LOGS, (logfile.NotText,)),
    "a log of records": (_merged("log", b"2026"), LOGS, (logfile.NotText,)),
    "a changelog": (_merged("changelog", None), HISTORIES, (logfile.NotText,)),
    "how a file is written": (written.how, (LOG, CHANGES, CONFLICT), ()),
    "a move": (
        lambda data: [(one, one and ledger.Until(0.0).has(one))
                      for line in data.split(b"\n") for one in [ledger.parsed(line, ledger.Move)]],
        (MOVE,), (),
    ),
    "a put-down": (lambda data: ledger.parsed(data, ledger.PutDown), (MOVE,), ()),
    "a claim": (
        lambda data: (claim.fields(data), claim.claimant(data), claim.renamed(data, "2"),
                      claimtext.bare(data), claimtext.has_nonce(data)),
        (CLAIM,), (),
    ),
    "an id's path": (
        lambda data: (claimtext.is_id(data), claimtext.stem(data), claimtext.folded(data)),
        (b"coordination/ids/adr/0001.toml",), (),
    ),
    "a trailer": (
        lambda data: commits._names(_text(data), b"a b"), (b'"a b" why', b"a why"), (),
    ),
    "included config": (
        lambda data: includeif.checked(_text(data), "/nonexistent/.git"), (INCLUDE,), (),
    ),
    "git config": (lambda data: gitconfig.pairs(_text(data), "coord"), (b'[coord]\n\tname = "x"\n',), ()),
    "a reflog": (_logged, (REFLOG, b"a a\nb c\nc b\n"), ()),
    "a manifest": (manifest.parse, (MANIFEST,), ()),
    "names": (
        lambda data: (names.shown(_text(data)), names.slug(_text(data)), names.is_actor(_text(data))),
        (b"ada-1234", b"a/b c"), (),
    ),
    "a duration": (lambda data: duration.parse(_text(data)), (b"1d", b"30m"), ()),
    "a pathspec": (lambda data: pathspecs.split(_text(data)), (b":(top,glob)a/**/b*", b":!x"), ()),
}  # fmt: skip
TOKENS = (
    b"\0", b"\xff", b"\r\n", b"\n\n", b'"', b"\\", b"\\777", b"[" * 200, b"{" * 200, b"9" * 5000,
    b"1e999", b"\\ud800", b"\\Ubaaaaaaa", b"\xed\xa0\x80", b"\xe2\x80\xae", b"<<<<<<< x\n", b"=======\n",
    b">>>>>>> x\n", b"## ", b"# ", b"- ", b"\t", b" ", b"null", b"-1", b"0001-01-01T00:00:00+23:59",
    b"9999-12-31T23:59:59-23:59", b"/../", b":(", b"a" * 3000, b"\xcc\x80" * 500, b"=", b"[x]\n",
)  # fmt: skip


def mutated(chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    """Return a seed after a few changes: bytes, pieces, tokens, repeats, cuts."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, 6)):
        at, way = chance.randrange(len(data) + 1), chance.randrange(6)
        end = min(len(data), at + chance.randrange(1, 40))
        if way == 0 and at < len(data):
            data[at] = chance.randrange(256)
        elif way == 1:
            data[at:at] = chance.choice(TOKENS)
        elif way == 2:
            del data[at:end]
        elif way == 3:
            data[at:at] = data[at:end] * chance.randrange(1, 50)
        elif way == 4:
            data[at:end] = chance.choice(seeds)[: chance.randrange(80)]
        else:
            lines = bytes(data).split(b"\n")
            chance.shuffle(lines)
            data[:] = b"\n".join(lines)
    return bytes(data)


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "SCRATCH", tmp_path)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", PARSERS)
def test_whatever_a_peer_writes_is_a_value_or_the_parsers_own_error(name: str) -> None:
    """Anything else ended a verb, and once a guard; COORD_FUZZ says how many are tried."""
    parse, seeds, typed = PARSERS[name]
    chance = random.Random(f"{SEED} {name}")  # noqa: S311  # to be the same each time
    begun = time.monotonic()
    for number in range(COUNT):
        data = mutated(chance, seeds) if number >= len(seeds) else seeds[number]
        started = time.process_time()
        try:
            parse(data)
        except typed:
            pass
        except BaseException as error:  # noqa: BLE001  # whatever it is, with its input
            pytest.fail(f"input {number}: {type(error).__name__}: {error}\n{data[:2000]!r}")
        spent = time.process_time() - started
        assert spent < SLOWEST, f"input {number} took {spent:.1f} s\n{data[:2000]!r}"
        if time.monotonic() - begun > BOX:
            break


UNITS = (
    b"\n",
    b" ",
    b'"',
    b"\\303",
    b"[",
    b"{",
    b"a = 1\n",
    b"# a\n",
    b"- a\n",
    b"a.",
    b"\xcc\x80",
    b"a b\n",
)
LENGTH = 30_000  # bytes; what is quadratic took seconds


@pytest.mark.parametrize("name", PARSERS)
def test_one_thing_repeated_takes_no_parser_longer_than_it_is_long(name: str) -> None:
    """30 KB of empty lines in a claim took eight seconds, of every verb that lists them."""
    parse, seeds, typed = PARSERS[name]
    for unit in UNITS:
        data = seeds[0].rstrip(b'\n"]}') + unit * (LENGTH // len(unit))
        started = time.process_time()
        try:
            parse(data)
        except typed:
            pass
        assert time.process_time() - started < SLOWEST, unit
