"""What a person does with what is known about them, from the phone and in the file."""

import io
import zipfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from app.language.catalogue import say
from app.memory.mirror import FILE_NAME
from app.privacy.texts import PRIVACY
from app.simulator import payloads
from app.simulator.transcript import RecordedSend
from tests.builders import ALICE
from tests.databases import dump_of
from tests.harness import PEOPLE, WAIT_S, AppUnderTest, running_app

LAST_WORD = say(PRIVACY.forget_word, "en")


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with running_app(tmp_path) as running:
        await running.say(ALICE, "good morning, how are you today?")
        yield running


def last_prompt(app: AppUnderTest) -> str:
    return "\n".join(one.content for one in app.llm.requests[-1].messages)


def last_send(app: AppUnderTest) -> RecordedSend:
    return [send for send in app.graph.sends if send.recipient == ALICE][-1]


def button_ids(send: RecordedSend) -> list[str]:
    interactive: Any = send.payload["interactive"]
    return [one["reply"]["id"] for one in interactive["action"]["buttons"]]


async def tap(app: AppUnderTest, button_id: str) -> None:
    await app.graph.receive(PEOPLE[ALICE], payloads.button_reply(button_id, "x"))
    await app.idle()


async def ask(app: AppUnderTest, text: str) -> str:
    """Write, and return the answer."""
    await app.say(ALICE, text)
    return app.replies_to(ALICE)[-1]


async def until(app: AppUnderTest, is_so: Callable[[], bool]) -> None:
    """Let time pass until that is so."""
    for _ in range(int(WAIT_S / 0.01)):
        if is_so():
            return
        await app.clock.advance(1)
        await app.services.idle()
    raise AssertionError("it did not come about")


def memory_file(app: AppUnderTest) -> Path:
    [folder] = app.data_dir.glob("users/*")
    return folder / FILE_NAME


async def quiet(app: AppUnderTest) -> None:
    """Five minutes without a word: then what was said is read for facts."""
    await app.clock.advance(301)
    await app.idle()


@pytest.mark.needs("oversight")
async def test_a_fact_is_kept_listed_and_recalled_and_why_says_so(app: AppUnderTest) -> None:
    await app.say(ALICE, "/remember my dog is called Toby")
    await app.say(ALICE, "/remember I am allergic to walnuts")
    listed = await ask(app, "/memories")
    assert "my dog is called Toby" in listed
    assert "allergic to walnuts" in listed

    await app.say(ALICE, "does the dog need a bath?")
    assert "Toby" in last_prompt(app)
    assert "Toby" in await ask(app, "/why")
    why = await ask(app, "/why details")
    [line] = [one for one in why.splitlines() if "Toby" in one]
    assert "words dog" in line
    assert "meaning 0." in line


async def test_close_matches_are_buttons_and_a_tap_forgets_that_one(app: AppUnderTest) -> None:
    await app.say(ALICE, "/remember my dog is called Toby")
    await app.say(ALICE, "/remember my dog is afraid of thunder")
    await app.say(ALICE, "/forget the dog")
    question = last_send(app)
    assert question.type == "interactive"
    [thunder] = [one for one in button_ids(question) if one.endswith("2")]

    await tap(app, thunder)

    assert "afraid of thunder" in app.replies_to(ALICE)[-1]
    left = await ask(app, "/memories")
    assert "Toby" in left
    assert "thunder" not in left
    await app.say(ALICE, "is the dog afraid?")
    assert "thunder" not in last_prompt(app)


async def test_the_file_follows_the_chat_and_the_next_turn_follows_the_file(app: AppUnderTest) -> None:
    await app.say(ALICE, "/remember my dog is called Toby")
    file = memory_file(app)
    await until(app, lambda: file.exists() and "Toby" in file.read_text())

    file.write_text(file.read_text().replace("Toby", "Canela") + "- my cat sleeps in the piano\n")
    await until(app, lambda: "<!--" in file.read_text().split("piano")[-1] or "piano" not in file.read_text())

    await app.say(ALICE, "what is my dog called, and where does the cat sleep?")
    assert "my dog is called Canela" in last_prompt(app)
    assert "piano" in last_prompt(app)
    assert "Toby" not in last_prompt(app)


