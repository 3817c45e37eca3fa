"""What is said of the items of a list that was just used, lists by their names, and two acts in one message."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.counting import asked_what_is_in
from app.skills.tools.lists.item_acts import ItemAct
from app.skills.tools.lists.near import read_near
from app.skills.tools.lists.placed import Placed, read_placed
from app.skills.tools.lists.repository import Item, NamedList
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")
TEXTS = (
    "6 huevos",
    "pan casero",
    "harina",
    "2 litros de leche",
    "pañales talla 4",
    "miel",
    "bin bags",
    "ham",
    "ice",
)
LIST = NamedList(1, "Super", tuple(Item(number, text, is_done=False) for number, text in enumerate(TEXTS)))


def read(said: str) -> list[str]:
    return [_in_words(act) for act in read_near(said, LIST)]


def _in_words(act: ItemAct) -> str:
    old = "" if act.item is None else act.item.text
    return " ".join(filter(None, (act.deed, old, act.new and f"> {act.new}")))


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        # off, with a reason that names no item
        ("uy no, la harina no que quedaba un paquete atrás de la heladera", "remove harina"),
        ("oiga quite la miel, me regaló mi comadre", "remove miel"),
        ("take the ham off my mam is bringing some", "remove ham"),
        ("dont need the bin bags anymore, found a roll under the sink", "remove bin bags"),
        ("forget the ice, the neighbour has a freezer full", "remove ice"),
        ("el pan casero ya no hace falta, lo hace mi tía", "remove pan casero"),
        ("la miel ya la trajo mi suegra, sacala porfa", "remove miel"),
        ("saca la harina y la miel, hay en el carro", "remove harina, remove miel"),
        ("sacá la harnia porfa", "remove harina"),
        # off, and another in its place
        ("the ham no, my uncle has some, better a chorizo", "remove ham, add > chorizo"),
        ("saca la miel que sobró del lunes, mejor quinoa", "remove miel, add > quinoa"),
        ("la miel no que me cae mal, en su lugar stevia", "remove miel, add > stevia"),
        ("lose the ham cause bob has some so better pastrami", "remove ham, add > pastrami"),
        # the verb behind the thing; two acts
        ("y la harina sacala que trajo mi tía", "remove harina"),
        ("the ice take it off we're using the freezer", "remove ice"),
        ("tick the ham, and take the ice off", "done ham, remove ice"),
        ("take the ham off and the ice too", "remove ham, remove ice"),
        # another kind of it
        ("cambia la harina, mejor integral que la otra no rinde", "reword harina > harina integral"),
        ("cambia la miel, mejor azúcar", "reword miel > azúcar"),
        ("la harina mejor que sea integral, es pa las tortas", "reword harina > harina integral"),
        ("no pará la miel mejor que sea sin azúcar", "reword miel > miel sin azúcar"),
        ("no wait, the bin bags better be black, its for the shed", "reword bin bags > black bin bags"),
        ("make sure the ham is smoked, gran hates the other", "reword ham > smoked ham"),
        ("la leche tiene q ser descremada", "reword 2 litros de leche > 2 litros de leche descremada"),
        ("oh no take the ham off, my sister gives us hers", "remove ham"),
        # got
        ("ya tengo la harina, estaba en la alacena", "done harina"),
        ("got the ham and the ice", "done ham, done ice"),
        # how much, and what kind
        ("no pará, que los huevos sean 30 que vienen los primos", "reword 6 huevos > 30 huevos"),
        ("mejor 12 huevos", "reword 6 huevos > 12 huevos"),
        ("no esperá, los huevos son 24 que viene toda la familia", "reword 6 huevos > 24 huevos"),
        ("la leche que sean 3 litros", "reword 2 litros de leche > 3 litros de leche"),
        ("mejor los pañales talla 5 que ya le aprietan", "reword pañales talla 4 > pañales talla 5"),
        ("la leche mejor deslactosada", "reword 2 litros de leche > 2 litros de leche deslactosada"),
        ("make the ice 2 bags", "reword ice > ice (2 bags)"),
        # another in its place
        ("take the ham off, put turkey on instead", "reword ham > turkey"),
        ("no ham this year, stick a turkey on instead", "reword ham > turkey"),
        ("en vez de miel pon azúcar", "reword miel > azúcar"),
        ("swap the ham for lentils, Ava is veggie now", "reword ham > lentils"),
        # several clauses
        ("quita la miel y agrega avena, y la harina que sean dos paquetes", "remove miel, add > avena"),
    ],
)
def test_a_message_about_an_item_says_what_becomes_of_it(said: str, acts: str) -> None:
    assert ", ".join(read(said)).startswith(acts)


@pytest.mark.parametrize(
    "said",
    [
        "the ham better be there when I get home lol",
        "the honey needs to be ready by 5",
        "el pan casero que sea para el sabado",
        "cambia la miel, mejor así",
        "mi tía cambia la harina cada mes, mejor así",
        "swap the honey, it is awful",
        "el pan casero de mi tía es riquísimo",
        "no saques la harina eh, dejala",
        "dont take the ham off, we need it",
        "mi hija no toma leche",
        "la miel de mi abuela es mejor",
        "the ham from that farm is better",
        "el pan casero lo saca mi tío del horno",
        "la miel no me gusta",
        "qué hago con la harina?",
        "the ham was lovely this morning",
        "mejor me voy a dormir",
        "si mi hermana trae miel te aviso",
        "take it easy",
        "no hay leche",
        "recordame mañana comprar la miel y sacá el pan casero",
    ],
)
def test_talk_of_an_item_changes_nothing(said: str) -> None:
    assert read(said) == []


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Morning. New list called market day: 10 eggs, 5 jars", "market day=10 eggs|5 jars"),
        ("shopping list pls: bin bags, washing up liquid, a get well card", "shopping=*"),
        ("en la lista del super pon arroz, y hazme otra que se llame fiesta con globos y velas", "super|fiesta"),
        ("make a list called beach with sunscreen and towels, and put ice on the shopping list", "beach|shopping"),
        ("agregá pan a la lista del super y velas a la lista de la fiesta", "super=pan;fiesta=velas"),
        ("a la lista de la compra: potitos de pera, pera y yerba mate", "compra=potitos de pera|pera|yerba mate"),
        ("agrgea a la lsita del super lehce, azucra", "super=lehce|azucra"),
        ("lista ferretería: silicona para baño, todo uso", "ferretería=silicona para baño|todo uso"),
    ],
)
def test_lists_are_called_by_name_and_nothing_dictated_is_lost(said: str, found: str) -> None:
    placed = read_placed(said, ())
    if "=" not in found:
        assert [one.list_name for one in placed] == found.split("|")
        return
    for one, wanted in zip(placed, found.split(";"), strict=True):
        name, _, items = wanted.partition("=")
        assert one.list_name == name
        assert items == "*" or one == Placed(name, items.split("|"))


@pytest.mark.parametrize(
    "said",
    [
        "make me a list of countries in Europe: begin with Spain",
        "is there bread on the shopping list",
        "we need to talk about the shopping list: it is too long",
        "borra la lista del super",
    ],
)
def test_talk_of_lists_puts_nothing_on_them(said: str) -> None:
    assert read_placed(said, ()) == []


@pytest.mark.parametrize(
    ("said", "lists"),
    [
        (
            "start a packing list for the coast pls - goggles, torch. oh and put matches on the shopping one",
            [Placed("packing", ["goggles", "torch"]), Placed("shopping", ["matches"])],
        ),
        ("armame una lista para el asado - carbón, sal gruesa", [Placed("asado", ["carbón", "sal gruesa"])]),
    ],
)
def test_a_dash_parts_what_is_on_a_list_from_its_name(said: str, lists: list[Placed]) -> None:
    assert read_placed(said, ()) == lists


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("ya llegué, q tenía q llevar de la ferre?", "ferre"),
        ("whats on the bake sale one now", "bake sale"),
        ("que me falta entonces en el vivero", "vivero"),
        ("what all is on it?", ""),
        ("ok y qué hay ahí", ""),
        ("tengo que pasar por el súper", None),
        ("what time is the party", None),
        ("qué es la ferretería?", None),
        ("sacá el arroz, que tengo", None),
        ("sacá el arroz, qué tengo", ""),
    ],
)
def test_what_is_in_something_is_asked_by_its_name(said: str, name: str | None) -> None:
    assert asked_what_is_in(said) == name


async def test_the_items_of_a_list_are_spoken_of_without_the_model(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "Hi. New list called market stall: 10 loaves, 5 jars of jam, 4 cloths")
        await app.say(ALICE, "oh take the cloths off, found a pile behind the freezer")
        await app.say(ALICE, "eish make it 12 loaves, the whole street is coming")
        await app.say(ALICE, "what is on the market one now")
        await app.say(ALICE, "and what all is on it?")
        assert llm.requests == []
        assert (
            app.replies_to(ALICE)[-2] == app.replies_to(ALICE)[-1] == "Market stall:\n☐ 12 loaves\n☐ 5 jars of jam"
        )


async def test_a_list_and_a_reminder_in_one_message_are_both_done(tmp_path: Path, encoder: LocalEmbedder) -> None:
    line = call("set_reminder", text="llamar a la pediatra", when="el martes a las 9")
    async with small_app(tmp_path, encoder, line) as (app, _):
        await app.say(
            ALICE, "apúntame en la compra tiritas y gasas y recuérdame el martes a las 9 llamar a la pediatra"
        )
        assert await stored(app, "text", "list_items") == ["tiritas", "gasas"]
        assert await stored(app, "text", "reminders") == ["llamar a la pediatra"]


async def test_things_that_are_not_on_the_list_are_no_choice(tmp_path: Path, encoder: LocalEmbedder) -> None:
    wrong = call("remove_from_list", items=["shed"], list_name="shopping")
    async with small_app(tmp_path, encoder, wrong) as (app, _):
        await app.say(ALICE, "shopping list: rope, tape")
        await app.say(ALICE, "remove it, it is in the shed")
        assert "• shed" not in app.replies_to(ALICE)[-1]
        assert await stored(app, "text", "list_items") == ["rope", "tape"]
