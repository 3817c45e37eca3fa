"""The simulated Graph API, its transcript and the page's API, each through its own door."""

import asyncio
import base64
import hashlib
import hmac
import io
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from app.domain.inbound import Choice, Edit, Image, Location, MediaRef, Reaction, Revoke, Text
from app.domain.outbound import Button, Buttons, ListMenu, ListRow, ListSection, OutReaction, OutText, Recipient
from app.simulator import payloads
from app.simulator.courier import REDELIVERY_DELAYS_S
from app.simulator.graph import SimulatedGraph
from app.simulator.media import MAX_MEDIA_BYTES, MAX_MEDIA_FILES
from app.simulator.page import create_router
from app.simulator.people import DEFAULT_USERS
from app.simulator.transcript import SimEvent, Transcript
from app.web.guard import Guard
from app.webhook.parser import parse
from app.whatsapp.graph import GraphClient

TOKEN = "simulated-token"
SECRET = "simulated-secret"
KNOWN = {"Authorization": f"Bearer {TOKEN}"}
NUMBER = "1000000000001"
ANA, BEN = DEFAULT_USERS
NOW = datetime(2026, 11, 21, 12, 0, 5, tzinfo=UTC)
TEXT_TO_ANA: dict[str, Any] = {
    "messaging_product": "whatsapp",
    "to": ANA.wa_id,
    "type": "text",
    "text": {"body": "hello"},
    "biz_opaque_callback_data": "outbox-7",
}


class World:
    """A simulated Graph, a client that calls it, and a webhook that answers what it is told to."""

    def __init__(self, log_path: Path | None = None) -> None:
        self.slept: list[float] = []
        self.posts: list[tuple[bytes, dict[str, str]]] = []
        self.answers: Iterator[int] = iter(())
        self.graph = SimulatedGraph(
            NUMBER, access_token=TOKEN, log_path=log_path, now=lambda: NOW, sleep=self._sleep
        )
        self.graph.connect(self._webhook, SECRET)
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.graph.app),
            base_url="http://graph.test",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )

    async def send(self, **changes: object) -> httpx.Response:
        return await self.http.post(f"/v26.0/{NUMBER}/messages", json={**TEXT_TO_ANA, **changes})

    async def settle(self) -> None:
        async with asyncio.timeout(5):
            await self.graph.idle()

    @property
    def statuses(self) -> list[dict[str, Any]]:
        values = [json.loads(body)["entry"][0]["changes"][0]["value"] for body, _ in self.posts]
        return [status for value in values for status in value.get("statuses", [])]

    async def _webhook(self, body: bytes, headers: dict[str, str]) -> int:
        self.posts.append((body, headers))
        answer = next(self.answers, 200)
        if answer == 0:
            raise httpx.ConnectError("nobody there")
        return answer

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    world = World()
    async with world.graph.running():
        yield world


def graph_code(response: httpx.Response) -> int:
    code = response.json()["error"]["code"]
    assert isinstance(code, int)
    return code


# Sending.


async def test_an_accepted_send_is_answered_like_meta_does_and_recorded(world: World) -> None:
    response = await world.send(to=f"+{ANA.wa_id}")

    answer = response.json()
    assert response.status_code == 200
    assert answer["contacts"] == [{"input": f"+{ANA.wa_id}", "wa_id": ANA.wa_id}]
    assert answer["messages"][0]["id"].startswith("wamid.SIM")
    [send] = world.graph.sends
    assert (send.id, send.recipient, send.type) == (answer["messages"][0]["id"], ANA.wa_id, "text")
    assert (send.text, send.tracker, send.at) == ("hello", "outbox-7", NOW)
    assert send.payload["text"] == {"body": "hello"}


@pytest.mark.parametrize("authorization", ["", "Bearer wrong", TOKEN, "Bearer ñ".encode()])
async def test_a_wrong_token_is_refused_with_code_190(world: World, authorization: str | bytes) -> None:
    headers = {"Authorization": authorization} if isinstance(authorization, str) else None
    raw = None if headers else [(b"Authorization", authorization)]
    response = await world.http.post(f"/v26.0/{NUMBER}/messages", json=TEXT_TO_ANA, headers=headers or raw)  # type: ignore[arg-type]  # raw bytes on purpose

    assert (response.status_code, graph_code(response)) == (401, 190)
    assert world.graph.sends == []


