"""The values of a text of which one may stand for another: numbers, days, sides, colours and names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from app.domain.wording import fold, stem
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS

Kind = Literal["number", "day", "side", "colour", "name"]

_TOKEN: Final = re.compile(r"[^\W_](?:[\w.:/@#+-]|['’](?=[A-ZÁÉÍÓÚÑ]))*[^\W_]|[^\W_]")
_ENDS_SENTENCE: Final = frozenset(".!?¡¿:")
ENDS_CLAUSE: Final = re.compile(r"[.,;!?\n]\s")
_LEADING: Final = COMMON_WORDS["leading_value"]
DENYING: Final = COMMON_WORDS["denying"]
_DAYS: Final = COMMON_WORDS["days"]
_SIDES: Final = COMMON_WORDS["sides"]
_COLOURS: Final = COMMON_WORDS["colours"] - COMMON_WORDS["no_mere_colours"]
_HALF: Final = re.compile(r" (?:y medi[oa]|and a half)\b|½", re.IGNORECASE)
_SIGNS: Final = re.compile(r"[#*]{1,3}(?![\w#*])")
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_INITIALS: Final = 3
_DIGITS_OF_A_PHONE: Final = 7
_WORDS_BEFORE: Final = 3
_FEWEST_LETTERS: Final = 2
OPENING: Final = LatePattern(rf"(?:\W*+{COMMON_WORDS.pattern('correcting')}){{1,3}}+")
EMPTY: Final = COMMON_WORDS["stop_words"] | COMMON_WORDS["asking"] | DENYING


@dataclass(frozen=True, slots=True)
class Value:
    """A number, a day, a side or a name of one or several words, with the words around it, which are stems, and
    the preposition right before it, if one `led` to it. `signs` are those of a code right behind it: "#", "*"."""

    kind: Kind
    start: int
    end: int
    text: str
    before: str
    after: str
    led: str
    signs: str
    is_denied: bool
    opens: bool
    clause: int

    @property
    def key(self) -> str:
        return fold(self.text)

    @property
    def shape(self) -> str:
        """What a number or a code looks like: "00.00" for "16.04", "0a" for "4B"."""
        return _LETTER.sub("a", _DIGIT.sub("0", self.key))


@dataclass(frozen=True)
class Read:
    text: str

    @cached_property
    def tokens(self) -> list[re.Match[str]]:
        return list(_TOKEN.finditer(self.text))

    @cached_property
    def clauses(self) -> list[int]:
        """Return where clauses end."""
        return [one.end() for one in ENDS_CLAUSE.finditer(self.text)]

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stem(fold(one[0])) for one in self.tokens)

    def stems_of(self, clause: int) -> set[str]:
        """Return the stems of the words of a clause that say something."""
        words = [fold(one[0]) for one in self.tokens if self.clause_of(one.start()) == clause]
        return {stem(word) for word in words if word not in EMPTY and len(word) > _FEWEST_LETTERS}

    def clause_of(self, place: int) -> int:
        return sum(end <= place for end in self.clauses)

    def values(self, known: frozenset[str] = frozenset()) -> Iterator[Value]:
        """Yield the values of a text; words that are `known` as names are names however they are written."""
        place = 0
        while place < len(self.tokens):
            kind = self._kind(place, known)
            last = place
            while kind == "name" and last + 1 < len(self.tokens) and self._goes_on(last, known):
                last += 1
            if kind == "number":
                last = self._end_of_phone(place)
            if kind is not None:
                yield self._value(kind, place, last)
            place = last + 1

    def _kind(self, place: int, known: frozenset[str]) -> Kind | None:
        word = self.tokens[place][0]
        if any(map(str.isdigit, word)):
            return "number"
        if fold(word) in _DAYS or fold(word).removesuffix("s") in _DAYS:
            return "day"
        if fold(word) in _SIDES:
            return "side"
        if fold(word) in _COLOURS:
            return "colour"
        is_name = (word[0].isupper() or fold(word) in known) and fold(word) not in EMPTY
        return "name" if is_name and len(word) >= _FEWEST_LETTERS else None

    def _end_of_phone(self, place: int) -> int:
        """Return where a number ends that is written in groups: "555 210 3344"."""
        last, digits = place, len(self.tokens[place][0])
        while self.tokens[last][0].isdecimal() and last + 1 < len(self.tokens):
            between = self.text[self.tokens[last].end() : self.tokens[last + 1].start()]
            if between != " " or not self.tokens[last + 1][0].isdecimal():
                break
            last += 1
            digits += len(self.tokens[last][0])
        return last if digits >= _DIGITS_OF_A_PHONE else place

    def _goes_on(self, place: int, known: frozenset[str]) -> bool:
        between = self.text[self.tokens[place].end() : self.tokens[place + 1].start()]
        is_one = between == " " or (between == ". " and len(self.tokens[place][0]) <= _INITIALS)
        return is_one and self.tokens[place + 1][0][0].isupper() and self._kind(place + 1, known) == "name"

    def _value(self, kind: Kind, first: int, last: int) -> Value:
        start, end = self.tokens[first].start(), self.tokens[last].end()
        if kind == "number" and (half := _HALF.match(self.text, end)) is not None:
            end = half.end()
        before = [fold(one[0]) for one in self.tokens[max(0, first - _WORDS_BEFORE) : first]]
        telling = [word for word in before if word not in EMPTY]
        opened = OPENING.match(self.text)
        is_next = first > 0 and self.text[self.tokens[first - 1].end() : start] == " "
        is_denied = is_next and before[-1] in DENYING
        signs = _SIGNS.match(self.text, end) if kind == "number" and self.text[start - 1 : start] != "*" else None
        after = fold(self.tokens[last + 1][0]) if last + 1 < len(self.tokens) else ""
        return Value(
            kind,
            start,
            end,
            self.text[start:end],
            before=stem(telling[-1]) if telling else "",
            after=stem(after) if after not in EMPTY else "",
            led=before[-1] if is_next and before[-1] in _LEADING else "",
            signs="" if signs is None else signs[0],
            is_denied=is_denied and not (opened is not None and opened.end() + 1 >= start),
            opens=not before or self.text[:start].rstrip()[-1:] in _ENDS_SENTENCE,
            clause=self.clause_of(start),
        )


def is_opener(value: Value) -> bool:
    """Tell whether a capital is only that of the first word of a sentence."""
    return value.kind == "name" and value.opens and " " not in value.text
