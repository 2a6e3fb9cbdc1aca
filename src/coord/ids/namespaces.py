"""``[id.NAMESPACE] format`` of ``.coord.toml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Usage
from coord.base.names import quote
from coord.ids import format as formats
from coord.settings import section

if TYPE_CHECKING:
    from coord.ids.format import Format


def format_of(top: str | None, namespace: str) -> Format:
    """Return how the identifiers of `namespace` are spelled; by default ``NS-0001``.

    Raises:
        ConfigInvalid: a format cannot be used.
    """
    found = {name.casefold(): spec for name, spec in formats_of(top).items()}
    return found.get(namespace.casefold()) or formats.default(namespace)


def formats_of(top: str | None) -> dict[str, Format]:
    """Return namespace → format of all that are declared.

    Raises:
        ConfigInvalid: one of them cannot be used.
    """
    declared = section.Section(top, "id")
    found = {}
    for name, table in declared.tables(("format",)).items():
        spec = table["format"]
        try:
            formats.require_namespace(name)
            if spec is not None:
                found[name] = formats.parsed(spec)
        except formats.Invalid as error:
            raise declared.invalid(name, "format", str(error)) from error
    return found


def require_namespace(name: str) -> None:
    """Insist that a namespace that was typed can be one.

    Raises:
        Usage: it cannot.
    """
    try:
        formats.require_namespace(name)
    except formats.Invalid as error:
        raise Usage(
            "namespace-invalid",
            "not a namespace of identifiers",
            where=name or "(empty)",
            why=str(error),
            run=f"git coord id next {quote(_near(name))}",
        ) from error


def _near(name: str) -> str:
    kept = "".join(char if char.isascii() and char.isalnum() else "-" for char in name)
    return kept.strip("-")[:64].strip("-") or "ID"
