"""What follows up a reminder that was just set, by code alone: again, repeated, moved, called off."""

import json
from pathlib import Path
from typing import Final

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.abilities.reminders.test_reminders import MINUTE, NOW, pass_time, rows
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.fakes.clock import FrozenClock
from tests.harness import AppUnderTest

__all__ = ["encoder"]
Rows = list[tuple[str, str, str]]

FILTER: Final = "recordame mañana a las 10 cambiar el filtro"
FILTER_SET: Final = ("cambiar el filtro", "2026-11-19T10:00:00", "")
BEANS: Final = "remind me today at 6pm to soak the beans"
BEANS_SET: Final = ("soak the beans", "2026-11-18T18:00:00", "")


async def after(tmp_path: Path, encoder: LocalEmbedder, set_first: tuple[str, ...], *said: str) -> Rows:
    """Set some with the model, say what follows without it, and return what is to come."""
    calls = [json.dumps({"set_reminder": {"text": one}}) for one in set_first]
    async with small_app(tmp_path, encoder, *calls, clock=FrozenClock(NOW)) as (app, llm):
        for one in set_first:
            await app.say(ALICE, one)
        asked = len(llm.requests)
        await say_all(app, said)
        assert len(llm.requests) == asked
        return rows(app)


async def say_all(app: AppUnderTest, said: tuple[str, ...]) -> None:
    for one in said:
        await app.say(ALICE, one)


@pytest.mark.parametrize(
    ("first", "said", "added"),
    [
        (FILTER, "y a las 13 lo mismo", ("cambiar el filtro", "2026-11-19T13:00:00", "")),
        (FILTER, "lo mismo el sábado a las 9 porfa", ("cambiar el filtro", "2026-11-21T09:00:00", "")),
        (FILTER, "repetímelo a las 17", ("cambiar el filtro", "2026-11-19T17:00:00", "")),
        (FILTER, "recuérdame otra vez a las 12:30", ("cambiar el filtro", "2026-11-19T12:30:00", "")),
        (BEANS, "same again at nine", ("soak the beans", "2026-11-18T21:00:00", "")),
        (BEANS, "and the same on Friday please", ("soak the beans", "2026-11-20T18:00:00", "")),
        (
            BEANS,
            "same thing every Monday at 7pm",
            ("soak the beans", "2026-11-23T19:00:00", "FREQ=WEEKLY;BYDAY=MO"),
        ),
    ],
)
async def test_the_same_at_another_time_is_a_second_one(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str, added: tuple[str, str, str]
) -> None:
    there = FILTER_SET if first == FILTER else BEANS_SET
    assert await after(tmp_path, encoder, (first,), said) == [there, added]


@pytest.mark.parametrize(
    ("first", "said", "due", "rule"),
    [
        (FILTER, "hacelo todos los días", "2026-11-19T10:00:00", "FREQ=DAILY"),
        (FILTER, "que se repita todas las semanas", "2026-11-19T10:00:00", "FREQ=WEEKLY;BYDAY=TH"),
        (FILTER, "ponlo de lunes a viernes", "2026-11-19T10:00:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        (FILTER, "mejor mensual", "2026-11-19T10:00:00", "FREQ=MONTHLY;BYMONTHDAY=19"),
        (BEANS, "make it every Monday", "2026-11-23T18:00:00", "FREQ=WEEKLY;BYDAY=MO"),
        (BEANS, "repeat it weekly please", "2026-11-18T18:00:00", "FREQ=WEEKLY;BYDAY=WE"),
    ],
)
async def test_one_that_comes_once_is_made_to_repeat(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str, due: str, rule: str
) -> None:
    there = FILTER_SET if first == FILTER else BEANS_SET
    assert await after(tmp_path, encoder, (first,), said) == [(there[0], due, rule)]


@pytest.mark.parametrize(
    ("first", "said", "due"),
    [
        (BEANS, "pasalo para mañana a la misma hora", "2026-11-19T18:00:00"),
        (BEANS, "push it to Saturday, same time", "2026-11-21T18:00:00"),
        (BEANS, "half an hour earlier", "2026-11-18T17:30:00"),
        (FILTER, "media hora antes mejor", "2026-11-19T09:30:00"),
        (FILTER, "córrelo una hora más tarde", "2026-11-19T11:00:00"),
    ],
)
async def test_the_last_one_is_moved_by_a_word(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str, due: str
) -> None:
    [(_, at, rule)] = await after(tmp_path, encoder, (first,), said)
    assert (at, rule) == (due, "")


@pytest.mark.parametrize(
    "said", ["cancelá el último", "borrá ese último aviso", "cancel the last one", "scrap that"]
)
async def test_the_last_one_is_called_off(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    assert await after(tmp_path, encoder, (FILTER, BEANS), said) == [FILTER_SET]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("en vez de cambiar el filtro recordame purgar la bomba", ("purgar la bomba", "2026-11-19T10:00:00", "")),
        (
            "en lugar de lo del filtro avísame a las 11 que llega el flete",
            ("llega el flete", "2026-11-19T11:00:00", ""),
        ),
        ("instead of the filtro remind me to drain the tank", ("drain the tank", "2026-11-19T10:00:00", "")),
        ("remind me to drain the tank instead of the filtro", ("drain the tank", "2026-11-19T10:00:00", "")),
    ],
)
async def test_another_one_takes_the_place_of_the_one_that_is_named(
    tmp_path: Path, encoder: LocalEmbedder, said: str, left: tuple[str, str, str]
) -> None:
    assert await after(tmp_path, encoder, (FILTER, BEANS), said) == [left, BEANS_SET]


