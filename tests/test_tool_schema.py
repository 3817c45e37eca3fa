"""A tool's JSON Schema: checking, repairing and shrinking, for our schemas and for everybody's."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from app.domain.errors import ToolArgumentError
from app.skills.schema.arguments import ToolArguments, arguments_model
from app.skills.schema.compiled import MAX_EXPANDED_NODES

HANG_S = 20
"""Seconds of computing that only runaway backtracking or a quadratic scan can take, on any machine."""

Schema = dict[str, Any]


def obj(properties: Schema, *required: str, **more: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required), **more}


def fits(schema: Any, arguments: Any) -> None:
    """The arguments are valid, and nothing about them changes."""
    assert ToolArguments(schema).validate(arguments) == arguments


# --- valid arguments stay as they are


@pytest.mark.parametrize(
    "name",
    [
        "schema",
        "copy",
        "json",
        "model_dump",
        "from",
        "class",
        "_id",
        "__x",
        "user-id",
        "a.b",
        "$filter",
        "",
        "root",
    ],
)
def test_any_name_of_a_field_is_kept(name: str) -> None:
    schema = obj({name: {"type": "string"}}, name)
    fits(schema, {name: "x"})
    model = arguments_model("tool", ToolArguments(schema))
    assert model.model_validate({name: "x"}).model_dump() == {name: "x"}


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (obj({"a": {"type": "string"}, "b": {"type": "integer", "default": 7}}, "a"), {"a": "x"}),
        (obj({"n": {"type": ["integer", "null"]}}), {"n": None}),
        (obj({"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}), {"n": None}),
        (obj({"e": {"const": 5}}, "e"), {"e": 5}),
        (obj({"e": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}), {"e": 5}),
        (obj({"e": {"type": ["integer", "string"]}}), {"e": "5"}),
        (obj({"s": {"type": "string"}}), {"s": ""}),
        (
            obj({"e": {"$ref": "#/$defs/X"}}, **{"$defs": {"X": obj({"k": {"type": "integer"}}, "k")}}),
            {"e": {"k": 1}},
        ),
        (obj({"e": True, "f": {}}, "e"), {"e": {"a": 1}, "f": [1]}),
        ({"type": "object", "additionalProperties": True}, {"z": {"deep": [1]}}),
        ({"properties": {"q": {"type": "string"}}, "required": ["q"]}, {"q": "x", "more": 1}),
    ],
)
def test_valid_arguments_are_sent_as_given(schema: Schema, arguments: Schema) -> None:
    fits(schema, arguments)


@pytest.mark.parametrize(
    "schema", [None, {}, [], "x", {"type": "object"}, {"properties": None}, {"type": "object", "properties": []}]
)
def test_a_missing_schema_takes_no_or_any_arguments(schema: Any) -> None:
    fits(schema, {})
    assert ToolArguments(schema).projection() == {"type": "object", "properties": {}, "required": []}


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "5", "a", "[1]"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)
LEAVES: st.SearchStrategy[Schema] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer", "minimum": 0},
        {"type": "number"},
        {"type": "boolean"},
        {"enum": ["a", "b", None]},
        {"type": ["integer", "null"]},
        {"$ref": "#/$defs/leaf"},
        {},
    ]
)
NODES: st.SearchStrategy[Schema] = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(lambda item: {"type": "array", "items": item}, inner)
        | st.builds(lambda first, second: {"anyOf": [first, second]}, inner, inner)
        | st.builds(
            lambda fields: obj(fields, *list(fields)[:1]),
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
        )
    ),
    max_leaves=6,
)
SCHEMAS = st.builds(
    lambda fields, needed: obj(fields, *list(fields)[:needed], **{"$defs": {"leaf": {"type": "integer"}}}),
    st.dictionaries(st.sampled_from(["a", "b", "c", "copy", "from"]), NODES, max_size=4),
    st.integers(0, 2),
)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "c", "copy", "from"]), JSON_VALUES, max_size=4)


@given(SCHEMAS, ARGUMENTS)
def test_coercion_never_changes_what_is_valid(schema: Schema, arguments: Schema) -> None:
    tool = ToolArguments(schema)
    before = json.dumps(arguments)
    coerced = tool.coerce(arguments)
    assert json.dumps(arguments) == before
    if not tool.errors(arguments):
        assert coerced == arguments
    assert tool.coerce(coerced) == coerced or tool.errors(coerced)


@given(SCHEMAS)
def test_projection_keeps_every_name_and_nothing_that_ollama_refuses(schema: Schema) -> None:
    shown = ToolArguments(schema).projection()
    assert isinstance(shown["properties"], dict)
    assert set(shown["properties"]) == set(schema["properties"])
    assert shown["required"] == schema["required"]
    is_legal(shown)
    for name, field in schema["properties"].items():
        if "properties" in field:
            assert set(shown["properties"][name].get("properties", {})) == set(field["properties"])


def is_legal(node: Any) -> None:
    assert isinstance(node, dict)
    assert set(node) <= {"anyOf", "type", "items", "description", "enum", "properties", "required"}
    inner = [*node.get("anyOf", []), *node.get("properties", {}).values()]
    for child in [*inner, *([node["items"]] if "items" in node else [])]:
        is_legal(child)


# --- what small models get wrong is put right


@pytest.mark.parametrize(
    ("field", "given", "repaired"),
    [
        ({"type": "integer"}, "5", 5),
        ({"type": "integer"}, 5.0, 5),
        ({"type": "integer"}, "5.0", 5),
        ({"type": "number"}, "5.5", 5.5),
        ({"type": "boolean"}, "True", True),
        ({"type": "string"}, 5, "5"),
        ({"type": "array", "items": {"type": "integer"}}, '["1", 2]', [1, 2]),
        ({"type": "array", "items": {"type": "string"}}, "one", ["one"]),
        ({"type": "array", "items": {"type": "integer"}}, 3, [3]),
        (obj({"x": {"type": "integer"}}, "x"), '{"x": "3"}', {"x": 3}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({"anyOf": [obj({"x": {"type": "integer"}}, "x"), {"type": "null"}]}, {"x": "3"}, {"x": 3}),
        ({"enum": ["in_progress", "done"]}, "In progress", "in_progress"),
        ({"anyOf": [{"enum": ["low", "high"]}, {"type": "null"}]}, "HIGH", "high"),
    ],
)
def test_a_near_miss_becomes_what_was_meant(field: Schema, given: Any, repaired: Any) -> None:
    result = ToolArguments(obj({"f": field}, "f")).validate({"f": given})["f"]
    assert result == repaired
    assert type(result) is type(repaired)


@pytest.mark.parametrize("nothing", [None, "", "null"])
def test_nothing_for_an_optional_field_is_left_out(nothing: str | None) -> None:
    tool = ToolArguments(obj({"n": {"type": "integer"}, "inner": obj({"e": {"enum": ["a"]}})}))
    assert tool.validate({"n": nothing, "inner": {"e": nothing}}) == {"inner": {}}


def test_nothing_for_a_required_field_is_an_error() -> None:
    tool = ToolArguments(obj({"n": {"type": "integer"}}, "n"))
    assert tool.errors(tool.coerce({"n": None})) == ["n: expected integer, got null."]


def test_many_near_misses_are_repaired_together() -> None:
    tool = ToolArguments(obj({"n": {"type": "array", "items": {"type": "integer"}}}))
    assert tool.validate({"n": [str(number) for number in range(50)]}) == {"n": list(range(50))}


def test_arguments_may_be_the_text_of_an_object() -> None:
    tool = ToolArguments(obj({"n": {"type": "integer"}}))
    assert tool.validate('{"n": "5"}') == {"n": 5}
    assert tool.validate("") == tool.validate(None) == {}


@pytest.mark.parametrize("arguments", ["{half", [1], "[1]", 7, "[" * 100_000])
def test_arguments_that_are_no_object_are_refused(arguments: Any) -> None:
    with pytest.raises(ToolArgumentError, match="expected a JSON object"):
        ToolArguments({}).validate(arguments)


# --- an error says which field, what is expected, what came


@pytest.mark.parametrize(
    ("schema", "arguments", "sentences"),
    [
        (obj({"a": {}, "b": {}}, "a", "b"), {}, ["a: required, but missing. b: required, but missing."]),
        (obj({"o": obj({"x": {}}, "x")}), {"o": {}}, ["o.x: required, but missing."]),
        (obj({"b": {"type": "boolean"}}), {"b": "yes"}, ['b: expected boolean, got "yes".']),
        (obj({"n": {"type": "integer"}}), {"n": "NaN"}, ['n: expected integer, got "NaN".']),
        (
            obj({"n": {"type": "array", "items": {"type": "integer"}}}),
            {"n": ["x"]},
            ['n.0: expected integer, got "x".'],
        ),
        (obj({"n": {"type": "integer", "minimum": 1}}), {"n": -5}, ["n: expected at least 1, got -5."]),
        (
            obj({"s": {"type": "string", "maxLength": 2}}),
            {"s": "abc"},
            ['s: expected at most 2 characters, got "abc".'],
        ),
        (obj({"e": {"enum": ["a", "b"]}}), {"e": "z"}, ['e: expected one of "a", "b", got "z".']),
        (obj({"e": {"const": 5}}), {"e": 6}, ["e: expected 5, got 6."]),
        (
            obj({"e": {"anyOf": [{"type": "integer"}, {"enum": ["all"]}]}}),
            {"e": "many"},
            ['e: expected integer or one of "all", got "many".'],
        ),
        (obj({"a": {}}, additionalProperties=False), {"z": 1}, ["z: unknown, the fields are a."]),
        (
            obj({"t": {"type": "array", "uniqueItems": True}}),
            {"t": [1, 1]},
            ["t: expected uniqueItems true, got [1, 1]."],
        ),
    ],
)
def test_an_error_is_a_sentence_for_each_field(schema: Schema, arguments: Schema, sentences: list[str]) -> None:
    tool = ToolArguments(schema)
    assert tool.errors(tool.coerce(arguments)) == sentences


def test_a_long_value_is_cut_in_the_error() -> None:
    with pytest.raises(ToolArgumentError) as caught:
        ToolArguments(obj({"n": {"type": "integer"}})).validate({"n": "x" * 5_000})
    assert len(caught.value.detail) < 200


# --- schemas from outside


def test_a_hostile_pattern_does_not_hang_the_validation() -> None:
    evil = {"^(a+)+$": {"type": "integer"}}
    schema = obj(
        {"p": {"type": "string", "pattern": "^(a+)+$"}}, patternProperties=evil, additionalProperties=False
    )
    started = time.process_time()
    fits(schema, {"p": "a" * 40 + "!", "a" * 40 + "!": 1})
    assert time.process_time() - started < HANG_S


def test_a_pattern_that_python_cannot_read_does_not_switch_checking_off() -> None:
    tool = ToolArguments(obj({"p": {"type": "string", "pattern": r"\p{L}+"}, "n": {"type": "integer"}}))
    assert tool.problem is None
    assert tool.errors({"p": "x", "n": "y"})


def test_a_pattern_of_our_own_is_checked() -> None:
    tool = ToolArguments(obj({"p": {"type": "string", "pattern": "^[a-z]+$"}}), trusted=True)
    assert tool.errors({"p": "A"}) == ['p: expected pattern "^[a-z]+$", got "A".']


def test_a_reference_outside_the_schema_is_never_fetched() -> None:
    schema = obj({"p": {"$ref": "http://localhost:1/latest"}})
    fits(schema, {"p": 1})
    assert ToolArguments(schema).projection()["properties"] == {"p": {"type": "object"}}


def test_a_reference_that_leads_back_to_itself_ends() -> None:
    tree = obj({"kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}})
    schema = obj({"n": {"$ref": "#/$defs/N"}, "self": {"$ref": "#/properties/self"}}, **{"$defs": {"N": tree}})
    fits(schema, {"n": {"kids": [{"kids": []}]}})
    fits(schema, {"self": 1})
    assert len(json.dumps(ToolArguments(schema).projection())) < 500


def deep_schema() -> Schema:
    node: Schema = {"type": "string"}
    for _ in range(60):
        node = {"type": "array", "items": node}
    return obj({"d": node})


def exploding_schema() -> Schema:
    levels = {f"l{n}": {"anyOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(40)}
    return obj({"d": {"$ref": "#/$defs/l0"}}, **{"$defs": {**levels, "l40": {"type": "integer"}}})


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (obj({"p": {"type": "strnig"}}), "strnig"),
        (obj({"p": {"description": "x" * 70_000}}), "64000 characters"),
        (deep_schema(), "deep"),
        (exploding_schema(), str(MAX_EXPANDED_NODES)),
    ],
)
def test_a_schema_that_cannot_be_used_checks_nothing_and_says_why(schema: Schema, reason: str) -> None:
    tool = ToolArguments(schema)
    assert tool.problem is not None
    assert reason in tool.problem
    assert tool.validate({"p": "x", "d": 1}) == {"p": "x", "d": 1}
    assert set(schema["properties"]) == set(tool.projection()["properties"])  # type: ignore[call-overload] # a dict


def test_an_older_draft_is_read_by_its_own_rules() -> None:
    schema = obj({"n": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}})
    schema["$schema"] = "http://json-schema.org/draft-04/schema#"
    assert ToolArguments(schema).errors({"n": 1})
    assert not ToolArguments(schema).errors({"n": 2})


# --- what the model is shown


def test_the_projection_is_small_and_says_the_limits_in_words() -> None:
    schema = obj(
        {
            "when": {
                "type": "string",
                "format": "date-time",
                "description": "When",
                "title": "When",
                "examples": ["x"],
            },
            "limit": {"type": "integer", "default": 10, "minimum": 1},
            "who": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "Who"},
            "kind": {"oneOf": [{"const": "a"}, {"const": "b"}]},
            "item": {"$ref": "#/$defs/Item", "description": "Which"},
            "any": True,
            "never": False,
            "tags": {"type": ["array", "null"], "items": {"type": ["string", "null"]}},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "both": {"allOf": [obj({"x": {"type": "integer"}}, "x"), obj({"y": {"type": "string"}})]},
        },
        "item",
        **{"$defs": {"Item": obj({"id": {"type": "integer"}}, "id", description="An item")}},
    )
    shown: Any = ToolArguments(schema).projection()
    assert next(iter(shown["properties"])) == "item"
    assert shown == {
        "type": "object",
        "required": ["item"],
        "properties": {
            "when": {"type": "string", "description": 'When (format: "date-time")'},
            "limit": {"type": "integer", "description": "(default: 10; minimum: 1)"},
            "who": {"type": "string"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "item": {
                "type": "object",
                "properties": {"id": {"type": "integer"}},
                "required": ["id"],
                "description": "Which",
            },
            "any": {},
            "tags": {"type": "array", "items": {"type": "string"}},
            "pair": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
            "both": {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "y": {"type": "string"}},
                "required": ["x"],
            },
        },
    }


def test_names_that_stand_in_alternatives_of_the_whole_are_shown() -> None:
    schema = {"anyOf": [obj({"id": {"type": "integer"}}, "id"), obj({"name": {"type": "string"}}, "name")]}
    shown = ToolArguments(schema).projection()
    assert shown["properties"] == {"id": {"type": "integer"}, "name": {"type": "string"}}
    assert shown["required"] == []


# --- the Pydantic class of a JSON Schema


def test_the_class_of_a_schema_loses_nothing() -> None:
    schema = obj({"schema": {"type": "string"}, "_id": {"type": "integer"}}, "schema")
    model = arguments_model("search", ToolArguments(schema))
    assert issubclass(model, BaseModel)
    assert model.model_validate({"schema": "x", "_id": "3"}).model_dump() == {"schema": "x", "_id": 3}
    assert model.model_json_schema() == schema
    with pytest.raises(ValidationError, match="schema: required"):
        model.model_validate({"_id": 1})
