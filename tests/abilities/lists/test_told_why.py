"""What somebody brings, what ran out, slips in a wish for a list, titles, and how a list is asked to be read."""

import pytest

from app.skills.counting import asks_to_hear
from app.skills.picking.tokens import tokens_of
from app.skills.tools.lists.lacking import read_lacking
from app.skills.tools.lists.near import read_near
from app.skills.tools.lists.picked import asks_count
from app.skills.tools.lists.placed import read_placed
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.slipped import words_of


def _acts(text: str, *items: str) -> list[tuple[str, str]]:
    one = NamedList(1, "List", tuple(Item(n, each, is_done=False) for n, each in enumerate(items)))
    return [(act.deed, act.item.text if act.item else act.new) for act in read_near(text, one, is_last=True)]


@pytest.mark.parametrize(
    ("said", "items", "acts"),
    [
        ("Zara brings her own canoe so remove that, add a flask cos of rain", ("canoe",), "-canoe +flask"),
        ("my uncle has a radio so we dont need it, add tea cos it is cold", ("radio",), "-radio +tea"),
        ("mi prima trae su hamaca asi que sacá eso y agregá sogas porque sí", ("hamaca",), "-hamaca +sogas"),
        ("el hielo lo trae Nico asi q borralo y poné bizcochos", ("hielo", "yerba"), "-hielo +bizcochos"),
        ("Zara brings her own canoe so remove that and add a flask", ("oars", "rope"), "+flask"),
        ("Zara brings rice cakes so remove that and add figs", ("rice", "rope"), "+figs"),
        ("Zara isnt bringing her canoe", ("canoe",), ""),
        ("last summer Zara brought her own canoe", ("canoe",), ""),
        ("y otra cosa, papel manteca que lo gastó Inés haciendo budín", ("pan",), "+papel manteca"),
        ("one more thing, turpentine, my aunt used it all painting the gate", ("rope",), "+turpentine"),
        ("and also saffron, our Jo used the last of it cooking", ("rope",), "+saffron"),
        ("also, dad ate the ham", ("rope",), ""),
        ("fijate que mi tía trae su silla así que quitala, y poné hielo que hay sol", ("silla",), "-silla +hielo"),
        ("white sugar's all gone too", ("sugar", "tea"), "+white sugar"),
        ("otra cosa, mi prima llega el jueves", ("pan",), ""),
        ("white sugar is finished too", ("sugar", "tea"), "+white sugar"),
        ("the sesame oil ran out as well", ("oil", "tea"), "+sesame oil"),
        ("the concert is over", ("oil", "tea"), ""),
        ("the sugar is gone too", ("sugar", "tea"), ""),
    ],
)  # fmt: skip
def test_what_is_told_beside_a_wish_does_no_more(said: str, items: tuple[str, ...], acts: str) -> None:
    wanted = [("remove" if sign == "-" else "add", name) for sign, name in _signed(acts)]
    assert _acts(said, *items) == wanted


def _signed(acts: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for word in acts.split():
        if word[0] in "+-":
            found.append((word[0], word[1:]))
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]} {word}")
    return found


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("need flour eggs butter on the list", ["flour", "eggs", "butter"]),
        ("neeed flour n eggs on my shopping lst", ["flour", "eggs"]),
        ("faltan velas y fósforos en la lista", ["velas", "fósforos"]),
        ("flta azúcar y sal en la lsta", ["azúcar", "sal"]),
    ],
)
def test_what_is_lacking_on_a_list_is_put_there(said: str, items: list[str]) -> None:
    found = read_lacking(said)
    assert found is not None
    assert found.items == items


@pytest.mark.parametrize(
    "said",
    [
        "faltan cosas en la lista",
        "falta mi nombre en la lista",
        "no hay sal en la lista",
        "there's no salt on the list",
        "do i need salt on the list?",
        "faltaban velas en la lista de ayer",
    ],
)
def test_what_is_only_said_of_a_list_is_no_wish(said: str) -> None:
    assert read_lacking(said) is None


@pytest.mark.parametrize(
    ("said", "verb"),
    [("addd flour to the list", "add"), ("apnta sal en la lista", "apunta"), ("stck glue on teh list", "stick")],
)
def test_a_verb_with_a_slip_opens_a_wish_for_a_list(said: str, verb: str) -> None:
    assert words_of(said)[0].key == verb


@pytest.mark.parametrize("said", ["bun and ham on the list", "Sue is on the list", "addd flour to the dough"])
def test_another_word_is_no_slip(said: str) -> None:
    assert words_of(said)[0].key == tokens_of(said)[0].key


@pytest.mark.parametrize(
    ("said", "titles"),
    [
        (
            "make a list of novels for the course: Sons and Lovers, To the Lighthouse, Ulysses",
            ["Sons and Lovers", "To the Lighthouse", "Ulysses"],
        ),
        (
            "lista de pelis para el jueves: Amores perros, Volver y La ciénaga",
            ["Amores perros", "Volver", "La ciénaga"],
        ),
    ],
)
def test_titles_behind_a_colon_stay_whole(said: str, titles: list[str]) -> None:
    assert [one.items for one in read_placed(said, [])] == [titles]


@pytest.mark.parametrize(
    "said",
    [
        "léemela toda porfa",
        "léame la lista completa si es tan amable",
        "dictámela de nuevo",
        "read the whole lot out please",
    ],
)
def test_who_wants_it_read_aloud_asks_to_hear_it(said: str) -> None:
    assert asks_to_hear(said)


@pytest.mark.parametrize("said", ["qué pasa", "dictame un poema", "léeme un cuento", "a ver si la ves"])
def test_what_sounds_alike_asks_for_something_else(said: str) -> None:
    assert not asks_to_hear(said)


@pytest.mark.parametrize("said", ["how mnay things are on it", "cuántas kosas tiene", "cuants cosas van"])
def test_a_question_for_the_number_may_have_a_slip(said: str) -> None:
    assert asks_count(said)
