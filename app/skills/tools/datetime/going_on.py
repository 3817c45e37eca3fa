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
        place, _ = self._places.named_in(words)
        return ToolCall("other_clock", "get_current_datetime", {"timezone": place}) if place else None
