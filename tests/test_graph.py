"""The Graph client against a scripted wire: what it sends, and what each way of failing means."""

import asyncio
import base64
import hashlib
import io
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import httpx
import pytest
import respx
import structlog

from app.domain.errors import (
    AccessRevoked,
    AppError,
    ConfigError,
    OutcomeUnknown,
    Permanent,
    Transient,
    WindowClosed,
)
from app.domain.ids import WaMessageId
from app.domain.inbound import MediaRef
from app.domain.outbound import OutText, Recipient
from app.domain.ports import MediaSource, Messenger
from app.whatsapp.graph import GraphClient

TOKEN = "EAAtestTokenThatMustNotLeak42"
BASE = "https://graph.facebook.com"
MESSAGES_URL = f"{BASE}/v26.0/1000000000001/messages"
UPLOAD_URL = f"{BASE}/v26.0/1000000000001/media"
LOOKUP_URL = f"{BASE}/v26.0/media-1"
FILE_URL = "https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1"
ALICE = Recipient(wa_id="5491155550101")
READ = WaMessageId("wamid.in")
SENT = {
    "messaging_product": "whatsapp",
    "contacts": [{"input": "1", "wa_id": "1"}],
    "messages": [{"id": "wamid.out"}],
}
DATA = b"voice note" * 100
HEX = hashlib.sha256(DATA).hexdigest()
BASE64 = base64.b64encode(hashlib.sha256(DATA).digest()).decode()

BEFORE_SENDING: list[type[httpx.RequestError]] = [
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
]
AFTER_SENDING: list[type[httpx.RequestError]] = [
    httpx.ReadTimeout,
    httpx.WriteTimeout,
    httpx.WriteError,
    httpx.ReadError,
    httpx.CloseError,
    httpx.RemoteProtocolError,
    httpx.DecodingError,
]


@pytest.fixture
def wire() -> Iterator[respx.MockRouter]:
    with respx.mock(assert_all_called=False) as router:
        yield router


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    # A client set to follow redirects by itself: the adapter must not let it. No certificate is ever
    # looked at here, and loading the authorities for each test would take most of the time.
    async with httpx.AsyncClient(follow_redirects=True, verify=False) as client:
        yield client


@pytest.fixture
def graph(http: httpx.AsyncClient) -> GraphClient:
    return make_graph(http)


def make_graph(
    http: httpx.AsyncClient, *, base_url: str = BASE, timeout_s: float = 20, access_token: str = TOKEN
) -> GraphClient:
    return GraphClient(
        http,
        base_url=base_url,
        version="v26.0",
        phone_number_id="1000000000001",
        access_token=access_token,
        timeout_s=timeout_s,
    )


def graph_error(code: int, **more: object) -> dict[str, object]:
    return {"error": {"message": "Something", "type": "OAuthException", "code": code, **more}}


async def send(graph: GraphClient) -> WaMessageId:
    return await graph.send(ALICE, OutText("hola"), tracker="outbox-7")


async def failure(call: Awaitable[object]) -> AppError:
    with pytest.raises(AppError) as caught:
        await call
    assert TOKEN not in str(caught.value)
    assert TOKEN not in repr(caught.value.__cause__)
    return caught.value


def test_the_client_offers_both_ports(graph: GraphClient) -> None:
    ports: tuple[Messenger, MediaSource] = (graph, graph)
    assert len(ports) == 2


async def test_a_message_is_posted_with_the_bearer_and_its_id_returned(
    wire: respx.MockRouter, http: httpx.AsyncClient, graph: GraphClient
) -> None:
    route = wire.post(MESSAGES_URL).respond(json=SENT)
    assert await send(graph) == "wamid.out"
    request = route.calls.last.request
    assert request.headers["authorization"] == f"Bearer {TOKEN}"
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.content) == {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": "5491155550101",
        "type": "text",
        "text": {"body": "hola", "preview_url": False},
        "biz_opaque_callback_data": "outbox-7",
    }
    assert "authorization" not in http.headers


async def test_a_base_address_with_a_slash_works(wire: respx.MockRouter, http: httpx.AsyncClient) -> None:
    wire.post(MESSAGES_URL).respond(json=SENT)
    assert await send(make_graph(http, base_url=f"{BASE}/")) == "wamid.out"


