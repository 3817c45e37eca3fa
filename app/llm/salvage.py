"""Find tool calls that a model put into its text."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Final

from app.domain.chat import ToolCall, ToolSchema
from app.llm.wire import to_call

_MAX_CHARS: Final = 20_000
_MAX_FAILURES: Final = 300
_MAX_READ_AGAIN: Final = 8
"""How many times a text's length may be read for JSON that turns out not to be any."""
_MAX_QUOTES: Final = 100
_NAME_KEYS: Final = ("name", "tool", "tool_name", "function", "function_name")
_ARGUMENT_KEYS: Final = ("arguments", "args", "parameters", "params", "input", "tool_input")
_LIST_KEYS: Final = ("calls", "tool_calls")

_OPENING: Final = re.compile(
    r"(?:```[\w+-]*|<\|?/?(?:tool_call|function_call|tools?)s?\|?>|\[TOOL_CALLS?\]|<\|python_tag\|>)\s*\Z",
    re.IGNORECASE,
)
_OPENING_CHARS: Final = 40
_CLOSING: Final = re.compile(
    r"\s*+(?:```|</?\|?(?:tool_call|function_call|tools?)s?\|?>|\[/TOOL_CALLS?\]|<\|eom_id\|>)", re.IGNORECASE
)
# The first two are what the model itself is told after results: a small one may say it to the person.
_MARKER: Final = re.compile(
    r"must not see the error text|The person asked: |"
    r"<\|?/?(?:tool_call|tool_response|function_call)s?\b|\[TOOL_CALLS?\]|<\|python_tag\|>|<function=|<invoke\b",
    re.IGNORECASE,
)
_RESULT_TAG: Final = re.compile(r"</?tool_response>")
_INLINE_CODE: Final = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
_BROKEN_CALL: Final = re.compile(
    r'\{\s*"(?:name|tool|tool_name|function|function_name)"\s*:\s*["{].{0,200}?'
    r'"(?:arguments|args|parameters|params|tool_input)"\s*:'
    r'|\{\s*"(?:calls|tool_calls)"\s*:\s*\[\s*(?:\{|\Z)',
    re.DOTALL,
)
_OPENED_CALL: Final = re.compile(r'\{\s{0,9}"(?P<name>[\w.:-]{1,64}+)"\s{0,9}:\s{0,9}\{')
_WRITTEN_CALL: Final = re.compile(
    r"^[ \t>*-]*`?(?P<name>[A-Za-z_][\w.:-]*)\((?P<inside>.*)\)`?;?[ \t]*$", re.MULTILINE
)
_KEYWORD: Final = re.compile(r"\s*(?P<key>[A-Za-z_]\w*)\s*=\s*")
_QUOTED: Final = re.compile(r"'((?:[^'\\]|\\.)*)'")
_PYTHON_WORD: Final = re.compile(r"(True|False|None)\b")
_WORDS: Final[Mapping[str, object]] = MappingProxyType({"True": True, "False": False, "None": None})
_SEPARATOR: Final = re.compile(r"\s*(?:,|\Z)\s*")
_JSON_OPENING: Final = re.compile(r"[\[{]")
_DECODER: Final = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class _Found:
    """Calls, and the stretch of text that they stand in."""

    start: int
    end: int
    calls: tuple[ToolCall, ...]


def salvage_calls(text: str, offered: Mapping[str, ToolSchema], seen: Sequence[str] = ()) -> tuple[ToolCall, ...]:
    """Return the calls of offered tools that a text consists of, in order and without repetition.

    Understood are JSON objects such as {"name": …, "arguments": …} or {"function": {…}}, alone, in lists,
    in fences, in `<tool_call>` or after `[TOOL_CALLS]`, with arguments that may be JSON text themselves,
    and lines such as `calculate(expression="2+2")`. A name counts as `resolve_name` says, also one that a tool
    is `also_named`; arguments must be an object. Half of a JSON text is never completed, because the call would
    be another one.

    There are none in a text that says anything else besides, nor where one of them stands in a text that the
    model has `seen`: whoever reads something aloud does not mean it. Never raises.
    """
    if not offered or len(text) > _MAX_CHARS:
        return ()
    found = _merged(text, _places(text, offered))
    if not found or _without(text, found):
        return ()
    calls = distinct_calls(call for place in found for call in place.calls)
    known = {call_key(call) for one in seen for place in _places(one, offered) for call in place.calls}
    if any(call_key(call) in known for call in calls):
        return ()
    quotes = _Quotes(seen)
    return () if any(quotes.hold(text[place.start : place.end]) for place in found) else calls


def without_quotes(text: str, seen: Sequence[str]) -> str:
    """Return a text without what looks like a call in it and stands in a text that the model has `seen`."""
    text, quotes = text[:_MAX_CHARS], _Quotes(seen)
    if quotes.hold(text):
        return ""
    for find in (_json_stretches, _written_stretches, _marked_stretches):
        places = [place for place in islice(find(text), _MAX_QUOTES) if quotes.hold(text[place.start : place.end])]
        text = _without(text, places)
    return text


