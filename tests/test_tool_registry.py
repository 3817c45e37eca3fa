"""Tools by name, and tools made of functions."""

import asyncio
import functools
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import BaseModel, Field

from app.domain.errors import ToolArgumentError, ToolFault
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.tools import Alias, ToolResult
from app.domain.turn import TurnContext
from app.skills.models import FunctionTool
from app.skills.registry import DuplicateToolError, SkillRegistry, ToolNotFoundError, ToolRegistry

CITY: Mapping[str, object] = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "name"}, "days": {"type": "integer"}},
    "required": ["city"],
}
NOTHING: Mapping[str, object] = {"type": "object", "properties": {}}


def context(user: str = "alice") -> TurnContext:
    return TurnContext(
        turn_id=TurnId(1),
        user_id=UserId(user),
        conversation_id=ConversationId(1),
        attempt=1,
        received_at=datetime(2026, 5, 1, tzinfo=UTC),
        language="en",
        is_admin=False,
    )


def silent() -> str:
    return ""


def tool(name: str, skill: str = "test") -> FunctionTool:
    return FunctionTool(name, f"does {name}", NOTHING, silent, skill=skill)


def registry(*names: str) -> ToolRegistry:
    tools = ToolRegistry()
    for name in names:
        tools.register(tool(name))
    return tools


async def forecast(city: str, days: int = 1) -> str:
    return f"{city}: {days} sunny days"


# --- the registry


def test_a_second_tool_of_one_name_is_refused_and_the_first_stays() -> None:
    tools = ToolRegistry()
    first = tool("a")
    tools.register(first)
    with pytest.raises(DuplicateToolError, match="'a'"):
        tools.register(tool("a"))
    assert tools.get("a") is first


def test_an_allowed_override_takes_the_place_of_the_first() -> None:
    tools, second = registry("a"), tool("a")
    tools.register(second, allow_override=True)
    assert tools.get("a") is second
    assert tools.count() == 1


def test_an_unknown_tool_is_an_error_that_lists_those_that_exist() -> None:
    tools = registry("b", "a")
    for ask in (
        lambda: tools.get("x"),
        lambda: tools.get_schemas(["a", "x"]),
        lambda: tools.filter_by_names(["x"]),
    ):
        with pytest.raises(ToolNotFoundError, match="'x'; the tools are: a, b"):
            ask()


def test_all_tools_come_sorted_by_name() -> None:
    assert [each.name for each in registry("c", "a", "b").list_all()] == ["a", "b", "c"]


def test_schemas_are_those_allowed_in_that_order_and_all_only_when_nothing_is_said() -> None:
    tools = registry("c", "a", "b")
    assert [schema.name for schema in tools.get_schemas()] == ["a", "b", "c"]
    assert [schema.name for schema in tools.get_schemas(["c", "a"])] == ["c", "a"]
    assert tools.get_schemas([]) == []


def test_filtering_keeps_the_order_of_the_names() -> None:
    tools = registry("a", "b", "c")
    assert [each.name for each in tools.filter_by_names(["c", "a"])] == ["c", "a"]
    assert tools.filter_by_names([]) == []


def test_the_registry_counts_finds_and_clears() -> None:
    tools = registry("a", "b")
    assert (tools.has_tool("a"), tools.has_tool("x"), tools.count()) == (True, False, 2)
    tools.clear()
    assert (tools.has_tool("a"), tools.count()) == (False, 0)


def test_every_change_raises_the_version() -> None:
    tools = ToolRegistry()
    seen = [tools.version]
    tools.register(tool("a"))
    seen.append(tools.version)
    tools.register(tool("a"), allow_override=True)
    seen.append(tools.version)
    tools.clear()
    seen.append(tools.version)
    assert seen == sorted(set(seen))


