"""Who may talk to the simulator: a page of its own, on this machine, of somebody who has the token."""

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

PAGE: Final = "/simulator"
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

        A foreign name that resolves to this machine (DNS rebinding) shows in `Host`; a post from another site
        shows in `Origin`, or cannot carry these content types without asking first.

        Raises:
            HTTPException: 403.
        """
        host = request.headers.get("host", "")
        if not self.is_remote:
            self._require_this_machine(request, host)
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise HTTPException(403, "The simulator is for its own page only.")
        if request.method == "GET":
            return
        origin = request.headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            raise HTTPException(403, "The simulator takes posts from its own page only.")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in _GUARDED_TYPES:
            raise HTTPException(403, "The simulator takes JSON and files only.")

    async def require_token(self, request: Request) -> None:
        """Let in who brings the token, in the cookie or as a bearer token.

        Raises:
            HTTPException: 401.
        """
        if not self._has_token(request):
            raise HTTPException(401, "Open the address that the start of the service printed.")

    def let_in(self, request: Request, page: Response, locked: Response) -> Response:
        """Answer a request for the page: with it, or by taking the token out of the address into a cookie."""
        given = request.query_params.get("token")
        if given is not None and self._is_right(given):
            answer = RedirectResponse(PAGE, status_code=303)
            answer.set_cookie(
                self._cookie, self.token, max_age=_YEAR_S, path=PAGE, httponly=True, samesite="strict"
            )
            return answer
        return page if self._has_token(request) else locked

    @property
    def _cookie(self) -> str:
        # Cookies do not know ports: two services on one machine keep theirs apart.
        return f"simulator_{hashlib.sha256(self.token.encode()).hexdigest()[:8]}"

    def _has_token(self, request: Request) -> bool:
        authorization = request.headers.get("authorization", "")
        is_bearer = authorization.lower().startswith(_BEARER)
        given = authorization[len(_BEARER) :] if is_bearer else request.cookies.get(self._cookie, "")
        return self._is_right(given)

    def _is_right(self, given: str) -> bool:
        return hmac.compare_digest(given.strip().encode("utf-8", "replace"), self.token.encode())

    def _require_this_machine(self, request: Request, host: str) -> None:
        if not _LOOPBACK_HOST.fullmatch(host):
            raise HTTPException(403, "The simulator answers to localhost only; open it under that name.")
        if any(name in request.headers for name in _FORWARDED):
            raise HTTPException(403, "The simulator refuses forwarded requests; see SIMULATOR_REMOTE.")
        if request.client is None or not _is_loopback(request.client.host):
            raise HTTPException(403, "The simulator answers this machine only; see SIMULATOR_REMOTE.")


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False
