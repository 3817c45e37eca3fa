"""A document is fetched from the address that was checked, under the name that was asked for, up to a size."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app.domain.errors import ToolFault
from app.security.egress import Destination, EgressGate, parse_url
from app.web.safe_fetch import MAX_REDIRECTS, SafeFetcher, SystemResolver

PUBLIC = "93.184.215.14"
Answer = Callable[[httpx.Request], httpx.Response | Awaitable[httpx.Response]]


@dataclass
class Names:
    """A resolver; a name may have another address each time it is asked for."""

    addresses: dict[str, list[Sequence[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        known = self.addresses.get(host, [(PUBLIC,)])
        return known.pop(0) if len(known) > 1 else known[0]


@dataclass
class Wire:
    """What stands at the other end; notes each request that really went out."""

    answer: Answer
    requests: list[httpx.Request] = field(default_factory=list)

    async def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answer(request)
        return answer if isinstance(answer, httpx.Response) else await answer

    def transport(self) -> httpx.AsyncBaseTransport:
        return httpx.MockTransport(self.handle)


def fetcher(wire: Wire, names: Names | None = None, **more: float) -> SafeFetcher:
    return SafeFetcher(EgressGate(names or Names()), wire.transport, **more)


def text(body: str, **headers: str) -> httpx.Response:
    return httpx.Response(200, stream=httpx.ByteStream(body.encode()), headers=headers)


def moved(to: str) -> httpx.Response:
    return httpx.Response(302, headers={"location": to})


async def test_the_connection_goes_to_the_checked_address_under_the_name() -> None:
    wire = Wire(lambda request: text("hello"))
    names = Names({"example.com": [(PUBLIC,), ("127.0.0.1",)]})
    fetched = await fetcher(wire, names).get("https://Example.com/a?b=c#d", 100)
    assert (fetched.url, fetched.body) == ("https://example.com/a?b=c", b"hello")
    (request,) = wire.requests
    assert str(request.url) == f"https://{PUBLIC}/a?b=c"
    assert request.headers["host"] == "example.com"
    assert request.extensions["sni_hostname"] == "example.com"
    assert names.asked == ["example.com"]


async def test_redirects_are_followed_and_each_is_checked() -> None:
    hops = {"/1": moved("/2"), "/2": moved("https://other.example/3"), "/3": text("here")}
    wire = Wire(lambda request: hops[request.url.path])
    fetched = await fetcher(wire).get("https://example.com/1", 100)
    assert (fetched.url, fetched.body) == ("https://other.example/3", b"here")
    assert [request.headers["host"] for request in wire.requests] == [
        "example.com",
        "example.com",
        "other.example",
    ]


@pytest.mark.parametrize(
    "to", ["http://169.254.169.254/latest", "https://inside.example/", "file:///etc/passwd", "http://example.com/"]
)
async def test_a_redirect_to_a_place_that_may_not_be_used_is_not_followed(to: str) -> None:
    wire = Wire(lambda request: moved(to))
    names = Names({"169.254.169.254": [("169.254.169.254",)], "inside.example": [("10.0.0.8",)]})
    with pytest.raises(ToolFault):
        await fetcher(wire, names).get("https://example.com/", 100)
    assert len(wire.requests) == 1


async def test_an_endless_chain_of_redirects_ends() -> None:
    wire = Wire(lambda request: moved(f"{request.url.path}x"))
    with pytest.raises(ToolFault, match="leads on"):
        await fetcher(wire).get("https://example.com/", 100)
    assert len(wire.requests) == MAX_REDIRECTS + 1


async def test_a_name_that_is_pointed_inside_between_two_hops_is_refused() -> None:
    wire = Wire(lambda request: moved("/again"))
    names = Names({"example.com": [(PUBLIC,), ("127.0.0.1",)]})
    with pytest.raises(ToolFault, match="public internet"):
        await fetcher(wire, names).get("https://example.com/", 100)
    assert [request.url.host for request in wire.requests] == [PUBLIC]


async def test_reading_stops_as_soon_as_there_is_too_much() -> None:
    sent: list[int] = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            sent.append(1)
            yield b"x" * 60

    wire = Wire(lambda request: httpx.Response(200, content=endless()))
    with pytest.raises(ToolFault, match="larger than 100 bytes"):
        await fetcher(wire).get("https://example.com/", 100)
    assert len(sent) == 2


async def test_compressed_answers_are_neither_asked_for_nor_read() -> None:
    wire = Wire(
        lambda request: httpx.Response(
            200, stream=httpx.ByteStream(b"\x1f\x8b"), headers={"content-encoding": "gzip"}
        )
    )
    with pytest.raises(ToolFault, match="compressed"):
        await fetcher(wire).get("https://example.com/", 100)
    assert wire.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("status", [204, 304, 401, 404, 500])
async def test_only_a_document_is_one(status: int) -> None:
    wire = Wire(lambda request: httpx.Response(status))
    with pytest.raises(ToolFault, match=f"HTTP {status}"):
        await fetcher(wire).get("https://example.com/", 100)


async def test_who_does_not_answer_is_given_up() -> None:
    async def silence(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets that event")

    async with asyncio.timeout(5):
        with pytest.raises(ToolFault, match="in time"):
            await fetcher(Wire(silence), timeout_s=0.02).get("https://example.com/", 100)


async def test_the_next_address_is_tried_when_one_cannot_be_reached() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host != PUBLIC:
            raise httpx.ConnectError("no route", request=request)
        return text("at last")

    wire = Wire(answer)
    names = Names({"example.com": [("2606:4700::1111", PUBLIC)]})
    assert (await fetcher(wire, names).get("https://example.com/", 100)).body == b"at last"
    assert [request.url.host for request in wire.requests] == ["2606:4700::1111", PUBLIC]


async def test_a_connection_that_fails_is_told_without_the_address_it_went_to() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(f"no route to {request.url.host}", request=request)

    with pytest.raises(ToolFault, match="ConnectError") as caught:
        await fetcher(Wire(answer)).get("https://example.com/", 100)
    assert PUBLIC not in caught.value.detail


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A self-signed certificate for a name, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return cert_file, key_file


@asynccontextmanager
async def tls_server(cert_file: Path, key_file: Path) -> AsyncIterator[int]:
    """Open a web server on loopback that says the name it was asked for."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert_file, key_file)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        host = next(line for line in request.decode().split("\r\n") if line.lower().startswith("host:"))
        body = host[5:].strip().encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


