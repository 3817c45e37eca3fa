"""Binds the calls of a round to what the person wrote, before they are approved, run and recorded.

Parameters that hold a person's words say so (`OwnWords`); all others may be computed. Of a model that copies badly
the whole value is replaced by the words that it stands for; of a model that words things well, only literals and
names are held to what was written. What the person did not write is not run with: they are asked.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.domain.chat import ToolCall
from app.domain.errors import ToolArgumentError
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import Said
from app.domain.wording import one_line
from app.language.catalogue import Language, say
from app.skills.numbers_said import has_strange_number
from app.skills.own_words import (
    Span,
    find_complete,
    find_span,
    grown,
    literal_ends,
    literal_keys,
    literals,
    repaired,
    whole,
)
from app.skills.texts import SKILLS

# A copy this near to what was written is a copy; below it, a model has worded it itself.
_NEAR_COPY: Final = 0.8
_OWN: Final = 0.6
_SHOWN_CHARS: Final = 80
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n")
_ITEM: Final = re.compile(r"[,;\n]\s|\s(?:y|e|and|&)\s|(?<=[.!?…])\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unsaid:
    """A call that holds what the person did not write: `value` of `parameter`, or a number in this sum."""

    parameter: str
    value: str
    is_sum: bool = False


@dataclass(frozen=True, slots=True)
class _Word:
    """One text of an argument that holds a person's words; `number` in its list; `span`: what it stands for.

    `about` is where that stands at least, in what was just written, also where it holds what is not there.
    """

    parameter: str
    number: int
    value: str
    is_item: bool
    is_strict: bool
    is_required: bool
    is_read_anew: bool
    span: Span | None = None
    tier: int = 0
    about: Span | None = None


def bind_calls(
    calls: Sequence[ToolCall], tools: Mapping[str, BaseTool], said: Said, *, copies_badly: bool
) -> list[ToolCall | Unsaid]:
    """Return the calls with the person's words as they wrote them.

    Calls without such parameters, of unknown tools and with arguments that do not fit stay as they are. Where
    nobody knows what was written (`said` is empty), nothing is bound.
    """
    if not said.now:
        return list(calls)
    read = [_checked(call, tools.get(call.name)) for call in calls]
    binder = _Binder(said, copies_badly=copies_badly)
    found = [
        [] if arguments is None else [binder.find(word) for word in _words_of(arguments, tools[call.name])]
        for call, arguments in zip(calls, read, strict=True)
    ]
    bound: list[ToolCall | Unsaid] = []
    for number, (call, arguments, words) in enumerate(zip(calls, read, found, strict=True)):
        if copies_badly and (strange := _strange_sum(call, tools.get(call.name), said)) is not None:
            bound.append(strange)
            continue
        if arguments is None or not words:
            bound.append(call)
            continue
        others = [word for at, each in enumerate(found) if at != number for word in each]
        computed = [*_computed(arguments, tools[call.name]), *_said_elsewhere(number, calls, found)]
        kept = binder.bind(arguments, words, others, computed)
        bound.append(kept if isinstance(kept, Unsaid) else replace(call, arguments=kept))
    return bound


def _strange_sum(call: ToolCall, tool: BaseTool | None, said: Said) -> Unsaid | None:
    """Return the sum of a call with a number of which nobody spoke: small models take those of their examples."""
    for name in sorted(tool.sums) if tool is not None else ():
        value = call.arguments.get(name)
        if isinstance(value, str) and has_strange_number(value, said):
            return Unsaid(name, value, is_sum=True)
    return None


def told_unsaid(one: Unsaid, language: Language) -> ToolResult:
    """Return the result of a call that did not run, with the question for the person."""
    asked = SKILLS.unsaid_sum if one.is_sum else SKILLS.unsaid
    question = say(asked, language, value=one_line(one.value, _SHOWN_CHARS))
    return ToolResult(
        False, error=f"{one.parameter}: the person did not write that.", kind="unsaid", reply=question
    )


class _Binder:
    def __init__(self, said: Said, *, copies_badly: bool) -> None:
        self._tiers = (said.now, said.before, said.answers)
        self._every = tuple(source for tier in self._tiers for source in tier)
        self._copies_badly = copies_badly

    def find(self, word: _Word) -> _Word:
        """Find the span that a text stands for: in what was just written, else before, else in our answers.

        A literal that was just written is right: no older span without it takes its place.
        """
        least = _OWN if self._copies_badly else _NEAR_COPY
        if not self._copies_badly and repaired(word.value, self._tiers[0]) == word.value:
            return word
        word = replace(word, about=find_span(word.value, self._tiers[0]))
        fresh = literal_keys(word.value) & literal_keys(" ".join(self._tiers[0]))
        for tier, sources in enumerate(self._tiers):
            span = find_complete(word.value, sources)
            if span is None or span.score < least:
                continue
            kept = sources[span.source][span.start : span.end]
            if fresh <= literal_keys(kept):
                return replace(word, span=span, tier=tier)
        return word

    def bind(
        self,
        arguments: Mapping[str, object],
        words: Sequence[_Word],
        others: Sequence[_Word],
        computed: Sequence[str],
    ) -> dict[str, object] | Unsaid:
        bound = dict(arguments)
        taken = [one for one in (*words, *others) if _place_of(one) is not None]
        for parameter in dict.fromkeys(word.parameter for word in words):
            mine = [word for word in words if word.parameter == parameter]
            kept = [(word, self._text(word, [one for one in taken if one is not word], computed)) for word in mine]
            lost = [word for word, text in kept if text is None]
            texts = [text for _, text in kept if text is not None]
            if lost and (any(literals(word.value) for word in lost) or not texts):
                if lost[0].is_read_anew:
                    bound[parameter] = ""
                    continue
                if lost[0].is_required:
                    return Unsaid(parameter, next((w.value for w in lost if literals(w.value)), lost[0].value))
                bound.pop(parameter)
            else:
                bound[parameter] = texts if mine[0].is_item else texts[0]
        return bound

    def _text(self, word: _Word, taken: Sequence[_Word], computed: Sequence[str]) -> str | None:
        if word.span is None:
            return self._worded(word)
        source = self._tiers[word.tier][word.span.source]
        span = word.span
        if self._copies_badly and word.tier == 0 and word.is_strict and (word.is_required or word.is_item):
            places = [at for one in taken if (at := _place_of(one)) is not None]
            near = [at for at in places if at.source == span.source]
            used = [*computed, *(source[one.start : one.end] for one in near)]
            span = grown(span, source, within=_room(word, span, source, near), used=used)
        span = whole(span, source)
        return source[span.start : span.end]

    def _worded(self, word: _Word) -> str | None:
        """Return the text of a model that words things itself."""
        if self._copies_badly:
            return None if word.is_strict else word.value
        text = repaired(word.value, self._every)
        return word.value if text is None and not word.is_strict else text


def _place_of(word: _Word) -> Span | None:
    """Return which part of what was just written belongs to a text, as far as that is known."""
    return word.span if word.span is not None and word.tier == 0 else word.about


def _room(word: _Word, span: Span, source: str, near: Sequence[Span]) -> tuple[int, int]:
    """Return how far a text may reach: an item to its neighbours, others back to where their sentence begins."""
    border = _ITEM if word.is_item else _SENTENCE
    inside = literal_ends(source)
    breaks = [
        match.span()
        for match in border.finditer(source)
        if not (match.start() in inside and source[match.start() - 1] in "!?")
    ]
    left = max(
        [0, *(end for _, end in breaks if end <= span.start), *(s.end for s in near if s.end <= span.start)]
    )
    right = min([len(source), *(s.start for s in near if s.start >= span.end)])
    if word.is_item:
        right = min([right, *(start for start, _ in breaks if start >= span.end)])
    return left, right


def _checked(call: ToolCall, tool: BaseTool | None) -> Mapping[str, object] | None:
    """Return the arguments as they will be sent; None where there is nothing to bind."""
    if tool is None or not tool.word_parameters:
        return None
    try:
        return tool.validate_args(call.arguments)
    except (ToolArgumentError, RecursionError):
        return None


def _words_of(arguments: Mapping[str, object], tool: BaseTool) -> list[_Word]:
    found = []
    for name in tool.word_parameters:
        value = arguments.get(name)
        items = value if isinstance(value, list) else [value]
        is_required = tool.args_model.model_fields[name].is_required()
        # What is looked for may be worded anew; a list that nobody named is not looked into.
        is_strict = name not in tool.loose_parameters and not (tool.read_only and is_required)
        found += [
            _Word(
                name,
                number,
                item,
                isinstance(value, list),
                is_strict,
                is_required,
                name in tool.parameters_read_anew,
            )
            for number, item in enumerate(items)
            if isinstance(item, str) and item.strip()
        ]
    return found


def _computed(arguments: Mapping[str, object], tool: BaseTool) -> list[str]:
    return [str(value) for name, value in arguments.items() if name not in tool.word_parameters]


def _said_elsewhere(number: int, calls: Sequence[ToolCall], found: Sequence[Sequence[_Word]]) -> list[str]:
    """Return what other calls of the round were given that is bound to no place."""
    texts: list[str] = []
    for at, call in enumerate(calls):
        if at != number:
            bound = {word.value for word in found[at] if word.span is not None}
            texts += [text for text in map(str, call.arguments.values()) if text not in bound]
    return texts
