"""What is remembered about a person: merged, corrected, forgotten, taken back, found."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from app.database.db import Database
from app.database.repository import Repository
from app.domain.clock import to_ms
from app.domain.errors import ToolFault
from app.domain.ids import TurnId, UserId
from app.memory.repository import Memory, MemoryRepository
from app.memory.service import MAX_FACT_CHARS, CloseMatches, Forgotten, MemoryService, Remembered
from tests.fakes.clock import FrozenClock

ANN = UserId("ann")
BOB = UserId("bob")
NOW = datetime(2026, 8, 4, 12, tzinfo=UTC)


class Mind:
    """The service over a real database."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.changed: list[UserId] = []
        self.repository = MemoryRepository(Repository(db), db)
        self.service = MemoryService(self.repository, FrozenClock(NOW), on_change=self.changed.append)

    async def learns(self, text: str, turn: int | None = None, *, user: UserId = ANN) -> Remembered:
        return await self.service.remember(user, text, turn_id=None if turn is None else TurnId(turn))

    async def knows(self, user: UserId = ANN) -> list[str]:
        return [one.text for one in await self.service.list_active(user)]

    async def rows(self, user: UserId = ANN) -> list[tuple[str, str, str | None]]:
        rows = await self.db.fetch_all("SELECT * FROM memories WHERE user_id = ? ORDER BY id", user)
        return [(row["text"], row["state"], row["reason"]) for row in rows]


@pytest.fixture
async def mind(database: str) -> AsyncIterator[Mind]:
    async with Database.open(database) as db:
        async with db.transaction() as tx:
            for user_id in (ANN, BOB):
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'en', 0, 0)",
                    user_id,
                )
        yield Mind(db)


async def test_a_fact_is_kept_with_its_category_and_number(mind: Mind) -> None:
    done = await mind.learns("  Mi hija se llama Ana \r\n", 3)
    assert done.kind == "added"
    assert done.memory is not None
    assert (done.memory.number, done.memory.text, done.memory.category) == (1, "Mi hija se llama Ana", "family")
    assert mind.changed == [ANN]


async def test_the_same_turn_tried_again_adds_nothing(mind: Mind) -> None:
    first = await mind.learns("tengo un perro", 3)
    again = await mind.learns("Tengo un perro!", 3)
    assert (again.kind, again.memory) == ("known", first.memory)
    assert len(await mind.rows()) == 1
    assert mind.changed == [ANN]


async def test_a_correction_tried_again_changes_nothing(mind: Mind) -> None:
    await mind.learns("vivo en Madrid", 1)
    first = await mind.learns("vivo en Lisboa", 2)
    again = await mind.learns("vivo en Lisboa", 2)
    late = await mind.learns("vivo en Madrid", 1)
    assert (again.kind, again.memory) == (late.kind, late.memory) == ("known", first.memory)
    assert await mind.knows() == ["vivo en Lisboa"]


async def test_the_newer_of_two_contradicting_facts_wins_and_the_older_keeps_the_reason(mind: Mind) -> None:
    await mind.learns("vivo en Madrid", 1)
    done = await mind.learns("I live in Lisbon", 2)
    assert done.kind == "replaced"
    assert [one.text for one in done.replaced] == ["vivo en Madrid"]
    assert await mind.rows() == [
        ("vivo en Madrid", "inactive", "contradicted"),
        ("I live in Lisbon", "active", None),
    ]


async def test_an_older_message_that_is_read_late_does_not_undo_a_newer_one(mind: Mind) -> None:
    newer = await mind.learns("vivo en Lisboa", 9)
    late = await mind.learns("vivo en Madrid", 3)
    again = await mind.learns("vivo en Madrid", 3)
    assert (late.kind, late.memory, again.kind, again.memory) == ("outdated", newer.memory, "known", newer.memory)
    assert await mind.rows() == [
        ("vivo en Lisboa", "active", None),
        ("vivo en Madrid", "inactive", "contradicted"),
    ]
    await mind.service.forget_turn(ANN, TurnId(9))
    assert [(one.text, one.number) for one in await mind.service.list_active(ANN)] == [("vivo en Madrid", 2)]


async def test_an_older_message_does_not_undo_what_was_typed_since(mind: Mind) -> None:
    async with mind.db.transaction() as tx:
        await tx.execute("INSERT INTO conversations(id, user_id, started_at) VALUES (1, 'ann', 0)")
        for turn, at in ((3, NOW - timedelta(hours=1)), (4, NOW + timedelta(hours=1))):
            await tx.execute(
                "INSERT INTO messages(user_id, conversation_id, turn_id, role, text, created_at)"
                " VALUES ('ann', 1, ?, 'user', 'x', ?)",
                turn,
                to_ms(at),
            )
    await mind.learns("vivo en Lisboa")
    assert (await mind.learns("vivo en Madrid", 3)).kind == "outdated"
    assert await mind.knows() == ["vivo en Lisboa"]
    assert (await mind.learns("vivo en Roma", 4)).kind == "replaced"


