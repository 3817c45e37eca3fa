"""Wires the path of one message, from the webhook to the outbox."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final

import httpx
from fastapi import APIRouter

from app.asking.approvals import ApprovalBroker
from app.asking.asking import Asking
from app.asking.trust import Trust
from app.bootstrap.abilities import ABILITIES
from app.bootstrap.account import Account
from app.bootstrap.ground import Ground, Meanings
from app.bootstrap.tools import Tools, build_tools, load_skills, tool_vectors
from app.commands import help_command
from app.commands.registry import CommandRegistry
from app.database.db import Database
from app.database.repository import Repository
from app.domain.ids import UserId
from app.domain.places import Places
from app.domain.ports import ChatModel, Clock
from app.domain.recollection import Recall, TakenBack
from app.embeddings.indexer import Indexer
from app.jobs import Job, JobRunner
from app.language.detection import LanguageDetector
from app.llm.prompts import load_prompt
from app.llm.providers import ModelBinding
from app.llm.small_models import ModelPolicy
from app.pipeline.answering.assistant import Assistant
from app.pipeline.answering.builder import ContextBuilder
from app.pipeline.answering.handler import MessageHandler, TurnOpener
from app.pipeline.answering.history import HistoryKeeper
from app.pipeline.answering.routing import TurnRouter
from app.pipeline.delivering.delivery import Delivery
from app.pipeline.queueing.dispatcher import Dispatcher
from app.pipeline.queueing.lanes import RushHour
from app.pipeline.queueing.presence import Presence
from app.pipeline.receiving.admission import RateLimiter
from app.pipeline.receiving.classify import Classifier
from app.pipeline.receiving.delivery_statuses import DeliveryStatuses
from app.pipeline.receiving.identity import IdentityKeeper
from app.pipeline.receiving.ingest import Ingest
from app.pipeline.receiving.intake import Intake, NewWork
from app.skills.examples import EXAMPLES
from app.skills.kit import Channel, Kit, Process
from app.skills.selection import ToolSelection
from app.whatsapp.graph import GraphClient

DRAIN_S: Final = 20.0
FLUSH_S: Final = 5.0
_PROMPTS: Final = "app.pipeline.answering"
_EMBEDDINGS_AT_ONCE: Final = 64

WakeDelivery = Callable[[frozenset[UserId]], None]


@dataclass(frozen=True, slots=True)
class Outside:
    """What abilities look at beyond the database."""

    process: Process
    db: Database
    web: httpx.AsyncClient
    meanings: Meanings | None = None


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The stations that others wait for, ask, or close."""

    ingest: Ingest
    asking: Asking
    dispatcher: Dispatcher
    delivery: Delivery
    presence: Presence
    tools: Tools
    jobs: JobRunner
    indexer: Indexer | None
    recalls: list[Recall]
    taken_back: list[TakenBack]
    routers: list[APIRouter] = field(default_factory=list)
    running: list[AbstractAsyncContextManager[object]] = field(default_factory=list)


def build_pipeline(
    ground: Ground, account: Account, opened: ModelBinding, messenger: GraphClient, *, outside: Outside
) -> Pipeline:
    """Wire the path of one message, from the last station to the first."""
    settings, repository, clock = ground.settings, ground.repository, ground.clock
    rush = RushHour()
    delivery = Delivery(repository, messenger, clock, rush)
    presence = Presence(messenger, clock)
    asking = _asking(ground, outside.db, delivery, presence)
    trust = Trust(repository, asking, account.allow_list.admins, clock)

    jobs = JobRunner((), clock)

    meanings = outside.meanings
    indexer = _indexer(repository, clock, meanings)
    tools = build_tools(ground, embedder=meanings.embedder if meanings else None, broker=ApprovalBroker(asking))
    commands = CommandRegistry()
    classifier = Classifier(asking, commands)
    recalls: list[Recall] = []
    taken_back: list[TakenBack] = []
    router = TurnRouter(
        HistoryKeeper(repository, taken_back, clock),
        commands,
        asking,
        _assistant(ground, opened, tools, recalls),
        classifier=classifier,
    )

    handler = _handler(ground, account, router, commands, delivery.wake)
    dispatcher = Dispatcher(
        repository, handler, presence, clock, rush, debounce=timedelta(milliseconds=settings.debounce_ms)
    )
    jobs.add(tool_vectors(tools))
    if indexer is not None:
        jobs.add(Job("embeddings", partial(indexer.backfill, _EMBEDDINGS_AT_ONCE)))
    dispatcher.when_idle(jobs.wake)

    identity = IdentityKeeper(repository, account.allow_list, trust, clock)
    intake = _intake(ground, account, identity, classifier)

    def notify(work: NewWork) -> None:
        dispatcher.take_up(work.turns, work.controls)
        delivery.wake(work.outboxes)

    ingest = Ingest(repository, intake, DeliveryStatuses(repository, clock), clock, rush, notify=notify)
    pipeline = Pipeline(ingest, asking, dispatcher, delivery, presence, tools, jobs, indexer, recalls, taken_back)
    kit = _kit(ground, opened.model, outside, pipeline, commands, _channel(account, pipeline, messenger))
    _register_all(kit)
    load_skills(tools, settings.skills_dir)
    return pipeline


