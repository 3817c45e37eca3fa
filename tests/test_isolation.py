"""Whatever one person does, another sees the same replies, the same prompts and the same history as without."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from app.asking.repository import Questions
from app.database.db import Database, Engine
from app.database.repositories.conversations import Conversations
from app.database.repositories.inbox import Inbox
from app.database.repositories.outbox import Outbox
from app.database.repositories.traces import Traces
from app.database.repositories.users import Users
from app.domain.chat import ChatMessage
from app.simulator import payloads
from app.simulator.payloads import JsonObject
from tests.builders import ALICE, BOB
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import last_user_text
from tests.harness import PEOPLE, AppUnderTest, make_settings, running_app
from tests.postgresql import Server
from tests.rooms import repositories

START = datetime(2026, 5, 6, 7, 8, tzinfo=UTC)
HER_WORDS = ("my plant is a fern", "tell me all about ferns", "and what is this?")
HIS_WORDS = "bob has a cactus"


@dataclass(frozen=True, slots=True)
class Hers:
    """Ids of Alice's things: what she wrote, what we answered, and what is being answered now."""

    written: str
    answered: str
    running: str


Deed = Callable[[AppUnderTest, Hers], Awaitable[None]]


async def write(app: AppUnderTest, body: str, quote: str | None = None) -> None:
    await app.receive(BOB, body, quote=quote)


async def command(app: AppUnderTest, body: str) -> None:
    """Write a command and wait for its answer, which does not need the model that is busy with Alice."""
    before = len(app.replies_to(BOB))
    await app.receive(BOB, body)
    async with asyncio.timeout(5):
        while len(app.replies_to(BOB)) == before:
            await asyncio.sleep(0)


async def do(app: AppUnderTest, *contents: JsonObject) -> None:
    for content in contents:
        await app.graph.receive(PEOPLE[BOB], content)


async def converse(app: AppUnderTest, hers: Hers) -> None:
    await write(app, "what is my plant?")
    await write(app, HIS_WORDS)


async def quote(app: AppUnderTest, hers: Hers) -> None:
    for message_id in (hers.written, hers.answered, hers.running):
        await write(app, "what does this say?", quote=message_id)


async def edit(app: AppUnderTest, hers: Hers) -> None:
    await do(app, *(payloads.edit(its_id, payloads.text(HIS_WORDS)) for its_id in (hers.written, hers.running)))


async def revoke(app: AppUnderTest, hers: Hers) -> None:
    await do(app, *(payloads.revoke(its_id) for its_id in (hers.written, hers.answered, hers.running)))


async def react(app: AppUnderTest, hers: Hers) -> None:
    await do(app, *(payloads.reaction(its_id, "👎") for its_id in (hers.written, hers.answered, hers.running)))


async def clear(app: AppUnderTest, hers: Hers) -> None:
    await command(app, "/clear")


async def cancel(app: AppUnderTest, hers: Hers) -> None:
    await command(app, "/cancel")


async def status(app: AppUnderTest, hers: Hers) -> None:
    await command(app, "/status")


async def flood(app: AppUnderTest, hers: Hers) -> None:
    for n in range(12):
        await write(app, f"{HIS_WORDS} {n}")


async def press_buttons(app: AppUnderTest, hers: Hers) -> None:
    await do(app, *(payloads.button_reply(button, "Yes") for button in ("trust:no:1", "trust:yes:", "anything")))


async def stand_still(app: AppUnderTest, hers: Hers) -> None:
    """What the world is compared with."""


DEEDS = (converse, quote, edit, revoke, react, clear, cancel, status, flood, press_buttons)


@dataclass(frozen=True, slots=True)
class World:
    """What Alice got and what is stored about her; and what Bob could see."""

    replies: list[str]
    prompts: list[tuple[ChatMessage, ...]]
    history: list[tuple[object, ...]]
    bobs_view: str


