"""Fetching what a model or a person named: checked addresses only, little at a time, not for long."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar
from urllib.parse import urljoin

import httpx

from app.domain.errors import ToolFault

MAX_REDIRECTS: Final = 3
_TIMEOUT_S: Final = 20.0
_RESOLVE_TIMEOUT_S: Final = 5.0
_TIMEOUT: Final = httpx.Timeout(_TIMEOUT_S, connect=5.0)
_TRIED_ADDRESSES: Final = 3
_OK: Final = 200
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})

_Result = TypeVar("_Result")


class Place(Protocol):
    """A web address taken apart; `path` has its query, `url` is its one spelling."""

    @property
    def scheme(self) -> str: ...
    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def url(self) -> str: ...


class Checked(Protocol):
    """A place that may be connected to, at one of `addresses` only."""

    @property
    def target(self) -> Place: ...
    @property
    def addresses(self) -> Sequence[str]: ...


class Gate(Protocol):
    async def check(self, url: str) -> Checked:
        """Return where a URL leads.

        Raises:
            ToolFault: it may not be used.
        """
        ...


@dataclass(frozen=True, slots=True)
class Fetched:
    """`url` is where the body came from in the end, after redirects."""

    url: str
    content_type: str
    body: bytes


class SystemResolver:
    """The resolver of this machine, in a thread of the loop."""

    def __init__(self, *, timeout_s: float = _RESOLVE_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses of a host in the order of preference.

        Raises:
            ToolFault: there are none, or nobody answered in time.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._timeout_s):
                found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError, TimeoutError) as exc:
            raise ToolFault("host_unknown", f"The host {host} cannot be found.") from exc
        return [str(address[0]) for *_, address in found]


class SafeFetcher:
    """GET without cookies, credentials or proxies, over connections that verify certificates.

    `transport` makes one for each hop, so that a connection made for one name never serves another.
    """

    def __init__(
        self,
        gate: Gate,
        transport: Callable[[], httpx.AsyncBaseTransport] = httpx.AsyncHTTPTransport,
        *,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        self._gate = gate
        self._transport = transport
        self._timeout_s = timeout_s

    async def get(self, url: str, max_bytes: int) -> Fetched:
        """Fetch a document of at most `max_bytes`, following up to `MAX_REDIRECTS`, each checked anew.

        Raises:
            ToolFault: the address is refused, the answer is no document, too large, or took too long; the
                sentence says which.
        """
        return await self._in_time(self._follow(url, max_bytes))

    async def _in_time(self, work: Awaitable[_Result]) -> _Result:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await work
        except (TimeoutError, httpx.TimeoutException) as exc:
            raise ToolFault("fetch_slow", "The address did not answer in time.") from exc
        except httpx.HTTPError as exc:
            raise ToolFault(
                "fetch_failed", f"The address cannot be read: the connection failed ({type(exc).__name__})."
            ) from exc

    async def _follow(self, url: str, max_bytes: int) -> Fetched:
        was_secure = False
        for _ in range(MAX_REDIRECTS + 1):
            checked = await self._gate.check(url)
            is_secure = checked.target.scheme == "https"
            if was_secure and not is_secure:
                raise ToolFault("fetch_failed", "The address leads from a secure page to one that is not.")
            was_secure = is_secure
            answer = await self._one_hop(checked, max_bytes)
            if isinstance(answer, Fetched):
                return answer
            url = urljoin(checked.target.url, answer)
        raise ToolFault("fetch_failed", f"The address leads on more than {MAX_REDIRECTS} times.")

    async def _one_hop(self, checked: Checked, max_bytes: int) -> Fetched | str:
        """Return the document, or where it has moved to."""
        async with self._transport() as transport:
            response = await self._connect(transport, checked)
            try:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    return response.headers["location"]
                if response.status_code != _OK:
                    raise ToolFault("fetch_failed", f"The address answered HTTP {response.status_code}.")
                body = await _read(response, max_bytes)
            finally:
                await response.aclose()
        return Fetched(checked.target.url, response.headers.get("content-type", ""), body)

    async def _connect(self, transport: httpx.AsyncBaseTransport, checked: Checked) -> httpx.Response:
        """Ask the first address that can be reached: a name may have one of a kind that this machine has not."""
        *others, last = checked.addresses[:_TRIED_ADDRESSES]
        for address in others:
            with suppress(httpx.ConnectError, httpx.ConnectTimeout):
                return await transport.handle_async_request(pinned_request(checked, address))
        return await transport.handle_async_request(pinned_request(checked, last))


def pinned_request(checked: Checked, address: str) -> httpx.Request:
    """Return a GET that goes to the checked address, while certificate and Host are those of the name.

    httpcore verifies the certificate for `sni_hostname` where that is given
    (https://www.encode.io/httpcore/extensions/).
    """
    target = checked.target
    literal = f"[{address}]" if ":" in address else address
    extensions = {
        "timeout": _TIMEOUT.as_dict(),
        **({"sni_hostname": target.host} if target.host not in checked.addresses else {}),
    }
    return httpx.Request(
        "GET",
        f"{target.scheme}://{literal}:{target.port}{target.path}",
        headers={
            "Host": target.url.split("/", 3)[2],
            "Accept": "text/*, application/json;q=0.9, */*;q=0.1",
            # A few compressed bytes can become gigabytes; plain ones are what they are.
            "Accept-Encoding": "identity",
            "User-Agent": "wasap",
        },
        extensions=extensions,
    )


async def _read(response: httpx.Response, max_bytes: int) -> bytes:
    if response.headers.get("content-encoding", "identity").lower() not in {"", "identity"}:
        raise ToolFault("fetch_failed", "The address sends compressed data, though it was asked not to.")
    parts: list[bytes] = []
    size = 0
    async for chunk in response.aiter_raw():
        parts.append(chunk)
        size += len(chunk)
        if size > max_bytes:
            raise ToolFault("fetch_too_large", f"What is at the address is larger than {max_bytes} bytes.")
    return b"".join(parts)
