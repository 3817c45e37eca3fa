"""A server's question reaches one person, and only their answer in time counts."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from app.asking.approvals import ApprovalBroker
from app.asking.asking import Asking
from app.asking.forms.asker import ChatAsker
from app.asking.forms.model import Answer, Choice, Field, Limits, Question
from app.asking.lines import Reading
from app.asking.repository import Questions
from app.asking.texts import ASKING
from app.database.db import Database
from app.database.repository import Repository
from app.domain.errors import Permanent
from app.domain.ids import ConversationId, TurnId, UserId, WaMessageId
from app.domain.inbound import InboundMessage, Sender, Text
from app.domain.outbound import Buttons, ListMenu, OutboundMessage, OutText, decode_outbound
from app.domain.turn import TurnContext
from app.language.catalogue import say
from tests.fakes.answers import press
from tests.fakes.clock import FrozenClock

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TIMEOUT_S = 300.0
SURE = Question("shop", "Really delete the cart?")
NAME = Question("shop", "A few facts, please.", (Field("name", "Your name", "text", is_required=True),))
COUNT = Question("shop", "How many?", (Field("n", "Count", "integer", is_required=True),))
COLOURS = tuple(Choice(word, word.title()) for word in ("red", "green", "blue"))


@dataclass
class Desk:
    """Forms and approvals over a real database, sharing one line; nothing is sent by itself."""

    db: Database
    clock: FrozenClock
    woken: list[UserId]
    going_on: list[UserId] = field(default_factory=list)
    tasks: list[asyncio.Task[Answer]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.asking = self.restarted()

    def restarted(self) -> Asking:
        return Asking(
            self.db,
            self.clock,
            wake_delivery=self.woken.extend,
            on_answered=self.going_on.append,
            timeout_s=TIMEOUT_S,
        )

    async def newcomer(self, wa_id: str) -> UserId:
        repository = Repository(self.db)
        async with repository.transaction() as tx:
            return await repository.directory.create(Sender(wa_id=wa_id), "en", self.clock.now(), tx=tx)

    def ctx(self, user_id: UserId) -> TurnContext:
        return TurnContext(TurnId(1), user_id, ConversationId(1), 1, self.clock.now(), "en", is_admin=False)

    def ask(self, user_id: UserId, question: Question) -> asyncio.Task[Answer]:
        self.tasks.append(asyncio.create_task(ChatAsker(self.asking).ask(self.ctx(user_id), question)))
        return self.tasks[-1]

    async def messages(self, user_id: UserId) -> list[OutboundMessage]:
        rows = await self.db.fetch_all("SELECT payload FROM outbox WHERE user_id = ? ORDER BY id", user_id)
        return [decode_outbound(row["payload"]) for row in rows]

    async def asked(self, user_id: UserId, number: int = 1) -> OutboundMessage:
        """Wait for the person's n-th question of a server, let it have been sent, and return its last message."""
        async with asyncio.timeout(5):
            while True:
                row = await self.db.fetch_one(
                    "SELECT count(*) AS n FROM questions WHERE user_id = ? AND kind = 'form'", user_id
                )
                if row is not None and row["n"] >= number and await self.is_asked(user_id, "form"):
                    break
                await asyncio.sleep(0)
        await self.mark_sent()
        return (await self.messages(user_id))[-1]

    async def mark_sent(self) -> None:
        async with self.db.transaction() as tx:
            await tx.execute("UPDATE outbox SET state = 'sent', message_id = 'wamid.' || id")

    async def is_asked(self, user_id: UserId, kind: str) -> bool:
        return await Questions(self.db).find_open(user_id, kind, self.clock.now()) is not None

    async def reads(self, user_id: UserId, text: str, quoted_id: str | None = None) -> Reading | None:
        """Let a text of that person arrive."""
        return await self.asking.read(user_id, text_message(text, quoted_id))

    async def take(self, user_id: UserId, reading: Reading | None, text: str, quoted_id: str | None = None) -> str:
        """Let what arrived be dealt with: "taken", "late", "elsewhere", or nothing for what is no answer."""
        if reading is None:
            return ""
        message = text_message(text, quoted_id)
        answered = await self.asking.answer(reading.address, message, self.ctx(user_id))
        if answered.is_taken:
            return "taken"
        return "elsewhere" if answered.reply.messages else "late"

    async def write(self, user_id: UserId, text: str, quoted_id: str | None = None) -> str:
        """Let the person write now."""
        return await self.take(user_id, await self.reads(user_id, text, quoted_id), text, quoted_id)

    async def press(self, user_id: UserId, button: str) -> bool:
        answered = await press(self.asking, self.ctx(user_id), button)
        return answered is not None and answered.is_taken

    async def newest_id(self) -> str:
        row = await self.db.fetch_one("SELECT message_id FROM outbox ORDER BY id DESC LIMIT 1")
        assert row is not None
        return str(row["message_id"])

    async def states(self) -> list[str]:
        rows = await self.db.fetch_all("SELECT state FROM questions ORDER BY outbox_id")
        return [row["state"] for row in rows]


