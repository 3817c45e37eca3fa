"""The calls of the Graph API that only read, and what their refusals mean."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import quote

import httpx

from app.cli.doctor.outcome import Outcome, failed
from app.domain.errors import Permanent, Transient
from app.whatsapp.errors import graph_code

_TIMEOUT_S: Final = 10.0
_EXPIRED: Final = 463
_CALL_LIMITS: Final = frozenset({4, 80007})
_PERMISSION: Final = frozenset({3, 10, *range(200, 300)})
WRONG_OBJECT: Final = frozenset({100, 803})
BAD_TOKEN: Final = 190
RENEW: Final = (
    "make a token of a system user (Business settings > System users > Generate token) with "
    "whatsapp_business_messaging and whatsapp_business_management, and set WHATSAPP_ACCESS_TOKEN in .env"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """`code` is the Graph error's (`whatsapp-cloud-api.md` §3.11), None where there is none."""

    status: int
    body: object
    code: int | None

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300 and isinstance(self.body, dict)


class GraphReader:
    """GET requests with a bearer token. Remembers how far Meta's clock is from ours (`skew_s`)."""

    def __init__(self, http: httpx.AsyncClient, *, root: str, now: Callable[[], datetime]) -> None:
        self._http = http
        self._root = root.rstrip("/")
        self._now = now
        self.skew_s: float | None = None

    async def get(self, path: str, *, token: str | None, **params: str) -> Answer:
        """Return what Meta answers, errors included; without a token none is sent.

        Raises:
            Transient: nobody answered.
            Permanent: the token holds characters that no HTTP header may carry.
        """
        if token is not None and not (token.isascii() and token.isprintable()):
            raise Permanent("not_a_token", "it holds characters that no HTTP header may carry")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        address = f"{self._root}/{quote(path, safe='/')}"
        try:
            response = await self._http.get(address, params=params, headers=headers, timeout=_TIMEOUT_S)
        except httpx.HTTPError as exc:
            raise Transient("graph_unreachable", f"nobody answers there ({type(exc).__name__})") from exc
        self._note_time(response.headers.get("date", ""))
        try:
            body: object = response.json()
        except ValueError:
            body = None
        return Answer(response.status_code, body, graph_code(body))

    def _note_time(self, date: str) -> None:
        try:
            told = parsedate_to_datetime(date)
        except ValueError:
            return
        aware = told if told.tzinfo else told.replace(tzinfo=UTC)
        self.skew_s = (self._now() - aware).total_seconds()


def refusal(answer: Answer, what: str) -> Outcome:
    """Put an unsuccessful answer into words; `what` was asked for."""
    if answer.code == BAD_TOKEN:
        how = "has expired" if _subcode(answer.body) == _EXPIRED else "is not valid"
        return failed(f"the access token {how}", RENEW)
    if answer.code in _PERMISSION:
        return failed(
            f"the token may not read {what} (error {answer.code})",
            "assign the app and the WhatsApp account to the system user, then " + RENEW,
        )
    if answer.code in _CALL_LIMITS:
        return failed(
            f"Meta limits our calls (error {answer.code})", "wait an hour, then run: python -m app doctor"
        )
    named = f"error {answer.code}" if answer.code is not None else f"HTTP {answer.status}"
    return failed(
        f"Meta did not tell {what} ({named})",
        "try again in some minutes; if it stays, check WHATSAPP_API_BASE_URL, WHATSAPP_API_VERSION and "
        "Meta's status page",
    )


def _subcode(body: object) -> object:
    error = body.get("error") if isinstance(body, dict) else None
    return error.get("error_subcode") if isinstance(error, dict) else None