@pytest.mark.parametrize(
    "said", ["en vez de eso recordame lavar los frascos", "recuérdame lavar los frascos en su lugar"]
)
async def test_another_one_takes_the_place_of_the_last(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    left = ("lavar los frascos", "2026-11-18T18:00:00", "")
    assert await after(tmp_path, encoder, (FILTER, BEANS), said) == [FILTER_SET, left]


@pytest.mark.parametrize(
    ("said", "first", "second"),
    [
        ("wake me at 6 and remind me at 8 to ring the surgery", "Time to wake up", "ring the surgery"),
        ("despertame a las 6 y a las 8 avisame que hay que regar", "Hora de levantarse", "regar"),
        ("levántame mañana a las 6 y recuérdame a las 8 lo del gas", "Hora de levantarse", "lo del gas"),
    ],
)
async def test_a_wake_up_and_a_reminder_are_two(
    tmp_path: Path, encoder: LocalEmbedder, said: str, first: str, second: str
) -> None:
    assert await after(tmp_path, encoder, (), said) == [
        (first, "2026-11-19T06:00:00", ""),
        (second, "2026-11-19T08:00:00", ""),
    ]


async def test_one_that_has_just_come_is_set_again(tmp_path: Path, encoder: LocalEmbedder) -> None:
    wish = "recordame en 5 minutos sacar el pan del horno"
    async with small_app(tmp_path, encoder, clock=FrozenClock(NOW)) as (app, llm):
        await app.say(ALICE, wish)
        await pass_time(app, 6 * MINUTE)
        await app.say(ALICE, "lo mismo mañana a las 9")
        assert not llm.requests
        assert rows(app) == [("sacar el pan del horno", "2026-11-19T09:00:00", "")]


@pytest.mark.parametrize(
    "said",
    [
        "hoy almorcé lo mismo que ayer",
        "same here, I was up at 5",
        "no me gusta que se repita la comida",
        "I'd rather walk instead of driving",
        "en vez de salir nos quedamos en casa",
    ],
)
async def test_talk_with_these_words_changes_nothing(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    async with small_app(tmp_path, encoder, *["Claro."] * 3, clock=FrozenClock(NOW)) as (app, llm):
        await app.say(ALICE, FILTER)
        await app.say(ALICE, said)
        assert llm.requests
        assert rows(app) == [FILTER_SET]


async def test_one_more_leaves_the_one_before_as_it_is(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, clock=FrozenClock(NOW)) as (app, llm):
        await app.say(ALICE, "remind me tomorrow at 8 to feed the geese")
        await app.say(ALICE, "great, and also tomorrow at 6 pm lock the barn")
        assert not llm.requests
        assert rows(app) == [
            ("feed the geese", "2026-11-19T08:00:00", ""),
            ("lock the barn", "2026-11-19T18:00:00", ""),
        ]


PARCEL: Final = "remind me on Friday at 4pm to collect the parcel"
WORKSHOP: Final = "recordame mañana a las 5 de la tarde llevar la moto"


@pytest.mark.parametrize(
    ("first", "said", "due"),
    [
        (WORKSHOP, "no, esperá, a las 7, que a las 5 tengo la reunión del cole", "2026-11-19T19:00:00"),
        (WORKSHOP, "mejor a las 4 porque a las 5 cierran", "2026-11-19T16:00:00"),
        (WORKSHOP, "disculpe, póngalo a las 4 y media que a las 5 viene el plomero", "2026-11-19T16:30:00"),
        (PARCEL, "make that 6 they close late", "2026-11-20T18:00:00"),
        (PARCEL, "no wait 5:30, the school run is at 4", "2026-11-20T17:30:00"),
        (PARCEL, "actually 11am cos at 4 im at the dentist", "2026-11-20T11:00:00"),
        (PARCEL, "kindly change to 5 pm, at 4 i am having tuition", "2026-11-20T17:00:00"),
        (WORKSHOP, "un día antes mejor", "2026-11-18T17:00:00"),
        (WORKSHOP, "pasalo para el día siguiente, misma hora", "2026-11-20T17:00:00"),
        (WORKSHOP, "mejor el otro jueves a la misma hora", "2026-11-26T17:00:00"),
        (WORKSHOP, "mismo horario pero el sábado", "2026-11-21T17:00:00"),
        (WORKSHOP, "la semana siguiente a las 9 y media de la mañana mejor", "2026-11-26T09:30:00"),
        (PARCEL, "the van is booked then, shift it to the next day, same hour", "2026-11-21T16:00:00"),
        (PARCEL, "push it a week", "2026-11-27T16:00:00"),
        (PARCEL, "make it the following friday please", "2026-11-27T16:00:00"),
        (PARCEL, "shift it to the day after at 9am", "2026-11-21T09:00:00"),
        (PARCEL, "a day earlier", "2026-11-19T16:00:00"),
    ],
)
async def test_the_last_one_is_put_right_or_moved_from_its_own_day(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str, due: str
) -> None:
    assert [at for _, at, _ in await after(tmp_path, encoder, (first,), said)] == [due]


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (WORKSHOP, "ayer mi hermana llegó a las 6, re tarde"),
        (WORKSHOP, "al día siguiente nos fuimos a la playa"),
        (PARCEL, "they close at 6 on fridays"),
        (PARCEL, "a week later he rang me back, can you believe it"),
        (PARCEL, "no, at 6 he still was not home"),
    ],
)
async def test_talk_of_other_times_moves_nothing(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str
) -> None:
    calls = json.dumps({"set_reminder": {"text": first}}), "Ah.", "Ah.", "Ah."
    async with small_app(tmp_path, encoder, *calls, clock=FrozenClock(NOW)) as (app, llm):
        await app.say(ALICE, first)
        there = rows(app)
        await app.say(ALICE, said)
        assert rows(app) == there
        llm.drop_lines()


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("borré el chat, a qué hora quedamos?", "16:00"),
        ("a que hora dijimos al final", "16:00"),
        ("me repetis la hora? es que se me cortó", "16:00"),
        ("what hour did we agree on, my screen is cracked", "16:00"),
        ("did you put it for 4 or 5?", "16:00"),
        ("what time was that for, my phone died", "16:00"),
        ("qué hora le pusiste a la moto", "17:00"),
        ("para que dia me anotaste lo de la moto, se me borro el mensaje", "17:00"),
        ("cuándo era lo de la moto?", "17:00"),
    ],
)
async def test_when_one_comes_is_told_also_with_an_excuse(
    tmp_path: Path, encoder: LocalEmbedder, said: str, shown: str
) -> None:
    async with small_app(tmp_path, encoder, clock=FrozenClock(NOW)) as (app, llm):
        await say_all(app, (WORKSHOP, PARCEL))
        await app.say(ALICE, said)
        assert shown in app.replies_to(ALICE)[-1]
        assert not llm.requests


