"""What is named takes the place of a slip, one more thing goes on it, and what articles part comes off."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.placed import read_placed
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")
TOOLS = "add hooks, wire and chalk to the shopping list"
VERDURAS = "anotá acelga, zapallo y choclo en la lista de compras"


@pytest.mark.parametrize(
    ("first", "said", "items"),
    [
        (VERDURAS, "uy no, choclo no, cambialo por arvejas", ["acelga", "zapallo", "arvejas"]),
        (VERDURAS, "no perdón, el zapallo no, calabaza quise decir, cambialo", ["acelga", "calabaza", "choclo"]),
        (VERDURAS, "el choclo no, mejor cámbialo por papa porfa", ["acelga", "zapallo", "papa"]),
        (VERDURAS, "puse choclo pero quería decir batata", ["acelga", "zapallo", "batata"]),
        (TOOLS, "oh no, not the chalk, swap it for crayons", ["hooks", "wire", "crayons"]),
        (TOOLS, "nah chalk no, change it to crayons ta", ["hooks", "wire", "crayons"]),
        (TOOLS, "I said wire but I meant string", ["hooks", "string", "chalk"]),
        (TOOLS, "ugh not the glue, make it putty", ["hooks", "wire", "chalk"]),
        (TOOLS, "take the hooks the wire and the chalk off again", []),
        (TOOLS, "remove the hooks the wire and the chalk we've got them", []),
        (VERDURAS, "sacá la acelga el zapallo y el choclo", []),
        (VERDURAS, "quita la acelga el choclo porfa", ["zapallo"]),
    ],
)
async def test_only_what_is_named_is_changed_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str, items: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, first)
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == items
        assert llm.requests == []


@pytest.mark.parametrize(
    "said",
    [
        "not bad, make it a habit",
        "no problem, i meant to call",
        "mum said not the chalk, make it paint, but I like chalk",
        "ayer dije chalk pero quise decir tiza, qué risa",
        "not the wire? make it string?",
        "uy no eso no, cambialo por otra cosa",
    ],
)
async def test_what_only_sounds_so_changes_nothing(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 4) as (app, _):
        await app.say(ALICE, TOOLS)
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == ["hooks", "wire", "chalk"]


@pytest.mark.parametrize("arguments", [{"new": "string"}, {"new": "string", "old": "hooks"}])
async def test_a_model_that_takes_another_thing_than_is_named_changes_nothing(
    tmp_path: Path, encoder: LocalEmbedder, arguments: dict[str, str]
) -> None:
    wrong = json.dumps({"correct_item": arguments})
    async with small_app(tmp_path, encoder, wrong, *["Which one?"] * 4) as (app, _):
        await app.say(ALICE, TOOLS)
        await app.say(ALICE, "not the wire? make it string?")
        assert await stored(app, "text", "list_items") == ["hooks", "wire", "chalk"]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (
            "put mugs, trays and foil on the picnic list will you, oh and straws",
            ["mugs", "trays", "foil", "straws"],
        ),
        ("add pears and figs to the list please, and dates too", ["pears", "figs", "dates"]),
        ("poné peras y uvas en la lista porfa, ah y dulce de membrillo", ["peras", "uvas", "dulce de membrillo"]),
        ("poné peras y uvas en la lista del súper por favor, ah y ajo", ["peras", "uvas", "ajo"]),
        ("poné peras y uvas en la lista porfa, ah y mañana viene Marta", ["peras", "uvas"]),
        ("add pears and figs to the list please, oh and tell me a joke", None),
        ("add pears and figs to the list please, oh and the dentist on friday", None),
        ("add pears and figs to the list please, oh and how are you today?", None),
    ],
)
def test_one_more_thing_behind_a_tag_goes_on_the_list(text: str, items: list[str] | None) -> None:
    assert [one.items for one in read_placed(text, [])] == [items]
