"""A wish for a turn by the clock gets the tools for reminders, whatever it was sorted as; a near miss does not."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from app.skills.tools.reminders.asking import is_by_clock
from tests.abilities.reminders.test_reminders import rows, wish, world
from tests.builders import ALICE
from tests.harness import AppUnderTest

LOCAL: Final = datetime(2026, 11, 18, 10, 30)
WISHES: Final = (
    "every morning at 8 tell me the weather",
    "todos los lunes a las 9 decime qué tengo pendiente",
    "cada día a las 7:30 mandame el pronóstico",
    "decime el clima todas las mañanas a las 8",
    "tell me my tasks every Monday at 9",
    "each weekday at 8am give me a summary of my tasks",
    "todas las noches a las 22 resumime mis notas",
    "every Friday at 5pm show me what is left in my projects",
    "mostrame la lista del súper todos los sábados a las 10",
    "los domingos a las 20 contame qué tengo en la agenda",
    "can you send me the forecast every day at 7?",
    "¿podés decirme el clima todos los días a las 8?",
    "quiero que me digas el pronóstico cada mañana a las 7",
    "every day at noon tell me if it will rain",
    "cada mañana a las 8 haceme un resumen del día",
    "quiero saber la temperatura todos los días a las 7",
    "on weekdays at 7:45 read me my agenda",
    "please give me the list of overdue tasks every monday at 8:30",
    "dame el clima de Rosario de lunes a viernes a las 6:50",
    "every evening at 9 sum up my notes",
    "cada lunes a las 9 pasame las tareas que vencen",
    "I'd like you to send me the weather every morning at 7",
    "decirme qué tareas vencen cada lunes a las 9",
)
NEAR_MISSES: Final = (
    "every morning I run at 8",
    "todos los lunes voy al gimnasio a las 9",
    "every morning at 8 I check the weather",
    "todos los días a las 7 mi mamá me dice el clima",
    "tell me the weather",
    "decime el clima de mañana a las 8",
    "my boss tells me my tasks every Monday at 9",
    "what's the weather every morning like in Lima?",
    "¿qué tareas tengo todos los lunes a las 9?",
    "los lunes a las 9 hay reunión de tareas",
    "recordame todos los días a las 9 tomar la pastilla",
    "every day at 8 remind me to check the weather",
    "decime que llame a Ana todos los lunes a las 9",
    "tell me why you sent the weather every day at 8",
    "cada mañana a las 8 leo mis notas",
    "the forecast is on TV every day at 8",
    "mandame el clima ahora",
    "show me my notes about running every day at 8",
    "dame una lista de ejercicios para hacer cada mañana a las 7",
    "tell me about the bus that leaves every day at 8",
    "todos los viernes a las 18 salgo del trabajo y hago un resumen",
    "every Monday at 9 we have a project meeting",
    "borrá el aviso de todos los lunes a las 9 del clima",
    "anotá que todos los lunes a las 9 reviso mis tareas",
    "did I tell you that every day at 8 I take a summary of my notes?",
    "todos mañana a las 8 tenemos que ver el clima",
    "leeme esto: todos los lunes a las 9",
)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with world(tmp_path) as running:
        yield running


@pytest.mark.parametrize("said", WISHES)
@pytest.mark.parametrize("is_english", [True, False])
def test_what_is_to_be_told_again_and_again_is_known(said: str, is_english: bool) -> None:
    assert is_by_clock(said, LOCAL, "en" if is_english else "es")


@pytest.mark.parametrize("said", NEAR_MISSES)
@pytest.mark.parametrize("is_english", [True, False])
def test_what_only_comes_near_is_not(said: str, is_english: bool) -> None:
    assert not is_by_clock(said, LOCAL, "en" if is_english else "es")


async def test_a_wish_that_was_sorted_otherwise_is_offered_reminders_instead(app: AppUnderTest) -> None:
    app.llm.category = "weather"
    said = "todas las mañanas a las 8 decime el clima"
    told = await wish(app, ALICE, said, text="el clima", when="todas las mañanas a las 8")
    assert "todos los días, 8:00" in told
    assert "get_weather" not in str(app.llm.requests[-1])
    assert rows(app) == [("decime el clima", "2026-11-19T08:00:00", "FREQ=DAILY")]


async def test_a_near_miss_is_offered_what_it_was_sorted_as(app: AppUnderTest) -> None:
    app.llm.category = "weather"
    await app.say(ALICE, "every morning at 8 I check the weather")
    assert "get_weather" in str(app.llm.requests[-1])
    assert "set_reminder" not in str(app.llm.requests[-1])
