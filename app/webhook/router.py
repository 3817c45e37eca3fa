"""Meta's two requests: verification, and updates. Check, parse, store, 200; nothing else."""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

import structlog
from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from app.domain.connecting import Guest, Reception
from app.domain.errors import Rejected, Transient
from app.domain.inbound import WebhookBatch
from app.domain.ports import Clock
from app.web.routes import PlainRoute
from app.webhook.parser import parse
from app.webhook.signature import verify

log = structlog.get_logger(__name__)

MAX_BODY_BYTES: Final = 4 * 1024 * 1024
"""Meta's largest body is 3 MB."""


@dataclass(frozen=True, slots=True)
class WebhookSecrets:
    verify_token: str
    app_secrets: tuple[str, ...]


class BatchTaker(Protocol):
    async def accept(self, batch: WebhookBatch) -> None:
        """Take everything of a batch; `Transient` when it could not be stored."""
        ...


def create_routes(
    intake: BatchTaker, secrets: WebhookSecrets, clock: Clock, reception: Reception | None = None
) -> list[PlainRoute]:
    """Build `/webhook`; the guest of a `reception` is answered, too, and takes what is signed for it alone."""
    known = reception or Reception()

    async def verify_subscription(request: Request) -> Response:
        query = request.query_params
        token = query.get("hub.verify_token", "")
        if query.get("hub.mode") != "subscribe" or not _knows(token, secrets, known.guest):
            log.warning("webhook.verification_refused")
            return Response(status_code=403)
        return Response(query.get("hub.challenge", ""), media_type="text/plain")

    async def receive(request: Request) -> Response:
        try:
            body = bytearray()
            async for chunk in request.stream():
                body += chunk
                # Whatever Content-Length says.
                if len(body) > MAX_BODY_BYTES:
                    raise Rejected("body_too_large", status=413)
            signature = request.headers.get("X-Hub-Signature-256")
            take = _taker_of(bytes(body), signature, secrets, known.guest) or intake.accept
            await take(parse(bytes(body), received_at=clock.now()))
        except Rejected as exc:
            log.warning("webhook.rejected", code=exc.code, detail=exc.detail)
            return Response(status_code=exc.status)
        except ClientDisconnect:
            return Response(status_code=400)  # for nobody: the request never became whole
        except Transient as exc:
            log.error("webhook.not_stored", code=exc.code, detail=exc.detail)
            return Response(status_code=503)
        return Response(status_code=200)

    return [PlainRoute("GET", "/webhook", verify_subscription), PlainRoute("POST", "/webhook", receive)]


def _knows(token: str, secrets: WebhookSecrets, guest: Guest | None) -> bool:
    expected = (secrets.verify_token, *((guest.verify_token,) if guest else ()))
    return any(hmac.compare_digest(token.encode(), one.encode()) for one in expected)


def _taker_of(
    body: bytes, signature: str | None, secrets: WebhookSecrets, guest: Guest | None
) -> Callable[[WebhookBatch], Awaitable[None]] | None:
    """Return who takes what a guest's secret signed; None for what is ours.

    Raises:
        Rejected: neither secret signed it.
    """
    try:
        verify(body, signature, secrets.app_secrets)
    except Rejected:
        if guest is None:
            raise
        verify(body, signature, guest.app_secrets)
        return guest.take
    return None
