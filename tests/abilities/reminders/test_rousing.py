"""Who wants to be poked, shouted at or woken at a time wants a reminder; who tells of that does not.

The stand-in sorts every message as talk and calls the one tool that it is offered with the whole message.
"""

from datetime import datetime
from typing import Final

import pytest

from app.skills.tools.reminders.asking import asks_to_be_reminded
from tests.abilities.reminders.test_everyday_talk import say
from tests.abilities.reminders.test_reminders import rows
from tests.harness import AppUnderTest

LOCAL: Final = datetime(2026, 11, 18, 10, 30)
"""A Wednesday."""


@pytest.mark.parametrize(
    ("said", "text", "at"),
    [
        ("make my phone buzz tomorrow at 6:15am so I put the kettle on", "put the kettle on", "19T06:15"),
        ("tomorrow at 9 pester me about the invoice", "the invoice", "19T09:00"),
        ("yell at me at 4pm to stop working", "stop working", "18T16:00"),
        ("can u kick me on friday 5pm to pay the gardener", "pay the gardener", "20T17:00"),
        ("i mustnt forget the compost tomorrow at 7am", "the compost", "19T07:00"),
        ("I need a prod tmrw 8pm about the gas", "the gas", "19T20:00"),
        ("que me suene el celu mañana a las 9 para regar", "regar", "19T09:00"),
        ("chiflame mañana a las 10 asi saco el pan", "saco el pan", "19T10:00"),
        ("haceme ruido el viernes 11 de la mañana con lo de la factura", "la factura", "20T11:00"),
        ("necesito q el lunes a las 9 me sacudas, hay q abrir el galpon", "hay q abrir el galpon", "23T09:00"),
        ("no me tengo que olvidar del turno mañana a las 11", "turno", "19T11:00"),
        ("pegame un codazo mañana 6 y media d la tarde para llamar a Inés", "llamar a Inés", "19T18:30"),
        ("my week is a mess until friday, no sleep. tmrw 5:20pm poke me to iron the shirts", "iron the shirts",
         "19T17:20"),
        ("estoy de guardia hasta el sábado y no doy más. mañana a las 18 sacudime para tender la ropa",
         "tender la ropa", "19T18:00"),
    ],
)  # fmt: skip
async def test_a_wish_to_be_poked_at_a_time_is_a_reminder(
    app: AppUnderTest, said: str, text: str, at: str
) -> None:
    await say(app, said, "set")
    assert rows(app) == [(text, f"2026-11-{at}:00", "")]


async def test_one_that_comes_every_night_is_set_at_once(app: AppUnderTest) -> None:
    await say(app, "every nite at 10 hassle me about the drops")
    assert rows(app) == [("the drops", "2026-11-18T22:00:00", "FREQ=DAILY")]


@pytest.mark.parametrize(
    "said",
    [
        "my boss will yell at me at 4pm",
        "did he shout at you at 9?",
        "the dog made my phone go off at 6",
        "I can't forget what he said at 9",
        "mi jefe me pegó un grito a las 10",
        "el perro me hace ruido a las 6",
        "no me molestes a las 10",
        "poke me when you are back",
        "gritame",
    ],
)
def test_what_tells_of_it_or_says_no_time_asks_for_nothing(said: str) -> None:
    assert not asks_to_be_reminded(said, LOCAL, "es")
