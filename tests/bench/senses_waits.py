"""How long others wait while a large file is read: the whole service, files through the webhook, real children.

What a busy machine adds is in the wait with nothing to read, measured in the same run, and not in the longest
stretch of processor time that one step of the event loop took.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

from tests.abilities.media.sending import send
from tests.builders import ALICE
from tests.fakes import files
from tests.fakes.llm import ScriptedChatModel
from tests.harness import running_app

_TICK_S: Final = 0.005
_QUIET_S: Final = 3.0
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


class Loop:
    """Watches the event loop that runs it. Seconds, of the clock and of the processor."""

    def __init__(self) -> None:
        self.longest_wait_s = 0.0
        self.longest_step_s = 0.0

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        self.longest_wait_s = self.longest_step_s = 0.0
        with self._steps():
            watching = asyncio.create_task(self._watch())
            try:
                yield
            finally:
                watching.cancel()
                await asyncio.wait({watching})

    async def _watch(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(_TICK_S)
            self.longest_wait_s = max(self.longest_wait_s, time.perf_counter() - began - _TICK_S)

    @contextmanager
    def _steps(self) -> Iterator[None]:
        handles: Any = asyncio.Handle  # there is no public way to see each step
        run = handles._run

        def timed(handle: asyncio.Handle) -> None:
            began = time.thread_time()
            run(handle)
            self.longest_step_s = max(self.longest_step_s, time.thread_time() - began)

        handles._run = timed
        try:
            yield
        finally:
            handles._run = run


async def waits(folder: Path) -> AsyncIterator[str]:
    """Yield a line for each file."""
    loop, sent = Loop(), list(large_files())
    async with running_app(folder, llm=ScriptedChatModel(echo=True)) as app:
        async with loop.watched():
            await asyncio.sleep(_QUIET_S)
        yield f"waits, nothing to read: {_told(loop)}"
        for name, data in sent:
            async with loop.watched():
                await send(app, ALICE, "document", data, filename=name)
                await app.services.idle()
            yield f"waits, {name}: {_told(loop)}"


def large_files() -> Iterator[tuple[str, bytes]]:
    chance = random.Random(1)
    words = ["".join(chance.choices(_LETTERS, k=chance.randint(3, 9))) for _ in range(5000)]

    def prose(chars: int) -> str:
        return "\n".join(" ".join(chance.choices(words, k=12)) + "." for _ in range(chars // 84))

    yield "1500-pages.pdf", files.pdf([prose(1500) for _ in range(1500)])
    yield "3-MB.txt", prose(3_000_000).encode()
    yield "40000-rows.csv", ("a,b,c\n" + "".join(f"{n},{2 * n},word{n}\n" for n in range(40_000))).encode()
    yield "one-line.txt", b"a" * 5_000_000
    yield "dots.txt", b". " * 1_000_000


def _told(loop: Loop) -> str:
    waited, step = 1000 * loop.longest_wait_s, 1000 * loop.longest_step_s
    return f"others waited {waited:.0f} ms at most, one step took {step:.0f} ms"
