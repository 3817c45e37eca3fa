"""All servers together: brought up in the background, added and removed by anybody, at any moment."""

import asyncio
import json
import socket
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import uvicorn
from mcp.server import MCPServer
from mcp.types import CallToolResult
from starlette.types import ASGIApp

from app.domain.chat import ToolCall
from app.domain.tools import BaseTool
from app.domain.turn import TurnContext
from app.language.catalogue import Language, say
from app.mcp.adapter import MCPToolAdapter
from app.mcp.config import ServerConfig
from app.mcp.connecting.calls import CallFailed
from app.mcp.connecting.filtering import MAX_TOOLS
from app.mcp.connecting.host import Retries
from app.mcp.connecting.transports import Transports
from app.mcp.manager import McpManager
from app.mcp.texts import MCP
from app.skills.catalog import ToolCatalog
from tests.fakes.mcp import (
    MemoryConnector,
    States,
    is_alive,
    running_manager,
    script,
    sdk_server,
    text_of,
    turn_of,
    until,
)
from tests.fakes.registries import commands_over

ROOT = Path(__file__).resolve().parents[1]
IN_MEMORY = ServerConfig(command="in-memory")


async def call(manager: McpManager, server: str, tool: str, **arguments: object) -> str:
    return text_of(await manager.call(server, tool, arguments, turn_of()))


