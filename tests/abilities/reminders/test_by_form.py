"""What is about reminders by its form, however it was sorted: put off, called off, added, entered in a diary."""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from app.language.lexicon import Lexicon
from app.pipeline.lexicon import wishes_no_reminder
from app.skills.tools.reminders.asking import asks_to_be_reminded, goes_on, is_for_diary, surely_goes_on
from app.skills.tools.reminders.following import put_off
from app.skills.tools.reminders.lexicon import REMINDING, may_ask
from app.skills.tools.reminders.moving import read_moved
from app.skills.tools.reminders.pointing import read_called_off
from app.when.meanings import Point
from tests.abilities.reminders.test_reminders import HOUR, MINUTE, pass_time, rows, wish, world
from tests.builders import ALICE, BOB
from tests.harness import AppUnderTest

LOCAL: Final = datetime(2026, 11, 18, 10, 30)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with world(tmp_path) as running:
        yield running


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("dame 20 minutos más", 20),
        ("ahora estoy manejando, recordame otra vez en una hora", 60),
        ("posponelo media hora", 30),
        ("otros 15 minutos", 15),
        ("posponelo por 25 minutos", 25),
        ("snooze it for another 25 minutes", 25),
        ("estoy manejando, posponelo una hora", 60),
        ("no llego, recordámelo en 40 minutos", 40),
        ("in a call, remind me about it in 20 minutes", 20),
        ("snooze 5 minutes", 5),
        ("I'm busy, remind me again in 45 minutes", 45),
        ("another half hour please", 30),
    ],
)
def test_what_only_puts_off_says_until_when(said: str, minutes: int) -> None:
    later = put_off(said, LOCAL, "es")
    assert isinstance(later, Point)
    assert (later.at - LOCAL).total_seconds() == 60 * minutes


@pytest.mark.parametrize(
    "said",
    [
        "el pan, avisame en 10 minutos",
        "recordame en 20 minutos llamar a Ana",
        "dame dos recetas más",
        "give me 5 more ideas for dinner",
        "in half an hour I'm leaving",
        "mejor a las 10",
        "la película dura 20 minutos más",
    ],
)
def test_what_says_anything_else_puts_nothing_off(said: str) -> None:
    assert put_off(said, LOCAL, "es") is None


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ("agendame el control del auto para el lunes a las 9", True),
        ("Agendá que el jueves viene el pintor", True),
        ("agenda turno con la contadora mañana a las 10", True),
        ("put the recital in my calendar for Friday at 6pm", True),
        ("agendá el número de Pedro: 11 5555-4444", False),
        ("agendame a Marta 341 612 8890", False),
        ("agenda de la reunión del lunes", False),
        ("¿qué tengo en la agenda?", False),
    ],
)
def test_an_entry_in_a_diary_is_told_from_a_contact_and_from_a_diary(said: str, is_one: bool) -> None:
    assert is_for_diary(said) is is_one


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ("y el sábado a las 9 lavar el auto", True),
        ("and on Monday at 8am to book the hotel", True),
        ("ah, y el sábado a las 9 regar", True),
        ("y el sábado a las 9 jugamos al tenis", False),
        ("y qué hay el sábado a las 9 para hacer?", False),
        ("lavar el auto el sábado a las 9", False),
    ],
)
def test_what_goes_on_with_another_one_is_told_from_a_story(said: str, is_one: bool) -> None:
    assert goes_on(said, LOCAL, "es") is is_one


@pytest.mark.parametrize(
    "said", ["cancelá el gimnasio", "pasala lindo", "pasalo por la licuadora", "cancel it all"]
)
def test_what_says_more_does_not_point_at_it(said: str) -> None:
    off, moved = read_called_off(said, LOCAL, "es"), read_moved(said, LOCAL, "es")
    assert off is None or off.names
    assert moved is None or moved.names


