"""Lists that are called by a place, reasons, decimals, and things that are strung together without a comma."""

from pathlib import Path

import pytest

from app.domain.wording import each_thing
from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.placed import Placed, read_placed
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.strung import told_apart
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
KNOWN = (NamedList(1, "Escuela", (Item(1, "plasticola", is_done=True),)), NamedList(2, "Weekly shop"))


@pytest.mark.parametrize(
    ("said", "name", "items"),
    [
        ("sumá a lo del almacén 6 limones arroz y fideos q hoy cocino yo", "almacén", "6 limones|arroz|fideos"),
        ("vecina me anota en la de la farmacia curitas y agua oxigenada", "farmacia", "curitas|agua oxigenada"),
        (
            "agregá caño de 1,5 y teflón a lo de la ferretería xq pierde la canilla",
            "ferretería",
            "caño de 1,5|teflón",
        ),
        ("poné plasticola hojas lisas y témpera en lo de escuela", "Escuela", None),
        ("poneme en la feria zanahorias que sean chicas y perejil", "feria", "zanahorias que sean chicas|perejil"),
        ("sumá sal y manteca a la del mercado que no hay nada", "mercado", "sal|manteca"),
        (
            "agregá en la lista de la ferretería clavos y lija para el mueble",
            "ferretería",
            "clavos|lija para el mueble",
        ),
        ("chuck grapes and limes on the weekly shop, we're out", "weekly shop", "grapes|limes"),
        ("stick pears leeks and yeast on the grocery one cos the boys are coming", "grocery", "pears|leeks|yeast"),
        ("add a bracket to the hardware one, they close at 6", "hardware", "bracket"),
        # The place is not known, or what is put there is no thing: a model looks at it.
        ("anotá en lo del plomero que viene el martes", "plomero", None),
        ("sumá a lo del almacén 4200 que pagué recién", "almacén", None),
        ("add dowels to the shed one", "shed", None),
        # "The list" is the last one.
        ("poné velas en la lista, que estoy en lo de mi tía", "", "velas"),
        ("bung some ham on the list will ya", "", "some ham"),
        ("kindly put string and glue on the list for me, ta", "", "string|glue"),
        ("échale jabón a la lista vecina, dios te lo pague", "", "jabón"),
        ("agregue a la lista clavos y lija, se lo agradezco", "", "clavos|lija"),
        ("put on my shopping list dal and rice, thanks a million", "shopping", "dal|rice"),
        # It is called what it says.
        ("casero arma una lista que diga taller: clavos, cola, mil gracias", "taller", "clavos|cola"),
        ("can you do a list saying garage: nails, glue, ta", "garage", "nails|glue"),
        ("make a list that says pantry: rice, dal", "pantry", "rice|dal"),
        ("armame una lista con el título playa: toalla, gorro", "playa", "toalla|gorro"),
    ],
)
def test_a_list_is_called_by_its_place(said: str, name: str, items: str | None) -> None:
    assert read_placed(said, KNOWN) == [Placed(name, None if items is None else items.split("|"))]


@pytest.mark.parametrize(
    ("said", "lists"),
    [
        (
            "en la lista del taller poneme lija y cola y en la de la pileta cloro",
            [Placed("taller", ["lija", "cola"]), Placed("pileta", ["cloro"])],
        ),
        (
            "on the loft list put felt and nails and on the pond one netting",
            [Placed("loft", ["felt", "nails"]), Placed("pond", ["netting"])],
        ),
    ],
)
def test_behind_a_list_the_other_one_is_a_list_too(said: str, lists: list[Placed]) -> None:
    assert read_placed(said, ()) == lists


@pytest.mark.parametrize(
    ("said", "lists"),
    [
        (
            "stick pliers on fishing too and bread on the shopping one",
            [Placed("Fishing", ["pliers"]), Placed("shopping", ["bread"])],
        ),
        (
            "meté soga en campamento y leche en la del súper",
            [Placed("Campamento", ["soga"]), Placed("súper", ["leche"])],
        ),
        (
            "pon velas en campamento y huevos en el súper",
            [Placed("Campamento", ["velas"]), Placed("súper", ["huevos"])],
        ),
        ("put a torch on fishing", [Placed("Fishing", ["torch"])]),
        ("put Nope on fishing with Ann", []),
        ("i put the bread on hold and the fishing rod in the car", []),
    ],
)
def test_the_name_of_a_list_is_a_place(said: str, lists: list[Placed]) -> None:
    assert read_placed(said, (NamedList(1, "Fishing"), NamedList(2, "Campamento"))) == lists


def test_two_lists_that_are_called_by_their_places_have_their_own_things() -> None:
    found = read_placed("en la de coto queso rallado y soda, y en verdulería palta y choclo", ())
    assert found == [Placed("coto", ["queso rallado", "soda"]), Placed("verdulería", ["palta", "choclo"])]


