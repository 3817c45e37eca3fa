"""What a question names is shown, not what was kept last; and an undo gives its reason by name."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import open_encoder, small_app


@pytest.fixture(scope="module")
def encoder() -> LocalEmbedder:
    return open_encoder()


@pytest.mark.needs("notes", "lists")
@pytest.mark.parametrize(
    ("talk", "told", "other"),
    [
        (
            ["nota: el medidor es el 55-201-K", "nota: la factura vence el 12", "cuál era el medidor?"],
            "55-201-K",
            "factura",
        ),
        (
            [
                "new list called attic: tarp, staples",
                "add soap and rice to the shopping list",
                "read me the attic one",
            ],
            "tarp",
            "soap",
        ),
    ],
)
async def test_what_is_named_is_shown(
    tmp_path: Path, encoder: LocalEmbedder, talk: list[str], told: str, other: str
) -> None:
    async with small_app(tmp_path, encoder, *["no idea"] * 3) as (app, _):
        for message in talk:
            await app.say(ALICE, message)
        assert told in app.replies_to(ALICE)[-1]
        assert other not in app.replies_to(ALICE)[-1]


@pytest.mark.needs("lists", "undo")
@pytest.mark.parametrize(
    "said", ["nah undo that, Fergus has loads", "oh wait undo that, they've just brought some"]
)
async def test_the_reason_of_an_undo_may_begin_with_a_name(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder, *["no idea"] * 3) as (app, _):
        await app.say(ALICE, "add soap and rice to the shopping list")
        await app.say(ALICE, said)
        assert "soap, rice" in app.replies_to(ALICE)[-1]
        await app.say(ALICE, "what's on the shopping list?")
        assert "☐" not in app.replies_to(ALICE)[-1]
