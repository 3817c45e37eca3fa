"""/why."""

from app.commands.registry import CommandRegistry, CommandSpec
from app.database.repositories.traces import TurnTrace
from app.database.repository import Repository
from app.domain.outbound import Reply
from app.domain.phrasebook.memory import MemoryPhrase
from app.domain.phrases import Language, Phrase, say
from app.domain.turn import TurnContext


def register(registry: CommandRegistry, repository: Repository) -> None:
    async def why(args: str, ctx: TurnContext) -> Reply:
        trace = await repository.traces.find_last(ctx.user_id)
        if trace is None:
            return Reply(say(Phrase.WHY_NOTHING, ctx.language))
        return Reply("\n".join(_lines(trace, ctx.language)))

    registry.add(CommandSpec("why", Phrase.HELP_WHY, why))


def _lines(trace: TurnTrace, language: Language) -> list[str]:
    lines = []
    if trace.categories:
        lines.append(say(Phrase.WHY_CATEGORIES, language, list=", ".join(trace.categories)))
    if trace.offered:
        names = ", ".join(f"`{name}`" for name in trace.offered)
        lines.append(say(Phrase.WHY_OFFERED, language, list=names))
    if trace.steps:
        used = ", ".join(f"`{step.tool}` ({step.kind}, {step.duration_ms} ms)" for step in trace.steps)
        lines.append(say(Phrase.WHY_USED, language, list=used))
    else:
        lines.append(say(Phrase.WHY_USED_NONE, language))
    recalled = say(MemoryPhrase.WHY_RECALLED, language)
    lines += [f"- {recalled} ({one.kind}; {one.why}): {one.text}" for one in trace.recalled]
    lines.append(
        say(
            Phrase.WHY_COST,
            language,
            prompt=trace.prompt_tokens,
            cached=trace.cached_tokens,
            completion=trace.completion_tokens,
            calls=trace.model_calls,
            seconds=f"{trace.duration_ms / 1000:.1f}",
        )
    )
    return lines
