"""The clock of a place that is not known is not made up: what is known is said, and a larger place asked for."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "place", "told", "then", "shown"),
    [
        ("qué hora es en Epecuén?", "Epecuén", "No conozco la hora de Epecuén", "en Argentina", "Argentina: "),
        (
            "qué hora es en Epecuén?",
            "Epecuén",
            "No conozco la hora de Epecuén",
            "Mar del Plata",
            "Mar del Plata: ",
        ),
        ("what time is it in Penzance?", "Penzance", "I don't know the clock of Penzance", "England", "England: "),
        ("what time is it in Lisbom?", "Lisbom", "Did you mean Lisbon?", "Lisbon", "Lisbon: "),
    ],
)
async def test_a_larger_place_is_asked_for_and_its_clock_told(
    tmp_path: Path, encoder: LocalEmbedder, said: str, place: str, told: str, then: str, shown: str
) -> None:
    async with small_app(tmp_path, encoder, call("get_current_datetime", timezone=place)) as (app, llm):
        await app.say(ALICE, said)
        assert told in app.replies_to(ALICE)[-1]
        await app.say(ALICE, then)
        assert app.replies_to(ALICE)[-1].startswith(shown)
        assert len(llm.requests) == 1


async def test_what_is_no_place_after_that_is_left_to_the_model(tmp_path: Path, encoder: LocalEmbedder) -> None:
    lines = call("get_current_datetime", timezone="Epecuén"), "De nada."
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, "qué hora es en Epecuén?")
        await app.say(ALICE, "bueno, gracias igual")
        assert app.replies_to(ALICE)[-1] == "De nada."
        assert len(llm.requests) == 2