def _indexer(repository: Repository, clock: Clock, meanings: Meanings | None) -> Indexer | None:
    if meanings is None:
        return None
    return Indexer(repository, meanings.index, meanings.embedder, clock, spare=meanings.spare)


def _kit(
    ground: Ground,
    model: ChatModel,
    outside: Outside,
    pipeline: Pipeline,
    commands: CommandRegistry,
    channel: Channel,
) -> Kit:
    return Kit(
        settings=ground.settings,
        db=outside.db,
        repository=ground.repository,
        clock=ground.clock,
        model=model,
        indexer=pipeline.indexer,
        web=outside.web,
        channel=channel,
        asking=pipeline.asking,
        process=outside.process,
        places=Places(),
        tools=pipeline.tools.skills,
        catalog=pipeline.tools.catalog,
        commands=commands,
        jobs=pipeline.jobs,
        routers=pipeline.routers,
        running=pipeline.running,
        recalls=pipeline.recalls,
        taken_back=pipeline.taken_back,
    )


def _channel(account: Account, pipeline: Pipeline, messenger: GraphClient) -> Channel:
    dispatcher, delivery = pipeline.dispatcher, pipeline.delivery
    return Channel(
        turns=dispatcher,
        media=messenger,
        admins=account.allow_list.admins,
        wake=delivery.wake,
        pause_reason=lambda: delivery.pause_reason,
        is_idle=lambda: dispatcher.active_count == 0,
        show_typing=pipeline.presence.renew,
    )


def _register_all(kit: Kit) -> None:
    help_command.register(kit.commands)
    for ability in ABILITIES:
        ability.register(kit)


def _asking(ground: Ground, db: Database, delivery: Delivery, presence: Presence) -> Asking:
    return Asking(
        db,
        ground.clock,
        wake_delivery=delivery.wake,
        on_answered=presence.renew,
        timeout_s=ground.settings.approval_timeout_s,
    )


def _handler(
    ground: Ground, account: Account, router: TurnRouter, commands: CommandRegistry, wake: WakeDelivery
) -> MessageHandler:
    settings = ground.settings
    opener = TurnOpener(
        ground.repository,
        account.allow_list,
        LanguageDetector(),
        timezone=settings.local_timezone,
        users_dir=settings.users_dir,
        mode=settings.tool_confirmation,
    )
    return MessageHandler(
        ground.repository,
        ground.clock,
        open_turn=opener.open,
        route=router.route,
        carries_secret=commands.carries_secret,
        wake_delivery=wake,
    )


def _intake(ground: Ground, account: Account, identity: IdentityKeeper, classifier: Classifier) -> Intake:
    return Intake(
        ground.repository,
        identity,
        RateLimiter(ground.settings.rate_limit_max, ground.settings.rate_limit_window),
        ground.clock,
        phone_number_id=account.phone_number_id,
        classifier=classifier,
    )


def _assistant(ground: Ground, opened: ModelBinding, tools: Tools, recalls: Sequence[Recall]) -> Assistant:
    policy = ModelPolicy.of(opened.profile, closing_text=load_prompt(_PROMPTS, "closing"))
    system = policy.system_text(
        load_prompt(_PROMPTS, "system"), load_prompt(_PROMPTS, "constrained", examples=EXAMPLES.constrained)
    )
    selection = ToolSelection(
        tools.catalog,
        policy,
        tools.skills.instructions_for,
        index=tools.index,
        max_tools=ground.settings.max_tools_per_call,
    )
    return Assistant(
        ground.repository,
        opened.model,
        selection,
        tools.engine,
        recalls,
        ContextBuilder(system, ground.settings.llm_context_tokens),
    )


async def start_pipeline(pipeline: Pipeline, stack: AsyncExitStack) -> None:
    """Take up what the last run left; at the end drain the turns first, then what they have to say."""
    stack.push_async_callback(pipeline.presence.aclose)
    stack.push_async_callback(pipeline.delivery.aclose, FLUSH_S)
    for running in pipeline.running:
        await stack.enter_async_context(running)
    await stack.enter_async_context(pipeline.jobs.running())
    # Above what turns work with: they end first.
    stack.push_async_callback(pipeline.dispatcher.aclose, DRAIN_S)
    await pipeline.asking.recover()
    await pipeline.delivery.recover()
    await pipeline.dispatcher.recover()
