"""What was told is found by a wider word, by another word for it, and as one of several; nothing else is."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.quoting import asks_for_fact, told_of
from app.pipeline.lexicon import asks_for_kept, asks_of_own, wants_done
from app.skills.amending import amended, is_correction
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("quick test what car does lorcan drive", "my cousin Lorcan drives a yaris, it's always in bits"),
        ("which make of car do i own", "got a fiesta from the auction and the clutch went"),
        ("qué auto tiene mi papá", "mi viejo cambió la Kangoo por un Corsita medio fundido"),
        ("what do i do for work again", "im a welder in Hull, wrecked today"),
        ("de qué trabaja mi señora", "mi mujer Irma es partera y anda de guardia"),
        ("de qué te dije que laburaba", "trabajo de sereno en una obra"),
        ("whats my missus called", "my wife Orlaith has a cold"),
        ("cómo se llama mi mujer", "ayer mi esposa Nora rindió el final"),
        ("where does my other half work", "my husband Colm works at the creamery"),
        ("que número calza mi nena", "mi hija calza 31 y no le entra nada"),
        ("qué pastilla toma mi abuela", "la nona toma enalapril a la noche"),
        ("when is dads birthday", "my father turned 66 in April, we had a barbecue"),
        ("where did me and ana meet", "me and Ana met on a ferry to Bari"),
        ("what did the goat do", "our neighbour's goat ate the postman's hat"),
        ("what did gran lose", "my nan lost her teeth in the sea"),
        ("which one is allergic", "Dora is allergic to wasps"),
        ("which of my kids can't have nuts", "Piotr cant have nuts, Lena is fine"),
        ("is it Dora who can't eat nuts?", "Dora cant eat nuts"),
        ("quién era la zurda?", "mis mellizas son Pía y Rita, Rita es zurda"),
        ("cuál de mis hijos no puede tomar leche", "Iván no puede tomar leche"),
        ("en qué piso vivo", "vivimos en el piso 4, sin ascensor"),
        ("cómo era el apellido del dentista", "mañana voy al dentista, el doctor Ferreyra"),
        ("qué compró mi tía, un loro o un gato?", "mi tía compró un loro"),
        ("a ver si te acordás a qué le teme mi nene", "mi hijo le tiene terror a los truenos"),
    ],
)
def test_a_question_in_other_words_finds_what_was_told(asked: str, told: str) -> None:
    assert told_of(asked, ["jaja", told]) == told


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("how much does a fiesta cost", "my cousin drives a fiesta"),
        ("what does a welder earn", "im a welder in Hull"),
        ("what do you do for a wasp sting", "my son is allergic to wasp stings"),
        ("cuánto sale un corsa usado", "mi viejo maneja un Corsa"),
        ("cuánto gana una partera", "mi señora es partera"),
        ("qué no puede comer un celíaco", "soy celíaca"),
        ("which one should i wear", "my sister has one in red"),
        ("what do i do about the noise", "i do the night shift, the noise is bad"),
        ("where did the Vikings come from", "my kids love the Vikings"),
        ("cuáles son los mejores nombres de gata", "mi hijo tiene una gata"),
        ("how many kids did Bach have", "my kids are 4 and 7"),
        ("mi jefe me contó quién era la que robaba", "mi vecina es la que robaba wifi"),
        ("what car does Petra drive", "my cousin Lorcan drives a yaris"),
        ("de qué trabaja mi señora", "mi hermana es partera"),
        ("who hid the gold in the film", "my gran hid the biscuits"),
    ],
)
def test_what_is_so_for_everybody_or_of_somebody_else_is_not_quoted(asked: str, told: str) -> None:
    assert told_of(asked, [told]) is None


@pytest.mark.parametrize(
    "said", ["guardé las llaves en el auto", "ayer anoté todo en la pared", "le dejé un recado"]
)
def test_what_was_done_is_no_wish(said: str) -> None:
    assert not wants_done(said)
    assert not asks_for_kept(said)


@pytest.mark.parametrize("said", ["guarde las llaves en el auto", "anotá que calzo 38", "show my todo list"])
def test_a_wish_or_a_list_is_still_read(said: str) -> None:
    assert wants_done(said) or asks_for_kept(said)


def test_a_question_for_a_past_act_is_no_wish_for_advice() -> None:
    assert asks_for_fact("qué compró mi tía")
    assert not asks_for_fact("qué compro para mi tía")


@pytest.mark.parametrize(
    ("said", "is_own"),
    [
        ("what car do i drive", True),
        ("who's my boss", True),
        ("qué talle usa mi hijo", True),
        ("what car should i get", False),
        ("qué auto es bueno para mi familia", False),
    ],
)
def test_of_ones_own_things_it_may_be_said_that_nothing_was_told(said: str, is_own: bool) -> None:
    assert asks_of_own(said) is is_own


def test_a_slip_is_put_right_with_a_word() -> None:
    assert is_correction("ups, el 15")
    assert not is_correction("UPS delivered it on the 15th")


@pytest.mark.parametrize(
    "said", ["nah remove that note, Kemi has the paint", "no, sacá esa nota, Raúl ya la pagó"]
)
def test_what_is_to_go_is_put_right_by_nobody(said: str) -> None:
    assert not is_correction(said)
    right = amended("mi hermana se casa el 14 de febrero", "ups, el 15")
    assert right is not None
    assert right.text == "mi hermana se casa el 15 de febrero"


@pytest.mark.needs("memory")
async def test_a_story_answers_two_messages_later_with_what_was_put_right(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, *["Ha."] * 6) as (app, llm):
        await app.say(ALICE, "my brother Fintan drives a yaris and his kid pukes in it, a right mess")
        await app.say(ALICE, "lol")
        asked = len(llm.requests)
        await app.say(ALICE, "i forgot again, what car does fintan drive")
        assert len(llm.requests) == asked
        assert "yaris" in app.replies_to(ALICE)[-1]
        await app.say(ALICE, "how much does a yaris cost")
        assert "You told me" not in app.replies_to(ALICE)[-1]


@pytest.mark.needs("memory")
async def test_what_was_never_told_is_not_invented(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "A red one.") as (app, llm):
        await app.say(ALICE, "what car did i say i drive")
        assert not llm.requests
        assert "nothing" in app.replies_to(ALICE)[-1]
