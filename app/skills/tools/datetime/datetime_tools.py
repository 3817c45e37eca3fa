"""Tools that tell the time: now anywhere, a time of today in another zone, and what day a date is."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import format_date

from app.domain.errors import ToolFault, UnknownPlace
from app.domain.places import Places, Zone, fold
from app.domain.places_by_ear import sounding_like
from app.domain.ports import Clock
from app.domain.tools import OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.language.catalogue import LANGUAGES, Language, Sentence, say
from app.language.lexicon import COMMON_WORDS
from app.skills.numbers_said import numbers_in
from app.skills.registry import SkillRegistry
from app.skills.tools.datetime.lexicon import NAMES_PLACE, QUESTIONS
from app.skills.tools.datetime.texts import DATETIME
from app.when.atoms import Clock as Hour
from app.when.atoms import PartOfDay
from app.when.hours import hours_of
from app.when.lexing import clean_text
from app.when.meanings import Point, Unsure
from app.when.parsing import Parser
from app.when.reading import read_when

_SKILL: Final = "datetime"
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MAX_CHARS: Final = 60
_NAMED: Final[Mapping[str, int]] = MappingProxyType({"noon": 12, "midnight": 0})
_WORD: Final = re.compile(r"\w+")
_NOW: Final = frozenset({"now", "ahora", "right now", "ahora mismo"})
_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})[t ]++(.+)")
_DIGITS: Final = re.compile(r"\A(?P<hour>\d{1,2})[:.h]?(?P<minute>\d{2})(?::\d{2}(?:\.\d{1,9})?)?(?![\d.:])")
_CONVERTED: Final[Mapping[int, Sentence]] = MappingProxyType(
    {
        0: DATETIME.converted,
        1: DATETIME.converted_next_day,
        -1: DATETIME.converted_day_before,
    }
)
# Without a time in the message, "what time is it in Lisbon?" was converted from an hour and a place made up.
_GIVEN_TIME: Final = re.compile(
    r"\d{1,2}\s*[:.h]\s*\d{2}|\d{1,2}\s*(?:[ap]\.?\s?m\b|hs?\b|hrs?\b|horas\b|o'?clock)|\b(?:las?|at)\s+\d{1,2}\b|"
    r"\b(?:las?|at)\s+(?:una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|twelve)\b|\b(?:noon|midday|midnight|mediod[ií]a|medianoche|diferencia|difference)\b",
    re.IGNORECASE,
)
# Where a day is asked for: beside "what day is it today?", which the other tool answers.
_ASKED_DAY: Final = re.compile(
    r"\b(?:faltan?|queda[nr]?|caen?|cay[oó]|pasaron|d[ií]as?|semanas?|fecha|days?|weeks?|weekday|sleeps|until|till|"
    r"date|fall|falls|fell)\b",
    re.IGNORECASE,
)
# "What time do I have to leave?" is no question for the clock.
_ASKED_NOW: Final = re.compile(
    r"\A(?!(?:.|\n)*?\b(?:a\s+qu[eé]\s+hora(?!\s+es\b)"
    r"|what\s+time\s+(?:do|does|did|should|shall|must|can|could|will|would|am|are)\b(?!\s+it\b)))",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"\b(1[89]\d\d|20\d\d)\b")
_DAYS_OF_WEEK: Final = 7
_HALF_DAY: Final = 12


class _TimeTools:
    """Plain functions, which run in a thread: the first question reads the names of places."""

    def __init__(self, clock: Clock, places: Places) -> None:
        self._clock = clock
        self._places = places

    def get_current_datetime(self, timezone: str = "", *, ctx: TurnContext) -> ToolResult:
        """The time and date now, here or in any city or country.

        Args:
            timezone: city; leave out for the user's
        """
        try:
            zone = self._zone("" if _means_here(timezone, ctx) else timezone, ctx)
        except UnknownPlace as exc:
            return _unknown(exc, ctx.language)
        there = self._clock.now().astimezone(zone.info)
        told = f"{zone.title}: {_show(there)}"
        if note := zone.assumption(there):
            return ToolResult.ok(f"{told}.{note}")
        return ToolResult.ok(told, f"{zone.label}: {there:%H:%M}, {_full_date(there, ctx.language)}")

    def _zone(self, place: str, ctx: TurnContext) -> Zone:
        """Return the zone of a place, also of one that is written as it sounds.

        Raises:
            UnknownPlace: it is not known, or several sound so.
        """
        try:
            return self._places.zone(place, default=ctx.timezone)
        except UnknownPlace:
            if not (name := sounding_like(self._places, place)):
                raise
            return self._places.zone(name, default=ctx.timezone)

    def convert_timezone(self, time: str, from_timezone: str, to_timezone: str, *, ctx: TurnContext) -> ToolResult:
        """Convert a clock time that was given from one place to another.

        Args:
            time: HH:MM
            from_timezone: city or IANA name
            to_timezone: city or IANA name
        """
        try:
            source = self._zone(from_timezone, ctx)
            target = self._zone(to_timezone, ctx)
        except UnknownPlace as exc:
            return _unknown(exc, ctx.language)
        if not _is_said(time, ctx):
            raise ToolFault("not_said", f'"{one_line(time, 40)}" was said by nobody: ask for the time.')
        return _convert(read_time(time, self._clock.now().astimezone(source.info)), source, target, ctx.language)

    def look_up_date(self, day: OwnWords, *, ctx: TurnContext) -> ToolResult:
        """Tell the weekday of a date, and how many days lie between it and today.

        Args:
            day: as the user said it: 25 de mayo, Christmas, next friday
        """
        today = self._clock.now().astimezone(ZoneInfo(ctx.timezone))
        if not _is_said(day, ctx):
            raise ToolFault("not_said", f'"{one_line(day, 40)}" was said by nobody: answer from what was said.')
        meant = read_day(day, today.replace(tzinfo=None), ctx.language)
        told = say_day(meant, today.date(), ctx.language)
        return ToolResult.ok(told, f"{told}.")


def say_day(meant: date, today: date, language: Language) -> str:
    """Say a date with its weekday, and how far it is from today."""
    days = (meant - today).days
    phrase = DATETIME.today if not days else DATETIME.days_ahead if days > 0 else DATETIME.days_ago
    told = say(phrase, language, date=format_date(meant, "full", locale=language), count=abs(days))
    weeks, rest = divmod(abs(days), _DAYS_OF_WEEK)
    if weeks > 1:
        told += " " + say(DATETIME.weeks_and_days if rest else DATETIME.weeks, language, weeks=weeks, count=rest)
    return told


def _unknown(fault: UnknownPlace, language: Language) -> ToolResult:
    """Say which places are known, and ask for one of those: a small model would make a time up."""
    told = say(DATETIME.unknown_place, language, place=fault.wanted)
    near = say(DATETIME.near_place, language, place=fault.near[0]) if fault.near else ""
    return replace(ToolResult.failed(fault.detail), reply=" ".join(filter(None, (told, near))))


def _means_here(place: str, ctx: TurnContext) -> bool:
    """Tell whether the person asks for where they are: a small model puts a place of its own there.

    "It rains here. What time is it there?" does not, nor "here in Leeds".
    """
    plain, name = fold(" ".join(" ".join(ctx.said.now).split())), fold(place).partition(",")[0]
    if name and any(plain.startswith(name, one.end()) for one in NAMES_PLACE.finditer(plain)):
        return False
    said = {word for one in ctx.said.now for word in _WORD.findall(fold(one))}
    return not COMMON_WORDS["here"].isdisjoint(said) and QUESTIONS["apart.there"].isdisjoint(said)


def _is_said(value: str, ctx: TurnContext) -> bool:
    """Tell whether a date or a time stands in the conversation: a small model passes its example."""
    if not ctx.said.now or fold(value) in _NOW:
        return True
    there = " ".join((*ctx.said.now, *ctx.said.before, *ctx.said.answers))
    wanted, known = numbers_in(value), numbers_in(there)
    # Eight in the evening is 20:00.
    return not wanted or any(one in known or (one - _HALF_DAY in known and one > _HALF_DAY) for one in wanted)


def register(registry: SkillRegistry, clock: Clock, places: Places) -> None:
    """Add the tools of the skill `datetime`."""
    tools = _TimeTools(clock, places)
    registry.add(
        tools.get_current_datetime,
        _SKILL,
        read_only=True,
        trigger_pattern=_ASKED_NOW,
    )
    registry.add(
        tools.convert_timezone,
        _SKILL,
        read_only=True,
        trigger_pattern=_GIVEN_TIME,
    )
    registry.add(
        tools.look_up_date,
        _SKILL,
        read_only=True,
        trigger_pattern=_ASKED_DAY,
    )


def read_day(text: str, now: datetime, language: Language) -> date:
    """Read one day as people say it, a day gone by only with its year.

    Raises:
        ToolFault: it is no day, or several.
    """
    years = [int(year) for year in _YEAR.findall(text)]
    # What is over is no time for a reminder, so it is read from before it.
    begin = min([now, *(datetime(year, 1, 1) for year in years)])
    meaning = read_when(text, begin, language)
    likely = meaning.likely if isinstance(meaning, Unsure) else (meaning,)
    days = {one.at.date() for one in likely if isinstance(one, Point) and one.has_day}
    if len(days) != 1:
        raise ToolFault("bad_date", f'"{one_line(text, 40)}" is no day that is known: ask for the date.')
    return days.pop()


def read_time(text: str, now: datetime) -> datetime:
    """Read a clock time as people write it, on the date of `now` unless the text has a date.

    `now` is aware and in the zone of the text; so is the answer. Understands "18:15", "6:15 pm", "6pm",
    "18h15", "las 6 y media de la tarde", "noon", "mediodía", "now", "2026-11-22T18:15".

    Raises:
        ToolFault: it is no time of day.
    """
    written = " ".join(text.casefold().split())
    if fold(written) in _NOW:
        return now.replace(second=0, microsecond=0)
    dated = _DATE.fullmatch(written)
    try:
        day = now.replace(year=int(dated[1]), month=int(dated[2]), day=int(dated[3])) if dated else now
        hour = None if len(written) > _MAX_CHARS else _clock_of(dated[4] if dated else written)
        if hour is None or (hour.half and not hours_of(hour, None, has_day=True).likely):
            raise ValueError(written)
        at = hours_of(hour, None, has_day=True).likely[0].hour % 24 if hour.half else hour.hour
        return day.replace(hour=at, minute=hour.minute, second=0, microsecond=0, fold=0)
    except ValueError as exc:
        raise ToolFault("bad_time", f"'{text[:40]}' is not a time of day. Write it as HH:MM, like 18:15.") from exc


def _clock_of(written: str) -> Hour | None:
    """Return the hour that a text is, in any language; None for one that says anything else."""
    said = _DIGITS.sub(r"\g<hour>:\g<minute>", written)
    for language in LANGUAGES:
        for way in (said, f"a las {said}", f"at {said}"):
            parser = Parser(clean_text(way), language)
            for found in parser.atoms():
                if found.last - found.first == len(parser.pieces) and (hour := as_hour(found.atom)) is not None:
                    return hour
    return None


def as_hour(atom: object) -> Hour | None:
    """Return an hour of the day that was said; noon and midnight are such, too."""
    if isinstance(atom, PartOfDay) and atom.name in _NAMED:
        return Hour(_NAMED[atom.name], is_24h=True)
    return atom if isinstance(atom, Hour) else None


def _convert(moment: datetime, source: Zone, target: Zone, language: Language) -> ToolResult:
    there = moment.astimezone(UTC).astimezone(target.info)
    distance = (there.date() - moment.date()).days
    day = {0: "the same day", 1: "the next day", -1: "the day before"}.get(distance, "another day")
    skipped = moment.astimezone(UTC).astimezone(source.info)
    note = ""
    if skipped.replace(tzinfo=None) != moment.replace(tzinfo=None):
        note = f" Clocks in {source.label} skip {moment:%H:%M} that day; {skipped:%H:%M} was used."
    elif moment.replace(fold=1).utcoffset() != moment.utcoffset():
        note = f" {moment:%H:%M} comes twice that day in {source.label}; the first one was used."
    doubts = f"{note}{source.assumption(moment)}{target.assumption(moment)}"
    told = (
        f"{_show(skipped)} in {source.title} is {there:%H:%M} in {target.title}, "
        f"{day} ({_WEEKDAYS[there.weekday()]} {there:%Y-%m-%d}).{doubts}"
    )
    if doubts or distance not in _CONVERTED:
        return ToolResult.ok(told)
    return ToolResult.ok(told, in_words(moment, source, target, language))


def in_words(moment: datetime, source: Zone, target: Zone, language: Language) -> str:
    """Say what the clock of the target shows at a moment of the source's."""
    shown = moment.astimezone(UTC).astimezone(source.info)
    there = shown.astimezone(target.info)
    phrase = _CONVERTED.get((there.date() - shown.date()).days, DATETIME.converted)
    times = {"time": f"{shown:%H:%M}", "there": f"{there:%H:%M}"}
    return say(phrase, language, source=source.label, target=target.label, **times)


def _show(moment: datetime) -> str:
    return f"{_WEEKDAYS[moment.weekday()]} {moment:%Y-%m-%d}, {moment:%H:%M}"


def _full_date(moment: datetime, language: Language) -> str:
    return format_date(moment, "full", locale=language)
