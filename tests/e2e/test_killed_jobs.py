"""What kills the process while it works in the background is not begun again for ever, and holds nobody up."""

import asyncio
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.domain.chat import ChatRequest, ChatResponse
from tests.builders import ALICE
from tests.databases import copy, is_on_server, place_of
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AT_ONCE, AppUnderTest, running_app

A_WHILE_S = 600


class DeadlyModel(ScriptedChatModel):
    """Never comes back from reading facts, as if the process were killed there."""

    def __init__(self) -> None:
        super().__init__(echo=True)
        self.readings = 0
        self.is_reading = asyncio.Event()

    async def chat(self, request: ChatRequest) -> ChatResponse:
        if request.response_schema is not None and "facts" in str(request.response_schema):
            self.readings += 1
            self.is_reading.set()
            await asyncio.Event().wait()
        return await super().chat(request)


async def killed_while_reading(source: Path, target: Path, clock: FrozenClock, *, first: str = "") -> None:
    """Start over one folder, and leave in another what is on disk at the moment of a kill."""
    async with running_app(source, llm=DeadlyModel(), clock=clock, stop=AT_ONCE) as app:
        if first:
            await app.say(ALICE, first)
        await clock.advance(A_WHILE_S)
        async with asyncio.timeout(5):
            await model_of(app).is_reading.wait()
        shutil.copytree(source, target)
        if is_on_server():
            await copy(app.database, place_of(target))


def model_of(app: AppUnderTest) -> DeadlyModel:
    assert isinstance(app.llm, DeadlyModel)
    return app.llm


@pytest.mark.needs("memory")
async def test_what_killed_the_process_twice_is_set_aside_for_a_day(tmp_path: Path) -> None:
    clock = FrozenClock()
    folders = [tmp_path / f"life-{n}" for n in range(3)]
    await killed_while_reading(folders[0], folders[1], clock, first="hoy fui al cine con mi hija")
    await killed_while_reading(folders[1], folders[2], clock)
    with capture_logs() as logs:
        async with running_app(folders[2], llm=DeadlyModel(), clock=clock, stop=AT_ONCE) as app:
            await app.idle()  # the first round is over: a message that came before it would put the entry off
            await app.say(ALICE, "are you there?")
            assert app.replies_to(ALICE) == ["echo: are you there?"]
            assert model_of(app).readings == 0
    assert "job.entry_set_aside" in [entry["event"] for entry in logs]
    await clock.advance(timedelta(days=1, hours=1).total_seconds())
    async with running_app(folders[2], llm=DeadlyModel(), clock=clock, stop=AT_ONCE) as app:
        async with asyncio.timeout(5):
            await model_of(app).is_reading.wait()


@pytest.mark.needs("memory")
async def test_stopping_in_good_order_counts_as_no_kill(tmp_path: Path) -> None:
    clock = FrozenClock()
    for life in range(4):
        async with running_app(tmp_path, llm=DeadlyModel(), clock=clock, stop=AT_ONCE) as app:
            if life == 0:
                await app.say(ALICE, "hoy fui al cine con mi hija")
            await clock.advance(A_WHILE_S)
            async with asyncio.timeout(5):
                await model_of(app).is_reading.wait()
