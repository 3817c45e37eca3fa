"""Who may talk to the simulator: a page of its own, on this machine."""

import re
from typing import Final

from fastapi import HTTPException, Request

_LOOPBACK_HOST: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
# A page of another site must ask the browser's leave before it posts one of these.
_GUARDED_TYPES: Final = frozenset({"application/json", "application/octet-stream"})


async def require_same_machine(request: Request) -> None:
    """Refuse what a page of another site could have asked a browser here to send.

    A foreign name that resolves to this machine (DNS rebinding) shows in `Host`; a post from another site
    shows in `Origin`, or cannot carry these content types without asking first.

    Raises:
        HTTPException: 403.
    """
    host = request.headers.get("host", "")
    if not _LOOPBACK_HOST.fullmatch(host):
        raise HTTPException(403, "The simulator answers to localhost only; open it under that name.")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "The simulator is for its own page only.")
    if request.method == "GET":
        return
    origin = request.headers.get("origin")
    if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
        raise HTTPException(403, "The simulator takes posts from its own page only.")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in _GUARDED_TYPES:
        raise HTTPException(403, "The simulator takes JSON and files only.")
