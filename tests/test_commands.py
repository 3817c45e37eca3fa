"""Slash commands: which texts are commands, and which command is meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.commands.registry import CommandRegistry, CommandSpec, ParsedCommand, parse_command
from app.commands.texts import COMMANDS
from app.domain.outbound import Reply
from app.domain.turn import TurnContext

names = st.from_regex(r"\A[a-z][a-z0-9_-]{0,15}\Z")


async def answer(args: str, ctx: TurnContext) -> Reply:
    return Reply(args)


def spec(name: str, *, is_control: bool = False) -> CommandSpec:
    return CommandSpec(name, COMMANDS.help_help, answer, is_control=is_control)


@pytest.fixture
def registry() -> CommandRegistry:
    filled = CommandRegistry()
    for name in ("help", "clear", "status"):
        filled.add(spec(name))
    filled.add(spec("cancel", is_control=True))
    return filled


@pytest.mark.parametrize(
    ("text", "name", "args"),
    [
        ("/help", "help", ""),
        ("/HELP", "help", ""),
        ("  /help  ", "help", ""),
        ("/remember the milk", "remember", "the milk"),
        ("/remember\nline one\nline two\n", "remember", "line one\nline two"),
        ("/review-skill weather", "review-skill", "weather"),
        ("/remember  /help ", "remember", "/help"),
    ],
)
def test_a_command_is_a_slash_a_name_and_the_rest(text: str, name: str, args: str) -> None:
    assert parse_command(text) == ParsedCommand(name, args)


@pytest.mark.parametrize(
    "text", ["", "help", "/", "/ help", "//help", "/etc/hosts", "/1", "see /help", "/help!", "1/2", "¿/help?"]
)
def test_what_only_looks_like_a_command_is_a_message(text: str) -> None:
    assert parse_command(text) is None


@given(st.text())
def test_any_text_is_a_command_or_a_message_and_never_an_error(text: str) -> None:
    parsed = parse_command(text)
    assert parsed is None or (text.lstrip().startswith("/") and parsed.name == parsed.name.lower())


@given(names, st.text().map(str.strip))
def test_the_name_and_what_follows_it_come_back_whole(name: str, args: str) -> None:
    assert parse_command(f"/{name} {args}") == ParsedCommand(name, args)


def test_commands_are_listed_in_the_order_in_which_they_were_added(registry: CommandRegistry) -> None:
    assert [one.name for one in registry.list_all()] == ["help", "clear", "status", "cancel"]


def test_a_name_can_be_taken_once(registry: CommandRegistry) -> None:
    with pytest.raises(ValueError, match="help is already registered"):
        registry.add(spec("help"))


def test_an_unknown_name_is_not_found(registry: CommandRegistry) -> None:
    assert registry.find("hlep") is None
    found = registry.find("help")
    assert found is not None
    assert found.name == "help"


@pytest.mark.parametrize(
    ("written", "meant"),
    [("hlep", "help"), ("halp", "help"), ("clera", "clear"), ("stauts", "status"), ("cancle", "cancel")],
)
def test_a_misspelt_command_leads_to_the_closest_one(registry: CommandRegistry, written: str, meant: str) -> None:
    closest = registry.find_closest(written)
    assert closest is not None
    assert closest.name == meant


@pytest.mark.parametrize("written", ["zzz", "x", "weather"])
def test_nothing_is_suggested_for_what_resembles_no_command(registry: CommandRegistry, written: str) -> None:
    assert registry.find_closest(written) is None


@pytest.mark.parametrize(
    ("text", "is_control"),
    [
        ("/cancel", True),
        (" /CANCEL now ", True),
        ("/help", False),
        ("cancel", False),
        ("/cancle", False),
        ("please /cancel", False),
    ],
)
def test_only_a_control_command_passes_the_running_turn(
    registry: CommandRegistry, text: str, is_control: bool
) -> None:
    assert registry.is_control(text) is is_control
