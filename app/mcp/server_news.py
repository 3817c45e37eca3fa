"""Tells the admins, once, that a server which brings tools does not work, or works now that they allowed it."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import structlog

from app.asking.showing import neutralise
from app.database.repository import Repository
from app.domain.errors import Transient
from app.domain.ids import UserId
from app.domain.outbound import OutText
from app.domain.ports import Clock
from app.domain.wording import one_line
from app.language.catalogue import Language, say
from app.mcp.manager import ServerInfo
from app.mcp.texts import MCP

log = structlog.get_logger(__name__)

QUIET_FOR: Final = timedelta(hours=1)
"""A server that was in trouble less than this ago is no news."""
_ERROR_CHARS: Final = 200
_RETRY_S: Final = 1.0


class ServerNews:
    """Hears of the servers' states at once, and writes to the admins from a loop of its own."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        admins: frozenset[str],
        *,
        wake_delivery: Callable[[frozenset[UserId]], None],
    ) -> None:
        """Take the admins as the settings name them (see `AllowList.admins`)."""
        self._repository = repository
        self._clock = clock
        self._admins = admins
        self._wake_delivery = wake_delivery
        self._troubled_at: dict[str, datetime] = {}
        self._news: asyncio.Queue[ServerInfo] = asyncio.Queue()

    def tell_admin(self, info: ServerInfo) -> None:
        """Note a server's new state; trouble is told when there was none in the hour before.

        So a server that stays broken, or comes and goes, is told of once. That one is ready is told where it
        had waited for an admin longer than for whoever installed it.
        """
        if info.state == "ready" and info.is_consent_granted:
            self._news.put_nowait(info)
        if info.state not in {"waiting", "failed"}:
            return
        now = self._clock.now()
        self._troubled_at = {name: at for name, at in self._troubled_at.items() if now - at < QUIET_FOR}
        if info.name not in self._troubled_at:
            self._news.put_nowait(info)
        self._troubled_at[info.name] = now

    async def run(self) -> None:
        """Write what is to be told, until cancelled."""
        while True:
            info = await self._news.get()
            while not await self._tell(info):
                await self._clock.sleep(_RETRY_S)

    async def _tell(self, info: ServerInfo) -> bool:
        """Owe every trusted admin the sentence; False when the store failed and it should be tried again."""
        now = self._clock.now()
        try:
            async with self._repository.transaction() as tx:
                meant = await self._repository.directory.list_meant(self._admins, tx=tx)
                admins = [admin for admin in meant if admin.trust == "trusted"]
                for admin in admins:
                    text = OutText(_describe(info, admin.language))
                    await self._repository.outbox.add(admin.user_id, [text], now, turn_id=None, tx=tx)
        except Transient as exc:
            log.warning("server_news.delayed", server=info.name, code=exc.code)
            return False
        self._wake_delivery(frozenset(admin.user_id for admin in admins))
        log.info("server_news.told", server=info.name, state=info.state, admins=len(admins))
        return True


def _describe(info: ServerInfo, language: Language) -> str:
    if info.state != "ready":
        return describe_trouble(info, language)
    return say(MCP.sign_in_consent_granted, language, name=neutralise(info.name), count=len(info.tools))


def describe_trouble(info: ServerInfo, language: Language) -> str:
    """Say what is wrong with a server; its own words cannot draw anything."""
    phrase = MCP.server_news_failed if info.state == "failed" else MCP.server_news_waiting
    text = say(phrase, language, name=neutralise(info.name))
    if info.error is None:
        return text
    error = neutralise(one_line(info.error, _ERROR_CHARS))
    return f"{text}\n{say(MCP.server_last_error, language, error=error)}"
