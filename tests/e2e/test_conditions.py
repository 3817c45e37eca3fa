"""What somebody adds right behind advice is asked together with what they asked; news behind it stay news."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.pipeline.lexicon import adds_condition
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]

ADVICE = "You could roast them slowly with garlic and lemon, then serve them with bread and a green salad."
CONSEJO = "Puedes asarlos despacio con limón y servirlos con pan, o jugar todos juntos a las cartas en la mesa."
SOUP = "Cook them in a pan with stock and a potato, then blend everything with a spoon of cream at the end."


@pytest.mark.parametrize(
    ("asked", "added", "answer"),
    [
        ("what can I do with three courgettes?", "we've no oven though", SOUP),
        ("what can I do with three courgettes?", "but my lad hates garlic", SOUP),
        ("any ideas for a rainy afternoon with twins", "nothing too messy", SOUP),
        ("qué preparo con tres zapallitos?", "pero sin horno", CONSEJO),
        ("qué preparo con tres zapallitos?", "la nena no come ajo", CONSEJO),
        ("dame ideas para una tarde de lluvia con mellizos", "que no sea caro", CONSEJO),
    ],
)
async def test_what_is_added_is_asked_with_the_question(
    tmp_path: Path, encoder: LocalEmbedder, asked: str, added: str, answer: str
) -> None:
    advice = CONSEJO if answer == CONSEJO else ADVICE
    async with small_app(tmp_path, encoder, advice, answer) as (app, llm):
        await app.say(ALICE, asked)
        await app.say(ALICE, added)
        said = [one.content for one in llm.requests[-1].messages if one.role == "user"]
        assert len(said) == 1
        assert said[0].startswith(f"{asked}\n{added}\n")
        assert app.replies_to(ALICE)[-1] == answer


async def test_a_second_one_is_asked_with_both(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, ADVICE, SOUP, ADVICE) as (app, llm):
        for said in ("what can I do with three courgettes?", "no oven though", "and she's allergic to garlic"):
            await app.say(ALICE, said)
        asked = llm.requests[-1].messages[-1].content
        assert asked.startswith(
            "what can I do with three courgettes?\nno oven though\nand she's allergic to garlic"
        )


@pytest.mark.parametrize(
    "added",
    [
        "oh and it has to be done by six",
        "forgot to say there's nine of us",
        "cheap though, payday's thursday",
        "my knees are bad so nothing with stairs",
        "btw she's only four",
        "sin batidora eh, se quemó",
        "ah, y somos doce",
        "es que a mi hijo no le gusta nadar",
        "hace un frío tremendo así que nada al aire libre",
        "algo fácil porfa",
    ],
)
def test_what_limits_advice_adds_to_it(added: str) -> None:
    assert adds_condition(added)


@pytest.mark.parametrize(
    "news",
    [
        "no sé qué hacer",
        "lo pruebo el finde, suena rico",
        "my brother does it the same way",
        "made it, it was lovely",
        "no worries",
        "my nan died yesterday",
        "no puedo más, estoy agotada",
        "no te preocupes",
        "gracias, pero no tengo ganas de cocinar",
        "i don't know what to do with my son",
        "el lunes no hay clases",
        "he's not coming",
    ],
)
def test_what_tells_something_else_adds_nothing(news: str) -> None:
    assert not adds_condition(news)


async def test_behind_news_nothing_is_added_to(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, ADVICE, SOUP) as (app, llm):
        await app.say(ALICE, "the courgettes in my garden are huge this year")
        await app.say(ALICE, "but my lad hates them")
        assert llm.requests[-1].messages[-1].content.startswith("but my lad hates them")


@pytest.mark.parametrize(
    ("asked", "advice", "supposed", "answer"),
    [
        ("qué hago una tarde con mi sobrina?", CONSEJO, "y si graniza?", "Pueden hornear un budín y mirar fotos."),
        ("any ideas for the twins' party?", ADVICE, "and if it snows?", SOUP),
    ],
)
async def test_what_is_only_supposed_behind_talk_is_no_question_for_the_weather(
    tmp_path: Path, encoder: LocalEmbedder, asked: str, advice: str, supposed: str, answer: str
) -> None:
    async with small_app(tmp_path, encoder, advice, answer) as (app, llm):
        await app.say(ALICE, asked)
        await app.say(ALICE, supposed)
        talk = llm.requests[0].messages[0]
        assert [one.messages[0] for one in llm.requests[1:]] == [talk] * (len(llm.requests) - 1)
        assert app.replies_to(ALICE)[-1] == answer
