"""Can the MCP servers of the configuration file be started; none of them is."""

import asyncio
import shutil
from pathlib import Path

from app.cli.doctor.outcome import Outcome, failed, ok, skipped
from app.domain.errors import ConfigError
from app.mcp.config import ConfigFile, ServerConfig


async def check_mcp(config_file: Path) -> Outcome:
    """The file is one that the service can use, every entry of it, and each command can be found."""
    if not await asyncio.to_thread(config_file.exists):
        return skipped("no MCP servers are set up", "to have one, write to the assistant which one to install")
    try:
        listed = await asyncio.to_thread(ConfigFile(config_file).load)
    except ConfigError as exc:
        return failed(f"{config_file} {exc.detail}: no MCP server starts", f"correct {config_file}, or remove it")
    if listed.skipped:
        first = listed.skipped[0]
        return failed(
            f"MCP server {first.name!r} is left out: {first.reason}", f"correct {first.name!r} in {config_file}"
        )
    enabled = {name: config for name, config in listed.servers.items() if config.is_enabled}
    for name, config in enabled.items():
        if not await asyncio.to_thread(_can_be_launched, config):
            return failed(
                f"MCP server {name!r} starts with {config.command!r}, which is not on this machine",
                f"{_how_to_get(config.command or '')}, or correct {name!r} in {config_file}",
            )
    return ok(f"{len(enabled)} of {len(listed.servers)} servers are on, and what starts them is here")


def _can_be_launched(config: ServerConfig) -> bool:
    return config.transport != "stdio" or shutil.which(config.command or "") is not None


def _how_to_get(command: str) -> str:
    match command:
        case "npx":
            return "install Node.js, which brings npx"
        case "uvx":
            return "install uv, which brings uvx (python -m pip install uv)"
        case _:
            return f"install {command}"
