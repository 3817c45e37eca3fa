"""Which model answers, and is it there."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

import httpx

from app.cli.doctor.outcome import Outcome, failed, ok
from app.config import Settings
from app.domain.chat import ModelState
from app.domain.clock import SystemClock
from app.llm.model_store import DEFAULT_MODEL, ModelStore
from app.llm.ollama import OllamaClient
from app.llm.profiles import profile_for
from app.llm.providers import ModelChoice, OpenModel, open_model

_POLL_S: Final = 0.2


@dataclass(slots=True)
class Patient:
    """The model under examination: None until it was found, or where it must be left alone, then `why`."""

    opened: OpenModel | None = None
    why: str = "there is no model to ask"


class ModelChecks:
    """Finds the model as the service would, and opens it on `stack`; fetches nothing.

    `ollama` replaces the network, for tests. With `is_service_running` the embedded model is not loaded a
    second time: two copies may not fit into the memory.
    """

    def __init__(
        self,
        settings: Settings,
        stack: AsyncExitStack,
        *,
        ollama: httpx.AsyncBaseTransport | None,
        is_service_running: bool,
    ) -> None:
        self._settings = settings
        self._stack = stack
        self._ollama = ollama
        self._is_service_running = is_service_running
        self.patient = Patient()

    async def present(self) -> Outcome:
        """The provider answers and has the model."""
        if self._settings.llm_provider != "embedded":
            client = self._ollama_client()
            self._stack.push_async_callback(client.aclose)
            state = await client.state()
            if state.state == "ready":
                self.patient.opened = OpenModel(client, profile_for(self._settings.ollama_model))
                return ok(f"Ollama has {state.name}")
            if self._settings.llm_provider == "ollama":
                return failed(f"{state.name}: {state.detail}", _ollama_step(state))
        return await self._embedded()

    async def _embedded(self) -> Outcome:
        path = self._settings.llm_model_path
        if path is not None and not await asyncio.to_thread(path.is_file):
            return failed(
                f"LLM_MODEL_PATH names {path}, which is not a file",
                "correct LLM_MODEL_PATH in .env, or remove it to use the default model",
            )
        if path is None and not await self._is_fetched():
            return failed(
                f"the embedded model {DEFAULT_MODEL.name} has not been fetched (1.1 GB)",
                "run: python -m app model fetch (or start Ollama and run: "
                f"ollama pull {self._settings.ollama_model})",
            )
        if self._is_service_running:
            self.patient.why = "the running service has the embedded model loaded; stop it to have it examined"
            return ok("the embedded model's file is here, and the running service uses it")
        self.patient.opened = await self._stack.enter_async_context(open_model(self._choice(), SystemClock()))
        state = await self._loaded(self.patient.opened)
        if state.state == "ready":
            return ok(f"the embedded model {state.name} is loaded")
        return failed(
            f"the embedded model cannot be loaded: {state.detail}",
            "run: .venv/bin/python -m pip install -c constraints.txt '.[local]' (on Linux also the system's "
            f"libgomp1); {self._settings.data_dir / 'model.log'} says more",
        )

    async def _is_fetched(self) -> bool:
        async with httpx.AsyncClient() as http:
            store = ModelStore(self._settings.data_dir / "models", http)
            return await asyncio.to_thread(store.find) is not None

    async def _loaded(self, opened: OpenModel) -> ModelState:
        """Wait until loading has come to an end; the hop's time-out bounds it."""
        while (state := await opened.model.state()).state in {"loading", "fetching"}:
            # A first failure is tried again by the model itself: here it is the answer.
            if state.detail:
                break
            await asyncio.sleep(_POLL_S)
        return state

    def _ollama_client(self) -> OllamaClient:
        return OllamaClient(
            self._settings.ollama_base_url,
            self._settings.ollama_model,
            context_tokens=self._settings.llm_context_tokens,
            profile=profile_for(self._settings.ollama_model),
            transport=self._ollama,
        )

    def _choice(self) -> ModelChoice:
        settings = self._settings
        return ModelChoice(
            provider="embedded",
            ollama_base_url=settings.ollama_base_url,
            ollama_model=settings.ollama_model,
            model_path=settings.llm_model_path,
            models_dir=settings.data_dir / "models",
            context_tokens=settings.llm_context_tokens,
            threads=settings.llm_threads,
            log_path=settings.data_dir / "model.log",
        )


def _ollama_step(state: ModelState) -> str:
    if "ollama pull" in state.detail:
        return f"run: ollama pull {state.name}"
    return "start it (ollama serve), correct OLLAMA_BASE_URL in .env, or set LLM_PROVIDER=embedded"