async def test_a_broken_character_becomes_metas_refusal_not_a_crash(
    wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.post(MESSAGES_URL).respond(400, json=graph_error(100))
    error = await failure(graph.send(ALICE, OutText("half an emoji \ud83d"), tracker="t"))
    assert error.code == "graph_100"


async def test_a_message_over_metas_limits_is_never_posted(wire: respx.MockRouter, graph: GraphClient) -> None:
    route = wire.post(MESSAGES_URL).respond(json=SENT)
    error = await failure(graph.send(ALICE, OutText("x" * 5000), tracker="t"))
    assert error.code == "message_too_large"
    assert not route.called


@pytest.mark.parametrize("fault", BEFORE_SENDING)
async def test_no_connection_means_nothing_was_sent(
    fault: type[httpx.RequestError], wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.post(MESSAGES_URL).mock(side_effect=fault("no"))
    error = await failure(send(graph))
    assert type(error) is Transient
    assert error.code == "graph_unreachable"


@pytest.mark.parametrize("fault", AFTER_SENDING)
async def test_a_lost_answer_leaves_the_outcome_unknown(
    fault: type[httpx.RequestError], wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.post(MESSAGES_URL).mock(side_effect=fault("gone"))
    error = await failure(send(graph))
    assert type(error) is OutcomeUnknown
    assert error.code == "graph_no_answer"


@pytest.mark.parametrize("fault", AFTER_SENDING)
async def test_a_lost_answer_to_a_read_mark_is_only_a_reason_to_retry(
    fault: type[httpx.RequestError], wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.post(MESSAGES_URL).mock(side_effect=fault("gone"))
    error = await failure(graph.mark_read(READ, is_typing=True))
    assert type(error) is Transient
    assert error.code == "graph_no_answer"


async def test_an_answer_that_never_comes_ends_as_unknown(wire: respx.MockRouter, http: httpx.AsyncClient) -> None:
    async def hang(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    wire.post(MESSAGES_URL).mock(side_effect=hang)
    async with asyncio.timeout(5):
        error = await failure(send(make_graph(http, timeout_s=0.02)))
    assert type(error) is OutcomeUnknown


async def test_a_cancelled_send_is_cancelled(wire: respx.MockRouter, graph: GraphClient) -> None:
    started = asyncio.Event()

    async def hang(request: httpx.Request) -> httpx.Response:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    wire.post(MESSAGES_URL).mock(side_effect=hang)
    task = asyncio.ensure_future(send(graph))
    async with asyncio.timeout(5):
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"<html>login</html>",
        b"[]",
        b"{}",
        b'{"messages": []}',
        b'{"messages": [{}]}',
        b'{"messages": [{"id": ""}]}',
        b'{"messages": [{"id": null}]}',
        b'{"messages": "wamid.x"}',
        b"\xff\xfe",
    ],
)
async def test_success_without_a_message_id_is_unknown(
    answer: bytes, wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.post(MESSAGES_URL).respond(200, content=answer)
    assert type(await failure(send(graph))) is OutcomeUnknown


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (401, 190, AccessRevoked),
        (400, 131047, WindowClosed),
        (400, 131026, Permanent),
        (400, 131056, Transient),
        (500, 131000, Transient),
        (502, 131016, Transient),
        (504, 2, Transient),
        (503, 987654, Transient),
    ],
)
async def test_a_graph_error_decides_by_its_code(
    status: int, code: int, expected: type[AppError], wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.post(MESSAGES_URL).respond(status, json=graph_error(code))
    error = await failure(send(graph))
    assert type(error) is expected
    assert error.code == f"graph_{code}"


@pytest.mark.parametrize(
    ("status", "for_send", "for_read"),
    [
        (500, Transient, Transient),
        (502, OutcomeUnknown, Transient),
        (503, Transient, Transient),
        (504, OutcomeUnknown, Transient),
    ],
)
@pytest.mark.parametrize("body", ["<html>Bad gateway</html>", "", '{"error": "overloaded"}', "[" * 100_000])
async def test_a_proxys_error_page_is_unknown_only_where_the_request_may_have_passed(
    status: int,
    for_send: type[AppError],
    for_read: type[AppError],
    body: str,
    wire: respx.MockRouter,
    graph: GraphClient,
) -> None:
    wire.post(MESSAGES_URL).respond(status, text=body)
    assert type(await failure(send(graph))) is for_send
    assert type(await failure(graph.mark_read(READ, is_typing=False))) is for_read


async def test_retry_after_is_honoured(wire: respx.MockRouter, graph: GraphClient) -> None:
    wire.post(MESSAGES_URL).respond(429, json=graph_error(130429), headers={"Retry-After": "42"})
    error = await failure(send(graph))
    assert isinstance(error, Transient)
    assert error.retry_after_s == 42.0
    assert error.scope == "sender"


@pytest.mark.parametrize("status", [301, 307, 308])
async def test_a_redirected_send_is_not_followed(status: int, wire: respx.MockRouter, graph: GraphClient) -> None:
    elsewhere = wire.post("https://evil.example/").respond(json=SENT)
    wire.post(MESSAGES_URL).respond(status, headers={"Location": "https://evil.example/"})
    assert type(await failure(send(graph))) is Transient
    assert not elsewhere.called


@pytest.mark.parametrize("is_typing", [True, False])
async def test_a_message_is_marked_read(is_typing: bool, wire: respx.MockRouter, graph: GraphClient) -> None:
    route = wire.post(MESSAGES_URL).respond(json={"success": True})
    await graph.mark_read(READ, is_typing=is_typing)
    body = json.loads(route.calls.last.request.content)
    assert body["status"] == "read"
    assert body["message_id"] == READ
    assert ("typing_indicator" in body) is is_typing


@asynccontextmanager
async def loopback(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[str]:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"http://127.0.0.1:{port}"


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"hola")
    writer.close()
    await writer.wait_closed()


async def answer_half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"hola")
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"messages": [{"id": "wamid.out"}]}')
    await writer.drain()
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("serve", [hang_up, answer_half])
async def test_a_connection_cut_after_the_request_is_unknown(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], http: httpx.AsyncClient
) -> None:
    async with asyncio.timeout(5), loopback(serve) as base_url:
        assert type(await failure(send(make_graph(http, base_url=base_url)))) is OutcomeUnknown


