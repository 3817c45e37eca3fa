"""How people talk of a reminder that they have: asked about, called off, moved, corrected, given its time later.

The stand-in sorts every message as talk and calls the one tool that it is offered with the whole message.
"""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from app.skills.tools.reminders.lexicon import when_asked_of
from app.skills.tools.reminders.moving import read_moved
from tests.abilities.reminders.test_reminders import HOUR, MINUTE, pass_time, rows, wish, world
from tests.bench.reminders_by_form import stand_in
from tests.builders import ALICE, BOB
from tests.harness import AppUnderTest

LOCAL: Final = datetime(2026, 11, 18, 10, 30)
"""A Wednesday."""
STORY: Final = (
    "qué día tuve hoy, no te imaginás, primero se cortó la luz en toda la cuadra y el ascensor quedó parado, "
    "después la nena se olvidó la mochila en el colectivo y tuvimos que ir hasta la terminal a buscarla, y encima "
    "con la lluvia el tránsito era un desastre y llegamos empapados a casa de mi suegra a la hora de la merienda. "
)
LONG: Final = (
    "honestly what a morning, the boiler man came two hours late and then he did not have the part, so he has to "
    "come back next week, and meanwhile the kids had no hot water and the little one cried all the way to school "
    "and of course the car would not start and I had to borrow the neighbour's which smells of wet dog. "
)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with world(tmp_path) as running:
        running.llm.category = "none"
        yield running


async def say(app: AppUnderTest, said: str, right: str = "talk") -> str:
    """Say something; returns the answer."""
    before = len(app.replies_to(ALICE))
    app.llm.drop_lines()
    app.llm.add(*[stand_in(said, right)] * 3)
    await app.say(ALICE, said)
    return "\n".join(app.replies_to(ALICE)[before:])


async def have(app: AppUnderTest, *said: str) -> None:
    for one in said:
        await say(app, one, "set")
    assert len(rows(app)) == len(said)


ASKS_OF_THE_LAST: Final = (
    "entonces a q hora me avisas?",
    "perdón, para qué día quedó?",
    "me confirmás a qué hora lo pusiste",
    "a q hr qdo?",
    "y qué fecha pusiste al final?",
    "oye, a qué hora me vas a recordar entonces?",
    "a qué hora suena?",
    "cuándo me lo recordás?",
    "wait what day did you put it down for?",
    "sorry, what time have you got it for?",
    "wat time did u put",
    "so when is it?",
    "which day have you got that down for",
    "just checking, when will you ping me?",
    "and what time is it set for now?",
)


@pytest.mark.parametrize("at", range(0, len(ASKS_OF_THE_LAST), 5))
async def test_who_asks_when_the_last_one_comes_is_told_that_one_alone(app: AppUnderTest, at: int) -> None:
    await have(app, "recordame mañana a las 8 regar", "recordame el viernes a las 17:40 llamar al vidriero")
    kept = rows(app)
    for asked in ASKS_OF_THE_LAST[at : at + 5]:
        told = await say(app, asked)
        assert "llamar al vidriero" in told, asked
        assert "17:40" in told, asked
        assert "regar" not in told, asked
    assert rows(app) == kept


@pytest.mark.parametrize(
    ("asked", "is_shown"),
    [
        ("perdón, a qué hora me avisás?", True),
        ("when will you remind me?", True),
        ("what time did u set that for", True),
        ("cuándo era?", False),
        ("when is it?", False),
    ],
)
async def test_long_after_it_was_set_only_who_surely_asks_of_it_is_told(
    app: AppUnderTest, asked: str, is_shown: bool
) -> None:
    await have(app, "recordame mañana a las 8 regar", "recordame el viernes a las 17:40 llamar al vidriero")
    await pass_time(app, 3 * HOUR)
    told = await say(app, asked)
    assert ("17:40" in told and "8:00" in told) is is_shown


@pytest.mark.parametrize(
    "asked",
    [
        "qué hora es?",
        "what time is it?",
        "what time is it now in Quito?",
        "qué día es hoy?",
        "a qué hora es el partido?",
        "when is Thanksgiving?",
        "cuándo es el día de la madre en México?",
        "what day did they land on the moon?",
        "a qué hora cierra el súper?",
        "qué hora era en Madrid?",
        "dime la hora",
        "what time do you have?",
        "what time did I get up?",
    ],
)
def test_the_clock_and_other_topics_are_not_asked_of_the_last_one(asked: str) -> None:
    found = when_asked_of(asked, is_asked="?" in asked)
    assert found is None or found.names


