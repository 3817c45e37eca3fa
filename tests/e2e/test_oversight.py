"""What an admin does by command goes by rules, dry run and audit, as what a model asks for does."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.database.db import Database
from tests.builders import ALICE
from tests.fakes.registries import make_launchers
from tests.harness import AppUnderTest, running_app

SECRET = "k3y-that-no-record-holds"
RULES = """
[[rule]]
id = "no-outside-programs"
tools = ["install_mcp_server", "set_mcp_variable"]
action = "block"
reason = "programs are installed by the owner"

[[rule]]
id = "always-asked"
tools = ["set_mode"]
action = "block"
reason = "the owner wants to be asked"
[rule.arguments]
mode = '"yolo"'
"""
COMMANDS = ("/mcp add mail npx -y acme-mail@1.0.0", f"/mcp set TOKEN {SECRET}", "/mode yolo")


@asynccontextmanager
async def app_where(tmp_path: Path, rules: str = "", *, is_dry_run: bool = False) -> AsyncIterator[AppUnderTest]:
    data = tmp_path / "data"
    data.mkdir()
    (data / "security_policies.toml").write_text(rules, "utf-8")
    async with running_app(data, tool_dry_run=is_dry_run) as app:
        yield app


@pytest.fixture(autouse=True)
def launchers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("PATH", f"{make_launchers(home)}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(home))


async def recorded(app: AppUnderTest) -> list[tuple[str, str, str]]:
    """What the audit trail says: tool, phase, verdict; none of it holds the secret."""
    async with Database.open(app.database) as db:
        rows = await db.fetch_all("SELECT tool, phase, verdict, content FROM audit_events ORDER BY id")
    assert all(SECRET not in str(row["content"]) for row in rows)
    return [(row["tool"], row["phase"], row["verdict"]) for row in rows]


async def test_a_rule_blocks_commands_too_and_the_trail_has_it(tmp_path: Path) -> None:
    async with app_where(tmp_path, RULES) as app:
        for command in COMMANDS:
            await app.say(ALICE, command)
        install, keep, mode = app.replies_to(ALICE)
        assert "programs are installed by the owner" in install
        assert "programs are installed by the owner" in keep
        assert "the owner wants to be asked" in mode
        assert not (app.data_dir / "mcp_servers.json").exists()
        assert "confirm-sensitive" in (await said(app, "/mode")).partition(",")[0]
        assert await recorded(app) == [
            ("install_mcp_server", "intent", "block no-outside-programs"),
            ("install_mcp_server", "outcome", "blocked"),
            ("set_mcp_variable", "intent", "block no-outside-programs"),
            ("set_mcp_variable", "outcome", "blocked"),
            ("set_mode", "intent", "block always-asked"),
            ("set_mode", "outcome", "blocked"),
        ]


async def test_a_dry_run_does_nothing_that_is_typed_either(tmp_path: Path) -> None:
    async with app_where(tmp_path, is_dry_run=True) as app:
        for command in COMMANDS:
            await app.say(ALICE, command)
        assert not (app.data_dir / "mcp_servers.json").exists()
        assert [one for one in await recorded(app) if one[1] == "outcome"] == [
            ("install_mcp_server", "outcome", "dry_run"),
            ("set_mcp_variable", "outcome", "dry_run"),
            ("set_mode", "outcome", "dry_run"),
        ]


async def test_what_is_done_is_recorded_with_who_typed_it(tmp_path: Path) -> None:
    async with app_where(tmp_path) as app:
        assert "yolo" in await said(app, "/mode yolo")
        await said(app, f"/mcp set TOKEN {SECRET}")
        assert await recorded(app) == [
            ("set_mode", "intent", "typed"),
            ("set_mode", "outcome", "ok"),
            ("set_mcp_variable", "intent", "typed"),
            ("set_mcp_variable", "outcome", "failed"),
        ]


async def said(app: AppUnderTest, text: str) -> str:
    await app.say(ALICE, text)
    return app.replies_to(ALICE)[-1]