async def test_another_phone_number_id_is_refused(world: World) -> None:
    response = await world.http.post("/v26.0/999/messages", json=TEXT_TO_ANA)

    assert (response.status_code, graph_code(response)) == (400, 100)


def buttons(*titles: str, body: str = "Sure?") -> dict[str, Any]:
    replies = [{"type": "reply", "reply": {"id": f"id-{i}", "title": title}} for i, title in enumerate(titles)]
    interactive = {"type": "button", "body": {"text": body}, "action": {"buttons": replies}}
    return {"type": "interactive", "interactive": interactive}


def menu(*row_counts: int, section_title: str | None = "Section") -> dict[str, Any]:
    sections = [
        {"title": section_title, "rows": [{"id": f"{s}-{r}", "title": f"Row {r}"} for r in range(count)]}
        for s, count in enumerate(row_counts)
    ]
    action = {"button": "Open", "sections": sections}
    return {"type": "interactive", "interactive": {"type": "list", "body": {"text": "Pick"}, "action": action}}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"messaging_product": "telegram"}, 100),
        ({"type": "hologram"}, 100),
        ({"recipient_type": "group"}, 100),
        ({"to": None}, 131008),
        ({"text": None}, 131008),
        ({"text": {}}, 131008),
        ({"text": {"body": ""}}, 131009),
        ({"text": {"body": "x" * 4097}}, 131009),
        ({"text": {"body": 5}}, 131009),
        ({"biz_opaque_callback_data": "x" * 513}, 131009),
        ({"context": {}}, 131008),
        (buttons(), 131009),
        (buttons("a", "b", "c", "d"), 131009),
        (buttons("same", "same"), 131009),
        (buttons("x" * 21), 131009),
        (buttons("ok", body="x" * 1025), 131009),
        (menu(6, 5), 131009),
        (menu(0), 131009),
        (menu(1, 1, section_title=None), 131008),
        ({"type": "interactive", "interactive": {"type": "carousel"}}, 131009),
        ({"type": "reaction", "reaction": {"emoji": "👍"}}, 131008),
        ({"type": "image", "image": {"caption": "no source"}}, 131008),
        ({"type": "image", "image": {"id": "1", "caption": "x" * 1025}}, 131009),
    ],
)
async def test_a_send_outside_metas_limits_is_refused(world: World, changes: dict[str, Any], code: int) -> None:
    response = await world.send(**changes)

    assert (response.status_code, graph_code(response)) == (400, code)
    assert response.json()["error"]["error_data"]["details"]
    assert world.graph.sends == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
async def test_a_body_that_is_no_json_object_is_refused(world: World, body: bytes) -> None:
    response = await world.http.post(f"/v26.0/{NUMBER}/messages", content=body)

    assert (response.status_code, graph_code(response)) == (400, 100)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (buttons("Yes", "No", "Stop"), "Sure?"),
        (menu(5, 5), "Pick"),
        (menu(10, section_title=None), "Pick"),
        ({"type": "reaction", "reaction": {"message_id": "wamid.1", "emoji": ""}}, ""),
        ({"type": "document", "document": {"id": "1", "filename": "a.pdf", "caption": "read me"}}, "read me"),
        ({"type": "audio", "audio": {"id": "1", "voice": True}}, ""),
        ({"text": {"body": "x" * 4096, "preview_url": True}}, "x" * 4096),
    ],
)
async def test_every_type_we_send_is_taken(world: World, changes: dict[str, Any], text: str) -> None:
    response = await world.send(**changes)

    assert response.status_code == 200, response.text
    assert world.graph.sends[0].text == text


