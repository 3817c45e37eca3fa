"""The tool that tells the weather, from whatever source is given."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel, Field

from app.domain.errors import Permanent, ToolFault, Transient
from app.domain.turn import TurnContext
from app.domain.weather import Conditions, DayForecast, FoundPlace, WeatherSource
from app.skills.registry import SkillRegistry
from app.skills.tools.places import Places, fold

_SKILL: Final = "weather"
_MAX_DAYS: Final = 7
_CANDIDATES: Final = 10
_NAMED: Final = 3
_MAX_CHARS: Final = 80
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# WMO code table 4677, in the reduced form that Open-Meteo documents.
_SKY: Final[Mapping[int, str]] = MappingProxyType(
    {
        0: "clear sky",
        1: "mainly clear",
        2: "partly cloudy",
        3: "overcast",
        45: "fog",
        48: "freezing fog",
        51: "light drizzle",
        53: "drizzle",
        55: "heavy drizzle",
        56: "light freezing drizzle",
        57: "freezing drizzle",
        61: "light rain",
        63: "rain",
        65: "heavy rain",
        66: "light freezing rain",
        67: "freezing rain",
        71: "light snow",
        73: "snow",
        75: "heavy snow",
        77: "snow grains",
        80: "light showers",
        81: "showers",
        82: "violent showers",
        85: "light snow showers",
        86: "heavy snow showers",
        95: "thunderstorm",
        96: "thunderstorm with hail",
        99: "thunderstorm with heavy hail",
    }
)


class GetWeatherArgs(BaseModel):
    place: str = Field(description="city, or city and country")
    days: int = Field(_MAX_DAYS, ge=1, le=_MAX_DAYS)


def register(registry: SkillRegistry, source: WeatherSource, places: Places) -> None:
    """Add the tool of the skill `weather`."""

    async def get_weather(*, ctx: TurnContext, place: str, days: int) -> str:
        try:
            found = await _find(source, places, place, ctx)
            forecast = await source.forecast(found, days=days)
        except Transient as exc:
            raise ToolFault("weather_down", "The weather service does not answer now; it may work later.") from exc
        except Permanent as exc:
            raise ToolFault("weather_failed", "The weather service refused the question; do not retry.") from exc
        lines = [f"Weather in {_title(found)} now ({forecast.now.at:%H:%M} there): {_now(forecast.now)}"]
        lines.extend(_day(day, is_today=day.day == forecast.now.at.date()) for day in forecast.days)
        return "\n".join(lines)

    registry.register_tool(
        "get_weather",
        "Weather now and forecast of up to 7 days for a place",
        GetWeatherArgs,
        get_weather,
        _SKILL,
        read_only=True,
        examples=("¿Va a llover mañana en Rosario?", "What's the weather like in Oslo this weekend?"),
    )


async def _find(source: WeatherSource, places: Places, written: str, ctx: TurnContext) -> FoundPlace:
    """The place a person means by "Córdoba" or "Córdoba, España".

    Raises:
        ToolFault: nothing is called that, or nothing in that region; the others are named.
        Transient, Permanent: from the source.
    """
    name, _, region = re.sub(r"[()]", ",", " ".join(written.split())).strip(" ,").partition(",")
    name, region = name.strip(), region.strip(" ,")
    if not name or len(written) > _MAX_CHARS:
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


def _now(now: Conditions) -> str:
    return ", ".join(
        _filled(_temperature(now), _sky(now.code), _percent("humidity", now.humidity_percent), _wind(now))
    )


def _temperature(now: Conditions) -> str:
    feels = "" if now.feels_like_c is None else f" (feels like {_round(now.feels_like_c)} °C)"
    return f"{_round(now.temperature_c)} °C{feels}"


def _day(day: DayForecast, *, is_today: bool) -> str:
    name = "Today" if is_today else _WEEKDAYS[day.day.weekday()]
    degrees = "" if day.low_c is None or day.high_c is None else f"{_round(day.low_c)} to {_round(day.high_c)} °C"
    amount = f" ({day.rain_mm:.1f} mm)" if day.rain_mm else ""
    rain = _percent("rain", day.rain_percent)
    told = _filled(degrees, _sky(day.code), f"{rain or 'rain'}{amount}" if rain or amount else "", _wind(day))
    return f"{name} {day.day:%Y-%m-%d}: {', '.join(told) or 'no data'}"


def _filled(*parts: str) -> Iterator[str]:
    return (part for part in parts if part)


def _sky(code: int | None) -> str:
    return "" if code is None else _SKY.get(code, "")


def _percent(name: str, value: float | None) -> str:
    return "" if value is None else f"{name} {_round(value)}%"


def _wind(weather: Conditions | DayForecast) -> str:
    return "" if weather.wind_kmh is None else f"wind {_round(weather.wind_kmh)} km/h"


def _round(value: float) -> int:
    return round(value)
