"""What anybody who may push can have written: it runs nothing, has an end, and is shown in a line.

Read by a clone that knew the board before, and by one that comes to it now.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import TYPE_CHECKING

import pytest

from coord.base.failures import Unfit
from coord.remote import address, objects
from coord.repo import child, git
from coord.stores.chain import Chain
from coord.stores.replica import Replica
from coord.stores.store import Misconfigured
from harness.remotes import Bare

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("env")
_KEY = "claims/s-x/00000001"
_WHO = b"a <a> 0 +0000"
_FILE, _FOLDER = b"100644", b"40000"


def _put(bare: Bare, kind: str, data: bytes) -> str:
    """Write an object as it is, whatever git would say to it."""
    whole = b"%s %d\0%s" % (kind.encode(), len(data), data)
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    path = bare.path / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        path.write_bytes(zlib.compress(whole, 1))
    return name


def _tree(bare: Bare, *entries: tuple[bytes, bytes, str]) -> str:
    rows = (b"%s %s\0%s" % (mode, name, bytes.fromhex(one)) for mode, name, one in entries)
    return _put(bare, "tree", b"".join(rows))


def _commit(bare: Bare, tree: str, message: bytes = b"3\nh\nn\n") -> str:
    """Write a commit on the board's tip."""
    head = b"tree %s\nparent %s\n" % (tree.encode(), bare.tip.encode())
    return _put(bare, "commit", b"%sauthor %s\ncommitter %s\n\n%s" % (head, _WHO, _WHO, message))


def _record(bare: Bare, data: bytes = b"rev 3 at 5\nx") -> str:
    return _put(bare, "blob", data)


@pytest.fixture
def bare(tmp_path: Path, env: dict[str, str]) -> Bare:
    """A board with a record."""
    assert env
    made = Bare(tmp_path / "bare")
    _chain(made, tmp_path, "first").create(_KEY, b"held")
    return made


def _chain(bare: Bare, tmp_path: Path, name: str) -> Chain:
    home = tmp_path / name / "board"
    home.mkdir(parents=True, exist_ok=True)
    return Chain(address.parsed(f"git+{bare.path}"), str(home), patience=20)


def _blob(bare: Bare) -> str:
    return _record(bare)


def _tag(bare: Bare) -> str:
    text = f"object {bare.tip}\ntype commit\ntag t\ntagger a <a> 0 +0000\n\n3\n"
    return _put(bare, "tag", text.encode())


def _no_number(bare: Bare) -> str:
    return _commit(bare, _tree(bare), b"\x1b[31mred\n")


def _long_message(bare: Bare) -> str:
    return _commit(bare, _tree(bare), b"3\n" + b"x" * (1 << 20))


def _bomb(bare: Bare) -> str:
    """Ten trees that name 10,000,000,000 files."""
    inner = _tree(bare, *((_FILE, b"%d" % at, _record(bare)) for at in range(10)))
    for _ in range(9):
        inner = _tree(bare, *((_FOLDER, b"%d" % at, inner) for at in range(10)))
    return _commit(bare, inner)


def _deep(bare: Bare) -> str:
    inner = _tree(bare, (_FILE, b"a", _record(bare)))
    for _ in range(int(os.environ.get("COORD_TEST_DEEP", "300"))):
        inner = _tree(bare, (_FOLDER, b"d", inner))
    return _commit(bare, inner)


def _twice(bare: Bare) -> str:
    one, two = _record(bare), _record(bare, b"rev 3 at 5\ny")
    return _commit(bare, _tree(bare, (_FILE, b"a", one), (_FILE, b"a", two)))


def _symlink(bare: Bare) -> str:
    link = _record(bare, b"../../../../etc/passwd")
    return _commit(bare, _tree(bare, (b"120000", b"\x1b]0;a", link)))


def _submodule(bare: Bare) -> str:
    return _commit(bare, _tree(bare, (b"160000", b"sub", "1" * 40)))


def _executable(bare: Bare) -> str:
    return _commit(bare, _tree(bare, (b"100755", b"run", _record(bare))))


_HOSTILE = [
    _blob, _tag, _no_number, _long_message, _bomb, _deep, _twice, _symlink, _submodule, _executable,
]  # fmt: skip