async def test_the_more_informative_wording_is_kept(mind: Mind) -> None:
    await mind.learns("tengo un perro", 1)
    more = await mind.learns("tengo un perro llamado Toby", 2)
    less = await mind.learns("tengo un perro", 3)
    assert (more.kind, less.kind, less.memory) == ("merged", "known", more.memory)
    assert await mind.knows() == ["tengo un perro llamado Toby"]


async def test_facts_that_do_not_contradict_live_side_by_side(mind: Mind) -> None:
    for text in ("tengo un perro", "tengo un gato", "mi hija se llama Ana", "mi hija se llama Eva"):
        assert (await mind.learns(text)).kind == "added"
    assert len(await mind.knows()) == 4


async def test_two_people_with_the_same_words_do_not_meet(mind: Mind) -> None:
    await mind.learns("vivo en Madrid", 1)
    assert (await mind.learns("vivo en Madrid", 2, user=BOB)).kind == "added"
    assert (await mind.learns("vivo en Lisboa", 3, user=BOB)).kind == "replaced"
    assert await mind.knows() == ["vivo en Madrid"]
    assert await mind.service.forget(BOB, "vivo en Madrid") == CloseMatches(
        tuple(await mind.service.list_active(BOB))
    )
    assert (await mind.service.forget_turn(BOB, TurnId(1))).removed == ()
    assert await mind.knows() == ["vivo en Madrid"]


@pytest.mark.parametrize(
    ("text", "code"), [(" \n ", "memory_empty"), ("x" * (MAX_FACT_CHARS + 1), "memory_too_long")]
)
async def test_no_text_and_too_much_text_are_refused(mind: Mind, text: str, code: str) -> None:
    with pytest.raises(ToolFault) as refused:
        await mind.learns(text)
    assert refused.value.code == code
    assert await mind.rows() == []


async def test_concurrent_facts_are_all_judged_against_each_other(mind: Mind) -> None:
    towns = ["Madrid", "Lisboa", "Roma", "Lima", "Oslo"]
    await asyncio.gather(*(mind.learns(f"vivo en {town}", turn) for turn, town in enumerate(towns, start=1)))
    assert len(await mind.knows()) == 1
    assert len(await mind.rows()) == len(towns)


async def test_a_fact_is_forgotten_by_number_or_by_its_words(mind: Mind) -> None:
    await mind.learns("tengo un perro")
    await mind.learns("Tengo un gato")
    by_number = await mind.service.forget(ANN, "#1")
    by_words = await mind.service.forget(ANN, "tengo un GATO.")
    assert isinstance(by_number, Forgotten)
    assert by_number.memory.text == "tengo un perro"
    assert isinstance(by_words, Forgotten)
    assert await mind.rows() == []


async def test_words_that_are_not_exact_forget_nothing_and_offer_what_is_close(mind: Mind) -> None:
    await mind.learns("tengo un perro llamado Toby")
    await mind.learns("el perro de Ana se llama Rex")
    await mind.learns("me gusta el café")
    close = await mind.service.forget(ANN, "perro")
    assert isinstance(close, CloseMatches)
    assert {one.number for one in close.candidates} == {1, 2}
    assert await mind.service.forget(ANN, "99") == CloseMatches(())
    assert len(await mind.knows()) == 3


async def test_a_forgotten_fact_leaves_no_text_and_older_messages_do_not_bring_it_back(mind: Mind) -> None:
    await mind.learns("mi clave es 1234", 3)
    await mind.learns("mi clave es 1234", 4)
    assert isinstance(await mind.service.forget(ANN, "1"), Forgotten)
    assert await mind.rows() == []
    kept = await mind.db.fetch_all("SELECT fingerprint FROM forgotten_memories")
    assert kept
    assert not any("1234" in row["fingerprint"] for row in kept)
    again = await mind.learns("Mi clave es: 1234", 3)
    assert (again.kind, again.memory) == ("forgotten", None)
    assert (await mind.learns("mi clave es 1234", 5)).kind == "added"


async def test_what_a_forgotten_fact_contradicted_stays_untrue(mind: Mind) -> None:
    await mind.learns("vivo en Madrid", 1)
    await mind.learns("vivo en Lisboa", 2)
    await mind.service.forget(ANN, "2")
    assert await mind.rows() == [("vivo en Madrid", "inactive", "contradicted")]