@pytest.mark.needs("conversation")
async def test_a_revoked_message_takes_along_the_fact_that_was_learned_from_it(app: AppUnderTest) -> None:
    message_id = await app.say(ALICE, "by the way, my sister lives in Trondheim")
    await quiet(app)
    assert "Trondheim" in await ask(app, "/memories")

    await app.graph.receive(PEOPLE[ALICE], payloads.revoke(message_id))
    await app.idle()

    assert "Trondheim" not in await ask(app, "/memories")
    await app.say(ALICE, "/clear")
    await app.say(ALICE, "where does my sister live?")
    assert "Trondheim" not in last_prompt(app)
    file = memory_file(app)
    await until(app, lambda: not file.exists() or "Trondheim" not in file.read_text())


async def test_an_edited_message_changes_what_was_learned_from_it(app: AppUnderTest) -> None:
    message_id = await app.say(ALICE, "by the way, my sister lives in Trondheim")
    await quiet(app)

    edited = payloads.edit(message_id, payloads.text("by the way, my sister lives in Bergen"))
    await app.graph.receive(PEOPLE[ALICE], edited)
    await app.idle()
    assert "Trondheim" not in await ask(app, "/memories")
    await quiet(app)

    listed = await ask(app, "/memories")
    assert "my sister lives in Bergen" in listed
    assert "Trondheim" not in listed


@pytest.mark.needs("conversation")
async def test_both_sides_of_an_earlier_conversation_can_still_be_quoted(app: AppUnderTest) -> None:
    hers = await app.say(ALICE, "the password of the boat house is marzipan")
    ours = last_send(app).id
    await app.say(ALICE, "/clear")
    for quoted, author in ((hers, "the person"), (ours, "you")):
        await app.say(ALICE, "what does this say?", quote=quoted)
        assert f"quotes what {author} wrote before" in last_prompt(app)
        assert "marzipan" in app.llm.requests[-1].messages[-1].content


async def test_after_being_asked_twice_everything_is_gone_and_the_person_starts_as_new(app: AppUnderTest) -> None:
    await app.say(ALICE, "/remember my dog is called Toby")
    await app.say(ALICE, "I am so proud of Toby today, he won a prize")
    await quiet(app)
    await until(app, lambda: "Toby" in memory_file(app).read_text())
    await app.say(ALICE, "/export")
    assert "Toby" in exported(app)
    assert {"MEMORY.md", "the database"} <= await places_with(app, "Toby")

    await app.say(ALICE, "/forget-me")
    await tap(app, button_ids(last_send(app))[0])
    assert LAST_WORD in app.replies_to(ALICE)[-1]
    assert "Toby" in await ask(app, "/memories")
    assert await ask(app, LAST_WORD) == say(PRIVACY.erased, "en")
    await app.graph.idle()
    await app.clock.advance(61)
    await app.idle()

    assert list(app.data_dir.glob("users/*")) == []
    assert await places_with(app, "Toby") == set()
    await app.say(ALICE, "good evening, what is my dog called?")
    assert "Toby" not in last_prompt(app)
    assert len(app.llm.requests[-1].messages) == 2
    await app.say(ALICE, "/export")
    assert "Toby" not in exported(app)


async def places_with(app: AppUnderTest, word: str) -> set[str]:
    """The files of the service that hold a word, those of SQLite too, and whether the database shows it."""
    files = (path for path in app.data_dir.rglob("*") if path.is_file())
    kept = {"the database"} if word in await dump_of(app.database) else set()
    return kept | {path.name for path in files if word.encode() in path.read_bytes()}


def exported(app: AppUnderTest) -> str:
    """What stands in the file that the person was sent last."""
    document: Any = last_send(app).payload["document"]
    file = app.graph.media.find(document["id"])
    assert file is not None
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())
