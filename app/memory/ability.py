"""Memory: facts about people and their file, summaries, past days, and what of all that comes to mind."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from app.domain.chat import ToolCall
from app.domain.ids import UserId
from app.domain.turn import TurnContext
from app.embeddings.indexer import Indexer
from app.jobs import beside
from app.llm.prompts import load_prompt
from app.memory import commands, history_tools, home, memory_tools
from app.memory.asked import asked_to_forget, asked_to_keep, asks_of_self, asks_to_forget, takes_back_told
from app.memory.claims import normalised
from app.memory.copied import MemoryCopy
from app.memory.extraction import Extractor
from app.memory.followed import recall
from app.memory.jobs import Backlog, due_extraction, due_snapshots, due_summaries, settled_conversations
from app.memory.lexicon import RELATIONS
from app.memory.mirror import MemoryMirror, MirrorWatch
from app.memory.recollection import Recollector
from app.memory.repository import MEMORIES, SNAPSHOTS, UNDOABLE, Memories, MemoryRepository
from app.memory.service import MemoryService, SimilarSearch
from app.memory.sessions import Sessions
from app.memory.similarity import content_words
from app.memory.statements import sentences_told
from app.memory.summarizer import FoldLimits, Summarizer
from app.skills.amending import CALL_ID, after_opening, amended, is_correction
from app.skills.amending_whose import says_whose
from app.skills.kit import Kit
from app.skills.picking.choosing import is_in_talk

_PROMPTS = "app.memory"
_JUST_SAID: Final = 2
_NEWEST: Final = 5


def register(kit: Kit) -> None:
    """Add what is remembered: its tools, commands and jobs, and its part in each answer."""
    repository, clock = MemoryRepository(kit.repository, kit.db), kit.clock

    def changed(user_id: UserId) -> None:
        watch.wake(user_id)
        kit.jobs.wake()

    facts = MemoryService(repository, clock, search=_similar(kit.indexer), on_change=changed)
    mirror = (
        MemoryMirror(repository, facts, clock, users_dir=kit.settings.users_dir)
        if kit.settings.bucket is None
        else MemoryCopy(repository, kit.files, clock)
    )
    watch = MirrorWatch(repository, mirror, clock, looks_at_all=kit.process.is_chief)
    timezone = kit.settings.local_timezone
    sessions = Sessions(repository, kit.model, clock, prompt=load_prompt(_PROMPTS, "title"), timezone=timezone)
    extractor = Extractor(repository, kit.model, facts, prompt=load_prompt(_PROMPTS, "extract"), timezone=timezone)
    for source in (MEMORIES, SNAPSHOTS):
        kit.repository.embeddings.add(source)
    memory_tools.register(kit.tools, facts, kit.repository.acts, clock)
    kit.retelling[UNDOABLE.table] = partial(_retell, facts)
    kit.recalls.append(partial(recall, repository.memories))
    kit.certain.append(partial(_corrected, repository.memories))
    kit.certain.append(_asked_to_keep)
    kit.certain.append(partial(_unsaid, repository.memories))
    kit.certain.append(partial(_asked_to_forget, facts))
    kit.certain.append(partial(_asked_of_self, facts))
    kit.repository.acts.add(UNDOABLE)
    kit.repository.acts.when_undone(UNDOABLE.table, changed)
    history_tools.register(kit.tools, repository.snapshots, repository.days, clock)
    commands.register(kit.commands, facts)
    kit.home.append(home.part(facts, repository.memories, kit.repository.conversations))
    kit.remembering.recalls.append(Recollector(repository, facts, sessions, kit.indexer).recall)
    kit.remembering.learns.append(extractor.learn)
    kit.remembering.reads.append(_read)
    kit.remembering.unsays.append(asks_to_forget)
    kit.remembering.takes_back.append(takes_back_told)
    kit.taken_back.append(extractor.take_back)
    kit.file_locks.append(mirror.held)
    kit.running.append(_watching(watch))
    _add_jobs(kit, repository, extractor, sessions)


def _read(said: str) -> list[str]:
    """Return what a message tells; a correction with the words that open it."""
    return [said] if is_correction(said) or says_whose(said) else sentences_told(said)


async def _retell(facts: MemoryService, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`: the fact is told."""
    fact = await facts.find(ctx.user_id, "", row_id=row_id)
    if fact is None or not is_in_talk([fact.text], ctx.said.answers):
        return None
    return ToolCall(CALL_ID, "search_memories", {"query": fact.text})


