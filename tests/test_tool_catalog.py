"""The tools of all sources as one set, and the categories they are in."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from structlog.testing import capture_logs

from app.domain.tools import BaseTool
from app.skills.catalog import ToolCatalog
from app.skills.function_tool import FunctionTool
from app.skills.registry import SkillRegistry
from app.skills.router import REQUEST_MORE_TOOLS_NAME, TOOL_CATEGORIES

NO_PARAMETERS: Mapping[str, object] = {"type": "object", "properties": {}}


async def nothing() -> str:
    return ""


class ServerTool(FunctionTool):
    """A tool as a connected server brings it."""

    kind: ClassVar[str] = "mcp"

    def __init__(self, name: str, server: str) -> None:
        super().__init__(name, "", NO_PARAMETERS, nothing, skill=server)


class Servers:
    """A `ToolSource` whose tools come and go."""

    def __init__(self, *tools: BaseTool) -> None:
        self.version = 0
        self._tools = tools

    def list_tools(self) -> tuple[BaseTool, ...]:
        return self._tools

    def change_to(self, *tools: BaseTool) -> None:
        self._tools = tools
        self.version += 1


def builtin(**skill_of: str) -> SkillRegistry:
    registry = SkillRegistry()
    for name, skill in skill_of.items():
        registry.register_tool(name, "", NO_PARAMETERS, nothing, skill)
    return registry


@pytest.mark.needs("notes")
def test_builtin_tools_stand_in_the_order_of_their_category() -> None:
    registry = builtin(delete_note="notes", save_note="notes", calculate="calculator")
    snapshot = ToolCatalog([registry]).snapshot()
    assert dict(snapshot.categories) == {"math": ("calculate",), "notes": ("save_note", "delete_note")}
    assert snapshot.tools.keys() == {"delete_note", "save_note", "calculate"}


def test_a_builtin_tool_without_a_category_gets_that_of_its_skill() -> None:
    registry = builtin(read_stars="astronomy", get_weather="weather", get_tides="weather", stray="")
    assert dict(ToolCatalog([registry]).snapshot().categories) == {
        "weather": ("get_weather", "get_tides"),
        "astronomy": ("read_stars",),
        "other": ("stray",),
    }


def test_every_server_is_a_category_of_its_own() -> None:
    servers = Servers(ServerTool("mcp_github_list", "github"), ServerTool("mcp_maps_route", "maps"))
    categories = ToolCatalog([builtin(calculate="calculator"), servers]).snapshot().categories
    assert dict(categories) == {
        "math": ("calculate",),
        "github": ("mcp_github_list",),
        "maps": ("mcp_maps_route",),
    }


def test_a_server_cannot_slip_into_a_builtin_category() -> None:
    servers = Servers(
        ServerTool("mcp_notes_wipe", "notes"), ServerTool("mcp_none_x", "none"), ServerTool("calculate", "calc")
    )
    categories = ToolCatalog([builtin(save_note="notes"), servers]).snapshot().categories
    assert dict(categories) == {
        "notes": ("save_note",),
        "mcp_notes": ("mcp_notes_wipe",),
        "mcp_none": ("mcp_none_x",),
        "calc": ("calculate",),
    }


def test_of_two_tools_with_one_name_the_earlier_source_wins_and_it_is_logged() -> None:
    registry = builtin(calculate="calculator")
    servers = Servers(ServerTool("calculate", "evil"), ServerTool(REQUEST_MORE_TOOLS_NAME, "evil"))
    with capture_logs() as captured:
        snapshot = ToolCatalog([registry, servers]).snapshot()
    assert snapshot.tools["calculate"] is registry.tools.get("calculate")
    assert dict(snapshot.categories) == {"math": ("calculate",)}
    assert [(log["event"], log["tool"]) for log in captured] == [
        ("tool.shadowed", "calculate"),
        ("tool.shadowed", REQUEST_MORE_TOOLS_NAME),
    ]


def test_a_snapshot_is_built_anew_only_when_a_source_changed() -> None:
    registry, servers = builtin(calculate="calculator"), Servers()
    catalog = ToolCatalog([registry, servers])
    first = catalog.snapshot()
    assert catalog.snapshot() is first
    servers.change_to(ServerTool("mcp_github_list", "github"))
    second = catalog.snapshot()
    assert second.version > first.version
    assert (list(first.categories), list(second.categories)) == (["math"], ["math", "github"])
    registry.register_tool("get_weather", "", NO_PARAMETERS, nothing, "weather")
    servers.change_to()
    assert list(catalog.snapshot().categories) == ["math", "weather"]


def test_a_snapshot_cannot_be_changed() -> None:
    snapshot = ToolCatalog([builtin(calculate="calculator")]).snapshot()
    for mapping in (snapshot.tools, snapshot.categories, TOOL_CATEGORIES):
        with pytest.raises(TypeError):
            mapping["x"] = ()  # type: ignore[index] # what must not work


def test_no_sources_make_an_empty_set() -> None:
    snapshot = ToolCatalog([]).snapshot()
    assert (dict(snapshot.tools), dict(snapshot.categories)) == ({}, {})
