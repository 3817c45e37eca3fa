"""A language model served by Ollama."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from types import MappingProxyType
from typing import Final, cast

import httpx
import ollama
import structlog

from app.domain.chat import ChatRequest, ChatResponse, ModelState
from app.domain.errors import AppError, Permanent, Transient
from app.language.catalogue import lazy
from app.llm.profiles import ModelProfile
from app.llm.texts import LLM
from app.llm.wire import OllamaChunk, OllamaSettings, estimate_tokens, from_ollama, to_ollama

log = structlog.get_logger()

_STATE_TIMEOUT_S: Final = 1.8
_BUSY_RETRY_AFTER_S: Final = 2.0
_DETAIL_CHARS: Final = 300
_BUSY: Final = frozenset({429, 503})
_BUSY_WORDS: Final = ("busy", "overloaded")
_TIMED_OUT: Final = frozenset({408, 504})
# Loading a model can take minutes without a byte; how long an answer may take is the gate's to say.
_TIMEOUT: Final = httpx.Timeout(None, connect=5.0)
# A proxy named in the environment must not be asked for this machine's own Ollama.
_NO_PROXY: Final[Mapping[str, None]] = MappingProxyType(
    {"all://localhost": None, "all://127.0.0.1": None, "all://[::1]": None}
)
# What the `ollama` package and what it stands on raise for a body that is not what Ollama sends:
# it subscripts and unpacks whatever JSON it got.
_BAD_BODY: Final = (ValueError, TypeError, AttributeError, httpx.DecodingError)
_FAILURES: Final = (ollama.ResponseError, httpx.HTTPError, OSError, *_BAD_BODY)


class OllamaClient:
    """`ChatModel` over Ollama's HTTP API; close it with `aclose()`.

    `base_url` may be a bare host. `context_tokens` is sent with every call. `transport` replaces the
    network, for tests.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        context_tokens: int,
        profile: ModelProfile,
        keep_alive: str = "30m",
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._base_url = base_url
        self._settings = OllamaSettings(model, context_tokens, keep_alive, think=_think(profile))
        self._client = _StreamingClient(
            base_url,
            timeout=_TIMEOUT,
            transport=transport,
            mounts=dict(_NO_PROXY),
            event_hooks={"response": [self._raise_for_status]},
        )

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Answer a conversation; cancelling closes the connection, at which Ollama stops generating.

        Raises:
            Transient: `llm_unreachable`, `llm_busy`, `llm_timeout`, `llm_failed`, `llm_bad_answer`.
            Permanent: `llm_model_missing`, `llm_prompt_too_long`, `llm_refused`.
        """
        chunks = await self._receive(to_ollama(request, self._settings))
        try:
            response = from_ollama(chunks)
        except ValueError as exc:
            raise Transient("llm_bad_answer", str(exc)[:_DETAIL_CHARS]) from exc
        self._warn_if_cut(request, chunks[-1].prompt_eval_count)
        return response

    async def state(self) -> ModelState:
        """Tell whether Ollama answers and has the model. Never raises; answers within two seconds."""
        name = self._settings.model
        try:
            async with asyncio.timeout(_STATE_TIMEOUT_S):
                listing = await self._client.list()
        except TimeoutError:
            return ModelState(name, "unavailable", lazy(LLM.ollama_slow, address=self._base_url))
        except _FAILURES as exc:
            return ModelState(name, "unavailable", self._translate(exc).detail)
        except AppError as exc:
            return ModelState(name, "unavailable", exc.detail)
        if _full_name(name) in {_full_name(found.model or "") for found in listing.models}:
            return ModelState(name, "ready")
        return ModelState(name, "unavailable", lazy(LLM.ollama_lacks, model=name))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()  # type: ignore[no-untyped-call]  # the package leaves it untyped

    async def _receive(self, body: Mapping[str, object]) -> list[OllamaChunk]:
        chunks: list[OllamaChunk] = []
        try:
            async with aclosing(self._client.stream_chat(body)) as stream:
                async for chunk in stream:
                    chunks.append(chunk)
                    if chunk.done:
                        return chunks
        except _FAILURES as exc:
            raise self._translate(exc, has_begun=bool(chunks)) from exc
        raise Transient("llm_bad_answer", "the answer ended before its last line")

    async def _raise_for_status(self, response: httpx.Response) -> None:
        """Translate a failed status while the headers are at hand; the package keeps only status and body."""
        if response.is_error:
            await response.aread()
            raise self._classify(
                response.text, status=response.status_code, retry_after=response.headers.get("retry-after")
            )

    def _translate(self, exc: Exception, *, has_begun: bool = False) -> AppError:
        detail = f"{type(exc).__name__}: {exc}"[:_DETAIL_CHARS]
        if isinstance(exc, ollama.ResponseError):
            return self._classify(str(exc.error))
        if isinstance(exc, httpx.TimeoutException) and not isinstance(exc, httpx.ConnectTimeout):
            return Transient("llm_timeout", detail)
        if has_begun or isinstance(exc, _BAD_BODY):
            return Transient("llm_bad_answer", detail)
        return Transient("llm_unreachable", lazy(LLM.ollama_absent, address=self._base_url, detail=detail))

    def _classify(self, text: str, *, status: int | None = None, retry_after: str | None = None) -> AppError:
        """Name an error by its status, or by its words where it came inside a stream (no status)."""
        words = text.lower()
        detail = f"{status or 'in the stream'}: {text}"[:_DETAIL_CHARS]
        if "context" in words and "exceed" in words:
            return Permanent("llm_prompt_too_long", detail)
        if "model" in words and (status == 404 or (status is None and "not found" in words)):
            return Permanent("llm_model_missing", f"run: ollama pull {self._settings.model} ({detail})")
        if status in _BUSY or (status is None and any(word in words for word in _BUSY_WORDS)):
            return Transient("llm_busy", detail, retry_after_s=_seconds(retry_after))
        if status in _TIMED_OUT:
            return Transient("llm_timeout", detail)
        if "does not support" in words or (status is not None and status < 500):
            return Permanent("llm_refused", detail)
        return Transient("llm_failed", detail)

    def _warn_if_cut(self, request: ChatRequest, prompt_tokens: int | None) -> None:
        """Ollama drops the beginning of a prompt that is too long, and answers as if nothing were amiss."""
        estimate = estimate_tokens(request.messages, request.tools)
        context = self._settings.context_tokens
        if estimate > context or (prompt_tokens or 0) >= context:
            log.warning(
                "llm.prompt_truncated",
                model=self._settings.model,
                estimated_tokens=estimate,
                prompt_tokens=prompt_tokens,
                context_tokens=context,
            )


class _StreamingClient(ollama.AsyncClient):
    """The official client, with a chat call that keeps what its own types would drop or refuse.

    `AsyncClient.chat` (0.6.3) reduces every property of a tool's schema to type, items, description and
    enum, drops the ids of calls and the count of cached tokens, and fails on arguments sent as text.
    """

    async def stream_chat(self, body: Mapping[str, object]) -> AsyncGenerator[OllamaChunk, None]:
        """Yield the lines of the answer as they arrive. Close it to stop the generation."""
        lines: AsyncIterator[OllamaChunk] = await self._request(
            OllamaChunk, "POST", "/api/chat", json=body, stream=True
        )
        async with aclosing(cast("AsyncGenerator[OllamaChunk, None]", lines)) as stream:
            async for chunk in stream:
                yield chunk


def _think(profile: ModelProfile) -> bool | str:
    # gpt-oss cannot be told not to think, only how hard (Ollama's docs, capabilities/thinking).
    return "low" if profile.family == "gpt-oss" else False


def _full_name(model: str) -> str:
    has_tag = ":" in model.rsplit("/", 1)[-1]
    return (model if has_tag else f"{model}:latest").casefold()


def _seconds(retry_after: str | None) -> float:
    # The header may also hold a date; nobody in front of a local model sends one.
    return float(retry_after) if retry_after and retry_after.strip().isdecimal() else _BUSY_RETRY_AFTER_S
