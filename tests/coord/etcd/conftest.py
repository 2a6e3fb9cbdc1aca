"""What the tests of the client ask of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.fakeserver import Fake

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def fake() -> Iterator[Fake]:
    """A server without handlers yet."""
    made = Fake()
    yield made
    made.close()