def test_registered_tools_carry_what_was_said_about_them() -> None:
    skills = SkillRegistry()
    made = skills.register_tool(
        "get_weather",
        "Weather of a city",
        CITY,
        forecast,
        "weather",
        sensitive=True,
        read_only=True,
        timeout_s=5,
        examples=("will it rain",),
    )
    assert skills.list_tools() == (made,)
    assert skills.tools_of("weather") == [made]
    assert skills.tools.get("get_weather") is made
    assert (made.skill, made.sensitive, made.read_only, made.timeout_s) == ("weather", True, True, 5)
    assert made.examples == ("will it rain",)
    with pytest.raises(DuplicateToolError):
        skills.register_tool("get_weather", "again", CITY, forecast, "other")


# --- tools made of functions


def test_the_schema_for_the_model_is_small_and_always_the_same_object() -> None:
    made = FunctionTool("get_weather", "Weather of a city", CITY, forecast)
    schema = made.get_schema()
    assert schema is made.get_schema()
    assert (schema.name, schema.description) == ("get_weather", "Weather of a city")
    assert schema.parameters == {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "name"}, "days": {"type": "integer"}},
        "required": ["city"],
    }


async def test_arguments_are_repaired_and_reach_the_function_by_name() -> None:
    made = FunctionTool("get_weather", "", CITY, forecast)
    arguments = made.validate_args({"city": "Paris", "days": "3"})
    assert await made.execute(arguments, ctx=context()) == ToolResult.ok("Paris: 3 sunny days")


def test_unknown_and_missing_arguments_are_named_together() -> None:
    with pytest.raises(ToolArgumentError) as caught:
        FunctionTool("get_weather", "", CITY, forecast).validate_args({"place": "Paris"})
    assert caught.value.detail == "place: unknown, the fields are city, days. city: required, but missing."


def test_an_open_schema_takes_more_arguments() -> None:
    async def free(**fields: object) -> str:
        return str(fields)

    made = FunctionTool("free", "", {**NOTHING, "additionalProperties": True}, free)
    assert made.validate_args({"any": 1}) == {"any": 1}


class TaskArguments(BaseModel):
    title: str = Field(min_length=1)
    priority: str = "medium"
    tags: list[str] = []
    due: datetime | None = None


async def add_task(title: str, priority: str, tags: list[str], due: datetime | None, *, ctx: TurnContext) -> str:
    return f"{ctx.user_id} {title} {priority} {tags} {due}"


async def test_a_pydantic_class_brings_its_defaults_and_types() -> None:
    made = FunctionTool("add_task", "", TaskArguments, add_task)
    arguments = made.validate_args({"title": 5, "tags": "home", "priority": "high", "due": None})
    assert arguments == {"title": "5", "priority": "high", "tags": ["home"], "due": None}
    assert (await made.execute(arguments, ctx=context("bob"))).output == "bob 5 high ['home'] None"
    assert made.args_model is TaskArguments
    assert "title" not in made.get_schema().parameters["properties"]["title"]  # type: ignore[index] # a dict


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "title: required, but missing."),
        ({"title": "a", "note": "b"}, "note: unknown, the fields are title, priority, tags, due."),
        ({"title": "a", "due": "soon"}, "due: Input should be"),
        ({"title": "x", "tags": {"a": [1]}}, "tags"),
        ("[]", "arguments: expected a JSON object"),
    ],
)
def test_a_pydantic_class_refuses_in_sentences(arguments: object, sentence: str) -> None:
    with pytest.raises(ToolArgumentError) as caught:
        FunctionTool("add_task", "", TaskArguments, add_task).validate_args(arguments)
    assert sentence in caught.value.detail


async def test_only_a_function_that_declares_the_context_gets_it() -> None:
    async def who(*, ctx: TurnContext) -> str:
        return ctx.user_id

    async def nobody() -> str:
        return "nobody"

    assert (await FunctionTool("who", "", NOTHING, who).execute({}, ctx=context("bob"))).output == "bob"
    assert (await FunctionTool("nobody", "", NOTHING, nobody).execute({}, ctx=context())).output == "nobody"


async def test_a_sync_function_does_not_hold_up_the_loop() -> None:
    let_go = threading.Event()

    def wait() -> str:
        assert let_go.wait(5)
        return threading.current_thread().name

    made = FunctionTool("wait", "", NOTHING, wait)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        running = group.create_task(made.execute({}, ctx=context()))
        await asyncio.sleep(0)
        let_go.set()
    assert running.result().output != threading.current_thread().name


