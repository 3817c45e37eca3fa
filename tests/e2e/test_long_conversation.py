"""What was said long ago is there when it is asked for, although no summary ever mentioned it."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from app.llm.prompts import load_prompt
from app.pipeline.answering.builder import NOTE_OPENING
from tests.builders import ALICE
from tests.fakes.obedient import ObedientModel, labelled
from tests.harness import running_app

pytestmark = pytest.mark.lengthy

MESSAGES: Final = 120
PAUSE_EVERY: Final = 5
CONTEXT_TOKENS: Final = 2048
GENERALITIES: Final = "The two of them talked for a long while about everyday matters, in a friendly mood."
SMALL_TALK: Final = (
    "the bus was late again and everybody complained about it loudly",
    "I like the soup that they make on the corner, number {n} on the menu",
    "hace un calor tremendo y no corre nada de aire por la ventana",
    "me gusta la película que dieron el otro día, la de los trenes, parte {n}",
    "my neighbour is called Nelson {n} and he plays the drums all evening",
    "contame algo divertido sobre los pingüinos, que estoy aburrida",
    "tell me something about lighthouses, please, I have been reading about them",
    "mi vecino trabaja en el puerto y vuelve siempre a las {n} y pico",
)


TOLD: Final[Mapping[int, str]] = MappingProxyType(
    {
        10: "por cierto, mi hija se llama Candelaria",
        11: "remember that the spare key is under the blue flowerpot",
        40: "well, my sister lives in Trondheim, up in the north",
        41: "acordate de que el código del portón es 4417",
        90: "soy alérgica a los mariscos, así que nada de eso",
        91: "keep in mind that the plumber comes on 14 November",
    }
)
"""Messages with a fact, by their place."""
ASKED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "¿cómo se llama mi hija, a qué soy alérgica, and where does my sister live?": (
            "Candelaria",
            "mariscos",
            "Trondheim",
        ),
        "where is the spare key, cuál es el código del portón, and when does the plumber come?": (
            "flowerpot",
            "4417",
            "14 November",
        ),
    }
)
"""Questions at the end, each for three facts of both languages, and what no answer can do without."""


async def test_facts_from_long_ago_are_in_the_context_when_they_are_asked_for(tmp_path: Path) -> None:
    model = ObedientModel(summary=GENERALITIES)
    async with running_app(tmp_path, llm=model, llm_context_tokens=CONTEXT_TOKENS) as app:
        for place in range(1, MESSAGES + 1):
            said = TOLD.get(place, SMALL_TALK[place % len(SMALL_TALK)].format(n=place))
            await app.receive(ALICE, labelled(said, place))
            if place % PAUSE_EVERY == 0:
                await app.idle()
                await app.clock.advance(61)  # what waits for a pause looks for one once in a minute
                await app.idle()
        for label, question in enumerate(ASKED, start=MESSAGES + 1):
            await app.say(ALICE, labelled(question, label))

    folds = [
        one for one in model.side_requests if one.messages[0].content == load_prompt("app.memory", "summarize")
    ]
    assert len(folds) >= 3
    assert [label for label, _ in model.requests] == list(range(1, MESSAGES + len(ASKED) + 1))
    for (_, request), names in zip(model.requests[MESSAGES:], ASKED.values(), strict=True):
        assert GENERALITIES in request.messages[0].content
        # They come back from memory: neither the summary nor what is left of the conversation has them.
        before = "\n".join(one.content for one in request.messages[:-1])
        assert [one for one in names if one in before] == []
        _, _, beside = request.messages[-1].content.partition(NOTE_OPENING)
        assert [one for one in names if one not in beside] == []
