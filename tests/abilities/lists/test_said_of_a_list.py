"""What is said right after a list was shown: more of it, all but some, back again, elsewhere, or a question."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.dictating import read_announced, read_bare
from app.skills.tools.lists.near import read_near
from app.skills.tools.lists.picked import asked_whether
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.strung import with_measures
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")
TEXTS = ("leche", "pan", "4 yogures", "eggs", "butter")
LIST = NamedList(1, "Super", tuple(Item(number, text, is_done=False) for number, text in enumerate(TEXTS)))


def read(said: str) -> list[str]:
    acts = read_near(said, LIST, is_last=True)
    texts = [(act.deed, "" if act.item is None else act.item.text, act.new) for act in acts]
    return [" ".join(filter(None, parts)) for parts in texts]


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("oh and honey, we're down to the last spoon", "add honey"),
        ("ah y también arroz que se me pasó", "add arroz"),
        ("forgot the onions, stick them on as well", "add onions"),
        ("me olvidé de los tomates, agregalos", "add tomates"),
        ("plus bin liners and the good coffee for my dad", "add bin liners|add good coffee for my dad"),
        ("y dos latas de atún y una de choclo", "add dos latas de atún|add una de choclo"),
        ("ponele jabón para mi abuela", "add jabón para mi abuela"),
        ("ag and matches bru, nobody ever buys them", "add matches"),
        ("and a torch man the power keeps going", "add torch"),
        ("eish and paraffin, the stove is finished", "add paraffin"),
        ("and bin bags too hun we're nearly out", "add bin bags"),
        ("and twine cos rex broke his lead", "add twine"),
        ("uh y la malla que hay pileta", "add malla"),
        ("ah y jabón vecina que ya no queda", "add jabón"),
        ("y también una linterna mi amor por si se va la luz", "add linterna"),
        ("ah y comida del gato que no tiene nada el pobre", "add comida del gato"),
        ("the eggs and the butter are in the car now so tick them off", "done eggs|done butter"),
        ("que sean 6 los yogures", "reword 4 yogures 6 yogures"),
        ("los yogures eran 8 no 4", "reword 4 yogures 8 yogures"),
        ("the eggs, make it two dozen", "reword eggs eggs (two dozen)"),
        ("actually not butter, margarine", "reword butter margarine"),
        ("mejor en lugar de pan que sean tortillas", "reword pan tortillas"),
        ("got everything but the eggs", "done leche|done pan|done 4 yogures|done butter"),
        ("ya compré todo menos el pan y la leche, carísimos", "done 4 yogures|done eggs|done butter"),
        ("listo todo, solo faltó el pan", "done leche|done 4 yogures|done eggs|done butter"),
        ("I've the butter and eggs got", "done butter|done eggs"),
    ],
)
def test_more_of_a_list_or_all_but_some_of_it_is_read(said: str, acts: str) -> None:
    assert read(said) == acts.split("|")


@pytest.mark.parametrize(
    "said",
    [
        *("I've got everything I need in life", "she said she got everything but the job", "butter melts"),
        *(
            "everything but the kitchen sink came out of that van",
            "and at 8 we leave",
            "y a las 8 paso a buscarte",
        ),
        *("todo menos aburrido fue el viaje", "me olvidé la lista en casa", "y una duda", "add Tom to the group?"),
        *(
            "the kids ate all the bread",
            "y mi hijo toma leche",
            "put the eggs back",
            "and milk is so dear these days",
        ),
        *(
            "oh and my head hurts",
            "oh and i hate mondays man",
            "y buenas noches vecina",
            "and happy birthday mate",
            "y también me duele la cabeza",
            "and the dog died man",
            "ya tengo todo listo para el viaje",
            "write a poem about butter",
            "i put butter on everything",
            "we add eggs to everything",
        ),
    ],
)
def test_what_is_told_beside_a_list_changes_nothing(said: str) -> None:
    assert read(said) == []


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("shopping list milk eggs bread and the good cheese", "shopping=milk|eggs|bread|good cheese"),
        ("lista del super lehce mnteca y hueevos", "super=lehce|mnteca|hueevos"),
        ("anotame lehce mnteca y hueevos", "=lehce|mnteca|hueevos"),
        (
            "need rice onions and 2 packs of nappies size 5 for the baby",
            "=rice|onions|2 packs of nappies size 5 for the baby",
        ),
        ("I need eggs and milk to make pancakes?", None),
        ("need bread flour", None),
        ("anotá que no hay leche ni pan", None),
        ("shopping list done", None),
        ("necesito ayuda con la tarea y la leche", None),
    ],
)
def test_things_to_buy_are_strung_together_without_a_comma(said: str, found: str | None) -> None:
    bare = read_bare(said)
    assert (None if bare is None else f"{bare.list_name}={'|'.join(bare.items)}") == found


def test_a_measure_behind_a_thing_is_no_thing() -> None:
    said = ["papas", "2 kilos", "jeera", "100g", "flour 1 kg", "2 bags", "butter", "two rolls"]
    assert with_measures(said) == ["papas 2 kilos", "jeera 100g", "flour 1 kg", "2 bags", "butter", "two rolls"]


@pytest.mark.parametrize(
    ("said", "lists"),
    [
        (
            "need two lists mate. attic: 6mm screws, rope. school: glue, pens",
            {"attic": "6mm screws|rope", "school": "glue|pens"},
        ),
        (
            "haceme dos listas, una para el cole: témperas, y otra para la farmacia: gasas y alcohol",
            {"cole": "témperas", "farmacia": "gasas|alcohol"},
        ),
        ("2 lists pls: work - pens, tape. home - soap", {"work": "pens|tape", "home": "soap"}),
        (
            "two lists, one for the braai with coal and wors, other called gym with glue. my boss is on my back",
            {"braai": "coal|wors", "gym": "glue"},
        ),
        (
            "quiero dos listas, la primera se llama obra con cal y arena, la segunda casa con pan",
            {"obra": "cal|arena", "casa": "pan"},
        ),
        (
            "two lists please one called shed with putty and rags on it then another one called gym with a mat",
            {"shed": "putty|rags", "gym": "mat"},
        ),
        ("i have two lists, one with my friend Ann and another with Bob", {}),
        ("three lists: home: soap. work: pens", {}),
        ("my two lists are a mess", {}),
    ],
)
def test_lists_that_are_announced_are_all_made(said: str, lists: dict[str, str]) -> None:
    assert {name: "|".join(items) for name, items in read_announced(said)} == lists


@pytest.mark.parametrize(
    ("said", "item"),
    [
        ("do we have butter on it", "butter"),
        ("is milk on there already?", "milk"),
        ("¿está el pan en la lista?", "pan"),
        ("puse huevos?", "huevos"),
        ("do we have butter in the fridge?", ""),
        ("is it on the list that your mother wrote in may?", ""),
        ("what's on the tent list?", ""),
        ("whats on it", ""),
    ],
)
def test_it_is_asked_whether_a_thing_is_on_the_list(said: str, item: str) -> None:
    assert asked_whether(said) == item


async def test_a_list_is_moved_put_back_and_asked_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "lista del super: dos kilos de papas, pan, sal")
        await app.say(ALICE, "sacá las papas")
        await app.say(ALICE, "ay no, sí las quiero, ponelas de nuevo")
        await app.say(ALICE, "pasalas a una lista que se llame feria")
        assert app.replies_to(ALICE)[-1] == "Feria:\n☐ pan\n☐ sal\n☐ dos kilos de papas"
        await app.say(ALICE, "está la sal en la lista?")
        assert app.replies_to(ALICE)[-1].startswith("Sí, «sal» está.\nFeria:")
        await app.say(ALICE, "y el vinagre está anotado?")
        assert app.replies_to(ALICE)[-1].startswith("No encuentro «vinagre» en «Feria».")
        await app.say(ALICE, "me equivoqué, sacá la sal y poné pimienta")
        await app.say(ALICE, "deshacé lo que hiciste")
        assert await stored(app, "text", "list_items") == ["pan", "sal", "dos kilos de papas"]
        assert llm.requests == []


async def test_a_shop_of_another_kind_has_a_list_of_its_own(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "put rice and soap on the groceries list")
        await app.say(ALICE, "start another list called toy store: kite, chalk")
        assert app.replies_to(ALICE)[-1] == "Toy store:\n☐ kite\n☐ chalk"
        await app.say(ALICE, "take the kite off and chuck a drum on")
        assert app.replies_to(ALICE)[-1].endswith("Toy store:\n☐ chalk\n☐ drum")
        assert llm.requests == []


async def test_a_project_beside_a_list_is_made_too(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(
            ALICE,
            "créame un proyecto Patio con la tarea lijar el banco y ahí mismo anota en la lista de compras cal",
        )
        assert await stored(app, "text", "list_items") == ["cal"]
        assert await stored(app, "title", "project_tasks") == ["lijar el banco"]
        assert llm.requests == []
