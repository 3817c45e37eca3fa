"""Where we may connect to when a model, a person or a registry named the address: the public internet only.

Nothing here opens a connection. Whoever does must use the addresses of the `Destination`, not the name again:
between the check and the connection the name could be made to point elsewhere (DNS rebinding).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, Protocol
from urllib.parse import urlsplit

from app.domain.errors import ToolFault

MAX_URL_CHARS: Final = 2048
_PORTS: Final = frozenset({80, 443})
_FIRST_FREE_PORT: Final = 1024
_LAST_PORT: Final = 65_535
_SHOWN_CHARS: Final = 120
_HOST: Final = re.compile(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*")
_LITERAL_V6: Final = re.compile(r"[0-9a-f:.]{2,45}")
_UNSAFE: Final = re.compile(r"[^\x21-\x7e]|[\\<>\"^`{|}]")

_PUBLIC_V6: Final = "2000::/3"
"""All that IANA has given out for the public; what is not in it need not be listed."""

_REFUSED: Final = (
    # IANA IPv4 special-purpose address registry, multicast and the reserved rest.
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/3",
    # Azure answers its machines' metadata here, although the address is a public one.
    "168.63.129.16/32",
    # IANA IPv6 special-purpose address registry, within 2000::/3; Teredo and 6to4 carry IPv4 inside.
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3fff::/20",
)


class Resolver(Protocol):
    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses of a host, as text.

        Raises:
            ToolFault: there are none, or nobody answered in time.
        """
        ...


@dataclass(frozen=True, slots=True)
class Target:
    """An address that is well formed: `host` in lower case without a last dot, `path` with its query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """The one spelling of the address, without fragment."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port == (443 if self.scheme == "https" else 80)
        return f"{self.scheme}://{host}{'' if is_usual else f':{self.port}'}{self.path}"


@dataclass(frozen=True, slots=True)
class Destination:
    """A target that may be connected to, at one of `addresses` only."""

    target: Target
    addresses: tuple[str, ...]


class EgressGate:
    """Tells whether an address may be connected to."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    async def check(self, url: str) -> Destination:
        """Return where a URL leads.

        Of a name with several addresses all must be public: one that is not is a mistake or a trick.

        Raises:
            ToolFault: it may not be used; the sentence names the URL and no address that it leads to.
        """
        target = parse_url(url)
        addresses = tuple(dict.fromkeys(await self._resolver.resolve(target.host, target.port)))
        if not addresses or not all(map(is_public, addresses)):
            raise _refused(url, "it does not lead to the public internet")
        return Destination(target, addresses)


def is_public(address: str) -> bool:
    """Tell whether an IP address is one of the public internet.

    False for private, loopback, link-local, multicast, reserved, documentation and metadata addresses, for
    IPv6 that carries IPv4 inside (mapped, 6to4, Teredo, NAT64), for zones, and for what is no address.
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address) and (ip.scope_id is not None or ip not in ip_network(_PUBLIC_V6)):
        return False
    return not any(ip in ip_network(block) for block in _REFUSED)


def parse_url(url: str) -> Target:
    """Take a URL apart; what two readers could understand in two ways is refused.

    Raises:
        ToolFault: it is not http or https, has a user name, no host, characters that must be escaped, or a
            port that no web server uses (80, 443 and those above 1023 are).
    """
    if len(url) > MAX_URL_CHARS:
        raise _refused(url, "it is too long")
    if _UNSAFE.search(url):
        raise _refused(url, "it has characters that must be escaped, or a host that is not in its xn-- form")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as exc:
        raise _refused(url, "it is not a web address") from exc
    if parts.scheme not in {"http", "https"}:
        raise _refused(url, "it does not begin with http:// or https://")
    if "@" in parts.netloc:
        raise _refused(url, "it has a user name in it")
    host = host.removesuffix(".")
    if not (_LITERAL_V6 if ":" in host else _HOST).fullmatch(host):
        raise _refused(url, "it names no host")
    port = (443 if parts.scheme == "https" else 80) if port is None else port
    if port not in _PORTS and not _FIRST_FREE_PORT <= port <= _LAST_PORT:
        raise _refused(url, f"no web server uses port {port}")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, path)


def _refused(url: str, reason: str) -> ToolFault:
    printable = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in url)
    named = printable if "@" not in printable else printable.partition("://")[0] + "://…"
    return ToolFault("url_refused", f"The address {named[:_SHOWN_CHARS]} is refused: {reason}.")
