"""What people told of themselves is found by other words, and what others are to be told is translated."""

from pathlib import Path

import pytest

from app.language.catalogue import say
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.quoting import told_of
from app.pipeline.lexicon import asks_of_own, wants_draft
from app.pipeline.lexicon.limits import kind_asked
from app.pipeline.lexicon.redrafts import read_translation
from app.pipeline.lexicon.told import tells_marriage
from app.pipeline.texts import PIPELINE
from tests.builders import ALICE
from tests.e2e.small import open_encoder, small_app


@pytest.fixture(scope="module")
def encoder() -> LocalEmbedder:
    return open_encoder()


@pytest.mark.parametrize(
    ("said", "into", "told"),
    [
        ("cómo le aviso a la casera en italiano que se tapó la pileta", "it", "se tapó la pileta"),
        ("in Greek, how do I ask the skipper to wait for us", "el", "wait for us"),
        ("how can I let my tutor know in Welsh that I passed", "cy", "I passed"),
        ("how do I tell my lodger the heating is off, he only speaks Polish", "pl", "the heating is off"),
        ("en griego cómo le explico al mozo que no como pescado", "el", "no como pescado"),
        ("how do I tell my Greek teacher that I moved", "", ""),
        ("how do I tell the difference in Greek between the two", "", ""),
        ("qué le digo a mi novio en griego que suene tierno", "", ""),
        ("recordame preguntar cómo le digo a la casera en italiano que me voy", "", ""),
    ],
)
def test_whom_it_is_for_is_no_part_of_a_translation(said: str, into: str, told: str) -> None:
    assert read_translation(said) == ((into, told) if into else None)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("who's tadhg", "my nephew Tadhg plays the fiddle"),
        ("quién es eulalia", "mi madrina Eulalia vive en Salta"),
        ("how many ferrets have i got", "we keep four ferrets and a parrot"),
        ("am i allergic to anything", "im allergic to latex so no gloves"),
        ("soy zurda?", "soy zurda y me cuesta la tijera"),
        ("how old am i", "im 52 next week and feel it"),
    ],
)
def test_what_was_told_is_found_by_other_words(asked: str, told: str) -> None:
    assert told_of(asked, [told]) == told


@pytest.mark.parametrize("asked", ["who is coming", "how many parrots have i got", "who's Orla"])
def test_what_was_not_told_is_not_found(asked: str) -> None:
    assert told_of(asked, ["we keep four ferrets and my nephew Tadhg plays the fiddle"]) is None


@pytest.mark.parametrize(
    ("asked", "is_own"),
    [
        ("do i have kids", True),
        ("tengo mascotas?", True),
        ("me gusta el fernet y a vos?", False),
        ("tengo mascotas", False),
        ("do i have any reminders", False),
    ],
)
def test_a_question_of_yes_or_no_may_be_for_what_was_told(asked: str, is_own: bool) -> None:
    assert asks_of_own(asked) is is_own


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("follow @thebreadlady on insta", "reach"),
        ("seguí a mi tía en tiktok", "reach"),
        ("sin megas otra vez, recargame 15 soles", "pay"),
        ("poneme algo de cumbia", "control"),
        ("send me pictures of lighthouses", "see"),
        ("i follow the bread lady on insta", None),
        ("how do i follow her on insta", None),
        ("pon algo de los tomates en la lista", None),
        ("recordame que recargue el celu", None),
    ],
)
def test_what_no_tool_can_do_is_seen_where_it_is_asked(said: str, kind: str | None) -> None:
    assert kind_asked(said) == kind


@pytest.mark.parametrize(
    ("said", "is_draft"),
    [
        ("una tarjetita para la portera que se casa, se llama Rosalba", True),
        ("sympathy msg to my landlord, his brother died, keep it short", True),
        ("rustle up a sign for the shed, wet paint, sign off with Mo", True),
        ("cartel para la kermés: traigan sillas y mate", True),
        ("a card for my mum", False),
        ("there's a sign for the toilets on the left and nobody reads it", False),
    ],
)
def test_a_sign_or_a_card_for_somebody_is_a_text(said: str, is_draft: bool) -> None:
    assert wants_draft(said) is is_draft


async def test_the_model_translates_what_a_landlord_is_to_be_told(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Ο νεροχύτης είναι βουλωμένος από χθες.") as (app, llm):
        await app.say(ALICE, "how do I tell my landlord in Greek that the sink is blocked since yesterday")
        await app.say(ALICE, "tengo mascotas?")
        assert "Greek: the sink is blocked since yesterday" in llm.requests[0].messages[-1].content
        assert app.replies_to(ALICE)[1:] == [say(PIPELINE.not_told, "es")]


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("25 años llevo casado con la Remedios", True),
        ("me casé con ofelia en el civil de Loja", True),
        ("I've been married to Padraig since the nineties", True),
        ("mi primo está casado con Julieta", False),
        ("I'm married to a baker", False),
        ("she is married to Ron", False),
        ("hablamos de casados con los chicos", False),
    ],
)
def test_to_whom_somebody_is_married_is_told_by_themself_alone(said: str, *, is_told: bool) -> None:
    assert tells_marriage(said) == is_told
