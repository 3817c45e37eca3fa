"""What a reminder is called: its thing, without what leads to it and what is told behind it."""

import pytest

from tests.abilities.reminders.test_everyday_talk import say
from tests.abilities.reminders.test_reminders import rows
from tests.harness import AppUnderTest


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "el viernes me toca kinesiólogo a las 4 de la tarde y salgo desde la quinta, avisame una hora antes",
            "kinesiólogo",
        ),
        ("tengo turno con el oculista el viernes a las 11, avisame media hora antes", "turno con el oculista"),
        ("I've got choir on friday at 4pm and I live miles away, remind me an hour before", "choir"),
        ("recordame mañana a las 9 sacar el pan para no olvidarme", "sacar el pan"),
        ("remind me tomorrow at 9 to fill the trough so I don't forget", "fill the trough"),
        ("cna yuo remnid me tomorow 745am to wash teh van", "wash teh van"),
        ("can u give us a nudge tmrw 7pm to get the tent out", "get the tent out"),
        ("bug me at noon about the rent", "the rent"),
        ("remind me tomorrow at 9 to feed the cat and its kittens", "feed the cat and its kittens"),
        ("recordame mañana a las 9 que llega Ana y estoy solo", "llega Ana y estoy solo"),
    ],
)
async def test_the_title_is_the_thing(app: AppUnderTest, said: str, title: str) -> None:
    await say(app, said, "set")
    assert [text for text, *_ in rows(app)] == [title]
