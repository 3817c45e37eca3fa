"""Bare words side by side: told apart where that is sure; else what is named of them goes, and the rest stays."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.placed import read_placed
from app.skills.tools.lists.repository import Item
from app.skills.tools.lists.rows import parted
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("make me a list called term: chemistry drama latin", "chemistry|drama|latin"),
        ("make me a list called desk: rulers folders envelopes", "rulers|folders|envelopes"),
        ("haceme una lista llamada curso: biología geometría plástica", "biología|geometría|plástica"),
        ("haz una lista llamada obra: serrucho nivel escuadra", "serrucho|nivel|escuadra"),
        # What may be one thing stays together.
        ("make me a list called lab: kitchen table lamp", "kitchen table lamp"),
        ("make me a list called fete: garden party invitations", "garden party invitations"),
        ("make me a list called wall: pale blue varnish", "pale blue varnish"),
        ("make me a list called team: Ivan Petra Hugo", "Ivan Petra Hugo"),
        ("haceme una lista llamada taller: banda elástica ancha", "banda elástica ancha"),
        ("haceme una lista llamada casa: reparar techo garaje", "reparar techo garaje"),
    ],
)
def test_bare_words_behind_a_colon_are_things_where_that_is_sure(said: str, items: str) -> None:
    assert [one.items for one in read_placed(said, ())] == [items.split("|")]


@pytest.mark.parametrize(
    ("item", "said", "gone", "left"),
    [
        ("piano cello tuba", "take cello off", "cello", "piano, tuba"),
        ("piano, tuba", "take tuba off", "tuba", "piano"),
        ("Ivan Petra Hugo", "saca a Petra", "Petra", "Ivan, Hugo"),
        ("Juan Carlos Pérez", "saca a Juan", "Juan Carlos Pérez", ""),
        ("Rosa María Quispe", "take Quispe off", "Rosa María Quispe", ""),
        ("pan lactal bimbo", "sacá el pan", "pan lactal bimbo", ""),
        ("chicken noodle soup", "take the soup off", "chicken noodle soup", ""),
        ("coca cola light", "quita la coca", "coca cola light", ""),
        ("piano cello tuba", "take it off", "piano cello tuba", ""),
        ("piano cello tuba", "take the cello one off", "piano cello tuba", ""),
        ("garden party invitations", "take the invitations off", "garden party invitations", ""),
        ("banda elástica ancha", "sacá la banda", "banda elástica ancha", ""),
        ("oat milk", "take the milk off", "oat milk", ""),
        ("piano cello tuba", "take the cello and the tuba off", "cello tuba", "piano"),
        ("old garden gnome", "found the garden gnome, take it off", "old garden gnome", ""),
        ("pizarra magnética grande", "borrá la pizarra magnética", "pizarra magnética grande", ""),
        ("2 tins of white paint", "take the paint off", "2 tins of white paint", ""),
    ],
)
def test_of_several_things_in_one_only_what_is_named_goes(item: str, said: str, gone: str, left: str) -> None:
    named, rest = parted([Item(7, item, is_done=False)], said)
    assert ([one.text for one in named], rest.get(7, "")) == ([gone], left)


async def test_what_was_not_named_stays_on_the_list(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "make me a list called band: piano cello tuba")
        await app.say(ALICE, "take cello off")
        assert await stored(app, "text", "list_items") == ["piano, tuba"]
        await app.say(ALICE, "take tuba off")
        assert await stored(app, "text", "list_items") == ["piano"]
        assert llm.requests == []


@pytest.mark.parametrize(
    ("listed", "said", "left"),
    [
        (
            "make a list for the fair: ropes, mugs and pegs",
            "ah not the mugs, my aunt has a pile of them, take them off",
            ["ropes", "pegs"],
        ),
        (
            "make a list for the fair: ropes, mugs and pegs",
            "oh no, the mugs no, that my uncle brought me a crate, take it off",
            ["ropes", "pegs"],
        ),
        (
            "haz una lista para la feria: sogas, tazas y velas",
            "ah no las tazas no, que mi tía me prestó una caja, quítalas",
            ["sogas", "velas"],
        ),
        ("make a list for the fair: ropes, mugs and pegs", "not the mugs, take the ropes off", ["mugs", "pegs"]),
        (
            "haz una lista para la feria: sogas, tazas y velas",
            "las tazas y las velas no, ya las consiguió mi tía, borra las dos",
            ["sogas"],
        ),
    ],
)
async def test_what_is_denied_and_pointed_to_is_taken_off(
    tmp_path: Path, encoder: LocalEmbedder, listed: str, said: str, left: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, listed)
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == left
