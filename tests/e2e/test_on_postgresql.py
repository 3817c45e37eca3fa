"""The whole service on PostgreSQL: webhook in, Graph out, and the password of its address nowhere."""

import asyncio
import logging
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.cli.doctor.machine import check_database
from app.cli.main import verify_audit
from app.domain.chat import ChatResponse
from app.domain.errors import ConfigError
from app.simulator import payloads
from tests.builders import ALICE, BOB, text_message
from tests.fakes.llm import ScriptedChatModel
from tests.harness import PEOPLE, WAIT_S, make_settings, running_app
from tests.postgresql import Server

PASSWORD = "s3cr3t-of-ours"


@pytest.fixture
def url(postgresql: Server) -> str:
    """The server lets everybody in, whatever their password."""
    return postgresql.clean().replace("postgres@", f"postgres:{PASSWORD}@")


async def test_a_message_is_answered_once_and_a_restart_knows_what_was_said(tmp_path: Path, url: str) -> None:
    async with running_app(tmp_path, database_url=url) as app:
        await app.say(ALICE, "my plant is a fern")
        for _ in range(2):
            assert await app.post(text_message("just once", sender=BOB, id="wamid.again")) == 200
            await app.idle()
        assert len(app.replies_to(ALICE)) == 1
        assert len(app.replies_to(BOB)) == 1
    async with running_app(tmp_path, database_url=url) as again:
        await again.say(ALICE, "and what is it?")
        assert len(again.replies_to(ALICE)) == 1
        assert any("fern" in message.content for message in again.llm.requests[-1].messages)
    assert not (tmp_path / "wasap.db").exists()


async def test_messages_of_ten_people_are_answered_in_their_order(tmp_path: Path, url: str) -> None:
    people = [f"54911555{number:05}" for number in range(10)]
    async with running_app(tmp_path, database_url=url, allowed_phone_numbers=(ALICE, *people)) as app:
        for number in range(6):
            assert await app.post(*(text_message(f"message {number}", sender=one) for one in people)) == 200
            await app.idle()
        for one in people:
            assert [reply.split()[-1] for reply in app.replies_to(one)] == [str(number) for number in range(6)]


async def test_what_is_taken_back_is_gone_and_what_is_edited_is_known(tmp_path: Path, url: str) -> None:
    async with running_app(tmp_path, database_url=url) as app:
        first = await app.say(ALICE, "my plant is a fern")
        second = await app.say(ALICE, "my cat is grey")
        await app.graph.receive(PEOPLE[ALICE], payloads.revoke(first))
        await app.graph.receive(PEOPLE[ALICE], payloads.edit(second, payloads.text("my cat is white")))
        await app.idle()
        await app.say(ALICE, "well?")
        prompt = [message.content for message in app.llm.requests[-1].messages if message.role == "user"]

    assert not any("fern" in text or "grey" in text for text in prompt)
    assert any("white" in text for text in prompt)


async def test_while_the_server_is_gone_webhooks_are_refused_and_their_repetition_is_answered(
    tmp_path: Path, url: str, postgresql: Server
) -> None:
    message = text_message("are you there?", sender=ALICE, id="wamid.repeated")
    async with running_app(tmp_path, database_url=url) as app:
        try:
            await asyncio.to_thread(postgresql.stop)
            refused = await app.post(message)
        finally:
            await asyncio.to_thread(postgresql.start)
        async with asyncio.timeout(WAIT_S):
            while await app.post(message) != 200:
                await asyncio.sleep(0)
        await app.idle()

        assert refused == 503
        assert len(app.replies_to(ALICE)) == 1


async def test_a_turn_that_the_server_left_in_the_middle_is_answered_when_it_is_back_and_before_what_came_later(
    tmp_path: Path, url: str, postgresql: Server
) -> None:
    llm = ScriptedChatModel(echo=True)
    async with running_app(tmp_path, database_url=url, llm=llm) as app:
        llm.block()
        await app.receive(ALICE, "good morning")
        async with asyncio.timeout(WAIT_S):
            await llm.started.wait()
        await app.receive(ALICE, "good evening")
        try:
            await asyncio.to_thread(postgresql.stop)
            with capture_logs() as logs:
                llm.release()
                async with asyncio.timeout(WAIT_S):
                    while not any(entry["event"] == "lane.step_failed" for entry in logs):
                        await asyncio.sleep(0)
        finally:
            await asyncio.to_thread(postgresql.start)
        async with asyncio.timeout(WAIT_S):
            while len(app.replies_to(ALICE)) < 2:
                await app.clock.advance(1)

        assert app.replies_to(ALICE) == ["echo: good morning", "echo: good evening"]


async def test_two_services_never_serve_from_one_database(tmp_path: Path, url: str) -> None:
    async with running_app(tmp_path / "one", database_url=url):
        with pytest.raises(ConfigError, match="another process"):
            async with running_app(tmp_path / "two", database_url=url):
                pass


async def test_the_password_is_in_no_log_answer_check_or_audit(
    tmp_path: Path, url: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    llm = ScriptedChatModel(ChatResponse(text="", tool_calls=()), echo=True)
    async with running_app(tmp_path, database_url=url, llm=llm) as app:
        for text in ("hi", "/status", "/why", "/help"):
            await app.say(ALICE, text)
        said = "\n".join(app.replies_to(ALICE))
    settings = make_settings(tmp_path, database_url=url)
    outcome = await check_database(settings)
    whole = await verify_audit(settings.database, tmp_path / "audit.head")
    shown = capsys.readouterr()

    assert "PostgreSQL 1" in said
    assert outcome.status == "ok"
    assert "PostgreSQL 1" in repr(outcome)
    assert whole == []
    everything = (said, repr(outcome), repr(settings), caplog.text, shown.out, shown.err)
    assert [text for text in everything if PASSWORD in text] == []
    assert PASSWORD in settings.secrets
    assert files_with(PASSWORD, tmp_path) == []


def files_with(word: str, folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and word in path.read_text(errors="replace")]


async def test_a_server_that_refuses_is_named_by_the_check_with_what_to_do(tmp_path: Path) -> None:
    pytest.importorskip("asyncpg")
    settings = make_settings(tmp_path, database_url=f"postgresql://ann:{PASSWORD}@127.0.0.1:1/wasap")

    outcome = await check_database(settings)

    assert outcome.status == "failed"
    assert "127.0.0.1:1/wasap" in repr(outcome)
    assert PASSWORD not in repr(outcome)
