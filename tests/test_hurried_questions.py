"""A short question for the clock, the calendar, the weather or a sum is read without the slips in it; what only
looks like one stays as it is written."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.places import Places
from app.domain.turn import Said, TurnContext
from app.simulator.payloads import SimUser, text
from app.skills.hurried.asked import as_asked
from app.skills.tools.datetime.of_places import ClockOfPlace
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app

NOON = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)
ANN = SimUser("5491150000001", "Ann")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("k ora es aorita en guayakil", "que hora es ahorita en Guayaquil"),
        ("k ora tienen en caracs", "que hora tienen en Caracas"),
        ("ora en madri", "hora en Madrid"),
        ("que oras son en santiago d chile", "que horas son en santiago de chile"),
        ("tme in tornto pls", "time in Toronto pls"),
        ("whats teh tme in lodnon", "whats the time in London"),
        ("wat time is it rn in singapor", "what time is it right now in Singapore"),
        ("k dia es oi", "que dia es hoy"),
        ("q dia cae la nabidad", "que dia cae la navidad"),
        ("que dia cae el 14 de febreo", "que dia cae el 14 de febrero"),
        ("hw many dys untl halloween", "how many days until halloween"),
        ("cto es 400 entre 8", "cuanto es 400 entre 8"),
        ("qantos gramos tiene una livra", "cuantos gramos tiene una libra"),
        ("hw many km is 9 mils", "how many km is 9 miles"),
        ("weathr in syndey tmrw", "weather in Sydney tomorrow"),
        ("clima bogta oy", "clima Bogotá hoy"),
        ("k hora es en el ciaro", "que hora es en El Cairo"),
        ("whats the whether today", "whats the weather today"),
        ("how many days til Hallowen", "how many days until Halloween"),
        # a town that is known by the country beside it
        ("q ora es en cochabanba bolivia", "que hora es en Cochabamba bolivia"),
        ("time in spanish twn jamaica", "time in Spanish Town jamaica"),
        ("q hora es en la pas bolivia", "que hora es en La Paz bolivia"),
        ("q hora es en wellinton nueva selandia", "que hora es en Wellington Nueva Zelanda"),
    ],
)
def test_its_words_and_the_place_are_put_right(said: str, meant: str) -> None:
    assert as_asked(said, Places()) == meant


@pytest.mark.parametrize(
    "said",
    [
        # other words stand in it, names of people among them
        "q hora es la boda de kito",
        "que dia viene jaun",
        "k onda wey",
        "k",
        "mi tio vive en kito",
        "recordame a las 5 llamar a kito",
        "cuantos kilos d arina llevo",
        "que dia es el cumple de madri",
        "hw is mum",
        "how many days did jonh work",
        "how mch is a flight to tornto",
        "whats the wether like where you are",
        "what time does Madri open",
        "que hora es en casa d ana",
        'dile "q ora es en kito"',
        # a place, or a word, as it is
        "time in cali",
        "weather in cork",
        "what time is it in turn",
        "what time is it in german",
        # two are as near, or none
        "time in georgetwn",
        "the time in cala",
        "clima en Marcos",
        "temperatura en la ofisina",
        # behind an article stands any other thing, and a name is no slip
        "clima en la playa",
        "el clima en la cancha",
        "el tiempo en los carros",
        "temperatura en la heladera",
        "clima en la montaña",
        "clima en Marte",
        "weather in hell",
        "weather in Narnia",
        "the Acer weather",
        "weather of Sven",
        "hora de Asher",
        # only what a word means is asked
        "what is whether",
        "what is a ran",
        "what is an aril",
        "que es un siento",
    ],
)
def test_all_else_stays_as_it_is_written(said: str) -> None:
    assert as_asked(said, Places()) == said


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("cuants km son 7 miyas", "11.27"),
        ("q dia cae el 14 de febreo", "14 de febrero"),
        ("hw many days til new years", "January 1"),
        ("cuantos litors son 3 galones", "11.36"),
    ],
)
async def test_it_is_answered_by_code(said: str, told: str, tmp_path: Path) -> None:
    async with running_app(
        tmp_path,
        llm=ScriptedChatModel(),
        profile=CONSTRAINED,
        clock=FrozenClock(NOON),
        allowed_phone_numbers=[ANN.wa_id],
    ) as app:
        await app.graph.receive(ANN, text(said))
        await app.idle()
        assert told in app.graph.sends[-1].text


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("q hora es en bogta", "America/Bogota"),
        ("whats the time in la pas bolivia", "America/La_Paz"),
        ("que hora es ahorita en la paz bolivia", "America/La_Paz"),
        ("k hora es en rio d janeiro", "America/Sao_Paulo"),
        ("time rn in karachii", "Asia/Karachi"),
        ("q hora es en el cairo", "Africa/Cairo"),
    ],
)
async def test_the_clock_of_the_place_is_told(said: str, zone: str) -> None:
    places = Places()
    asked = as_asked(said, places)
    ctx = TurnContext(TurnId(1), UserId("ann"), ConversationId(1), 1, NOON, "es", is_admin=False, timezone="UTC")
    call = await ClockOfPlace(places).call(asked, replace(ctx, said=Said(now=(asked,))))
    assert call is not None
    assert places.zone(str(call.arguments["timezone"]), default="").key == zone
