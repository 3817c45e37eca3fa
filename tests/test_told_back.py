"""What was told in passing is found again, whatever is asked of it; nothing else is taken for it."""

from pathlib import Path

import pytest

from app.language.catalogue import say
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.retold import told_back
from app.pipeline.lexicon.retold import asked_back
from app.pipeline.texts import PIPELINE
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]

LONG = (
    "so the whole morning went wrong, the removal men were late and it rained on the new sofa,"
    " the trams are off so I go on bus line 14 to the clinic now, and after that I fetched the twins"
    " and cooked, honestly I am done with today and all of it"
)


@pytest.mark.parametrize(
    ("asked", "told", "found"),
    [
        ("which bus line did I tell you I take to the clinic?", LONG, "bus line 14"),
        ("what score did I tell you it was?", "we lost 4-2 against the Rovers, gutted", "4-2"),
        ("remind me what colour the dress was", "the dress for the do is teal, shoes are silver", "teal"),
        ("who did I say I was going to the wedding with?", "I'm going to the wedding with Rupert", "Rupert"),
        ("¿en qué te dije que voy a la facultad?", "voy a la facu en el 152 por el paro", "152"),
        ("recordame cuánto salió el partido", "El partido quedó 2 a 2, un embole", "2 a 2"),
        ("what's she allergic to again?", "My niece is allergic to kiwi, what do I bake?", "kiwi"),
        ("a qué hora sale su micro, que no me acuerdo", "su micro sale a las 7:15 de Retiro, ¿llego?", "7:15"),
        ("¿de dónde te dije que viene la pieza?", "la pieza viene de Valencia", "Valencia"),
    ],
)
def test_what_was_told_is_quoted(asked: str, told: str, found: str) -> None:
    known = told_back(asked, ["hello", told, "thanks"])
    assert known is not None
    assert found in known.facts


def test_what_was_told_last_wins() -> None:
    said = ["the meeting is in room 12", "ok", "the meeting is in room 9 now"]
    known = told_back("which room did I tell you the meeting is in?", said)
    assert known is not None
    assert "room 9" in known.facts


@pytest.mark.parametrize(
    "text",
    [
        "which route should I take to the airport, I told you I hate the motorway",
        "what did you tell me about the bus?",
        "what did I tell my boss about it?",
        "can you forget what I told you about the van?",
        "remind me what to buy",
        "recordame qué comprar",
        "cuando te dije que no, se enojó",
        "como te dije, mañana viajo",
        "qué me dijiste del tren",
        "por qué te dije eso",
        "when will it snow again?",
        "shall we go there again?",
        "what's the capital of Peru again",
    ],
)
def test_nothing_is_asked_back(text: str) -> None:
    assert asked_back(text) is None


async def test_a_message_is_quoted_where_its_author_asks_for_what_it_told(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    told = "jugamos ayer en la canchita y quedó 5 a 3, volvimos embarrados"
    async with small_app(tmp_path, encoder, "¡Qué bueno!", "¡Qué rico!") as (app, llm):
        await app.say(ALICE, told)
        await app.say(ALICE, "hoy comimos locro en casa de mi tía")
        count = len(llm.requests)
        await app.say(ALICE, "qué resultado te dije que salió?")

        assert app.replies_to(ALICE)[-1] == say(PIPELINE.told_before, "es", facts=f"«{told}»")
        assert len(llm.requests) == count
