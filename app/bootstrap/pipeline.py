"""Wires the path of one message, from the webhook to the outbox."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

from app.asking.admins import Admins
from app.asking.asking import Asking
from app.asking.trust import Trust
from app.bootstrap.abilities import ABILITIES
from app.bootstrap.account import Account
from app.bootstrap.connections import Connections, StopLimits
from app.bootstrap.tools import build_engine, build_oversight, build_tool_index, load_skills
from app.charts.charts import Charts
from app.commands.registry import CommandRegistry, add_help
from app.config import Settings
from app.database.db import Leases
from app.database.repositories.shared import SharedWork
from app.database.repository import Repository
from app.domain.ids import UserId
from app.domain.inbound import AccountNotice
from app.domain.places import Places
from app.domain.ports import Clock
from app.domain.roles import Role
from app.jobs import Job, JobRunner
from app.language.catalogue import Language
from app.language.detection import LanguageDetector
from app.llm.prompts import load_prompt
from app.llm.small_models import CallTexts, ModelPolicy
from app.media.children import ChildProcesses
from app.pipeline.answering.assistant import Assistant
from app.pipeline.answering.brief import BriefBuilder
from app.pipeline.answering.builder import ContextBuilder
from app.pipeline.answering.handler import MessageHandler, TurnOpener
from app.pipeline.answering.history import HistoryKeeper
from app.pipeline.answering.perceiving import Senses
from app.pipeline.answering.rewriting import Rewriter
from app.pipeline.answering.routing import TurnRouter
from app.pipeline.answering.shown import Shown
from app.pipeline.delivering.delivery import Delivery
from app.pipeline.delivering.lost import LostMessages
from app.pipeline.queueing.dispatcher import Dispatcher
from app.pipeline.queueing.handover import Handover
from app.pipeline.queueing.lanes import RushHour
from app.pipeline.queueing.presence import Presence
from app.pipeline.queueing.roll import Roll
from app.pipeline.queueing.together import Together
from app.pipeline.queueing.work import Desk, Here, NewWork
from app.pipeline.receiving.admission import PaceHere, PaceOfAll, RateLimiter
from app.pipeline.receiving.identity import IdentityKeeper
from app.pipeline.receiving.ingest import Ingest
from app.pipeline.receiving.intake import Intake
from app.skills.amending import Amending, is_correction
from app.skills.catalog import ToolCatalog
from app.skills.counting import asks_to_hear
from app.skills.engine import ExecutionEngine
from app.skills.examples import EXAMPLES
from app.skills.following.following import Following
from app.skills.following.relations import RelationReader
from app.skills.hurried.asked import as_asked
from app.skills.kit import Channel, Kit, Process
from app.skills.loader import load_builtin
from app.skills.outside import OutsideActs
from app.skills.registry import SkillRegistry
from app.skills.search.index import ToolIndex
from app.skills.selection import ToolSelection
from app.skills.sorting import Sorter
from app.skills.sorting.quick import HeadSorter
from app.skills.sources.sources import SourceReader

_PROMPTS: Final = "app.pipeline.answering"
_EMBEDDINGS_AT_ONCE: Final = 64


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The stations of a message that others wait for, ask, or close; `kit` has what abilities added."""

    kit: Kit
    ingest: Ingest
    dispatcher: Dispatcher
    delivery: Delivery
    presence: Presence
    together: Together | None = None
    """None: this process serves alone."""


def build_pipeline(
    settings: Settings,
    account: Account,
    connections: Connections,
    clock: Clock,
    process: Process,
    role: Role = "all",
) -> Pipeline:
    """Wire the path of one message, and let every ability add to it."""
    repository, rush = connections.repository, RushHour()

    def wake(user_ids: frozenset[UserId]) -> None:
        desk.begin(NewWork(outboxes=user_ids))

    def begin(user_ids: frozenset[UserId]) -> None:
        desk.begin(NewWork(user_ids, user_ids))

    delivery = Delivery(repository, connections.messenger, clock, rush)
    presence = Presence(connections.messenger, clock)
    commands = CommandRegistry()

    debounce = timedelta(milliseconds=settings.debounce_ms)
    dispatcher = Dispatcher(repository, presence, clock, rush, debounce=debounce)
    dispatcher.when_found(begin)
    channel = Channel(
        turns=dispatcher,
        media=connections.messenger,
        admins=account.allow_list.admins,
        allowed=account.allow_list.allowed,
        wake=wake,
        pause_reason=lambda: delivery.pause_reason,
        is_idle=lambda: dispatcher.active_count == 0,
        show_typing=presence.renew,
        may_send=delivery.may_send,
        begin=begin,
    )
    kit = _kit(settings, connections, clock, process, channel, commands)
    desk: Desk = Here(dispatcher, delivery)
    together = None
    if role != "all":
        desk = together = _together(Here(dispatcher, delivery), kit, delivery, dispatcher, role, connections)
        kit.asking.share(begin)
    handler = MessageHandler(
        repository,
        clock,
        open_turn=_opener(settings, account, repository, commands).open,
        route=_router(kit, connections).route,
        carries_secret=commands.carries_secret,
        wake_delivery=wake,
    )
    dispatcher.serve(handler)
    _hand_over(kit, delivery, handler, dispatcher)
    ingest = _ingest(kit, account, rush, desk, together)
    return Pipeline(kit, ingest, dispatcher, delivery, presence, together)


