"""Among how many a result is shared where they are named, too: "split three ways with Ana and Leo", "a medias"."""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.wording import fold
from app.skills.tools.calculator.lexicon import BEFORE, PHRASES, TOLD_WISHES, WORDS
from app.skills.tools.calculator.results import Told
from app.skills.tools.calculator.sharers import read_shared
from app.skills.tools.calculator.spoken import (
    NUMBER,
    WORD,
    ends_at,
    first_read,
    has_number,
    has_word,
    says,
    size,
    ways,
    word_at,
)

_COUNT: Final = re.compile(r"[2-9]|[1-9]\d{1,2}")
_ME: Final = re.compile(r"(?<!\w)yo(?!\w)")
_HALVES: Final = re.compile(r"(?<![\w.,/-])50 ?[-/] ?50(?![\w/])")
_BETWEEN_NAMES: Final = re.compile(r"[,;:.!?&]|(?<!\w)(?:and|with|y|e|con|plus|mas|me|yo|n)(?!\w)")
_MOST_BACK: Final = 3
_MOST_CHARS: Final = 160
_MOST_UNKNOWN: Final = 2


def share_out(text: str, told: Told) -> str | None:
    """Return what each gets of a result, or of what was shared before; None where a message asks anything else."""
    shared, sharers = read_shared(told.sum), read_shared_out(text)
    return f"{shared.whole if shared else told.value} / {sharers}" if sharers else None


def read_shared_out(text: str) -> int | None:
    """Return how many share what was told, whoever is named; None for a message that says anything else."""
    return first_read(_shared_out, ways(text)) if len(text) <= _MOST_CHARS else None


def _shared_out(text: str) -> int | None:
    text = _HALVES.sub("50 50", text)
    if has_word(_ME.sub("", text), *TOLD_WISHES, "elsewhere", "negated", "shared.past"):
        return None
    if says(PHRASES["shared.paying"].sub(" ", text), "own_story"):
        return None
    if (half := PHRASES["shared.halves"].search(text)) is not None:
        is_opened = not WORDS["rest.opening"].isdisjoint(WORD.findall(text)[:1])
        is_asked = is_opened or half.start() == 0 or says(text, "shared.paying") or has_word(text, "shared.each")
        return 2 if is_asked and _names_sharers(f"{text[: half.start()]},{text[half.end() :]}", 2) else None
    number = max(NUMBER.finditer(text), key=lambda one: size(one["number"]), default=None)
    if number is None or _COUNT.fullmatch(number["number"]) is None:
        return None
    count = int(number["number"])
    # "3 ways with my 2 brothers"
    head, tail = (
        NUMBER.sub(lambda one: " " if one["number"] == str(count - 1) else one[0], part)
        for part in (text[: number.start()], text[number.end() :])
    )
    people = PHRASES["shared.people"].match(tail.lstrip())
    between = BEFORE["shared.between"].search(head)
    is_each = people and (says(text, "rest.each") or has_word(text, "shared.each"))
    rest = tail.lstrip()[people.end() :] if people else tail
    head = head[: between.start()] if between else head
    is_parts = people is not None and says(people[0], "behind.parts")
    is_said = between is not None or is_each or is_parts
    return (
        count
        if is_said and (is_parts or not _counts_more(rest)) and _names_sharers(f"{head},{rest}", count)
        else None
    )


def in_instalments(text: str, said: Sequence[str]) -> str | None:
    """Return what each time is where "he pays me back in 8 goes" asks it of what is owed, as `said` before.

    `said`: what the person wrote before, oldest first; only the newest that tells an amount counts.
    """
    times = first_read(_times, ways(text)) if len(text) <= _MOST_CHARS else None
    told = next((one for one in reversed(said[-_MOST_BACK:]) if has_number(fold(one))), "") if times else ""
    owed = first_read(_owed, ways(told)) if told else None
    return f"{owed} / {times}" if owed else None


def _times(text: str) -> str | None:
    number = NUMBER.search(text)
    if number is None or _COUNT.fullmatch(number["number"]) is None or has_number(text[number.end() :]):
        return None
    times = PHRASES["instalments.times"].match(text, number.end() + 1)
    head = BEFORE["instalments.in"].search(text[: number.start()])
    if times is None or head is None or has_word(text, "told.wishes", "elsewhere"):
        return None
    known = WORDS["around"] | WORDS["told.asks_many"] | WORDS["instalments.around"]
    rest = WORD.findall(f"{text[: head.start()]} {text[times.end() :]}")
    is_asked = "?" in text or not WORDS["told.asks_many"].isdisjoint(rest)
    return number["number"] if is_asked and known.issuperset(rest) else None


def _owed(text: str) -> str | None:
    """Return the only number of a text that tells what somebody owes, or lent."""
    found = list(NUMBER.finditer(text))
    is_told = len(found) == 1 and "?" not in text and not has_number(NUMBER.sub(" ", text))
    if not is_told or not has_word(text[: found[0].start()], "instalments.owes"):
        return None
    return found[0]["number"] if ends_at(text, found[0].end()) or not _is_time(text, found[0].end()) else None


def _is_time(text: str, at: int) -> bool:
    return word_at(text, at) in WORDS["ratio.time"]


def _counts_more(rest: str) -> bool:
    """Whether one more is counted in: "4 friends and me"; not "with Ana", who is one of them."""
    joins, other = (*WORD.findall(rest)[:2], "", "")[:2]
    is_joined = not ends_at(rest, 0) and joins in WORDS["joining"] - WORDS["shared.beside"]
    return is_joined and other not in WORDS["asking_how_much"] | WORDS["told.asks_many"]


def _names_sharers(rest: str, count: int) -> bool:
    """Whether the rest of a message says nothing but who they are, and asks how much it is for each."""
    known = WORDS["around"] | WORDS["told.before_people"] | WORDS["told.asks_many"] | WORDS["shared.each"]
    quiet = PHRASES["shared.paying"].sub(" ", PHRASES["told.asks"].sub(" ", rest))
    named = [
        unknown
        for one in _BETWEEN_NAMES.split(quiet)
        if (unknown := [word for word in WORD.findall(one) if word not in known])
    ]
    return not has_number(rest) and len(named) <= count and all(len(one) <= _MOST_UNKNOWN for one in named)
