"""What a validation error says to a model: the field, what is expected, what came instead."""

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from jsonschema import ValidationError

from app.domain.wording import cut

_MAX_SHOWN_CHARS: Final = 120
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


def sentence(error: ValidationError) -> str:
    """Say one error for a model."""
    rule: Any = error.validator_value
    match error.validator:
        case "required":
            return " ".join(f"{name}: required, but missing." for name in _full_names(error, missing_names(error)))
        case "additionalProperties" | "unevaluatedProperties":
            return _unknown_names(error)
        case "enum":
            expected = "one of " + ", ".join(map(shown_value, rule))
        case "const":
            expected = shown_value(rule)
        case "type":
            expected = rule if isinstance(rule, str) else " or ".join(rule)
        case "anyOf" | "oneOf":
            expected = " or ".join(dict.fromkeys(map(_branch_name, rule)))
        case keyword if keyword in _LIMITS:
            expected = _LIMITS[str(keyword)].format(rule)
        case _:
            expected = f"{error.validator} {shown_value(rule)}"
    where = ".".join(map(str, error.absolute_path)) or "arguments"
    return f"{where}: expected {expected}, got {shown_value(error.instance)}."


def missing_names(error: ValidationError) -> list[str]:
    """Return the required fields that the object of a "required" error does not have."""
    instance: Any = error.instance
    required: Any = error.validator_value
    return [name for name in required if name not in instance]


def shown_value(value: object) -> str:
    """Return the value as JSON, cut to a length that a sentence can hold."""
    return cut(json.dumps(value, ensure_ascii=False, default=str), _MAX_SHOWN_CHARS)


def _full_names(error: ValidationError, names: Iterable[str]) -> list[str]:
    return [".".join([*map(str, error.absolute_path), name]) for name in names]


def _unknown_names(error: ValidationError) -> str:
    instance: Any = error.instance
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, dict) else {}
    known = list(schema.get("properties", {}))
    unknown = _full_names(error, (name for name in instance if name not in known))
    allowed = f"the fields are {', '.join(known)}" if known else "there are no fields"
    return f"{', '.join(unknown)}: unknown, {allowed}."


def _branch_name(branch: object) -> str:
    if not isinstance(branch, dict):
        return "anything"
    if "const" in branch:
        return shown_value(branch["const"])
    if isinstance(branch.get("enum"), list):
        return "one of " + ", ".join(map(shown_value, branch["enum"]))
    kind = branch.get("type", "object")
    return kind if isinstance(kind, str) else " or ".join(kind)
