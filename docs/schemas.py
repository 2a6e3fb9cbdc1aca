"""Write the JSON Schemas of the answers from their types: ``python docs/schemas.py``.

By ``typing`` alone: pydantic refuses ``typing.TypedDict`` before Python 3.12, and would put what
each of its versions words differently under a test.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import (
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from coord.documents import verbs

FOLDER = Path(__file__).parent.parent / "src" / "coord" / "documents" / "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
_ARRAYS, _OBJECTS = (list, Sequence), (dict, Mapping)
_UNIONS, _MARKS = (Union, types.UnionType), (Required, NotRequired)
_ATTRIBUTE = re.compile(r"^    (\w+): (.+(?:\n     .+)*)", re.MULTILINE)

Schema = dict[str, Any]


def whole(name: str, answer: object) -> Schema:
    """Return the schema of a whole answer, to which the schema's number belongs."""
    defs: dict[str, Schema] = {}
    return {
        "$schema": DRAFT,
        "title": name,
        "type": "object",
        "properties": {"schema": {"const": 1}},
        "required": ["schema"],
        **schema(answer, defs),
        "$defs": dict(sorted(defs.items())),
    }


def schema(found: Any, defs: dict[str, Schema]) -> Schema:  # noqa: ANN401  # any type at all
    """Return the schema of a type; documents that it is made of are added to `defs`.

    Raises:
        TypeError: JSON has nothing like it.
    """
    if found in _PLAIN:
        return {"type": _PLAIN[found]}
    if is_typeddict(found):
        _define(found, defs)
        return {"$ref": f"#/$defs/{found.__name__}"}
    if found in {object, Any}:
        return {}
    return _of_parts(get_origin(found), get_args(found), defs)


def _of_parts(origin: Any, parts: tuple[Any, ...], defs: dict[str, Schema]) -> Schema:  # noqa: ANN401
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in _UNIONS:
        return _any_of([schema(part, defs) for part in parts])
    if origin in _ARRAYS:
        return {"type": "array", "items": schema(parts[0], defs)}
    if origin in _OBJECTS and parts[0] is str:
        return {"type": "object", "additionalProperties": schema(parts[1], defs)}
    raise TypeError(origin, parts)


def _any_of(schemas: list[Schema]) -> Schema:
    if all(one.keys() == {"type"} for one in schemas):
        return {"type": [one["type"] for one in schemas]}
    return {"anyOf": schemas}


def _define(document: Any, defs: dict[str, Schema]) -> None:  # noqa: ANN401  # a TypedDict
    """Add a document to `defs`: what it is, its keys in order, and which of them always stand.

    Raises:
        TypeError: another document has its name.
    """
    name, home = document.__name__, f"{document.__module__}.{document.__name__}"
    if name in defs:
        if defs[name]["$comment"] != home:
            raise TypeError(home)
        return
    summary, told = _told(document)
    defs[name] = {"$comment": home, "description": summary}  # it may hold itself
    hints = get_type_hints(document, include_extras=True)
    defs[name] |= {
        "type": "object",
        "properties": {key: _key(hint, told.get(key), defs) for key, hint in hints.items()},
        "required": [key for key, hint in hints.items() if _is_required(document, key, hint)],
    }


def _key(hint: Any, told: str | None, defs: dict[str, Schema]) -> Schema:  # noqa: ANN401
    plain = get_args(hint)[0] if get_origin(hint) in _MARKS else hint
    return {**schema(plain, defs), **({} if told is None else {"description": told})}


def _is_required(document: Any, key: str, hint: object) -> bool:  # noqa: ANN401
    """Tell whether a key always stands; annotations are strings, whose marks Python passes over."""
    marked = get_origin(hint)
    return marked is Required or (marked is not NotRequired and key in document.__required_keys__)


def _told(document: type) -> tuple[str, dict[str, str]]:
    """Return what a document's docstring says of it, and of each key."""
    summary, _, attributes = inspect.cleandoc(document.__doc__ or "").partition("\n\nAttributes:\n")
    told = {key: " ".join(text.split()) for key, text in _ATTRIBUTE.findall(attributes)}
    return " ".join(summary.split()), told


def texts() -> dict[str, str]:
    """Return {file name: text} of every schema."""
    made = {name: whole(f"git coord {name} --json", answer) for name, answer in verbs.VERBS.items()}
    made["coord-install"] = whole("coord-install --json", verbs.INSTALL)
    made["failure"] = whole("A failure, whatever the verb", verbs.FAILURE)
    return {
        f"{name.replace(' ', '-')}.json": f"{json.dumps(found, indent=2, ensure_ascii=False)}\n"
        for name, found in made.items()
    }


if __name__ == "__main__":
    written = texts()
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        if old.name not in written:
            old.unlink()
    for file, text in written.items():
        (FOLDER / file).write_text(text, encoding="utf-8")
    sys.stdout.write(f"{FOLDER}: {len(written)} schemas\n")
