"""A wish with slips in the words that lead it is understood, in every ability; what is kept is kept as typed."""

from pathlib import Path

import pytest

from app.language.hasty import as_wished
from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Delte that note", "Delete that note"),
        ("shwo me my remidners", "show me my reminders"),
        ("note taht teh boiler code is 51", "note that teh boiler code is 51"),
        ("tak a note teh van is KJ22", "take a note teh van is KJ22"),
        ("creat a porject called Shed", "create a project called Shed"),
        ("remind me in 10 mintues to chekc teh rice", "remind me in 10 minutes to chekc teh rice"),
        ("borralaa", "borrala"),
        ("eliminaa eso", "elimina eso"),
        ("mostram mis recordatoros", "mostrame mis recordatorios"),
        ("apntame k el portero cobra 90", "apuntame que el portero cobra 90"),
        ("guardam esto dl juevs", "guardame esto dl juevs"),
        ("escrivime un mensaje para Rulo", "escribime un mensaje para Rulo"),
        ("agrega a lalista del super habas", "agrega a la lista del super habas"),
        ("cuanto es 15 porsiento d 90", "cuanto es 15 por ciento de 90"),
        ("q dia es oy", "q dia es hoy"),
        ("crea porject Galpon", "crea project Galpon"),
        ("save tihs to my ntoes", "save this to my notes"),
        ("guarda esto en la lsita", "guarda esto en la lista"),
        ("guarda k de noche cierran", "guarda que de noche cierran"),
        ("nueva lsita de pintura", "nueva lista de pintura"),
        ("make a tsk", "make a task"),
        ("mañnaa acer la tarea", "manana hacer la tarea"),
    ],
)
def test_the_words_that_lead_a_wish_are_put_right_and_no_other(typed: str, meant: str) -> None:
    assert as_wished(typed) == meant


@pytest.mark.parametrize(
    "said",
    [
        "my hosue is teh blue one", "mi prima hizo una lsita", "quit smoking is hard",
        "guard dogs scare me", "siento que nadie me escucha", "Dime que nudo uso", "which wich is best",
        "note: undo taht knot",
        "anota que la litsa la tiene Naota", "add teh milk", "Mara ande con cuidado", "idas y vueltas con el",
        "wether lambs are small", "save «taht» for me", "creame que estoy mal", "cera para el piso",
        # a word with ñ, one of another language, a name, what somebody did
        "mi cuñado cobra 70", "la ñata duerme", "put bushes on the list", "she saves the day", "add phlox",
        "tell Asher", "remind Kita to sing", "my Acer broke", "creó una lista", "cuatas de mi hermana", "whee",
        "Mak called", "for sav", "tsk tsk", "como echo la sal", "guarda K de Kafka", "anota k 12", "son d",
        # what is kept is never changed
        "new note yesterdy tomorow", "add tomorow to the list", "add hte to the list", "add lst", "put tsak/lsit",
        "note porject Fern is late", "anota lsita de Naota", "save lsit", "add remidner", "guarda k=8",
    ],
)  # fmt: skip
def test_what_is_no_slip_or_no_word_of_a_wish_stays_as_it_is(said: str) -> None:
    assert as_wished(said) == said


@pytest.mark.needs("notes")
async def test_a_note_with_slips_is_kept_as_typed_and_taken_back_with_slips(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "anotaa que el plomreo viene taht juevs")
        assert await stored(app, "content", "notes") == ["el plomreo viene taht juevs"]
        await app.say(ALICE, "desahcelo")
        assert await stored(app, "content", "notes") == []
        assert llm.requests == []
