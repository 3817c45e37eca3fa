"""How far two clocks are apart, and what one shows when the other shows an hour, are told by code."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.places import Places
from app.skills.tools.datetime.two_clocks import read_asked
from tests.builders import ALICE
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app

NOW = datetime(2026, 11, 18, 13, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def places() -> Places:
    return Places()


# In Buenos Aires; (message, what the answer has)
ASKED = [
    ("cuántas horas hay entre Lima y Roma?", "Roma va 6 h por delante de Lima"),
    ("che cuantas horas de diferencia tenemos con Tokio", "Tokio va 12 h por delante de Buenos Aires"),
    ("hi, what's the time difference between Accra and Nairobi pls", "Nairobi is 3 h ahead of Accra"),
    ("how many hours ahead is Delhi", "Delhi is 8 h 30 min ahead of Buenos Aires"),
    ("what is the time difference between London and Accra", "London and Accra show the same time now: 13:30."),
    ("if its 7 in the evening here what time is it in Lagos", "19:00 in Buenos Aires is 23:00 in Lagos."),
    ("si en Quito son las 3 de la tarde que hora es acá", "Las 15:00 en Quito son las 17:00 en Buenos Aires."),
    ("what time is it in Tokyo when it's midday in London", "12:00 in London is 21:00 in Tokyo."),
    ("a q hora la llamo pa que en Madrid sean las 9 de la noche?", "Las 21:00 en Madrid son las 17:00 en Buenos"),
    ("what time shall i ring so its 6pm in Dublin", "is 15:00 in Buenos Aires."),
]  # fmt: skip


@pytest.mark.needs("datetime")
@pytest.mark.parametrize(("message", "told"), ASKED)
async def test_two_clocks_are_told_without_a_model(tmp_path: Path, message: str, told: str) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=FrozenClock(NOW)) as app:
        await app.say(ALICE, message)
        assert told in app.replies_to(ALICE)[-1]
    assert not [request for request in llm.requests if request.purpose != "short"]


@pytest.mark.needs("datetime")
async def test_the_clock_of_somebody_is_that_of_where_they_were_told_to_live(tmp_path: Path) -> None:
    llm = ScriptedChatModel(echo=True)
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=FrozenClock(NOW)) as app:
        await app.say(ALICE, "mi hermana vive en Perth")
        await app.say(ALICE, "qué diferencia horaria tengo con mi hermana?")
        assert app.replies_to(ALICE)[-1].startswith("Perth va 11 h por delante de Buenos Aires")


@pytest.mark.parametrize(
    "message",
    [
        "cuantas horas de vuelo hay entre Madrid y Bogotá",
        "how many hours is it between London and Leeds by train",
        "la fiesta en Madrid es a las 9, a que hora llegas?",
        "vivo aca en Lima y trabajo desde las 9, que hora es?",
        "me desperte a las 5 aca, a que hora sale el sol en Roma",
        "when its 9 here my cousin in Perth is asleep",
        "what time does the shop in London close, it's 5 here",
        "what's the difference between Spain and Portugal",
        "el partido es a las 9 en Madrid, cuanto es la entrada aca?",
        "remind me at 9 here to check what time it is in Perth",
    ],
)
def test_what_only_talks_of_times_and_places_is_left_to_others(places: Places, message: str) -> None:
    assert read_asked(message, places, "en") is None
    assert read_asked(message, places, "es") is None


WORDS = (
    "0",
    "77",
    "1/2",
    "9",
    "here",
    "Roma",
    "Lima",
    "so",
    "que",
    "hora",
    "es",
    "what",
    "time",
    "is",
    "it",
    "sean",
)


@given(words=st.lists(st.sampled_from(WORDS)))
def test_any_words_are_read(places: Places, words: list[str]) -> None:
    asked = read_asked(" ".join(words), places, "es")
    assert asked is None or asked.hour is None or asked.first != asked.second


@pytest.mark.parametrize(
    ("message", "first", "second"),
    [
        ("and if it's 8 in the evening here in London what is it over there", "london", "Tokyo"),
        ("if it's 9am there what time is it here", "Tokyo", ""),
        ("what time will it be there at 9pm here", "", "Tokyo"),
        ("y si aca son las 8 de la noche que hora es alla", "", "Tokyo"),
    ],
)
def test_there_is_where_the_clock_was_told_of(places: Places, message: str, first: str, second: str) -> None:
    asked = read_asked(message, places, "en", "Tokyo")

    assert asked is not None
    assert (asked.first, asked.second) == (first, second)


@pytest.mark.parametrize(
    "message", ["remind me at 8 to ring them there", "what time do they open at 8", "9 there"]
)
def test_other_talk_of_there_is_left_to_others(places: Places, message: str) -> None:
    assert read_asked(message, places, "en", "Tokyo") is None
