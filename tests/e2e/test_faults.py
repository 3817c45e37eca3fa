"""The model or Graph misbehaves: the user or the log learns it once, nothing is lost or sent twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import pytest
from structlog.testing import capture_logs

from app.database.db import Database
from app.language.catalogue import say
from app.llm.ollama import OllamaClient
from app.llm.profiles import profile_for
from app.pipeline.delivering.delivery import PROBE_S, UNKNOWN_GRACE_S
from app.pipeline.texts import PIPELINE
from tests.builders import ALICE, BOB, status
from tests.fakes.clock import FrozenClock
from tests.fakes.ollama import FakeOllama, Fault
from tests.harness import AppUnderTest, running_app

MODEL = "qwen3:8b"
TRIES = 4


@asynccontextmanager
async def app_with_ollama(tmp_path: Path, ollama: FakeOllama, **overrides: Any) -> AsyncIterator[AppUnderTest]:
    client = OllamaClient(
        "http://ollama.test", MODEL, context_tokens=4096, profile=profile_for(MODEL), transport=ollama.transport()
    )
    async with running_app(tmp_path, llm=client, **overrides) as app:
        yield app
    await client.aclose()


@pytest.mark.parametrize("fault", [fault for fault in get_args(Fault) if fault != "hang"])
async def test_when_ollama_fails_the_user_is_told_once_and_the_next_message_is_answered(
    tmp_path: Path, fault: Fault
) -> None:
    ollama = FakeOllama(MODEL)
    async with app_with_ollama(tmp_path, ollama) as app:
        ollama.fault = fault
        await app.receive(ALICE, "hello there")
        await app.let_time_pass()
        [excuse] = app.replies_to(ALICE)
        assert "ref 1" in excuse
        ollama.fault = None
        ollama.will_say("Hi", " again!")
        await app.say(ALICE, "are you back?")
        assert app.replies_to(ALICE) == [excuse, "Hi again!"]


async def test_a_model_that_is_not_there_is_named_to_the_user_and_the_log(tmp_path: Path) -> None:
    async with app_with_ollama(tmp_path, FakeOllama("another:1b")) as app:
        with capture_logs() as logs:
            await app.say(ALICE, "hello there")
        assert app.replies_to(ALICE) == [say(PIPELINE.model_missing, "en", ref=1)]
        errors = [entry for entry in logs if entry["log_level"] == "error"]
        assert [entry["code"] for entry in errors] == ["llm_model_missing"]
        assert f"ollama pull {MODEL}" in errors[0]["detail"]


async def test_a_model_that_hangs_is_cut_off_and_others_go_on(tmp_path: Path) -> None:
    ollama = FakeOllama(MODEL)
    ollama.fault = "hang"
    async with app_with_ollama(tmp_path, ollama, llm_timeout_s=0.05) as app:
        await app.say(ALICE, "hello there")
        assert app.replies_to(ALICE) == [say(PIPELINE.model_slow, "en", ref=1)]
        ollama.fault = None
        ollama.released.set()
        await app.say(BOB, "hello")
        assert app.replies_to(BOB) == ["hello"]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (("<think>the user greets me", " so I should"), say(PIPELINE.empty_answer, "en", ref=1)),
        (("<think>hm</think>", "Hello!"), "Hello!"),
        (("hm, let me see</think>Hello!",), "Hello!"),
    ],
)
async def test_thinking_never_reaches_the_user(tmp_path: Path, said: tuple[str, ...], shown: str) -> None:
    ollama = FakeOllama(MODEL)
    ollama.will_say(*said)
    ollama.will_say(*said)
    async with app_with_ollama(tmp_path, ollama) as app:
        await app.say(ALICE, "hello there")
        assert app.replies_to(ALICE) == [shown]


async def test_when_access_is_revoked_sending_stops_with_one_log_line_and_goes_on_later(app: AppUnderTest) -> None:
    app.graph.faults.fail_next(190, status=401, count=1)
    with capture_logs() as logs:
        await app.say(ALICE, "one")
        await app.say(BOB, "two")
        await app.say(ALICE, "three")
    assert app.graph.sends == []
    [paused] = [entry for entry in logs if entry["event"] == "delivery.paused"]
    assert "WHATSAPP_ACCESS_TOKEN" in paused["detail"]
    ready = (await app.http.get("/health/ready")).json()
    assert ready["delivery_pause"] == "graph_190"
    await app.clock.advance(PROBE_S)
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: one", "echo: three"]
    assert app.replies_to(BOB) == ["echo: two"]


@pytest.mark.parametrize(("code", "http_status"), [(130429, 429), (131056, 400), (131000, 500), (2, 503)])
async def test_a_passing_refusal_is_retried_in_order(app: AppUnderTest, code: int, http_status: int) -> None:
    app.graph.faults.fail_next(code, status=http_status, count=2)
    await app.say(ALICE, "one")
    await app.say(ALICE, "two")
    assert app.graph.sends == []
    async with asyncio.timeout(10):
        while len(app.graph.sends) < 2:
            await app.clock.advance(10)
            await app.idle()
    assert app.replies_to(ALICE) == ["echo: one", "echo: two"]


async def test_the_rate_of_one_person_does_not_hold_up_another(app: AppUnderTest) -> None:
    app.graph.faults.fail_next(131056)
    await app.say(ALICE, "one")
    await app.say(BOB, "two")
    assert app.replies_to(ALICE) == []
    assert app.replies_to(BOB) == ["echo: two"]


async def test_after_24_hours_the_reply_is_held_until_the_person_writes_again(app: AppUnderTest) -> None:
    app.graph.faults.fail_next(131047)
    with capture_logs() as logs:
        await app.say(ALICE, "one")
        await app.clock.advance(3600)
        await app.idle()
    assert app.graph.sends == []
    assert [e["event"] for e in logs if e["log_level"] == "error"] == ["outbox.held"]
    await app.say(ALICE, "two")
    assert app.replies_to(ALICE) == ["echo: one", "echo: two"]


async def test_a_reply_that_can_never_be_sent_is_dropped_with_one_log_line(app: AppUnderTest) -> None:
    app.graph.faults.fail_next(131026)
    with capture_logs() as logs:
        await app.say(ALICE, "one")
        await app.say(ALICE, "two")
    assert app.replies_to(ALICE) == ["echo: two"]
    assert [e["code"] for e in logs if e["event"] == "outbox.failed"] == ["graph_131026"]


async def test_a_send_without_an_answer_is_not_repeated_when_its_status_arrives(app: AppUnderTest) -> None:
    app.graph.faults.drop_next(is_recorded=True)
    await app.receive(ALICE, "one")
    await app.services.idle()
    [sent] = app.graph.sends
    await app.post(statuses=(status(sent.id, "sent", tracker=sent.tracker),))
    await app.clock.advance(UNKNOWN_GRACE_S * 3)
    await app.say(ALICE, "two")
    assert app.replies_to(ALICE) == ["echo: one", "echo: two"]


async def test_what_meta_took_is_not_sent_again_while_the_disk_does_not_take_that_it_did(
    app: AppUnderTest,
) -> None:
    async with Database.open(app.database) as disk:
        await disk.execute_script(
            "CREATE TRIGGER full BEFORE UPDATE ON outbox WHEN OLD.state = 'sending' AND NEW.state <> 'sending'"
            " BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
        with capture_logs() as logs:
            await app.receive(ALICE, "one")
            async with asyncio.timeout(30):
                # Each failure to write it down is one more chance to send it again.
                while [entry["event"] for entry in logs].count("lane.step_failed") < TRIES:
                    await app.clock.advance(1)
        await disk.execute_script("DROP TRIGGER full")
    await app.clock.advance(UNKNOWN_GRACE_S * 2)
    await app.say(ALICE, "two")
    assert app.replies_to(ALICE) == ["echo: one", "echo: two"]


async def test_a_send_that_was_never_taken_is_repeated_after_a_while(app: AppUnderTest) -> None:
    app.graph.faults.drop_next(is_recorded=False)
    await app.say(ALICE, "one")
    assert app.graph.sends == []
    await app.clock.advance(UNKNOWN_GRACE_S)
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: one"]


async def test_a_send_that_another_process_began_is_not_made_a_second_time(app: AppUnderTest) -> None:
    app.graph.faults.fail_next(131000, status=500)
    await app.say(ALICE, "one")
    async with Database.open(app.database) as other, other.transaction() as tx:
        [row] = await tx.fetch_all("UPDATE outbox SET state = 'sending' RETURNING tracker")
    await app.clock.advance(UNKNOWN_GRACE_S / 2)
    await app.idle()
    assert app.graph.sends == []
    await app.post(statuses=(status("wamid.sent-elsewhere", "sent", tracker=row["tracker"]),))
    await app.clock.advance(UNKNOWN_GRACE_S * 3)
    await app.say(ALICE, "two")
    assert app.replies_to(ALICE) == ["echo: two"]


async def test_while_graph_hangs_messages_are_taken_and_nothing_is_sent_twice(tmp_path: Path) -> None:
    async with running_app(tmp_path, clock=FrozenClock()) as app:
        app.graph.faults.hang_next(is_recorded=True)
        await app.receive(ALICE, "one")
        async with asyncio.timeout(5):
            await app.graph.faults.hanging.wait()
        await app.receive(ALICE, "two")
        await app.receive(BOB, "me too")
        async with asyncio.timeout(5):
            while not app.replies_to(BOB):
                await asyncio.sleep(0)
        app.graph.faults.release()
        await app.idle()
        assert app.replies_to(ALICE) == ["echo: one", "echo: two"]


async def test_a_message_that_meta_failed_to_deliver_for_a_passing_reason_is_sent_again(app: AppUnderTest) -> None:
    app.graph.faults.undeliverable_next(131000)
    await app.say(ALICE, "one")
    assert len(app.graph.sends) == 1
    await app.clock.advance(60)
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: one", "echo: one"]
    first = app.graph.sends[0]
    await app.post(statuses=(status(first.id, "failed", tracker=first.tracker, error_code=131000),))
    await app.clock.advance(600)
    await app.idle()
    assert len(app.graph.sends) == 2


async def test_a_message_that_meta_refused_to_deliver_is_not_sent_again(app: AppUnderTest) -> None:
    app.graph.faults.undeliverable_next(131026)
    with capture_logs() as logs:
        await app.say(ALICE, "one")
        await app.clock.advance(600)
        await app.idle()
    assert len(app.graph.sends) == 1
    assert [e["action"] for e in logs if e["event"] == "outbox.failed_later"] == ["drop"]
