"""A price told with how it is to be shared: "dinner was 126, between the 4 of us how much each?"."""

import re
from typing import Final

from app.skills.tools.calculator.lexicon import ELSEWHERE, HOW_MUCH, SPLITS
from app.skills.tools.calculator.spoken import NUMBER, WORD, ways
from app.skills.tools.calculator.steps import read_step

_MAX_CHARS: Final = 200
_MOST_WORDS: Final = 16
_PAUSE: Final = re.compile(r"(?<![,.;:!?])[,.;:!?]{1,3}+ ")
_SHARED: Final = re.compile(r"\{\} / \d+")


def read_story(text: str) -> str | None:
    """Return the calculation of a message that tells one amount and asks for a part; None for any other."""
    if len(text) > _MAX_CHARS:
        return None
    return next(filter(None, map(_read, ways(text))), None)


def _read(text: str) -> str | None:
    numbers = list(NUMBER.finditer(text))
    words = WORD.findall(text)
    if len(numbers) != 2 or not ELSEWHERE.isdisjoint(words) or ("?" not in text and HOW_MUCH.isdisjoint(words)):
        return None
    told, parts = numbers
    if len(WORD.findall(text[: told.start()])) > _MOST_WORDS:
        return None
    for at in _beginnings(text, told.end(), parts.start()):
        step = read_step(text[at:])
        if step is not None and _SHARED.fullmatch(step):
            return step.replace("{}", told["number"])
    return None


def _beginnings(text: str, start: int, end: int) -> list[int]:
    """Return where what is asked may begin: behind a pause, or with a word such as "if"."""
    pauses = [one.end() for one in _PAUSE.finditer(text, start, end)]
    return sorted(
        {one for one in (*pauses, *(one.start() for one in SPLITS.finditer(text, start, end))) if one <= end}
    )
