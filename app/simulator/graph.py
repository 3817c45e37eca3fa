"""A local Graph API: takes what the assistant sends, and brings what people write to our own webhook."""

import asyncio
import hmac
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import httpx
from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.domain.inbound import StatusState
from app.domain.phones import digits_of
from app.simulator import payloads
from app.simulator.courier import Courier, PostWebhook
from app.simulator.faults import Fault, Faults, Undeliverable
from app.simulator.media import MediaStore
from app.simulator.media_api import media_routes
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
from app.simulator.templates import TemplateShelf
from app.simulator.transcript import EventKind, RecordedRead, RecordedSend, SimEvent, Transcript
from app.simulator.wire import NOBODY, WireLog, WireTap

WINDOW: Final = timedelta(hours=24)
"""Meta's customer service window: after it, free-form messages are refused with 131047."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The id of a person's message, and the HTTP status our webhook answered (0: no answer)."""

    id: str
    webhook_status: int


class SimulatedGraph:
    """Meta's side of the conversation, in this process.

    `app` is the Graph API (ASGI); `receive` is a person writing. `connect` names the webhook, and
    `running()` must be open for statuses and redeliveries to leave: it owns the one task that posts them.
    With `log_path`, the transcript outlives the process, and an accepted send is in it before its 200; with
    `media_dir`, files do. `now` and `sleep` are its time: the window of 24 hours follows them.
    """

    def __init__(
        self,
        phone_number_id: str,
        *,
        access_token: str,
        log_path: Path | None = None,
        media_dir: Path | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.faults = Faults()
        self.price: Callable[[RecordedSend], Mapping[str, JsonValue]] = lambda send: payloads.REGULAR
        self.transcript = Transcript(log_path)
        self.wire = WireLog(now, self.transcript.wake, (access_token,))
        self.media = MediaStore(media_dir)
        self.templates = TemplateShelf(now)
        self._phone_number_id = phone_number_id
        self._bearer = f"Bearer {access_token}".encode()
        self._now = now
        self._sleep = sleep
        self._courier = Courier(sleep, self.faults, self.wire)
        self._watchers: Counter[str | None] = Counter()
        self.is_closed = False
        graph = Starlette(
            routes=[
                Route("/{version}/{object_id}/messages", self._on_message, methods=["POST"]),
                Route("/{version}/{account_id}/message_templates", self._on_templates, methods=["GET"]),
                Route("/{version}/{account_id}/message_templates", self._on_new_template, methods=["POST"]),
                *media_routes(self.media, check=self._check, check_token=self._check_token),
            ],
            exception_handlers={GraphRefusal: _answer_refusal},
        )
        self.app = WireTap(graph, self.wire, user_of=self._author_of)

    def connect(self, post_webhook: PostWebhook, app_secret: str) -> None:
        """Name our webhook.

        `post_webhook(body, headers)` answers the HTTP status; `OSError` or `httpx.HTTPError` from it mean
        that nobody answered.
        """
        self.wire.hide(app_secret)
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
        self.is_closed = True
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
        with self.looking({user}):
            while not self.is_closed:
                news = self.transcript.since(after)
                after = news[-1].seq if news else after
                if batch := [event for event in news if user in (None, event.user)]:
                    yield batch
                elif not await self.transcript.wait_beyond(after, timeout_s=idle_s):
                    yield []

    @contextmanager
    def looking(self, users: Collection[str | None]) -> Iterator[None]:
        """While open, these people (None: everybody) have their chats in view: what arrives becomes `read`."""
        self._watchers.update(users)
        try:
            yield
        finally:
            self._watchers.subtract(users)

    def add_media(self, data: bytes, mime_type: str) -> str:
        """Keep a file and return its media id; the oldest files make room."""
        return self.media.add(data, mime_type)

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
        if self.faults.webhook_delay_s:
            self._courier.enqueue(partial(self._deliver, sender.wa_id, message_id, webhook))
            return Receipt(message_id, 0)
        status = await self._courier.post(webhook, user=sender.wa_id)
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
        return self._author_of(message_id) != NOBODY

    def _author_of(self, message_id: str) -> str:
        """Who wrote that message, or an empty string."""
        for event in reversed(self.transcript.events):
            if event.kind == "inbound" and event.data["id"] == message_id:
                return event.user
        return NOBODY

    def _record(self, kind: EventKind, user: str, **data: JsonValue) -> SimEvent:
        return self.transcript.append(kind, user, at=self._now(), data=data)

    # The Graph API.

    async def _on_message(self, request: Request) -> Response:
        self._check(request)
        parsed, raw = parse_request(await request.body())
        if self.faults.answer_delay_s:
            await self._sleep(self.faults.answer_delay_s)
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
        text = request.readable
        if request.template is None:
            self._check_window(recipient)
        else:
            wanted = request.template
            text = self.templates.fill(wanted.name, wanted.language.code, wanted.values)
        send_id = new_message_id()
        event = self._record(
            "send",
            recipient,
            id=send_id,
            recipient=recipient,
            type=request.type,
            text=text,
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

    async def _on_templates(self, request: Request) -> Response:
        self._check_token(request)
        return JSONResponse({"data": list(self.templates.list(request.query_params.get("name", "")))})

    async def _on_new_template(self, request: Request) -> Response:
        self._check_token(request)
        made = self.templates.add(await request.json())
        return JSONResponse({"id": made.id, "status": self.templates.status(made), "category": made.category})

    def decide_template(self, name: str, language: str, status: str, reason: str = "NONE") -> None:
        """Let Meta decide on a template, and tell our webhook."""
        decided = self.templates.decide(name, language, status, reason)
        webhook = payloads.template_webhook(decided.id, name, language, status, reason)
        self._courier.enqueue(partial(self._announce, webhook))

    async def _announce(self, webhook: JsonObject) -> None:
        await self._courier.post(webhook, user=NOBODY)

    def _wa_id_of(self, request: SendRequest) -> str:
        """The canonical id: digits of the phone number, or of whoever wrote under that BSUID."""
        if request.to is not None:
            return digits_of(request.to)
        for event in reversed(self.transcript.events):
            message = event.data.get("message")
            if isinstance(message, dict) and message.get("from_user_id") == request.recipient:
                return event.user
        raise GraphRefusal(131026, "nobody with that user id has written yet")

    def _mark_read(self, request: ReadRequest) -> None:
        author = self._author_of(request.message_id)
        if author == NOBODY:
            raise GraphRefusal(NOT_VALID, "message_id: no such message")
        self._record("read", author, id=request.message_id, typing=request.typing_indicator is not None)

    def _check_window(self, recipient: str) -> None:
        """Refuse what comes more than 24 hours after the person's last message.

        Whoever never wrote is not refused: the beginning of a long transcript is forgotten.
        """
        written = [e.at for e in self.transcript.events if e.kind == "inbound" and e.user == recipient]
        if written and self._now() - max(written) > WINDOW:
            raise GraphRefusal(131047, "more than 24 hours have passed since the person wrote")

    def _check(self, request: Request) -> None:
        self._check_token(request)
        if request.path_params["object_id"] != self._phone_number_id:
            raise GraphRefusal(INVALID, "no phone number with that id")

    def _check_token(self, request: Request) -> None:
        self.faults.check_access()
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), self._bearer):
            raise GraphRefusal(190, "the access token is missing or wrong", status=401)

    # Our webhook.

    async def _deliver(self, user: str, message_id: str, webhook: JsonObject) -> None:
        status = await self._courier.post(webhook, user=user)
        self._record("webhook", user, id=message_id, status=status)
        if status != httpx.codes.OK:
            await self._redeliver(user, message_id, webhook)

    async def _redeliver(self, user: str, message_id: str, webhook: JsonObject) -> None:
        status = await self._courier.redeliver(webhook, user=user)
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
            if "pricing" in entry:
                entry["pricing"] = {"pricing_model": "PMP", **self.price(send)}
            webhook = payloads.status_webhook(self._phone_number_id, entry)
            answer = await self._courier.post(webhook, user=send.recipient)
            if answer != httpx.codes.OK:
                answer = await self._courier.redeliver(webhook, user=send.recipient)
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
