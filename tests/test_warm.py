"""Beginnings of prompts are read before they are needed, outlive a restart, and cost nobody time or privacy."""

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncIterator, MutableMapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.domain.chat import ChatMessage, ChatRequest, Purpose
from app.domain.clock import SystemClock
from app.language.catalogue import LANGUAGES
from app.llm.llamacpp import BundledModel, BundledSettings, own_file
from app.llm.local_embedder import LocalEmbedder
from app.llm.prefix_store import PrefixStore
from app.llm.providers import ModelBinding
from app.llm.warm import PrefixSource
from tests.builders import ALICE, BOB
from tests.e2e.small import open_encoder
from tests.fakes.llamacpp import SLOW, fake_server
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app

NAME = "tiny.gguf"


def prefix(text: str, purpose: Purpose = "turn") -> ChatRequest:
    return ChatRequest((ChatMessage("system", text),), purpose=purpose)


TURN = prefix("You are brief.")
CLOSING = prefix("Say what was done.", "closing")
NOTES = prefix("You keep notes.")


class Home:
    """A data directory over which a model with a fake server is started, again and again."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = tmp_path
        self.file = tmp_path / NAME
        self.file.write_bytes(b"GGUF")

    @asynccontextmanager
    async def running(self, *prefixes: ChatRequest) -> AsyncIterator[BundledModel]:
        log = self.root / "data" / "model.log"
        settings = BundledSettings(NAME, log, command=fake_server(), stop_grace_s=2.0, settle_s=0.0)
        model = BundledModel(own_file(self.file), settings, clock=SystemClock())
        model.keep_warm(lambda: prefixes)
        run = asyncio.create_task(model.run())
        try:
            await ready(model)
            yield model
        finally:
            run.cancel()
            with suppress(asyncio.CancelledError):
                await run

    @property
    def prefixes(self) -> Path:
        return self.root / "data" / "prefixes"

    def states(self) -> list[Path]:
        return sorted(self.prefixes.glob("*.slot"))

    def has_note(self, text: str) -> bool:
        """Tell whether a state is noted so, or its note is just being replaced."""
        try:
            return any(note.read_text() == text for note in self.prefixes.glob("*.json"))
        except FileNotFoundError:
            return True

    def written(self) -> str:
        return "".join(path.read_text() for path in self.prefixes.iterdir())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def ready(model: BundledModel) -> None:
    async with asyncio.timeout(10):
        async for state in model.states():
            if state.state == "ready":
                break


async def say(model: BundledModel, text: str) -> str:
    return (await model.chat(ChatRequest((ChatMessage("user", text),)))).text


async def actions_of(model: BundledModel) -> list[str]:
    done: list[str] = json.loads(await say(model, "tell actions"))
    return done


async def restored(logs: Sequence[MutableMapping[str, object]], count: int) -> None:
    """Wait, without a call, until so many states were restored."""
    async with asyncio.timeout(10):
        while sum(entry["event"] == "model.prefix_restored" for entry in logs) < count:
            await asyncio.sleep(0)


async def reading(home: Home) -> None:
    """Wait, without a call, until the long prefix is being read."""
    async with asyncio.timeout(10):
        while not (home.prefixes / "hanging").exists():
            await asyncio.sleep(0)


async def kept(home: Home, count: int) -> None:
    """Wait, without a call, until so many states are whole on disk."""
    async with asyncio.timeout(10):
        while len(list(home.prefixes.glob("*.json"))) < count:
            await asyncio.sleep(0)


async def replaced(home: Home, note: str) -> None:
    """Wait, without a call, until another note stands in its place: the server that ended is there again."""
    async with asyncio.timeout(10):
        while home.has_note(note):
            await asyncio.sleep(0)


async def test_beginnings_are_read_once_the_model_is_ready_and_kept(home: Home) -> None:
    async with home.running(TURN, CLOSING) as model:
        await kept(home, 2)
        assert await actions_of(model) == ["read 2", "save 2", "read 1", "save 1"]

    assert "You are brief." in home.written()


async def test_after_a_restart_they_are_there_before_anybody_is_let_in(home: Home) -> None:
    async with home.running(TURN, CLOSING):
        await kept(home, 2)

    async with home.running(TURN, CLOSING) as model:
        assert await actions_of(model) == ["restore 2", "restore 1"]


async def test_what_is_needed_most_is_read_before_anybody_is_let_in(home: Home) -> None:
    async with home.running(CLOSING):
        await kept(home, 1)

    async with home.running(TURN, CLOSING) as model:
        assert (await actions_of(model))[:3] == ["restore 1", "read 2", "save 2"]


async def test_what_is_in_a_slot_is_set_aside_before_another_is_restored(home: Home) -> None:
    async with home.running(TURN, NOTES):
        await kept(home, 2)

    with capture_logs() as logs:
        async with home.running(TURN, NOTES) as model:
            await restored(logs, 2)
            assert await actions_of(model) == ["restore 2", "set aside 2", "restore 2"]


async def test_a_person_goes_first_and_the_reading_is_taken_up_again(home: Home) -> None:
    async with home.running(prefix(SLOW)) as model, asyncio.timeout(10):
        await reading(home)
        assert await say(model, "tell config")
        assert await say(model, "wait until left") == "left"
        await kept(home, 1)
        assert (await actions_of(model)).count("read 2") >= 2


async def test_what_a_conversation_began_with_is_not_read_over_it(home: Home) -> None:
    async with home.running() as model:
        begun = replace(TURN, messages=(*TURN.messages, ChatMessage("user", "hola")))
        await model.chat(begun)
        model.keep_warm(lambda: (TURN, CLOSING))
        await kept(home, 1)
        assert await actions_of(model) == ["read 1", "save 1"]


async def test_no_word_of_a_person_gets_to_disk(home: Home) -> None:
    async with home.running(prefix(SLOW), TURN) as model, asyncio.timeout(10):
        await reading(home)
        for number in range(30):
            await say(model, f"my secret {number}")
            await asyncio.sleep(0)
        await kept(home, 2)
        await say(model, "my secret at the end")

    assert "secret" not in home.written()
    assert len(home.states()) == 2


@pytest.mark.parametrize("content", [b"", b"[", b"nothing like a state"])
async def test_a_damaged_state_is_not_given_to_the_server(home: Home, content: bytes) -> None:
    async with home.running(TURN):
        await kept(home, 1)
    home.states()[0].write_bytes(content)

    async with home.running(TURN) as model:
        await kept(home, 1)
        assert (await actions_of(model))[0] == "read 2"


async def test_a_state_that_ends_the_server_is_not_given_to_it_twice(home: Home) -> None:
    async with home.running(TURN):
        await kept(home, 1)
    (state,) = home.states()
    state.write_bytes(b"poison")
    note = json.dumps({"sha256": hashlib.sha256(b"poison").hexdigest(), "size_bytes": 6})
    state.with_suffix(".json").write_text(note)

    async with home.running(TURN) as model:
        await replaced(home, note)
        await kept(home, 1)
        await ready(model)
        assert (await actions_of(model))[0] == "read 2"


async def test_another_model_or_another_text_is_read_anew(home: Home) -> None:
    async with home.running(TURN):
        await kept(home, 1)

    async with home.running(NOTES) as model:
        await kept(home, 2)
        assert (await actions_of(model))[0] == "read 2"

    home.file.write_bytes(b"GGUF of another model")
    async with home.running(TURN) as model:
        await kept(home, 3)
        assert (await actions_of(model))[0] == "read 2"


async def test_what_joins_later_is_read_too(home: Home) -> None:
    texts = [TURN]
    async with home.running() as model:
        model.keep_warm(lambda: texts)
        await kept(home, 1)
        texts.append(NOTES)
        await say(model, "hola")
        await kept(home, 2)


async def test_a_source_that_fails_costs_no_answer(home: Home) -> None:
    def broken() -> Sequence[ChatRequest]:
        raise ZeroDivisionError

    with capture_logs() as logs:
        async with home.running(TURN) as model:
            await kept(home, 1)
            model.keep_warm(broken)
            assert await say(model, "tell config")
            await asyncio.sleep(0)
            assert await say(model, "tell config")

    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["model.warming_failed"]


async def test_where_nothing_can_be_written_it_is_still_read(home: Home) -> None:
    home.prefixes.parent.mkdir()
    home.prefixes.write_text("a file in the way")

    async with home.running(TURN) as model:
        assert await say(model, "tell config")
        with capture_logs() as logs:
            async with asyncio.timeout(10):
                while not any(entry["event"] == "model.prefix_read" for entry in logs):
                    await asyncio.sleep(0)
        done = await actions_of(model)

    assert "save 2" not in done


async def test_what_is_read_ahead_is_what_prompts_begin_with(tmp_path: Path) -> None:
    llm = ScriptedChatModel('{"calculate": {"expression": "6*7"}}', echo=True)
    sources: list[PrefixSource] = []
    llm.category = "math"
    binding = ModelBinding(llm, CONSTRAINED, keep_warm=sources.append)
    async with running_app(tmp_path, llm=binding) as app:
        (prefixes,) = [source() for source in sources]
        for person in (ALICE, BOB):
            await app.say(person, "cuánto es 6*7?")

    asked = [*llm.requests, *llm.short_requests]
    for request in asked:
        begins = [
            one
            for one in prefixes
            if one.purpose == request.purpose
            and request.messages[0].content.startswith(one.messages[0].content)
            and one.tools == request.tools
        ]
        assert begins, request
    assert {"turn", "closing"} <= {one.purpose for one in prefixes}


@pytest.fixture
def encoder() -> LocalEmbedder:
    return open_encoder()


async def test_what_talk_begins_with_is_read_before_what_calls_do(tmp_path: Path, encoder: LocalEmbedder) -> None:
    sources: list[PrefixSource] = []
    binding = ModelBinding(ScriptedChatModel("hi"), CONSTRAINED, keep_warm=sources.append)
    async with running_app(tmp_path, llm=binding, embedder=encoder):
        (prefixes,) = [source() for source in sources]

    talk = prefixes[0].messages[0]
    of_talk = [place for place, one in enumerate(prefixes) if one.messages[0] == talk]
    of_calls = [place for place, one in enumerate(prefixes) if one.purpose == "call"]
    assert of_talk == list(range(1 + len(LANGUAGES)))
    assert len(of_calls) > len(of_talk)


@pytest.mark.live
async def test_the_real_model_finds_its_prefixes_after_a_restart(home: Home) -> None:
    path = os.environ.get("WASAP_TEST_MODEL")
    if not path:
        pytest.skip("WASAP_TEST_MODEL does not name a GGUF file")
    long = [prefix(f"{name}. " + "Be kind. " * 60) for name in ("Ana", "Eva")]
    for is_restart in (False, True):
        settings = BundledSettings(NAME, home.root / "data" / "model.log", context_tokens=2048)
        model = BundledModel(own_file(Path(path)), settings, clock=SystemClock())
        model.keep_warm(lambda: long)
        run = asyncio.create_task(model.run())
        with capture_logs() as logs:
            # A call before they are on disk would end the saving.
            while sum(entry["event"].startswith("model.prefix_re") for entry in logs) < len(long) or len(
                list(home.prefixes.glob("*.json"))
            ) < len(long):
                await asyncio.sleep(0.1)
        ways = {entry["event"] for entry in logs if entry["event"].startswith("model.prefix_re")}
        for one in long:
            newest = ChatMessage("user", "hola")
            answer = await model.chat(replace(one, messages=(*one.messages, newest), max_tokens=2))
            assert answer.usage.prompt_tokens - answer.usage.cached_tokens < 40
        run.cancel()
        with suppress(asyncio.CancelledError):
            await run
        assert ways == {"model.prefix_restored" if is_restart else "model.prefix_read"}


def fill(store: PrefixStore, keys: Sequence[str], size_bytes: int) -> None:
    for age, key in enumerate(keys):
        (store.directory / store.part_name(key)).write_bytes(bytes(size_bytes))
        asyncio.run(store.keep(key))
        os.utime(store.directory / f"{key}.slot", (age, age))


def test_the_longest_unused_makes_room(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path, max_bytes=250)
    fill(store, ["a", "b"], 100)
    assert asyncio.run(store.find("a")) == "a.slot"

    fill(store, ["c"], 100)

    assert {path.name for path in tmp_path.iterdir()} == {"a.slot", "a.json", "c.slot", "c.json"}


def test_one_that_is_too_large_alone_is_not_kept(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path, max_bytes=250)
    (tmp_path / store.part_name("a")).write_bytes(bytes(251))
    asyncio.run(store.keep("a"))

    assert list(tmp_path.iterdir()) == []
