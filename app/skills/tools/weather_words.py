"""Weather as it is told: to a model in English, to a person in their language."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from babel.dates import format_date

from app.domain.phrasebook.weather import WeatherPhrase
from app.domain.phrases import Language, say
from app.domain.weather import Conditions, DayForecast, Forecast

# WMO code table 4677, in the reduced form that Open-Meteo documents.
_SKY: Final[Mapping[int, WeatherPhrase]] = MappingProxyType(
    {
        0: WeatherPhrase.SKY_CLEAR,
        1: WeatherPhrase.SKY_MAINLY_CLEAR,
        2: WeatherPhrase.SKY_PARTLY_CLOUDY,
        3: WeatherPhrase.SKY_OVERCAST,
        45: WeatherPhrase.SKY_FOG,
        48: WeatherPhrase.SKY_FREEZING_FOG,
        51: WeatherPhrase.SKY_LIGHT_DRIZZLE,
        53: WeatherPhrase.SKY_DRIZZLE,
        55: WeatherPhrase.SKY_HEAVY_DRIZZLE,
        56: WeatherPhrase.SKY_LIGHT_FREEZING_DRIZZLE,
        57: WeatherPhrase.SKY_FREEZING_DRIZZLE,
        61: WeatherPhrase.SKY_LIGHT_RAIN,
        63: WeatherPhrase.SKY_RAIN,
        65: WeatherPhrase.SKY_HEAVY_RAIN,
        66: WeatherPhrase.SKY_LIGHT_FREEZING_RAIN,
        67: WeatherPhrase.SKY_FREEZING_RAIN,
        71: WeatherPhrase.SKY_LIGHT_SNOW,
        73: WeatherPhrase.SKY_SNOW,
        75: WeatherPhrase.SKY_HEAVY_SNOW,
        77: WeatherPhrase.SKY_SNOW_GRAINS,
        80: WeatherPhrase.SKY_LIGHT_SHOWERS,
        81: WeatherPhrase.SKY_SHOWERS,
        82: WeatherPhrase.SKY_VIOLENT_SHOWERS,
        85: WeatherPhrase.SKY_LIGHT_SNOW_SHOWERS,
        86: WeatherPhrase.SKY_HEAVY_SNOW_SHOWERS,
        95: WeatherPhrase.SKY_THUNDERSTORM,
        96: WeatherPhrase.SKY_HAIL,
        99: WeatherPhrase.SKY_HEAVY_HAIL,
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
    lines = [say(WeatherPhrase.NOW, language, place=place, time=f"{forecast.now.at:%H:%M}", now=now)]
    lines += [f"{_name(day, forecast, 'EEEE d', language)}: {_day(day, language)}" for day in forecast.days]
    return "\n".join(lines)


def _name(day: DayForecast, forecast: Forecast, pattern: str, language: Language) -> str:
    if day.day == forecast.now.at.date():
        return say(WeatherPhrase.TODAY, language)
    return format_date(day.day, pattern, locale=language).capitalize()


def _now(now: Conditions, language: Language) -> str:
    degrees = f"{round(now.temperature_c)} °C"
    if now.feels_like_c is not None:
        felt = {"degrees": round(now.temperature_c), "felt": round(now.feels_like_c)}
        degrees = say(WeatherPhrase.DEGREES_FELT, language, **felt)
    humidity = _percent(WeatherPhrase.HUMIDITY, now.humidity_percent, language)
    return ", ".join(_filled(degrees, _sky(now.code, language), humidity, _wind(now, language)))


def _day(day: DayForecast, language: Language) -> str:
    degrees = ""
    if day.low_c is not None and day.high_c is not None:
        degrees = say(WeatherPhrase.RANGE, language, low=round(day.low_c), high=round(day.high_c))
    rain = _percent(WeatherPhrase.RAIN_CHANCE, day.rain_percent, language)
    if day.rain_mm:
        rain = f"{rain or say(WeatherPhrase.SKY_RAIN, language)} ({day.rain_mm:.1f} mm)"
    told = _filled(degrees, _sky(day.code, language), rain, _wind(day, language))
    return ", ".join(told) or say(WeatherPhrase.NO_DATA, language)


def _filled(*parts: str) -> Iterator[str]:
    return (part for part in parts if part)


def _sky(code: int | None, language: Language) -> str:
    phrase = None if code is None else _SKY.get(code)
    return "" if phrase is None else say(phrase, language)


def _percent(phrase: WeatherPhrase, value: float | None, language: Language) -> str:
    return "" if value is None else say(phrase, language, percent=round(value))


def _wind(weather: Conditions | DayForecast, language: Language) -> str:
    return "" if weather.wind_kmh is None else say(WeatherPhrase.WIND, language, speed=round(weather.wind_kmh))
