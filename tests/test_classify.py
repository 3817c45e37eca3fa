"""What a message is gets decided once, at the door, and kept with it."""

import asyncio
from functools import partial

import pytest

from app.commands.registry import CommandRegistry, CommandSpec
from app.commands.texts import COMMANDS
from app.database.db import Database
from app.domain.ids import UserId, WaMessageId
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
from app.skills.tools.conversation.texts import CONVERSATION
from tests.builders import ALICE
from tests.harness import AppUnderTest

ANYBODY = UserId("anybody")
OLD = WaMessageId("wamid.old")
FILE = MediaRef("1")


class Asked:
    """Somebody is asked something, and any text with "sí" answers it."""

    def is_answer(self, user_id: UserId, content: Content) -> bool:
        return "sí" in content.body if isinstance(content, Text) else isinstance(content, Choice)


async def nothing(args: str, ctx: TurnContext) -> Reply:
    return Reply()


def read(content: Content) -> Classification:
    commands = CommandRegistry()
    commands.add(CommandSpec("later", COMMANDS.help_help, nothing))
    commands.add(CommandSpec("now", COMMANDS.help_help, nothing, is_control=True))
    return partial(classify, questions=Asked(), commands=commands)(ANYBODY, content)


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
        (Choice("x:1", "Yes"), Classification("answer", "control")),
        (Text("sí"), Classification("answer", "control")),
        (Reaction(OLD, "👍"), Classification("change", ref_id=OLD)),
        (Edit(OLD, Text("/now")), Classification("change", ref_id=OLD)),
        (Revoke(OLD), Classification("change", ref_id=OLD)),
        (System("user_changed_number"), Classification("system")),
    ],
)
def test_each_message_has_one_purpose_and_one_lane(content: Content, expected: Classification) -> None:
    assert read(content) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_last_word_is_known_in_every_language(language: str) -> None:
    word = next(say(PRIVACY.forget_word, known) for known in LANGUAGES if known == language)
    assert read(Text(f"  {word.lower()}!")) == Classification("erase_confirmation", "control")


async def purposes(app: AppUnderTest) -> list[Purpose | None]:
    async with Database.open(app.data_dir / "wasap.db") as db:
        return [row["purpose"] for row in await db.fetch_all("SELECT purpose FROM inbox ORDER BY id")]


async def test_what_a_message_is_stands_beside_it(app: AppUnderTest) -> None:
    await app.say(ALICE, "hola")
    await app.say(ALICE, "/help")
    assert await purposes(app) == ["conversation", "command"]


async def test_a_message_of_an_older_version_is_read_when_its_turn_begins(app: AppUnderTest) -> None:
    app.llm.block()
    await app.receive(ALICE, "write a novel")
    async with asyncio.timeout(5):
        await app.llm.started.wait()
    await app.receive(ALICE, "/clear")
    async with Database.open(app.data_dir / "wasap.db") as db, db.transaction() as tx:
        assert await tx.execute("UPDATE inbox SET purpose = NULL WHERE state = 'pending'") == 1
    app.llm.release()
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: write a novel", say(CONVERSATION.cleared, "en")]
