"""What is read out of answers: all of it may be a lie, and none of it may be more than refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.etcd import pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HEADER = {"revision": "7", "cluster_id": "9"}
KEY = {"key": "YQ==", "value": "Yg==", "mod_revision": "5", "create_revision": "5"}
_ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.just("YQ=="),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["header", "revision", "kvs", "key", "value", "mod_revision", "count", "more",
             "responses", "response_range", "succeeded"]
        ), inner, max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["header", "kvs", "count", "more", "responses"]), _ODD))
@pytest.mark.parametrize("parse", [pairs.of_range, pairs.of_transaction])
def test_an_answer_of_another_form_is_a_value_error(
    parse: Callable[[Mapping[str, object]], object], document: dict[str, object]
) -> None:
    """Whoever reads answers catches one kind."""
    for whole in (document, {**document, "header": HEADER}):
        try:
            parse(whole)
        except ValueError:
            continue


def test_a_range_is_read_with_its_revision_and_number() -> None:
    """What is zero or empty is left out by etcd."""
    found = pairs.of_range({"header": HEADER, "kvs": [KEY], "count": "3", "more": True})

    assert found == ([(b"a", b"b", 5)], True, 3, ("9", 7))
    assert pairs.of_range({"header": HEADER}) == ([], False, 0, ("9", 7))
    assert pairs.of_range({"header": HEADER, "kvs": [{**KEY, "value": ""}]}).pairs[0].value == b""


@pytest.mark.parametrize("number", ["9" * 20, "-1", "1e3", "٣", "", 5, None, "9" * 5000])
def test_a_revision_is_a_number_of_64_bits(number: object) -> None:
    """It is sent back, and kept in tables that take no larger one."""
    with pytest.raises(ValueError, match="no revision"):
        pairs.of_range({"header": {"revision": number}})
    assert pairs.of_range({"header": {"revision": "9" * 19}}).header.rev == (1 << 63) - 1


def test_what_is_below_a_prefix_ends_before_what_only_begins_like_it() -> None:
    """The end of a range is the least key above all of them."""
    assert pairs.below(b"p/") == {"key": "cC8=", "range_end": "cDA="}
    assert pairs.below(b"p/", b"p/x")["key"] == "cC94"
