"""A note of what was said before, or with a name of its own; a part taken out of one; and no false refusals."""

from types import SimpleNamespace

import pytest

from app.domain.turn import Said
from app.memory.asked import asks_to_forget
from app.pipeline.lexicon.limits import is_no_errand
from app.pipeline.lexicon.sayings import wants_no_errand
from app.skills.tools.notes.picked import read_part
from app.skills.tools.notes.pointed import another_of, called_in, pointed_at, points_alone


def _pointed(said: str, before: str = "", answer: str = "ok") -> str:
    told = Said(now=(said,), before=(before,) if before else (), answers=(answer,))
    return pointed_at(said, SimpleNamespace(said=told))  # type: ignore[arg-type]  # only `said` is read


@pytest.mark.parametrize(
    "said",
    [
        "jot that down",
        "Write that down please",
        "ok can you make a note of that for me",
        "great, save it",
        "put that in my notes",
        "note this down before I forget",
        "apuntá eso",
        "Anótalo porfa",
        "dale, guardame eso",
        "¿me lo anotás?",
        "toma nota de eso",
        "guardalo en una nota",
    ],
)
def test_a_wish_that_only_points_back_is_told(said: str) -> None:
    assert points_alone(said)
    assert _pointed(said, "the beekeeper is Ines, 07700 900456") == "the beekeeper is Ines, 07700 900456"


@pytest.mark.parametrize(
    "said",
    [
        "note that the pump is off",
        "write it down on the board, she said",
        "he told me to write that down",
        "save it for later in the freezer",
        "keep it",
        "I wrote that down already",
        "save me a seat",
        "did you note that down in the book he gave you",
        "guardalo en la heladera",
        "anotá eso que te dije del techo",
        "apuntá a los pájaros",
        "me lo guardo para mí",
        "save that money",
        "write this in German",
    ],
)
def test_what_only_sounds_alike_points_at_nothing(said: str) -> None:
    assert not points_alone(said)


def test_a_result_is_kept_with_what_it_was_of() -> None:
    assert _pointed("save it", "7 * 13", "7 × 13 = 91") == "7 × 13 = 91"
    kept = _pointed("jot that down", "how many grams is 3 oz?", "3 × 28.35 ≈ 85.05 g")
    assert kept == "how many grams is 3 oz: 3 × 28.35 ≈ 85.05 g"
    assert _pointed("save that as a note called fence", "7 * 13", "7 × 13 = 91") == "fence: 7 × 13 = 91"


@pytest.mark.parametrize("before", ["", "how tall is the tower?", "add rope to my list", "thanks"])
def test_where_nothing_was_told_nothing_is_kept(before: str) -> None:
    assert _pointed("note that down", before) == ""


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Save a note called shed: 7719", "shed: 7719"),
        ("make a note titled boat: the plug is under the bench.", "boat: the plug is under the bench"),
        ("creá una nota llamada Taller: llave 12 y tornillos", "Taller: llave 12 y tornillos"),
        ("I read a note called Farewell: it made me cry", ""),
        ("save a note: shed 7719", ""),
    ],
)
def test_a_named_note_keeps_name_and_words(said: str, kept: str) -> None:
    assert called_in(said) == kept


def test_one_more_of_the_same_kind_says_what_it_is() -> None:
    assert another_of("anotá también la del sótano: Nube88", "la clave de la cochera es Sol41") == (
        "la clave del sótano: Nube88"
    )
    assert (
        another_of("note the one of the attic too: 5512", "the cellar code is 9034") == "code of the attic: 5512"
    )
    assert another_of("note the time: 5", "the cellar code is 9034") == ""


@pytest.mark.parametrize(
    ("said", "named", "rest"),
    [
        ("delete the nails from that note", "the nails from that note", "hooks, glue"),
        ("take the hooks off this note", "the hooks", "nails, glue"),
        ("borra la cola de esa nota", "la cola de esa nota", ""),
    ],
)
def test_a_thing_is_taken_out_of_a_note(said: str, named: str, rest: str) -> None:
    part = read_part("hooks, nails, glue", said, named)
    assert part is not None
    assert part.rest == rest


def test_all_of_a_note_is_no_part() -> None:
    assert read_part("hooks, nails, glue", "delete that note", "that note") is None


@pytest.mark.parametrize(
    "said",
    [
        "delete them all",
        "scrap both of those",
        "cancel the other one",
        "shift them both to noon",
        "make it kinder",
        "elimina las otras",
        "córrelos los dos para el lunes",
        "sacá el otro",
        "hacelo más cordial",
        "settle up with Kofi on the 9th, remember that",
    ],
)
def test_what_points_at_things_kept_here_is_no_errand(said: str) -> None:
    assert is_no_errand(said)


@pytest.mark.parametrize(
    "said",
    [
        "call them both",
        "turn it off",
        "cancel my gym contract",
        "make it louder",
        "buy the other one",
        "ring both",
    ],
)
def test_an_errand_stays_one(said: str) -> None:
    assert not is_no_errand(said)


def test_figures_of_things_are_told() -> None:
    assert wants_no_errand("gas 310, renta 4200, celular 250")
    assert not wants_no_errand("order chairs 12, tables 40")


def test_what_a_message_takes_back_itself_is_not_kept() -> None:
    assert asks_to_forget("my cousin loves drums. Forget it", "my cousin loves drums")
    assert not asks_to_forget("my cousin loves drums. Forget it", "my cousin is a vet")
    assert not asks_to_forget("I always forget that my cousin loves drums", "my aunt loves drums")
