"""First words, plain telling, grief and joy: what is answered where nothing is wished for."""

from pathlib import Path

import pytest

from app.language.catalogue import Language, say
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.lexicon.moods import Mood, mood_of, thanks_for_listening
from app.pipeline.texts import PIPELINE
from app.skills.texts import SKILLS
from app.skills.tools.oversight.lexicon import asks_introducing_oneself
from app.skills.tools.oversight.texts import OVERSIGHT
from app.skills.unusable import without_claims
from tests.builders import ALICE
from tests.e2e.small import open_encoder, small_app


@pytest.fixture(scope="module")
def encoder() -> LocalEmbedder:
    return open_encoder()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Hola, me llamo Ester, tengo 74 años y vivo en Rosario, mi sobrina me puso esto, qué sabés hacer?", "es"),
        ("soy Beto, taxista, mi señora me bajó esto y no entiendo bien cómo funciona", "es"),
        (
            "hello dear, my name is Maureen and i'm 81, my daughter put this on my phone last night and told me "
            "to have a go, i live in Leeds with the cat. what is it you can do for me?",
            "en",
        ),
        ("what do you do? i'm a nurse in Durban and my sister recommended this to me", "en"),
    ],
)
async def test_who_introduces_themself_hears_what_there_is(
    tmp_path: Path, encoder: LocalEmbedder, text: str, language: Language
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, text)

        assert say(OVERSIGHT.tools_title, language) in app.replies_to(ALICE)[0]
        assert llm.requests == []


@pytest.mark.parametrize(
    "text",
    [
        "what can you do about the dishwasher leaking",
        "I'm a nurse and my feet hurt all day, what can you do",
        "mi nieto me instaló una lámpara y se quemó, qué puedo hacer?",
        "mi hija me instaló esto, anotá leche y decime qué podés hacer",
        "my landlord put the heating on low, what can he do for me?",
        "tengo 3 perros y no sé qué hacer",
        "vivo en Salta, para qué sirve el bicarbonato?",
    ],
)
def test_other_questions_are_no_first_words(text: str) -> None:
    assert not asks_introducing_oneself(text)


async def test_a_claim_is_cut_from_the_answer_to_who_only_tells(tmp_path: Path, encoder: LocalEmbedder) -> None:
    answer = "Qué bueno que vino el gasista. Ya lo anoté en tu lista."
    async with small_app(tmp_path, encoder, answer) as (app, _):
        await app.say(ALICE, "vino el gasista, la presión estaba en 19 y dijo que tenía que estar en 21")

        assert app.replies_to(ALICE) == ["Qué bueno que vino el gasista."]


async def test_who_only_tells_is_answered_anew_where_nothing_but_a_claim_came(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "I've noted that.", "Three kilos over, poor Rex!") as (app, _):
        await app.say(ALICE, "the vet weighed the dog today, 31 kilos, she said he should be about 28")

        assert app.replies_to(ALICE) == ["Three kilos over, poor Rex!"]


def test_what_was_asked_for_is_never_hidden_behind_the_rest_of_an_answer() -> None:
    answer = "Sure thing, my friend. I've saved it."
    assert without_claims(answer, "I need a note of the gate code") == answer
    assert without_claims("Great. I noted that.", "the vet weighed the dog") == "Great. I noted that."


async def test_an_empty_answer_is_asked_for_once_more_alone(tmp_path: Path, encoder: LocalEmbedder) -> None:
    lines = ("It is a warm red.", "[for you, not part of the message: reply in English]", "Yes, brick goes well.")
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, "i painted the hall in terracotta today")
        await app.say(ALICE, "and does brick go with it?")

        assert app.replies_to(ALICE)[-1] == "Yes, brick goes well."
        assert "terracotta" not in str(llm.requests[-1].messages)


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("ayer enterramos a mi vieja, no sé cómo sigo", "sorrow"),
        ("mi abuela está internada desde el lunes, no pinta bien", "sorrow"),
        ("se me murió el perro, 14 años conmigo", "sorrow"),
        ("it's a year today since my dad passed", "sorrow"),
        ("we had to put the old dog down this morning", "sorrow"),
        ("the house is so quiet, i'm lonely without him", "sorrow"),
        ("nació mi nieta!!! 3 kilos 200", "joy"),
        ("my daughter got engaged last night", "joy"),
        ("me muero de risa con mi primo", None),
        ("se me murió el celu otra vez", None),
        ("my phone died on the train", None),
        ("i missed the bus again and it's raining", None),
        ("hace falta leche y pan", None),
        ("my nephew works at the hospital in Leeds", None),
        ("el aniversario del club es en mayo", None),
        ("i passed the shop and it was shut", None),
    ],
)
def test_a_loss_and_a_joy_are_told_apart_from_talk(text: str, mood: Mood | None) -> None:
    assert mood_of(text) == mood


async def test_who_mourns_is_spoken_to_so_beside_the_message_alone(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "I'm so sorry.", "He sounds lovely.", "Good!") as (app, llm):
        await app.say(ALICE, "it's a year today since my dad passed, i made his soup")
        await app.say(ALICE, "he always burnt the onions")
        await app.say(ALICE, "the bus was late this morning")

        first, second, third = llm.requests
        assert all("grieving" in one.messages[-1].content for one in (first, second))
        assert "grieving" not in str(first.messages[:-1])
        assert "grieving" not in str(third.messages)


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("gracias por escuchar", True),
        ("ay gracias por estar ahí", True),
        ("thank you so much for listening love", True),
        ("gracias por la receta", False),
        ("thanks for listening, now add milk to the list", False),
        ("gracias", False),
    ],
)
def test_thanks_for_listening_are_known(text: str, is_meant: bool) -> None:
    assert thanks_for_listening(text) is is_meant


async def test_thanks_for_listening_are_answered_warmly(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, "muchas gracias por escucharme, de verdad")

        assert app.replies_to(ALICE) == [say(PIPELINE.glad_to_listen, "es")]


async def test_who_only_tells_is_offered_to_keep_it_where_the_model_claims_twice(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "I've noted that.", "I have noted it.") as (app, _):
        await app.say(ALICE, "the plumber said the pressure was 19 and ought to be 21")

        assert app.replies_to(ALICE) == [say(SKILLS.good_to_know, "en")]
