"""Days and snapshots: kept once, found by words, gone with what they were made of, never somebody else's."""

import inspect
from collections.abc import AsyncIterator
from datetime import date, timedelta

import pytest

from app.database.repositories.summaries import HistoryId, Standing, Summaries, Summary
from app.domain.ids import ConversationId, TurnId, UserId
from app.memory.jobs import Backlog
from app.memory.past import DayEvent, Days, Snapshots
from tests.talks import ANN, BOB, NOON, Talks, talking

MONDAY = date(2026, 8, 3)


@pytest.fixture
async def talks() -> AsyncIterator[Talks]:
    async with talking() as world:
        yield world


async def note(talks: Talks, text: str, *, day: date = MONDAY, user_id: UserId = ANN, turn: int = 1) -> bool:
    async with talks.db.transaction() as tx:
        return await talks.repository.days.add(user_id, DayEvent(day, text, TurnId(turn), NOON), tx=tx)


async def keep(talks: Talks, title: str, text: str, user_id: UserId = ANN) -> None:
    await talks.say("something", user_id=user_id)
    conversation_id = await talks.open(user_id)
    await talks.clear(user_id)
    base = await standing(talks, conversation_id, user_id)
    assert await talks.repository.snapshots.add(
        user_id, conversation_id, title=title, text=text, base=base, at=NOON
    )


async def standing(talks: Talks, conversation_id: ConversationId, user_id: UserId = ANN) -> Standing:
    found = await talks.repository.summaries.read(user_id, conversation_id)
    assert found is not None
    return found


@pytest.mark.parametrize("repository", [Days, Snapshots, Summaries], ids=lambda cls: cls.__name__)
def test_every_method_asks_first_whose_rows_it_is_about(repository: type) -> None:
    methods = [one for name, one in inspect.getmembers(repository, inspect.isfunction) if name[0] != "_"]
    assert methods
    assert {list(inspect.signature(one).parameters)[1] for one in methods} == {"user_id"}


async def test_an_event_is_kept_once_for_each_day(talks: Talks) -> None:
    assert await note(talks, "signed the lease")
    assert not await note(talks, "signed the lease", turn=2)
    assert await note(talks, "signed the lease", day=MONDAY + timedelta(days=1))
    assert len(await talks.repository.days.list_between(ANN, MONDAY, MONDAY, limit=9)) == 1


async def test_the_newest_events_of_the_days_asked_for_come_in_order(talks: Talks) -> None:
    for offset in range(4):
        await note(talks, f"event {offset}", day=MONDAY + timedelta(days=offset))
    found = await talks.repository.days.list_between(ANN, MONDAY, MONDAY + timedelta(days=2), limit=2)
    assert [event.text for event in found] == ["event 1", "event 2"]


async def test_events_and_snapshots_are_found_by_words_without_accents_and_only_by_their_owner(
    talks: Talks,
) -> None:
    await note(talks, "hoy cobré el alquiler")
    await note(talks, "cobré yo también", user_id=BOB)
    await keep(talks, "Viaje a Córdoba", "user: ¿qué llevo a las sierras?")
    await keep(talks, "Cordoba, España", "user: la mezquita", BOB)
    assert [one.text for one in await talks.repository.days.search(ANN, "cobre", limit=9)] == [
        "hoy cobré el alquiler"
    ]
    found = await talks.repository.snapshots.search(ANN, "CORDOBA", limit=9)
    assert [(one.number, one.title) for one in found] == [(1, "Viaje a Córdoba")]


async def test_any_text_is_a_query(talks: Talks) -> None:
    await note(talks, "100% done 🎉")
    await keep(talks, "Party 🎉", "user: ok")
    for query in ("🎉", '"', "a OR", "%", "", "text:x", "("):
        await talks.repository.days.search(ANN, query, limit=3)
        await talks.repository.snapshots.search(ANN, query, limit=3)
    assert len(await talks.repository.days.search(ANN, "🎉", limit=3)) == 1
    assert len(await talks.repository.snapshots.search(ANN, "🎉", limit=3)) == 1


async def test_an_ended_conversation_has_one_snapshot_and_an_open_one_none(talks: Talks) -> None:
    await talks.say("hello")
    conversation_id = await talks.open()
    snapshots = talks.repository.snapshots
    base = await standing(talks, conversation_id)
    assert not await snapshots.add(ANN, conversation_id, title="t", text="x", base=base, at=NOON)
    await talks.clear()
    assert await snapshots.add(ANN, conversation_id, title="t", text="x", base=base, at=NOON)
    assert not await snapshots.add(ANN, conversation_id, title="t", text="x", base=base, at=NOON)
    assert not await snapshots.add(BOB, conversation_id, title="t", text="x", base=base, at=NOON)
    assert [(one.number, one.title) for one in await snapshots.list_recent(ANN, limit=9)] == [(1, "t")]


