"""A time that names no hour is asked for, with the likely hours to tap; one that names an hour is taken."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.abilities.reminders.test_reminders import NOW, rows
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.fakes.clock import FrozenClock

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "what", "likely", "answer", "at"),
    [
        ("remind me tomorrow in the morning to ring the vet", "ring the vet", "9:00", "at 10:30", "10:30"),
        ("remind me after work to post the parcel", "post the parcel", "18:00", "at 6:30", "18:30"),
        ("remind me on my way home from school to post the parcel", "post the parcel", "17:00", "at 4pm", "16:00"),
        ("recordame a primera hora pagar la luz", "pagar la luz", "8:00", "a las 8:30", "08:30"),
        ("recordame a la salida de la oficina pagar la luz", "pagar la luz", "18:00", "a las 19", "19:00"),
        ("recordame mañana al volver de la escuela pagar la luz", "pagar la luz", "17:00", "a las 16:30", "16:30"),
        ("recordame mañana antes de ir al trabajo pagar la luz", "pagar la luz", "7:00", "a las 7:15", "07:15"),
    ],
)
async def test_the_hour_is_asked_with_the_likely_one_first(
    tmp_path: Path, encoder: LocalEmbedder, said: str, what: str, likely: str, answer: str, at: str
) -> None:
    call = json.dumps({"set_reminder": {"text": said}})
    async with small_app(tmp_path, encoder, call, call, clock=FrozenClock(NOW)) as (app, _):
        await app.say(ALICE, said)
        assert rows(app) == []
        card = next(one for one in app.replies_to(ALICE) if "\n• " in one)
        assert card.startswith(f"{what}\n")
        assert card.split("\n• ")[1].endswith(f" {likely}")
        await app.say(ALICE, answer)
        assert [(text, due[11:16]) for text, due, _ in rows(app)] == [(what, at)]


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("remind me at 6 after work to post the parcel", "2026-11-18T18:00:00"),
        ("recordame mañana a las 7 de la mañana pagar la luz", "2026-11-19T07:00:00"),
        ("recordame mañana pagar la luz", "2026-11-19T09:00:00"),
        ("remind me tonight to post the parcel", "2026-11-18T21:00:00"),
    ],
)
async def test_other_times_are_taken(tmp_path: Path, encoder: LocalEmbedder, said: str, due: str) -> None:
    call = json.dumps({"set_reminder": {"text": said}})
    async with small_app(tmp_path, encoder, call, clock=FrozenClock(NOW)) as (app, _):
        await app.say(ALICE, said)
        assert [at for _, at, _ in rows(app)] == [due]
