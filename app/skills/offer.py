"""Which tools a turn offers: the first choice, and what `request_more_tools` adds to it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import structlog

from app.domain.chat import ToolCall, ToolSchema
from app.domain.tools import BaseTool
from app.llm.salvage import resolve_name
from app.skills.catalog import ToolSet
from app.skills.router import (
    NO_CATEGORY,
    REQUEST_MORE_TOOLS_NAME,
    next_tools,
    request_more_tools_tool,
    select_tools,
)

_MIN_PER_CATEGORY: Final = 2
NAME_CHARS: Final = 60
_WORD_OR_DASH: Final = re.compile(r"[\w-]+")

log = structlog.get_logger(__name__)


class Offer:
    """The tools of the turn: what is offered, what has been, and what can still be loaded."""

    def __init__(
        self,
        tools: ToolSet,
        snapshot: Callable[[], ToolSet],
        categories: Sequence[str],
        *,
        max_tools: int,
        is_meta_alone_offered: bool,
    ) -> None:
        self._all = tools
        self._snapshot = snapshot
        self._max_tools = max_tools
        chosen = select_tools(categories, self._all.tools, max_tools, self._all.categories)
        self.tools = {tool.name: tool for tool in chosen}
        """By name, in the order in which they were first offered, without the meta-tool."""
        self._ever = dict(self.tools)
        self._used: set[str] = set()
        is_plain_chat = all(category == NO_CATEGORY for category in categories)
        self._has_meta = bool(self._all.tools) and (is_meta_alone_offered or not is_plain_chat)

    def schemas(self) -> tuple[ToolSchema, ...]:
        """What the model is offered now; nothing at all in plain chat."""
        if not self._has_meta:
            return ()
        return (
            request_more_tools_tool(self._all.categories),
            *(tool.get_schema() for tool in self.tools.values()),
        )

    def known_names(self) -> frozenset[str]:
        return frozenset(self._all.tools) | {REQUEST_MORE_TOOLS_NAME}

    def has_deeds(self) -> bool:
        """Whether a tool was offered in this turn that changes something."""
        return any(not tool.read_only for tool in self._ever.values())

    def resolved(self, call: ToolCall) -> ToolCall:
        """The call under the name of the tool that is meant: an offered one, or any other that exists."""
        offered = (REQUEST_MORE_TOOLS_NAME, *self.tools)
        return replace(
            call, name=resolve_name(call.name, offered) or resolve_name(call.name, self._all.tools) or call.name
        )

    def mark_used(self, calls: Iterable[ToolCall]) -> None:
        self._used.update(call.name for call in calls)

    def how_to_get(self, name: str) -> str:
        """Tell the model why a tool did not run and what to do instead."""
        category = next((title for title, names in self._all.categories.items() if name in names), None)
        if category is not None:
            return f'{name} is not loaded. Call {REQUEST_MORE_TOOLS_NAME} with categories ["{category}"] first.'
        offered = ", ".join((REQUEST_MORE_TOOLS_NAME, *self.tools))
        return f"There is no tool {name[:NAME_CHARS]!r}. Your tools are: {offered}."

    def load(self, arguments: Mapping[str, object]) -> tuple[str, bool]:
        """Offer the next tools of the categories asked for; tells the model which, and whether any came.

        The budget is shared among the categories, from the first of each that was not offered in this
        turn, or has left since. Beyond twice the budget, those leave that came first and were not used.
        """
        self._all = self._snapshot()
        self.tools = {name: self._all.tools[name] for name in self.tools if name in self._all.tools}
        wanted = _categories_in(arguments, self._all.categories)
        share = max(_MIN_PER_CATEGORY, self._max_tools // max(1, len(wanted)))
        new: dict[str, BaseTool] = {}
        for category in wanted:
            new |= {tool.name: tool for tool in self._page(category, share, new)}
        new = dict(list(new.items())[: self._max_tools])
        log.info("tools.loaded", categories=wanted, added=len(new))
        if not new:
            known = ", ".join(sorted(self._all.categories))
            return f"No new tools added (already available or unknown category). Categories: {known}.", False
        self.tools |= new
        self._ever |= new
        while len(self.tools) > 2 * self._max_tools:
            unused = (name for name in self.tools if name not in self._used and name not in new)
            del self.tools[next(unused, next(iter(self.tools)))]
        return f"Loaded {len(new)} new tool{'s' * (len(new) > 1)}: {', '.join(new)}.", True

    def _page(self, category: str, limit: int, new: Mapping[str, BaseTool]) -> list[BaseTool]:
        tools, categories = self._all.tools, self._all.categories
        never_offered = next_tools(category, tools, {*self._ever, *new}, limit, categories)
        return never_offered or next_tools(category, tools, {*self.tools, *new}, limit, categories)


def _categories_in(arguments: Mapping[str, object], known: Iterable[str]) -> list[str]:
    """The existing categories that a call of the meta-tool names, as a list or in one text."""
    given = arguments.get("categories")
    words = _WORD_OR_DASH.findall(given) if isinstance(given, str) else given
    asked = [word.strip().casefold() for word in words if isinstance(word, str)] if isinstance(words, list) else []
    by_name = {name.casefold(): name for name in known}
    return list(dict.fromkeys(by_name[word] for word in asked if word in by_name))
