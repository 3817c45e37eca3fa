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
    REQUEST_MORE_TOOLS_NAME,
    build_request_more_tools_schema,
    next_tools,
    select_tools,
)
from app.skills.search.choose import MAX_LOADED, is_large, load_by_query, queries_in
from app.skills.search.index import ToolIndex

_MIN_PER_CATEGORY: Final = 2
NAME_CHARS: Final = 60
_REASON_CHARS: Final = 120
_WORD_OR_DASH: Final = re.compile(r"[\w-]+")

log = structlog.get_logger(__name__)


class Offer:
    """The tools of the turn: what is offered, what has been, and what can still be loaded.

    `snapshot` gives the tools as they are now. `chosen` are offered first; `max_tools` is the budget without the
    meta-tool, which stands before them if it `has_meta`; `index` finds more by words.
    """

    def __init__(
        self,
        snapshot: Callable[[], ToolSet],
        chosen: Sequence[BaseTool],
        *,
        max_tools: int,
        has_meta: bool,
        index: ToolIndex | None = None,
    ) -> None:
        self._all = snapshot()
        self._snapshot = snapshot
        self._max_tools = max_tools
        self._index = index
        self.tools = {tool.name: tool for tool in chosen}
        """By name, in the order in which they were first offered, without the meta-tool."""
        self._ever = dict(self.tools)
        self._used: set[str] = set()
        self._has_meta = has_meta and bool(self._all.tools)

    def schemas(self) -> tuple[ToolSchema, ...]:
        """What the model is offered now; nothing at all in plain chat."""
        if not self._has_meta:
            return ()
        return (
            ToolSchema.read(build_request_more_tools_schema(self._all.categories, is_searched=self._is_searched)),
            *(tool.get_schema() for tool in self.tools.values()),
        )

    def refresh(self) -> None:
        """Take up what was installed or removed since: the first tools of each new category are offered now."""
        now = self._snapshot()
        if now.version == self._all.version:
            return
        new = [name for name in now.categories if name not in self._all.categories]
        self._all = now
        self.tools = {name: now.tools[name] for name in self.tools if name in now.tools}
        self._add({tool.name: tool for tool in select_tools(new, now.tools, self._max_tools, now.categories)})
        log.info("tools.refreshed", new_categories=new)

    def known_names(self) -> frozenset[str]:
        return frozenset((REQUEST_MORE_TOOLS_NAME, *self._all.tools, *self._all.other_names()))

    def offers_side_effects(self) -> bool:
        """Whether a tool was offered in this turn that changes something."""
        return any(not tool.read_only for tool in self._ever.values())

    def resolved(self, call: ToolCall) -> ToolCall:
        """The call under the name of the tool that is meant: an offered one, or any other that exists."""
        offered = (REQUEST_MORE_TOOLS_NAME, *self.tools)
        name = resolve_name(call.name, offered) or resolve_name(call.name, self._all.tools)
        if name is None and (other := resolve_name(call.name, others := self._all.other_names())) is not None:
            name = others[other]
        return replace(call, name=name or call.name)

    def mark_used(self, calls: Iterable[ToolCall]) -> None:
        self._used.update(call.name for call in calls)

    def how_to_get(self, name: str) -> str:
        """Tell the model why a tool did not run and what to do instead."""
        category = next((title for title, names in self._all.categories.items() if name in names), None)
        if category is not None:
            return f'{name} is not loaded. Call {REQUEST_MORE_TOOLS_NAME} with categories ["{category}"] first.'
        offered = ", ".join((REQUEST_MORE_TOOLS_NAME, *self.tools))
        return f"There is no tool {name[:NAME_CHARS]!r}. Your tools are: {offered}."

    @property
    def _is_searched(self) -> bool:
        return self._index is not None and is_large(self._all)

    async def load(self, arguments: Mapping[str, object]) -> tuple[str, bool]:
        """Offer the tools that fit the queries, and the next of the categories asked for.

        Tells the model which, and whether any came.

        The budget is shared among the categories, from the first of each that was not offered in this
        turn, or has left since. Beyond twice the budget, those leave that came first and were not used.
        """
        self._all = self._snapshot()
        self.tools = {name: self._all.tools[name] for name in self.tools if name in self._all.tools}
        wanted = _categories_in(arguments, self._all.categories)
        share = max(_MIN_PER_CATEGORY, self._max_tools // max(1, len(wanted)))
        new, unmatched = await self._found(arguments)
        for category in wanted:
            new |= {tool.name: tool for tool in self._page(category, share, new)}
        new = dict(list(new.items())[: max(self._max_tools, MAX_LOADED if self._is_searched else 0)])
        # The reason is in the model's words, which may be the person's: content, shown only where content may be.
        log.info(f"request_more_tools: added={len(new)}", categories=wanted, content=_reason_in(arguments))
        if not new:
            known = ", ".join(sorted(self._all.categories))
            nothing = f"Nothing fits: {'; '.join(unmatched)}. " if unmatched else ""
            why = "already available or unknown category"
            return f"{nothing}No new tools added ({why}). Categories: {known}.", False
        self._add(new)
        return f"Loaded {len(new)} new tool{'s' * (len(new) > 1)}: {', '.join(new)}.", True

    async def _found(self, arguments: Mapping[str, object]) -> tuple[dict[str, BaseTool], Sequence[str]]:
        queries = queries_in(arguments)
        if self._index is None or not queries:
            return {}, ()
        loaded = await load_by_query(queries, self._all, self._index, already=self.tools)
        return {tool.name: tool for tool in loaded.tools}, loaded.unmatched

    def _add(self, new: Mapping[str, BaseTool]) -> None:
        self.tools |= new
        self._ever |= new
        while len(self.tools) > 2 * self._max_tools:
            unused = (name for name in self.tools if name not in self._used and name not in new)
            del self.tools[next(unused, next(iter(self.tools)))]

    def _page(self, category: str, limit: int, new: Mapping[str, BaseTool]) -> list[BaseTool]:
        tools, categories = self._all.tools, self._all.categories
        never_offered = next_tools(category, tools, {*self._ever, *new}, limit, categories)
        return never_offered or next_tools(category, tools, {*self.tools, *new}, limit, categories)


def _reason_in(arguments: Mapping[str, object]) -> str:
    """Why the model asks: one line, cut; "" when it does not say."""
    reason = arguments.get("reason")
    return " ".join(reason.split())[:_REASON_CHARS] if isinstance(reason, str) else ""


def _categories_in(arguments: Mapping[str, object], known: Iterable[str]) -> list[str]:
    """The existing categories that a call of the meta-tool names, as a list or in one text."""
    given = arguments.get("categories")
    words = _WORD_OR_DASH.findall(given) if isinstance(given, str) else given
    asked = [word.strip().casefold() for word in words if isinstance(word, str)] if isinstance(words, list) else []
    by_name = {name.casefold(): name for name in known}
    return list(dict.fromkeys(by_name[word] for word in asked if word in by_name))
