"""Weather as it is told: to a model in English, to a person in their language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from babel.dates import format_date

from app.charts.charts import Chart, Series
from app.language.catalogue import Language, Sentence, say
from app.skills.tools.weather.asked import Hours, Need
from app.skills.tools.weather.forecast import Conditions, DayForecast, Forecast, HourForecast
from app.skills.tools.weather.texts import WEATHER
from app.when.telling import tell_day

# WMO code table 4677, in the reduced form that Open-Meteo documents.
_SKY: Final[Mapping[int, Sentence]] = MappingProxyType(
    {
        0: WEATHER.sky_clear,
        1: WEATHER.sky_mainly_clear,
        2: WEATHER.sky_partly_cloudy,
        3: WEATHER.sky_overcast,
        45: WEATHER.sky_fog,
        48: WEATHER.sky_freezing_fog,
        51: WEATHER.sky_light_drizzle,
        53: WEATHER.sky_drizzle,
        55: WEATHER.sky_heavy_drizzle,
        56: WEATHER.sky_light_freezing_drizzle,
        57: WEATHER.sky_freezing_drizzle,
        61: WEATHER.sky_light_rain,
        63: WEATHER.sky_rain,
        65: WEATHER.sky_heavy_rain,
        66: WEATHER.sky_light_freezing_rain,
        67: WEATHER.sky_freezing_rain,
        71: WEATHER.sky_light_snow,
        73: WEATHER.sky_snow,
        75: WEATHER.sky_heavy_snow,
        77: WEATHER.sky_snow_grains,
        80: WEATHER.sky_light_showers,
        81: WEATHER.sky_showers,
        82: WEATHER.sky_violent_showers,
        85: WEATHER.sky_light_snow_showers,
        86: WEATHER.sky_heavy_snow_showers,
        95: WEATHER.sky_thunderstorm,
        96: WEATHER.sky_hail,
        99: WEATHER.sky_heavy_hail,
    }
)


# Below, people want something warm; from then on, something against the rain.
_COLD_C: Final = 14
_WET_PERCENT: Final = 40
_NEEDED: Final[Mapping[Need, tuple[Sentence, Sentence]]] = MappingProxyType(
    {
        "coat": (WEATHER.coat_yes, WEATHER.coat_no),
        "umbrella": (WEATHER.umbrella_yes, WEATHER.umbrella_no),
    }
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a forecast is asked for: `days` (() for all that there are), `hours` of each, what to take along."""

    days: tuple[date, ...] = ()
    hours: Hours | None = None
    need: Need | None = None


def tell_model(place: str, forecast: Forecast, asked: Asked = Asked()) -> str:
    """Return a line for now and one for each day, with its date, and one for the hours that are asked for."""
    lines = [f"Weather in {place} now ({forecast.now.at:%H:%M} there): {_now(forecast.now, 'en')}"]
    lines += [
        f"{_name(day, forecast, 'EEEE', 'en')} {day.day:%Y-%m-%d}: {_day(day, 'en')}" for day in forecast.days
    ]
    if asked.hours is not None:
        spans = ((day, _within(forecast, day, asked.hours)) for day in asked.days)
        lines += [f"{day:%Y-%m-%d}, {asked.hours.span} h: {_hours(hours, 'en')}" for day, hours in spans if hours]
    return "\n".join(lines)


def tell_asked(place: str, forecast: Forecast, asked: Asked, language: Language) -> str:
    """Return what was asked for: a line for each day, the first with the place, below what to take along.

    "" where nothing of it is forecast; how far the forecast goes where it is for later.
    """
    days = [day for day in forecast.days if day.day in asked.days]
    if not days:
        last = forecast.days[-1].day if forecast.days else forecast.now.at.date()
        is_later = any(day > last for day in asked.days)
        return say(WEATHER.too_far, language, day=_date(last, forecast, language)) if is_later else ""
    told = [(_when(day.day, forecast, asked, language), _told(day, forecast, asked, language)) for day in days]
    (first, weather), *others = told
    lines = [say(WEATHER.on_day, language, place=place, day=first, told=weather)]
    lines += [f"{when[:1].upper()}{when[1:]}: {weather}" for when, weather in others]
    lead = _needed(asked.need, [one for day in days for one in _measured(day, forecast, asked)], language)
    return "\n".join(filter(None, (lead, *lines)))


def tell_person(place: str, forecast: Forecast, language: Language) -> str:
    """Return a line for now and one for each day, with its weekday."""
    now = _now(forecast.now, language)
    lines = [say(WEATHER.now, language, place=place, time=f"{forecast.now.at:%H:%M}", now=now)]
    lines += [f"{_name(day, forecast, 'EEEE d', language)}: {_day(day, language)}" for day in forecast.days]
    return "\n".join(lines)


def chart_of(place: str, forecast: Forecast, language: Language) -> Chart:
    """Return the days as two lines: the warmest and the coldest of each."""
    labels = tuple(format_date(one.day, "EEE d", locale=language) for one in forecast.days)
    highs = Series(say(WEATHER.chart_high, language), tuple(one.high_c for one in forecast.days))
    lows = Series(say(WEATHER.chart_low, language), tuple(one.low_c for one in forecast.days))
    return Chart(place, labels, (highs, lows), kind="line", unit="°C")


