"""A sum of a small model has the person's numbers, or is not done."""

from pathlib import Path

import pytest

from app.domain.turn import Said
from app.language.catalogue import say
from app.llm.local_embedder import LocalEmbedder
from app.skills.numbers_said import has_strange_number
from app.skills.texts import SKILLS
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]

FENCE = "the fence takes 26 posts and each of them is 3 and a half feet"


@pytest.mark.parametrize(
    ("expression", "said", "before", "is_strange"),
    [
        ("26*3.5", FENCE, "", False),
        ("26*3.5*18.90", "and at 18,90 a foot?", FENCE, False),
        ("11*18.90", "and at 18,90 a foot?", FENCE, True),
        ("84000*0.79", "quedan 84 mil menos el 21%", "", False),
        ("12*6/2", "una docena y media de seis", "", False),
        ("2350*8%", "el ocho por ciento de dos mil trescientos cincuenta", "", False),
        ("450/13", "fuimos siete y pagamos 450", "", True),
        ("80 * 80", "cuántos metros nadé si cada pileta es de 80", "hice 15 piletas", True),
        ("80 * 80", "la pileta mide 80 por lado, cuánta superficie es", "", False),
        ("80 * 80", "80 by 80, how much is that", "", False),
        ("755+90", "salgo 7:55 y tardo 90", "", True),
        ("38/1.5", "uy no, ya va en 38", "Lo recordaré (1): calza 36", True),
        ("4.2 * 36 / 36", "I have 4.2 kilos of rice for 36 plates, how many grams each", "", True),
        ("36 / 36", "divide 36 by 36", "", False),
        ("80 - 80 + 5", "80 gone out of the till, 5 back in", "", True),
    ],
)
def test_a_number_of_a_sum_was_said_or_is_made_of_one(
    expression: str, said: str, before: str, is_strange: bool
) -> None:
    assert has_strange_number(expression, Said((said,), (before,))) is is_strange


async def test_a_sum_with_a_number_of_its_examples_is_asked_about(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, '{"calculate": {"expression": "11*3.40"}}') as (app, _):
        await app.say(ALICE, "cuánto sale todo si los cordones de la soga los cobran 95 cada uno al final")
        assert app.replies_to(ALICE)[-1] == say(SKILLS.unsaid_sum, "es")
