"""A person is asked once, about exactly what will run, and only their first answer in time counts."""

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.asking.approvals import MAX_SHOWN_MESSAGES, ApprovalBroker, Verdict, buttons, read_answer, show_call
from app.asking.asking import Asking
from app.asking.lines import button_id
from app.asking.repository import Questions
from app.asking.showing import fits_beside_buttons, neutralise
from app.asking.texts import ASKING
from app.database.db import MEMORY, Database
from app.database.migrate import CORE, load_migrations, migrate
from app.database.repositories.inbox import NewRow
from app.database.repository import Repository
from app.domain.ids import ConversationId, TurnId, UserId, WaMessageId
from app.domain.inbound import InboundMessage, Sender, Text
from app.domain.outbound import (
    MAX_INTERACTIVE_BODY_CHARS,
    Buttons,
    OutboundMessage,
    OutText,
    decode_outbound,
    encode_outbound,
)
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.whatsapp.marks import WORD_JOINER
from tests.fakes.answers import press, write
from tests.fakes.clock import FrozenClock

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TIMEOUT_S = 300.0
QUESTIONS_SINCE = 12
CALL: Mapping[str, object] = {"path": "a.txt", "content": "hi"}


@dataclass
class Desk:
    """A broker over a real database; `woken` is whom delivery was told about."""

    db: Database
    clock: FrozenClock
    asking: Asking
    woken: list[UserId]
    tasks: list[asyncio.Task[Verdict]]

    async def newcomer(self, wa_id: str) -> UserId:
        repository = Repository(self.db)
        async with repository.transaction() as tx:
            return await repository.directory.create(Sender(wa_id=wa_id), "es", self.clock.now(), tx=tx)

    def ctx(self, user_id: UserId, turn_id: int = 1, attempt: int = 1) -> TurnContext:
        return TurnContext(
            TurnId(turn_id), user_id, ConversationId(1), attempt, self.clock.now(), "es", is_admin=False
        )

    def ask(self, ctx: TurnContext, arguments: Mapping[str, object] = CALL) -> asyncio.Task[Verdict]:
        broker = ApprovalBroker(self.asking)
        self.tasks.append(asyncio.create_task(broker.ask(ctx, "write_file", arguments)))
        return self.tasks[-1]

    async def press(self, user_id: UserId, button: str) -> bool:
        """Let the person press a button; False when that changes nothing."""
        answered = await press(self.asking, self.ctx(user_id), button)
        return answered is not None and answered.is_taken

    async def write(self, user_id: UserId, text: str, quoted_id: str | None = None) -> bool:
        """Let the person write; False when that answers nothing."""
        answered = await write(self.asking, self.ctx(user_id), text, quoted_id)
        return answered is not None and answered.is_taken

    async def is_asked(self, user_id: UserId) -> bool:
        return await Questions(self.db).find_open(user_id, "approval", self.clock.now()) is not None

    async def sent_to(self, user_id: UserId) -> list[OutboundMessage]:
        rows = await self.db.fetch_all("SELECT payload FROM outbox WHERE user_id = ? ORDER BY id", user_id)
        return [decode_outbound(row["payload"]) for row in rows]

    async def question(self, user_id: UserId, number: int = 1) -> Buttons:
        """Wait for the person's n-th question, and let delivery have sent it."""
        async with asyncio.timeout(5):
            while True:
                asked = [one for one in await self.sent_to(user_id) if isinstance(one, Buttons)]
                if len(asked) >= number and await self.is_asked(user_id):
                    break
                await asyncio.sleep(0)
        async with self.db.transaction() as tx:
            await tx.execute("UPDATE outbox SET state = 'sent', message_id = 'wamid.' || id")
        return asked[number - 1]

    async def begin_turn(self, user_id: UserId) -> int:
        """Let the person write, and their message be in work; returns the turn's id."""
        repository = Repository(self.db)
        message = InboundMessage(WaMessageId("written"), "1000", Sender(wa_id="1"), NOW, Text("do it"))
        async with repository.transaction() as tx:
            await repository.inbox_queue.accept([NewRow(user_id, message, "turn", False, NOW, NOW)], tx=tx)
        [row] = await repository.inbox.list_pending(user_id, "turn")
        return (await repository.inbox.claim(user_id, TurnId(row.id), [row.id])).turn_id

    async def ask_and_die(self, ctx: TurnContext, number: int = 1) -> None:
        """Leave a question as a process that was killed leaves it: sent, and open in the database."""
        asking = self.ask(ctx)
        await self.question(ctx.user_id, number)
        asking.cancel()
        await asyncio.wait({asking})
        async with self.db.transaction() as tx:
            await tx.execute("UPDATE questions SET state = 'pending' WHERE state = 'cancelled'")

    async def set_sending(self, state: str) -> None:
        async with self.db.transaction() as tx:
            await tx.execute("UPDATE outbox SET state = ?", state)

    async def sending(self) -> list[str]:
        return [row["state"] for row in await self.db.fetch_all("SELECT state FROM outbox ORDER BY id")]

    async def states(self) -> list[str]:
        return [row["state"] for row in await self.db.fetch_all("SELECT state FROM questions ORDER BY outbox_id")]


