"""kill -9 while history is read, folded and kept: no fact and no message is lost or doubled."""

import asyncio
import random
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from app.llm.prompts import load_prompt
from app.memory.extraction import Extractor
from tests.databases import lay_down, place_of
from tests.e2e.memory_worker import Facts, WordyModel
from tests.talks import ANN, Talks, talking

ROOT = Path(__file__).resolve().parents[2]
KILLS = 8


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
async def test_a_kill_during_the_work_of_memory_loses_and_doubles_nothing(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    database = place_of(tmp_path)
    await lay_down(database)
    for _ in range(KILLS):
        await run_and_kill(database, after_s=chance.uniform(0.05, 0.6))
        async with talking(database) as talks:
            await judge_history(talks)
    async with talking(database) as talks:
        await finish(talks)
        await judge_memory(talks)


async def run_and_kill(database: Path | str, *, after_s: float) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.e2e.memory_worker",
        str(database),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(30):
            while (line := await process.stdout.readline()) != b"ready\n":
                assert line, "the worker ended by itself"
        # A kill that depends on what the worker is doing would always hit the same place.
        await asyncio.sleep(after_s)
        assert process.returncode is None
    finally:
        process.kill()
        await process.communicate()


async def judge_history(talks: Talks) -> None:
    """Each message of the open conversation is on one side of the mark, and no mark is ahead of the reading."""
    rows = await talks.db.fetch_all("SELECT id FROM conversations WHERE user_id = ?", ANN)
    for row in rows:
        standing = await talks.repository.summaries.read(ANN, row["id"], limit=10_000)
        assert standing is not None
        stored = await talks.db.fetch_all(
            "SELECT id FROM messages WHERE conversation_id = ? ORDER BY id", row["id"]
        )
        ids = [one["id"] for one in stored]
        shown = [one.id for one in standing.messages]
        assert [one for one in ids if one <= standing.folded_through] + shown == ids
        assert standing.extracted_through >= standing.folded_through


async def finish(talks: Talks) -> None:
    facts = Facts(talks)
    extractor = Extractor(
        talks.repository, WordyModel(), facts, prompt=load_prompt("app.memory", "extract"), timezone="UTC"
    )
    for row in await talks.db.fetch_all("SELECT id FROM conversations WHERE user_id = ?", ANN):
        await extractor.extract(ANN, row["id"])


async def judge_memory(talks: Talks) -> None:
    """Every fact and every event that was told is kept, and kept once; every conversation at most once."""
    said = await talks.db.fetch_all("SELECT text FROM messages WHERE role = 'user'")
    numbers = Counter(int(re.findall(r"Rex(\d+)", row["text"])[0]) for row in said)
    facts = await talks.db.fetch_all("SELECT kind AS content FROM user_numbers WHERE kind <> 'snapshot'")
    assert Counter(int(re.findall(r"Rex(\d+)", row["content"])[0]) for row in facts) == Counter(set(numbers))
    events = await talks.db.fetch_all("SELECT text FROM daily_events")
    assert Counter(int(re.findall(r"cosa (\d+)", row["text"])[0]) for row in events) == Counter(set(numbers))
    assert len(numbers) > KILLS
    assert await talks.db.fetch_one("SELECT 1 FROM summaries") is not None
