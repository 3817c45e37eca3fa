"""The sentences of every ability: together they make the prompts on which small models were tuned."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

from app.llm.prompts import load_prompt
from app.skills.examples import EXAMPLES
from app.skills.router import TOOL_CATEGORIES, SortingFacts, classify_intent
from tests.fakes.llm import ScriptedChatModel

PINNED: Final = json.loads((Path(__file__).parent / "data" / "prompts.json").read_text("utf-8"))
"""What models got before the sentences lay with their abilities. Whoever changes a line measures it first."""
ORDER: Final = list(PINNED["categories"])
CLASSIFIERS: Final = sorted(name for name in PINNED if name.startswith("classifier"))


@pytest.mark.needs(
    "calculator", "conversation", "datetime", "files", "notes", "oversight", "projects", "selfcode", "weather"
)
def test_the_categories_are_in_the_order_in_which_they_were_tuned() -> None:
    known = {
        name: [tool for tool in TOOL_CATEGORIES[name] if tool in PINNED["categories"][name]] for name in ORDER
    }
    assert known == PINNED["categories"]
    assert [name for name in TOOL_CATEGORIES if name in ORDER] == ORDER


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.needs(
    "calculator", "conversation", "datetime", "files", "notes", "oversight", "projects", "selfcode", "weather"
)
async def test_the_prompt_that_sorts_messages_is_what_it_was(name: str) -> None:
    is_constrained, leans = "is_constrained=True" in name, "category=True" in name
    model = ScriptedChatModel(echo=True)
    model.category = "none"
    sorting = SortingFacts(tuple(ORDER), is_constrained=is_constrained, leans_to_category=leans)
    await classify_intent("hola", model, sorting)
    assert model.short_requests[-1].messages[0].content == PINNED[name]


@pytest.mark.needs(
    "calculator", "conversation", "datetime", "files", "notes", "oversight", "projects", "selfcode", "weather"
)
def test_the_prompt_of_small_models_is_what_it_was() -> None:
    prompt = load_prompt("app.pipeline.answering", "constrained", examples=EXAMPLES.constrained)
    assert prompt == PINNED["constrained"]


def test_every_tool_has_sentences_and_a_description_in_spanish() -> None:
    lacking = [name for name, words in EXAMPLES.words.items() if not words.description or not words.examples]
    assert lacking == []


def test_the_calls_in_the_prompt_of_small_models_are_of_tools_that_there_are() -> None:
    called = set(re.findall(r'\{"(\w+)": \{', EXAMPLES.constrained)) - {"request_more_tools"}
    assert called
    assert called <= EXAMPLES.words.keys()
