"""The admins, and what they hear: once, that a server does not work, or works now that they gave consent."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
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


class Admins:
    """Those whom the settings name (see `AllowList.admins`), once they have written and are trusted."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        named: frozenset[str],
        *,
        wake_delivery: Callable[[frozenset[UserId]], None],
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._named = named
        self._wake_delivery = wake_delivery

    async def tell(self, text_in: Callable[[Language], str]) -> frozenset[UserId]:
        """Owe each of them a text in their language, and return who that is; history and the log keep none of it.

        Raises:
            Transient: the store failed, and nobody is told.
        """
        now = self._clock.now()
        async with self._repository.transaction() as tx:
            meant = await self._repository.directory.list_meant(self._named, tx=tx)
            told = [admin for admin in meant if admin.trust == "trusted"]
            for admin in told:
                text = OutText(text_in(admin.language))
                await self._repository.outbox.add(admin.user_id, [text], now, turn_id=None, tx=tx)
        ids = frozenset(admin.user_id for admin in told)
        self._wake_delivery(ids)
        return ids


class ServerNews:
    """Hears of the servers' states at once, and writes to the admins from a loop of its own."""

    def __init__(self, admins: Admins, clock: Clock) -> None:
        self._admins = admins
        self._clock = clock
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
        """Send queued notices until cancelled."""
        while True:
            info = await self._news.get()
            while not await self._tell(info):
                await self._clock.sleep(_RETRY_S)

    async def _tell(self, info: ServerInfo) -> bool:
        """Tell every trusted admin; False when the store failed and it should be tried again."""
        try:
            told = await self._admins.tell(partial(_describe, info))
        except Transient as exc:
            log.warning("server_news.delayed", server=info.name, code=exc.code)
            return False
        log.info("server_news.told", server=info.name, state=info.state, admins=len(told))
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
