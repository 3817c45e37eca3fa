"""One server's connection: opened in either era, lost, opened again, and closed without a trace."""

import asyncio
import json
import os
import signal
import stat
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from mcp.client._transport import TransportStreams
from mcp.server import MCPServer

from app.asking.forms.model import Answer
from app.domain.turn import TurnContext
from app.mcp.config import ServerConfig
from app.mcp.connecting.calls import CallFailed
from app.mcp.connecting.elicitation import Asker
from app.mcp.connecting.ending import ByGroup
from app.mcp.connecting.host import OnProgress, Retries
from app.mcp.connecting.resolve import ServerSpec
from app.mcp.connecting.server_log import MAX_FILE_BYTES, ServerLog
from app.mcp.manager import McpManager
from tests.fakes.clock import FrozenClock
from tests.fakes.mcp import (
    ANN,
    BOB,
    MemoryConnector,
    Person,
    children,
    is_alive,
    is_reaped,
    running_manager,
    script,
    sdk_server,
    text_of,
    turn_of,
    until,
)

IN_MEMORY = ServerConfig(command="in-memory")


async def call(manager: McpManager, tool: str, server: str = "s", **arguments: object) -> str:
    return text_of(await manager.call(server, tool, arguments, turn_of()))


def state(manager: McpManager, server: str = "s") -> str:
    info = manager.find_server(server)
    assert info is not None
    return info.state


@asynccontextmanager
async def running(home: Path, *switches: str, **config: Any) -> AsyncIterator[McpManager]:
    """A manager with the script as its server `s`."""
    async with running_manager(home) as manager:
        await manager.hot_add_server("s", script(*switches, **config))
        yield manager


@asynccontextmanager
async def in_memory(
    home: Path,
    asker: Asker | None = None,
    *,
    era: str = "modern",
    on_progress: OnProgress = lambda ctx, text: None,
    **servers: Callable[[], MCPServer],
) -> AsyncIterator[tuple[McpManager, MemoryConnector]]:
    connector = MemoryConnector(era, **(servers or {"s": sdk_server}))
    async with running_manager(home, connector=connector, asker=asker, on_progress=on_progress) as manager:
        for name in connector.servers:
            await manager.hot_add_server(name, IN_MEMORY)
        yield manager, connector


async def test_a_server_of_today_is_spoken_to_in_its_own_protocol(tmp_path: Path) -> None:
    async with in_memory(tmp_path) as (manager, _):
        (info,) = manager.list_servers()
        assert (info.state, info.protocol) == ("ready", "2026-07-28")
        assert await call(manager, "echo", text="hello") == "hello"


async def test_an_older_server_is_spoken_to_in_its_own_protocol(tmp_path: Path) -> None:
    async with running(tmp_path) as manager:
        (info,) = manager.list_servers()
        assert (info.state, info.protocol) == ("ready", "2025-06-18")
        assert await call(manager, "echo", text="hello") == "hello"


async def test_a_server_that_ends_at_an_unknown_method_is_tried_the_old_way_and_that_is_remembered(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, "--die-on-unknown") as manager:
        assert (state(manager), manager.list_servers()[0].restarts) == ("ready", 0)
        pid = int(await call(manager, "pid"))
        os.kill(pid, signal.SIGKILL)
        await until(lambda: manager.list_servers()[0].restarts == 1 and state(manager) == "ready")
        assert await call(manager, "echo", text="back") == "back"


async def test_a_crash_is_noticed_without_a_call_and_the_server_comes_back(tmp_path: Path) -> None:
    clock = FrozenClock()
    async with running_manager(tmp_path, clock=clock, retries=Retries(10)) as manager:
        await manager.hot_add_server("s", script())
        first = int(await call(manager, "pid"))
        os.kill(first, signal.SIGKILL)
        await until(lambda: manager.list_tools() == ())
        assert state(manager) == "waiting"
        await until(lambda: manager.list_servers()[0].error is not None)
        await clock.advance(0)
        await clock.advance(14)
        await until(lambda: state(manager) == "ready")
        assert int(await call(manager, "pid")) != first
        assert manager.list_servers()[0].restarts == 1


