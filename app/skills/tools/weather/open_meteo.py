"""Weather from Open-Meteo, which wants no account (its free use is for non-commercial purposes).

Parameters and fields as in https://open-meteo.com/en/docs and https://open-meteo.com/en/docs/geocoding-api.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from app.domain.errors import Permanent, Transient
from app.language.catalogue import Language
from app.skills.tools.weather.forecast import Conditions, DayForecast, Forecast, FoundPlace, HourForecast

GEOCODING_URL: Final = "https://geocoding-api.open-meteo.com/v1/search"
FORECAST_URL: Final = "https://api.open-meteo.com/v1/forecast"
_TIMEOUT_S: Final = 10.0
_MAX_BYTES: Final = 1_000_000
_TOO_MANY: Final = 429
_SERVER_ERROR: Final = 500
_CLIENT_ERROR: Final = 400
_CURRENT: Final = "temperature_2m,apparent_temperature,relative_humidity_2m,wind_speed_10m,weather_code"
_DAILY: Final = (
    "temperature_2m_min,temperature_2m_max,precipitation_probability_max,precipitation_sum,"
    "wind_speed_10m_max,weather_code"
)
_HOURLY: Final = "temperature_2m,precipitation_probability,wind_speed_10m,weather_code"


class _Place(BaseModel):
    name: str
    latitude: float
    longitude: float
    country: str = ""
    country_code: str = ""
    admin1: str = ""


class _Places(BaseModel):
    """`results` is missing when nothing was found."""

    results: list[_Place] = []


class _Current(BaseModel):
    time: datetime
    temperature_2m: float
    apparent_temperature: float | None = None
    relative_humidity_2m: float | None = None
    wind_speed_10m: float | None = None
    weather_code: int | None = None


class _Daily(BaseModel):
    """Columns of equal length, one entry for each day."""

    time: list[date]
    temperature_2m_min: list[float | None]
    temperature_2m_max: list[float | None]
    precipitation_probability_max: list[float | None]
    precipitation_sum: list[float | None]
    wind_speed_10m_max: list[float | None]
    weather_code: list[int | None]


class _Hourly(BaseModel):
    """As `_Daily`, one entry for each hour."""

    time: list[datetime] = []
    temperature_2m: list[float | None] = []
    precipitation_probability: list[float | None] = []
    wind_speed_10m: list[float | None] = []
    weather_code: list[int | None] = []


class _Forecast(BaseModel):
    current: _Current
    daily: _Daily
    hourly: _Hourly = _Hourly()


_Body = TypeVar("_Body", bound=BaseModel)


class OpenMeteo:
    """`WeatherSource` over a client that the caller owns and that verifies certificates."""

    def __init__(self, client: httpx.AsyncClient, *, timeout_s: float = _TIMEOUT_S) -> None:
        self._client = client
        self._timeout_s = timeout_s

    async def find_places(self, name: str, *, language: Language, limit: int) -> Sequence[FoundPlace]:
        query = {"name": name, "count": str(limit), "language": language, "format": "json"}
        found = await self._get(GEOCODING_URL, query, _Places)
        return [
            FoundPlace(
                name=place.name,
                region=place.admin1,
                country=place.country,
                country_code=place.country_code,
                latitude=place.latitude,
                longitude=place.longitude,
            )
            for place in found.results
        ]

    async def forecast(self, place: FoundPlace, *, days: int, by_hours: bool = False) -> Forecast:
        query = {
            "latitude": str(place.latitude),
            "longitude": str(place.longitude),
            "current": _CURRENT,
            "daily": _DAILY,
            "forecast_days": str(days),
            "timezone": "auto",
        } | ({"hourly": _HOURLY} if by_hours else {})
        body = await self._get(FORECAST_URL, query, _Forecast)
        now = body.current
        return Forecast(
            now=Conditions(
                at=now.time,
                temperature_c=now.temperature_2m,
                feels_like_c=now.apparent_temperature,
                humidity_percent=now.relative_humidity_2m,
                wind_kmh=now.wind_speed_10m,
                code=now.weather_code,
            ),
            days=_days(body.daily),
            hours=_hours(body.hourly),
        )

    async def _get(self, url: str, query: Mapping[str, str], model: type[_Body]) -> _Body:
        try:
            response = await self._client.get(url, params=query, timeout=self._timeout_s)
        except httpx.TimeoutException as exc:
            raise Transient("weather_timeout", f"no answer within {self._timeout_s} s") from exc
        except httpx.HTTPError as exc:
            raise Transient("weather_unreachable", str(exc)) from exc
        if response.status_code == _TOO_MANY or response.status_code >= _SERVER_ERROR:
            raise Transient("weather_busy", f"HTTP {response.status_code}")
        if response.status_code >= _CLIENT_ERROR:
            raise Permanent("weather_refused", f"HTTP {response.status_code}")
        if len(response.content) > _MAX_BYTES:
            raise Permanent("weather_unreadable", "the answer is too large")
        try:
            return model.model_validate_json(response.content)
        except ValidationError as exc:
            raise Permanent("weather_unreadable", f"{exc.error_count()} fields do not fit") from exc


def _days(daily: _Daily) -> tuple[DayForecast, ...]:
    columns = zip(
        daily.time,
        daily.temperature_2m_min,
        daily.temperature_2m_max,
        daily.precipitation_probability_max,
        daily.precipitation_sum,
        daily.wind_speed_10m_max,
        daily.weather_code,
        strict=False,  # a short column ends the forecast early instead of failing it
    )
    return tuple(DayForecast(*row) for row in columns)


def _hours(hourly: _Hourly) -> tuple[HourForecast, ...]:
    columns = zip(
        hourly.time,
        hourly.temperature_2m,
        hourly.precipitation_probability,
        hourly.wind_speed_10m,
        hourly.weather_code,
        strict=False,  # as above
    )
    return tuple(HourForecast(*row) for row in columns)
