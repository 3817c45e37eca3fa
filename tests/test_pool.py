"""Several servers as one: one dies, one hangs, one is slow, and nobody is left without an answer."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.domain.chat import ChatMessage, ChatRequest, ChatResponse
from app.domain.errors import NotReady, Permanent, Transient
from app.domain.ports import ChatModel
from app.llm.gate import LimitedChatModel
from app.llm.openai_server import OpenAISettings
from app.llm.providers import ModelBinding, ModelChoice, open_model
from tests.builders import ALICE, BOB
from tests.fakes.clock import FrozenClock
from tests.fakes.ollama import FakeOllama
from tests.fakes.openai_server import FakeOpenAI, Hosts
from tests.harness import running_app

PEOPLE = [f"person {n}" for n in range(12)]
NAMES = ("one", "two", "three")


class Farm:
    """Three servers of one model behind one binding, with a clock that the test moves."""

    def __init__(self) -> None:
        self.clock = FrozenClock()
        self.servers = {name: FakeOpenAI("m") for name in NAMES}
        for name, server in self.servers.items():
            server.hello = f"hello from {name}"
        self.one, self.two, self.three = self.servers.values()

    def choice(self, max_concurrent: int = 1) -> ModelChoice:
        return ModelChoice(
            provider="openai",
            ollama_base_urls=(),
            ollama_model="",
            model_path=None,
            models_dir=Path(),
            context_tokens=8192,
            threads=1,
            log_path=Path(),
            openai=tuple(OpenAISettings(f"http://{name}.test") for name in NAMES),
            max_concurrent=max_concurrent,
        )

    @asynccontextmanager
    async def open(self, max_concurrent: int = 1) -> AsyncIterator[ModelBinding]:
        wires = {f"{name}.test": server.transport() for name, server in self.servers.items()}
        async with open_model(self.choice(max_concurrent), self.clock, transport=Hosts(wires)) as binding:
            yield binding

    async def passing(self, work: asyncio.Future[list[ChatResponse]]) -> None:
        """Let the clock run until the work is done."""
        async with asyncio.timeout(20):
            while not work.done():
                await self.clock.advance(0.5)

    def chats(self) -> dict[str, int]:
        return {name: len(server.requests) for name, server in self.servers.items()}


@pytest.fixture
def farm() -> Farm:
    return Farm()


def ask(asker: str = "", text: str = "hola") -> ChatRequest:
    return ChatRequest((ChatMessage("user", text),), asker=asker)


async def answers(model: ChatModel, farm: Farm, askers: list[str]) -> list[str]:
    """Ask for everybody at once; returns the answers in order."""
    work = asyncio.gather(*(model.chat(ask(asker)) for asker in askers))
    await farm.passing(work)
    return [response.text for response in await work]


async def test_a_person_stays_with_the_server_that_has_their_conversation(farm: Farm) -> None:
    async with farm.open() as binding:
        homes = {person: {(await binding.model.chat(ask(person))).text for _ in range(4)} for person in PEOPLE}

    assert all(len(home) == 1 for home in homes.values())
    assert len({home for one in homes.values() for home in one}) == 3


async def test_where_the_own_server_is_busy_the_least_busy_one_answers(farm: Farm) -> None:
    async with farm.open(max_concurrent=3) as binding:
        for server in farm.servers.values():
            server.pause = partial(farm.clock.sleep, 1)

        said = await answers(binding.model, farm, [PEOPLE[0]] * 9)

    shares = Counter(said)
    assert len(shares) == 3
    assert max(shares.values()) <= 4


@pytest.mark.parametrize("fault", ["refuse", "crash", "overloaded", "half_json", "bad_key", "loading"])
async def test_what_one_server_cannot_do_another_does(farm: Farm, fault: str) -> None:
    async with farm.open() as binding:
        farm.one.fault = fault  # type: ignore[assignment]  # one of the names that the fake knows
        said = await answers(binding.model, farm, PEOPLE)

        assert "hello from one" not in said
        farm.one.fault = None
        await farm.clock.advance(61)
        await farm.clock.advance(5)
        assert "hello from one" in await answers(binding.model, farm, PEOPLE)


async def test_a_server_that_failed_is_left_alone_for_longer_each_time(farm: Farm) -> None:
    async with farm.open() as binding:
        farm.one.fault = "refuse"
        with capture_logs() as logs:
            for _ in range(40):
                await answers(binding.model, farm, PEOPLE[:6])
                await farm.clock.advance(5)

    rests = [entry for entry in logs if entry["event"] == "llm.server_rests"]
    assert 4 <= len(rests) <= 9
    assert {entry["server"] for entry in rests} == {"http://one.test"}


async def test_a_server_that_says_nothing_is_overtaken(farm: Farm) -> None:
    async with farm.open() as binding:
        farm.one.fault = "hang"
        said = await answers(binding.model, farm, PEOPLE)

    assert set(said) == {"hello from two", "hello from three"}
    assert farm.one.cancelled == len(farm.one.requests) > 0


async def test_several_ollamas_are_one_model(farm: Farm) -> None:
    first, second = FakeOllama("qwen3:8b"), FakeOllama("qwen3:8b")
    wires = {"first.test": first.transport(), "second.test": second.transport()}
    choice = replace(
        farm.choice(),
        provider="ollama",
        ollama_model="qwen3:8b",
        ollama_base_urls=("http://first.test", "http://second.test"),
    )
    async with open_model(choice, farm.clock, transport=Hosts(wires)) as binding:
        await answers(binding.model, farm, PEOPLE)
        assert min(len(first.requests), len(second.requests)) > 0
        first.fault = "refuse"
        assert await answers(binding.model, farm, PEOPLE) == ["hello"] * len(PEOPLE)
        state = await binding.model.state()

    assert state.state == "ready"
    assert "http://first.test" in state.detail


async def test_a_prompt_that_is_too_long_is_not_carried_around(farm: Farm) -> None:
    async with farm.open() as binding:
        for server in farm.servers.values():
            server.fault = "too_long"
        with pytest.raises(Permanent, match="llm_prompt_too_long"):
            await binding.model.chat(ask("ana"))

    assert sum(farm.chats().values()) == 1


async def test_when_all_fail_the_cause_is_told_and_they_are_asked_again(farm: Farm) -> None:
    async with farm.open() as binding:
        for server in farm.servers.values():
            server.fault = "refuse"
        with pytest.raises(Transient, match="llm_unreachable"):
            await binding.model.chat(ask("ana"))
        state = await binding.model.state()
        assert state.state == "unavailable"
        assert all(f"http://{name}.test" in state.detail for name in NAMES)

        for server in farm.servers.values():
            server.fault = "loading"
        with pytest.raises(NotReady):
            await binding.model.chat(ask("ana"))

        farm.two.fault = None
        assert (await binding.model.chat(ask("ana"))).text == "hello from two"


async def test_cancelling_ends_the_call_and_frees_its_place(farm: Farm) -> None:
    async with farm.open() as binding:
        for server in farm.servers.values():
            server.fault = "hang"
        work = [asyncio.create_task(binding.model.chat(ask("ana"))) for _ in range(9)]
        for _ in range(50):
            await farm.clock.advance(0.5)
        assert (await binding.model.state()).waiting == 3
        for call in work:
            call.cancel()
        await asyncio.wait(work)
        for server in farm.servers.values():
            server.fault = None

        assert len(await answers(binding.model, farm, PEOPLE)) == len(PEOPLE)
        assert (await binding.model.state()).waiting == 0


async def test_the_queue_tells_its_length(farm: Farm) -> None:
    async with farm.open() as binding:
        gate = LimitedChatModel(binding.model, clock=farm.clock, max_concurrent=3)
        for server in farm.servers.values():
            server.fault = "hang"
        work = [asyncio.create_task(gate.chat(ask(person))) for person in PEOPLE]
        await farm.clock.advance(0.5)
        for server in farm.servers.values():
            server.fault = None

        assert (await gate.state()).waiting == len(PEOPLE) - 3

        for server in farm.servers.values():
            server.released.set()
        await asyncio.wait(work)
        assert (await gate.state()).waiting == 0


async def test_an_admin_reads_how_many_wait(farm: Farm, tmp_path: Path) -> None:
    async with farm.open() as binding, running_app(tmp_path, llm=binding.model, clock=farm.clock) as app:
        for server in farm.servers.values():
            server.fault = "hang"
        work = [asyncio.create_task(binding.model.chat(ask())) for _ in range(7)]
        await farm.clock.advance(0.5)
        for server in farm.servers.values():
            server.fault = None
        for person in (BOB, ALICE):
            await app.say(person, "/status")
        for server in farm.servers.values():
            server.released.set()
        await asyncio.wait(work)

        assert "1 mensaje espera al modelo" in app.replies_to(ALICE)[-1]
        assert "espera al modelo" not in app.replies_to(BOB)[-1]


async def test_one_dies_one_hangs_one_is_slow_and_every_turn_is_answered(
    farm: Farm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with (
        farm.open() as binding,
        running_app(tmp_path, llm=binding.model, clock=farm.clock, llm_max_concurrent=3) as app,
    ):
        for round_no in range(12):
            if round_no == 3:
                farm.one.fault = "refuse"
            if round_no == 5:
                farm.two.fault = "hang"
            farm.three.pause = partial(farm.clock.sleep, 6)
            await app.receive(ALICE, f"mensaje {round_no}")
            await app.receive(BOB, f"message {round_no}")
            others = await answers(binding.model, farm, PEOPLE)
            assert all(text.startswith("hello from") for text in others)
            await app.let_time_pass()
        detail = (await binding.model.state()).detail

        for person in (ALICE, BOB):
            replies = app.replies_to(person)
            assert len(replies) == 12
            assert all(reply.startswith("hello from") for reply in replies)
    with capsys.disabled():
        print(f"\n{detail}")  # noqa: T201 - the shares are what a reader of this test wants to see
    assert "1 of 3 servers answer" in detail
