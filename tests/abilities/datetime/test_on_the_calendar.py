"""Weekdays, distances and dates are told by code, in the person's zone and language; all else is the model's."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.skills.tools.datetime.asked_days import Asked, moved, read_asked, read_going_on
from app.skills.tools.datetime.on_the_calendar import age_on
from app.when.atoms import Ahead
from tests.builders import ALICE
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app

NOW = datetime(2026, 11, 25, 15, tzinfo=UTC)
TODAY = NOW.date()
# (talk, what the answer to its last message begins with)
TALKS = [
    (["que dia cae el 9 de julio de 2027"], "viernes, 9 de julio de 2027: faltan 226 días (32 semanas y 2 días)."),
    (["oiga disculpe, en que cae el 9 de julio? es q tengo un bautizo y quiero ver si es finde"], "viernes, 9 de"),
    (["what day does 3 march 2027 fall on? its for the christening"], "Wednesday, March 3, 2027"),
    (["what day is 14 february 2027", "and the 21st?"], "Sunday, February 21, 2027"),
    (["en que cae el 24 de diciembre?", "y el 6 de enero?"], "miércoles, 6 de enero de 2027"),
    (["que dia de la semana fue el 8 de agosto de 1974"], "jueves, 8 de agosto de 1974"),
    (["is the 12th of december a saturday"], "Yes, that is Saturday, December 12, 2026."),
    (["el 3 de enero es sabado?"], "No, es domingo, 3 de enero de 2027."),
    (["cuantos dias faltan para el 20 de enero"], "miércoles, 20 de enero de 2027: faltan 56 días"),
    (["how many weeks until 14 february"], "Sunday, February 14, 2027: 81 days from now (11 weeks and 4 days)."),
    (["hace cuantos dias fue el 2 de noviembre"], "lunes, 2 de noviembre de 2026: pasaron 23 días"),
    (["how many days between 3 march and 17 april"], "From March 3, 2027 to April 17, 2027: 45 days"),
    (["what date is it in 45 days"], "Saturday, January 9, 2027."),
    (["en 90 dias que fecha es? es por la garantia", "y en 60 dias?"], "domingo, 24 de enero de 2027."),
    (["45 dias despues del 3 de marzo que fecha es"], "sábado, 17 de abril de 2027."),
    (["10 dias habiles desde hoy que fecha es"], "miércoles, 9 de diciembre de 2026, contando de lunes a viernes"),
    (["la garantia es de 6 meses desde el 15 de octubre, que fecha vence?"], "jueves, 15 de abril de 2027."),
    (["30 working days from 1 dec what date"], "Tuesday, January 12, 2027, counting Monday to Friday"),
    (["cuantos dias van desde el 10 de septiembre"], "jueves, 10 de septiembre de 2026: pasaron 76 días"),
    (["me caso el 6 de marzo del año que viene, cae sabado?"], "Sí, es sábado, 6 de marzo de 2027."),
    (["cuando cae el primer lunes de marzo"], "lunes, 1 de marzo de 2027"),
    (["mi viejo nacio el 4 de mayo de 1951 cuantos años tiene ahora"], "75 años."),
    (["what date is it in 45 days", "how long is that away?"], "Saturday, January 9, 2027: 45 days from now"),
    (["en que cae el 24 de diciembre?", "cuantos dias faltan?"], "jueves, 24 de diciembre de 2026: faltan 29"),
    (["en 90 dias que fecha es?", "y que dia cae eso?"], "martes, 23 de febrero de 2027: faltan 90"),
    (["how old is someone born in 1990"], "36 if the birthday is over this year; 35 if not."),
]  # fmt: skip


@pytest.mark.needs("datetime")
@pytest.mark.parametrize(("talk", "told"), TALKS)
async def test_the_calendar_is_told_without_a_model(tmp_path: Path, talk: list[str], told: str) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=FrozenClock(NOW)) as app:
        for message in talk:
            await app.say(ALICE, message)
        assert app.replies_to(ALICE)[-1].startswith(told)
    assert not [request for request in llm.requests if request.purpose != "short"]


@pytest.mark.parametrize(
    "message",
    [
        "que dia es mi turno?",
        "nos vemos el 9 de julio",
        "anota que el 14 cae sabado",
        "is the 3rd ok for you?",
        "el sabado que dia lindo estuvo",
        "que dia juega boca el 14 de marzo?",
        "cuantos dias dura la leche abierta?",
        "hace 3 semanas que no llueve",
        "cuantos años tiene messi?",
        "mi hija nacio el 3 de mayo, cuanto pesa un bebe?",
        "the 12th is a saturday and im off",
        "que dia es hoy?",
        "que dia me conviene, el 14 o el 15 de mayo?",
        "remind me what day the 14th is",
        "what day is 3/4/2027",
    ],
)
def test_what_asks_nothing_of_the_calendar_or_is_not_sure_is_left_to_others(message: str) -> None:
    assert read_asked(message, TODAY, "en") is None
    assert message == "what day is 3/4/2027" or read_asked(message, TODAY, "es") is None


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(0, 400), st.booleans())
def test_working_days_are_none_of_the_weekend(first: date, count: int, is_back: bool) -> None:
    day = moved(Asked("moved", (first,), workdays=count, is_back=is_back), TODAY)
    assert day is not None
    begin, end = sorted((first, day))
    passed = [begin + timedelta(days=one + (not is_back)) for one in range((end - begin).days)]
    assert sum(one.weekday() < 5 for one in passed) == count


def test_what_lies_beyond_the_calendar_is_not_told() -> None:
    assert moved(Asked("moved", span=Ahead(days=10**7)), TODAY) is None
    assert age_on(date(2000, 2, 29), date(2026, 2, 28)) == 25


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("y hasta el 9 de septiembre?", date(2027, 7, 2), date(2027, 9, 9)),
        ("y desde el 20 de junio?", date(2027, 6, 20), date(2027, 8, 15)),
        ("and until september 9?", date(2027, 7, 2), date(2027, 9, 9)),
        ("and from june 20?", date(2027, 6, 20), date(2027, 8, 15)),
    ],
)
def test_days_between_go_on_with_the_other_end_kept(said: str, first: date, last: date) -> None:
    before = Asked("between", (date(2027, 7, 2), date(2027, 8, 15)))
    assert read_going_on(said, before, date(2026, 11, 27), "es") == Asked("between", (first, last))


@pytest.mark.parametrize(
    "said", ["hasta mañana", "y hasta el 9 de septiembre anotame la renta", "y desde cuando?"]
)
def test_what_names_no_other_end_alone_does_not_go_on(said: str) -> None:
    before = Asked("between", (date(2027, 7, 2), date(2027, 8, 15)))
    assert read_going_on(said, before, date(2026, 11, 27), "es") is None
