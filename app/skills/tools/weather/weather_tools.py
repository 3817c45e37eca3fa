"""The tool that tells the weather, from whatever source is given."""

import re
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Final
from zoneinfo import ZoneInfo

import structlog
from pydantic import Field

from app.charts.charts import DrawIfAsked, draw_nothing
from app.domain.errors import Permanent, ToolFault, Transient
from app.domain.places import Places, fold
from app.domain.tools import Alias, ToolResult
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.registry import SkillRegistry
from app.skills.tools.weather.asked import MAX_CHARS, read_asked, read_hours, read_need, read_span
from app.skills.tools.weather.forecast import FoundPlace, WeatherSource
from app.skills.tools.weather.texts import WEATHER
from app.skills.tools.weather.wording import Asked, chart_of, tell_asked, tell_model, tell_person
from app.when.rules import to_local

log = structlog.get_logger(__name__)

_SKILL: Final = "weather"
_MAX_DAYS: Final = 7
_CANDIDATES: Final = 10
_NAMED: Final = 3
_MAX_PLACE_CHARS: Final = 80


class _WeatherTools:
    def __init__(self, source: WeatherSource, places: Places, draw: DrawIfAsked = draw_nothing) -> None:
        self._source = source
        self._places = places
        self._draw = draw

    async def get_weather(
        self,
        place: str,
        days: Annotated[int, Field(ge=1, le=_MAX_DAYS)] = _MAX_DAYS,
        day: str = "",
        hours: str = "",
        *,
        ctx: TurnContext,
    ) -> ToolResult:
        """Weather now and forecast of up to 7 days for a place.

        Args:
            place: city, or city and country
            days: (default: 7; minimum: 1; maximum: 7)
            day: only if one day is asked for: YYYY-MM-DD
            hours: only if a part of that day is asked for, such as 14-18
        """
        asked = _asked(day, hours, ctx)
        try:
            found = await _find(self._source, self._places, place, ctx)
            forecast = await self._source.forecast(
                found, days=_MAX_DAYS if asked.days else days, by_hours=asked.hours is not None
            )
        except Transient as exc:
            log.warning("weather.unreachable", code=exc.code)
            failed = ToolResult.failed("The weather service does not answer now; it may work later.", "failed")
            return replace(failed, reply=say(WEATHER.down, ctx.language))
        except Permanent as exc:
            raise ToolFault("weather_failed", "The weather service refused the question; do not retry.") from exc
        title = _title(found)
        if asked.need and not asked.days:
            asked = replace(asked, days=(forecast.now.at.date(),))
        told = tell_asked(title, forecast, asked, ctx.language) if asked.days else ""
        told = told or tell_person(title, forecast, ctx.language)
        drawn = await self._draw(chart_of(title, forecast, ctx.language), ctx)
        return ToolResult.ok(tell_model(title, forecast, asked), told, *drawn)


def register(
    registry: SkillRegistry, source: WeatherSource, places: Places, draw: DrawIfAsked = draw_nothing
) -> None:
    """Add the tool of the skill `weather`."""
    registry.add(
        _WeatherTools(source, places, draw).get_weather,
        _SKILL,
        read_only=True,
        aliases=MappingProxyType({"city": Alias("place")}),
    )


def _asked(day: str, hours: str, ctx: TurnContext) -> Asked:
    """Return what a call asks for, or, where it does not say, what the message does."""
    text = ctx.said.now[0] if ctx.said.now else ""
    if len(text) > MAX_CHARS:
        text = ""
    days, span, need = read_span(day), read_hours(hours), read_need(text)
    if days or not text:
        return Asked(days, span if days else None, need)
    when = read_asked(text, to_local(ctx.received_at, ZoneInfo(ctx.timezone)), ctx.language)
    nearest = (when.nearest,) if when.hours is not None and when.nearest is not None else ()
    return Asked(when.days or nearest, when.hours, need)


async def _find(source: WeatherSource, places: Places, written: str, ctx: TurnContext) -> FoundPlace:
    """The place a person means by "Córdoba" or "Córdoba, España".

    Raises:
        ToolFault: nothing is called that, or nothing in that region; the others are named.
        Transient, Permanent: from the source.
    """
    name, _, region = re.sub(r"[()]", ",", " ".join(written.split())).strip(" ,").partition(",")
    name, region = name.strip(), region.strip(" ,")
    if not name or len(written) > _MAX_PLACE_CHARS:
        raise ToolFault("unknown_place", "Give the name of a city, such as Lima, or Córdoba, Spain.")
    found = await source.find_places(name, language=ctx.language, limit=_CANDIDATES)
    if not found:
        raise ToolFault(
            "unknown_place", f"No place called '{name}' was found; check its name or use a larger city."
        )
    fitting = [place for place in found if _lies_in(place, region, places)] if region else found
    if not fitting:
        others = "; ".join(dict.fromkeys(_title(place) for place in found[:_NAMED]))
        raise ToolFault("unknown_place", f"No '{name}' was found in '{region}'. Found: {others}.")
    return fitting[0]


def _lies_in(place: FoundPlace, region: str, places: Places) -> bool:
    """Whether every part of "Texas, USA" names the place's region or its country, in either language."""
    for part in filter(None, map(str.strip, region.split(","))):
        name = fold(part)
        country = places.territory(part)
        is_country = name == place.country_code.casefold() or country == place.country_code.upper()
        if not (is_country or name in {fold(place.country), fold(place.region)} or _is_inside(name, place.region)):
            return False
    return True


def _is_inside(name: str, region: str) -> bool:
    return len(name) > len("xx") and f" {name} " in f" {fold(region)} "


def _title(place: FoundPlace) -> str:
    parts: Sequence[str] = (place.name, place.region, place.country)
    return ", ".join(dict.fromkeys(part for part in parts if part))
