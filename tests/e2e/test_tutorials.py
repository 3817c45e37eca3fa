"""The tutorials are true: what they say is written is written, and what they say is answered is answered.

A block ```chat is a talk: who writes, a colon, what; `WasAP` answers. The blocks of a page are one talk.
"""

import io
import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from shutil import copytree
from types import MappingProxyType
from typing import Any, Final

import pytest
from rich.console import Console

from app.cli.doctor.machine import check_skills
from app.cli.doctor.report import TextReport
from app.cli.doctor.round import Cleaner, Hop, run_hops
from app.cli.doctor.texts import DOCTOR
from app.language.catalogue import lazy
from app.llm.local_embedder import LocalEmbedder
from app.simulator.payloads import text
from app.simulator.people import DEFAULT_USERS
from app.whatsapp.marks import WORD_JOINER
from tests.e2e.launching import LAUNCH_S, launcher_variables
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.fakes.mcp import until
from tests.fakes.registries import make_launchers
from tests.harness import CONSTRAINED, AppUnderTest, running_app
from tests.test_connect import Setup, free_port, setup  # noqa: F401 - fixtures

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = ROOT / "docs" / "tutorials"
WRITTEN_AT: Final = datetime(2026, 11, 23, 16, 30, tzinfo=UTC)
ANA, BEN = DEFAULT_USERS
WHO: Final = MappingProxyType({"You": ANA, "Ana": ANA, "Ben": BEN})
_LINE: Final = re.compile(r"^(You|Ana|Ben|WasAP): ", re.MULTILINE)
CALLS: Final = MappingProxyType(
    {
        # What the model makes of a message; all others are answered by code.
        "Remember that my daughter Lola is allergic to nuts": {
            "remember_fact": {"fact": "my daughter Lola is allergic to nuts"}
        },
        "Add rice, eggs and tomatoes to the shopping list": {
            "add_to_list": {"items": ["rice", "eggs", "tomatoes"], "list_name": "shopping"}
        },
        "Mark the eggs as done": {"check_off": {"items": ["eggs"]}},
        "Remind me tomorrow at 9 to call the dentist": {
            "set_reminder": {"text": "call the dentist", "when": "tomorrow at 9"}
        },
        "Note that the wifi password is fern-and-tea": {
            "save_note": {"content": "the wifi password is fern-and-tea"}
        },
    }
)


@dataclass(frozen=True)
class Turn:
    """Somebody writes, and what they read next."""

    who: str
    said: str
    told: str


def blocks(page: str, kind: str) -> list[str]:
    """What stands in the blocks of a kind on a page."""
    return re.findall(rf"^```{kind}\n(.*?)^```", (PAGES / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def talk(page: str) -> Iterator[Turn]:
    """What is written on a page, in order, each with its answer."""
    for block in blocks(page, "chat"):
        _, *parts = _LINE.split(block)
        lines = [(who, words.strip()) for who, words in zip(parts[::2], parts[1::2], strict=True)]
        for (who, said), (answerer, told) in zip(lines[::2], lines[1::2], strict=True):
            assert answerer == "WasAP", said
            yield Turn(who, said, told)


async def play(app: AppUnderTest, page: str, *, patience_s: float = 20) -> list[tuple[str, str]]:
    """Write what a page says; returns what was told, and what should have been, wherever that differs."""
    different = []
    for turn in talk(page):
        if turn.said in CALLS:
            app.llm.add(json.dumps(CALLS[turn.said]))
        person = WHO[turn.who]
        before = len(app.replies_to(person.wa_id))
        await app.graph.receive(person, text(turn.said))
        await until(partial(_has_more, app, person.wa_id, before), timeout_s=patience_s)
        await app.idle()
        told = "\n".join(app.replies_to(person.wa_id)[before:]).replace(WORD_JOINER, "")
        if told != turn.told:
            different.append((told, turn.told))
    assert app.llm.unexpected == []
    return different


@pytest.mark.needs("lists", "reminders", "notes", "undo", "calculator")
@pytest.mark.parametrize("page", ["first-evening.md", "family.md"])
async def test_what_a_tutorial_says_is_answered_is_answered(tmp_path: Path, page: str) -> None:
    encoder = LocalEmbedder.open()
    if encoder is None:
        pytest.skip("the optional extra `local` is not installed")
    async with _running(tmp_path, embedder=encoder) as app:
        assert await play(app, page) == []


async def test_the_server_of_the_tutorial_comes_and_goes_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{make_launchers(tmp_path / 'home')}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    async with _running(tmp_path / "data") as app:
        await _speak_english(app)
        different = await play(app, "first-server.md")
        # Another server answers to that name here: it has other tools, and another number of them.
        assert [
            (_about_any(told), _about_any(wanted))
            for told, wanted in different
            if _about_any(told) != _about_any(wanted)
        ] == []


@pytest.mark.live_servers
async def test_the_server_of_the_tutorial_is_there_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = launcher_variables()
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    async with _running(tmp_path, mcp_passed_env=tuple(variables)) as app:
        await _speak_english(app)
        assert await play(app, "first-server.md", patience_s=LAUNCH_S) == []


async def test_the_skill_of_the_tutorial_is_read_as_it_stands_there(tmp_path: Path) -> None:
    skills = copytree(ROOT / "skills", tmp_path / "skills")
    [written] = blocks("first-skill.md", "markdown")
    (skills / "time").mkdir()
    (skills / "time" / "SKILL.md").write_text(written, "utf-8")
    async with _running(tmp_path / "data", skills_dir=skills) as app:
        await _speak_english(app)
        assert await play(app, "first-skill.md") == []
    out = io.StringIO()
    hop = Hop("skills", lazy(DOCTOR.hop_skills), lambda: check_skills(skills))
    await run_hops([hop], TextReport(Console(file=out, width=400)), Cleaner(()))
    assert blocks("first-skill.md", "doctor") == [out.getvalue().replace(str(skills), "skills")]


async def test_connecting_tells_what_the_tutorial_says(setup: Setup) -> None:  # noqa: F811 - a fixture
    await setup.connect()
    shown = [line for line in setup.shown.splitlines() if line.startswith("✔")]
    wanted = "".join(blocks("own-number.md", "connect")).replace("port 8000", f"port {setup.port}").splitlines()
    assert shown == wanted
    asked = [text.strip(" :") for text, _ in setup.person.asked]
    page = (PAGES / "own-number.md").read_text("utf-8")
    assert [one for one in asked if one.endswith("[Y/n]") and f"`{one.removesuffix(' [Y/n]')}`" not in page] == []


@asynccontextmanager
async def _running(data_dir: Path, **settings: Any) -> AsyncIterator[AppUnderTest]:
    """A service to which the people of the simulator write, with a model that only does as it is told."""
    people = tuple(one.wa_id for one in DEFAULT_USERS)
    llm = ScriptedChatModel()
    options = {"clock": FrozenClock(WRITTEN_AT), "profile": CONSTRAINED, **settings}
    async with running_app(
        data_dir, llm=llm, allowed_phone_numbers=people, admin_phone_numbers=people[:1], **options
    ) as app:
        yield app


async def _speak_english(app: AppUnderTest) -> None:
    """The prefix of Ana's number is one of a country that speaks Spanish, and commands are in no language."""
    await app.graph.receive(ANA, text("From now on please answer in English"))
    await app.idle()


def _has_more(app: AppUnderTest, person: str, before: int) -> bool:
    return len(app.replies_to(person)) > before


def _about_any(text: str) -> str:
    lines = [line for line in text.splitlines() if not line.startswith("- `mcp_")]
    return re.sub(r"\d+ tools?", "some tools", "\n".join(lines))
