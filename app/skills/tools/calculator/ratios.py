"""So much of one for so much of another, asked for others: "24 loops make 6 inches, the hem is 40 inches"."""

import re
from dataclasses import dataclass
from typing import Final

from app.domain.wording import stem
from app.skills.tools.calculator.lexicon import ASKED_UNIT, BEFORE, MEASURE_WORDS, PHRASES, TOLD_WISHES, WORDS
from app.skills.tools.calculator.measures import Amount, amounts, converted, dimension, has_more, is_divisible
from app.skills.tools.calculator.results import Quantity
from app.skills.tools.calculator.spoken import PERCENT_SIGN, WORD, behind, ends_at, has_word, says, word_at

_TRIPLE: Final = 3
_MOST: Final = 5
_PAUSE: Final = re.compile(r"[,.;:!?]")
COUNTED: Final = frozenset({"", "pair", "piece", "dozen"})
_SCALED: Final = frozenset({"mass", "volume", "length", "area"})


@dataclass(frozen=True, slots=True)
class Ratio:
    """So much `held` goes with the `base`; asked is how much of it goes with the `other`."""

    held: Amount
    base: Amount
    other: Amount


def read_in_ratio(text: str) -> Quantity | None:
    """Return how much goes with others where so much went with so many; None for any other message."""
    ratio = read_ratio(text)
    if ratio is None:
        return None
    other = converted(ratio.other.value, ratio.other.unit, ratio.base.unit)
    return Quantity(f"{ratio.held.value} * {other} / {ratio.base.value}", _named(text, ratio.held))


def read_ratio(text: str) -> Ratio | None:
    """Return what is told for so much and asked for another; None where it is not sure what is of what."""
    found = list(amounts(text))
    if (
        not _TRIPLE <= len(found) <= _MOST
        or has_more(text, found)
        or has_word(text, *TOLD_WISHES)
        or is_unlike(text)
    ):
        return None
    found = [one for one in found if not is_beside(text, one)]
    if len(found) != _TRIPLE or any(is_no_amount(text, one) or _is_time(text, one) for one in found):
        return None
    asked = [one["unit"] for one in ASKED_UNIT.finditer(text)]
    ratios = [
        ratio
        for first, second in ((found[0], found[1]), (found[1], found[2]))
        for ratio in _joined(text, first, second, next(one for one in found if one not in (first, second)))
        if _is_asked(text, ratio, asked)
    ]
    return ratios[0] if len(ratios) == 1 else None


def is_asked_for(text: str, other: Amount) -> bool:
    """Whether a bare number stands right behind the question: "how much for 12", not "and delivery is 10"."""
    asked = BEFORE["ratio.asked_for"].search(text[: other.start])
    follows = word_at(text, other.end)
    is_bare = ends_at(text, other.end) or follows in WORDS["ratio.behind_asked"]
    return asked is not None and is_bare and not other.unit


def is_unlike(text: str) -> bool:
    """Whether a message says more of its amounts than how they are scaled: some are left, or apart."""
    return has_word(text, "ratio.not") or any(
        says(text, f"ratio.{topic}") for topic in ("but_got", "part_of", "both_ways")
    )


def are_some_gone(text: str) -> bool:
    """Whether some of what is told are away, broken or used: how many there are of them is another number."""
    return has_word(text, "by_kind.gone") or says(text, "by_kind.taken")


def is_beside(text: str, one: Amount) -> bool:
    """Whether a number has nothing to do with what is asked: the dogs, an age, the heat of an oven."""
    before, after = text[: one.start], one.end + 1
    pets = PHRASES["ratio.pets"].match(text, after)
    if pets is not None:
        is_alone = sum(1 for _ in PHRASES["ratio.pets"].finditer(text)) == 1
        return is_alone and BEFORE["ratio.pets"].search(before) is not None
    if dimension(one.unit) == "temperature" or PHRASES["ratio.aside"].match(text, after):
        return True
    return word_at(text, one.end) in WORDS["ratio.time"] and BEFORE["ratio.baking"].search(before) is not None


