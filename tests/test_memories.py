"""The table of facts: numbers, states, the index, and nobody else's rows."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from app.database.db import Database
from app.database.repositories.users import Directory
from app.domain.ids import TurnId, UserId
from app.memory.repository import Memories, Mirror, NewMemory
from tests.raw import assert_index_is_whole, indexed

ANN = UserId("1b1f6f0e-ann")
BOB = UserId("1b1f6f0e-bob")
NOW = datetime(2026, 8, 4, 12, tzinfo=UTC)


def fact(text: str, turn: int | None = None, category: str = "general") -> NewMemory:
    return NewMemory(text, text.lower(), category, None if turn is None else TurnId(turn))


@pytest.fixture
async def db(database: str) -> AsyncIterator[Database]:
    async with Database.open(database) as opened:
        async with opened.transaction() as tx:
            for user_id in (ANN, BOB):
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'en', 0, 0)",
                    user_id,
                )
        yield opened


async def test_a_number_is_never_given_twice(db: Database) -> None:
    memories = Memories(db)
    async with db.transaction() as tx:
        first = await memories.add(ANN, fact("one"), NOW, tx=tx)
        assert await memories.delete(ANN, first.id, tx=tx)
        second = await memories.add(ANN, fact("two"), NOW, tx=tx)
        other = await memories.add(BOB, fact("two"), NOW, tx=tx)
    assert (first.number, second.number, other.number) == (1, 2, 1)
    assert await memories.last_number(ANN) == 2
    assert await memories.find(ANN, 1) is None
    assert [one.text for one in await memories.list_active(ANN)] == ["two"]


async def test_a_fact_of_somebody_else_can_neither_be_read_nor_changed(db: Database) -> None:
    memories = Memories(db)
    async with db.transaction() as tx:
        mine = await memories.add(ANN, fact("the key is under the mat", 5), NOW, tx=tx)
        assert not await memories.delete(BOB, mine.id, tx=tx)
        assert not await memories.deactivate(BOB, mine.id, "merged", NOW, tx=tx)
        assert not await memories.rewrite(BOB, mine.id, fact("gone"), NOW, tx=tx)
        assert not await memories.reactivate(BOB, mine.id, NOW, tx=tx)
        assert await memories.list_of_turn(BOB, TurnId(5), tx=tx) == []
        assert await memories.find_said(BOB, TurnId(5), "the key is under the mat", tx=tx) is None
    assert await memories.find_by_id(BOB, mine.id) is None
    assert await memories.search(BOB, ["key"], limit=5) == []
    assert await memories.search(BOB, [ANN], limit=5) == []
    assert await memories.list_active_ids(BOB, [mine.id]) == []
    assert await memories.list_active(ANN) == [mine]


async def test_an_inactive_fact_is_not_found_and_comes_back_under_its_number(db: Database) -> None:
    memories = Memories(db)
    async with db.transaction() as tx:
        old = await memories.add(ANN, fact("Rayuela"), NOW, tx=tx)
        new = await memories.add(ANN, fact("Faust"), NOW, tx=tx)
        assert await memories.deactivate(ANN, old.id, "contradicted", NOW, replaced_by=new.id, tx=tx)
        assert not await memories.deactivate(ANN, old.id, "merged", NOW, tx=tx)
        assert [one.reason for one in await memories.list_behind(ANN, new.id, tx=tx)] == ["contradicted"]
    assert await memories.search(ANN, ["rayuela"], limit=5) == []
    assert await memories.list_active_ids(ANN, [old.id, new.id]) == [new]
    async with db.transaction() as tx:
        assert await memories.reactivate(ANN, old.id, NOW, tx=tx)
        assert not await memories.reactivate(ANN, old.id, NOW, tx=tx)
    back = await memories.find(ANN, 1)
    assert back is not None
    assert (back.state, back.reason, back.replaced_by) == ("active", None, None)


async def test_the_index_follows_every_change_and_forgets_with_the_person(db: Database) -> None:
    memories = Memories(db)
    async with db.transaction() as tx:
        mine = await memories.add(ANN, fact("Alérgica a las nueces"), NOW, tx=tx)
        await memories.add(BOB, fact("alergia"), NOW, tx=tx)
        await memories.rewrite(ANN, mine.id, fact("Alérgica al maní"), NOW, tx=tx)
    await assert_index_is_whole(db, "memories")
    assert await memories.search(ANN, ["nuec"], limit=5) == []
    found = await memories.search(ANN, ["alergic", "mani"], limit=5)
    assert [(one.text, score > 0) for one, score in found] == [("Alérgica al maní", True)]
    async with db.transaction() as tx:
        await tx.execute("DELETE FROM users WHERE user_id = ?", ANN)
    await assert_index_is_whole(db, "memories")
    assert await indexed(db, "memories", "alerg") == 1


@pytest.mark.parametrize("hostile", ['"', "a OR b", "user_id : x", "*", "NEAR(", "-", "3.5", "a@b.c", "😀"])
async def test_no_word_is_read_as_syntax(db: Database, hostile: str) -> None:
    assert await Memories(db).search(ANN, [hostile], limit=5) == []


async def test_what_was_forgotten_counts_for_the_messages_received_so_far(db: Database) -> None:
    memories = Memories(db)
    async with db.transaction() as tx:
        await memories.add(ANN, fact("one", 7), NOW, tx=tx)
        await memories.mark_forgotten(ANN, ["print"], None, tx=tx)
        await memories.mark_forgotten(ANN, ["print", "other"], None, tx=tx)
        assert await memories.is_forgotten(ANN, ["x", "print"], TurnId(7), tx=tx)
        assert not await memories.is_forgotten(ANN, ["print"], TurnId(8), tx=tx)
        assert not await memories.is_forgotten(ANN, ["x"], TurnId(7), tx=tx)
        assert not await memories.is_forgotten(BOB, ["print"], TurnId(7), tx=tx)
        await memories.mark_forgotten(ANN, ["late"], TurnId(20), tx=tx)
        assert await memories.is_forgotten(ANN, ["late"], TurnId(20), tx=tx)
        assert not await memories.is_forgotten(ANN, ["late"], TurnId(21), tx=tx)


async def test_the_state_of_the_mirror_is_kept_per_person(db: Database) -> None:
    memories = Memories(db)
    async with db.transaction() as tx:
        await memories.save_mirror(ANN, Mirror("a", "{}"), NOW, tx=tx)
        await memories.save_mirror(ANN, Mirror("b", "[]"), NOW, tx=tx)
    assert await memories.find_mirror(ANN) == Mirror("b", "[]")
    assert await memories.find_mirror(BOB) is None
    assert await Directory(db).list_all() == sorted([ANN, BOB])