async def test_who_is_waiting_when_a_server_crashes_is_told_at_once(tmp_path: Path) -> None:
    async with running(tmp_path, questions=False) as manager:
        waiting = [asyncio.ensure_future(call(manager, tool)) for tool in ("silence", "crash")]
        async with asyncio.timeout(5):
            outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        assert [getattr(outcome, "kind", outcome) for outcome in outcomes] == ["uncertain", "uncertain"]


async def test_the_tools_of_a_lost_server_are_gone_before_anybody_can_call_them(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []
    connector = MemoryConnector(s=sdk_server)
    async with running_manager(
        tmp_path, connector=connector, on_state=lambda info: seen.append((info.state, len(info.tools)))
    ) as manager:
        await manager.hot_add_server("s", IN_MEMORY)
        connector.crash("s")
        await until(lambda: seen[-1][0] == "ready" and len(seen) > 4)
    assert seen[:3] == [("connecting", 0), ("ready", 5), ("waiting", 0)]


async def test_waits_grow_between_tries_and_end_when_somebody_removes_the_server(tmp_path: Path) -> None:
    clock = FrozenClock()
    async with running_manager(tmp_path, clock=clock, retries=Retries(10, 300)) as manager:
        await manager.hot_add_server("s", script("--die-at-start"))
        assert state(manager) == "waiting"
        await clock.advance(0)
        await clock.advance(6)
        assert manager.list_servers()[0].restarts == 0
        await clock.advance(8)
        await until(lambda: manager.list_servers()[0].restarts == 1 and state(manager) == "waiting")
        async with asyncio.timeout(5):
            assert await manager.hot_remove_server("s")


def test_the_waits_double_up_to_a_most_and_are_spread() -> None:
    retries = Retries(1, 60)
    for failures, plain in [(1, 1), (2, 2), (5, 16), (7, 60), (500, 60)]:
        delays = {retries.delay_s(failures) for _ in range(20)}
        assert len(delays) > 1
        assert all(plain * 0.7 <= delay <= plain * 1.3 for delay in delays)


async def test_a_server_may_be_given_up_with_a_readable_reason(tmp_path: Path) -> None:
    async with running_manager(tmp_path, retries=Retries(0.01, 0.01, give_up_after=2)) as manager:
        await manager.hot_add_server("s", script("--die-at-start"))
        await until(lambda: state(manager) == "failed")
        with pytest.raises(CallFailed, match="not available") as caught:
            await call(manager, "echo", text="x")
        assert "boom" not in caught.value.detail


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (ServerConfig(command="/no/such/program"), "the command /no/such/program was not found"),
        (ServerConfig(command="x", env={"K": "${MISSING_KEY}"}), "it has no value for MISSING_KEY"),
    ],
)
async def test_what_time_cannot_mend_is_not_tried_again(tmp_path: Path, config: ServerConfig, reason: str) -> None:
    async with running_manager(tmp_path) as manager:
        info = await manager.hot_add_server("s", config)
        assert (info.state, info.error, info.restarts) == ("failed", reason, 0)


async def test_a_server_that_hangs_at_its_start_is_left_and_leaves_nothing(tmp_path: Path) -> None:
    before = children()
    async with running_manager(tmp_path, retries=Retries(60)) as manager:
        info = await manager.hot_add_server("s", script("--hang-at-start", connect_timeout_s=0.1))
        assert (info.state, info.error) == ("waiting", "it was not ready within 0.1 s")
        assert children() == before


async def test_a_child_sees_no_variable_that_it_was_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHATSAPP_ACCESS_TOKEN", "EAAG")
    async with running(tmp_path, env={"GIVEN": "yes"}) as manager:
        seen = json.loads(await call(manager, "environment"))
        assert seen.keys() == {"PATH", "HOME", "TMPDIR", "LANG", "GIVEN"}
        assert Path(await call(manager, "where")) == tmp_path / "mcp" / "work" / "s"


