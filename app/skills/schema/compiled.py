"""Compile a JSON Schema; what comes from outside may cost only so much and run no expression of its own."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker, TypeChecker, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry

from app.skills.schema.shown import resolve_local

MAX_SCHEMA_CHARS: Final = 64_000
MAX_SCHEMA_DEPTH: Final = 24
MAX_EXPANDED_NODES: Final = 20_000

Keyword = Callable[..., Iterator[ValidationError]]


def compiled(schema: Mapping[str, object], *, is_trusted: bool) -> Validator:
    """Return what checks arguments, by the schema's own draft (`$schema`, otherwise 2020-12).

    Where it is not trusted, regular expressions are ignored, because Python's `re` can need minutes for a
    hostile one. References outside the schema are never fetched.

    Raises:
        ValueError: the schema is larger or deeper than the limits, or larger once its references are followed.
        SchemaError, AttributeError, TypeError, LookupError, RecursionError: it is broken.
    """
    text = json.dumps(schema)
    _check_size(schema, text)
    base: Any = validator_for(schema, default=Draft202012Validator)
    _check(base, text, is_trusted)
    validator: Validator = _adapted(base, is_trusted)(schema, registry=Registry())
    return validator


@lru_cache(maxsize=128)
def _check(base: Any, text: str, is_trusted: bool) -> None:
    """Check a schema against its draft, which takes milliseconds: once for a server that connects again.

    Raises:
        SchemaError: it is broken.
    """
    # `check_schema` takes a `format_checker`, which its annotation does not tell.
    if is_trusted:
        base.check_schema(json.loads(text))
    else:
        base.check_schema(json.loads(text), format_checker=FormatChecker(formats=()))


@cache
def _adapted(base: Any, is_trusted: bool) -> Any:
    """Return the class that checks as a draft of JSON Schema does, but for what `compiled` says."""
    keywords: dict[str, Keyword] = {}
    if not is_trusted:
        extra = _without_patterns(base.VALIDATORS.get("additionalProperties", _ignore))
        keywords = dict.fromkeys(("pattern", "patternProperties", "unevaluatedProperties"), _ignore)
        keywords["additionalProperties"] = extra
    # JSON Schema takes 5.0 for an integer; a Python function does not, and as JSON 5 says the same.
    integers = base.TYPE_CHECKER.redefine("integer", _is_integer)
    adapt: Any = extend  # takes types, too, which its annotation does not tell
    return adapt(base, keywords, type_checker=integers)


def _check_size(schema: Mapping[str, object], text: str) -> None:
    if len(text) > MAX_SCHEMA_CHARS:
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


def _is_integer(_: TypeChecker, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _ignore(*_: object) -> Iterator[ValidationError]:
    return iter(())


def _without_patterns(keyword: Keyword) -> Keyword:
    """Skip a keyword where the schema has `patternProperties`, because it would run their expressions."""

    def check(
        validator: object, value: object, instance: object, schema: Mapping[str, object]
    ) -> Iterator[ValidationError]:
        if "patternProperties" not in schema:
            yield from keyword(validator, value, instance, schema) or ()

    return check