async def test_a_refused_connection_is_plainly_transient(http: httpx.AsyncClient) -> None:
    async with loopback(hang_up) as base_url:
        pass
    async with asyncio.timeout(5):
        error = await failure(send(make_graph(http, base_url=base_url)))
    assert type(error) is Transient
    assert error.code == "graph_unreachable"


async def test_an_address_without_a_scheme_sends_nothing(http: httpx.AsyncClient) -> None:
    error = await failure(send(make_graph(http, base_url="graph.facebook.com")))
    assert error.code == "graph_unreachable"


async def downloaded(graph: GraphClient, media: MediaRef, *, max_bytes: int) -> bytes:
    target = io.BytesIO()
    size = await graph.download(media, target, max_bytes=max_bytes)
    assert size == len(target.getvalue())
    return target.getvalue()


def lookup(**more: object) -> dict[str, object]:
    return {"url": FILE_URL, "mime_type": "audio/ogg", "sha256": HEX, "file_size": str(len(DATA)), **more}


async def test_a_file_is_looked_up_fetched_with_the_bearer_and_verified(
    wire: respx.MockRouter, graph: GraphClient
) -> None:
    asked = wire.get(LOOKUP_URL).respond(json=lookup())
    fetched = wire.get(FILE_URL).respond(content=DATA)
    assert await downloaded(graph, MediaRef("media-1", sha256=BASE64), max_bytes=len(DATA)) == DATA
    for route in (asked, fetched):
        assert route.calls.last.request.headers["authorization"] == f"Bearer {TOKEN}"
    assert fetched.calls.last.request.headers["accept-encoding"] == "identity"


async def test_the_webhooks_own_address_saves_the_lookup(wire: respx.MockRouter, graph: GraphClient) -> None:
    asked = wire.get(LOOKUP_URL).respond(json=lookup())
    wire.get(FILE_URL).respond(content=DATA)
    media = MediaRef("media-1", sha256=BASE64, url=FILE_URL)
    assert await downloaded(graph, media, max_bytes=len(DATA)) == DATA
    assert not asked.called


@pytest.mark.parametrize("status", [401, 403, 404, 410])
async def test_an_expired_address_falls_back_to_the_lookup(
    status: int, wire: respx.MockRouter, graph: GraphClient
) -> None:
    stale = "https://lookaside.fbsbx.com/stale"
    wire.get(stale).respond(status)
    wire.get(LOOKUP_URL).respond(json=lookup())
    wire.get(FILE_URL).respond(content=DATA)
    assert await downloaded(graph, MediaRef("media-1", url=stale), max_bytes=len(DATA)) == DATA