@pytest.mark.parametrize("ending", [None, ByGroup(0.3)])
async def test_a_whole_family_of_processes_ends_with_its_server(tmp_path: Path, ending: ByGroup | None) -> None:
    async with running_manager(tmp_path, ending=ending) as manager:
        await manager.hot_add_server("s", script())
        parent, child = int(await call(manager, "pid")), int(await call(manager, "have_child"))
        await manager.hot_remove_server("s")
        await until(lambda: not is_alive(child), timeout_s=1)
        assert not is_alive(parent)


@pytest.mark.parametrize("ending", [None, ByGroup(0.3)])
async def test_a_crashed_servers_children_do_not_outlive_it(tmp_path: Path, ending: ByGroup | None) -> None:
    async with running_manager(tmp_path, ending=ending) as manager:
        await manager.hot_add_server("s", script())
        parent, child = int(await call(manager, "pid")), int(await call(manager, "have_child"))
        os.kill(parent, signal.SIGKILL)
        await manager.hot_remove_server("s")
        await until(lambda: not is_alive(child), timeout_s=1)


@pytest.mark.parametrize("ending", [None, ByGroup(0.3)])
async def test_a_server_that_will_not_end_is_ended(tmp_path: Path, ending: ByGroup | None) -> None:
    async with running_manager(tmp_path, ending=ending) as manager:
        await manager.hot_add_server("s", script("--stubborn"))
        pid = int(await call(manager, "pid"))
        async with asyncio.timeout(5):
            await manager.hot_remove_server("s")
        assert not is_alive(pid)


async def test_a_server_that_is_stopped_twice_while_it_starts_is_waited_for(tmp_path: Path) -> None:
    async with running_manager(tmp_path) as manager:
        born, adding = await stopped_twice_while_it_starts(manager)
        assert all(map(is_reaped, born))
        await adding


async def stopped_twice_while_it_starts(manager: McpManager) -> tuple[set[int], asyncio.Task[object]]:
    """Add a server, take it away and stop all while it starts; returns its processes, and the adding."""
    before = children()
    adding = asyncio.create_task(manager.hot_add_server("s", script("--hang-at-start")))
    async with asyncio.timeout(5):
        while not (born := children() - before):
            await asyncio.sleep(0)
    removing = asyncio.create_task(manager.hot_remove_server("s"))
    for _ in range(3):
        await asyncio.sleep(0)
    removing.cancel()
    await manager.aclose()
    return born, adding


class SlowEnding(ByGroup):
    """Kills a moment later, as a busy machine does."""

    def __init__(self) -> None:
        super().__init__(0.3)
        self.killed: set[int] = set()

    def kill(self, process: Process) -> None:
        self.killed.add(process.pid)
        asyncio.get_running_loop().call_later(0.3, super().kill, process)


async def test_a_server_that_dies_slowly_while_it_starts_is_waited_for(tmp_path: Path) -> None:
    ending = SlowEnding()
    async with running_manager(tmp_path, ending=ending) as manager:
        born, adding = await stopped_twice_while_it_starts(manager)
        assert ending.killed == born, "with all that it started, and not by asyncio alone"
        assert all(map(is_reaped, born))
        await adding


async def test_a_call_that_takes_too_long_ends_alone(tmp_path: Path) -> None:
    async with running(tmp_path, timeout_s=0.5) as manager:
        pid = await call(manager, "pid")
        with pytest.raises(CallFailed, match="did not answer within") as caught:
            await call(manager, "silence")
        assert caught.value.kind == "timeout"
        assert await call(manager, "pid") == pid
        assert manager.list_servers()[0].restarts == 0