@pytest.mark.parametrize(
    "said",
    [
        "en la farmacia me dijeron que abren a las 8",
        "voy a lo del mercado a buscar pan",
        "the parcel goes to the corner shop, doesn't it? and then?",
        "estoy en la feria comprando papas",
    ],
)
def test_where_somebody_is_names_no_list(said: str) -> None:
    assert read_placed(said, KNOWN) == []


@pytest.mark.parametrize(
    ("item", "things"),
    [
        ("6 limones arroz", ["6 limones", "arroz"]),
        ("medio kilo de harina lentejas", ["medio kilo de harina", "lentejas"]),
        ("nappies wipes foil", ["nappies", "wipes", "foil"]),
        ("pan rallado", ["pan rallado"]),
        ("queso crema", ["queso crema"]),
        ("oat milk", ["oat milk"]),
        ("dulce de leche", ["dulce de leche"]),
        ("2 kilos papas", ["2 kilos papas"]),
        ("wrapping paper", ["wrapping paper"]),
        ("papa zanahoria chile poblano", ["papa", "zanahoria", "chile poblano"]),
        ("jitomate queso crema huevos", ["jitomate", "queso crema", "huevos"]),
        ("milk red onions baked beans", ["milk", "red onions", "baked beans"]),
        ("yoghurt brown bread", ["yoghurt", "brown bread"]),
        ("bidón lija clavos", ["bidón lija clavos"]),
    ],
)
def test_what_is_strung_together_is_told_apart_where_that_is_sure(item: str, things: list[str]) -> None:
    assert told_apart(item) == things


def test_a_comma_within_a_number_parts_nothing() -> None:
    assert each_thing(["eggs and half and half and jam"], 90) == ["eggs", "half and half", "jam"]
    assert each_thing(["a part (they said twice, the C one), glue"], 90) == [
        "a part (they said twice, the C one)",
        "glue",
    ]
    assert each_thing(["tornillos de 3,5, 1,25 l de lavandina,velas"], 90) == [
        "tornillos de 3,5",
        "1,25 l de lavandina",
        "velas",
    ]


@pytest.mark.needs("lists")
async def test_what_goes_to_a_place_is_put_on_its_list_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "sumá a lo del almacén 6 limones arroz y fideos q hoy cocino yo")
        await app.say(ALICE, "en la de coto queso rallado y soda, y en farmacia gasas y curitas")
        assert llm.requests == []
        assert await stored(app, "name", "lists") == ["Almacén", "Coto", "Farmacia"]
        assert await stored(app, "text", "list_items") == [
            *("6 limones", "arroz", "fideos"),
            *("queso rallado", "soda", "gasas", "curitas"),
        ]


@pytest.mark.needs("lists")
async def test_what_a_model_made_of_a_place_is_put_right(tmp_path: Path, encoder: LocalEmbedder) -> None:
    wrong = call("add_to_list", items=["shed dowels", "hinges"], list_name="shopping")
    async with small_app(tmp_path, encoder, wrong) as (app, _):
        await app.say(ALICE, "add dowels and hinges to the shed one on my list")
        assert await stored(app, "name", "lists") == ["Shed"]
        assert await stored(app, "text", "list_items") == ["dowels", "hinges"]


@pytest.mark.parametrize("tag", ["no", "na", "yaar"])
def test_a_word_that_seeks_agreement_takes_nothing_back(tag: str) -> None:
    (found,) = read_placed(f"put jaggery, ghee and 3 packets poha in kirana list {tag}", [])
    assert found.items == ["jaggery", "ghee", "3 packets poha"]


@pytest.mark.parametrize(
    ("said", "name", "items"),
    [
        ("make a list called Boat: ring 4.1x22.5 brass, bolt M6", "Boat", ["ring 4.1x22.5 brass", "bolt M6"]),
        ("una lista que se llame Moto: oring 7,2x18,6, perno M6", "Moto", ["oring 7,2x18,6", "perno M6"]),
        ("una lista que se llame Cole: folio a3,6 tizas", "Cole", ["folio a3", "6 tizas"]),
        ("on my Garage list put: rags, oil", "Garage", ["rags", "oil"]),
        ("en mi lista vivero poné: tierra, macetas", "vivero", ["tierra", "macetas"]),
        ("make a list called put: rags, oil", "put", ["rags", "oil"]),
        ("y otra lista vivero con tierra y macetas", "vivero", ["tierra", "macetas"]),
    ],
)
def test_sizes_stay_whole_and_a_name_has_no_verb(said: str, name: str, items: list[str]) -> None:
    assert [(one.list_name, one.items) for one in read_placed(said, ())] == [(name, items)]


@pytest.mark.parametrize(
    "said",
    [
        "otra lista que armó mi tía con su vecina era eterna",
        "no quiero otra lista de mi cuñado con reclamos",
        "and another list my landlord has with rules is endless",
    ],
)
def test_a_list_that_is_only_told_of_is_not_made(said: str) -> None:
    assert not any(one.items for one in read_placed(said, ()))