def _hand_over(kit: Kit, delivery: Delivery, handler: MessageHandler, dispatcher: Dispatcher) -> None:
    """Give each what abilities registered for it."""
    delivery.limits.extend(kit.limits)
    held = kit.when_held if kit.limits else []
    handler.asides.extend([*held, _report_lost(kit, delivery).tell_beside])
    handler.answer_buttons.extend(kit.answer_buttons)
    dispatcher.when_idle(kit.jobs.wake)


def _share_notice(together: Together, notice: AccountNotice) -> None:
    """Let all processes hear what Meta said of the account: whose job it is acts on it."""
    together.tell_notice(notice.field)


def _hear_notice(kit: Kit, field: str) -> None:
    for hear in kit.when_noticed:
        hear(AccountNotice(field, ""))


def _together(
    here: Here, kit: Kit, delivery: Delivery, dispatcher: Dispatcher, role: Role, connections: Connections
) -> Together:
    roll = Roll(kit.repository.deaths, kit.clock)
    places = kit.settings.llm_max_concurrent * connections.chat.servers
    together = Together(
        here,
        Handover(dispatcher, delivery, kit.asking, SharedWork(connections.db), roll),
        roll,
        kit.clock,
        wake_jobs=kit.jobs.wake,
        places=places if role == "worker" else 0,
    )
    kit.jobs.share(lambda: together.is_chief, together.begin_jobs)
    together.when_noticed(partial(_hear_notice, kit))
    return together


def _kit(
    settings: Settings,
    connections: Connections,
    clock: Clock,
    process: Process,
    channel: Channel,
    commands: CommandRegistry,
) -> Kit:
    skills = SkillRegistry(load_builtin)
    asking = Asking(
        connections.db,
        clock,
        wake_delivery=channel.wake,
        on_answered=channel.show_typing,
        timeout_s=settings.approval_timeout_s,
    )
    own = ChildProcesses(settings.data_dir)
    children = connections.children or own
    return Kit(
        settings=settings,
        db=connections.db,
        repository=connections.repository,
        clock=clock,
        model=connections.chat.model,
        indexer=connections.indexer,
        vision=connections.vision,
        web=connections.web,
        channel=channel,
        asking=asking,
        process=process,
        places=Places(),
        tools=skills,
        catalog=ToolCatalog([skills]),
        commands=commands,
        oversight=build_oversight(settings, connections.repository, clock),
        jobs=JobRunner((), clock),
        is_small_model=ModelPolicy.of(connections.chat.profile).is_small,
        children=children,
        charts=Charts(children, channel.media, settings.data_dir / "children"),
        files=connections.files,
        everywhere=[own.running()],
        templates=connections.templates,
    )


def _router(kit: Kit, connections: Connections) -> TurnRouter:
    """Let the abilities register, between what they build on and what is built of them."""
    index = build_tool_index(kit, connections.embedder)
    if kit.indexer is not None:
        kit.jobs.add(Job("embeddings", partial(kit.indexer.backfill, _EMBEDDINGS_AT_ONCE)))
    add_help(kit.commands)
    for ability in ABILITIES:
        ability.register(kit)
    load_skills(kit)
    sorter = None if connections.embedder is None else Sorter.open(connections.embedder)
    history = HistoryKeeper(kit.repository, kit.taken_back, kit.clock)
    outside = OutsideActs(kit.repository.tool_journal, kit.catalog)
    return TurnRouter(
        Rewriter(kit.repository, history, outside, kit.clock),
        kit.commands,
        kit.asking,
        _assistant(kit, connections, sorter, build_engine(kit), index),
        senses=Senses(
            kit.senses,
            kit.tellings,
            kit.voices,
            str if sorter is None else sorter.put_right,
            partial(as_asked, places=kit.places),
        ),
    )


def _opener(settings: Settings, account: Account, repository: Repository, commands: CommandRegistry) -> TurnOpener:
    detector = LanguageDetector()

    def detect_language(text: str, fallback: Language) -> Language:
        return detector.detect(text, commands.language_of(text) or fallback)

    return TurnOpener(
        repository,
        account.allow_list,
        detect_language,
        timezone=settings.local_timezone,
        users_dir=settings.users_dir,
        mode=settings.tool_confirmation,
    )


def _ingest(kit: Kit, account: Account, rush: RushHour, desk: Desk, together: Together | None) -> Ingest:
    repository, clock = kit.repository, kit.clock
    trust = Trust(repository, kit.asking, account.allow_list.admins, clock)
    limiter = RateLimiter(kit.settings.rate_limit_max, kit.settings.rate_limit_window)
    intake = Intake(
        repository,
        IdentityKeeper(repository, account.allow_list, trust, clock),
        PaceHere(limiter, clock) if together is None else PaceOfAll(limiter, clock),
        kit.asking,
        kit.commands,
        phone_number_id=account.phone_number_id,
    )

    def notify(work: NewWork) -> None:
        kit.asking.give_way(work.turns)
        desk.begin(work)

    ingest = Ingest(repository, intake, clock, rush, notify=notify)
    ingest.when_noticed.extend(kit.when_noticed if together is None else [partial(_share_notice, together)])
    return ingest


