"""Boards on one etcd for all of these tests, each with a prefix of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.etcd.address import parsed

if TYPE_CHECKING:
    from coord.etcd.address import Address


@pytest.fixture
def members(etcd: str) -> Address:
    """A board on an etcd of one member that all tests share."""
    return parsed(f"{etcd}/x")


@pytest.fixture
def address(members: Address) -> Address:
    """A board of one's own on it."""
    return members._replace(prefix=os.urandom(6).hex())
