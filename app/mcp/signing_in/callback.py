"""Where a browser ends after an admin signed in at a remote server, and who we say that we are."""

import html
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from mcp.shared.auth import OAuthClientMetadata
from pydantic import AnyUrl

from app.language.catalogue import LANGUAGES, Language, say
from app.mcp.signing_in.consent import SENTENCES, Answered
from app.web.routes import PlainRoute

CALLBACK_PATH: Final = "/oauth/mcp/callback"
DOCUMENT_PATH: Final = "/oauth/mcp/client.json"
_CLIENT_NAME: Final = "WasAP"

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


@dataclass(frozen=True, slots=True)
class OurClient:
    """Who we are to authorization servers.

    `redirect_url` is where the browser is sent back to; `document_url` is where `document` can be fetched
    from the internet (https, else None), for servers that take that instead of a registration.
    """

    redirect_url: str
    document_url: str | None = None

    @classmethod
    def at(cls, address: str) -> "OurClient":
        """Return who we are when browsers, and perhaps the internet, reach us at an address."""
        base = address.rstrip("/")
        return cls(f"{base}{CALLBACK_PATH}", f"{base}{DOCUMENT_PATH}" if base.startswith("https://") else None)

    def metadata(self) -> OAuthClientMetadata:
        is_local = self.redirect_url.startswith("http://")
        return OAuthClientMetadata(
            client_name=_CLIENT_NAME,
            redirect_uris=[AnyUrl(self.redirect_url)],
            application_type="native" if is_local else "web",
        )

    def document(self) -> Mapping[str, object]:
        """Return what stands at `document_url` (OAuth Client ID Metadata Document, MCP 2025-11-25)."""
        metadata = self.metadata().model_dump(mode="json", exclude_none=True)
        return {**metadata, "client_id": self.document_url, "token_endpoint_auth_method": "none"}


def create_routes(answer: Callable[[str], Awaitable[Answered]], client: OurClient) -> list[PlainRoute]:
    """Build the way back (`CALLBACK_PATH`) and our client document (`DOCUMENT_PATH`).

    The way back is open to anybody: what counts is the state in it, which only those know who got the link.
    """

    async def callback(request: Request) -> Response:
        outcome = await answer(str(request.url))
        language = _language(request.headers.get("accept-language", ""))
        text = html.escape(say(SENTENCES[outcome], language))
        page = f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>WasAP</title><p>{text}</p>'
        return HTMLResponse(page, status_code=_STATUS.get(outcome, 400), headers=dict(_HEADERS))

    async def document(request: Request) -> Response:
        return JSONResponse(dict(client.document()))

    return [PlainRoute("GET", CALLBACK_PATH, callback), PlainRoute("GET", DOCUMENT_PATH, document)]


def _language(accepted: str) -> Language:
    """Return the first of ours among the languages that a browser names, best first (RFC 9110, 12.5.4)."""
    named = [part.split(";")[0].strip().lower()[:2] for part in accepted.split(",")]
    return next((language for name in named for language in LANGUAGES if language == name), LANGUAGES[0])
