"""Wires what the assistant knows: facts and their file, days and sessions, what was recalled, what people own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.bootstrap.ground import Ground
from app.database.vectors import VectorIndex
from app.domain.ids import TurnId, UserId, WaMessageId
from app.domain.ports import ChatModel, Embedder, TurnControl
from app.domain.recollection import TakenBack
from app.embeddings.indexer import Indexer
from app.jobs import JobRunner
from app.llm.prompts import load_prompt
from app.memory.extraction import Extractor, FactStore
from app.memory.jobs import due_extraction, due_snapshots, due_summaries, missing_embeddings
from app.memory.mirror import MemoryMirror
from app.memory.mirror_watch import MirrorWatch
from app.memory.recollection import Recollector
from app.memory.revocation import Revocation
from app.memory.service import MemoryService
from app.memory.sessions import Sessions
from app.memory.summarizer import FoldLimits, Summarizer
from app.privacy.erasure import Eraser, ForgetElsewhere, Places
from app.privacy.export import Exporter

WakeDelivery = Callable[[frozenset[UserId]], None]


@dataclass(frozen=True, slots=True)
class Meanings:
    """What finds texts by what they mean; without an embedder there is no index, and words must do.

    `index` and `spare`: see `Indexer`.
    """

    embedder: Embedder
    index: VectorIndex
    spare: VectorIndex


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known about people, and what keeps it in order."""

    facts: MemoryService
    recollector: Recollector
    sessions: Sessions
    extractor: Extractor
    revocation: Revocation
    exporter: Exporter
    mirror: MemoryMirror
    watch: MirrorWatch
    indexer: Indexer | None
    embedder: Embedder | None


def build_memory(
    ground: Ground, model: ChatModel, meanings: Meanings | None, *, wake_jobs: Callable[[], None]
) -> Memory:
    """Build memory; `wake_jobs` is called when facts changed, since their vectors are due then."""
    settings, repository, clock = ground.settings, ground.repository, ground.clock
    indexer = (
        None
        if meanings is None
        else Indexer(repository, meanings.index, meanings.embedder, clock, spare=meanings.spare)
    )

    def changed(user_id: UserId) -> None:
        watch.wake(user_id)
        wake_jobs()

    async def remember(user_id: UserId, text: str, turn_id: TurnId) -> object:
        return await facts.remember(user_id, text, turn_id=turn_id)

    async def find_similar(user_id: UserId, text: str, limit: int) -> Sequence[tuple[int, float]]:
        if indexer is None:
            return ()
        hits = await indexer.search(user_id, text, kinds=["memory"], limit=limit)
        return [(hit.owner_id, hit.similarity) for hit in hits]

    facts = MemoryService(repository, clock, search=find_similar, on_change=changed)
    mirror = MemoryMirror(repository, facts, clock, users_dir=settings.users_dir)
    watch = MirrorWatch(repository, mirror, clock)
    timezone = settings.local_timezone
    sessions = Sessions(repository, model, clock, prompt=load_prompt("app.memory", "title"), timezone=timezone)
    store = FactStore(remember, facts.forget_turn)
    return Memory(
        facts=facts,
        recollector=Recollector(repository, facts, sessions, indexer),
        sessions=sessions,
        extractor=Extractor(
            repository, model, store, prompt=load_prompt("app.memory", "extract"), timezone=timezone
        ),
        revocation=Revocation(repository.ownership, facts),
        exporter=Exporter(repository.ownership, clock),
        mirror=mirror,
        watch=watch,
        indexer=indexer,
        embedder=None if meanings is None else meanings.embedder,
    )


def forgetting_with_messages(memory: Memory) -> TakenBack:
    """Let facts go with the message that they were learned from; one that was rewritten is read again."""

    async def forget(user_id: UserId, message_id: WaMessageId, *, is_rewritten: bool) -> None:
        turn_id = await memory.revocation.revoke(user_id, message_id)
        if turn_id is not None and is_rewritten:
            await memory.extractor.read_again(user_id, turn_id)

    return forget


def build_eraser(
    ground: Ground,
    memory: Memory,
    control: TurnControl,
    *,
    elsewhere: tuple[ForgetElsewhere, ...],
    wake_delivery: WakeDelivery,
) -> Eraser:
    """Build what forgets a person, in the database and wherever else they left something."""
    return Eraser(
        ground.repository,
        ground.repository.ownership,
        ground.clock,
        control=control,
        places=Places(ground.settings.users_dir, memory.mirror.held, elsewhere),
        wake_delivery=wake_delivery,
    )


def add_jobs(
    ground: Ground, memory: Memory, model: ChatModel, jobs: JobRunner, is_idle: Callable[[], bool]
) -> None:
    """Add what is done beside the conversations, when nobody waits."""
    repository, clock = ground.repository, ground.clock
    limits = FoldLimits.for_context(ground.settings.llm_context_tokens)
    summarizer = Summarizer(
        repository, model, memory.extractor, clock, prompt=load_prompt("app.memory", "summarize"), limits=limits
    )

    def is_quiet(user_id: UserId) -> bool:
        return is_idle()

    jobs.add(due_extraction(repository, memory.extractor, clock, is_quiet))
    jobs.add(due_summaries(repository, summarizer, limits, clock, is_quiet))
    jobs.add(due_snapshots(repository, memory.sessions, clock, is_quiet))
    if memory.indexer is not None:
        jobs.add(missing_embeddings(memory.indexer.backfill))
