"""The three jobs of a tool's JSON Schema: check arguments, repair them, show the model a small copy."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker, SchemaError, TypeChecker, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from pydantic import BaseModel, GetJsonSchemaHandler, RootModel, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from referencing import Registry
from referencing.exceptions import Unresolvable

from app.domain.errors import ToolArgumentError
from app.domain.schema_projection import project_schema, resolve_local
from app.domain.schema_repair import is_absent, lacks, place_of, replacement, sentence

MAX_SCHEMA_CHARS: Final = 64_000
MAX_SCHEMA_DEPTH: Final = 24
MAX_EXPANDED_NODES: Final = 20_000

_MAX_PASSES: Final = 8
_MAX_SENTENCES: Final = 6

# What a schema that passed its own check can still make the validator raise: a reference to nowhere or
# in a circle, an address that is none, a pattern that Python's `re` does not know.
_UNCHECKABLE: Final = (Unresolvable, RecursionError, ValueError, TypeError, LookupError, re.error)
_BROKEN_SCHEMA: Final = (*_UNCHECKABLE, SchemaError, AttributeError)


class ToolArguments:
    """One tool's JSON Schema, and what can be done with arguments for it.

    Arguments are checked against the schema as it was given, by its own draft (`$schema`, otherwise
    2020-12). No name is changed, no default filled in. References outside the schema are never fetched.

    A schema from outside (`trusted=False`) has its regular expressions ignored, because Python's `re` can
    need minutes for a hostile one. A schema that is broken, larger than `MAX_SCHEMA_CHARS`, deeper than
    `MAX_SCHEMA_DEPTH` or larger than `MAX_EXPANDED_NODES` once its references are followed checks nothing;
    `problem` then says why, and is None otherwise.
    """

    def __init__(self, schema: Mapping[str, object], *, trusted: bool = False) -> None:
        self.schema: dict[str, object] = {"type": "object", "properties": {}}
        self.problem: str | None = None
        self._validator: Validator | None = None
        try:
            self.schema = _object_schema(schema)
            _check_size(self.schema)
            self._validator = _compile(self.schema, trusted=trusted)
        except _BROKEN_SCHEMA as exc:
            reason = str(exc).partition("\n")[0][:200]
            self.problem = f"{type(exc).__name__}: {reason}"

    def validate(self, args: object) -> dict[str, object]:
        """Return the arguments, repaired where needed, ready to be sent.

        Raises:
            ToolArgumentError: they do not fit; one sentence for each field.
        """
        repaired = self.coerce(args)
        if sentences := self.errors(repaired):
            raise argument_error(sentences)
        return repaired

    def errors(self, args: Mapping[str, object]) -> list[str]:
        """Say what is wrong, one sentence for each field: which, what is expected, what came instead."""
        return list(dict.fromkeys(sentence(error) for error in _one_per_place(self._find(args))))

    def coerce(self, args: object) -> dict[str, object]:
        """Return a copy with what small models get wrong put right; what is valid stays as it is.

        Text that is the JSON literal of the wanted type becomes that value, a number becomes text, a single
        value a list; a null or an empty text for an optional field is dropped; a word of a fixed list is
        found whatever its case, and with spaces or hyphens for underscores. Arguments may be the text of a
        JSON object; None means none.

        Raises:
            ToolArgumentError: the arguments are not an object.
        """
        fixed: dict[str, object] = _plain(_as_object(args))
        for _ in range(_MAX_PASSES):
            changes = [self._repair(fixed, error) for error in self._find(fixed)]
            if not any(changes):
                break
        return fixed

    def projection(self) -> dict[str, object]:
        """Return the small copy that is shown to a model; see `project_schema`."""
        return project_schema(self.schema)

    def _repair(self, args: dict[str, object], error: ValidationError) -> bool:
        """Change the arguments in place; True when something changed."""
        if is_absent(error) and self._drop(args, place_of(error)):
            return True
        found = replacement(error)
        if found is None:
            return False
        place, value = found
        parent = _parent_of(args, place)
        if parent is None:
            return False
        parent[place[-1]] = value
        return True

    def _drop(self, args: dict[str, object], place: Sequence[str | int]) -> bool:
        """Take a field out, unless it is required."""
        parent = _parent_of(args, place)
        if not isinstance(parent, dict):
            return False
        value = parent.pop(place[-1])
        if lacks(self._find(args), place):
            parent[place[-1]] = value
            return False
        return True

    def _find(self, args: Any) -> list[ValidationError]:
        if self._validator is None:
            return []
        try:
            return sorted(
                self._validator.iter_errors(args), key=lambda error: [str(part) for part in place_of(error)]
            )
        except _UNCHECKABLE:
            return []  # the one who runs the tool checks; a schema must not make it unusable


def argument_error(sentences: Sequence[str]) -> ToolArgumentError:
    """Build the error that carries the sentences to the model, the first few of them."""
    return ToolArgumentError("invalid_arguments", " ".join(sentences[:_MAX_SENTENCES]))


def arguments_model(name: str, arguments: ToolArguments) -> type[BaseModel]:
    """Wrap a JSON Schema in a Pydantic class that loses nothing.

    `model_validate(args)` repairs and checks like `ToolArguments.validate` (but raises Pydantic's
    ValidationError), `model_dump()` is exactly what to send, `model_json_schema()` the schema as given.
    """

    class Arguments(RootModel[dict[str, object]]):
        @model_validator(mode="before")
        @classmethod
        def _check(cls, value: object) -> dict[str, object]:
            try:
                return arguments.validate(value)
            except ToolArgumentError as exc:
                raise ValueError(exc.detail) from exc

        @classmethod
        def __get_pydantic_json_schema__(
            cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
        ) -> JsonSchemaValue:
            schema: JsonSchemaValue = _plain(arguments.schema)
            return schema

    Arguments.__name__ = Arguments.__qualname__ = f"{name}_arguments"
    return Arguments


def _as_object(args: object) -> Mapping[str, object]:
    value = args
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError):
            value = args
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise argument_error([f"arguments: expected a JSON object, got {type(value).__name__}."])
    return value


def _parent_of(args: dict[str, object], place: Sequence[str | int]) -> Any:
    """Return what holds the place; None for the top and for one that an earlier repair took away."""
    if not place:
        return None
    node: Any = args
    for part in place[:-1]:
        try:
            node = node[part]
        except (LookupError, TypeError):
            return None
    is_there = place[-1] in node if isinstance(node, dict) else isinstance(node, list)
    return node if is_there else None


def _one_per_place(errors: Iterable[ValidationError]) -> list[ValidationError]:
    """Keep the first error of each place; of an object, each kind (missing and unknown fields) once."""
    first: dict[tuple[object, ...], ValidationError] = {}
    for error in errors:
        kind = error.validator if isinstance(error.instance, dict) else None
        first.setdefault((place_of(error), kind), error)
    return list(first.values())


def _plain(value: Any) -> Any:
    """Copy to dicts and lists, because jsonschema knows no other mappings and sequences."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _object_schema(raw: object) -> dict[str, object]:
    schema: dict[str, object] = _plain(raw) if isinstance(raw, Mapping) else {}
    schema["type"] = "object"
    if not isinstance(schema.get("properties"), dict):
        schema["properties"] = {}
    required = schema.get("required")
    if not isinstance(required, list) or not required:
        # Draft 4 forbids an empty list, which many servers send all the same.
        schema.pop("required", None)
    return schema