def _json_stretches(text: str) -> Iterator[_Found]:
    return (_Found(start, end, ()) for start, end, _ in _json_values(text))


def _written_stretches(text: str) -> Iterator[_Found]:
    for line in _WRITTEN_CALL.finditer(text):
        call = line.group().rstrip(" \t`;")
        yield _Found(line.start("name"), line.start() + len(call), ())


def _marked_stretches(text: str) -> Iterator[_Found]:
    """Lines from their first mark on."""
    at = 0
    while mark := _MARKER.search(text, at):
        line_end = text.find("\n", mark.end())
        at = len(text) if line_end < 0 else line_end
        yield _Found(mark.start(), at, ())


class _Quotes:
    """The texts that a model has seen, without blanks and the marks that JSON puts before quotation marks."""

    def __init__(self, seen: Sequence[str]) -> None:
        self._seen = [_squeezed(one) for one in seen]

    def hold(self, part: str) -> bool:
        wanted = _squeezed(part)
        return bool(wanted) and any(wanted in one for one in self._seen)


def _squeezed(text: str) -> str:
    return "".join(text.split()).replace("\\", "")


def _places(text: str, offered: Mapping[str, ToolSchema]) -> list[_Found]:
    return sorted([*_json_calls(text, offered), *_line_calls(text, offered)], key=_start)


def looks_like_call(text: str, offered: Collection[str] = ()) -> bool:
    """Tell whether a text holds what was meant as a tool call and must not be shown to a person.

    Suspicious are the marks that models put around calls, and JSON, whole or broken off, that names a
    tool and gives it arguments, or names an offered one, and an offered tool's name as the first word. Inline
    code is not looked at, so that a person can be told about such things. Never raises.
    """
    text = _INLINE_CODE.sub(" ", text[:_MAX_CHARS])
    if _MARKER.search(text) or _BROKEN_CALL.search(text):
        return True
    if any(_is_suspicious(value, offered) for _, _, value in _json_values(text)):
        return True
    written = (*_WRITTEN_CALL.finditer(text), *_OPENED_CALL.finditer(text))
    return any(resolve_name(one["name"], offered) for one in written) or _names_a_tool(text, offered)


def without_result_tags(text: str) -> str:
    """Return the words of an answer that a model put between the tags in which it was given a tool's result."""
    return "\n".join(map(str.strip, _RESULT_TAG.split(text))).strip()


def resolve_name(name: str, offered: Collection[str]) -> str | None:
    """Return the offered tool that a model means, or None.

    Accepted are the name itself in any case, with a prefix such as `functions.`, and the bare name of a
    tool of an MCP server (`list_issues` for `mcp_github_list_issues`) if only one ends with it.
    """
    if name in offered:
        return name
    bare = re.split(r"[.:/]", name.strip())[-1].lower()
    same = [known for known in offered if known.lower() == bare]
    if not same and bare:
        same = [known for known in offered if known.startswith("mcp_") and known.lower().endswith(f"_{bare}")]
    return same[0] if len(same) == 1 else None


def _meant(name: str, offered: Mapping[str, ToolSchema]) -> str | None:
    others = {other: tool.name for tool in offered.values() for other in tool.also_named}
    return resolve_name(name, offered) or others.get(resolve_name(name, others) or "")


def _names(offered: Mapping[str, ToolSchema]) -> Iterator[str]:
    for tool in offered.values():
        yield from (tool.name, *tool.also_named)


