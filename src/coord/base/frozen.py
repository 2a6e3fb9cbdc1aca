"""``typing.NamedTuple`` as far as hooks need it, without the 11 ms that importing ``typing`` costs.

Making a class costs a seventh of what it does there, where each annotation is compiled. mypy takes
it for the one of ``typing``.
"""

from __future__ import annotations

from _operator import itemgetter  # `operator` is the same in Python, and one more file to load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


class _Fields(type):
    """Makes the annotated names of a class the fields of a tuple."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Fields:
        fields = tuple(body.get("__annotations__", ()))
        defaults = {field: body[field] for field in fields if field in body}
        getters = {field: property(itemgetter(index)) for index, field in enumerate(fields)}
        made = {**body, **getters, "__slots__": (), "_fields": fields, "_defaults": defaults}
        return super().__new__(cls, name, bases, made)


class _Named(tuple[object, ...], metaclass=_Fields):  # noqa: SLOT001  # the metaclass does
    """A tuple whose items have names, defaults and methods."""

    if TYPE_CHECKING:
        _fields: tuple[str, ...]
        _defaults: dict[str, object]

    def __new__(cls, *items: object, **named: object) -> Self:
        """Make one of all items in order, or by name; what has a default may be left out.

        Raises:
            TypeError: one is missing, unknown or there twice.
        """
        if len(items) == len(cls._fields) and not named:
            return tuple.__new__(cls, items)
        left = cls._fields[len(items) :]
        known = {**cls._defaults, **named}
        if len(items) > len(cls._fields) or not set(named) <= set(left) <= set(known):
            raise TypeError(f"{cls.__name__}{cls._fields} got {items} and {named}")
        return tuple.__new__(cls, (*items, *[known[field] for field in left]))

    def __repr__(self) -> str:
        pairs = (f"{field}={item!r}" for field, item in self._asdict().items())
        return f"{type(self).__name__}({', '.join(pairs)})"

    def _asdict(self) -> dict[str, object]:
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, **named: object) -> Self:
        return type(self)(**{**self._asdict(), **named})


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414  # for others to import from here
else:
    NamedTuple = _Named
