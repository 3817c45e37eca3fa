"""What the assistant can do, did, and may do alone: /tools, /skills, /why and /mode."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.asking.showing import neutralise
from app.commands.registry import CommandRegistry, CommandSpec
from app.commands.texts import COMMANDS
from app.database.repositories.traces import TurnTrace
from app.database.repository import Repository
from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.turn import ConfirmationMode, TurnContext
from app.domain.wording import fold
from app.language.catalogue import LANGUAGES, Language, Sentence, say
from app.security.oversight import BLOCKED, Oversight
from app.skills.catalog import ToolCatalog
from app.skills.examples import EXAMPLES
from app.skills.registry import SkillRegistry
from app.skills.tools.oversight.lexicon import ASKS_FOR_TOOLS
from app.skills.tools.oversight.texts import OVERSIGHT

_DETAILS: Final = frozenset({fold(say(OVERSIGHT.why_word, language)) for language in LANGUAGES})
MEANINGS: Final[MappingProxyType[ConfirmationMode, Sentence]] = MappingProxyType(
    {
        "confirm-all": OVERSIGHT.mode_confirm_all,
        "confirm-sensitive": OVERSIGHT.mode_confirm_sensitive,
        "yolo": OVERSIGHT.mode_yolo,
    }
)
_SORTED_BY: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "model": OVERSIGHT.why_sorted_model,
        "head": OVERSIGHT.why_sorted_head,
        "rule": OVERSIGHT.why_sorted_rule,
        "fallback": OVERSIGHT.why_sorted_fallback,
    }
)


def register(
    registry: CommandRegistry,
    repository: Repository,
    catalog: ToolCatalog,
    skills: SkillRegistry,
    oversight: Oversight,
) -> None:
    """Add the four commands."""

    async def list_tools(args: str, ctx: TurnContext) -> Reply:
        known = catalog.snapshot().visible_to(ctx.user_id, is_admin=ctx.is_admin).categories
        if args and args.lower() not in known:
            return Reply(say(OVERSIGHT.tools_unknown, ctx.language, name=args, choices=", ".join(known)))
        if args:
            return Reply("\n".join([f"**{args.lower()}**", "", *(f"- `{name}`" for name in known[args.lower()])]))
        lines = [_purpose(category, len(names), ctx.language) for category, names in known.items()]
        title = say(OVERSIGHT.tools_title, ctx.language)
        footer = say(OVERSIGHT.tools_footer, ctx.language, names=", ".join(known))
        return Reply("\n".join([title, "", *lines, "", footer]))

    async def show_skills(args: str, ctx: TurnContext) -> Reply:
        if not args:
            lines = [f"- **{skill.name}**: {skill.description}" for skill in skills.list_skills()]
            return Reply("\n".join([say(OVERSIGHT.skills_title, ctx.language), "", *lines]))
        skill = skills.find_skill(args)
        if skill is None:
            return Reply(say(OVERSIGHT.skill_unknown, ctx.language, name=args))
        may_see = (tool for tool in skills.tools_of(skill.name) if tool.is_for(ctx.user_id, is_admin=ctx.is_admin))
        names = ", ".join(f"`{tool.name}`" for tool in may_see)
        told = (f"**{skill.name}**: {skill.description}", names, skill.instructions)
        return Reply("\n\n".join(filter(None, told)))

    async def why(args: str, ctx: TurnContext) -> Reply:
        trace = await repository.traces.find_last(ctx.user_id)
        if trace is None:
            return Reply(say(OVERSIGHT.why_nothing, ctx.language))
        calls = [_exact(tool, content) for tool, content in await repository.audit_events.list_asked(ctx.user_id)]
        asked = say(OVERSIGHT.why_asked, ctx.language, calls="\n".join(calls)) if calls else ""
        told = _in_detail if fold(args) in _DETAILS else _plainly
        return Reply("\n".join(told(trace, ctx.language)), literal=asked)

    async def mode(args: str, ctx: TurnContext) -> Reply:
        return Reply(await _change_mode(args, ctx, repository, oversight) if args else _present_mode(ctx))

    registry.add(
        CommandSpec("tools", OVERSIGHT.help_tools, list_tools, also=OVERSIGHT.name_tools, wording=ASKS_FOR_TOOLS)
    )
    registry.add(
        CommandSpec(
            "skills", OVERSIGHT.help_skills, show_skills, also=OVERSIGHT.name_skills, aliases=("review-skill",)
        )
    )
    registry.add(CommandSpec("why", OVERSIGHT.help_why, why, also=OVERSIGHT.name_why))
    registry.add(CommandSpec("mode", OVERSIGHT.help_mode, mode, also=OVERSIGHT.name_mode))


def _purpose(category: str, count: int, language: Language) -> str:
    """One line about a category: something to say that it is for, or how many tools a server brought."""
    example = EXAMPLES.one_of(category, language)
    if not example:
        return f"- **{category}**: {say(OVERSIGHT.tools_count, language, count=count)}"
    return f"- “{example}”"


def _plainly(trace: TurnTrace, language: Language) -> list[str]:
    """What was done for the last answer, what came to mind, and how long it took."""
    used = list(dict.fromkeys(step.tool.replace("_", " ") for step in trace.steps if step.kind == "ok"))
    failed = list(dict.fromkeys(step.tool.replace("_", " ") for step in trace.steps if step.kind != "ok"))
    lines = [say(OVERSIGHT.why_did, language, list=", ".join(used))] if used else []
    lines += [say(OVERSIGHT.why_failed, language, list=", ".join(failed))] if failed else []
    lines = lines or [say(OVERSIGHT.why_used_none, language)]
    if trace.recalled:
        lines += [say(OVERSIGHT.why_remembered, language), *(f"- {one.text}" for one in trace.recalled)]
    seconds = f"{trace.duration_ms / 1000:.1f}"
    return [*lines, say(OVERSIGHT.why_took, language, seconds=seconds), say(OVERSIGHT.why_more, language)]


def _in_detail(trace: TurnTrace, language: Language) -> list[str]:
    lines = []
    if trace.categories:
        lines.append(say(OVERSIGHT.why_categories, language, list=", ".join(trace.categories)))
    if (sorted_by := _SORTED_BY.get(trace.sorted_by)) is not None:
        lines.append(say(sorted_by, language, percent=round(100 * (trace.confidence or 0))))
    if trace.offered:
        names = ", ".join(f"`{name}`" for name in trace.offered)
        lines.append(say(OVERSIGHT.why_offered, language, list=names))
    if trace.steps:
        used = ", ".join(f"`{step.tool}` ({step.kind}, {step.duration_ms} ms)" for step in trace.steps)
        lines.append(say(OVERSIGHT.why_used, language, list=used))
    else:
        lines.append(say(OVERSIGHT.why_used_none, language))
    recalled = say(OVERSIGHT.why_recalled, language)
    lines += [f"- {recalled} ({one.kind}; {one.why}): {one.text}" for one in trace.recalled]
    lines.append(
        say(
            OVERSIGHT.why_cost,
            language,
            prompt=trace.prompt_tokens,
            cached=trace.cached_tokens,
            completion=trace.completion_tokens,
            calls=trace.model_calls,
            seconds=f"{trace.duration_ms / 1000:.1f}",
        )
    )
    return lines


def _exact(tool: str, content: str) -> str:
    arguments = json.loads(content).get("arguments", {})
    given = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return neutralise(f"{tool}({given})")


def _present_mode(ctx: TurnContext) -> str:
    meaning = say(MEANINGS[ctx.mode], ctx.language)
    return say(OVERSIGHT.mode_now, ctx.language, mode=ctx.mode, meaning=meaning, choices=", ".join(MEANINGS))


async def _change_mode(name: str, ctx: TurnContext, repository: Repository, oversight: Oversight) -> str:
    wanted = next((mode for mode in MEANINGS if mode == name.lower()), None)
    if wanted is None:
        return say(OVERSIGHT.mode_unknown, ctx.language, mode=name, choices=", ".join(MEANINGS))
    if wanted == "yolo" and not ctx.is_admin:
        return say(COMMANDS.admin_only, ctx.language)

    async def change() -> None:
        async with repository.transaction() as tx:
            await repository.users.set_mode(ctx.user_id, wanted, tx=tx)

    try:
        await (oversight.run(ctx, "set_mode", {"mode": wanted}, change) if wanted == "yolo" else change())
    except ToolFault as exc:
        sentence = OVERSIGHT.mode_blocked if exc.code == BLOCKED else OVERSIGHT.mode_dry_run
        return say(sentence, ctx.language, mode=wanted, reason=exc.detail)
    return say(OVERSIGHT.mode_set, ctx.language, mode=wanted, meaning=say(MEANINGS[wanted], ctx.language))
