"""Keeps a person's words as they were written, whatever a model made of them.

A model copies: "pino2024" comes back as "pino2023", "Friday at 10" as "Friday at 11:00". So the value of a
parameter that carries a person's words is looked up in what they wrote, and the span found there is taken. The
nearest span is the best local alignment of words (Smith and Waterman, "Identification of common molecular
subsequences", 1981), in which words may differ a little.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS

MAX_SOURCE_WORDS: Final = 400
MAX_VALUE_WORDS: Final = 200
_WORD: Final = re.compile(r"\S+")
_EDGES: Final = ".,;:!?¡¿\"'`()[]{}«»“”‘’*_~…-–—"
_OPENERS: Final = "\"'`([{«“‘¡¿"
_CLOSERS: Final = "\"'`)]}»”’.,;:…"
_PAIRS: Final = MappingProxyType({"(": ")", "[": "]", "{": "}", "«": "»", "“": "”"})
_QUOTES: Final = MappingProxyType({'"': '"', "»": "«", "”": "“"})
_END_OF_QUOTATION: Final = re.compile(r"(?P<marks>[^\w\s\"»”]{0,3})(?P<quote>[\"»”])")
_PASSWORD: Final = re.compile(r"(?=.*\d)(?=.*[^\W\d_])(?!.*(?:@\w+\.\w|//)).*[!#$%^&*=?~+]")
_CODE: Final = re.compile(r"(?=\w*\d)(?=\w*[^\W\d_])\w*_\w*")
_COUNTRY_BEFORE: Final = re.compile(r"(?<!\S)\+\d{1,3}[ -]?$")
_PICTURES: Final = re.compile("(?:[^\\S\n]*+[\u2600-\u27bf\U0001f000-\U0001faff][\u200d\ufe0f\u2640\u2642]*+)++")
_DIGIT: Final = re.compile(r"\d")
_CURRENCIES: Final = "$€£¥₡₲₹"
PHRASE_END: Final = re.compile(r"[.,;:!?…)\n](?:\s|$)|\s(?:y|e|and|&)\s|\n", re.IGNORECASE)
_DIGITS: Final = re.compile(r"\d+")
_LITERAL: Final = re.compile(r"[\d@#/\\_]|\w\.\w{2}")
_NUMBERS: Final = MappingProxyType(
    {word: number for number, words in COMMON_WORDS.table("numbers").items() for word in words}
)

# Scores of the alignment, in words: found in tests/test_own_words.py to keep what is meant and refuse the rest.
_LEFT_OUT: Final = -0.25
_ADDED: Final = -0.5
_OTHER: Final = -0.8
_ALIKE: Final = 0.7
_ALIKE_LITERALS: Final = 0.4
_ALIKE_NAMES: Final = 0.5
_SAME_SHAPE: Final = 0.5
_OTHER_NUMBER: Final = 0.1
_ENOUGH: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a text: where it stands without the punctuation around it, and how it is compared.

    `is_literal`: it has a digit or a sign of addresses. A number in words is compared as its digits.
    """

    start: int
    end: int
    key: str
    is_literal: bool
    is_capital: bool

    @property
    def is_number(self) -> bool:
        return self.is_literal or self.key.isdigit()


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
    and the punctuation around them. Of a source that is longer than `MAX_SOURCE_WORDS` the beginning counts; a
    value that is longer than `MAX_VALUE_WORDS` is found only where it stands word for word.
    """
    wanted = _tokens(value)
    if not wanted:
        return None
    read = [_tokens(source) for source in sources]
    for number, there in enumerate(read):
        if (at := _place(wanted, there)) is not None:
            return Span(number, there[at].start, there[at + len(wanted) - 1].end, 1.0)
    if len(wanted) > MAX_VALUE_WORDS:
        return None
    best: Span | None = None
    for number, there in enumerate(read):
        found = _align(_unglued(wanted, there), there[:MAX_SOURCE_WORDS], number)
        if found is not None and (best is None or found.score > best.score):
            best = found
    return best


def find_complete(value: str, sources: Sequence[str]) -> Span | None:
    """As `find_span`; None also where the person wrote fewer literals than `value` has."""
    span = find_span(value, sources)
    if span is None:
        return None
    kept = _tokens(sources[span.source][span.start : span.end])
    return span if sum(one.is_number for one in kept) >= len(literals(value)) else None


def grown(span: Span, source: str, *, within: tuple[int, int], used: Sequence[str] = ()) -> Span:
    """Return the span grown, inside `within`, to the literals around it that a model left out.

    What follows such a literal in the same phrase comes along: "12 eggs". So do names in that phrase, and emojis
    right behind.

    Literals are words with a digit or a sign of addresses: numbers, dates, times, codes, mails. Those whose digits
    all stand in `used`, the other arguments, belong elsewhere.
    """
    elsewhere = {part for text in used for part in _parts(text)}
    left, right = within
    out = [
        token
        for token in _tokens(source)
        if token.is_literal
        and left <= token.start
        and token.end <= right
        and not set(_parts(token.key)) <= elsewhere
    ]
    start = min([span.start, *(token.start for token in out)])
    end = max([span.end, *(token.end for token in out)])
    if end > span.end:
        after = PHRASE_END.search(source, end, right)
        end = end + len(source[end : after.start() if after else right].rstrip())
    phrase_end = PHRASE_END.search(source, end, right)
    named = [
        token
        for token in _tokens(source)
        if token.is_capital and token.end - token.start > 1 and end <= token.start and token.end <= right
        if phrase_end is None or token.end <= phrase_end.end()
    ]
    end = max([end, *(token.end for token in named)])
    if pictures := _PICTURES.match(source, end, right):
        end = pictures.end()
    return replace(span, start=start, end=end)


def whole(span: Span, source: str) -> Span:
    """Return the span with the other half of a bracket that it cuts, with the marks at the end of a quotation, and
    with the country of a phone number."""
    start, end = span.start, span.end
    if (ending := _END_OF_QUOTATION.match(source, end)) is not None:
        opener = _QUOTES[ending["quote"]]
        if source[start - 1 : start] == opener:
            end = ending.end("marks")
        elif (
            source[start:end].count(opener) % 2 and ending["quote"] not in source[start:end].rpartition(opener)[2]
        ):
            end = ending.end()
    for opener, closer in _PAIRS.items():
        inside = source[start:end]
        if source[start - 1 : start] == opener and inside.count(closer) > inside.count(opener):
            start -= 1
        elif source[end : end + 1] == closer and inside.count(opener) > inside.count(closer):
            end += 1
    country = _COUNTRY_BEFORE.search(source[:start])
    if country is not None and (source[start] == "(" or source[start].isdigit()):
        start = country.start()
    return replace(span, start=start, end=end)


def corrected(text: str, new: str, old: str = "") -> str | None:
    """Return `text` with `new` in the place of `old`, or of what `new` is a better version of; None where that is
    doubtful.
    """
    if not new.strip():
        return None
    span = find_span(old, [text]) if old.strip() else None
    span = span or find_span(new, [text])
    if span is None and (better := literals(new)):
        new = better[0]
        span = find_span(new, [text]) if len(better) == 1 else None
    if span is None or text[span.start : span.end] == new:
        return None
    end = len(text) - len(text[span.end :].lstrip("#*"))
    replaced = text[span.start : end]
    new += replaced[len(replaced.rstrip("#*")) :] if new[-1].isalnum() else ""  # of a code: "7741#"
    bare = replaced.strip(_CURRENCIES)
    if bare and set(_CURRENCIES).isdisjoint(new):
        new = replaced.replace(bare, new, 1)
    return text[: span.start] + new + text[end:]


def literal_keys(text: str) -> frozenset[str]:
    """Return the literals of a text as they are compared."""
    return frozenset(token.key for token in _tokens(text) if token.is_literal)


def literal_ends(text: str) -> frozenset[int]:
    """Return where the literals of a text end; a sign that ends a password belongs to it."""
    return frozenset(token.end for token in _tokens(text) if token.is_literal)


def literals(text: str) -> tuple[str, ...]:
    """Return the words of a text that must never change: those with a digit or a sign of addresses."""
    return tuple(text[token.start : token.end] for token in _tokens(text) if token.is_literal)


def repaired(value: str, sources: Sequence[str]) -> str | None:
    """Return `value` with each literal and name as the sources have it; None where a literal is nowhere there.

    For a model that words things itself, and well: only what must be exact is held to what was written. A literal
    that is nowhere is taken for the only one that is like it and that the value lacks.
    """
    there = [(source[token.start : token.end], token) for source in sources for token in _tokens(source)]
    written = {word for word, _ in there}
    known = {token.key: word for word, token in reversed(there)}
    names = {
        token.key: source[token.start : token.end]
        for source in reversed(sources)
        for token in _tokens(source)[1:]
        if token.is_capital
    }
    glued = {
        squashed: source[first.start : second.end]
        for source in sources
        for squashed, (first, second) in _glued(_tokens(source)).items()
    }
    mine = _tokens(value)
    pieces, at = [], 0
    for number, token in enumerate(mine):
        word = value[token.start : token.end]
        if word in written or not (token.is_literal or token.is_capital or token.key in names):
            continue
        if token.key in names:
            better: str | None = names[token.key]
        elif token.key in known:
            better = known[token.key] if token.is_literal else word
        elif token.is_literal and (squashed := _squashed(token.key)) in glued:
            better = glued[squashed]
        else:
            better = _like(token, mine, there[:MAX_SOURCE_WORDS], is_first=number == 0)
        if better is None and token.is_literal:
            return None
        pieces += [value[at : token.start], better or word]
        at = token.end
    return "".join([*pieces, value[at:]])


def _like(
    token: _Token, mine: Sequence[_Token], there: Sequence[tuple[str, _Token]], *, is_first: bool
) -> str | None:
    """Return the word of the sources that a literal or name was made of: the one like it that the value lacks."""
    taken = {one.key for one in mine}
    likeness = _Likeness()
    # The first word of a sentence has a capital, whatever it is.
    may_be_small = token.is_literal or not is_first
    scores = {
        word: likeness.of(token, other)
        for word, other in there
        if other.is_literal == token.is_literal and other.key not in taken and (other.is_capital or may_be_small)
    }
    like = [word for word, score in scores.items() if score > 0]
    if token.is_literal and len({fold(word) for word in like}) > 1:
        return None
    return max(like, key=lambda word: scores[word], default=None)


def _parts(text: str) -> list[str]:
    """Return what a literal is made of: the runs of digits, or where it has none, the word."""
    return [part for token in _tokens(text) for part in _DIGITS.findall(token.key) or [token.key]]


def _place(wanted: Sequence[_Token], there: Sequence[_Token]) -> int | None:
    """Return where `wanted` stands word for word."""
    keys = [token.key for token in wanted]
    return next(
        (
            at
            for at in range(len(there) - len(keys) + 1)
            if there[at].key == keys[0] and [token.key for token in there[at : at + len(keys)]] == keys
        ),
        None,
    )


def _tokens(text: str) -> list[_Token]:
    found = []
    has_bullets = "\n" in text
    for match in _WORD.finditer(text):
        word = match[0]
        is_bullet = has_bullets and not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        left, right = _bounds(word, is_bullet=is_bullet)
        bare = word[left:right]
        if bare:
            start = match.start() + left
            key = fold(bare)
            is_literal = _LITERAL.search(bare) is not None
            found.append(_Token(start, start + len(bare), _NUMBERS.get(key, key), is_literal, bare[:1].isupper()))
    return found


def _bounds(word: str, *, is_bullet: bool) -> tuple[int, int]:
    """Return where a word begins and ends without the punctuation around it.

    A minus or a point before a number is part of it, and so is whatever sign stands around a password.
    """
    left, right = len(word) - len(word.lstrip(_EDGES)), len(word.rstrip(_EDGES))
    bare = word[left:right]
    if not bare or _LITERAL.search(bare) is None or (left and word[:left] == word[right:]):
        return left, right
    if _PASSWORD.match(bare):
        return len(word) - len(word.lstrip(_OPENERS)), len(word.rstrip(_CLOSERS))
    if _CODE.fullmatch(bare):
        right = len(word) - len(word[right:].lstrip("!"))
    is_signed = left > 0 and word[left - 1] in "-." and not is_bullet and bare[0] in "0123456789$€£"
    return left - is_signed, right


def _squashed(key: str) -> str:
    return "".join(char for char in key if char.isalnum())


def _glued(there: Sequence[_Token]) -> dict[str, tuple[_Token, _Token]]:
    """Return each two neighbours, one of them a literal, by what becomes of them without what stands between."""
    pairs = pairwise(there[:MAX_SOURCE_WORDS])
    return {_squashed(one.key + two.key): (one, two) for one, two in pairs if one.is_literal or two.is_literal}


def _unglued(wanted: Sequence[_Token], there: Sequence[_Token]) -> list[_Token]:
    """Return the words, those that were written as two in two."""
    glued, known = _glued(there), {token.key for token in there}
    return [
        part
        for one in wanted
        for part in (glued.get(_squashed(one.key), (one,)) if one.is_literal and one.key not in known else (one,))
    ]


def _align(wanted: Sequence[_Token], there: Sequence[_Token], source: int) -> Span | None:
    """Find the run of words in `there` that is most like `wanted`; each cell keeps (score, first word)."""
    likeness = _Likeness(other_number=_OTHER_NUMBER)
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


def _is_number(token: _Token) -> bool:
    return token.key[:1].isdigit() and token.key[-1:].isdigit() and not any(map(str.isalpha, token.key))


def _shape(token: _Token) -> str:
    """Return a literal with equal digits ("10:30" and "11:45" are of one shape); other words as they are."""
    return _DIGIT.sub("0", token.key) if token.is_literal else token.key


class _Likeness:
    """How alike two words are, remembered for the length of one alignment.

    `other_number` is for two numbers that have nothing in common, where their place tells that one is meant.
    """

    def __init__(self, *, other_number: float = _OTHER) -> None:
        self._other_number = other_number
        self._known: dict[tuple[str, str], float] = {}

    def of(self, one: _Token, other: _Token) -> float:
        if one.key == other.key:
            return 1.0
        pair = (one.key, other.key)
        if pair not in self._known:
            least = _ALIKE_NAMES if one.is_capital and other.is_capital else _ALIKE
            least = _ALIKE_LITERALS if one.is_literal and other.is_literal else least
            matcher = SequenceMatcher(None, one.key[:64], other.key[:64], autojunk=False)
            is_alike = matcher.quick_ratio() >= least and matcher.ratio() >= least
            unlike = self._other_number if _is_number(one) and _is_number(other) else _OTHER
            likeness = matcher.ratio() if is_alike else unlike
            self._known[pair] = max(likeness, _SAME_SHAPE) if _shape(one) == _shape(other) else likeness
        return self._known[pair]
