"""What a message leaves on a list or off it: "all but the figs", "leave the figs, take it off"."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.picking.reading import read_wish
from app.skills.tools.lists.leaving import leaves_there, read_left
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.slipped import plainly_wished
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")
TEXTS = ("kale", "plums", "cocoa", "yuca")
LIST = NamedList(1, "Feria", tuple(Item(number, text, is_done=False) for number, text in enumerate(TEXTS)))


def off(said: str) -> list[str] | None:
    acts = read_left(said, LIST)
    return None if acts is None else [act.item.text for act in acts if act.item is not None]


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("quita todo menos la yuca", ["kale", "plums", "cocoa"]),
        ("ay saca todo excepto kale y yuca porfa", ["plums", "cocoa"]),
        ("deja la yuca y quita lo demás", ["kale", "plums", "cocoa"]),
        ("take everything off but the cocoa", ["kale", "plums", "yuca"]),
        ("remove all but plums and kale pls", ["cocoa", "yuca"]),
        ("drop the other three, keep the yuca", ["kale", "plums", "cocoa"]),
        ("leave the kale, nan grows it, remove it", ["kale"]),
        ("leave the plums na, we have a tree, take them out", ["plums"]),
        ("leave the kale and the cocoa, dad has loads, take them off", ["kale", "cocoa"]),
        ("deja la yuca, mi comadre trae, quítala", ["yuca"]),
        # not clear: it is asked
        ("take both off but leave the kale", []),
        ("keep the kale, nan has cocoa, remove it", []),
        ("leave the kale, aunty is getting the plums, remove it", []),
        ("leave the kale but take it off", []),
        ("deja la yuca, mi comadre trae, quítalos", []),
        ("remove all but the saffron", []),
        ("quita todo menos la yuca y pon arroz", []),
        # nothing of the kind
        ("leave the kale", None),
        ("leave the kale alone and take the plums off", None),
        ("don't take the kale off, take the plums off", None),
        ("take the kale off", None),
        ("we took everything off the shelf but the cocoa", None),
        ("should i take everything off but the cocoa? what do you think", None),
    ],
)
def test_what_is_left_tells_what_comes_off(said: str, gone: list[str] | None) -> None:
    assert off(said) == gone


@pytest.mark.parametrize("said", ["leave the kale on there", "deja la yuca ahí nomás", "leave the plums alone"])
def test_what_is_left_where_it_is_comes_off_by_no_word(said: str) -> None:
    assert leaves_there(said)


def test_an_exception_is_never_what_comes_off() -> None:
    wish = read_wish("borra todo menos la yuca")
    assert wish is not None
    assert (wish.targets, wish.kept, wish.is_all) == ((), ("la yuca",), True)


@pytest.mark.parametrize(
    ("said", "kept", "told"),
    [
        ("quita todo menos la yuca", ["yuca"], "Quité: kale, plums"),
        ("leave the kale, nan grows it, remove it", ["plums", "yuca"], "Removed: kale"),
        ("nan doesn't want the kale, remove it from the list please", ["plums", "yuca"], "Removed: kale"),
        ("no, kale no, stevia", ["plums", "stevia", "yuca"], "kale"),
        ("keep the kale, nan has plums, remove it", ["kale", "plums", "yuca"], "Which of these do you mean?"),
    ],
)
async def test_what_is_left_by_message(
    tmp_path: Path, encoder: LocalEmbedder, said: str, kept: list[str], told: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, "put kale, plums and yuca on the list")
        await app.say(ALICE, said)
        assert told in app.replies_to(ALICE)[-1]
        assert sorted(await stored(app, "text", "list_items")) == kept


async def test_a_list_that_loses_and_gains_a_thing_is_shown_once(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, "put kale, plums and yuca on the list")
        await app.say(ALICE, "take off the plums and add cocoa")
        told = app.replies_to(ALICE)[-1]
        assert told.count("yuca") == 1
        assert "cocoa" in told


@pytest.mark.parametrize(
    ("said", "things"),
    [
        ("podés anotar yerba en la lista", ["yerba"]),
        ("me podrías agregar cloro a la lista? gracias", ["cloro"]),
        ("would you mind popping tin foil on the shopping list", ["tin foil"]),
        ("any chance you could stick cocoa on the list", ["cocoa"]),
        ("put bell peppers on the list", ["bell peppers"]),
        ("pon harina maíz en la lista", ["harina maíz"]),
        ("pon en la lista yuca y yerba po", ["yerba", "yuca"]),
        ("put cocoa and kale on the list. sorry for typos im on a horse", ["cocoa", "kale"]),
    ],
)
async def test_only_the_things_come_on_the_list(
    tmp_path: Path, encoder: LocalEmbedder, said: str, things: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, said)
        assert sorted(await stored(app, "text", "list_items")) == things


@pytest.mark.parametrize(
    "said", ["no podés poner eso en la lista", "mi tía dice que podés anotar gas en la lista", "puedes venir?"]
)
def test_what_others_say_and_what_cannot_be_is_no_wish(said: str) -> None:
    assert plainly_wished(said) == said
