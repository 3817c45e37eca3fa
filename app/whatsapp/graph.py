"""The Cloud API over HTTP: sends, marks read, fetches and stores files. Remembers nothing between calls."""

import asyncio
import base64
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO, Annotated, Final, TypeVar
from urllib.parse import quote

import httpx
import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.domain.errors import AppError, ConfigError, OutcomeUnknown, Permanent, Transient
from app.domain.ids import WaMessageId
from app.domain.inbound import MediaRef
from app.domain.outbound import OutboundMessage, Recipient
from app.whatsapp.errors import classify, graph_code, parse_retry_after
from app.whatsapp.payloads import check_upload, message_payload, read_payload

log = structlog.get_logger(__name__)

_MAX_REDIRECTS: Final = 3
# A file may take longer than an answer: 16 MB at 1 Mbit/s is about 130 s.
_TRANSFER_FACTOR: Final = 7
_MEDIA_DOMAINS: Final = (".fbsbx.com", ".facebook.com", ".fbcdn.net", ".whatsapp.net")
_PIECE_BYTES: Final = 256 * 1024
_MAX_ANSWER_BYTES: Final = 1024 * 1024
_OF_THE_BODY: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_GONE: Final = frozenset({401, 403, 404, 410})
_PROXY_LOST_ANSWER: Final = frozenset({502, 504})
_HEADER_VALUE: Final = re.compile(r"[\x21-\x7e]+")
_NOT_SENT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)

_NonEmpty = Annotated[str, Field(min_length=1)]


class _GraphAnswer(BaseModel):
    """Part of an answer of Meta's; inputs stay out of error texts because they name people."""

    model_config = ConfigDict(hide_input_in_errors=True)


class _SentMessage(_GraphAnswer):
    id: _NonEmpty


class _SendAnswer(_GraphAnswer):
    messages: Annotated[list[_SentMessage], Field(min_length=1)]


class _UploadAnswer(_GraphAnswer):
    id: _NonEmpty


class _MediaAnswer(_GraphAnswer):
    """`sha256` is hexadecimal here; `file_size` is a number in a string."""

    url: _NonEmpty
    sha256: str | None = None
    file_size: int | None = None


_AnswerT = TypeVar("_AnswerT", bound=_GraphAnswer)


class _UrlExpired(Exception):
    """The media address no longer answers; a new one can be looked up."""


