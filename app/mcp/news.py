"""What the admins hear: once, that a server does not work, or works now that they gave consent."""

import asyncio
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog

from app.asking.admins import Admins
from app.asking.showing import neutralise
from app.domain.errors import Transient
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
            told = await self._admins.tell(partial(_describe, info), only=info.access.owner)
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
