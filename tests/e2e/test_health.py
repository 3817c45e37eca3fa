"""Health: alive as long as the process answers, ready only when messages can be taken and answered."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from app.database.db import Database
from app.domain.chat import ModelState
from app.webhook.health import HELD_S, Readiness, create_routes
from tests.builders import ALICE, text_message
from tests.harness import AppUnderTest, running_app

FIELDS = {
    "status",
    "role",
    "database_writable",
    "loops_alive",
    "model",
    "vector_index",
    "oldest_pending_at",
    "last_webhook_at",
    "last_sent_at",
    "delivery_pause",
}
READY = Readiness(
    is_database_writable=True,
    are_loops_alive=True,
    model=ModelState("some-model", "ready"),
    vector_index="sqlite-vec",
    oldest_pending_at=None,
    last_webhook_at=None,
    last_sent_at=None,
    delivery_pause=None,
)


async def readiness(app: AppUnderTest) -> tuple[int, dict[str, Any]]:
    """What it tells now; what it found a moment ago it would tell again."""
    await app.clock.advance(HELD_S)
    response = await app.http.get("/health/ready")
    return response.status_code, response.json()


async def answer_to(found: Readiness) -> httpx.Response:
    """What the route says when the application reports this about itself."""

    async def probe() -> Readiness:
        return found

    app = FastAPI()
    app.router.routes.extend(create_routes(probe, time.monotonic))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app.test") as http:
        return await http.get("/health/ready")


@pytest.mark.parametrize("path", ["/health", "/health/live"])
async def test_a_running_process_is_alive(app: AppUnderTest, path: str) -> None:
    response = await app.http.get(path)
    assert (response.status_code, response.json()) == (200, {"status": "alive"})


@pytest.mark.parametrize("path", ["/health", "/health/live"])
async def test_a_process_whose_model_is_down_is_still_alive(app: AppUnderTest, path: str) -> None:
    app.llm.model_state = ModelState("scripted", "unavailable")
    assert (await app.http.get(path)).status_code == 200


async def test_when_all_is_well_it_is_ready_and_every_field_is_there(app: AppUnderTest) -> None:
    status, found = await readiness(app)
    assert (status, found["status"]) == (200, "ready")
    assert set(found) == FIELDS
    assert found["database_writable"] is True
    assert found["loops_alive"] is True
    assert found["model"] == {"name": "scripted", "state": "ready", "detail": "", "progress": None, "waiting": 0}
    assert found["vector_index"] in {"sqlite-vec", "brute force"}
    assert (found["oldest_pending_at"], found["last_webhook_at"], found["last_sent_at"]) == (None, None, None)
    assert found["delivery_pause"] is None


@pytest.mark.parametrize(
    "state",
    [
        ModelState("scripted", "unavailable", "run `ollama pull scripted`"),
        ModelState("scripted", "fetching", progress=0.25),
        ModelState("scripted", "loading"),
    ],
    ids=lambda state: state.state,
)
async def test_without_a_model_it_is_not_ready_and_says_why(app: AppUnderTest, state: ModelState) -> None:
    app.llm.model_state = state
    status, found = await readiness(app)
    assert (status, found["status"]) == (503, "not_ready")
    assert found["model"] == {
        "name": state.name,
        "state": state.state,
        "detail": state.detail,
        "progress": state.progress,
        "waiting": 0,
    }
    app.llm.model_state = ModelState("scripted", "ready")
    assert (await readiness(app))[0] == 200


@pytest.mark.sqlite("its counter of changes tells whether anything was written")
async def test_who_asks_often_makes_it_neither_write_nor_ask_the_model(app: AppUnderTest) -> None:
    assert (await readiness(app))[0] == 200
    app.llm.model_state = ModelState("scripted", "unavailable")
    async with Database.open(app.database) as other:
        before = await other.fetch_all("PRAGMA data_version")
        for _ in range(20):
            assert (await app.http.get("/health/ready")).status_code == 200
        assert await other.fetch_all("PRAGMA data_version") == before
    assert (await readiness(app))[0] == 503


async def test_a_conversation_leaves_the_times_of_its_webhook_and_its_answer(app: AppUnderTest) -> None:
    now = app.clock.now().isoformat(timespec="seconds")
    await app.say(ALICE, "hello")
    _, found = await readiness(app)
    assert (found["last_webhook_at"], found["last_sent_at"]) == (now, now)
    assert found["oldest_pending_at"] is None


async def test_the_oldest_message_that_waits_is_named_until_it_is_answered(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=60_000) as app:
        first_at = app.clock.now().isoformat(timespec="seconds")
        await app.receive(ALICE, "one")
        await app.clock.advance(30)
        await app.receive(ALICE, "two")
        assert (await readiness(app))[1]["oldest_pending_at"] == first_at
        await app.clock.advance(61)
        await app.idle()
        assert (await readiness(app))[1]["oldest_pending_at"] is None


async def test_a_database_that_cannot_be_read_makes_it_not_ready(app: AppUnderTest) -> None:
    async with Database.open(app.database) as other:
        await other.execute_script("ALTER TABLE inbox RENAME TO gone")
        status, found = await readiness(app)
        await other.execute_script("ALTER TABLE gone RENAME TO inbox")
    assert (status, found["status"], found["database_writable"]) == (503, "not_ready", False)
    assert (await readiness(app))[0] == 200


@pytest.mark.sqlite("its file is damaged")
async def test_a_webhook_is_not_acknowledged_when_the_database_is_damaged(app: AppUnderTest) -> None:
    path = app.data_dir / "wasap.db"
    await app.say(ALICE, "hello")
    async with Database.open(path) as other:
        await other.fetch_all("PRAGMA wal_checkpoint(TRUNCATE)")
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
    assert await app.post(text_message("are you there?")) == 503
    assert (await readiness(app))[0] == 503
    path.write_bytes(data)


async def test_nothing_about_people_is_told(app: AppUnderTest) -> None:
    await app.say(ALICE, "a private thing")
    text = (await app.http.get("/health/ready")).text
    assert ALICE not in text
    assert "private" not in text


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (READY, 200),
        (replace(READY, is_database_writable=False), 503),
        (replace(READY, are_loops_alive=False), 503),
        (replace(READY, delivery_pause="graph_190"), 200),
    ],
    ids=["well", "database", "loops", "sending paused"],
)
async def test_it_is_ready_when_messages_can_be_taken_and_answered(found: Readiness, status: int) -> None:
    response = await answer_to(found)
    assert response.status_code == status
    assert response.json()["status"] == ("ready" if status == 200 else "not_ready")


async def test_times_are_told_with_their_zone() -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    body = (await answer_to(replace(READY, last_sent_at=at))).json()
    assert body["last_sent_at"] == "2026-01-02T03:04:05+00:00"


async def test_what_only_looks_ahead_runs_no_handler(app: AppUnderTest) -> None:
    plain = [one for one in app.services.routes if one.methods == {"GET"}]
    assert {"/", "/oauth/mcp/callback", "/health", "/webhook"} <= {one.path for one in plain}
    for one in plain:
        answer = await app.http.head(one.path.replace("{rest:path}", "in/x"))
        assert answer.status_code == 405, one.path
