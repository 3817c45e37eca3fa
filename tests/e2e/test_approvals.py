"""A question about a sensitive call: whoever presses, whenever they press, it runs once or not at all."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.asking.texts import ASKING
from app.language.catalogue import say
from app.skills.texts import SKILLS
from app.whatsapp.marks import WORD_JOINER
from tests.builders import ALICE, BOB, text_message
from tests.databases import copy, place_of
from tests.e2e.asking import calls, press, results, until_asked
from tests.fakes.llm import ScriptedChatModel
from tests.harness import WAIT_S, AppUnderTest, running_app

TIMEOUT_S = 300
STALE = (say(ASKING.stale_question, "en"), say(ASKING.stale_question, "es"))
FLOUR = ("write_file", {"path": "flour.txt", "content": "flour\n", "mode": "append"})
SALT = ("write_file", {"path": "salt.txt", "content": "salt\n", "mode": "append"})


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    llm = ScriptedChatModel()
    llm.category = "files"
    async with running_app(tmp_path, llm=llm, agent_write_enabled=True) as running:
        yield running


def written(data_dir: Path) -> dict[str, str]:
    """The text of every file in anybody's workspace, by name."""
    return {path.name: path.read_text() for path in data_dir.glob("users/*/*.txt")}


async def until_told(app: AppUnderTest, person: str, count: int) -> None:
    async with asyncio.timeout(WAIT_S):
        while len(app.replies_to(person)) < count:
            await asyncio.sleep(0)


@pytest.mark.needs("files")
async def test_nobody_answers_for_another_even_while_asked_themselves(app: AppUnderTest) -> None:
    app.llm.add(calls(FLOUR))
    await app.receive(ALICE, "write flour into a file, please")
    hers = await until_asked(app, ALICE)
    app.llm.add(calls(SALT))
    await app.receive(BOB, "write salt into a file, please")
    his = await until_asked(app, BOB)
    await press(app, BOB, f"{hers}:y")
    await until_told(app, BOB, 2)
    assert app.replies_to(BOB)[-1] in STALE
    assert written(app.data_dir) == {}
    await press(app, BOB, f"{his}:n")
    await until_told(app, BOB, 3)
    assert app.replies_to(BOB)[-1] == say(SKILLS.refused, "en")
    app.llm.add("Written.")
    await press(app, ALICE, f"{hers}:y")
    await app.idle()
    assert written(app.data_dir) == {"flour.txt": "flour\n"}
    assert app.replies_to(ALICE)[-1] == "Written."


@pytest.mark.needs("files")
async def test_two_presses_at_once_run_the_call_once_and_the_second_is_told(app: AppUnderTest) -> None:
    app.llm.add(calls(FLOUR), "Written.")
    await app.receive(ALICE, "write flour into a file, please")
    token = await until_asked(app, ALICE)
    await asyncio.gather(press(app, ALICE, f"{token}:y"), press(app, ALICE, f"{token}:y"))
    await app.idle()
    assert written(app.data_dir) == {"flour.txt": "flour\n"}
    [success] = results(app)
    assert "successfully" in success
    assert {*app.replies_to(ALICE)[1:]} - {*STALE} == {"Written."}
    assert len(app.replies_to(ALICE)) == 3


@pytest.mark.needs("files")
async def test_a_press_after_the_time_is_over_changes_nothing(app: AppUnderTest) -> None:
    app.llm.add(calls(FLOUR))
    await app.receive(ALICE, "write flour into a file, please")
    token = await until_asked(app, ALICE)
    await app.clock.advance(TIMEOUT_S)
    await app.idle()
    assert app.replies_to(ALICE)[-1] == say(SKILLS.expired, "en")
    await press(app, ALICE, f"{token}:y")
    await app.idle()
    assert app.replies_to(ALICE)[-1] == STALE[0]
    assert written(app.data_dir) == {}


@pytest.mark.needs("files")
async def test_after_a_restart_the_person_is_told_and_asked_anew_and_the_old_button_is_dead(
    app: AppUnderTest, tmp_path: Path
) -> None:
    app.llm.add("Hello yourself.", calls(FLOUR))
    await app.say(ALICE, "hello, I write to you in English")
    await app.receive(ALICE, "write flour into a file, please")
    old = await until_asked(app, ALICE)
    llm = ScriptedChatModel(calls(FLOUR), "Written.")
    llm.category = "files"
    killed = await photograph(app, tmp_path / "killed")
    async with running_app(killed, llm=llm, clock=app.clock, agent_write_enabled=True) as reborn:
        new = await until_asked(reborn, ALICE)
        assert new != old
        assert reborn.replies_to(ALICE)[0] == say(ASKING.approval_question_lost, "en")
        assert len(reborn.replies_to(ALICE)) == 2
        await press(reborn, ALICE, f"{old}:y")
        await until_told(reborn, ALICE, 3)
        assert reborn.replies_to(ALICE)[-1] == STALE[0]
        assert written(killed) == {}
        await press(reborn, ALICE, f"{new}:y")
        await reborn.idle()
        assert written(killed) == {"flour.txt": "flour\n"}
        assert reborn.replies_to(ALICE)[3:] == ["Written."]
    app.llm.add("All right.")
    await press(app, ALICE, f"{old}:n")