async def test_our_own_client_is_understood(world: World) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(world.graph.app)) as http:
        client = GraphClient(
            http, base_url="http://graph.test", version="v26.0", phone_number_id=NUMBER, access_token=TOKEN
        )
        to = Recipient(ANA.wa_id, ANA.bsuid)
        asked = (await world.graph.receive(ANA, payloads.text("hi"))).id
        await client.mark_read(asked, is_typing=True)  # type: ignore[arg-type]  # the id as it came
        rows = (ListRow("1", "One", "first"), ListRow("2", "Two"))
        for message in (
            OutText("*hola*", quote_id=asked),  # type: ignore[arg-type]  # the id as it came
            Buttons("Sure?", (Button("y", "Yes"), Button("n", "No")), header="Head", footer="Foot"),
            ListMenu("Pick", "Open", (ListSection("All", rows),)),
            OutReaction(asked, "👍"),  # type: ignore[arg-type]  # the id as it came
        ):
            await client.send(to, message, tracker="7")
        media_id = await client.upload(b"%PDF-1.4", mime_type="application/pdf", filename="a.pdf")
        fetched = io.BytesIO()
        await client.download(MediaRef(media_id, "application/pdf"), fetched, max_bytes=1000)

    assert [send.type for send in world.graph.sends] == ["text", "interactive", "interactive", "reaction"]
    assert [(read.message_id, read.is_typing) for read in world.graph.reads] == [(asked, True)]
    assert fetched.getvalue() == b"%PDF-1.4"


async def test_a_send_to_a_user_id_reaches_whoever_wrote_under_it(world: World) -> None:
    await world.graph.receive(BEN, payloads.text("hi"))

    response = await world.send(to=None, recipient=BEN.bsuid)
    refused = await world.send(to=None, recipient="US.unheard")

    assert response.json()["contacts"] == [{"input": BEN.bsuid, "wa_id": BEN.wa_id}]
    assert graph_code(refused) == 131026


