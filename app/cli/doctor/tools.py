"""What brings tools: can the skills be read, can the MCP servers be started and others be installed. None is."""

import asyncio
import os
import shutil
from pathlib import Path

from app.cli.doctor.round import Outcome, failed, ok, skipped
from app.domain.errors import ConfigError
from app.mcp.config import ServerConfig
from app.mcp.files import ConfigFile
from app.mcp.installing.launchers import LAUNCHERS, search_path
from app.skills.loader import load_folder


async def check_skills(directory: Path) -> Outcome:
    """Every SKILL.md below the folder is one that the service can use."""
    if not await asyncio.to_thread(directory.is_dir):
        fix = "run this in the project's folder, or set SKILLS_DIR in .env to where the skills are"
        return failed(f"SKILLS_DIR {directory} is not a folder: tools work, without their instructions", fix)
    skills, problems = await asyncio.to_thread(load_folder, directory)
    if problems:
        first = problems[0]
        more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
        fix = f"correct {directory / first.folder / 'SKILL.md'}, or remove that folder"
        return failed(f"the skill in {directory / first.folder} is left out: {first.reason}{more}", fix)
    return ok(f"skills in {directory}: {len(skills)}")


async def check_mcp(config_file: Path) -> Outcome:
    """The file is one that the service can use, every entry of it, and each command can be found.

    What installations by message would lack is told as advice.
    """
    advice = "; ".join(await asyncio.to_thread(_missing_launchers))
    if not await asyncio.to_thread(config_file.exists):
        hint = "to get one, tell the assistant which one to install"
        return skipped("no MCP servers are set up", f"{hint}; {advice}" if advice else hint)
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
            fix = f"{_how_to_get(config.command or '')}, or correct {name!r} in {config_file}"
            return failed(f"MCP server {name!r} starts with {config.command!r}, which is not on this machine", fix)
    return ok(f"{len(enabled)} of {len(listed.servers)} servers are on, and what starts them is installed", advice)


def _can_be_launched(config: ServerConfig) -> bool:
    return config.transport != "stdio" or _is_here(config.command or "", config.env.get("PATH"))


def _missing_launchers() -> list[str]:
    missing = [command for command in LAUNCHERS if not _is_here(command)]
    return [
        f"{command} is missing, so servers that need it cannot be installed: {_how_to_get(command)}"
        for command in missing
    ]


def _is_here(command: str, path: str | None = None) -> bool:
    """Look where the service would, `path` being what the server's own entry says."""
    where = search_path(command, path or os.environ.get("PATH", os.defpath))
    return shutil.which(command, path=where) is not None


def _how_to_get(command: str) -> str:
    match command:
        case "npx":
            return "install Node.js, which brings npx"
        case "uvx":
            return "install uv, which brings uvx (python -m pip install uv)"
        case _:
            return f"install {command}"
