"""Put right what small models get wrong in arguments, where a validation error tells how."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from jsonschema import ValidationError

from app.skills.schema.sentences import missing_names

Find = Callable[[object], list[ValidationError]]
"""Return what is wrong with arguments."""
Place = tuple[str | int, ...]
"""Where a value stands: keys and indexes from the arguments down."""

_MISSING: Final = object()
_MAX_PASSES: Final = 8
_UNIONS: Final = frozenset({"anyOf", "oneOf"})
_PYTHON_TYPES: Final[Mapping[str, tuple[type, ...]]] = MappingProxyType(
    {
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
        "array": (list,),
        "object": (dict,),
    }
)


def repair(arguments: dict[str, object], find: Find) -> None:
    """Change the arguments in place until nothing that `find` finds can be repaired.

    Text that is the JSON literal of the wanted type becomes that value, a number becomes text, a single
    value a list; a null or an empty text for an optional field is dropped; a word of a fixed list is
    found whatever its case, and with spaces or hyphens for underscores.
    """
    for _ in range(_MAX_PASSES):
        changes = [_repair_one(arguments, error, find) for error in find(arguments)]
        if not any(changes):
            break


def _repair_one(arguments: dict[str, object], error: ValidationError, find: Find) -> bool:
    if _is_absent(error) and _drop(arguments, tuple(error.absolute_path), find):
        return True
    found = _replacement(error)
    if found is None:
        return False
    place, value = found
    parent = _parent_of(arguments, place)
    if parent is None:
        return False
    parent[place[-1]] = value
    return True


def _is_absent(error: ValidationError) -> bool:
    """Tell whether the value is a null or an empty text where one of another kind is wanted.

    Small models fill every field they are shown and mean "nothing" by it.
    """
    nothing = error.instance is None or error.instance == "" or error.instance == "null"
    return nothing and bool(error.absolute_path) and error.validator in {"type", "enum", "const", *_UNIONS}


def _drop(arguments: dict[str, object], place: Place, find: Find) -> bool:
    """Take a field out, unless it is required."""
    parent = _parent_of(arguments, place)
    if not isinstance(parent, dict):
        return False
    value = parent.pop(place[-1])
    is_required = any(
        error.validator == "required"
        and tuple(error.absolute_path) == place[:-1]
        and place[-1] in missing_names(error)
        for error in find(arguments)
    )
    if is_required:
        parent[place[-1]] = value
    return not is_required


def _parent_of(arguments: dict[str, object], place: Sequence[str | int]) -> Any:
    """Return what holds the place; None for the top and for one that an earlier repair took away."""
    if not place:
        return None
    node: Any = arguments
    for part in place[:-1]:
        try:
            node = node[part]
        except (LookupError, TypeError):
            return None
    is_there = place[-1] in node if isinstance(node, dict) else isinstance(node, list)
    return node if is_there else None


def _replacement(error: ValidationError) -> tuple[Place, object] | None:
    """Find a place and a value to put there, so that the error may go away; None when there is none."""
    place, value = tuple(error.absolute_path), error.instance
    if error.validator == "enum":
        found = _same_word(value, error.validator_value)
        return None if found is _MISSING else (place, found)
    for wanted in _wanted_types(error):
        converted = _convert(value, wanted)
        if converted is not _MISSING:
            return place, converted
    return _inside_union(error)


def _inside_union(error: ValidationError) -> tuple[Place, object] | None:
    """Look into the alternatives: the first repair that one of them offers."""
    if error.validator not in _UNIONS:
        return None
    for inner in error.context or ():
        if inner.validator == "enum" or inner.path:
            found = _replacement(inner)
            if found is not None:
                return found
    return None


def _wanted_types(error: ValidationError) -> list[str]:
    rule: Any = error.validator_value
    if error.validator == "type":
        return [rule] if isinstance(rule, str) else list(rule)
    if error.validator in _UNIONS:
        kinds = [branch.get("type") for branch in rule if isinstance(branch, dict)]
        return [kind for kind in kinds if isinstance(kind, str)]
    return []


def _same_word(value: object, words: Any) -> object:
    if not isinstance(value, str):
        return _MISSING
    same = [word for word in words if isinstance(word, str) and _folded(word) == _folded(value)]
    return same[0] if len(same) == 1 else _MISSING


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
    return _MISSING


def _from_text(text: str, wanted: str) -> object:
    value = _literal(text.strip().lower() if wanted == "boolean" else text)
    if wanted == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, _PYTHON_TYPES[wanted]) and (wanted == "boolean" or not isinstance(value, bool)):
        return value
    return [text] if wanted == "array" else _MISSING


def _literal(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return _MISSING


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
