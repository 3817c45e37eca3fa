"""Tools whose name, description and parameters are those of their function."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from app.domain.errors import ToolArgumentError
from app.domain.tools import OwnWords, Words
from app.domain.turn import TurnContext
from app.skills.models import FunctionTool
from app.skills.registry import SkillRegistry
from app.skills.signature import read_signature
from tests.test_tool_registry import context

Mood = Literal["calm", "loud"]


async def send_card(
    to: str,
    text: OwnWords,
    copies: Annotated[int, Field(ge=1, le=9)] = 1,
    mood: Mood = "calm",
    *,
    tags: list[str] | None = None,
    is_signed: bool = False,
    ctx: TurnContext,
) -> str:
    """Send a card to
    somebody.

    This is for those who read the code.

    Args:
        to: name or
            number
        copies: 1 to 9

    Raises:
        ToolFault: never.
    """
    return f"{ctx.user_id} {to} {text} {copies} {mood} {tags} {is_signed}"


def made_of(function: Any, **flags: Any) -> FunctionTool:
    return SkillRegistry().add(function, "cards", **flags)


def test_a_function_says_what_a_model_is_shown() -> None:
    schema = made_of(send_card).get_schema()
    assert (schema.name, schema.description) == ("send_card", "Send a card to somebody")
    assert schema.parameters == {
        "type": "object",
        "properties": {
            "to": {"type": "string", "description": "name or number"},
            "text": {"type": "string"},
            "copies": {"type": "integer", "description": "1 to 9"},
            "mood": {"enum": ["calm", "loud"], "type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "is_signed": {"type": "boolean"},
        },
        "required": ["to", "text"],
    }


async def test_arguments_are_repaired_checked_and_handed_over() -> None:
    tool = made_of(send_card)
    checked = tool.validate_args({"to": 5, "text": "hi", "copies": "2", "mood": "LOUD", "tags": "red"})
    assert (await tool.execute(checked, ctx=context("bob"))).output == "bob 5 hi 2 loud ['red'] False"


def test_a_default_is_told_to_who_is_asked_unless_it_says_nothing() -> None:
    def keep(content: str, title: str = "", mood: Mood = "calm", until: str | None = None) -> str:
        """Keep a text."""
        return content

    tool = made_of(keep)
    assert tool.validate_args({"content": "a"}) == {"content": "a", "mood": "calm", "until": None}
    assert tool.validate_args({"content": "", "title": ""}) == {
        "content": "",
        "title": "",
        "mood": "calm",
        "until": None,
    }


def test_a_limit_is_held_though_the_model_is_not_told_of_it() -> None:
    with pytest.raises(ToolArgumentError) as caught:
        made_of(send_card).validate_args({"to": "Ana", "text": "hi", "copies": 12, "ctx": "me"})
    assert caught.value.detail == (
        "ctx: unknown, the fields are to, text, copies, mood, tags, is_signed. copies: expected at most 9, got 12."
    )


def test_name_and_flags_are_given_when_it_is_registered() -> None:
    registry = SkillRegistry()
    tool = registry.add(send_card, "cards", name="send", sensitive=True, admin_only=True, timeout_s=5)
    assert registry.tools_of("cards") == [tool]
    assert (tool.name, tool.sensitive, tool.admin_only, tool.timeout_s) == ("send", True, True, 5)
    assert (tool.read_only, tool.trigger_pattern, tool.examples) == (False, None, ())


async def test_nested_values_arrive_as_their_annotation_says() -> None:
    @dataclass(frozen=True)
    class Item:
        name: str
        count: int = 1

    class Place(BaseModel):
        town: str

    async def order(items: list[Item], where: Place) -> str:
        """Order things."""
        return f"{[one.name * one.count for one in items]} {where.town}"

    tool = made_of(order)
    checked = tool.validate_args(
        {"items": [{"name": "a", "count": "2"}, {"name": "b"}], "where": {"town": "Lima"}}
    )
    assert checked["items"] == [{"name": "a", "count": 2}, {"name": "b", "count": 1}]
    assert (await tool.execute(checked, ctx=context())).output == "['aa', 'b'] Lima"


def test_parameters_with_the_persons_own_words_are_known_and_not_shown() -> None:
    def note(
        title: Annotated[str, Words()], lines: list[OwnWords], also: OwnWords | None = None, tag: str = ""
    ) -> str:
        """Keep a note."""
        return title + "".join(lines) + (also or "") + tag

    tool = made_of(note)
    assert tool.word_parameters == ("title", "lines", "also")
    shown: Any = tool.get_schema().parameters
    assert shown["properties"]["title"] == shown["properties"]["tag"] == {"type": "string"}
    assert made_of(send_card).word_parameters == ("text",)


def test_a_method_is_a_tool_of_its_object() -> None:
    class Bell:
        def ring(self, times: int = 1) -> str:
            """Ring the bell."""
            return "ding" * times

    assert read_signature(Bell().ring).parameters.names == {"times"}


def test_a_function_that_says_too_little_is_found_at_once() -> None:
    def untyped(city) -> str:  # type: ignore[no-untyped-def]
        """Tell about a city."""
        return str(city)

    def silent(city: str) -> str:
        return city

    def misspelt(city: str) -> str:
        """Tell about a city.

        Args:
            town: its name
        """
        return city

    for function, reason in ((untyped, "what city takes"), (silent, "no docstring"), (misspelt, "hints for no")):
        with pytest.raises(ValueError, match=reason):
            made_of(function)