@asynccontextmanager
async def served(app: ASGIApp, port: int = 0) -> AsyncIterator[int]:
    """Serve an application on loopback; its connections are cut when the block ends."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        config = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=0)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]), name="fake-http-server")
        await until(lambda: server.started)
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await task


async def test_three_servers_are_removed_by_three_tasks_first_come_first_gone(tmp_path: Path) -> None:
    async with running_manager(tmp_path) as manager:
        await asyncio.gather(*(manager.hot_add_server(name, script()) for name in "abc"))
        pids = {name: int(await call(manager, name, "pid")) for name in "abc"}
        assert await asyncio.create_task(manager.hot_remove_server("a"))
        assert not is_alive(pids["a"])
        assert {tool.skill for tool in manager.list_tools()} == {"b", "c"}
        assert await call(manager, "b", "echo", text="still") == "still"
        assert await asyncio.create_task(manager.hot_remove_server("c"))
        assert await call(manager, "b", "echo", text="here") == "here"
        assert not await manager.hot_remove_server("c")


async def test_who_gives_up_adding_or_removing_stops_nothing_else(tmp_path: Path) -> None:
    async with running_manager(tmp_path) as manager:
        await manager.hot_add_server("calm", script())
        adding = asyncio.create_task(manager.hot_add_server("s", script("--hang-at-start")))
        await until(lambda: manager.find_server("s") is not None)
        adding.cancel()
        await asyncio.wait({adding})
        removing = asyncio.create_task(manager.hot_remove_server("s"))
        await asyncio.sleep(0)
        removing.cancel()
        await asyncio.wait({removing})
        assert manager.find_server("s") is None
        assert await call(manager, "calm", "echo", text="x") == "x"


async def test_a_server_can_be_added_again_while_the_old_one_is_still_ending(tmp_path: Path) -> None:
    async with running_manager(tmp_path) as manager:
        await manager.hot_add_server("s", script("--stubborn"))
        first = int(await call(manager, "s", "pid"))
        removing = asyncio.create_task(manager.hot_remove_server("s"))
        await until(lambda: manager.find_server("s") is None)
        info = await manager.hot_add_server("s", script())
        assert info.state == "ready"
        assert not is_alive(first)
        assert await removing
        assert await call(manager, "s", "echo", text="new") == "new"


async def test_a_start_waits_for_no_server_and_survives_a_broken_one(tmp_path: Path) -> None:
    servers = {
        "hangs": script("--hang-at-start").as_written(),
        "dies": script("--die-at-start").as_written(),
        "works": script().as_written(),
        "off": {**script().as_written(), "disabled": True},
        "broken": {"args": 5},
    }
    (tmp_path / "mcp_servers.json").write_text(json.dumps({"mcpServers": servers}), "utf-8")
    async with running_manager(tmp_path) as manager:
        manager.start()
        assert {info.name: info.state for info in manager.list_servers()} == {
            "hangs": "connecting",
            "dies": "connecting",
            "works": "connecting",
        }
        assert [entry.name for entry in manager.skipped] == ["broken"]
        await until(lambda: {tool.skill for tool in manager.list_tools()} == {"works"})


async def test_a_file_that_cannot_be_read_is_said_and_servers_can_still_be_added(tmp_path: Path) -> None:
    (tmp_path / "mcp_servers.json").write_text("{", "utf-8")
    async with running_manager(tmp_path, connector=MemoryConnector(s=sdk_server)) as manager:
        manager.start()
        assert "not JSON" in (manager.problem or "")
        assert (await manager.hot_add_server("s", IN_MEMORY)).state == "ready"


async def test_names_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    async with running_manager(tmp_path, connector=MemoryConnector(**{"a b": sdk_server})) as manager:
        await manager.hot_add_server("a b", IN_MEMORY)
        for name in ("a b", "a_b", "../x", ""):
            with pytest.raises(ValueError, match="name"):
                await manager.hot_add_server(name, IN_MEMORY)
        with pytest.raises(ValueError, match="only the owner"):
            await manager.hot_add_server("c", script("${env:WHATSAPP_ACCESS_TOKEN}"))


async def test_servers_are_ended_side_by_side_while_they_are_busy(tmp_path: Path) -> None:
    async with running_manager(tmp_path) as manager:
        await asyncio.gather(*(manager.hot_add_server(name, script("--stubborn")) for name in "abc"))
        busy = [asyncio.create_task(call(manager, name, "silence")) for name in "abc"]
        await asyncio.sleep(0)
        async with asyncio.timeout(2.5):
            await manager.aclose()
        outcomes = await asyncio.gather(*busy, return_exceptions=True)
        assert all(isinstance(outcome, CallFailed) for outcome in outcomes)
        with pytest.raises(ValueError, match="stopping"):
            await manager.hot_add_server("d", script())


async def test_a_hot_added_server_is_in_the_next_snapshot_and_gone_from_the_one_after(tmp_path: Path) -> None:
    async with running_manager(tmp_path, connector=MemoryConnector(time=sdk_server)) as manager:
        catalog = ToolCatalog([manager])
        before = catalog.snapshot()
        await manager.hot_add_server("time", IN_MEMORY)
        with_it = catalog.snapshot()
        await manager.hot_remove_server("time")
        assert (before.tools, catalog.snapshot().tools) == ({}, {})
        assert with_it.categories["mcp_time"] == tuple(with_it.tools)
        assert with_it.version > before.version
        tool = with_it.tools["mcp_time_echo"]
        result = await tool.execute(tool.validate_args({"text": "x"}), ctx=turn_of())
        assert "was removed" in result.content


async def test_a_tool_of_the_catalog_runs_and_fails_as_its_server_says(tmp_path: Path) -> None:
    async with running_manager(tmp_path, connector=MemoryConnector(s=sdk_server)) as manager:
        await manager.hot_add_server("s", IN_MEMORY)
        tools: dict[str, BaseTool] = {tool.name: tool for tool in manager.list_tools()}
        wanted = ToolCall("1", "mcp_s_echo", {"text": "hello"})
        echo = tools[wanted.name]
        assert (await echo.execute(echo.validate_args(wanted.arguments), ctx=turn_of())).output == "hello"
        failed = await tools["mcp_s_fail"].execute({"reason": "out of ink"}, ctx=turn_of())
        assert (failed.success, "out of ink" in failed.content) == (False, True)
        assert all(tool.kind == "mcp" and tool.sensitive for tool in tools.values())


async def test_adapters_are_kept_while_other_servers_come_and_go(tmp_path: Path) -> None:
    connector = MemoryConnector(a=sdk_server, b=sdk_server)
    async with running_manager(tmp_path, connector=connector) as manager:
        await manager.hot_add_server("a", IN_MEMORY)
        kept = manager.list_tools()
        await manager.hot_add_server("b", IN_MEMORY)
        assert manager.list_tools()[: len(kept)] == kept
        version = manager.version
        await manager.hot_remove_server("b")
        assert manager.list_tools() == kept
        assert manager.version == version + 1


async def nobody(tool: str, arguments: Mapping[str, object], ctx: TurnContext) -> CallToolResult:
    raise CallFailed("nobody calls it")


async def test_a_server_with_five_hundred_tools_stalls_nobody(tmp_path: Path) -> None:
    def crowded() -> MCPServer:
        server = sdk_server()
        for n in range(600):
            server.add_tool(lambda: "", name=f"tool{n}", description="one of many")
        return server

    async with running_manager(tmp_path, connector=MemoryConnector(s=crowded)) as manager:
        await manager.hot_add_server("s", IN_MEMORY)
        tools = manager.list_tools()
        began = time.process_time()
        again = [
            MCPToolAdapter(tool._tool, name=tool.name, server="s", call=nobody)
            for tool in tools
            if isinstance(tool, MCPToolAdapter)
        ]
        assert time.process_time() - began < 0.5
    assert (len(tools), len(again)) == (MAX_TOOLS, MAX_TOOLS)


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_a_server_over_http_is_used_and_found_again_after_its_restart(tmp_path: Path, era: str) -> None:
    connector, states = Transports(tmp_path / "mcp"), States()
    async with running_manager(
        tmp_path, connector=connector, retries=Retries(0.05, 0.1), on_state=states
    ) as manager:
        async with served(http_app(era)) as port:
            config = ServerConfig(url=f"http://127.0.0.1:{port}/mcp", timeout_s=5)
            info = await manager.hot_add_server("h", config)
            assert (info.state, info.error) == ("ready", None)
            assert await call(manager, "h", "echo", text="over http") == "over http"
        with pytest.raises(CallFailed):
            await call(manager, "h", "echo", text="nobody there")
        found_again = asyncio.create_task(states.next("h", "ready"))
        async with served(http_app(era), port):
            await found_again
            assert await call(manager, "h", "echo", text="back") == "back"


def http_app(era: str) -> ASGIApp:
    return sdk_server().streamable_http_app(stateless_http=era == "modern")


SSE_SERVER = """
import socket, sys, uvicorn
from tests.fakes.mcp import sdk_server
listener = socket.socket(fileno=int(sys.argv[1]))
uvicorn.Server(uvicorn.Config(sdk_server().sse_app(), log_config=None)).run(sockets=[listener])
"""


@asynccontextmanager
async def sse_process() -> AsyncIterator[tuple[int, asyncio.subprocess.Process]]:
    """A server in a process of its own: in ours, the SDK's would leave its streams unclosed when it is cut off."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", SSE_SERVER, str(listener.fileno()), cwd=ROOT, pass_fds=(listener.fileno(),)
        )
        port = listener.getsockname()[1]
    try:
        yield port, process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def test_a_server_over_sse_is_used_and_its_loss_is_noticed(tmp_path: Path) -> None:
    connector = Transports(tmp_path / "mcp")
    async with (
        sse_process() as (port, process),
        running_manager(tmp_path, connector=connector, retries=Retries(60)) as manager,
    ):
        # It listens from the first moment on, and takes connections once it has started.
        info = await manager.hot_add_server("h", ServerConfig(type="sse", url=f"http://127.0.0.1:{port}/sse"))
        assert (info.state, info.error) == ("ready", None)
        assert await call(manager, "h", "echo", text="over sse") == "over sse"
        process.kill()
        await until(lambda: manager.list_tools() == ())


