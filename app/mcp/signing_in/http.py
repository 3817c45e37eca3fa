"""HTTP for signing in: a server names the addresses, so each is checked before anything is sent to it."""

from collections.abc import Callable
from ipaddress import ip_address
from typing import Final

import httpx2

from app.domain.errors import ToolFault
from app.mcp.connecting.guarded_http import PooledTransport
from app.mcp.connecting.resolve import ServerSpec
from app.mcp.connecting.transports import http_client
from app.security.egress import is_public, parse_url

OpenTransport = Callable[[], httpx2.AsyncBaseTransport]

_TIMEOUT_S: Final = 20.0
_HTTPS_PORT: Final = 443
_HTTP_PORT: Final = 80


class SignInHttp:
    """Makes the clients with which signing in talks to a server and to whom that sends us.

    `guard` makes what connects to the public internet only (`GuardedTransport`).
    """

    def __init__(self, guard: OpenTransport, plain: OpenTransport = httpx2.AsyncHTTPTransport) -> None:
        self._guard = guard
        self._plain = plain

    def open(self, spec: ServerSpec) -> httpx2.AsyncClient:
        """Return a client for one sign-in or renewal at that server; it follows no redirects by itself."""
        return http_client(timeout=httpx2.Timeout(_TIMEOUT_S), transport=_Fence(spec, self._guard, self._plain))


def may_be_shown(url: str, spec: ServerSpec) -> bool:
    """Tell whether a link that a server had made may be put before a person: https, or on this machine's own
    network when the server is there as well."""
    address, _, query = url.partition("?")
    if not query.isascii() or not query.isprintable() or " " in query:
        return False
    try:
        target = parse_url(address)
    except ToolFault:
        return False
    return target.scheme == "https" or (_is_near(target.host) and _is_near_spec(spec))


class _Fence(PooledTransport):
    """Sends the server's own origin where the server itself is reached, everything else to the guard.

    A server that the owner wrote down with an address of this machine or its network may use others of them;
    any other may neither lead us there nor make us send secrets without TLS.
    """

    def __init__(self, spec: ServerSpec, guard: OpenTransport, plain: OpenTransport) -> None:
        super().__init__()
        self._home = _origin(httpx2.URL(spec.url))
        self._is_near_home = _is_near_spec(spec)
        self._is_home_plain = not spec.is_public_only
        self._guard = guard
        self._plain = plain

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request.

        Raises:
            httpx2.UnsupportedProtocol: its address may not be used; nothing was sent.
        """
        url = request.url
        if self._is_home_plain and (
            _origin(url) == self._home or (self._is_near_home and _is_near(url.host) and not url.userinfo)
        ):
            return await (await self.opened("plain", self._plain)).handle_async_request(request)
        if url.scheme != "https" and _origin(url) != self._home:
            raise httpx2.UnsupportedProtocol("signing in needs https", request=request)
        return await (await self.opened("guard", self._guard)).handle_async_request(request)


def _origin(url: httpx2.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or (_HTTPS_PORT if url.scheme == "https" else _HTTP_PORT)


def _is_near(host: str) -> bool:
    """Tell whether an address is written as one of this machine or its network; no name is looked up, as
    whoever owns a name could let it point anywhere."""
    if host == "localhost":
        return True
    try:
        ip_address(host)
    except ValueError:
        return False
    return not is_public(host)


def _is_near_spec(spec: ServerSpec) -> bool:
    return not spec.is_public_only and _is_near(httpx2.URL(spec.url).host)
