"""The JSON Schema that a small model's answer is bound to: calls of the offered tools, or a reply."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from app.domain.chat import ToolSchema

MAX_CALLS: Final = 6
_MAX_ITEMS: Final = 20
_MAX_CHOICES: Final = 4
_MAX_DEPTH: Final = 8
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})
# The patterns that are bound: one class of characters. A coding model closes the braces without the quote before
# them ('"5184^(1/2)}}'), and is then inside a text that it does not end.
_ONE_CLASS: Final = re.compile(r"\^\[[^\[\]\\]+\]\+\$")
# A small model fills in whatever it is shown: it made up titles and descriptions, and then answered with them.
_NOT_SHOWN: Final = "only if "


def shown_parameters(parameters: Mapping[str, object]) -> Mapping[str, object]:
    """The parameters that a small model gets to see."""
    properties, required = parameters.get("properties"), parameters.get("required")
    needed = required if isinstance(required, list | tuple) else ()
    return {
        name: schema
        for name, schema in (properties.items() if isinstance(properties, Mapping) else ())
        if name in needed or not _is_only_if(schema)
    }


def _is_only_if(schema: object) -> bool:
    description = schema.get("description") if isinstance(schema, Mapping) else None
    return isinstance(description, str) and description.startswith(_NOT_SHOWN)


def answer_schema(
    tools: Sequence[ToolSchema], max_calls: int = MAX_CALLS, *, may_reply: bool = True
) -> dict[str, object]:
    """Return the JSON Schema of an answer: a call of these tools, a list of them, or, if it `may_reply`, a reply.

    A call is `{name: arguments}`. Where one is all that is expected, the answer is the call itself: each token
    of an answer takes as long as five to ten of the prompt.
    Holds only what the grammars of llama.cpp (`grammars/README.md`; also behind Ollama's `format`) are
    made from: types, properties, required, items, their number, enum, const, anyOf, and a pattern that is one
    class of characters (`^[...]+$`). References are inlined; formats, other patterns and bounds are left to the
    validation of the arguments. Lists are short, because a small model may repeat an item until the limit.
    """
    calls = [_closed({tool.name: _grammar(_small(tool.parameters), tool.parameters)}) for tool in tools]
    reply = [_closed({"reply": {"type": "string"}})] if may_reply else []
    if max_calls == 1:
        return {"anyOf": [*calls, *reply]}
    several = {"type": "array", "items": {"anyOf": calls}, "minItems": 1, "maxItems": max_calls}
    return {"anyOf": [_closed({"calls": several}), *reply]}


def _small(parameters: Mapping[str, object]) -> Mapping[str, object]:
    return {**parameters, "properties": shown_parameters(parameters)} if "properties" in parameters else parameters


def _closed(properties: Mapping[str, object], required: Sequence[str] | None = None) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }


def _grammar(schema: object, root: Mapping[str, object], depth: int = 0) -> dict[str, object]:
    """The part of a schema that a grammar can hold; `{}` (anything) for what it cannot."""
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return {}
    if isinstance(reference := schema.get("$ref"), str):
        return _grammar(_target(reference, root), root, depth + 1)
    if "const" in schema:
        return {"const": schema["const"]}
    if isinstance(choices := schema.get("enum"), list | tuple) and choices:
        return {"enum": list(choices)}
    branches = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(branches, list | tuple):
        return _any_of([_grammar(branch, root, depth + 1) for branch in branches])
    if isinstance(kinds := schema.get("type"), list | tuple):
        return _any_of([_grammar({**schema, "type": kind}, root, depth + 1) for kind in kinds])
    return _typed(schema, root, depth)


def _any_of(branches: Sequence[dict[str, object]]) -> dict[str, object]:
    """Null is left out: a small model says "absent" by leaving a parameter out."""
    useful = [branch for branch in branches if branch != {"type": "null"}]
    return useful[0] if len(useful) == 1 else {"anyOf": useful} if useful else {}


def _typed(schema: Mapping[str, object], root: Mapping[str, object], depth: int) -> dict[str, object]:
    kind, properties = schema.get("type"), schema.get("properties")
    if isinstance(properties, Mapping) and kind in ("object", None):
        if not properties and schema.get("additionalProperties"):
            return {"type": "object"}
        needed = schema.get("required")
        required = [name for name in needed if name in properties] if isinstance(needed, list | tuple) else []
        return _closed({name: _grammar(part, root, depth + 1) for name, part in properties.items()}, required)
    if kind == "array":
        items = _grammar(schema.get("items"), root, depth + 1)
        return {"type": "array", "items": items, "maxItems": _most_items(schema, items)}
    pattern = schema.get("pattern")
    if kind == "string" and isinstance(pattern, str) and _ONE_CLASS.fullmatch(pattern):
        return {"type": kind, "pattern": pattern}
    return {"type": kind} if kind in _SCALARS or kind == "object" else {}


def _most_items(schema: Mapping[str, object], items: Mapping[str, object]) -> int:
    choices, told = items.get("enum"), schema.get("maxItems")
    most = min(len(choices), _MAX_CHOICES) if isinstance(choices, list) else _MAX_ITEMS
    return min(most, told) if isinstance(told, int) and told > 0 else most


def _target(reference: str, root: Mapping[str, object]) -> object:
    """What a local reference (`#/$defs/Name`) points to, or None; remote ones are never fetched."""
    target: object = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        target = target.get(step) if isinstance(target, Mapping) else None
    return target if reference.startswith("#") else None
