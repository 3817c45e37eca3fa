"""Numbers to be rung, names with an hour in them and denials stay in the words of a reminder."""

from datetime import datetime
from typing import Final

import pytest

from app.language.catalogue import Language
from app.pipeline.lexicon.reported import noted_of_others, only_talks
from app.skills.tools.reminders.own_hour import read_own_hour
from app.when.meanings import Point
from app.when.reading import read_wish

NOW: Final = datetime(2026, 11, 18, 12, 0)


@pytest.mark.parametrize(
    ("said", "language", "what", "due"),
    [
        ("mañana a las 10 llamar al vivero, al 11 5234 7781", "es", "llamar al vivero, al 11 5234 7781", (19, 10)),
        ("tomorrow at 9am ring the vet on 04 871 2290", "en", "ring the vet on 04 871 2290", (19, 9)),
        ("tomorrow at 9am ring 555-871-2290", "en", "ring 555-871-2290", (19, 9)),
        ("about the 8 o'clock quiz at 7:30pm", "en", "about the 8 o'clock quiz", (18, 19)),
        ("no comer antes de la ecografía del viernes a las 8", "es", "no comer antes de la ecografía", (20, 8)),
    ],
)
def test_only_what_says_when_is_taken_from_a_wish(
    said: str, language: Language, what: str, due: tuple[int, int]
) -> None:
    wish = read_wish(said, NOW, language)
    assert isinstance(wish.when, Point)
    assert (wish.what, (wish.when.at.day, wish.when.at.hour)) == (what, due)


def test_a_joiner_between_two_hours_is_no_part_of_the_thing() -> None:
    assert read_wish("at 7am and 7pm every day feed the newt", NOW, "en").what == "feed the newt"
    assert read_wish("buy ham and eggs tomorrow at 9am", NOW, "en").what == "buy ham and eggs"


def test_what_is_not_to_be_done_is_told_so() -> None:
    said = "Recordame hoy a las 16 no regar después de las 20"
    pointing = read_own_hour(said, NOW, "es")
    assert pointing is not None
    assert pointing.what == "no regar después de las 20"


@pytest.mark.parametrize(
    "said",
    [
        '"Remind me at 8" is all my flatmate ever says',
        "'add glue to the list' said the clown",
        '"Note this down" - our foreman',
        "«Anotá eso» es lo único que repite mi cuñado",
        "Would it be silly to set an alarm for 3am to see the comet?",
        "¿Sería mala idea poner una alarma a las 4?",
    ],
)
def test_quoted_orders_and_views_wish_for_nothing(said: str) -> None:
    assert only_talks(said)


@pytest.mark.parametrize(
    "said",
    [
        '"Pay the dues" - remind me tomorrow at 8',
        '"Wash the car" is what I need you to remind me of',
        'add "Red Sun" to the list',
        "Would it be possible to set an alarm for 3am?",
        "Would it be good if you could remind me at 3?",
        "¿Podrías poner una alarma a las 4?",
    ],
)
def test_wishes_with_quotes_and_polite_ones_stay_wishes(said: str) -> None:
    assert not only_talks(said)


def test_a_note_of_who_will_remind_is_kept_whole() -> None:
    assert noted_of_others("note that Olu said she'd remind me on Monday") == "Olu said she'd remind me on Monday"
    assert noted_of_others("anotá que Rita me avisa el lunes") == "Rita me avisa el lunes"
    assert not noted_of_others("note that the code is 22 and remind me on Monday to change it")
    assert not noted_of_others("note that I want you to remind me on Monday")