async def test_a_server_that_no_longer_answers_at_all_is_opened_anew(tmp_path: Path) -> None:
    async with running(tmp_path, timeout_s=0.5) as manager:
        pid = await call(manager, "pid")
        with pytest.raises(CallFailed):
            await call(manager, "freeze")
        await until(lambda: manager.list_servers()[0].restarts == 1 and state(manager) == "ready")
        assert await call(manager, "pid") != pid


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_cancelling_a_call_stops_the_servers_work_and_nothing_else(tmp_path: Path, era: str) -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    def patient() -> MCPServer:
        server = sdk_server()

        @server.tool()
        async def wait() -> str:
            """Wait for ever."""
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                stopped.set()
            return ""

        return server

    async with in_memory(tmp_path, era=era, s=patient) as (manager, connector):
        waiting = asyncio.ensure_future(call(manager, "wait"))
        async with asyncio.timeout(5):
            await begun.wait()
            waiting.cancel()
            await asyncio.wait({waiting})
            await stopped.wait()
        assert waiting.cancelled()
        assert await call(manager, "echo", text="still here") == "still here"
        assert connector.opened == ["s"]


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_a_new_tool_is_there_soon_after_its_server_says_so(tmp_path: Path, era: str) -> None:
    async with in_memory(tmp_path, era=era) as (manager, _):
        assert manager.list_servers()[0].protocol == ("2026-07-28" if era == "modern" else "2025-11-25")
        await call(manager, "grow")
        await until(lambda: "mcp_s_extra" in manager.list_servers()[0].tools)
        assert await call(manager, "extra") == "extra!"


async def test_progress_gives_time_and_is_passed_on_with_its_turn(tmp_path: Path) -> None:
    shown: list[tuple[str, str]] = []

    def note(ctx: TurnContext, text: str) -> None:
        shown.append((ctx.user_id, text))

    async with in_memory(tmp_path, on_progress=note) as (manager, _):
        assert await call(manager, "work", steps=3) == "done 3"
    assert [user for user, _ in shown] == [ANN]
    assert shown[0][1].startswith("step")


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_a_question_goes_to_the_one_whose_call_it_is(tmp_path: Path, era: str) -> None:
    person = Person({ANN: Answer("accept", {"ok": True}), BOB: Answer("accept", {"ok": False})})
    async with in_memory(tmp_path, person, era=era) as (manager, _):
        answers = await asyncio.gather(
            *(manager.call("s", "delete_item", {"item": user}, turn_of(user)) for user in (ANN, BOB) * 3)
        )
    assert [text_of(answer) for answer in answers] == ["deleted ann", "kept bob"] * 3
    assert {(user, question.message) for user, question in person.asked} == {
        (ANN, "Really delete ann?"),
        (BOB, "Really delete bob?"),
    }


async def test_a_question_is_closed_with_the_call_and_the_next_person_never_sees_it(tmp_path: Path) -> None:
    person = Person({BOB: Answer("accept", {"ok": True})})
    async with running_manager(tmp_path, asker=person) as manager:
        await manager.hot_add_server("s", script())
        waiting = asyncio.ensure_future(manager.call("s", "ask", {"item": "ann's"}, turn_of(ANN)))
        async with asyncio.timeout(5):
            await person.arrived.wait()
        waiting.cancel()
        await asyncio.wait({waiting})
        assert person.closed == 1
        answer = await manager.call("s", "ask", {"item": "bob's"}, turn_of(BOB))
    assert text_of(answer) == "kept bob's (cancel)"
    assert [user for user, _ in person.asked] == [ANN]


async def test_thinking_about_a_question_is_no_hang_of_the_server(tmp_path: Path) -> None:
    person = Person()
    config = script(timeout_s=0.15)
    async with running_manager(tmp_path, asker=person) as manager:
        await manager.hot_add_server("s", config)
        waiting = asyncio.ensure_future(manager.call("s", "ask", {"item": "it"}, turn_of(ANN)))
        async with asyncio.timeout(5):
            await person.arrived.wait()
            with pytest.raises(CallFailed, match="busy"):
                await manager.call("s", "echo", {"text": "x"}, turn_of(BOB))
        assert not waiting.done()
        waiting.cancel()
        await asyncio.wait({waiting})


