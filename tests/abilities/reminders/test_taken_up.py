"""A time that answers an offer, or a card that was passed over, sets it; a bare number keeps its unit."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.reminders.asked_times import with_unit
from tests.abilities.reminders.test_reminders import NOW, rows
from tests.builders import ALICE, BOB
from tests.e2e.asking import until_asked
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.fakes.clock import FrozenClock

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            ["order me a curry for Friday", "and what would it cost?", "alright, tomorrow at 5pm"],
            ("order me a curry for Friday", "2026-11-19T17:00:00", ""),
        ),
        (
            ["turn the heating down", "yes please, in 40 minutes"],
            ("turn the heating down", "2026-11-18T11:10:00", ""),
        ),
        (
            ["consigueme un taxi para mañana", "sí, hoy a las 21"],
            ("consigueme un taxi para mañana", "2026-11-18T21:00:00", ""),
        ),
        (
            ["apagá el ventilador", "bueno, recordámelo a las 15"],
            ("apagá el ventilador", "2026-11-18T15:00:00", ""),
        ),
    ],
)
async def test_an_offer_is_taken_up_with_a_time(
    tmp_path: Path, encoder: LocalEmbedder, said: list[str], expected: tuple[str, str, str]
) -> None:
    async with small_app(tmp_path, encoder, clock=FrozenClock(NOW)) as (app, llm):
        for one in said:
            await app.say(ALICE, one)
        assert rows(app) == [expected]
        assert llm.requests == []


@pytest.mark.parametrize("said", ["a las 15 tengo dentista con Ema", "ok", "does it close at 5pm?"])
async def test_what_only_names_an_hour_takes_nothing_up(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    async with small_app(tmp_path, encoder, *["Ok."] * 4, clock=FrozenClock(NOW)) as (app, _):
        await app.say(ALICE, "order me a curry")
        await app.say(ALICE, said)
        assert rows(app) == []


async def test_an_offer_to_somebody_else_is_not_taken_up(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, *["Ok."] * 4, clock=FrozenClock(NOW)) as (app, _):
        await app.say(ALICE, "order me a curry")
        await app.say(BOB, "ok, at 5pm")
        assert rows(app) == []


async def test_another_time_in_the_place_of_a_tap_sets_it(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, clock=FrozenClock(NOW)) as (app, llm):
        await app.receive(ALICE, "give me a ring in 15 minutes so that I take the bread out")
        await until_asked(app, ALICE)
        await app.receive(ALICE, "actually make it 25")
        await app.idle()
        assert rows(app) == [("I take the bread out", "2026-11-18T10:55:00", "")]
        assert llm.requests == []


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("remind me on wednesday at 5pm to fetch the kite", "and on friday at 9am to buy string", "buy string"),
        (
            "recordame el miércoles a las 5 de la tarde ir al taller",
            "y el viernes a las 9 am comprar cal",
            "comprar cal",
        ),
    ],
)
async def test_another_one_is_set_while_the_first_is_asked_about(
    tmp_path: Path, encoder: LocalEmbedder, first: str, second: str, kept: str
) -> None:
    async with small_app(tmp_path, encoder, clock=FrozenClock(NOW)) as (app, llm):
        await app.receive(ALICE, first)
        await until_asked(app, ALICE)
        await app.receive(ALICE, second)
        await app.idle()
        assert rows(app) == [(kept, "2026-11-20T09:00:00", "")]
        assert llm.requests == []


@pytest.mark.parametrize(
    ("first", "said", "due"),
    [
        ("recordame en 15 minutos sacar el pan", ["mejor en 45"], "2026-11-18T11:15:00"),
        ("recordame en 15 minutos sacar el pan", ["no, en media hora", "mejor 50"], "2026-11-18T11:20:00"),
        ("recordame en 15 minutos sacar el pan", ["mejor a las 14"], "2026-11-18T14:00:00"),
        ("remind me in 25 minutes to call the vet", ["make it 40"], "2026-11-18T11:10:00"),
        ("remind me in 25 minutes to call the vet", ["thanks", "no, in two hours"], "2026-11-18T12:30:00"),
        ("remind me in 3 hours to call the vet", ["make it 4"], "2026-11-18T14:30:00"),
    ],
)
async def test_a_bare_number_moves_it_by_the_unit_that_was_said(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: list[str], due: str
) -> None:
    call = json.dumps({"set_reminder": {"text": first}})
    async with small_app(tmp_path, encoder, call, "Ok!", clock=FrozenClock(NOW)) as (app, _):
        for one in (first, *said):
            await app.say(ALICE, one)
        assert [at for _, at, _ in rows(app)] == [due]


@pytest.mark.parametrize(
    ("said", "before"),
    [
        ("make it 9", "remind me at 8 to call"),
        ("make it 9", "remind me 20 minutes before the match at 5"),
        ("mejor a las 9", "recordame en 20 min llamar"),
        ("mejor 9 huevos", "recordame en 20 min llamar"),
        ("mejor 9", "en 20 min salgo"),
        ("mejor en 9?", "recordame en 20 min llamar"),
    ],
)
def test_a_number_of_something_else_stays_as_it_is(said: str, before: str) -> None:
    assert with_unit(said, [before], datetime(2026, 11, 18, 10), "es") == said
