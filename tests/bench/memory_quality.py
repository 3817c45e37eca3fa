"""How many questions find their memory among the first five: `python -m tests.bench.memory_quality`.

The set in tests/data/memory_retrieval, written for this: 200 memories of one made-up person, half of them in
Spanish, half in English, and 60 questions. 48 say it in other words, some of them in the other language; twelve
name something rare that the memory names too.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

import structlog
from rich.console import Console
from rich.table import Table

from app.database.db import MEMORY, Database
from app.database.migrate import migrate
from app.database.repository import Repository
from app.database.vectors import open_index
from app.domain.clock import SystemClock
from app.domain.ids import UserId
from app.domain.ports import Embedder
from app.embeddings.fusion import fuse
from app.embeddings.indexer import Indexer
from app.llm.local_embedder import LocalEmbedder
from app.memory.repository import MEMORIES, Memories, MemoryRepository, NewMemory
from app.memory.service import MemoryService
from app.memory.similarity import content_words, text_key

DATA: Final = Path(__file__).resolve().parents[1] / "data" / "memory_retrieval"
WANTED: Final = 5
CANDIDATES: Final = 50
OWNER: Final = UserId("one")
WEIGHTS: Final = (0.4, 0.5, 0.6, 0.7)
BASELINE: Final = 0.1
"""Three of four memories of the set are no nearer than this to a question (local model)."""

Way = Callable[["Found"], list[int]]
Group = Literal["Spanish", "English", "crossing", "by name"]


@dataclass(frozen=True, slots=True)
class Question:
    """`gold` are ids of memories; `group` is "by name" where a rare name or number stands in both."""

    text: str
    gold: frozenset[int]
    group: Group


@dataclass(frozen=True, slots=True)
class Found:
    """What the two searches found for a question, by memory; `recalled` is what the memory service makes of it."""

    question: Question
    keywords: dict[int, float]
    similarities: dict[int, float]
    coverage: dict[int, float]
    recalled: list[int]


async def measure(embedder: Embedder) -> list[Found]:
    """Store and embed the memories, then ask every question in both ways."""
    async with Database.open(MEMORY) as db:
        await migrate(db)
        repository, clock = Repository(db), SystemClock()
        repository.embeddings.add(MEMORIES)
        memories = MemoryRepository(repository, db)
        await _store(memories)
        indexer = Indexer(repository, await open_index(db, embedder.model), embedder, clock)
        await indexer.backfill(1000)
        service = MemoryService(memories, clock)
        return [await _ask(question, service, memories.memories, indexer) for question in load_questions()]


def load_questions() -> list[Question]:
    """Read the questions."""
    languages = {one["id"]: one["language"] for one in _lines("memories")}
    return [
        Question(one["question"], frozenset(one["gold"]), _group(one, languages)) for one in _lines("questions")
    ]


def recall(found: Sequence[Found], way: Way) -> float:
    """Return the share of the memories asked for that are among the first five."""
    shares = [len(one.question.gold & set(way(one)[:WANTED])) / len(one.question.gold) for one in found]
    return sum(shares) / len(shares)


def by_words(found: Found) -> list[int]:
    return _best(found.keywords)


def by_meaning(found: Found) -> list[int]:
    return _best(found.similarities)


def by_service(found: Found) -> list[int]:
    return found.recalled


def fused(weight: float, *, is_covered: bool) -> Way:
    """Return the way that joins both; see `app.embeddings.fusion`."""

    def rank(found: Found) -> list[int]:
        coverage = found.coverage if is_covered else None
        both = fuse(found.keywords, found.similarities, coverage=coverage, weight=weight, baseline=BASELINE)
        return [one.key for one in both]

    return rank


def show(found: Sequence[Found]) -> None:
    """Print recall by the way of searching and the group of questions."""
    groups = {"all": found}
    for name in get_args(Group):
        groups[name] = [one for one in found if one.question.group == name]
    ways: dict[str, Way] = {"words alone (FTS5)": by_words, "meaning alone": by_meaning}
    ways |= {f"fused, meaning {w:g}": fused(w, is_covered=False) for w in WEIGHTS}
    ways |= {f"fused, meaning {w:g}, covered words": fused(w, is_covered=True) for w in WEIGHTS}
    ways["MemoryService.recall"] = by_service
    table = Table(title=f"recall@{WANTED}, {len(found)} questions over 200 memories", title_justify="left")
    table.add_column("")
    for group, members in groups.items():
        table.add_column(f"{group} ({len(members)})", justify="right")
    for name, way in ways.items():
        table.add_row(name, *(f"{recall(members, way):.3f}" for members in groups.values()))
    console = Console(width=110)
    console.print(table)
    _show_cosines(console, found)


def run() -> None:
    """Measure and print, or say what is missing."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    embedder = LocalEmbedder.open()
    if embedder is None:
        Console().print("memory quality: not measured, the optional extra `local` is not installed")
        return
    with closing(embedder):
        show(asyncio.run(measure(embedder)))


def _show_cosines(console: Console, found: Sequence[Found]) -> None:
    """Print what a threshold would let through."""
    right = [one.similarities.get(memory, 0.0) for one in found for memory in one.question.gold]
    wrong = [value for one in found for key, value in one.similarities.items() if key not in one.question.gold]
    for at in (0.1, 0.15, 0.2, 0.25, 0.3):
        kept, noise = sum(value >= at for value in right), sum(value >= at for value in wrong)
        console.print(
            f"cosine from {at:g}: {kept / len(right):.0%} of the right memories,"
            f" {noise / len(found):.1f} wrong ones for each question"
        )


async def _ask(question: Question, service: MemoryService, memories: Memories, indexer: Indexer) -> Found:
    stems = content_words(question.text)
    words = await memories.search(OWNER, stems, limit=CANDIDATES)
    hits = await indexer.search(OWNER, question.text, kinds=["memory"], limit=CANDIDATES)
    similar = [(hit.owner_id, hit.similarity) for hit in hits]
    recalled = await service.recall(OWNER, question.text, limit=WANTED, similar=similar)
    return Found(
        question,
        keywords={memory.number: score for memory, score in words},
        similarities=dict(similar),
        coverage={memory.number: _coverage(stems, memory.text) for memory, _ in words},
        recalled=[one.memory.number for one in recalled],
    )


def _coverage(stems: Sequence[str], text: str) -> float:
    present = content_words(text)
    return sum(any(word.startswith(stem) for word in present) for stem in stems) / len(stems)


def _group(question: dict[str, Any], languages: dict[int, str]) -> Group:
    if question["is_by_name"]:
        return "by name"
    if all(languages[memory] != question["language"] for memory in question["gold"]):
        return "crossing"
    return "Spanish" if question["language"] == "es" else "English"


async def _store(repository: MemoryRepository) -> None:
    """Store the memories so that row, number and id of the set are one."""
    now = SystemClock().now()
    async with repository.transaction() as tx:
        await tx.execute(
            "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'es', 0, 0)", OWNER
        )
        for one in _lines("memories"):
            text = one["text"]
            memory = await repository.memories.add(OWNER, NewMemory(text, text_key(text), "general"), now, tx=tx)
            assert memory.id == memory.number == one["id"]


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def _best(scores: dict[int, float]) -> list[int]:
    return sorted(scores, key=lambda key: -scores[key])


if __name__ == "__main__":
    run()
