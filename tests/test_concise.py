"""What is left of an answer in plain talk, and when an answer to who asks for advice is none."""

import pytest

from app.skills.concise import concise
from app.skills.unusable import talk_objection, without_stock


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What a surprise! What did she say? What did she say?", "What a surprise! What did she say?"),
        ("As a warm friend, I would plant the beans in May.", "I would plant the beans in May."),
        ("Como amigo, te diría que esperes un poco.", "Te diría que esperes un poco."),
        ("Ha! Ha! That went well for you today.", "Ha! Ha! That went well for you today."),
    ],
)
def test_each_thing_is_said_once_and_by_nobody_in_particular(text: str, left: str) -> None:
    assert concise(text, 3) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Como asistente no tengo la capacidad de cocinar. Por lo tanto, no puedo cocinarlo.", ""),
        ("As an AI, I have no hands. Therefore I cannot knit.", ""),
        ("As an AI, I have no hands. But wool from Shetland is warm.", "But wool from Shetland is warm."),
        ("The wool is wet. Therefore wait a day.", "The wool is wet. Therefore wait a day."),
    ],
)
def test_what_concludes_from_a_stock_sentence_goes_with_it(text: str, left: str) -> None:
    assert without_stock(text) == left


@pytest.mark.parametrize(
    ("asked", "text", "objection"),
    [
        ("qué le regalo a mi jefa que se jubila", "Lo siento, no tengo información sobre tu jefa.", "stock"),
        ("should i plant the beans in may", "I don't know about your beans.", "stock"),
        ("cuál es mi grupo sanguíneo?", "No tengo información sobre tu grupo sanguíneo.", None),
        ("qué le regalo a mi jefa que se jubila", "Un libro de jardinería, si le gustan las plantas.", None),
    ],
)
def test_who_asks_for_advice_wants_some(asked: str, text: str, objection: str | None) -> None:
    language = "en" if asked.startswith("should") else "es"
    assert talk_objection(text, asked=asked, before="", language=language) == objection
