"""The same sum for others: "and 18?", "now they are 24", "and with 4 more?", "y si solo viene la mitad?"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.wording import stem
from app.language.late import LatePattern
from app.skills.tools.calculator.apiece import price_and_count
from app.skills.tools.calculator.by_kind import solve_by_kind
from app.skills.tools.calculator.lexicon import BEFORE, PHRASES, TOLD_WISHES, WORDS
from app.skills.tools.calculator.measures import Amount, amounts, dimension, has_more, measured_ways, number_end
from app.skills.tools.calculator.ratios import read_ratio
from app.skills.tools.calculator.scaling import find_others
from app.skills.tools.calculator.spoken import NUMBER, WORD, behind, has_word, size, word_at
from app.skills.tools.calculator.told import bought_at_a_price
from app.skills.tools.calculator.yields import find_yield

_MAX_CHARS: Final = 120
_MOST_WORDS: Final = 12
_COUNT: Final = re.compile(r"[1-9]\d{0,4}")
_CENTS: Final = re.compile(r"[.,]\d\d\Z")
_NEAR: Final = 2
_FAR: Final = 4
_MOST_TIMES: Final = 8
_PAIR: Final = 2
# What ends with the last of these is a story.
_STORY: Final = LatePattern(
    rf"\A.{{0,100}}[,.;:!](?=\s)\s*|\A.{{0,100}}\s(?={WORDS.pattern('others.comes_to')} )",
    re.IGNORECASE | re.DOTALL,
)
_TIMES: Final = re.compile(r" ?(?:x|×|\*) ?")
_SCALED: Final = re.compile(r"[\d.,]{1,20} × [\d.,]{1,20} / [\d.,]{1,20}")
_EDGES: Final = " .,;:!?¡¿"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a message that asks for so many stands how many; `price` is what each of them, or all, cost."""

    text: str
    others: Amount
    price: Amount | None


def with_others(text: str, before: str) -> str | None:
    """Return the message `before` for as many others as `text` says now; None where that is not sure."""
    whole = measured_ways(text)
    for way in ways_for_others(text):
        for place in _places(before):
            if (now := _now(way, place, is_rest=way not in whole)) is not None and _may_become(way, *now):
                return _put(*now, place.text)
    return None


def is_undecided(text: str, before: str) -> bool:
    """Whether a number tells what somebody has, or may be how many of what has a price as well as that price."""
    ways = [(way, number) for way in measured_ways(text) if (number := NUMBER.search(way)) is not None]
    heads = [way[: number.start()].lstrip("¿¡ ") for way, number in ways]
    if any(BEFORE["others.no_change"].fullmatch(head) for head in heads):
        return True
    is_now = any(head and BEFORE["others.now"].fullmatch(head) for head in heads) and bool(ways_for_others(text))
    return is_now and any(place.price is not None for place in _places(before))


def is_scaled(told: str, said: Sequence[str]) -> bool:
    """Whether a sum is of a message that asks for others in proportion, and so is shared among nobody."""
    if _SCALED.fullmatch(told) is None:
        return False
    ways = (way for one in said for way in measured_ways(one))
    return any(read_ratio(way) is not None or find_others(way) is not None for way in ways)


def ways_for_others(text: str) -> list[str]:
    """Return a text, or what its story comes to, as it is measured, where it may say how many it is now."""
    if len(text) > _MAX_CHARS:
        return []
    ways = dict.fromkeys((*measured_ways(text), *filter(_has_head, measured_ways(_last_clause(text)))))
    is_short = (one for one in ways if len(WORD.findall(one)) <= _MOST_WORDS)
    return [one for one in is_short if _may_be_for_others(one) and not has_word(one, *TOLD_WISHES)]


def _has_head(rest: str) -> bool:
    """Whether what a story comes to says what its number is, as "at 8" and "20" do not."""
    number = NUMBER.search(rest)
    head = WORD.findall(rest[: number.start()]) if number else [rest]
    return not WORDS["others.no_head"].issuperset(head)


