"""Check a tool's arguments against its JSON Schema, and repair what nearly fits."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from jsonschema import SchemaError, ValidationError
from jsonschema.protocols import Validator
from pydantic import BaseModel, GetJsonSchemaHandler, RootModel, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from referencing.exceptions import Unresolvable

from app.domain.errors import ToolArgumentError
from app.skills.schema.compiled import compiled
from app.skills.schema.repair import repair
from app.skills.schema.sentences import sentence
from app.skills.schema.shown import project_schema

_MAX_SENTENCES: Final = 6

# What a schema that passed its own check can still make the validator raise: a reference to nowhere or
# in a circle, an address that is none, a pattern that Python's `re` does not know.
_UNCHECKABLE: Final = (Unresolvable, RecursionError, ValueError, TypeError, LookupError, re.error)
_BROKEN_SCHEMA: Final = (*_UNCHECKABLE, SchemaError, AttributeError)


class ToolArguments:
    """What one JSON Schema allows.

    Arguments are checked against the schema as it was given. No name is changed, no default filled in. A
    schema that cannot be used (see `compiled`) checks nothing; `problem` then says why, and is None otherwise.
    """

    def __init__(self, schema: Mapping[str, object], *, trusted: bool = False) -> None:
        self.schema: dict[str, object] = {"type": "object", "properties": {}}
        self.problem: str | None = None
        self._validator: Validator | None = None
        try:
            self.schema = _object_schema(schema)
            self._validator = compiled(self.schema, is_trusted=trusted)
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

    def coerce(self, args: object) -> dict[str, object]:
        """Return a copy with what small models get wrong put right (see `repair`); what is valid stays as it is.

        Arguments may be the text of a JSON object; None means none.

        Raises:
            ToolArgumentError: they are not an object.
        """
        fixed: dict[str, object] = _plain(_as_object(args))
        repair(fixed, self._find)
        return fixed

    def errors(self, args: Mapping[str, object]) -> list[str]:
        """Say what is wrong, one sentence for each field: which, what is expected, what came instead."""
        return list(dict.fromkeys(sentence(error) for error in _one_per_place(self._find(args))))

    def projection(self) -> dict[str, object]:
        """Return the small copy that is shown to a model; see `project_schema`."""
        return project_schema(self.schema)

    def _find(self, args: Any) -> list[ValidationError]:
        if self._validator is None:
            return []
        try:
            return sorted(
                self._validator.iter_errors(args), key=lambda error: [str(part) for part in error.absolute_path]
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


def _one_per_place(errors: Iterable[ValidationError]) -> list[ValidationError]:
    """Keep the first error of each place; of an object, each kind (missing and unknown fields) once."""
    first: dict[tuple[object, ...], ValidationError] = {}
    for error in errors:
        kind = error.validator if isinstance(error.instance, dict) else None
        first.setdefault((tuple(error.absolute_path), kind), error)
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