def text_message(text: str, quoted_id: str | None) -> InboundMessage:
    quoted = None if quoted_id is None else WaMessageId(quoted_id)
    return InboundMessage(WaMessageId("in"), "1000", Sender(wa_id="1"), NOW, Text(text), quoted_id=quoted)


@pytest.fixture
async def desk(database: str) -> AsyncIterator[Desk]:
    async with Database.open(database) as db:
        clock, woken = FrozenClock(NOW), list[UserId]()
        opened = Desk(db, clock, woken)
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


async def answer_of(asking: asyncio.Task[Answer]) -> tuple[str, dict[str, object]]:
    async with asyncio.timeout(5):
        answer = await asking
    return answer.action, dict(answer.values)


def ids(message: OutboundMessage) -> dict[str, str]:
    """What there is to press or to pick, by its title."""
    if isinstance(message, Buttons):
        return {button.title: button.id for button in message.buttons}
    assert isinstance(message, ListMenu)
    return {row.title: row.id for section in message.sections for row in section.rows}


@pytest.mark.parametrize(
    ("title", "expected"), [("Yes", ("accept", {})), ("No", ("decline", {})), ("Cancel", ("cancel", {}))]
)
async def test_a_question_without_fields_has_three_buttons(
    desk: Desk, alice: UserId, title: str, expected: tuple[str, dict[str, object]]
) -> None:
    asking = desk.ask(alice, SURE)
    question = await desk.asked(alice)
    assert isinstance(question, Buttons)
    assert question.body == "The server *shop* asks you:\n> Really delete the cart?"
    assert desk.woken == [alice]
    assert await desk.press(alice, ids(question)[title])
    assert await answer_of(asking) == expected
    assert desk.going_on == [alice]
    assert await desk.states() == ["answered"]