async def test_a_read_mark_for_a_message_nobody_wrote_is_refused(world: World) -> None:
    body = {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.none"}
    response = await world.http.post(f"/v26.0/{NUMBER}/messages", json=body)

    assert (response.status_code, graph_code(response)) == (400, 131009)


# Media.


async def test_media_needs_the_token_and_tells_its_checksum(world: World) -> None:
    media_id = world.graph.add_media(b"picture", "image/png")

    facts = (await world.http.get(f"/v26.0/{media_id}")).json()
    file = await world.http.get(facts["url"])
    refused = await world.http.get(facts["url"], headers={"Authorization": "Bearer other"})

    assert (facts["id"], facts["mime_type"], facts["file_size"]) == (media_id, "image/png", 7)
    assert facts["sha256"] == hashlib.sha256(b"picture").hexdigest()
    assert (file.content, file.headers["content-type"]) == (b"picture", "image/png")
    assert (refused.status_code, graph_code(refused)) == (401, 190)
    assert (await world.http.get("/v26.0/12345")).status_code == 404


async def test_media_in_memory_is_bounded(world: World) -> None:
    ids = [world.graph.add_media(b"x", "image/png") for _ in range(MAX_MEDIA_FILES + 1)]
    files = {"file": ("big.bin", b"\0" * (MAX_MEDIA_BYTES + 1), "image/png")}
    too_large = await world.http.post(
        f"/v26.0/{NUMBER}/media", data={"messaging_product": "whatsapp"}, files=files
    )

    assert graph_code(too_large) == 131053
    assert (await world.http.get(f"/v26.0/{ids[0]}")).status_code == 404
    assert (await world.http.get(f"/v26.0/{ids[1]}")).status_code == 200


# Statuses.


async def test_sent_and_delivered_are_reported_in_order_with_the_tracker(world: World) -> None:
    send_id = (await world.send()).json()["messages"][0]["id"]
    await world.settle()

    assert [(status["id"], status["status"]) for status in world.statuses] == [
        (send_id, "sent"),
        (send_id, "delivered"),
    ]
    assert {status["biz_opaque_callback_data"] for status in world.statuses} == {"outbox-7"}
    assert world.statuses[0]["pricing"]["category"] == "service"
    [update, _] = [parse(body, received_at=NOW).statuses[0] for body, _ in world.posts]
    assert (update.state, update.tracker, update.is_billable) == ("sent", "outbox-7", True)


async def test_read_is_reported_while_that_persons_chat_is_open(world: World) -> None:
    async with aclosing(world.graph.events(0, user=ANA.wa_id)) as events:
        await world.send()
        await anext(events)
        await world.settle()
        await world.send(to=BEN.wa_id)
        await world.settle()
    await world.send()
    await world.settle()

    assert [(status["recipient_id"], status["status"]) for status in world.statuses] == [
        (ANA.wa_id, "sent"),
        (ANA.wa_id, "delivered"),
        (ANA.wa_id, "read"),
        (BEN.wa_id, "sent"),
        (BEN.wa_id, "delivered"),
        (ANA.wa_id, "sent"),
        (ANA.wa_id, "delivered"),
    ]


async def test_a_status_that_is_not_taken_is_posted_again_then_dropped(world: World) -> None:
    world.answers = iter([503, 0, 200, 200])
    await world.send()
    await world.settle()
    recovered = [status["status"] for status in world.statuses]
    slept = list(world.slept)

    world.answers = iter([500] * 100)
    await world.send(type="reaction", reaction={"message_id": "wamid.1", "emoji": "👍"})
    await world.settle()

    assert recovered == ["sent", "sent", "sent", "delivered"]
    assert slept == list(REDELIVERY_DELAYS_S[:2])
    assert len(world.statuses) == len(recovered) + 1 + len(REDELIVERY_DELAYS_S)
    assert world.graph.transcript.events[-1].data["webhook"] == 500


# Faults.


async def test_refused_sends_are_not_recorded(world: World) -> None:
    world.graph.faults.fail_next(131056, count=2)
    world.graph.faults.fail_next(2, status=503)

    answers = [await world.send() for _ in range(4)]

    assert [answer.status_code for answer in answers] == [400, 400, 503, 200]
    assert [graph_code(answer) for answer in answers[:3]] == [131056, 131056, 2]
    assert len(world.graph.sends) == 1


@pytest.mark.parametrize("is_recorded", [True, False])
async def test_a_dropped_connection_leaves_the_caller_without_an_answer(world: World, is_recorded: bool) -> None:
    world.graph.faults.drop_next(is_recorded=is_recorded)

    with pytest.raises(httpx.RemoteProtocolError):
        await world.send()

    assert len(world.graph.sends) == is_recorded


@pytest.mark.parametrize("is_recorded", [True, False])
async def test_a_hanging_send_goes_on_when_released(world: World, is_recorded: bool) -> None:
    world.graph.faults.hang_next(is_recorded=is_recorded)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        send = group.create_task(world.send())
        await world.graph.faults.hanging.wait()
        recorded_meanwhile = len(world.graph.sends)
        world.graph.faults.release()

    assert recorded_meanwhile == is_recorded
    assert send.result().status_code == 200
    assert len(world.graph.sends) == 1


async def test_an_undeliverable_send_is_reported_as_failed(world: World) -> None:
    world.graph.faults.undeliverable_next(131026)
    await world.send()
    await world.settle()

    [update] = [parse(body, received_at=NOW).statuses[0] for body, _ in world.posts]
    assert (update.state, update.error_code, update.tracker) == ("failed", 131026, "outbox-7")


async def test_webhooks_can_come_twice_and_answers_late(world: World) -> None:
    world.graph.faults.is_webhook_doubled = True
    world.graph.faults.latency_s = 2.5
    await world.graph.receive(ANA, payloads.text("hi"))
    await world.send()

    assert world.posts[0] == world.posts[1]
    assert world.slept == [2.5]


# A person writes.


async def test_a_message_arrives_signed_over_its_raw_bytes(world: World) -> None:
    receipt = await world.graph.receive(ANA, payloads.text("ñandú 🙂 https://a.b/c"), quote_id="wamid.quoted")

    [(body, headers)] = world.posts
    digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Hub-Signature-256"] == f"sha256={digest}"
    assert b"\\u00f1and\\u00fa \\ud83d\\ude42 https:\\/\\/a.b\\/c" in body
    [message] = parse(body, received_at=NOW).messages
    assert (message.id, receipt.webhook_status) == (receipt.id, 200)
    assert (message.sender.wa_id, message.sender.bsuid, message.sender.name) == (ANA.wa_id, ANA.bsuid, "Ana")
    assert (message.phone_number_id, message.sent_at, message.quoted_id) == (NUMBER, NOW, "wamid.quoted")
    assert message.content == Text("ñandú 🙂 https://a.b/c")


SHA = base64.b64encode(hashlib.sha256(b"x").digest()).decode()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (payloads.button_reply("yes", "Yes"), Choice("yes", "Yes", "button")),
        (payloads.list_reply("1", "One", "first"), Choice("1", "One", "list")),
        (payloads.reaction("wamid.1", "👍"), Reaction("wamid.1", "👍")),  # type: ignore[arg-type]  # an id
        (payloads.reaction("wamid.1", ""), Reaction("wamid.1", None)),  # type: ignore[arg-type]  # an id
        (payloads.location(-34.6, -58.4, name="Obelisco"), Location(-34.6, -58.4, name="Obelisco")),
        (
            payloads.image("7", mime_type="image/png", sha256=SHA, caption="look"),
            Image(MediaRef("7", "image/png", SHA), "look"),
        ),
        (payloads.edit("wamid.1", payloads.text("better")), Edit("wamid.1", Text("better"))),  # type: ignore[arg-type]  # an id
        (payloads.revoke("wamid.1"), Revoke("wamid.1")),  # type: ignore[arg-type]  # an id
    ],
)
async def test_our_parser_reads_what_the_simulator_builds(
    world: World, content: payloads.JsonObject, expected: object
) -> None:
    await world.graph.receive(BEN, content)

    [message] = parse(world.posts[0][0], received_at=NOW).messages
    assert message.content == expected


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_text_survives_metas_way_of_escaping(body: str) -> None:
    message = payloads.message(payloads.text(body), sender=ANA, message_id="wamid.1", at=NOW)
    encoded = payloads.encode(payloads.message_webhook(NUMBER, ANA, message))

    assert encoded.isascii()
    assert parse(encoded, received_at=NOW).messages[0].content == Text(body)