def asking_over(db: Database, clock: FrozenClock, woken: list[UserId]) -> Asking:
    return Asking(db, clock, wake_delivery=woken.extend, timeout_s=TIMEOUT_S)


@pytest.fixture
async def desk(database: str) -> AsyncIterator[Desk]:
    async with Database.open(database) as db:
        clock, woken = FrozenClock(NOW), list[UserId]()
        opened = Desk(db, clock, asking_over(db, clock, woken), woken, [])
        yield opened
        for task in opened.tasks:
            task.cancel()
        await asyncio.gather(*opened.tasks, return_exceptions=True)


@pytest.fixture
async def alice(desk: Desk) -> UserId:
    return await desk.newcomer("1")


@pytest.fixture
async def bob(desk: Desk) -> UserId:
    return await desk.newcomer("2")


async def verdict_of(asking: asyncio.Task[Verdict]) -> Verdict:
    async with asyncio.timeout(5):
        return await asking


@pytest.mark.parametrize(("number", "verdict"), [(0, "yes"), (1, "no"), (2, "abort")])
async def test_each_button_gives_its_verdict(desk: Desk, alice: UserId, number: int, verdict: Verdict) -> None:
    asking = desk.ask(desk.ctx(alice))
    question = await desk.question(alice)
    assert await desk.press(alice, question.buttons[number].id)
    assert await verdict_of(asking) == verdict
    assert await desk.states() == ["answered"]


async def test_the_question_shows_the_call_and_wakes_delivery(desk: Desk, alice: UserId) -> None:
    desk.ask(desk.ctx(alice))
    question = await desk.question(alice)
    assert "file" in question.body
    assert 'path: "a.txt"' in question.body
    assert [button.title for button in question.buttons] == ["Ejecutar", "Cancelar", "Detener todo"]
    assert desk.woken == [alice]


async def test_another_person_cannot_answer(desk: Desk, alice: UserId, bob: UserId) -> None:
    asking = desk.ask(desk.ctx(alice))
    yes, no, _ = (await desk.question(alice)).buttons
    assert not await desk.press(bob, yes.id)
    desk.ask(desk.ctx(bob, 2))
    await desk.question(bob)
    assert not await desk.press(bob, yes.id)
    assert not asking.done()
    assert await desk.press(alice, no.id)
    assert await verdict_of(asking) == "no"