async def test_what_just_came_is_put_off_by_words_whatever_it_was_sorted_as(app: AppUnderTest) -> None:
    await wish(app, ALICE, "recordame en 10 minutos apagar el riego", text="apagar el riego", when="en 10 minutos")
    await pass_time(app, 10 * MINUTE)
    app.llm.category = "none"
    said = "ahora no, avisame de nuevo en media hora"
    told = await wish(app, ALICE, said, "change_reminder", when="en media hora")
    assert "apagar el riego" in told
    assert rows(app) == [("apagar el riego", "2026-11-18T11:10:00", "")]
    assert "set_reminder" not in str(app.llm.requests[-1])


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ("recordanos el 5 de cada mes a las 19 leer el medidor", True),
        ("nudge us on Sunday at 6pm to call Tom", True),
        ("in three hours tell me to feed the cat", True),
        ("mañana a las 9 hay feria, me lo recordás?", True),
        ("yoga is on Monday at 7pm. Make sure I don't forget", True),
        ("recordanos cómo se llamaba el pintor", False),
        ("mañana a las 9 hay feria", False),
        ("tell me the weather in three hours", False),
        ("recordame el lunes a las 9 regar. Y decime el clima", False),
    ],
)
def test_whoever_asks_to_be_reminded_at_a_time_means_nothing_else(said: str, is_one: bool) -> None:
    assert asks_to_be_reminded(said, LOCAL, "es") is is_one


async def test_one_that_repeats_is_put_off_beside_its_own_times(app: AppUnderTest) -> None:
    await wish(app, ALICE, "todos los días a las 12 tomar agua", text="tomar agua", when="todos los días a las 12")
    await pass_time(app, 1.5 * HOUR)
    await wish(app, ALICE, "dame 20 minutos más", "change_reminder", when="20 minutos más")
    assert rows(app) == [
        ("tomar agua", "2026-11-19T12:00:00", "FREQ=DAILY"),
        ("tomar agua", "2026-11-18T12:20:00", ""),
    ]


async def test_what_just_came_is_put_off_also_where_the_model_names_it(app: AppUnderTest) -> None:
    await wish(app, ALICE, "recordame en 10 minutos apagar el riego", text="apagar el riego", when="en 10 minutos")
    await pass_time(app, 10 * MINUTE)
    said = "snooze it for 25 minutes"
    await wish(app, ALICE, said, "change_reminder", when="25 minutes", reminder="apagar el riego")
    assert rows(app) == [("apagar el riego", "2026-11-18T11:05:00", "")]


async def test_a_word_of_the_day_stays_in_what_is_to_be_said(app: AppUnderTest) -> None:
    said = "I need a reminder for tomorrow 6.40pm, choir evening"
    await wish(app, ALICE, said, text="choir evening", when="tomorrow 6.40pm")
    assert rows(app) == [("choir evening", "2026-11-19T18:40:00", "")]


async def test_where_nothing_came_the_same_words_ask_for_no_reminder(app: AppUnderTest) -> None:
    await wish(app, ALICE, "recordame en 10 minutos apagar el riego", text="apagar el riego", when="en 10 minutos")
    await pass_time(app, 10 * MINUTE)
    app.llm.category = "none"
    await app.say(BOB, "dame 20 minutos más")
    assert "set_reminder" not in str(app.llm.requests[-1])


async def test_one_that_is_called_off_by_its_name_is_found_and_only_ones_own(app: AppUnderTest) -> None:
    await wish(
        app, ALICE, "recordame mañana a las 9 pagarle al plomero", text="pagarle al plomero", when="mañana a las 9"
    )
    app.llm.category = "none"
    await app.say(BOB, "cancelá lo del plomero")
    assert "cancel_reminder" not in str(app.llm.requests[-1])
    assert "Cancelado" in await wish(app, ALICE, "cancelá lo del plomero", "cancel_reminder", reminder="plomero")
    assert rows(app) == []