class GraphClient:
    """`Messenger` and `MediaSource` over Meta's Graph API; see `domain/ports.py` for the contract.

    The HTTP client is borrowed, never closed, and never carries the token: each request does.
    `timeout_s` bounds one call, connecting included; a file transfer may take seven times as long.
    Codes beside those of `errors.classify`: "graph_unreachable" (nothing was sent), "graph_no_answer" and
    "graph_bad_answer" (the request may have been acted upon).

    Raises:
        ConfigError: the token holds characters that no HTTP header may carry.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        base_url: str,
        version: str,
        phone_number_id: str,
        access_token: str,
        timeout_s: float = 20,
    ) -> None:
        if not _HEADER_VALUE.fullmatch(access_token):
            raise ConfigError("WHATSAPP_ACCESS_TOKEN", "is empty or holds spaces or non-ASCII characters")
        self._http = http
        self._base = httpx.URL(base_url)
        self._root = f"{base_url.rstrip('/')}/{version}"
        self._number_url = f"{self._root}/{quote(phone_number_id, safe='')}"
        self._token = access_token
        self._timeout_s = timeout_s
        # The phases before sending end well before the whole call does, so that they stay tellable apart.
        self._phases = httpx.Timeout(timeout_s, connect=timeout_s / 4, pool=timeout_s / 4)

    async def send(self, to: Recipient, message: OutboundMessage, *, tracker: str) -> WaMessageId:
        """Hand a message to WhatsApp; see `Messenger.send`.

        A lost or unreadable answer is `OutcomeUnknown`. What Meta's limits forbid is `Permanent`
        before anything is sent (`payloads.message_payload`).
        """
        payload = message_payload(to, message, tracker=tracker)
        answer = await self._exchange(self._request("messages", payload), lost=OutcomeUnknown)
        sent = _parse(_SendAnswer, answer, lost=OutcomeUnknown)
        log.debug("graph.sent", type=payload["type"])
        return WaMessageId(sent.messages[0].id)

    async def mark_read(self, message_id: WaMessageId, *, is_typing: bool) -> None:
        """Show the read mark and, if asked, the typing mark; see `Messenger.mark_read`.

        Never `OutcomeUnknown`: doing it twice changes nothing, so a lost answer is plainly `Transient`.
        """
        request = self._request("messages", read_payload(message_id, is_typing=is_typing))
        await self._exchange(request, lost=Transient)
        log.debug("graph.marked_read", is_typing=is_typing)

    async def upload(self, data: bytes, *, mime_type: str, filename: str) -> str:
        """Store a file at Meta's for sending; returns its media id (valid for 30 days).

        Raises:
            Transient, Permanent: as `send`; Permanent also, before anything is sent, for a type or
                size that WhatsApp does not take. A lost answer costs an unused copy: never `OutcomeUnknown`.
        """
        check_upload(data, mime_type)
        request = self._http.build_request(
            "POST",
            f"{self._number_url}/media",
            data={"messaging_product": "whatsapp", "type": mime_type},
            files={"file": (filename, data, mime_type)},
            headers=self._bearer(),
            timeout=self._phases,
        )
        answer = await self._exchange(request, lost=Transient, timeout_s=self._transfer_timeout_s)
        media_id = _parse(_UploadAnswer, answer, lost=Transient).id
        log.debug("graph.uploaded", size_bytes=len(data), mime_type=mime_type)
        return media_id

    async def download(self, media: MediaRef, target: IO[bytes], *, max_bytes: int) -> int:
        """Write a file a person sent into `target`, verified against every checksum that came with it.

        Returns its size. Never more than a piece of it is in memory; after a failure `target` holds anything.

        An address that came with the webhook is used first; when it has expired or is not Meta's,
        the media id is looked up. The token goes to Meta's hosts only.

        Raises:
            Transient, Permanent: as `send`; Permanent also as "media_too_large", "media_damaged",
                "media_gone" and "media_host_refused". Never `OutcomeUnknown`.
        """
        sink = _Sink(target, max_bytes)
        try:
            async with _deadline(self._transfer_timeout_s, lost=Transient):
                checksums = await self._locate_and_fetch(media, sink, max_bytes)
        except _UrlExpired:
            raise Permanent("media_gone", "Meta's address for the file does not answer") from None
        sink.verify(checksums)
        log.debug("graph.downloaded", size_bytes=sink.size_bytes)
        return sink.size_bytes

    async def _locate_and_fetch(self, media: MediaRef, sink: "_Sink", max_bytes: int) -> list[str]:
        checksums = [media.sha256] if media.sha256 else []
        address = _parse_url(media.url) if media.url else None
        if address is not None and self._is_trusted(address):
            try:
                await self._fetch(address, sink)
                return checksums
            except _UrlExpired:
                log.debug("graph.media_url_expired")
        found = await self._look_up(media.media_id)
        if found.file_size is not None and found.file_size > max_bytes:
            raise Permanent("media_too_large", f"{found.file_size} bytes, {max_bytes} are allowed")
        if found.sha256:
            checksums.append(found.sha256)
        address = _parse_url(found.url)
        if address is None or not self._is_trusted(address):
            raise Permanent("media_host_refused", f"not a host of Meta's: {address.host if address else 'none'}")
        await self._fetch(address, sink)
        return checksums

    async def _look_up(self, media_id: str) -> _MediaAnswer:
        request = self._http.build_request(
            "GET", f"{self._root}/{quote(media_id, safe='')}", headers=self._bearer(), timeout=self._phases
        )
        answer = await self._exchange(request, lost=Transient)
        return _parse(_MediaAnswer, answer, lost=Transient)

    async def _fetch(self, address: httpx.URL, sink: "_Sink") -> None:
        """Follow redirects by hand; the token stays behind at the first hop that leaves Meta's hosts."""
        headers = self._bearer()
        # Compressed bytes would defeat both the size cap and the checksum.
        headers["Accept-Encoding"] = "identity"
        for _ in range(_MAX_REDIRECTS + 1):
            if not self._is_trusted(address):
                headers.pop("Authorization", None)
                if address.scheme != "https" or address.userinfo:
                    raise Permanent("media_host_refused", "a redirect leads to an address without TLS")
            request = self._http.build_request("GET", address, headers=headers, timeout=self._phases)
            async with self._open(request, lost=Transient) as response:
                if response.next_request is None:
                    _check_media_status(response)
                    return await sink.fill(response)
                address = response.next_request.url
        raise Permanent("media_host_refused", f"more than {_MAX_REDIRECTS} redirects")

    def _request(self, edge: str, payload: dict[str, object]) -> httpx.Request:
        headers = self._bearer()
        headers["Content-Type"] = "application/json"
        # Escaped: a lone surrogate in a text must become Meta's refusal, not an encoding error here.
        content = json.dumps(payload)
        url = f"{self._number_url}/{edge}"
        return self._http.build_request("POST", url, content=content, headers=headers, timeout=self._phases)

    async def _exchange(
        self, request: httpx.Request, *, lost: type[Transient], timeout_s: float | None = None
    ) -> httpx.Response:
        """Return a successful answer, wholly read; `lost` is raised when the outcome is not known."""
        async with _deadline(timeout_s or self._timeout_s, lost=lost), self._open(request, lost=lost) as opened:
            response = await _read_whole(opened, lost=lost)
        if not response.is_success:
            raise self._failure(response, lost)
        return response

    @asynccontextmanager
    async def _open(self, request: httpx.Request, *, lost: type[Transient]) -> AsyncIterator[httpx.Response]:
        try:
            response = await self._http.send(request, stream=True, follow_redirects=False)
            try:
                yield response
            finally:
                await response.aclose()
        except _NOT_SENT as exc:
            raise Transient("graph_unreachable", f"no connection to Meta: {type(exc).__name__}") from exc
        except httpx.HTTPError as exc:
            raise lost("graph_no_answer", f"the answer was lost: {type(exc).__name__}") from exc

    def _failure(self, response: httpx.Response, lost: type[Transient]) -> AppError:
        """Name the error of an unsuccessful answer.

        A 502 or 504 without a Graph error comes from a proxy that had already passed the request on,
        so the outcome is unknown. A bare 500 or 503 is Meta's own front door refusing: a judgement, not
        documented, made because a lost reply is worse there than a rare duplicate.
        """
        body = _read_json(response.text.replace(self._token, "[token]"))
        if graph_code(body) is None and response.status_code in _PROXY_LOST_ANSWER:
            return lost("graph_no_answer", f"HTTP {response.status_code} without a Graph error")
        return classify(response.status_code, body, retry_after_s=_retry_after_s(response))

    def _bearer(self) -> httpx.Headers:
        """Return fresh headers; this type hides the token from `repr`, and so from tracebacks with locals."""
        return httpx.Headers({"Authorization": f"Bearer {self._token}"})

    @property
    def _transfer_timeout_s(self) -> float:
        return self._timeout_s * _TRANSFER_FACTOR

    def _is_trusted(self, address: httpx.URL) -> bool:
        """Tell whether the token may go there: our own Graph address, or a host of Meta's over TLS."""
        if address.userinfo:
            return False
        if (address.scheme, address.host, address.port) == (self._base.scheme, self._base.host, self._base.port):
            return True
        return address.scheme == "https" and address.host.endswith(_MEDIA_DOMAINS)


