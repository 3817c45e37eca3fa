"""What a validation error says to a model, and which change of the arguments may remove it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from jsonschema import ValidationError

MISSING: Final = object()

_UNIONS: Final = frozenset({"anyOf", "oneOf"})
_MAX_SHOWN_CHARS: Final = 120
_PYTHON_TYPES: Final[Mapping[str, tuple[type, ...]]] = MappingProxyType(
    {
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
        "array": (list,),
        "object": (dict,),
    }
)
_LIMITS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "minimum": "at least {}",
        "exclusiveMinimum": "more than {}",
        "maximum": "at most {}",
        "exclusiveMaximum": "less than {}",
        "multipleOf": "a multiple of {}",
        "minLength": "at least {} characters",
        "maxLength": "at most {} characters",
        "minItems": "at least {} items",
        "maxItems": "at most {} items",
    }
)


def place_of(error: ValidationError) -> tuple[str | int, ...]:
    """Return where the wrong value stands: keys and indexes from the arguments down."""
    return tuple(error.absolute_path)


def _rule(error: ValidationError) -> Any:
    """Return the value of the keyword that failed."""
    return error.validator_value


def is_absent(error: ValidationError) -> bool:
    """Tell whether the value is a null or an empty text where one of another kind is wanted.

    Small models fill every field they are shown and mean "nothing" by it.
    """
    nothing = error.instance is None or error.instance == "" or error.instance == "null"
    return nothing and bool(error.absolute_path) and error.validator in {"type", "enum", "const", *_UNIONS}


def lacks(errors: Iterable[ValidationError], place: Sequence[str | int]) -> bool:
    """Tell whether one of the errors says that the field at `place` is required and missing."""
    return any(
        error.validator == "required"
        and place_of(error) == tuple(place[:-1])
        and place[-1] in _missing_names(error)
        for error in errors
    )


def replacement(error: ValidationError) -> tuple[tuple[str | int, ...], object] | None:
    """Find a place and a value to put there, so that the error may go away; None when there is none."""
    value = error.instance
    if error.validator == "enum":
        found = _same_word(value, _rule(error))
        return None if found is MISSING else (place_of(error), found)
    for wanted in _wanted_types(error):
        converted = _convert(value, wanted)
        if converted is not MISSING:
            return place_of(error), converted
    return _inside_union(error)


def _inside_union(error: ValidationError) -> tuple[tuple[str | int, ...], object] | None:
    """Look into the alternatives: the first repair that one of them offers."""
    if error.validator not in _UNIONS:
        return None
    for inner in error.context or ():
        if inner.validator == "enum" or inner.path:
            found = replacement(inner)
            if found is not None:
                return found
    return None


def _wanted_types(error: ValidationError) -> list[str]:
    if error.validator == "type":
        wanted = _rule(error)
        return [wanted] if isinstance(wanted, str) else list(wanted)
    if error.validator in _UNIONS:
        branches = [branch for branch in _rule(error) if isinstance(branch, dict)]
        return [branch["type"] for branch in branches if isinstance(branch.get("type"), str)]
    return []


def _same_word(value: object, words: Iterable[object]) -> object:
    if not isinstance(value, str):
        return MISSING
    same = [word for word in words if isinstance(word, str) and _folded(word) == _folded(value)]
    return same[0] if len(same) == 1 else MISSING


def _folded(word: str) -> str:
    return re.sub(r"[\s_-]+", "_", word.strip().casefold())


def _convert(value: object, wanted: str) -> object:
    if isinstance(value, str) and wanted in _PYTHON_TYPES:
        return _from_text(value, wanted)
    if wanted == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if wanted == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(value)
    if wanted == "array" and not isinstance(value, list) and value is not None:
        return [value]
    return MISSING


def _from_text(text: str, wanted: str) -> object:
    value = _literal(text.strip().lower() if wanted == "boolean" else text)
    if wanted == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, _PYTHON_TYPES[wanted]) and (wanted == "boolean" or not isinstance(value, bool)):
        return value
    return [text] if wanted == "array" else MISSING


def _literal(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return MISSING


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def sentence(error: ValidationError) -> str:
    """Say one error for a model: the field, what is expected, what came instead."""
    where = ".".join(map(str, error.absolute_path)) or "arguments"
    rule = _rule(error)
    match error.validator:
        case "required":
            names = [".".join([*map(str, error.absolute_path), name]) for name in _missing_names(error)]
            return " ".join(f"{name}: required, but missing." for name in names)
        case "additionalProperties" | "unevaluatedProperties":
            return _unknown_names(error)
        case "enum":
            expected = "one of " + ", ".join(map(_shown, rule))
        case "const":
            expected = _shown(rule)
        case "type":
            expected = rule if isinstance(rule, str) else " or ".join(rule)
        case "anyOf" | "oneOf":
            expected = " or ".join(dict.fromkeys(map(_branch_name, rule)))
        case keyword if keyword in _LIMITS:
            expected = _LIMITS[str(keyword)].format(rule)
        case _:
            expected = f"{error.validator} {_shown(rule)}"
    return f"{where}: expected {expected}, got {_shown(error.instance)}."


def _missing_names(error: ValidationError) -> list[str]:
    instance: Any = error.instance
    return [name for name in _rule(error) if name not in instance]


def _unknown_names(error: ValidationError) -> str:
    instance: Any = error.instance
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, dict) else {}
    known = list(schema.get("properties", {}))
    unknown = [".".join([*map(str, error.absolute_path), name]) for name in instance if name not in known]
    allowed = f"the fields are {', '.join(known)}" if known else "there are no fields"
    return f"{', '.join(unknown)}: unknown, {allowed}."


def _branch_name(branch: object) -> str:
    if not isinstance(branch, dict):
        return "anything"
    if "const" in branch:
        return _shown(branch["const"])
    if isinstance(branch.get("enum"), list):
        return "one of " + ", ".join(map(_shown, branch["enum"]))
    kind = branch.get("type", "object")
    return kind if isinstance(kind, str) else " or ".join(kind)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_SHOWN_CHARS else text[: _MAX_SHOWN_CHARS - 1] + "…"