async def test_one_that_was_just_moved_is_the_one_that_is_asked_about(app: AppUnderTest) -> None:
    await have(app, "recordame mañana a las 8 regar")
    await pass_time(app, 2 * HOUR)
    await have_moved(app, "pasá lo de regar a las 9:20", "2026-11-19T09:20:00")
    await pass_time(app, 5 * MINUTE)
    assert "9:20" in await say(app, "a qué hora quedó entonces?")
    await have_moved(app, "no, mejor a las 10:10", "2026-11-19T10:10:00")


async def have_moved(app: AppUnderTest, said: str, due: str) -> None:
    await say(app, said, "change")
    assert [at for _, at, _ in rows(app)] == [due]


@pytest.mark.parametrize(
    "said",
    [
        "oye lo de la garrafa bórralo, la trae mi cuñado",
        "che, cancelá lo de la garrafa que ya la cambió el portero",
        "lo de la garrafa ya no va",
        "ya no hace falta lo de la garrafa, gracias",
        "the one about the garrafa is off, leave the other",
        "ok so drop the garrafa one, my brother is bringing it",
        "dleete the remindr abt the garafa its sorted",
        STORY + "Bueno, lo de la garrafa cancelalo, que la compró mi suegra. Un abrazo",
        LONG + "Anyway, cancel the garrafa one, my neighbour has a spare. Talk later",
    ],
)
@pytest.mark.parametrize("minutes", [1, 60])
async def test_one_is_called_off_by_what_it_is_about_whatever_stands_around(
    app: AppUnderTest, said: str, minutes: int
) -> None:
    await have(app, "recordame mañana a las 9 cambiar la garrafa", "recordame mañana a las 10 llamar a Ema")
    await pass_time(app, minutes * MINUTE)
    await say(app, said, "cancel")
    assert [text for text, *_ in rows(app)] == ["llamar a Ema"]


@pytest.mark.parametrize(
    "said",
    [
        "hm actually grandpa has a ride already, drop that one",
        "bórralo, al final lo lleva mi prima",
        "nah scrap it cuz my cousin's taking him",
    ],
)
async def test_what_only_points_takes_back_the_last_one(app: AppUnderTest, said: str) -> None:
    await have(app, "recordame mañana a las 9 regar", "remind me tomorrow at 10 to pick up Leo from the clinic")
    await say(app, said, "cancel")
    assert [text for text, *_ in rows(app)] == ["regar"]


@pytest.mark.parametrize(
    "said",
    [
        "borrá la garrafa y el pan de la lista",
        "remove the note about the clinic",
        "no me cancelen la serie por favor",
        STORY + "Ya no quiero más días así, me olvido de todo. Un abrazo",
    ],
)
async def test_what_is_not_about_them_calls_none_off(app: AppUnderTest, said: str) -> None:
    await have(app, "recordame mañana a las 9 pedir turno con la dentista")
    await say(app, said, "cancel")
    assert len(rows(app)) == 1


@pytest.mark.parametrize(
    ("said", "argument", "left"),
    [
        ("lo de la garrafa ya está, lo hizo mi hermano", "ya está, lo hizo mi hermano", "llamar a Ema"),
        ("bórralo, lo hace mi prima", "lo hace mi prima", "cambiar la garrafa"),
    ],
)
async def test_where_the_model_names_none_the_whole_message_says_which_is_cancelled(
    app: AppUnderTest, said: str, argument: str, left: str
) -> None:
    await have(app, "recordame mañana a las 9 cambiar la garrafa", "recordame mañana a las 10 llamar a Ema")
    app.llm.category = "reminders"
    app.llm.drop_lines()
    await wish(app, ALICE, said, "cancel_reminder", reminder=argument)
    assert [text for text, *_ in rows(app)] == [left]


