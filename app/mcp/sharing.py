"""Whose a server is, and with whom it is shared: changed by its owner, told by /mcp."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from app.database.repositories.users import User
from app.database.repository import Repository
from app.domain.errors import ToolFault
from app.domain.ids import UserId
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold, one_line
from app.language.catalogue import LANGUAGES, Language, say
from app.mcp.config import EVERYONE, Access
from app.mcp.installed import InstalledServers
from app.mcp.manager import ServerInfo
from app.mcp.texts import MCP

_EVERYONE_WORDS: Final = frozenset({fold(say(MCP.share_everyone_word, language)) for language in LANGUAGES})
_NAME_CHARS: Final = 60
_SHOWN_DIGITS: Final = 4
_NOT_A_DIGIT: Final = re.compile(r"\D")


class Sharing:
    """`/mcp share` and `/mcp unshare`, and what is told of whose a server is."""

    def __init__(self, servers: InstalledServers, repository: Repository) -> None:
        self._servers = servers
        self._repository = repository

    async def share(self, args: str, ctx: TurnContext) -> Reply:
        """Let one more person, or everyone, use a server: `NAME PERSON`."""
        info, wanted = self._named(args)
        if info is None or not wanted:
            return Reply(say(MCP.share_usage, ctx.language))
        if not info.access.is_kept_by(ctx.user_id, is_admin=ctx.is_admin):
            return await self._not_theirs(info, ctx)
        if fold(wanted) in _EVERYONE_WORDS:
            self._servers.set_access(info.name, replace(info.access, shared_with=frozenset({EVERYONE})))
            return Reply(say(MCP.share_done_everyone, ctx.language, name=info.name))
        person = await self._find(wanted)
        shared = (info.access.shared_with - {EVERYONE}) | {person.user_id}
        self._servers.set_access(info.name, replace(info.access, shared_with=shared))
        return Reply(say(MCP.share_done, ctx.language, name=info.name, person=_label(person)))

    async def unshare(self, args: str, ctx: TurnContext) -> Reply:
        """Take a server back from a person, or from all: `NAME [PERSON]`."""
        info, wanted = self._named(args)
        if info is None:
            return Reply(say(MCP.share_usage_back, ctx.language))
        if not info.access.is_kept_by(ctx.user_id, is_admin=ctx.is_admin):
            return await self._not_theirs(info, ctx)
        if not wanted or fold(wanted) in _EVERYONE_WORDS:
            self._servers.set_access(info.name, replace(info.access, shared_with=frozenset()))
            return Reply(say(MCP.share_ended, ctx.language, name=info.name))
        person = await self._find(wanted)
        if info.access.is_for_everyone:
            return Reply(say(MCP.share_is_for_everyone, ctx.language, name=info.name))
        self._servers.set_access(
            info.name, replace(info.access, shared_with=info.access.shared_with - {person.user_id})
        )
        return Reply(say(MCP.share_ended_for, ctx.language, name=info.name, person=_label(person)))

    async def whose(self, access: Access, ctx: TurnContext) -> str:
        """Say whose a server is, and who else may use it; names of others only to whoever decides about it."""
        if access.owner is None:
            whose = say(MCP.share_of_admins, ctx.language)
        elif access.owner == ctx.user_id:
            whose = say(MCP.share_own, ctx.language)
        else:
            whose = say(MCP.share_of, ctx.language, person=await self._name(access.owner, ctx.language))
        if access.is_for_everyone:
            return f"{whose}, {say(MCP.share_with_everyone, ctx.language)}"
        if not access.shared_with or not access.is_kept_by(ctx.user_id, is_admin=ctx.is_admin):
            return whose
        names = ", ".join([await self._name(UserId(one), ctx.language) for one in sorted(access.shared_with)])
        return f"{whose}, {say(MCP.share_with, ctx.language, list=names)}"

    async def check_kept(self, name: str, ctx: TurnContext) -> Reply | None:
        """Return what to say to who may not decide about a server; None to who may."""
        info = self._servers.manager.find_server(name)
        if info is None or info.access.is_kept_by(ctx.user_id, is_admin=ctx.is_admin):
            return None
        return await self._not_theirs(info, ctx)

    def _named(self, args: str) -> tuple[ServerInfo | None, str]:
        """Return the server whose name the words begin with, the longest, and what comes after it."""
        known = sorted(self._servers.manager.list_servers(), key=lambda info: len(info.name), reverse=True)
        for info in known:
            if args == info.name or args.startswith(f"{info.name} "):
                return info, args[len(info.name) :].strip()
        return None, ""

    async def _find(self, wanted: str) -> User:
        """Return the one person of that number or name.

        Raises:
            ToolFault: there is none, or there are several.
        """
        people = [person for person in await self._everybody() if person.trust == "trusted"]
        digits = _NOT_A_DIGIT.sub("", wanted)
        fitting = [person for person in people if digits and digits == person.recipient.wa_id]
        fitting = fitting or [person for person in people if fold(person.name or "") == fold(wanted)]
        fitting = fitting or [person for person in people if fold(wanted) in fold(person.name or "").split()[:1]]
        shown = one_line(wanted, _NAME_CHARS)
        if not fitting:
            raise ToolFault("person_unknown", shown)
        if len(fitting) > 1:
            raise ToolFault("person_ambiguous", ", ".join(map(_label, fitting)))
        return fitting[0]

    async def _everybody(self) -> Iterable[User]:
        found = [await self._repository.users.find(one) for one in await self._repository.directory.list_all()]
        return [person for person in found if person is not None]

    async def _name(self, user_id: UserId, language: Language) -> str:
        person = await self._repository.users.find(user_id)
        return say(MCP.share_nobody, language) if person is None else _label(person)

    async def _not_theirs(self, info: ServerInfo, ctx: TurnContext) -> Reply:
        if not (ctx.is_admin or info.access.allows(ctx.user_id, is_admin=False)):
            return Reply(say(MCP.server_unknown, ctx.language, name=info.name))
        whose = await self.whose(info.access, ctx)
        return Reply(say(MCP.share_not_yours, ctx.language, name=info.name, whose=whose))


def _label(person: User) -> str:
    """A name that the person chose, with the end of a number that they did not."""
    digits = (person.recipient.wa_id or "")[-_SHOWN_DIGITS:]
    ending = f"…{digits}" if digits else ""
    name = one_line(person.name or "", _NAME_CHARS)
    return f"{name} ({ending})" if name and ending else name or ending or str(person.user_id)[:8]
