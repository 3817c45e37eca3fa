"""What `connect` and `doctor` both ask of Meta and of the public address: why it does not work, and the fix."""

import re
import secrets
from datetime import datetime
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import httpx

from app.cli.texts import AT_META
from app.language.catalogue import LazyText, lazy
from app.whatsapp.admin import TokenFacts

MANAGE: Final = "whatsapp_business_management"
SCOPES: Final = ("whatsapp_business_messaging", MANAGE)
API_SETUP: Final = lazy(AT_META.api_setup)
RENEW: Final = lazy(AT_META.renew, scopes=lazy(AT_META.both, one=SCOPES[0], other=SCOPES[1]))
_TIMEOUT_S: Final = 15.0
# The last part begins with a letter, so that no IP address fits.
_HOST: Final = re.compile(r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}")
_PRIVATE_ENDINGS: Final = (".local", ".localhost", ".internal", ".lan", ".home", ".invalid", ".test")


class Problem(NamedTuple):
    """`status` is the HTTP status that showed it, 0 for none."""

    cause: LazyText
    next_step: LazyText
    status: int = 0


class Unfit(ValueError):
    """A value cannot be right, for the reason in `why`."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def token_problem(facts: TokenFacts, app_id: str, now: datetime) -> Problem | None:
    """Tell why a token cannot be used; with an empty `app_id` it may belong to any app."""
    if facts.ends_at is not None and facts.ends_at <= now:
        return Problem(lazy(AT_META.token_expired), RENEW)
    if not facts.is_valid:
        return Problem(lazy(AT_META.token_invalid), RENEW)
    if app_id and facts.app_id != app_id:
        apps = {"app": facts.app_id, "ours": app_id}
        return Problem(lazy(AT_META.token_foreign, **apps), lazy(AT_META.token_foreign_step, **apps))
    return None


def scopes_problem(facts: TokenFacts) -> Problem | None:
    """Tell which permissions a token lacks."""
    missing = [scope for scope in SCOPES if scope not in facts.scopes]
    if not missing:
        return None
    named = missing[0] if len(missing) == 1 else lazy(AT_META.both, one=missing[0], other=missing[1])
    return Problem(lazy(AT_META.scopes_missing, scopes=named), RENEW)


def check_public_url(typed: str) -> str:
    """An address that Meta may call, without its `/webhook`: HTTPS, and a public name.

    Raises:
        Unfit: it cannot be one.
    """
    value = typed.strip().strip("\"'").strip()
    try:
        parts = urlsplit(value if "://" in value else f"https://{value}")
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise Unfit(lazy(AT_META.url_no_address)) from None
    if parts.scheme != "https":
        raise Unfit(lazy(AT_META.url_no_https))
    if parts.username or parts.password or parts.query or parts.fragment:
        raise Unfit(lazy(AT_META.url_more))
    if not _HOST.fullmatch(host) or host.endswith(_PRIVATE_ENDINGS):
        raise Unfit(lazy(AT_META.url_private))
    path = parts.path.rstrip("/").removesuffix("/webhook")
    if not re.fullmatch(r"(?:/[A-Za-z0-9._~-]+)*", path):
        raise Unfit(lazy(AT_META.url_path))
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
        return Problem(lazy(AT_META.no_answer, kind=type(exc).__name__), lazy(AT_META.no_answer_step))
    if any(word in str(exc).lower() for word in ("certificate", "ssl")):
        return Problem(lazy(AT_META.certificate), lazy(AT_META.certificate_step))
    return Problem(lazy(AT_META.no_connection), lazy(AT_META.no_connection_step))


def _wrong_answer(response: httpx.Response) -> Problem:
    status = response.status_code
    if response.is_redirect:
        return Problem(lazy(AT_META.redirects, status=status), lazy(AT_META.redirects_step), status)
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return Problem(lazy(AT_META.nothing_behind, status=status), lazy(AT_META.nothing_behind_step), status)
    if status == httpx.codes.FORBIDDEN:
        return Problem(lazy(AT_META.refuses_verify_token), lazy(AT_META.refuses_verify_token_step), status)
    if status == httpx.codes.NOT_FOUND:
        return Problem(lazy(AT_META.no_webhook), lazy(AT_META.no_webhook_step), status)
    return Problem(lazy(AT_META.other_page, status=status), lazy(AT_META.other_page_step), status)
