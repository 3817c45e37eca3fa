"""Rules for single tools: set by admins, by /rules or in the home; they count for everybody, and are recorded."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.commands.texts import COMMANDS
from app.database.repositories.tool_rules import ChosenRule
from app.language.catalogue import say
from app.security.policy import PolicyEngine, counts, seal_of
from app.skills.tools.oversight.texts import OVERSIGHT
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls, is_question, press, results, until_asked
from tests.e2e.test_home_admin import audited
from tests.e2e.visiting import ADDRESS, at_home, words
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app
from tests.test_policy import PathTool

pytestmark = pytest.mark.needs("files", "oversight")
RULES = "/home/rules"
WISH = "write flour into a file, please"


@asynccontextmanager
async def running(tmp_path: Path, **settings: Any) -> AsyncIterator[AppUnderTest]:
    llm = ScriptedChatModel()
    llm.category = "files"
    async with running_app(tmp_path, llm=llm, agent_write_enabled=True, public_url=ADDRESS, **settings) as app:
        yield app


async def write(app: AppUnderTest, person: str, name: str) -> None:
    """Let a person wish for a file that the model then writes."""
    app.llm.add(calls(("write_file", {"path": name, "content": "flour"})), "Done.")
    await app.say(person, WISH)


def written(app: AppUnderTest) -> list[str]:
    return sorted(path.name for path in app.data_dir.glob("users/*/*.txt"))


def asked(app: AppUnderTest) -> int:
    return sum(is_question(send) and "write" in str(send.payload) for send in app.graph.sends)


async def test_a_trusted_tool_runs_unasked_for_everybody_and_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path) as app:
        await app.say(ALICE, "/rules write_file trust")
        assert app.replies_to(ALICE)[-1].startswith("write_file: ")
        await write(app, BOB, "a.txt")
        assert (written(app), asked(app)) == (["a.txt"], 0)
        assert "set_tool_rule typed" in await audited(app)
    async with running(tmp_path) as app:
        await write(app, BOB, "b.txt")
        assert (written(app), asked(app)) == (["a.txt", "b.txt"], 0)


async def test_who_wants_to_be_asked_about_everything_is_asked_about_a_trusted_tool(tmp_path: Path) -> None:
    async with running(tmp_path) as app:
        await app.say(ALICE, "/rules write_file trust")
        await app.say(BOB, "/mode confirm-all")
        app.llm.add(calls(("write_file", {"path": "a.txt", "content": "flour"})), "Done.")
        await app.receive(BOB, WISH)
        button = await until_asked(app, BOB)
        await press(app, BOB, f"{button}:n")
        await app.idle()
        assert written(app) == []


async def test_a_blocked_tool_runs_for_nobody_until_the_rule_is_taken_away(tmp_path: Path) -> None:
    async with running(tmp_path) as app:
        await app.say(ALICE, "/mode yolo")
        await app.say(ALICE, "/rules write_file block")
        await write(app, ALICE, "a.txt")
        assert written(app) == []
        assert "an admin has blocked this tool" in results(app)[0]
        await app.say(ALICE, "/reglas write_file quitar")
        await write(app, ALICE, "a.txt")
        assert written(app) == ["a.txt"]


async def test_a_tool_that_always_asks_asks_also_whoever_chose_never_to_be_asked(tmp_path: Path) -> None:
    async with running(tmp_path) as app:
        await app.say(ALICE, "/mode yolo")
        await app.say(ALICE, "/rules write_file ask")
        app.llm.add(calls(("write_file", {"path": "a.txt", "content": "flour"})), "Done.")
        await app.receive(ALICE, WISH)
        button = await until_asked(app, ALICE)
        assert written(app) == []
        await press(app, ALICE, f"{button}:y")
        await app.idle()
        assert written(app) == ["a.txt"]


async def test_only_admins_see_and_set_rules(tmp_path: Path) -> None:
    async with running(tmp_path) as app:
        await app.say(BOB, "/rules write_file trust")
        assert app.replies_to(BOB)[-1] in {say(COMMANDS.admin_only, "es"), say(COMMANDS.admin_only, "en")}
        bob = await at_home(app, BOB)
        assert (await bob.get(RULES)).status_code == 404
        answer = await bob.post(f"{RULES}/set", proof=await bob.proof(), tool="write_file", rule="trust")
        assert answer.status_code == 404
        assert "set_tool_rule typed" not in await audited(app)


async def test_the_files_of_rules_are_never_loosened(tmp_path: Path) -> None:
    (tmp_path / "security_policies.toml").write_text(
        '[[rule]]\nid = "no-rules"\ntools = ["set_tool_rule"]\naction = "block"\nreason = "they stay"\n'
    )
    async with running(tmp_path) as app:
        await app.say(ALICE, "/rules install_mcp_server trust")
        assert "(install)" in app.replies_to(ALICE)[-1]
        await app.say(ALICE, "/rules write_file trust")
        assert "they stay" in app.replies_to(ALICE)[-1]
        assert (await audited(app))[-2:] == ["set_tool_rule block no-rules", "set_tool_rule blocked"]
        await app.say(ALICE, "/rules")
        assert app.replies_to(ALICE)[-1].startswith(say(OVERSIGHT.rules_none, "es"))


async def test_in_a_dry_run_no_rule_is_kept(tmp_path: Path) -> None:
    async with running(tmp_path, tool_dry_run=True) as app:
        await app.say(ALICE, "/rules write_file trust")
        assert app.replies_to(ALICE)[-1] == say(OVERSIGHT.mode_dry_run, "es")
        await app.say(ALICE, "/rules")
        assert app.replies_to(ALICE)[-1].startswith(say(OVERSIGHT.rules_none, "es"))


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/rules writ_file trust", "write_file"),
        ("/rules quetzal trust", "quetzal"),
        ("/rules write_file maybe", "confiar · preguntar · bloquear · quitar"),
        ("/rules write_file", "confiar · preguntar · bloquear · quitar"),
    ],
)
async def test_what_is_not_understood_names_what_would_be(tmp_path: Path, typed: str, told: str) -> None:
    async with running(tmp_path) as app:
        await app.say(ALICE, typed)
        assert told in app.replies_to(ALICE)[-1]
        assert "set_tool_rule typed" not in await audited(app)


async def test_in_the_home_a_rule_is_found_set_and_taken_away_by_buttons(tmp_path: Path) -> None:
    async with running(tmp_path) as app:
        await app.say(ALICE, "From now on please answer in English")
        home = await at_home(app, ALICE)
        page = await home.get(f"{RULES}?words=write+file")
        assert "no rule of its own: asks first" in words(page)
        done = words(await home.submit(RULES, "set", tool="write_file", rule="trust"))
        assert "write_file: runs without asking" in done
        await write(app, BOB, "a.txt")
        assert written(app) == ["a.txt"]
        first = re.findall(r"<h2>([a-z_]+)</h2>", (await home.get(RULES)).text)[0]
        assert first == "write_file", "what has a rule stands first"
        assert "1 rule of its own" in words(await home.get("/"))
        await home.submit(RULES, "set", tool="write_file", rule="remove")
        assert "no rule of its own: asks first" in words(await home.get(f"{RULES}?words=write+file"))
        installing = (await home.get(f"{RULES}?words=install_mcp_server")).text
        assert 'value="block"' in installing
        assert 'value="trust"' not in installing, "what cannot be is not offered"


def test_who_trusts_a_tool_trusts_no_other_one_of_its_name() -> None:
    tool, other = PathTool("tool"), PathTool("tool")
    other.description = "Send everything away"
    trusted = ChosenRule("tool", "allow", seal_of(tool))
    assert counts(trusted, tool)
    assert not counts(trusted, other)
    engine = PolicyEngine([])
    tool.sensitive = other.sensitive = True
    verdicts = [engine.decide(one, {}, "confirm-sensitive", chosen=trusted).action for one in (tool, other)]
    assert verdicts == ["run", "ask"]
    assert counts(ChosenRule("tool", "block", seal_of(tool)), other), "what is blocked stays blocked"
