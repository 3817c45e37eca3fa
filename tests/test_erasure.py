"""Who asks to be forgotten is forgotten everywhere, is told so, and nobody else notices."""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from app.database.db import Database, Transaction
from app.database.repositories.inbox import Claim, NewRow
from app.database.repository import Repository
from app.database.vectors import open_index
from app.domain.errors import Conflict
from app.domain.ids import ConversationId, TurnId, UserId, WaMessageId
from app.domain.inbound import InboundMessage, Sender, Text
from app.domain.outbound import Reply, decode_outbound
from app.domain.phones import phone_alias
from app.domain.recollection import Former
from app.domain.turn import TurnContext
from app.files.folder import FolderFiles
from app.language.catalogue import say
from app.pipeline.answering.handler import MessageHandler
from app.pipeline.answering.outcome import Outcome
from app.pipeline.delivering.delivery import Delivery
from app.pipeline.queueing.lanes import RushHour
from app.privacy.erasure import Belongings, Eraser
from app.privacy.ownership import Ownership
from app.privacy.texts import PRIVACY
from app.security.audit import AuditTrail, CallFacts, CallOutcome
from app.simulator.graph import SimulatedGraph
from app.whatsapp.graph import GraphClient
from tests.builders import ALICE, BOB, PHONE_NUMBER_ID
from tests.databases import migrated
from tests.fakes.clock import FrozenClock
from tests.owned_rows import RowMaker, rows_of

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HER_WORD, HIS_WORD = "quetzalcoatlus", "ornitorrinco"
WITHOUT_OWNER = {
    "schema_migrations",
    "processed_messages",
    "strangers",
    "audit_anchor",
    "audit_events",
    "erasures",
    "tool_index",
    "tool_vectors",
    "tool_rules",
    "processes",
    "unread_texts",
    "charges_of_nobody",
    "spending_warnings",
    "message_templates",
}
"""Whose rows are nobody's: message ids, numbers turned away, tools with their rules, templates, ids that go with
their texts, two that outlive people on purpose, and what the account pays for people who are gone, counted by hour
and country."""


@dataclass
class World:
    """Alice and Bob with the same things, each in their own words, and an eraser over them."""

    db: Database
    clock: FrozenClock
    users_dir: Path
    alice: UserId
    bob: UserId
    woken: list[UserId] = field(default_factory=list)
    cancelled: list[tuple[UserId, TurnId]] = field(default_factory=list)
    forgotten: list[Former] = field(default_factory=list)

    @property
    def repository(self) -> Repository:
        return Repository(self.db)

    @property
    def eraser(self) -> Eraser:
        """A new one each time: nothing may depend on what an earlier process remembered."""
        return Eraser(
            self.repository,
            Ownership(self.db),
            self.clock,
            control=self,
            belongings=Belongings(FolderFiles(self.users_dir), elsewhere=(self._forget,)),
            wake_delivery=self.woken.extend,
        )

    async def cancel(self, user_id: UserId, before: TurnId) -> bool:
        self.cancelled.append((user_id, before))
        return True

    async def _forget(self, former: Former) -> None:
        self.forgotten.append(former)

    async def owed_to(self, user_id: UserId) -> list[str]:
        rows = await self.db.fetch_all(
            "SELECT payload FROM outbox WHERE user_id = ? AND state = 'pending' ORDER BY id", user_id
        )
        return [getattr(decode_outbound(row["payload"]), "body", "") for row in rows]

    async def settle_outbox(self, state: str = "sent") -> None:
        async with self.db.transaction() as tx:
            await tx.execute("UPDATE outbox SET state = ? WHERE state = 'pending'", state)

    async def ids(self) -> set[str]:
        return {row["user_id"] for row in await self.db.fetch_all("SELECT user_id FROM users")}

    def files(self) -> dict[str, bytes]:
        return {
            str(Path(name).relative_to(self.users_dir)): data for name, data in contents(self.users_dir).items()
        }


async def confirmed(tx: Transaction) -> bool:
    return True


async def too_late(tx: Transaction) -> bool:
    return False


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    users_dir = tmp_path / "users"
    async with migrated(tmp_path / "wasap.db") as db:
        maker = RowMaker(db)
        alice = await maker.add_person(ALICE, HER_WORD, NOW)
        bob = await maker.add_person(BOB, HIS_WORD, NOW)
        for user_id, word in ((alice, HER_WORD), (bob, HIS_WORD)):
            folder = users_dir / user_id / "deep"
            folder.mkdir(parents=True)
            (folder / "file.txt").write_text(word)
            (users_dir / user_id / "MEMORY.md").write_text(word)
        yield World(db, FrozenClock(NOW), users_dir, alice, bob)


