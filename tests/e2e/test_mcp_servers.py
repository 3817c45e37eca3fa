"""Real servers from the registries: brought up by their launchers, used, and removed without a trace."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.mcp.config import ServerConfig
from app.mcp.manager import McpManager, ServerInfo
from tests.e2e.launching import LAUNCH_S, launcher_variables, newest_on_npm, newest_on_pypi
from tests.fakes.mcp import children, running_manager, turn_of

pytestmark = pytest.mark.live_servers


def launched(command: str, *args: str) -> ServerConfig:
    return ServerConfig(command=command, args=args, env=launcher_variables(), timeout_s=30)


def from_npm(package: str, *args: str) -> ServerConfig:
    return launched("npx", "-y", f"{package}@{newest_on_npm(package)}", *args)


@asynccontextmanager
async def in_use(tmp_path: Path, name: str, config: ServerConfig) -> AsyncIterator[tuple[McpManager, ServerInfo]]:
    before = children()
    environ = {key: os.environ[key] for key in ("PATH", "HOME")}
    async with asyncio.timeout(LAUNCH_S), running_manager(tmp_path, environ=environ) as manager:
        info = await manager.hot_add_server(name, config, wait_s=LAUNCH_S)
        assert (info.state, info.error) == ("ready", None), log_of(tmp_path)
        yield manager, info
        assert await manager.hot_remove_server(name)
        assert children() == before
        assert manager.list_tools() == ()


def log_of(tmp_path: Path) -> str:
    return "\n".join(path.read_text("utf-8", "replace")[-2000:] for path in (tmp_path / "mcp" / "logs").glob("*"))


async def use(manager: McpManager, name: str, arguments: Mapping[str, object]) -> str:
    """Call a tool as the engine does: by our name, validated first."""
    tools = {tool.name: tool for tool in manager.list_tools()}
    tool = tools[name]
    result = await tool.execute(tool.validate_args(arguments), ctx=turn_of())
    assert result.success, result.error
    return result.output


async def test_the_reference_server_of_everything(tmp_path: Path) -> None:
    config = from_npm("@modelcontextprotocol/server-everything")
    async with in_use(tmp_path, "everything", config) as (manager, info):
        assert len(info.tools) >= 8
        assert "hello" in await use(manager, "mcp_everything_echo", {"message": "hello"})
        sums = [name for name in info.tools if name.endswith(("_sum", "_add", "-sum"))]
        assert "5" in await use(manager, sums[0], {"a": 2, "b": 3})
        pictures = [name for name in info.tools if "image" in name.lower()]
        assert "[image, image/png" in await use(manager, pictures[0], {})


async def test_the_filesystem_server_reads_its_folder_and_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "note.txt").write_text("written by the test", "utf-8")
    config = from_npm("@modelcontextprotocol/server-filesystem", str(folder))
    async with in_use(tmp_path, "files", config) as (manager, info):
        reads = next(name for name in info.tools if name.endswith(("read_text_file", "read_file")))
        assert "written by the test" in await use(manager, reads, {"path": str(folder / "note.txt")})
        tool = next(tool for tool in manager.list_tools() if tool.name == reads)
        refused = await tool.execute({"path": "/etc/hostname"}, ctx=turn_of())
        assert not refused.success


async def test_the_time_server_of_pypi(tmp_path: Path) -> None:
    config = launched("uvx", f"mcp-server-time=={newest_on_pypi('mcp-server-time', 'mcp>=2')}")
    async with in_use(tmp_path, "time", config) as (manager, info):
        assert "mcp_time_get_current_time" in info.tools
        answer = await use(manager, "mcp_time_get_current_time", {"timezone": "Europe/Madrid"})
        assert "Europe/Madrid" in answer
