"""Keep what a tool returned small enough for the prompt, without asking a model."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from app.domain.chat import ChatMessage
from app.domain.wording import cut

_HEAD_LINES: Final = 40
_TAIL_LINES: Final = 20
_FIELD_CHARS: Final = 300
_LINE_CHARS: Final = 120
_SHORTENED: Final = " [earlier result, shortened]"
_IDENTIFYING: Final = frozenset(
    {
        *("id", "uid", "key", "number", "name", "full_name", "slug", "title", "summary", "description"),
        *("status", "state", "type", "kind", "path", "url", "html_url", "language", "total", "count"),
        *("date", "time", "start", "end", "due", "created_at", "updated_at", "author", "owner", "login", "email"),
    }
)


def compact(text: str, limit_chars: int) -> str:
    """Return the text, or the most telling part of it in at most `limit_chars` characters.

    - A JSON list, or an object that holds one: identifying fields of each item, items dropped from the
      end, with "(showing n of m)". The fields are those most APIs name things with; items that have none
      of them keep all, long values cut.
    - Other text of many lines: the first 40 and the last 20.
    - What is still too long loses its middle, with a note of how much.

    The same input always gives the same output.
    """
    if len(text) <= limit_chars:
        return text
    return _compact_json(text, limit_chars) or _cut_middle(_cut_lines(text), limit_chars)


def shrink(text: str) -> str:
    """Return one line that stands for a result the model has already worked with."""
    first = text.strip().partition("\n")[0].rstrip()
    if text.endswith(_SHORTENED) or (first == text.strip() and len(first) <= _LINE_CHARS):
        return text
    return first[:_LINE_CHARS] + _SHORTENED


def shrunk(message: ChatMessage, *, kept: str) -> ChatMessage:
    """Return a result as one line; any other message, and the results of the tool that is `kept`, as they are.

    What loaded tools is short and says which: it stays.
    """
    is_long = message.role == "tool" and message.name != kept
    return replace(message, content=shrink(message.content)) if is_long else message


def _compact_json(text: str, limit_chars: int) -> str | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    items, total = _items(value)
    if items:
        return _fit_items([_essence(item) for item in items], total, limit_chars)
    if isinstance(value, dict):
        line = _dump(_essence(value))
        return line if len(line) <= limit_chars else None
    return None


def _items(value: object) -> tuple[Sequence[object], int]:
    """The list that the value is, or the longest one directly inside it, and how many there are in all."""
    if isinstance(value, list):
        return value, len(value)
    if not isinstance(value, dict):
        return (), 0
    longest: list[object] = max((v for v in value.values() if isinstance(v, list)), key=len, default=[])
    told = value.get("total_count", value.get("total"))
    return longest, max(told if isinstance(told, int) else 0, len(longest))


def _fit_items(items: Sequence[object], total: int, limit_chars: int) -> str | None:
    kept: list[str] = []
    room = limit_chars - len(_json_list([], total, total))
    for line in map(_dump, items):
        room -= len(line) + 2
        if room < 0:
            break
        kept.append(line)
    return _json_list(kept, len(kept), total) if kept else None


def _json_list(lines: Sequence[str], shown: int, total: int) -> str:
    return f"[{', '.join(lines)}]\n(showing {shown} of {total})"


def _essence(item: object) -> object:
    if not isinstance(item, Mapping):
        return _clip(item)
    telling = {name: _flat(value) for name, value in item.items() if name in _IDENTIFYING}
    return telling or {name: _flat(value) for name, value in item.items()}


def _flat(value: object) -> object:
    """A nested object becomes its name, because what matters is whose or which it is."""
    if isinstance(value, Mapping):
        known = (value[name] for name in ("login", "name", "title", "id") if name in value)
        return _clip(next(known, _dump(value)))
    return _clip(value)


def _clip(value: object) -> object:
    if isinstance(value, bool | int | float) or value is None:
        return value
    return cut(value if isinstance(value, str) else _dump(value), _FIELD_CHARS)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut_lines(text: str) -> str:
    lines = text.splitlines()
    left_out = len(lines) - _HEAD_LINES - _TAIL_LINES
    if left_out <= 0:
        return text
    note = f"[… {left_out} lines left out …]"
    return "\n".join([*lines[:_HEAD_LINES], note, *lines[-_TAIL_LINES:]])


def _cut_middle(text: str, limit_chars: int) -> str:
    if len(text) <= limit_chars:
        return text
    note = f"\n[… {len(text) - limit_chars} characters left out …]\n"
    room = limit_chars - len(note)
    if room <= 0:
        return text[: max(limit_chars, 0)]
    tail = room // 3
    return text[: room - tail] + note + (text[-tail:] if tail else "")