async def test_the_people_of_these_tests_have_something_in_every_table_that_has_an_owner(world: World) -> None:
    for user_id in (world.alice, world.bob):
        found = await rows_of(world.db, user_id)
        assert [table for table, rows in found.items() if not rows and table != "audit_events"] == []


async def test_every_table_has_an_owner_or_was_thought_about(world: World) -> None:
    rows = await world.db.fetch_all("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    names = {row["name"] for row in rows if not row["name"].startswith("sqlite_")}
    assert names - WITHOUT_OWNER == set(await Ownership(world.db).list_tables())


async def test_everything_of_hers_goes_and_all_of_his_stays_byte_for_byte(world: World) -> None:
    his_rows = await rows_of(world.db, world.bob)
    his_files = {name: data for name, data in world.files().items() if name.startswith(world.bob)}

    assert await world.eraser.erase(world.alice, "es", confirmed=confirmed)

    hers = {table: rows for table, rows in (await rows_of(world.db, world.alice)).items() if rows}
    assert set(hers) == {"users", "outbox"}
    assert HER_WORD not in str(hers)
    assert await world.owed_to(world.alice) == [say(PRIVACY.erased, "es")]
    assert world.files() == his_files

    await world.settle_outbox()
    assert await world.eraser.finish_erasures() == 1
    assert not any((await rows_of(world.db, world.alice)).values())
    assert await rows_of(world.db, world.bob) == his_rows
    assert world.files() == his_files
    assert await world.ids() == {world.bob}


async def test_none_of_her_words_is_left_in_any_file(world: World, tmp_path: Path) -> None:
    assert any(HER_WORD.encode() in data for data in contents(tmp_path).values())
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    await world.settle_outbox()
    await world.eraser.finish_erasures()
    stored = contents(tmp_path)
    assert [name for name, data in stored.items() if HER_WORD.encode() in data or ALICE.encode() in data] == []
    assert any(HIS_WORD.encode() in data for data in stored.values())


@pytest.mark.needs("notes", "projects")
async def test_his_words_are_still_found_and_hers_are_not(world: World) -> None:
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    await world.settle_outbox()
    await world.eraser.finish_erasures()
    indexes = await world.db.fetch_all(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%USING fts5%'"
        " AND name <> 'tool_index_fts'"
    )
    assert len(indexes) >= 5
    for row in indexes:
        for word, count in ((HER_WORD, 0), (HIS_WORD, 1)):
            hits = await world.db.fetch_all(f"SELECT 1 FROM {row['name']} WHERE {row['name']} MATCH ?", word)
            assert len(hits) == count, (row["name"], word)


async def test_her_vectors_leave_the_index_and_his_stay(world: World) -> None:
    if not world.db.has_vectors:
        pytest.skip("sqlite-vec does not load here, so there is no index")
    near = struct.pack("<2f", 1.0, 0.0)
    for owner_id, user_id in enumerate((world.alice, world.bob)):
        async with world.db.transaction() as tx:
            await tx.execute(
                "INSERT INTO embeddings(user_id, kind, owner_id, model, dims, vector, created_at)"
                " VALUES (?, 'note', ?, 'a model', 2, ?, 1)",
                user_id,
                owner_id,
                near,
            )
    await open_index(world.db, "a model")
    assert len(await world.db.fetch_all("SELECT user_id FROM vec_embeddings")) == 2
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    held = await world.db.fetch_all("SELECT user_id FROM vec_embeddings")
    assert [row["user_id"] for row in held] == [world.bob]


async def test_whose_confirmation_counts_no_more_is_not_erased(world: World) -> None:
    hers = await rows_of(world.db, world.alice)
    assert not await world.eraser.erase(world.alice, "es", confirmed=too_late)
    assert world.woken == []
    assert await rows_of(world.db, world.alice) == hers


async def test_her_running_turn_is_cancelled_and_the_confirmation_is_sent_at_once(world: World) -> None:
    await world.eraser.erase(world.alice, "en", confirmed=confirmed)
    [(user_id, before)] = world.cancelled
    assert user_id == world.alice
    assert before > 10**12
    assert world.woken == [world.alice]


async def test_the_turn_that_asked_for_it_says_nothing_more(world: World) -> None:
    repository = world.repository
    word = InboundMessage(
        WaMessageId("wamid.word"), PHONE_NUMBER_ID, Sender(wa_id=ALICE), NOW, Text("BORRAR TODO")
    )
    async with repository.transaction() as tx:
        row = NewRow(world.alice, word, "control", False, NOW, NOW)
        await repository.inbox_queue.accept([row], tx=tx)
    [pending] = await repository.inbox.list_pending(world.alice, "control")
    claim = await repository.inbox.claim(world.alice, TurnId(pending.id), [pending.id])
    ctx = TurnContext(claim.turn_id, world.alice, ConversationId(1), 1, NOW, "es", is_admin=False)

    async def open_turn(claim: Claim, now: datetime) -> TurnContext:
        return ctx

    async def erase_her(claim: Claim, ctx: TurnContext) -> Outcome:
        await world.eraser.erase(world.alice, "es", confirmed=confirmed)
        return Outcome("command_forget-me", Reply("never sent"))

    handler = MessageHandler(
        repository,
        world.clock,
        open_turn=open_turn,
        route=erase_her,
        carries_secret=lambda text: False,
        wake_delivery=world.woken.extend,
    )
    with pytest.raises(Conflict):
        await handler.handle(claim)
    assert await world.owed_to(world.alice) == [say(PRIVACY.erased, "es")]
    again = await world.db.fetch_one("SELECT 1 FROM processed_messages WHERE message_id = 'wamid.word'")
    assert again is not None


async def test_her_number_is_nobodys_at_once_and_she_begins_as_somebody_new(world: World) -> None:
    alias = phone_alias(ALICE)
    repository = world.repository
    async with repository.transaction() as tx:
        await repository.directory.record_stranger(alias, HER_WORD, NOW, tx=tx)
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    async with repository.transaction() as tx:
        assert await repository.directory.find_authors([alias], tx=tx) == {}
        anew = await repository.directory.create(Sender(wa_id=ALICE), "es", NOW, tx=tx)
        await repository.users.add_alias(anew, alias, NOW, tx=tx)
    assert await repository.directory.list_strangers() == []
    await world.settle_outbox()
    assert await world.eraser.finish_erasures() == 1
    assert await world.ids() == {anew, world.bob}
    async with repository.transaction() as tx:
        assert (await repository.directory.find_authors([alias], tx=tx))[alias].user_id == anew


async def test_nobody_is_removed_before_they_were_told(world: World) -> None:
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    assert await world.eraser.finish_erasures() == 0
    for state in ("sending", "unknown", "held"):
        async with world.db.transaction() as tx:
            await tx.execute("UPDATE outbox SET state = ? WHERE user_id = ?", state, world.alice)
        assert await world.eraser.finish_erasures() == 0
    assert world.alice in await world.ids()
    async with world.db.transaction() as tx:
        await tx.execute("UPDATE outbox SET state = 'failed' WHERE user_id = ?", world.alice)
    assert await world.eraser.finish_erasures() == 1
    assert await world.eraser.finish_erasures() == 0


async def test_who_cannot_be_told_within_a_day_is_removed_all_the_same(world: World) -> None:
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    await world.clock.advance(timedelta(hours=24).total_seconds() - 1)
    assert await world.eraser.finish_erasures() == 0
    await world.clock.advance(1)
    assert await world.eraser.finish_erasures() == 1
    assert await world.ids() == {world.bob}


async def test_what_a_turn_that_was_cut_off_still_wrote_goes_too(world: World) -> None:
    """The same as a crash between the steps: rows and files are there although the erasure began."""
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    async with world.db.transaction() as tx:
        await tx.execute("INSERT INTO user_numbers(user_id, kind, last) VALUES (?, ?, 1)", world.alice, HER_WORD)
    (world.users_dir / world.alice).mkdir()
    (world.users_dir / world.alice / "late.txt").write_text(HER_WORD)
    await world.settle_outbox()
    assert await world.eraser.finish_erasures() == 1
    assert not any((await rows_of(world.db, world.alice)).values())
    (world.users_dir / world.alice).mkdir()
    assert await world.eraser.finish_erasures() == 0
    assert {path.name for path in world.users_dir.iterdir()} == {world.bob}


async def test_files_that_cannot_be_removed_now_hold_the_end_up_and_nothing_else(world: World) -> None:
    real = world.users_dir
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    await world.settle_outbox()
    real.rename(real.with_name("away"))
    real.write_text("a file where the folder was")
    assert await world.eraser.finish_erasures() == 0
    real.unlink()
    real.with_name("away").rename(real)
    assert await world.eraser.finish_erasures() == 1


async def test_a_link_in_place_of_her_folder_is_removed_and_what_it_leads_to_is_not(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious/file.txt").write_text("mine")
    folder = world.users_dir / world.alice
    (folder / "deep/file.txt").unlink()
    (folder / "deep").rmdir()
    (folder / "deep").symlink_to(tmp_path / "precious")
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    assert not folder.exists()
    folder.symlink_to(tmp_path / "precious")
    await world.settle_outbox()
    await world.eraser.finish_erasures()
    assert not folder.is_symlink()
    assert (tmp_path / "precious/file.txt").read_text() == "mine"


async def test_an_id_that_is_no_id_leads_to_no_folder(world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.execute("INSERT INTO erasures(former_id, requested_at, completed_at) VALUES ('..', 1, 1)")
        await tx.execute("INSERT INTO erasures(former_id, requested_at, completed_at) VALUES ('', 1, 1)")
    await world.eraser.finish_erasures()
    assert len(world.files()) == 4


async def test_whom_a_restored_backup_brings_back_is_removed_without_a_word(world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.execute(
            "INSERT INTO erasures(former_id, requested_at, completed_at) VALUES (?, 1, 2)", world.alice
        )
        await tx.execute("UPDATE outbox SET state = 'pending'")
    assert await world.eraser.finish_erasures() == 1
    assert await world.ids() == {world.bob}
    assert not (world.users_dir / world.alice).exists()


async def test_every_other_place_is_told_whom_to_forget(world: World) -> None:
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    assert world.forgotten == []
    await world.settle_outbox()
    await world.eraser.finish_erasures()
    [former] = world.forgotten
    assert (former.user_id, former.address.wa_id) == (world.alice, ALICE)


async def test_the_audit_trail_keeps_its_chain_and_loses_what_she_said(world: World, tmp_path: Path) -> None:
    trail = AuditTrail(world.repository, world.clock, head_file=tmp_path / "audit.head", key=b"a key")
    async with world.db.transaction() as tx:
        # Made up, and so without a record.
        await tx.execute("DELETE FROM tool_journal")

    async def call(user_id: UserId, word: str) -> None:
        facts = CallFacts(user_id, TurnId(1), "save_note", {"title": word})
        await trail.record_outcome(facts, "run", CallOutcome("ok", word), intent_id=None)

    for user_id, word in ((world.alice, HER_WORD), (world.bob, HIS_WORD), (world.alice, HER_WORD)):
        await call(user_id, word)
    his = (await rows_of(world.db, world.bob))["audit_events"]
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    await world.settle_outbox()
    await world.eraser.finish_erasures()
    await call(world.alice, HER_WORD)  # a call that was cut off may record its end late
    await world.eraser.finish_erasures()

    hers = (await rows_of(world.db, world.alice))["audit_events"]
    assert len(hers) == 6
    assert HER_WORD not in str(hers)
    assert (await rows_of(world.db, world.bob))["audit_events"] == his
    assert await trail.verify() == []


@asynccontextmanager
async def delivering(world: World) -> AsyncIterator[tuple[SimulatedGraph, Delivery]]:
    """Delivery to a simulated Graph, as bootstrap wires it."""
    token = "a-token-that-only-tests-know"
    graph = SimulatedGraph(PHONE_NUMBER_ID, access_token=token, now=world.clock.now, sleep=world.clock.sleep)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(graph.app)) as http:
        messenger = GraphClient(
            http,
            base_url="http://graph.test",
            version="v26.0",
            phone_number_id=PHONE_NUMBER_ID,
            access_token=token,
        )
        delivery = Delivery(world.repository, messenger, world.clock, RushHour())
        yield graph, delivery
        await delivery.aclose(1)


async def test_the_confirmation_reaches_her_phone_as_the_last_message_also_after_a_crash(world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.execute("UPDATE outbox SET state = 'pending'")
    await world.eraser.erase(world.alice, "es", confirmed=confirmed)
    # The process died before delivery was woken; the next one takes up what is owed, and finishes.
    async with delivering(world) as (graph, delivery), asyncio.timeout(5):
        assert await world.eraser.finish_erasures() == 0
        async with world.db.transaction() as tx:
            await tx.execute("DELETE FROM outbox WHERE user_id = ?", world.bob)
        await delivery.recover()
        await delivery.take_up()
        await delivery.idle()
        assert [(send.recipient, send.text) for send in graph.sends] == [(ALICE, say(PRIVACY.erased, "es"))]
        assert await world.eraser.finish_erasures() == 1
        delivery.wake([world.alice])
        await delivery.idle()
        assert len(graph.sends) == 1
