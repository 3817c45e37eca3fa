"""What the drawer offers: the wire, the switches, the window, files, turns, and the one stream."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from pydantic import JsonValue

from app.database.repositories.turn_paths import TurnPath
from app.domain.inbound import Audio, Document, Image, Sticker
from app.simulator import media as media_module
from app.simulator import page as page_module
from app.simulator import payloads
from app.simulator.clock import OffsetClock
from app.simulator.faults import LATE_S, SLOW_S, Switch
from app.simulator.graph import WINDOW, SimulatedGraph
from app.simulator.media import MAX_MEDIA_BYTES, MediaStore
from app.simulator.page import Due, create_router
from app.simulator.people import DEFAULT_USERS
from app.simulator.stream import Cursor, Feed
from app.simulator.wire import MASK, MAX_BODY_CHARS, MAX_EXCHANGES
from app.web.guard import Guard
from app.webhook.parser import parse

TOKEN = "a-token-that-nobody-may-see"
SECRET = "a-secret-that-nobody-may-see"
NUMBER = "1000000000001"
ANA, BEN = DEFAULT_USERS
STATIC = Path(page_module.__file__).parent / "static"
START = datetime(2026, 11, 21, 12, 0, 5, tzinfo=UTC)
SEND: dict[str, Any] = {
    "messaging_product": "whatsapp",
    "to": ANA.wa_id,
    "type": "text",
    "text": {"body": "hello"},
}


class Lab:
    """A simulated Graph with a clock that jumps, a client that calls it, and a webhook that takes everything."""

    def __init__(self) -> None:
        self.clock = OffsetClock(base=lambda: START)
        self.slept: list[float] = []
        self.bodies: list[bytes] = []
        self.graph = SimulatedGraph(NUMBER, access_token=TOKEN, now=self.clock.now, sleep=self._sleep)
        self.graph.connect(self._webhook, SECRET)
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.graph.app),
            base_url="http://graph.test",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )

    async def send(self, **changes: object) -> httpx.Response:
        return await self.http.post(f"/v26.0/{NUMBER}/messages", json={**SEND, **changes})

    async def code(self) -> int:
        """The Graph error of one send, or 200."""
        response = await self.send()
        return 200 if response.is_success else int(response.json()["error"]["code"])

    async def settle(self) -> None:
        async with asyncio.timeout(5):
            await self.graph.idle()

    async def _webhook(self, body: bytes, headers: dict[str, str]) -> int:
        self.bodies.append(body)
        return 200

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    lab = Lab()
    async with lab.graph.running():
        yield lab


async def unknown(user: str, message_id: str) -> TurnPath | None:
    return None


@asynccontextmanager
async def page(lab: Lab, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.include_router(create_router(lab.graph, Guard("a-token"), **options))
    headers = {"Host": "localhost:8000", "Authorization": "Bearer a-token"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://server/simulator/api", headers=headers
    ) as http:
        yield http


# The wire.


async def test_a_webhook_is_shown_with_its_signature(lab: Lab) -> None:
    await lab.graph.receive(ANA, payloads.text("hi"))

    [exchange] = lab.graph.wire.since(0)
    assert (exchange.direction, exchange.method, exchange.path, exchange.status) == (
        "webhook",
        "POST",
        "/webhook",
        200,
    )
    assert exchange.headers["x-hub-signature-256"].startswith("sha256=")
    assert (exchange.user, exchange.request) == (ANA.wa_id, json.loads(lab.bodies[0]))


async def test_a_graph_call_is_shown_with_its_body_and_answer(lab: Lab) -> None:
    response = await lab.send()

    call = next(one for one in lab.graph.wire.since(0) if one.direction == "graph")
    assert (call.path, call.status, call.user) == (f"/v26.0/{NUMBER}/messages", 200, ANA.wa_id)
    assert (call.request, call.answer) == (SEND, response.json())
    assert call.at == START


async def test_no_secret_is_ever_shown_wherever_it_stood(lab: Lab) -> None:
    await lab.send(text={"body": f"{TOKEN} and {SECRET}"})
    await lab.http.get(f"/v26.0/{TOKEN}")
    await lab.http.post(f"/v26.0/{NUMBER}/messages", content=TOKEN.encode())
    await lab.graph.receive(ANA, payloads.text(SECRET))

    shown = "".join(exchange.to_json() for exchange in lab.graph.wire.since(0))
    assert TOKEN not in shown
    assert SECRET not in shown
    assert shown.count(f"Bearer {MASK}") == 3


async def test_a_read_mark_belongs_to_whoever_wrote_the_message(lab: Lab) -> None:
    asked = await lab.graph.receive(BEN, payloads.text("hi"))
    mark = {"messaging_product": "whatsapp", "status": "read", "message_id": asked.id}
    await lab.http.post(f"/v26.0/{NUMBER}/messages", json=mark)

    assert [exchange.user for exchange in lab.graph.wire.since(0)] == [BEN.wa_id, BEN.wa_id]


async def test_a_call_that_nobody_answered_has_status_0(lab: Lab) -> None:
    lab.graph.faults.set(Switch.DOWN, is_on=True)
    with pytest.raises(httpx.ConnectError):
        await lab.send()

    [exchange] = lab.graph.wire.since(0)
    assert (exchange.status, exchange.answer) == (0, "the simulated Graph is switched off")


@pytest.mark.parametrize(
    ("body", "content_type", "shown"),
    [
        (b"\xff\xfe", "application/json", "[2 bytes]"),
        (b"not json", "text/plain", "not json"),
        (b"--x", "multipart/form-data; boundary=x", "[multipart/form-data, 3 bytes]"),
        (b'"' + b"x" * (MAX_BODY_CHARS + 5) + b'"', "application/json", None),
        (b"", "application/json", None),
    ],
)
async def test_what_cannot_be_read_is_described(
    lab: Lab, body: bytes, content_type: str, shown: JsonValue
) -> None:
    path = f"/v26.0/{NUMBER}/messages"
    await lab.http.post(path, content=body, headers={"Content-Type": content_type})

    [exchange] = lab.graph.wire.since(0)
    if len(body) > MAX_BODY_CHARS:
        assert str(exchange.request).endswith("x…")
    else:
        assert exchange.request == shown


async def test_the_wire_keeps_the_newest_exchanges_only(lab: Lab) -> None:
    for _ in range(MAX_EXCHANGES + 3):
        await lab.http.get("/v26.0/1")

    kept = lab.graph.wire.since(0)
    assert [kept[0].seq, kept[-1].seq] == [4, MAX_EXCHANGES + 3]
    assert lab.graph.wire.since(kept[-1].seq) == []


# Switches.


@pytest.mark.parametrize(
    ("switch", "code"),
    [(Switch.TOKEN_EXPIRED, 190), (Switch.PAIR_RATE, 131056), (Switch.WINDOW_CLOSED, 131047)],
)
async def test_a_switch_refuses_every_send_until_it_is_off(lab: Lab, switch: Switch, code: int) -> None:
    lab.graph.faults.set(switch, is_on=True)
    refused = [await lab.code(), await lab.code()]
    lab.graph.faults.set(switch, is_on=False)

    assert refused == [code, code]
    assert await lab.code() == 200


async def test_undeliverable_sends_are_taken_and_fail_later(lab: Lab) -> None:
    lab.graph.faults.set(Switch.UNDELIVERABLE, is_on=True)
    assert await lab.code() == 200
    await lab.settle()

    [status] = [parse(body, received_at=START).statuses[0] for body in lab.bodies]
    assert (status.state, status.error_code) == ("failed", 131026)


async def test_a_planned_fault_comes_before_what_is_switched_on(lab: Lab) -> None:
    lab.graph.faults.set(Switch.PAIR_RATE, is_on=True)
    lab.graph.faults.fail_next(131000, status=500)
    assert [await lab.code(), await lab.code()] == [131000, 131056]


async def test_slow_answers_wait_and_repeated_webhooks_come_twice(lab: Lab) -> None:
    lab.graph.faults.set(Switch.SLOW, is_on=True)
    lab.graph.faults.set(Switch.REPEATED_WEBHOOKS, is_on=True)
    await lab.graph.receive(ANA, payloads.text("hi"))
    await lab.send()

    assert lab.slept == [SLOW_S]
    assert lab.bodies[0] == lab.bodies[1]


async def test_late_webhooks_arrive_after_their_time_and_in_order(lab: Lab) -> None:
    lab.graph.faults.set(Switch.LATE_WEBHOOKS, is_on=True)
    receipts = [await lab.graph.receive(ANA, payloads.text(text)) for text in ("one", "two")]
    assert [receipt.webhook_status for receipt in receipts] == [0, 0]
    assert lab.bodies == []
    await lab.settle()

    assert [parse(body, received_at=START).messages[0].id for body in lab.bodies] == [one.id for one in receipts]
    assert all(0 < seconds <= LATE_S for seconds in lab.slept)
    assert [e.data["status"] for e in lab.graph.transcript.events if e.kind == "webhook"] == [200, 200]


# The window.


async def test_sends_are_refused_24_hours_after_the_persons_last_message(lab: Lab) -> None:
    await lab.graph.receive(ANA, payloads.text("hi"))
    lab.clock.jump(WINDOW)
    at_the_edge = await lab.code()
    lab.clock.jump(timedelta(seconds=1))
    after = await lab.code()
    to_ben = (await lab.send(to=BEN.wa_id)).status_code
    await lab.graph.receive(ANA, payloads.reaction("wamid.1", "👍"))

    assert [at_the_edge, after, to_ben] == [200, 131047, 200]
    assert await lab.code() == 200


# Files.


@pytest.mark.parametrize(
    ("kind", "mime_type", "expected"),
    [
        ("image", "image/png", Image),
        ("audio", "audio/ogg;codecs=opus", Audio),
        ("document", "application/pdf", Document),
        ("sticker", "image/webp", Sticker),
    ],
)
async def test_a_file_from_the_page_reaches_the_webhook_and_can_be_fetched(
    lab: Lab, kind: str, mime_type: str, expected: type
) -> None:
    async with page(lab) as http:
        stored = await http.post(
            "/media",
            params={"mime_type": mime_type, "filename": "año.pdf"},
            content=b"bytes",
            headers={"Content-Type": "application/octet-stream"},
        )
        media_id = stored.json()["id"]
        said = {
            "user": ANA.wa_id,
            "type": "media",
            "kind": kind,
            "media_id": media_id,
            "caption": "see",
            "voice": True,
        }
        sent = await http.post("/messages", json=said)
        back = await http.get(f"/media/{media_id}")

    assert (sent.status_code, back.content) == (200, b"bytes")
    [message] = parse(lab.bodies[0], received_at=START).messages
    assert isinstance(message.content, expected)
    match message.content:
        case Image(media, caption):
            assert (media.media_id, caption) == (media_id, "see")
        case Audio(media, is_voice):
            assert (media.mime_type, is_voice) == (mime_type, True)
        case Document(_, filename, caption):
            assert (filename, caption) == ("año.pdf", "see")


@pytest.mark.parametrize("mime_type", ["text/html", "image/svg+xml", "application/xhtml+xml", "application/pdf"])
async def test_what_could_run_in_a_browser_is_only_downloaded(lab: Lab, mime_type: str) -> None:
    media_id = lab.graph.media.add(b"<script>alert(1)</script>", mime_type, 'a"\r\nb.html')
    async with page(lab) as http:
        shown = await http.get(f"/media/{media_id}")

    assert shown.headers["content-type"] == "application/octet-stream"
    assert shown.headers["content-disposition"] == "attachment; filename*=UTF-8''a%22%0D%0Ab.html"
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in shown.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("params", "content", "status"),
    [
        ({}, b"x", 422),
        ({"mime_type": "no type\r\nX: y"}, b"x", 422),
        ({"mime_type": "image/png"}, b"", 400),
        ({"mime_type": "image/png"}, b"\0" * (MAX_MEDIA_BYTES + 1), 413),
    ],
)
async def test_a_file_that_whatsapp_would_not_take_is_refused(
    lab: Lab, params: dict[str, str], content: bytes, status: int
) -> None:
    async with page(lab) as http:
        headers = {"Content-Type": "application/octet-stream"}
        answer = await http.post("/media", params=params, content=content, headers=headers)
    assert answer.status_code == status


async def test_a_file_that_is_no_longer_kept_cannot_be_sent_or_shown(lab: Lab) -> None:
    said = {"user": ANA.wa_id, "type": "media", "kind": "image", "media_id": "1"}
    async with page(lab) as http:
        answers = [await http.post("/messages", json=said), await http.get("/media/1")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert lab.bodies == []


def test_files_outlive_the_process_without_those_that_are_damaged(tmp_path: Path) -> None:
    before = MediaStore(tmp_path / "media")
    kept, damaged, half = (before.add(text, "text/plain", "a.txt") for text in (b"kept", b"damaged", b"half"))
    (tmp_path / "media" / f"{damaged}.json").write_text("{")
    (tmp_path / "media" / half).unlink()

    after = MediaStore(tmp_path / "media")
    assert after.find(kept) == before.find(kept)
    assert [after.find(damaged), after.find(half)] == [None, None]


def test_the_oldest_files_leave_the_disk_too(tmp_path: Path) -> None:
    store = MediaStore(tmp_path)
    first = store.add(b"first", "text/plain")
    for _ in range(media_module.MAX_MEDIA_FILES):
        store.add(b"x", "text/plain")

    assert store.find(first) is None
    assert len(list(tmp_path.iterdir())) == 2 * media_module.MAX_MEDIA_FILES


# The page's other doors.


async def test_switches_and_clock_are_set_from_the_page_and_told_in_its_state(lab: Lab) -> None:
    async with page(lab, clock=lab.clock) as http:
        on = (await http.post("/faults", json={"switch": "down", "is_on": True})).json()
        later = (await http.post("/clock", json={"hours": 25})).json()
        state = (await http.get("/state")).json()
        off = (await http.post("/faults", json={"switch": "down", "is_on": False})).json()

    assert on == {"offset_s": 0.0, "faults": ["down"]}
    assert later == state["controls"] == {"offset_s": 90_000.0, "faults": ["down"]}
    assert off["faults"] == []
    assert lab.clock.now() == START + timedelta(hours=25)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/faults", {"switch": "earthquake", "is_on": True}, 422),
        ("/clock", {"hours": 0}, 422),
        ("/clock", {"hours": -3}, 422),
        ("/clock", {"hours": 1e9}, 422),
    ],
)
async def test_what_no_button_offers_is_refused(lab: Lab, path: str, body: dict[str, Any], status: int) -> None:
    async with page(lab, clock=lab.clock) as http:
        assert (await http.post(path, json=body)).status_code == status
    assert lab.clock.offset == timedelta(0)


async def test_without_a_clock_of_its_own_the_page_moves_no_time(lab: Lab) -> None:
    async with page(lab) as http:
        assert (await http.get("/state")).json()["controls"]["offset_s"] is None
        assert (await http.post("/clock", json={"hours": 1})).status_code == 409


async def test_the_clock_stops_at_ten_years(lab: Lab) -> None:
    lab.clock.jump(timedelta(days=3649, hours=12))
    async with page(lab, clock=lab.clock) as http:
        assert (await http.post("/clock", json={"hours": 24})).status_code == 400


async def test_a_turns_path_is_asked_for_under_the_persons_number(lab: Lab) -> None:
    asked: list[tuple[str, str]] = []

    async def path_of(user: str, message_id: str) -> TurnPath | None:
        asked.append((user, message_id))
        return (
            TurnPath("done", "turn", "text", 1, START, START, None, 1, None, ()) if message_id == "known" else None
        )

    async with page(lab, turn_path=path_of) as http:
        known = (await http.get("/turns/known", params={"user": ANA.wa_id})).json()
        unknown = (await http.get("/turns/other", params={"user": BEN.wa_id})).json()
        stranger = await http.get("/turns/known", params={"user": "1"})

    assert (known["state"], known["trace"], unknown) == ("done", None, None)
    assert stranger.status_code == 404
    assert asked == [(ANA.wa_id, "known"), (BEN.wa_id, "other")]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_requests_that_another_site_caused_are_refused(lab: Lab, site: str) -> None:
    async with page(lab) as http:
        assert (await http.get("/state", headers={"Sec-Fetch-Site": site})).status_code == 403
        assert (await http.get("/state", headers={"Sec-Fetch-Site": "same-origin"})).status_code == 200


# The stream.


async def frames(feed: Feed, cursor: Cursor, count: int, *, in_view: frozenset[str] = frozenset()) -> list[str]:
    users = frozenset({ANA.wa_id})
    async with asyncio.timeout(5), aclosing(feed.follow(users, cursor, in_view=in_view)) as stream:
        return [await anext(stream) for _ in range(count)]


def feed_of(lab: Lab, states: list[str]) -> Feed:
    async def describe() -> dict[str, str]:
        return {"state": states.pop(0) if len(states) > 1 else states[0]}

    return Feed(lab.graph, describe=describe, controls=lambda: {"faults": [*sorted(lab.graph.faults.switched_on)]})


async def test_the_past_comes_first_then_controls_then_the_model(lab: Lab) -> None:
    await lab.graph.receive(BEN, payloads.text("not hers"))
    await lab.graph.receive(ANA, payloads.text("hers"))

    first, news, controls, facts = await frames(feed_of(lab, ["ready"]), Cursor(0, 0), 4)
    assert first == ": open\n\n"
    assert "not hers" not in news
    assert [line for line in news.splitlines() if line.startswith(("id:", "event:"))] == [
        "id: 3",
        "id: 4",
        "event: wire",
    ]
    assert controls == 'event: controls\ndata: {"faults": []}\n\n'
    assert facts == 'event: facts\ndata: {"state": "ready"}\n\n'


async def test_without_a_wish_for_it_the_wire_stays_out_of_the_stream(lab: Lab) -> None:
    await lab.graph.receive(ANA, payloads.text("hers"))
    _, news = await frames(feed_of(lab, ["ready"]), Cursor(0), 2)
    assert "event: wire" not in news


async def test_a_change_of_the_switches_reaches_every_open_page(lab: Lab) -> None:
    async def switch_later() -> None:
        await asyncio.sleep(0)
        lab.graph.faults.set(Switch.DOWN, is_on=True)
        lab.graph.transcript.wake()

    async with asyncio.TaskGroup() as group:
        following = group.create_task(frames(feed_of(lab, ["ready"]), Cursor(), 4))
        group.create_task(switch_later())
    assert following.result()[-1] == 'event: controls\ndata: {"faults": ["down"]}\n\n'


async def test_only_chats_in_view_are_read(lab: Lab) -> None:
    feed = feed_of(lab, ["ready"])
    for in_view in (frozenset[str](), frozenset({ANA.wa_id})):
        async with aclosing(
            feed.follow(frozenset({ANA.wa_id}), Cursor(lab.graph.transcript.last_seq), in_view=in_view)
        ) as stream:
            opening = [await anext(stream) for _ in range(2)]
            assert opening[1].startswith("event: controls")
            await lab.send()
            await lab.settle()

    states = [parse(body, received_at=START).statuses[0].state for body in lab.bodies]
    assert states == ["sent", "delivered", "sent", "delivered", "read"]


# The files of the page.


def test_every_module_of_the_page_is_short_loaded_ahead_and_builds_no_markup() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    scripts = {path.name: path.read_text("utf-8") for path in STATIC.glob("*.js")}
    assert len(scripts) > 10
    for name, script in scripts.items():
        assert f"/simulator/static/{name}" in page, name
        assert len(script.splitlines()) < 400, name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", script), name


def test_the_page_says_the_same_things_in_both_languages() -> None:
    english, spanish = (STATIC / "texts.js").read_text("utf-8").split("const ES = ")
    keys = [set(re.findall(r"[{,]\s+(\w+):\s+[\"\[]", text)) for text in (english, spanish.partition("};")[0])]
    assert len(keys[0]) > 100
    assert keys[0] ^ keys[1] == set()


async def test_what_comes_next_is_listed_for_the_people_of_the_simulator(lab: Lab) -> None:
    async def due_soon() -> list[Due]:
        return [Due(ANA.wa_id, START, "water the ficus"), Due("34600111222", START, "somebody else's")]

    async with page(lab, due_soon=due_soon) as http:
        assert (await http.get("/due")).json() == [
            {"name": ANA.name, "at": START.isoformat(), "text": "water the ficus"}
        ]
    async with page(lab) as http:
        assert (await http.get("/due")).json() == []
