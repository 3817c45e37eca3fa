"""A choice that is typed instead of tapped: by its place or its title, and never where that is not clear."""

import json
from pathlib import Path

import pytest

from app.asking.typed import Shown, shown_in, typed_choice
from app.domain.outbound import Button, Buttons, ListMenu, ListRow, ListSection
from tests.abilities.reminders.test_reminders import MINUTE, pass_time, rows
from tests.abilities.reminders.test_reminders import world as reminders_world
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls, until_asked
from tests.fakes.llm import ScriptedChatModel
from tests.harness import NATIVE, AppUnderTest, running_app

WISH = "recordame mañana a las 5 regar"
EARLY, LATE = ("regar", "2026-11-19T05:00:00", ""), ("regar", "2026-11-19T17:00:00", "")
RECIPES = ListMenu(
    "Which one?",
    "Show",
    (
        ListSection(
            "",
            (
                ListRow("q:x:t:0", "today 9:10", "Omelette with four eggs"),
                ListRow("q:x:t:1", "today 8:02", "Rice pudding"),
                ListRow("q:x:t:2", "yesterday 20:15", "Lentil soup with rice"),
            ),
        ),
    ),
)
FRUIT = Buttons("Which?\n• A: pears from Rosa\n• B: figs", (Button("q:x:t:0", "A"), Button("q:x:t:1", "B")))


def has_file(data_dir: Path) -> bool:
    return any(data_dir.glob("users/*/a.txt"))


async def ask_when(app: AppUnderTest, person: str = ALICE) -> None:
    app.llm.add(json.dumps({"set_reminder": {"text": "regar", "when": "mañana a las 5"}}))
    await app.say(person, WISH)
    assert rows(app) == []


@pytest.mark.needs("reminders")
@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("la primera", LATE),
        ("la segunda por favor", EARLY),
        ("quiero la 2da", EARLY),
        ("the second one please", EARLY),
        ("option one? no idea", None),
        ("mañana 5:00", EARLY),
        ("la tercera", None),
        ("no, la segunda no", None),
        ("2", None),
        ("sí", None),
        ("la segunda de mayo", None),
    ],
)
async def test_a_place_or_a_title_sets_the_time_that_was_asked_about(
    tmp_path: Path, said: str, kept: tuple[str, str, str] | None
) -> None:
    async with reminders_world(tmp_path) as app:
        await ask_when(app)
        asked = len(app.llm.requests)
        await app.say(ALICE, said)
        if kept is not None:
            assert rows(app) == [kept]
            assert len(app.llm.requests) == asked
        else:
            assert EARLY not in rows(app)
            assert len(app.llm.requests) > asked


@pytest.mark.needs("reminders")
async def test_a_place_said_after_other_talk_or_by_somebody_else_chooses_nothing(tmp_path: Path) -> None:
    async with reminders_world(tmp_path) as app:
        await ask_when(app)
        await app.say(BOB, "la segunda")
        await pass_time(app, MINUTE)
        await app.say(ALICE, "qué calor")
        await pass_time(app, MINUTE)
        await app.say(ALICE, "la segunda")
        assert rows(app) == []


@pytest.mark.needs("files")
@pytest.mark.parametrize(
    ("said", "is_written"), [("la primera", True), ("la segunda", False), ("2", False), ("the second one", False)]
)
async def test_a_place_answers_the_question_whether_a_call_may_run(
    tmp_path: Path, said: str, is_written: bool
) -> None:
    llm = ScriptedChatModel(calls(("write_file", {"path": "a.txt", "content": "x"})))
    llm.category = "files"
    async with running_app(tmp_path, llm=llm, profile=NATIVE, agent_write_enabled=True) as app:
        await app.receive(ALICE, "write x into a file, please")
        await until_asked(app, ALICE)
        await app.graph.idle()
        llm.add("Written.")
        await app.say(ALICE, said)
        assert has_file(tmp_path) is is_written


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("la de los huevos", None),
        ("the one with the eggs", "0"),
        ("pudding", "1"),
        ("rice", None),
        ("lentil rice", "2"),
        ("not the pudding", None),
        ("3", "2"),
        ("20", None),
        ("the last one", None),
        ("yesterday 20:15", "2"),
        ("is it the pudding?", None),
        ("pudding is what I made for my aunt", None),
    ],
)
def test_words_choose_what_no_other_choice_has(said: str, key: str | None) -> None:
    found = typed_choice(said, shown_in([RECIPES]), takes_numbers=True)
    assert (None if found is None else found.key) == key


@pytest.mark.parametrize(("said", "key"), [("la de Rosa", "0"), ("figs", "1"), ("b", "1"), ("la primera", "0")])
def test_what_stands_beside_a_button_names_it(said: str, key: str) -> None:
    found = typed_choice(said, shown_in([FRUIT]), takes_numbers=True)
    assert isinstance(found, Shown)
    assert found.key == key