async def test_a_message_our_webhook_refuses_comes_again_with_the_same_id(world: World) -> None:
    world.answers = iter([503, 503])
    receipt = await world.graph.receive(ANA, payloads.text("hi"))
    await world.settle()

    assert receipt.webhook_status == 503
    assert len({body for body, _ in world.posts}) == 1
    assert [event.data.get("status") for event in world.graph.transcript.events] == [None, 503, 200]


async def test_writing_again_under_the_same_id_is_one_message_in_the_transcript(world: World) -> None:
    first = await world.graph.receive(ANA, payloads.text("hi"))
    await world.graph.receive(ANA, payloads.text("hi"), message_id=first.id)

    assert [event.kind for event in world.graph.transcript.events] == ["inbound", "webhook", "webhook"]
    assert len(world.posts) == 2


# The transcript.


async def test_a_send_is_on_disk_before_it_is_answered(tmp_path: Path) -> None:
    world = World(tmp_path / "log.jsonl")
    world.graph.faults.drop_next(is_recorded=True)
    with pytest.raises(httpx.RemoteProtocolError):
        await world.send()

    [line] = (tmp_path / "log.jsonl").read_text().splitlines()
    assert json.loads(line)["data"]["text"] == "hello"


async def test_the_conversation_outlives_the_process_and_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    before = World(path)
    asked = await before.graph.receive(ANA, payloads.text("hi"))
    await before.send()
    mark = {"messaging_product": "whatsapp", "status": "read", "message_id": asked.id}
    await before.http.post(f"/v26.0/{NUMBER}/messages", json=mark)
    with path.open("ab") as file:
        file.write(b'{"seq":5,"kind":"se')

    after = World(path)
    await after.send(text={"body": "again"})

    assert [send.text for send in after.graph.sends] == ["hello", "again"]
    assert after.graph.reads == before.graph.reads
    assert [event.seq for event in Transcript(path).events] == [1, 2, 3, 4, 5]


