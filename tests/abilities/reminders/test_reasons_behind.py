"""A wish to be reminded with a reason behind it, or words that add nothing: what is kept is whole."""

from datetime import datetime

import pytest

from app.language.catalogue import Language
from app.skills.tools.reminders.antecedents import Pointing, read_after_span, read_pointing
from app.skills.tools.reminders.lexicon import what_to_say
from app.skills.tools.reminders.several import several, without_reason
from app.when.meanings import Point

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


@pytest.mark.parametrize(
    ("text", "language", "what"),
    [
        ("avisame en 2 horas de cerrar el portón que mañana es fiesta", "es", "cerrar el portón"),
        ("avísame en 2 horas que riegue y después se me secan", "es", "riegue"),
        ("tell me in 2 hours to feed the hens that i'm out till tonight", "en", "feed the hens"),
        ("remind me in 2 hours to book a court for tomorrow", "en", "book a court for tomorrow"),
        ("avisame en 2 horas de decirle a Leo que mañana no voy", "es", "decirle a Leo que mañana no voy"),
    ],
)
def test_a_length_of_time_right_behind_the_asking_holds(text: str, language: Language, what: str) -> None:
    assert read_after_span(text, NOW, language) == Pointing(what, Point(datetime(2026, 11, 27, 11, 0)))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("remind me in 2 days at 9 to call the vet", "en"),
        ("mi tía dijo avisame en 2 horas de salir que mañana es fiesta", "es"),
        ("avisame en 2 horas de salir y agrega pan para mañana", "es"),
        ("tell me in 2 hours to go out and in 3 hours to come back", "en"),
        ("tell me in 2 hours or tomorrow", "en"),
        ("me avisas en 2 horas de salir o mañana?", "es"),
    ],
)
def test_what_has_another_wish_or_time_is_left_to_others(text: str, language: Language) -> None:
    assert read_after_span(text, NOW, language) is None


def test_a_pronoun_is_told_without_the_reason_behind_it() -> None:
    said = "acabo de meter el budín al horno, avisame en 30 minutos que lo saque, que la otra vez se me pasó"
    found = read_pointing(said, NOW, "es")

    assert found is not None
    assert found.what == "lo saque: acabo de meter el budín al horno"


@pytest.mark.parametrize(
    ("said", "language"),
    [("fine, remind me at 5 to ring him", "en"), ("genial, avisame a las 5 que lo llame", "es")],
)
def test_a_word_that_only_answers_is_no_story_of_a_pronoun(said: str, language: Language) -> None:
    assert read_pointing(said, NOW, language) is None
