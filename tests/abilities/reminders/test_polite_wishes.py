"""Polite questions that wish for a reminder, and wishes whose thing is a pronoun, all without a model."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.reminders.antecedents import read_pointing
from app.skills.tools.reminders.asking import as_wish
from tests.abilities.reminders.test_reminders import NOW, rows
from tests.builders import ALICE
from tests.e2e.small import open_encoder, small_app
from tests.fakes.clock import FrozenClock
from tests.harness import AppUnderTest

LOCAL: Final = datetime(2026, 11, 18, 10, 30)


@pytest.fixture(scope="module")
def encoder() -> LocalEmbedder:
    return open_encoder()


@pytest.fixture
async def app(tmp_path: Path, encoder: LocalEmbedder) -> AsyncIterator[AppUnderTest]:
    async with small_app(tmp_path, encoder, clock=FrozenClock(NOW)) as (running, llm):
        yield running
        assert llm.requests == []


@pytest.mark.parametrize(
    ("said", "text", "due"),
    [
        (
            "me recordás mañana a las 9 devolver la escalera? que siempre me olvido",
            "devolver la escalera",
            "19T09:00",
        ),
        ("¿Me podrías recordar el viernes a las 15 que tengo que podar?", "podar", "20T15:00"),
        ("disculpe, sería tan amable de avisarme a las 18 lo del gato", "gato", "18T18:00"),
        ("oye me recuerdas mañana a las 8:30 mandar el acta porfa", "mandar el acta", "19T08:30"),
        ("hey can u remind me tomorrow at 9:15 to feed the fish? i never do", "feed the fish", "19T09:15"),
        ("would you mind reminding me on friday at 3pm to call the vet", "call the vet", "20T15:00"),
        ("could you remind me at 8pm to water the fern? he gets dry", "water the fern", "18T20:00"),
        ("any chance you could give me a shout at 18:20 about the roast", "the roast", "18T18:20"),
    ],
)
async def test_a_polite_question_is_a_wish(app: AppUnderTest, said: str, text: str, due: str) -> None:
    await app.say(ALICE, said)

    [(kept, when, rule)] = rows(app)
    assert kept.endswith(text)
    assert (when, rule) == (f"2026-11-{due}:00", "")


@pytest.mark.parametrize(
    "said",
    [
        "did you remind me yesterday at 9 to pay the gas?",
        "why did you remind me at 8pm to feed the cat?",
        "could my sister remind me at 8pm to feed the cat?",
        "quién me recuerda mañana a las 9 pagar la luz?",
        "¿me recordaste ayer a las 9 lo de la farmacia?",
        "no me recuerdes mañana a las 9 lo del banco",
        "they asked, can you remind me tomorrow at 9 to sign? i said no",
    ],
)
async def test_what_only_sounds_like_one_sets_nothing(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    async with small_app(tmp_path, encoder, "No lo sé.", "No lo sé.") as (app, _):
        await app.say(ALICE, said)

        assert rows(app) == []


@pytest.mark.parametrize(
    "said",
    [
        "recordame mañana a las 9 regar",
        "me recordás mañana a las 9 regar? y decime qué tiempo hace",
        "could you remind me at 8pm to feed the cat? add milk to the list",
        "could you remind me at 8pm to feed the cat? see you at 9",
        "he said could you remind me at 8pm to feed the cat?",
    ],
)
def test_no_words_are_taken_from_other_texts(said: str) -> None:
    assert as_wish(said, LOCAL, "es") == said


async def test_a_question_for_the_one_that_is_set_sets_no_other(app: AppUnderTest) -> None:
    await app.say(ALICE, "remind me on friday at 9 to pay the milkman")
    await app.say(ALICE, "will you remind me on friday at 9 to pay the milkman?")

    assert rows(app) == [("pay the milkman", "2026-11-20T09:00:00", "")]
    assert "pay the milkman" in app.replies_to(ALICE)[-1]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "the shop floor is packed and theres a curry on the hob, in 40 minutes tell me to take it off",
            "take it off: theres a curry on the hob",
        ),
        (
            "left the hose running, the phone wont stop, so in half an hour remind me to turn it off",
            "turn it off: left the hose running, the phone wont stop",
        ),
        (
            "la sala está llena y tengo unas papas hirviendo, en 15 minutos avisame que las apague",
            "las apague: tengo unas papas hirviendo",
        ),
        (
            "dejé el portón abierto en lo de Rita, en una hora recuérdame cerrarlo",
            "cerrarlo: dejé el portón abierto en lo de Rita",
        ),
        (
            "prendí el horno y llegó mi tía. recordame en 20 minutos apagarlo",
            "apagarlo: prendí el horno y llegó mi tía",
        ),
    ],
)
async def test_a_pronoun_is_kept_with_what_it_stands_for(app: AppUnderTest, said: str, kept: str) -> None:
    await app.say(ALICE, said)

    assert [text for text, _, _ in rows(app)] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "mi hermana puso un flan y me dijo, en 20 minutos avisame que lo saque",
        "if there's a pie in the oven, in 20 minutes remind me to take it out",
        "buy milk, in 20 minutes remind me to check the oven",
        "recordame en 20 minutos la charla",
        "tengo visitas, recordame a las 20 la charla",
        "put milk on the list, in 20 minutes remind me to drink it",
        "there's a pie in the oven, will you in 20 minutes remind me to take it out?",
        "there's a pie on, in 20 minutes remind me to take it out, and tell Ann",
        "perfect, and remind me tomorrow at 4 pm to ice it",
    ],
)
def test_what_is_no_story_with_a_pronoun_is_left_as_it_is(said: str) -> None:
    assert read_pointing(said, LOCAL, "en") is None
