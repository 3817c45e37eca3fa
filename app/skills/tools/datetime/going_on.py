"""A question for another place's clock, by the place or by somebody who lives there.

Right after a clock was told, "and for my aunt? she's in Quito" or "and my aunt?"; at any time, "what time is it
where my aunt lives?".
"""

import re
from collections.abc import Sequence
from typing import Final

from app.database.repositories.conversations import Conversations
from app.domain.chat import ToolCall
from app.domain.errors import ToolFault
from app.domain.inbound import InboundMessage
from app.domain.outbound import Reply
from app.domain.places import Places, fold
from app.domain.turn import TurnContext
from app.language.catalogue import LANGUAGES, say
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.amending import after_opening, is_correction
from app.skills.tools.datetime.lexicon import ONWARD, QUESTIONS, TO_PLACE
from app.skills.tools.datetime.reasons import is_reason, wishes
from app.skills.tools.datetime.texts import DATETIME
from app.skills.whereabouts.people import Spoken, read_spoken
from app.skills.whereabouts.whereabouts import Whereabouts, asked_where

_MAX_CHARS: Final = 120
_MOST_CHARS_WITH_REASON: Final = 240
_PAUSE: Final = re.compile(r"[?,.;!]")
_TOLD: Final = re.compile(r"[^\n:]{1,60}: \d\d:\d\d, [^\n:]{1,60}")
_OPENING: Final = LatePattern(
    rf"\W*(?:{COMMON_WORDS.pattern('leading_on')}\W+){{0,2}}{COMMON_WORDS.pattern('going_on')}(?!\w)",
)
_WORD: Final = re.compile(r"\w+")
_OTHER: Final = QUESTIONS["other"]
_CLOCK: Final = QUESTIONS["clock"]
_HERE: Final = COMMON_WORDS["here"]
_BESIDE: Final = QUESTIONS["beside"] | _CLOCK


