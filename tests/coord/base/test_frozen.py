"""Named tuples without ``typing``: the same behaviour as with it."""

from __future__ import annotations

import sys
from subprocess import run

import pytest

from coord.base.frozen import NamedTuple


class Point(NamedTuple):  # type: ignore[misc]  # mypy is shown typing's own
    """Two numbers and a label."""

    x: int
    y: int = 0
    label: str = ""

    @property
    def sum(self) -> int:
        """Both together."""
        return self.x + self.y


def test_items_have_names_defaults_and_methods() -> None:
    """As with typing's own: by position, by name, defaults at the end."""
    point = Point(1, label="a")

    assert (point, point.x, point.y, point.label, point.sum) == ((1, 0, "a"), 1, 0, "a", 1)
    assert repr(point) == "Point(x=1, y=0, label='a')"
    assert point._replace(y=2) == Point(1, 2, "a")
    assert point._asdict() == {"x": 1, "y": 0, "label": "a"}


@pytest.mark.parametrize(
    ("items", "named"), [((), {}), ((1, 2, "a", 4), {}), ((1,), {"x": 1}), ((1,), {"z": 1})]
)
def test_a_wrong_call_is_refused(items: tuple[int, ...], named: dict[str, int]) -> None:
    """A missing, unknown or doubled item must not make a tuple of another shape."""
    with pytest.raises(TypeError):
        Point(*items, **named)


def test_nothing_can_be_set() -> None:
    """Neither an item nor anything else: what was decided on stays."""
    point = Point(1)

    with pytest.raises(AttributeError):
        point.x = 2
    with pytest.raises(AttributeError):
        point.other = 2


@pytest.mark.parametrize("name", ["pre_push", "gate", "signoff", "post_checkout", "post_rewrite"])
def test_no_hook_pays_for_a_heavy_import(name: str) -> None:
    """These cost 4 to 17 ms each, at every commit that has something to judge."""
    heavy = {"typing", "dataclasses", "subprocess", "re", "enum", "inspect"}
    script = f"import sys, coord.hooks.{name}; print(*sys.modules)"
    env = {"PYTHONPATH": ":".join(sys.path)}
    done = run([sys.executable, "-S", "-c", script], capture_output=True, check=True, env=env)

    assert not heavy & set(done.stdout.decode().split())
