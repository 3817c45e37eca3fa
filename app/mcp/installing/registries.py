"""Looking for servers: the official MCP registry and Smithery, asked side by side.

Sources: https://github.com/modelcontextprotocol/registry (docs/reference/api) for `/v0/servers`, and
https://smithery.ai/docs/use/registry for `/servers`; of Smithery only what runs at its side can be had, as its
local servers are described by a function in JavaScript.
"""

import asyncio
import json
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

import httpx
import structlog

from app.domain.errors import NotFound, Transient
from app.domain.wording import fold, words
from app.mcp.installing.listing import Listing, Source
from app.mcp.installing.registry_entries import NAME, read_each, read_official, read_smithery

log = structlog.get_logger(__name__)

_MAX_BYTES: Final = 2_000_000
_TIMEOUT_S: Final = 10.0
_PAGE: Final = 50
_MAX_PAGES: Final = 3
_OK: Final = 200
_NOT_FOUND: Final = 404
_NOT_SEARCHED: Final = frozenset(
    {"install", "instala", "instalar", "mcp", "server", "servers", "servidor", "tool"}
)


@dataclass(frozen=True, slots=True)
class Found:
    """Best first; `silent` are the registries that gave no answer."""

    listings: tuple[Listing, ...]
    silent: tuple[Source, ...] = ()


class RegistryClient:
    """Both registries as one, over a client that the caller owns. Only current, active versions are listed.

    A registry that is slow, down or sends nonsense hides nothing of the other.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        official_url: str,
        smithery_url: str,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        self._http = http
        self._official = official_url.rstrip("/")
        self._smithery = smithery_url.rstrip("/")
        self._timeout_s = timeout_s

    async def search(self, query: str, *, limit: int = 8) -> Found:
        """Return up to `limit` servers for some words, those that fit most of them first."""
        asked = [word for word in words(query) if word not in _NOT_SEARCHED] or words(query)
        if not asked:
            return Found(())
        official, smithery = await asyncio.gather(
            self._tolerant("official", self._search_official(max(asked, key=len))),
            self._tolerant("smithery", self._search_smithery(" ".join(asked))),
        )
        listings = [*(official or []), *(smithery or [])]
        listings.sort(key=lambda listing: _fitness(listing, asked), reverse=True)
        answers: tuple[tuple[Source, object], ...] = (("official", official), ("smithery", smithery))
        return Found(tuple(listings[:limit]), tuple(name for name, answer in answers if answer is None))

    async def get(self, name: str) -> Listing:
        """Return the current version of a server by its full name, with all that is needed to run it.

        Raises:
            NotFound: no registry that answered lists it.
            Transient: none of the registries answered.
        """
        if NAME.fullmatch(name) is None:
            raise NotFound("server_unlisted", name[:80])
        official, smithery = await asyncio.gather(
            self._tolerant("official", self._search_official(name)),
            self._tolerant("smithery", self._get_smithery(name)),
        )
        for listing in [*(official or []), *(smithery or [])]:
            if listing.name == name:
                return listing
        if official is None and smithery is None:
            raise Transient("registries_silent", "neither registry answered")
        raise NotFound("server_unlisted", name)

    async def _tolerant(self, source: Source, work: Awaitable[list[Listing]]) -> list[Listing] | None:
        """Return what a registry listed; None when it gave no answer that can be read."""
        try:
            async with asyncio.timeout(self._timeout_s):
                return await work
        except (TimeoutError, httpx.HTTPError, Transient, ValueError, RecursionError) as exc:
            log.warning("registry.silent", registry=source, reason=str(exc)[:200] or type(exc).__name__)
            return None

    async def _search_official(self, text: str) -> list[Listing]:
        found: list[Listing] = []
        query = {"search": text, "version": "latest", "limit": str(_PAGE)}
        for _ in range(_MAX_PAGES):
            page = await self._get_json(f"{self._official}/v0/servers", query)
            found.extend(read_each(read_official, page.get("servers")))
            meta = page.get("metadata")
            cursor = (meta.get("nextCursor") or meta.get("next_cursor")) if isinstance(meta, Mapping) else None
            if not isinstance(cursor, str) or not cursor:
                break
            query = {**query, "cursor": cursor}
        return list({listing.name: listing for listing in found}.values())

    async def _search_smithery(self, text: str) -> list[Listing]:
        query = {"q": text, "page": "1", "pageSize": str(_PAGE)}
        page = await self._get_json(f"{self._smithery}/servers", query)
        return read_each(read_smithery, page.get("servers"))

    async def _get_smithery(self, name: str) -> list[Listing]:
        url = f"{self._smithery}/servers/{quote(name, safe='@/')}"
        answer = await self._get_json(url, {}, may_be_missing=True)
        return read_each(read_smithery, [answer] if answer else [])

    async def _get_json(
        self, url: str, query: Mapping[str, str], *, may_be_missing: bool = False
    ) -> Mapping[str, object]:
        """Return a JSON object; an empty one for 404 where that may be.

        Raises:
            Transient: any other answer.
            httpx.HTTPError: no answer.
        """
        headers = {"Accept": "application/json"}
        async with self._http.stream("GET", url, params=dict(query), headers=headers) as response:
            if response.status_code == _NOT_FOUND and may_be_missing:
                return {}
            if response.status_code != _OK:
                raise Transient("registry_failed", f"HTTP {response.status_code}")
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _MAX_BYTES:
                    raise Transient("registry_failed", "the answer is too large")
        answer = json.loads(body)
        if not isinstance(answer, dict):
            raise Transient("registry_failed", "the answer is no object")
        return answer


def _fitness(listing: Listing, asked: Iterable[str]) -> int:
    last, name, text = fold(listing.last_part), fold(listing.name), fold(listing.description)
    return sum(4 * (word == last) + 2 * (word in name) + (word in text) for word in asked)
