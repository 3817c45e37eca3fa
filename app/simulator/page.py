"""The chat page and the small API behind it; served to who has the token, on this machine."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, TypeVar

from fastapi import APIRouter, Body, Depends, Header, HTTPException, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from app.database.repositories.turn_paths import TurnPath
from app.domain.errors import Rejected
from app.simulator.clock import OffsetClock
from app.simulator.faults import Switch
from app.simulator.files import media_router
from app.simulator.graph import SimulatedGraph
from app.simulator.inputs import AnyInput, content
from app.simulator.payloads import SimUser
from app.simulator.people import Phones
from app.simulator.stream import Cursor, Feed
from app.web.guard import Guard
from app.web.palette import PALETTE

T = TypeVar("T")

PAGE: Final = "/simulator"
PathOf = Callable[[str, str], Awaitable[TurnPath | None]]

_STATIC: Final = Path(__file__).parent / "static"
_MEDIA_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
)
_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            "img-src 'self' data: blob:; media-src 'self' blob:; "
            "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
        "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
)


class _SwitchInput(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    switch: Switch
    is_on: bool


class _NameInput(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=200)


class _JumpInput(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    hours: float = Field(gt=0, le=24 * 366)


async def _nothing_to_tell() -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Due:
    """Something that comes by itself: for whom (`user`, a wa_id), when, and what."""

    user: str
    at: datetime
    text: str


DueSoon = Callable[[], Awaitable[Sequence[Due]]]


async def _nothing_due() -> Sequence[Due]:
    return ()


async def _no_path(user: str, message_id: str) -> TurnPath | None:
    return None


def create_router(  # noqa: PLR0913 - what the page may look at
    graph: SimulatedGraph,
    guard: Guard,
    phones: Phones | None = None,
    *,
    describe: Callable[[], Awaitable[dict[str, str]]] = _nothing_to_tell,
    turn_path: PathOf = _no_path,
    due_soon: DueSoon = _nothing_due,
    clock: OffsetClock | None = None,
) -> APIRouter:
    """Build the routes under `/simulator`, for requests that `guard` lets in.

    `describe` tells the page about the model: `model`, `state` (as `ModelState.state`), `progress`
    (0..1), `detail`; every key is optional. `turn_path(wa_id, message_id)` tells what became of a message
    inside the service, `due_soon()` what comes by itself next.
    With `clock`, the one that service and Graph live by, the page can move the time.

    Raises:
        OSError: a file of the page cannot be read.
    """
    people = phones or Phones()
    router = APIRouter(dependencies=[Depends(guard.require_place)], include_in_schema=False)
    known = [Depends(guard.require_token)]
    router.include_router(_page_router(guard))
    router.include_router(media_router(graph.media), dependencies=known)
    router.include_router(_chat_router(graph, people, describe=describe, clock=clock), dependencies=known)
    router.include_router(_laboratory_router(graph, people, turn_path=turn_path, clock=clock), dependencies=known)
    router.include_router(_people_router(people), dependencies=known)
    router.include_router(_due_router(people, due_soon), dependencies=known)
    return router


def _page_router(guard: Guard) -> APIRouter:
    router = APIRouter(prefix=PAGE)
    files = {path.name: path.read_bytes() for path in _STATIC.iterdir() if path.suffix in _MEDIA_TYPES}
    files[PALETTE.name] = PALETTE.read_bytes()

    @router.get("")
    async def page(request: Request) -> Response:
        if (answer := guard.take_token(request, PAGE)) is not None:
            return answer
        return _file("index.html", files) if guard.has_token(request) else _file("locked.html", files, status=401)

    @router.get("/static/{name}", dependencies=[Depends(guard.require_token)])
    async def static(name: str) -> Response:
        return _file(name, files)

    return router


def _chat_router(
    graph: SimulatedGraph,
    people: Phones,
    *,
    describe: Callable[[], Awaitable[dict[str, str]]],
    clock: OffsetClock | None,
) -> APIRouter:
    """What people see and do."""
    router = APIRouter(prefix="/simulator/api")
    feed = Feed(graph, describe=describe, controls=lambda: _controls(graph, clock))

    @router.get("/state")
    async def state() -> dict[str, object]:
        return {
            "users": [_shown(user, people) for user in people.list()],
            "facts": await describe(),
            "controls": _controls(graph, clock),
            "last_seq": graph.transcript.last_seq,
            "last_exchange": graph.wire.last_seq,
        }

    @router.post("/messages")
    async def send(sent: Annotated[AnyInput, Body(discriminator="type")]) -> dict[str, object]:
        sender = _person(sent.user, people)
        try:
            built = content(sent, graph.media)
        except Rejected as exc:
            raise HTTPException(exc.status, exc.detail) from exc
        receipt = await graph.receive(sender, built, message_id=sent.id, quote_id=sent.quote_id)
        return asdict(receipt)

    @router.get("/events")
    async def events(
        user: Annotated[list[str], Query(min_length=1)],
        after: Annotated[int, Query(ge=0)] = 0,
        exchanges_after: Annotated[int | None, Query(ge=0)] = None,
        hidden: Annotated[list[str] | None, Query()] = None,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> StreamingResponse:
        wa_ids = frozenset(_person(one, people).wa_id for one in user)
        in_view = wa_ids.difference(hidden or ())
        if last_event_id is not None and last_event_id.isdecimal():
            after = int(last_event_id)
        return StreamingResponse(
            feed.follow(wa_ids, Cursor(after, exchanges_after), in_view=in_view),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    return router


def _laboratory_router(
    graph: SimulatedGraph, people: Phones, *, turn_path: PathOf, clock: OffsetClock | None
) -> APIRouter:
    """What no phone has: a look inside, a clock that jumps, things that go wrong."""
    router = APIRouter(prefix="/simulator/api")

    @router.get("/turns/{message_id}")
    async def turn(message_id: str, user: str) -> TurnPath | None:
        # A message on its way is no error: null, not 404, which a browser would complain about.
        return await turn_path(_person(user, people).wa_id, message_id)

    @router.post("/faults")
    async def switch(asked: _SwitchInput) -> dict[str, JsonValue]:
        graph.faults.set(asked.switch, is_on=asked.is_on)
        graph.transcript.wake()
        return _controls(graph, clock)

    @router.post("/clock")
    async def jump(asked: _JumpInput) -> dict[str, JsonValue]:
        if clock is None:
            raise HTTPException(409, "The time of this service cannot be moved.")
        try:
            clock.jump(timedelta(hours=asked.hours))
        except Rejected as exc:
            raise HTTPException(exc.status, exc.detail) from exc
        graph.transcript.wake()
        return _controls(graph, clock)

    return router


def _due_router(people: Phones, due_soon: DueSoon) -> APIRouter:
    router = APIRouter(prefix="/simulator/api")

    @router.get("/due")
    async def due() -> list[dict[str, str]]:
        return [
            {"name": person.name, "at": one.at.isoformat(), "text": one.text}
            for one in await due_soon()
            if (person := people.find(one.user)) is not None
        ]

    return router


def _controls(graph: SimulatedGraph, clock: OffsetClock | None) -> dict[str, JsonValue]:
    faults: list[JsonValue] = [*sorted(graph.faults.switched_on)]
    return {"offset_s": None if clock is None else clock.offset.total_seconds(), "faults": faults}


def _people_router(people: Phones) -> APIRouter:
    """Who has a phone: added, renamed and removed from the page."""
    router = APIRouter(prefix="/simulator/api/people")

    @router.post("")
    async def add(asked: _NameInput) -> dict[str, object]:
        return _shown(_called(lambda: people.add(asked.name)), people)

    @router.post("/{wa_id}")
    async def rename(wa_id: str, asked: _NameInput) -> dict[str, object]:
        return _shown(_called(lambda: people.rename(wa_id, asked.name)), people)

    @router.post("/{wa_id}/remove")
    async def remove(wa_id: str) -> dict[str, object]:
        _called(lambda: people.remove(wa_id))
        return {"wa_id": wa_id}

    return router


def _shown(user: SimUser, people: Phones) -> dict[str, object]:
    return {**asdict(user), "is_added": people.is_added(user.wa_id)}


def _called(do: Callable[[], T]) -> T:
    try:
        return do()
    except Rejected as exc:
        raise HTTPException(exc.status, exc.detail) from exc


def _person(wa_id: str, people: Phones) -> SimUser:
    if (person := people.find(wa_id)) is None:
        raise HTTPException(404, "no such person in the simulator")
    return person


def _file(name: str, files: Mapping[str, bytes], *, status: int = 200) -> Response:
    if name not in files:
        raise HTTPException(404, "no such file")
    return Response(files[name], status, media_type=_MEDIA_TYPES[Path(name).suffix], headers=dict(_HEADERS))
