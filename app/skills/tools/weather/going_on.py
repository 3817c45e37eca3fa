"""A question that goes on from the weather just told: "and on Saturday?", "and in Leeds?", "a coat, then?"."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final
from zoneinfo import ZoneInfo

from app.domain.chat import ToolCall
from app.domain.places import Places
from app.domain.turn import TurnContext
from app.language.folding import fold
from app.language.lexicon import COMMON_WORDS
from app.skills.tools.weather.asked import Hours, When, read_asked
from app.skills.tools.weather.lexicon import AROUND, AT, NO_PLACES, NOW, TOPICS
from app.skills.tools.weather.told import Told, read_told
from app.when.rules import to_local

_MAX_CHARS: Final = 120
_OPENING: Final = re.compile(rf"\W*{COMMON_WORDS.pattern('going_on')}(?!\w)", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MOST_WORDS: Final = 3
_KNOWN: Final = AROUND | AT | NOW | TOPICS


class OtherWeather:
    """`call` is a `Certain`."""

    def __init__(self, places: Places) -> None:
        self._places = places

    async def call(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Return the call for the same place with another time, or for another place with the same time.

        None where no weather was told just before, and where a word may mean something else.
        """
        now = to_local(ctx.received_at, ZoneInfo(ctx.timezone))
        told = read_told(next(iter(ctx.said.answers), ""), now.date())
        if told is None or len(text) > _MAX_CHARS:
            return None
        when = read_asked(text, now, ctx.language)
        opening = _OPENING.match(when.rest)
        rest = when.rest if opening is None else when.rest[opening.end() :]
        words = [one[0] for one in _WORD.finditer(rest)]
        place = self._place(words)
        is_asked = bool(when.days or when.hours) or any(fold(word) in TOPICS for word in words)
        if place is None or (opening is None and (place or "?" not in text)) or not (place or is_asked):
            return None
        return _call(place or told.place_in(ctx.language), *_time(when, told, words))

    def _place(self, words: Sequence[str]) -> str | None:
        """Return the place that is named; "" where every word is known and names none, None in doubt."""
        folded = [fold(word) for word in words]
        name, of_name = self._places.named_in(folded)
        if name and (of_name | _KNOWN).issuperset(folded):
            return name
        unknown = [i for i, word in enumerate(folded) if word not in _KNOWN]
        if not unknown:
            return ""
        # "In Villa Elisa": nothing but the name of a place can stand there.
        first, last = unknown[0], unknown[-1]
        is_named = first > 0 and folded[first - 1] in AT and last - first < _MOST_WORDS
        is_place = is_named and NO_PLACES.isdisjoint(folded[first : last + 1])
        return " ".join(words[first : last + 1]) if is_place else None


def _time(when: When, told: Told, words: Sequence[str]) -> tuple[Sequence[date], Hours | None]:
    """Return the days and hours that are asked for: what is not said stays as it was told."""
    if not NOW.isdisjoint(map(fold, words)):
        return (), None
    if when.days:
        return when.days, when.hours
    nearest = () if when.nearest is None else (when.nearest,)
    return told.days or nearest, when.hours or told.hours


def _call(place: str, days: Sequence[date], hours: Hours | None) -> ToolCall:
    arguments: dict[str, object] = {"place": place}
    if days:
        arguments["day"] = "/".join(day.isoformat() for day in days)
    if days and hours is not None:
        arguments["hours"] = hours.span
    return ToolCall("other_weather", "get_weather", arguments)
