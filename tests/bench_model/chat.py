"""One person at the simulator of a running application with a real model, and what each turn cost."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import httpx
import structlog

from app.bootstrap import Ports
from app.config import Settings
from app.domain.clock import SystemClock
from app.llm.profiles import ModelProfile
from app.llm.providers import ModelChoice, open_model
from app.main import create_app
from app.simulator.people import DEFAULT_USERS
from app.web.guard import read_token

PERSON = DEFAULT_USERS[0].wa_id
TURN_TIMEOUT_S = 300

Protocol = Literal["constrained", "native"]


@dataclass(frozen=True)
class Turn:
    """What was said and answered; tokens are summed over the turn's model calls, the sorting included."""

    said: str
    replies: tuple[str, ...]
    seconds: float
    prompt_tokens: int = 0
    cached_tokens: int = 0
    categories: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def read_anew(self) -> int:
        return self.prompt_tokens - self.cached_tokens

    @property
    def share_anew(self) -> float:
        return self.read_anew / max(1, self.prompt_tokens)


class Costs:
    """A processor of the log that keeps what finished turns cost, and lets nothing be printed."""

    def __init__(self) -> None:
        self._last: MutableMapping[str, Any] = {}

    def __call__(self, logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if event.get("event") == "turn.finished":
            self._last = event
        raise structlog.DropEvent

    def of(self, turn: "Turn") -> "Turn":
        """Return the turn with what the last finished one cost."""
        return replace(
            turn,
            prompt_tokens=self._last["prompt_tokens"],
            cached_tokens=self._last["cached_tokens"],
            categories=tuple(self._last["categories"]),
            tools=tuple(self._last["tools"]),
        )


class Chat:
    def __init__(self, client: httpx.AsyncClient, app: Any, costs: Costs) -> None:
        self._client = client
        self._app = app
        self._costs = costs

    async def say(self, text: str) -> Turn:
        """Write a message and wait until everything that follows is done, work in the background included."""
        before = len(self._sends())
        began = asyncio.get_running_loop().time()
        message = {"user": PERSON, "type": "text", "text": text}
        (await self._client.post("/simulator/api/messages", json=message)).raise_for_status()
        async with asyncio.timeout(TURN_TIMEOUT_S):
            while len(self._sends()) == before:
                await asyncio.sleep(0.02)
            seconds = asyncio.get_running_loop().time() - began
            await self._app.state.services.idle()
        replies = tuple(send.text for send in self._sends()[before:])
        turn = Turn(text, replies, seconds)
        return turn if text.startswith("/") else self._costs.of(turn)

    def _sends(self) -> list[Any]:
        return [send for send in self._app.state.services.simulator.sends if send.recipient == PERSON]


@asynccontextmanager
async def chatting(
    model: Path | None, data_dir: Path, costs: Costs, protocol: Protocol = "constrained"
) -> AsyncIterator[Chat]:
    """Start the application on its own data directory with the bundled model, and wait until it is loaded."""
    settings = Settings(
        _env_file=None,
        data_dir=data_dir,
        llm_provider="embedded",
        llm_model_path=model,
        debounce_ms=0,
        rate_limit_max=10_000,
    )
    choice = ModelChoice(
        provider="embedded",
        ollama_base_urls=(),
        ollama_model="",
        model_path=model,
        models_dir=Path("data") / "models",
        context_tokens=settings.llm_context_tokens,
        threads=0,
        log_path=data_dir / "model.log",
    )
    async with open_model(choice, SystemClock()) as opened:
        profile: ModelProfile = replace(opened.profile, tool_protocol=protocol)
        app = create_app(settings, Ports(chat=replace(opened, profile=profile)))
        async with app.router.lifespan_context(app):
            while (await opened.model.state()).state != "ready":
                await asyncio.sleep(0.2)
            transport = httpx.ASGITransport(app)
            known = {"Authorization": f"Bearer {read_token(data_dir)}"}
            async with httpx.AsyncClient(
                transport=transport, base_url="http://localhost", headers=known, timeout=None
            ) as client:
                yield Chat(client, app, costs)
