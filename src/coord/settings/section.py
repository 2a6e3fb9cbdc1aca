"""A section of ``.coord.toml`` that a module of its own reads, such as ``[id.NAMESPACE]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.settings import config
from coord.settings.sections import Sections, below

if TYPE_CHECKING:
    from coord.settings.sections import ConfigInvalid


class Section(Sections):
    """One section that :func:`load` leaves to a module of its own."""

    def __init__(self, top: str | None, name: str) -> None:
        data, path = config.source(top)
        config.parse(data, path)
        super().__init__(data.decode("utf-8-sig"), path)
        self._tables = config.tables(data, path)
        self._name = name

    def tables(self, keys: tuple[str, ...]) -> dict[str, dict[str, str | None]]:
        """Return the texts that the tables below it hold under `keys`, by name of the table.

        Raises:
            ConfigInvalid: there is something else.
        """
        found = {}
        for name, table in self._rules(self._name, self._tables):
            found[name] = {key: self._text(self._at(name), table, key) for key in keys}
        return found

    def invalid(self, name: str, key: str, why: str) -> ConfigInvalid:
        """Return the error for a key of one of its tables."""
        return self._invalid(f"{self._at(name)}.{key}", key, why)

    def _at(self, name: str) -> str:
        return below(self._name, name)