def _may_become(way: str, old: Amount, new: str) -> bool:
    """Whether an amount may be as many now: far more or less of it has to be asked for."""
    if "/" in f"{new}{old.value}":
        return True
    sizes = [max(1, size(one)) for one in (old.value, new)]
    number = NUMBER.search(way)
    return max(sizes) <= _MOST_TIMES * min(sizes) or (number is not None and _is_asked_bare(way[: number.start()]))


def _is_asked_bare(head: str) -> bool:
    return WORDS["others.asked_bare"].issuperset(WORD.findall(head))


def _last_clause(text: str) -> str:
    """Return what a story comes to: "make it 37", of "a whole row joined, make it 37"."""
    return _STORY.sub("", text, count=1)


def _put(old: Amount, new: str, text: str) -> str:
    return f"{text[: old.start]}{new}{text[number_end(text, old) :]}"


def _may_be_for_others(way: str) -> bool:
    """Whether a text, as it is measured, says nothing but how many, how much or at which price it is now."""
    number = NUMBER.search(way)
    if number is None:
        return PHRASES["others.half_now"].fullmatch(way.strip(_EDGES)) is not None
    head = way[: number.start()].lstrip("¿¡ ")
    return any(BEFORE[f"others.{topic}"].fullmatch(head) for topic in ("now", "with", "price"))


def _places(before: str) -> Iterator[_Place]:
    for way in measured_ways(before):
        if (ratio := read_ratio(way)) is not None:
            yield _Place(way, ratio.other, None)
        elif (told := find_others(way)) is not None or (told := price_and_count(way) or bought_at_a_price(way)):
            yield _Place(way, *told)
        elif (solved := solve_by_kind(way)) is not None:
            yield _Place(way, solved.others, None)
        elif (given := find_yield(way)) is not None:
            yield _Place(way, given.others, None)
        elif (factors := _factors(way)) is not None:
            yield _Place(way, *factors)


def _factors(way: str) -> tuple[Amount, Amount] | None:
    """Return how many times what, of a bare product: "48 x 6.50"."""
    found = list(amounts(way))
    if len(found) != _PAIR or has_more(way, found) or any(one.unit for one in found):
        return None
    between = way[found[0].end : found[1].start]
    if _TIMES.fullmatch(between) is None and PHRASES["multiplied.by"].fullmatch(between.strip()) is None:
        return None
    count, price = sorted(found, key=lambda one: _COUNT.fullmatch(one.value) is None)
    return (count, price) if _COUNT.fullmatch(count.value) else None


def _now(way: str, place: _Place, *, is_rest: bool) -> tuple[Amount, str] | None:
    """Return which number of the place is another now, and which."""
    found = list(amounts(way))
    if not found:
        half = _half(way, place.others) if _are_people(place) else None
        return (place.others, half) if half else None
    if len(found) != 1 or has_more(way, found) or "%" in way or "/" in found[0].value:
        return None
    new, head = found[0], way[: found[0].start].lstrip("¿¡ ")
    is_priced = place.price is not None and BEFORE["others.price"].fullmatch(head) is not None
    is_plain = new.unit or is_priced or (_is_asked_bare(head) and not WORD.findall(way[new.end :]))
    if _is_measured(place) and not is_plain:
        return None
    if (change := _change(way, new, place)) != "":
        now = _changed(place.others, new, change) if BEFORE["others.with"].fullmatch(head) else None
        return (place.others, now) if now else None
    rest = WORD.findall(way[new.end :])
    if not _are_known(rest, place) or not WORDS["others.apart"].isdisjoint(rest):
        return None
    if place.price is not None and is_priced:
        is_near = _CENTS.search(new.value) or _apart(new, place.price) <= _FAR
        return (place.price, new.value) if is_near and not new.unit and not rest else None
    is_money = way[new.start] in "$€£" or behind("money", way, new.end)
    if is_money or not BEFORE["others.now"].fullmatch(head):
        return None
    return _of_either(head, new, place, is_counted=bool(rest) or is_rest)


