"""The same sum for others: "and 18?", "now they are 24", "and with 4 more?", "y si solo viene la mitad?"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.wording import stem
from app.skills.tools.calculator.apiece import price_and_count
from app.skills.tools.calculator.lexicon import BEFORE, PHRASES, TOLD_WISHES, WORDS
from app.skills.tools.calculator.measures import Amount, amounts, dimension, has_more, measured_ways, number_end
from app.skills.tools.calculator.ratios import read_ratio
from app.skills.tools.calculator.scaling import find_others
from app.skills.tools.calculator.spoken import WORD, behind, has_word, says, size, word_at
from app.skills.tools.calculator.told import bought_at_a_price

_MAX_CHARS: Final = 80
_MOST_WORDS: Final = 12
_COUNT: Final = re.compile(r"[1-9]\d{0,4}")
_CENTS: Final = re.compile(r"[.,]\d\d\Z")
_EDGES: Final = " .,;:!?¡¿"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a message that asks for so many stands how many; `price` is what each of them, or all, cost."""

    text: str
    others: Amount
    price: Amount | None


def with_others(text: str, before: str) -> str | None:
    """Return the message `before` for as many others as `text` says now; None where that is not sure."""
    if len(text) > _MAX_CHARS or len(WORD.findall(text)) > _MOST_WORDS:
        return None
    for way in measured_ways(text):
        if has_word(way, *TOLD_WISHES) or not _may_go_on(way):
            continue
        for place in _places(before):
            if (now := _now(way, place)) is not None:
                start, end = place.others.start, number_end(place.text, place.others)
                return f"{place.text[:start]}{now}{place.text[end:]}"
    return None


def _may_go_on(way: str) -> bool:
    return says(way, "others.half") or any(char.isdecimal() for char in way)


def _places(before: str) -> Iterator[_Place]:
    for way in measured_ways(before):
        if (ratio := read_ratio(way)) is not None:
            yield _Place(way, ratio.other, None)
        elif (told := find_others(way)) is not None or (told := price_and_count(way) or bought_at_a_price(way)):
            yield _Place(way, *told)


def _now(way: str, place: _Place) -> str | None:
    """Return how many, or how much, it is for now."""
    found = list(amounts(way))
    if not found:
        return _half(way, place.others)
    if len(found) != 1 or has_more(way, found) or "%" in way or "/" in found[0].value:
        return None
    new = found[0]
    more = BEFORE["others.with"].fullmatch(way[: new.start].lstrip("¿¡ "))
    change = _change(way, new, place)
    if change:
        return _changed(place.others, new, change) if more else None
    if BEFORE["others.now"].fullmatch(way[: new.start].lstrip("¿¡ ")) is None or not _fits(way, new, place):
        return None
    return None if _may_be_the_price(new, place) else new.value


def _half(way: str, others: Amount) -> str | None:
    if PHRASES["others.half_now"].fullmatch(way.strip(_EDGES)) is None or _COUNT.fullmatch(others.value) is None:
        return None
    return None if others.unit or int(others.value) % 2 else str(int(others.value) // 2)


def _change(way: str, new: Amount, place: _Place) -> str:
    """Return the sign of so many more or less of the same."""
    rest = way[new.end :].strip(_EDGES)
    for topic, sign in (("others.more", "+"), ("others.less", "-")):
        said = PHRASES[topic].fullmatch(rest)
        if said is not None and _are_known(WORD.findall(said[0]), place):
            return sign
    return ""


def _are_known(words: list[str], place: _Place) -> bool:
    """Whether such words name nothing but what is counted there, or people."""
    thing = stem(word_at(place.text, place.others.end))
    known = WORDS["others.quiet"] | WORDS["around"]
    return all(word in known or stem(word) == thing for word in words)


def _changed(others: Amount, new: Amount, sign: str) -> str | None:
    if new.unit or not (_COUNT.fullmatch(others.value) and _COUNT.fullmatch(new.value)):
        return None
    now = int(others.value) + (int(new.value) if sign == "+" else -int(new.value))
    return str(now) if now > 0 else None


def _fits(way: str, new: Amount, place: _Place) -> bool:
    """Whether a new number is of what was counted, or measured, with nothing else behind it."""
    rest = WORD.findall(PHRASES["told.at_that_price"].sub(" ", way[new.end :]))
    is_money = way[new.start] in "$€£" or behind("money", way, new.end)
    if is_money or not _are_known(rest, place):
        return False
    return not new.unit or (new.unit == place.others.unit and dimension(new.unit) != "")


def _may_be_the_price(new: Amount, place: _Place) -> bool:
    """Whether a bare number is rather another price: nearer to it, or with cents where that has them."""
    if place.price is None or new.unit:
        return False
    if _CENTS.search(new.value) or not (_COUNT.fullmatch(new.value) or place.others.unit):
        return True
    now, others, price = (max(1, size(one.value)) for one in (new, place.others, place.price))
    to_others, to_price = (max(now, one) / min(now, one) for one in (others, price))
    return to_others > 2 and to_price < to_others
