"""Elements of a page. Text is escaped by the serialiser, and shown as a terminal shows it."""

from __future__ import annotations

from typing import TypeAlias
from xml.etree.ElementTree import Element, tostring

from coord.base.names import shown

Child: TypeAlias = "Element | str"


def element(tag: str, *children: Child, **attributes: str) -> Element:
    """Return an element; an attribute is written ``class_`` or ``aria_label``."""
    made = Element(tag, {_name(key): shown(value) for key, value in attributes.items()})
    for child in children:
        if isinstance(child, str):
            _say(made, shown(child))
        else:
            made.append(child)
    return made


def html(root: Element) -> str:
    """Return a whole page as text."""
    return "<!doctype html>\n" + tostring(root, encoding="unicode", method="html") + "\n"


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _say(made: Element, text: str) -> None:
    """Add text behind what is there: ElementTree keeps it at the child before it."""
    if len(made):
        made[-1].tail = (made[-1].tail or "") + text
    else:
        made.text = (made.text or "") + text