@pytest.mark.parametrize("status", [401, 404])
async def test_a_fresh_address_that_does_not_answer_is_a_lost_file_not_a_lost_account(
    status: int, wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.get(LOOKUP_URL).respond(json=lookup())
    wire.get(FILE_URL).respond(status)
    error = await failure(downloaded(graph, MediaRef("media-1"), max_bytes=10_000))
    assert type(error) is Permanent
    assert error.code == "media_gone"


UNTRUSTED = [
    "https://evil.example/file",
    "https://fbsbx.com.evil.example/file",
    "https://evilfbsbx.com/file",
    "http://lookaside.fbsbx.com/file",
    "http://graph.facebook.com/file",
    "https://user:pass@lookaside.fbsbx.com/file",
    "https://evil.example\\@lookaside.fbsbx.com/file",
    "//lookaside.fbsbx.com/file",
    "file:///etc/passwd",
    "https://[half/file",
    "not an address",
]


@pytest.mark.parametrize("url", UNTRUSTED)
async def test_the_token_never_goes_to_a_host_that_is_not_metas(
    url: str, wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.get(LOOKUP_URL).respond(json=lookup(url=url))
    error = await failure(downloaded(graph, MediaRef("media-1"), max_bytes=10_000))
    assert error.code == "media_host_refused"
    assert len(wire.calls) == 1


@pytest.mark.parametrize("url", UNTRUSTED)
async def test_a_strange_address_in_a_webhook_is_passed_over(
    url: str, wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.get(LOOKUP_URL).respond(json=lookup())
    wire.get(FILE_URL).respond(content=DATA)
    assert await downloaded(graph, MediaRef("media-1", url=url), max_bytes=10_000) == DATA


@pytest.mark.parametrize(
    "host", ["lookaside.fbsbx.com", "scontent.xx.fbcdn.net", "LOOKASIDE.facebook.com", "mmg.whatsapp.net"]
)
async def test_every_host_of_metas_is_served(host: str, wire: respx.MockRouter, graph: GraphClient) -> None:
    wire.get(f"https://{host.lower()}/file").respond(content=DATA)
    assert await downloaded(graph, MediaRef("m", url=f"https://{host}/file"), max_bytes=10_000) == DATA


async def test_a_local_graph_may_serve_files_without_tls(wire: respx.MockRouter, http: httpx.AsyncClient) -> None:
    graph = make_graph(http, base_url="http://127.0.0.1:9000")
    route = wire.get("http://127.0.0.1:9000/files/1").respond(content=DATA)
    assert await downloaded(graph, MediaRef("m", url="http://127.0.0.1:9000/files/1"), max_bytes=10_000) == DATA
    assert "authorization" in route.calls.last.request.headers


@pytest.mark.parametrize("url", ["http://127.0.0.1:9001/files/1", "http://lookaside.fbsbx.com/1"])
async def test_a_local_graph_opens_no_other_door(
    url: str, wire: respx.MockRouter, http: httpx.AsyncClient
) -> None:
    graph = make_graph(http, base_url="http://127.0.0.1:9000")
    wire.get("http://127.0.0.1:9000/v26.0/m").respond(json=lookup(url=url))
    assert (await failure(downloaded(graph, MediaRef("m"), max_bytes=10_000))).code == "media_host_refused"


async def test_redirects_are_followed_and_the_token_stays_behind(
    wire: respx.MockRouter, graph: GraphClient
) -> None:
    hops = ["https://scontent.fbcdn.net/a", "https://cdn.example/b", "https://lookaside.fbsbx.com/c"]
    wire.get(FILE_URL).respond(302, headers={"Location": hops[0]})
    inside = wire.get(hops[0]).respond(307, headers={"Location": hops[1]})
    outside = wire.get(hops[1]).respond(302, headers={"Location": hops[2]})
    back = wire.get(hops[2]).respond(content=DATA)
    assert await downloaded(graph, MediaRef("m", sha256=BASE64, url=FILE_URL), max_bytes=10_000) == DATA
    assert "authorization" in inside.calls.last.request.headers
    assert "authorization" not in outside.calls.last.request.headers
    assert "authorization" not in back.calls.last.request.headers


async def test_a_relative_redirect_stays_on_its_host(wire: respx.MockRouter, graph: GraphClient) -> None:
    wire.get(FILE_URL).respond(302, headers={"Location": "/moved"})
    wire.get("https://lookaside.fbsbx.com/moved").respond(content=DATA)
    assert await downloaded(graph, MediaRef("m", url=FILE_URL), max_bytes=10_000) == DATA


@pytest.mark.parametrize(
    "location",
    [
        "http://cdn.example/b",
        "http://lookaside.fbsbx.com/b",
        "ftp://cdn.example/b",
        "https://user:pass@cdn.example/b",
    ],
)
async def test_a_redirect_without_tls_is_refused(
    location: str, wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.get(FILE_URL).respond(302, headers={"Location": location})
    error = await failure(downloaded(graph, MediaRef("m", url=FILE_URL), max_bytes=10_000))
    assert error.code == "media_host_refused"
    assert len(wire.calls) == 1


@pytest.mark.parametrize("location", ["https://host:port/b", "https://x" * 20_000])
async def test_a_redirect_to_nowhere_is_survived(
    location: str, wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.get(FILE_URL).respond(302, headers={"Location": location})
    assert type(await failure(downloaded(graph, MediaRef("m", url=FILE_URL), max_bytes=10_000))) is Transient
    assert len(wire.calls) == 1


async def test_a_redirect_loop_ends_after_three(wire: respx.MockRouter, graph: GraphClient) -> None:
    route = wire.get(FILE_URL).respond(302, headers={"Location": FILE_URL})
    error = await failure(downloaded(graph, MediaRef("m", url=FILE_URL), max_bytes=10_000))
    assert error.code == "media_host_refused"
    assert route.call_count == 4


async def test_a_file_over_the_cap_is_not_even_fetched_when_meta_says_its_size(
    wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.get(LOOKUP_URL).respond(json=lookup())
    route = wire.get(FILE_URL).respond(content=DATA)
    error = await failure(downloaded(graph, MediaRef("media-1"), max_bytes=len(DATA) - 1))
    assert type(error) is Permanent
    assert error.code == "media_too_large"
    assert not route.called


async def test_a_file_larger_than_meta_said_is_refused(wire: respx.MockRouter, graph: GraphClient) -> None:
    wire.get(LOOKUP_URL).respond(json=lookup(file_size=1))
    wire.get(FILE_URL).respond(content=DATA)
    error = await failure(downloaded(graph, MediaRef("media-1"), max_bytes=len(DATA) - 1))
    assert error.code == "media_too_large"


async def test_an_endless_stream_is_cut_at_the_cap(wire: respx.MockRouter, graph: GraphClient) -> None:
    served = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal served
        while True:
            served += 1000
            yield b"x" * 1000

    wire.get(FILE_URL).mock(return_value=httpx.Response(200, content=endless()))
    async with asyncio.timeout(5):
        error = await failure(downloaded(graph, MediaRef("m", url=FILE_URL), max_bytes=10_000))
    assert error.code == "media_too_large"
    assert served <= 12_000


async def test_a_stream_that_stalls_ends_in_time(wire: respx.MockRouter, http: httpx.AsyncClient) -> None:
    async def stalling() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.Event().wait()

    wire.get(FILE_URL).mock(return_value=httpx.Response(200, content=stalling()))
    graph = make_graph(http, timeout_s=0.005)
    async with asyncio.timeout(5):
        error = await failure(downloaded(graph, MediaRef("m", url=FILE_URL), max_bytes=10_000))
    assert type(error) is Transient


@pytest.mark.parametrize("max_bytes", [len(DATA), len(DATA) + 1])
async def test_a_damaged_file_is_refused(max_bytes: int, wire: respx.MockRouter, graph: GraphClient) -> None:
    wire.get(FILE_URL).respond(content=DATA[:-1] + b"?")
    error = await failure(downloaded(graph, MediaRef("m", sha256=BASE64, url=FILE_URL), max_bytes=max_bytes))
    assert type(error) is Permanent
    assert error.code == "media_damaged"


async def test_both_checksums_must_match(wire: respx.MockRouter, graph: GraphClient) -> None:
    other = hashlib.sha256(b"other").digest()
    wire.get(FILE_URL).respond(content=DATA)
    wire.get(LOOKUP_URL).respond(json=lookup(sha256=other.hex()))
    media = MediaRef("media-1", sha256=BASE64)
    assert (await failure(downloaded(graph, media, max_bytes=10_000))).code == "media_damaged"
    wire.get(LOOKUP_URL).respond(json=lookup())
    media = MediaRef("media-1", sha256=base64.b64encode(other).decode())
    assert (await failure(downloaded(graph, media, max_bytes=10_000))).code == "media_damaged"


@pytest.mark.parametrize("checksum", ["??", "abcd", "z" * 64, "ñ"])
async def test_an_unreadable_checksum_does_not_cost_the_file(
    checksum: str, wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.get(FILE_URL).respond(content=DATA)
    with structlog.testing.capture_logs() as logs:
        assert await downloaded(graph, MediaRef("m", sha256=checksum, url=FILE_URL), max_bytes=10_000) == DATA
    assert "graph.checksum_unreadable" in [entry["event"] for entry in logs]


@pytest.mark.parametrize("fault", BEFORE_SENDING + AFTER_SENDING)
async def test_a_download_may_always_be_tried_again(
    fault: type[httpx.RequestError], wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.get(FILE_URL).mock(side_effect=fault("gone"))
    assert type(await failure(downloaded(graph, MediaRef("m", url=FILE_URL), max_bytes=10))) is Transient
    wire.get(LOOKUP_URL).mock(side_effect=fault("gone"))
    assert type(await failure(downloaded(graph, MediaRef("media-1"), max_bytes=10))) is Transient


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429])
async def test_a_busy_file_server_is_transient(status: int, wire: respx.MockRouter, graph: GraphClient) -> None:
    wire.get(FILE_URL).respond(status)
    assert type(await failure(downloaded(graph, MediaRef("m", url=FILE_URL), max_bytes=10))) is Transient


async def test_a_media_id_of_metas_that_is_gone_is_permanent(wire: respx.MockRouter, graph: GraphClient) -> None:
    wire.get(LOOKUP_URL).respond(400, json=graph_error(100, error_subcode=33))
    assert type(await failure(downloaded(graph, MediaRef("media-1"), max_bytes=10))) is Permanent


async def test_an_unreadable_lookup_is_transient(wire: respx.MockRouter, graph: GraphClient) -> None:
    wire.get(LOOKUP_URL).respond(200, text="<html>")
    assert type(await failure(downloaded(graph, MediaRef("media-1"), max_bytes=10))) is Transient


async def test_a_media_id_cannot_climb_out_of_its_place(wire: respx.MockRouter, graph: GraphClient) -> None:
    route = wire.get(url__startswith=BASE).respond(404, json=graph_error(100))
    await failure(downloaded(graph, MediaRef("../../me?fields=id#"), max_bytes=10))
    assert route.calls.last.request.url.raw_path == b"/v26.0/..%2F..%2Fme%3Ffields%3Did%23"


async def test_a_file_is_uploaded_as_a_form(wire: respx.MockRouter, graph: GraphClient) -> None:
    route = wire.post(UPLOAD_URL).respond(json={"id": "media-9"})
    assert await graph.upload(DATA, mime_type="audio/ogg; codecs=opus", filename="note.ogg") == "media-9"
    request = route.calls.last.request
    assert request.headers["authorization"] == f"Bearer {TOKEN}"
    assert request.headers["content-type"].startswith("multipart/form-data")
    body = request.content
    assert DATA in body
    assert b'name="file"; filename="note.ogg"\r\nContent-Type: audio/ogg; codecs=opus\r\n' in body
    assert b'name="messaging_product"\r\n\r\nwhatsapp\r\n' in body
    assert b'name="type"\r\n\r\naudio/ogg; codecs=opus\r\n' in body


@pytest.mark.parametrize(
    ("data", "mime_type", "code"),
    [
        (b"x" * (5 * 1024 * 1024 + 1), "image/png", "media_too_large"),
        (b"x", "image/gif", "media_type_unsupported"),
    ],
)
async def test_a_file_that_whatsapp_does_not_take_is_not_uploaded(
    data: bytes, mime_type: str, code: str, wire: respx.MockRouter, graph: GraphClient
) -> None:
    route = wire.post(UPLOAD_URL).respond(json={"id": "media-9"})
    assert (await failure(graph.upload(data, mime_type=mime_type, filename="f"))).code == code
    assert not route.called


@pytest.mark.parametrize("fault", AFTER_SENDING)
async def test_a_lost_answer_to_an_upload_costs_only_a_copy(
    fault: type[httpx.RequestError], wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.post(UPLOAD_URL).mock(side_effect=fault("gone"))
    assert type(await failure(graph.upload(DATA, mime_type="audio/ogg", filename="f"))) is Transient


@pytest.mark.parametrize("answer", [{}, {"id": ""}, []])
async def test_an_upload_without_an_id_is_transient(
    answer: object, wire: respx.MockRouter, graph: GraphClient
) -> None:
    wire.post(UPLOAD_URL).respond(json=answer)
    assert type(await failure(graph.upload(DATA, mime_type="audio/ogg", filename="f"))) is Transient


@pytest.mark.parametrize("token", ["", " ", "two words", "line\n", "año", "tab\t"])
async def test_a_token_that_no_header_may_carry_is_named_at_start(token: str, http: httpx.AsyncClient) -> None:
    with pytest.raises(ConfigError) as caught:
        GraphClient(http, base_url=BASE, version="v26.0", phone_number_id="1", access_token=token)
    assert caught.value.code == "WHATSAPP_ACCESS_TOKEN"
    assert not token.strip() or token not in str(caught.value)


@pytest.mark.parametrize("token", [TOKEN, "unlike.any-token"])
@pytest.mark.parametrize("code", [190, 100, 131000, 987654])
async def test_meta_repeating_the_token_does_not_leak_it(
    token: str, code: int, wire: respx.MockRouter, http: httpx.AsyncClient
) -> None:
    body = graph_error(code, message=f"Malformed access token {token}", error_data={"details": f"({token})"})
    wire.post(MESSAGES_URL).respond(400, json=body)
    error = await failure(send(make_graph(http, access_token=token)))
    assert error.code == f"graph_{code}"
    assert token not in str(error)


async def test_logs_hold_no_token_no_number_and_no_text(
    wire: respx.MockRouter, graph: GraphClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    # A message id is base64 over the phone number, so it must not be logged either.
    wire.post(MESSAGES_URL).respond(json={"messages": [{"id": "wamid.HBgNNTQ5MTE1NTU1MDEwMQ"}]})
    wire.post(UPLOAD_URL).respond(json={"id": "media-9"})
    wire.get(LOOKUP_URL).respond(json=lookup())
    wire.get(FILE_URL).respond(content=DATA)
    with structlog.testing.capture_logs() as logs:
        await send(graph)
        await graph.mark_read(READ, is_typing=True)
        await graph.upload(DATA, mime_type="audio/ogg", filename="private.ogg")
        await downloaded(graph, MediaRef("media-1", sha256=BASE64), max_bytes=10_000)
    assert [entry["event"] for entry in logs] == [
        "graph.sent",
        "graph.marked_read",
        "graph.uploaded",
        "graph.downloaded",
    ]
    assert {entry["log_level"] for entry in logs} == {"debug"}
    everything = repr(logs) + caplog.text
    for secret in (TOKEN, "5491155550101", "hola", "wamid.", "private.ogg"):
        assert secret not in everything


async def test_the_token_stays_out_of_logs_on_a_real_socket(
    http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with structlog.testing.capture_logs() as logs:
        async with asyncio.timeout(5), loopback(hang_up) as base_url:
            await failure(send(make_graph(http, base_url=base_url)))
    assert TOKEN not in repr(logs) + caplog.text


class _Endless(httpx.AsyncByteStream):
    """An answer that does not end by itself; counts what was read of it."""

    def __init__(self) -> None:
        self.read_bytes = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.read_bytes < 64 * 1024 * 1024:
            self.read_bytes += 65_536
            yield b" " * 65_536


@pytest.mark.parametrize("status", [200, 500])
async def test_of_an_answer_without_end_only_the_beginning_is_read(
    wire: respx.MockRouter, graph: GraphClient, status: int
) -> None:
    body = _Endless()
    wire.post(MESSAGES_URL).mock(return_value=httpx.Response(status, stream=body))
    failed = await failure(send(graph))
    assert failed.code == "graph_bad_answer"
    assert isinstance(failed, OutcomeUnknown)
    assert body.read_bytes < 2 * 1024 * 1024