class OtherClock:
    """`call` is a `Certain`, `tell` a `Telling`."""

    def __init__(self, places: Places, whereabouts: Whereabouts, conversations: Conversations) -> None:
        self._places = places
        self._whereabouts = whereabouts
        self._conversations = conversations

    async def call(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Return the call for the clock of the place that is named, or where somebody was told to be.

        None where no clock was told just before, and the text does not ask for one.
        """
        newest, before = [*ctx.said.answers[:2], "", ""][:2]
        if _TOLD.fullmatch(newest) and (place := self._before_reason(text)):
            return self._call(place)
        if len(text) > _MAX_CHARS:
            return None
        if asked_for_larger(newest):
            return self._call(self._whereabouts.answered(text))
        if asked_where(newest):
            asked = next(iter(ctx.said.before), "")
            is_clock = _TOLD.fullmatch(before) or _names_clock(asked)
            return self._call(self._whereabouts.answered(text)) if is_clock else None
        is_else = not _OTHER.isdisjoint(fold(text).split()) or wishes(fold(text))
        return None if is_else else await self._of_other(text, newest, ctx)

    async def _of_other(self, text: str, newest: str, ctx: TurnContext) -> ToolCall | None:
        last = text.rpartition(",")[2]
        if _TOLD.fullmatch(newest) and "?" in last and _OPENING.match(last) and (place := self._town_alone(last)):
            return self._call(place)  # "No, they left there, and in Oslo?"
        words = fold(text).split()
        if _TOLD.fullmatch(newest) and (opening := _OPENING.match(text)):
            said = set(_WORD.findall(fold(text[opening.end() :])))
            if said & _HERE and said <= _HERE | _BESIDE:
                return ToolCall("clock_here", "get_current_datetime", {})
            place = self._town_alone(text, has_region=True) or self._places.named_in(words, with_towns=True)[0]
            if place or (place := self._town_alone(text)):
                return self._call(place)
        # "No sorry, in Prague": behind the correction stands nothing else.
        if _TOLD.fullmatch(newest) and is_correction(text):
            rest = after_opening(text)
            if place := self._town_alone(rest) or self._town_alone(f"in {rest}"):
                return self._call(place)
        spoken = _spoken(text, newest)
        return None if spoken is None else self._call((await self._whereabouts.find(spoken, text, ctx)).place)

    def _town_alone(self, text: str, *, has_region: bool = False) -> str:
        """Return the town that is all that is asked: "and in Cork?"; its name may be a word, too. Or only one with
        its region: "and in Perth in Scotland?"."""
        opening = _OPENING.match(text)
        words = _WORD.findall(fold(text[opening.end() :] if opening else text))
        to = TO_PLACE.match(f"{' '.join(words)} ")
        rest = words[len(to[0].split()) :] if to else []
        within, size = self._places.with_region(rest)
        if has_region or within:
            return within if size == len(rest) else ""
        return name if (name := self._places.at_start(rest)) == " ".join(rest) else ""

    def _before_reason(self, text: str) -> str:
        """Return the town that goes on from a clock, and why: "and in Cork? my son's there"."""
        pause = _PAUSE.search(text)
        head, reason = (text[: pause.start()], text[pause.end() :]) if pause else (text, "")
        if len(text) > _MOST_CHARS_WITH_REASON or not is_reason(plain := fold(reason).replace("’", "'")):
            return ""
        onward = ONWARD.match(fold(head))
        if onward is None and _OPENING.match(head) is None:
            return ""
        if next(self._places.each_named(_WORD.findall(plain), with_towns=True), None) is not None:
            return ""  # "And in Cordoba, the one in Spain".
        head = head.partition(" ")[2] if onward else head
        return self._town_alone(head) or self._town_with_slips(head)

    def _town_with_slips(self, text: str) -> str:
        opening = _OPENING.match(text)
        words = _WORD.findall(fold(text[opening.end() :] if opening else text))
        to = TO_PLACE.match(f"{' '.join(words)} ")
        rest = words[len(to[0].split()) :] if to else []
        near, size = self._places.near_start(rest) if rest else ("", 0)
        return near if size == len(rest) else ""

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Ask where somebody is whose clock is asked for; None where that was told, and for all other messages."""
        if len(asked) > _MAX_CHARS or not _OTHER.isdisjoint(fold(asked).split()):
            return None
        if _OPENING.match(asked) is None and not _names_clock(asked):
            return None
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=1)
        spoken = _spoken(asked, next((one.text for one in recent if one.role == "assistant"), ""))
        if spoken is None or self._places.named_in(fold(asked).split())[0]:
            return None
        where = await self._whereabouts.find(spoken, asked, ctx)
        return Reply(literal=spoken.asked(ctx.language)) if where.is_known and not where.place else None

    def _call(self, place: str) -> ToolCall | None:
        try:
            zone = self._places.zone(place, default="") if place else None
        except ToolFault:
            return None
        return None if zone is None else ToolCall("other_clock", "get_current_datetime", {"timezone": place})


def place_told(answer: str) -> str:
    """Return the place whose clock an answer of ours told; "" of all others."""
    return answer.partition(":")[0] if _TOLD.fullmatch(answer) else ""


def asked_for_larger(newest: str) -> bool:
    """Tell whether an answer of ours was that a place is not known, with the question for a larger one."""
    return _NOT_KNOWN.match(newest) is not None


def _not_known() -> str:
    texts = (say(DATETIME.unknown_place, language, place="<place>") for language in LANGUAGES)
    return "|".join(re.escape(one).replace("<place>", r"[^\n?]{1,80}") for one in texts)


_NOT_KNOWN: Final = re.compile(_not_known())


def _names_clock(text: str) -> bool:
    return not _CLOCK.isdisjoint(_WORD.findall(fold(text)))


def _spoken(text: str, newest: str) -> Spoken | None:
    """Return whose clock is asked for."""
    opening = _OPENING.match(text) if _TOLD.fullmatch(newest) else None
    if opening is None and not _names_clock(text):
        return None
    rest = text if opening is None else text[opening.end() :]
    question, mark, _ = rest.partition("?")
    return read_spoken(question if mark else rest, _BESIDE)
