"""Which categories a message is given, and which tools the budget takes from them."""

from types import MappingProxyType
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.chat import ChatMessage, ToolSchema
from app.domain.errors import NotReady, Permanent, Transient
from app.llm.wire import to_tool
from app.skills.router import (
    DEFAULT_CATEGORIES,
    REQUEST_MORE_TOOLS_NAME,
    TOOL_CATEGORIES,
    Intent,
    SortingFacts,
    build_request_more_tools_schema,
    classify_intent,
    next_tools,
    select_tools,
)
from tests.fakes.llm import ScriptedChatModel, last_user_text

pytestmark = pytest.mark.needs(
    "calculator",
    "conversation",
    "datetime",
    "files",
    "lists",
    "notes",
    "oversight",
    "projects",
    "selfcode",
    "weather",
)
CATEGORIES: Final = (*TOOL_CATEGORIES, "github")
ALL: Final = MappingProxyType({name: name for names in TOOL_CATEGORIES.values() for name in names})
WITH_GITHUB: Final = MappingProxyType(
    {**TOOL_CATEGORIES, "github": tuple(f"mcp_github_{n}" for n in range(6)), "one": ("only",)}
)
ALL_WITH_GITHUB: Final = MappingProxyType({name: name for names in WITH_GITHUB.values() for name in names})


# --- the budget


def test_select_tools_distributes_budget_with_two_categories() -> None:
    selected = select_tools(["projects", "github"], ALL_WITH_GITHUB, 8, WITH_GITHUB)
    assert selected == [*WITH_GITHUB["projects"][:4], *WITH_GITHUB["github"][:4]]


def test_select_tools_single_category_unchanged() -> None:
    assert select_tools(["projects"], ALL) == list(TOOL_CATEGORIES["projects"][:8])
    assert select_tools(["math"], ALL) == ["calculate"]


def test_select_tools_empty_categories_returns_empty() -> None:
    assert select_tools([], ALL) == []
    assert select_tools(["none"], ALL) == []
    assert select_tools(["notes"], {}) == []


def test_what_a_category_leaves_of_its_share_stays_unused() -> None:
    selected = select_tools(["math", "projects"], ALL)
    assert selected == ["calculate", *TOOL_CATEGORIES["projects"][:4]]


def test_every_category_gets_two_until_the_budget_ends() -> None:
    selected = select_tools(["time", "notes", "projects", "files", "selfcode"], ALL)
    assert selected == [
        name for each in ("time", "notes", "projects", "files") for name in TOOL_CATEGORIES[each][:2]
    ]


def test_missing_tools_and_unknown_categories_are_ignored() -> None:
    few = {"delete_note": 1, "get_note": 2}
    assert select_tools(["notes", "nonsense"], few) == [2, 1]


def test_a_category_named_twice_counts_once() -> None:
    assert select_tools(["projects", "projects"], ALL) == select_tools(["projects"], ALL)


def test_builtin_names_stand_in_one_category_only() -> None:
    names = [name for names in TOOL_CATEGORIES.values() for name in names]
    assert len(names) == len(set(names))
    assert set(DEFAULT_CATEGORIES) <= set(TOOL_CATEGORIES)


LAYOUTS = st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e"]), st.integers(0, 12), max_size=5).map(
    lambda sizes: {name: tuple(f"{name}{n}" for n in range(size)) for name, size in sizes.items()}
)
CHOICES = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "unknown"]), max_size=6)


@given(LAYOUTS, CHOICES, st.integers(0, 20), st.sets(st.sampled_from(["a0", "b1", "c2"])))
def test_a_selection_keeps_all_its_promises(
    layout: dict[str, tuple[str, ...]], chosen: list[str], budget: int, gone: set[str]
) -> None:
    tools = {name: name for names in layout.values() for name in names if name not in gone}
    selected = select_tools(chosen, tools, budget, layout)
    assert len(selected) <= budget
    assert len(set(selected)) == len(selected)
    assert selected == select_tools(chosen, dict(reversed(tools.items())), budget, layout)
    in_order = [name for each in dict.fromkeys(chosen) for name in layout.get(each, ()) if name in tools]
    assert selected == [name for name in in_order if name in set(selected)]
    if 2 * len(set(chosen)) <= budget:
        for category in chosen:
            available = [name for name in layout.get(category, ()) if name in tools]
            assert not available or available[0] in selected


@given(LAYOUTS, CHOICES, st.integers(1, 8))
def test_asking_again_reaches_every_tool(
    layout: dict[str, tuple[str, ...]], chosen: list[str], budget: int
) -> None:
    tools = {name: name for names in layout.values() for name in names}
    offered = select_tools(chosen, tools, budget, layout)
    for category in layout:
        while more := next_tools(category, tools, offered, budget, layout):
            assert len(more) <= budget
            assert not set(more) & set(offered)
            offered = [*offered, *more]
    assert set(offered) == set(tools)


