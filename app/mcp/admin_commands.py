"""/mcp search, install, set, add, remove and undo: what an admin does to servers by command."""

import re
import shlex
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from app.commands.registry import parse_command
from app.commands.texts import COMMANDS
from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.language.catalogue import Sentence, say
from app.mcp.install_commands import install_server, search_servers
from app.mcp.installing.installer import Installer
from app.mcp.installing.launchers import LAUNCHERS
from app.mcp.texts import MCP

_FIRST_WORD: Final = re.compile(r"(search|install|set|add|remove|undo)(?:\s+(.*))?", re.IGNORECASE | re.DOTALL)
_SHORTEST_ADD: Final = 3
_NAME_CHARS: Final = 60
_SENTENCES: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "server_exists": MCP.install_exists,
        "server_unknown": MCP.install_unknown,
        "server_busy": MCP.install_busy,
        "nothing_to_undo": MCP.install_nothing_to_undo,
        "variable_unknown": MCP.install_variable_unknown,
        "variable_ambiguous": MCP.install_variable_ambiguous,
        "variable_refused": MCP.install_variable_refused,
        "variables_missing": MCP.install_variables_missing,
        "command_refused": MCP.install_command_refused,
        "not_previewed": MCP.install_stale,
        "preview_differs": MCP.install_stale,
        "server_unlisted": MCP.install_unlisted,
        "registries_silent": MCP.install_silent,
        "consent_pending": MCP.install_consent_pending,
    }
)
"""What is said for the faults that an installer raises; any other is technical, and shown to the admin."""


def carries_secret(text: str) -> bool:
    """Tell whether a message gives a variable, so that its text may be kept nowhere."""
    command = parse_command(text)
    return (
        command is not None
        and command.name == "mcp"
        and command.args.lower().split(maxsplit=1)[:1] in (["set"], ["code"])
    )


async def run_subcommand(installer: Installer, args: str, ctx: TurnContext) -> Reply | None:
    """Do what follows `/mcp`; None when it is none of these, and `/mcp` means something else."""
    match = _FIRST_WORD.fullmatch(args.strip())
    if match is None:
        return None
    if not ctx.is_admin:
        return Reply(say(COMMANDS.admin_only, ctx.language))
    rest = (match[2] or "").strip()
    match match[1].lower():
        case "search" | "install" as word:
            act = search_servers if word == "search" else install_server
            try:
                return await act(installer, rest, ctx)
            except ToolFault as exc:
                return _excuse(exc, rest.partition(" ")[0], ctx)
        case "set":
            return await set_variable(installer, rest, ctx)
        case "add":
            return await add_server(installer, rest, ctx)
        case "remove":
            return await remove_server(installer, rest, ctx)
        case _:
            return await undo(installer, ctx)


async def set_variable(installer: Installer, args: str, ctx: TurnContext) -> Reply:
    """Keep a variable: `NAME VALUE` or `SERVER.NAME VALUE`. The reply repeats no value."""
    words = args.split(maxsplit=1)
    if len(words) != 2:
        return Reply(say(MCP.install_usage_set, ctx.language))
    server, _, name = words[0].rpartition(".")
    try:
        kept = await installer.set_variable(name, words[1].strip(), server or None)
    except ToolFault as exc:
        return _excuse(exc, name, ctx)
    phrase = MCP.install_set if kept.is_seen else MCP.install_set_restart_needed
    return Reply(say(phrase, ctx.language, name=kept.server))


async def add_server(installer: Installer, args: str, ctx: TurnContext) -> Reply:
    """Install a server from a command line: `NAME [VARIABLE …] npx|uvx ARGUMENT …`, quoted as in a shell."""
    try:
        words = shlex.split(args)
    except ValueError:
        words = []
    at = next((place for place, word in enumerate(words) if place and word in LAUNCHERS), 0)
    if len(words) < _SHORTEST_ADD or not at:
        return Reply(say(MCP.install_usage_add, ctx.language))
    name = words[0]
    try:
        info = await installer.install_from_command(name, words[at], words[at + 1 :], words[1:at])
    except ToolFault as exc:
        missing = installer.missing(installer.pending(name)) if exc.code == "variables_missing" else ()
        return _excuse(exc, name, ctx, [one.name for one in missing])
    return Reply(say(MCP.install_added, ctx.language, name=info.name, count=len(info.tools)))


async def remove_server(installer: Installer, args: str, ctx: TurnContext) -> Reply:
    """End a server and forget it."""
    if not args:
        return Reply(say(MCP.install_usage_remove, ctx.language))
    try:
        await installer.remove(args)
    except ToolFault as exc:
        return _excuse(exc, args, ctx)
    return Reply(say(MCP.install_removed, ctx.language, name=args))


async def undo(installer: Installer, ctx: TurnContext) -> Reply:
    """Remove the server that was installed last."""
    try:
        name = await installer.undo()
    except ToolFault as exc:
        return _excuse(exc, "undo", ctx)
    return Reply(say(MCP.install_removed, ctx.language, name=name))


def _excuse(exc: ToolFault, name: str, ctx: TurnContext, variables: Sequence[str] = ()) -> Reply:
    phrase = _SENTENCES.get(exc.code, MCP.install_failed)
    shown = one_line(name, _NAME_CHARS)
    return Reply(say(phrase, ctx.language, name=shown, list=", ".join(variables), detail=exc.detail))
