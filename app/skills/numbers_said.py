"""Whether the numbers of a sum are those of the person: a small model puts in those of its examples."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import chain
from typing import Final

from app.domain.turn import Said
from app.language.catalogue import LANGUAGES
from app.language.folding import fold
from app.language.written_numbers import in_digits
from app.skills.lexicon import ANSWERS

_NUMBER: Final = re.compile(r"\d+(?:[.,'’ ]\d+)*")
_SEPARATOR: Final = re.compile(r"[.,'’ ]")
_WORD: Final = re.compile(r"[^\W\d_]+")
# What nobody needs to say: how many two or three are, hundredths, the parts of a day, week and year, and measures.
_COUNTS: Final = (*range(8), 9, 10, 12, 24, 30, 31, 32, 52, 60, 100, 365, 1000)
_MEASURES: Final = ("1.6", "1.609", "1.8", "2.2", "2.54", "3.14", "3.1416")
_KNOWN: Final = frozenset(map(Decimal, (*_COUNTS, *_MEASURES)))
_HUNDRED: Final = Decimal(100)
_POWERS: Final = (Decimal(1000), Decimal(1_000_000))
_QUARTERS: Final = (Decimal("0.25"), Decimal("0.5"), Decimal("0.75"))
_NAMES_OF_POWERS: Final = (
    re.compile(r"(?<![^\W\d_])(?:mil|k|thousand|grand|lucas?)(?!\w)"),
    re.compile(r"(?<![^\W\d_])(?:millon(?:es)?|millions?|m|palos?)(?!\w)"),
)
_SHARE: Final = re.compile(r"%|por ?ciento|per ?cent")
_BY_ITSELF: Final = re.compile(r"(?<![\d.,])(\d++(?:[.,]\d++)*+) ?[*×x/÷-] ?\1(?![\d.,])")
_MOST_CHARS: Final = 4_000


def has_strange_number(expression: str, said: Said) -> bool:
    """Tell whether a sum has a number that neither the person said nor was told, and that no such number makes:
    20 is 20%, 0.2 and 1.2, too, "2 and a half" 2.5, "64 mil" 64000, "a dozen" 12.

    Nor is what was said once multiplied by itself, but of squares, nor divided by itself or taken from itself: a
    small model does so with all that it sees ("3.6 × 48 / 48").
    """
    told = "\n".join((*said.now, *said.before, *said.answers))[:_MOST_CHARS]
    known = set(_made_of(numbers_in(told), set(_WORD.findall(fold(told))), fold(told)))
    is_strange = any(known.isdisjoint(_readings(one)) for one in _NUMBER.findall(expression))
    return is_strange or any(_is_said_once(one[1], said.now) for one in _BY_ITSELF.finditer(expression))


def _is_said_once(number: str, now: Sequence[str]) -> bool:
    """Tell whether a number stands once in the newest messages, which say nothing of squares."""
    text = fold("\n".join(now))
    is_square = not ANSWERS["squaring"].isdisjoint(_WORD.findall(text))
    return not is_square and _NUMBER.findall(text).count(number) == 1


def numbers_in(told: str) -> set[Decimal]:
    """Return all that the numbers of a text may be, in digits or in words."""
    ways = (told, *(in_digits(fold(told), language) for language in LANGUAGES))
    return set(chain.from_iterable(_readings(one) for way in ways for one in _NUMBER.findall(way)))


def _readings(number: str) -> set[Decimal]:
    """Return what a number may be: "1.500" is 1500 or 1.5."""
    parts = [part for part in _SEPARATOR.split(number) if part]
    apart = {Decimal(part) for part in parts if " " in number}
    whole, decimal = Decimal("".join(parts)), Decimal(f"{''.join(parts[:-1]) or 0}.{parts[-1]}")
    return {whole, decimal, *apart} if len(parts) > 1 else {whole}


def _made_of(said: Iterable[Decimal], words: set[str], told: str) -> Iterable[Decimal]:
    table = ANSWERS.table("parts")
    parts = {Decimal(number) for number, named in table.items() if not words.isdisjoint(named)}
    is_in_parts = any(part % 1 != 0 for part in parts)
    is_share = _SHARE.search(told) is not None
    powers = [power for power, named in zip(_POWERS, _NAMES_OF_POWERS, strict=True) if named.search(told)]
    yield from _KNOWN
    for number in {*said, *parts}:
        yield number
        yield from (number * power for power in powers)
        if is_share:
            yield from (number / _HUNDRED, (_HUNDRED + number) / _HUNDRED, (_HUNDRED - number) / _HUNDRED)
            yield from (_HUNDRED + number, _HUNDRED - number)
        if is_in_parts:
            yield from (number + part for part in _QUARTERS)