def _date(day: date, forecast: Forecast, language: Language) -> str:
    return tell_day(day, forecast.now.at.date(), language)


def _when(day: date, forecast: Forecast, asked: Asked, language: Language) -> str:
    told = _date(day, forecast, language)
    if asked.hours is None or not _within(forecast, day, asked.hours):
        return told
    hours = asked.hours
    if hours.first == hours.last:
        return say(WEATHER.at_hour, language, day=told, hour=hours.first)
    return say(WEATHER.between, language, day=told, first=hours.first, last=hours.last)


def _told(day: DayForecast, forecast: Forecast, asked: Asked, language: Language) -> str:
    hours = _within(forecast, day.day, asked.hours)
    return _hours(hours, language) if hours else _day(day, language)


def _within(forecast: Forecast, day: date, hours: Hours | None) -> list[HourForecast]:
    if hours is None:
        return []
    return [one for one in forecast.hours if one.at.date() == day and hours.first <= one.at.hour <= hours.last]


def _hours(hours: Sequence[HourForecast], language: Language) -> str:
    """Tell hours as one: the range of degrees, the likeliest rain, the strongest wind, the worst sky."""
    degrees = [round(one.temperature_c) for one in hours if one.temperature_c is not None]
    low, high = min(degrees, default=None), max(degrees, default=None)
    warmth = (
        "" if low is None else f"{low} °C" if low == high else say(WEATHER.range, language, low=low, high=high)
    )
    sky = max((one.code for one in hours if one.code is not None), default=None)
    rain = max((one.rain_percent for one in hours if one.rain_percent is not None), default=None)
    wind = max((one.wind_kmh for one in hours if one.wind_kmh is not None), default=None)
    blowing = "" if wind is None else say(WEATHER.wind, language, speed=round(wind))
    told = _filled(warmth, _sky(sky, language), _percent(WEATHER.rain_chance, rain, language), blowing)
    return ", ".join(told) or say(WEATHER.no_data, language)


def _measured(day: DayForecast, forecast: Forecast, asked: Asked) -> list[tuple[float | None, float | None]]:
    """Return the lowest degrees and the chance of rain of what is told."""
    hours = _within(forecast, day.day, asked.hours)
    return [(one.temperature_c, one.rain_percent) for one in hours] or [(day.low_c, day.rain_percent)]


def _needed(need: Need | None, measured: Sequence[tuple[float | None, float | None]], language: Language) -> str:
    """Say whether to take it along; "" where nobody asked, or what it depends on is not forecast."""
    if need is None:
        return ""
    degrees = [low for low, _ in measured if low is not None]
    rain = [percent for _, percent in measured if percent is not None]
    if not (degrees if need == "coat" else rain):
        return ""
    is_needed = min(degrees) < _COLD_C if need == "coat" else max(rain) >= _WET_PERCENT
    return say(_NEEDED[need][0 if is_needed else 1], language)


def _name(day: DayForecast, forecast: Forecast, pattern: str, language: Language) -> str:
    if day.day == forecast.now.at.date():
        return say(WEATHER.today, language)
    return format_date(day.day, pattern, locale=language).capitalize()


def _now(now: Conditions, language: Language) -> str:
    degrees = f"{round(now.temperature_c)} °C"
    if now.feels_like_c is not None:
        felt = {"degrees": round(now.temperature_c), "felt": round(now.feels_like_c)}
        degrees = say(WEATHER.degrees_felt, language, **felt)
    humidity = _percent(WEATHER.humidity, now.humidity_percent, language)
    return ", ".join(_filled(degrees, _sky(now.code, language), humidity, _wind(now, language)))


def _day(day: DayForecast, language: Language) -> str:
    degrees = ""
    if day.low_c is not None and day.high_c is not None:
        degrees = say(WEATHER.range, language, low=round(day.low_c), high=round(day.high_c))
    rain = _percent(WEATHER.rain_chance, day.rain_percent, language)
    if day.rain_mm:
        rain = f"{rain or say(WEATHER.sky_rain, language)} ({day.rain_mm:.1f} mm)"
    told = _filled(degrees, _sky(day.code, language), rain, _wind(day, language))
    return ", ".join(told) or say(WEATHER.no_data, language)


def _filled(*parts: str) -> Iterator[str]:
    return (part for part in parts if part)


def _sky(code: int | None, language: Language) -> str:
    phrase = None if code is None else _SKY.get(code)
    return "" if phrase is None else say(phrase, language)


def _percent(phrase: Sentence, value: float | None, language: Language) -> str:
    return "" if value is None else say(phrase, language, percent=round(value))


def _wind(weather: Conditions | DayForecast, language: Language) -> str:
    return "" if weather.wind_kmh is None else say(WEATHER.wind, language, speed=round(weather.wind_kmh))