async def test_a_message_recorded_before_a_crash_is_delivered_after_it(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    before = World(path)
    asked = await before.graph.receive(ANA, payloads.text("hi"))
    path.write_text(path.read_text().splitlines(keepends=True)[0])

    after = World(path)
    async with after.graph.running():
        await after.settle()

    assert [body for body, _ in after.posts] == [before.posts[0][0]]
    assert after.graph.transcript.events[-1].data == {"id": asked.id, "status": 200}


def test_the_transcript_keeps_the_newest_events_only(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    transcript = Transcript(path, max_events=5)
    for number in range(13):
        transcript.append("status", ANA.wa_id, at=NOW, data={"number": number})

    assert [event.seq for event in transcript.events] == list(range(7, 14))
    assert Transcript(path, max_events=5).events == transcript.events[-5:]
    assert not path.with_suffix(".tmp").exists()


async def collect(events: AsyncIterator[SimEvent], count: int) -> list[SimEvent]:
    async with asyncio.timeout(5):
        return [await anext(events) for _ in range(count)]


async def test_a_late_subscriber_replays_then_follows(world: World) -> None:
    await world.graph.receive(ANA, payloads.text("one"))
    await world.graph.receive(BEN, payloads.text("not Ana's"))
    async with aclosing(world.graph.events(1, user=ANA.wa_id)) as events:
        replayed = await collect(events, 1)
        async with asyncio.TaskGroup() as group:
            following = group.create_task(collect(events, 2))
            group.create_task(world.graph.receive(ANA, payloads.text("two")))

    assert [(event.seq, event.kind) for event in replayed] == [(2, "webhook")]
    assert [(event.seq, event.kind) for event in following.result()] == [(5, "inbound"), (6, "webhook")]


async def test_closing_the_streams_ends_every_subscription(world: World) -> None:
    async def drain() -> list[SimEvent]:
        return [event async for event in world.graph.events(0)]

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        waiting = group.create_task(drain())
        await asyncio.sleep(0)
        world.graph.close_streams()

    assert waiting.result() == []


async def test_a_quiet_subscription_ticks(world: World) -> None:
    async with asyncio.timeout(5), aclosing(world.graph.batches(0, idle_s=0)) as batches:
        assert await anext(batches) == []
        assert await anext(batches) == []


# The page.


async def describe() -> dict[str, str]:
    return {"model": "tiny", "state": "fetching", "progress": "0.43"}


@asynccontextmanager
async def open_page(world: World, host: str = "localhost:8000") -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.include_router(create_router(world.graph, Guard(TOKEN), describe=describe))
    transport, headers = httpx.ASGITransport(app), {"Host": host, **KNOWN}
    async with httpx.AsyncClient(transport=transport, base_url="http://server", headers=headers) as http:
        yield http


async def test_the_page_and_its_files_are_served_with_a_strict_policy(world: World) -> None:
    async with open_page(world) as http:
        page = await http.get("/simulator")
        script = await http.get("/simulator/static/app.js")
        style = await http.get("/simulator/static/app.css")
        missing = await http.get("/simulator/static/graph.py")

    assert page.headers["content-type"].startswith("text/html")
    assert script.headers["content-type"].startswith("text/javascript")
    assert style.headers["content-type"].startswith("text/css")
    assert missing.status_code == 404
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "innerHTML" not in script.text
    assert "://" not in page.text


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "user@localhost", "localhost:x", ""],
)
async def test_foreign_host_names_are_refused(world: World, host: str) -> None:
    async with open_page(world, host) as http:
        answers = [
            await http.get("/simulator"),
            await http.get("/simulator/api/state"),
            await http.get("/simulator/static/app.js"),
            await http.post("/simulator/api/messages", json={"user": ANA.wa_id, "type": "text", "text": "hi"}),
        ]

    assert [answer.status_code for answer in answers] == [403] * 4
    assert world.posts == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000"])
async def test_loopback_host_names_are_served(world: World, host: str) -> None:
    async with open_page(world, host) as http:
        said = {"user": ANA.wa_id, "type": "text", "text": "hi"}
        answer = await http.post("/simulator/api/messages", json=said, headers={"Origin": f"http://{host}"})

    assert answer.status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9999", "file://"])