@asynccontextmanager
async def _deadline(timeout_s: float, *, lost: type[Transient]) -> AsyncIterator[None]:
    """Bound the whole exchange: httpx's own time-outs restart with every packet."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError as exc:
        raise lost("graph_no_answer", f"no complete answer within {timeout_s:g} s") from exc


def _parse(kind: type[_AnswerT], response: httpx.Response, *, lost: type[Transient]) -> _AnswerT:
    try:
        return kind.model_validate_json(response.content)
    except ValidationError as exc:
        raise lost("graph_bad_answer", f"HTTP {response.status_code} with an unreadable body") from exc


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _retry_after_s(response: httpx.Response) -> float | None:
    return parse_retry_after(response.headers.get("retry-after", ""), response.headers.get("date", ""))


def _parse_url(text: str) -> httpx.URL | None:
    try:
        return httpx.URL(text)
    except httpx.InvalidURL:
        return None


def _check_media_status(response: httpx.Response) -> None:
    """Judge by the status alone: the file server's errors are not Graph errors, and 401 is a stale address."""
    status = response.status_code
    if status in _GONE:
        raise _UrlExpired
    if not response.is_success:
        raise classify(status, None, retry_after_s=_retry_after_s(response))


class _Sink:
    """Where a download goes: counts, hashes and caps what is written."""

    def __init__(self, target: IO[bytes], max_bytes: int) -> None:
        self._target = target
        self._max_bytes = max_bytes
        self._hash = hashlib.sha256()
        self.size_bytes = 0

    async def fill(self, response: httpx.Response) -> None:
        """Write a body, piece by piece, beside the event loop."""
        waiting = bytearray()
        async for chunk in response.aiter_raw():
            waiting += chunk
            if self.size_bytes + len(waiting) > self._max_bytes:
                raise Permanent("media_too_large", f"more than {self._max_bytes} bytes")
            if len(waiting) >= _PIECE_BYTES:
                await self._write(waiting)
                waiting = bytearray()
        await self._write(waiting)

    async def _write(self, piece: bytearray) -> None:
        self.size_bytes += len(piece)
        self._hash.update(piece)
        await asyncio.to_thread(self._target.write, piece)

    def verify(self, checksums: list[str]) -> None:
        digest = self._hash.digest()
        for checksum in checksums:
            expected = _digest(checksum)
            if expected is None:
                # An unreadable checksum is a change of Meta's format, not a damaged file.
                log.warning("graph.checksum_unreadable", chars=len(checksum))
            elif not hmac.compare_digest(digest, expected):
                raise Permanent("media_damaged", f"{self.size_bytes} bytes do not match their checksum")


def _digest(checksum: str) -> bytes | None:
    """Read a SHA-256 in hexadecimal (media lookup) or base64 (webhook)."""
    try:
        raw = bytes.fromhex(checksum) if len(checksum) == 64 else base64.b64decode(checksum, validate=True)
    except ValueError:
        return None
    return raw if len(raw) == hashlib.sha256().digest_size else None


async def _read_whole(opened: httpx.Response, *, lost: type[Transient]) -> httpx.Response:
    """Return an answer with its body, of at most `_MAX_ANSWER_BYTES` once unpacked."""
    body = bytearray()
    async for piece in opened.aiter_bytes():
        body += piece
        if len(body) > _MAX_ANSWER_BYTES:
            raise lost("graph_bad_answer", f"the answer has more than {_MAX_ANSWER_BYTES} bytes")
    headers = [(name, value) for name, value in opened.headers.multi_items() if name.lower() not in _OF_THE_BODY]
    return httpx.Response(opened.status_code, headers=headers, content=bytes(body), request=opened.request)
