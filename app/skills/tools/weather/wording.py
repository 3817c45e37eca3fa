"""Weather as it is told: to a model in English, to a person in their language."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from babel.dates import format_date

from app.charts.charts import Chart, Series
from app.language.catalogue import Language, Sentence, say
from app.skills.tools.weather.forecast import Conditions, DayForecast, Forecast
from app.skills.tools.weather.texts import WEATHER

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


def tell_model(place: str, forecast: Forecast) -> str:
    """Return a line for now and one for each day, with its date."""
    lines = [f"Weather in {place} now ({forecast.now.at:%H:%M} there): {_now(forecast.now, 'en')}"]
    lines += [
        f"{_name(day, forecast, 'EEEE', 'en')} {day.day:%Y-%m-%d}: {_day(day, 'en')}" for day in forecast.days
    ]
    return "\n".join(lines)


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