async def test_an_address_where_nobody_is_is_named_without_its_secrets(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    config = ServerConfig(
        url=f"http://127.0.0.1:{port}/mcp?key=${{KEY}}", headers={"Authorization": "Bearer ${KEY}"}
    )
    connector = Transports(tmp_path / "mcp")
    async with running_manager(
        tmp_path, connector=connector, secrets={"KEY": "sk-1234"}, retries=Retries(60)
    ) as manager:
        info = await manager.hot_add_server("h", config)
        assert info.state == "waiting"
        assert "cannot be reached" in (info.error or "")
        assert "sk-1234" not in repr(info)


async def said(manager: McpManager, args: str, *, language: Language = "en", is_admin: bool = False) -> str:
    plain = turn_of()
    ctx = TurnContext(
        plain.turn_id, plain.user_id, plain.conversation_id, 1, plain.received_at, language, is_admin=is_admin
    )
    return (await commands_over(manager).run(args, ctx)).markdown


async def test_the_command_shows_states_tools_errors_and_restarts(tmp_path: Path) -> None:
    (tmp_path / "mcp_servers.json").write_text('{"servers": {"odd": {}}}', "utf-8")
    connector = MemoryConnector(s=sdk_server)
    async with running_manager(tmp_path, connector=connector, retries=Retries(0.01)) as manager:
        manager.start()
        assert await said(manager, "") == say(MCP.server_none, "en")
        await manager.hot_add_server("s", IN_MEMORY.model_copy(update={"shared_with": ("everyone",)}))
        connector.crash("s")
        await until(lambda: manager.list_servers()[0].restarts == 1 and manager.list_servers()[0].state == "ready")
        await manager.hot_add_server("t", ServerConfig(command="x", args=("${LOST}",), shared_with=("everyone",)))
        assert await said(manager, "") == (
            "2 tool servers:\n\n- **s**: ready, 5 tools; the admins', shared with everyone"
            "\n- **t**: not working, something needs fixing; the admins', shared with everyone"
        )
        full = await said(manager, "", is_admin=True)
        assert "- **s**: ready, 5 tools; restarted once" in full
        assert "last error: it has no value for LOST" in full
        assert "- **odd**: this entry is not used: a server needs a command or a url" in full
        assert "- `mcp_s_echo`" in await said(manager, "s", language="es")
        assert "nope" in await said(manager, "nope")