def _assistant(
    kit: Kit, connections: Connections, sorter: Sorter | None, engine: ExecutionEngine, index: ToolIndex
) -> Assistant:
    opened = connections.chat
    calls = None if sorter is None else CallTexts(load_prompt(_PROMPTS, "call"), EXAMPLES.calls)
    policy = ModelPolicy.of(opened.profile, closing_text=load_prompt(_PROMPTS, "closing"), calls=calls)
    selection = ToolSelection(
        kit.catalog,
        policy,
        kit.tools.instructions_for,
        index=index,
        quick=None if sorter is None else HeadSorter(sorter, decides_alone=policy.is_small),
        max_tools=kit.settings.max_tools_per_call,
    )
    selection.needs, selection.named = kit.needs, kit.named
    rights = Amending(kit.repository.acts, kit.amending, kit.clock, is_correction)
    heard = Amending(kit.repository.acts, kit.retelling, kit.clock, asks_to_hear)
    selection.certain = (rights.call, heard.call, *kit.certain)
    reader = None if connections.embedder is None else RelationReader.open(connections.embedder)
    if connections.embedder is not None and policy.is_small:
        selection.sources = SourceReader.open(connections.embedder, str if sorter is None else sorter.put_right)
    if reader is not None and policy.is_small:
        selection.following = Following(reader, kit.recalls)
    builder = _prompt_builder(policy, kit.settings.llm_context_tokens)
    talk = builder.prefixes() if isinstance(builder, BriefBuilder) else ()
    opened.keep_warm(lambda: selection.prefixes(builder.opening, talk))
    return Assistant(kit.repository, opened.model, selection, engine, kit.remembering, builder)


def _prompt_builder(policy: ModelPolicy, context_tokens: int) -> ContextBuilder | BriefBuilder:
    if policy.is_brief:
        return BriefBuilder(load_prompt(_PROMPTS, "talk"), Shown.load(_PROMPTS), context_tokens)
    examples = load_prompt(_PROMPTS, "constrained", examples=EXAMPLES.constrained)
    return ContextBuilder(policy.system_text(load_prompt(_PROMPTS, "system"), examples), context_tokens)


def _report_lost(kit: Kit, delivery: Delivery) -> LostMessages:
    """Let the admins hear at once of what answered nobody and was not delivered."""
    admins = Admins(kit.repository, kit.clock, kit.channel.admins, wake_delivery=kit.channel.wake)
    lost = LostMessages(kit.repository, admins, kit.clock, kit.when_lost)
    kit.jobs.add(Job("lost_messages", lost.report))
    delivery.when_lost(kit.jobs.wake)
    return lost


async def start_pipeline(pipeline: Pipeline, limits: StopLimits, stack: AsyncExitStack) -> None:
    """Take up what the last run left; at the end drain the turns first, then what they have to say."""
    kit = pipeline.kit
    stack.push_async_callback(pipeline.presence.aclose)
    stack.push_async_callback(pipeline.delivery.aclose, limits.sends_s)
    # Abilities wake whom they write to, as soon as they run: what is in doubt must be noted before.
    await pipeline.delivery.recover()
    for running in (*kit.everywhere, *kit.running):
        await stack.enter_async_context(running)
    await stack.enter_async_context(kit.jobs.running(grace_s=limits.jobs_s))
    # Above what turns work with: they end first.
    stack.push_async_callback(pipeline.dispatcher.aclose, limits.turns_s)
    await kit.asking.recover()
    await pipeline.delivery.take_up()
    await pipeline.dispatcher.recover()
    await pipeline.dispatcher.begin_all()


async def start_web(pipeline: Pipeline, together: Together, leases: Leases, stack: AsyncExitStack) -> None:
    """Take messages in and serve pages; what there is to do is told to the workers."""
    for running in pipeline.kit.everywhere:
        await stack.enter_async_context(running)
    await stack.enter_async_context(together.running(leases))


async def start_worker(
    pipeline: Pipeline, together: Together, leases: Leases, limits: StopLimits, stack: AsyncExitStack
) -> None:
    """Take part in the work: what other processes left is put in order person by person, as they are taken."""
    kit = pipeline.kit
    stack.push_async_callback(pipeline.presence.aclose)
    for running in (*kit.everywhere, *kit.running):
        await stack.enter_async_context(running)
    await kit.asking.recover_handlers()
    await stack.enter_async_context(together.running(leases))
    stack.push_async_callback(pipeline.delivery.aclose, limits.sends_s)
    await stack.enter_async_context(kit.jobs.running(grace_s=limits.jobs_s))
    stack.push_async_callback(pipeline.dispatcher.aclose, limits.turns_s)