async def _corrected(memories: Memories, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: a fact that was told just before is put right."""
    if not (is_correction(text) or says_whose(text)):
        return None
    said = " ".join(" ".join(ctx.said.before[:_JUST_SAID]).split())
    heard = set(content_words(after_opening(text)))
    newest = await memories.list_newest(ctx.user_id, _NEWEST)
    # Of several, the one that it names.
    for fact in sorted(newest, key=lambda one: heard.isdisjoint(content_words(one.text))):
        found = amended(fact.text, text)
        # "No, Tilly's mum is 40" is of somebody else.
        if found is None or not _kin_of(text) <= _kin_of(fact.text):
            continue
        # Later, it must name what it puts right, and nothing else.
        named = heard - set(content_words(found.new))
        if fact.text in said or (named and named <= set(content_words(fact.text))):
            arguments = {"new": found.new, "old": found.old, "fact": str(fact.number)}
            return ToolCall(CALL_ID, "correct_fact", arguments)
    return None


def _kin_of(text: str) -> set[str]:
    return {RELATIONS[word] for word in normalised(text).replace("'s", " ").split() if word in RELATIONS}


async def _asked_to_keep(text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: something is told, and plainly to be remembered."""
    fact = asked_to_keep(text, "".join(ctx.said.before[:1]))
    return None if fact is None else ToolCall(CALL_ID, "remember_fact", {"fact": fact})


async def _asked_of_self(facts: MemoryService, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: they ask for all that is known of them, and something is."""
    is_asked = asks_of_self(text) and bool(await facts.list_active(ctx.user_id))
    return ToolCall(CALL_ID, "search_memories", {"query": text}) if is_asked else None


async def _asked_to_forget(facts: MemoryService, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: what is to be forgotten is named; one fact that has all of its words is meant."""
    asked = asked_to_forget(text)
    if asked is None:
        return None
    wanted = set(content_words(asked.topic))
    having = [one for one in await facts.list_active(ctx.user_id) if wanted.issubset(content_words(one.text))]
    if len(having) != 1 and not asked.is_told:
        return None
    number = str(having[0].number) if len(having) == 1 else asked.topic
    return ToolCall(CALL_ID, "forget_fact", {"number": number})


async def _unsaid(memories: Memories, text: str, ctx: TurnContext) -> list[ToolCall]:
    """See `Certain`: the facts of the message just before are taken back: "just kidding"."""
    if not takes_back_told(text) or not ctx.said.before or not ctx.said.answers:
        return []
    told, answer = ctx.said.before[0], " ".join(ctx.said.answers[0].split())
    newest = await memories.list_newest(ctx.user_id, _NEWEST)
    said = [one for one in newest if one.text in " ".join(told.split()) and f"«{one.text}»" in answer]
    return [ToolCall(f"{CALL_ID}_{one.number}", "forget_fact", {"number": str(one.number)}) for one in said]


def _add_jobs(kit: Kit, repository: MemoryRepository, extractor: Extractor, sessions: Sessions) -> None:
    backlog, clock = Backlog(kit.db), kit.clock
    limits = FoldLimits.for_context(kit.settings.llm_context_tokens)
    summarizer = Summarizer(
        repository, kit.model, extractor, clock, prompt=load_prompt(_PROMPTS, "summarize"), limits=limits
    )

    def is_idle(_: UserId) -> bool:
        return kit.channel.is_idle()

    kit.jobs.add(due_extraction(backlog, extractor, clock, is_idle))
    kit.jobs.add(due_summaries(backlog, summarizer, limits, clock, is_idle))
    kit.jobs.add(due_snapshots(backlog, sessions, clock, is_idle))
    kit.jobs.add(settled_conversations(backlog))


def _similar(indexer: Indexer | None) -> SimilarSearch | None:
    if indexer is None:
        return None

    async def search(user_id: UserId, text: str, limit: int) -> Sequence[tuple[int, float]]:
        hits = await indexer.search(user_id, text, kinds=[MEMORIES.kind], limit=limit)
        return [(hit.owner_id, hit.similarity) for hit in hits]

    return search


@asynccontextmanager
async def _watching(watch: MirrorWatch) -> AsyncIterator[None]:
    await watch.step()
    async with beside(watch.run(), "memory_files"):
        yield
