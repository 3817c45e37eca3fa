"""A wish to be told a thing after a span of time, "in 40 minutes tell me to …", with a story before it or not; and
reasons that are left out whole, whatever names are in them."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.language.catalogue import Language
from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.reminders.antecedents import Pointing, read_pointing
from app.skills.tools.reminders.titles import titled, what_is_meant
from app.when.meanings import Point
from app.when.reading import read_wish
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]

NOW = datetime(2026, 11, 27, 9, 0)


@pytest.mark.parametrize(
    ("text", "language", "minutes", "what"),
    [
        ("left the primer drying and I'm bound to forget, in 40 minutes tell me to sand it", "en", 40, "sand it"),
        ("got a pot of jam on the go, tell me in 15 minutes to stir the pan", "en", 15, "stir the pan"),
        ("in 30 minutes tell me to ring the plumber", "en", 30, "ring the plumber"),
        (
            "I've left the sprinkler going n I'm a goldfish, in 20 mins remind me to shut the tap",
            "en",
            20,
            "shut the tap",
        ),
        ("dejé la cola secando y me cuelgo, en 40 minutos decime que lije la silla", "es", 40, "lije la silla"),
        (
            "puse los porotos a remojar y después se me pasa, en 2 horas me dices que cambie el agua",
            "es",
            120,
            "cambie el agua",
        ),
        ("dime en 15 minutos que le baje al fuego porque si no se me pega", "es", 15, "le baje al fuego"),
        (
            "tengo mil cosas hoy, recordame en 25 minutos correr el auto porque si no el portero Cacho me mata",
            "es",
            25,
            "correr el auto",
        ),
        (
            "dejé la llave abierta en el patio y soy despistado en 20 minutos avisas que cierre la llave",
            "es",
            20,
            "cierre la llave",
        ),
    ],
)
def test_the_thing_is_kept_and_the_story_left(text: str, language: Language, minutes: int, what: str) -> None:
    found = read_pointing(text, NOW, language)
    assert found is not None
    assert found.when == Point(NOW + timedelta(minutes=minutes))
    assert found.what.partition(":")[0] == what


@pytest.mark.parametrize(
    ("text", "language", "what"),
    [
        ("meti el budin al horno q me avises en media hora q lo saque", "es", "lo saque: meti el budin al horno"),
        ("metí el budín al horno y avísame en media hora que lo saque", "es", "lo saque: metí el budín al horno"),
        (
            "I've put a crumble in the oven, tell me in half an hour to take it out",
            "en",
            "take it out: I've put a crumble in the oven",
        ),
        (
            "there's a crumble in and I'm watching the snooker so tell me in half an hour to check it",
            "en",
            "check it: there's a crumble in and I'm watching the snooker",
        ),
    ],
)
def test_what_a_pronoun_points_to_is_kept_with_it(text: str, language: Language, what: str) -> None:
    assert read_pointing(text, NOW, language) == Pointing(what, Point(NOW + timedelta(minutes=30)))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("en media hora dime qué hora es", "es"),
        ("en media hora dime que hora es", "es"),
        ("en 2 horas dime que cenar", "es"),
        ("en 20 minutos me dices que onda", "es"),
        ("mi jefe dijo que en 10 minutos me dices que salga", "es"),
        ("siempre en 5 minutos me dices que vas para allá", "es"),
        ("no me digas en 10 minutos que apague la luz", "es"),
        ("anotá que el horno pierde y en 10 minutos decime que apague la luz", "es"),
        ("she said in 20 minutes tell me to get dressed", "en"),
        ("don't tell me in 10 minutes to check the glue", "en"),
        ("in an hour tell me a joke", "en"),
        ("in an hour tell me to leave and add milk to the list", "en"),
        ("in an hour tell me to leave and at 6 to eat", "en"),
        ("buy stamps, in an hour tell me to check the post", "en"),
        ("in an hour will you tell me to leave?", "en"),
    ],
)
def test_what_others_say_what_is_asked_and_what_is_denied_is_no_such_wish(text: str, language: Language) -> None:
    assert read_pointing(text, NOW, language) is None


async def test_a_thing_to_be_told_is_stored_without_the_model(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "left the varnish drying and I'll forget, in 40 minutes tell me to turn the shelf")
        await app.say(ALICE, "dejé el barniz secando y me olvido, en 50 minutos dime que voltee la repisa")
        assert await stored(app, "text", "reminders") == ["turn the shelf", "voltee la repisa"]
        assert llm.requests == []


@pytest.mark.parametrize(
    ("called", "said", "language", "what"),
    [
        (
            "llevar las macetas porque si no la tía Nelba",
            "recordame mañana en la tardecita llevar las macetas",
            "es",
            "llevar las macetas",
        ),
        (
            "pagar el club o si no el tesorero",
            "recordame mañana en la tardecita pagar el club",
            "es",
            "pagar el club",
        ),
        (
            "return the drill or else the neighbour Pam will moan",
            "remind me in the morning to return the drill",
            "en",
            "return the drill",
        ),
        (
            "return the drill because the neighbour",
            "remind me in the morning to return the drill",
            "en",
            "return the drill",
        ),
    ],
)
def test_a_reason_is_left_out_whole(called: str, said: str, language: Language, what: str) -> None:
    found = read_wish(said, NOW, language).when
    assert titled(what_is_meant(called, said, found, NOW, language), said, NOW, language) == what