@pytest.mark.parametrize("made", _HOSTILE)
@pytest.mark.parametrize("is_known", [True, False])
def test_what_none_of_ours_has_written_is_no_board_and_harms_no_copy(
    bare: Bare,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    made: Callable[[Bare], str],
    *,
    is_known: bool,
) -> None:
    """It is said in a line without escapes; once it is gone the board goes on where it was."""
    monkeypatch.setattr(objects, "_LIMITS", child.Limits(data=64 << 20, cpu=10))
    monkeypatch.setattr(objects, "_LISTED", 4 << 20)
    copy = str(tmp_path / "copy")
    if is_known:
        before = Replica(_chain(bare, tmp_path, "known"), copy, fresh=0)
        assert [rec.value for rec in before.list("claims")] == [b"held"]
        before.close()
    tip = bare.tip
    bare.move(made(bare))

    reader = Replica(_chain(bare, tmp_path, "known"), copy, fresh=0)
    with pytest.raises(Misconfigured) as error:
        reader.list("claims")

    said = f"{error.value.where} {error.value.why}"
    assert said.isprintable()
    assert len(said) < 1000
    with pytest.raises(Misconfigured):
        _chain(bare, tmp_path, "known").create("claims/s-y/00000001", b"mine")
    bare.move(tip)
    assert [rec.value for rec in reader.list("claims")] == [b"held"]
    reader.close()


def test_a_record_larger_than_any_is_not_read(bare: Bare, tmp_path: Path) -> None:
    """The others are."""
    large = _put(bare, "blob", b"\0" * (objects.MAX_RECORD + 1))
    inner = _tree(bare, (_FILE, b"00000001", _record(bare)), (_FILE, b"00000002", large))
    claims = _tree(bare, (_FOLDER, b"s-x", inner))
    bare.move(_commit(bare, _tree(bare, (_FOLDER, b"claims", claims))))

    found = _chain(bare, tmp_path, "known").list("claims")

    assert [rec.value for rec in found] == [b"x", b""]


def test_more_records_than_a_board_has_are_not_read(
    bare: Bare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is more of them than fits into memory."""
    cache = str(bare.path)
    names = [_record(bare, b"%d" % at * 100) for at in range(9)]
    rows = ((_FILE, b"%d" % at, name) for at, name in enumerate(names))
    tip = _commit(bare, _tree(bare, *rows))
    assert len(objects.files(cache, tip)) == 9

    monkeypatch.setattr(objects, "MOST_RECORDS", 8)
    with pytest.raises(Unfit, match="more than 8 records"):
        objects.files(cache, tip)
    monkeypatch.setattr(objects, "_BATCH", 2)
    assert len(objects.contents(cache, names)) == 9
    monkeypatch.setattr(objects, "_MOST", 800)
    with pytest.raises(Unfit, match="are more than"):
        objects.contents(cache, names)


def test_a_child_that_takes_too_much_memory_is_no_broken_cache(
    bare: Bare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message of 64 MB, which git reads whole; a cache would be made anew for nothing."""
    tip = _commit(bare, _tree(bare), b"3\n" + b"x" * (64 << 20))
    monkeypatch.setattr(objects, "_LIMITS", child.Limits(data=32 << 20, cpu=30))

    with pytest.raises(Unfit) as found:
        objects.commits(str(bare.path), bare.tip, tip)

    assert not isinstance(found.value, objects.Broken)


def test_limits_are_the_childs_alone() -> None:
    """And none is wider than what there was."""
    env = dict(git.elsewhere())
    limits = child.Limits(data=64 << 20, cpu=7, size=1 << 20)
    script = "sleep 0.1; ulimit -d; ulimit -t; ulimit -f; ulimit -c"

    _, out, _ = child.run(["sh", "-c", script], env, limits=limits)

    assert out.split() == [b"65536", b"7", b"2048", b"0"]
    _, out, _ = child.run(["sh", "-c", "ulimit -t"], env)
    assert out.split() != [b"7"]


def test_a_path_that_would_be_a_command_is_not_written(bare: Bare) -> None:
    """What makes commits reads a line of commands."""
    for path in ('"a', "a\nD claims", ""):
        with pytest.raises(ValueError, match="line end"):
            objects.commit(str(bare.path), "", "3\n", {}, [path])


def test_a_chain_is_commits_with_one_parent(bare: Bare) -> None:
    """A merge goes on from nothing; what is older is no descendant."""
    cache, first = str(bare.path), bare.tip
    bare.move(second := _commit(bare, _tree(bare)))
    bare.move(third := _commit(bare, _tree(bare), b"4\nh\nn\n"))
    head = f"tree {_tree(bare)}\nparent {third}\nparent {first}\n"
    who = f"author {_WHO.decode()}\ncommitter {_WHO.decode()}\n\n5\n"
    merge = _put(bare, "commit", f"{head}{who}".encode())

    assert objects.commits(cache, first, third) == [third, second]
    assert objects.commits(cache, third, third) == []
    assert objects.commits(cache, third, second) is None
    assert objects.commits(cache, first, merge) is None
    assert [lines[0] for lines in objects.messages(cache, [third, second])] == ["4", "3"]
