"""Which tools a turn is offered when there are many: the categories' best, and the best of all others."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import structlog

from app.domain.errors import Transient
from app.domain.tools import BaseTool
from app.llm.local_embedder import LOCAL_MODEL
from app.skills.catalog import ToolSet
from app.skills.router import NO_CATEGORY, select_tools
from app.skills.search.index import FoundTool, ToolIndex

log = structlog.get_logger(__name__)

_SMALL_CATALOG: Final = 50
MAX_LOADED: Final = 16
PER_QUERY: Final = 4
_MAX_QUERIES: Final = 4
_RECENT: Final = 2
_BETWEEN: Final = re.compile(r"[;\n]")
_FROM_REST: Final = 3
_LARGE_SHARE: Final = 2
_SEVERAL: Final = 2
# How near the nearest tool is at least, by model, if the query also has a word that no tool has. Measured on 20
# requests that none of 587 tools can do, and 45 steps of LiveMCPBench: it refuses 11 of the former, none of the
# latter. Other encoders were not measured; with them everything counts as near.
_FLOORS: Final[Mapping[str, float]] = MappingProxyType({LOCAL_MODEL: 0.2})


@dataclass(frozen=True, slots=True)
class Wish:
    """What a message wants: `tool_query` says in English what is needed, "" where nobody said.

    `used_recently` names the tools of the last two turns, the latest first.
    """

    categories: Sequence[str]
    message: str
    tool_query: str = ""
    used_recently: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """`tools` in the order in which they are offered; `unmatched` are the queries that no tool fits."""

    tools: tuple[BaseTool, ...]
    unmatched: tuple[str, ...] = ()


def is_large(tools: ToolSet) -> bool:
    """Tell whether there are so many tools that they are chosen by words, too.

    Only what servers bring makes a catalog large: our own tools are sorted to their categories by what people say.
    """
    return len(tools.tools) > _SMALL_CATALOG and any(tool.kind == "mcp" for tool in tools.tools.values())


async def choose_tools(wish: Wish, tools: ToolSet, index: ToolIndex, *, max_tools: int = 8) -> list[BaseTool]:
    """Choose at most `max_tools`; of a small catalog as `select_tools` does, of none for plain chat.

    Of a large one: of several classified categories, each first gets its share as `select_tools` counts it, the
    best of its tools, as far as it has some. What is left goes to up to two that were used recently, then to the
    best of the classified categories, then to at least three (of eight) of all the rest; what one part leaves
    unused, the next one takes. Ties are in the order of the catalog, so the same wish always gets the same tools.
    Without the index, the categories decide.
    """
    by_category = select_tools(wish.categories, tools.tools, max_tools, tools.categories)
    if not is_large(tools) or max_tools < 1 or _is_plain_chat(wish.categories):
        return by_category
    recent = [name for name in dict.fromkeys(wish.used_recently) if name in tools.tools][:_RECENT]
    in_categories = [name for title in wish.categories for name in tools.categories.get(title, ())]
    found = await _rank((wish.tool_query, wish.message), tools, index, always=in_categories)
    if not found:
        names = dict.fromkeys([*recent, *(tool.name for tool in by_category)])
        return [tools.tools[name] for name in names][:max_tools]
    scores = {one.name: one.score for one in found}
    ranked = sorted(in_categories, key=lambda name: -scores.get(name, 0.0))
    from_rest = min(_FROM_REST, max_tools // _LARGE_SHARE)
    shares = _shares(wish.categories, tools, ranked, max_tools)
    chosen = _filled(_filled(shares, recent, max_tools), ranked, max_tools - from_rest)
    chosen = _filled(chosen, [one.name for one in found], max_tools)
    return [tools.tools[name] for name in _filled(chosen, ranked, max_tools)[:max_tools]]


async def load_by_query(
    queries: Sequence[str], tools: ToolSet, index: ToolIndex, *, already: Collection[str], limit: int = MAX_LOADED
) -> Loaded:
    """Find up to four tools that are not `already` offered for each query, the best of every query first.

    At most `limit` together, and no more than four queries are read. A query says one capability, in English.
    """
    asked = dict.fromkeys(" ".join(query.split()) for query in queries if query.strip())
    pages: list[list[str]] = []
    unmatched: list[str] = []
    for query in list(asked)[:_MAX_QUERIES]:
        found = await _rank((query,), tools, index, is_choosy=True)
        if not found:
            unmatched.append(query)
        pages.append([one.name for one in found if one.name not in already][:PER_QUERY])
    names = dict.fromkeys(page[at] for at in range(PER_QUERY) for page in pages if at < len(page))
    return Loaded(tuple(tools.tools[name] for name in names)[: max(0, limit)], tuple(unmatched))


def queries_in(arguments: Mapping[str, object]) -> list[str]:
    """Return the queries in a call of `request_more_tools`: a list, or one text with one query per line or ";"."""
    given = arguments.get("query")
    if isinstance(given, str):
        given = _BETWEEN.split(given)
    return (
        [query.strip() for query in given if isinstance(query, str) and query.strip()]
        if isinstance(given, list)
        else []
    )


async def _rank(
    texts: Iterable[str],
    tools: ToolSet,
    index: ToolIndex,
    *,
    always: Collection[str] = (),
    is_choosy: bool = False,
) -> list[FoundTool]:
    """Rank the tools of the set; none while the database fails.

    `is_choosy`: none either where the best would be a wild guess; four wrong tools are worse than none.
    """
    asked = [text for text in texts if text]
    try:
        await index.update(tools.all)
        ranking = await index.rank(asked, always=always)
        is_far = is_choosy and ranking.closest is not None and ranking.closest < _FLOORS.get(ranking.rung, -1.0)
        if is_far and await index.has_unknown_word(" ".join(asked)):
            return []
    except Transient as exc:
        log.warning("tool_search.failed", rung="categories", reason=exc.code)
        return []
    return [one for one in ranking.found if one.name in tools.tools]


def _shares(categories: Sequence[str], tools: ToolSet, ranked: Sequence[str], max_tools: int) -> list[str]:
    """The best tools of each of several categories; one alone is all that is ranked."""
    wanted = [title for title in dict.fromkeys(categories) if tools.categories.get(title)]
    if len(wanted) < _SEVERAL:
        return []
    best = {title: [name for name in ranked if name in tools.categories[title]] for title in wanted}
    return [tool.name for tool in select_tools(wanted, tools.tools, max_tools, best)]


def _filled(chosen: Sequence[str], more: Iterable[str], size: int) -> list[str]:
    return list(dict.fromkeys([*chosen, *more]))[: max(size, len(chosen))]


def _is_plain_chat(categories: Sequence[str]) -> bool:
    return all(category == NO_CATEGORY for category in categories)