DROPS: Final = "remind me every day at 7am to take my drops"
CHOIR: Final = "recordame cada lunes y jueves a las 19 el ensayo"


@pytest.mark.parametrize(
    ("first", "said", "text", "rule"),
    [
        (DROPS, "los domingos no", "take my drops", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA"),
        (DROPS, "not on weekends though", "take my drops", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        (DROPS, "skip mondays please", "take my drops", "FREQ=WEEKLY;BYDAY=TU,WE,TH,FR,SA,SU"),
        (CHOIR, "el jueves sacalo", "el ensayo", "FREQ=WEEKLY;BYDAY=MO"),
        (FILTER, "no pará, la bombilla, no el filtro", "cambiar la bombilla", ""),
        (BEANS, "no wait, the lentils not the beans", "soak the lentils", ""),
        (BEANS, "sorry meant 7", "soak the beans", ""),
        (FILTER, "no, era el viernes", "cambiar el filtro", ""),
    ],
)
async def test_what_was_just_set_is_put_right(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str, text: str, rule: str
) -> None:
    [(now_says, at, now_comes)] = await after(tmp_path, encoder, (first,), said)
    assert (now_says, now_comes) == (text, rule)
    dues = {"sorry meant 7": "2026-11-18T19:00:00", "no, era el viernes": "2026-11-20T10:00:00"}
    assert at == dues.get(said, at)


@pytest.mark.parametrize(
    ("first", "said", "added"),
    [
        (BEANS, "and an hour before as well", ("soak the beans", "2026-11-18T17:00:00", "")),
        (FILTER, "y también el viernes a la misma hora", ("cambiar el filtro", "2026-11-20T10:00:00", "")),
    ],
)
async def test_as_well_adds_another(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str, added: tuple[str, str, str]
) -> None:
    assert await after(tmp_path, encoder, (first,), said) == [FILTER_SET if first == FILTER else BEANS_SET, added]


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (DROPS, "i never work on sundays"),
        (CHOIR, "los jueves no laburo"),
        (FILTER, "la bombilla me salió carísima, el filtro no"),
        (BEANS, "my brother is a plumber, not an electrician"),
        (BEANS, "they moved the piano on Monday"),
        (FILTER, "el filtro que compré me lo trajeron el martes"),
    ],
)
async def test_a_story_that_sounds_like_it_changes_nothing(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str
) -> None:
    async with small_app(tmp_path, encoder, *["¡Qué bueno!"] * 3, clock=FrozenClock(NOW)) as (app, _):
        await app.say(ALICE, first)
        before = rows(app)
        await app.say(ALICE, said)
        assert rows(app) == before


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("what reminders do I have?", ("soak the beans", "feed the geese")),
        ("what else have i got coming up", ("soak the beans", "feed the geese")),
        ("when is that?", ("feed the geese",)),
    ],
)
async def test_who_asks_for_all_right_behind_one_is_shown_all(
    tmp_path: Path, encoder: LocalEmbedder, asked: str, told: tuple[str, ...]
) -> None:
    calls = [json.dumps({"set_reminder": {"text": BEANS}})]
    async with small_app(tmp_path, encoder, *calls, clock=FrozenClock(NOW)) as (app, _):
        await app.say(ALICE, BEANS)
        await say_all(app, ("don't let me forget to feed the geese tomorrow at 7am", asked))
        answer = app.replies_to(ALICE)[-1]
        assert {one for one in ("soak the beans", "feed the geese") if one in answer} == set(told)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (FILTER, "cómo me llamo?"),
        (FILTER, "y cómo se llama mi sobrino?"),
        (BEANS, "what's my name?"),
        (BEANS, "whats my nephew called"),
    ],
)
async def test_a_question_for_a_name_is_not_about_the_reminder_before_it(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str
) -> None:
    async with small_app(tmp_path, encoder, "Hmm.", "Hmm.", clock=FrozenClock(NOW)) as (app, _):
        await app.say(ALICE, first)
        told = app.replies_to(ALICE)[-1]
        await app.say(ALICE, said)
        assert app.replies_to(ALICE)[-1] != told
