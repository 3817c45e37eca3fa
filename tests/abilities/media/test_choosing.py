"""Which of several pictures and papers a question is about: said with the answer, or asked with choices."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.language.catalogue import say
from app.media.faults import is_installed
from app.media.texts import MEDIA
from app.simulator.payloads import button_reply, list_reply
from tests.abilities.media.sending import ScriptedChildren, send, settle
from tests.builders import ALICE, BOB
from tests.fakes import files
from tests.harness import PEOPLE, AppUnderTest, running_app

pytestmark = pytest.mark.skipif(
    not (is_installed("pictures") and is_installed("documents")), reason="`pictures` or `documents` is missing"
)
TOOLS = "FERRETERIA LOPEZ\nTaladro  59,90 €\nTOTAL  63,10 €"
CAFE = "CAFE LUNA\nCortado  1,80 €\nTOTAL  4,30 €"
POSTER = "CONCIERTO\nSábado en la plaza"
HOUR = 3600
DAY = 24 * HOUR
PAPER = {
    "format": "pdf",
    "title": "",
    "page_count": 1,
    "is_paged": True,
    "read_pages": 1,
    "chars": 60,
    "is_cut": False,
    "tables": [],
    "is_scanned": False,
    "pieces": [{"page": 1, "text": "Recibo de la luz, octubre\nTOTAL  81,20 €"}],
}


def seen(text: str) -> dict[str, object]:
    return {"text": text, "codes": [], "width": 100, "height": 100}


@asynccontextmanager
async def shown(tmp_path: Path, *pictures: tuple[str, float]) -> AsyncIterator[AppUnderTest]:
    """Alice showed pictures with these texts, and so many seconds passed after each."""
    answers: Sequence[dict[str, object]] = [seen(text) for text, _ in pictures]
    children = ScriptedChildren({"read_picture": answers, "read_document": [PAPER]})
    async with running_app(tmp_path, children=children) as app:
        for number, (_, passed_s) in enumerate(pictures):
            await send(app, ALICE, "image", files.png(40 + number, 40))
            await settle(app)
            await app.clock.advance(passed_s)
        yield app


async def asked(app: AppUnderTest, question: str) -> str:
    await app.say(ALICE, question)
    return app.replies_to(ALICE)[-1]


def choices(app: AppUnderTest) -> list[tuple[str, str]]:
    """What the newest message offers: ids and titles."""
    interactive: Any = app.graph.sends[-1].payload["interactive"]
    if interactive["type"] == "button":
        return [(one["reply"]["id"], one["reply"]["title"]) for one in interactive["action"]["buttons"]]
    return [(row["id"], row["title"]) for part in interactive["action"]["sections"] for row in part["rows"]]


async def test_of_two_receipts_that_nothing_tells_apart_one_is_asked_for(tmp_path: Path) -> None:
    async with shown(tmp_path, (TOOLS, 5 * HOUR), (CAFE, 5 * HOUR)) as app:
        question = await asked(app, "what did the receipt say?")
        assert "FERRETERIA LOPEZ" in question
        assert "CAFE LUNA" in question
        offered = choices(app)
        assert len(offered) == 2
        await app.graph.receive(PEOPLE[BOB], button_reply(*offered[1]))
        await settle(app)
        assert "FERRETERIA" not in app.replies_to(BOB)[-1]
        await app.graph.receive(PEOPLE[ALICE], button_reply(*offered[1]))
        await settle(app)
        told = app.replies_to(ALICE)[-1]
        assert told.endswith(f":\n{TOOLS}")
        assert "“FERRETERIA LOPEZ”" in told
        assert app.llm.requests == []


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("qué decía el recibo de la ferretería?", TOOLS),
        ("qué decía el último recibo?", CAFE),
        ("what did the first receipt say?", TOOLS),
        ("what did yesterday's receipt say?", TOOLS),
        ("qué decía el ticket de hoy?", CAFE),
        ("cuánto costó el taladro?", "Taladro  59,90 €"),
        ("qué decía la foto del concierto?", POSTER),
    ],
)
async def test_the_one_that_words_or_time_name_is_told_and_named(tmp_path: Path, question: str, told: str) -> None:
    async with shown(tmp_path, (POSTER, HOUR), (TOOLS, DAY), (CAFE, 2 * HOUR)) as app:
        answer = await asked(app, question)
        assert answer.endswith(f":\n{told}")
        title = next(one for one in (TOOLS, CAFE, POSTER) if told in one).splitlines()[0]
        assert title in answer.splitlines()[0]


async def test_what_was_just_shown_is_meant_and_named(tmp_path: Path) -> None:
    async with shown(tmp_path, (TOOLS, 5 * HOUR), (CAFE, 60)) as app:
        answer = await asked(app, "qué decía el recibo?")
        assert answer.endswith(f":\n{CAFE}")
        assert "«CAFE LUNA»" in answer


async def test_a_typed_answer_counts_and_keeps_to_the_question(tmp_path: Path) -> None:
    async with shown(tmp_path, (TOOLS, 5 * HOUR), (CAFE, 5 * HOUR)) as app:
        await asked(app, "cuánto fue el total del recibo?")
        assert (await asked(app, "el de la ferretería")).endswith(":\nTOTAL  63,10 €")
        assert (await asked(app, "el de la ferretería")) == "echo: el de la ferretería"


async def test_of_many_a_list_is_offered(tmp_path: Path) -> None:
    pictures = [(f"TIENDA {letter}\nTOTAL  {n},50 €", float(HOUR)) for n, letter in enumerate("ABCDE", start=1)]
    async with shown(tmp_path, *pictures) as app:
        assert await asked(app, "qué decía el ticket?") == say(MEDIA.which_shown_of_many, "es")
        offered = choices(app)
        assert len(offered) == 5
        await app.graph.receive(PEOPLE[ALICE], list_reply(*offered[4]))
        await settle(app)
        assert app.replies_to(ALICE)[-1].endswith(":\nTIENDA A\nTOTAL  1,50 €")


async def test_a_receipt_that_came_as_a_document_is_one_of_them(tmp_path: Path) -> None:
    async with shown(tmp_path, (TOOLS, 5 * HOUR)) as app:
        await send(app, ALICE, "document", files.pdf(["x"]), filename="luz.pdf")
        await settle(app)
        await app.clock.advance(5 * HOUR)
        question = await asked(app, "qué decía el recibo?")
        assert "FERRETERIA LOPEZ" in question
        assert "luz" in question
        answer = await asked(app, "qué decía el recibo de la luz?")
        assert "TOTAL  81,20 €" in answer


async def test_a_day_without_any_is_not_answered_with_another_days_as_if_it_were(tmp_path: Path) -> None:
    async with shown(tmp_path, (TOOLS, HOUR), (CAFE, 5 * HOUR)) as app:
        question = await asked(app, "what did yesterday's receipt say?")
        assert len(choices(app)) == 2
        assert "CAFE LUNA" in question
