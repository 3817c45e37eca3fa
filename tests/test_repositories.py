"""Rows move only from the states they may leave, once, and only for the person they belong to."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.database.db import Database
from app.database.repositories.conversations import NewMessage
from app.database.repositories.inbox import NewRow
from app.database.repositories.users import Author, Trust
from app.database.repository import Repository
from app.domain.errors import Conflict, NotFound
from app.domain.ids import ConversationId, InboxId, OutboxId, TurnId, UserId, WaMessageId
from app.domain.inbound import Edit, InboundMessage, Revoke, Sender, StatusState, StatusUpdate, System, Text
from app.domain.outbound import Button, Buttons, OutboundMessage, OutText, Recipient

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)


@pytest.fixture
async def repo(database: str) -> AsyncIterator[Repository]:
    async with Database.open(database) as db:
        yield Repository(db)


@pytest.fixture
async def alice(repo: Repository) -> UserId:
    return await newcomer(repo, "5491155550101", "Alice")


@pytest.fixture
async def bob(repo: Repository) -> UserId:
    return await newcomer(repo, "5491155550202", "Bob")


async def newcomer(repo: Repository, wa_id: str, name: str) -> UserId:
    async with repo.transaction() as tx:
        user_id = await repo.directory.create(Sender(wa_id=wa_id, name=name), "es", NOW, tx=tx)
        await repo.users.add_alias(user_id, f"tel:{wa_id}", NOW, tx=tx)
    return user_id


def written(message_id: str, body: str = "hi", *, at: datetime = NOW) -> InboundMessage:
    return InboundMessage(WaMessageId(message_id), "1000", Sender(wa_id="1"), at, Text(body))


def sent_by(sender: Sender) -> InboundMessage:
    return replace(written("newest", at=LATER), sender=sender)


def row_of(user_id: UserId, message: InboundMessage) -> NewRow:
    return NewRow(user_id, message, "turn", is_mergeable=True, received_at=NOW, available_at=NOW)


async def accept(repo: Repository, user_id: UserId, *messages: InboundMessage) -> list[NewRow]:
    async with repo.transaction() as tx:
        return await repo.inbox_queue.accept([row_of(user_id, message) for message in messages], tx=tx)


async def claim_next(repo: Repository, user_id: UserId) -> TurnId:
    """Take the oldest pending message as a turn of its own."""
    row = (await repo.inbox.list_pending(user_id, "turn"))[0]
    turn_id = row.turn_id or TurnId(row.id)
    await repo.inbox.claim(user_id, turn_id, [row.id])
    return turn_id


async def finish(repo: Repository, user_id: UserId, turn_id: TurnId) -> None:
    async with repo.transaction() as tx:
        await repo.inbox.finish(user_id, turn_id, LATER, outcome="done", tx=tx)


async def pending_ids(repo: Repository, user_id: UserId) -> list[str]:
    return [row.message_id for row in await repo.inbox.list_pending(user_id, "turn")]


# The inbox.


async def test_a_message_is_accepted_once_even_twice_in_one_batch(repo: Repository, alice: UserId) -> None:
    first = await accept(repo, alice, written("a"), written("b"), written("a", "again"))
    second = await accept(repo, alice, written("b"), written("c"))
    assert [row.message.id for row in first] == ["a", "b"]
    assert [row.message.id for row in second] == ["c"]
    assert await pending_ids(repo, alice) == ["a", "b", "c"]


async def test_messages_wait_in_the_order_in_which_they_were_sent(repo: Repository, alice: UserId) -> None:
    await accept(repo, alice, written("late", at=LATER), written("early"))
    assert await pending_ids(repo, alice) == ["early", "late"]


async def test_a_row_can_be_claimed_once(repo: Repository, alice: UserId) -> None:
    await accept(repo, alice, written("a"))
    [row] = await repo.inbox.list_pending(alice, "turn")
    claim = await repo.inbox.claim(alice, TurnId(row.id), [row.id])
    assert (claim.attempt, claim.rows[0].message) == (1, written("a"))
    with pytest.raises(Conflict):
        await repo.inbox.claim(alice, TurnId(row.id), [row.id])


async def test_a_claim_that_cannot_have_all_its_rows_takes_none(repo: Repository, alice: UserId) -> None:
    await accept(repo, alice, written("a"), written("b"))
    ids = [row.id for row in await repo.inbox.list_pending(alice, "turn")]
    with pytest.raises(Conflict):
        await repo.inbox.claim(alice, TurnId(ids[0]), [*ids, InboxId(99)])
    assert await pending_ids(repo, alice) == ["a", "b"]


async def test_nobody_can_claim_finish_release_or_cancel_anothers_turn(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    await accept(repo, alice, written("a"), written("b"))
    [row, _] = await repo.inbox.list_pending(alice, "turn")
    with pytest.raises(Conflict):
        await repo.inbox.claim(bob, TurnId(row.id), [row.id])
    turn_id = await claim_next(repo, alice)
    with pytest.raises(Conflict):
        await finish(repo, bob, turn_id)
    with pytest.raises(Conflict):
        async with repo.transaction() as tx:
            await repo.inbox.finish(bob, turn_id, LATER, outcome="dead", tx=tx)
    await repo.inbox.release(bob, turn_id, LATER, is_attempt_kept=False)
    async with repo.transaction() as tx:
        assert await repo.inbox.cancel_open(bob, TurnId(99), LATER, tx=tx) == 0
    assert await repo.inbox.list_pending(bob, "turn") == []
    await finish(repo, alice, turn_id)
    assert await pending_ids(repo, alice) == ["b"]


async def test_a_turn_ends_once(repo: Repository, alice: UserId) -> None:
    await accept(repo, alice, written("a"))
    turn_id = await claim_next(repo, alice)
    await finish(repo, alice, turn_id)
    with pytest.raises(Conflict):
        await finish(repo, alice, turn_id)
    with pytest.raises(Conflict):
        async with repo.transaction() as tx:
            await repo.inbox.finish(alice, turn_id, LATER, outcome="dead", tx=tx)


async def test_a_conflict_at_the_end_of_a_turn_undoes_what_was_written_with_it(
    repo: Repository, alice: UserId
) -> None:
    await accept(repo, alice, written("a"))
    turn_id = await claim_next(repo, alice)
    async with repo.transaction() as tx:
        await repo.inbox.cancel_open(alice, TurnId(turn_id + 1), LATER, tx=tx)

    async def commit_too_late() -> None:
        async with repo.transaction() as tx:
            await repo.outbox.add(alice, [OutText("too late")], NOW, turn_id=turn_id, tx=tx)
            await repo.inbox.finish(alice, turn_id, LATER, outcome="done", tx=tx)

    with pytest.raises(Conflict):
        await commit_too_late()
    assert await repo.outbox.find_next(alice) is None


async def test_a_released_turn_keeps_its_rows_together_and_its_attempt_where_it_was_at_fault(
    repo: Repository, alice: UserId
) -> None:
    await accept(repo, alice, written("a"))
    turn_id = await claim_next(repo, alice)
    await repo.inbox.release(alice, turn_id, LATER, is_attempt_kept=True, error="broken")
    [row] = await repo.inbox.list_pending(alice, "turn")
    assert (row.turn_id, row.available_at) == (turn_id, LATER)
    assert (await repo.inbox.claim(alice, turn_id, [row.id])).attempt == 2
    await repo.inbox.release(alice, turn_id, LATER, is_attempt_kept=False)
    assert (await repo.inbox.claim(alice, turn_id, [row.id])).attempt == 2


async def test_after_a_crash_running_turns_wait_again_and_worn_out_ones_are_named(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    await accept(repo, alice, written("a"))
    await accept(repo, bob, written("b"))
    worn_out = await claim_next(repo, alice)
    await repo.inbox.release(alice, worn_out, NOW, is_attempt_kept=True)
    await claim_next(repo, alice)
    await claim_next(repo, bob)
    assert await repo.inbox_queue.recover(LATER, 2) == [(alice, worn_out)]
    assert await pending_ids(repo, bob) == ["b"]
    assert await pending_ids(repo, alice) == []
    assert await repo.inbox_queue.users_with_work() == [bob]


async def test_cancelling_reaches_what_was_sent_before_and_spares_what_came_after(
    repo: Repository, alice: UserId
) -> None:
    await accept(repo, alice, written("running"), written("waiting"), written("after", at=LATER))
    await claim_next(repo, alice)
    after = (await repo.inbox.list_pending(alice, "turn"))[-1]
    async with repo.transaction() as tx:
        assert await repo.inbox.cancel_open(alice, TurnId(after.id), LATER, tx=tx) == len(("running", "waiting"))
    assert await pending_ids(repo, alice) == ["after"]


async def test_cancelling_spares_what_asks_for_nothing_and_lets_a_running_one_begin_again(
    repo: Repository, alice: UserId
) -> None:
    original = WaMessageId("original")
    revocation = replace(written("revocation"), content=Revoke(original))
    change = replace(written("change"), content=System("customer_identity_changed"))
    rows = [replace(row_of(alice, revocation), ref_id=original), row_of(alice, written("words"))]
    async with repo.transaction() as tx:
        await repo.inbox_queue.accept([*rows, row_of(alice, change)], tx=tx)
    running = await claim_next(repo, alice)
    async with repo.transaction() as tx:
        assert await repo.inbox.cancel_open(alice, TurnId(99), LATER, tx=tx) == len(("words",))
    assert await pending_ids(repo, alice) == ["revocation", "change"]
    [row, _] = await repo.inbox.list_pending(alice, "turn")
    assert (await repo.inbox.claim(alice, running, [row.id])).attempt == 1


@pytest.mark.parametrize("trust", ["asked", "blocked"])
async def test_nothing_is_taken_up_for_a_person_who_is_not_trusted(
    repo: Repository, alice: UserId, trust: Trust
) -> None:
    await accept(repo, alice, written("a"))
    async with repo.transaction() as tx:
        assert await repo.users.move_trust(alice, trust, leaving=("trusted",), tx=tx)
    assert await repo.inbox.list_pending(alice, "turn") == []
    async with repo.transaction() as tx:
        assert await repo.users.move_trust(alice, "trusted", leaving=(trust,), tx=tx)
    assert await pending_ids(repo, alice) == ["a"]


async def test_only_a_message_that_nobody_has_begun_is_edited_and_only_by_its_author(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    await accept(repo, alice, written("a", "before"))
    after = written("a", "after")
    async with repo.transaction() as tx:
        assert not await repo.changes.edit_pending(bob, WaMessageId("a"), written("a", "bob"), tx=tx)
        assert await repo.changes.edit_pending(alice, WaMessageId("a"), after, tx=tx)
    [row] = await repo.inbox.list_pending(alice, "turn")
    claim = await repo.inbox.claim(alice, TurnId(row.id), [row.id])
    assert claim.rows[0].message == after
    async with repo.transaction() as tx:
        assert not await repo.changes.edit_pending(alice, WaMessageId("a"), written("a"), tx=tx)


async def test_a_revoked_message_is_not_answered_and_only_its_author_can_revoke_it(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    await accept(repo, alice, written("a"))
    async with repo.transaction() as tx:
        await repo.changes.revoke(bob, WaMessageId("a"), NOW, tx=tx)
    assert await pending_ids(repo, alice) == ["a"]
    async with repo.transaction() as tx:
        await repo.changes.revoke(alice, WaMessageId("a"), NOW, tx=tx)
    assert await pending_ids(repo, alice) == []


async def test_changes_that_overtook_their_message_are_found(repo: Repository, alice: UserId) -> None:
    edit = InboundMessage(
        WaMessageId("e"), "1000", Sender(wa_id="1"), NOW, Edit(WaMessageId("later"), Text("better"))
    )
    row = NewRow(alice, edit, "turn", False, NOW, NOW, ref_id=WaMessageId("later"))
    async with repo.transaction() as tx:
        await repo.inbox_queue.accept([row], tx=tx)
        assert await repo.changes.find_changes([WaMessageId("later")], tx=tx) == [(alice, edit)]
        assert await repo.changes.find_changes([WaMessageId("other")], tx=tx) == []


async def test_the_oldest_waiting_message_is_known(repo: Repository, alice: UserId) -> None:
    assert await repo.inbox_queue.oldest_pending_at() is None
    await accept(repo, alice, written("a"))
    assert await repo.inbox_queue.oldest_pending_at() == NOW
    await claim_next(repo, alice)
    assert await repo.inbox_queue.oldest_pending_at() is None


async def test_a_revocation_takes_the_edits_of_the_message_along(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    original = WaMessageId("a")
    edits = [
        replace(row_of(alice, replace(written(name), content=Edit(original, Text("better")))), ref_id=original)
        for name in ("first", "second")
    ]
    async with repo.transaction() as tx:
        await repo.inbox_queue.accept(edits, tx=tx)
    turn_id = await claim_next(repo, alice)
    await finish(repo, alice, turn_id)
    async with repo.transaction() as tx:
        await repo.changes.revoke(bob, original, NOW, tx=tx)
        assert len(await repo.changes.find_changes([original], tx=tx)) == len(edits)
        await repo.changes.revoke(alice, original, NOW, tx=tx)
        assert await repo.changes.find_changes([original], tx=tx) == []
    assert await pending_ids(repo, alice) == []


@pytest.mark.parametrize("trust", ["asked", "blocked"])
async def test_the_oldest_waiting_message_is_that_of_a_trusted_person(
    repo: Repository, alice: UserId, bob: UserId, trust: Trust
) -> None:
    await accept(repo, alice, written("a"))
    async with repo.transaction() as tx:
        await repo.users.move_trust(alice, trust, leaving=("trusted",), tx=tx)
        later = replace(row_of(bob, written("b")), received_at=LATER)
        await repo.inbox_queue.accept([later], tx=tx)
    assert await repo.inbox_queue.oldest_pending_at() == LATER


# The outbox.


async def owe(
    repo: Repository, user_id: UserId, *messages: OutboundMessage, turn_id: TurnId | None = None
) -> None:
    async with repo.transaction() as tx:
        await repo.outbox.add(user_id, messages, NOW, turn_id=turn_id, tx=tx)


async def send_next(repo: Repository, user_id: UserId, message_id: str) -> OutboxId:
    row = await repo.outbox.find_next(user_id)
    assert row is not None
    assert await repo.outbox.mark_sending(user_id, row)
    assert await repo.outbox.mark_sent(user_id, row.id, WaMessageId(message_id), LATER)
    return row.id


async def record(
    repo: Repository, message_id: str, state: StatusState, tracker: str | None = None
) -> list[UserId]:
    status = StatusUpdate(WaMessageId(message_id), state, LATER, tracker)
    async with repo.transaction() as tx:
        return await repo.outbox_queue.record_statuses([status], tx=tx)


async def test_messages_are_owed_in_order_to_the_persons_newest_address(repo: Repository, alice: UserId) -> None:
    await owe(repo, alice, OutText("one"), OutText("two"))
    async with repo.transaction() as tx:
        await repo.directory.move(alice, ["tel:999", "bsuid:AR.1"], Recipient("999", "AR.1"), NOW, tx=tx)
    first = await repo.outbox.find_next(alice)
    assert first is not None
    assert (first.message, first.recipient) == (OutText("one"), Recipient("999", "AR.1"))
    await send_next(repo, alice, "w1")
    second = await repo.outbox.find_next(alice)
    assert second is not None
    assert second.message == OutText("two")


async def test_what_a_turn_owes_is_not_added_twice(repo: Repository, alice: UserId) -> None:
    for text in ("first try", "second try"):
        await owe(repo, alice, OutText(text), turn_id=TurnId(1))
    await send_next(repo, alice, "w1")
    assert await repo.outbox.find_next(alice) is None


async def test_nobody_can_move_anothers_outgoing_message(repo: Repository, alice: UserId, bob: UserId) -> None:
    await owe(repo, alice, OutText("for alice"))
    row = await repo.outbox.find_next(alice)
    assert row is not None
    assert await repo.outbox.find_next(bob) is None
    assert not await repo.outbox.mark_sending(bob, row)
    assert await repo.outbox.mark_sending(alice, row)
    assert not await repo.outbox.mark_sent(bob, row.id, WaMessageId("w"), NOW)
    assert not await repo.outbox.mark_failed(bob, row.id, "error")
    assert not await repo.outbox.postpone(bob, row.id, NOW, state="held", error="error")
    assert await repo.outbox.mark_sent(alice, row.id, WaMessageId("w"), NOW)


async def test_a_send_begins_only_from_the_state_that_was_seen(repo: Repository, alice: UserId) -> None:
    await owe(repo, alice, OutText("one"))
    row = await repo.outbox.find_next(alice)
    assert row is not None
    assert await repo.outbox.mark_sending(alice, row)
    assert not await repo.outbox.mark_sending(alice, row)


async def test_a_held_message_waits_until_its_person_writes(repo: Repository, alice: UserId, bob: UserId) -> None:
    await owe(repo, alice, OutText("one"))
    row = await repo.outbox.find_next(alice)
    assert row is not None
    await repo.outbox.mark_sending(alice, row)
    await repo.outbox.postpone(alice, row.id, NOW, state="held", error="window")
    for writer, state in ((bob, "held"), (alice, "pending")):
        async with repo.transaction() as tx:
            await repo.outbox_queue.release_held([writer], LATER, tx=tx)
        waiting = await repo.outbox.find_next(alice)
        assert waiting is not None
        assert waiting.state == state


async def test_statuses_move_forward_only(repo: Repository, alice: UserId) -> None:
    await owe(repo, alice, OutText("one"))
    await send_next(repo, alice, "w1")
    steps: tuple[tuple[StatusState, bool], ...] = (
        ("delivered", True),
        ("sent", False),
        ("read", True),
        ("delivered", False),
        ("read", False),
    )
    for state, is_news in steps:
        assert await record(repo, "w1", state) == ([alice] if is_news else []), state


async def test_a_status_that_overtakes_the_answer_of_the_send_settles_it(repo: Repository, alice: UserId) -> None:
    await owe(repo, alice, OutText("one"))
    row = await repo.outbox.find_next(alice)
    assert row is not None
    await repo.outbox.mark_sending(alice, row)
    assert await record(repo, "w1", "delivered", row.tracker) == [alice]
    assert await repo.outbox.find_next(alice) is None
    assert await repo.outbox.mark_sent(alice, row.id, WaMessageId("w1"), LATER)


async def test_a_status_of_a_message_that_is_not_ours_changes_nothing(repo: Repository, alice: UserId) -> None:
    await owe(repo, alice, OutText("one"))
    await send_next(repo, alice, "w1")
    assert await record(repo, "unknown", "read") == []
    assert await record(repo, "unknown", "read", "12345") == []


async def test_after_a_crash_a_message_on_its_way_waits_for_its_status(repo: Repository, alice: UserId) -> None:
    await owe(repo, alice, OutText("one"))
    row = await repo.outbox.find_next(alice)
    assert row is not None
    await repo.outbox.mark_sending(alice, row)
    await repo.outbox_queue.recover(LATER)
    waiting = await repo.outbox.find_next(alice)
    assert waiting is not None
    assert (waiting.state, waiting.available_at) == ("unknown", LATER)


# People.


async def test_a_person_who_is_not_there_is_named_as_such(repo: Repository) -> None:
    assert await repo.users.find(UserId("nobody")) is None
    with pytest.raises(NotFound):
        await repo.users.get(UserId("nobody"))


async def test_an_alias_that_is_taken_stays_with_its_owner(repo: Repository, alice: UserId, bob: UserId) -> None:
    async with repo.transaction() as tx:
        await repo.users.add_alias(bob, "tel:5491155550101", NOW, tx=tx)
        found = await repo.directory.find_authors(["tel:5491155550101", "tel:0"], tx=tx)
    assert found == {"tel:5491155550101": Author(alice)}
    assert (await repo.directory.aliases_of([bob]))[bob] == {"tel:5491155550202"}


async def test_trust_moves_only_from_a_state_that_may_be_left(repo: Repository, alice: UserId) -> None:
    async with repo.transaction() as tx:
        assert not await repo.users.move_trust(alice, "blocked", leaving=("asked",), tx=tx)
        assert await repo.users.move_trust(alice, "asked", leaving=("trusted", "asked"), tx=tx)
        assert not await repo.users.move_trust(alice, "trusted", leaving=("blocked",), tx=tx)
    assert (await repo.users.get(alice)).trust == "asked"


async def test_nothing_is_sent_to_a_person_who_is_not_trusted(repo: Repository, alice: UserId) -> None:
    await owe(repo, alice, OutText("a private answer"))
    async with repo.transaction() as tx:
        await repo.users.move_trust(alice, "asked", leaving=("trusted",), tx=tx)
    assert await repo.outbox.find_next(alice) is None
    async with repo.transaction() as tx:
        await repo.users.move_trust(alice, "trusted", leaving=("asked",), tx=tx)
    assert await repo.outbox.find_next(alice) is not None


async def test_an_id_moves_with_its_person_and_the_old_one_only_stands_for_them_in_the_settings(
    repo: Repository, alice: UserId
) -> None:
    old, new = "tel:5491155550101", "tel:999"
    async with repo.transaction() as tx:
        await repo.users.add_alias(alice, "bsuid:AR.1", NOW, tx=tx)
        await repo.directory.move(alice, [new], Recipient("999"), LATER, tx=tx)
        assert set(await repo.directory.find_authors([old, new, "bsuid:AR.1"], tx=tx)) == {new, "bsuid:AR.1"}
        former = await repo.directory.find_former([old, new], tx=tx)
        assert {alias: (one.author, one.ended_at) for alias, one in former.items()} == {
            old: (Author(alice), LATER)
        }
        newcomer = await repo.directory.create(Sender(wa_id="5491155550101"), "es", LATER, tx=tx)
        await repo.users.add_alias(newcomer, old, LATER, tx=tx)
        assert [one.user_id for one in await repo.directory.list_meant([old], tx=tx)] == [alice]
    assert await repo.directory.aliases_of([alice, newcomer]) == {alice: {old, new, "bsuid:AR.1"}}


async def test_an_id_that_is_taken_over_is_no_longer_its_former_owners_address(
    repo: Repository, alice: UserId
) -> None:
    carol = await newcomer(repo, "15551230000", "Carol")
    async with repo.transaction() as tx:
        await repo.directory.touch({carol: sent_by(Sender("15551230000", "US.7f3"))}, tx=tx)
        await repo.users.add_alias(carol, "bsuid:US.7f3", NOW, tx=tx)
        await repo.directory.move(alice, ["tel:15551230000"], Recipient("15551230000"), LATER, tx=tx)
        owners = await repo.directory.find_authors(["tel:15551230000", "bsuid:US.7f3"], tx=tx)
    assert owners == {"tel:15551230000": Author(alice), "bsuid:US.7f3": Author(carol)}
    assert (await repo.users.get(carol)).recipient == Recipient(None, "US.7f3")
    assert (await repo.users.get(alice)).recipient == Recipient("15551230000")


async def test_what_is_set_for_one_person_is_not_set_for_another(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    before = await repo.users.get(bob)
    async with repo.transaction() as tx:
        await repo.users.set_language(alice, "en", tx=tx)
        await repo.users.move_trust(alice, "blocked", leaving=("trusted",), tx=tx)
        await repo.directory.touch({alice: sent_by(Sender(wa_id="1", bsuid="AR.1", name="Alicia"))}, tx=tx)
    changed = await repo.users.get(alice)
    assert (changed.language, changed.trust, changed.name) == ("en", "blocked", "Alicia")
    assert changed.recipient == Recipient("1", "AR.1")
    assert await repo.users.get(bob) == before


async def test_a_message_without_a_name_or_number_keeps_the_known_ones(repo: Repository, alice: UserId) -> None:
    async with repo.transaction() as tx:
        await repo.directory.touch({alice: sent_by(Sender(bsuid="AR.1"))}, tx=tx)
    user = await repo.users.get(alice)
    assert (user.name, user.recipient) == ("Alice", Recipient("5491155550101", "AR.1"))


async def test_strangers_are_counted_the_latest_first(repo: Repository) -> None:
    async with repo.transaction() as tx:
        for alias, at in (("tel:1", NOW), ("tel:2", NOW), ("tel:1", LATER)):
            await repo.directory.record_stranger(alias, None, at, tx=tx)
    strangers = await repo.directory.list_strangers()
    assert [(one.alias, one.attempts) for one in strangers] == [("tel:1", 2), ("tel:2", 1)]


# Conversations.


async def talk(repo: Repository, user_id: UserId, turn_id: int, *messages: NewMessage) -> ConversationId:
    conversation_id = await repo.conversations.ensure_open(user_id, NOW)
    async with repo.transaction() as tx:
        await repo.conversations.append(user_id, conversation_id, messages, NOW, turn_id=TurnId(turn_id), tx=tx)
    return conversation_id


def one_turn(message_id: str) -> tuple[NewMessage, NewMessage]:
    return NewMessage("user", f"asked {message_id}", WaMessageId(message_id)), NewMessage("assistant", "answered")


async def test_a_person_has_one_open_conversation_until_it_is_ended(repo: Repository, alice: UserId) -> None:
    first = await repo.conversations.ensure_open(alice, NOW)
    assert await repo.conversations.ensure_open(alice, LATER) == first
    async with repo.transaction() as tx:
        await repo.conversations.end_open(alice, LATER, tx=tx)
    assert await repo.conversations.ensure_open(alice, LATER) != first


async def test_nobody_reads_counts_or_changes_anothers_conversation(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    hers = await talk(repo, alice, 1, *one_turn("a"))
    message_id = WaMessageId("a")
    assert await repo.conversations.list_recent(bob, hers) == []
    assert await repo.conversations.count(bob, hers) == 0
    assert await repo.conversations.find_quoted(bob, message_id) is None
    async with repo.transaction() as tx:
        assert not await repo.conversations.edit(bob, message_id, "bob", tx=tx)
        assert not await repo.conversations.erase(bob, message_id, tx=tx)
        assert not await repo.conversations.react(bob, message_id, "👎", tx=tx)
        await repo.conversations.end_open(bob, LATER, tx=tx)
    history = await repo.conversations.list_recent(alice, hers)
    assert [(one.role, one.text, one.reaction) for one in history] == [
        ("user", "asked a", None),
        ("assistant", "answered", None),
    ]
    assert await repo.conversations.ensure_open(alice, LATER) == hers


async def test_the_latest_messages_come_oldest_first(repo: Repository, alice: UserId) -> None:
    for n in range(5):
        conversation_id = await talk(repo, alice, n, *one_turn(f"m{n}"))
    recent = await repo.conversations.list_recent(alice, conversation_id, limit=3)
    assert [one.text for one in recent] == ["answered", "asked m4", "answered"]
    assert await repo.conversations.count(alice, conversation_id) == 10


async def test_a_quote_finds_either_side_and_words_on_buttons(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    await talk(repo, alice, 1, *one_turn("a"))
    await owe(repo, alice, Buttons("which one?", (Button("1", "this"),)), turn_id=TurnId(1))
    await send_next(repo, alice, "ours")
    mine = await repo.conversations.find_quoted(alice, WaMessageId("a"))
    ours = await repo.conversations.find_quoted(alice, WaMessageId("ours"))
    assert mine is not None
    assert ours is not None
    assert [(one.role, one.text) for one in (mine, ours)] == [("user", "asked a"), ("assistant", "which one?")]
    assert await repo.conversations.find_quoted(bob, WaMessageId("ours")) is None


async def test_a_reaction_to_an_answer_is_kept_with_the_answer(repo: Repository, alice: UserId) -> None:
    conversation_id = await talk(repo, alice, 1, *one_turn("a"))
    await talk(repo, alice, 2, *one_turn("b"))
    await owe(repo, alice, OutText("answered"), turn_id=TurnId(1))
    await send_next(repo, alice, "ours")
    async with repo.transaction() as tx:
        assert await repo.conversations.react(alice, WaMessageId("ours"), "👍", tx=tx)
        assert await repo.conversations.react(alice, WaMessageId("b"), "🎉", tx=tx)
        assert not await repo.conversations.react(alice, WaMessageId("unknown"), "👍", tx=tx)
    history = await repo.conversations.list_recent(alice, conversation_id)
    assert [one.reaction for one in history] == [None, "👍", "🎉", None]
    async with repo.transaction() as tx:
        await repo.conversations.react(alice, WaMessageId("ours"), None, tx=tx)
    assert (await repo.conversations.list_recent(alice, conversation_id))[1].reaction is None
