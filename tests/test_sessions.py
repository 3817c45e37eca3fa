"""What stays of a conversation that ended: one snapshot, titled, bounded, and the days around it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date, timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.repositories.conversations import StoredMessage
from app.database.repositories.summaries import HistoryId, HistoryMessage, Standing, Summary
from app.domain.errors import Transient
from app.domain.ids import ConversationId, TurnId, UserId
from app.jobs import Job, JobRunner
from app.llm.prompts import load_prompt
from app.memory.extraction import Extractor
from app.memory.jobs import Backlog, due_extraction, due_snapshots, due_summaries
from app.memory.past import DayEvent, Snapshot
from app.memory.sessions import MAX_SNAPSHOT_CHARS, Sessions, snapshot_text, usable_title
from app.memory.summarizer import FoldLimits, Summarizer
from tests.fakes.llm import ScriptedChatModel
from tests.talks import ANN, BOB, NOON, FactBook, Talks, talking

TODAY = date(2026, 8, 4)


class Archive:
    def __init__(self, talks: Talks, *, timezone: str = "UTC") -> None:
        self.talks = talks
        self.model = ScriptedChatModel()
        self.sessions = Sessions(
            talks.repository, self.model, talks.clock, prompt=load_prompt("app.memory", "title"), timezone=timezone
        )

    async def end(self, user_id: UserId = ANN) -> ConversationId:
        conversation_id = await self.talks.open(user_id)
        await self.talks.clear(user_id)
        return conversation_id

    async def kept(self, user_id: UserId = ANN) -> list[Snapshot]:
        return await self.talks.repository.snapshots.list_recent(user_id, limit=99)


@pytest.fixture
async def archive() -> AsyncIterator[Archive]:
    async with talking() as talks:
        yield Archive(talks)


async def test_an_ended_conversation_is_kept_once_with_title_and_lines(archive: Archive) -> None:
    await archive.talks.say("¿cómo hago masa madre?", answer="Con harina y agua.")
    conversation_id = await archive.end()
    archive.model.add("**Masa madre**\nThat is the title.", "Another")
    assert await archive.sessions.keep(ANN, conversation_id)
    assert not await archive.sessions.keep(ANN, conversation_id)
    [snapshot] = await archive.kept()
    assert snapshot.title == "Masa madre"
    assert snapshot.text == "user: ¿cómo hago masa madre?\nassistant: Con harina y agua."
    assert (snapshot.number, snapshot.ended_at) == (1, NOON)


async def test_an_open_or_empty_conversation_is_not_kept(archive: Archive) -> None:
    empty = await archive.end()
    await archive.talks.say("hello")
    assert not await archive.sessions.keep(ANN, empty)
    assert not await archive.sessions.keep(ANN, await archive.talks.open())
    assert not await archive.sessions.keep(BOB, await archive.end())
    assert await archive.kept() == []


@pytest.mark.parametrize("line", [Transient("llm_busy"), "", '{"title": "x"}', "word " * 30, "user", "```"])
async def test_without_a_usable_title_the_first_words_and_the_date_are_one(
    archive: Archive, line: str | Exception
) -> None:
    await archive.talks.say("need a recipe for bread, please\nwith seeds")
    archive.model.add(line)
    assert await archive.sessions.keep(ANN, await archive.end())
    assert [one.title for one in await archive.kept()] == ["need a recipe for bread, please (2026-08-04)"]


async def test_a_message_taken_back_meanwhile_is_in_no_snapshot(archive: Archive) -> None:
    secret = await archive.talks.say("the code is 4711")
    await archive.talks.say("what is for lunch")
    conversation_id = await archive.end()
    archive.model.add("The code", "Lunch")
    archive.model.block()
    keeping = asyncio.create_task(archive.sessions.keep(ANN, conversation_id))
    async with asyncio.timeout(5):
        await archive.model.started.wait()
        await archive.talks.revoke(secret)
        archive.model.release()
        assert not await keeping
    assert await archive.sessions.keep(ANN, conversation_id)
    [snapshot] = await archive.kept()
    assert "4711" not in snapshot.text
    assert snapshot.title == "Lunch"


MESSAGES = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=400)), max_size=80)


def standing_of(said: list[tuple[str, str]], summary: str) -> Standing:
    messages = tuple(
        HistoryMessage(
            HistoryId(n), StoredMessage("user" if role == "user" else "assistant", text, TurnId(n), NOON)
        )
        for n, (role, text) in enumerate(said, 1)
    )
    return Standing(0, HistoryId(0), NOON, NOON, Summary(summary, HistoryId(0)) if summary else None, messages)


@given(MESSAGES, st.text(max_size=3_000))
def test_a_snapshot_is_bounded_and_in_order(said: list[tuple[str, str]], summary: str) -> None:
    text = snapshot_text(standing_of(said, summary))
    assert len(text) <= MAX_SNAPSHOT_CHARS


def test_what_the_person_said_goes_before_what_was_answered() -> None:
    said = [(role, f"{role} {n} " + "x" * 150) for n in range(20) for role in ("user", "assistant")]
    lines = snapshot_text(standing_of(said, "They talked.")).splitlines()
    assert lines[0] == "They talked."
    assert sum(line.startswith("user:") for line in lines) == 20
    assert 0 < sum(line.startswith("assistant:") for line in lines) < 20
    numbers = [int(line.split()[2]) for line in lines[1:]]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ('"Pan casero."', "Pan casero"),
        ("Title: Trip to Rome", "Trip to Rome"),
        ("# Mudanza\n\nEspero que sirva", "Mudanza"),
        ("...", None),
        ("a b c d e f g h i", None),
    ],
)
def test_a_title_is_a_few_words_on_one_line(answer: str, title: str | None) -> None:
    assert usable_title(answer) == title


async def test_the_last_days_are_told_in_order_and_within_bounds(archive: Archive) -> None:
    days = archive.talks.repository.days
    async with archive.talks.db.transaction() as tx:
        for ago in range(4):
            day = TODAY - timedelta(days=ago)
            for n in range(2):
                await days.add(ANN, DayEvent(day, f"event {ago}.{n} " + "x" * 30, TurnId(1), NOON), tx=tx)
        await days.add(BOB, DayEvent(TODAY, "bob's event", TurnId(2), NOON), tx=tx)
    log = await archive.sessions.recent_days(ANN, TODAY)
    tails = [line[:11] for line in log.splitlines()]
    assert tails == ["2026-08-03:", "- event 1.0", "- event 1.1", "2026-08-04:", "- event 0.0", "- event 0.1"]
    short = await archive.sessions.recent_days(ANN, TODAY, limit_chars=110)
    assert [line[:11] for line in short.splitlines()] == ["2026-08-04:", "- event 0.0", "- event 0.1"]
    assert len(short) <= 110
    assert await archive.sessions.recent_days(ANN, TODAY + timedelta(days=9)) == ""


class Night:
    """All jobs of memory over one database, with a model that always finds words."""

    def __init__(self, talks: Talks) -> None:
        self.talks = talks
        self.book = FactBook()
        self.busy: set[UserId] = set()
        self.limits = FoldLimits(over_messages=12, keep_messages=4)
        self.backfilled = [3]
        self.model = ScriptedChatModel(echo=True)
        repository, backlog, clock = talks.repository, Backlog(talks.db), talks.clock
        extractor = Extractor(
            repository, self.model, self.book, prompt=load_prompt("app.memory", "extract"), timezone="UTC"
        )
        summarizer = Summarizer(
            repository,
            SummaryModel(),
            extractor,
            clock,
            prompt=load_prompt("app.memory", "summarize"),
            limits=self.limits,
        )
        sessions = Sessions(
            repository, self.model, clock, prompt=load_prompt("app.memory", "title"), timezone="UTC"
        )
        self.jobs: tuple[Job, ...] = (
            due_extraction(backlog, extractor, clock, self.is_idle),
            due_summaries(backlog, summarizer, self.limits, clock, self.is_idle),
            due_snapshots(backlog, sessions, clock, self.is_idle),
            Job("embeddings", partial(self.backfill, 64)),
        )

    def is_idle(self, user_id: UserId) -> bool:
        return user_id not in self.busy

    async def backfill(self, limit: int) -> int:
        return min(limit, self.backfilled.pop()) if self.backfilled else 0

    async def pass_by(self) -> None:
        runner = JobRunner(self.jobs, self.talks.clock)
        async with asyncio.timeout(10), runner.running():
            await runner.idle()


class SummaryModel(ScriptedChatModel):
    def __init__(self) -> None:
        super().__init__(*["They spoke about many numbers, one after the other, for a long time."] * 20)


async def test_the_jobs_do_all_that_is_owed_and_then_rest() -> None:
    async with talking() as talks:
        night = Night(talks)
        for n in range(10):
            await talks.say(f"me gusta el número {n}")
            await talks.say(f"hola {n}", user_id=BOB)
        ended = await talks.open(BOB)
        await talks.clear(BOB)
        await night.pass_by()
        standing = await talks.repository.summaries.read(ANN, await talks.open())
        assert standing is not None
        assert len(standing.messages) == 4
        assert "me gusta el número 9" not in night.book.of()
        assert "me gusta el número 7" in night.book.of()
        snapshots = await talks.repository.snapshots.list_recent(BOB, limit=9)
        assert [one.conversation_id for one in snapshots] == [ended]
        assert night.backfilled == []
        await talks.clock.advance(301)
        await night.pass_by()
        assert len(night.book.of()) == 10
        requests = len(night.model.requests)
        await night.pass_by()
        assert len(night.model.requests) == requests


async def test_nobody_who_waits_for_an_answer_is_worked_on() -> None:
    async with talking() as talks:
        night = Night(talks)
        night.busy.add(ANN)
        await talks.say("me llamo Ana")
        await talks.clear()
        await night.pass_by()
        assert night.model.requests == []
        night.busy.clear()
        await night.pass_by()
        assert night.book.of() == ["me llamo Ana"]


async def test_one_conversation_that_fails_holds_up_no_other() -> None:
    async with talking() as talks:
        night = Night(talks)
        night.model.add(Transient("llm_busy"))
        await talks.say("me llamo Ana")
        await talks.clear()
        await talks.say("me llamo Bob", user_id=BOB)
        await talks.clear(BOB)
        await night.pass_by()
        assert (night.book.of(ANN), night.book.of(BOB)) == ([], ["me llamo Bob"])
        assert len(await talks.repository.snapshots.list_recent(ANN, limit=9)) == 1
        await talks.clock.advance(31)
        await night.pass_by()
        assert night.book.of(ANN) == ["me llamo Ana"]