@pytest.mark.needs("files")
async def test_two_questions_of_one_person_come_one_after_the_other_each_with_its_own_answer(
    app: AppUnderTest,
) -> None:
    app.llm.add(calls(FLOUR, SALT), "Flour yes, salt no.")
    await app.receive(ALICE, "write flour and salt into files, please")
    first = await until_asked(app, ALICE)
    assert len(app.replies_to(ALICE)) == 1
    await press(app, ALICE, f"{first}:y")
    second = await until_asked(app, ALICE, 2)
    await press(app, ALICE, f"{first}:y")
    await until_told(app, ALICE, 3)
    assert app.replies_to(ALICE)[-1] in STALE
    done = written(app.data_dir)
    assert len(done) == 1  # Which of two calls at once is asked about first is open.
    await press(app, ALICE, f"{second}:n")
    await app.idle()
    assert written(app.data_dir) == done
    did, refused = sorted(results(app), key=lambda result: result.startswith("Error: The person refused"))
    assert next(iter(done)) in did
    assert refused.startswith("Error: The person refused")


@pytest.mark.needs("files")
async def test_what_was_typed_before_a_question_was_sent_does_not_answer_it(app: AppUnderTest) -> None:
    app.llm.add(calls(FLOUR, SALT), "Flour yes, salt no.")
    await app.receive(ALICE, "write flour and salt into files, please")
    await until_asked(app, ALICE)
    assert await app.post(*(text_message(word, sender=ALICE) for word in ("sí", "si", "Sí!"))) == 200
    second = await until_asked(app, ALICE, 2)
    await until_told(app, ALICE, 4)
    done = written(app.data_dir)
    assert len(done) == 1
    assert {*app.replies_to(ALICE)[2:]} <= {*STALE}
    await press(app, ALICE, f"{second}:n")
    await app.idle()
    assert written(app.data_dir) == done


@pytest.mark.needs("files")
async def test_a_typed_yes_counts_once_its_question_was_sent(app: AppUnderTest) -> None:
    app.llm.add(calls(FLOUR, SALT), "Both written.")
    await app.receive(ALICE, "write flour and salt into files, please")
    for number in (1, 2):
        await until_asked(app, ALICE, number)
        await app.graph.idle()
        await app.receive(ALICE, "sí")
    await app.idle()
    assert written(app.data_dir) == {"flour.txt": "flour\n", "salt.txt": "salt\n"}
    assert app.replies_to(ALICE)[2:] == ["Both written."]


@pytest.mark.needs("files", "oversight")
async def test_a_person_is_asked_in_words_and_why_tells_the_exact_call(app: AppUnderTest) -> None:
    shopping = ("write_file", {"path": "compras.txt", "content": "leche\npan\n*huevos*"})
    app.llm.add(calls(shopping), "Hecho.")
    await app.receive(ALICE, "por favor, anotá en un archivo leche, pan y huevos")
    token = await until_asked(app, ALICE)
    asked = app.replies_to(ALICE)[0].replace(WORD_JOINER, "")
    assert asked == "¿Guardo compras.txt con: leche, pan, *huevos*?\nSi ya existe, lo reemplazo."
    await press(app, ALICE, f"{token}:y")
    await app.idle()
    assert written(app.data_dir) == {"compras.txt": "leche\npan\n*huevos*"}
    await app.say(ALICE, "/why")
    exact = app.replies_to(ALICE)[-1].replace(WORD_JOINER, "")
    assert exact.endswith('write_file(content="leche\\npan\\n*huevos*", mode="overwrite", path="compras.txt")')


@pytest.mark.needs("files")
async def test_what_is_long_is_asked_as_it_is_and_whole(app: AppUnderTest) -> None:
    app.llm.add(calls(("write_file", {"path": "a.txt", "content": "word " * 100})), "I left it.")
    await app.receive(ALICE, "write many words into a file, please")
    token = await until_asked(app, ALICE)
    assert 'content: "word word' in app.replies_to(ALICE)[0]
    await press(app, ALICE, f"{token}:n")
    await app.idle()


@pytest.mark.needs("files")
async def test_a_press_does_not_wait_behind_what_the_person_wrote_meanwhile(app: AppUnderTest) -> None:
    app.llm.add(calls(FLOUR), "Written.", "Hello yourself.")
    await app.receive(ALICE, "write flour into a file, please")
    token = await until_asked(app, ALICE)
    await app.receive(ALICE, "and also: hello")
    assert len(app.llm.requests) == 1
    await press(app, ALICE, f"{token}:y")
    await app.idle()
    assert app.replies_to(ALICE)[1:] == ["Written.", "Hello yourself."]
    assert written(app.data_dir) == {"flour.txt": "flour\n"}


@pytest.mark.needs("notes")
async def test_a_retry_is_told_what_the_first_try_did_and_may_say_that_it_is_done(app: AppUnderTest) -> None:
    app.llm.category = "notes"
    app.llm.add(calls(("save_note", {"content": "buy flour"})), RuntimeError("the process is pulled away"))
    with capture_logs() as logs:
        await app.say(ALICE, "make a note, please: buy flour")
    assert "turn.failed" in [entry["event"] for entry in logs]
    assert app.replies_to(ALICE) == []
    app.llm.add("I saved the note.")
    await app.clock.advance(10)
    await app.idle()
    newest = app.llm.requests[-1].messages[-1].content
    assert 'save_note (done: "' in newest
    assert "buy flour" in newest.partition("save_note")[2]
    assert app.replies_to(ALICE) == ["I saved the note."]
    app.llm.add(calls(("list_notes", {})), "One note.")
    await app.say(ALICE, "which notes do I have?")
    assert "save_note" not in app.llm.requests[-2].messages[-1].content
    [listed] = results(app)
    assert listed.count("buy flour") == 1


async def photograph(app: AppUnderTest, data_dir: Path) -> Path:
    """Copy what a process would leave of its database if it were killed now."""
    await copy(app.database, place_of(data_dir))
    return data_dir
