"""/mcp: everybody sees the servers they may use; an admin searches, installs, shares, removes and signs in."""

import shlex
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol

from app.commands.registry import CommandRegistry, CommandSpec
from app.commands.texts import COMMANDS
from app.domain.errors import ToolFault
from app.domain.ids import UserId
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.language.catalogue import Language, Sentence, say
from app.mcp.connecting.connection import State
from app.mcp.installed import InstalledServers
from app.mcp.installing.cards import excuse, installed, show_found
from app.mcp.installing.installer import Installer, VariablesMissing
from app.mcp.installing.launchers import LAUNCHERS
from app.mcp.installing.preview import Preview
from app.mcp.manager import ServerInfo
from app.mcp.sharing import Sharing
from app.mcp.signing_in.consent import SENTENCES, Answered
from app.mcp.texts import MCP
from app.security.oversight import Oversight

_NAME_CHARS: Final = 60
STATES: Final[Mapping[State, Sentence]] = MappingProxyType(
    {
        "connecting": MCP.server_connecting,
        "ready": MCP.server_ready,
        "waiting": MCP.server_waiting,
        "failed": MCP.server_failed,
        "stopped": MCP.server_stopped,
    }
)
Deed = Callable[[str, TurnContext], Awaitable[Reply]]
AskToInstall = Callable[[Preview, TurnContext], Awaitable[Reply]]


class Answers(Protocol):
    def answer(self, url: str, *, by: UserId | None = None) -> Awaitable[Answered]:
        """See `SignIns.answer`."""
        ...


