"""What somebody tells to have got, wherever that was, is checked off the list on which it stands."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.picking.reading import read_wish
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_picking import open_items

__all__ = ["encoder"]
LIST = "bisagras, cola vinílica, pincel angosto, sandbags y rope, a la lista del taller"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("las bisagras ya las conseguí por internet", ["cola vinílica", "pincel angosto", "sandbags", "rope"]),
        ("la cola vinílica la encontré en un cajón", ["bisagras", "pincel angosto", "sandbags", "rope"]),
        ("el pincel ya lo saqué de lo de mi primo", ["bisagras", "cola vinílica", "sandbags", "rope"]),
        ("got the sandbags elsewhere", ["bisagras", "cola vinílica", "pincel angosto", "rope"]),
        ("picked the rope up somewhere else already", ["bisagras", "cola vinílica", "pincel angosto", "sandbags"]),
    ],
)
async def test_where_it_was_got_is_no_part_of_the_thing(
    tmp_path: Path, encoder: LocalEmbedder, said: str, left: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, LIST)
        await app.say(ALICE, said)
        assert llm.requests == []
        assert await open_items(app) == left


@pytest.mark.parametrize("said", ["la fiesta la pasamos en casa", "me la compré yo", "todavía no las conseguí"])
def test_what_names_no_thing_that_was_got_picks_none(said: str) -> None:
    wish = read_wish(said)
    assert wish is None or not wish.targets
