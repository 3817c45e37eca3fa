"""The weather of another day, another place, or where somebody lives: from the webhook to the wire, by code."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder
from tests.fakes.clock import BEGINNING

__all__ = ["encoder"]

COUNTRIES = {"Rosario": ("Santa Fe", "Argentina", "AR"), "York": ("England", "United Kingdom", "GB")}


def sky(request: httpx.Request) -> httpx.Response:
    """Every place there is, and the same weather everywhere."""
    asked = request.url.params
    if "name" in asked:
        region, country, code = COUNTRIES.get(asked["name"], ("", "Noland", "NO"))
        place = {"name": asked["name"].title(), "latitude": 1, "longitude": 1, "admin1": region}
        return httpx.Response(200, json={"results": [{**place, "country": country, "country_code": code}]})
    days = [(BEGINNING + timedelta(days=more)).date().isoformat() for more in range(7)]
    measured = {"temperature_2m_min": 8, "temperature_2m_max": 19, "precipitation_probability_max": 70}
    daily: dict[str, Any] = {name: [value] * 7 for name, value in measured.items()}
    daily |= {"precipitation_sum": [2] * 7, "wind_speed_10m_max": [20] * 7, "weather_code": [61] * 7, "time": days}
    now = {"time": f"{days[0]}T12:00", "temperature_2m": 15}
    hours = [f"{day}T{hour:02}:00" for day in days for hour in range(24)]
    hourly = {"time": hours, "temperature_2m": [12] * len(hours), "precipitation_probability": [30] * len(hours)}
    hourly |= {"wind_speed_10m": [9] * len(hours), "weather_code": [2] * len(hours)}
    return httpx.Response(
        200, json={"current": now, "daily": daily} | ({"hourly": hourly} if "hourly" in asked else {})
    )


@pytest.mark.needs("weather")
async def test_the_weather_goes_on_without_the_model(tmp_path: Path, encoder: LocalEmbedder) -> None:
    first = call("get_weather", place="Rosario")
    async with small_app(tmp_path, encoder, first, web=httpx.MockTransport(sky)) as (app, llm):
        await app.say(ALICE, "va a llover mañana en Rosario?")
        tomorrow = app.replies_to(ALICE)[-1]
        assert tomorrow.startswith("Rosario, Santa Fe, Argentina – mañana, ")
        for text, expected in (
            ("y pasado mañana?", "Rosario, Santa Fe, Argentina – pasado mañana, "),
            ("y a la tarde?", "de 14 a 18 h: 12 °C"),
            ("¿ocupo chamarra entonces?", "Sí, mejor con abrigo.\nRosario, Santa Fe, Argentina – pasado mañana, "),
            ("y en Fray Bentos?", "Fray Bentos, Noland – pasado mañana, "),
        ):
            await app.say(ALICE, text)
            assert expected in app.replies_to(ALICE)[-1]
        assert len(llm.requests) == 1
        audited = await app.rows("SELECT tool FROM audit_events WHERE phase = 'outcome'")
        assert audited == [("get_weather",)] * 5


@pytest.mark.needs("weather")
async def test_the_weather_goes_on_in_english(tmp_path: Path, encoder: LocalEmbedder) -> None:
    first = call("get_weather", place="York")
    async with small_app(tmp_path, encoder, first, web=httpx.MockTransport(sky)) as (app, llm):
        await app.say(ALICE, "what's the weather like in York tomorrow?")
        await app.say(ALICE, "do I need a brolly then?")
        assert app.replies_to(ALICE)[-1].startswith(
            "Yes, take an umbrella.\nYork, England, United Kingdom — tomorrow, "
        )
        await app.say(ALICE, "and in Whitby?")
        assert app.replies_to(ALICE)[-1].startswith("Whitby, Noland — tomorrow, ")
        assert len(llm.requests) == 1


@pytest.mark.needs("weather")
async def test_the_weather_where_somebody_lives_is_told(tmp_path: Path, encoder: LocalEmbedder) -> None:
    first = call("get_weather", place="Rosario")
    async with small_app(tmp_path, encoder, first, web=httpx.MockTransport(sky)) as (app, llm):
        await app.say(ALICE, "/remember mi hermana Nelly vive en Melbourne")
        await app.say(ALICE, "va a llover mañana en Rosario?")
        await app.say(ALICE, "y mi hermana?")
        assert app.replies_to(ALICE)[-1].startswith("Melbourne, Noland – mañana, ")
        await app.say(ALICE, "y pasado mañana?")
        assert app.replies_to(ALICE)[-1].startswith("Melbourne, Noland – pasado mañana, ")
        await app.say(ALICE, "¿y mis suegros?")
        assert app.replies_to(ALICE)[-1] == "¿En qué ciudad están tus suegros?"
        await app.say(ALICE, "en Fray Bentos")
        assert app.replies_to(ALICE)[-1].startswith("Fray Bentos, Noland – pasado mañana, ")
        assert len(llm.requests) == 1


@pytest.mark.needs("datetime", "weather")
async def test_the_clock_where_somebody_lives_is_told(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "/remember my sister is called Nelly")
        await app.say(ALICE, "/remember Nelly lives in Melbourne")
        await app.say(ALICE, "what time is it in Lisbon?")
        for text, place in (
            ("what about Nelly?", "Melbourne"),
            ("and my sister?", "Melbourne"),
            ("and my brother? he moved to Quito", "Quito"),
            ("what time is it where my brother lives?", "Quito"),
        ):
            await app.say(ALICE, text)
            assert app.replies_to(ALICE)[-1].startswith(f"{place}: ")
        await app.say(ALICE, "and my aunt Joan?")
        assert app.replies_to(ALICE)[-1] == "Which city is your aunt Joan in?"
        await app.say(ALICE, "she's in Toronto")
        assert app.replies_to(ALICE)[-1].startswith("Toronto: ")
        assert not llm.requests


@pytest.mark.needs("datetime")
async def test_the_clock_of_somebody_is_asked_for_at_any_time(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "¡Qué lindo!") as (app, _):
        await app.say(ALICE, "/remember Nelly vive en Melbourne")
        await app.say(ALICE, "qué hora es allá donde Nelly?")
        assert app.replies_to(ALICE)[-1].startswith("Melbourne: ")
        await app.say(ALICE, "¿qué hora es donde mi primo?")
        assert app.replies_to(ALICE)[-1] == "¿En qué ciudad está tu primo?"
        await app.say(ALICE, "Madrid")
        assert app.replies_to(ALICE)[-1].startswith("Madrid: ")
