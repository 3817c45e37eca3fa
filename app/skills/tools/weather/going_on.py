"""A question that goes on from the weather just told: "and on Saturday?", "and in Leeds?", "a coat, then?"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from app.database.repositories.conversations import Conversations
from app.domain.chat import ToolCall
from app.domain.inbound import InboundMessage
from app.domain.outbound import Reply
from app.domain.places import Places
from app.domain.turn import TurnContext
from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.tools.weather.asked import Hours, When, read_asked
from app.skills.tools.weather.lexicon import AROUND, AT, NO_PLACES, NOW, TOPICS
from app.skills.tools.weather.told import Told, read_told
from app.skills.whereabouts.people import Spoken, read_spoken
from app.skills.whereabouts.whereabouts import Whereabouts, asked_where
from app.when.rules import to_local

_MAX_CHARS: Final = 120
_OPENING: Final = LatePattern(
    rf"\W*(?:{COMMON_WORDS.pattern('leading_on')}\W+){{0,2}}{COMMON_WORDS.pattern('going_on')}(?!\w)",
)
_GOING_ON: Final = LatePattern(rf"{COMMON_WORDS.pattern('going_on')}(?!\w)")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MOST_WORDS: Final = 3
_KNOWN: Final = AROUND | AT | NOW | TOPICS


class OtherWeather:
    """`call` is a `Certain`, `tell` a `Telling`."""

    def __init__(self, places: Places, whereabouts: Whereabouts, conversations: Conversations) -> None:
        self._places = places
        self._whereabouts = whereabouts
        self._conversations = conversations

    async def call(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Return the call for the same place with another time, or for another place with the same time.

        Another place may be where somebody was told to live. None where no weather was told just before, unless it
        is asked for where somebody lives, and where a word may mean something else.
        """
        if len(text) > _MAX_CHARS:
            return None
        newest, before = [*ctx.said.answers[:2], "", ""][:2]
        if asked_where(newest):
            return self._answered(text, before, ctx)
        # Times are dear to read, and most messages have nothing to do with the weather.
        if not _names_topic(text) and read_told(newest, _local(ctx).date()) is None:
            return None
        question = _read(text, newest, ctx)
        told, when, words = question.told, question.when, question.words
        place = self._place(words) if told is not None else None
        is_about = bool(place or when.days or when.hours or question.is_on_topic)
        is_asked = question.goes_on or (not place and "?" in text)
        if told is not None and place is not None and is_about and is_asked:
            return _call(place or told.place_in(ctx.language), *_time(when, told, words))
        spoken = question.spoken if place is None else None
        where = None if spoken is None else await self._whereabouts.find(spoken, text, ctx)
        return _call(where.place, *_time(when, told, words)) if where is not None and where.place else None

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Ask where somebody is whose weather is asked for; None where that was told, or for other messages."""
        if len(asked) > _MAX_CHARS or (not _names_topic(asked) and _GOING_ON.search(asked) is None):
            return None
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=1)
        question = _read(asked, next((one.text for one in recent if one.role == "assistant"), ""), ctx)
        if (spoken := question.spoken) is None or self._place(question.words) is not None:
            return None
        where = await self._whereabouts.find(spoken, asked, ctx)
        return Reply(literal=spoken.asked(ctx.language)) if where.is_known and not where.place else None

    def _answered(self, text: str, before: str, ctx: TurnContext) -> ToolCall | None:
        """Return the call for the place that was asked for, if it was for the weather there."""
        question = _read(next(iter(ctx.said.before), ""), before, ctx)
        place = self._whereabouts.answered(text) if question.told or question.is_on_topic else ""
        return _call(place, *_time(question.when, question.told, question.words)) if place else None

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


@dataclass(frozen=True, slots=True)
class _Question:
    """A message: what was `told` just before, its time, the words without that and without what opens it.

    `goes_on` opens as what goes on from that does.
    """

    told: Told | None
    when: When
    rest: str
    goes_on: bool

    @property
    def words(self) -> list[str]:
        return [one[0] for one in _WORD.finditer(self.rest)]

    @property
    def is_on_topic(self) -> bool:
        return _names_topic(self.rest)

    @property
    def spoken(self) -> Spoken | None:
        """Somebody where whom it asks for the weather."""
        question, mark, _ = self.rest.partition("?")
        spoken = read_spoken(question if mark else self.rest, _KNOWN)
        is_meant = spoken is not None and (self.goes_on or (spoken.is_there and self.is_on_topic and bool(mark)))
        return spoken if is_meant else None


def _local(ctx: TurnContext) -> datetime:
    return to_local(ctx.received_at, ZoneInfo(ctx.timezone))


def _names_topic(text: str) -> bool:
    return any(fold(one[0]) in TOPICS for one in _WORD.finditer(text))


def _read(text: str, newest: str, ctx: TurnContext) -> _Question:
    now = _local(ctx)
    told = read_told(newest, now.date())
    when = read_asked(text, now, ctx.language)
    opening = _OPENING.match(when.rest)
    rest = when.rest if opening is None else when.rest[opening.end() :]
    return _Question(told, when, rest, goes_on=told is not None and opening is not None)


def _time(when: When, told: Told | None, words: Sequence[str]) -> tuple[Sequence[date], Hours | None]:
    """Return the days and hours that are asked for: what is not said stays as it was told."""
    if not NOW.isdisjoint(map(fold, words)):
        return (), None
    if when.days:
        return when.days, when.hours
    nearest = () if when.nearest is None else (when.nearest,)
    if told is None:
        return nearest, when.hours
    return told.days or nearest, when.hours or told.hours


def _call(place: str, days: Sequence[date], hours: Hours | None) -> ToolCall:
    arguments: dict[str, object] = {"place": place}
    if days:
        arguments["day"] = "/".join(day.isoformat() for day in days)
    if days and hours is not None:
        arguments["hours"] = hours.span
    return ToolCall("other_weather", "get_weather", arguments)
