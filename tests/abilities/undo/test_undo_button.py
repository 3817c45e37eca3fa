"""Under an answer that tells of what was done stands one button that takes exactly that back, once."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.db import Database
from app.domain.outbound import (
    MAX_INTERACTIVE_BODY_CHARS,
    MAX_TEXT_CHARS,
    Button,
    Buttons,
    OutboundMessage,
    OutMedia,
    OutText,
    Recipient,
    Reply,
    words_of,
)
from app.language.catalogue import say
from app.pipeline.answering.outcome import to_messages, with_button
from app.simulator.transcript import RecordedSend
from app.skills.tools.undo.texts import UNDO
from app.whatsapp.payloads import message_payload
from tests.abilities.undo.test_undo_by_message import call, does
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls, is_question, press, titles_of, until_asked
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, AppUnderTest, running_app

UNDO_BUTTON = Button("/undo act-1", "Undo")


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with running_app(
        tmp_path, llm=ScriptedChatModel(), profile=CONSTRAINED, max_tools_per_call=16
    ) as running:
        yield running


def sends_to(app: AppUnderTest, person: str) -> list[RecordedSend]:
    return [send for send in app.graph.sends if send.recipient == person]


def buttons_of(send: RecordedSend) -> list[tuple[str, str]]:
    interactive: Any = send.payload.get("interactive", {})
    return [
        (one["reply"]["id"], one["reply"]["title"]) for one in interactive.get("action", {}).get("buttons", ())
    ]


def undo_under(app: AppUnderTest, person: str) -> str:
    """Return the id of the only button under the newest message."""
    [(button, title)] = buttons_of(sends_to(app, person)[-1])
    assert title in {"Deshacer", "Undo"}
    return button


async def noted(app: AppUnderTest) -> list[str]:
    async with Database.open(app.database) as db:
        return [str(row["content"]) for row in await db.fetch_all("SELECT content FROM notes ORDER BY id")]


async def presses(app: AppUnderTest, person: str, button: str) -> str:
    await press(app, person, button)
    await app.idle()
    return app.replies_to(person)[-1]


@pytest.mark.needs("notes")
async def test_a_button_undoes_its_act_once_and_stands_under_nothing_else(app: AppUnderTest) -> None:
    await does(app, ALICE, "anotá que el service sale 80", "save_note", content="el service sale 80")
    button = undo_under(app, ALICE)
    assert len(sends_to(app, ALICE)) == 1, "one message, not two: each is billed"
    assert await presses(app, ALICE, button) == "Deshecho. Quité lo que había agregado: el service sale 80"
    assert buttons_of(sends_to(app, ALICE)[-1]) == []
    assert await presses(app, ALICE, button) == "Eso ya está deshecho: el service sale 80"
    assert await noted(app) == []
    await does(app, ALICE, "¿qué notas tengo?", "list_notes")
    assert buttons_of(sends_to(app, ALICE)[-1]) == [], "looking is no act"
    assert app.llm.unexpected == []


@pytest.mark.needs("notes", "lists", "projects", "memory", "reminders")
@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        ("a la lista: clavos", "add_to_list", {"items": ["clavos"]}),
        ("proyecto Patio con las tareas pasto y riego", "create_project", {"name": "Patio", "tasks": ["pasto"]}),
        ("recordá que soy celíaca", "remember_fact", {"fact": "soy celíaca"}),
        ("recordame mañana a las 10 pagar la luz", "set_reminder", {"text": "pagar la luz"}),
    ],
)
async def test_each_kind_of_act_has_it(
    app: AppUnderTest, said: str, tool: str, arguments: dict[str, object]
) -> None:
    app.llm.category = {"add_to_list": "lists", "create_project": "projects", "remember_fact": "memory"}.get(
        tool, "reminders"
    )
    app.llm.add(call(tool, arguments))
    await app.say(ALICE, said)
    assert (await presses(app, ALICE, undo_under(app, ALICE))).startswith("Deshecho.")


@pytest.mark.needs("reminders")
async def test_a_reminder_that_was_undone_does_not_come_and_one_that_came_is_not_undone(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 11, 18, 13, 30, tzinfo=UTC))
    async with running_app(tmp_path, llm=ScriptedChatModel(), clock=clock, profile=CONSTRAINED) as app:
        app.llm.category = "reminders"
        for minutes in (3, 5):
            app.llm.add(call("set_reminder", {"text": "sacar la torta", "when": f"en {minutes} minutos"}))
            await app.say(ALICE, f"recordame en {minutes} minutos sacar la torta")
        first, second = (buttons_of(send)[0][0] for send in sends_to(app, ALICE))
        await presses(app, ALICE, second)
        for _ in range(2):
            await app.clock.advance(timedelta(minutes=3).total_seconds())
            await app.idle()
        assert app.replies_to(ALICE).count("⏰ sacar la torta") == 1
        assert await presses(app, ALICE, first) == say(UNDO.blocked, "es", subject="sacar la torta")


@pytest.mark.needs("notes", "lists")
async def test_an_earlier_act_is_undone_alone_if_nothing_depends_on_it(app: AppUnderTest) -> None:
    await does(app, ALICE, "anotá la patente AB123CD", "save_note", content="la patente AB123CD")
    note = undo_under(app, ALICE)
    await does(app, ALICE, "a la lista: clavos", "add_to_list", items=["clavos"])
    await presses(app, ALICE, note)
    assert await noted(app) == []
    assert "☐ clavos" in await does(app, ALICE, "¿qué hay en la lista?", "show_list")


@pytest.mark.needs("notes", "projects", "lists")
async def test_what_something_later_depends_on_stays_until_that_is_undone(app: AppUnderTest) -> None:
    await does(app, ALICE, "anotá que el flete sale 300", "save_note", content="el flete sale 300")
    first = undo_under(app, ALICE)
    await does(app, ALICE, "perdón, 350", "correct_note", new="350")
    second = undo_under(app, ALICE)
    assert await presses(app, ALICE, first) == say(UNDO.blocked, "es", subject="el flete sale 300")
    assert "el flete sale 350" in await does(app, ALICE, "¿qué notas tengo?", "list_notes")
    await presses(app, ALICE, second)
    await presses(app, ALICE, first)
    assert await noted(app) == []

    await does(app, ALICE, "proyecto Mudanza", "create_project", name="Mudanza")
    project = undo_under(app, ALICE)
    await does(app, ALICE, "agregá la tarea flete a Mudanza", "add_task", title="flete", project="Mudanza")
    assert await presses(app, ALICE, project) == say(UNDO.blocked, "es", subject="Mudanza"), (
        "the task would go, too"
    )
    shown = await does(app, ALICE, "¿cómo está Mudanza?", "get_project", project="Mudanza")
    assert "flete" in shown

    await does(
        app, BOB, "a la lista de viaje: mapa, pilas", "add_to_list", items=["mapa", "pilas"], list_name="viaje"
    )
    await does(app, BOB, "ya tengo el mapa", "check_off", items=["mapa"])
    checked = undo_under(app, BOB)
    await does(app, BOB, "borrá la lista de viaje", "clear_list", list_name="viaje")
    gone = undo_under(app, BOB)
    assert await presses(app, BOB, checked) == say(UNDO.blocked, "es", subject="mapa")
    await presses(app, BOB, gone)
    await presses(app, BOB, checked)
    assert "☐ mapa" in await does(app, BOB, "¿qué hay en la lista?", "show_list")


@pytest.mark.needs("lists")
async def test_nothing_comes_back_to_a_list_that_is_gone(app: AppUnderTest) -> None:
    await does(app, ALICE, "a la lista de viaje: mapa", "add_to_list", items=["mapa"], list_name="viaje")
    made = undo_under(app, ALICE)
    await does(app, ALICE, "a la lista de viaje: pilas", "add_to_list", items=["pilas"], list_name="viaje")
    app.llm.category = "lists"
    app.llm.add(call("remove_from_list", {"items": ["pilas"]}))
    await app.say(ALICE, "sacá las pilas de la lista de viaje")
    removed = undo_under(app, ALICE)
    assert (await presses(app, ALICE, made)).startswith("Deshecho.")
    assert await presses(app, ALICE, removed) == say(UNDO.blocked, "es", subject="pilas")


@pytest.mark.needs("notes")
async def test_a_button_is_its_owners_and_bound_to_one_act(app: AppUnderTest) -> None:
    await does(app, ALICE, "note that the pump is blue", "save_note", content="the pump is blue")
    button = undo_under(app, ALICE)
    assert await presses(app, BOB, button) in {say(UNDO.gone, "en"), say(UNDO.gone, "es")}
    await does(app, BOB, "note that the bin is red", "save_note", content="the bin is red")
    assert await presses(app, BOB, button) in {say(UNDO.gone, "en"), say(UNDO.gone, "es")}
    assert "the pump is blue" in await does(app, ALICE, "what notes do I have?", "list_notes")
    assert "the bin is red" in await does(app, BOB, "what notes do I have?", "list_notes")


@pytest.mark.needs("notes")
async def test_pressed_too_late_it_says_so_and_does_nothing(app: AppUnderTest) -> None:
    await does(app, ALICE, "note that the pump is blue", "save_note", content="the pump is blue")
    button = undo_under(app, ALICE)
    await app.clock.advance(timedelta(minutes=10, seconds=1).total_seconds())
    assert await presses(app, ALICE, button) == say(UNDO.expired, "en", subject="the pump is blue")
    for number in range(6):
        await does(app, ALICE, f"note that tin {number} is full", "save_note", content=f"tin {number} is full")
    assert await presses(app, ALICE, button) == say(UNDO.gone, "en"), "the act itself is forgotten"
    assert "the pump is blue" in await does(app, ALICE, "what notes do I have?", "list_notes")


@pytest.mark.needs("notes")
async def test_a_button_works_after_a_restart_once(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        await does(app, ALICE, "note that the pump is blue", "save_note", content="the pump is blue")
        button, clock = undo_under(app, ALICE), app.clock
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=clock) as app:
        assert await presses(app, ALICE, button) == say(UNDO.added, "en", subject="the pump is blue")
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=clock) as app:
        assert await presses(app, ALICE, button) == say(UNDO.already, "en", subject="the pump is blue")


@pytest.mark.needs("notes", "lists")
async def test_what_one_turn_did_has_one_button_for_all_of_it(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "notes, lists"
    async with running_app(tmp_path, llm=llm, max_tools_per_call=16) as app:
        llm.add(
            calls(("save_note", {"content": "gate code 7719"}), ("add_to_list", {"items": ["nails"]})),
            "Noted, and put on the list.",
        )
        await app.say(ALICE, "note: gate code 7719, and put nails on the list")
        undone = await presses(app, ALICE, undo_under(app, ALICE))
        assert "gate code 7719" in undone
        assert "nails" in undone
        llm.category = "notes"
        assert await presses(app, ALICE, "/undo") == say(UNDO.already, "en", subject="gate code 7719, nails")


@pytest.mark.needs("notes", "files")
async def test_a_turn_that_also_did_what_cannot_come_back_has_none(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "notes, files"
    async with running_app(tmp_path, llm=llm, max_tools_per_call=16, agent_write_enabled=True) as app:
        llm.add(
            calls(
                ("save_note", {"content": "gate code 7719"}),
                ("write_file", {"path": "gate.txt", "content": "gate code 7719"}),
            ),
            "Noted, and written.",
        )
        await app.receive(ALICE, "note this and write it in gate.txt: gate code 7719")
        token = await until_asked(app, ALICE)
        await press(app, ALICE, f"{token}:y")
        await app.idle()
        assert app.replies_to(ALICE)[-1] == "Noted, and written."
        assert buttons_of(sends_to(app, ALICE)[-1]) == []
        assert "gate code 7719" in await presses(app, ALICE, "/undo"), (
            "the words undo what can be undone, and say what"
        )


@pytest.mark.needs("reminders")
async def test_an_hour_that_was_chosen_by_button_can_be_undone_too(app: AppUnderTest) -> None:
    app.llm.category = "reminders"
    app.llm.add(call("set_reminder", {"text": "sacar fotos", "when": "mañana a las 5"}))
    await app.say(ALICE, "recordame mañana a las 5 sacar fotos")
    question = next(send for send in sends_to(app, ALICE) if is_question(send))
    assert "Deshacer" not in titles_of(question), "nothing is done yet"
    await presses(app, ALICE, buttons_of(question)[0][0])
    assert await presses(app, ALICE, undo_under(app, ALICE)) == say(UNDO.added, "es", subject="sacar fotos")
    app.llm.add(call("list_reminders", {}))
    await app.say(ALICE, "¿qué recordatorios tengo?")
    assert "sacar fotos" not in app.replies_to(ALICE)[-1]


# The message that carries the button, whatever the answer is.

VOICE = OutMedia("audio", "media-1", is_voice=True)
PICTURE = OutMedia("image", "media-2", caption="the shed")
CHOICE = Buttons("Which one?", (Button("a", "A"),))


@pytest.mark.parametrize(
    "answer",
    [[VOICE], [PICTURE], [CHOICE], [OutText("Saved."), CHOICE], []],
    ids=["voice", "picture", "choice", "text and choice", "nothing"],
)
def test_where_no_button_can_be_the_answer_stays_as_it_is(answer: list[OutboundMessage]) -> None:
    assert with_button(answer, UNDO_BUTTON) == answer


def test_a_text_beside_a_file_carries_it() -> None:
    assert with_button([OutText("Saved."), VOICE], UNDO_BUTTON) == [Buttons("Saved.", (UNDO_BUTTON,)), VOICE]


@given(
    st.integers(1, 3 * MAX_TEXT_CHARS),
    st.sampled_from(["Saved the note. ", "línea\n", "*bold words* ", "👩‍🚒 ", "x"]),
)
def test_a_long_answer_has_it_under_its_last_message_and_loses_no_word(length: int, unit: str) -> None:
    text = (unit * length)[:length].strip() or "x"
    plain = to_messages(Reply(literal=text))
    shown = with_button(plain, UNDO_BUTTON)
    *before, last = shown
    assert isinstance(last, Buttons)
    assert last.buttons == (UNDO_BUTTON,)
    assert all(isinstance(one, OutText) for one in before)
    assert len(last.body) <= MAX_INTERACTIVE_BODY_CHARS
    assert "".join("".join(map(words_of, shown)).split()) == "".join("".join(map(words_of, plain)).split())
    assert message_payload(Recipient("1"), last, tracker=None)
    assert len(shown) <= len(plain) + 1, "each message is billed"
