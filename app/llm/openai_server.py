"""A language model behind any server that speaks OpenAI's chat API."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import httpx
from pydantic import ValidationError

from app.domain.chat import ChatRequest, ChatResponse, ModelState
from app.domain.errors import AppError, NotReady, Permanent, Transient
from app.language.catalogue import lazy
from app.llm.openai_wire import AnswerStream, WireError, read_error, read_lines, to_openai
from app.llm.profiles import profile_for
from app.llm.texts import LLM
from app.llm.wire import WirePart, plain

_STATE_TIMEOUT_S: Final = 1.8
_BUSY_RETRY_AFTER_S: Final = 2.0
_DETAIL_CHARS: Final = 300
_MAX_NAMED: Final = 5
_TOO_LONG: Final = ("context length", "context size", "context window", "context_length_exceeded")
_NOT_FREE: Final = frozenset({408, 504})
# Reading a long prompt can take minutes without a byte; how long an answer may take is the gate's to say.
_TIMEOUT: Final = httpx.Timeout(None, connect=5.0)
# A proxy named in the environment must not be asked for a server of this machine.
_NO_PROXY: Final = ("all://localhost", "all://127.0.0.1", "all://[::1]")
# vLLM took its own fields for guided decoding away in this version, and put one in their place.
_NEW_GUIDING: Final = (0, 12)


class _Listed(WirePart):
    id: str
    owned_by: str = ""


class _Listing(WirePart):
    data: tuple[_Listed, ...] = ()


class _Version(WirePart):
    version: str = ""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a server said about itself: the model to ask for, and where it departs from the common API."""

    model: str
    owner: str = ""
    version: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """`base_url` with or without its `/v1`. Without a `model`, the first that the server lists is asked."""

    base_url: str
    model: str = ""
    api_key: str = ""

    @property
    def address(self) -> str:
        """Where the paths of the API begin."""
        base = self.base_url.rstrip("/")
        return base if re.search(r"/v\d+[a-z]*(/|$)", base) else f"{base}/v1"


