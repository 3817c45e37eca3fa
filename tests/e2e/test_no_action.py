"""Sayings, rows of things, what is lacking or broken, what is usual: no errand. What others say is no wish."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from app.language.catalogue import say
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.lexicon import takes_back
from app.pipeline.lexicon.reported import cites_only
from app.pipeline.lexicon.sayings import is_saying, wants_no_errand
from app.pipeline.texts import PIPELINE
from app.skills.tools.lists.picked import asks_of_any_list
from tests.builders import ALICE
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, AppUnderTest, running_app

__all__ = ["encoder"]

_REFUSALS = (
    PIPELINE.cannot_do,
    PIPELINE.cannot_reach,
    PIPELINE.cannot_pay,
    PIPELINE.cannot_control,
    PIPELINE.cannot_look_up,
)


def talking_app(directory: Path, encoder: LocalEmbedder) -> AbstractAsyncContextManager[AppUnderTest]:
    """Return the service over a small model that only talks."""
    return running_app(directory, llm=ScriptedChatModel(echo=True), profile=CONSTRAINED, embedder=encoder)


NO_ERRANDS = [
    "kettle descaler, oven cleaner",
    "salt and vinegar",
    "out of bobbins, elastic",
    "need new fan belts, spark plugs",
    "the light above the altar buzzes",
    "la luz del vestuario titila",
    "who mends the nets?",
    "quién paga los trofeos del torneo?",
    "does our keeper ever stop one? lol",
    "do you get bored of fishing stories?",
    "turn a blind eye, our bosun used to say",
    "call it a draw, that's my motto",
    "prende la luz y verás las goteras, decía mi tío",
]


@pytest.mark.parametrize("text", NO_ERRANDS)
async def test_what_asks_for_no_errand_is_not_refused(text: str, encoder: LocalEmbedder, tmp_path: Path) -> None:
    async with talking_app(tmp_path, encoder) as app:
        await app.receive(ALICE, text)
        await app.idle()
        (reply,) = app.replies_to(ALICE)
    assert not any(say(one, language) in reply for one in _REFUSALS for language in ("en", "es"))


@pytest.mark.parametrize(
    "text",
    [
        "two pizzas and a salad",
        "lights off, radio on",
        "the lights in the hall off",
        "the heating up to 21",
        "la luz del vestuario prendida porfa",
        "need the heater on",
        "need someone to fix the fan",
        "who won the cup?",
        "who mends nets here today?",
        "call my aunt, she says she is lonely",
        "turn on the fan, my brother is boiling",
        "play the organ piece",
        "order three sacks of oats",
    ],
)
def test_an_errand_of_the_same_shape_stays_one(text: str) -> None:
    assert not is_saying(text)
    assert not wants_no_errand(text)


@pytest.mark.parametrize(
    "text",
    [
        "my gran told me: add candles to the shopping list",
        "put candles on the shopping list, my gran always says, as if I were her butler",
        "mi suegra me dice: poné velas en la lista de compras",
        "agregá velas a la lista de compras, dice mi suegra, como si fuera su mozo",
        "put two poles on the shopping list. scratch that",
        "poné dos velas en la lista de compras. no, ya las compró mi suegra",
        "anotá que la cancha se seca mañana. uy, chat equivocado",
        "add task pump the tyres. oh wait, dad did it",
    ],
)
async def test_what_others_say_or_is_taken_back_is_not_done(
    text: str, encoder: LocalEmbedder, tmp_path: Path
) -> None:
    assert cites_only(text) or takes_back(text)
    async with talking_app(tmp_path, encoder) as app:
        await app.receive(ALICE, text)
        await app.idle()
        assert await stored(app, "text", "list_items") == []
        assert await stored(app, "content", "notes") == []


@pytest.mark.parametrize(
    "text",
    [
        "my gran wants candles, put candles on the shopping list",
        "my gran said: no candles left. so add candles to the shopping list",
        "note that the pump leaks, he said",
        "anotá que el cura viene el martes, dice mi suegra",
        "recordame a las 5 llamar al taller, dice mi suegra que es urgente",
        "put candles on the shopping list, I said please",
        "add task pump the tyres before dad did it",
        "remind me to feed the hens at 8, my son did it yesterday",
    ],
)
def test_a_wish_of_ones_own_beside_others_words_is_still_one(text: str) -> None:
    assert not cites_only(text)
    assert not takes_back(text)


def test_lists_as_such_are_nobodys_list() -> None:
    for text in ("what makes a good to-do list?", "qué se pone en una lista de boda?", "who reads these lists?"):
        assert asks_of_any_list(text)
    for text in ("what's on my list?", "qué tengo en una lista que hice?", "what is on the packing list?"):
        assert not asks_of_any_list(text)
