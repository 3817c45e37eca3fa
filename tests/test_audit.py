"""The audit trail shows every change to it, keeps no secret, and remembers what a turn already did."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.main import verify_audit
from app.database.db import Database, Value
from app.database.repository import Repository
from app.domain.errors import ConfigError, Conflict
from app.domain.ids import TurnId, UserId
from app.domain.inbound import Sender
from app.domain.tools import ToolResult
from app.security.audit import AuditTrail, CallFacts, CallOutcome, call_hash, canonical_json
from tests.databases import migrated
from tests.fakes.clock import FrozenClock
from tests.raw import without_triggers

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
KEY = b"a key that only tests know"
SECRET = "hunter2-abcdef"


@pytest.fixture
async def db(database: str) -> AsyncIterator[Database]:
    async with Database.open(database) as opened:
        yield opened


@pytest.fixture
async def alice(db: Database) -> UserId:
    repository = Repository(db)
    async with repository.transaction() as tx:
        return await repository.directory.create(Sender(wa_id="1"), "es", NOW, tx=tx)


def trail_over(db: Database, folder: Path, key: bytes | None = None) -> AuditTrail:
    return AuditTrail(
        Repository(db), FrozenClock(NOW), head_file=folder / "audit.head", key=key, known_secrets=(SECRET,)
    )


def call(user_id: UserId, number: int = 0, **arguments: object) -> CallFacts:
    return CallFacts(user_id, TurnId(7), "save_note", arguments or {"title": f"note {number}"})


async def record_calls(trail: AuditTrail, user_id: UserId, count: int = 3) -> None:
    for number in range(count):
        facts = call(user_id, number)
        intent_id = await trail.record_intent(facts, "run")
        await trail.record_outcome(facts, "run", CallOutcome("ok", f"Saved note {number}."), intent_id=intent_id)


async def tamper(db: Database, *statements: tuple[str, *tuple[Value, ...]]) -> None:
    """Do what somebody with the file in hands can do: the triggers are no obstacle to them."""
    async with db.transaction() as tx:
        await without_triggers(db, tx)
        for sql, *values in statements:
            await tx.execute(sql, *values)


@pytest.mark.parametrize("key", [None, KEY])
async def test_an_untouched_trail_is_whole(db: Database, tmp_path: Path, alice: UserId, key: bytes | None) -> None:
    trail = trail_over(db, tmp_path, key)
    assert await trail.verify() == []
    await record_calls(trail, alice)
    assert await trail.verify() == []


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("at", 1),
        ("actor", "bob"),
        ("turn_id", 8),
        ("tool", "save_nota"),
        ("phase", "intent"),
        ("intent_id", 1),
        ("verdict", "failed"),
        ("duration_ms", 1),
        ("content_hash", "0" * 64),
        ("previous_hash", "0" * 64),
        ("entry_hash", "0" * 64),
    ],
)
async def test_a_changed_field_is_found(
    db: Database, tmp_path: Path, alice: UserId, key: bytes | None, column: str, value: Value
) -> None:
    trail = trail_over(db, tmp_path, key)
    await record_calls(trail, alice)
    await tamper(db, (f"UPDATE audit_events SET {column} = ? WHERE id = 4", value))
    findings = await trail.verify()
    assert any("record 4" in finding for finding in findings), findings


async def test_a_changed_byte_of_the_content_is_found(db: Database, tmp_path: Path, alice: UserId) -> None:
    trail = trail_over(db, tmp_path)
    await record_calls(trail, alice)
    await tamper(db, ("UPDATE audit_events SET content = replace(content, 'note 1', 'note 2') WHERE id = 3",))
    assert await trail.verify() == ["record 3: its content was changed"]


@pytest.mark.parametrize(
    ("removed", "finding"),
    [
        ((1,), "record 1 is missing"),
        ((3,), "record 3 is missing"),
        ((3, 4), "records 3 to 4 are missing"),
        ((6,), "record 6 at the end is missing"),
        ((5, 6), "records 5 to 6 at the end are missing"),
        ((1, 2, 3, 4, 5, 6), "records 1 to 6 at the end are missing"),
    ],
)
async def test_a_missing_record_is_found_wherever_it_was(
    db: Database, tmp_path: Path, alice: UserId, removed: tuple[int, ...], finding: str
) -> None:
    trail = trail_over(db, tmp_path)
    await record_calls(trail, alice)
    await tamper(db, *(("DELETE FROM audit_events WHERE id = ?", number) for number in removed))
    assert await trail.verify() == [finding]


async def test_two_swapped_records_are_found(db: Database, tmp_path: Path, alice: UserId) -> None:
    trail = trail_over(db, tmp_path)
    await record_calls(trail, alice)
    move = "UPDATE audit_events SET id = ? WHERE id = ?"
    await tamper(db, (move, 99, 3), (move, 3, 4), (move, 4, 99))
    findings = await trail.verify()
    assert {"record 3 was changed", "record 4 was changed"} <= set(findings)


async def test_a_removed_record_is_found_although_the_others_were_renumbered(
    db: Database, tmp_path: Path, alice: UserId
) -> None:
    trail = trail_over(db, tmp_path)
    await record_calls(trail, alice)
    await tamper(
        db, ("DELETE FROM audit_events WHERE id = 3",), ("UPDATE audit_events SET id = id - 1 WHERE id > 3",)
    )
    assert "record 3 was changed" in await trail.verify()


async def test_without_the_key_nobody_can_forge_a_chain(db: Database, tmp_path: Path, alice: UserId) -> None:
    await record_calls(trail_over(db, tmp_path, key=None), alice)
    findings = await trail_over(db, tmp_path, KEY).verify()
    assert "record 1 was changed" in findings
    assert "the head file was changed" in findings


async def test_a_head_file_that_was_cut_back_with_the_records_is_found_by_the_key(
    db: Database, tmp_path: Path, alice: UserId
) -> None:
    trail = trail_over(db, tmp_path, KEY)
    await record_calls(trail, alice)
    await tamper(db, ("DELETE FROM audit_events WHERE id > 4",))
    rows = await db.fetch_all("SELECT entry_hash FROM audit_events WHERE id = 4")
    (tmp_path / "audit.head").write_text(json.dumps({"count": 4, "hash": rows[0][0], "mac": ""}))
    assert await trail.verify() == ["the head file was changed"]


@pytest.mark.parametrize(
    ("content", "finding"),
    [(None, "head file is missing"), (b"{", "unreadable"), (b'{"count":6,"hash":"x"}', "not the one in the head")],
)
async def test_a_lost_or_broken_head_file_is_told(
    db: Database, tmp_path: Path, alice: UserId, content: bytes | None, finding: str
) -> None:
    trail, head = trail_over(db, tmp_path), tmp_path / "audit.head"
    await record_calls(trail, alice)
    head.unlink() if content is None else head.write_bytes(content)
    assert [finding in told for told in await trail.verify()] == [True]


async def test_a_head_that_a_crash_left_behind_is_no_fault(db: Database, tmp_path: Path, alice: UserId) -> None:
    trail, head = trail_over(db, tmp_path), tmp_path / "audit.head"
    await record_calls(trail, alice, 2)
    older = head.read_bytes()
    await record_calls(trail, alice, 1)
    head.write_bytes(older)
    assert await trail.verify() == []


async def test_an_unwritable_head_loses_no_record(db: Database, tmp_path: Path, alice: UserId) -> None:
    trail = trail_over(db, tmp_path)
    (tmp_path / "audit.head").mkdir()
    await record_calls(trail, alice, 1)
    assert len(await Repository(db).audit_events.list_after(0, 10)) == 2


async def test_records_are_neither_deleted_nor_changed_through_the_database(
    db: Database, tmp_path: Path, alice: UserId
) -> None:
    await record_calls(trail_over(db, tmp_path), alice)
    for sql in (
        "DELETE FROM audit_events",
        "UPDATE audit_events SET verdict = 'x'",
        "UPDATE audit_events SET content = 'x'",
    ):
        with pytest.raises(Exception, match="audit event"):
            async with db.transaction() as tx:
                await tx.execute(sql)


async def test_forgetting_a_person_blanks_what_was_said_and_the_chain_stays_whole(
    db: Database, tmp_path: Path, alice: UserId
) -> None:
    trail = trail_over(db, tmp_path)
    await record_calls(trail, alice)
    async with db.transaction() as tx:
        assert await tx.execute("UPDATE audit_events SET content = NULL WHERE actor = ?", alice) == 6
    assert await trail.verify() == [f"record {number}: its content was removed" for number in range(1, 7)]
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO erasures(former_id, requested_at) VALUES (?, 0)", alice)
        await tx.execute("DELETE FROM users WHERE user_id = ?", alice)
    assert [event.content for event in await Repository(db).audit_events.list_after(0, 10)] == [None] * 6
    assert await trail.verify() == []


async def test_equal_contents_have_different_hashes_so_that_blanked_ones_cannot_be_guessed(
    db: Database, tmp_path: Path, alice: UserId
) -> None:
    trail = trail_over(db, tmp_path)
    await trail.record_intent(call(alice), "run")
    await trail.record_intent(call(alice), "run")
    first, second = await Repository(db).audit_events.list_after(0, 10)
    assert first.content_hash != second.content_hash


@pytest.mark.parametrize(
    "arguments",
    [
        {"api_key": "abcdef"},
        {"nested": {"Password": "abcdef"}},
        {"text": "use Bearer abcdefghijkl now"},
        {"list": ["x", "sk-abcdefabcdefabcdef"]},
        {"tokens": ["abcdef"]},
        {"text": f"it is {SECRET}"},
        {"key": "-----BEGIN RSA PRIVATE KEY-----\nabcdef\n-----END RSA PRIVATE KEY-----"},
    ],
)
async def test_no_secret_reaches_the_trail(
    db: Database, tmp_path: Path, alice: UserId, arguments: dict[str, object]
) -> None:
    facts = replace(call(alice), arguments=arguments)
    outcome = CallOutcome("ok", json.dumps(arguments) if "text" in arguments else "")
    await trail_over(db, tmp_path).record_outcome(facts, "run", outcome, intent_id=None)
    contents = "".join(event.content or "" for event in await Repository(db).audit_events.list_after(0, 10))
    assert "[redacted]" in contents
    assert "abcdef" not in contents


async def test_long_results_are_cut(db: Database, tmp_path: Path, alice: UserId) -> None:
    facts = call(alice, text="y" * 9000)
    await trail_over(db, tmp_path).record_outcome(facts, "run", CallOutcome("ok", "x" * 9000), intent_id=None)
    for event in await Repository(db).audit_events.list_after(0, 10):
        assert len(event.content or "") < 1000


async def test_records_written_side_by_side_form_one_chain(db: Database, tmp_path: Path, alice: UserId) -> None:
    trail = trail_over(db, tmp_path)
    async with asyncio.timeout(5):
        await asyncio.gather(*(record_calls(trail, alice, 2) for _ in range(10)))
    events = await Repository(db).audit_events.list_after(0, 100)
    assert [event.id for event in events] == list(range(1, 41))
    assert await trail.verify() == []


async def test_an_outcome_names_its_intent(db: Database, tmp_path: Path, alice: UserId) -> None:
    trail = trail_over(db, tmp_path)
    first = await trail.record_intent(call(alice, 1), "run")
    await trail.record_outcome(call(alice, 2), "run", CallOutcome("ok", ""), intent_id=None)
    await trail.record_outcome(call(alice, 1), "run", CallOutcome("failed", ""), intent_id=first)
    events = await Repository(db).audit_events.list_after(0, 10)
    assert [(event.phase, event.intent_id, event.verdict) for event in events] == [
        ("intent", 1, "run"),
        ("intent", 2, "run"),
        ("outcome", 2, "ok"),
        ("outcome", 1, "failed"),
    ]


async def test_the_command_line_verifies_beside_an_open_database(tmp_path: Path) -> None:
    file = tmp_path / "app.db"
    async with migrated(file) as db:
        await record_calls(trail_over(db, tmp_path, KEY), UserId("somebody"))
        assert await verify_audit(file, tmp_path / "audit.head", KEY) == []
        await tamper(db, ("DELETE FROM audit_events WHERE id = 2",))
        assert await verify_audit(file, tmp_path / "audit.head", KEY) == ["record 2 is missing"]


async def test_the_command_line_does_not_take_a_missing_database_for_a_whole_trail(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        await verify_audit(tmp_path / "absent.db", tmp_path / "audit.head", None)
    assert not (tmp_path / "absent.db").exists()


async def test_what_a_turn_did_is_found_by_its_retry(db: Database, tmp_path: Path, alice: UserId) -> None:
    facts, result = call(alice), ToolResult.ok("Saved note 1.")
    before_crash = trail_over(db, tmp_path)
    assert await before_crash.find_done(facts) is None
    assert await before_crash.start(facts)
    begun = await trail_over(db, tmp_path).find_done(facts)
    assert begun is not None
    assert begun.result is None
    await before_crash.record_outcome(facts, "run", CallOutcome("ok", "", journalled=result), intent_id=None)
    done = await trail_over(db, tmp_path).find_done(facts)
    assert done is not None
    assert done.result == result


async def test_a_call_is_started_once(db: Database, tmp_path: Path, alice: UserId) -> None:
    trail = trail_over(db, tmp_path)
    async with asyncio.timeout(5):
        assert sorted(await asyncio.gather(*(trail.start(call(alice)) for _ in range(5)))) == [False] * 4 + [True]


async def test_finishing_what_was_never_started_is_a_conflict_and_records_nothing(
    db: Database, tmp_path: Path, alice: UserId
) -> None:
    trail, outcome = trail_over(db, tmp_path), CallOutcome("ok", "", journalled=ToolResult.ok(""))
    with pytest.raises(Conflict):
        await trail.record_outcome(call(alice), "run", outcome, intent_id=None)
    assert await Repository(db).audit_events.list_after(0, 10) == []


async def test_a_turns_deeds_are_listed_for_its_person_only(db: Database, tmp_path: Path, alice: UserId) -> None:
    trail = trail_over(db, tmp_path)
    await trail.start(call(alice, 1))
    journal = Repository(db).tool_journal
    listed = await journal.list_for_turn(alice, TurnId(7))
    assert [(entry.tool, entry.result) for entry in listed] == [("save_note", None)]
    assert await journal.list_for_turn(UserId("bob"), TurnId(7)) == []
    assert await trail.find_done(call(UserId("bob"), 1)) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=4))
def test_the_order_of_arguments_does_not_matter_to_what_stands_for_a_call(arguments: dict[str, object]) -> None:
    turned = dict(reversed(list(arguments.items())))
    assert call_hash("tool", turned) == call_hash("tool", arguments)
    assert json.loads(canonical_json(arguments)) == arguments


@given(
    st.dictionaries(st.text(max_size=2), JSON, max_size=2), st.dictionaries(st.text(max_size=2), JSON, max_size=2)
)
def test_different_arguments_are_different_calls(one: dict[str, object], other: dict[str, object]) -> None:
    is_same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (call_hash("tool", one) == call_hash("tool", other)) is is_same


@pytest.mark.parametrize("key", [None, KEY])
async def test_what_is_kept_no_longer_leaves_a_trail_that_can_be_verified(
    db: Database, tmp_path: Path, alice: UserId, key: bytes | None
) -> None:
    trail = trail_over(db, tmp_path, key)
    await record_calls(trail, alice, 3)
    assert await trail.prune(NOW) == 0, "nothing is older than that"
    assert await trail.prune(NOW + timedelta(days=1)) == 5, "the newest record stays, to be followed"
    assert await trail.verify() == []
    await record_calls(trail, alice, 2)
    assert await trail.prune(NOW + timedelta(days=1)) == 4
    assert await trail.verify() == []


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ("DELETE FROM audit_anchor", "records 1 to 5 are missing"),
        ("UPDATE audit_anchor SET last_hash = 'x'", "the anchor of what is kept no longer was changed"),
        ("DELETE FROM audit_events WHERE id = 6", "record 6 is missing"),
    ],
)
async def test_who_uses_the_anchor_to_hide_more_is_found(
    db: Database, tmp_path: Path, alice: UserId, change: str, finding: str
) -> None:
    trail = trail_over(db, tmp_path, KEY)
    await record_calls(trail, alice, 3)
    await trail.prune(NOW + timedelta(days=1))
    await record_calls(trail, alice, 1)
    await tamper(db, (change,))
    assert finding in await trail.verify()


async def test_no_record_is_deleted_that_the_anchor_does_not_stand_for(
    db: Database, tmp_path: Path, alice: UserId
) -> None:
    trail = trail_over(db, tmp_path)
    await record_calls(trail, alice, 3)
    await trail.prune(NOW + timedelta(days=1))
    with pytest.raises(Exception, match="never deleted"):
        async with db.transaction() as tx:
            await tx.execute("DELETE FROM audit_events")
    with pytest.raises(Exception, match="only moves on"):
        async with db.transaction() as tx:
            await tx.execute("UPDATE audit_anchor SET last_id = 1")