class Loopback:
    """A gate for tests that lets every name lead to this machine."""

    async def check(self, url: str) -> Destination:
        return Destination(parse_url(url), ("127.0.0.1",))


@pytest.mark.parametrize(("asked", "is_theirs"), [("skills.example", True), ("bank.example", False)])
async def test_the_certificate_must_be_that_of_the_name_though_the_address_is_pinned(
    tmp_path: Path, asked: str, is_theirs: bool
) -> None:
    cert_file, key_file = certificate(tmp_path, "skills.example")
    trust = ssl.create_default_context(cafile=str(cert_file))
    safe = SafeFetcher(Loopback(), lambda: httpx.AsyncHTTPTransport(verify=trust))
    async with asyncio.timeout(5), tls_server(cert_file, key_file) as port:
        if is_theirs:
            fetched = await safe.get(f"https://{asked}:{port}/", 1000)
            assert fetched.body == f"{asked}:{port}".encode()
        else:
            with pytest.raises(ToolFault, match="ConnectError"):
                await safe.get(f"https://{asked}:{port}/", 1000)


async def test_the_resolver_of_the_machine_knows_addresses_and_says_when_there_are_none() -> None:
    resolver = SystemResolver()
    assert await resolver.resolve("127.0.0.1", 80) == ["127.0.0.1"]
    with pytest.raises(ToolFault, match="cannot be found"):
        await resolver.resolve("name.invalid", 80)


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "017700000001", "localhost"])
async def test_other_spellings_of_loopback_do_not_pass_the_gate(host: str) -> None:
    with pytest.raises(ToolFault):
        await EgressGate(SystemResolver()).check(f"http://{host}/")