def distinct_calls(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Return the calls without those that repeat an earlier one, tool and arguments alike."""
    by_content: dict[str, ToolCall] = {}
    for call in calls:
        by_content.setdefault(call_key(call), call)
    return tuple(by_content.values())


def call_key(call: ToolCall) -> str:
    """Return a text that two calls share exactly when they ask for the same thing."""
    return f"{call.name} {json.dumps(dict(call.arguments), sort_keys=True, default=str)}"


def _names_a_tool(text: str, offered: Collection[str]) -> bool:
    """Tell whether a text begins with a tool's name as no person writes it, such as `list_notes`."""
    first = (text.split() or [""])[0].strip("*:`.,").lower()
    return "_" in first and first in {name.lower() for name in offered}


def _start(found: _Found) -> int:
    return found.start


def _json_calls(text: str, offered: Mapping[str, ToolSchema]) -> Iterator[_Found]:
    for start, end, value in _json_values(text):
        calls = tuple(_calls_in(value, offered))
        if calls:
            yield _Found(start, end, calls)


def _json_values(text: str) -> Iterator[tuple[int, int, object]]:
    """Every outermost JSON object or list in the text, with its place.

    Ends early in a text that is nested too deeply, or opens too much that it does not close, to hold calls:
    the time must not grow with the square of such a text.
    """
    at = failures = in_vain = 0
    while failures < _MAX_FAILURES and in_vain <= _MAX_READ_AGAIN * len(text):
        if (opening := _JSON_OPENING.search(text, at)) is None:
            return
        at = opening.start()
        try:
            value, end = _DECODER.raw_decode(text, at)
        except RecursionError:
            return
        except ValueError as exc:
            # Of a number that is too long no place is named; of a string without an end, its beginning.
            if isinstance(exc, json.JSONDecodeError) and not exc.msg.startswith("Unterminated"):
                in_vain += exc.pos + 1 - at
            else:
                in_vain += len(text) - at
            failures += 1
            at += 1
        else:
            yield at, end, value
            at = end


def _calls_in(value: object, offered: Mapping[str, ToolSchema]) -> Iterator[ToolCall]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield from _calls_in(item, offered)
    elif isinstance(value, dict):
        nested = next((value[key] for key in _LIST_KEYS if isinstance(value.get(key), list)), None)
        if nested is not None:
            yield from _calls_in(nested, offered)
        elif isinstance(value.get("function"), dict):
            yield from _calls_in(value["function"], offered)
        elif (call := _call_of(value, offered)) is not None:
            yield call


def _call_of(value: Mapping[str, object], offered: Mapping[str, ToolSchema]) -> ToolCall | None:
    written = _name_in(value)
    name = _meant(written, offered)
    given = [value[key] for key in _ARGUMENT_KEYS if key in value]
    is_bare = len(value) == 1 and written.lower() in {known.lower() for known in _names(offered)}
    if name is None or not (given or is_bare):
        return None
    try:
        return to_call(name, given[0] if given else None)
    except (ValueError, RecursionError):
        return None


def _name_in(value: Mapping[str, object]) -> str:
    return next((name for key in _NAME_KEYS if isinstance(name := value.get(key), str)), "")


def _is_suspicious(value: object, offered: Collection[str]) -> bool:
    if isinstance(value, list):
        return any(_is_suspicious(item, offered) for item in value if isinstance(item, dict))
    if not isinstance(value, dict):
        return False
    nested = [value[key] for key in (*_LIST_KEYS, "function") if isinstance(value.get(key), dict | list)]
    if nested:
        return any(_is_suspicious(item, offered) for item in nested)
    name = _name_in(value)
    has_arguments = any(isinstance(value.get(key), dict | str) for key in _ARGUMENT_KEYS)
    return bool(name) and (has_arguments or resolve_name(name, offered) is not None)


def _line_calls(text: str, offered: Mapping[str, ToolSchema]) -> Iterator[_Found]:
    for line in _WRITTEN_CALL.finditer(text):
        name = _meant(line["name"], offered)
        arguments = None if name is None else _written_arguments(line["inside"], offered[name])
        if name is not None and arguments is not None:
            yield _Found(line.start(), line.end(), (to_call(name, arguments),))


def _written_arguments(inside: str, schema: ToolSchema) -> dict[str, object] | None:
    """Read `key=value, …`; values without a key take the parameters in their order. None: not readable."""
    properties = schema.parameters.get("properties")
    order = list(properties) if isinstance(properties, Mapping) else []
    arguments: dict[str, object] = {}
    at = 0
    while at < len(inside.rstrip()):
        keyword = _KEYWORD.match(inside, at)
        at = keyword.end() if keyword else at
        value = _written_value(inside, at)
        key = keyword["key"] if keyword else next((name for name in order if name not in arguments), None)
        if value is None or key is None or key in arguments:
            return None
        arguments[key], at = value
        separator = _SEPARATOR.match(inside, at)
        if separator is None:
            return None
        at = separator.end()
    return arguments


def _written_value(inside: str, at: int) -> tuple[object, int] | None:
    """The value that begins there, as JSON or as Python writes it, and where it ends."""
    at += len(inside[at:]) - len(inside[at:].lstrip())
    if quoted := _QUOTED.match(inside, at):
        return re.sub(r"\\(.)", r"\1", quoted[1]), quoted.end()
    if word := _PYTHON_WORD.match(inside, at):
        return _WORDS[word[1]], word.end()
    try:
        return _DECODER.raw_decode(inside, at)
    except (ValueError, RecursionError):
        return None


def _merged(text: str, found: Sequence[_Found]) -> list[_Found]:
    """Join what stands side by side, so that a fence around several calls goes with them."""
    merged: list[_Found] = []
    for place in found:
        last = merged[-1] if merged else None
        if last is not None and place.start < last.end:
            continue
        if last is not None and not text[last.end : place.start].strip(" \t\r\n,;"):
            merged[-1] = _Found(last.start, place.end, (*last.calls, *place.calls))
        else:
            merged.append(place)
    return merged


def _without(text: str, found: Sequence[_Found]) -> str:
    pieces: list[str] = []
    at = 0
    for place in found:
        before = text[at : place.start]
        after = place.end
        before = before.rstrip()
        while opening := _OPENING.search(before, max(0, len(before) - _OPENING_CHARS)):
            before = before[: opening.start()].rstrip()
        while closing := _CLOSING.match(text, after):
            after = closing.end()
        pieces.append(before.strip())
        at = after
    return "\n\n".join(piece for piece in (*pieces, text[at:].strip()) if piece)