def test_the_next_tools_are_those_after_the_ones_offered() -> None:
    offered = select_tools(["projects", "notes"], ALL)
    assert next_tools("projects", ALL, offered, 4) == list(TOOL_CATEGORIES["projects"][4:8])
    assert next_tools("unknown", ALL, offered, 4) == []


# --- the meta-tool


def function_of(categories: list[str]) -> dict[str, Any]:
    schema = build_request_more_tools_schema(categories)
    function = schema["function"]
    assert schema["type"] == "function"
    assert isinstance(function, dict)
    return function


def test_build_request_more_tools_schema_lists_categories() -> None:
    function = function_of(["projects", "github", "notes"])
    assert function["name"] == REQUEST_MORE_TOOLS_NAME
    assert "github, notes, projects" in function["description"]
    assert function["parameters"]["properties"]["categories"]["items"]["enum"] == ["github", "notes", "projects"]


def test_build_request_more_tools_schema_has_required_categories_param() -> None:
    parameters = function_of(["notes"])["parameters"]
    assert parameters["type"] == "object"
    assert parameters["required"] == ["categories"]
    assert parameters["properties"]["categories"]["type"] == "array"
    assert parameters["properties"]["reason"]["type"] == "string"


def test_the_meta_tool_is_the_same_in_both_forms_and_valid_without_categories() -> None:
    assert to_tool(
        ToolSchema.read(build_request_more_tools_schema(["b", "a", "a"]))
    ) == build_request_more_tools_schema(["a", "b"])
    assert "enum" not in function_of([])["parameters"]["properties"]["categories"]["items"]


def test_a_long_list_of_categories_stands_in_the_values_only() -> None:
    names = [f"server_{number:02}" for number in range(31)]
    short, long = function_of(names[:30]), function_of(names)
    assert all(name in short["description"] for name in names[:30])
    assert "server_09 and 21 more, which are the values of `categories`" in long["description"]
    assert "server_10" not in long["description"]
    assert long["parameters"]["properties"]["categories"]["items"]["enum"] == names
    assert len(str(long)) < len(str(short))


# --- the classifier


async def classify(answer: Any, message: str = "hola", **more: Any) -> list[str]:
    intent = await classify_intent(message, ScriptedChatModel(answer), facts(**more))
    return list(intent.categories)


def facts(*categories: str, **more: Any) -> SortingFacts:
    given: dict[str, Any] = {"categories": categories or CATEGORIES, **more}
    settled: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    return SortingFacts(**settled)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("time", ["time"]),
        ("time, math", ["time", "math"]),
        ("**time**", ["time"]),
        ("Time.", ["time"]),
        ("Categories: time", ["time"]),
        ("categories: `notes`, `projects`.", ["notes", "projects"]),
        ("notes\nprojects", ["notes", "projects"]),
        ("notes; projects", ["notes", "projects"]),
        ("- notes\n- projects", ["notes", "projects"]),
        ("1. notes\n2) projects", ["notes", "projects"]),
        ("notes and projects", ["notes", "projects"]),
        ("notes y math", ["notes", "math"]),
        ("notes math", ["notes", "math"]),
        ("projects + github", ["projects", "github"]),
        ('{"categories": ["time"]}', ["time"]),
        ('["time", "math"]', ["time", "math"]),
        ('```json\n{"categories": ["time", "github"]}\n```', ["time", "github"]),
        ('{"categories": ["selfcode", "conversation", "proj', ["selfcode", "conversation"]),
        ("time, banking", ["time"]),
        ("time, time, none", ["time"]),
        ("time, math, notes, projects", ["time", "math", "notes"]),
        ("none", ["none"]),
        ("None.", ["none"]),
        ("**NONE**", ["none"]),
        ('{"categories": ["none"]}', ["none"]),
    ],
)
async def test_answers_are_understood_in_every_form(answer: str, expected: list[str]) -> None:
    assert await classify(answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "banking",
        "I do not know",
        "It is about the time of day.",
        '{"categories": []}',
        Transient("x"),
        Permanent("x"),
    ],
)
async def test_nothing_known_or_a_failure_gives_the_default_categories(answer: str | Exception) -> None:
    assert await classify(answer) == list(DEFAULT_CATEGORIES)


async def test_defaults_are_never_categories_that_do_not_exist() -> None:
    assert await classify("?", categories=["github", "time"]) == ["time"]
    assert await classify("?", categories=["github"]) == ["github"]
    assert await classify("?", categories=[]) == ["none"]


async def test_a_model_that_is_not_ready_ends_the_classification() -> None:
    with pytest.raises(NotReady):
        await classify(NotReady("loading"))


async def test_none_with_an_address_means_fetching_only_where_that_exists() -> None:
    message = "qué dice HTTPS://example.org/a?"
    assert await classify("none", message, categories=[*CATEGORIES, "fetch"]) == ["fetch"]
    assert await classify("none", message) == ["none"]
    assert await classify("none", message, categories=["fetch"], sticky=["time"]) == ["fetch"]