class OpenAIServer:
    """`ChatModel` over OpenAI's HTTP API; close it with `aclose()`.

    `transport` replaces the network, for tests. The key goes to this one address: redirects are not followed.
    """

    def __init__(self, settings: OpenAISettings, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._settings = settings
        self._facts: _Facts | None = None
        headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
        self._http = httpx.AsyncClient(
            base_url=settings.address,
            headers=headers,
            timeout=_TIMEOUT,
            transport=transport,
            mounts=dict.fromkeys(_NO_PROXY) if transport is None else None,
        )

    @property
    def name(self) -> str:
        """The model that is asked, as far as it is known."""
        return self._facts.model if self._facts else self._settings.model

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Answer a conversation; cancelling closes the connection, at which servers stop generating.

        Raises:
            NotReady: "model_loading".
            Transient: `llm_unreachable`, `llm_busy`, `llm_timeout`, `llm_failed`, `llm_bad_answer`.
            Permanent: `llm_model_missing`, `llm_prompt_too_long`, `llm_refused`.
        """
        facts = await self._known_facts()
        answer = AnswerStream(self._classify)
        try:
            async with self._http.stream("POST", "chat/completions", json=_body(request, facts)) as response:
                if response.is_error:
                    raise self._failure(await response.aread(), response)
                async for line in read_lines(response):
                    answer.feed(line)
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise self._translate(exc) from exc
        if not answer.is_complete:
            raise Transient("llm_bad_answer", "the answer ended before its last line")
        return answer.response()

    async def state(self) -> ModelState:
        """Tell whether the server answers and has the model. Never raises; answers within two seconds."""
        try:
            facts = await self._learn()
        except NotReady as exc:
            return ModelState(self.name or "?", "loading", exc.detail)
        except AppError as exc:
            return ModelState(self.name or "?", "unavailable", exc.detail)
        return ModelState(facts.model, "ready")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _known_facts(self) -> _Facts:
        return self._facts or await self._learn()

    async def _learn(self) -> _Facts:
        """Ask the server for its models, and vLLM for its version.

        Raises:
            AppError: as `chat`; `llm_unreachable` also when it does not say within two seconds.
        """
        try:
            async with asyncio.timeout(_STATE_TIMEOUT_S):
                return await self._ask_for_facts()
        except ValidationError as exc:
            detail = lazy(LLM.server_other, address=self._settings.address)
            raise Transient("llm_bad_answer", detail) from exc
        except TimeoutError as exc:
            detail = lazy(LLM.server_slow, address=self._settings.base_url)
            raise Transient("llm_unreachable", detail) from exc
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise self._translate(exc) from exc

    async def _ask_for_facts(self) -> _Facts:
        wanted = self._settings.model
        response = await self._http.get("models")
        if response.status_code == 404 and wanted:
            # Some servers have no list; whether they have the model shows when it is asked.
            self._facts = _Facts(wanted)
            return self._facts
        if response.is_error:
            raise self._failure(response.content, response)
        listed = _Listing.model_validate_json(response.content).data
        found = next((one for one in listed if not wanted or one.id == wanted), None)
        if found is None:
            raise self._missing([one.id for one in listed])
        version = await self._vllm_version() if found.owned_by == "vllm" else ()
        self._facts = _Facts(found.id, found.owned_by, version)
        return self._facts

    async def _vllm_version(self) -> tuple[int, ...]:
        """vLLM's version; the newest one where it does not say."""
        response = await self._http.get(httpx.URL(self._settings.address).join("/version"))
        try:
            said = _Version.model_validate_json(response.content).version
        except ValidationError:
            said = ""
        numbers = re.match(r"v?(\d+)\.(\d+)", said)
        return (int(numbers[1]), int(numbers[2])) if numbers else _NEW_GUIDING

    def _missing(self, names: list[str]) -> Permanent:
        has = ", ".join(names[:_MAX_NAMED]) or "none"
        wanted = self._settings.model or "a model"
        return Permanent(
            "llm_model_missing",
            f"{self._settings.base_url} does not have {wanted}; set OPENAI_MODEL to one that it has: {has}",
        )

    def _failure(self, body: bytes, response: httpx.Response) -> AppError:
        failure = self._classify(read_error(body), response.status_code)
        if isinstance(failure, Transient) and failure.code == "llm_busy":
            failure.retry_after_s = _seconds(response.headers.get("retry-after"))
        return failure

    def _classify(self, error: WireError, status: int) -> AppError:
        """Name a failure; `status` is 0 inside a stream, where the words must do."""
        code = str(error.code or "")
        status = status or (int(code) if code.isdecimal() else 0)
        detail = self._without_key(f"{status or 'in the stream'}: {error.message}")[:_DETAIL_CHARS]
        words = f"{error.message} {code} {error.type or ''}".lower()
        if any(sign in words for sign in _TOO_LONG):
            return Permanent(
                "llm_prompt_too_long", f"lower LLM_CONTEXT_TOKENS to what the server allows ({detail})"
            )
        if status in (401, 403):
            return Permanent("llm_refused", f"set OPENAI_API_KEY to a key that this server takes ({detail})")
        if status == 404 or code == "model_not_found":
            self._facts = None
            return Permanent(
                "llm_model_missing", f"set OPENAI_MODEL and OPENAI_BASE_URL to what is there ({detail})"
            )
        if "insufficient_quota" in words:
            return Permanent("llm_refused", f"the account behind OPENAI_API_KEY has no credit left ({detail})")
        if status == 503 and "loading" in words:
            return NotReady("model_loading", detail)
        if status in (429, 503):
            return Transient("llm_busy", detail, retry_after_s=_BUSY_RETRY_AFTER_S)
        if status in _NOT_FREE:
            return Transient("llm_timeout", detail)
        return Permanent("llm_refused", detail) if 400 <= status < 500 else Transient("llm_failed", detail)

    def _translate(self, exc: Exception) -> AppError:
        detail = self._without_key(f"{type(exc).__name__}: {exc}")[:_DETAIL_CHARS]
        if isinstance(exc, httpx.ReadTimeout | httpx.WriteTimeout | httpx.PoolTimeout):
            return Transient("llm_timeout", detail)
        if isinstance(exc, httpx.DecodingError | httpx.RemoteProtocolError | httpx.ReadError):
            return Transient("llm_bad_answer", detail)
        absent = lazy(LLM.server_absent, address=self._settings.base_url, detail=detail)
        return Transient("llm_unreachable", absent)

    def _without_key(self, text: str) -> str:
        """Some servers repeat the key that they refuse."""
        return text.replace(self._settings.api_key, "…") if self._settings.api_key else text


def _body(request: ChatRequest, facts: _Facts) -> Mapping[str, object]:
    """The common body, with what a known server wants said in its own way."""
    if facts.owner == "vllm" and request.response_schema is not None:
        schema = plain(request.response_schema)
        guiding = (
            {"structured_outputs": {"json": schema}} if facts.version >= _NEW_GUIDING else {"guided_json": schema}
        )
        body = {**to_openai(replace(request, response_schema=None), model=facts.model), **guiding}
    else:
        body = to_openai(request, model=facts.model)
    if facts.owner in ("vllm", "llamacpp") and profile_for(facts.model).can_think:
        # Thinking that nobody sees is waited for.
        body["chat_template_kwargs"] = {"enable_thinking": False}
    return body


def _seconds(retry_after: str | None) -> float:
    return float(retry_after) if retry_after and retry_after.strip().isdecimal() else _BUSY_RETRY_AFTER_S