@pytest.mark.parametrize(
    ("first", "said", "at"),
    [
        (
            "el viernes a las 16 bañar a Rocky",
            "no es el viernes lo de Rocky, es el sábado, misma hora",
            "21T16:00",
        ),
        ("el viernes a las 16 bañar a Rocky", "it's not Friday for Rocky, it's Sunday, same time", "22T16:00"),
        ("el viernes a las 16 bañar a Rocky", "oh no it's Thursday not Friday, I mixed them up", "19T16:00"),
        ("el viernes a las 14 llevar la torta", "and 11 in the morning, not 2", "20T11:00"),
        ("el viernes a las 14 llevar la torta", "el viernes no, el domingo", "22T14:00"),
        ("el viernes a las 14 llevar la torta", "a las 14 no, a las 17:20", "20T17:20"),
        ("mañana a las 9 llamar al gasista", "mejor a las 8 y cuarto, que el gasista madruga", "19T08:15"),
        ("mañana a las 9 llamar al gasista", "uf no, que mañana entro tarde, pásalo a las 13:10", "19T13:10"),
        ("tomorrow at 4pm to walk Toby", "no wait make it 4:45 cuz i have practice", "19T16:45"),
        ("tomorrow at 4pm to walk Toby", "push it to Saturday because my sister is visiting", "21T16:00"),
        ("mañana a las 9 llamar al gasista", STORY + "Pasalo a las 11:15. Gracias!", "19T11:15"),
    ],
)
async def test_one_is_moved_in_many_words_and_keeps_what_is_not_named(
    app: AppUnderTest, first: str, said: str, at: str
) -> None:
    await have(app, f"remind me {first}" if " to " in first else f"recordame {first}")
    await say(app, said, "change")
    assert [due[:16] for _, due, _ in rows(app)] == [f"2026-11-{at}"]


@pytest.mark.parametrize(
    ("said", "when", "reminder", "at"),
    [
        ("it's not Friday for Rocky, it's Saturday, same time", "Friday", "Saturday", "21T16:00"),
        ("lo de Rocky no es a las 4, es a las 6", "a las 4", "", "20T18:00"),
        ("actually 5, not 4", "4", "actually", "20T17:00"),
        ("pásalo a las 17:15, que a las 4 tengo turno", "a las 4", "turno", "20T17:15"),
    ],
)
async def test_a_model_that_takes_the_old_time_changes_nothing(
    app: AppUnderTest, said: str, when: str, reminder: str, at: str
) -> None:
    await have(app, "recordame mañana a las 9 regar", "recordame el viernes a las 16 bañar a Rocky")
    app.llm.drop_lines()
    await wish(app, ALICE, said, "change_reminder", when=when, reminder=reminder)
    assert [due[:16] for _, due, _ in rows(app)] == ["2026-11-19T09:00", f"2026-11-{at}"]


@pytest.mark.parametrize(
    "said",
    [
        "la fiesta no es el sábado, es el domingo",
        "la boda no es el viernes, es el sábado",
        "the match isn't Friday, it's Saturday",
        "not on Friday",
        "no el viernes no puedo ir a tu casa",
        "why not Saturday?",
        "it's not Monday till you have had coffee, it's Sunday",
    ],
)
async def test_what_denies_another_time_moves_nothing(app: AppUnderTest, said: str) -> None:
    await have(app, "recordame el viernes a las 16 bañar a Rocky")
    await say(app, said, "talk")
    assert rows(app)[0] == ("bañar a Rocky", "2026-11-20T16:00:00", "")


def test_an_hour_behind_a_no_is_the_new_one() -> None:
    moved = read_moved("no, el viernes a las 5", LOCAL, "es")
    assert moved is not None
    assert moved.said == "no el viernes a las 5"


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("make it Saturday only, Mondays they are closed", "BYDAY=SA"),
        ("mejor los jueves", "BYDAY=TH"),
        ("pasalo al martes", "BYDAY=TU"),
        ("el lunes a las 9:00 no, solo el sábado", "BYDAY=SA"),
    ],
)
async def test_one_that_comes_every_week_gets_another_day_and_still_comes(
    app: AppUnderTest, said: str, rule: str
) -> None:
    await have(app, "recordame todos los lunes y sábados a las 9 ir a la feria")
    await say(app, said, "change")
    [(_, due, kept)] = rows(app)
    assert kept == f"FREQ=WEEKLY;{rule}"
    assert due.endswith("T09:00:00")


@pytest.mark.parametrize(
    ("wished", "said", "text", "at"),
    [
        (
            "recuérdame llamar al seguro",
            "mañana a las 9 y cuarto de la mañana",
            "llamar al seguro",
            "2026-11-19T09:15:00",
        ),
        (
            "can u remind me to give the cat her drops",
            "friday, 7:30 in the morning before i head to the depot",
            "give the cat her drops",
            "2026-11-20T07:30:00",
        ),
        (
            "haceme acordar de llevar las fotos",
            "este domingo a las 11 de la mañana, en la capilla",
            "llevar las fotos",
            "2026-11-22T11:00:00",
        ),
        ("remind me to call Joan", "ah right, tomorrow at 6pm when I'm home", "call Joan", "2026-11-19T18:00:00"),
        ("recordame pagar la luz", "antes de salir, mañana a las 7:50", "pagar la luz", "2026-11-19T07:50:00"),
    ],
)
async def test_a_wish_gets_its_time_from_the_next_message(
    app: AppUnderTest, wished: str, said: str, text: str, at: str
) -> None:
    await say(app, wished, "set")
    assert rows(app) == []
    await say(app, said, "set")
    assert rows(app) == [(text, at, "")]