async def test_a_message_with_a_link_gets_fetching_beside_its_other_categories() -> None:
    message = "guardá una nota con lo que dice https://example.org/a"
    assert await classify("notes", message, categories=["notes", "fetch"]) == ["notes", "fetch"]
    assert await classify("notes", message, categories=["notes"]) == ["notes"]
    assert await classify("notes", "guardá una nota", categories=["notes", "fetch"]) == ["notes"]
    assert "fetch" in await classify("?!", message, categories=["notes", "fetch"])


async def test_none_means_the_categories_of_the_turn_before() -> None:
    assert await classify("none", "y mañana?", sticky=["weather", "gone", "weather"]) == ["weather"]
    assert await classify("none", "y mañana?", sticky=["gone", "none"]) == ["none"]
    assert await classify("math", "y por dos?", sticky=["weather"]) == ["math"]


async def test_a_category_is_named_as_it_is_spelled() -> None:
    assert await classify("github", categories=["GitHub"]) == ["GitHub"]
    assert await classify('{"categories": ["my_server-2"]}', categories=["my_server-2"]) == ["my_server-2"]


async def test_the_request_is_short_bound_and_the_same_but_for_the_message() -> None:
    model = ScriptedChatModel("time", "math")
    for message in ("qué hora es?", "2+2"):
        await classify_intent(message, model, facts())
    first, second = model.requests
    assert first.messages[0] == second.messages[0]
    assert (last_user_text(first), last_user_text(second)) == ("qué hora es?", "2+2")
    assert (first.purpose, first.temperature, first.tools) == ("short", 0.0, ())
    assert first.max_tokens is not None
    assert first.max_tokens <= 32
    schema: Any = first.response_schema
    assert schema["properties"]["categories"]["items"]["enum"] == [*CATEGORIES, "none"]
    assert schema["properties"]["categories"]["maxItems"] == 3
    assert '{"categories": ["notes", "math"]}' in first.messages[0].content


async def test_a_provider_without_constraints_is_asked_for_a_list() -> None:
    model = ScriptedChatModel("time")
    await classify_intent("x", model, facts("time", is_constrained=False, leans_to_category=False))
    request = model.requests[0]
    assert request.response_schema is None
    assert "-> time" in request.messages[0].content
    assert "In doubt, answer none." in request.messages[0].content


async def test_the_examples_name_only_categories_that_exist() -> None:
    model = ScriptedChatModel("none")
    await classify_intent("x", model, facts("math", "github"))
    system = model.requests[0].messages[0].content
    assert "math, github" in system
    assert "notes" not in system
    assert "In doubt, answer a category." in system


async def test_what_was_said_before_stands_beside_the_message_in_short() -> None:
    model = ScriptedChatModel("weather")
    before = [
        ChatMessage("user", "old"),
        ChatMessage("user", "clima en Rosario?"),
        ChatMessage("tool", "{}"),
        ChatMessage("assistant", "Sol.\n" + "x" * 500),
    ]
    await classify_intent("y mañana?", model, facts(recent=before))
    asked = model.requests[0].messages[1].content
    assert asked.endswith("\ny mañana?")
    assert "user: clima en Rosario?\nassistant: Sol. x" in asked
    assert "old" not in asked
    assert len(asked) < 300


@pytest.mark.parametrize(
    ("said", "is_wish"),
    [
        ("instalá el servidor de GitHub", True),
        ("¿Podés instalar el servidor del tiempo?", True),
        ("por favor, desinstala echo", True),
        ("Install the filesystem server", True),
        ("uninstall it", True),
        ("anotá que tengo que instalar la estufa", False),
        ("Instalaron internet en casa", False),
        ("installation notes", False),
    ],
)
async def test_a_wish_to_install_needs_the_category_that_can_whatever_the_model_says(
    said: str, is_wish: bool
) -> None:
    async def sort(*categories: str) -> list[str]:
        model = ScriptedChatModel("notes")
        return list((await classify_intent(said, model, facts(*categories))).categories)

    assert await sort("notes", "expand") == (["expand"] if is_wish else ["notes"])
    assert await sort("notes") == ["notes"]


class Head:
    """Knows what "hola" is, and nothing else."""

    async def sort(self, user_message: str, facts: SortingFacts) -> Intent | None:
        return Intent(("none",), by="head", confidence=0.98) if user_message == "hola" else None


async def test_a_quick_sorter_goes_first_and_the_model_is_asked_only_about_the_rest() -> None:
    model = ScriptedChatModel("time")
    assert await classify_intent("hola", model, facts(), quick=Head()) == Intent(("none",), "", "head", 0.98)
    assert await classify_intent("qué hora es?", model, facts(), quick=Head()) == Intent(("time",))
    assert len(model.requests) == 1


async def test_who_sorted_a_message_is_told() -> None:
    assert (await classify_intent("x", ScriptedChatModel("?"), facts())).by == "fallback"
    install = await classify_intent("install echo", ScriptedChatModel("notes"), facts("notes", "expand"))
    assert (install.categories, install.by) == (("expand",), "rule")
