"""Who is let in on this machine without a name: a page of our own, of somebody who has the token."""

import hashlib
import hmac
import os
import re
import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from fastapi import HTTPException, Request
from fastapi.responses import RedirectResponse, Response

FILE_NAME: Final = "simulator-token"
_LOOPBACK_HOST: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
# A page of another site must ask the browser's leave before it posts one of these.
_GUARDED_TYPES: Final = frozenset({"application/json", "application/octet-stream"})
# What proxies and tunnels say of the one they speak for. A proxy may rewrite `Host`; all of these it keeps.
_FORWARDED: Final = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "cf-connecting-ip",
    "true-client-ip",
)
_BEARER: Final = "bearer "
_YEAR_S: Final = 365 * 24 * 3600


def read_token(data_dir: Path) -> str:
    """Return the token of this data directory, made at the first start; nobody else on this machine can read it.

    Raises:
        OSError: the file cannot be read or written.
    """
    path = data_dir / FILE_NAME
    try:
        token = path.read_text("ascii").strip()
    except FileNotFoundError:
        token = ""
    if len(token) < 16:
        token = secrets.token_urlsafe(24)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(token + "\n")
    return token


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses what a stranger, or a page of another site in a browser here, could have sent.

    `is_remote`: requests that a proxy forwarded or that came from another machine are answered, too; the token is
    asked for all the same.
    """

    token: str = field(repr=False)
    is_remote: bool = False

    async def require_place(self, request: Request) -> None:
        """Refuse foreign peers, foreign names and foreign pages.

        Raises:
            HTTPException: 403.
        """
        if (refusal := self._refusal_of_place(request)) is not None:
            raise HTTPException(403, refusal)
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise HTTPException(403, "This is for its own page only.")
        if request.method == "GET":
            return
        require_own_page(request)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in _GUARDED_TYPES:
            raise HTTPException(403, "This takes JSON and files only.")

    def is_near(self, request: Request) -> bool:
        """Tell whether a request was made on this machine, under its own name, and not forwarded.

        A foreign name that resolves to this machine (DNS rebinding) shows in `Host`.
        """
        return self._refusal_of_place(request) is None

    async def require_token(self, request: Request) -> None:
        """Let in who brings the token, in the cookie or as a bearer token.

        Raises:
            HTTPException: 401.
        """
        if not self.has_token(request):
            raise HTTPException(401, "Open the address that the start of the service printed.")

    def take_token(self, request: Request, path: str) -> Response | None:
        """Take the right token out of the address into a cookie for `path`; None where there is none."""
        given = request.query_params.get("token")
        if given is None or not self._is_right(given):
            return None
        answer = RedirectResponse(path, status_code=303)
        name = self.cookie_name("simulator")
        answer.set_cookie(name, self.token, max_age=_YEAR_S, path=path, httponly=True, samesite="strict")
        return answer

    def cookie_name(self, purpose: str) -> str:
        """Return the name of a cookie of this service alone: cookies do not know ports."""
        return f"{purpose}_{hashlib.sha256(self.token.encode()).hexdigest()[:8]}"

    def has_token(self, request: Request) -> bool:
        """Tell whether a request brings the token, in the cookie or as a bearer token."""
        authorization = request.headers.get("authorization", "")
        is_bearer = authorization.lower().startswith(_BEARER)
        cookie = request.cookies.get(self.cookie_name("simulator"), "")
        return self._is_right(authorization[len(_BEARER) :] if is_bearer else cookie)

    def _is_right(self, given: str) -> bool:
        return hmac.compare_digest(given.strip().encode("utf-8", "replace"), self.token.encode())

    def _refusal_of_place(self, request: Request) -> str | None:
        if self.is_remote:
            return None
        if not _LOOPBACK_HOST.fullmatch(request.headers.get("host", "")):
            return "This answers to localhost only; open it under that name."
        if any(name in request.headers for name in _FORWARDED):
            return "Forwarded requests are refused; see SIMULATOR_REMOTE."
        if request.client is None or not _is_loopback(request.client.host):
            return "This answers this machine only; see SIMULATOR_REMOTE."
        return None


def require_own_page(request: Request) -> None:
    """Refuse a post from a page of another site, as far as its browser tells.

    Raises:
        HTTPException: 403.
    """
    host, origin = request.headers.get("host", "").lower(), request.headers.get("origin")
    is_foreign = origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}")
    if is_foreign or request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "This takes posts from its own page only.")


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False