async def test_another_one_goes_on_from_the_last_for_a_while(app: AppUnderTest) -> None:
    await wish(app, ALICE, "recordame mañana a las 9 regar", text="regar", when="mañana a las 9")
    app.llm.category = "none"
    said = "y el domingo a las 20 lavar las camisetas"
    await wish(app, ALICE, said, text="lavar las camisetas", when="el domingo a las 20")
    assert [text for text, *_ in rows(app)] == ["regar", "lavar las camisetas"]
    await pass_time(app, HOUR)
    await app.say(ALICE, "y el lunes a las 20 planchar las camisetas")
    assert "set_reminder" not in str(app.llm.requests[-1])


@pytest.mark.parametrize(
    ("first", "when", "said", "told"),
    [
        (
            "recordame cada lunes a las 7 sacar la basura",
            "cada lunes a las 7",
            "también los jueves",
            "cada jueves, 7:00",
        ),
        (
            "recordame cada lunes a las 7 sacar la basura",
            "cada lunes a las 7",
            "y a las 20 también",
            "cada lunes, 20:00",
        ),
        (
            "recordame el viernes a las 7 sacar la basura",
            "el viernes a las 7",
            "el sábado también por favor",
            "sábado 21 de noviembre, 7:00",
        ),
    ],
)
async def test_another_day_is_added_and_takes_no_place(
    app: AppUnderTest, first: str, when: str, said: str, told: str
) -> None:
    await wish(app, ALICE, first, text="sacar la basura", when=when)
    answer = await wish(app, ALICE, said, text="basura", when="el martes")
    assert told in answer
    assert [text for text, *_ in rows(app)] == ["sacar la basura", "sacar la basura"]


async def test_one_more_before_it_keeps_what_it_is_about(app: AppUnderTest) -> None:
    await wish(
        app,
        ALICE,
        "agendame el viernes a las 15:30 turno con la doctora",
        text="turno",
        when="el viernes a las 15:30",
    )
    answer = await wish(app, ALICE, "dale, y avisame una hora antes", text="una hora antes", when="")
    assert "viernes 20 de noviembre, 14:30" in answer
    assert len({text for text, *_ in rows(app)}) == 1
    assert len(rows(app)) == 2


@pytest.mark.parametrize("asked", ["para qué hora la pusiste?", "what time did you set it for?"])
async def test_who_asks_when_the_one_just_set_comes_is_shown_it(app: AppUnderTest, asked: str) -> None:
    await wish(app, ALICE, "recordame mañana a las 9 regar", text="regar", when="mañana a las 9")
    app.llm.category = "time"
    assert "regar" in await wish(app, ALICE, asked, "list_reminders")


@pytest.mark.parametrize(
    "asked", ["cuándo me vas a recordar lo de las plantas?", "when will you remind me about the plantas"]
)
async def test_who_asks_when_one_that_they_name_comes_is_shown_it(app: AppUnderTest, asked: str) -> None:
    await wish(
        app, ALICE, "recordame mañana a las 9 regar las plantas", text="regar las plantas", when="mañana a las 9"
    )
    await wish(app, ALICE, "recordame mañana a las 10 barrer", text="barrer", when="mañana a las 10")
    app.llm.category = "time"
    assert "regar" in await wish(app, ALICE, asked, "list_reminders")


@pytest.mark.parametrize("asked", ["a qué hora es el partido?", "what time is it set for the match on TV?"])
async def test_when_something_else_comes_is_no_question_for_the_reminders(app: AppUnderTest, asked: str) -> None:
    await wish(app, ALICE, "recordame mañana a las 9 regar", text="regar", when="mañana a las 9")
    app.llm.category = "none"
    await app.say(ALICE, asked)
    assert "regar" not in app.replies_to(ALICE)[-1]


async def test_another_alarm_takes_no_place_and_an_early_hour_stays_early(app: AppUnderTest) -> None:
    await wish(app, ALICE, "poneme una alarma para las 6 y media", text="alarma", when="las 6 y media")
    assert "6:15" in await wish(app, ALICE, "no, mejor 6 y cuarto", "change_reminder", when="6 y cuarto")
    assert "7:00" in await wish(app, ALICE, "y otra a las 7", text="otra", when="a las 7")
    assert [due.rpartition("T")[2][:5] for _, due, *_ in rows(app)] == ["06:15", "07:00"]