async def test_who_may_not_ask_does_not_hold_up_others(tmp_path: Path) -> None:
    person = Person({ANN: Answer("accept", {"ok": True})})
    async with running_manager(tmp_path, asker=person) as manager:
        await manager.hot_add_server("s", script(questions=False))
        silent = asyncio.ensure_future(manager.call("s", "silence", {}, turn_of(BOB)))
        assert text_of(await manager.call("s", "echo", {"text": "x"}, turn_of(ANN))) == "x"
        silent.cancel()
        await asyncio.wait({silent})
    assert person.asked == []


async def test_an_answer_of_ten_megabytes_is_taken_and_one_that_would_stall_us_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path) as manager:
        assert len(await call(manager, "big", size=10_000_000)) == 10_000_000
        with pytest.raises(CallFailed, match="too large"):
            await call(manager, "intricate")
        with pytest.raises(CallFailed, match="too large"):
            await call(manager, "big", size=17_000_000)
        assert await call(manager, "echo", text="still here") == "still here"
        assert manager.list_servers()[0].restarts == 0


async def test_a_damaged_answer_is_mended(tmp_path: Path) -> None:
    async with running(tmp_path) as manager:
        assert (await call(manager, "damaged")).startswith("half a pair \N{REPLACEMENT CHARACTER} and")


_BEATS = 10


@pytest.mark.parametrize("tool", ["flood_log", "flood"])
async def test_a_flood_slows_down_nobody_but_its_server(tmp_path: Path, tool: str) -> None:
    gaps: list[float] = []

    async def heartbeat() -> None:
        loop = asyncio.get_running_loop()
        while True:
            at = loop.time()
            await asyncio.sleep(0.01)
            gaps.append(loop.time() - at)

    async with running(tmp_path) as manager:
        await manager.hot_add_server("calm", script())
        beating = asyncio.ensure_future(heartbeat())
        assert await call(manager, tool) == "begun"
        for _ in range(20):
            assert await call(manager, "echo", server="calm", text="x") == "x"
        while len(gaps) < _BEATS:  # a fast machine is done before the first of them
            assert await call(manager, "echo", server="calm", text="x") == "x"
        beating.cancel()
        await asyncio.wait({beating})
    assert max(gaps) < 1
    log_size = sum(path.stat().st_size for path in (tmp_path / "mcp" / "logs").iterdir())
    assert log_size <= 2 * MAX_FILE_BYTES


async def test_what_a_server_complains_of_is_kept_without_its_secrets(tmp_path: Path) -> None:
    async with running_manager(tmp_path, secrets={"KEY": "sk-1234"}) as manager:
        await manager.hot_add_server("s", script(env={"API_KEY": "${KEY}"}))
        await call(manager, "complain")
        path = tmp_path / "mcp" / "logs" / "s.log"
        await until(lambda: path.read_text("utf-8") != "")
    assert path.read_text("utf-8") == "the key is [secret]\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_log_has_a_largest_size_and_says_what_it_left_out(tmp_path: Path) -> None:
    path = tmp_path / "s.log"
    with ServerLog(path) as log:
        for n in range(60):
            log.write(b"%04d " % n + b"x" * 4_000)
            log.write(b"\n")
    assert path.stat().st_size <= MAX_FILE_BYTES
    with ServerLog(path) as log:
        log.write(b"again\n")
    assert b"again" in path.read_bytes()


INSTALLER: ContextVar[str] = ContextVar("INSTALLER", default="nobody")


class Curious(MemoryConnector):
    """Notes on whose behalf it believes to open a server."""

    @asynccontextmanager
    async def open(self, spec: ServerSpec) -> AsyncIterator[TransportStreams]:
        self.opened.append(INSTALLER.get())
        async with super().open(spec) as streams:
            yield streams


async def test_a_server_runs_in_nobodys_name(tmp_path: Path) -> None:
    connector = Curious(s=sdk_server)
    async with running_manager(tmp_path, connector=connector) as manager:
        INSTALLER.set("ann")
        await manager.hot_add_server("s", IN_MEMORY)
        assert "nobody" in connector.opened
        assert "ann" not in connector.opened
