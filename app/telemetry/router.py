"""`/metrics`: the figures of this process, for who runs it."""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from fastapi import Request
from fastapi.responses import PlainTextResponse, Response
from structlog.typing import EventDict, WrappedLogger

from app.database.repositories.queues import Queues
from app.domain.chat import ModelState
from app.domain.roles import Role
from app.web.guard import Guard
from app.web.routes import PlainRoute

PATH: Final = "/metrics"
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_BEARER: Final = "bearer "


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand. `queues` are those of all processes; None where the database did not answer.

    `model` is None in a process that has none.
    """

    role: Role
    at: datetime
    queues: Queues | None
    people_at_work: int
    is_delivery_paused: bool
    model: ModelState | None

    def age_s(self, since: datetime | None) -> float:
        """Return how long ago something began; 0 where nothing did."""
        return 0.0 if since is None else max((self.at - since).total_seconds(), 0.0)


class Meter(Protocol):
    """Counts events as a processor of structlog, and writes all figures down."""

    def __call__(self, logger: WrappedLogger, method: str, event_dict: EventDict) -> EventDict: ...

    def note_request(self, route: str, status: int, seconds: float) -> None: ...

    def write(self, standing: Standing) -> bytes:
        """Return the page in the text format of Prometheus."""
        ...


def create_routes(
    meter: Meter | None, look: Callable[[], Awaitable[Standing]], guard: Guard, token: str | None
) -> list[PlainRoute]:
    """Build `/metrics`: for who brings the `token`, or without one for this machine alone."""

    async def metrics(request: Request) -> Response:
        if (refusal := _refusal(request, guard, token)) is not None:
            return refusal
        if meter is None:
            return PlainTextResponse(
                "There are no metrics: pip install 'wasap[metrics]', then start again.\n", 404
            )
        return Response(meter.write(await look()), media_type=CONTENT_TYPE)

    return [PlainRoute("GET", PATH, metrics)]


def _refusal(request: Request, guard: Guard, token: str | None) -> Response | None:
    if token is None:
        if guard.is_near(request):
            return None
        return PlainTextResponse("This is for this machine only; METRICS_TOKEN lets others in.\n", 403)
    given = request.headers.get("authorization", "")
    is_right = hmac.compare_digest(given[len(_BEARER) :].strip().encode("utf-8", "replace"), token.encode())
    if given[: len(_BEARER)].lower() == _BEARER and is_right:
        return None
    return PlainTextResponse("This wants METRICS_TOKEN as a bearer token.\n", 401)
