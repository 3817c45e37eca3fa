"""A server elsewhere is reached at an address that was just checked, for every single request."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx2
import pytest

from app.mcp.connecting.guarded_http import GuardedTransport
from app.security.egress import EgressGate

PUBLIC = "93.184.215.14"


@dataclass
class Names:
    """A resolver whose answers follow one another; the last stays."""

    answers: list[Sequence[str]] = field(default_factory=lambda: [(PUBLIC,)])

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@dataclass
class Wire:
    requests: list[httpx2.Request] = field(default_factory=list)
    made: int = 0

    def transport(self) -> httpx2.AsyncBaseTransport:
        self.made += 1
        return httpx2.MockTransport(self.answer)

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        return httpx2.Response(200, content=await request.aread())


def client(wire: Wire, names: Names) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        transport=GuardedTransport(EgressGate(names), wire.transport), headers={"X-Key": "k"}
    )


async def test_a_request_goes_to_the_checked_address_with_the_name_and_all_that_belongs_to_it() -> None:
    wire = Wire()
    async with client(wire, Names()) as http:
        answer = await http.post("https://mcp.example/mcp?a=b", content=b"hello")
    assert answer.content == b"hello"
    assert str(answer.request.url) == "https://mcp.example/mcp?a=b"
    (sent,) = wire.requests
    assert str(sent.url) == f"https://{PUBLIC}/mcp?a=b"
    assert (sent.headers["host"], sent.headers["x-key"]) == ("mcp.example", "k")
    assert sent.extensions["sni_hostname"] == "mcp.example"


async def test_a_name_that_is_pointed_inside_later_is_refused_then() -> None:
    wire = Wire()
    async with client(wire, Names([(PUBLIC,), ("169.254.169.254",)])) as http:
        await http.get("https://mcp.example/")
        with pytest.raises(httpx2.TransportError, match="public internet"):
            await http.get("https://mcp.example/")
    assert len(wire.requests) == 1


async def test_names_that_share_an_address_do_not_share_connections() -> None:
    wire = Wire()
    async with client(wire, Names()) as http:
        for host in ("one.example", "two.example", "one.example"):
            await http.get(f"https://{host}/")
    assert wire.made == 2


@pytest.mark.parametrize("url", ["http://localhost/", "http://user@mcp.example/", "http://mcp.example:22/"])
async def test_what_is_refused_is_never_sent(url: str) -> None:
    wire = Wire()
    async with client(wire, Names([("127.0.0.1",)])) as http:
        with pytest.raises(httpx2.TransportError):
            await http.get(url)
    assert wire.requests == []
