"""What is left of an amount, or missing to one, after others went off it or came to it, one after the other."""

from collections.abc import Sequence
from typing import Final

from app.domain.wording import stem
from app.skills.tools.calculator.lexicon import NOTHING_COUNTED, PHRASES
from app.skills.tools.calculator.measures import Amount, amounts, has_more
from app.skills.tools.calculator.spoken import PERCENT_SIGN, WORD, has_word, says, word_at
from app.skills.tools.calculator.told import is_amount

_MOST: Final = 12
_MOST_WORDS_BETWEEN: Final = 9
_EACH: Final = "each"


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
    if not 1 < len(found) <= _MOST or has_more(text, found) or not _are_alike(text, found):
        return None
    return _left(text, found) if is_left else _missing(text, found)


def _are_alike(text: str, found: Sequence[Amount]) -> bool:
    """Whether all numbers are amounts, or count the same."""
    things: set[str] = set()
    for one in found:
        is_plain = one.unit in ("", "pound") and "/" not in one.value and not PERCENT_SIGN.match(text, one.end)
        if not is_plain or PHRASES["told.sharers"].match(text, one.end + 1):
            return False
        thing = "" if is_amount(text, one) else word_at(text, one.end)
        things.add("" if thing in NOTHING_COUNTED else stem(thing))
    return len(things - {""}) <= 1


def _left(text: str, found: Sequence[Amount]) -> str | None:
    told, sign, place = found[0].value, "", found[0].end
    if says(text, "left.budget"):
        sign = "-"
    elif not any(PHRASES[f"left.{topic}"].search(text) for topic in ("had", "into", "out")):
        return None
    if _last(text, 0, found[0].start, ("out",)) and not _last(text, 0, found[0].start, ("had",)):
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
