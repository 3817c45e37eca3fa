"""Tool selection: what a message needs, and which tools its turn is offered for that."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from app.domain.chat import ChatMessage, ChatRequest, ToolCall, ToolSchema
from app.domain.ports import ChatModel
from app.domain.turn import TurnContext
from app.language.terse import tells_of_doing
from app.llm.small_models import ModelPolicy
from app.skills.catalog import ToolCatalog, ToolSet
from app.skills.executor import LoopOptions
from app.skills.following.following import DOUBTFUL_ID, Following
from app.skills.following.relations import Kind, Reading
from app.skills.letting_be.reading import allowed
from app.skills.offer import Offer
from app.skills.router import (
    NO_CATEGORY,
    REQUEST_MORE_TOOLS_NAME,
    Intent,
    QuickSorter,
    SortingFacts,
    classify_intent,
    select_tools,
    sorting_prefix,
    with_needs,
)
from app.skills.search.choose import Wish, choose_tools, is_large
from app.skills.search.index import ToolIndex
from app.skills.sources.sources import Source, SourceReader

Instructions = Callable[[Iterable[str], Collection[str]], list[tuple[str, str]]]
"""Gives (skill, text) for the skills of these tools and for those already in use, in a stable order."""

_CLOCK: Final = ("time",)
_LOOKED_INTO: Final = frozenset({"lists", "projects", "notes", NO_CATEGORY})

Opening = Callable[[str], ChatMessage]
"""Gives the message that a conversation begins with; the argument says what the assistant can do."""


def build_capabilities_section(categories: Iterable[str], *, names_more: bool) -> str:
    """Name the categories of tools that exist, sorted, and if it `names_more` the way to more; "" without any."""
    names = sorted(set(categories))
    if not names:
        return ""
    listed = f"Your tools, by category: {', '.join(names)}. Only some are shown with a message"
    return f"{listed}; {REQUEST_MORE_TOOLS_NAME} loads others." if names_more else f"{listed}."


Needs = Callable[[str, TurnContext], Awaitable[tuple[str, ...]]]
"""Returns the categories that a message is sure to need by its form, or by what its author has, whatever else was
found about it; or the one tool that it is for."""


@dataclass(frozen=True, slots=True)
class Need:
    """What may be needed is looked for with `find` only where the text alone, as `may` reads it, allows it."""

    find: Needs
    may: Callable[[str], bool] = bool


Certain = Callable[[str, TurnContext], Awaitable[ToolCall | Sequence[ToolCall] | None]]
"""Returns the call that a message wants, or several of one category, where its form and what its author has leave
nothing to a model."""


READ_ID: Final = "read"
"""So begin the ids of `Certain` calls whose arguments are what the message means, whatever a tool reads in it."""


class ToolSelection:
    """Chooses for each turn: the categories, the tools that are offered, the instructions that go with them.

    `max_tools` is the budget of an offer without the meta-tool; `needs` add categories to what was found. What is
    looked for is looked for where `named` say that something is called so. `certain` know calls by themselves.
    """

    def __init__(
        self,
        catalog: ToolCatalog,
        policy: ModelPolicy,
        instructions: Instructions,
        *,
        index: ToolIndex | None = None,
        quick: QuickSorter | None = None,
        max_tools: int = 8,
    ) -> None:
        self.needs: Sequence[Need] = ()
        self.named: Sequence[Needs] = ()
        self.certain: Sequence[Certain] = ()
        self.following: Following | None = None
        self.sources: SourceReader | None = None
        self._catalog = catalog
        self._policy = policy
        self._instructions = instructions
        self._index = index
        self._quick = quick
        self._max_tools = max_tools

    async def source_of(self, text: str) -> Source:
        """Return where the answer to a text comes from; `Source()` where no head reads it."""
        return Source() if self.sources is None else await self.sources.read(text)

    async def likeness(self, word: str, others: Sequence[str]) -> Sequence[float]:
        """Return how alike a word is to each of others, -1 to 1; nothing where no encoder tells."""
        return () if self.sources is None else await self.sources.likeness(word, others)

    def tools_for(self, ctx: TurnContext) -> ToolSet:
        """Return the tools that a person may be offered."""
        visible = self._catalog.snapshot().visible_to(ctx.user_id, is_admin=ctx.is_admin)
        return visible.where(lambda tool: tool.read_only) if ctx.is_by_clock else visible

    def is_searched(self, ctx: TurnContext) -> bool:
        """Tell whether there are so many tools that they are chosen by words, too."""
        return self._index is not None and is_large(self.tools_for(ctx))

    async def sort(
        self, text: str, recent: Sequence[ChatMessage], sticky: tuple[str, ...], model: ChatModel, ctx: TurnContext
    ) -> Intent:
        """Tell what a message needs; see `classify_intent`. `recent` ends before it.

        Raises:
            NotReady: the model is still being fetched or loaded.
        """
        tools = self.tools_for(ctx)
        categories = tuple(tools.categories)
        if not categories:
            return Intent((NO_CATEGORY,), by="rule")
        is_searched = self._index is not None and is_large(tools)
        facts = self._sorting_facts(categories, recent, sticky, asks_for_query=is_searched)
        intent = await classify_intent(text, model, facts, quick=self._quick)
        by_tool = {tool: title for title, names in tools.categories.items() for tool in names}
        needed = [name for one in self.needs if one.may(text) for name in await one.find(text, ctx)]
        only = tuple(name for name in needed if name in by_tool)
        sure = [name for one in needed if (name := by_tool.get(one, one)) in categories]
        if (
            not sure
            and intent.by == "head"
            and intent.wish == "look"
            and _LOOKED_INTO.issuperset(intent.categories)
        ):
            named = [name for one in self.named for name in await one(text, ctx) if name in categories]
            if named and set(named).isdisjoint(intent.categories):
                return replace(intent, categories=tuple(named[:1]), unmet=())
        # "Remind me at ten to ring Ann, and put milk on the list": the other wish is done, too.
        has_another = intent.by == "head" and len(intent.parts) > 1 and set(sure) < set(intent.categories)
        return intent if sure and has_another else with_needs(intent, tuple(sure), only)

    async def find_certain(self, text: str, ctx: TurnContext, model: ChatModel) -> Intent | None:
        """Return what a message needs whose call is certain, with that; None for any other message.

        What rules do not read may be about what was just done; so may what they take for a question to the clock:
        "which time now?". The model may be asked for its words.
        """
        found = None if tells_of_doing(text) else await self._find(text, ctx, model)
        calls = () if found is None else tuple(allowed(found.calls, text))
        return replace(found, calls=calls, in_doubt=_is_in_doubt(calls)) if found is not None and calls else None

    async def _find(self, text: str, ctx: TurnContext, model: ChatModel) -> Intent | None:
        following = self.following
        spoken = None if following is None else await following.recall(text, ctx)
        if following is None or spoken is None:
            return await self._read(text, ctx)
        if (beside := await following.read_with_question(text, spoken)) is not None:
            front, followed = beside
            found = await self._read(front, ctx) or self._meant(await followed.calls(front, ctx, model), ctx)
            if found is not None:
                return found
        found = await self._read(text, ctx)
        if found is not None and found.categories != _CLOCK:
            return found
        read = await following.read(text, spoken)
        if read is None or (found is not None and read.relation != "ask"):
            return found
        return self._meant(await read.calls(text, ctx, model), ctx) or found

    async def _read(self, text: str, ctx: TurnContext) -> Intent | None:
        for certain in self.certain:
            told = await certain(text, ctx)
            calls = (told,) if isinstance(told, ToolCall) else tuple(told or ())
            if (found := self._meant(calls, ctx)) is not None:
                return found
        return None

    async def relate(self, text: str, kind: Kind, said: str) -> Reading | None:
        """See `Following`."""
        return None if self.following is None else await self.following.relate(text, kind, said)

    def _meant(self, calls: Sequence[ToolCall], ctx: TurnContext) -> Intent | None:
        """Return what calls are for, with them; None where there are none, or no such tools of one category."""
        called = tuple(dict.fromkeys(call.name for call in calls))
        categories = self.tools_for(ctx).categories
        title = next((one for one, names in categories.items() if called and set(called) <= set(names)), None)
        if title is None:
            return None
        return replace(
            with_needs(Intent(()), (title,), called),
            calls=tuple(calls),
            in_doubt=_is_in_doubt(calls),
            is_read=all(call.id.startswith(READ_ID) for call in calls),
        )

    def _sorting_facts(
        self,
        categories: tuple[str, ...],
        recent: Sequence[ChatMessage] = (),
        sticky: tuple[str, ...] = (),
        *,
        asks_for_query: bool,
    ) -> SortingFacts:
        leans = not self._policy.leaves_meta_tool_alone
        return SortingFacts(
            categories, tuple(recent), sticky, leans_to_category=leans, asks_for_query=asks_for_query
        )

    def prefixes(self, builder: Opening, talk: Sequence[ChatRequest] = ()) -> list[ChatRequest]:
        """What prompts begin with before anybody has said anything: of people, admins, owners of servers.

        The conversation's first, with what else `talk` begins with: in the first minutes, while these are read,
        most messages tell something. Then the words for results, then sorting, or, where the head sorts, calls.
        """
        openings, sortings = [], []
        now = self._catalog.snapshot()
        owners = dict.fromkeys(tool.owner for tool in now.tools.values() if tool.owner is not None)
        for user_id, is_admin in ((None, False), (None, True), *((owner, True) for owner in owners)):
            tools = now.visible_to(user_id, is_admin=is_admin)
            told = build_capabilities_section(tools.categories, names_more=self._policy.reads_about_meta_tool)
            openings.append(ChatRequest((builder(told),)))
            if tools.categories:
                is_searched = self._index is not None and is_large(tools)
                facts = self._sorting_facts(tuple(tools.categories), asks_for_query=is_searched)
                sortings.append(sorting_prefix(facts))
        brief = self._policy.brief
        calls = sortings if brief is None else [brief.opening(tools) for tools in self._sets_of_tools()]
        found = [*openings, *talk, *self._policy.protocol.prefixes(), *calls]
        return [one for place, one in enumerate(found) if one not in found[:place]]

    def _sets_of_tools(self) -> Iterator[list[ToolSchema]]:
        """What people are offered for one category, with a wish to act and without."""
        tools = self._catalog.snapshot().visible_to(None, is_admin=False)
        for category in tools.categories:
            for may_act in (True, False):
                there = tools.where(partial(self._policy.may_offer, said="", may_act=may_act))
                chosen = select_tools((category,), there.tools, self._max_tools, there.categories)
                if chosen:
                    yield [tool.get_schema() for tool in chosen]

    def instructions(self, intent: Intent, given: Collection[str], ctx: TurnContext) -> list[tuple[str, str]]:
        """Return (skill, text) for the skills that the conversation has used: each once, for all its turns."""
        if not self._policy.reads_instructions:
            return []
        by_category = self.tools_for(ctx).categories
        names = [name for category in intent.categories for name in by_category.get(category, ())]
        return self._instructions(names, given)

    def offers_more(self, intent: Intent) -> bool:
        """Tell whether the meta-tool is offered: in plain chat only to a model that leaves it alone there."""
        return not intent.is_plain or (self._policy.leaves_meta_tool_alone and not self._policy.is_brief)

    def capabilities(self, intent: Intent, ctx: TurnContext) -> str:
        """Say what the assistant can do, for its own prompt; "" when there are no tools."""
        names_more = self._policy.reads_about_meta_tool and self.offers_more(intent)
        return build_capabilities_section(self.tools_for(ctx).categories, names_more=names_more)

    def options(self, text: str, intent: Intent, *, has_acted: bool) -> LoopOptions:
        """Return how the loop goes about a message. `has_acted`: something was done for it before."""
        asked = ("", intent.categories[:1]) if intent.is_one_wish else (text, intent.categories)
        return LoopOptions(
            self._policy.protocol,
            checks_claims=not has_acted,
            expected_calls=self._policy.expected_calls(*asked),
            copies_badly=self._policy.is_small,
            given=intent.calls,
        )

    async def offer(
        self, intent: Intent, text: str, before: str, used_recently: Sequence[str], ctx: TurnContext
    ) -> Offer:
        """Return what is offered for a message. `before` is what the person said before it.

        "And in Lima?" belongs to the message before: its words count where a tool has a trigger pattern.
        """

        may_act = intent.wish in (None, "act")

        def at_hand() -> ToolSet:
            return self.tools_for(ctx).where(
                lambda tool: self._policy.may_offer(tool, f"{before}\n{text}", may_act=may_act)
            )

        tools = at_hand()
        if self._index is None or not self.is_searched(ctx):
            chosen = select_tools(intent.categories, tools.tools, self._max_tools, tools.categories)
        else:
            wish = Wish(intent.categories, text, intent.tool_query, used_recently)
            chosen = await choose_tools(wish, tools, self._index, max_tools=self._max_tools)
        if intent.only:
            chosen = [tools.tools[name] for name in intent.only if name in tools.tools]
        return Offer(
            at_hand, chosen, max_tools=self._max_tools, has_meta=self.offers_more(intent), index=self._index
        )


def _is_in_doubt(calls: Sequence[ToolCall]) -> bool:
    return any(call.id.endswith(DOUBTFUL_ID) for call in calls)
