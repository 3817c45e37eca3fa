"""A real server asks back in the middle of a call: through the webhook, to the person whose call it was."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from app.asking.texts import ASKING
from app.language.catalogue import LANGUAGES, say
from app.simulator import payloads
from app.simulator.payloads import SimUser
from app.simulator.transcript import RecordedSend
from tests.builders import ALICE, BOB
from tests.databases import dump_of
from tests.e2e.asking import calls, is_question, press, results
from tests.e2e.test_approvals import photograph
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app

SCRIPT: Final = Path(__file__).parents[1] / "fakes" / "asking_server.py"
CAROL: Final = SimUser("5491155550303", "Carol")
SECRET: Final = "k3y-that-nobody-keeps"
NOTHING: Final[Mapping[str, object]] = MappingProxyType({})
SIGN_UP: Final = ("mcp_one_sign_up", NOTHING)
DELETE: Final = ("mcp_one_delete", NOTHING)
STALE: Final = tuple(say(ASKING.stale_question, language) for language in LANGUAGES)
TIMEOUT_S: Final = 300
PATIENCE_S: Final = 20


def list_servers(data_dir: Path) -> None:
    entry = {"command": sys.executable, "args": ["-I", "-S", str(SCRIPT)], "shared_with": ["everyone"]}
    (data_dir / "mcp_servers.json").write_text(json.dumps({"mcpServers": {"one": entry, "two": entry}}), "utf-8")


async def until_ready(app: AppUnderTest) -> None:
    """Let a third person see both servers; their processes start beside everything else."""
    ready = re.compile(r"\b3 (?:tools|herramientas)")
    async with asyncio.timeout(PATIENCE_S):
        while not any(len(ready.findall(reply)) == 2 for reply in app.replies_to(CAROL.wa_id)):
            await app.graph.receive(CAROL, payloads.text("/mcp"))
            await app.idle()
            await asyncio.sleep(0.02)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    list_servers(tmp_path)
    llm = ScriptedChatModel()
    llm.category = "one,two"
    people = (ALICE, BOB, CAROL.wa_id)
    async with running_app(tmp_path, llm=llm, tool_confirmation="yolo", allowed_phone_numbers=people) as running:
        await until_ready(running)
        yield running


async def until_sent(app: AppUnderTest, person: str, count: int = 1) -> RecordedSend:
    """Wait for the n-th message to that person; the server is a process of its own, so time really passes."""
    async with asyncio.timeout(PATIENCE_S):
        while len(sent := [one for one in app.graph.sends if one.recipient == person]) < count:
            await asyncio.sleep(0.005)
    return sent[count - 1]


def button(question: RecordedSend, key: str) -> str:
    assert is_question(question)
    buttons = question.payload["interactive"]["action"]["buttons"]  # type: ignore[index,call-overload]  # JSON
    return next(str(each["reply"]["id"]) for each in buttons if str(each["reply"]["id"]).endswith(f":{key}"))  # type: ignore[index,call-overload,union-attr]  # JSON


async def test_a_press_reaches_the_waiting_call_while_the_lane_is_busy_with_it(app: AppUnderTest) -> None:
    app.llm.add(calls(DELETE), "All deleted.", "Hello yourself.")
    await app.receive(ALICE, "delete everything, please")
    question = await until_sent(app, ALICE)
    assert "*one*" in question.text
    assert "*everything*" not in question.text
    await app.receive(ALICE, "and also: hello")
    await press(app, ALICE, button(question, "y"))
    await until_sent(app, ALICE, 2)
    await app.idle()
    assert app.replies_to(ALICE)[1:] == ["All deleted.", "Hello yourself."]
    assert "delete: accept" in str(app.llm.requests[1].messages)


async def test_what_is_typed_goes_to_the_server_and_not_to_the_model_or_into_history(app: AppUnderTest) -> None:
    app.llm.add(calls(SIGN_UP), "You are in.", "You told me nothing of the kind.")
    await app.receive(ALICE, "sign me up, please")
    await until_sent(app, ALICE)
    await app.receive(ALICE, SECRET)
    await until_sent(app, ALICE, 2)
    await app.idle()
    assert results(app) == [f"sign_up: accept, {len(SECRET)} characters"]
    await app.say(ALICE, "what did I tell you before?")
    assert app.replies_to(ALICE)[1:] == ["You are in.", "You told me nothing of the kind."]
    assert SECRET not in str(app.llm.requests) + str(app.llm.short_requests)
    assert SECRET not in await dump_of(app.database)


async def test_who_breaks_a_limit_of_the_server_is_told_it_and_asked_again(app: AppUnderTest) -> None:
    app.llm.add(calls(("mcp_one_book", NOTHING)), "Booked.")
    await app.receive(ALICE, "book a table, please")
    await until_sent(app, ALICE)
    for number, (written, told) in enumerate(
        [
            ("12", "That cannot be used. Value allowed: from 1 to 8."),
            ("4", "It has to be an email address"),
            ("to me", "That cannot be used. It has to be an email address"),
        ],
        start=2,
    ):
        await app.receive(ALICE, written)
        assert told in (await until_sent(app, ALICE, number)).text
    await app.receive(ALICE, "ann@example.com")
    assert (await until_sent(app, ALICE, 5)).text == "Booked."
    assert results(app) == ['book: {"guests": 4, "bill": "ann@example.com"}']


async def test_two_people_are_asked_at_once_and_nobody_answers_for_the_other(app: AppUnderTest) -> None:
    app.llm.add(calls(DELETE))
    await app.receive(ALICE, "delete everything, please")
    hers = button(await until_sent(app, ALICE), "y")
    app.llm.add(calls(("mcp_two_delete", NOTHING)))
    await app.receive(BOB, "delete everything of mine, please")
    his = button(await until_sent(app, BOB), "n")
    await press(app, BOB, hers)
    assert (await until_sent(app, BOB, 2)).text in STALE
    app.llm.add("Nothing was deleted.")
    await press(app, BOB, his)
    assert (await until_sent(app, BOB, 3)).text == "Nothing was deleted."
    assert results(app) == ["delete: decline"]
    app.llm.add("All deleted.")
    await press(app, ALICE, hers)
    assert (await until_sent(app, ALICE, 2)).text == "All deleted."
    assert "delete: accept" in results(app)[0]


async def test_silence_is_told_to_the_server_as_cancel_and_a_late_press_is_stale(app: AppUnderTest) -> None:
    app.llm.add(calls(DELETE), "You did not answer.")
    await app.receive(ALICE, "delete everything, please")
    late = button(await until_sent(app, ALICE), "y")
    await app.clock.advance(TIMEOUT_S)
    assert (await until_sent(app, ALICE, 2)).text == "You did not answer."
    assert results(app) == ["delete: cancel"]
    await press(app, ALICE, late)
    assert (await until_sent(app, ALICE, 3)).text in STALE


@pytest.mark.needs("conversation")
async def test_cancelling_the_turn_closes_its_question(app: AppUnderTest) -> None:
    app.llm.add(calls(SIGN_UP))
    await app.receive(ALICE, "sign me up, please")
    await until_sent(app, ALICE)
    await app.say(ALICE, "/cancel")
    assert app.replies_to(ALICE)[1] in {"Listo, lo cancelé.", "Done, I stopped."}
    app.llm.add("Hello.")
    await app.say(ALICE, "good morning to you")
    assert app.replies_to(ALICE)[2:] == ["Hello."]


async def test_a_message_that_quotes_something_else_is_not_given_to_the_server(app: AppUnderTest) -> None:
    app.llm.add("Hello.")
    await app.say(ALICE, "good morning to you")
    greeting = next(one for one in app.graph.sends if one.recipient == ALICE)
    app.llm.add(calls(SIGN_UP), "You are in.")
    await app.receive(ALICE, "sign me up, please")
    question = await until_sent(app, ALICE, 2)
    await app.receive(ALICE, "what did you mean by this?", quote=greeting.id)
    told = await until_sent(app, ALICE, 3)
    assert told.text == say(ASKING.question_answer_first, "en", server="one")
    await app.receive(ALICE, SECRET, quote=question.id)
    assert (await until_sent(app, ALICE, 4)).text == "You are in."
    assert results(app) == [f"sign_up: accept, {len(SECRET)} characters"]


async def test_after_a_restart_the_person_is_told_and_the_old_button_is_dead(
    app: AppUnderTest, tmp_path: Path
) -> None:
    app.llm.add(calls(DELETE))
    await app.receive(ALICE, "delete everything, please")
    old = button(await until_sent(app, ALICE), "y")
    killed = await photograph(app, tmp_path / "killed")
    async with running_app(killed, llm=ScriptedChatModel("Hello."), clock=app.clock) as reborn:
        await reborn.idle()
        lost, answer = reborn.replies_to(ALICE)
        assert lost in {say(ASKING.approval_question_lost, language) for language in LANGUAGES}
        assert answer == "Hello."
        await press(reborn, ALICE, old)
        await reborn.idle()
        assert reborn.replies_to(ALICE)[2] in STALE
    app.llm.add("All right.")
    await press(app, ALICE, old.removesuffix("y") + "n")
