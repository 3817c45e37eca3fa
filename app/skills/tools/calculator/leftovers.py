"""What is left of an amount, or missing to one, after others went off it or came to it, one after the other."""

from collections.abc import Sequence
from typing import Final

from app.domain.wording import stem
from app.skills.tools.calculator.goods import find_goods
from app.skills.tools.calculator.lexicon import BEFORE, NOTHING_COUNTED, PHRASES
from app.skills.tools.calculator.measures import Amount, amounts, has_more
from app.skills.tools.calculator.spoken import PERCENT_SIGN, WORD, has_word, says, word_at
from app.skills.tools.calculator.told import is_amount, unit_priced

_MOST: Final = 12
_MOST_WORDS_BETWEEN: Final = 9
_EACH: Final = "each"
_PAIR: Final = 2


def read_left(text: str) -> str | None:
    """Return the calculation of what is left or missing; None for a message that tells or asks anything else."""
    if has_word(text, "told.wishes") or _EACH in text:
        return None
    is_left, is_missing = (
        says(text, "left.asks"),
        says(text, "left.asks_missing"),
    )
    if not (is_left or is_missing):
        return None
    found = list(amounts(text))
    found = _with_goods(text, found)
    if not 1 < len(found) <= _MOST or has_more(text, found) or not _are_alike(text, found):
        return None
    return _left(text, found) if is_left else _missing(text, found)


def read_of_rest(text: str) -> str | None:
    """Return a share of what is left: "gasté 2000 y del resto ahorro el 30%", "the rest between 3"."""
    found = list(amounts(text))
    rest = PHRASES["left.rest"].search(text)
    if rest is None or not _PAIR < len(found) <= _MOST or has_more(text, found) or has_word(text, "told.wishes"):
        return None
    *others, last = found
    behind = text[rest.end() :]
    if others[-1].end > rest.start() or says(text[last.end :], "left.asks") or not says(text, "told.asks"):
        return None
    if last.unit or not _are_alike(text, others) or (left := _left(text, others)) is None:
        return None
    if PERCENT_SIGN.match(text, last.end):
        return f"{last.value}% of ({left})"
    is_shared = BEFORE["told.between"].search(text[: last.start]) and _EACH in WORD.findall(behind)
    return f"({left}) / {last.value}" if is_shared and last.value.isdecimal() else None


def _with_goods(text: str, found: Sequence[Amount]) -> list[Amount]:
    """Return the amounts with what so many at a price come to in the place of both."""
    goods = [one for one in find_goods(text) if not BEFORE["gain.price"].search(text[: one.start])]
    left = [one for one in found if not any(each.start <= one.start < each.end for each in goods)]
    products = (Amount(one.product, "", one.start, one.end) for one in goods)
    return sorted((*left, *products), key=lambda one: one.start)


def _are_alike(text: str, found: Sequence[Amount]) -> bool:
    """Whether all numbers are amounts, or count the same."""
    things: list[str] = []
    for one in found:
        if BEFORE["left.priced"].search(text[: one.start]):
            return False  # What one costs: "lo doy a 18", "compré 3 de 35".
        if "*" not in one.value and unit_priced(text, one):
            return False  # "They pay me 9 a kilo".
        is_plain = one.unit in ("", "pound") and "/" not in one.value and not PERCENT_SIGN.match(text, one.end)
        if not is_plain or PHRASES["told.sharers"].match(text, one.end + 1):
            return False
        thing = "" if is_amount(text, one) else word_at(text, one.end)
        things.append("" if thing in NOTHING_COUNTED or "*" in one.value else stem(thing))
    # "500, bought 3 shirts": how many cost nobody knows what.
    is_of_another = not things[0] and any(_is_counted(text, one) for one in found)
    return len({*things} - {""}) <= 1 and not is_of_another


def _is_counted(text: str, one: Amount) -> bool:
    thing = word_at(text, one.end)
    return thing.endswith("s") and thing not in NOTHING_COUNTED and not is_amount(text, one)


def _left(text: str, found: Sequence[Amount]) -> str | None:
    told, sign, place = found[0].value, "", found[0].end
    if says(text, "left.budget"):
        sign = "-"
    elif not any(PHRASES[f"left.{topic}"].search(text) for topic in ("had", "into", "out")):
        return None
    is_earned = "*" in told and BEFORE["told.sold"].search(text[: found[0].start])
    if not is_earned and _last(text, 0, found[0].start, ("out",)) and not _last(text, 0, found[0].start, ("had",)):
        return None
    for number, one in enumerate(found[1:], start=1):
        kind = _last(text, place, one.start, ("had", "into", "out", "bill"))
        sign = {"had": "", "into": "+", "out": "-", "bill": "-", "": sign}[kind]
        if not sign:
            # "650 se los presté": what says so stands behind.
            behind = found[number + 1].start if number + 1 < len(found) else len(text)
            sign = {"into": "+", "out": "-", "bill": "-"}.get(_first(text, one.end, behind), "")
        if not sign or len(WORD.findall(text[place : one.start])) > _MOST_WORDS_BETWEEN:
            return None
        told += f" {sign} {one.value}"
        place = one.end
    return told


def _first(text: str, start: int, end: int) -> str:
    said = [
        (one.start(), topic)
        for topic in ("into", "out", "bill")
        for one in PHRASES[f"left.{topic}"].finditer(text, start, end)
    ]
    return min(said)[1] if said else ""


def _last(text: str, start: int, end: int, topics: Sequence[str]) -> str:
    """Return which of the topics is said last between two places; "" where none is."""
    said = [
        (one.end(), -one.start(), topic)
        for topic in topics
        for one in PHRASES[f"left.{topic}"].finditer(text, start, end)
    ]
    return max(said)[2] if said else ""


def _missing(text: str, found: Sequence[Amount]) -> str | None:
    goal, had, place, kind = "", list[str](), 0, ""
    for one in found:
        kind = _last(text, place, one.start, ("goal", "have")) or kind
        place = one.end
        if kind == "have":
            had.append(one.value)
        elif kind == "goal" and not goal:
            goal = one.value
        else:
            return None
    return f"{goal} - {' - '.join(had)}" if goal and had else None
