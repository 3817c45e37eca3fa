"""Several reminders in one message: each time with its own thing is one; then one of them is called off.

The stand-in sorts every message as talk, and calls the one tool that it is offered with the whole message.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from app.language.catalogue import Language
from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.reminders.several import several
from app.when.meanings import Point, Repeat, When
from tests.abilities.reminders.test_everyday_talk import say
from tests.abilities.reminders.test_reminders import NOW, press, rows, world
from tests.builders import ALICE
from tests.e2e.asking import calls
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, NATIVE, AppUnderTest, running_app

LOCAL: Final = datetime(2026, 11, 18, 10, 30)
"""A Wednesday."""
Wanted = tuple[tuple[str, str], ...]
SEVERAL: Final[tuple[tuple[str, Wanted], ...]] = (
    (
        "avisame el jueves a las 11 que hay que sellar la patente, y el martes a las 8 avisame que llega el flete",
        (("sellar la patente", "19T11:00"), ("llega el flete", "24T08:00")),
    ),
    (
        "remind me friday 5pm swimming gala at Oakfield. and another one saturday 8am defrost the turkey",
        (("swimming gala at Oakfield", "20T17:00"), ("defrost the turkey", "21T08:00")),
    ),
    (
        "recuérdame comprar los tenis el viernes a las 16:30 y también el domingo a las 12 lo del asado",
        (("comprar los tenis", "20T16:30"), ("lo del asado", "22T12:00")),
    ),
    (
        "recordame\n- lunes 8:15 vacuna de Toby\n- martes 9:40 turno de la contadora\n- jueves 18:30 ensayo",
        (("vacuna de Toby", "23T08:15"), ("turno de la contadora", "24T09:40"), ("ensayo", "19T18:30")),
    ),
    (
        "can you remind me tomorrow at 9:15 to ring the vet + friday 3pm collect the parcel?",
        (("ring the vet", "19T09:15"), ("collect the parcel", "20T15:00")),
    ),
    (
        "ponme un recordatorio para mañana a las 8 de la mañana de la mamografía y otro para el sábado a las 11 "
        "de recoger los lentes",
        (("la mamografía", "19T08:00"), ("recoger los lentes", "21T11:00")),
    ),
    (
        "remind me tomorrow 7 am to charge the torch, and after that i still need reminding at 10 for the tailor",
        (("charge the torch", "19T07:00"), ("the tailor", "19T10:00")),
    ),
    (
        "tomorrow's a mess, remind me at 5:40 am to feed the hens and tomorrow at 3pm to meet Gus",
        (("feed the hens", "19T05:40"), ("meet Gus", "19T15:00")),
    ),
    (
        "recordame mañana a las 8 pagar la luz, y después también necesito que me recuerdes a las 11 lo del gas",
        (("pagar la luz", "19T08:00"), ("lo del gas", "19T11:00")),
    ),
    (
        "recordame mañana a las 8 llamar a Nora y a las 10 y media pagar el seguro",
        (("llamar a Nora", "19T08:00"), ("pagar el seguro", "19T10:30")),
    ),
    (
        "remind me tomorrow at 8 to feed Pip and then at 11 to pay the rent",
        (("feed Pip", "19T08:00"), ("pay the rent", "19T11:00")),
    ),
    (
        "set an alarm for 6:40pm today to feed the hens, another at 9am tomorrow for the chimney sweep",
        (("feed the hens", "18T18:40"), ("the chimney sweep", "19T09:00")),
    ),
    (
        "haceme acordar de dos cosas: mañana 9:20 análisis de sangre, viernes 17hs reunión de consorcio",
        (("análisis de sangre", "19T09:20"), ("reunión de consorcio", "20T17:00")),
    ),
    (
        "agéndame el lunes a las 9:30 la cita con el notario y el jueves a las 18 la tutoría de Iker",
        (("la cita con el notario", "23T09:30"), ("la tutoría de Iker", "19T18:00")),
    ),
    (
        "remind me tomorrow at 3pm to fetch Isla, cos the car's at the garage, and on sunday at 6pm to ring gran",
        (("fetch Isla", "19T15:00"), ("ring gran", "22T18:00")),
    ),
    (
        "avísame mañana a las 7 sacar la camioneta, que mi cuñado sale tarde, y el jueves a las 9:45 llevar al "
        "bebé a control",
        (("sacar la camioneta", "19T07:00"), ("llevar al bebé a control", "19T09:45")),
    ),
    (
        "hi! could you remind me about the optician on tuesday at 2pm and the boat on wednesday at 8:30am please",
        (("the optician", "24T14:00"), ("the boat", "25T08:30")),
    ),
    (
        "remind me recycling tonight 9pm, also swim kit tomorrow 8am, also ring grandad sunday noon",
        (("recycling", "18T21:00"), ("swim kit", "19T08:00"), ("ring grandad", "22T12:00")),
    ),
    (
        "el examen es mañana :( recordame mañana 7am repasar y el sábado 5pm devolver los libros",
        (("repasar", "19T07:00"), ("devolver los libros", "21T17:00")),
    ),
    (
        "recordame en 20 minutos apagar el horno y en una hora llamar a mi hermana",
        (("apagar el horno", "18T10:50"), ("llamar a mi hermana", "18T11:30")),
    ),
    (
        "tomorrow at 9am email the landlord and on friday at 10am water the ferns, remind me please",
        (("email the landlord", "19T09:00"), ("water the ferns", "20T10:00")),
    ),
    (
        "ping me 8am gym 1pm lunch with Tunde 6pm pick up the kids",
        (("gym", "19T08:00"), ("lunch with Tunde", "19T13:00"), ("pick up the kids", "19T18:00")),
    ),
    (
        "avisame a las 3 de la tarde de mover el auto que si no me multan y a las 8 de la noche de llamar a mamá",
        (("mover el auto", "18T15:00"), ("llamar a mamá", "18T20:00")),
    ),
    (
        "remind me at 6pm to tell Ann that the party is on friday",
        (("tell Ann that the party is on friday", "18T18:00"),),
    ),
)
ONE: Final = (
    "long day at the forge. Remind me tomorrow at 10am to ring Joan, and do not let me forget it",
    "remind me at 8 and at 20 to give the dog his drops",
    "recordame darle las gotas al gato a las 8 y a las 20",
    "remind me tomorrow at 8 to ring Joan and buy milk",
    "recordame los lunes y jueves a las 9 tomar el hierro",
    "recordame tomar el hierro los lunes y jueves a las 9",
    "choir every Tuesday at 5, remind me at half past four",
    "el sábado a las 13 vienen mis primos a comer, acordame de comprar hielo a las 11",
    "remind me at 4pm to leave, the ferry is at 5pm",
    "recordame el lunes a las 10 la reunión de la escuela, en la calle Sarmiento",
    "recordame mañana a las 9 llevar a Simón al oculista, tiene turno a las 10",
    "remind me tomorrow at 6.40pm, choir evening",
    "remind me at 5 pm to take the bread out and i need to ring Ola",
    "remind me to ring the garage tomorrow at 9 and tell them the clutch slips",
    "remind me tomorrow at 9 to call Ann and mention that the show is on Sunday at 10",
    "recordame mañana a las 9 llamar a Nora y decime el clima del viernes",
    "anotá que el gas vence el 12 y recordame mañana a las 9 llamar al plomero",
    "el lunes a las 9 llega el flete y el martes a las 10 tengo dentista",
)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with world(tmp_path) as running:
        running.llm.category = "none"
        yield running


def kept(app: AppUnderTest) -> Wanted:
    return tuple((text, due.removeprefix("2026-11-")[:8]) for text, due, _ in rows(app))


def test_an_hour_alone_is_the_next_one_behind_the_one_before() -> None:
    said = "avisame el viernes a las 4 y 10 de la mañana prender el horno, y a las 5 sacar el pan"
    assert [one.when.at for one in several(said, LOCAL, "es") if isinstance(one.when, Point)] == [
        datetime(2026, 11, 20, 4, 10),
        datetime(2026, 11, 20, 5),
    ]


@pytest.mark.parametrize(("said", "wanted"), SEVERAL)
async def test_each_time_with_its_own_thing_is_one_and_each_is_told(
    app: AppUnderTest, said: str, wanted: Wanted
) -> None:
    told = await say(app, said, "set")
    assert kept(app) == wanted
    assert all(text in told for text, _ in wanted)


@pytest.mark.parametrize("said", ONE)
@pytest.mark.parametrize("is_english", [True, False])
def test_what_is_one_reminder_or_something_else_is_not_cut(said: str, is_english: bool) -> None:
    assert several(said, LOCAL, "en" if is_english else "es") == ()


async def test_the_note_about_the_window_comes_once_and_last(app: AppUnderTest) -> None:
    told = await say(app, SEVERAL[0][0], "set")
    assert told.count("24 horas") == 1
    assert told.index("llega el flete") < told.index("24 horas")


async def test_one_whose_hour_is_in_doubt_is_asked_about_and_the_other_set(app: AppUnderTest) -> None:
    told = await say(app, "recordame mañana a las 9:20 regar y el viernes a las 5 sacar entradas", "set")
    assert kept(app) == (("regar", "19T09:20"),)
    assert "sacar entradas" in told
    await press(app, ALICE, "17:00")
    assert kept(app) == (("regar", "19T09:20"), ("sacar entradas", "20T17:00"))


@pytest.mark.parametrize("is_apart", [True, False])
async def test_a_model_that_calls_twice_sets_each_once(tmp_path: Path, is_apart: bool) -> None:
    llm = ScriptedChatModel()
    llm.category = "reminders"
    said, wanted = SEVERAL[0]
    first, second = ("sellar la patente", "llega el flete") if is_apart else (said, said)
    async with running_app(tmp_path, llm=llm, profile=NATIVE, clock=FrozenClock(NOW)) as app:
        llm.add(calls(("set_reminder", {"text": first}), ("set_reminder", {"text": second})), "Done.")
        await app.say(ALICE, said)
        assert sorted(kept(app)) == sorted(wanted)


async def test_a_reason_with_a_time_of_its_own_changes_nothing(app: AppUnderTest) -> None:
    await say(app, "recordame mañana a las 9 ir a la tintorería, que mi primo se casa el sábado a las 5", "set")
    assert kept(app) == (("ir a la tintorería", "19T09:00"),)


TWO: Final = "recordame mañana a las 9 podar la parra, y el viernes a las 10 lavar la camioneta"
BOTH: Final = "remind me friday 7am feed the hens and thursday at 6pm governors meeting"


@pytest.mark.parametrize(
    ("first", "said", "left"),
    [
        (TWO, "cancelá el segundo", "podar la parra"),
        (TWO, "borra el primero porfa, lo hace mi vecino", "lavar la camioneta"),
        (TWO, "quítame el segundo, ya lo hizo mi primo", "podar la parra"),
        (BOTH, "scrap the first one, my sister is doing it", "governors meeting"),
        (BOTH, "actually can you delete the second one", "feed the hens"),
        (TWO, "el aviso de la parra no va más, cancelalo, el otro dejalo como está", "lavar la camioneta"),
        (TWO, "el de la camioneta sácalo nomás, el otro sí déjalo", "podar la parra"),
        (BOTH, "don't touch the governors meeting, the hens one is off", "governors meeting"),
        (BOTH, "leave the hens one but cancel the governors one", "feed the hens"),
    ],
)
async def test_of_several_the_one_that_is_meant_is_called_off(
    app: AppUnderTest, first: str, said: str, left: str
) -> None:
    await say(app, first, "set")
    await say(app, said, "cancel")
    assert [text for text, *_ in rows(app)] == [left]


async def test_the_second_of_a_list_is_the_second_that_was_shown(app: AppUnderTest) -> None:
    await say(app, BOTH, "set")
    await say(app, "what reminders do I have?", "list")
    await say(app, "drop the second", "cancel")
    assert [text for text, *_ in rows(app)] == ["governors meeting"]


async def test_one_is_moved_by_its_place(app: AppUnderTest) -> None:
    await say(app, TWO, "set")
    await say(app, "pasá el segundo a las 12", "change")
    assert kept(app) == (("podar la parra", "19T09:00"), ("lavar la camioneta", "20T12:00"))


@pytest.mark.parametrize("said", ["pasalo al primero de diciembre", "pasalo para el primero de diciembre"])
async def test_a_date_is_no_place(app: AppUnderTest, said: str) -> None:
    await say(app, TWO, "set")
    await say(app, said, "change")
    assert [due[:10] for _, due, _ in rows(app)] == ["2026-11-19", "2026-12-01"]


@pytest.mark.parametrize(
    ("wished", "said", "wanted"),
    [
        (
            "recuérdame lo del rosario de mi abuelita que Dios la tenga en su gloria",
            "este sábado a las 10 de la mañana, en la parroquia",
            ("rosario de mi abuelita que Dios la tenga en su gloria", "21T10:00"),
        ),
        (
            "avísame de lo de los papeles de la moto",
            "el jueves 10 hs en el registro de la calle Mitre con toda la gente que va siempre a primera hora",
            ("los papeles de la moto", "19T10:00"),
        ),
        (
            "recuérdame envolver el regalo",
            "uy sí, sería el viernes a las 4 de la tarde porque el cumple es el sábado",
            ("envolver el regalo", "20T16:00"),
        ),
        ("recordame pagar el club", "a las 8 p.m. de mañana", ("pagar el club", "19T20:00")),
        ("remind me about the chimney man", "tomorrow at 8:20, he's coming then", ("the chimney man", "19T08:20")),
        ("remind me to ring the plumber", "friday 4pm cos monday at 9 i'm away", ("ring the plumber", "20T16:00")),
        (
            "recordame mañana a las 5 sacar las entradas",
            "no, mejor a las 6 de la tarde que a las 5 estoy en el médico",
            ("sacar las entradas", "19T18:00"),
        ),
        (
            "remind me tomorrow at 5 to walk Rex",
            "at 5pm, after I get back from the depot, thanks",
            ("walk Rex", "19T17:00"),
        ),
    ],
)
async def test_a_wish_without_a_sure_time_is_one_thing_and_gets_it_from_the_answer(
    app: AppUnderTest, wished: str, said: str, wanted: tuple[str, str]
) -> None:
    told = await say(app, wished, "set")
    assert "?" in told
    assert rows(app) == []
    await say(app, said, "set")
    [(text, at)] = kept(app)
    assert (text.removeprefix("el ").removeprefix("lo del "), at) == wanted


async def test_a_word_of_thanks_between_does_not_lose_the_wish(app: AppUnderTest) -> None:
    await say(app, "remind me to ring the plumber", "set")
    await app.say(ALICE, "ok thanks")
    await say(app, "tomorrow at 10am", "set")
    assert kept(app) == (("ring the plumber", "19T10:00"),)


async def test_of_several_the_one_that_was_asked_about_gets_its_time(app: AppUnderTest) -> None:
    await say(app, "recordame mañana a las 9:20 regar y el viernes a las 5 sacar entradas", "set")
    await say(app, "a las 17, después del trabajo", "set")
    assert kept(app) == (("regar", "19T09:20"), ("sacar entradas", "20T17:00"))


@pytest.mark.parametrize(
    "said", ["tomorrow at 10 I'm going to the beach with Tom", "tomorrow at 10 we fly to Rome"]
)
async def test_a_story_does_not_answer_when(app: AppUnderTest, said: str) -> None:
    await say(app, "remind me to ring the plumber", "set")
    await say(app, said, "talk")
    assert "ring the plumber" not in [text for text, *_ in rows(app)]


@pytest.mark.parametrize(
    "said",
    [
        "anotá que el gas vence el 12 y recordame mañana a las 9:20 regar y el viernes a las 10 ir al club",
        "recordame mañana a las 9:20 regar y el viernes a las 10 ir al club, y anotá que el gas vence el 12",
        "recordame mañana a las 9:20 regar y el viernes a las 10 ir al club",
    ],
)
async def test_on_a_small_model_each_is_set_without_what_else_is_wished_for(tmp_path: Path, said: str) -> None:
    encoder = LocalEmbedder.open()
    if encoder is None:
        pytest.skip("the optional extra `local` is not installed")
    llm = ScriptedChatModel(echo=True)
    clock = FrozenClock(NOW)
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, embedder=encoder, clock=clock) as app:
        await say(app, said, "set")
        assert kept(app) == (("regar", "19T09:20"), ("ir al club", "20T10:00"))


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (
            "Por favor póngame todos los días a las 8 de la mañana el colirio y a las 10 de la noche la crema, "
            "que me avise",
            (("el colirio", "DAILY", "19T08:00"), ("la crema", "DAILY", "18T22:00")),
        ),
        (
            "every day at 8am the tablets and at 10pm the ointment please, remind me",
            (("the tablets", "DAILY", "19T08:00"), ("the ointment", "DAILY", "18T22:00")),
        ),
        (
            "remind me every monday at 7pm bins and at 9pm the cat flap",
            (("bins", "WEEKLY", "23T19:00"), ("the cat flap", "WEEKLY", "23T21:00")),
        ),
        (
            "remind me every day at 8am to feed Pip and remind me at 5pm to call Bex",
            (("feed Pip", "DAILY", "19T08:00"), ("call Bex", "", "18T17:00")),
        ),
        (
            "remind me every day at 8am to feed Pip and to call Bex at 5pm",
            (("feed Pip", "DAILY", "19T08:00"), ("call Bex", "", "18T17:00")),
        ),
    ],
)
def test_what_goes_on_with_another_hour_comes_as_often(
    said: str, wanted: tuple[tuple[str, str, str], ...]
) -> None:
    found = several(said, LOCAL, "es" if "avise" in said else "en")

    assert tuple((one.what, *_told(one.when)) for one in found) == wanted


def _told(when: When) -> tuple[str, str]:
    assert isinstance(when, Point | Repeat)
    rule, at = (when.rule.frequency, when.first) if isinstance(when, Repeat) else ("", when.at)
    return rule, f"{at:%dT%H:%M}"


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("two things for friday: 2pm optician, 4pm collect Rhys", ("optician 20T14:00", "collect Rhys 20T16:00")),
        ("recordame dos cosas el lunes: 10am el gas y 6pm el traje", ("el gas 23T10:00", "el traje 23T18:00")),
        ("remind me tomorrow at 8pm to ring Bea and at 9 to lock up", ("ring Bea 19T20:00", "lock up 19T21:00")),
        ("recuérdame mañana 7pm la misa y a las 8 la pastilla", ("la misa 19T19:00", "la pastilla 19T20:00")),
        ("two things i hate on fridays: 9am calls, 5pm traffic", ()),
        ("i have two things on friday: 2pm optician, 4pm collect Rhys", ()),
        ("two things for friday: milk and bread", ()),
    ],
)
def test_a_day_or_an_evening_said_first_is_that_of_all(said: str, wanted: Sequence[str]) -> None:
    language: Language = "es" if "record" in said or "recu" in said else "en"
    found = several(said, LOCAL, language)
    assert [f"{one.what} {one.when.at:%dT%H:%M}" for one in found if isinstance(one.when, Point)] == list(wanted)
