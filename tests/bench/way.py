"""The way of one text message through our own code: `python -m tests.bench.way`; `--all` lists the helpers, too.

Drives a message through the whole application, from the webhook's POST to Graph's, and records every function
of `app/` that ran for it, in all tasks and threads that the answer waits for: not those of the background jobs
and of the typing mark. The person has written before and nothing needs a tool. Ollama's client and the gate in
front of it belong to the way; the embedder and Meta are the tests' own.

A step is a function that waits for something (a coroutine, an asynchronous context manager): who follows the
message reads the steps. A helper computes and returns, and is read where it is called. Generator expressions
belong to the function that they stand in.
"""

import asyncio
import inspect
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import httpx
from rich.console import Console

from app.llm.ollama import OllamaClient
from app.llm.profiles import profile_for
from tests.builders import ALICE, encode, signed_headers, text_message, webhook_payload
from tests.fakes.ollama import FakeOllama
from tests.harness import WAIT_S, running_app

APP: Final = Path(__file__).resolve().parents[2] / "app"
MODEL: Final = "qwen3:8b"
MAX_STEPS: Final = 80
MAX_FILES: Final = 30
_OTHERS_SIDE: Final = ("simulator/",)
_BESIDE: Final = ("job", "typing:")
_INNER: Final = frozenset({"<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"})

_WAITS: Final = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

Way = Mapping[str, list[CodeType]]
"""Functions by file, both in the order in which they were first called."""


class Watch:
    """Records which functions of the application are called while it is open; for all threads started later."""

    def __init__(self) -> None:
        self._is_open = False
        self._seen: dict[CodeType, None] = {}

    @contextmanager
    def installed(self) -> Iterator[None]:
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def open(self) -> None:
        self._seen.clear()
        self._is_open = True

    def close(self) -> None:
        self._is_open = False

    def way(self) -> Way:
        found: dict[str, list[CodeType]] = {}
        for code in self._seen:
            path = Path(code.co_filename)
            name = path.relative_to(APP).as_posix()
            if code.co_name not in _INNER and not name.startswith(_OTHERS_SIDE):
                found.setdefault(name, []).append(code)
        return found

    def _note(self, frame: FrameType, event: str, _argument: Any) -> None:
        is_ours = event == "call" and frame.f_code.co_filename.startswith(str(APP))
        if self._is_open and is_ours and not _is_beside():
            self._seen.setdefault(frame.f_code)


def _is_beside() -> bool:
    """Whether a task runs that no answer waits for: a background job, which begins as a turn ends, or the mark."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False  # a thread
    return task is not None and task.get_name().startswith(_BESIDE)


def steps_of(way: Way) -> Way:
    """Return the part of the way that waits."""
    steps = {file: [code for code in codes if code.co_flags & _WAITS] for file, codes in way.items()}
    return {file: codes for file, codes in steps.items() if codes}


class WatchedGraph(httpx.AsyncBaseTransport):
    """Meta's side: accepts everything, and closes the watch when the answer arrives."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.answered = asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if b'"text"' in await request.aread() and b'"to"' in request.content:
            self._watch.close()
            self.answered.set()
        return httpx.Response(200, json={"messages": [{"id": "wamid.OUT"}], "success": True})


async def measure(data_dir: Path) -> Way:
    """Return what ran between the POST of a message and the POST of its answer."""
    watch = Watch()
    graph = WatchedGraph(watch)
    profile = profile_for(MODEL)
    ollama = OllamaClient(
        "http://ollama.test",
        MODEL,
        context_tokens=8192,
        profile=profile,
        transport=FakeOllama(MODEL).transport(),
    )
    with watch.installed():
        async with running_app(data_dir, llm=ollama, profile=profile, meta=graph) as app:
            for text in ("hola", "¿todo bien?"):
                graph.answered.clear()
                body = encode(webhook_payload(text_message(text, sender=ALICE)))
                headers = signed_headers(body)
                await app.idle()
                watch.open()
                assert await app.post_raw(body, headers) == 200
                async with asyncio.timeout(WAIT_S):
                    await graph.answered.wait()
            await app.idle()
        await ollama.aclose()
    return watch.way()


def main() -> int:
    """Print the way; 1 when it is longer than it may be."""
    with tempfile.TemporaryDirectory() as directory:
        way = asyncio.run(measure(Path(directory)))
    steps = steps_of(way)
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for file, codes in (way if "--all" in sys.argv else steps).items():
        console.print(f"{file}\n    {'  '.join(code.co_qualname for code in codes)}")
    count = sum(map(len, steps.values()))
    console.print(
        f"\n{count} steps in {len(steps)} files; with helpers {sum(map(len, way.values()))} in {len(way)}"
    )
    return 0 if count <= MAX_STEPS and len(steps) <= MAX_FILES else 1


if __name__ == "__main__":
    sys.exit(main())