async def test_a_revoked_correction_brings_back_what_it_replaced(mind: Mind) -> None:
    await mind.learns("vivo en Madrid", 1)
    await mind.learns("vivo en Lisboa", 2)
    await mind.learns("tengo un gato", 2)
    done = await mind.service.forget_turn(ANN, TurnId(2))
    assert {one.text for one in done.removed} == {"vivo en Lisboa", "tengo un gato"}
    assert [(one.text, one.number) for one in done.restored] == [("vivo en Madrid", 1)]
    assert await mind.rows() == [("vivo en Madrid", "active", None)]
    assert (await mind.service.forget_turn(ANN, TurnId(2))).removed == ()


async def test_a_fact_that_another_message_said_too_survives_under_its_number(mind: Mind) -> None:
    await mind.learns("vivo en Madrid", 1)
    await mind.learns("vivo en Lisboa", 2)
    await mind.learns("Vivo en Lisboa", 3)
    await mind.service.forget_turn(ANN, TurnId(2))
    active = await mind.service.list_active(ANN)
    assert [(one.text, one.number, one.turn_id) for one in active] == [("Vivo en Lisboa", 2, 3)]
    await mind.service.forget_turn(ANN, TurnId(3))
    assert await mind.knows() == ["vivo en Madrid"]


async def test_revoking_the_middle_of_a_chain_keeps_its_ends_together(mind: Mind) -> None:
    for turn, town in enumerate(("Madrid", "Lisboa", "Roma"), start=1):
        await mind.learns(f"vivo en {town}", turn)
    await mind.service.forget_turn(ANN, TurnId(2))
    assert await mind.knows() == ["vivo en Roma"]
    await mind.service.forget_turn(ANN, TurnId(3))
    assert await mind.knows() == ["vivo en Madrid"]


async def test_revoking_an_older_message_does_not_touch_the_newer_fact(mind: Mind) -> None:
    await mind.learns("tengo un perro", 1)
    await mind.learns("tengo un perro llamado Toby", 2)
    await mind.service.forget_turn(ANN, TurnId(1))
    assert await mind.rows() == [("tengo un perro llamado Toby", "active", None)]


async def test_facts_are_recalled_by_words_with_the_reason(mind: Mind) -> None:
    await mind.learns("mi hija se llama Ana")
    await mind.learns("me gusta el café")
    found = await mind.service.recall(ANN, "¿Cómo se llaman mis hijas?", limit=5)
    assert [(one.memory.text, one.why.kind, one.why.words) for one in found] == [
        ("mi hija se llama Ana", "words", ("hija",))
    ]
    assert 0 < found[0].score < 1  # it holds some of the words


async def test_vector_hits_are_joined_and_those_of_others_are_ignored(mind: Mind) -> None:
    mine = [(await mind.learns(text)).memory for text in ("mi hija se llama Ana", "soy celíaca", "vivo en Oslo")]
    other = (await mind.learns("mi hija se llama Eva", user=BOB)).memory
    ids = [one.id for one in (*mine, other) if one is not None]
    similar = [(ids[1], 0.9), (ids[0], 0.5), (ids[3], 0.99), (4711, 1.0)]
    found = await mind.service.recall(ANN, "hija", limit=5, similar=similar)
    assert [(one.memory.id, one.why.kind) for one in found] == [(ids[0], "both"), (ids[1], "meaning")]
    assert [round(one.score, 2) for one in found] == [0.75, 0.5]
    alone = await mind.service.recall(ANN, "gluten", limit=5, similar=similar)
    assert [(one.memory.id, round(one.score, 2)) for one in alone] == [(ids[1], 1.0), (ids[0], 0.5)]


async def test_the_services_own_search_is_asked_when_no_hits_are_given(mind: Mind) -> None:
    asked: list[tuple[UserId, str, int]] = []
    fact = (await mind.learns("soy celíaca")).memory
    assert fact is not None

    async def search(user_id: UserId, text: str, limit: int) -> Sequence[tuple[int, float]]:
        asked.append((user_id, text, limit))
        return [(fact.id, 0.8)]

    service = MemoryService(mind.repository, FrozenClock(NOW), search=search)
    found: list[Memory] = [one.memory for one in await service.recall(ANN, "¿puedo comer pan?", limit=3)]
    assert found == [fact]
    assert asked == [(ANN, "¿puedo comer pan?", 3)]


async def test_nothing_is_recalled_for_a_text_without_words(mind: Mind) -> None:
    await mind.learns("me gusta el café")
    assert await mind.service.recall(ANN, "…", limit=5) == []
