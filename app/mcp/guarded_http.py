"""HTTP to servers that were installed by message: each request goes to an address that was just checked."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

import httpx2

from app.domain.errors import ToolFault
from app.security.egress import EgressGate


class GuardedTransport(httpx2.AsyncBaseTransport):
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
        self._gate = gate
        self._inner = inner
        self._by_host: dict[str, httpx2.AsyncBaseTransport] = {}
        self._stack = AsyncExitStack()

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
        return await (await self._transport_for(host)).handle_async_request(pinned)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        self._by_host.clear()
        await self._stack.aclose()

    async def _transport_for(self, host: str) -> httpx2.AsyncBaseTransport:
        if host not in self._by_host:
            self._by_host[host] = await self._stack.enter_async_context(self._inner())
        return self._by_host[host]
