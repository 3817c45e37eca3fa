"""The address under which Meta reaches us: it must answer the challenge, as Meta will ask it."""

import hmac
import ipaddress
import secrets
import ssl
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import httpx

from app.cli.doctor.outcome import Outcome, failed, ok, skipped
from app.cli.doctor.settings import shown_address

_TIMEOUT_S: Final = 15.0
_START: Final = "start the service (make run) and run this again"
_TUNNEL: Final = "start the tunnel or the reverse proxy, and check PUBLIC_URL in .env"


class PublicAddress:
    """Asks our own webhook from outside. `verify_token` is what the running service should have, too."""

    def __init__(
        self, http: httpx.AsyncClient, public_url: str | None, verify_token: str, *, is_service_running: bool
    ) -> None:
        self._http = http
        self._public_url = public_url
        self._verify_token = verify_token
        self._is_service_running = is_service_running

    async def check(self) -> Outcome:
        """`GET /webhook` returns the raw challenge with 200 (`whatsapp-cloud-api.md` §3.2)."""
        if self._public_url is None:
            return skipped("PUBLIC_URL is not set", "set it in .env to the https address of your tunnel or proxy")
        address = f"{shown_address(self._public_url).rstrip('/')}/webhook"
        if (problem := _unfit(self._public_url)) is not None:
            return problem
        challenge = secrets.token_hex(16)
        query = {
            "hub.mode": "subscribe",
            "hub.challenge": challenge,
            "hub.verify_token": self._verify_token,
        }
        try:
            response = await self._http.get(address, params=query, timeout=_TIMEOUT_S, follow_redirects=False)
        except httpx.HTTPError as exc:
            return _unreachable(address, exc)
        return self._judged(address, response, challenge)

    def _judged(self, address: str, response: httpx.Response, challenge: str) -> Outcome:
        status = response.status_code
        if response.is_success and hmac.compare_digest(response.content, challenge.encode()):
            return ok(f"{address} answers the challenge")
        if response.is_redirect:
            return failed(
                f"{address} redirects (HTTP {status}), which Meta does not follow",
                "set PUBLIC_URL in .env to the address that it leads to",
            )
        if status == httpx.codes.FORBIDDEN:
            return failed(
                f"{address} refuses the challenge: the service there has another verify token",
                "restart the service, so that it reads WHATSAPP_VERIFY_TOKEN from .env; check that it is this one",
            )
        if status >= httpx.codes.INTERNAL_SERVER_ERROR:
            if not self._is_service_running:
                return skipped(f"the tunnel answers (HTTP {status}), and the service is not running", _START)
            return failed(
                f"{address} answers HTTP {status}: the tunnel does not reach the service",
                "point the tunnel at the address and port that the service listens on (HOST and PORT in .env)",
            )
        return failed(
            f"something else answers at {address} (HTTP {status}), not our webhook",
            "forward /webhook to this service unchanged, and turn off the tunnel's warning page or sign-in",
        )


def _unfit(public_url: str) -> Outcome | None:
    parts = urlsplit(public_url)
    if parts.scheme != "https":
        return failed(
            "PUBLIC_URL is not https, which Meta demands", "set PUBLIC_URL in .env to an https:// address"
        )
    if _is_local(parts.hostname or ""):
        return failed(
            "PUBLIC_URL names this machine or a private network, where Meta cannot come",
            "set PUBLIC_URL in .env to the address that a tunnel (cloudflared, ngrok, tailscale funnel) gives you",
        )
    return None


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


def _unreachable(address: str, exc: httpx.HTTPError) -> Outcome:
    if any(isinstance(cause, ssl.SSLError) for cause in _causes(exc)):
        return failed(
            f"the certificate of {address} is not one that Meta accepts",
            "use a certificate of a public authority with its whole chain; self-signed ones are refused",
        )
    return failed(f"nobody answers at {address} ({type(exc).__name__})", _TUNNEL)


def _causes(exc: BaseException | None) -> Iterator[BaseException]:
    while exc is not None:
        yield exc
        exc = exc.__cause__ or exc.__context__
