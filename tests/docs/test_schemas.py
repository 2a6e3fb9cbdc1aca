"""The shipped JSON Schemas are what the types say, and no answer is without one."""

from __future__ import annotations

import copy
import json
import runpy
from pathlib import Path
from typing import Any, Literal, NotRequired, Required, TypedDict

import click
import jsonschema
import pytest

from coord.cli.main import main
from coord.documents import verbs
from harness import Repo, schemas

ROOT = Path(__file__).parent.parent.parent
WRITER = runpy.run_path(str(ROOT / "docs" / "schemas.py"))
TEXTS: dict[str, str] = WRITER["texts"]()


class Leaf(TypedDict):
    """A leaf.

    Attributes:
        kind: which of two, said
            in two lines.
    """

    kind: Literal["a", "b"]
    size: NotRequired[float]


class Tree(TypedDict, total=False):
    """A tree."""

    leaves: Required[list[Leaf]]
    counts: dict[str, int]
    above: Tree | None
    label: int | str | None


def answering(command: click.Command, name: str = "") -> set[str]:
    """Return the verbs at and below a command that have ``--json``, by their words."""
    context = click.Context(command)
    own = {name} if any("--json" in one.opts for one in command.params) else set()
    if isinstance(command, click.Group):
        below = (
            (verb, command.get_command(context, verb)) for verb in command.list_commands(context)
        )
        return own | {  # `store` alone answers too
            found
            for verb, child in below
            if child is not None
            for found in answering(child, f"{name} {verb}".strip())
        }
    return own


def test_the_schemas_are_what_the_types_say() -> None:
    """``python docs/schemas.py`` is run with every change of a document, and leaves none over."""
    there = {path.name: path.read_text(encoding="utf-8") for path in WRITER["FOLDER"].iterdir()}

    assert there == TEXTS


def test_every_verb_with_json_has_a_schema() -> None:
    """A new verb says what it answers, and none is left of a verb that is gone."""
    assert verbs.VERBS.keys() == answering(main)


@pytest.mark.parametrize("name", TEXTS)
def test_each_is_a_schema_of_the_draft_it_names(name: str) -> None:
    """Judged by the draft's own schema; `schema` belongs to each answer, and more keys may come."""
    found = json.loads(TEXTS[name])
    jsonschema.Draft202012Validator.check_schema(found)

    assert found["$schema"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    assert found["properties"]["schema"] == {"const": 1}
    assert "schema" in found["required"]
    assert '"additionalProperties": false' not in TEXTS[name]


def test_a_type_says_which_keys_stand_and_what_they_hold() -> None:
    """Marks, nested documents, one that holds itself, and what its docstring tells of a key."""
    found = WRITER["whole"]("a tree", Tree)
    leaf, tree = found["$defs"]["Leaf"], found["$defs"]["Tree"]

    assert found["$ref"] == "#/$defs/Tree"
    assert leaf == {
        "$comment": f"{__name__}.Leaf",
        "description": "A leaf.",
        "type": "object",
        "properties": {
            "kind": {"enum": ["a", "b"], "description": "which of two, said in two lines."},
            "size": {"type": "number"},
        },
        "required": ["kind"],
    }
    assert tree["required"] == ["leaves"]
    assert tree["properties"] == {
        "leaves": {"type": "array", "items": {"$ref": "#/$defs/Leaf"}},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "above": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]},
        "label": {"type": ["integer", "string", "null"]},
    }


def test_two_documents_of_one_name_are_refused() -> None:
    """One would stand for both in the schema."""
    other = TypedDict("Leaf", {"kind": str})  # type: ignore[misc]  # noqa: UP013
    other.__module__ = "elsewhere"

    with pytest.raises(TypeError, match="Leaf"):
        WRITER["whole"]("both", Tree | other)


@pytest.mark.parametrize("kind", [bytes, set[str], tuple[int, str]])
def test_what_json_cannot_tell_is_no_part_of_a_document(kind: object) -> None:
    """It would be printed as something else, or not at all."""
    with pytest.raises(TypeError):
        WRITER["whole"]("a thing", kind)


@pytest.fixture
def claimed(installed: Repo) -> dict[str, Any]:
    """The answer of a claim."""
    found: dict[str, Any] = json.loads(installed.coord("claim", "run", "--json").out)
    return found


def held(answer: object, *words: str) -> None:
    """Hold an answer against the schema, as every test's is."""
    schemas.hold(words or ("claim", "run", "--json"), json.dumps(answer))


def test_an_answer_may_have_more_keys_than_its_schema(claimed: dict[str, Any]) -> None:
    """A reader passes over what it does not know: a later version may say more."""
    more = copy.deepcopy(claimed)
    more["news"] = more["claims"][0]["news"] = "x"

    held(claimed)
    held(more)


@pytest.mark.parametrize(
    ("key", "value"), [("generation", "1"), ("state", "free"), ("branch", 7), ("place", None)]
)
def test_an_answer_of_other_types_fails_the_test_that_gets_it(
    claimed: dict[str, Any], key: str, value: object
) -> None:
    """A key whose type has changed, or that holds a word unheard of."""
    claimed["claims"][0][key] = value

    with pytest.raises(jsonschema.ValidationError):
        held(claimed)


def test_an_answer_without_a_key_fails_the_test_that_gets_it(claimed: dict[str, Any]) -> None:
    """At the top, and below it; and so does a failure that does not say what to run."""
    within = copy.deepcopy(claimed)
    del within["claims"][0]["waits_on"]

    for broken in (within, {"schema": 1}, {"claims": claimed["claims"]}, claimed | {"schema": 2}):
        with pytest.raises(jsonschema.ValidationError):
            held(broken)
    with pytest.raises(jsonschema.ValidationError):
        held({"schema": 1, "error": {"rule": "usage"}}, "--as", "ada", "claim", "--json")


def test_what_a_command_under_run_prints_is_no_answer_of_ours() -> None:
    """Its ``--json`` stands behind ``--``."""
    schemas.hold(("run", "x", "--", "tool", "--json"), "[1]")
