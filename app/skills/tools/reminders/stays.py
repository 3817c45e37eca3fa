"""Somebody says where they are and how long: they are asked whether their clock should go with them."""

import json
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.asking.answers import Answered, Handler, Press
from app.asking.asking import Asking
from app.asking.lexicon import read_word
from app.domain.clock import from_ms, to_ms
from app.domain.errors import ToolFault
from app.domain.inbound import InboundMessage
from app.domain.outbound import Button, Buttons, Reply
from app.domain.places import Places, Zone
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.language.catalogue import Language, say
from app.skills.tools.reminders.lexicon import BEING, PURPOSE, SPAN_FIRST
from app.skills.tools.reminders.texts import REMINDERS
from app.skills.tools.reminders.zones import Stay, Zones, read_stay
from app.when.rules import to_local, to_utc
from app.when.telling import clock as shown
from app.when.telling import tell_day

KIND: Final = "zone"
YES, NO = "y", "n"
_LIFE: Final = timedelta(days=1)
_JUST_ASKED: Final = timedelta(minutes=5)
_LONGEST: Final = timedelta(days=366)
_MAX_CHARS: Final = 120
_ABBREVIATION: Final = 3
_FEW_CLOCKS: Final = 2
_EDGES: Final = " .!…,;:)(👋✈️🛬🌍🌎🌞😎🎉"


def read_sentence(text: str, now: datetime, language: Language) -> Stay | None:
    """Read "estoy en Madrid esta semana": where whoever speaks is now, and until when; None for all other texts.

    `now` is local. It must be all that is said: no question, no condition, nobody else, no other time.
    """
    text = " ".join(text.replace("’", "'").split()).strip(_EDGES)
    if len(text) > _MAX_CHARS or not text.isprintable() or any(mark in text for mark in '?¿"“”«»'):
        return None
    if first := SPAN_FIRST.match(text):
        text = f"{text[first.end() :]} {first['span']}"
    there = BEING.match(text)
    if there is None:
        return None
    stay = read_stay(text[there.end() :], now, language)
    if not stay.is_clear or stay.until is None or not now.date() <= stay.until <= now.date() + _LONGEST:
        return None
    place = PURPOSE.sub("", f" {stay.place}").strip(_EDGES)
    return Stay(place, stay.until) if place else None


class Stays:
    """Never changes a zone unasked. `tell` is a `Telling`."""

    def __init__(self, zones: Zones, places: Places, clock: Clock, asking: Asking) -> None:
        self._zones = zones
        self._places = places
        self._clock = clock
        self._asking = asking

    def register(self) -> None:
        self._asking.handle(KIND, Handler(self._answer, is_for_home=True, typed="numbers"))

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Ask whoever says where they are; and whoever types an answer, to tap it."""
        if read_word(asked) in {"yes", "no"}:
            return await self._ask_again(ctx)
        now = to_local(self._clock.now(), ZoneInfo(ctx.timezone))
        stay = read_sentence(asked, now, ctx.language)
        if stay is None or stay.until is None or (zone := self._zone(stay.place, ctx)) is None:
            return None
        if self._is_same_clock(zone.key, stay.until, ctx):
            return None
        return await self._ask(zone.key, zone.label, stay.until, ctx)

    def _zone(self, place: str, ctx: TurnContext) -> Zone | None:
        """Return the zone of a place that is sure to be one, with few clocks: Spain and its islands have two."""
        if len(place) <= _ABBREVIATION and self._places.territory(place) is None:
            return None
        now = self._clock.now()
        try:
            # "Bogotá, Ana comes back": each part must be a place.
            zone = [self._places.zone(part, default=ctx.timezone) for part in (*place.split(","), place)][-1]
            clocks = {now.astimezone(ZoneInfo(key)).utcoffset() for key in (zone.key, *zone.siblings)}
        except (ToolFault, LookupError, ValueError):
            return None
        return zone if len(clocks) <= _FEW_CLOCKS else None

    def _is_same_clock(self, zone: str, until: date, ctx: TurnContext) -> bool:
        end = datetime.combine(until, time(12))
        moments = (self._clock.now(), to_utc(end, ZoneInfo(zone)))
        return all(to_local(one, ZoneInfo(zone)) == to_local(one, ZoneInfo(ctx.timezone)) for one in moments)

    async def _ask(self, zone: str, place: str, until: date, ctx: TurnContext) -> Reply:
        now = self._clock.now()
        bound_to = json.dumps(
            {"zone": zone, "place": place, "until": until.isoformat(), "asked_ms": to_ms(now)}, ensure_ascii=False
        )
        button = await self._asking.open(ctx.user_id, KIND, bound_to, life=_LIFE)
        local = to_local(now, ZoneInfo(zone))
        day = tell_day(until, local.date(), ctx.language)
        question = say(REMINDERS.stay_asks, ctx.language, place=place, time=shown(local), until=day)
        yes, no = say(REMINDERS.stay_yes, ctx.language), say(REMINDERS.stay_no, ctx.language)
        return Reply(messages=(Buttons(question, (Button(button(YES), yes), Button(button(NO), no))),))

    async def _ask_again(self, ctx: TurnContext) -> Reply | None:
        question = await self._asking.find_open(ctx.user_id, KIND)
        if question is None:
            return None
        bound = json.loads(question.bound_to)
        if self._clock.now() - from_ms(bound["asked_ms"]) > _JUST_ASKED or not await self._asking.settle(question):
            return None
        return await self._ask(bound["zone"], bound["place"], date.fromisoformat(bound["until"]), ctx)

    async def _answer(self, press: Press) -> Answered | None:
        question, ctx = press.question, press.ctx
        if question is None or press.key not in {YES, NO} or not await self._asking.settle(question):
            return None
        bound = json.loads(question.bound_to)
        until, there = date.fromisoformat(bound["until"]), ZoneInfo(bound["zone"])
        local = to_local(self._clock.now(), there)
        if press.key == NO:
            here = to_local(self._clock.now(), ZoneInfo(ctx.timezone))
            told = say(REMINDERS.stay_left, ctx.language, zone=ctx.timezone, time=shown(here))
            return Answered(KIND, Reply(literal=told))
        if local.date() > until:
            return Answered(KIND, Reply(say(REMINDERS.passed, ctx.language)))
        await self._zones.set(ctx.user_id, there.key, until)
        day = tell_day(until, local.date(), ctx.language)
        told = say(REMINDERS.zone_for_now, ctx.language, zone=there.key, time=shown(local), until=day)
        return Answered(KIND, Reply(literal=told))
