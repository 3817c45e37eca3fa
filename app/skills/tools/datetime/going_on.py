"""A question for another place's clock, right after one was told: "and for my aunt? she's in Quito"."""

import re
from typing import Final

from app.domain.chat import ToolCall
from app.domain.places import Places, fold
from app.domain.turn import TurnContext
from app.language.lexicon import COMMON_WORDS
from app.skills.tools.datetime.lexicon import QUESTIONS

_MAX_CHARS: Final = 120
_TOLD: Final = re.compile(r"[^\n:]{1,60}: \d\d:\d\d, [^\n:]{1,60}")
_OPENING: Final = re.compile(rf"\W*{COMMON_WORDS.pattern('going_on')}(?!\w)", re.IGNORECASE)
_MOST_WORDS: Final = 3
_LEAST_LETTERS: Final = 4
_OTHER: Final = QUESTIONS["other"]


class OtherClock:
    """`call` is a `Certain`."""

    def __init__(self, places: Places) -> None:
        self._places = places

    async def call(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Return the call for the clock of the place that is named; None where no clock was told just before."""
        newest = next(iter(ctx.said.answers), "")
        if len(text) > _MAX_CHARS or _TOLD.fullmatch(newest) is None or _OPENING.match(text) is None:
            return None
        words = fold(text).split()
        if not _OTHER.isdisjoint(words):
            return None
        place = self._named(words)
        return ToolCall("other_clock", "get_current_datetime", {"timezone": place}) if place else None

    def _named(self, words: list[str]) -> str | None:
        """Return the only city, with the country that is named beside it, or the only country."""
        found: list[str] = []
        at = 0
        while at < len(words):
            name = next((name for size in range(_MOST_WORDS, 0, -1) if (name := self._at(words, at, size))), None)
            found += [name] if name else []
            at += len(name.split()) if name else 1
        found = list(dict.fromkeys(found))
        countries = [name for name in found if self._places.territory(name) is not None]
        cities = [name for name in found if name not in countries]
        if len(cities) > 1 or len(countries) > 1:
            return None
        return ", ".join((*cities, *countries)) or None

    def _at(self, words: list[str], at: int, size: int) -> str | None:
        name = " ".join(words[at : at + size])
        is_whole = at + size <= len(words) and len(name) >= _LEAST_LETTERS
        return name if is_whole and self._places.is_named(name) else None