async def test_a_field_of_yes_or_no_takes_no_for_a_value(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(alice, Question("shop", "Facts", (Field("gift", "A gift?", "boolean", is_required=True),)))
    question = await desk.asked(alice)
    assert await desk.press(alice, ids(question)["No"])
    assert await answer_of(asking) == ("accept", {"gift": False})


async def test_few_choices_are_buttons_and_more_are_a_list(desk: Desk, alice: UserId) -> None:
    few = Field("colour", "Colour", "choice", choices=COLOURS, is_required=True)
    asking = desk.ask(alice, Question("shop", "Which?", (few,)))
    question = await desk.asked(alice)
    assert isinstance(question, Buttons)
    assert list(ids(question)) == ["Red", "Green", "Blue"]
    assert await desk.press(alice, ids(question)["Blue"])
    assert await answer_of(asking) == ("accept", {"colour": "blue"})

    many = tuple(Choice(f"v{number}", f"Size {number}") for number in range(8))
    asking = desk.ask(alice, Question("shop", "Which?", (Field("size", "Size", "choice", choices=many),)))
    question = await desk.asked(alice, 2)
    assert isinstance(question, ListMenu)
    assert list(ids(question)) == [*(f"Size {number}" for number in range(8)), "Skip", "Cancel"]
    assert await desk.press(alice, ids(question)["Size 5"])
    assert await answer_of(asking) == ("accept", {"size": "v5"})


async def test_choices_that_fit_in_no_list_are_numbered(desk: Desk, alice: UserId) -> None:
    many = tuple(Choice(f"v{number}", f"Town {number}") for number in range(1, 41))
    asking = desk.ask(alice, Question("map", "Where?", (Field("town", "Town", "choice", choices=many),)))
    question = await desk.asked(alice)
    assert isinstance(question, OutText)
    assert "> 40. Town 40" in question.body
    assert await desk.write(alice, "37") == "taken"
    assert await answer_of(asking) == ("accept", {"town": "v37"})


async def test_a_free_answer_is_the_next_message_and_stays_out_of_the_database(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(alice, NAME)
    question = await desk.asked(alice)
    assert isinstance(question, OutText)
    assert "> Your name" in question.body
    assert await desk.write(alice, "Ann Example") == "taken"
    assert await answer_of(asking) == ("accept", {"name": "Ann Example"})
    assert await desk.reads(alice, "hello") is None
    for table in ("questions", "outbox", "inbox", "messages"):
        rows = await desk.db.fetch_all(f"SELECT * FROM {table}")
        assert not any("Ann Example" in str(tuple(row)) for row in rows)


async def test_an_answer_may_quote_the_question_and_nothing_else(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(alice, NAME)
    await desk.asked(alice)
    assert await desk.write(alice, "about that one", "wamid.other") == "elsewhere"
    assert await desk.write(alice, "Ann", await desk.newest_id()) == "taken"
    assert await answer_of(asking) == ("accept", {"name": "Ann"})


async def test_commands_keep_their_meaning_while_a_question_is_open(desk: Desk, alice: UserId) -> None:
    desk.ask(alice, NAME)
    await desk.asked(alice)
    assert await desk.reads(alice, "/cancel") is None
    assert await desk.reads(alice, "/etc/hosts") is not None


@pytest.mark.parametrize(
    ("word", "action"), [("cancel", "cancel"), ("Cancelar.", "cancel"), ("no", "decline"), ("¡NO!", "decline")]
)
async def test_a_word_is_enough_to_refuse(desk: Desk, alice: UserId, word: str, action: str) -> None:
    asking = desk.ask(alice, NAME)
    await desk.asked(alice)
    assert await desk.write(alice, word) == "taken"
    assert await answer_of(asking) == (action, {})


async def test_several_fields_are_asked_one_after_the_other(desk: Desk, alice: UserId) -> None:
    fields = (
        Field("name", "Your name", "text", is_required=True),
        Field("note", "A note", "text", hint="Anything.", default="none"),
        Field("gift", "A gift?", "boolean", is_required=True),
    )
    asking = desk.ask(alice, Question("shop", "Facts", fields))
    first = await desk.asked(alice)
    assert len(await desk.messages(alice)) == 1
    assert isinstance(first, OutText)
    assert "(1 of 3)" in first.body
    assert await desk.write(alice, "Ann") == "taken"
    second = await desk.asked(alice, 2)
    assert isinstance(second, OutText)
    assert "> Anything." in second.body
    assert "If you skip it, this counts: none" in second.body
    assert "> Facts" not in second.body
    assert await desk.write(alice, "omitir") == "taken"
    third = await desk.asked(alice, 3)
    assert await desk.press(alice, ids(third)["Yes"])
    assert await answer_of(asking) == ("accept", {"name": "Ann", "gift": True})


async def test_a_value_that_does_not_fit_is_asked_for_again_twice_and_no_more(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(alice, COUNT)
    await desk.asked(alice)
    for number in (2, 3):
        assert await desk.write(alice, "a few") == "taken"
        again = await desk.asked(alice, number)
        assert isinstance(again, OutText)
        assert again.body.startswith("It has to be a whole number, such as 12.\n")
    assert await desk.write(alice, "many") == "taken"
    assert await answer_of(asking) == ("cancel", {})
    assert len(await desk.messages(alice)) == 3


async def test_a_value_beyond_a_limit_is_asked_for_again_with_the_limit_and_then_counts(
    desk: Desk, alice: UserId
) -> None:
    few = Field("n", "Count", "integer", is_required=True, limits=Limits(1, 10))
    asking = desk.ask(alice, Question("shop", "How many?", (few,)))
    first = await desk.asked(alice)
    assert isinstance(first, OutText)
    assert "\nValue allowed: from 1 to 10.\n" in first.body
    assert await desk.write(alice, "11") == "taken"
    again = await desk.asked(alice, 2)
    assert isinstance(again, OutText)
    assert again.body.startswith("That cannot be used. Value allowed: from 1 to 10.\n")
    assert await desk.write(alice, "10") == "taken"
    assert await answer_of(asking) == ("accept", {"n": 10})


async def test_a_second_try_that_fits_counts(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(alice, COUNT)
    await desk.asked(alice)
    await desk.write(alice, "3.5")
    await desk.asked(alice, 2)
    await desk.write(alice, "-12")
    assert await answer_of(asking) == ("accept", {"n": -12})


async def test_a_link_is_shown_with_its_host_beside_a_button(desk: Desk, alice: UserId) -> None:
    url = "https://login.example.com/start_here?state=a_b"
    asking = desk.ask(alice, Question("mail", "Log in, please. See http://evil.example", url=url))
    question = await desk.asked(alice)
    assert isinstance(question, Buttons)
    assert url in question.body
    assert "http://evil.example" not in question.body
    assert list(ids(question)) == ["Done", "No", "Cancel"]
    assert await desk.press(alice, ids(question)["Done"])
    assert await answer_of(asking) == ("accept", {})


async def test_two_people_answer_their_own_questions_at_the_same_time(
    desk: Desk, alice: UserId, bob: UserId
) -> None:
    hers, his = desk.ask(alice, NAME), desk.ask(bob, SURE)
    await desk.asked(alice)
    question = await desk.asked(bob)
    assert not await desk.press(alice, ids(question)["Yes"])
    assert await desk.write(bob, "Bob Example") == ""
    assert await desk.write(alice, "Ann") == "taken"
    assert await answer_of(hers) == ("accept", {"name": "Ann"})
    assert not his.done()
    assert await desk.press(bob, ids(question)["Yes"])
    assert await answer_of(his) == ("accept", {})


async def test_of_two_presses_the_first_counts(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(alice, SURE)
    buttons = ids(await desk.asked(alice))
    presses = [desk.press(alice, buttons[title]) for title in ("No", "Yes", "Yes")]
    answers = await asyncio.gather(*presses)
    # Which of them comes first is the database's to say: a server reads for several at once.
    assert sorted(answers) == [False, False, True]
    assert (await answer_of(asking))[0] == ("decline", "accept", "accept")[answers.index(True)]


async def test_silence_is_cancel_and_whoever_was_asked_to_write_is_told(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(alice, NAME)
    await desk.asked(alice)
    await desk.clock.advance(TIMEOUT_S)
    assert await answer_of(asking) == ("cancel", {})
    assert await desk.states() == ["expired"]
    assert (await desk.messages(alice))[1:] == [OutText(say(ASKING.question_expired, "en", server="shop"))]


async def test_what_was_written_for_a_question_that_has_just_closed_reaches_nobody(
    desk: Desk, alice: UserId
) -> None:
    asking = desk.ask(alice, NAME)
    await desk.asked(alice)
    await desk.clock.advance(TIMEOUT_S - 1)
    arrived = await desk.reads(alice, "my secret")
    await desk.clock.advance(1)
    await answer_of(asking)
    assert await desk.take(alice, arrived, "my secret") == "late"
    again = desk.ask(alice, NAME)
    await desk.asked(alice, 2)
    assert await desk.take(alice, arrived, "my secret") == "late"
    assert not again.done()
    assert await desk.write(alice, "Ann") == "taken"
    assert await answer_of(again) == ("accept", {"name": "Ann"})


async def test_what_comes_in_before_the_next_field_was_sent_answers_neither_it_nor_reaches_the_model(
    desk: Desk, alice: UserId
) -> None:
    fields = tuple(Field(name, name, "text", is_required=True) for name in ("one", "two"))
    asking = desk.ask(alice, Question("shop", "Facts", fields))
    assert await desk.reads(alice, "too early for anything") is None
    await desk.asked(alice)
    at_once = [await desk.reads(alice, text) for text in ("1", "my secret")]
    assert await desk.take(alice, at_once[0], "1") == "taken"
    assert await desk.take(alice, at_once[1], "my secret") == "late"
    async with asyncio.timeout(5):
        while len(await desk.messages(alice)) < len(fields):
            await asyncio.sleep(0)
    assert await desk.write(alice, "my other secret") == "late"
    await desk.asked(alice, 2)
    assert await desk.write(alice, "2") == "taken"
    assert await answer_of(asking) == ("accept", {"one": "1", "two": "2"})


async def test_a_cancelled_call_closes_its_question(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(alice, SURE)
    buttons = ids(await desk.asked(alice))
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await answer_of(asking)
    assert await desk.states() == ["cancelled"]
    assert not await desk.press(alice, buttons["Yes"])
    assert not await desk.is_asked(alice, "form")


async def test_after_a_restart_the_question_is_void(desk: Desk, alice: UserId) -> None:
    desk.ask(alice, SURE)
    buttons = ids(await desk.asked(alice))
    reborn = desk.restarted()
    await reborn.recover()
    assert await desk.states() == ["expired"]
    answered = await press(reborn, desk.ctx(alice), buttons["Yes"])
    assert answered is not None
    assert not answered.is_taken
    assert not await desk.press(alice, buttons["Yes"])


async def test_an_approval_and_a_question_wait_for_one_another(desk: Desk, alice: UserId) -> None:
    asking = desk.ask(alice, SURE)
    question = ids(await desk.asked(alice))
    approval = asyncio.create_task(ApprovalBroker(desk.asking).ask(desk.ctx(alice), "write_file", {}))
    for _ in range(50):
        await asyncio.sleep(0)
    assert not await desk.is_asked(alice, "approval")
    assert not await desk.press(alice, question["Yes"].replace(":form:", ":approval:").replace(":y", ":a"))
    assert await desk.write(alice, "yes") == "taken"
    assert await answer_of(asking) == ("accept", {})
    async with asyncio.timeout(5):
        while not await desk.is_asked(alice, "approval"):
            await asyncio.sleep(0)
    assert await desk.reads(alice, "no") is None
    await desk.mark_sent()
    assert await desk.write(alice, "no") == "taken"
    assert await approval == "no"


async def test_nobody_is_asked_who_cannot_be_written_to(desk: Desk, alice: UserId) -> None:
    await desk.clock.advance(25 * 3600)
    with pytest.raises(Permanent, match="person_unreachable"):
        await answer_of(desk.ask(alice, SURE))
    assert await desk.messages(alice) == []


@pytest.mark.parametrize("choice", ["", "q:", f"q:form:{'a' * 22}:y", "q:x:y"])
async def test_a_choice_that_is_none_of_ours_changes_nothing(desk: Desk, alice: UserId, choice: str) -> None:
    asking = desk.ask(alice, SURE)
    token = ids(await desk.asked(alice))["Yes"].removesuffix(":y")
    assert not await desk.press(alice, choice)
    assert not await desk.press(alice, f"{token}:zz")
    assert not asking.done()
