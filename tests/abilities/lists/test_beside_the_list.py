"""What is said right after a list was shown: politely, with a question behind it, or with what tells which one."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.near import read_near
from app.skills.tools.lists.repository import Item, NamedList
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")
TEXTS = ("yerba", "pan", "lamparitas", "milk", "sponges")
LIST = NamedList(1, "Casa", tuple(Item(number, text, is_done=False) for number, text in enumerate(TEXTS)))


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        # a question behind it, which only asks what the list answers
        ("y lavandina. las lamparitas ya estaban, cierto?", "add lavandina"),
        ("and bleach! are the sponges on there already?", "add bleach"),
        ("and bleach. do sponges get mouldy?", ""),
        # a request that only looks like a question
        ("me agregás también miel porfa?", "add miel"),
        ("could you pop honey on there?", "add honey"),
        ("would you take the sponges off?", "remove sponges"),
        ("could you eat the milk?", ""),
        # which one
        ("y jabón, del barato", "add jabón"),
        ("y jabones, los de coco", "add jabones, los de coco"),
        ("and 3 kg of potatoes, washed ones", "add 3 kg of potatoes, washed ones"),
        ("y un melón, que sea maduro", "add melón, que sea maduro"),
        ("y jabones, el queso", "add jabones, add queso"),
        ("el pan que sea integral", "reword pan > pan integral"),
        ("make it oat milk", "reword milk > oat milk"),
        ("uy eran 2 panes", "reword pan > 2 panes"),
        ("y sumale cebollas, 3 ristras", "add cebollas, 3 ristras"),
        ("and celery, 2 heads", "add celery, 2 heads"),
        # changed one's mind
        ("ya hay yerba, sacala. mejor poné mate cocido", "remove yerba, add mate cocido"),
        ("mejor me acuesto", ""),
        # without
        ("mejor sin lamparitas, hay en el taller", "remove lamparitas"),
        ("actually no sponges, found a pack", "remove sponges"),
        ("no milk this week", "remove milk"),
        ("no hay pan", ""),
        ("sin pan no se puede vivir", ""),
        # what lacks, and then the wish for it
        ("no tengo miel, sumala", "add miel"),
        ("ya hay pan así que sacalo", "remove pan"),
        ("since my cousins are coming add honey", "add honey"),
        ("got the milk, still need the rest", "done milk"),
        ("y para el lunes", ""),
    ],
)
def test_what_is_said_beside_a_list_is_done_and_no_word_of_it_is_lost(said: str, acts: str) -> None:
    told = [
        (act.deed, "" if act.item is None else f"{act.item.text} ", act)
        for act in read_near(said, LIST, is_last=True)
    ]
    found = [f"{deed} {old}{'> ' if old and act.new else ''}{act.new}".strip() for deed, old, act in told]
    assert ", ".join(found) == acts


@pytest.mark.parametrize(
    ("said", "asked", "item"),
    [
        ("mi cuñada dice q fósforos también", "fósforos también", "fósforos"),
        ("my uncle reckons a crate as well", "a crate as well", "crate"),
    ],
)
async def test_what_somebody_else_wants_is_put_without_them(
    tmp_path: Path, encoder: LocalEmbedder, said: str, asked: str, item: str
) -> None:
    async with small_app(tmp_path, encoder, item) as (app, llm):
        await app.say(ALICE, "lista de la casa: yerba, lamparitas")
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == ["yerba", "lamparitas", item]
        assert llm.requests[-1].messages[-1].content == asked


async def test_a_question_behind_a_thing_puts_only_that_on_the_list(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "lista de la casa: yerba, lamparitas")
        await app.say(ALICE, "y jabón. las lamparitas ya estaban, no?")
        assert await stored(app, "text", "list_items") == ["yerba", "lamparitas", "jabón"]
        assert llm.requests == []
