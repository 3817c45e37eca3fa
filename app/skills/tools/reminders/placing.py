"""Which reminder is "the second one": of those that the person was just told, in that order."""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.wording import fold
from app.skills.tools.reminders.lexicon import BEFORE_A_DATE, BEHIND_A_DATE, OF_PLACE
from app.skills.tools.reminders.repository import Reminder
from app.when.lexicon import WORDS

_MOST: Final = 4
_FEWEST: Final = 2
_ANSWERS: Final = 2
_PLACES: Final = tuple(frozenset(WORDS.phrases(f"ordinal.{place}")) for place in range(1, _MOST + 1))
_WORD: Final = re.compile(r"[^\W_]+")


def told_in_order(active: Sequence[Reminder], answers: Sequence[str]) -> list[Reminder]:
    """Return those that one of the last answers told together, in its order; [] where none told several.

    `answers`: the newest first. A list of other things in between is meant instead.
    """
    for answer in answers[:_ANSWERS]:
        places = [(answer.find(one.text), one.id, one) for one in active]
        told = [one for at, _, one in sorted(places, key=lambda each: each[:2]) if at >= 0]
        if len(told) >= _FEWEST:
            return told
        if "\n" in answer.strip():
            break
    return []


def by_place(text: str, told: Sequence[Reminder]) -> tuple[Reminder | None, str]:
    """Return which of those is named by its place, and the text without that: "cancel the second one".

    None, and the whole text, where none is: "move it to the second of May".
    """
    found = list(_WORD.finditer(text))
    keys = ["", "", *(fold(word[0]) for word in found), ""]
    for number, word in enumerate(found):
        before, article, key, behind = keys[number : number + 4]
        place = next((at for at, words in enumerate(_PLACES) if key in words), len(told))
        is_date = before in BEFORE_A_DATE or behind in BEHIND_A_DATE
        if place < len(told) and article in OF_PLACE and not is_date:
            return told[place], f"{text[: found[number - 1].start()]}{text[word.end() :]}"
    return None, text
