"""What stands beside the wish to be reminded, and wishes about reminders that are not there."""

from datetime import datetime

import pytest

from app.language.catalogue import Language
from app.skills.tools.reminders.asked_times import time_of_asking
from app.skills.tools.reminders.asking import asks_to_be_reminded
from app.skills.tools.reminders.clauses import mended
from app.skills.tools.reminders.lexicon import MOVES_NAMED, flat, orders_off, when_asked_of
from app.skills.tools.reminders.titles import titled, what_is_meant
from app.when.meanings import Point
from app.when.reading import read_wish

NOW = datetime(2026, 11, 26, 12)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (
            "recordame el lunes a las 8 ir al banco, y decime a qué hora quedó",
            "recordame el lunes a las 8 ir al banco",
        ),
        ("remind me at 5 to ring Ann and tell me what time you set it for", "remind me at 5 to ring Ann"),
        ("remind me at 5 to ring Ann, cheers you're a star", "remind me at 5 to ring Ann"),
        ("recordame a las 5 regar, soy Beto, gracias", "recordame a las 5 regar"),
        ("recordame mañana darle las gracias", "recordame mañana darle las gracias"),
        ("remind me tomorrow to say thanks", "remind me tomorrow to say thanks"),
        ("recordame llamar a Ana y decime a qué hora es el partido", None),
        ("soy Beto, gracias", "soy Beto, gracias"),
    ],
)
def test_thanks_names_and_the_question_when_it_is_set_are_left_out(said: str, left: str | None) -> None:
    assert mended(said) == (said if left is None else left)


@pytest.mark.parametrize(
    ("said", "language", "what"),
    [
        ("mandame un wasap el viernes a las 10 para que no se me olvide pagar la luz", "es", "pagar la luz"),
        ("drop me a line at 5 so i dont forget the washing", "en", "the washing"),
        ("q no se me pase la ITV el 14", "es", "la ITV"),
        ("rent is due on the 5th, inform me on the 3rd without fail", "en", "rent is due on the 5th"),
        ("recordame a las 4 dela trade llamar al banco", "es", "llamar al banco"),
    ],
)
def test_a_reminder_says_only_what_is_to_be_done(said: str, language: Language, what: str) -> None:
    assert asks_to_be_reminded(said, NOW, language)
    found = time_of_asking(said, NOW, language) or read_wish(said, NOW, language).when
    assert titled(what_is_meant(said, said, found, NOW, language), said, NOW, language) == what


def test_the_day_of_the_wish_is_meant_not_that_of_the_bill() -> None:
    found = time_of_asking("rent is due on the 5th, inform me on the 3rd without fail", NOW, "en")
    assert isinstance(found, Point)
    assert found.at.day == 3


@pytest.mark.parametrize(
    ("said", "is_order"),
    [
        ("turn off tomorrow's alarm", True),
        ("ya no me recuerdes lo del gym", True),
        ("apagué la alarma y me dormí", False),
        ("my alarm went off at 5", False),
    ],
)
def test_who_tells_what_they_did_calls_nothing_off(said: str, is_order: bool) -> None:
    assert orders_off(said) is is_order


def test_a_move_that_names_one_is_known_without_any() -> None:
    assert MOVES_NAMED.match(flat("pasá lo del dentista pal jueves"))
    assert MOVES_NAMED.match("move the dentist reminder to friday")
    assert not MOVES_NAMED.match(flat("pasé lo del dentista, fue horrible"))


@pytest.mark.parametrize("said", ["qué día y a qué hora quedó", "q dia era"])
def test_the_day_of_the_one_just_set_is_asked_for(said: str) -> None:
    found = when_asked_of(said, is_asked=True)
    assert found is not None
    assert found.is_sure
