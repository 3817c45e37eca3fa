"""/mcp set, add, remove, undo and python -m app mcp: the owner's and the admins' own words, in their language."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from app.asking.texts import ASKING
from app.cli import servers
from app.commands.registry import CommandRegistry
from app.commands.texts import COMMANDS
from app.config import Settings
from app.domain.errors import AppError
from app.domain.ids import ConversationId, TurnId
from app.domain.outbound import (
    MAX_BUTTON_ID_CHARS,
    MAX_INTERACTIVE_BODY_CHARS,
    Buttons,
    ListMenu,
    Reply,
)
from app.domain.turn import TurnContext
from app.language.catalogue import Language, say
from app.mcp.texts import MCP
from tests.fakes.answers import press
from tests.fakes.registries import ADMIN, World, entry, installing_world, package, variable

TOKEN = "s3cret-value"
ECHO = "io.github.acme/echo"


async def says(world: World, args: str, *, is_admin: bool = True, language: Language = "en") -> str:
    return (await world.commands.run(args, turn(language, is_admin=is_admin))).markdown


async def replies(world: World, args: str) -> Reply:
    return await world.commands.run(args, turn("en", is_admin=True))


async def card(world: World, language: Language = "en") -> str:
    """Let a server be shown; returns the id of the button that installs it."""
    (question,) = (await world.commands.run(f"install {ECHO}", turn(language, is_admin=True))).messages
    assert isinstance(question, Buttons)
    return question.buttons[0].id


async def presses(world: World, button: str, *, is_admin: bool = True, language: Language = "en") -> str:
    answered = await press(world.asking, turn(language, is_admin=is_admin), button)
    assert answered is not None
    return answered.reply.markdown


def turn(language: Language, *, is_admin: bool) -> TurnContext:
    return TurnContext(TurnId(1), ADMIN, ConversationId(1), 1, datetime.now(UTC), language, is_admin=is_admin)


async def test_a_variable_is_kept_for_the_server_that_asks_and_is_not_repeated(tmp_path: Path) -> None:
    wants = package(environmentVariables=[variable("TOKEN")])
    async with installing_world(tmp_path, entry(packages=[wants])) as world:
        unknown = await says(world, f"set TOKEN {TOKEN}")
        assert unknown.startswith("No server asks for TOKEN")
        await world.installer.preview(ECHO)
        kept = await says(world, f"SET token   {TOKEN} ", language="es")
        assert kept.startswith("Guardado para *echo*.")
        assert TOKEN not in unknown + kept
        assert world.secrets.find("MCP_ECHO__TOKEN") == TOKEN


async def test_when_several_ask_the_server_is_named_before_a_dot(tmp_path: Path) -> None:
    wants = package(environmentVariables=[variable("TOKEN")])
    listed = (entry(packages=[wants]), entry("io.github.acme/other", packages=[wants]))
    async with installing_world(tmp_path, *listed) as world:
        await world.installer.preview(ECHO)
        await world.installer.preview("io.github.acme/other")
        assert "SERVER.NAME" in (await says(world, f"set TOKEN {TOKEN}"))
        assert "*other*" in (await says(world, f"set other.TOKEN {TOKEN}"))
        assert world.secrets.names() == ("MCP_OTHER__TOKEN",)


async def test_a_server_of_the_owners_hand_takes_its_variable_by_the_name_in_the_file(tmp_path: Path) -> None:
    mine = {"command": "x", "env": {"A": "${MY_KEY}", "B": "${env:HOME}"}}
    (tmp_path / "mcp_servers.json").write_text(json.dumps({"mcpServers": {"mine": mine}}), "utf-8")
    async with installing_world(tmp_path) as world:
        assert "starts again" in (await says(world, f"set MY_KEY {TOKEN}"))
        assert world.secrets.find("MY_KEY") == TOKEN


async def test_a_typed_server_asks_for_its_variables_then_runs_and_is_undone(tmp_path: Path) -> None:
    async with installing_world(tmp_path) as world:
        command = 'add mine API_KEY npx -y @acme/echo@1.2.3 "two words"'
        assert "API_KEY" in (await says(world, command))
        assert world.runs == []
        await says(world, f"set API_KEY {TOKEN}")
        assert (await says(world, command)).startswith("Installed *mine*, with ")
        assert world.runs == ["npx -y @acme/echo@1.2.3 two words"]
        assert "almost" in (await says(world, command))
        assert await says(world, "undo") == "Removed *mine*, with its tools and its variables."
        assert await says(world, "undo") == "No server was installed by message."
        assert world.secrets.names() == ()


@pytest.mark.parametrize(
    "args",
    ["add", "add mine", "add npx -y a@1.0.0", "add mine bash -c id", "add mine npx", 'add mine npx "-y', "set"],
)
async def test_a_command_that_is_not_whole_is_explained_and_runs_nothing(tmp_path: Path, args: str) -> None:
    async with installing_world(tmp_path) as world:
        assert "`/mcp " in (await says(world, args))
        assert world.runs == []


async def test_what_may_not_be_run_is_refused_with_the_reason(tmp_path: Path) -> None:
    async with installing_world(tmp_path) as world:
        assert "exact version" in (await says(world, "add mine npx -y echo@latest"))
        assert "LD_PRELOAD" in (await says(world, "add mine LD_PRELOAD uvx a==1.0"))
        assert world.runs == []


async def test_a_server_is_searched_shown_and_installed_by_commands_alone(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        (menu,) = (await replies(world, "search echo")).messages
        assert isinstance(menu, ListMenu)
        (row,) = menu.sections[0].rows
        assert (row.id, row.title) == (f"/mcp install {ECHO}", "echo")
        (question,) = (await replies(world, row.id.removeprefix("/mcp "))).messages
        assert isinstance(question, Buttons)
        assert "runs: npx -y @acme/echo@1.2.3" in question.body
        assert world.runs == []
        (button,) = question.buttons
        assert len(button.id) <= MAX_BUTTON_ID_CHARS
        done = await presses(world, button.id)
        assert done.startswith("Installed *echo*, with ")
        assert await presses(world, button.id) == say(ASKING.stale_question, "en")
        assert world.runs == ["npx -y @acme/echo@1.2.3"]


async def test_a_button_that_shows_something_else_than_what_would_run_runs_nothing(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        languages: tuple[tuple[Language, str], ...] = (("en", "nothing was run"), ("es", "no ejecuté nada"))
        for number, (language, told) in enumerate(languages):
            button = await card(world, language)
            world.registries.entries[:] = [entry(packages=[package(version=f"9.9.{number}")])]
            await world.installer.preview(ECHO)
            assert told in (await presses(world, button, language=language))
        assert world.runs == []


async def test_only_an_admin_presses_and_only_while_the_preview_lasts(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        button = await card(world)
        assert await presses(world, button, is_admin=False) == say(COMMANDS.admin_only, "en")
        await world.clock.advance(3600)
        assert await presses(world, button) == say(ASKING.stale_question, "en")
        assert world.runs == []


async def test_what_lacks_a_variable_is_not_asked_about_and_what_nobody_lists_is_said(tmp_path: Path) -> None:
    wants = package(environmentVariables=[variable("TOKEN")])
    async with installing_world(tmp_path, entry(packages=[wants])) as world:
        assert "TOKEN" in (await says(world, f"install {ECHO}"))
        assert "nobody" in (await says(world, "install nobody"))
        none = await replies(world, "search qwertyuiop")
        assert none.literal == say(MCP.install_found_none, "en", query="qwertyuiop")
        assert "`/mcp search github`" in (await says(world, "search"))
        assert "`/mcp search`" in (await says(world, "install"))
        assert world.runs == []


async def test_registries_that_do_not_answer_are_not_taken_for_having_nothing(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        world.registries.official_status = world.registries.smithery_status = 503
        assert await says(world, "search echo", language="es") == say(MCP.install_silent, "es")
        world.registries.official_status = world.registries.smithery_status = 200
        assert "nobody/there" in (await says(world, "install nobody/there"))


async def test_a_card_too_long_for_a_question_comes_before_it(tmp_path: Path) -> None:
    values = [{"name": f"SETTING_{n}", "value": "calm " * 20} for n in range(12)]
    async with installing_world(tmp_path, entry(packages=[package(environmentVariables=values)])) as world:
        reply = await replies(world, f"install {ECHO}")
        (question,) = reply.messages
        assert isinstance(question, Buttons)
        assert "SETTING" in reply.literal
        assert len(question.body) <= MAX_INTERACTIVE_BODY_CHARS


async def test_removing_names_what_there_is_not(tmp_path: Path) -> None:
    async with installing_world(tmp_path) as world:
        assert (await says(world, "remove nobody")).startswith("There is no server called nobody.")
        assert "NAME" in (await says(world, "remove"))


@pytest.mark.parametrize(
    "args", [f"set TOKEN {TOKEN}", "add x uvx a==1.0", "remove x", "undo", "search x", f"install {ECHO}"]
)
async def test_only_an_admin_changes_servers(tmp_path: Path, args: str) -> None:
    async with installing_world(tmp_path, entry()) as world:
        await world.installer.preview(ECHO)
        assert await says(world, args, is_admin=False) == say(COMMANDS.admin_only, "en")
        assert world.secrets.names() == ()
        assert world.runs == []


async def test_what_is_no_subcommand_is_left_to_mcp_itself(tmp_path: Path) -> None:
    async with installing_world(tmp_path) as world:
        assert await says(world, "") == say(MCP.server_none, "en")
        for args in ("github", "settings", "undoing"):
            assert await says(world, args) == say(MCP.server_unknown, "en", name=args)


@pytest.mark.parametrize(
    ("text", "is_secret"),
    [
        (f"/mcp set TOKEN {TOKEN}", True),
        (f"  /MCP   Set TOKEN {TOKEN}", True),
        (f"/mcp set\n{TOKEN}", True),
        ("/mcp", False),
        ("/mcp settings", False),
        ("/mode set", False),
        ("mcp set x y", False),
    ],
)
async def test_a_message_that_gives_a_variable_is_told_from_all_others(
    tmp_path: Path, text: str, is_secret: bool
) -> None:
    registry = CommandRegistry()
    async with installing_world(tmp_path) as world:
        world.commands.register(registry)
    assert registry.carries_secret(text) == is_secret


def run(data_dir: Path, *args: str, typed: str = "") -> tuple[int, str]:
    cli = typer.Typer()

    @cli.callback()
    def nothing() -> None:
        """A group, as the real one is."""

    def failed(exc: AppError) -> typer.Exit:
        typer.echo(f"{exc.code}: {exc.detail}")
        return typer.Exit(2)

    servers.register(cli, lambda: Settings(_env_file=None, data_dir=data_dir), failed)
    result = CliRunner().invoke(cli, ["mcp", *args], input=typed)
    return result.exit_code, result.output


def test_the_owner_adds_lists_and_removes_any_server_from_a_terminal(tmp_path: Path) -> None:
    assert run(tmp_path, "list") == (0, "there is no server\n")
    code, said = run(
        tmp_path, "add", "--env", "TOKEN", "mine", "--", "my-server", "--flag", "v", typed=f"{TOKEN}\n"
    )
    assert code == 0
    assert TOKEN not in said
    document = json.loads((tmp_path / "mcp_servers.json").read_text("utf-8"))
    assert document["servers"]["mine"] == {
        "command": "my-server",
        "args": ["--flag", "v"],
        "env": {"TOKEN": "${MCP_MINE__TOKEN}"},
    }
    secrets = tmp_path / "mcp_secrets.json"
    assert json.loads(secrets.read_text("utf-8")) == {"MCP_MINE__TOKEN": TOKEN}
    assert secrets.stat().st_mode & 0o777 == 0o600
    assert run(tmp_path, "add", "--url", "http://localhost:9/sse", "--sse", "far")[0] == 0
    assert run(tmp_path, "list") == (0, "mine (stdio): my-server --flag v\nfar (sse): http://localhost:9/sse\n")
    assert run(tmp_path, "remove", "mine")[0] == 0
    assert json.loads(secrets.read_text("utf-8")) == {}
    assert run(tmp_path, "remove", "mine") == (1, "there is no server mine\n")


@pytest.mark.parametrize(
    "args",
    [
        ("add", "mine"),
        ("add", "--url", "http://x", "mine", "cmd"),
        ("add", "--url", "ftp://x", "mine"),
        ("add", "../x", "cmd"),
        ("add", "mine", "${env:HOME}", "${env:HOME}"),
        ("add", "--env", "TOKEN", "mine", "cmd"),
    ],
)
def test_what_cannot_be_a_server_is_refused_and_not_written(tmp_path: Path, args: tuple[str, ...]) -> None:
    code, said = run(tmp_path, *args)
    assert (code, said.count("Traceback")) == (2, 0)
    assert not (tmp_path / "mcp_servers.json").exists()


def test_a_missing_variable_is_named_in_the_list(tmp_path: Path) -> None:
    entry_ = {"command": "x", "env": {"A": "${MY_KEY}"}, "disabled": True}
    (tmp_path / "mcp_servers.json").write_text(json.dumps({"mcpServers": {"m": entry_, "bad": 3}}), "utf-8")
    assert run(tmp_path, "list") == (
        0,
        "m (stdio): x; off; lacks MY_KEY\nbad: not used, the entry is not an object\n",
    )
