"""After the weather was told, another day's or another place's is told by code."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from app.database.db import Database
from app.database.repositories.conversations import Conversations
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.places import Places
from app.domain.recollection import Remembering
from app.domain.turn import Said, TurnContext
from app.skills.tools.weather.asked import Hours
from app.skills.tools.weather.forecast import Conditions, DayForecast, Forecast, HourForecast
from app.skills.tools.weather.going_on import OtherWeather
from app.skills.tools.weather.told import Told, read_told
from app.skills.tools.weather.wording import Asked, tell_asked, tell_person
from app.skills.whereabouts.whereabouts import Whereabouts
from tests.databases import lay_down

NOW = datetime(2026, 11, 25, 13, 0, tzinfo=UTC)  # a Wednesday
DAYS = [date(2026, 11, 25 + more) for more in range(6)]
CTX = TurnContext(TurnId(1), UserId("ann"), ConversationId(1), 1, NOW, "es", is_admin=False, timezone="UTC")
FORECAST = Forecast(
    Conditions(datetime(2026, 11, 25, 10), 20, None, None, None, 0),
    tuple(DayForecast(day, 10, 20, 60, 2.0, 15, 61) for day in DAYS),
)
ROSARIO, YORK = "Rosario, Santa Fe, Argentina", "York, England, United Kingdom"


def told(place: str, *days: date, language: str = "es") -> str:
    if not days:
        return tell_person(place, FORECAST, language)
    return tell_asked(place, FORECAST, Asked(days), language)


CallFor = Callable[..., Awaitable[dict[str, object] | None]]


@pytest.fixture
async def call_for(tmp_path: Path) -> AsyncIterator[CallFor]:
    """Return what a message calls for after an answer; None: nothing."""
    places = Places()
    await lay_down(tmp_path / "wasap.db")
    async with Database.open(tmp_path / "wasap.db") as db:
        conversations = Conversations(db)
        other = OtherWeather(places, Whereabouts(Remembering(), conversations, places), conversations)

        async def arguments(text: str, newest: str, language: str = "es") -> dict[str, object] | None:
            ctx = replace(CTX, language=language, said=Said(now=(text,), answers=(newest,)))
            call = await other.call(text, ctx)
            return None if call is None else dict(call.arguments)

        yield arguments


@pytest.mark.parametrize(
    ("text", "language", "days", "hours"),
    [
        ("y el sábado?", "es", "2026-11-28", None),
        ("¿Y pasado mañana?", "es", "2026-11-27", None),
        ("¿y el finde qué tal?", "es", "2026-11-28/2026-11-29", None),
        ("y el domingo en la noche va a llover?", "es", "2026-11-29", "19-23"),
        ("y a la tarde?", "es", "2026-11-26", "14-18"),
        ("y por la mañana", "es", "2026-11-26", "7-11"),
        ("¿y a las 5?", "es", "2026-11-26", "17-17"),
        ("necesito llevar paraguas?", "es", "2026-11-26", None),
        ("¿ocupo chamarra entonces?", "es", "2026-11-26", None),
        ("y hace falta llevar casaca?", "es", "2026-11-26", None),
        ("do I need a coat then?", "en", "2026-11-26", None),
        ("and Friday?", "en", "2026-11-27", None),
        ("what about Friday evening?", "en", "2026-11-27", "17-21"),
        ("will it be windy on Saturday?", "en", "2026-11-28", None),
    ],
)
async def test_the_same_place_is_asked_for_with_the_new_time(
    call_for: CallFor, text: str, language: str, days: str, hours: str | None
) -> None:
    found = await call_for(text, told(ROSARIO, DAYS[1], language=language), language)
    assert found == {"place": ROSARIO, "day": days} | ({"hours": hours} if hours else {})


@pytest.mark.parametrize(
    ("text", "language", "place", "day"),
    [
        ("y en Leeds?", "es", "Leeds", "2026-11-28"),
        ("and in leeds?", "en", "leeds", "2026-11-28"),
        ("dale, y en Tandil?", "es", "Tandil", "2026-11-28"),
        ("ok thanks, and in Whitby?", "en", "Whitby", "2026-11-28"),
        ("¿y en Villa Elisa?", "es", "Villa Elisa", "2026-11-28"),
        ("y en Córdoba, la de España?", "es", "cordoba, espana", "2026-11-28"),
        ("y Bariloche?", "es", "bariloche", "2026-11-28"),
        ("what about Dublin tomorrow?", "en", "dublin", "2026-11-26"),
        ("y en Pisco va a hacer frío?", "es", "Pisco", "2026-11-28"),
    ],
)
async def test_another_place_is_asked_for_with_the_same_day(
    call_for: CallFor, text: str, language: str, place: str, day: str
) -> None:
    found = await call_for(text, told(ROSARIO, DAYS[3], language=language), language)
    assert found == {"place": place, "day": day}


async def test_the_day_stays_for_where_somebody_lives(call_for: CallFor) -> None:
    found = await call_for("y mi hermana? vive en Fray Bentos", told(ROSARIO, DAYS[3]))
    assert found == {"place": "Fray Bentos", "day": "2026-11-28"}


async def test_where_all_days_were_told_all_are_told_of_another_place(call_for: CallFor) -> None:
    assert await call_for("y en Salta?", told(ROSARIO)) == {"place": "salta"}
    assert await call_for("y mañana?", told(ROSARIO)) == {"place": ROSARIO, "day": "2026-11-26"}


async def test_a_place_told_in_another_language_is_asked_for_without_its_region(call_for: CallFor) -> None:
    found = await call_for("y el viernes?", told(YORK, DAYS[1], language="en"))
    assert found == {"place": "York, United Kingdom", "day": "2026-11-27"}


@pytest.mark.parametrize(
    "text",
    [
        "y cuánto sale el pasaje a Salta?",
        "y en invierno?",
        "y en mi casa?",
        "y en el centro?",
        "y mi hermana?",
        "what about Nelly?",
        "y vos?",
        "and why?",
        "y gracias",
        "el sábado vamos a la plaza",
        "y recordame llevar abrigo el sábado",
        "cómo está el clima en Lima?",
        "y en grados fahrenheit?",
        "anotá: llevar paraguas mañana",
    ],
)
async def test_anything_else_is_left_to_others(call_for: CallFor, text: str) -> None:
    assert await call_for(text, told(ROSARIO, DAYS[1])) is None


async def test_what_does_not_follow_the_weather_is_left_to_others(call_for: CallFor) -> None:
    assert await call_for("y el sábado?", "Rosario: 22:14, sábado 21 de noviembre de 2026") is None
    assert await call_for("y el sábado?", "Listo, lo anoté.") is None


@pytest.mark.parametrize("language", ["es", "en"])
def test_what_was_told_is_read_again(language: str) -> None:
    for count in (1, 2):
        days = tuple(DAYS[2 : 2 + count])
        assert read_told(told(ROSARIO, *days, language=language), DAYS[0]) == Told(ROSARIO, language, days)
    at_four = HourForecast(datetime(2026, 11, 25, 16), 15, 20, 10, 1)
    for hours in (Hours(14, 18), Hours(16, 16)):
        answer = tell_asked(ROSARIO, replace(FORECAST, hours=(at_four,)), Asked((DAYS[0],), hours), language)
        assert read_told(answer, DAYS[0]) == Told(ROSARIO, language, (DAYS[0],), hours)
