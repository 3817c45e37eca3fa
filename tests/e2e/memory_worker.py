"""A process that talks, extracts, folds and keeps snapshots, in the database it is given, until it is killed."""

import asyncio
import json
import sys
from itertools import count
from pathlib import Path

from app.domain.chat import ChatRequest, ChatResponse, ModelState
from app.domain.ids import TurnId, UserId
from app.llm.prompts import load_prompt
from app.memory.extraction import Extractor
from app.memory.jobs import Backlog
from app.memory.sessions import Sessions
from app.memory.summarizer import FoldLimits, Summarizer
from tests.talks import ANN, NOON, Talks, talking

SUMMARY = "They went through a long list of numbered things, one after the other."


class WordyModel:
    async def chat(self, request: ChatRequest) -> ChatResponse:
        await asyncio.sleep(0.001)
        if request.response_schema is not None:
            return ChatResponse(json.dumps({"facts": [], "events": []}))
        return ChatResponse(SUMMARY if "summary" in request.messages[0].content else "A list of things")

    async def state(self) -> ModelState:
        return ModelState("wordy", "ready")


class Facts:
    """Keeps facts where a kill can hit: idempotent by turn and text, in a transaction of its own."""

    def __init__(self, talks: Talks) -> None:
        self._talks = talks

    async def remember(self, user_id: UserId, text: str, *, turn_id: TurnId) -> None:
        async with self._talks.db.transaction() as tx:
            insert = "INSERT INTO user_numbers VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            await tx.execute(insert, user_id, text, turn_id)

    async def forget_turn(self, user_id: UserId, turn_id: TurnId) -> None:
        async with self._talks.db.transaction() as tx:
            await tx.execute("DELETE FROM user_numbers WHERE user_id = ? AND last = ?", user_id, turn_id)


async def work(database: Path | str) -> None:
    async with talking(database) as talks:
        repository, model, facts = talks.repository, WordyModel(), Facts(talks)
        backlog = Backlog(talks.db)
        extractor = Extractor(
            repository, model, facts, prompt=load_prompt("app.memory", "extract"), timezone="UTC"
        )
        summarizer = Summarizer(
            repository,
            model,
            extractor,
            talks.clock,
            prompt=load_prompt("app.memory", "summarize"),
            limits=FoldLimits(over_messages=8, keep_messages=4, chunk_tokens=40),
        )
        sessions = Sessions(
            repository, model, talks.clock, prompt=load_prompt("app.memory", "title"), timezone="UTC"
        )
        begun = len(await talks.ids()) // 2
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        for number in count(begun):
            await talks.say(f"mi perro número {number} se llama Rex{number}. Hoy compré la cosa {number}")
            await summarizer.fold(ANN, await talks.open(), is_idle=lambda _: True)
            if number % 17 == 0:
                await talks.clear()
            for due in await backlog.list_unread(at_least=99, quiet_since=NOON.replace(year=2000), limit=9):
                await extractor.extract(due.user_id, due.conversation_id)
            for due in await backlog.list_unkept(limit=9):
                await sessions.keep(due.user_id, due.conversation_id)


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1]))
