"""Who tells the wizard that a webhook came: a receiver of its own, or the service that runs already."""

import asyncio
import errno
import socket
from contextlib import suppress
from typing import Final

import httpx
from fastapi import FastAPI
from pydantic import BaseModel, ValidationError

from app.cli.connect.state import Arrival
from app.cli.meta import challenge_problem
from app.domain.clock import SystemClock
from app.domain.errors import Transient
from app.domain.inbound import WebhookBatch
from app.webhook.router import WebhookSecrets, create_routes

_TIMEOUT_S: Final = 15.0
_POLL_S: Final = 0.5


class Receiver:
    """Answers Meta while no service runs: the challenge, and signed webhooks of one number.

    A person's message is answered with 503, so that Meta brings it again when a service runs that can store it.
    """

    def __init__(self, secrets: WebhookSecrets, number_id: str) -> None:
        self._number_id = number_id
        self._arrived: asyncio.Queue[Arrival] = asyncio.Queue()
        self.app = FastAPI(openapi_url=None)
        self.app.router.routes.extend(create_routes(self, secrets, SystemClock()))

    async def next(self) -> Arrival:
        """See `Arrivals.next`."""
        return await self._arrived.get()

    async def accept(self, batch: WebhookBatch) -> None:
        """See `Intake.accept`."""
        for message in batch.messages:
            if message.phone_number_id == self._number_id:
                self._arrived.put_nowait(Arrival(sender=message.sender.wa_id or message.sender.bsuid or ""))
        for status in batch.statuses:
            self._arrived.put_nowait(Arrival("", status.message_id, status.state, status.error_code))
        if batch.messages:
            raise Transient("no_store", "the service that stores messages does not run yet")


class RunningService:
    """The arrivals of the service that runs already, by its `/health/ready`."""

    def __init__(self, http: httpx.AsyncClient, base_url: str) -> None:
        self._http = http
        self._base_url = base_url
        self._seen: str | None = None

    async def knows(self, verify_token: str) -> bool:
        """Tell whether what listens there is a service with this verify token; remember its newest webhook."""
        if await challenge_problem(self._http, f"{self._base_url}/webhook", verify_token):
            return False
        with suppress(httpx.HTTPError):
            self._seen = await self.last_webhook_at()
        return True

    async def last_webhook_at(self) -> str | None:
        """When Meta last reached it since its start, as it says itself; None for never.

        Raises:
            httpx.HTTPError: it does not answer.
        """
        response = await self._http.get(f"{self._base_url}/health/ready", timeout=_TIMEOUT_S)
        try:
            return _Ready.model_validate_json(response.content).last_webhook_at
        except ValidationError:
            return None

    async def next(self) -> Arrival:
        """See `Arrivals.next`. Polls, because the service tells nobody by itself."""
        while True:
            newest = self._seen
            with suppress(httpx.HTTPError):
                newest = await self.last_webhook_at()
            if newest != self._seen:
                self._seen = newest
                return Arrival()
            await asyncio.sleep(_POLL_S)


class _Ready(BaseModel):
    last_webhook_at: str | None = None


def take_port(host: str, port: int) -> socket.socket | None:
    """Return a listening socket; None when something listens there already.

    Raises:
        OSError: the address is not this machine's, or may not be used.
    """
    try:
        return socket.create_server((host, port))
    except OSError as exc:
        if exc.errno == errno.EADDRINUSE:
            return None
        raise
