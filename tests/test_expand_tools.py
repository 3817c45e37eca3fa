"""New abilities by message, through the engine that runs every tool: nothing without an admin's yes."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.asking.approvals import ApprovalBroker
from app.asking.asking import Asking
from app.asking.repository import Questions
from app.database.db import Database
from app.database.repository import Repository
from app.domain.chat import ToolCall
from app.domain.errors import ToolFault
from app.domain.ids import ConversationId, TurnId
from app.domain.inbound import Sender
from app.domain.outbound import Buttons, decode_outbound
from app.domain.tools import ToolResult
from app.domain.turn import TurnContext
from app.mcp.installing import expand_tools
from app.mcp.installing.remote_skills import RemoteSkills
from app.security.audit import AuditTrail
from app.security.oversight import Oversight
from app.security.policy import PolicyEngine
from app.skills.engine import ExecutionEngine
from app.skills.loader import load_builtin
from app.skills.registry import SkillRegistry
from app.whatsapp.marks import WORD_JOINER
from tests.databases import migrated
from tests.fakes.answers import press as press_button
from tests.fakes.clock import FrozenClock
from tests.fakes.registries import World, entry, installing_world, package, variable
from tests.test_remote_skills import COOKING, URL, Web

NOW = datetime(2026, 8, 4, 12, tzinfo=UTC)
ECHO = "io.github.acme/echo"
RUN, CANCEL = 0, 1


@dataclass
class Chat:
    """The eight tools behind the shipped policy; a turn of its own for each call."""

    db: Database
    world: World
    web: Web
    registry: SkillRegistry
    remote: RemoteSkills
    asking: Asking
    engine: ExecutionEngine
    ctx: TurnContext

    async def call(
        self, tool: str, *, press: int | None = None, is_admin: bool = True, **arguments: object
    ) -> ToolResult:
        self.ctx = replace(self.ctx, turn_id=TurnId(self.ctx.turn_id + 1), is_admin=is_admin)
        tools = {one.name: one for one in self.registry.list_tools()}
        async with asyncio.timeout(20):
            running = asyncio.create_task(
                self.engine.execute(ToolCall("1", tool, arguments), tools=tools, ctx=self.ctx)
            )
            if press is not None:
                question = await self.question(running)
                await press_button(self.asking, self.ctx, question.buttons[press].id)
            return await running

    async def question(self, running: asyncio.Task[ToolResult] | None = None) -> Buttons:
        while await Questions(self.db).find_open(self.ctx.user_id, "approval", NOW) is None:
            assert running is None or not running.done(), running
            await asyncio.sleep(0)
        message = decode_outbound((await self.outbox())[-1])
        assert isinstance(message, Buttons)
        return message

    async def outbox(self) -> list[str]:
        return [row["payload"] for row in await self.db.fetch_all("SELECT payload FROM outbox ORDER BY id")]

    async def shown(self) -> str:
        """All that was sent, without the marks that keep it from drawing."""
        return "\n".join(await self.outbox()).replace(WORD_JOINER, "").replace("\\u2060", "")


def listed() -> dict[str, object]:
    return entry(packages=[package(environmentVariables=[{"name": "MODE", "value": "calm"}])])


@pytest.fixture
async def chat(tmp_path: Path) -> AsyncIterator[Chat]:
    async with migrated() as db, installing_world(tmp_path / "home", listed()) as world:
        repository, clock = Repository(db), FrozenClock(NOW)
        async with repository.transaction() as tx:
            user_id = await repository.directory.create(Sender(wa_id="1"), "en", NOW, tx=tx)
        asking = Asking(db, clock, wake_delivery=lambda users: None)
        audit = AuditTrail(repository, clock, head_file=tmp_path / "audit.head")
        registry, web = SkillRegistry(load_builtin), Web()
        registry.load_skills(tmp_path)
        remote = RemoteSkills(web, tmp_path / "outside", clock, skills_now=registry.list_skills)
        expand_tools.register(registry, world.installer, world.servers, remote)
        engine = ExecutionEngine(
            Oversight(PolicyEngine.load(), repository.tool_rules, audit, clock), ApprovalBroker(asking), clock
        )
        ctx = TurnContext(TurnId(1), user_id, ConversationId(1), 1, NOW, "en", is_admin=True, workspace=tmp_path)
        yield Chat(db, world, web, registry, remote, asking, engine, ctx)
        assert await audit.verify() == []


async def test_a_server_is_searched_previewed_approved_and_used(chat: Chat) -> None:
    assert (
        f"{ECHO} 1.2.3 (official MCP registry, by github.com/acme)"
        in (await chat.call("search_mcp_registry", query="echo")).content
    )
    card = (await chat.call("preview_mcp_server", name="echo")).content
    assert "runs: npx -y @acme/echo@1.2.3" in card
    assert 'install_mcp_server("echo")' in card
    result = await chat.call("install_mcp_server", name="echo", press=RUN)
    assert result.success
    assert "mcp_echo_echo" in result.content
    assert "category echo" in result.content
    assert "echo: ready" in (await chat.call("list_mcp_servers")).content


async def test_the_question_shows_all_that_would_run(chat: Chat) -> None:
    await chat.call("preview_mcp_server", name=ECHO)
    preview = chat.world.installer.pending("echo")
    await chat.call("install_mcp_server", name=ECHO, press=CANCEL)
    shown = await chat.shown()
    for part in (
        "npx -y @acme/echo@1.2.3",
        ECHO,
        "github.com/acme",
        "official MCP registry",
        "MODE=calm",
        preview.digest,
    ):
        assert part in shown


@pytest.mark.parametrize("mode", ["confirm-all", "confirm-sensitive", "yolo"])
async def test_an_install_that_was_not_approved_runs_nothing_in_any_mode(chat: Chat, mode: str) -> None:
    chat.ctx = replace(chat.ctx, mode=mode)  # type: ignore[arg-type]  # the parameter is one of the modes
    await chat.call("preview_mcp_server", name=ECHO, press=RUN if mode == "confirm-all" else None)
    result = await chat.call("install_mcp_server", name="echo", press=CANCEL)
    assert result.kind == "refused"
    assert chat.world.runs == []
    assert chat.world.manager.list_servers() == ()


async def test_without_a_preview_nobody_is_asked_and_nothing_runs(chat: Chat) -> None:
    result = await chat.call("install_mcp_server", name="echo")
    assert result.kind == "invalid"
    assert "preview_mcp_server" in result.content
    assert await chat.outbox() == []
    assert chat.world.runs == []


async def test_the_model_cannot_say_what_is_run(chat: Chat) -> None:
    await chat.call("preview_mcp_server", name=ECHO)
    result = await chat.call("install_mcp_server", name="echo", runs="sh -c id", preview="0")
    assert result.kind == "invalid"
    assert chat.world.runs == []


async def test_a_preview_that_changes_while_the_person_thinks_is_refused(chat: Chat) -> None:
    await chat.call("preview_mcp_server", name=ECHO)
    ctx = replace(chat.ctx, turn_id=TurnId(99))
    tools = {one.name: one for one in chat.registry.list_tools()}
    async with asyncio.timeout(20):
        call = ToolCall("1", "install_mcp_server", {"name": "echo"})
        running = asyncio.create_task(chat.engine.execute(call, tools=tools, ctx=ctx))
        question = await chat.question()
        chat.world.registries.entries[:] = [entry(packages=[package(version="6.6.6")])]
        await chat.world.installer.preview(ECHO)
        await press_button(chat.asking, ctx, question.buttons[RUN].id)
        result = await running
    assert "not what was approved" in result.content
    assert chat.world.runs == []


async def test_missing_variables_are_named_and_their_values_go_round_the_model(chat: Chat) -> None:
    wants = package(environmentVariables=[variable("ACME_TOKEN")])
    chat.world.registries.entries[:] = [entry(packages=[wants])]
    card = await chat.call("preview_mcp_server", name=ECHO)
    assert "/mcp set ACME_TOKEN VALUE" in card.content
    result = await chat.call("install_mcp_server", name="echo", press=RUN)
    assert "/mcp set ACME_TOKEN VALUE" in result.content
    await chat.world.installer.set_variable("ACME_TOKEN", "the-value-itself")
    result = await chat.call("install_mcp_server", name="echo", press=RUN)
    assert result.success
    rows = await chat.db.fetch_all("SELECT content FROM audit_events")
    everything = [result.content, await chat.shown(), *(str(row["content"]) for row in rows)]
    assert [text for text in everything if "the-value-itself" in text] == []


async def test_removing_is_asked_for_too(chat: Chat) -> None:
    await chat.call("preview_mcp_server", name=ECHO)
    await chat.call("install_mcp_server", name="echo", press=RUN)
    assert (await chat.call("remove_mcp_server", name="echo", press=CANCEL)).kind == "refused"
    assert len(chat.world.manager.list_servers()) == 1
    assert (await chat.call("remove_mcp_server", name="echo", press=RUN)).success
    assert chat.world.manager.list_servers() == ()
    assert "no server named" in (await chat.call("remove_mcp_server", name="echo", press=RUN)).content


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_mcp_registry", {"query": "echo"}),
        ("preview_mcp_server", {"name": ECHO}),
        ("list_mcp_servers", {}),
        ("preview_skill_from_url", {"url": URL}),
        ("reload_capabilities", {}),
        ("remove_mcp_server", {"name": "echo"}),
        ("install_mcp_server", {"name": "echo"}),
        ("install_skill_from_url", {"url": URL}),
    ],
)
async def test_whoever_is_no_admin_is_asked_nothing_gets_a_sentence_and_nothing_happens(
    chat: Chat, tool: str, arguments: dict[str, object]
) -> None:
    await chat.call("preview_mcp_server", name=ECHO)
    await chat.call("preview_skill_from_url", url=URL)
    before = (len(chat.world.registries.requests), len(chat.web.asked))
    result = await chat.call(tool, press=None, is_admin=False, **arguments)
    assert "Only an administrator" in result.content
    assert (len(chat.world.registries.requests), len(chat.web.asked)) == before
    assert chat.world.runs == []
    assert chat.remote.load() == ([], ())


async def test_a_skill_is_previewed_approved_and_kept(chat: Chat) -> None:
    card = (await chat.call("preview_skill_from_url", url=URL)).content
    assert "cooking: Cook well." in card
    assert "Taste before you salt." in card
    assert (await chat.call("install_skill_from_url", url=URL, press=CANCEL)).kind == "refused"
    assert chat.remote.load() == ([], ())
    assert (await chat.call("install_skill_from_url", url=URL, press=RUN)).success
    assert [skill.name for skill in chat.remote.load()[0]] == ["cooking"]
    assert "Taste before you salt." in await chat.shown()


async def test_a_skill_that_was_not_previewed_is_not_asked_about(chat: Chat) -> None:
    result = await chat.call("install_skill_from_url", url=URL)
    assert "preview_skill_from_url" in result.content
    assert await chat.outbox() == []


async def test_a_skill_that_changed_since_its_question_is_refused(chat: Chat) -> None:
    await chat.call("preview_skill_from_url", url=URL)
    pinned = chat.remote.pending(URL).facts()
    chat.web.pages[URL] = COOKING.replace(b"Taste", b"Obey")
    await chat.call("preview_skill_from_url", url=URL)
    with pytest.raises(ToolFault, match="not what was approved"):
        chat.remote.install(URL, str(pinned["sha256"]))


async def test_a_registry_that_is_silent_is_named(chat: Chat) -> None:
    chat.world.registries.smithery_status = 503
    content = (await chat.call("search_mcp_registry", query="echo")).content
    assert ECHO in content
    assert "(Smithery did not answer.)" in content


async def test_the_tools_belong_to_a_skill_that_says_how_to_use_them(chat: Chat) -> None:
    names = [tool.name for tool in chat.registry.tools_of("expand")]
    assert len(names) == 8
    ((skill, instructions),) = chat.registry.instructions_for(names)
    assert skill == "expand"
    assert "preview" in instructions
    assert "changed" in (await chat.call("reload_capabilities")).content
