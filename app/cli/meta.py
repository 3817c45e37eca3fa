"""What `connect` and `doctor` both ask of Meta and of the public address: why it does not work, and the fix."""

import re
import secrets
from datetime import datetime
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import httpx

from app.whatsapp.admin import TokenFacts

MANAGE: Final = "whatsapp_business_management"
SCOPES: Final = ("whatsapp_business_messaging", MANAGE)
API_SETUP: Final = "https://developers.facebook.com/apps > your app > WhatsApp > API Setup"
RENEW: Final = (
    "generate a token of a system user that never expires (Business Settings > System users), with "
    f"{SCOPES[0]} and {SCOPES[1]}: it is your WHATSAPP_ACCESS_TOKEN"
)
_TIMEOUT_S: Final = 15.0
# The last part begins with a letter, so that no IP address fits.
_HOST: Final = re.compile(r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}")
_PRIVATE_ENDINGS: Final = (".local", ".localhost", ".internal", ".lan", ".home", ".invalid", ".test")


class Problem(NamedTuple):
    """`status` is the HTTP status that showed it, 0 for none."""

    cause: str
    next_step: str
    status: int = 0


def token_problem(facts: TokenFacts, app_id: str, now: datetime) -> Problem | None:
    """Tell why a token cannot be used; with an empty `app_id` it may belong to any app."""
    if facts.ends_at is not None and facts.ends_at <= now:
        return Problem("the access token has expired", RENEW)
    if not facts.is_valid:
        return Problem("the access token is not valid", RENEW)
    if app_id and facts.app_id != app_id:
        cause = f"the access token belongs to app {facts.app_id}, not to app {app_id}"
        return Problem(cause, f"generate one for app {app_id}, or set WHATSAPP_APP_ID={facts.app_id} in .env")
    return None


def scopes_problem(facts: TokenFacts) -> Problem | None:
    """Tell which permissions a token lacks."""
    missing = [scope for scope in SCOPES if scope not in facts.scopes]
    return Problem(f"the access token lacks {' and '.join(missing)}", RENEW) if missing else None


def check_public_url(typed: str) -> str:
    """An address that Meta may call, without its `/webhook`: HTTPS, and a public name."""
    value = typed.strip().strip("\"'").strip()
    try:
        parts = urlsplit(value if "://" in value else f"https://{value}")
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise ValueError("this is not a web address; one looks like https://wasap.example.org") from None
    if parts.scheme != "https":
        raise ValueError("Meta calls https:// addresses only; a tunnel gives you one (docs/connecting.md)")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("give the address alone: no user, no question mark, no #")
    if not _HOST.fullmatch(host) or host.endswith(_PRIVATE_ENDINGS):
        raise ValueError("Meta cannot reach that host: it needs a public name (docs/connecting.md)")
    path = parts.path.rstrip("/").removesuffix("/webhook")
    if not re.fullmatch(r"(?:/[A-Za-z0-9._~-]+)*", path):
        raise ValueError("the path has characters that an address should not have")
    return f"https://{host}{f':{port}' if port else ''}{path}"


async def challenge_problem(http: httpx.AsyncClient, url: str, verify_token: str) -> Problem | None:
    """Ask a webhook for its challenge, as Meta will (`whatsapp-cloud-api.md` §3.2)."""
    challenge = secrets.token_hex(16)
    query = {"hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": verify_token}
    try:
        response = await http.get(url, params=query, timeout=_TIMEOUT_S, follow_redirects=False)
    except httpx.HTTPError as exc:
        return _unreachable(exc)
    return None if response.is_success and response.text == challenge else _wrong_answer(response)


def _unreachable(exc: httpx.HTTPError) -> Problem:
    if not isinstance(exc, httpx.ConnectError):
        return Problem(f"no answer ({type(exc).__name__})", "see what the tunnel or the proxy prints")
    if any(word in str(exc).lower() for word in ("certificate", "ssl")):
        return Problem(
            "Meta does not accept its certificate",
            "use one of a public authority with its whole chain; Meta refuses self-signed certificates",
        )
    return Problem(
        "no connection to that host",
        "start the tunnel or the proxy, and check that PUBLIC_URL is its address today",
    )


def _wrong_answer(response: httpx.Response) -> Problem:
    status = response.status_code
    if response.is_redirect:
        cause = f"it redirects (HTTP {status}), which Meta does not follow"
        next_step = "set PUBLIC_URL in .env to the address that it leads to"
    elif status >= httpx.codes.INTERNAL_SERVER_ERROR:
        cause = f"the tunnel answers {status}: nothing listens behind it"
        next_step = "point the tunnel at the address and port of the service (HOST and PORT in .env)"
    elif status == httpx.codes.FORBIDDEN:
        cause = "something there refuses the verify token (403)"
        next_step = (
            "check that it is this service, and restart it so that it reads WHATSAPP_VERIFY_TOKEN from .env"
        )
    elif status == httpx.codes.NOT_FOUND:
        cause, next_step = "there is no /webhook (404)", "make the tunnel or the proxy pass /webhook on, unchanged"
    else:
        cause = f"another page answers there ({status})"
        next_step = "point the tunnel at the service, and turn off the tunnel's warning page or sign-in"
    return Problem(cause, next_step, status)
