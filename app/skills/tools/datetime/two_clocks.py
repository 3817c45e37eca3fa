"""Two clocks beside each other: how far apart they are, and what one shows when the other shows an hour.

Told by code: a small model makes offsets up.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.database.repositories.conversations import Conversations
from app.domain.errors import ToolFault
from app.domain.inbound import Audio, InboundMessage, Text
from app.domain.outbound import Reply
from app.domain.places import Places, Zone
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.language.catalogue import LANGUAGES, Language, say
from app.language.folding import fold
from app.language.lexicon import COMMON_WORDS
from app.skills.tools.datetime.datetime_tools import as_hour, in_words
from app.skills.tools.datetime.going_on import place_told
from app.skills.tools.datetime.lexicon import (
    APART,
    AT_HOUR,
    PER_PERSON,
    QUESTIONS,
    SO_THAT_THERE,
    TO_CALL,
    TRAVEL,
)
from app.skills.tools.datetime.reasons import wishes
from app.skills.tools.datetime.texts import DATETIME
from app.skills.whereabouts.people import read_spoken
from app.skills.whereabouts.whereabouts import Whereabouts
from app.when.atoms import Clock as Hour
from app.when.hours import hours_of
from app.when.lexing import clean_text
from app.when.parsing import Parser

_MAX_CHARS: Final = 240
_WORD: Final = re.compile(r"\w+")
_BARE_HOUR: Final = re.compile(r"\s(?:las?\s)?(?=\d{1,2}(?![\w:.,]*\d))")
_PLACE_BEHIND: Final = re.compile(r"\b(?:here|aca|aqui) (?:in|en) (?:(?:the|el|la|los) )?")
_WITHIN: Final = frozenset({"in", "en"})
_PAIR: Final = 2
_RIGHT_BEHIND: Final = 5
_HOUR_S: Final = 3600
_HALF_DAY: Final = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """`first` and `second` are places, "" for here. `hour` is what the clock of the first shows; None where it is
    asked how far apart they are. `person`: whose place the second is, where that was not said."""

    first: str
    second: str
    hour: Hour | None = None
    person: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    name: str
    at: int


def read_asked(text: str, places: Places, language: Language, told: str = "") -> Asked | None:
    """Return what a message asks of two clocks; None where it asks nothing of them. `told`: where "there" is."""
    folded = fold(clean_text(text)).replace("’", "'")
    if len(text) > _MAX_CHARS or wishes(folded):
        return None
    named = _named(folded, places)
    apart = APART.search(folded)
    if apart is not None:
        if not TRAVEL.isdisjoint(_WORD.findall(folded)) or len(named) > _PAIR:
            return None
        names = [one.name for one in named]
        if not names:
            return Asked("", "", person=PER_PERSON.sub(" ", folded))
        return Asked(names[0] if len(names) == _PAIR else "", names[-1])
    if not {one.end() for one in _PLACE_BEHIND.finditer(folded)} <= {one.at for one in named}:
        return None  # "here in Ballymena": a place that is not known
    there = _pointing(folded, named, QUESTIONS["apart.there"], told) if told and len(named) < _PAIR else []
    return _at_hour(folded, [*named, *there[:1]], language) if named or there else None


def _at_hour(folded: str, named: Sequence[_Place], language: Language) -> Asked | None:
    """Return the question what one clock shows when the other shows an hour."""
    so_that = SO_THAT_THERE.search(folded)
    asking = (AT_HOUR if so_that is None else TO_CALL).search(folded)
    hour = None if asking is None else _hour_in(_without(asking, folded), language)
    if hour is None:
        return None
    clock, at = hour
    if so_that is not None:
        return Asked(named[0].name, "", clock) if len(named) == 1 and so_that.start() < at else None
    here = _pointing(folded, named, COMMON_WORDS["here"], "")
    # "What time is it there at 9 here": what stands right behind the question is no place of the hour.
    behind = range(asking.end(), asking.end() + _RIGHT_BEHIND) if asking is not None else range(0)
    both = sorted([*named, *here], key=lambda one: (one.at in behind, abs(one.at - at)))
    names = list(dict.fromkeys(one.name for one in both))
    return Asked(names[0], names[1], clock) if len(names) == _PAIR else None


def _without(found: re.Match[str], text: str) -> str:
    """Return the text with something blotted out: places stay where they are."""
    return f"{text[: found.start()]}{'.' * len(found[0])}{text[found.end() :]}"


def _pointing(folded: str, named: Sequence[_Place], known: frozenset[str], name: str) -> list[_Place]:
    """Return where "here" or "there" stands, where that is none of the places: "here in Leeds"."""
    words = list(_WORD.finditer(folded))
    before = {folded[: one.at].rstrip() for one in named}
    behind = {text.rpartition(" ")[0] if text.endswith((" in", " en")) else text for text in before}
    return [_Place(name, one.start()) for one in words if one[0] in known and folded[: one.end()] not in behind]


def _hour_in(folded: str, language: Language) -> tuple[Hour, int] | None:
    """Return the only hour in a text, and where it stands: "when it is 9 here", "if it's half past 3"."""
    for one in (language, *(other for other in LANGUAGES if other != language)):
        for said in (folded, _BARE_HOUR.sub(" a las " if one == "es" else " at ", folded)):
            parser = Parser(said, one)
            found = ((as_hour(each.atom), parser.pieces[each.first].start) for each in parser.atoms())
            hours = [(hour, at) for hour, at in found if hour is not None]
            if len(hours) == 1:
                return hours[0]
    return None


def _named(folded: str, places: Places) -> list[_Place]:
    """Return the places that a text names, a city with its country as one."""
    words = list(_WORD.finditer(folded))
    plain = [one[0] for one in words]
    found: list[_Place] = []
    last_end = -1
    for name, at in places.each_named(plain, with_towns=True):
        if at < last_end:
            continue
        within, size = places.with_region(plain[at:])
        if within and plain[at + len(name.split())] in _WITHIN:
            found.append(_Place(within, words[at].start()))
            last_end = at + size
            continue
        is_country = places.territory(name) is not None
        if found and at == last_end and is_country and places.territory(found[-1].name) is None:
            found[-1] = _Place(f"{found[-1].name}, {name}", found[-1].at)
        elif name not in {one.name for one in found}:
            found.append(_Place(name, words[at].start()))
        last_end = at + len(name.split())
    return found


class TwoClocks:
    """`tell` is a `Telling`."""

    def __init__(
        self, places: Places, whereabouts: Whereabouts, clock: Clock, conversations: Conversations
    ) -> None:
        self._places = places
        self._conversations = conversations
        self._whereabouts = whereabouts
        self._clock = clock

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Return what a message asks of two clocks; None for all others, and for unknown places."""
        if len(messages) != 1 or not isinstance(messages[0].content, Text | Audio):
            return None
        question = read_asked(asked, self._places, ctx.language, await self._there(asked, ctx))
        if question is None:
            return None
        second = question.second
        if question.person:
            spoken = read_spoken(question.person, QUESTIONS["apart.beside"], is_sure_of=True)
            second = "" if spoken is None else (await self._whereabouts.find(spoken, asked, ctx)).place
            if not second:
                return None
        try:
            first, other = (self._places.zone(one, default=ctx.timezone) for one in (question.first, second))
        except ToolFault:
            return None
        if question.hour is not None and first.label == other.label:
            return None
        return Reply(literal=_told(first, other, question.hour, self._clock.now(), ctx))

    async def _there(self, asked: str, ctx: TurnContext) -> str:
        """Return the place whose clock was just told, where a message asks for an hour "there"; else ""."""
        folded = fold(asked)
        if AT_HOUR.search(folded) is None or QUESTIONS["apart.there"].isdisjoint(_WORD.findall(folded)):
            return ""
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=1)
        return next((place_told(one.text) for one in recent if one.role == "assistant"), "")


