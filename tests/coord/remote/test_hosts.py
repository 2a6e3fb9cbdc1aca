"""Three hosts on one board do what one would: each transaction on what stood when it was made."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coord.remote import address
from coord.stores.chain import Chain
from coord.stores.replica import Replica
from harness.remotes import Bare

if TYPE_CHECKING:
    from coord.stores.store import Store

pytestmark = pytest.mark.usefixtures("env")
_FOLDERS = ("claims/s-a", "claims/s-b")


def _host(bare: Bare, folder: Path, number: int) -> Store:
    """A host: one reads a copy, the others what they fetch."""
    home = folder / str(number)
    home.mkdir()
    chain = Chain(address.parsed(f"git+{bare.path}"), str(home / "board"))
    (home / "board").mkdir()
    return chain if number else Replica(chain, str(home / "copy"), fresh=0)


@settings(max_examples=int(os.environ.get("COORD_HYPOTHESIS_EXAMPLES", "3")), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.sampled_from(_FOLDERS),
            st.sampled_from(["create", "append", "behind", "delete"]),
        ),
        min_size=6,
        max_size=10,
    )
)
def test_what_three_hosts_do_in_turn_is_what_one_would(steps: list[tuple[int, str, str]]) -> None:
    """A create meets what is there; an append stands on the newest alone; all see the same."""
    with tempfile.TemporaryDirectory() as name:
        bare = Bare(Path(name) / "bare")
        hosts = [_host(bare, Path(name), number) for number in range(3)]
        model: dict[str, bytes] = {}
        tops = dict.fromkeys(_FOLDERS, 0)
        for count, (number, folder, act) in enumerate(steps):
            host, top, value = hosts[number], tops[folder], b"%d" % count
            key = f"{folder}/{max(1, top):08d}"
            if act == "create":
                assert host.create(key, value).value == model.setdefault(key, value)
                tops[folder] = max(1, top)
            elif act == "append":
                new = f"{folder}/{top + 1:08d}"
                rec = host.append(new, value, key if top else None, [])
                assert rec is not None
                assert rec.value == value
                model[new] = value
                tops[folder] = top + 1
            elif act == "behind" and top:
                rec = host.append(key, value, f"{folder}/{top - 1:08d}" if top > 1 else None, [])
                assert rec is None or rec.value == model[key]
            elif act == "delete" and top > 1:  # never the newest: that is kept as a scope's
                old = f"{folder}/{top - 1:08d}"
                assert host.delete(old, model.get(old, b"?")) is (old in model)
                model.pop(old, None)
        for host in hosts:
            assert {rec.key: rec.value for rec in host.list("claims")} == model
            host.close()
