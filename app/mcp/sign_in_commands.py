"""/mcp code and login: an admin's part in signing in at a remote server."""

import re
from collections.abc import Awaitable
from typing import Final, Protocol

from app.commands.texts import COMMANDS
from app.domain.ids import UserId
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.language.catalogue import say
from app.mcp.config import refuse_own_environment
from app.mcp.consent import SENTENCES, Answered
from app.mcp.files import ConfigFile
from app.mcp.manager import McpManager
from app.mcp.texts import MCP

_FIRST_WORD: Final = re.compile(r"(code|login)(?:\s+(.*))?", re.IGNORECASE | re.DOTALL)
_NAME_CHARS: Final = 60


class Answers(Protocol):
    def answer(self, url: str, *, by: UserId | None = None) -> Awaitable[Answered]:
        """See `SignIns.answer`."""
        ...


class SignInCommands:
    """What follows `/mcp` when it is `code ADDRESS` or `login NAME`; both are an admin's."""

    def __init__(self, answers: Answers, manager: McpManager, file: ConfigFile) -> None:
        self._answers = answers
        self._manager = manager
        self._file = file

    async def run(self, args: str, ctx: TurnContext) -> Reply | None:
        """Do it; None when it is neither, and `/mcp` means something else."""
        match = _FIRST_WORD.fullmatch(args.strip())
        if match is None:
            return None
        if not ctx.is_admin:
            return Reply(say(COMMANDS.admin_only, ctx.language))
        rest = (match[2] or "").strip()
        if match[1].lower() == "code":
            return await self._take_code(rest, ctx)
        return await self._log_in(rest, ctx)

    async def _take_code(self, url: str, ctx: TurnContext) -> Reply:
        if not url:
            return Reply(say(MCP.sign_in_usage_code, ctx.language))
        return Reply(say(SENTENCES[await self._answers.answer(url, by=ctx.user_id)], ctx.language))

    async def _log_in(self, name: str, ctx: TurnContext) -> Reply:
        """Connect a server of the file anew: whatever it still wants, it asks for again."""
        if not name:
            return Reply(say(MCP.sign_in_usage_login, ctx.language))
        config = self._file.load().servers.get(name)
        try:
            if config is None or not config.is_enabled or config.transport == "stdio":
                raise ValueError("there is nothing to sign in at")
            refuse_own_environment(config)
            await self._manager.hot_remove_server(name)
            await self._manager.hot_add_server(name, config, wait_s=0)
        except ValueError:
            return Reply(say(MCP.sign_in_login_no_server, ctx.language, name=one_line(name, _NAME_CHARS)))
        return Reply(say(MCP.sign_in_login_started, ctx.language, name=name))
