"""What belongs together in a list that is dictated: one's own things, which kind is meant, quotes, brackets."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.near import read_near
from app.skills.tools.lists.placed import read_placed
from app.skills.tools.lists.repository import Item, NamedList
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")


async def put(said: str, tmp_path: Path, encoder: LocalEmbedder) -> str:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, said)
        return "|".join(await stored(app, "text", "list_items"))


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("add string, my reading glasses, and my sunhat to the list", "string|reading glasses|sunhat"),
        ("lista de compras: arroz, mis gotas y jabón", "arroz|mis gotas|jabón"),
        ("shopping list: rice, soap, my cousin is moving in", "rice|soap"),
        ("lista de compras: arroz, mi cuñada viene, jabón", "arroz|jabón"),
        ("add basil (dried if that's all) and rice to the list", "basil (dried if that's all)|rice"),
        ("add rice (my aunt is coming) and soap to the list", "rice|soap"),
        ("add yoghurt, but not the runny one, to the list", "yoghurt, but not the runny one"),
        ("add screws, the long ones, and soap to the list", "screws, the long ones|soap"),
        (
            "lista de compras: pilas, las chicas, jabón, el de coco, y arroz",
            "pilas, las chicas|jabón, el de coco|arroz",
        ),
        ("agregá a la lista arroz, la leche, los huevos", "arroz|leche|huevos"),
        ('add "Up, Down: Sideways" to my books list', "Up, Down: Sideways"),
        ('add "milk, eggs, bread" to the list', "milk|eggs|bread"),
        ("agregá a la lista choclo, no, zapallo", "zapallo"),
        ("add plums, wait no, grapes to the list", "grapes"),
        ("agregá a la lista arroz, no, también fideos", "arroz|fideos"),
        ("agregá a la lista huevos, 18, y jabón", "18 huevos|jabón"),
    ],
)
async def test_what_belongs_together_stays_so(
    said: str, items: str, tmp_path: Path, encoder: LocalEmbedder
) -> None:
    assert await put(said, tmp_path, encoder) == items


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("y en lugar del arroz, polenta", "reword arroz polenta"),
        ("and instead of the soap, shampoo", "reword soap shampoo"),
        ("y en vez de harina, polenta", ""),
        ("y huevos, 12, leche, 3", "add 12 huevos|add 3 leche"),
    ],
)
def test_what_is_said_of_the_list_just_shown(said: str, acts: str) -> None:
    one = NamedList(1, "Super", tuple(Item(n, text, is_done=False) for n, text in enumerate(("arroz", "soap"))))
    found = read_near(said, one, is_last=True)
    each = [(act.deed, act.item.text if act.item else "", act.new) for act in found]
    assert "|".join(" ".join(filter(None, parts)) for parts in each) == acts


@pytest.mark.parametrize(
    "said", ["maybe add a rug to the list, or maybe not", "agregá velas a la lista, capaz que no"]
)
def test_who_does_not_know_at_last_puts_nothing_down(said: str) -> None:
    assert read_placed(said, []) == []


def test_a_bare_word_for_shopping_names_its_list() -> None:
    found = read_placed("agregá limón y sal a compras", [])
    assert [(one.list_name, one.items) for one in found] == [("compras", ["limón", "sal"])]