def _is_measured(place: _Place) -> bool:
    """Whether what may be another is so much of a mass or a volume, and nothing that is counted."""
    others = place.others
    is_small = word_at(place.text, others.end) in WORDS["others.small_measure"]
    return dimension(others.unit) in {"mass", "volume"} or is_small


def _of_either(head: str, new: Amount, place: _Place, *, is_counted: bool) -> tuple[Amount, str] | None:
    """Return whether a number is of what was counted, or measured, or rather the price of it."""
    words, is_whole = set(WORD.findall(head)), _CENTS.search(new.value) is None
    if place.others.unit and not WORDS["others.people_are"].isdisjoint(words):
        return None  # People are none of the metres.
    is_of_one = not WORDS["others.one_only"].isdisjoint(words) and WORDS["others.make"].isdisjoint(words)
    if is_of_one and is_whole and place.price is not None and not _are_people(place):
        return None  # "It was 60": of what is told, or of another thing.
    are_they = not WORDS["others.they"].isdisjoint(words)
    is_counted |= is_whole and (
        not WORDS["others.counting"].isdisjoint(words) or (are_they and _are_people(place))
    )
    if place.price is None or new.unit or is_counted:
        is_alike = not new.unit or new.unit == place.others.unit
        return (place.others, new.value) if is_alike else None
    if WORD.findall(head)[-1:] and WORD.findall(head)[-1] in WORDS["others.with_it"]:
        return None  # "And with 20?" may come on top.
    nearest = _nearest(new, place, place.price)
    if nearest is None or nearest[0] == place.others:
        return nearest
    is_sure = not is_whole or (not are_they and _apart(new, place.others) >= _FAR)
    return nearest if is_sure else None


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


def _are_people(place: _Place) -> bool:
    """Whether those that are counted may come or not; what has a price is a thing, unless its name says else."""
    names = WORDS["apiece.for_people"] | WORDS["apiece.kids"]
    thing = stem(word_at(place.text, place.others.end))
    is_named = any(stem(one) == thing for one in names) or PHRASES["told.sharers"].match(
        place.text, place.others.end + 1
    )
    return not place.others.unit and bool(place.price is None or is_named)


def _are_known(words: list[str], place: _Place) -> bool:
    """Whether such words name nothing but what is counted there, or people."""
    thing = stem(word_at(place.text, place.others.end))
    known = (
        WORDS["others.quiet"] | WORDS["around"] | (WORDS["others.people"] if _are_people(place) else frozenset())
    )
    return all(word in known or stem(word) == thing for word in words)


def _changed(others: Amount, new: Amount, sign: str) -> str | None:
    if new.unit or others.unit or not (_COUNT.fullmatch(others.value) and _COUNT.fullmatch(new.value)):
        return None
    now = int(others.value) + (int(new.value) if sign == "+" else -int(new.value))
    return str(now) if now > 0 else None


def _nearest(new: Amount, place: _Place, price: Amount) -> tuple[Amount, str] | None:
    """Return which of how many and the price is nearer to a bare number; None where neither is."""
    is_count = _COUNT.fullmatch(new.value) is not None
    if _CENTS.search(new.value) or not (is_count or place.others.unit):
        is_price = _CENTS.search(price.value) and _apart(new, price) <= _NEAR
        return (price, new.value) if is_price and not place.others.unit else None
    is_exact = is_count and _CENTS.search(price.value)
    if _apart(new, place.others) <= _NEAR or is_exact or _apart(new, place.others) < _apart(new, price):
        return place.others, new.value
    return (price, new.value) if _apart(new, price) <= _NEAR else None


def _apart(one: Amount, other: Amount) -> float:
    sizes = [max(1, size(each.value)) for each in (one, other)]
    return max(sizes) / min(sizes)