async def test_partials_and_callable_objects_are_functions_too() -> None:
    class Greeter:
        async def __call__(self, city: str, days: int = 0) -> ToolResult:
            return ToolResult.ok(f"hello {city}")

    async def prefixed(prefix: str, city: str, days: int = 0) -> str:
        return prefix + city

    for handler, output in ((Greeter(), "hello Rome"), (functools.partial(prefixed, "in "), "in Rome")):
        made = FunctionTool("greet", "", CITY, handler)
        assert (await made.execute({"city": "Rome"}, ctx=context())).output == output


async def test_a_fault_is_a_failed_result_with_its_sentence() -> None:
    async def fails() -> str:
        raise ToolFault("no_city", "There is no such city. Ask which one is meant.")

    async def misled() -> str:
        raise ToolArgumentError("invalid_arguments", "when: expected a date.")

    result = await FunctionTool("fails", "", NOTHING, fails).execute({}, ctx=context())
    assert result == ToolResult.failed("There is no such city. Ask which one is meant.")
    assert (await FunctionTool("misled", "", NOTHING, misled).execute({}, ctx=context())).kind == "invalid"


async def test_any_other_exception_is_left_to_the_engine() -> None:
    async def breaks() -> str:
        raise ZeroDivisionError

    async def forgets() -> Any:
        return None

    with pytest.raises(ZeroDivisionError):
        await FunctionTool("breaks", "", NOTHING, breaks).execute({}, ctx=context())
    with pytest.raises(TypeError, match="'forgets' returned NoneType"):
        await FunctionTool("forgets", "", NOTHING, forgets).execute({}, ctx=context())


def test_a_function_that_does_not_fit_its_parameters_is_found_at_once() -> None:
    async def needs_more(city: str, days: int) -> str:
        return city + str(days)

    async def takes_less(city: str) -> str:
        return city

    async def asks_for_context(city: str, days: int = 0, *, ctx: TurnContext) -> str:
        return city

    with pytest.raises(ValueError, match="disagree on days"):
        FunctionTool("a", "", CITY, needs_more)
    with pytest.raises(ValueError, match="disagree on days"):
        FunctionTool("b", "", CITY, takes_less)
    with pytest.raises(ValueError, match="not a parameter for the model"):
        FunctionTool("c", "", {"properties": {"ctx": {}, "city": {}}}, asks_for_context)
    with pytest.raises(ValueError, match="no usable schema"):
        FunctionTool("d", "", {"properties": {"city": {"type": "strnig"}}}, takes_less)


# --- what other assistants call things


async def find_note(note: str, *, ctx: TurnContext) -> str:
    """Find a note."""
    return f"note {note}"


async def test_a_parameter_is_known_by_the_name_that_others_use() -> None:
    known = SkillRegistry().add(find_note, "test", aliases=MappingProxyType({"note_id": Alias("note")}))
    assert known.validate_args({"note_id": 3}) == known.validate_args({"note": "3"})
    assert "note_id" not in str(known.get_schema())
    with pytest.raises(ToolArgumentError):
        known.validate_args({"note_id": 3, "note": "4"})


async def test_an_alias_may_say_how_its_value_is_worded() -> None:
    minutes = Alias("note", lambda value: f"in {value} minutes")
    known = SkillRegistry().add(find_note, "test", aliases=MappingProxyType({"delay_minutes": minutes}))
    assert known.validate_args({"delay_minutes": 5}) == {"note": "in 5 minutes"}


def test_a_name_belongs_to_one_tool_only_and_an_alias_to_one_parameter() -> None:
    tools = SkillRegistry()
    tools.add(find_note, "test", also_named=("read_note",))
    with pytest.raises(DuplicateToolError):
        tools.add(find_note, "test", name="read_note")
    with pytest.raises(DuplicateToolError):
        tools.add(find_note, "test", name="get_note", also_named=("find_note",))
    with pytest.raises(ValueError, match="alias"):
        tools.add(find_note, "test", name="other", aliases=MappingProxyType({"note_id": Alias("nothing")}))