class ServerCommands:
    """What follows `/mcp`: nothing, a server's name, or one of an admin's words."""

    def __init__(
        self,
        installer: Installer,
        servers: InstalledServers,
        answers: Answers,
        ask_to_install: AskToInstall,
        sharing: Sharing,
        oversight: Oversight,
    ) -> None:
        self._oversight = oversight
        self._sharing = sharing
        self._installer = installer
        self._ask_to_install = ask_to_install
        self._servers = servers
        self._answers = answers
        self._deeds: Mapping[str, Deed] = {
            "search": self._search,
            "install": self._install,
            "set": self._set,
            "add": self._add,
            "remove": self._remove,
            "undo": self._undo,
            "code": self._take_code,
            "login": self._log_in,
            "share": sharing.share,
            "unshare": sharing.unshare,
        }

    def register(self, registry: CommandRegistry) -> None:
        # A turn that installs a server may be waiting for the very answer that `/mcp code` brings.
        registry.add(
            CommandSpec(
                "mcp",
                MCP.server_help_mcp,
                self.run,
                also=MCP.name_mcp,
                is_control=True,
                secret_words=("set", "code"),
            )
        )

    async def run(self, args: str, ctx: TurnContext) -> Reply:
        """Do what an admin's word says, else show the servers."""
        word, *rest = args.split(maxsplit=1) or [""]
        deed = self._deeds.get(word.lower())
        if deed is None:
            return await self._show(args, ctx)
        if not ctx.is_admin and deed not in (self._sharing.share, self._sharing.unshare):
            return Reply(say(COMMANDS.admin_only, ctx.language))
        given = rest[0].strip() if rest else ""
        try:
            return await deed(given, ctx)
        except ToolFault as exc:
            # What follows the first word may be a secret; only a server's name may have several words.
            name = given if deed == self._remove else given.split(maxsplit=1)[0] if given else word
            return excuse(exc, name, ctx.language)

    async def _show(self, name: str, ctx: TurnContext) -> Reply:
        listed = [info for info in self._servers.manager.list_servers() if ctx.is_admin or _may_use(info, ctx)]
        if name:
            info = next((one for one in listed if one.name == name), None)
            if info is None:
                return Reply(say(MCP.server_unknown, ctx.language, name=name))
            tools = [f"- `{tool}`" for tool in info.tools] or [say(MCP.server_no_tools, ctx.language)]
            return Reply("\n".join([await self._line(info, ctx), *(["", *tools] if _may_use(info, ctx) else [])]))
        title = say(MCP.server_title, ctx.language, count=len(listed)) if listed else None
        lines = [
            title or say(MCP.server_none, ctx.language),
            "",
            *[await self._line(info, ctx) for info in listed],
        ]
        return Reply("\n".join([*lines, *(self._problems(ctx.language) if ctx.is_admin else [])]).strip())

    async def _line(self, info: ServerInfo, ctx: TurnContext) -> str:
        parts = [say(STATES[info.state], ctx.language, count=len(info.tools))]
        if ctx.is_admin and info.restarts:
            parts.append(say(MCP.server_restarts, ctx.language, count=info.restarts))
        if ctx.is_admin and _may_use(info, ctx) and info.error is not None:
            parts.append(say(MCP.server_last_error, ctx.language, error=info.error))
        return f"- **{info.name}**: {'; '.join([*parts, await self._sharing.whose(info.access, ctx)])}"

    def _problems(self, language: Language) -> list[str]:
        lines = [
            f"- **{entry.name}**: {say(MCP.server_skipped, language, reason=entry.reason)}"
            for entry in self._servers.manager.skipped
        ]
        if self._servers.manager.problem is not None:
            lines.append(say(MCP.server_file_problem, language, problem=self._servers.manager.problem))
        return lines

    async def _search(self, query: str, ctx: TurnContext) -> Reply:
        if not query:
            return Reply(say(MCP.install_usage_search, ctx.language))
        return show_found(await self._installer.search(query), query, ctx.language)

    async def _install(self, name: str, ctx: TurnContext) -> Reply:
        """Show what installing `NAME` would run, with a button that runs just that."""
        if not name:
            return Reply(say(MCP.install_usage_install, ctx.language))
        preview = await self._installer.preview(name)
        if missing := self._installer.missing(preview):
            raise VariablesMissing(preview.name, missing)
        return await self._ask_to_install(preview, ctx)

    async def _set(self, args: str, ctx: TurnContext) -> Reply:
        """Keep a variable: `NAME VALUE` or `SERVER.NAME VALUE`. The reply repeats no value."""
        words = args.split(maxsplit=1)
        if len(words) != 2:
            return Reply(say(MCP.install_usage_set, ctx.language))
        server, _, name = words[0].rpartition(".")
        keep = partial(self._installer.set_variable, name, words[1], server or None, by=ctx.user_id)
        kept = await self._oversight.run(ctx, "set_mcp_variable", {"name": words[0]}, keep)
        sentence = MCP.install_set if kept.is_seen else MCP.install_set_restart_needed
        return Reply(say(sentence, ctx.language, name=kept.server))

    async def _add(self, written: str, ctx: TurnContext) -> Reply:
        """Install a server from a command line: `NAME [VARIABLE …] npx|uvx ARGUMENT …`, quoted as in a shell."""
        try:
            words = shlex.split(written)
        except ValueError:
            words = []
        at = next((place for place, word in enumerate(words) if place and word in LAUNCHERS), 0)
        if not at or not words[at + 1 :]:
            return Reply(say(MCP.install_usage_add, ctx.language))
        name, command, args, variables = words[0], words[at], words[at + 1 :], words[1:at]
        facts = {"name": name, "command": command, "args": args, "variables": variables}
        install = partial(self._installer.install_from_command, name, command, args, variables, owner=ctx.user_id)
        info = await self._oversight.run(ctx, "install_mcp_server", facts, install)
        return installed(info, ctx.language)

    async def _remove(self, name: str, ctx: TurnContext) -> Reply:
        if not name:
            return Reply(say(MCP.install_usage_remove, ctx.language))
        remove = partial(self._servers.remove, name)
        await self._oversight.run(ctx, "remove_mcp_server", {"name": name}, remove)
        return Reply(say(MCP.install_removed, ctx.language, name=name))

    async def _undo(self, _: str, ctx: TurnContext) -> Reply:
        newest, undo = self._servers.newest(ctx.user_id), partial(self._servers.undo, ctx.user_id)
        name = await self._oversight.run(ctx, "remove_mcp_server", {"name": newest}, undo)
        return Reply(say(MCP.install_removed, ctx.language, name=name))

    async def _take_code(self, url: str, ctx: TurnContext) -> Reply:
        if not url:
            return Reply(say(MCP.sign_in_usage_code, ctx.language))
        return Reply(say(SENTENCES[await self._answers.answer(url, by=ctx.user_id)], ctx.language))

    async def _log_in(self, name: str, ctx: TurnContext) -> Reply:
        """Connect a remote server anew: whatever it still wants, it asks for again."""
        if not name:
            return Reply(say(MCP.sign_in_usage_login, ctx.language))
        if (refused := await self._sharing.check_kept(name, ctx)) is not None:
            return refused
        config = self._servers.find(name)
        if config is None or config.transport == "stdio" or not await self._servers.restart(name):
            return Reply(say(MCP.sign_in_login_no_server, ctx.language, name=one_line(name, _NAME_CHARS)))
        return Reply(say(MCP.sign_in_login_started, ctx.language, name=name))


def _may_use(info: ServerInfo, ctx: TurnContext) -> bool:
    return info.access.allows(ctx.user_id, is_admin=ctx.is_admin)
