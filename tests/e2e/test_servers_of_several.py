"""A server that one worker installs by message is at hand in all of them, and gone from all once it is removed."""

import asyncio
import os
from pathlib import Path
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from app.simulator import payloads
from app.simulator.transcript import RecordedSend
from tests.builders import ALICE
from tests.e2e.asking import button_of, calls, is_question
from tests.e2e.installing import what_it_said
from tests.e2e.test_install_by_message import parent_of
from tests.e2e.test_roles import Parts, running
from tests.fakes.llm import ScriptedChatModel
from tests.fakes.mcp import children, until
from tests.fakes.registries import OFFICIAL, SMITHERY, Registries, entry, make_launchers, package
from tests.harness import PEOPLE
from tests.postgresql import Server

PATIENCE_S = 50


async def says(parts: Parts, text: str) -> str:
    """Let Alice write; returns what she reads next."""
    return await _next(parts, payloads.text(text))


async def presses(parts: Parts, button: str) -> str:
    return await _next(parts, payloads.button_reply(button, "Yes"))


async def _next(parts: Parts, content: dict[str, Any]) -> str:
    count = len(parts.graph.sends)
    assert (await parts.graph.receive(PEOPLE[ALICE], content)).webhook_status == 200
    await until(lambda: len(parts.graph.sends) > count, timeout_s=PATIENCE_S)
    await parts.graph.idle()
    return parts.graph.sends[-1].text


async def asks(parts: Parts, text: str) -> str:
    """Say something that must be asked about; returns the button of the question, whatever else is sent."""
    count = len(questions(parts))
    await says(parts, text)
    await until(lambda: len(questions(parts)) > count, timeout_s=PATIENCE_S)
    return button_of(questions(parts)[-1])


def questions(parts: Parts) -> list[RecordedSend]:
    return [one for one in parts.graph.sends if is_question(one)]


def servers(before: set[int]) -> int:
    """How many servers run, counted by the process that watches over each."""
    return len({pid for pid in children() - before if parent_of(pid) == os.getpid()})


async def test_all_workers_have_a_server_that_one_installs_and_none_after_its_removal(
    tmp_path: Path, postgresql: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{make_launchers(tmp_path / 'home')}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    url = postgresql.clean()
    before, model = children(), ScriptedChatModel()
    model.category = "echo"
    async with (
        asyncio.timeout(3 * PATIENCE_S),
        running(
            tmp_path / "data",
            url,
            *("web", "worker", "worker"),
            model=model,
            internet=httpx.MockTransport(Registries([entry(packages=[package()])]).answer),
            mcp_registry_url=OFFICIAL,
            smithery_registry_url=SMITHERY,
        ) as parts,
    ):
        with capture_logs() as logs:
            assert "echo" in await presses(parts, await asks(parts, "/mcp install io.github.acme/echo"))
            await until(lambda: [one["event"] for one in logs].count("mcp.connected") == 2, timeout_s=PATIENCE_S)
        assert servers(before) == 2
        for word in ("morning", "evening"):
            model.add(calls(("mcp_echo_echo", {"text": f"good {word}"})), what_it_said)
            yes = f"{await asks(parts, f'echo good {word}')}:y"
            assert f"good {word}" in await presses(parts, yes)
        assert "echo" in await says(parts, "/mcp remove echo")
        await until(lambda: servers(before) == 0, timeout_s=PATIENCE_S)
        model.add("I cannot do that.")
        await says(parts, "echo good night")
        assert [tool.name for tool in model.requests[-1].tools if tool.name.startswith("mcp_")] == []
    assert servers(before) == 0