def is_no_amount(text: str, one: Amount) -> bool:
    """Whether a number is money, a share, a fraction or nothing."""
    is_money = text[one.start] in "$€£" or behind("money", text, one.end)
    is_no_size = "/" in one.value or not one.value.strip("0.,") or PERCENT_SIGN.match(text, one.end)
    return bool(is_money or is_no_size)


def _is_time(text: str, one: Amount) -> bool:
    return _kind(text, one) in {stem(word) for word in WORDS["ratio.time"]} or dimension(one.unit) == "time"


def _joined(text: str, first: Amount, second: Amount, other: Amount) -> list[Ratio]:
    """Return in which ways two amounts that belong together can go with a third."""
    between = text[first.end : second.start]
    kind = _kind(text, first)
    link = between.strip()
    if not first.unit and kind:
        link = link.partition(WORD.findall(link)[0])[2].strip() if WORD.findall(link) else link
    link = _without_substance(link)
    is_said = PHRASES["ratio.joins"].fullmatch(link) is not None
    if _PAUSE.search(between) or not (is_said or _is_done_again(text, link, second)):
        return []
    ways = ((first, second), (second, first))
    return [Ratio(held, base, other) for held, base in ways if _are_alike(text, base, other, held)]


def _without_substance(link: str) -> str:
    """Return what stands between two amounts without what the first is of: "of feed in" is "in"."""
    words = link.split()
    return " ".join(words[2:]) if words[:1] and words[0] in WORDS["ratio.of"] else link


def _is_done_again(text: str, link: str, second: Amount) -> bool:
    """Whether a verb joins two amounts that is asked for again: "lay 24 eggs, how many do 7 lay"."""
    is_verb = link.isalpha() and link not in WORDS["ratio.no_verb"] and link not in WORDS["around"]
    return is_verb and link in WORD.findall(text[second.end :])


def _are_alike(text: str, base: Amount, other: Amount, held: Amount) -> bool:
    if base.unit in COUNTED and other.unit in COUNTED:
        kinds = _kind(text, base), _kind(text, other)
        return bool(kinds[0]) and kinds[0] == kinds[1] and kinds[0] != _kind(text, held)
    if base.unit == other.unit:
        return is_divisible(base.unit) and held.unit != base.unit
    is_measured = dimension(base.unit) in _SCALED and dimension(base.unit) == dimension(other.unit)
    return is_measured and dimension(held.unit) != dimension(base.unit)


def _is_asked(text: str, ratio: Ratio, asked: list[str]) -> bool:
    """Whether nothing is asked but how much of what is held goes with the other."""
    names = {_kind(text, ratio.held), stem(_substance(text, ratio.held))} - {""}
    told = [word for word in asked if word not in WORDS["ratio.puts"]]
    if told:
        is_named = all(stem(word) in names or MEASURE_WORDS.get(word) == ratio.held.unit != "" for word in told)
        return is_named and not any(MEASURE_WORDS.get(word, ratio.held.unit) != ratio.held.unit for word in told)
    between = text[ratio.held.end : ratio.base.start].strip()
    is_dose = PHRASES["ratio.dose"].fullmatch(_without_substance(between)) is not None
    return is_dose and bool(asked) and ratio.held.start < ratio.base.start < ratio.other.start


def _kind(text: str, one: Amount) -> str:
    """Return what a number counts: the stem of its name, or of its measure."""
    return one.unit if one.unit not in COUNTED else stem(word_at(text, one.end))


def _substance(text: str, one: Amount) -> str:
    words = text[one.end :].split(maxsplit=2)[:2]
    return words[1].strip(",.;:?!") if words[:1] and words[0] in WORDS["ratio.of"] and len(words) > 1 else ""


def _named(text: str, one: Amount) -> str:
    """Return how what is asked is named: "g", "stitches"."""
    if one.unit:
        unit = text[one.start : one.end].removeprefix(one.value).strip()
        return " ".join(filter(None, (unit, _substance(text, one))))
    return word_at(text, one.end)