async def test_an_entry_in_a_diary_is_a_reminder_and_without_a_time_asks_when(app: AppUnderTest) -> None:
    app.llm.category = "notes"
    said = "agendame que el lunes a las 11 viene el pintor"
    await wish(app, ALICE, said, text="viene el pintor", when="el lunes a las 11")
    assert rows(app) == [("viene el pintor", "2026-11-23T11:00:00", "")]
    told = await wish(app, ALICE, "agendá comprar pintura", text="comprar pintura")
    assert "¿Para cuándo?" in told
    assert "comprar pintura" in told
    assert len(rows(app)) == 1


async def test_it_is_the_one_just_set_whatever_name_the_model_makes_up(app: AppUnderTest) -> None:
    await wish(app, ALICE, "recordame mañana a las 16 ir al banco", text="ir al banco", when="mañana a las 16")
    said = "el cajero cierra antes, pasalo a las 3"
    await wish(app, ALICE, said, "change_reminder", when="a las 3", reminder="el cajero cierra antes")
    assert rows(app) == [("ir al banco", "2026-11-19T15:00:00", "")]
    told = await wish(
        app, ALICE, "mejor el gimnasio a las 8", "change_reminder", when="a las 8", reminder="gimnasio"
    )
    assert "ir al banco" in told
    assert rows(app) == [("ir al banco", "2026-11-19T15:00:00", "")]


@pytest.mark.parametrize(
    ("first", "said", "when", "at"),
    [
        ("mañana a las 9", "mejor 10", "mañana a las 9", "2026-11-19T10:00:00"),
        ("mañana a las 9", "pasalo a la tarde", "a la tarde", "2026-11-19T16:00:00"),
        ("mañana a las 16", "cierran temprano, pasalo a las 3", "mañana a las 16", "2026-11-19T15:00:00"),
        ("mañana a las 9", "could we do 10 instead?", "tomorrow", "2026-11-19T10:00:00"),
        ("mañana a las 20", "que sea a las 9", "a las 9", "2026-11-19T21:00:00"),
        ("mañana a las 16", "make it 5:30 instead", "5:30", "2026-11-19T17:30:00"),
        ("mañana a las 9", "pasalo al viernes a las 11", "a las 11", "2026-11-20T11:00:00"),
        ("mañana a las 16", "movelo al domingo", "domingo", "2026-11-22T16:00:00"),
        ("mañana a las 16", "push it to Friday, same time", "in two days", "2026-11-20T16:00:00"),
    ],
)
async def test_the_message_decides_what_a_reminder_is_changed_to(
    app: AppUnderTest, first: str, said: str, when: str, at: str
) -> None:
    await wish(app, ALICE, f"recordame {first} llamar a Ana", text="llamar a Ana", when=first)
    await wish(app, ALICE, said, "change_reminder", when=when)
    assert rows(app) == [("llamar a Ana", at, "")]


@pytest.mark.parametrize(
    ("said", "tool"),
    [
        ("ya lo hice, cancelalo", "cancel_reminder"),
        ("cancel that one please", "cancel_reminder"),
        ("corrilo al domingo", "change_reminder"),
        ("make it Sunday at 9", "change_reminder"),
    ],
)
async def test_what_points_at_the_one_just_set_is_about_it_for_a_while(
    app: AppUnderTest, said: str, tool: str
) -> None:
    await wish(app, ALICE, "recordame mañana a las 9 regar", text="regar", when="mañana a las 9")
    app.llm.category = "none"
    await app.say(BOB, said)
    assert tool not in str(app.llm.requests[-1])
    await app.say(ALICE, said)
    assert tool in str(app.llm.requests[-1])
    await pass_time(app, HOUR)
    await app.say(ALICE, said)
    assert tool not in str(app.llm.requests[-1])


