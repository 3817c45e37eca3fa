"""What is set and installed in the home: by the same way as a command, with its rules and its record."""

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.database.db import Database
from tests.builders import ALICE, BOB
from tests.e2e.installing import Chat
from tests.e2e.visiting import ADDRESS, Browser, at_home, words
from tests.fakes.mcp import children, our_tasks, until
from tests.fakes.registries import OFFICIAL, SMITHERY, Registries, entry, make_launchers, package, variable
from tests.harness import AppUnderTest, running_app

RUNS = "npx -y @acme/echo@1.2.3"
ECHO = "io.github.acme/echo"
SERVERS = "/home/servers"
PREFERENCES = "/home/preferences"


@pytest.fixture
def _launchers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{make_launchers(tmp_path / 'home')}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def hidden(page: httpx.Response, name: str) -> str:
    match = re.search(rf'name="{name}" value="([^"]+)"', page.text)
    assert match is not None, words(page)
    return match[1]


async def audited(app: AppUnderTest) -> list[str]:
    async with Database.open(app.database) as db:
        rows = await db.fetch_all("SELECT tool, verdict FROM audit_events ORDER BY id")
    return [f"{row['tool']} {row['verdict']}" for row in rows]


@asynccontextmanager
async def running_chat(tmp_path: Path, *listed: dict[str, Any], **settings: Any) -> AsyncIterator[Chat]:
    """The application where a server is listed, and whose home has an address."""
    before, registries = children(), Registries(list(listed or (entry(packages=[package()]),)))
    urls: dict[str, Any] = {"mcp_registry_url": OFFICIAL, "smithery_registry_url": SMITHERY, "public_url": ADDRESS}
    web = httpx.MockTransport(registries.answer)
    async with running_app(tmp_path / "data", web=web, **urls, **settings) as app:
        yield Chat(app, 20)
        await app.idle()
    assert our_tasks() == []
    assert children() == before


async def english(chat: Chat) -> tuple[Browser, Browser]:
    """The homes of Alice, who is an admin, and Bob, who is not."""
    for person in (ALICE, BOB):
        await chat.app.say(person, "From now on please answer in English")
    return await at_home(chat.app, ALICE), await at_home(chat.app, BOB)


@pytest.mark.usefixtures("_launchers")
async def test_a_server_is_found_looked_at_installed_shared_and_removed(tmp_path: Path) -> None:
    async with running_chat(tmp_path) as chat:
        before = children()
        await chat.app.say(ALICE, "From now on please answer in English")
        home = await at_home(chat.app, ALICE)
        proof = await home.proof(SERVERS)
        found = await home.post(f"{SERVERS}/search", proof=proof, words="echo")
        assert ECHO in words(found)
        shown = await home.post(f"{SERVERS}/preview", proof=proof, name=ECHO)
        assert RUNS in words(shown)
        assert "Nothing has been installed yet" in words(shown)
        assert (children(), chat.written()) == (before, {})
        done = words(await home.submit(SERVERS, "install", button=hidden(shown, "button")))
        assert "echo" in done
        assert list(chat.written()) == ["echo"]
        again = words(await home.submit(SERVERS, "install", button=hidden(shown, "button")))
        assert "no longer open" in again, "the yes counts once"
        (chat.app.data_dir / "mcp" / "logs" / "echo.log").write_text("the disk is nearly full\n", "utf-8")
        bob = await at_home(chat.app, BOB)
        looked = await bob.post(f"{SERVERS}/log", proof=await bob.proof("/home/preferences"), name="echo")
        assert "nearly full" not in looked.text + (await bob.get(looked.headers.get("location", SERVERS))).text
        logged = words(await home.post(f"{SERVERS}/log", proof=proof, name="echo"))
        assert "the disk is nearly full" in logged
        assert "everyone" in words(await home.submit(SERVERS, "everyone", name="echo"))
        assert "not shared" in words(await home.submit(SERVERS, "unshare", name="echo"))
        assert "I don't know anybody" in words(await home.submit(SERVERS, "share", name="echo", person="Zoe"))
        removed = words(await home.submit(SERVERS, "remove", name="echo"))
        assert "There are no tool servers for you yet" in removed
        await until(lambda: children() == before)
        told = await audited(chat.app)
        assert [one for one in told if one.startswith("install_mcp_server")][-1] == "install_mcp_server ok"
        assert told[-1] == "remove_mcp_server ok"


@pytest.mark.usefixtures("_launchers")
async def test_what_was_installed_last_is_taken_back_by_a_button(tmp_path: Path) -> None:
    async with running_chat(tmp_path) as chat:
        before = children()
        home = await at_home(chat.app, ALICE)
        shown = await home.post(f"{SERVERS}/preview", proof=await home.proof(SERVERS), name=ECHO)
        await home.submit(SERVERS, "install", button=hidden(shown, "button"))
        assert list(chat.written()) == ["echo"]
        await home.submit(SERVERS, "undo")
        assert chat.written() == {}
        await until(lambda: children() == before)


@pytest.mark.usefixtures("_launchers")
async def test_a_value_that_a_server_needs_is_asked_for_kept_and_never_shown(tmp_path: Path) -> None:
    wants = entry(packages=[package(environmentVariables=[variable("TOKEN", isRequired=True, isSecret=True)])])
    async with running_chat(tmp_path, wants) as chat:
        home, bob = await english(chat)
        proof = await home.proof(SERVERS)
        asked = await home.post(f"{SERVERS}/preview", proof=proof, name=ECHO)
        assert 'type="password"' in asked.text
        values = {"variable": hidden(asked, "variable"), "name": ECHO, "value": "s3cret-value"}
        shown = await home.post(f"{SERVERS}/set", proof=proof, **values)
        assert RUNS in words(shown)
        assert "s3cret-value" in chat.secrets()
        seen = shown.text + "".join([(await home.get(path)).text for path in await home.parts()])
        assert "s3cret-value" not in seen
        assert "s3cret-value" not in (await bob.get(SERVERS)).text
        async with Database.open(chat.app.database) as db:
            rows = await db.fetch_all("SELECT content FROM audit_events")
        assert [row for row in rows if "s3cret-value" in str(row["content"])] == []


