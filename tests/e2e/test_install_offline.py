"""Installing by message where nothing is fetched: `npx` and `uvx` are scripts that start a server of ours."""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.skills.router import REQUEST_MORE_TOOLS_NAME
from app.whatsapp.marks import WORD_JOINER
from tests.builders import ALICE
from tests.e2e.asking import button_of, calls, press, results
from tests.e2e.installing import chatting, check_gone, find, install, use, what_it_said
from tests.fakes.mcp import children, is_alive, script, until
from tests.fakes.registries import entry, make_launchers, package

pytestmark = pytest.mark.lengthy

RUNS = "npx -y @acme/echo@1.2.3"


@pytest.fixture(autouse=True)
def _launchers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{make_launchers(tmp_path / 'home')}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


async def test_a_server_is_installed_used_and_removed_by_message(tmp_path: Path) -> None:
    async with chatting(tmp_path / "data", entry(packages=[package()])) as chat:
        before = children()
        await find(chat, "io.github.acme/echo", RUNS)
        category = await install(chat, "echo", RUNS)
        assert category == "echo"
        assert "good morning" in await use(
            chat, category, "echo good morning", "mcp_echo_echo", {"text": "good morning"}
        )
        assert "echo" in await chat.says("/mcp remove echo")
        await check_gone(chat, category, before)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who descends from whom")
async def test_what_a_removed_server_left_in_a_session_of_its_own_is_ended(tmp_path: Path) -> None:
    async with chatting(tmp_path / "data", entry(packages=[package()]), tool_confirmation="yolo") as chat:
        before = children()
        await find(chat, "io.github.acme/echo", RUNS)
        category = await install(chat, "echo", RUNS)
        chat.app.llm.category = category
        await chat.says("start the daemon", calls(("mcp_echo_have_daemon", {})), "It runs.")
        daemon = int(results(chat.app)[-1])
        assert is_alive(daemon)
        try:
            await chat.says("/mcp remove echo")
            await until(lambda: not is_alive(daemon))
        finally:
            with suppress(ProcessLookupError):
                os.kill(daemon, signal.SIGKILL)
        await check_gone(chat, category, before)


async def test_a_server_is_found_and_installed_with_a_choice_and_a_button_and_no_model(tmp_path: Path) -> None:
    async with chatting(tmp_path / "data", entry(packages=[package()])) as chat:
        before = children()

        async def presses(button: str) -> str:
            count = len(chat.app.replies_to(ALICE))
            await press(chat.app, ALICE, button)
            await until(lambda: len(chat.app.replies_to(ALICE)) > count)
            return chat.app.replies_to(ALICE)[-1].replace(WORD_JOINER, "")

        assert "1" in await chat.says("/mcp search echo")
        assert RUNS in await presses("/mcp install io.github.acme/echo")
        assert (children(), chat.written()) == (before, {})
        await presses(button_of(chat.app.graph.sends[-1]))
        assert list(chat.written()) == ["echo"]
        assert chat.app.llm.requests == []
        assert "good morning" in await use(
            chat, "echo", "echo good morning", "mcp_echo_echo", {"text": "good morning"}
        )
        await chat.says("/mcp undo")
        await check_gone(chat, "echo", before)


@pytest.mark.parametrize("name", ["time", "none"])
async def test_the_category_that_is_told_brings_the_tools_even_where_a_builtin_one_has_the_servers_name(
    tmp_path: Path, name: str
) -> None:
    listed = entry(f"io.github.acme/{name}", packages=[package()])
    async with chatting(tmp_path / "data", listed) as chat:
        await find(chat, f"io.github.acme/{name}", RUNS)
        category = await install(chat, name, RUNS)
        tool = f"mcp_{name}_echo"
        chat.app.llm.category = "expand"
        asked = {"categories": [category], "reason": "it is new"}
        question = await chat.says(
            "say hello through it",
            calls((REQUEST_MORE_TOOLS_NAME, asked)),
            calls((tool, {"text": "hello"})),
            what_it_said,
        )
        assert tool in question
        assert "hello" in await chat.presses("y")


async def test_a_server_sees_what_its_owner_passes_on_and_nothing_else_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGISTRY_CACHE", "/somewhere")
    monkeypatch.setenv("NOT_PASSED_ON", "ours alone")
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    servers = {"mcpServers": {"one": script(env={"ITS_OWN": "7"}).as_written()}}
    (data_dir / "mcp_servers.json").write_text(json.dumps(servers), "utf-8")
    passed = ("REGISTRY_CACHE", "NOWHERE_TO_BE_FOUND")
    with capture_logs() as logs:
        async with chatting(data_dir, mcp_passed_env=passed, tool_confirmation="yolo") as chat:
            async with asyncio.timeout(60):
                while "environment" not in await chat.says("/mcp one"):
                    """Each look is a turn of its own."""
            chat.app.llm.category = "one"
            await chat.says("show the environment", calls(("mcp_one_environment", {})), "There you are.")
            [shown] = results(chat.app)
            assert chat.app.replies_to(ALICE)[-1] == "There you are."
    seen = json.loads(shown)
    assert seen.keys() == {"PATH", "HOME", "TMPDIR", "LANG", "REGISTRY_CACHE", "ITS_OWN"}
    assert (seen["REGISTRY_CACHE"], seen["ITS_OWN"]) == ("/somewhere", "7")
    [warning] = [one for one in logs if one["event"] == "mcp.passed_env_absent"]
    assert warning["names"] == ("NOWHERE_TO_BE_FOUND",)
