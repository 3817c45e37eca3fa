"""Places and their weather, whoever measures it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from app.language.catalogue import Language


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """A place that a name may mean; `region` is a state or province, `country_code` ISO 3166; "" where unknown."""

    name: str
    region: str
    country: str
    country_code: str
    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class Conditions:
    """The weather at a moment: °C, percent, km/h. `at` is the place's own wall clock, without a zone.

    `code` is a WMO 4677 weather code as Open-Meteo gives it, here and in `DayForecast`. None: not measured.
    """

    at: datetime
    temperature_c: float
    feels_like_c: float | None
    humidity_percent: float | None
    wind_kmh: float | None
    code: int | None


@dataclass(frozen=True, slots=True)
class DayForecast:
    """One day there: °C, percent, mm, km/h. None: not forecast."""

    day: date
    low_c: float | None
    high_c: float | None
    rain_percent: float | None
    rain_mm: float | None
    wind_kmh: float | None
    code: int | None


@dataclass(frozen=True, slots=True)
class HourForecast:
    """One hour there, on the place's own wall clock: °C, percent, km/h. None: not forecast."""

    at: datetime
    temperature_c: float | None
    rain_percent: float | None
    wind_kmh: float | None
    code: int | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The weather now and of the next days, today first; `hours` of these days where they were asked for."""

    now: Conditions
    days: tuple[DayForecast, ...]
    hours: tuple[HourForecast, ...] = ()


class WeatherSource(Protocol):
    async def find_places(self, name: str, *, language: Language, limit: int) -> Sequence[FoundPlace]:
        """The places of that name, the most likely first; their names in that language. Empty: none.

        Raises:
            Transient: the service did not answer, or asked to wait.
            Permanent: it refused, or what it sent cannot be read.
        """
        ...

    async def forecast(self, place: FoundPlace, *, days: int, by_hours: bool = False) -> Forecast:
        """The weather there now and on `days` (1..16) days, today included; hour by hour, too, if asked for.

        Raises:
            Transient, Permanent: as `find_places`.
        """
        ...
