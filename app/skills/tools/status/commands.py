"""/status."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.commands.registry import CommandRegistry, CommandSpec
from app.database.db import Running
from app.database.repository import Repository
from app.domain.outbound import Reply
from app.domain.ports import ChatModel
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.status.retention import Retention
from app.skills.tools.status.texts import STATUS

PauseReason = Callable[[], str | None]
Lines = Callable[[TurnContext], Awaitable[Sequence[str]]]

_STATES: Final = MappingProxyType(
    {
        "ready": STATUS.status_model_ready,
        "fetching": STATUS.status_model_fetching,
        "loading": STATUS.status_model_loading,
        "unavailable": STATUS.status_model_unavailable,
    }
)


@dataclass(frozen=True, slots=True)
class Told:
    """What is told besides: to admins the name of the database and the processes, and the lines of others."""

    database: str
    more: Sequence[Lines]
    processes: Callable[[], Awaitable[Sequence[Running]]] | None = None


def register(
    registry: CommandRegistry,
    repository: Repository,
    model: ChatModel,
    pause_reason: PauseReason,
    retention: Retention,
    told: Told,
) -> None:
    """Add /status."""

    async def status(args: str, ctx: TurnContext) -> Reply:
        state = await model.state()
        count = await repository.conversations.count(ctx.user_id, ctx.conversation_id)
        lines = [
            say(_STATES[state.state], ctx.language, name=state.name),
            say(STATUS.status_history, ctx.language, count=count),
        ]
        lines += [line for part in told.more for line in await part(ctx)]
        if ctx.is_admin and state.waiting:
            lines.append(say(STATUS.status_waiting, ctx.language, count=state.waiting))
        if ctx.is_admin:
            lines += await _admin_lines(ctx)
        return Reply("\n".join(lines))

    async def _admin_lines(ctx: TurnContext) -> list[str]:
        lines = []
        if (reason := pause_reason()) is not None:
            lines.append(say(STATUS.status_delivery_paused, ctx.language, reason=reason))
        lines.append(say(STATUS.status_database, ctx.language, name=told.database))
        if told.processes is not None:
            lines.append(_processes(await told.processes(), ctx))
        lines += _kept(retention, ctx)
        strangers = await repository.directory.list_strangers()
        if not strangers:
            return [*lines, say(STATUS.status_no_strangers, ctx.language)]
        names = ", ".join(
            f"{stranger.name or '?'} ({stranger.alias.partition(':')[2]}) ×{stranger.attempts}"
            for stranger in strangers
        )
        return [*lines, say(STATUS.status_strangers, ctx.language, list=names)]

    registry.add(CommandSpec("status", STATUS.help_status, status, also=STATUS.name_status))


def _processes(running: Sequence[Running], ctx: TurnContext) -> str:
    """Name the processes that serve; a worker with how many people it has at the moment."""
    names = [
        say(STATUS.status_process, ctx.language, name=one.label, count=one.held) if one.held else one.label
        for one in running
    ]
    return say(STATUS.status_processes, ctx.language, list=", ".join(names))


def _kept(retention: Retention, ctx: TurnContext) -> list[str]:
    """How long what was dealt with stays, and what the last round deleted."""
    spans = [
        say(one.told, ctx.language, span=say(STATUS.status_kept_days, ctx.language, count=one.days))
        if one.days
        else say(one.told, ctx.language, span=say(STATUS.status_kept_always, ctx.language))
        for one in retention.prunings
    ]
    lines = [say(STATUS.status_kept, ctx.language, list="; ".join(spans))]
    if retention.last_at is not None:
        lines.append(say(STATUS.status_tidied, ctx.language, count=retention.last_count))
    return lines
