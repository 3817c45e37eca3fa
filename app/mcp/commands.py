"""/mcp."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import Language, Sentence, say
from app.mcp.admin_commands import run_subcommand
from app.mcp.connecting.connection import State
from app.mcp.installing.installer import Installer
from app.mcp.manager import McpManager, ServerInfo
from app.mcp.sign_in_commands import SignInCommands
from app.mcp.texts import MCP

_STATES: Final[Mapping[State, Sentence]] = MappingProxyType(
    {
        "connecting": MCP.server_connecting,
        "ready": MCP.server_ready,
        "waiting": MCP.server_waiting,
        "failed": MCP.server_failed,
        "stopped": MCP.server_stopped,
    }
)


def register(
    registry: CommandRegistry, servers: McpManager, installer: Installer, sign_in: SignInCommands
) -> None:
    """Add `/mcp`: everybody sees the servers and their tools, an admin also what went wrong."""

    async def show(args: str, ctx: TurnContext) -> Reply:
        if reply := await sign_in.run(args, ctx) or await run_subcommand(installer, args, ctx):
            return reply
        if args:
            info = servers.find_server(args)
            if info is None:
                return Reply(say(MCP.server_unknown, ctx.language, name=args))
            tools = [f"- `{name}`" for name in info.tools] or [say(MCP.server_no_tools, ctx.language)]
            return Reply("\n".join([_line(info, ctx), "", *tools]))
        listed = servers.list_servers()
        title = say(MCP.server_title, ctx.language, count=len(listed)) if listed else None
        lines = [title or say(MCP.server_none, ctx.language), "", *(_line(info, ctx) for info in listed)]
        return Reply("\n".join([*lines, *(_problems(servers, ctx.language) if ctx.is_admin else [])]).strip())

    # A turn that installs a server may be waiting for the very answer that `/mcp code` brings.
    registry.add(CommandSpec("mcp", MCP.server_help_mcp, show, is_control=True))


def _line(info: ServerInfo, ctx: TurnContext) -> str:
    parts = [say(_STATES[info.state], ctx.language, count=len(info.tools))]
    if ctx.is_admin:
        if info.restarts:
            parts.append(say(MCP.server_restarts, ctx.language, count=info.restarts))
        if info.error is not None:
            parts.append(say(MCP.server_last_error, ctx.language, error=info.error))
    return f"- **{info.name}**: {'; '.join(parts)}"


def _problems(servers: McpManager, language: Language) -> list[str]:
    lines = [
        f"- **{entry.name}**: {say(MCP.server_skipped, language, reason=entry.reason)}"
        for entry in servers.skipped
    ]
    if servers.problem is not None:
        lines.append(say(MCP.server_file_problem, language, problem=servers.problem))
    return lines
