"""The chat page and the small API behind it; served to this machine only."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal, assert_never

from fastapi import APIRouter, Body, Depends, Header, HTTPException, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from app.simulator import payloads
from app.simulator.graph import SimulatedGraph
from app.simulator.payloads import JsonObject, SimUser
from app.simulator.transcript import SimEvent

DEFAULT_USERS: Final = (
    SimUser("5491100000001", "Ana", "AR.100000000000001"),
    SimUser("15550000002", "Ben", "US.100000000000002"),
)
PING_S: Final = 15.0

_STATIC: Final = Path(__file__).parent / "static"
_MEDIA_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {"index.html": "text/html", "app.css": "text/css", "app.js": "text/javascript"}
)
_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
)
_LOOPBACK_HOST: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)


class _Input(BaseModel):
    """What a person did. An `id` chosen by the page makes trying again safe."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user: str
    id: str | None = Field(default=None, pattern=r"^wamid\.SIM[0-9A-F]{32}$")
    quote_id: str | None = Field(default=None, max_length=256)


class _TextInput(_Input):
    type: Literal["text"]
    text: str = Field(min_length=1, max_length=65_536)


class _ButtonInput(_Input):
    type: Literal["button"]
    button_id: str = Field(min_length=1, max_length=256)
    title: str = Field(max_length=256)


class _ListInput(_Input):
    type: Literal["list"]
    row_id: str = Field(min_length=1, max_length=256)
    title: str = Field(max_length=256)
    description: str = Field(default="", max_length=256)


class _ReactionInput(_Input):
    """An empty emoji takes the reaction back."""

    type: Literal["reaction"]
    message_id: str = Field(min_length=1, max_length=256)
    emoji: str = Field(max_length=32)


class _LocationInput(_Input):
    type: Literal["location"]
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)
    name: str | None = Field(default=None, max_length=256)


class _EditInput(_Input):
    type: Literal["edit"]
    message_id: str = Field(min_length=1, max_length=256)
    text: str = Field(min_length=1, max_length=65_536)


class _RevokeInput(_Input):
    type: Literal["revoke"]
    message_id: str = Field(min_length=1, max_length=256)


_AnyInput = _TextInput | _ButtonInput | _ListInput | _ReactionInput | _LocationInput | _EditInput | _RevokeInput


async def _nothing_to_tell() -> dict[str, str]:
    return {}


def create_router(
    graph: SimulatedGraph,
    users: Sequence[SimUser] = DEFAULT_USERS,
    *,
    describe: Callable[[], Awaitable[dict[str, str]]] = _nothing_to_tell,
) -> APIRouter:
    """Build the routes under `/simulator`, for requests from this machine's browser only.

    `describe` tells the page about the model: `model`, `state` (as `ModelState.state`), `progress`
    (0..1), `detail`; every key is optional.

    Raises:
        OSError: a file of the page cannot be read.
    """
    router = APIRouter(prefix="/simulator", dependencies=[Depends(require_same_machine)], include_in_schema=False)
    files = {name: (_STATIC / name).read_bytes() for name in _MEDIA_TYPES}
    people = {user.wa_id: user for user in users}

    @router.get("")
    async def page() -> Response:
        return _file("index.html", files)

    @router.get("/static/{name}")
    async def static(name: str) -> Response:
        return _file(name, files)

    @router.get("/api/state")
    async def state() -> dict[str, object]:
        return {
            "users": [asdict(user) for user in users],
            "facts": await describe(),
            "last_seq": graph.transcript.last_seq,
        }

    @router.post("/api/messages")
    async def send(sent: Annotated[_AnyInput, Body(discriminator="type")]) -> dict[str, object]:
        sender = _person(sent.user, people)
        receipt = await graph.receive(sender, _content(sent), message_id=sent.id, quote_id=sent.quote_id)
        return asdict(receipt)

    @router.get("/api/events")
    async def events(
        user: str,
        after: Annotated[int, Query(ge=0)] = 0,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> StreamingResponse:
        wa_id = _person(user, people).wa_id
        if last_event_id is not None and last_event_id.isdecimal():
            after = int(last_event_id)
        return StreamingResponse(
            _stream(graph, wa_id, after),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    return router


async def require_same_machine(request: Request) -> None:
    """Refuse what a page of another site could have asked a browser here to send.

    A foreign name that resolves to this machine (DNS rebinding) shows in `Host`; a post from another site
    shows in `Origin`, or cannot carry JSON without asking first.

    Raises:
        HTTPException: 403.
    """
    host = request.headers.get("host", "")
    if not _LOOPBACK_HOST.fullmatch(host):
        raise HTTPException(403, "The simulator answers to localhost only; open it under that name.")
    if request.method == "GET":
        return
    origin = request.headers.get("origin")
    if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
        raise HTTPException(403, "The simulator takes posts from its own page only.")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(403, "The simulator takes JSON only.")


def _content(sent: _AnyInput) -> JsonObject:
    match sent:
        case _TextInput():
            return payloads.text(sent.text)
        case _ButtonInput():
            return payloads.button_reply(sent.button_id, sent.title)
        case _ListInput():
            return payloads.list_reply(sent.row_id, sent.title, sent.description)
        case _ReactionInput():
            return payloads.reaction(sent.message_id, sent.emoji)
        case _LocationInput():
            return payloads.location(sent.latitude, sent.longitude, name=sent.name)
        case _EditInput():
            return payloads.edit(sent.message_id, payloads.text(sent.text))
        case _RevokeInput():
            return payloads.revoke(sent.message_id)
        case _:
            assert_never(sent)


async def _stream(graph: SimulatedGraph, wa_id: str, after: int) -> AsyncIterator[str]:
    """Server-sent events; a comment now and then keeps the connection from looking dead."""
    yield ": open\n\n"
    async with aclosing(graph.batches(after, user=wa_id, idle_s=PING_S)) as batches:
        async for batch in batches:
            yield "".join(_frame(event) for event in batch) or ": ping\n\n"


def _frame(event: SimEvent) -> str:
    return f"id: {event.seq}\ndata: {event.to_json()}\n\n"


def _person(wa_id: str, people: Mapping[str, SimUser]) -> SimUser:
    if wa_id not in people:
        raise HTTPException(404, "no such person in the simulator")
    return people[wa_id]


def _file(name: str, files: Mapping[str, bytes]) -> Response:
    if name not in files:
        raise HTTPException(404, "no such file")
    return Response(files[name], media_type=_MEDIA_TYPES[name], headers=dict(_HEADERS))
