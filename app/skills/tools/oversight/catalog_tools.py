"""Which tools there are, by category."""

from collections.abc import Callable
from typing import Final

from app.domain.errors import ToolFault
from app.domain.tools import BaseTool
from app.domain.turn import TurnContext
from app.domain.wording import fold, one_line
from app.skills.catalog import ToolSet
from app.skills.registry import SkillRegistry

SKILL: Final = "tools"

_DESCRIPTION_CHARS: Final = 120


class _CatalogTools:
    def __init__(self, snapshot: Callable[[], ToolSet]) -> None:
        self._snapshot = snapshot

    async def list_tool_categories(self, *, ctx: TurnContext) -> str:
        """List the categories of tools."""
        now = self._snapshot().visible_to(ctx.user_id, is_admin=ctx.is_admin)
        lines = [f"{name}: {len(_present(now, name))} tools" for name in sorted(now.categories)]
        return "\n".join(lines) or "There are no tools."

    async def list_category_tools(self, category: str, *, ctx: TurnContext) -> str:
        """List the tools of one category."""
        now = self._snapshot().visible_to(ctx.user_id, is_admin=ctx.is_admin)
        known = {fold(name): name for name in now.categories}
        name = known.get(fold(category))
        if name is None:
            listed = ", ".join(sorted(now.categories)) or "none"
            raise ToolFault("category_unknown", f"There is no such category. The categories are: {listed}.")
        lines = [f"{tool.name}: {one_line(tool.description, _DESCRIPTION_CHARS)}" for tool in _present(now, name)]
        return "\n".join([f"Tools in {name}:", *lines])


def register(registry: SkillRegistry, snapshot: Callable[[], ToolSet]) -> None:
    """Add the two tools; `snapshot` is asked at every call, so newly installed tools show at once."""
    tools = _CatalogTools(snapshot)
    registry.add(
        tools.list_tool_categories,
        SKILL,
        read_only=True,
    )
    registry.add(
        tools.list_category_tools,
        SKILL,
        read_only=True,
    )


def _present(now: ToolSet, category: str) -> list[BaseTool]:
    return [now.tools[name] for name in now.categories[category] if name in now.tools]
