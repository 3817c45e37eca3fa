"""The small copy of a JSON Schema that a model is shown."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

MAX_DESCRIPTION_CHARS: Final = 600
MAX_NODES: Final = 600

Node = dict[str, Any]

_NOTES: Final = (
    "default",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "multipleOf",
    "pattern",
)


def project_schema(schema: Mapping[str, object], *, tells_limits: bool = True) -> dict[str, object]:
    """Reduce a schema to `type`, `description`, `enum`, `items`, `properties`, `required` and `anyOf`.

    These are what Ollama keeps of a tool (its api/types.go, 2026); it refuses a request with a boolean
    schema. References are written out, `allOf` merged, `oneOf` becomes `anyOf`, null alternatives go, limits
    and defaults move into the description (without `tells_limits` they go, too, but for patterns, which bind the
    answers of small models); titles and examples go.
    Every name of the top level stays, in the schema's order with the required ones first, and so do nested
    names, up to `MAX_NODES` parts and until a reference leads back into itself: from there on it says only
    "object".
    """
    projected = _Projector(schema, tells_limits=tells_limits).project(schema, ())
    for branch in projected.pop("anyOf", ()):
        _add_properties(projected, {"properties": branch.get("properties", {})})
    return {
        "type": "object",
        "properties": projected.get("properties", {}),
        "required": projected.get("required", []),
    }


def resolve_local(root: Mapping[str, object], ref: str) -> object:
    """Follow a reference inside the schema; None for one that leads outside or nowhere."""
    if not ref.startswith("#"):
        return None
    node: object = root
    for part in filter(None, ref[1:].split("/")):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isdecimal() and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node


class _Projector:
    def __init__(self, root: Mapping[str, object], *, tells_limits: bool) -> None:
        self._root = root
        self._told = _NOTES if tells_limits else ()
        self._nodes_left = MAX_NODES

    def project(self, raw: object, seen: tuple[str, ...]) -> Node:
        """Project one node; `seen` holds the references followed to get here."""
        self._nodes_left -= 1
        if not isinstance(raw, Mapping) or self._nodes_left < 0:
            return {}
        ref = raw.get("$ref")
        if isinstance(ref, str):
            return self._follow(ref, raw, seen)
        node: Node = dict(raw)
        out = self._union(node, seen)
        for part in _list(node.get("allOf")):
            _merge(out, self.project(part, seen))
        _set_type(out, node)
        self._set_inner(out, node, seen)
        _set_description(out, node, self._told)
        if not self._told and isinstance(node.get("pattern"), str):
            out["pattern"] = node["pattern"]
        return out

    def _follow(self, ref: str, raw: Mapping[str, object], seen: tuple[str, ...]) -> Node:
        target = resolve_local(self._root, ref)
        beside = {key: value for key, value in raw.items() if key != "$ref"}
        if ref in seen or not isinstance(target, Mapping):
            out: Node = {"type": "object"}
        else:
            out = self.project(target, (*seen, ref))
        own = self.project(beside, seen) if beside else {}
        if "properties" not in own and own.get("type") == "object":
            del own["type"]
        _merge(out, own)
        return out

    def _union(self, node: Node, seen: tuple[str, ...]) -> Node:
        options = _list(node.get("anyOf")) or _list(node.get("oneOf"))
        branches = [self.project(option, seen) for option in options if not _is_null(option)]
        if not branches:
            return {}
        if len(branches) == 1:
            return branches[0]
        if all("enum" in branch and set(branch) <= {"type", "enum"} for branch in branches):
            kinds = {branch.get("type") for branch in branches}
            words = [word for branch in branches for word in branch["enum"]]
            kind = kinds.pop() if len(kinds) == 1 else None
            return {"type": kind, "enum": words} if kind else {"enum": words}
        return {"anyOf": branches}

    def _set_inner(self, out: Node, node: Node, seen: tuple[str, ...]) -> None:
        properties = node.get("properties")
        if isinstance(properties, Mapping) and properties:
            required = [name for name in _list(node.get("required")) if name in properties]
            names = dict.fromkeys([*required, *properties])
            own: Node = {
                "properties": {
                    name: self.project(properties[name], seen) for name in names if properties[name] is not False
                }
            }
            if required:
                own["required"] = list(dict.fromkeys(required))
            _add_properties(out, own)
        if out.get("type") == "array" and "items" not in out:
            items = node.get("prefixItems", node.get("items"))
            if isinstance(items, list):
                out["items"] = {"anyOf": [self.project(item, seen) for item in items]}
            else:
                out["items"] = self.project(items, seen)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_null(option: object) -> bool:
    return isinstance(option, Mapping) and option.get("type") == "null"


def _merge(out: Node, other: Node) -> None:
    """Add another node to `out`: names are joined, the rest of the other wins."""
    _add_properties(out, other)
    out.update({key: value for key, value in other.items() if key not in {"properties", "required"}})


def _add_properties(out: Node, other: Node) -> None:
    if "properties" in other:
        out["properties"] = {**out.get("properties", {}), **other["properties"]}
    if "required" in other:
        out["required"] = list(dict.fromkeys([*out.get("required", []), *other["required"]]))


def _set_type(out: Node, node: Node) -> None:
    words = [node["const"]] if "const" in node else _list(node.get("enum"))
    if words := [word for word in words if word is not None]:
        out["enum"] = words
    kind = node.get("type")
    if isinstance(kind, list):
        kinds = [name for name in kind if name != "null"]
        kind = kinds[0] if len(kinds) == 1 else kinds or None
    if kind is None and not {"type", "anyOf"} & out.keys():
        kind = _guessed_type(node, words)
    if kind is not None:
        out["type"] = kind


def _guessed_type(node: Node, words: Iterable[object]) -> str | None:
    if "properties" in node or "additionalProperties" in node:
        return "object"
    if "items" in node or "prefixItems" in node:
        return "array"
    names = {str: "string", bool: "boolean", int: "integer", float: "number"}
    kinds = {names.get(type(word)) for word in words}
    return kinds.pop() if len(kinds) == 1 else None


def _set_description(out: Node, node: Node, told: Iterable[str]) -> None:
    text = str(node.get("description") or out.get("description") or "")
    notes = "; ".join(
        f"{name}: {json.dumps(node[name], ensure_ascii=False)}"
        for name in told
        if node.get(name) is not None and node[name] != ""
    )
    full = " ".join(filter(None, (text, f"({notes})" if notes else "")))
    if full:
        out["description"] = full[:MAX_DESCRIPTION_CHARS]