@pytest.mark.usefixtures("_launchers")
async def test_only_an_admin_installs_and_removes_and_no_other_site_does(tmp_path: Path) -> None:
    async with running_chat(tmp_path) as chat:
        before = children()
        home, bob = await english(chat)
        shown = await home.post(f"{SERVERS}/preview", proof=await home.proof(SERVERS), name=ECHO)
        button = hidden(shown, "button")
        for act, form in (
            ("search", {"words": "echo"}),
            ("preview", {"name": ECHO}),
            ("set", {"variable": "TOKEN", "value": "x"}),
            ("install", {"button": button}),
            ("undo", {}),
        ):
            answer = words(await bob.submit(SERVERS, act, **form))
            assert re.search("That didn't work|no longer open|admin", answer), act
        evil = Browser(chat.app, headers={"Origin": "https://evil.example"}, cookies=home.cookies)
        rebound = Browser(chat.app, host="evil.example", cookies=home.cookies)
        proof = await home.proof(SERVERS)
        forged = [
            await home.post(f"{SERVERS}/install", button=button),
            await evil.post(f"{SERVERS}/install", button=button, proof=proof),
            await rebound.post(f"{SERVERS}/install", button=button, proof=proof),
            await home.post(f"{SERVERS}/install", button=button, proof=await bob.proof()),
        ]
        assert [answer.status_code for answer in forged] == [403, 403, 404, 403]
        assert (children(), chat.written()) == (before, {})
        old = await home.submit(SERVERS, "install", button="q:approval:" + "x" * 22 + ":run")
        assert "That didn't work" in words(old)


@pytest.mark.usefixtures("_launchers")
async def test_rules_and_dry_runs_count_in_the_home_too(tmp_path: Path) -> None:
    for number, settings in enumerate(({"tool_dry_run": True}, {})):
        place = tmp_path / str(number)
        (place / "data").mkdir(parents=True)
        if not settings:
            rule = '[[rule]]\nid = "mine"\ntools = ["install_*"]\naction = "block"\nreason = "not here"\n'
            (place / "data" / "security_policies.toml").write_text(rule)
        async with running_chat(place, **settings) as chat:
            home, _ = await english(chat)
            shown = await home.post(f"{SERVERS}/preview", proof=await home.proof(SERVERS), name=ECHO)
            done = words(await home.submit(SERVERS, "install", button=hidden(shown, "button")))
            assert ("dry run" if settings else "not here") in done
            assert chat.written() == {}


@pytest.mark.needs("oversight", "reminders")
async def test_each_person_sets_how_they_are_treated(tmp_path: Path) -> None:
    async with running_app(tmp_path, public_url=ADDRESS) as app:
        for person in (ALICE, BOB):
            await app.say(person, "From now on please answer in English")
        alice, bob = await at_home(app, ALICE), await at_home(app, BOB)
        assert "I ask before every tool" in words(
            await alice.submit(PREFERENCES, "set", name="mode", value="confirm-all")
        )
        assert "America/Bogota" in words(await alice.submit(PREFERENCES, "set", name="zone", value="Bogotá"))
        assert "21:00–07:00" in words(await alice.submit(PREFERENCES, "set", name="quiet", value="21-7"))
        await app.say(ALICE, "/mode")
        assert "confirm-all" in app.replies_to(ALICE)[-1]
        assert "No sé" not in words(await alice.submit(PREFERENCES, "set", name="language", value="es"))
        assert "Mi idioma" in words(await alice.get(PREFERENCES))
        his = words(await bob.get(PREFERENCES))
        assert "Bogota" not in his
        assert "21:00" not in his


@pytest.mark.needs("oversight")
async def test_not_asking_at_all_is_for_admins_and_recorded(tmp_path: Path) -> None:
    async with running_app(tmp_path, public_url=ADDRESS) as app:
        for person in (ALICE, BOB):
            await app.say(person, "From now on please answer in English")
        alice, bob = await at_home(app, ALICE), await at_home(app, BOB)
        assert "I do not ask" not in words(await bob.get(PREFERENCES))
        assert "Only" in words(await bob.submit(PREFERENCES, "set", name="mode", value="yolo"))
        await alice.submit(PREFERENCES, "set", name="mode", value="yolo")
        assert [one for one in await audited(app) if "set_mode" in one] == ["set_mode typed", "set_mode ok"]
        await app.say(BOB, "/mode")
        assert "confirm-sensitive" in app.replies_to(BOB)[-1]
        for name, value in (("mode", "never"), ("language", "fr"), ("forget", "x"), ("", "")):
            answer = words(await alice.submit(PREFERENCES, "set", name=name, value=value))
            assert re.search("That didn't work|I don't know", answer), name
        rebound = Browser(app, host="evil.example", cookies=alice.cookies)
        proof = await alice.proof()
        forged = [
            await alice.post(f"{PREFERENCES}/set", name="mode", value="confirm-all"),
            await rebound.post(f"{PREFERENCES}/set", name="mode", value="confirm-all", proof=proof),
        ]
        assert [answer.status_code for answer in forged] == [403, 404]
        await app.say(ALICE, "/mode")
        assert "yolo" in app.replies_to(ALICE)[-1]
