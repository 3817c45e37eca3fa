"""What people take back or correct takes effect, whatever else happens to the messages around it."""

import asyncio

import pytest

from app.database.db import Database
from app.domain.errors import Permanent
from app.simulator import payloads
from app.simulator.payloads import JsonObject
from tests.builders import ALICE, message, text_message
from tests.harness import PEOPLE, AppUnderTest

SECRET = "my password is swordfish"


async def does(app: AppUnderTest, content: JsonObject) -> None:
    await app.graph.receive(PEOPLE[ALICE], content)


async def while_a_turn_runs(app: AppUnderTest, content: JsonObject) -> None:
    """Do something behind a running turn, and cancel that turn."""
    app.llm.block()
    await app.receive(ALICE, "write a novel")
    async with asyncio.timeout(5):
        await app.llm.started.wait()
    await does(app, content)
    await app.receive(ALICE, "/cancel")
    await app.idle()
    app.llm.release()


async def next_prompt(app: AppUnderTest) -> str:
    await app.say(ALICE, "next")
    return "\n".join(one.content for one in app.llm.requests[-1].messages)


@pytest.mark.needs("conversation")
async def test_cancelling_a_turn_does_not_keep_a_message_that_was_revoked(app: AppUnderTest) -> None:
    secret = await app.say(ALICE, SECRET)
    await while_a_turn_runs(app, payloads.revoke(secret))
    assert SECRET not in await next_prompt(app)


@pytest.mark.needs("conversation")
async def test_cancelling_a_turn_does_not_undo_an_edit(app: AppUnderTest) -> None:
    written = await app.say(ALICE, "I live in Rome")
    await while_a_turn_runs(app, payloads.edit(written, payloads.text("I live in Oslo")))
    prompt = await next_prompt(app)
    assert "I live in Oslo" in prompt
    assert "I live in Rome" not in prompt.replace("echo: I live in Rome", "")


@pytest.mark.needs("conversation")
async def test_a_cancelled_message_is_not_answered_after_all(app: AppUnderTest) -> None:
    written = await app.say(ALICE, "hello")
    await while_a_turn_runs(app, payloads.reaction(written, "👍"))
    await app.say(ALICE, "next")
    assert "echo: write a novel" not in app.replies_to(ALICE)


async def test_a_revoked_message_leaves_none_of_its_edits_on_disk(app: AppUnderTest) -> None:
    written = await app.say(ALICE, "hello")
    app.llm.add("I see.")
    await does(app, payloads.edit(written, payloads.text(SECRET)))
    await app.idle()
    await does(app, payloads.revoke(written))
    await app.idle()
    async with Database.open(app.database) as db:
        for table, column in (("inbox", "payload"), ("messages", "text")):
            rows = await db.fetch_all(f"SELECT {column} FROM {table} WHERE {column} LIKE '%swordfish%'")
            assert rows == []


async def test_an_edit_that_is_revoked_before_its_message_arrives_does_no_harm(app: AppUnderTest) -> None:
    edit = {"original_message_id": "wamid.late", "message": {"type": "text", "text": {"body": "x"}}}
    await app.post(message("edit", edit, id="wamid.edit"))
    await app.idle()
    await app.post(message("revoke", {"original_message_id": "wamid.edit"}))
    await app.idle()
    assert await app.post(text_message("hello", id="wamid.late")) == 200
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: hello"]


@pytest.mark.parametrize("failures", [1, 2])
async def test_what_was_not_answered_is_part_of_the_next_question(app: AppUnderTest, failures: int) -> None:
    app.llm.add(*[Permanent("llm_model_missing")] * failures)
    for n in range(failures):
        await app.say(ALICE, f"question {n}")
    await app.say(ALICE, "and now?")
    [_, newest] = app.llm.requests[-1].messages
    assert newest.role == "user"
    expected = "\n".join([*(f"question {n}" for n in range(failures)), "and now?"])
    assert newest.content.startswith(f"{expected}\n\n")
