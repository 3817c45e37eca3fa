"""HTTP to servers of strangers: each request goes to an address that was just checked."""

from collections.abc import Callable
from contextlib import AsyncExitStack

import httpx2

from app.domain.errors import ToolFault
from app.security.egress import EgressGate


class PooledTransport(httpx2.AsyncBaseTransport):
    """Base of transports that choose, for each request, by which other one it goes."""

    def __init__(self) -> None:
        self._open: dict[str, httpx2.AsyncBaseTransport] = {}
        self._stack = AsyncExitStack()

    async def opened(self, key: str, make: Callable[[], httpx2.AsyncBaseTransport]) -> httpx2.AsyncBaseTransport:
        """Return the transport under that key; it is made the first time."""
        if key not in self._open:
            self._open[key] = await self._stack.enter_async_context(make())
        return self._open[key]

    async def aclose(self) -> None:
        """Close all connections."""
        self._open.clear()
        await self._stack.aclose()


class GuardedTransport(PooledTransport):
    """A transport that resolves, checks and pins every request, while certificates are those of the name.

    A name is resolved for each request, so one that is pointed at a private address later is refused then.
    `inner` makes a transport for each host: a connection made for one name must not serve another that has
    the same address.
    """

    def __init__(
        self,
        gate: EgressGate,
        inner: Callable[[], httpx2.AsyncBaseTransport] = httpx2.AsyncHTTPTransport,
    ) -> None:
        super().__init__()
        self._gate = gate
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to the first address of its host.

        Raises:
            httpx2.UnsupportedProtocol: the address may not be used; nothing was sent.
        """
        try:
            checked = await self._gate.check(str(request.url))
        except ToolFault as exc:
            raise httpx2.UnsupportedProtocol(exc.detail, request=request) from exc
        host, address = checked.target.host, checked.addresses[0]
        pinned = httpx2.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, **({"sni_hostname": host} if host != address else {})},
        )
        return await (await self.opened(host, self._inner)).handle_async_request(pinned)
