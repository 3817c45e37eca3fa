"""What a message is gets decided once, at the door, and kept with it."""

import asyncio

import pytest

from app.asking.lines import Reading
from app.commands.registry import CommandRegistry, CommandSpec
from app.commands.texts import COMMANDS
from app.database.db import Database
from app.domain.ids import WaMessageId
from app.domain.inbound import (
    Audio,
    Choice,
    Content,
    Edit,
    Image,
    MediaRef,
    Purpose,
    Reaction,
    Revoke,
    System,
    Text,
    Welcome,
)
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import LANGUAGES, say
from app.pipeline.receiving.classify import Classification, classify
from app.privacy.texts import PRIVACY
from tests.builders import ALICE
from tests.harness import AppUnderTest

OLD = WaMessageId("wamid.old")
FILE = MediaRef("1")


async def nothing(args: str, ctx: TurnContext) -> Reply:
    return Reply()


def read(content: Content) -> Classification:
    commands = CommandRegistry()
    commands.add(CommandSpec("later", COMMANDS.help_help, nothing))
    commands.add(CommandSpec("now", COMMANDS.help_help, nothing, is_control=True))
    is_answer = "sí" in content.body if isinstance(content, Text) else isinstance(content, Choice)
    return classify(content, Reading("q:1") if is_answer else None, commands=commands)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (Text("hola"), Classification("conversation", is_mergeable=True)),
        (Text("/etc/hosts is a file"), Classification("conversation")),
        (Image(FILE), Classification("conversation", is_mergeable=True)),
        (Audio(FILE), Classification("conversation", is_mergeable=True)),
        (Audio(FILE, is_voice=True), Classification("conversation")),
        (Welcome(), Classification("conversation")),
        (Text("/later on"), Classification("command")),
        (Text("/now"), Classification("command", "control")),
        (Text("/now sí"), Classification("command", "control")),
        (Text("/nobody knows"), Classification("command")),
        (Choice("/now", "Now"), Classification("command", "control")),
        (Choice("x:1", "Yes"), Classification("answer", "control", answers="q:1")),
        (Text("sí"), Classification("answer", "control", answers="q:1")),
        (Reaction(OLD, "👍"), Classification("change", ref_id=OLD)),
        (Edit(OLD, Text("/now")), Classification("rewrite", ref_id=OLD)),
        (Revoke(OLD), Classification("change", ref_id=OLD)),
        (System("user_changed_number"), Classification("system")),
    ],
)
def test_each_message_has_one_purpose_and_one_lane(content: Content, expected: Classification) -> None:
    assert read(content) == expected


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_last_word_is_an_answer_in_every_language(app: AppUnderTest, language: str) -> None:
    await app.say(ALICE, f"  {say(PRIVACY.forget_word, language).lower()}!")
    assert await purposes(app) == ["answer"]
    assert app.replies_to(ALICE)[0] in {say(PRIVACY.forget_not_asked, known) for known in LANGUAGES}


async def purposes(app: AppUnderTest) -> list[Purpose | None]:
    async with Database.open(app.database) as db:
        return [row["purpose"] for row in await db.fetch_all("SELECT purpose FROM inbox ORDER BY id")]


async def test_what_a_message_is_stands_beside_it(app: AppUnderTest) -> None:
    await app.say(ALICE, "hola")
    await app.say(ALICE, "/help")
    assert await purposes(app) == ["conversation", "command"]


@pytest.mark.needs("conversation")
async def test_a_message_of_an_older_version_is_read_when_its_turn_begins(app: AppUnderTest) -> None:
    app.llm.block()
    await app.receive(ALICE, "write a novel")
    async with asyncio.timeout(5):
        await app.llm.started.wait()
    await app.receive(ALICE, "/clear")
    async with Database.open(app.database) as db, db.transaction() as tx:
        assert await tx.execute("UPDATE inbox SET purpose = NULL WHERE state = 'pending'") == 1
    app.llm.release()
    await app.idle()
    assert app.replies_to(ALICE) == [
        "echo: write a novel",
        "Fresh start. I no longer see the earlier conversation.",
    ]
