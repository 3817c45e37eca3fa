"""Numbers to be rung in a text: none of their digits say when."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from app.when.lexing import Piece

_FEWEST_DIGITS: Final = 7
_SHORT: Final = 2
_LONG: Final = 3
_OF_DAY: Final = 2400
_YEARS: Final = range(1900, 2101)
_NO_NUMBER: Final = "#"


def without_phones(pieces: Sequence[Piece], behind_hour_words: frozenset[int]) -> list[Piece]:
    """Return the pieces with those of a number to be rung as what says nothing: "11 4567 8899", "01-311-9898".

    Behind a word of `behind_hour_words` the first number is an hour: "at 9 555 12 34".
    """
    found = list(pieces)
    for places in _runs(pieces):
        numbers = [place for place in places if pieces[place].key.isdecimal()]
        first = pieces[numbers[0]].key
        if places[0] in behind_hour_words and len(first) <= _SHORT and not first.startswith("0"):
            numbers = numbers[1:]
        if _is_phone([pieces[place].key for place in numbers]):
            for place in numbers:
                found[place] = replace(pieces[place], key=_NO_NUMBER)
    return found


def _runs(pieces: Sequence[Piece]) -> Iterator[Sequence[int]]:
    """Yield the places of numbers that only blanks, or dashes without blanks, stand between."""
    run: list[int] = []
    for place, one in enumerate(pieces):
        is_dash = bool(run) and one.key == "-" and one.is_joined
        if one.key.isdecimal() or is_dash:
            run.append(place)
            continue
        if len(run) > 1:
            yield run
        run = []
    if len(run) > 1:
        yield run


def _is_phone(keys: Sequence[str]) -> bool:
    """Tell whether numbers in a row are neither a date nor hours: "5 12 2027", "0800 1400 2000"."""
    if len(keys) < _SHORT or sum(map(len, keys)) < _FEWEST_DIGITS or max(map(len, keys)) < _LONG:
        return False
    is_date = any(
        int(one) in _YEARS and len(other) <= _SHORT for pair in pairwise(keys) for one, other in (pair, pair[::-1])
    )
    return not is_date and not all(len(one) >= _LONG and int(one) < _OF_DAY for one in keys)
