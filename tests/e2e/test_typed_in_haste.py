"""What is typed in haste is read as it was meant where it only asks: nothing of it is kept."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.fakes.clock import FrozenClock

__all__ = ["encoder"]


@pytest.mark.needs("datetime", "calculator")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("cuantso dias flatan pra navdad", "viernes, 25 de diciembre de 2026: faltan 28 días (4 semanas)."),
        ("wht dya is the 14th of januray", "Thursday, January 14, 2027: 48 days from now (6 weeks and 6 days)."),
        ("how much is 84 dividde by 7, packing candles an my hands r full", "84 / 7 = 12"),
        ("cuanto es 84 divdido 7", "84 / 7 = 12"),
        ("cunato es 48 pro 3 q ando con las mnaos llenas", "48 × 3 = 144"),
    ],
)
async def test_a_question_with_slips_is_answered_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, said: str, told: str
) -> None:
    clock = FrozenClock(datetime(2026, 11, 27, 15, tzinfo=UTC))
    async with small_app(tmp_path, encoder, clock=clock) as (app, llm):
        await app.say(ALICE, said)
        assert app.replies_to(ALICE) == [told]
        assert not llm.requests
