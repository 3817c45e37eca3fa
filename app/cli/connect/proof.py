"""Proof that the public address leads here: the challenge through it, and a webhook that comes back."""

import asyncio
import hmac
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import httpx
import uvicorn
from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from app.cli.connect.state import PUBLIC_URL, Arrival, StepFailed
from app.domain.clock import SystemClock
from app.domain.errors import Rejected
from app.webhook.parser import parse
from app.webhook.signature import verify

TIMEOUT_S: Final = 15.0
_POLL_S: Final = 0.5
_MAX_BODY_BYTES: Final = 4 * 1024 * 1024
_NOTHING_BEHIND: Final = frozenset({502, 503, 504, 521, 522, 523, 530})


class Receiver:
    """Answers Meta while no service runs: the challenge, and signed webhooks of one number.

    A person's message is answered 503, so that Meta brings it again when the service runs that can store it.
    """

    def __init__(self, verify_token: str, app_secret: str, number_id: str) -> None:
        self._verify_token = verify_token
        self._app_secret = app_secret
        self._number_id = number_id
        self._arrived: asyncio.Queue[Arrival] = asyncio.Queue()
        self.app = Starlette(
            routes=[
                Route("/webhook", self._on_challenge, methods=["GET"]),
                Route("/webhook", self._on_webhook, methods=["POST"]),
            ]
        )

    async def next(self) -> Arrival:
        """See `Arrivals.next`."""
        return await self._arrived.get()

    async def _on_challenge(self, request: Request) -> Response:
        query = request.query_params
        is_ours = hmac.compare_digest(query.get("hub.verify_token", "").encode(), self._verify_token.encode())
        if query.get("hub.mode") != "subscribe" or not is_ours:
            return Response(status_code=403)
        return PlainTextResponse(query.get("hub.challenge", ""))

    async def _on_webhook(self, request: Request) -> Response:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MAX_BODY_BYTES:
                return Response(status_code=413)
        try:
            verify(bytes(body), request.headers.get("X-Hub-Signature-256"), (self._app_secret,))
            batch = parse(bytes(body), received_at=SystemClock().now())
        except Rejected as exc:
            return Response(status_code=exc.status)
        for message in batch.messages:
            if message.phone_number_id == self._number_id:
                self._arrived.put_nowait(Arrival(sender=message.sender.wa_id or message.sender.bsuid or ""))
        for status in batch.statuses:
            self._arrived.put_nowait(
                Arrival(status_of=status.message_id, state=status.state, error_code=status.error_code)
            )
        return Response(status_code=503 if batch.messages else 200)


class RunningService:
    """The arrivals of the service that runs already, by its `/health/ready`."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        base_url: str,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._http = http
        self._base_url = base_url
        self._sleep = sleep
        self._seen: str | None = None

    async def knows(self, verify_token: str) -> bool:
        """Tell whether what listens there is a service with this verify token; remember its last webhook."""
        try:
            is_ours = await _answers_challenge(self._http, f"{self._base_url}/webhook", verify_token) is None
            self._seen = await self.last_webhook_at()
        except httpx.HTTPError:
            return False
        return is_ours

    async def last_webhook_at(self) -> str | None:
        """When Meta last reached it since its start, as it says itself; None for never.

        Raises:
            httpx.HTTPError: it does not answer.
        """
        response = await self._http.get(f"{self._base_url}/health/ready", timeout=TIMEOUT_S)
        try:
            return _Ready.model_validate_json(response.content).last_webhook_at
        except ValidationError:
            return None

    async def next(self) -> Arrival:
        """See `Arrivals.next`. Polls, because the service tells nobody by itself."""
        while True:
            try:
                newest = await self.last_webhook_at()
            except httpx.HTTPError:
                newest = self._seen
            if newest != self._seen:
                self._seen = newest
                return Arrival()
            await self._sleep(_POLL_S)


class _Ready(BaseModel):
    last_webhook_at: str | None = None


class _Server(uvicorn.Server):
    """uvicorn's server without its signal handlers: Ctrl-C belongs to the wizard."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def take_port(host: str, port: int) -> socket.socket | None:
    """Return a listening socket; None when something listens there already.

    Raises:
        OSError: the address is not this machine's, or may not be used.
    """
    try:
        return socket.create_server((host, port))
    except OSError:
        if _is_taken(host, port):
            return None
        raise


def _is_taken(host: str, port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1" if host == "0.0.0.0" else host, port), timeout=2):  # noqa: S104 - compared, not bound
            return True
    except OSError:
        return False


@asynccontextmanager
async def serving(receiver: Receiver, listening: socket.socket) -> AsyncIterator[None]:
    """Serve the receiver on that socket while the block runs; the socket is closed at its end."""
    config = uvicorn.Config(
        receiver.app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=1
    )
    server = _Server(config)
    with listening:
        # Not a TaskGroup: it would wrap a failed step, which has to be told as it is.
        running = asyncio.create_task(server.serve([listening]), name="connect.receiver")
        try:
            yield
        finally:
            server.should_exit = True
            await running


async def prove_address(http: httpx.AsyncClient, callback_url: str, verify_token: str) -> None:
    """Ask the public address for a challenge, as Meta will.

    Raises:
        StepFailed: it does not answer it; the sentence tells which part of the way is broken.
    """
    try:
        problem = await _answers_challenge(http, callback_url, verify_token)
    except httpx.ConnectError as exc:
        is_tls = "certificate" in str(exc).lower() or "ssl" in str(exc).lower()
        cause = "its certificate is not valid" if is_tls else "no connection to that host"
        raise _not_proven(
            callback_url, cause, "Is the tunnel running, and is this its address of today?"
        ) from None
    except httpx.HTTPError as exc:
        raise _not_proven(
            callback_url, f"no answer ({type(exc).__name__})", "Look at the tunnel's own output"
        ) from None
    if problem is not None:
        raise _not_proven(callback_url, *problem)


def _not_proven(url: str, cause: str, next_step: str) -> StepFailed:
    return StepFailed("address", f"{url} does not lead here: {cause}", next_step, ask_again=(PUBLIC_URL,))


async def _answers_challenge(http: httpx.AsyncClient, url: str, verify_token: str) -> tuple[str, str] | None:
    """Return None when the challenge came back, else cause and next step."""
    challenge = secrets.token_hex(8)
    query = {"hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": verify_token}
    response = await http.get(url, params=query, follow_redirects=False, timeout=TIMEOUT_S)
    status = response.status_code
    if status == httpx.codes.OK and response.text == challenge:
        return None
    if response.is_redirect:
        return "it redirects, which Meta does not follow", "Give the address that it redirects to"
    if status in _NOTHING_BEHIND:
        return f"the tunnel answers {status}: nothing listens behind it", "Point the tunnel at this machine's PORT"
    if status == httpx.codes.FORBIDDEN:
        return (
            "something refuses the verify token (403)",
            "Is it another service, or a login page before the tunnel?",
        )
    if status == httpx.codes.NOT_FOUND:
        return "there is no /webhook (404)", "Let the tunnel or proxy pass /webhook on, with its path unchanged"
    return (
        f"another page answers there ({status})",
        "Point the tunnel at this machine's PORT, without a login page",
    )
