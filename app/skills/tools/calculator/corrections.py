"""A number that a person takes back: "no, it was 31, not 13", "uy, eran 90 y no 60"."""

import re
from dataclasses import dataclass
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.skills.tools.calculator.lexicon import BUT_THIS, CORRECTS_NAMED, NOT_THAT, PHRASES, WORDS
from app.skills.tools.calculator.spoken import NUMBER, first_read, has_number, has_word, ways

_MAX_CHARS: Final = 120
_EDGES: Final = " .,;:!?¡¿…"
_PAUSES: Final = tuple(",.;:!")
_ONE_OR_A_PAIR: Final = (1, 2)
_OPENINGS: Final = 3
_PAUSE: Final = re.compile("(?<![,;:!.…])[,;:!.…]{1,3}+ ")
_NOUN: Final = re.compile(r"(?P<share> ?%)?(?: (?P<noun>[^\W\d_]{3,}))?")
_EXCUSED: Final = LatePattern(
    rf"(?:{WORDS.pattern('around_excuse')}[ ,.;:!…-]+){{0,4}}(?:{WORDS.pattern('excuse')}[ ,.;:!…-]+){{1,2}}"
    rf"(?:{WORDS.pattern('around_excuse')}[ ,.;:!…-]+){{0,4}}"
)
_EXCUSE_BEHIND: Final = LatePattern(
    rf"(?<![ ,.;:!…-])[ ,.;:!…-]++(?:{WORDS.pattern('around_excuse')}[ ,.;:!…-]++){{0,4}}"
    rf"{WORDS.pattern('excuse')}\W*\Z"
)


@dataclass(frozen=True, slots=True)
class Correction:
    """The numbers as they were written; `noun` is what the new one counts, where nothing says which was wrong."""

    new: str
    old: str | None = None
    noun: str = ""


def without_excuse(text: str) -> str:
    """Return "no, it was 3.5" of "no wait, I got it wrong, it was 3.5"; any other text as it is."""
    plain = fold(text)
    if len(plain) > _MAX_CHARS:
        return text
    rest = plain[begin.end() :] if (begin := _EXCUSED.match(plain)) else plain
    left = rest[: end.start()] if (end := _EXCUSE_BEHIND.search(rest)) else rest
    return f"no, {left}" if left != plain and any(map(has_number, ways(left))) else text


def read_correction(text: str) -> Correction | None:
    """Return which number takes whose place; None for a message that says anything else."""
    return first_read(_read, ways(text)) if len(text) <= _MAX_CHARS else None


def read_named(text: str) -> tuple[str, str] | None:
    """Return thing and number of a message that says again what something was: "ah no, lo del cine fueron 900"."""
    if len(text) > _MAX_CHARS:
        return None
    for way in (_PAUSE.sub(" ", one) for one in ways(text)):
        numbers = list(NUMBER.finditer(way))
        said = CORRECTS_NAMED.match(way)
        if len(numbers) == 1 and said is not None and said.end() == numbers[0].start():
            return said["thing"], numbers[0]["number"]
    return None


def _read(text: str) -> Correction | None:
    numbers = list(NUMBER.finditer(text))
    if len(numbers) not in _ONE_OR_A_PAIR or has_number(NUMBER.sub(" ", text)) or has_word(text, "elsewhere"):
        return None
    if len(numbers) == 1:
        return _alone(text, numbers[0])
    first, second = (one["number"] for one in numbers)
    between = text[numbers[0].end() : numbers[1].start()]
    if NOT_THAT.search(between):
        return Correction(first, second)
    is_second = NOT_THAT.search(text[: numbers[0].start()]) and (between == ", " or BUT_THIS.fullmatch(between))
    return Correction(second, first) if is_second else None


def _alone(text: str, number: re.Match[str]) -> Correction | None:
    """Read "sorry, no, it was 31 boxes": nothing but that may stand before the number, and no share behind it."""
    behind = _NOUN.match(text, number.end())
    if not _only_corrects(text[: number.start()]) or behind is None or behind["share"]:
        return None
    noun = behind["noun"] or ""
    return Correction(number["number"], noun="" if PHRASES["behind.amount"].fullmatch(noun) else noun)


def _only_corrects(before: str) -> bool:
    """Whether a text says that something was wrong; "no eran" without a comma says what it was not."""
    left, openings = before.strip(_EDGES), 0
    while left and openings < _OPENINGS and (opening := PHRASES["corrects"].match(left)) is not None:
        rest = left[opening.end() :]
        was = PHRASES["was"].match(rest.strip(_EDGES)) if rest[:1] in _PAUSES else None
        left, openings = rest.strip(_EDGES)[was.end() if was else 0 :].strip(_EDGES), openings + 1
    return not left and openings > 0
