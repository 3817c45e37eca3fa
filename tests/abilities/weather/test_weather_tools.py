"""The weather tool over the real adapter and a fake wire."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import respx

from app.domain.errors import ToolArgumentError
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.places import Places
from app.domain.tools import ToolResult
from app.domain.turn import Said, TurnContext
from app.language.catalogue import Language
from app.skills.loader import load_builtin
from app.skills.registry import SkillRegistry
from app.skills.tools.weather import weather_tools
from app.skills.tools.weather.open_meteo import FORECAST_URL, GEOCODING_URL, OpenMeteo

CORDOBA_AR = {
    "name": "Córdoba",
    "latitude": -31.4,
    "longitude": -64.2,
    "country": "Argentina",
    "country_code": "AR",
    "admin1": "Córdoba",
}
CORDOBA_ES = {
    "name": "Córdoba",
    "latitude": 37.9,
    "longitude": -4.8,
    "country": "España",
    "country_code": "ES",
    "admin1": "Andalucía",
}
PARIS_TX = {
    "name": "Paris",
    "latitude": 33.7,
    "longitude": -95.6,
    "country": "United States",
    "country_code": "US",
    "admin1": "Texas",
}
FORECAST = {
    "current": {
        "time": "2026-11-21T14:30",
        "temperature_2m": 23.4,
        "apparent_temperature": 21.6,
        "relative_humidity_2m": 40,
        "wind_speed_10m": 12.2,
        "weather_code": 2,
    },
    "daily": {
        "time": ["2026-11-21", "2026-11-22"],
        "temperature_2m_min": [12.1, None],
        "temperature_2m_max": [24.9, 20.0],
        "precipitation_probability_max": [60, None],
        "precipitation_sum": [3.2, 0.0],
        "wind_speed_10m_max": [20.4, None],
        "weather_code": [61, 1234],
    },
}


class Sky:
    """The tool, and the wire it talks over."""

    def __init__(self, wire: respx.MockRouter, client: httpx.AsyncClient) -> None:
        self.wire = wire
        self.said = ""
        self._registry = SkillRegistry()
        weather_tools.register(self._registry, OpenMeteo(client), Places())

    def knows(self, *places: dict[str, Any]) -> respx.Route:
        body = {"results": list(places)} if places else {"generationtime_ms": 0.5}
        return self.wire.get(GEOCODING_URL).respond(json=body)

    def forecasts(self, body: object = FORECAST) -> respx.Route:
        return self.wire.get(FORECAST_URL).respond(json=body)

    async def ask(self, *, language: Language = "es", **arguments: object) -> str:
        return (await self.result(language=language, **arguments)).content

    async def result(self, *, language: Language = "es", **arguments: object) -> ToolResult:
        tool = self._registry.tools.get("get_weather")
        now = datetime(2026, 11, 21, 17, 30, tzinfo=UTC)
        ctx = TurnContext(TurnId(1), UserId("ann"), ConversationId(1), 1, now, language, is_admin=False)
        ctx = replace(ctx, said=Said(now=(self.said,) if self.said else ()))
        return await tool.execute(tool.validate_args(arguments), ctx=ctx)


@pytest.fixture
async def sky() -> AsyncIterator[Sky]:
    async with httpx.AsyncClient() as client:
        with respx.mock(assert_all_called=False) as wire:
            yield Sky(wire, client)


async def test_the_weather_is_one_line_for_now_and_one_for_each_day(sky: Sky) -> None:
    sky.knows(CORDOBA_AR)
    sky.forecasts()
    assert (await sky.ask(place="Córdoba")).splitlines() == [
        "Weather in Córdoba, Argentina now (14:30 there): 23 °C (feels like 22 °C), partly cloudy, "
        "humidity 40%, wind 12 km/h",
        "Today 2026-11-21: 12 to 25 °C, light rain, rain 60% (3.2 mm), wind 20 km/h",
        "Sunday 2026-11-22: no data",
    ]


async def test_a_person_is_told_the_weather_in_their_language(sky: Sky) -> None:
    sky.knows(CORDOBA_AR)
    sky.forecasts()
    assert (await sky.result(place="Córdoba")).reply.splitlines() == [
        "Córdoba, Argentina, ahora (14:30 allá): 23 °C (sensación de 22 °C), parcialmente nublado, humedad 40 %,"
        " viento 12 km/h",
        "Hoy: 12 a 25 °C, lluvia débil, lluvia 60 % (3.2 mm), viento 20 km/h",
        "Domingo 22: sin datos",
    ]
    assert "Sunday 22: no data" in (await sky.result(place="Córdoba", language="en")).reply


async def test_the_place_is_searched_in_the_users_language_and_the_days_are_asked_for(sky: Sky) -> None:
    search, forecast = sky.knows(CORDOBA_AR), sky.forecasts()
    await sky.ask(place="  Córdoba ", days=3, language="en")
    assert dict(search.calls.last.request.url.params) == {
        "name": "Córdoba",
        "count": "10",
        "language": "en",
        "format": "json",
    }
    asked = dict(forecast.calls.last.request.url.params)
    assert (asked["latitude"], asked["longitude"], asked["forecast_days"]) == ("-31.4", "-64.2", "3")
    assert asked["timezone"] == "auto"


async def test_seven_days_are_the_default(sky: Sky) -> None:
    sky.knows(CORDOBA_AR)
    forecast = sky.forecasts()
    await sky.ask(place="Córdoba")
    assert forecast.calls.last.request.url.params["forecast_days"] == "7"


@pytest.mark.parametrize("written", ["Córdoba, España", "Cordoba (Spain)", "Córdoba, Andalucía, ES"])
async def test_the_country_or_region_chooses_among_places_of_one_name(sky: Sky, written: str) -> None:
    sky.knows(CORDOBA_AR, CORDOBA_ES)
    forecast = sky.forecasts()
    assert (await sky.ask(place=written)).startswith("Weather in Córdoba, Andalucía, España now")
    assert forecast.calls.last.request.url.params["latitude"] == "37.9"


async def test_a_place_that_is_not_in_the_named_region_is_refused_with_what_there_is(sky: Sky) -> None:
    sky.knows(PARIS_TX)
    assert await sky.ask(place="Paris, Francia") == (
        "Error: No 'Paris' was found in 'Francia'. Found: Paris, Texas, United States."
    )


async def test_an_unknown_place_is_said(sky: Sky) -> None:
    sky.knows()
    answer = await sky.ask(place="Atlantis")
    assert answer == "Error: No place called 'Atlantis' was found; check its name or use a larger city."


async def test_an_empty_place_is_refused_without_a_request(sky: Sky) -> None:
    search = sky.knows()
    assert (await sky.ask(place=" , ")).startswith("Error: Give the name of a city")
    assert not search.called


async def test_too_many_days_are_refused_before_any_request(sky: Sky) -> None:
    with pytest.raises(ToolArgumentError):
        await sky.ask(place="Lima", days=30)


@pytest.mark.parametrize(
    "failure",
    [httpx.ConnectTimeout("slow"), httpx.ConnectError("certificate verify failed"), httpx.Response(429)],
    ids=["timeout", "unreachable", "too many"],
)
async def test_a_service_that_does_not_answer_is_said(sky: Sky, failure: Exception | httpx.Response) -> None:
    sky.wire.get(GEOCODING_URL).mock(side_effect=[failure])
    result = await sky.result(place="Lima")
    assert result.content == "Error: The weather service does not answer now; it may work later."
    assert result.reply.startswith("El servicio del tiempo no responde ahora.")


async def test_a_failing_server_at_the_second_request_is_said(sky: Sky) -> None:
    sky.knows(CORDOBA_AR)
    sky.wire.get(FORECAST_URL).respond(503)
    assert "does not answer now" in await sky.ask(place="Córdoba")


@pytest.mark.parametrize(
    "body", ["<html>", "[]", '{"current": {}, "daily": {}}', '{"results": [{"name": 1}]}', "{"]
)
async def test_an_answer_that_is_not_a_forecast_is_said(sky: Sky, body: str) -> None:
    sky.knows(CORDOBA_AR)
    sky.wire.get(FORECAST_URL).respond(text=body)
    assert "refused the question; do not retry" in await sky.ask(place="Córdoba")


async def test_a_refused_request_is_not_worth_a_retry(sky: Sky) -> None:
    sky.wire.get(GEOCODING_URL).respond(400, json={"error": True, "reason": "x"})
    assert "do not retry" in await sky.ask(place="Lima")


async def test_an_oversized_answer_is_refused(sky: Sky) -> None:
    sky.wire.get(GEOCODING_URL).respond(text='{"results": []}' + " " * 1_000_001)
    assert "do not retry" in await sky.ask(place="Lima")


async def test_a_measurement_that_is_missing_is_left_out(sky: Sky) -> None:
    sky.knows(CORDOBA_AR)
    sky.forecasts({**FORECAST, "current": {"time": "2026-11-21T14:30", "temperature_2m": 9.6}})
    assert (await sky.ask(place="Córdoba")).splitlines()[0].endswith("(14:30 there): 10 °C")


def test_the_skill_folder_is_readable() -> None:
    assert "weather" in {skill.name for skill in load_builtin()[0]}


HOURLY = {
    "time": ["2026-11-21T14:00", "2026-11-21T16:00", "2026-11-21T22:00"],
    "temperature_2m": [11.2, 9.6, 4.0],
    "precipitation_probability": [10, 55, 80],
    "wind_speed_10m": [10.0, 21.0, None],
    "weather_code": [2, 61, 3],
}


async def test_of_a_day_that_is_asked_for_one_line_is_told(sky: Sky) -> None:
    sky.knows(CORDOBA_AR)
    sky.forecasts()
    assert (await sky.result(place="Córdoba", day="2026-11-21")).reply == (
        "Córdoba, Argentina – hoy, sábado 21 de noviembre: 12 a 25 °C, lluvia débil, lluvia 60 % (3.2 mm),"
        " viento 20 km/h"
    )
    assert (await sky.result(place="Córdoba", day="2026-12-24")).reply == (
        "El pronóstico llega solo hasta mañana, domingo 22 de noviembre."
    )


async def test_the_hours_that_are_asked_for_are_told_as_one(sky: Sky) -> None:
    sky.knows(CORDOBA_AR)
    asked = sky.forecasts({**FORECAST, "hourly": HOURLY})
    result = await sky.result(place="Córdoba", day="2026-11-21", hours="14-18", language="en")
    assert "hourly" in asked.calls.last.request.url.params
    assert result.reply == (
        "Córdoba, Argentina — today, Saturday, November 21, 14:00 to 18:00: 10 to 11 °C, light rain,"
        " rain 55%, wind 21 km/h"
    )
    assert "2026-11-21, 14-18 h: 10 to 11 °C" in result.content


@pytest.mark.parametrize(
    ("said", "language", "first", "second"),
    [
        ("¿va a llover mañana en Córdoba?", "es", "Córdoba, Argentina – mañana, domingo 22", None),
        ("¿necesito paraguas hoy en Córdoba?", "es", "Sí, mejor con paraguas.", "Córdoba, Argentina – hoy"),
        ("should I take a jacket to Córdoba?", "en", "Yes, take a coat.", "Córdoba, Argentina — today"),
        ("cómo está Córdoba", "es", "Córdoba, Argentina, ahora", "Hoy: "),
    ],
)
async def test_what_the_message_asks_for_is_told(
    sky: Sky, said: str, language: Language, first: str, second: str | None
) -> None:
    sky.knows(CORDOBA_AR)
    sky.forecasts()
    sky.said = said
    lines = (await sky.result(place="Córdoba", language=language)).reply.splitlines()
    assert lines[0].startswith(first)
    assert lines[1].startswith(second) if second else len(lines) == 1
