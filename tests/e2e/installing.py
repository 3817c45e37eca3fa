"""An admin who installs servers by writing to the assistant, over a faked list of what there is to install."""

import json
import re
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from app.domain.chat import ChatRequest, ChatResponse
from app.language.catalogue import LANGUAGES, say
from app.mcp.texts import MCP
from app.skills.texts import SKILLS
from app.whatsapp.marks import WORD_JOINER
from tests.builders import ALICE, BOB
from tests.e2e.asking import button_of, calls, is_question, press
from tests.fakes.llm import Line, ScriptedChatModel, answer
from tests.fakes.mcp import children, our_tasks, until
from tests.fakes.registries import OFFICIAL, SMITHERY, Registries
from tests.harness import AppUnderTest, running_app


@dataclass(frozen=True)
class Chat:
    """The application, an admin who writes to it, and a model that does as the admin says."""

    app: AppUnderTest
    patience_s: float

    async def says(self, text: str, *lines: Line) -> str:
        """Let Alice write; returns what she reads next, be it an answer or a question with buttons."""
        self.app.llm.add(*lines)
        return await self._next(self.app.receive(ALICE, text))

    async def presses(self, key: str) -> str:
        """Let Alice press a button of the newest question (y, n, a); returns what she reads next."""
        question = [one for one in self.app.graph.sends if is_question(one)][-1]
        return await self._next(press(self.app, ALICE, f"{button_of(question)}:{key}"))

    def offered(self) -> list[str]:
        return [tool.name for tool in self.app.llm.requests[-1].tools]

    def written(self) -> dict[str, Any]:
        """The servers of the configuration file."""
        file = self.app.data_dir / "mcp_servers.json"
        return dict(json.loads(file.read_text("utf-8"))["servers"]) if file.exists() else {}

    def secrets(self) -> str:
        file = self.app.data_dir / "mcp_secrets.json"
        return file.read_text("utf-8") if file.exists() else ""

    async def _next(self, act: Awaitable[object]) -> str:
        """Wait in real time: what is waited for may be a process that downloads."""
        count, unexpected = len(self.app.replies_to(ALICE)), self.app.llm.unexpected
        await act
        await until(lambda: bool(unexpected) or len(self.app.replies_to(ALICE)) > count, timeout_s=self.patience_s)
        assert unexpected == []
        return self.app.replies_to(ALICE)[-1].replace(WORD_JOINER, "")


def what_it_said(request: ChatRequest) -> ChatResponse:
    """The model puts into words what its last call brought: as it stands, but no raw error."""
    said = [message.content for message in request.messages if message.role == "tool"][-1]
    return answer(said.replace("Error:", "It did not work:"))


@asynccontextmanager
async def chatting(
    data_dir: Path, *listed: dict[str, Any], patience_s: float = 20, **settings: Any
) -> AsyncIterator[Chat]:
    """Open the application where these servers are listed; afterwards no task and no process of theirs is left."""
    before = children()
    llm = ScriptedChatModel()
    llm.category = "expand"
    registries = httpx.MockTransport(Registries(list(listed)).answer)
    urls = {"mcp_registry_url": OFFICIAL, "smithery_registry_url": SMITHERY}
    async with running_app(data_dir, llm=llm, web=registries, **{**urls, **settings}) as app:
        yield Chat(app, patience_s)
        await app.idle()
        assert app.replies_to(BOB) == []
    assert our_tasks() == []
    assert children() == before


async def find(chat: Chat, name: str, runs: str) -> str:
    """Let a server be searched and shown; nothing of it runs. Returns what the admin reads of it."""
    before, word = children(), name.rsplit("/", 1)[-1]
    chat.app.llm.category = "expand"
    found = await chat.says(
        f"is there a server for {word}?", calls(("search_mcp_registry", {"query": word})), what_it_said
    )
    assert name in found
    card = await chat.says("show it to me", calls(("preview_mcp_server", {"name": name})), what_it_said)
    assert f"runs: {runs}" in card
    assert (children(), chat.written()) == (before, {})
    return card


async def install(chat: Chat, name: str, runs: str) -> str:
    """Refuse first, then approve: what is asked about is what runs. Returns the category of its tools."""
    before = children()
    wanted = calls(("install_mcp_server", {"name": name}))
    assert runs in await chat.says("install it", wanted)
    assert await chat.presses("n") in {say(SKILLS.refused, language) for language in LANGUAGES}
    assert runs in await chat.says("I changed my mind, install it", wanted, what_it_said)
    assert (children(), chat.written()) == (before, {})
    done = await chat.presses("y")
    assert f"Installed {name}." in done
    assert list(chat.written()) == [name]
    found = re.search(r"in the category (\S+):", done)
    assert found is not None
    return found[1]


async def use(chat: Chat, category: str, text: str, tool: str, arguments: Mapping[str, object]) -> str:
    """Let the next message use a tool of the server, with the yes that a stranger's tool takes."""
    chat.app.llm.category = category
    question = await chat.says(text, calls((tool, arguments)), what_it_said)
    assert tool in question
    assert tool in chat.offered()
    return await chat.presses("y")


async def check_gone(chat: Chat, category: str, before: set[int]) -> None:
    """No process, no tool, no entry and no secret of any server is left; and whoever asks is told so."""
    assert children() == before
    assert chat.written() == {}
    assert "MCP_" not in chat.secrets()
    assert await chat.says("/mcp") in {say(MCP.server_none, language) for language in LANGUAGES}
    chat.app.llm.category = category
    assert await chat.says("use it again, please", "I cannot do that any more.") == "I cannot do that any more."
    assert [tool for tool in chat.offered() if tool.startswith("mcp_")] == []
