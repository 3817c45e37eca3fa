"""All tools that can be offered now, whoever brings them, and their categories."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import structlog

from app.domain.ids import UserId
from app.domain.tools import BaseTool, ToolSource
from app.skills.router import NO_CATEGORY, REQUEST_MORE_TOOLS_NAME, TOOL_CATEGORIES

_OTHER: Final = "other"
_KEPT: Final = 64
"""How many selections a set keeps at hand: people who see the same are offered the same object."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ToolSet:
    """The tools at one moment; a turn keeps the one it began with.

    `categories` maps each category that has tools to their names, in the order in which they are offered.
    `version` grows whenever the catalog finds a change.
    """

    tools: Mapping[str, BaseTool]
    categories: Mapping[str, tuple[str, ...]]
    version: int = 0
    whole: "ToolSet | None" = None
    _without: dict[frozenset[str], "ToolSet"] = field(default_factory=dict, repr=False, compare=False)

    def other_names(self) -> Mapping[str, str]:
        """Return the names that the tools also have, each with the tool's own."""
        return {other: tool.name for tool in self.tools.values() for other in tool.also_named}

    @property
    def all(self) -> "ToolSet":
        """What everybody together may be offered, of which this is what is left."""
        return self.whole or self

    def visible_to(self, user_id: UserId | None, *, is_admin: bool) -> "ToolSet":
        """Return what a person may be offered; a category of which nothing is left is left out, too."""
        return self.where(lambda tool: tool.is_for(user_id, is_admin=is_admin))

    def where(self, may_stay: Callable[[BaseTool], bool]) -> "ToolSet":
        """Return the tools that may stay, and the categories of which something is left."""
        hidden = frozenset(name for name, tool in self.tools.items() if not may_stay(tool))
        if not hidden:
            return self
        if (known := self._without.get(hidden)) is not None:
            return known
        if len(self._without) >= _KEPT:
            self._without.clear()
        self._without[hidden] = left = self._leave_out(hidden)
        return left

    def _leave_out(self, hidden: frozenset[str]) -> "ToolSet":
        kept = {title: tuple(n for n in names if n not in hidden) for title, names in self.categories.items()}
        return ToolSet(
            MappingProxyType({name: tool for name, tool in self.tools.items() if name not in hidden}),
            MappingProxyType({title: names for title, names in kept.items() if names}),
            self.version,
            self.all,
        )


def category_of_server(server: str, builtin: Collection[str]) -> str:
    """Return the category of a server's tools, `builtin` being those of our own: it can never slip into one."""
    return f"mcp_{server}" if server in (*builtin, NO_CATEGORY) else server or _OTHER


class ToolCatalog:
    """The sources joined: of two tools with one name, the one of the earlier source is taken.

    Builtin tools are put where `tool_categories` names them, otherwise in a category named after their
    skill. Every MCP server is a category of its own, see `category_of_server`.
    """

    def __init__(
        self,
        sources: Sequence[ToolSource],
        tool_categories: Mapping[str, Sequence[str]] = TOOL_CATEGORIES,
    ) -> None:
        self._sources = list(sources)
        self._tool_categories = tool_categories
        self._seen: tuple[int, ...] | None = None
        self._set = ToolSet(MappingProxyType({}), MappingProxyType({}))

    def add(self, source: ToolSource) -> None:
        """Join one more source, after those there are."""
        self._sources.append(source)

    def snapshot(self) -> ToolSet:
        """Return the tools as they are now: the same object until a source's version changes."""
        seen = tuple(source.version for source in self._sources)
        if seen != self._seen:
            tools = self._joined()
            self._set = ToolSet(
                MappingProxyType(tools), MappingProxyType(self._categorised(tools)), self._set.version + 1
            )
            self._seen = seen
        return self._set

    def _joined(self) -> dict[str, BaseTool]:
        tools: dict[str, BaseTool] = {}
        for tool in (tool for source in self._sources for tool in source.list_tools()):
            if tool.name in tools or tool.name == REQUEST_MORE_TOOLS_NAME:
                log.warning("tool.shadowed", tool=tool.name, skill=tool.skill, kind=tool.kind)
            else:
                tools[tool.name] = tool
        return tools

    def _categorised(self, tools: Mapping[str, BaseTool]) -> dict[str, tuple[str, ...]]:
        builtin = {name: tool for name, tool in tools.items() if tool.kind != "mcp"}
        categories = {
            category: [name for name in names if name in builtin]
            for category, names in self._tool_categories.items()
        }
        placed = {name for names in categories.values() for name in names}
        for name, tool in builtin.items():
            if name not in placed:
                categories.setdefault(tool.skill or _OTHER, []).append(name)
        own = frozenset(categories)
        for name, tool in tools.items():
            if name not in builtin:
                categories.setdefault(category_of_server(tool.skill, own), []).append(name)
        return {category: tuple(names) for category, names in categories.items() if names}
