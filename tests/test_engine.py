"""A tool call goes through seven steps, and whatever happens the model reads a sentence that says why."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from app.asking.approvals import ApprovalBroker
from app.asking.asking import Asking
from app.asking.repository import Questions
from app.database.db import Database
from app.database.repositories.audit import AuditEvent
from app.database.repository import Repository
from app.domain.chat import ToolCall, ToolSchema
from app.domain.errors import Permanent, ToolArgumentError, ToolFault
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.inbound import Sender
from app.domain.outbound import Buttons, decode_outbound
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import ConfirmationMode, TurnContext
from app.security.audit import AuditTrail
from app.security.oversight import Oversight
from app.security.policy import PolicyEngine, Rule
from app.skills.engine import ExecutionEngine, call_identity, find_tool
from tests.databases import migrated
from tests.fakes.answers import press as press_button
from tests.fakes.clock import FrozenClock

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
BLOCKING = Rule("no-way", ("blocked_tool",), "block", "the operator forbids it")
FLAGGING = Rule("careful", ("flagged_tool",), "flag", "it is risky")

Deed = Callable[[Mapping[str, object]], Awaitable[object]]


async def echo(arguments: Mapping[str, object]) -> object:
    return ToolResult.ok(f"did {arguments['text']}")


class Probe(BaseTool):
    """A tool that counts how often it ran; it wants one argument, `text`."""

    description = "Does what the test says."
    args_model = BaseModel

    def __init__(
        self, name: str = "probe", deed: Deed = echo, *, sensitive: bool = False, read_only: bool = False
    ) -> None:
        self.name = name
        self.sensitive = sensitive
        self.read_only = read_only
        self.runs = 0
        self._deed = deed

    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        self.runs += 1
        return await self._deed(arguments)  # type: ignore[return-value] # some tests break this promise

    def get_schema(self) -> ToolSchema:
        return ToolSchema(self.name, self.description, {"type": "object", "properties": {"text": {}}})

    def validate_args(self, arguments: object) -> Mapping[str, object]:
        if not isinstance(arguments, Mapping) or not isinstance(arguments.get("text"), str | int):
            raise ToolArgumentError("arguments_invalid", f"text: expected text, got {json.dumps(arguments)}")
        return {"text": str(arguments["text"])}


def raising(error: BaseException) -> Deed:
    async def deed(arguments: Mapping[str, object]) -> object:
        raise error

    return deed


async def for_ever(arguments: Mapping[str, object]) -> object:
    await asyncio.Event().wait()
    return None


@dataclass
class Bench:
    """An engine over a real database; `press` is the button pressed as soon as a question appears."""

    db: Database
    folder: Path
    ctx: TurnContext
    clock: FrozenClock = field(default_factory=lambda: FrozenClock(NOW))
    is_dry_run: bool = False

    def __post_init__(self) -> None:
        self.rebuild()

    def rebuild(self) -> None:
        """Make everything anew over the same database, as after a crash."""
        repository = Repository(self.db)
        self.asking = Asking(self.db, self.clock, wake_delivery=lambda users: None)
        self.audit = AuditTrail(repository, self.clock, head_file=self.folder / "audit.head")
        policy = PolicyEngine([BLOCKING, FLAGGING])
        broker = ApprovalBroker(self.asking)
        rules = repository.tool_rules
        oversight = Oversight(policy, rules, self.audit, self.clock, is_dry_run=self.is_dry_run)
        self.engine = ExecutionEngine(oversight, broker, self.clock)

    async def run(
        self, tool: Probe, arguments: object = None, *, press: int | None = None, occurrence: int = 0
    ) -> ToolResult:
        call = ToolCall("1", tool.name, {"text": "x"} if arguments is None else arguments)  # type: ignore[arg-type] # models send anything
        async with asyncio.timeout(5):
            running = asyncio.create_task(
                self.engine.execute(call, tools={tool.name: tool}, ctx=self.ctx, occurrence=occurrence)
            )
            if press is not None:
                question = await self.question()
                await press_button(self.asking, self.ctx, question.buttons[press].id)
            return await running

    async def question(self) -> Buttons:
        while not (await self.is_asked() and (rows := await self._outbox())):
            await asyncio.sleep(0)
        message = decode_outbound(rows[-1])
        assert isinstance(message, Buttons)
        return message

    async def is_asked(self) -> bool:
        return await Questions(self.db).find_open(self.ctx.user_id, "approval", self.clock.now()) is not None

    async def _outbox(self) -> list[str]:
        return [row["payload"] for row in await self.db.fetch_all("SELECT payload FROM outbox ORDER BY id")]

    async def records(self) -> list[AuditEvent]:
        return await Repository(self.db).audit_events.list_after(0, 100)

    async def trail(self) -> list[tuple[str, str]]:
        return [(record.phase, record.verdict) for record in await self.records()]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with migrated() as db:
        repository = Repository(db)
        async with repository.transaction() as tx:
            user_id = await repository.directory.create(Sender(wa_id="1"), "en", NOW, tx=tx)
        ctx = TurnContext(
            TurnId(7),
            user_id,
            ConversationId(1),
            1,
            NOW,
            "en",
            is_admin=False,
            workspace=tmp_path / "users" / "alice",
        )
        yield Bench(db, tmp_path, ctx)
        assert await AuditTrail(repository, FrozenClock(NOW), head_file=tmp_path / "audit.head").verify() == []


def assert_explains(result: ToolResult, kind: str, *parts: str) -> None:
    """What the model reads is a failure of that kind, in a sentence with these parts."""
    assert not result.success
    assert result.kind == kind
    assert result.content.startswith("Error: ")
    assert result.content.endswith(".")
    assert "None" not in result.content
    for part in parts:
        assert part in result.content


async def test_a_valid_call_runs_and_leaves_an_intent_and_an_outcome(bench: Bench) -> None:
    tool = Probe()
    assert await bench.run(tool) == ToolResult.ok("did x")
    assert tool.runs == 1
    assert await bench.trail() == [("intent", "run"), ("outcome", "ok")]


async def test_the_tool_gets_the_validated_arguments(bench: Bench) -> None:
    assert (await bench.run(Probe(), {"text": 5, "junk": None})).output == "did 5"


async def test_an_unknown_tool_is_answered_with_those_there_are(bench: Bench) -> None:
    call = ToolCall("1", "telepathy", {})
    result = await bench.engine.execute(call, tools={"probe": Probe(), "other": Probe()}, ctx=bench.ctx)
    assert_explains(result, "unknown", "'telepathy'", "other, probe")
    assert await bench.trail() == [("intent", "none"), ("outcome", "unknown")]


async def test_with_no_tools_at_all_the_model_is_told_to_answer_in_words(bench: Bench) -> None:
    result = await bench.engine.execute(ToolCall("1", "", {}), tools={}, ctx=bench.ctx)
    assert_explains(result, "unknown", "answer in words")


@pytest.mark.parametrize("arguments", [{}, {"text": None}, [], "text", 5])
async def test_invalid_arguments_are_explained_and_nobody_is_asked(bench: Bench, arguments: object) -> None:
    tool = Probe(sensitive=True)
    assert_explains(await bench.run(tool, arguments), "invalid", "probe", "text: expected text", "call it again")
    assert tool.runs == 0
    assert not await bench.is_asked()


async def test_a_blocked_call_does_not_run_and_says_by_which_reason(bench: Bench) -> None:
    tool = Probe("blocked_tool")
    assert_explains(await bench.run(tool), "blocked", "blocked_tool was not run", "the operator forbids it")
    assert tool.runs == 0
    assert await bench.trail() == [("intent", "block no-way"), ("outcome", "blocked")]


async def test_an_approved_call_runs_once(bench: Bench) -> None:
    tool = Probe(sensitive=True)
    assert (await bench.run(tool, press=0)).success
    assert tool.runs == 1
    assert await bench.trail() == [("intent", "ask"), ("outcome", "ok")]


@pytest.mark.parametrize(("button", "kind", "part"), [(1, "refused", "refused"), (2, "aborted", "stopped")])
async def test_a_call_that_is_not_approved_does_not_run(bench: Bench, button: int, kind: str, part: str) -> None:
    tool = Probe(sensitive=True)
    assert_explains(await bench.run(tool, press=button), kind, "probe was not run", part)
    assert tool.runs == 0
    assert await bench.trail() == [("intent", "ask"), ("outcome", kind)]


async def test_a_flagged_call_is_asked_about_even_in_yolo(bench: Bench) -> None:
    bench.ctx = replace(bench.ctx, mode="yolo")
    assert (await bench.run(Probe("flagged_tool"), press=0)).success
    assert (await bench.trail())[0] == ("intent", "ask careful")


@pytest.mark.parametrize(("mode", "sensitive"), [("yolo", True), ("confirm-sensitive", False)])
async def test_nobody_is_asked_where_the_mode_does_not_want_it(
    bench: Bench, mode: ConfirmationMode, sensitive: bool
) -> None:
    bench.ctx = replace(bench.ctx, mode=mode)
    assert (await bench.run(Probe(sensitive=sensitive))).success


async def test_a_question_nobody_answers_expires(bench: Bench) -> None:
    tool = Probe(sensitive=True)
    running = asyncio.create_task(bench.run(tool))
    async with asyncio.timeout(5):
        await bench.question()
        async with bench.db.transaction() as tx:
            await tx.execute("UPDATE outbox SET state = 'sent'")
        await bench.clock.advance(300)
        assert_explains(await running, "expired", "Nobody answered", "was not run")
    assert tool.runs == 0


async def test_with_nobody_to_ask_the_call_does_not_run(bench: Bench) -> None:
    tool = Probe(sensitive=True)
    await bench.clock.advance(25 * 3600)
    assert_explains(await bench.run(tool), "no_channel", "approval", "cannot be reached", "was not run")
    assert tool.runs == 0


async def test_what_is_too_long_to_be_shown_is_not_run(bench: Bench) -> None:
    tool = Probe(sensitive=True)
    assert_explains(await bench.run(tool, {"text": "x" * 60_000}), "refused", "too long")
    assert tool.runs == 0


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_tool_that_takes_too_long_is_stopped(bench: Bench, read_only: bool) -> None:
    tool = Probe(deed=for_ever, read_only=read_only)
    tool.timeout_s = 0.01
    result = await bench.run(tool)
    assert_explains(result, "timeout", "did not finish within 0.01 s")
    assert ("may have taken effect" in result.content) is not read_only


@pytest.mark.parametrize("error", [RuntimeError("at /srv/secret/place"), OSError("/srv/secret"), SystemExit(1)])
async def test_an_exception_becomes_a_sentence_without_its_text(bench: Bench, error: BaseException) -> None:
    result = await bench.run(Probe(deed=raising(error)))
    assert_explains(result, "failed", "probe failed", type(error).__name__)
    assert "/srv" not in result.content
    assert await bench.trail() == [("intent", "run"), ("outcome", "failed")]


async def test_a_group_of_exceptions_becomes_a_sentence_too(bench: Bench) -> None:
    group = ExceptionGroup("several", [ValueError("a"), TypeError("b")])
    assert_explains(await bench.run(Probe(deed=raising(group))), "failed", "ExceptionGroup")


async def test_a_fault_that_names_its_reason_is_passed_on(bench: Bench) -> None:
    fault = ToolFault("no_note", "There is no note 5. Use list_notes to see what there is.")
    assert_explains(await bench.run(Probe(deed=raising(fault))), "failed", "There is no note 5.")


async def test_an_error_of_ours_is_named_by_its_code(bench: Bench) -> None:
    error = Permanent("disk_full", "/srv/secret")
    result = await bench.run(Probe(deed=raising(error)))
    assert_explains(result, "failed", "disk full")
    assert "/srv" not in result.content


async def test_a_time_out_of_the_tools_own_is_a_failure_and_not_ours(bench: Bench) -> None:
    assert_explains(await bench.run(Probe(deed=raising(TimeoutError()))), "failed", "TimeoutError")


async def test_a_tool_that_lets_a_cancellation_of_its_own_out_does_not_end_the_turn(bench: Bench) -> None:
    result = await bench.run(Probe(deed=raising(asyncio.CancelledError())))
    assert_explains(result, "failed", "interrupted")


async def test_a_tool_without_a_result_is_a_failure(bench: Bench) -> None:
    async def nothing(arguments: Mapping[str, object]) -> object:
        return None

    assert_explains(await bench.run(Probe(deed=nothing)), "failed", "without a result")


async def test_a_failure_names_no_place_on_the_host(bench: Bench) -> None:
    fault = ToolFault("missing", f"There is no file {bench.ctx.workspace}/a.txt.")
    assert (await bench.run(Probe(deed=raising(fault)))).error == "There is no file ./a.txt."


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_cancelled_call_is_recorded_and_the_cancellation_goes_on(bench: Bench, read_only: bool) -> None:
    has_begun = asyncio.Event()

    async def begin(arguments: Mapping[str, object]) -> object:
        has_begun.set()
        return await for_ever(arguments)

    running = asyncio.create_task(bench.run(Probe(deed=begin, read_only=read_only)))
    async with asyncio.timeout(5):
        await has_begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        while len(trail := await bench.trail()) < 2:
            await asyncio.sleep(0)
    assert trail == [("intent", "run"), ("outcome", "cancelled")]


async def test_cancelling_while_a_person_is_asked_closes_the_question(bench: Bench) -> None:
    tool = Probe(sensitive=True)
    call = ToolCall("1", "probe", {"text": "x"})
    running = asyncio.create_task(bench.engine.execute(call, tools={"probe": tool}, ctx=bench.ctx))
    async with asyncio.timeout(5):
        await bench.question()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert tool.runs == 0
    assert await bench.trail() == [("intent", "ask"), ("outcome", "cancelled")]
    assert [row["state"] for row in await bench.db.fetch_all("SELECT state FROM questions")] == ["cancelled"]


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_dry_run_says_what_it_would_do_asks_nobody_and_does_nothing(bench: Bench, read_only: bool) -> None:
    bench.is_dry_run = True
    bench.rebuild()
    tool = Probe(sensitive=True, read_only=read_only)
    result = await bench.run(tool, {"text": "añil"})
    assert result == ToolResult(True, '[DRY-RUN] Would run probe(text="añil")', kind="dry_run")
    assert tool.runs == 0
    assert await bench.trail() == [("intent", "ask"), ("outcome", "dry_run")]
    assert_explains(await bench.run(tool, {}), "invalid")
    assert_explains(await bench.run(Probe("blocked_tool")), "blocked")


async def test_a_call_that_may_change_something_is_recorded_before_it_runs(bench: Bench) -> None:
    seen: list[tuple[str, str]] = []

    async def look(arguments: Mapping[str, object]) -> object:
        seen.extend(await bench.trail())
        return ToolResult.ok("")

    await bench.run(Probe(deed=look))
    assert seen == [("intent", "run")]


async def test_nothing_runs_that_cannot_be_recorded(bench: Bench) -> None:
    async with bench.db.transaction() as tx:
        await tx.execute("ALTER TABLE audit_events RENAME TO gone")
    tool = Probe()
    assert_explains(await bench.run(tool), "failed", "database failed")
    assert tool.runs == 0
    async with bench.db.transaction() as tx:
        await tx.execute("ALTER TABLE gone RENAME TO audit_events")


async def test_a_result_is_not_lost_when_it_cannot_be_recorded(bench: Bench) -> None:
    async def break_the_trail(arguments: Mapping[str, object]) -> object:
        async with bench.db.transaction() as tx:
            await tx.execute("ALTER TABLE audit_events RENAME TO gone")
        return ToolResult.ok("done all the same")

    assert (await bench.run(Probe(deed=break_the_trail))).output == "done all the same"
    async with bench.db.transaction() as tx:
        await tx.execute("ALTER TABLE gone RENAME TO audit_events")


async def test_after_a_crash_a_finished_call_gives_its_stored_result_and_asks_nobody(bench: Bench) -> None:
    done = ToolResult.ok("did x", "Hecho: x.")

    async def tell(arguments: Mapping[str, object]) -> object:
        return done

    tool = Probe(deed=tell, sensitive=True)
    assert await bench.run(tool, press=0) == done
    bench.rebuild()
    bench.ctx = replace(bench.ctx, attempt=2)
    assert await bench.run(tool) == done
    assert tool.runs == 1
    assert (await bench.trail())[2:] == [("intent", "replay"), ("outcome", "ok")]
    listed = await Repository(bench.db).tool_journal.list_for_turn(bench.ctx.user_id, bench.ctx.turn_id)
    assert [entry.result for entry in listed] == [done]


async def test_after_a_crash_in_the_middle_a_call_is_not_run_again(bench: Bench) -> None:
    has_begun = asyncio.Event()

    async def begin(arguments: Mapping[str, object]) -> object:
        has_begun.set()
        return await for_ever(arguments)

    tool = Probe(deed=begin)
    call = ToolCall("1", "probe", {"text": "x"})
    running = asyncio.create_task(bench.engine.execute(call, tools={"probe": tool}, ctx=bench.ctx))
    async with asyncio.timeout(5):
        await has_begun.wait()
        running.cancel()
        await asyncio.wait({running})
    bench.rebuild()
    assert_explains(await bench.run(tool), "uncertain", "may already have happened", "ask the person")
    assert tool.runs == 1


async def test_a_failure_is_replayed_as_it_was(bench: Bench) -> None:
    tool = Probe(deed=raising(ToolFault("no", "The list is full.")))
    first = await bench.run(tool)
    bench.rebuild()
    assert await bench.run(tool) == first
    assert tool.runs == 1


async def test_a_read_only_call_simply_runs_again(bench: Bench) -> None:
    tool = Probe(read_only=True)
    await bench.run(tool)
    bench.rebuild()
    await bench.run(tool)
    assert tool.runs == 2


async def test_the_same_call_twice_in_a_turn_is_two_calls(bench: Bench) -> None:
    tool = Probe()
    await bench.run(tool, occurrence=0)
    await bench.run(tool, occurrence=1)
    assert tool.runs == 2


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ({"text": 5}, {"text": "5"}, True),
        ({"text": "x"}, {"text": "x", "junk": 1}, True),
        ({"text": "x"}, {"text": "y"}, False),
        ({"text": None}, {"text": None}, True),
        ({"text": None}, {}, False),
    ],
)
def test_calls_are_the_same_by_what_they_mean_and_invalid_ones_by_their_words(
    one: Mapping[str, object], other: Mapping[str, object], is_same: bool
) -> None:
    tools = {"probe": Probe()}
    identities = {call_identity(ToolCall("1", "probe", arguments), tools) for arguments in (one, other)}
    assert (len(identities) == 1) is is_same


def test_arguments_that_are_nested_too_deeply_to_be_checked_do_not_break_the_count() -> None:
    class Deep(Probe):
        def validate_args(self, arguments: object) -> Mapping[str, object]:
            raise RecursionError

    call = ToolCall("1", "probe", {"text": "x"})
    assert call_identity(call, {"probe": Deep()}) == call_identity(call, {})


async def test_another_turn_or_other_arguments_are_another_call(bench: Bench) -> None:
    tool = Probe()
    await bench.run(tool)
    await bench.run(tool, {"text": "y"})
    bench.ctx = replace(bench.ctx, turn_id=TurnId(8))
    await bench.run(tool)
    assert tool.runs == 3


async def test_calls_run_side_by_side_while_one_waits_for_a_person(bench: Bench) -> None:
    asked, calm = Probe("asked", sensitive=True), Probe("calm")
    tools = {"asked": asked, "calm": calm}
    async with asyncio.timeout(5):
        waiting = asyncio.create_task(
            bench.engine.execute(ToolCall("1", "asked", {"text": "x"}), tools=tools, ctx=bench.ctx)
        )
        question = await bench.question()
        calls = [ToolCall(str(n), "calm", {"text": str(n)}) for n in range(5)]
        results = await asyncio.gather(*(bench.engine.execute(call, tools=tools, ctx=bench.ctx) for call in calls))
        assert [result.output for result in results] == [f"did {n}" for n in range(5)]
        assert not waiting.done()
        await press_button(bench.asking, bench.ctx, question.buttons[0].id)
        assert (await waiting).success


async def test_two_identical_calls_at_once_run_once(bench: Bench) -> None:
    tool = Probe()
    results = await asyncio.gather(bench.run(tool), bench.run(tool))
    assert tool.runs == 1
    assert {result.kind for result in results} <= {"ok", "uncertain"}


async def test_a_user_who_is_gone_gets_a_failure_and_nothing_runs(bench: Bench) -> None:
    bench.ctx = replace(bench.ctx, user_id=UserId("nobody"))
    tool = Probe()
    assert_explains(await bench.run(tool), "failed", "probe failed")
    assert tool.runs == 0


def test_an_mcp_tool_is_found_by_its_bare_name_when_only_one_has_it() -> None:
    tools = {name: Probe(name) for name in ("mcp_github_list_issues", "mcp_git_log", "mcp_web_log", "my_note")}
    assert find_tool("list_issues", tools) is tools["mcp_github_list_issues"]
    assert find_tool("log", tools) is None
    assert find_tool("note", tools) is None
    assert find_tool("", tools) is None


@given(st.text(max_size=12), st.lists(st.sampled_from(["mcp_a_x", "mcp_b_x", "mcp_a_y_x", "x", "a"]), unique=True))
def test_a_name_finds_itself_or_one_tool_that_ends_with_it(name: str, names: list[str]) -> None:
    tools = {one: Probe(one) for one in names}
    found = find_tool(name, tools)
    assert found is None or found.name == name or found.name.endswith(f"_{name}")
    assert all(find_tool(one, tools) is tools[one] for one in names)