async def test_a_story_behind_a_wish_sets_nothing(app: AppUnderTest) -> None:
    await say(app, "recordame llamar al seguro", "set")
    await say(app, "mañana a las 9 juega mi hijo en el club con los del colegio", "talk")
    assert "llamar al seguro" not in [text for text, *_ in rows(app)]


async def test_a_wrong_word_of_a_reminder_is_corrected_and_can_be_taken_back(app: AppUnderTest) -> None:
    await have(
        app, "recordame el sábado a las 11 ir a lo de Beto a buscar la carpa", "recordame mañana a las 9 regar"
    )
    app.llm.category = "reminders"
    app.llm.drop_lines()
    said = "no, la carpa era en lo de Chino, Beto tiene la heladera"
    told = await wish(app, ALICE, said, "correct_reminder", new="Chino", old="Beto")
    assert "ir a lo de Chino a buscar la carpa" in told
    assert rows(app)[0] == ("ir a lo de Chino a buscar la carpa", "2026-11-21T11:00:00", "")
    await app.say(ALICE, "/undo")
    assert rows(app)[0][0] == "ir a lo de Beto a buscar la carpa"


async def test_what_is_to_be_corrected_is_asked_about_where_that_is_not_clear(app: AppUnderTest) -> None:
    await have(app, "recordame mañana a las 9 regar las plantas", "recordame mañana a las 10 podar las plantas")
    await pass_time(app, HOUR)
    app.llm.category = "reminders"
    app.llm.drop_lines()
    told = await wish(app, ALICE, "no son plantas, son rosas", "correct_reminder", new="rosas", old="plantas")
    assert "¿Cuál" in told
    assert [text for text, *_ in rows(app)] == ["regar las plantas", "podar las plantas"]


async def test_nobody_corrects_what_is_not_theirs(app: AppUnderTest) -> None:
    await have(app, "recordame mañana a las 9 regar las plantas")
    app.llm.category = "reminders"
    app.llm.drop_lines()
    told = await wish(app, BOB, "no son plantas, son rosas", "correct_reminder", new="rosas", old="plantas")
    assert "plantas" not in told
    assert [text for text, *_ in rows(app)] == ["regar las plantas"]
    await wish(app, ALICE, "no son plantas, son rosas", "correct_reminder", new="rosas", old="plantas")
    assert [text for text, *_ in rows(app)] == ["regar las rosas"]


CLINIC: Final = "recordame el viernes a las 15 la veterinaria"
TYRES: Final = "remind me on Saturday at 11 to collect the tyres"
CLINIC_AT: Final = ("la veterinaria", "2026-11-20T15:00:00", "")
TYRES_AT: Final = ("collect the tyres", "2026-11-21T11:00:00", "")


@pytest.mark.parametrize(
    ("said", "clinic", "tyres"),
    [
        ("che ese día salgo tardísimo del taller, la veterinaria pasala al martes", "24T15:00", "21T11:00"),
        ("uy se me juntó todo, lo de la veterinaria una hora antes", "20T14:00", "21T11:00"),
        ("La veterinaria corrila media hora antes que el tren pasa cuando quiere", "20T14:30", "21T11:00"),
        ("y lo de la veterinaria mejor a las 12, que a las 15 tengo ensayo", "20T12:00", "21T11:00"),
        ("my cousin needs the van early, so the tyres one, two hours later, i am stuck", "20T15:00", "21T13:00"),
        ("ah the school shuts Friday. Move the tyres one to Monday at 4pm please", "20T15:00", "23T16:00"),
        ("they've moved the tyres to Monday", "20T15:00", "23T11:00"),
        ("the tyres were an hour late last time", "20T15:00", "21T11:00"),
    ],
)
async def test_a_named_one_is_moved_inside_a_story(app: AppUnderTest, said: str, clinic: str, tyres: str) -> None:
    await have(app, CLINIC, TYRES)
    await say(app, said)
    assert [(at[8:16], rule) for _, at, rule in rows(app)] == [(clinic, ""), (tyres, "")]
