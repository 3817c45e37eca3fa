"""A local Graph API: takes what the assistant sends, and brings what people write to our own webhook."""

import asyncio
import hashlib
import hmac
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import httpx
from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.domain.inbound import StatusState
from app.simulator import payloads
from app.simulator.courier import Courier, PostWebhook
from app.simulator.faults import Fault, Faults, Undeliverable
from app.simulator.payloads import JsonObject, SimUser
from app.simulator.requests import (
    INVALID,
    NOT_VALID,
    GraphRefusal,
    ReadRequest,
    SendRequest,
    error_body,
    parse_request,
)
from app.simulator.transcript import EventKind, RecordedRead, RecordedSend, SimEvent, Transcript

MAX_MEDIA_BYTES: Final = 16 * 1024 * 1024
MAX_MEDIA_FILES: Final = 16


@dataclass(frozen=True, slots=True)
class Receipt:
    """The id of a person's message, and the HTTP status our webhook answered (0: no answer)."""

    id: str
    webhook_status: int


@dataclass(frozen=True, slots=True)
class _MediaFile:
    data: bytes
    mime_type: str


class SimulatedGraph:
    """Meta's side of the conversation, in this process.

    `app` is the Graph API (ASGI); `receive` is a person writing. `connect` names the webhook, and
    `running()` must be open for statuses and redeliveries to leave: it owns the one task that posts them.
    With `log_path`, the transcript outlives the process, and an accepted send is in it before its 200.
    """

    def __init__(
        self,
        phone_number_id: str,
        *,
        access_token: str,
        log_path: Path | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.faults = Faults()
        self.transcript = Transcript(log_path)
        self._phone_number_id = phone_number_id
        self._bearer = f"Bearer {access_token}".encode()
        self._now = now
        self._sleep = sleep
        self._courier = Courier(sleep, self.faults)
        self._watchers: Counter[str | None] = Counter()
        self._is_closed = False
        self._media: dict[str, _MediaFile] = {}
        self.app = Starlette(
            routes=[
                Route("/{version}/{object_id}/messages", self._on_message, methods=["POST"]),
                Route("/{version}/{object_id}/media", self._on_upload, methods=["POST"]),
                Route("/media-files/{media_id}", self._on_download),
                Route("/{version}/{media_id}", self._on_media_lookup),
            ],
            exception_handlers={GraphRefusal: _answer_refusal},
        )

    def connect(self, post_webhook: PostWebhook, app_secret: str) -> None:
        """Name our webhook.

        `post_webhook(body, headers)` answers the HTTP status; `OSError` or `httpx.HTTPError` from it mean
        that nobody answered.
        """
        self._courier.connect(post_webhook, app_secret)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Post statuses and redeliveries while open; what is still waiting at the end is dropped.

        Messages and statuses that an earlier process recorded and was killed with, before our webhook took
        them, go out again.
        """
        self._resume()
        async with self._courier.running():
            try:
                yield
            finally:
                self.close_streams()

    def close_streams(self) -> None:
        """End every iteration of `events` and `batches`, so that a server can stop."""
        self._is_closed = True
        self.transcript.wake()

    async def idle(self) -> None:
        """Wait until every status and redelivery known now has been posted or dropped."""
        await self._courier.idle()

    # What happened.

    @property
    def sends(self) -> list[RecordedSend]:
        """The accepted sends that the transcript still holds, oldest first."""
        return [RecordedSend.of(event) for event in self.transcript.events if event.kind == "send"]

    @property
    def reads(self) -> list[RecordedRead]:
        """The read marks that the transcript still holds, oldest first."""
        return [RecordedRead.of(event) for event in self.transcript.events if event.kind == "read"]

    async def events(self, after: int, *, user: str | None = None) -> AsyncGenerator[SimEvent, None]:
        """Yield every event after that `seq`, the recorded ones first, then those to come.

        With `user` (a wa_id), only that person's. Whoever iterates counts as looking at the chat: messages
        that arrive meanwhile become `read`.
        """
        async with aclosing(self.batches(after, user=user)) as batches:
            async for batch in batches:
                for event in batch:
                    yield event

    async def batches(
        self, after: int, *, user: str | None = None, idle_s: float | None = None
    ) -> AsyncGenerator[list[SimEvent], None]:
        """As `events`, in lists; an empty list each time nothing happened for `idle_s` seconds."""
        self._watchers[user] += 1
        try:
            while not self._is_closed:
                news = self.transcript.since(after)
                after = news[-1].seq if news else after
                if batch := [event for event in news if user in (None, event.user)]:
                    yield batch
                elif not await self.transcript.wait_beyond(after, timeout_s=idle_s):
                    yield []
        finally:
            self._watchers[user] -= 1

    def add_media(self, data: bytes, mime_type: str) -> str:
        """Keep a file in memory and return its media id; the oldest files make room."""
        media_id = str(uuid.uuid4().int)[:16]
        self._media[media_id] = _MediaFile(data, mime_type)
        while len(self._media) > MAX_MEDIA_FILES:
            del self._media[next(iter(self._media))]
        return media_id

    # A person writes.

    async def receive(
        self,
        sender: SimUser,
        content: JsonObject,
        *,
        message_id: str | None = None,
        quote_id: str | None = None,
    ) -> Receipt:
        """Post a person's message, signed, to our webhook; one that was not taken is posted again later.

        `content` comes from a builder in `payloads`. A `message_id` that was used before makes a repeated
        delivery of the same message: it is recorded once.
        """
        message_id = message_id or new_message_id()
        message = payloads.message(
            content, sender=sender, message_id=message_id, at=self._now(), quote_id=quote_id
        )
        webhook = payloads.message_webhook(self._phone_number_id, sender, message)
        if not self._is_known(message_id):
            self._record("inbound", sender.wa_id, id=message_id, name=sender.name, message=message)
        status = await self._courier.post(webhook)
        self._record("webhook", sender.wa_id, id=message_id, status=status)
        if status != httpx.codes.OK:
            self._courier.enqueue(partial(self._redeliver, sender.wa_id, message_id, webhook))
        return Receipt(message_id, status)

    def _resume(self) -> None:
        events = self.transcript.events
        answered = {e.data["id"] for e in events if e.kind == "webhook" and e.data["status"] == httpx.codes.OK}
        reported = {e.data["id"] for e in events if e.kind == "status"}
        for event in events:
            message = event.data.get("message")
            if event.kind == "inbound" and event.data["id"] not in answered and isinstance(message, dict):
                bsuid = message.get("from_user_id")
                sender = SimUser(event.user, str(event.data.get("name")), str(bsuid) if bsuid else None)
                webhook = payloads.message_webhook(self._phone_number_id, sender, message)
                self._courier.enqueue(partial(self._redeliver, event.user, str(event.data["id"]), webhook))
            elif event.kind == "send" and event.data["id"] not in reported:
                self._courier.enqueue(partial(self._report, RecordedSend.of(event), None))

    def _is_known(self, message_id: str) -> bool:
        events = self.transcript.events
        return any(event.kind == "inbound" and event.data["id"] == message_id for event in events)

    def _record(self, kind: EventKind, user: str, **data: JsonValue) -> SimEvent:
        return self.transcript.append(kind, user, at=self._now(), data=data)

    # The Graph API.

    async def _on_message(self, request: Request) -> Response:
        self._check(request)
        parsed, raw = parse_request(await request.body())
        if self.faults.latency_s:
            await self._sleep(self.faults.latency_s)
        match parsed:
            case SendRequest():
                return JSONResponse(await self._accept(parsed, raw))
            case ReadRequest():
                self._mark_read(parsed)
                return JSONResponse({"success": True})

    async def _accept(self, request: SendRequest, raw: JsonObject) -> JsonObject:
        fault = self.faults.take()
        await self.faults.apply(fault, is_recorded=False)
        recipient = self._wa_id_of(request)
        send_id = new_message_id()
        event = self._record(
            "send",
            recipient,
            id=send_id,
            recipient=recipient,
            type=request.type,
            text=request.readable,
            tracker=request.biz_opaque_callback_data,
            payload=raw,
        )
        self._courier.enqueue(partial(self._report, RecordedSend.of(event), fault))
        await self.faults.apply(fault, is_recorded=True)
        return {
            "messaging_product": "whatsapp",
            "contacts": [{"input": request.to or request.recipient, "wa_id": recipient}],
            "messages": [{"id": send_id}],
        }

    def _wa_id_of(self, request: SendRequest) -> str:
        """The canonical id: digits of the phone number, or of whoever wrote under that BSUID."""
        if request.to is not None:
            return "".join(char for char in request.to if char.isdigit())
        for event in reversed(self.transcript.events):
            message = event.data.get("message")
            if isinstance(message, dict) and message.get("from_user_id") == request.recipient:
                return event.user
        raise GraphRefusal(131026, "nobody with that user id has written yet")

    def _mark_read(self, request: ReadRequest) -> None:
        for event in reversed(self.transcript.events):
            if event.kind == "inbound" and event.data["id"] == request.message_id:
                is_typing = request.typing_indicator is not None
                self._record("read", event.user, id=request.message_id, typing=is_typing)
                return
        raise GraphRefusal(NOT_VALID, "message_id: no such message")

    async def _on_upload(self, request: Request) -> Response:
        self._check(request)
        async with request.form(max_files=1) as form:
            file = form.get("file")
            if form.get("messaging_product") != "whatsapp" or not isinstance(file, UploadFile):
                raise GraphRefusal(INVALID, "file and messaging_product are needed")
            data = await file.read(MAX_MEDIA_BYTES + 1)
            if not 0 < len(data) <= MAX_MEDIA_BYTES:
                raise GraphRefusal(131053, f"a file has 1 to {MAX_MEDIA_BYTES} bytes")
            mime_type = str(form.get("type") or file.content_type or "application/octet-stream")
        return JSONResponse({"id": self.add_media(data, mime_type)})

    async def _on_media_lookup(self, request: Request) -> Response:
        media_id, file = self._find_media(request)
        return JSONResponse(
            {
                "messaging_product": "whatsapp",
                "id": media_id,
                "url": f"{request.base_url}media-files/{media_id}",
                "mime_type": file.mime_type,
                "sha256": hashlib.sha256(file.data).hexdigest(),
                "file_size": len(file.data),
            }
        )

    async def _on_download(self, request: Request) -> Response:
        _, file = self._find_media(request)
        return Response(file.data, media_type=file.mime_type)

    def _find_media(self, request: Request) -> tuple[str, _MediaFile]:
        self._check_token(request)
        media_id = str(request.path_params["media_id"])
        if media_id not in self._media:
            raise GraphRefusal(INVALID, "no such media", status=404)
        return media_id, self._media[media_id]

    def _check(self, request: Request) -> None:
        self._check_token(request)
        if request.path_params["object_id"] != self._phone_number_id:
            raise GraphRefusal(INVALID, "no phone number with that id")

    def _check_token(self, request: Request) -> None:
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), self._bearer):
            raise GraphRefusal(190, "the access token is missing or wrong", status=401)

    # Our webhook.

    async def _redeliver(self, user: str, message_id: str, webhook: JsonObject) -> None:
        status = await self._courier.redeliver(webhook)
        self._record("webhook", user, id=message_id, status=status)

    async def _report(self, send: RecordedSend, fault: Fault | None) -> None:
        """Tell our webhook what became of a send."""
        error_code = fault.error_code if isinstance(fault, Undeliverable) else None
        for state in _states_of(send, fault):
            if state == "read" and not (self._watchers[send.recipient] or self._watchers[None]):
                continue
            entry = payloads.status(
                send.id,
                state,
                recipient=send.recipient,
                at=self._now(),
                tracker=send.tracker,
                error_code=error_code,
            )
            webhook = payloads.status_webhook(self._phone_number_id, entry)
            answer = await self._courier.post(webhook)
            if answer != httpx.codes.OK:
                answer = await self._courier.redeliver(webhook)
            self._record("status", send.recipient, id=send.id, status=state, webhook=answer, code=error_code)


def new_message_id() -> str:
    """An id in the shape of Meta's."""
    return f"wamid.SIM{uuid.uuid4().hex.upper()}"


def _states_of(send: RecordedSend, fault: Fault | None) -> tuple[StatusState, ...]:
    if isinstance(fault, Undeliverable):
        return ("failed",)
    # Of a reaction, Meta reports only that it was sent.
    return ("sent",) if send.type == "reaction" else ("sent", "delivered", "read")


async def _answer_refusal(request: Request, exc: Exception) -> Response:
    """Answer with the Graph error; registered for `GraphRefusal` only."""
    if not isinstance(exc, GraphRefusal):
        raise exc
    return JSONResponse(error_body(exc), status_code=exc.status)
