"""Where a browser ends after an admin signed in at a remote server, and who we say that we are."""

import html
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from app.language.catalogue import LANGUAGES, Language, say
from app.mcp.consent import SENTENCES, Answered

CALLBACK_PATH: Final = "/oauth/mcp/callback"
DOCUMENT_PATH: Final = "/oauth/mcp/client.json"

_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
)
"""The address of the page holds the code; nothing may take it further."""
_STATUS: Final[Mapping[Answered, int]] = MappingProxyType({"taken": 200, "declined": 200})


def create_router(answer: Callable[[str], Awaitable[Answered]], document: Mapping[str, object]) -> APIRouter:
    """Build the way back (`CALLBACK_PATH`) and our client document (`DOCUMENT_PATH`).

    The way back is open to anybody: what counts is the state in it, which only those know who got the link.
    """
    router = APIRouter(include_in_schema=False)

    @router.get(CALLBACK_PATH)
    async def callback(request: Request) -> Response:
        outcome = await answer(str(request.url))
        language = _language(request.headers.get("accept-language", ""))
        text = html.escape(say(SENTENCES[outcome], language))
        page = f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>WasAP</title><p>{text}</p>'
        return HTMLResponse(page, status_code=_STATUS.get(outcome, 400), headers=dict(_HEADERS))

    @router.get(DOCUMENT_PATH)
    async def client() -> Response:
        return JSONResponse(dict(document))

    return router


def _language(accepted: str) -> Language:
    """Return the first of ours among the languages that a browser names, best first (RFC 9110, 12.5.4)."""
    named = [part.split(";")[0].strip().lower()[:2] for part in accepted.split(",")]
    return next((language for name in named for language in LANGUAGES if language == name), LANGUAGES[0])
