"""A wish to be reminded with a reason behind it, or words that add nothing: what is kept is whole."""

from datetime import datetime

import pytest

from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import what_to_say
from app.skills.tools.reminders.several import several, without_reason

NOW = datetime(2026, 11, 27, 9, 0)


@pytest.mark.parametrize(
    ("text", "language", "wish"),
    [
        (
            "remind me every weekday at 3.10 pm to meet Tara, the bus is leaving the square at 3.30",
            "en",
            "remind me every weekday at 3.10 pm to meet Tara",
        ),
        (
            "recordame los martes a las 17:20 llevar a Bruno, el club cierra la cancha a las 18",
            "es",
            "recordame los martes a las 17:20 llevar a Bruno",
        ),
    ],
)
def test_what_is_told_of_a_thing_at_another_time_is_no_part_of_the_wish(
    text: str, language: Language, wish: str
) -> None:
    assert without_reason(text, NOW, language) == wish


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("remind me at 9 am to bring the rake, the spade and the hose", "en"),
        ("recordame a las 9 de la mañana comprar el hilo, la aguja y los botones", "es"),
    ],
)
def test_more_things_of_a_wish_are_no_reason(text: str, language: Language) -> None:
    assert without_reason(text, NOW, language) == text


def test_another_thing_at_another_hour_is_still_a_reminder_of_its_own() -> None:
    found = several("remind me at 9 am to bring the rake and at 4 pm to call the roofer", NOW, "en")

    assert [one.what for one in found] == ["bring the rake", "call the roofer"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind me to ring the depot would ya", "ring the depot"),
        ("recordame pagar el gas, no te olvides", "pagar el gas"),
        ("recordame pagar el gas porfis", "pagar el gas"),
        ("recordame decirle a Pía que no se olvide", "decirle a Pía que no se olvide"),
        ("remind me to tell Pam that we don't forget", "tell Pam that we don't forget"),
        ("remind me to ask Sue what would you like", "ask Sue what would you like"),
    ],
)
def test_words_that_only_ask_are_no_part_of_it(text: str, what: str) -> None:
    assert what_to_say(text, 200) == what
