"""Every ``--json`` answer that a test gets is held against the schema that is shipped for it."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coord.documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jsonschema

FOLDER = Path(coord.documents.__file__).parent / "schemas"


def hold(words: Sequence[str], out: str) -> None:
    """Fail the test where the answer `out` to ``git coord`` with `words` is not as documented."""
    if "--json" not in words or not out or "--" in words[: words.index("--json")]:
        return
    answer = json.loads(out)
    name = "failure" if "error" in answer else _name(words)
    if name is not None:
        _validator(name).validate(answer)


def _name(words: Sequence[str]) -> str | None:
    """Return the schema for a command: of the verb and the one below it, or of the verb alone."""
    verb = [*(words[2:] if words[0] == "--as" else words), ""]
    return next((name for name in (f"{verb[0]}-{verb[1]}", verb[0]) if name in _names()), None)


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(path.stem for path in FOLDER.iterdir())


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    import jsonschema  # noqa: PLC0415  # 120 ms, for tests that read answers

    schema: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)
