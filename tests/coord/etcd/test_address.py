"""A store's URL: what it names, and what it must not hold."""

from __future__ import annotations

import pytest

from coord.etcd.address import Endpoint, parsed


def test_the_members_of_a_cluster_a_user_and_a_prefix_are_read() -> None:
    """A port has a default; an IPv6 address stands in brackets."""
    found = parsed("etcds://alice@db1.example,10.0.0.2:4001,[::1]:99/team/board/")

    assert found.endpoints == (
        Endpoint("db1.example", 2379), Endpoint("10.0.0.2", 4001), Endpoint("::1", 99),
    )  # fmt: skip
    assert [str(one) for one in found.endpoints][2] == "[::1]:99"
    assert (found.user, found.prefix, found.tls) == ("alice", "team/board", True)
    assert not parsed("etcd://h/p").tls


@pytest.mark.parametrize(
    "url",
    [
        "etcd://alice:s3cret@h/p", "etcd://s3cret@alice@h/p", "etcd://h/p?password=s3cret",
        "etcd://h/p#s3cret", "https://u:s3cret@h/p", "s3cret",
    ],
)  # fmt: skip
def test_a_url_with_what_may_be_a_secret_is_refused_without_showing_it(url: str) -> None:
    """It would stand in a file, in messages and in the list of processes."""
    with pytest.raises(ValueError, match=r"etcd://HOST|URL") as raised:
        parsed(url)

    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "etcd://", "etcd://h", "etcd://h/", "etcd://h//p", "etcd://h/a//b", "etcd:///p",
        "etcd://-h/p", "etcd://h,/p", "etcd://h:0/p", "etcd://h:65536/p", "etcd://h:x/p",
        "etcd://[::1/p", "etcd://[::1]x/p", "etcd://[h]/p", "etcd://h/p q", "etcd://h/-p",
        "etcd://h\n/p", "etcd://h:٣/p", "etcd://h/" + "p" * 600,
    ],
)  # fmt: skip
def test_a_url_that_names_no_board_is_refused(url: str) -> None:
    """A host or prefix that begins with a dash would be some command's option."""
    with pytest.raises(ValueError, match="URL"):
        parsed(url)
