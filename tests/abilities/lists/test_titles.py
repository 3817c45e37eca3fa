"""Titles that are dictated with capitals stay whole, and each of two lists gets what its verb puts there."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.placed import read_placed
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "items"),
    [
        (
            "armame una lista llamada cine: La Ciénaga, Mirá Quién Baila y Dale Nomás",
            "La Ciénaga|Mirá Quién Baila|Dale Nomás",
        ),
        (
            "creá una lista que se llame fogón: Che Bandoneón, Porque Te Vas, Gracias A La Vida",
            "Che Bandoneón|Porque Te Vas|Gracias A La Vida",
        ),
        (
            "hazme una lista llamada libros: La tregua, Mira quién llama, Los detectives salvajes",
            "La tregua|Mira quién llama|Los detectives salvajes",
        ),
        ("en la lista de canciones poné El Témpano y Oiga Usted", "El Témpano|Oiga Usted"),
        (
            "make a list called songs: Hey Jude, Please Please Me, Take Me Home and The Weight",
            "Hey Jude|Please Please Me|Take Me Home|The Weight",
        ),
        (
            "make a list called films: The Trial, A Room with a View, Oh Pioneers please",
            "The Trial|A Room with a View|Oh Pioneers",
        ),
        ("add The Chain and Well Well Well to my songs list", "The Chain|Well Well Well"),
        # What is written small is said around a thing, as before.
        ("haceme una lista del asado: el carbón, la leche y los huevos, gracias", "carbón|leche|huevos"),
        ("make a list called camp: the tent, a torch, and please the matches", "tent|torch|matches"),
        ("make a list called bbq: Charcoal, Buns, Thanks", "Charcoal|Buns"),
        ("make a list called bbq: charcoal, Ann is bringing the wine, buns", "charcoal|buns"),
        ("haceme una lista del asado: carbón, el vino lo trae Beto, sal", "carbón|sal"),
        ("lista del asado: Pan. Leche. Los huevos. Gracias!", "Pan|Leche|huevos"),
        ("HACEME UNA LISTA DEL ASADO: EL CARBÓN, LA LECHE", "CARBÓN|LECHE"),
    ],
)
def test_every_word_of_a_title_is_put_down(said: str, items: str) -> None:
    assert [one.items for one in read_placed(said, [])] == [items.split("|")]


@pytest.mark.needs("lists")
async def test_a_title_of_fillers_is_stored(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "make a list called karaoke: Hey Arnold, Let It Go, The Trial, thanks mate")
        assert llm.requests == []
        assert await stored(app, "text", "list_items") == ["Hey Arnold", "Let It Go", "The Trial"]


@pytest.mark.parametrize(
    ("said", "lists"),
    [
        (
            "en la lista del súper poné harina y queso, y en la lista vivero poné tierra y una maceta del 12",
            "súper: harina|queso; vivero: tierra|maceta del 12",
        ),
        (
            "en la lista súper poné harina, en la lista vivero poné tierra y en la lista farmacia poné un jarabe",
            "súper: harina; vivero: tierra; farmacia: jarabe",
        ),
        (
            "on the pharmacy list put gauze and on the sewing list put a reel of black thread and size 9 needles",
            "pharmacy: gauze; sewing: reel of black thread|size 9 needles",
        ),
        # What was done, what is not to be, and what somebody said.
        ("ayer en la lista súper puse harina y en la lista vivero puse tierra", ""),
        ("en la lista súper no pongas harina y en la lista vivero tampoco pongas tierra", ""),
        ("mi mamá dijo en la lista súper poné harina y en la lista vivero poné tierra", ""),
        ("did I put flour on the shop list and on the garden list put compost?", ""),
    ],
)
def test_each_verb_puts_things_on_the_list_before_it(said: str, lists: str) -> None:
    each = [f"{one.list_name}: {'|'.join(one.items or ())}" for one in read_placed(said, [])]
    assert "; ".join(each) == lists
