"""Who says where they are and how long is asked about their clock; nobody else is, and nothing changes unasked."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.language.catalogue import Language
from app.simulator.payloads import button_reply
from app.skills.tools.reminders.stays import read_sentence
from tests.builders import ALICE, BOB
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import PEOPLE, AppUnderTest, running_app

NOW: Final = datetime(2026, 11, 18, 13, 30, tzinfo=UTC)
"""Half past ten on a Wednesday in Buenos Aires, where the numbers of both are."""
LOCAL: Final = datetime(2026, 11, 18, 10, 30)
DAY: Final = 86400.0
ASKED: Final = (
    "Estoy en Madrid esta semana",
    "estoy en Lisboa hasta el viernes",
    "I'm in Lisbon until Friday",
    "I’m in Tokyo this week!",
    "Ando por Chile hasta el domingo.",
    "Te cuento que estoy de vacaciones en Roma hasta el 30",
    "Esta semana estoy en Madrid",
    "Hasta el viernes estoy en Lisboa",
    "acabo de llegar a México DF por tres días",
    "Estamos en París toda la semana",
    "I just landed in London for two weeks",
    "we're on holiday in Greece until December 1st",
    "por cierto, estoy en Berlín por trabajo hasta el lunes",
    "estoy en Madrid por trabajo esta semana",
    "I'm travelling in Japan for two weeks",
    "Hey, I'm in New York for work this week",
    "estoy de viaje por Italia hasta fin de mes",
    "I'm staying in Dubai for 10 days",
    "This week I'm in Paris",
    "hoy estoy en Montevideo",
    "Estoy en Madrid hoy",
    "ya estoy en Madrid hasta el viernes",
    "I am in Singapore until tomorrow",
    "currently I'm in Seoul until Monday",
    "im in Sydney till friday",
    "estoy en Punta Cana por una semana",
    "I've just arrived in Istanbul for the week",
    "me quedo en Londres hasta mañana",
    "Sigo en Lima hasta el sábado",
    "estoy en España hasta el domingo",
    "I'm in Lisbon, Portugal until Friday",
    "right now I'm in Bangkok for 3 weeks",
)
NOT_ASKED: Final = (
    "mi hermana está en Madrid esta semana",
    "estuve en Madrid esta semana",
    "estoy en Madrid?",
    "¿estoy en Madrid esta semana?",
    "estoy en Madrid",
    "I'm in Lisbon",
    "ojalá estuviera en Roma esta semana",
    "si estoy en Madrid esta semana avisame",
    "no estoy en Madrid esta semana",
    "I'm not in London this week",
    "my boss is in Tokyo until Friday",
    "was in Paris this week",
    "voy a estar en Madrid la semana que viene",
    "la semana que viene estoy en Madrid",
    "mañana viajo a Madrid hasta el viernes",
    "I'll be in Rome next week",
    "I'm in bed until Friday",
    "estoy en reunión hasta las 5",
    "estoy en casa toda la semana",
    "estoy en el trabajo hasta las 6",
    "I'm in a meeting until 3",
    "I'm in love this week",
    "estoy en Madrid hasta el viernes, ¿qué tiempo hace?",
    "estoy en Madrid esta semana y quiero saber el clima",
    "soñé que estoy en París esta semana",
    "dice que está en Lisboa hasta el viernes",
    "Ana: estoy en Madrid esta semana",
    '"I\'m in Lisbon until Friday"',
    "recordame que estoy en Madrid hasta el viernes",
    "anotá que estoy en Madrid esta semana",
    "I'm at work until Friday",
    "estoy en paro este mes",
    "estoy en Madrid desde el lunes",
    "I'm in trouble until Monday",
    "estoy en contra de Madrid esta semana",
    "when I'm in Lisbon until Friday, remind me",
    "I'm in Lisbon until Friday?",
    "estaba en Madrid hasta el viernes",
    "estaría en Madrid hasta el viernes",
    "casi estoy en Madrid hasta el viernes",
    "I'm into Madrid this week",
    "we were in Rome until Friday",
    "estoy viendo una serie en Madrid esta semana",
    "estoy por Madrid contra el Barça hoy",
    "el paquete está en Madrid hasta el viernes",
    "estoy en Marte esta semana",
    "I'm in the office this week",
    "I'm in the USA this week",
    "estoy en Brasil hasta que vuelva",
    "estoy en Madrid hasta nuevo aviso",
    "estoy en línea hasta el viernes",
    "I'm in charge until Friday",
    "estoy a dieta esta semana",
    "estoy a full esta semana",
    "I'm back at school this week",
    "I'm here until Friday",
    "estoy acá hasta el viernes",
    "I'm in time today",
    "estoy en hora hoy",
    "llegué a Bogotá, Ana se queda hasta el jueves",
    "estoy en Madrid, Ana vuelve hasta el viernes",
    "I'm in PT until Friday",
    "I'm in CT today",
    "estoy en et hoy",
    "estamos en guerra esta semana",
    "estoy en paz esta semana",
    "I'm in peace this week",
    "I'm on Tokyo time this week",
    "estoy en Estados Unidos esta semana",
    "I'm in Madrid mode this week",
    "estoy en Madrid hasta el viernes y Ana también",
    "me quedo en casa esta semana",
    "llegué a tiempo hoy",
    "acabo de llegar a casa hoy",
    "just got to work today",
    "I just got in trouble today",
)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    llm = ScriptedChatModel(echo=True)
    async with running_app(tmp_path, llm=llm, clock=FrozenClock(NOW)) as running:
        yield running


def buttons(app: AppUnderTest, person: str) -> list[dict[str, str]]:
    """The buttons of the newest message to somebody; [] where it has none."""
    payload: Any = [send for send in app.graph.sends if send.recipient == person][-1].payload
    found = payload.get("interactive", {}).get("action", {}).get("buttons", ())
    return [button["reply"] for button in found]


async def press(app: AppUnderTest, person: str, place: int) -> str:
    reply = buttons(app, person)[place]
    await app.graph.receive(PEOPLE[person], button_reply(reply["id"], reply["title"]))
    await app.idle()
    return app.replies_to(person)[-1]


async def zone_of(app: AppUnderTest, person: str) -> str:
    await app.say(person, "/zone")
    return app.replies_to(person)[-1]


async def test_a_yes_sets_the_clock_for_these_days_and_no_longer(app: AppUnderTest) -> None:
    await app.say(ALICE, "Estoy en Madrid esta semana")
    question = app.replies_to(ALICE)[-1]
    assert question == (
        "¿Uso la hora de Madrid hasta domingo 22 de noviembre? Allí son las 14:30 ahora. Después vuelvo a la tuya."
    )
    assert [one["title"] for one in buttons(app, ALICE)] == ["Sí, usala", "No, dejá la mía"]
    assert "Buenos_Aires" in await zone_of(app, ALICE), "nothing changes before the answer"
    await app.say(ALICE, "Estoy en Madrid esta semana")
    assert "hasta domingo 22 de noviembre tu zona" in await press(app, ALICE, 0)
    assert "Europe/Madrid" in await zone_of(app, ALICE)
    assert "Buenos_Aires" in await zone_of(app, BOB)
    await app.clock.advance(5 * DAY)
    await app.idle()
    assert "Buenos_Aires" in await zone_of(app, ALICE)


async def test_a_no_leaves_the_clock_as_it_is(app: AppUnderTest) -> None:
    await app.say(ALICE, "I'm in Lisbon until Friday")
    assert "I'll keep America/Buenos_Aires" in await press(app, ALICE, 1)
    assert "Buenos_Aires" in await zone_of(app, ALICE)


async def test_a_typed_yes_gets_the_buttons_again_and_changes_nothing(app: AppUnderTest) -> None:
    await app.say(ALICE, "Estoy en Madrid esta semana")
    await app.say(ALICE, "sí")
    assert "¿Uso la hora de Madrid" in app.replies_to(ALICE)[-1]
    assert "Buenos_Aires" in await zone_of(app, ALICE)
    await app.say(ALICE, "sí")
    await press(app, ALICE, 0)
    assert "Europe/Madrid" in await zone_of(app, ALICE)
    await app.say(ALICE, "sí")
    assert app.replies_to(ALICE)[-1].startswith("echo"), "no question is open"


async def test_an_answer_that_comes_after_these_days_changes_nothing(app: AppUnderTest) -> None:
    await app.say(ALICE, "Estoy en Madrid hoy")
    await app.clock.advance(0.8 * DAY)
    assert "Esa hora ya pasó" in await press(app, ALICE, 0)
    assert "Buenos_Aires" in await zone_of(app, ALICE)


@pytest.mark.parametrize("said", ["Estoy en Rosario esta semana", "estoy en Montevideo hasta el viernes"])
async def test_where_the_clock_is_the_same_nobody_is_asked(app: AppUnderTest, said: str) -> None:
    await app.say(ALICE, said)
    assert buttons(app, ALICE) == []


async def test_what_says_it_for_sure_is_asked_about(app: AppUnderTest) -> None:
    for said in ASKED:
        sent = len(app.graph.sends)
        await app.say(BOB, said)
        is_same = "Montevideo" in said or "Chile" in said
        assert is_same or len(buttons(app, BOB)) == 2, (said, app.graph.sends[sent:])


async def test_what_says_it_of_others_of_other_times_or_of_no_place_is_not(app: AppUnderTest) -> None:
    app.llm.category = "none"
    for said in NOT_ASKED:
        await app.say(BOB, said)
        assert buttons(app, BOB) == [], said


WHO: Final = st.sampled_from(
    ("mi hermana está", "Ana está", "mis padres están", "my boss is", "she's", "they are")
)
WHEN: Final = st.sampled_from(("estuve", "estaba", "estaré", "estuviera", "was", "I'll be", "I was", "I might be"))
WRAPPED: Final = st.sampled_from(
    ("si {}", "no {}", "¿{}?", "{}?", "creo que {}", "if {}", "recordame que {}", "«{}»", "dice que {}", "{} o no")
)
HERE: Final = st.sampled_from(("estoy", "I'm", "estamos", "I am"))
PLACES: Final = st.sampled_from(("Madrid", "Lisboa", "Tokyo", "Roma", "London"))
SPANS: Final = st.sampled_from(("esta semana", "hasta el viernes", "until Friday", "por tres días", "today"))


@given(who=st.one_of(WHO, WHEN), place=PLACES, span=SPANS, is_english=st.booleans())
def test_nobody_else_and_no_other_time_is_read(who: str, place: str, span: str, is_english: bool) -> None:
    language: Language = "en" if is_english else "es"
    for preposition in ("en", "in"):
        assert read_sentence(f"{who} {preposition} {place} {span}", LOCAL, language) is None
        assert read_sentence(f"{span} {who} {preposition} {place}", LOCAL, language) is None


@given(how=WRAPPED, here=HERE, place=PLACES, span=SPANS)
def test_what_stands_in_another_sentence_is_not_read(how: str, here: str, place: str, span: str) -> None:
    plain = f"{here} {'en' if here.startswith('est') else 'in'} {place} {span}"
    assert read_sentence(how.format(plain), LOCAL, "es") is None


@given(st.text(max_size=200))
def test_any_text_is_read_or_not_without_an_error(text: str) -> None:
    read_sentence(text, LOCAL, "es")
    read_sentence(f"estoy en {text} hasta {text}", LOCAL, "es")