async def lived_through(data_dir: Path, deed: Deed, server: Server | None) -> World:
    """Alice's day, in the middle of which Bob does something while her turn is running."""
    url = server.clean() if server else None
    async with running_app(data_dir, clock=FrozenClock(START), rate_limit_max=5, database_url=url) as app:
        written = await app.say(ALICE, HER_WORDS[0])
        answered = app.graph.sends[0].id
        await app.say(BOB, HIS_WORDS)
        app.llm.block()
        running = await app.receive(ALICE, HER_WORDS[1])
        async with asyncio.timeout(5):
            await app.llm.started.wait()
        await deed(app, Hers(written, answered, running))
        app.llm.release()
        await app.idle()
        await app.say(ALICE, HER_WORDS[2], quote=written)
        await app.say(ALICE, HER_WORDS[2], quote=answered)
        await app.say(ALICE, "/status")
        replies = app.replies_to(ALICE)
        requests = app.llm.requests
    hers = [request.messages for request in requests if last_user_text(request) in HER_WORDS]
    his = [request.messages for request in requests if last_user_text(request) not in HER_WORDS]
    view = "\n".join([*app.replies_to(BOB), *(one.content for prompt in his for one in prompt)])
    return World(
        replies, hers, await stored_about(make_settings(data_dir, database_url=url).database, "Alice"), view
    )


async def stored_about(database: Path | str, name: str) -> list[tuple[object, ...]]:
    async with Database.open(database) as db:
        rows = await db.fetch_all(
            "SELECT m.role, m.text, m.reaction, c.ended_at FROM messages m JOIN users u USING (user_id)"
            " JOIN conversations c ON c.id = m.conversation_id WHERE u.name = ? ORDER BY m.id",
            name,
        )
    return [tuple(row) for row in rows]


@pytest.fixture(scope="module")
def server(engine: Engine, request: pytest.FixtureRequest) -> Server | None:
    """None where the database is a file."""
    found: Server | None = request.getfixturevalue("postgresql") if engine == "postgresql" else None
    return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def alone(tmp_path_factory: pytest.TempPathFactory, server: Server | None) -> World:
    """The same for every deed: nothing of it is open any more."""
    return await lived_through(tmp_path_factory.mktemp("alone"), stand_still, server)


@pytest.mark.needs("status")
@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__)
async def test_what_one_person_does_changes_nothing_for_another(
    tmp_path: Path, alone: World, deed: Deed, server: Server | None
) -> None:
    beside = await lived_through(tmp_path, deed, server)
    assert beside.replies == alone.replies
    assert beside.prompts == alone.prompts
    assert beside.history == alone.history
    assert len(alone.history) == 2 * len((*HER_WORDS, "the last one twice"))
    for words in HER_WORDS:
        assert words not in beside.bobs_view
    assert all(HIS_WORDS not in one.content for prompt in beside.prompts for one in prompt)


@pytest.mark.needs("conversation")
async def test_the_same_deeds_work_on_ones_own_things(app: AppUnderTest) -> None:
    """Otherwise the test above would prove nothing."""
    mine = await app.say(BOB, HIS_WORDS)
    await app.say(BOB, "what was that?", quote=mine)
    assert f'"{HIS_WORDS}"' in app.llm.requests[-1].messages[-1].content
    await do(app, payloads.edit(mine, payloads.text("bob has a rose")))
    await app.idle()
    await do(app, payloads.reaction(mine, "👍"))
    await app.idle()
    history = await stored_about(app.database, "Bob")
    assert history[-2][1:3] == ("bob has a rose", "👍")
    assert HIS_WORDS not in str(history[0])
    await do(app, payloads.revoke(mine))
    await app.say(BOB, "/clear")
    after = await stored_about(app.database, "Bob")
    assert len(after) == len(history) - 1
    assert all(row[3] is not None for row in after)


@pytest.mark.parametrize(
    "repository",
    [Users, Inbox, Outbox, Conversations, Questions, Traces, *repositories()],
    ids=lambda cls: cls.__name__,
)
def test_every_method_of_a_persons_repository_asks_first_whose_rows_it_is_about(repository: type) -> None:
    methods = [
        member for name, member in inspect.getmembers(repository, inspect.isfunction) if not name.startswith("_")
    ]
    assert methods
    for method in methods:
        first = list(inspect.signature(method).parameters)[1]
        assert first == "user_id", method.__qualname__