async def test_the_first_press_wins_and_the_second_is_stale(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(desk.ctx(alice))
    yes, no, _ = (await desk.question(alice)).buttons
    answers = await asyncio.gather(*(desk.press(alice, button.id) for button in (no, yes, yes)))
    # Which of them comes first is the database's to say: a server reads for several at once.
    assert sorted(answers) == [False, False, True]
    assert await verdict_of(asking) == ("no", "yes", "yes")[answers.index(True)]
    assert not await desk.press(alice, yes.id)


async def test_a_late_press_changes_nothing(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(desk.ctx(alice))
    question = await desk.question(alice)
    await desk.clock.advance(TIMEOUT_S)
    assert await verdict_of(asking) == "expired"
    assert not await desk.press(alice, question.buttons[0].id)
    assert await desk.states() == ["expired"]


async def test_a_press_at_the_last_moment_is_taken_or_refused_but_never_both(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(desk.ctx(alice))
    question = await desk.question(alice)
    await desk.clock.advance(TIMEOUT_S - 0.001)
    _, answer = await asyncio.gather(desk.clock.advance(0.001), desk.press(alice, question.buttons[0].id))
    assert (await verdict_of(asking) == "yes") is answer


async def test_after_a_restart_the_question_is_expired_and_its_buttons_are_stale(
    desk: Desk, alice: UserId
) -> None:
    desk.ask(desk.ctx(alice, await desk.begin_turn(alice)))
    question = await desk.question(alice)
    reborn = asking_over(desk.db, desk.clock, [])
    await reborn.recover()
    assert await desk.states() == ["expired"]
    answered = await press(reborn, desk.ctx(alice), question.buttons[0].id)
    assert answered is not None
    assert not answered.is_taken


async def test_after_a_restart_the_person_is_told_once_in_their_language(desk: Desk, alice: UserId) -> None:
    turn_id = await desk.begin_turn(alice)
    for number in range(2):
        await desk.ask_and_die(desk.ctx(alice, turn_id, attempt=1 + number), number=1 + number)
        await asking_over(desk.db, desk.clock, []).recover()
    assert await desk.states() == ["expired", "expired"]
    told = [one for one in await desk.sent_to(alice) if isinstance(one, OutText)]
    assert told == [OutText(say(ASKING.approval_question_lost, "es"))]


async def test_a_question_that_an_orderly_stop_cut_off_is_told_of_too(desk: Desk, alice: UserId) -> None:
    turn_id = await desk.begin_turn(alice)
    asking = desk.ask(desk.ctx(alice, turn_id))
    await desk.question(alice)
    asking.cancel()
    await asyncio.wait({asking})
    assert await desk.states() == ["cancelled"]
    await Repository(desk.db).inbox.release(alice, TurnId(turn_id), NOW, is_attempt_kept=False)
    await asking_over(desk.db, desk.clock, []).recover()
    assert (await desk.sent_to(alice))[1:] == [OutText(say(ASKING.approval_question_lost, "es"))]


async def test_nobody_is_told_of_the_question_of_a_turn_they_cancelled(desk: Desk, alice: UserId) -> None:
    turn_id = await desk.begin_turn(alice)
    await desk.ask_and_die(desk.ctx(alice, turn_id))
    repository = Repository(desk.db)
    async with repository.transaction() as tx:
        await repository.inbox.finish(alice, TurnId(turn_id), NOW, outcome="cancelled", tx=tx)
    await asking_over(desk.db, desk.clock, []).recover()
    assert await desk.states() == ["expired"]
    assert len(await desk.sent_to(alice)) == 1


async def test_a_question_that_nobody_saw_is_taken_back_in_silence(desk: Desk, alice: UserId) -> None:
    await desk.ask_and_die(desk.ctx(alice, await desk.begin_turn(alice)))
    await desk.set_sending("pending")
    await asking_over(desk.db, desk.clock, []).recover()
    assert await desk.sending() == ["failed"]


async def test_a_question_that_was_on_its_way_is_not_repeated_and_its_person_is_told(
    desk: Desk, alice: UserId
) -> None:
    await desk.ask_and_die(desk.ctx(alice, await desk.begin_turn(alice)))
    await desk.set_sending("sending")
    await asking_over(desk.db, desk.clock, []).recover()
    assert await desk.sending() == ["failed", "pending"]
    assert (await desk.sent_to(alice))[1:] == [OutText(say(ASKING.approval_question_lost, "es"))]


async def test_a_question_of_an_older_version_is_ended_and_its_person_told() -> None:
    former = [one for one in load_migrations() if one.room != CORE or one.version < QUESTIONS_SINCE]
    async with Database.open(MEMORY) as db:
        await migrate(db, migrations=former)
        desk = Desk(db, FrozenClock(NOW), asking_over(db, FrozenClock(NOW), []), [], [])
        alice = await desk.newcomer("1")
        async with db.transaction() as tx:
            await tx.execute(
                "INSERT INTO inbox(user_id, message_id, lane, kind, is_mergeable, payload, state, sent_at,"
                " received_at, available_at, turn_id) VALUES (?, 'm', 'turn', 'text', 0, '{}',"
                " 'pending', 1, 1, 1, 1)",
                alice,
            )
            await tx.execute(  # as that version wrote it: today's repository knows columns that came later
                "INSERT INTO outbox(user_id, seq, payload, state, created_at, available_at)"
                " VALUES (?, 0, ?, 'sent', 1, 1)",
                alice,
                encode_outbound(OutText("Shall I?")),
            )
            await tx.execute(
                "INSERT INTO approvals(token, user_id, turn_id, tool, call_hash, state, outbox_id, created_at,"
                " expires_at) VALUES ('t', ?, 1, 'write_file', 'hash', 'pending', 1, 1, 2)",
                alice,
            )
        await migrate(db)
        await desk.asking.recover()
        assert await desk.states() == ["expired"]
        assert (await desk.sent_to(alice))[1:] == [OutText(say(ASKING.approval_question_lost, "es"))]


async def test_a_second_question_waits_until_the_first_is_answered(desk: Desk, alice: UserId) -> None:
    first = desk.ask(desk.ctx(alice), {"path": "first"})
    one = await desk.question(alice)
    second = desk.ask(desk.ctx(alice), {"path": "second"})
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(await desk.sent_to(alice)) == 1
    await desk.press(alice, one.buttons[1].id)
    assert await verdict_of(first) == "no"
    two = await desk.question(alice, 2)
    assert '"second"' in two.body
    assert not await desk.press(alice, one.buttons[0].id)
    await desk.press(alice, two.buttons[0].id)
    assert await verdict_of(second) == "yes"


async def test_people_do_not_wait_for_one_another(desk: Desk, alice: UserId, bob: UserId) -> None:
    hers, his = desk.ask(desk.ctx(alice)), desk.ask(desk.ctx(bob, 2))
    await desk.question(alice)
    await desk.press(bob, (await desk.question(bob)).buttons[0].id)
    assert await verdict_of(his) == "yes"
    assert not hers.done()


async def test_stopping_everything_also_stops_what_was_waiting_to_be_asked(desk: Desk, alice: UserId) -> None:
    asking = [desk.ask(desk.ctx(alice), {"path": str(number)}) for number in range(3)]
    await desk.press(alice, (await desk.question(alice)).buttons[2].id)
    assert [await verdict_of(one) for one in asking] == ["abort"] * 3
    assert len(await desk.sent_to(alice)) == 1


async def test_stopping_one_turn_does_not_stop_the_next(desk: Desk, alice: UserId) -> None:
    first, other = desk.ask(desk.ctx(alice)), desk.ask(desk.ctx(alice, turn_id=2))
    await desk.press(alice, (await desk.question(alice)).buttons[2].id)
    assert await verdict_of(first) == "abort"
    await desk.press(alice, (await desk.question(alice, 2)).buttons[0].id)
    assert await verdict_of(other) == "yes"


async def test_a_cancelled_turn_closes_its_question(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(desk.ctx(alice))
    question = await desk.question(alice)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await verdict_of(asking)
    assert await desk.states() == ["cancelled"]
    assert not await desk.is_asked(alice)
    assert not await desk.press(alice, question.buttons[0].id)


async def test_arguments_that_change_while_the_person_thinks_are_not_approved(desk: Desk, alice: UserId) -> None:
    arguments: dict[str, object] = {"path": "harmless.txt"}
    asking = desk.ask(desk.ctx(alice), arguments)
    question = await desk.question(alice)
    arguments["path"] = "precious.txt"
    await desk.press(alice, question.buttons[0].id)
    assert await verdict_of(asking) == "no"


async def test_nobody_is_asked_when_the_window_is_closed_or_there_is_nobody(desk: Desk, alice: UserId) -> None:
    assert await verdict_of(desk.ask(desk.ctx(UserId("nobody")))) == "no_channel"
    await desk.clock.advance(25 * 3600)
    assert await verdict_of(desk.ask(desk.ctx(alice))) == "no_channel"
    assert await desk.sent_to(alice) == []


async def test_a_question_that_never_left_was_no_question(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(desk.ctx(alice))
    await desk.question(alice)
    async with desk.db.transaction() as tx:
        await tx.execute("UPDATE outbox SET state = 'held'")
    await desk.clock.advance(TIMEOUT_S)
    assert await verdict_of(asking) == "no_channel"


@pytest.mark.parametrize(
    "choice", ["", "q:", "q:x:y", "ap:x:y", "trust:yes:1", f"q:approval:{'a' * 22}:y", f"q:approval:{'a' * 22}:z"]
)
async def test_a_choice_that_is_none_of_ours_is_stale(desk: Desk, alice: UserId, choice: str) -> None:
    asking = desk.ask(desk.ctx(alice))
    await desk.question(alice)
    assert not await desk.press(alice, choice)
    assert not asking.done()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Sí!", "yes"),
        ("si", "yes"),
        ("YES.", "yes"),
        ("no", "no"),
        ("Abortar", "abort"),
        ("stop everything", "abort"),
    ],
)
async def test_a_typed_answer_counts_while_a_question_is_open(
    desk: Desk, alice: UserId, text: str, verdict: Verdict
) -> None:
    assert not await desk.write(alice, text)
    asking = desk.ask(desk.ctx(alice))
    await desk.question(alice)
    assert await desk.write(alice, text)
    assert await verdict_of(asking) == verdict
    assert not await desk.write(alice, text)


@pytest.mark.parametrize("text", ["", "sí, pero espera", "no sé", "no one", "yesterday", "/cancel", "sí?", "👍"])
async def test_other_texts_are_no_answers(desk: Desk, alice: UserId, text: str) -> None:
    asking = desk.ask(desk.ctx(alice))
    await desk.question(alice)
    assert not await desk.write(alice, text)
    assert not asking.done()


async def test_a_typed_answer_that_quotes_another_message_is_none(desk: Desk, alice: UserId, bob: UserId) -> None:
    asking = desk.ask(desk.ctx(alice))
    await desk.question(alice)
    assert not await desk.write(bob, "yes")
    assert not await desk.write(alice, "yes", "wamid.other")
    row = await desk.db.fetch_one("SELECT message_id FROM outbox")
    assert row is not None
    assert await desk.write(alice, "yes", row["message_id"])
    assert await verdict_of(asking) == "yes"


async def test_long_arguments_are_shown_in_full_before_the_buttons(desk: Desk, alice: UserId) -> None:
    content = " ".join(f"word{number}" for number in range(900))
    desk.ask(desk.ctx(alice), {"path": "a.txt", "content": content})
    await desk.question(alice)
    *texts, question = await desk.sent_to(alice)
    shown = " ".join(text.body for text in texts if isinstance(text, OutText))
    assert content in " ".join(shown.split())
    assert isinstance(question, Buttons)
    assert len(question.body) <= MAX_INTERACTIVE_BODY_CHARS
    assert question.body.endswith("…")


async def test_what_cannot_be_shown_in_full_is_not_asked(desk: Desk, alice: UserId) -> None:
    assert await verdict_of(desk.ask(desk.ctx(alice), {"content": "x" * 60_000})) == "too_long"
    assert await desk.sent_to(alice) == []


async def test_a_retry_of_a_stopped_turn_asks_again(desk: Desk, alice: UserId) -> None:
    ctx = desk.ctx(alice)
    first, retry = desk.ask(ctx), desk.ask(replace(ctx, attempt=2))
    await desk.press(alice, (await desk.question(alice)).buttons[2].id)
    assert await verdict_of(first) == "abort"
    await desk.press(alice, (await desk.question(alice, 2)).buttons[0].id)
    assert await verdict_of(retry) == "yes"


def test_tokens_leave_room_in_a_buttons_id() -> None:
    shown = buttons(partial(button_id, "approval", "a" * 22), "en")
    assert [button.id for button in shown] == [f"q:approval:{'a' * 22}:{key}" for key in "yna"]


def test_an_argument_cannot_draw_a_fake_approval() -> None:
    shown = neutralise("x\n\n*✅ approved*\u2028```\u202eevil")
    assert len(shown.splitlines()) == 1
    assert "\\u202e" in shown
    assert f"{WORD_JOINER}*{WORD_JOINER}" in shown


def test_blanks_cannot_push_text_to_a_line_of_its_own() -> None:
    assert neutralise(f"a{' ' * 500}✅") == "a [␣×500] ✅"
    assert neutralise("a\u2800\u3000b") == "a\\u2800\\u3000b"


@given(st.text())
def test_neutralised_text_has_one_line_no_mark_of_its_own_and_nothing_hidden(text: str) -> None:
    shown = neutralise(text)
    assert len(shown.splitlines()) <= 1
    bare = shown
    for mark in "*_~`":
        bare = bare.replace(f"{WORD_JOINER}{mark}{WORD_JOINER}", "")
    assert not set(bare) & set("*_~`")
    assert {unicodedata.category(char) for char in bare if char != " "} <= {
        *("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No"),
        *("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So"),
    }


@given(st.lists(st.text(max_size=300), max_size=12), st.sampled_from(["es", "en"]))
def test_a_question_always_fits_what_whatsapp_takes(values: list[str], language: str) -> None:
    lines = [f"name{number}: {neutralise(value)}" for number, value in enumerate(values)]
    texts, body = show_call("tool", lines, "es" if language == "es" else "en")
    assert fits_beside_buttons(body)
    assert body[0].strip()
    assert len(texts) <= MAX_SHOWN_MESSAGES
    if not texts:
        assert all(line.strip() in body[0] for line in lines)


@given(st.text(max_size=20))
def test_reading_an_answer_never_fails(text: str) -> None:
    assert read_answer(text) in {None, "yes", "no", "abort"}
