"""Whose a server is: who installed it uses it, and those they share it with; for all others it is not there."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.simulator import payloads
from app.simulator.payloads import SimUser
from app.skills.router import REQUEST_MORE_TOOLS_NAME
from app.whatsapp.marks import WORD_JOINER
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.fakes.llm import ScriptedChatModel
from tests.fakes.mcp import children, our_tasks, until
from tests.fakes.registries import make_launchers
from tests.harness import AppUnderTest, running_app

CAROL = "5491155550303"
TOOL = "mcp_mail_echo"
RESULT = "the mail of whoever calls"


@pytest.fixture
async def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AppUnderTest]:
    """Alice and Carol are admins, Bob is not; Alice has installed the server "mail"."""
    home = tmp_path / "home"
    monkeypatch.setenv("PATH", f"{make_launchers(home)}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(home))
    before = children()
    async with running_app(
        tmp_path / "data",
        llm=ScriptedChatModel(),
        tool_confirmation="yolo",
        allowed_phone_numbers=(ALICE, BOB, CAROL),
        admin_phone_numbers=(ALICE, CAROL),
    ) as app:
        for person in (BOB, CAROL):
            await asks(app, person, "/mode")
        assert "mail" in await asks(app, ALICE, "/mcp add mail npx -y acme-mail@1.0.0")
        yield app
    assert our_tasks() == []
    assert children() == before


async def asks(app: AppUnderTest, person: str, text: str) -> str:
    """Let a person write; returns what they read next. A server is a process, so time really passes."""
    count = len(app.replies_to(person))
    await app.graph.receive(SimUser(person, "Somebody"), payloads.text(text))
    await until(lambda: len(app.replies_to(person)) > count)
    await app.idle()
    return app.replies_to(person)[-1].replace(WORD_JOINER, "")


async def seen_by(app: AppUnderTest, person: str) -> str:
    """Everything in which a person, or the model for them, could meet the server's tools."""
    app.llm.category = "mail"
    app.llm.add(
        calls((REQUEST_MORE_TOOLS_NAME, {"categories": ["mail", "tools"]})),
        calls(("list_category_tools", {"category": "mail"}), ("list_tool_categories", {})),
        calls((TOOL, {"text": RESULT})),
        "Done.",
    )
    start = len(app.llm.requests)
    told = [await asks(app, person, text) for text in ("/tools", "/mcp", "/mcp mail", "echo my mail, please")]
    app.llm.drop_lines()
    shown = [str(request.tools) for request in app.llm.requests[start:]]
    read = [
        message.content
        for request in app.llm.requests[start:]
        for message in request.messages
        if message.role in {"tool", "system"}
    ]
    return "\n".join([*told, *shown, *read])


async def test_what_one_admin_installed_nobody_else_sees_or_calls(app: AppUnderTest) -> None:
    assert RESULT in await seen_by(app, ALICE)
    for person in (BOB, CAROL):
        seen = await seen_by(app, person)
        assert RESULT not in seen
        assert "mcp_mail_echo:" not in seen
        assert "description='Echo" not in seen
    assert "mail" not in await asks(app, BOB, "/tools")
    assert "mail" not in await asks(app, BOB, "/mcp")
    assert "mail" not in await asks(app, CAROL, "/tools")
    assert "…0101" in await asks(app, CAROL, "/mcp")


async def test_a_server_is_shared_by_its_owner_with_a_person_and_taken_back(app: AppUnderTest) -> None:
    for stranger in (BOB, CAROL):
        await asks(app, stranger, f"/mcp share mail {stranger}")
        assert "mail" not in await asks(app, stranger, "/tools")
    await asks(app, ALICE, f"/mcp share mail {BOB}")
    assert RESULT in await seen_by(app, BOB)
    assert "mail" not in await asks(app, CAROL, "/tools")
    assert "…0202" in await asks(app, ALICE, "/mcp")
    await asks(app, ALICE, f"/mcp unshare mail {BOB}")
    assert "mail" not in await asks(app, BOB, "/tools")
    await asks(app, ALICE, "/mcp share mail everyone")
    assert "mail" in await asks(app, CAROL, "/tools")
    assert "mail" in await asks(app, BOB, "/tools")
