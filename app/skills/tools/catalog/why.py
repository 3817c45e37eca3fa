"""/why."""

from app.commands.registry import CommandRegistry, CommandSpec
from app.database.repositories.traces import TurnTrace
from app.database.repository import Repository
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import Language, say
from app.skills.tools.catalog.texts import CATALOG


def register(registry: CommandRegistry, repository: Repository) -> None:
    async def why(args: str, ctx: TurnContext) -> Reply:
        trace = await repository.traces.find_last(ctx.user_id)
        if trace is None:
            return Reply(say(CATALOG.why_nothing, ctx.language))
        return Reply("\n".join(_lines(trace, ctx.language)))

    registry.add(CommandSpec("why", CATALOG.help_why, why))


def _lines(trace: TurnTrace, language: Language) -> list[str]:
    lines = []
    if trace.categories:
        lines.append(say(CATALOG.why_categories, language, list=", ".join(trace.categories)))
    if trace.offered:
        names = ", ".join(f"`{name}`" for name in trace.offered)
        lines.append(say(CATALOG.why_offered, language, list=names))
    if trace.steps:
        used = ", ".join(f"`{step.tool}` ({step.kind}, {step.duration_ms} ms)" for step in trace.steps)
        lines.append(say(CATALOG.why_used, language, list=used))
    else:
        lines.append(say(CATALOG.why_used_none, language))
    recalled = say(CATALOG.why_recalled, language)
    lines += [f"- {recalled} ({one.kind}; {one.why}): {one.text}" for one in trace.recalled]
    lines.append(
        say(
            CATALOG.why_cost,
            language,
            prompt=trace.prompt_tokens,
            cached=trace.cached_tokens,
            completion=trace.completion_tokens,
            calls=trace.model_calls,
            seconds=f"{trace.duration_ms / 1000:.1f}",
        )
    )
    return lines