async def test_posts_from_another_origin_are_refused(world: World, origin: str) -> None:
    async with open_page(world) as http:
        said = {"user": ANA.wa_id, "type": "text", "text": "hi"}
        answer = await http.post("/simulator/api/messages", json=said, headers={"Origin": origin})

    assert answer.status_code == 403
    assert world.posts == []


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", None])
async def test_posts_that_a_form_could_make_are_refused(world: World, content_type: str | None) -> None:
    said = json.dumps({"user": ANA.wa_id, "type": "text", "text": "hi"})
    async with open_page(world) as http:
        headers = {"Content-Type": content_type} if content_type else {}
        answer = await http.post("/simulator/api/messages", content=said, headers=headers)

    assert answer.status_code == 403
    assert world.posts == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"type": "text", "text": "hi"}, Text("hi")),
        ({"type": "button", "button_id": "y", "title": "Yes"}, Choice("y", "Yes", "button")),
        ({"type": "list", "row_id": "1", "title": "One", "description": "d"}, Choice("1", "One", "list")),
        ({"type": "reaction", "message_id": "wamid.1", "emoji": "👍"}, Reaction("wamid.1", "👍")),  # type: ignore[arg-type]  # an id
        ({"type": "location", "latitude": 1.5, "longitude": 2}, Location(1.5, 2)),
        ({"type": "edit", "message_id": "wamid.1", "text": "b"}, Edit("wamid.1", Text("b"))),  # type: ignore[arg-type]  # an id
        ({"type": "revoke", "message_id": "wamid.1"}, Revoke("wamid.1")),  # type: ignore[arg-type]  # an id
    ],
)
async def test_what_a_person_does_on_the_page_reaches_our_webhook(
    world: World, said: dict[str, Any], expected: object
) -> None:
    world.answers = iter([503])
    message_id = f"wamid.SIM{'0' * 31}A"
    async with open_page(world) as http:
        whole = {"user": BEN.wa_id, "id": message_id, "quote_id": "wamid.q", **said}
        answer = await http.post("/simulator/api/messages", json=whole)

    assert answer.json() == {"id": message_id, "webhook_status": 503}
    [message] = parse(world.posts[0][0], received_at=NOW).messages
    assert (message.content, message.sender.wa_id, message.quoted_id) == (expected, BEN.wa_id, "wamid.q")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"user": "1", "type": "text", "text": "hi"}, 404),
        ({"user": ANA.wa_id, "type": "text", "text": ""}, 422),
        ({"user": ANA.wa_id, "type": "dance"}, 422),
        ({"user": ANA.wa_id, "type": "text", "text": "hi", "id": "wamid.forged"}, 422),
    ],
)
async def test_what_the_page_would_never_ask_is_refused(world: World, said: dict[str, Any], status: int) -> None:
    async with open_page(world) as http:
        answer = await http.post("/simulator/api/messages", json=said)

    assert answer.status_code == status
    assert world.posts == []


async def test_the_state_names_the_people_and_the_model(world: World) -> None:
    await world.graph.receive(ANA, payloads.text("hi"))
    async with open_page(world) as http:
        state = (await http.get("/simulator/api/state")).json()

    assert [user["name"] for user in state["users"]] == ["Ana", "Ben"]
    assert state["facts"] == {"model": "tiny", "state": "fetching", "progress": "0.43"}
    assert state["last_seq"] == 2


async def test_events_stream_to_the_page_and_resume_after_the_last_one_seen(world: World) -> None:
    app = FastAPI()
    app.include_router(create_router(world.graph, Guard(TOKEN)))
    server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="off", ws="none", log_level="error"))
    socket = server.config.bind_socket()
    base_url = f"http://127.0.0.1:{socket.getsockname()[1]}"
    await world.graph.receive(ANA, payloads.text("hi"))
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(server.serve([socket]))
        async with httpx.AsyncClient(base_url=base_url, headers=KNOWN) as http:
            url = f"/simulator/api/events?user={ANA.wa_id}"
            async with http.stream("GET", url, headers={"Last-Event-ID": "1"}) as response:
                assert response.headers["content-type"].startswith("text/event-stream")
                lines = response.aiter_lines()
                received = [line async for line in take(lines, 5)]
            world.graph.close_streams()
            server.should_exit = True

    assert received[:3] == [": open", "", "id: 2"]
    event = json.loads(received[3].removeprefix("data: "))
    assert (event["seq"], event["kind"], event["data"]["status"]) == (2, "webhook", 200)


async def take(lines: AsyncIterator[str], count: int) -> AsyncIterator[str]:
    for _ in range(count):
        yield await anext(lines)
