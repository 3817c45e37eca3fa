"""Wires the path of one message, from the webhook to the outbox."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from app.bootstrap.account import Account
from app.bootstrap.tools import Ground, Tools, build_tools, local_timezone
from app.commands.builtin import register_builtin_commands
from app.commands.registry import CommandRegistry
from app.context.builder import ContextBuilder
from app.context.language import LanguageDetector
from app.context.prompts import load_prompt
from app.domain.ids import UserId
from app.domain.weather import WeatherSource
from app.introspection.runtime import Runtime
from app.llm.protocols import ConstrainedProtocol, NativeProtocol
from app.llm.providers import OpenModel
from app.pipeline.assistant import Abilities, Assistant, Voice
from app.pipeline.closing import TurnCloser
from app.pipeline.delivery import Delivery
from app.pipeline.dispatcher import Dispatcher
from app.pipeline.handler import MessageHandler
from app.pipeline.identity import IdentityKeeper
from app.pipeline.ingest import Ingest
from app.pipeline.intake import Intake
from app.pipeline.opening import Place, TurnOpener
from app.pipeline.presence import Presence
from app.pipeline.rate_limit import RateLimiter
from app.pipeline.routing import TurnRouter
from app.pipeline.rush import RushHour
from app.pipeline.settlement import Settlement
from app.pipeline.work import NewWork
from app.security.approvals import read_answer
from app.skills.executor import LoopOptions
from app.whatsapp.graph import GraphClient

DRAIN_S: Final = 20.0
FLUSH_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Outside:
    """What tools look at beyond the database."""

    weather: WeatherSource
    runtime: Runtime


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The stations that others wait for, ask, or close."""

    ingest: Ingest
    dispatcher: Dispatcher
    delivery: Delivery
    presence: Presence
    tools: Tools


def build_pipeline(
    ground: Ground, account: Account, opened: OpenModel, messenger: GraphClient, *, outside: Outside
) -> Pipeline:
    """Wire the path of one message, from the last station to the first."""
    settings, repository, clock = ground.settings, ground.repository, ground.clock
    identity, rush = IdentityKeeper(repository, account.allow_list, clock), RushHour()
    delivery = Delivery(repository, messenger, clock, rush)
    presence = Presence(messenger, clock)
    tools = build_tools(ground, weather=outside.weather, runtime=outside.runtime, wake_delivery=delivery.wake)
    commands = CommandRegistry()
    router = TurnRouter(
        repository,
        commands,
        identity,
        _assistant(ground, opened, tools),
        tools.broker,
        clock,
    )
    place = Place(local_timezone(settings), settings.data_dir / "users", settings.tool_confirmation)
    handler = MessageHandler(
        TurnOpener(repository, account.allow_list, LanguageDetector(), clock, place=place),
        router,
        TurnCloser(repository, clock, wake_delivery=delivery.wake),
        clock,
    )
    dispatcher = Dispatcher(
        repository, handler, presence, clock, rush, debounce=timedelta(milliseconds=settings.debounce_ms)
    )
    register_builtin_commands(
        commands,
        repository=repository,
        control=dispatcher,
        model=opened.model,
        tools=tools.catalog,
        skills=tools.skills,
        clock=clock,
        pause_reason=lambda: delivery.pause_reason,
    )

    def is_control_text(user_id: UserId, text: str) -> bool:
        is_answer = tools.broker.has_pending(user_id) and read_answer(text) is not None
        return is_answer or commands.is_control(text)

    def notify(work: NewWork) -> None:
        dispatcher.take_up(work.turns, work.controls)
        delivery.wake(work.outboxes)

    intake = Intake(
        repository,
        identity,
        RateLimiter(settings.rate_limit_max, settings.rate_limit_window),
        clock,
        phone_number_id=account.phone_number_id,
        is_control_text=is_control_text,
    )
    ingest = Ingest(repository, intake, Settlement(repository, clock), clock, rush, notify=notify)
    return Pipeline(ingest, dispatcher, delivery, presence, tools)


def _assistant(ground: Ground, opened: OpenModel, tools: Tools) -> Assistant:
    is_native = opened.profile.tool_protocol == "native"
    protocol = NativeProtocol() if is_native else ConstrainedProtocol()
    # Small models imitate: examples in the text that never changes cost nothing after the first turn.
    system = load_prompt("system") if is_native else f"{load_prompt('system')}\n\n{load_prompt('constrained')}"
    options = LoopOptions(
        max_tools=ground.settings.max_tools_per_call,
        offers_meta_tool_alone=opened.profile.leaves_meta_tool_alone,
    )
    return Assistant(
        ground.repository,
        Voice(opened.model, opened.profile, protocol),
        Abilities(tools.catalog, tools.engine, options),
        ContextBuilder(system, ground.settings.llm_context_tokens),
        ground.clock,
    )


async def start_pipeline(pipeline: Pipeline, stack: AsyncExitStack) -> None:
    """Take up what the last run left; at the end drain the turns first, then what they have to say."""
    stack.push_async_callback(pipeline.presence.aclose)
    stack.push_async_callback(pipeline.delivery.aclose, FLUSH_S)
    stack.push_async_callback(pipeline.dispatcher.aclose, DRAIN_S)
    await pipeline.tools.broker.expire_leftovers()
    await pipeline.delivery.recover()
    await pipeline.dispatcher.recover()