def _told(first: Zone, second: Zone, hour: Hour | None, now: datetime, ctx: TurnContext) -> str:
    lines = (
        [_apart(first, second, now, ctx.language)] if hour is None else _converted(first, second, hour, now, ctx)
    )
    for one in dict.fromkeys((first, second)):
        if one.assumption(now):
            lines.append(say(DATETIME.several_clocks, ctx.language, country=one.country, zone=one.key))
    return "\n".join(lines)


def _apart(first: Zone, second: Zone, now: datetime, language: Language) -> str:
    here, there = now.astimezone(first.info), now.astimezone(second.info)
    seconds = ((there.utcoffset() or here - here) - (here.utcoffset() or here - here)).total_seconds()
    ahead, behind = ((second, there), (first, here)) if seconds > 0 else ((first, here), (second, there))
    hours, rest = divmod(int(abs(seconds)), _HOUR_S)
    said = f"{hours} h {rest // 60} min" if rest and hours else f"{rest // 60} min" if rest else f"{hours} h"
    phrase = DATETIME.clocks_apart if seconds else DATETIME.clocks_same
    return say(
        phrase,
        language,
        apart=said,
        ahead=ahead[0].label,
        behind=behind[0].label,
        time=f"{ahead[1]:%H:%M}",
        other=f"{behind[1]:%H:%M}",
    )


def _converted(first: Zone, second: Zone, hour: Hour, now: datetime, ctx: TurnContext) -> list[str]:
    """Tell what the second clock shows; for an hour that may be by day or by night, both."""
    likely = hours_of(hour, None, has_day=True).likely
    halves = {(one.hour % 24, one.minute) for one in likely}
    if not hour.half and not hour.is_24h and 0 < hour.hour < _HALF_DAY:
        halves |= {(hour.hour, hour.minute), (hour.hour + _HALF_DAY, hour.minute)}
    day = now.astimezone(first.info)
    moments = [
        day.replace(hour=at, minute=minute, second=0, microsecond=0, fold=0) for at, minute in sorted(halves)
    ]
    return [in_words(one, first, second, ctx.language) for one in moments]
