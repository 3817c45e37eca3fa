"""The whole application over Ollama's wire: what is offered arrives there, and what it answers is understood."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from app.llm.ollama import OllamaClient
from app.llm.profiles import profile_for
from app.skills.router import REQUEST_MORE_TOOLS_NAME
from tests.builders import ALICE
from tests.e2e.asking import press, until_asked
from tests.fakes import mcp_server
from tests.fakes.ollama import SHORT_TOKENS, FakeOllama, call
from tests.harness import AppUnderTest, running_app

MODEL: Final = "qwen3:8b"
Body = Mapping[str, Any]


@asynccontextmanager
async def app_over(ollama: FakeOllama, tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    profile = profile_for(MODEL)
    client = OllamaClient(
        "http://ollama.test", MODEL, context_tokens=8192, profile=profile, transport=ollama.transport()
    )
    async with running_app(tmp_path, llm=client, profile=profile) as app:
        yield app
    await client.aclose()


def turn_requests(ollama: FakeOllama) -> list[Body]:
    """The bodies that reached Ollama, less those that only sort a message into categories."""
    bodies: list[Any] = ollama.requests
    return [body for body in bodies if body["options"]["num_predict"] > SHORT_TOKENS]


def offered(body: Body) -> list[str]:
    return [tool["function"]["name"] for tool in body.get("tools") or ()]


def told(body: Body) -> list[tuple[str, str]]:
    """The results in a request: of which tool, and what."""
    return [(one["tool_name"], one["content"]) for one in body["messages"] if one["role"] == "tool"]


@pytest.mark.needs("notes", "projects")
async def test_both_categories_of_a_message_reach_ollama_with_the_way_to_more_tools_first(tmp_path: Path) -> None:
    ollama = FakeOllama(MODEL)
    ollama.category = '{"categories": ["projects", "notes"]}'
    ollama.will_say("Which project do you mean?")
    async with app_over(ollama, tmp_path) as app:
        await app.say(ALICE, "put the plan of my project into a note")
        assert app.replies_to(ALICE) == ["Which project do you mean?"]
    [body] = turn_requests(ollama)
    names = offered(body)
    assert names[0] == REQUEST_MORE_TOOLS_NAME
    assert {"list_projects", "create_project", "save_note", "list_notes"} <= {*names}
    assert len(names) == 1 + 8
    described = body["tools"][0]["function"]["parameters"]
    assert described["required"] == ["categories"]


@pytest.mark.needs("oversight", "projects")
async def test_a_message_for_projects_and_github_is_offered_both_of_them(tmp_path: Path) -> None:
    server = {"command": sys.executable, "args": [mcp_server.__file__]}
    (tmp_path / "mcp_servers.json").write_text(json.dumps({"mcpServers": {"github": server}}))
    ollama = FakeOllama(MODEL)
    async with app_over(ollama, tmp_path) as app:
        await until_connected(app, "github")
        ollama.category = '{"categories": ["projects", "github"]}'
        ollama.will_say(calls=[call("mcp_github_echo", {"text": "two issues"}), call("list_projects", {})])
        ollama.will_say("Two issues, no project.")
        await app.receive(ALICE, "list my projects, and echo some text back on GitHub, please")
        await press(app, ALICE, f"{await until_asked(app, ALICE)}:y")
        await app.idle()
        assert app.replies_to(ALICE)[-1] == "Two issues, no project."
    first, second = turn_requests(ollama)
    names = offered(first)
    assert names[0] == REQUEST_MORE_TOOLS_NAME
    assert "list_projects" in names
    assert "mcp_github_echo" in names
    (github, echoed), (projects, _) = told(second)
    assert (github, projects) == ("mcp_github_echo", "list_projects")
    assert "two issues" in echoed


async def until_connected(app: AppUnderTest, server: str) -> None:
    """Another process starts, and the chat is where one sees that it has: ask until its tools are listed."""
    async with asyncio.timeout(30):
        while not any(server in reply for reply in app.replies_to(ALICE)):
            await app.say(ALICE, "/tools")


@pytest.mark.needs("calculator", "notes")
async def test_a_wrong_category_is_put_right_in_the_next_round(tmp_path: Path) -> None:
    ollama = FakeOllama(MODEL)
    ollama.category = "notes"
    ollama.will_say(calls=[call(REQUEST_MORE_TOOLS_NAME, {"categories": ["math"], "reason": "arithmetic"})])
    ollama.will_say(calls=[call("calculate", {"expression": "6*7"})])
    ollama.will_say("It is 42.")
    async with app_over(ollama, tmp_path) as app:
        await app.say(ALICE, "how much is 6*7, please?")
        assert app.replies_to(ALICE) == ["It is 42."]
    first, second, third = turn_requests(ollama)
    assert "calculate" not in offered(first)
    assert {REQUEST_MORE_TOOLS_NAME, "save_note", "calculate"} <= {*offered(second)}
    assert told(second) == [(REQUEST_MORE_TOOLS_NAME, "Loaded 1 new tool: calculate.")]
    assert told(third)[1:] == [("calculate", "6 * 7 = 42")]


@pytest.mark.needs("calculator")
async def test_five_parallel_calls_come_back_in_order_and_all_results_reach_ollama(tmp_path: Path) -> None:
    ollama = FakeOllama(MODEL)
    ollama.category = "math"
    ollama.will_say(calls=[call("calculate", {"expression": f"{n}+{n}"}) for n in range(1, 6)])
    ollama.will_say("All five are done.")
    async with app_over(ollama, tmp_path) as app:
        await app.say(ALICE, "add each number from one to five to itself")
        assert app.replies_to(ALICE) == ["All five are done."]
    asked, answered = turn_requests(ollama)
    assert "calculate" in offered(asked)
    assert told(answered) == [("calculate", f"{n} + {n} = {2 * n}") for n in range(1, 6)]
    [assistant] = [one for one in answered["messages"] if one["role"] == "assistant"]
    assert [one["function"]["arguments"]["expression"] for one in assistant["tool_calls"]] == [
        f"{n}+{n}" for n in range(1, 6)
    ]
