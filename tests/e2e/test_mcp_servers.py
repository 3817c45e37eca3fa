"""Real servers from the registries: brought up by their launchers, used, and removed without a trace."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from app.mcp.config import ServerConfig
from app.mcp.manager import McpManager, ServerInfo
from tests.fakes.mcp import children, running_manager, turn_of

pytestmark = pytest.mark.live_servers

LAUNCH_S: Final = 180.0
# Launchers find their registry, its certificates and their cache in these, where a machine needs them.
LAUNCHER_VARIABLES: Final = ("NPM_CONFIG_REGISTRY", "NODE_EXTRA_CA_CERTS", "UV_INDEX_URL", "UV_DEFAULT_INDEX")
LAUNCHER_VARIABLES_TOO: Final = ("SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "npm_config_cache")


def launched(command: str, *args: str) -> ServerConfig:
    names = (name for name in (*LAUNCHER_VARIABLES, *LAUNCHER_VARIABLES_TOO) if name in os.environ)
    return ServerConfig(command=command, args=args, env={name: os.environ[name] for name in names}, timeout_s=30)


def newest_on_npm(package: str) -> str:
    """The exact version to run, as an installation pins it; skips where there is no registry."""
    if shutil.which("npx") is None or shutil.which("npm") is None:
        pytest.skip("npx is not installed")
    try:
        found = subprocess.run(
            ["npm", "view", package, "version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (subprocess.SubprocessError, OSError) as exc:
        pytest.skip(f"the registry of npm cannot be reached: {type(exc).__name__}")
    return f"{package}@{found.stdout.strip()}"


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
    config = launched("npx", "-y", newest_on_npm("@modelcontextprotocol/server-everything"))
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
    config = launched("npx", "-y", newest_on_npm("@modelcontextprotocol/server-filesystem"), str(folder))
    async with in_use(tmp_path, "files", config) as (manager, info):
        reads = next(name for name in info.tools if name.endswith(("read_text_file", "read_file")))
        assert "written by the test" in await use(manager, reads, {"path": str(folder / "note.txt")})
        tool = next(tool for tool in manager.list_tools() if tool.name == reads)
        refused = await tool.execute({"path": "/etc/hostname"}, ctx=turn_of())
        assert not refused.success


async def test_the_time_server_of_pypi(tmp_path: Path) -> None:
    if shutil.which("uvx") is None:
        pytest.skip("uvx is not installed")
    config = launched("uvx", "mcp-server-time")
    async with in_use(tmp_path, "time", config) as (manager, info):
        assert "mcp_time_get_current_time" in info.tools
        answer = await use(manager, "mcp_time_get_current_time", {"timezone": "Europe/Madrid"})
        assert "Europe/Madrid" in answer
