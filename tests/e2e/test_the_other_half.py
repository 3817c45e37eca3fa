"""Two things that were told in one message: after a question for one, a word asks for the other."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.quoting import half_of_other
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]
KEYS = "el candado de la bici verde abre con 5120 y el de la bici roja lo sabe Fermín"
VETS = "keep this safe: Tom's vet is dr Lund, he is on drops. Ivy's vet is dr Marsh"


@pytest.mark.parametrize(
    ("text", "before", "half"),
    [
        ("y el otro?", "con qué abre el de la verde?", "el de la bici roja lo sabe Fermín"),
        ("y el de la roja", "con qué abre el de la verde?", "el de la bici roja lo sabe Fermín"),
        ("y el de la verde?", "quién sabe el de la roja?", "el candado de la bici verde abre con 5120"),
        ("and the other one?", "who is Ivy's vet?", "Tom's vet is dr Lund, he is on drops"),
        ("and ivy's?", "who is Tom's vet again", "Ivy's vet is dr Marsh"),
        ("what about Ivy", "who's toms vet", "Ivy's vet is dr Marsh"),
        # Neither half, no question for one of them, or more than a few words.
        ("y el de la azul?", "con qué abre el de la verde?", None),
        ("y el otro?", "qué hora es?", None),
        ("y mañana?", "con qué abre el de la verde?", None),
        ("and then we went to see the other one with my dad", "who is Ivy's vet?", None),
    ],
)
def test_a_word_names_the_other_half(text: str, before: str, half: str | None) -> None:
    assert half_of_other(text, before, [KEYS, VETS]) == half


def test_of_three_none_is_the_other() -> None:
    told = "la soga mide 3, y la cinta mide 4, y la manguera mide 9"
    assert half_of_other("y la otra?", "cuánto mide la soga?", [told]) is None
    assert half_of_other("y la manguera?", "cuánto mide la soga?", [told]) == "la manguera mide 9"


@pytest.mark.needs("memory")
async def test_the_other_half_is_told_without_the_model(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "It is Lund.", "It is Lund.") as (app, llm):
        await app.say(ALICE, VETS)
        await app.say(ALICE, "ok im at the counter who is toms vet")
        asked = len(llm.requests)
        await app.say(ALICE, "and ivy's")
        assert len(llm.requests) == asked
        assert "Marsh" in app.replies_to(ALICE)[-1]
        assert "Lund" not in app.replies_to(ALICE)[-1]