@pytest.mark.parametrize("deed", ["revoke", "edit"])
async def test_what_was_derived_from_a_message_goes_with_it(talks: Talks, deed: str) -> None:
    turn = await talks.say("hoy vi a Carla")
    later = await talks.say("ok")
    await note(talks, "hoy vi a Carla", turn=turn)
    await note(talks, "another day", turn=later)
    conversation_id = await talks.open()
    base = await fold_all(talks, conversation_id)
    await talks.clear()
    assert await talks.repository.snapshots.add(
        ANN, conversation_id, title="Carla", text="vi a Carla", base=base, at=NOON
    )
    assert await Backlog(talks.db).settle() == 1
    assert await Backlog(talks.db).settle() == 0
    await (talks.revoke(turn) if deed == "revoke" else talks.edit(turn, "hoy vi a Marta"))
    after = await standing(talks, conversation_id)
    assert after.summary is None
    assert [one.id for one in after.messages] == await talks.ids()
    assert await talks.repository.snapshots.search(ANN, "Carla", limit=9) == []
    left = await talks.repository.days.list_between(ANN, MONDAY, MONDAY, limit=9)
    assert [event.text for event in left] == ["another day"]
    assert [due.conversation_id for due in await Backlog(talks.db).list_unkept(limit=9)] == [conversation_id]


async def test_a_reaction_changes_nothing_that_was_derived(talks: Talks) -> None:
    await talks.say("hello")
    conversation_id = await talks.open()
    await fold_all(talks, conversation_id)
    before = await standing(talks, conversation_id)
    async with talks.db.transaction() as tx:
        await tx.execute("UPDATE messages SET reaction = '👍', text = text")
    assert await standing(talks, conversation_id) == before


async def test_nothing_hangs_on_a_conversation_of_somebody_else(talks: Talks) -> None:
    await talks.say("mine")
    conversation_id = await talks.open()
    base = await standing(talks, conversation_id)
    stolen = Summary("not yours", base.messages[-1].id)
    assert await talks.repository.summaries.read(BOB, conversation_id) is None
    assert not await talks.repository.summaries.fold(BOB, conversation_id, stolen, base=base, at=NOON)


async def test_forgetting_a_person_leaves_no_trace_of_their_days(talks: Talks) -> None:
    await note(talks, "event of ann")
    await keep(talks, "Title of ann", "user: text of ann")
    await talks.say("again")
    await fold_all(talks, await talks.open())
    async with talks.db.transaction() as tx:
        await tx.execute("DELETE FROM users WHERE user_id = ?", ANN)
    for table in ("daily_events", "snapshots", "summaries", "daily_events_fts", "snapshots_fts"):
        assert await talks.db.fetch_all(f"SELECT * FROM {table}") == [], table
    # An index of PostgreSQL is a table of words, which is empty as seen above.
    for index in ("daily_events_fts", "snapshots_fts") if talks.db.engine == "sqlite" else ():
        async with talks.db.transaction() as tx:
            await tx.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")


async def test_a_summary_covers_only_what_facts_were_taken_out_of(talks: Talks) -> None:
    await talks.say("hello")
    conversation_id = await talks.open()
    base = await standing(talks, conversation_id)
    summary = Summary("they greeted each other", base.messages[-1].id)
    assert not await talks.repository.summaries.fold(ANN, conversation_id, summary, base=base, at=NOON)
    assert await fold_all(talks, conversation_id)
    assert not await talks.repository.summaries.fold(ANN, conversation_id, summary, base=base, at=NOON)


async def test_the_backlog_names_what_each_conversation_owes(talks: Talks) -> None:
    backlog = Backlog(talks.db)
    await talks.open(BOB)
    await talks.clear(BOB)
    for n in range(4):
        await talks.say(f"message {n}")
    mine = await talks.open()
    early = NOON - timedelta(minutes=1)
    assert await backlog.list_unkept(limit=9) == []
    assert [d.conversation_id for d in await backlog.list_long(over_messages=7, over_bytes=999, limit=9)] == [mine]
    assert [d.conversation_id for d in await backlog.list_long(over_messages=9, over_bytes=9, limit=9)] == [mine]
    assert await backlog.list_long(over_messages=8, over_bytes=999, limit=9) == []
    assert await backlog.list_unread(at_least=5, quiet_since=early, limit=9) == []
    assert len(await backlog.list_unread(at_least=4, quiet_since=early, limit=9)) == 1
    assert len(await backlog.list_unread(at_least=5, quiet_since=NOON, limit=9)) == 1
    await talks.clear()
    assert len(await backlog.list_unread(at_least=5, quiet_since=early, limit=9)) == 1
    assert [(d.user_id, d.conversation_id) for d in await backlog.list_unkept(limit=9)] == [(ANN, mine)]
    assert await backlog.settle() == 1, "nothing is owed to Bob's, in which nothing was said"
    assert len(await backlog.list_unread(at_least=5, quiet_since=early, limit=9)) == 1
    assert await backlog.list_long(over_messages=1, over_bytes=1, limit=9) == []


async def fold_all(talks: Talks, conversation_id: ConversationId) -> Standing:
    """Let a summary stand for everything there is; returns what is true before that."""
    base = await standing(talks, conversation_id)
    through = HistoryId(base.messages[-1].id)
    async with talks.db.transaction() as tx:
        assert await talks.repository.summaries.mark_extracted(ANN, conversation_id, through, base=base, tx=tx)
    assert await talks.repository.summaries.fold(
        ANN, conversation_id, Summary("all that was said", through), base=base, at=NOON
    )
    return base
