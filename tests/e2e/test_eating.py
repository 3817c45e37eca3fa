"""Whether somebody may eat something is not judged where an allergy or an illness of theirs is known."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.memory.eating import read_eating, restricts_food
from app.pipeline.lexicon import asks_contents
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("fact", "asked"),
    [
        ("I have a peanut allergy", "can I eat a chocolate bar?"),
        ("I have a peanut allergy", "would it be ok if I have some curry tonight?"),
        ("I'm coeliac", "can I have a Zubrik?"),
        ("my son has a peanut allergy", "is a curry ok for my son?"),
        ("my brother Tom is allergic to shellfish", "can Tom have some ramen?"),
        ("my brother Tom is allergic to shellfish", "is it safe to give him a dumpling?"),
        ("soy celíaca", "puedo comer un guiso de lentejas?"),
        ("soy alérgico al maní", "me hace mal una barrita de cereal?"),
        ("mi hija Pía es alérgica al maní", "le puedo dar un bombón a Pía?"),
        ("mi hija Pía es alérgica al maní", "crees que mi hija puede comer un alfajor?"),
        ("mi suegro es diabético", "está bien si le doy granola a mi suegro?"),
        ("me prohibieron la sal", "puedo comer pizza hoy"),
    ],
)
async def test_what_may_harm_somebody_is_never_allowed(
    tmp_path: Path, encoder: LocalEmbedder, fact: str, asked: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, f"/remember {fact}")
        await app.say(ALICE, asked)

        assert llm.requests == []
        told = app.replies_to(ALICE)[-1]
        assert f"«{fact}»" in told
        assert told.startswith(("No puedo saber", "I can't know", "Mejor no", "Better not"))


@pytest.mark.parametrize(
    ("fact", "asked"),
    [
        ("my brother Tom is allergic to shellfish", "can I have some ramen?"),
        ("mi hija Pía es alérgica al maní", "puedo comer un guiso de lentejas?"),
        ("soy alérgica a los gatos", "puedo comer un guiso?"),
        ("ya no soy alérgica al maní", "puedo comer un guiso?"),
        ("soy celíaca", "puedo probar el auto nuevo?"),
        ("my son has a peanut allergy", "can Ned eat some curry?"),
    ],
)
async def test_who_is_not_spoken_of_may_eat(tmp_path: Path, encoder: LocalEmbedder, fact: str, asked: str) -> None:
    async with small_app(tmp_path, encoder, "Sí, claro.") as (app, llm):
        await app.say(ALICE, f"/remember {fact}")
        await app.say(ALICE, asked)

        assert len(llm.requests) == 1


@pytest.mark.parametrize(
    "said",
    [
        "what can I eat?",
        "dónde puedo comer sushi?",
        "can I have a look?",
        "can I eat at nine?",
        "puedo comer a las 9?",
        "puedo tomar el 60?",
        "no puedo comer mariscos, me cierran la garganta",
        "can you make me a curry?",
        "can I bring the dog?",
        "I can have pizza again since last week, so happy",
        "is this chair good for my back?",
        "can I take an ibuprofen?",
    ],
)
def test_other_questions_are_not_about_what_may_be_eaten(said: str) -> None:
    assert read_eating(said) is None


@pytest.mark.parametrize(
    ("fact", "does"),
    [
        ("soy intolerante a la lactosa", True),
        ("my niece is coeliac", True),
        ("my father can't have salt", True),
        ("me gusta el pan", False),
        ("soy alérgica al polen", False),
        ("I'm allergic to penicillin", False),
        ("me prohibieron correr", False),
    ],
)
def test_only_what_forbids_food_restricts_it(fact: str, does: bool) -> None:
    assert restricts_food(fact) is does


@pytest.mark.parametrize(
    ("fact", "asked"),
    [
        ("my son has a peanut allergy", "does a satay sauce contain peanuts?"),
        ("my son has a peanut allergy", "do those biscuits have peanuts in them?"),
        ("soy alérgica al huevo", "¿la mayonesa lleva huevo?"),
        ("soy alérgica al huevo", "el flan contiene huevo?"),
    ],
)
async def test_what_is_in_a_dish_is_talked_about_with_the_warning_beside_it(
    tmp_path: Path, encoder: LocalEmbedder, fact: str, asked: str
) -> None:
    async with small_app(tmp_path, encoder, "Lo más común es que sí. It most likely does.") as (app, llm):
        await app.say(ALICE, f"/remember {fact}")
        await app.say(ALICE, asked)

        assert [one.purpose for one in llm.requests] == ["turn"]
        assert f"«{fact}»" in app.replies_to(ALICE)[-1]


@pytest.mark.parametrize(
    ("said", "does"),
    [
        ("does hummus have sesame in it?", True),
        ("is there much traffic in the tunnel?", False),
        ("el gazpacho lleva pan?", True),
        ("a la masa se le pone levadura?", True),
        ("is there milk on my shopping list?", False),
        ("qué lleva mi lista?", False),
        ("do I have time?", False),
    ],
)
def test_a_question_for_contents_is_known(said: str, does: bool) -> None:
    assert asks_contents(said) is does
