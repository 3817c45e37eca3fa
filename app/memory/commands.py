"""/remember, /forget and /memories."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.outbound import (
    MAX_BUTTON_TITLE_CHARS,
    MAX_BUTTONS,
    MAX_ROW_DESCRIPTION_CHARS,
    MAX_ROW_TITLE_CHARS,
    Button,
    Buttons,
    ListMenu,
    ListRow,
    ListSection,
    OutboundMessage,
    Reply,
)
from app.domain.turn import TurnContext
from app.domain.wording import one_line, said_number
from app.language.catalogue import Language, Sentence, say
from app.memory.categories import CATEGORIES, CATEGORY_TITLES
from app.memory.repository import Memory
from app.memory.service import MAX_FACT_CHARS, Forgotten, MemoryService, Remembered
from app.memory.similarity import tidy
from app.memory.texts import MEMORY

PAGE_FACTS: Final = 30
_SHOWN_CHARS: Final = 200


def register(registry: CommandRegistry, service: MemoryService) -> None:
    """Add the three commands."""

    async def remember(args: str, ctx: TurnContext) -> Reply:
        fact = tidy(args)
        if not fact:
            return Reply(say(MEMORY.remember_what, ctx.language))
        if len(fact) > MAX_FACT_CHARS:
            return Reply(say(MEMORY.too_long, ctx.language, limit=MAX_FACT_CHARS))
        return Reply(_remembered(await service.remember(ctx.user_id, fact, turn_id=ctx.turn_id), ctx.language))

    async def forget(args: str, ctx: TurnContext) -> Reply:
        if not args.strip():
            return Reply(say(MEMORY.forget_what, ctx.language))
        result = await service.forget(ctx.user_id, args, turn_id=ctx.turn_id)
        if isinstance(result, Forgotten):
            return Reply(_about(MEMORY.forgotten, result.memory, ctx.language))
        if not result.candidates:
            return Reply(say(MEMORY.forget_nothing, ctx.language, text=one_line(args, _SHOWN_CHARS)))
        return Reply(messages=(_choices(result.candidates, ctx.language),))

    async def memories(args: str, ctx: TurnContext) -> Reply:
        facts = await service.list_active(ctx.user_id)
        if not facts:
            return Reply(say(MEMORY.list_empty, ctx.language))
        return Reply(_page(facts, max(1, said_number(args) or 1), ctx.language))

    registry.add(CommandSpec("remember", MEMORY.help_remember, remember, also=MEMORY.name_remember))
    registry.add(CommandSpec("forget", MEMORY.help_forget, forget, also=MEMORY.name_forget))
    registry.add(
        CommandSpec("memories", MEMORY.help_memories, memories, also=MEMORY.name_memories, aliases=("memory",))
    )


def _remembered(result: Remembered, language: Language) -> str:
    if result.memory is None:
        return say(MEMORY.not_kept, language)
    old = "; ".join(one_line(one.text, _SHOWN_CHARS) for one in result.replaced)
    match result.kind:
        case "replaced":
            return _about(MEMORY.replaced, result.memory, language, old=old)
        case "merged":
            return _about(MEMORY.merged, result.memory, language, old=old)
        case "known":
            return _about(MEMORY.known, result.memory, language)
        case "outdated":
            return _about(MEMORY.outdated, result.memory, language)
        case _:
            return _about(MEMORY.added, result.memory, language)


def _about(phrase: Sentence, memory: Memory, language: Language, **values: object) -> str:
    return say(phrase, language, number=memory.number, text=memory.text, **values)


def _choices(candidates: Sequence[Memory], language: Language) -> OutboundMessage:
    """Return buttons for up to three facts, a list for more; each stands for `/forget` and the number."""
    question = say(MEMORY.forget_which, language)
    if len(candidates) <= MAX_BUTTONS:
        lines = [f"{one.number}. {one_line(one.text, _SHOWN_CHARS)}" for one in candidates]
        buttons = tuple(Button(_choice(one), _title(one, MAX_BUTTON_TITLE_CHARS)) for one in candidates)
        return Buttons("\n".join([question, "", *lines]), buttons)
    rows = tuple(
        ListRow(_choice(one), _title(one, MAX_ROW_TITLE_CHARS), one_line(one.text, MAX_ROW_DESCRIPTION_CHARS))
        for one in candidates
    )
    section = ListSection(say(MEMORY.forget_section, language), rows)
    return ListMenu(question, say(MEMORY.forget_choose, language), (section,))


def _choice(memory: Memory) -> str:
    # A pressed button is read as the command that is its id.
    return f"/forget {memory.number}"


def _title(memory: Memory, limit: int) -> str:
    return one_line(f"{memory.number}. {memory.text}", limit)


def _page(facts: Sequence[Memory], page: int, language: Language) -> str:
    ordered = sorted(facts, key=lambda one: (CATEGORIES.index(one.category), one.number))
    pages = -(-len(ordered) // PAGE_FACTS)
    if page > pages:
        return say(MEMORY.list_no_page, language, count=pages)
    lines = [say(MEMORY.list_title, language, count=len(ordered))]
    shown = ordered[(page - 1) * PAGE_FACTS : page * PAGE_FACTS]
    for category, group in groupby(shown, key=lambda one: one.category):
        lines += ["", f"**{say(CATEGORY_TITLES[category], language)}**", ""]
        lines += [f"- `{one.number}` {one_line(one.text, _SHOWN_CHARS)}" for one in group]
    if page < pages:
        lines += ["", say(MEMORY.list_page, language, page=page, pages=pages, next=page + 1)]
    return "\n".join(lines)
