"""What went over the wire between the service and Meta's stand-in, with the secrets masked."""

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Final, Literal

import httpx
from pydantic import JsonValue, TypeAdapter
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.domain.phones import digits_of

MAX_EXCHANGES: Final = 300
MAX_BODY_CHARS: Final = 16_000
NOBODY: Final = ""
MASK: Final = "••••••"
_SHOWN_HEADERS: Final = ("authorization", "content-type", "x-hub-signature-256", "user-agent", "retry-after")

Direction = Literal["webhook", "graph"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer. `status` is 0 when nobody answered; `seq` only grows.

    A "webhook" went to the service, a "graph" call came from it. `user` is the wa_id of the person
    concerned, or empty. Bodies are JSON where they could be read as such, else a description.
    """

    seq: int
    direction: Direction
    at: datetime
    duration_ms: int
    user: str
    method: str
    path: str
    status: int
    headers: dict[str, str]
    request: JsonValue
    answer: JsonValue

    def to_json(self) -> str:
        return _EXCHANGE.dump_json(self).decode()


_EXCHANGE: Final[TypeAdapter[Exchange]] = TypeAdapter(Exchange)


@dataclass(frozen=True, slots=True)
class Sent:
    """One side's request, as it went out."""

    direction: Direction
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class WireLog:
    """The last exchanges, in memory. None of the `secrets` is kept, wherever it stood."""

    def __init__(
        self, now: Callable[[], datetime], wake: Callable[[], None], secrets: tuple[str, ...] = ()
    ) -> None:
        self._now = now
        self._wake = wake
        self._secrets = [secret for secret in secrets if secret]
        self._exchanges: deque[Exchange] = deque(maxlen=MAX_EXCHANGES)
        self._last_seq = 0

    @property
    def last_seq(self) -> int:
        return self._last_seq

    def hide(self, secret: str) -> None:
        """Mask this from now on."""
        if secret:
            self._secrets.append(secret)

    def since(self, seq: int) -> list[Exchange]:
        """The exchanges after `seq`, oldest first."""
        return [exchange for exchange in self._exchanges if exchange.seq > seq]

    def add(self, sent: Sent, *, user: str, status: int, answer: bytes, began: float) -> None:
        """Keep an exchange that began at `began` (monotonic seconds)."""
        self._last_seq += 1
        self._exchanges.append(
            Exchange(
                seq=self._last_seq,
                direction=sent.direction,
                at=self._now(),
                duration_ms=round((monotonic() - began) * 1000),
                user=user,
                method=sent.method,
                path=self._masked(sent.path),
                status=status,
                headers=self._headers(sent.headers),
                request=self._readable(sent.body, sent.headers.get("content-type", "")),
                answer=self._readable(answer, "application/json"),
            )
        )
        self._wake()

    def _headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        shown = {name: self._masked(headers[name]) for name in _SHOWN_HEADERS if name in headers}
        if "authorization" in shown:
            shown["authorization"] = f"Bearer {MASK}"
        return shown

    def _readable(self, body: bytes, content_type: str) -> JsonValue:
        if not body:
            return None
        if content_type.startswith("multipart/"):
            return f"[{content_type.partition(';')[0]}, {len(body)} bytes]"
        try:
            text = self._masked(body.decode())
        except UnicodeDecodeError:
            return f"[{len(body)} bytes]"
        if len(text) > MAX_BODY_CHARS:
            return f"{text[:MAX_BODY_CHARS]}…"
        try:
            value: JsonValue = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return value

    def _masked(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return text


class WireTap:
    """ASGI middleware that writes down every request to Graph and its answer."""

    def __init__(self, app: ASGIApp, wire: WireLog, *, user_of: Callable[[str], str]) -> None:
        """`user_of` tells whom a message id belongs to, or an empty string."""
        self._app = app
        self._wire = wire
        self._user_of = user_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = monotonic()
        body, answer = bytearray(), bytearray()
        status = 0

        async def listen() -> Message:
            message = await receive()
            body.extend(message.get("body", b""))
            return message

        async def speak(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
            answer.extend(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, listen, speak)
        except httpx.TransportError as exc:
            # What Starlette answered meanwhile never reaches the caller.
            status, answer = 0, bytearray(json.dumps(str(exc)).encode())
            raise
        finally:
            sent = _sent(scope, bytes(body))
            self._wire.add(sent, status=status, answer=bytes(answer), began=began, user=self._user(sent.body))

    def _user(self, body: bytes) -> str:
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            return NOBODY
        match request:
            case {"to": str(number)}:
                return digits_of(number)
            case {"message_id": str(message_id)}:
                return self._user_of(message_id)
        return NOBODY


def _sent(scope: Scope, body: bytes) -> Sent:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    return Sent("graph", scope["method"], scope["path"], headers, body)
