"""How long requests take until their answer begins, by the part of the service that they are for."""

import time
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.telemetry.router import Meter

_ROUTES: Final = frozenset({"webhook", "health", "metrics", "home", "simulator"})


class TimedRequests:
    """ASGI middleware that notes each request's route, status and time."""

    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        self._app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began_s = time.perf_counter()

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._meter.note_request(_route(scope["path"]), message["status"], time.perf_counter() - began_s)
            await send(message)

        await self._app(scope, receive, send_noted)


def _route(path: str) -> str:
    """Return one of a few names, whatever is asked for."""
    first = path.split("/", 2)[1] if path.startswith("/") else ""
    return f"/{first}" if first in _ROUTES else "/" if path == "/" else "other"
