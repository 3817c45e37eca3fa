"""What a server answered, as text that a model reads."""

import json
from collections.abc import Sequence
from typing import Final

from mcp import types

from app.domain.wording import cut

MAX_OUTPUT_CHARS: Final = 100_000
_BASE64_BYTES: Final = 3 / 4


def to_text(result: types.CallToolResult) -> str:
    """Return the texts of a result; pictures and files are named, as a model could not read their bytes.

    Structured content is written out only where no text stands for it (servers give both, by the protocol).
    What is longer than `MAX_OUTPUT_CHARS` is cut, and says so.
    """
    parts = [part for block in result.content if (part := _block_text(block))]
    has_text = any(isinstance(block, types.TextContent) and block.text for block in result.content)
    if result.structured_content is not None and not has_text:
        parts.append(json.dumps(result.structured_content, ensure_ascii=False, default=str))
    return _cut("\n".join(parts))


def _block_text(block: types.ContentBlock) -> str:
    match block:
        case types.TextContent(text=text):
            return text
        case types.ImageContent(data=data, mime_type=kind):
            return f"[image, {kind}, {_size(data)}; it cannot be shown here]"
        case types.AudioContent(data=data, mime_type=kind):
            return f"[sound, {kind}, {_size(data)}; it cannot be played here]"
        case types.ResourceLink(uri=uri, name=name, description=description):
            about = f": {description}" if description else ""
            return f"[resource {name}, {uri}{about}]"
        case types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, text=text)):
            return f"[resource {uri}]\n{text}"
        case types.EmbeddedResource(resource=types.BlobResourceContents(uri=uri, blob=blob, mime_type=kind)):
            return f"[resource {uri}, {kind or 'bytes'}, {_size(blob)}; it cannot be shown here]"
        case _:
            return ""


def _size(base64: str) -> str:
    return f"{max(1, round(len(base64) * _BASE64_BYTES / 1000))} kB"


def _cut(text: str) -> str:
    if len(text) <= MAX_OUTPUT_CHARS:
        return text
    return f"{text[:MAX_OUTPUT_CHARS]}\n[cut here: {len(text) - MAX_OUTPUT_CHARS} more characters]"


def shorten_schema(
    schema: dict[str, object], limit_chars: int, limits: Sequence[int] = (300, 120, 40, 0)
) -> dict[str, object]:
    """Return a projected schema with its descriptions cut until it fits, at last without any.

    One that does not fit even so keeps the names and types of its top level.
    """
    if _length(schema) <= limit_chars:
        return schema
    for limit in limits:
        shorter = _with_descriptions(schema, limit)
        if _length(shorter) <= limit_chars:
            return shorter
    return _top_level(schema)


def _length(schema: object) -> int:
    return len(json.dumps(schema, ensure_ascii=False))


def _with_descriptions(node: dict[str, object], limit: int) -> dict[str, object]:
    out: dict[str, object] = {}
    for key, value in node.items():
        if key == "description" and isinstance(value, str):
            if limit:
                out[key] = cut(value, limit)
        elif key == "properties" and isinstance(value, dict):
            out[key] = {name: _with_descriptions(inner, limit) for name, inner in value.items()}
        elif key == "items" and isinstance(value, dict):
            out[key] = _with_descriptions(value, limit)
        elif key == "anyOf" and isinstance(value, list):
            out[key] = [_with_descriptions(branch, limit) for branch in value]
        else:
            out[key] = value
    return out


def _top_level(schema: dict[str, object]) -> dict[str, object]:
    properties = schema.get("properties")
    names = properties if isinstance(properties, dict) else {}
    kept = {name: {"type": inner["type"]} if "type" in inner else {} for name, inner in names.items()}
    return {**schema, "properties": kept}