async def test_without_a_name_the_one_just_set_is_meant_among_several(app: AppUnderTest) -> None:
    for what in ("regar", "barrer"):
        await wish(app, ALICE, f"recordame mañana a las 9 {what}", text=what, when="mañana a las 9")
    await wish(app, ALICE, "mejor a las 10", "change_reminder", when="a las 10")
    assert rows(app) == [("regar", "2026-11-19T09:00:00", ""), ("barrer", "2026-11-19T10:00:00", "")]
    await wish(app, ALICE, "cancelalo", "cancel_reminder")
    assert [text for text, *_ in rows(app)] == ["regar"]
    await pass_time(app, HOUR)
    await wish(app, ALICE, "recordame mañana a las 8 leer", text="leer", when="mañana a las 8")
    await pass_time(app, HOUR)
    assert "¿Cuál" in await wish(app, ALICE, "cancelá el recordatorio", "cancel_reminder")


async def test_what_a_model_makes_up_is_read_anew_from_the_message(app: AppUnderTest) -> None:
    said = "me olvido siempre del jarabe. Recordámelo todos los días a las 8:30 de la mañana"
    await wish(app, ALICE, said, text="comprar remedios", when="todos los días a las 8:30")
    [(text, _, rule)] = rows(app)
    assert "jarabe" in text
    assert rule == "FREQ=DAILY"


def test_each_phrase_that_asks_for_a_reminder_has_a_word_to_tell_it_by() -> None:
    """`may_ask` spares most messages the reading of times, and must not spare any that asks."""
    phrases = Lexicon.of("app.skills.tools.reminders.lexicon").phrases("reminding")
    said = [each for phrase in phrases for each in one_way_each(phrase)]
    assert len(said) > 200
    assert [one for one in said if REMINDING.search(one) is None or not may_ask(one)] == []


def one_way_each(phrase: str) -> Iterator[str]:
    """Yield a phrase of a lexicon with each of its words at least once."""
    places = [part.removesuffix("?").split("/") for part in phrase.split()]
    for number, words in enumerate(places):
        for word in words:
            chosen = [word if place == number else others[0] for place, others in enumerate(places)]
            yield " ".join(chosen).replace("_", " ")


@pytest.mark.parametrize(
    ("said", "is_none"),
    [
        ("se me olvidó despertarme", True),
        ("remind me never to do that again", True),
        ("I keep forgetting to set an alarm", True),
        ("de vacaciones y me despierto a las 6 lo mismo", True),
        ("I still wake up at five, force of habit", True),
        ("me levanto a las 5 mañana, avisame a las 4:30", False),
        ("when I wake up remind me to stretch", False),
        ("I need to get up at 6 tomorrow", False),
        ("se me olvidó pagar la luz, recordame mañana", False),
        ("i forgot to ask, can you remind me at 5", False),
    ],
)
def test_who_tells_of_reminders_or_jokes_wishes_for_none(said: str, is_none: bool) -> None:
    assert wishes_no_reminder(said) is is_none


@pytest.mark.parametrize(
    ("said", "is_sure"),
    [
        ("great, and also on friday at 6 pm empty the pond", True),
        ("listo, y también el viernes a las 6 pm engrasar la moto", True),
        ("and on friday at 6 pm empty the pond", False),
        ("y también el viernes a las 6 tengo ensayo", False),
        ("and also on friday", False),
        ("move it to friday at 6 too", False),
    ],
)
def test_one_more_is_told_by_also_and_an_hour(said: str, is_sure: bool) -> None:
    assert surely_goes_on(said, LOCAL, "es" if "viernes" in said else "en") is is_sure


def test_an_act_of_memory_is_a_wish_to_be_reminded() -> None:
    assert asks_to_be_reminded("hágame acuerdo mañana a las 4 de la tarde de sacar el pasaje", LOCAL, "es")