def _check_size(schema: Mapping[str, object]) -> None:
    if len(json.dumps(schema)) > MAX_SCHEMA_CHARS:
        raise ValueError(f"the schema has more than {MAX_SCHEMA_CHARS} characters")
    if _depth(schema) > MAX_SCHEMA_DEPTH:
        raise ValueError(f"the schema is nested more than {MAX_SCHEMA_DEPTH} deep")
    if _expanded_nodes(schema, schema, {}) > MAX_EXPANDED_NODES:
        raise ValueError(f"the schema has more than {MAX_EXPANDED_NODES} parts once references are followed")


def _children(node: object) -> Iterable[object]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def _depth(node: object) -> int:
    return 1 + max(map(_depth, _children(node)), default=0)


def _expanded_nodes(node: object, root: Mapping[str, object], known: dict[str, int]) -> int:
    """Count the parts with local references followed; one that leads back into itself counts once."""
    total = 1 + sum(_expanded_nodes(child, root, known) for child in _children(node))
    ref = node.get("$ref") if isinstance(node, dict) else None
    if isinstance(ref, str):
        if ref not in known:
            known[ref] = 1
            known[ref] = _expanded_nodes(resolve_local(root, ref), root, known)
        total += known[ref]
    return total


def _compile(schema: Mapping[str, object], *, trusted: bool) -> Validator:
    # `check_schema` takes a `format_checker` and `extend` types, which their annotations do not tell.
    base: Any = validator_for(schema, default=Draft202012Validator)
    adapt: Any = extend
    if trusted:
        base.check_schema(schema)
        keywords: dict[str, Callable[..., Iterator[ValidationError]]] = {}
    else:
        base.check_schema(schema, format_checker=FormatChecker(formats=()))
        keywords = {
            "pattern": _ignore,
            "patternProperties": _ignore,
            "additionalProperties": _without_patterns(base.VALIDATORS.get("additionalProperties", _ignore)),
            "unevaluatedProperties": _ignore,
        }
    strict = adapt(base, keywords, type_checker=_strict_integers(base.TYPE_CHECKER))
    validator: Validator = strict(schema, registry=Registry())
    return validator


def _strict_integers(checker: TypeChecker) -> TypeChecker:
    # JSON Schema takes 5.0 for an integer; a Python handler does not, and as JSON 5 says the same.
    return checker.redefine("integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool))


def _ignore(*_: object) -> Iterator[ValidationError]:
    return iter(())


def _without_patterns(
    keyword: Callable[..., Iterator[ValidationError] | None],
) -> Callable[..., Iterator[ValidationError]]:
    """Skip a keyword where the schema has `patternProperties`, because it would run their expressions."""

    def check(
        validator: object, value: object, instance: object, schema: Mapping[str, object]
    ) -> Iterator[ValidationError]:
        if "patternProperties" not in schema:
            yield from keyword(validator, value, instance, schema) or ()

    return check
