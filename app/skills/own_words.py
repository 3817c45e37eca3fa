"""Keeps a person's words as they were written, whatever a model made of them.

A model copies: "pino2024" comes back as "pino2023", "Friday at 10" as "Friday at 11:00". So the value of a
parameter that carries a person's words is looked up in what they wrote, and the span found there is taken. The
nearest span is the best local alignment of words (Smith and Waterman, "Identification of common molecular
subsequences", 1981), in which words may differ a little.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from app.domain.wording import fold

MAX_SOURCE_WORDS: Final = 800
MAX_VALUE_WORDS: Final = 400
_WORD: Final = re.compile(r"\S+")
_EDGES: Final = ".,;:!?¡¿\"'`()[]{}«»“”‘’*_~…-–—"
_DIGIT: Final = re.compile(r"\d")
_LITERAL: Final = re.compile(r"[\d@#/\\_]")

# Scores of the alignment, in words: found in tests/test_own_words.py to keep what is meant and refuse the rest.
_LEFT_OUT: Final = -0.25
_ADDED: Final = -0.5
_OTHER: Final = -0.8
_ALIKE: Final = 0.7
_ALIKE_LITERALS: Final = 0.4
_SAME_SHAPE: Final = 0.5
_ENOUGH: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a text: where it stands without the punctuation around it, and how it is compared."""

    start: int
    end: int
    key: str
    is_literal: bool


@dataclass(frozen=True, slots=True)
class Span:
    """Part of a source that a value stands for; `score` is 1.0 where every word is the same."""

    source: int
    start: int
    end: int
    score: float


def find_span(value: str, sources: Sequence[str]) -> Span | None:
    """Return the part of the sources that `value` was copied from; None where it is not the person's.

    The first sources win among equals: put the newest message first. Compared are words without case, accents
    and the punctuation around them.
    """
    wanted = _tokens(value)[:MAX_VALUE_WORDS]
    if not wanted:
        return None
    best: Span | None = None
    for number, source in enumerate(sources):
        found = _align(wanted, _tokens(source)[:MAX_SOURCE_WORDS], number)
        if found is not None and (best is None or found.score > best.score):
            best = found
    return best


def own_words(value: str, sources: Sequence[str]) -> str | None:
    """Return `value` as the person wrote it; None where they did not, or wrote fewer literals."""
    span = find_span(value, sources)
    if span is None:
        return None
    kept = sources[span.source][span.start : span.end]
    return kept if len(literals(kept)) >= len(literals(value)) else None


def with_literals(span: Span, source: str, used: Sequence[str]) -> Span:
    """Return the span grown to the last literal behind it that a model left out.

    Literals are words with a digit or a sign of addresses: numbers, dates, times, codes, mails. Those that stand
    in `used`, the other arguments, belong elsewhere.
    """
    elsewhere = {token.key for text in used for token in _tokens(text)}
    ends = [
        token.end
        for token in _tokens(source)
        if token.is_literal and token.start >= span.end and token.key not in elsewhere
    ]
    return span if not ends else Span(span.source, span.start, max(ends), span.score)


def literals(text: str) -> tuple[str, ...]:
    """Return the words of a text that must never change: those with a digit or a sign of addresses."""
    return tuple(text[token.start : token.end] for token in _tokens(text) if token.is_literal)


def _tokens(text: str) -> list[_Token]:
    found = []
    for match in _WORD.finditer(text):
        word = match[0]
        left = len(word) - len(word.lstrip(_EDGES))
        bare = word.strip(_EDGES)
        if bare:
            start = match.start() + left
            found.append(_Token(start, start + len(bare), fold(bare), _LITERAL.search(bare) is not None))
    return found


def _align(wanted: Sequence[_Token], there: Sequence[_Token], source: int) -> Span | None:
    """Find the run of words in `there` that is most like `wanted`; each cell keeps (score, first word)."""
    likeness = _Likeness()
    best_score, best_first, best_last = 0.0, 0, -1
    above = [(0.0, at + 1) for at in range(-1, len(there))]
    for one in wanted:
        row = [(0.0, 0)]
        for at, other in enumerate(there):
            score, first = max(
                (0.0, at + 1),
                (above[at][0] + likeness.of(one, other), above[at][1] if above[at][0] > 0 else at),
                (above[at + 1][0] + _ADDED, above[at + 1][1]),
                (row[at][0] + _LEFT_OUT, row[at][1]),
                key=lambda cell: cell[0],
            )
            row.append((score, first))
            if score > best_score:
                best_score, best_first, best_last = score, first, at
        above = row
    share = best_score / len(wanted)
    if share < _ENOUGH:
        return None
    return Span(source, there[best_first].start, there[best_last].end, share)


def _shape(token: _Token) -> str:
    """Return a literal with equal digits ("10:30" and "11:45" are of one shape); other words as they are."""
    return _DIGIT.sub("0", token.key) if token.is_literal else token.key


class _Likeness:
    """How alike two words are, remembered for the length of one alignment."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], float] = {}

    def of(self, one: _Token, other: _Token) -> float:
        if one.key == other.key:
            return 1.0
        pair = (one.key, other.key)
        if pair not in self._known:
            least = _ALIKE_LITERALS if one.is_literal and other.is_literal else _ALIKE
            matcher = SequenceMatcher(None, one.key[:64], other.key[:64], autojunk=False)
            is_alike = matcher.quick_ratio() >= least and matcher.ratio() >= least
            likeness = matcher.ratio() if is_alike else _OTHER
            self._known[pair] = max(likeness, _SAME_SHAPE) if _shape(one) == _shape(other) else likeness
        return self._known[pair]
