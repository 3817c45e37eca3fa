"""Which tools there are."""

from datetime import UTC, datetime
from typing import Final

import pytest

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.tools import ToolResult
from app.domain.turn import TurnContext
from app.skills.catalog import ToolCatalog
from app.skills.registry import SkillRegistry
from app.skills.tools.oversight import catalog_tools

CTX: Final = TurnContext(
    TurnId(1), UserId("nobody"), ConversationId(0), 1, datetime(2026, 1, 2, tzinfo=UTC), "en", is_admin=False
)


async def call(registry: SkillRegistry, name: str, **arguments: object) -> ToolResult:
    tool = registry.tools.get(name)
    return await tool.execute(tool.validate_args(arguments), ctx=CTX)


@pytest.fixture
def tools() -> SkillRegistry:
    registry = SkillRegistry()
    catalog = ToolCatalog([registry])
    catalog_tools.register(registry, catalog.snapshot)
    registry.register_tool(
        "brew", "Make a\ncoffee", {"type": "object", "properties": {}}, lambda: "done", "kitchen"
    )
    return registry


async def test_the_categories_are_listed_with_their_sizes(tools: SkillRegistry) -> None:
    assert (await call(tools, "list_tool_categories")).content == "kitchen: 1 tools\ntools: 2 tools"


async def test_a_category_lists_its_tools_one_line_each(tools: SkillRegistry) -> None:
    assert (await call(tools, "list_category_tools", category=" Kitchen ")).content == (
        "Tools in kitchen:\nbrew: Make a coffee"
    )


async def test_an_unknown_category_names_those_there_are(tools: SkillRegistry) -> None:
    result = await call(tools, "list_category_tools", category="garden")
    assert not result.success
    assert result.content == "Error: There is no such category. The categories are: kitchen, tools."


async def test_a_tool_installed_later_shows_at_once(tools: SkillRegistry) -> None:
    assert "fetch" not in (await call(tools, "list_tool_categories")).content
    tools.register_tool("get", "Get it", {"type": "object", "properties": {}}, lambda: "done", "fetch")
    assert "fetch: 1 tools" in (await call(tools, "list_tool_categories")).content


def test_both_only_read(tools: SkillRegistry) -> None:
    names = ("list_tool_categories", "list_category_tools")
    found = [tools.tools.get(name) for name in names]
    assert all(tool.read_only and not tool.sensitive for tool in found)
