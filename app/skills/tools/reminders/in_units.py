"""A bare number in the place of a span that was just said: "make it 35" after "remind me in 20 minutes"."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import (
    CORRECTING,
    HOUR_LEAD,
    JOINERS,
    MOVING,
    OF_THE_CLOCK,
    PART_BEFORE_HOUR,
    PART_BEHIND_HOUR,
    REMINDING,
    TALK,
    WITHIN,
    may_ring,
    opens_with_noun,
)
from app.when.lexicon import WORDS
from app.when.meanings import Point
from app.when.reading import read_span, read_wish

_NUMBER: Final = re.compile(r"(?<![\w:.,])\d{1,3}(?![\w:.,]*\d|\w)")
_WORD: Final = re.compile(r"[^\W_]+")
_DIGIT: Final = re.compile(r"\d")
_SAID: Final = MOVING | CORRECTING | JOINERS | TALK | WITHIN
_MINUTES: Final = frozenset(WORDS.phrases("unit.minute"))
_MOST_HOURS: Final = 12
_LOOKED_BACK: Final = 3


def with_unit(text: str, before: Sequence[str], now: datetime, language: Language) -> str:
    """Return a text that gives nothing but another number with its unit, as a span; any other text as it is.

    `before` is what the person wrote, the newest first; `now` is local.
    """
    numbers = list(_NUMBER.finditer(text))
    said = set(_WORD.findall(fold(_NUMBER.sub(" ", text))))
    if len(numbers) != 1 or "?" in text or not said <= _SAID or not said.isdisjoint(OF_THE_CLOCK):
        return text
    number = numbers[0]
    unit = _unit(int(number[0]), before[:_LOOKED_BACK], now, language)
    for within in ("", *sorted(WITHIN)) if unit else ():
        spelt = f"{text[: number.start()]}{within} {number[0]} {unit}{text[number.end() :]}"
        if isinstance(read_wish(spelt, now, language).when, Point):
            return " ".join(spelt.split())
    return text


def with_hour(text: str, hour: int | None) -> str:
    """Return a text that gives nothing but a part of the hour that was said, with that hour: "mejor a y media"."""
    plain = fold(text)
    before, behind = PART_BEFORE_HOUR.search(plain), PART_BEHIND_HOUR.search(plain)
    part = before or behind
    if hour is None or part is None or len(plain) != len(text) or "?" in text or _DIGIT.search(text):
        return text
    if not _SAID.issuperset(_WORD.findall(f"{plain[: part.start()]} {plain[part.end() :]}")):
        return text
    said = " ".join(word for word in part[0].split() if word not in HOUR_LEAD)
    told = f"{said} {hour}" if before is not None else f"a las {hour} {said}"
    return " ".join(f"{text[: part.start()]} {told} {text[part.end() :]}".split())


def _unit(count: int, before: Sequence[str], now: datetime, language: Language) -> str:
    """Return what is counted: minutes or hours, as the newest span said; "" where none was."""
    spans = [(one, span) for one in before if (span := read_span(one, language)) is not None]
    if not spans or not any(map(_asks, before)):
        return ""
    newest, rest = spans[0][1]
    if read_wish(rest, now, language).when is not None or now + newest.span >= now + timedelta(days=1):
        return ""  # "20 minutes before the match at 5"
    is_minutes = any(
        now + span.span < now + timedelta(hours=1) or not _MINUTES.isdisjoint(_WORD.findall(fold(one)))
        for one, (span, _) in spans
    )
    return "min" if is_minutes or count > _MOST_HOURS else "h"


def _asks(wish: str) -> bool:
    folded = fold(wish)
    return REMINDING.search(folded) is not None or opens_with_noun(folded) or may_ring(folded)
