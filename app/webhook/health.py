"""Is the process alive, and can it do its work."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar

from fastapi import Request, Response
from fastapi.responses import JSONResponse

from app.domain.chat import ModelState
from app.domain.roles import Role
from app.web.routes import PlainRoute

HELD_S: Final = 5.0
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Readiness:
    """What `/health/ready` tells. Times are aware; None where nothing happened yet.

    Of a process that is only `web`, the model and the sends are the workers'.
    """

    is_database_writable: bool
    are_loops_alive: bool
    model: ModelState
    vector_index: str
    oldest_pending_at: datetime | None
    last_webhook_at: datetime | None
    last_sent_at: datetime | None
    delivery_pause: str | None
    role: Role = "all"

    @property
    def is_ready(self) -> bool:
        """Messages can be taken and answered; a model on its way does not lose any."""
        return self.is_database_writable and self.are_loops_alive and self.model.state == "ready"


class Recent(Generic[_Found]):
    """What a probe found, asked anew when it is older than `HELD_S`: whoever asks often costs nothing more."""

    def __init__(self, probe: Callable[[], Awaitable[_Found]], elapsed_s: Callable[[], float]) -> None:
        self._probe = probe
        self._elapsed_s = elapsed_s
        self._asking = asyncio.Lock()
        self._found: _Found | None = None
        self._asked_at_s = 0.0

    async def get(self) -> _Found:
        """Return what was found at most `HELD_S` ago."""
        async with self._asking:
            if self._found is None or self._elapsed_s() - self._asked_at_s >= HELD_S:
                self._found, self._asked_at_s = await self._probe(), self._elapsed_s()
            return self._found


def create_routes(probe: Callable[[], Awaitable[Readiness]], elapsed_s: Callable[[], float]) -> list[PlainRoute]:
    """Build `/health`, `/health/live` and `/health/ready`, which anybody may ask: each answer is cheap."""
    recent = Recent(probe, elapsed_s)

    async def live(request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def ready(request: Request) -> Response:
        found = await recent.get()
        return JSONResponse(
            {
                "status": "ready" if found.is_ready else "not_ready",
                "role": found.role,
                "database_writable": found.is_database_writable,
                "loops_alive": found.are_loops_alive,
                "model": {
                    "name": found.model.name,
                    "state": found.model.state,
                    "detail": found.model.detail,
                    "progress": found.model.progress,
                    "waiting": found.model.waiting,
                },
                "vector_index": found.vector_index,
                "oldest_pending_at": _iso(found.oldest_pending_at),
                "last_webhook_at": _iso(found.last_webhook_at),
                "last_sent_at": _iso(found.last_sent_at),
                "delivery_pause": found.delivery_pause,
            },
            status_code=200 if found.is_ready else 503,
        )

    return [
        PlainRoute("GET", "/health", live),
        PlainRoute("GET", "/health/live", live),
        PlainRoute("GET", "/health/ready", ready),
    ]


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
