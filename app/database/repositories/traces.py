"""What each turn was offered, used and cost: the memory behind `/why`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import TypeAdapter

from app.database.db import Database, Transaction
from app.domain.chat import Usage
from app.domain.clock import to_ms
from app.domain.ids import TurnId, UserId


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One tool call of a turn."""

    tool: str
    kind: str
    duration_ms: int


@dataclass(frozen=True, slots=True)
class TraceRecall:
    """One thing that was recalled for a turn, and why."""

    kind: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """`offered` are the tools that the turn ended with, in order.

    `sorted_by` says who found the categories ("model", "head", "rule", "fallback"), and `confidence` (0 to 1) how
    sure they were, where they can tell.
    """

    categories: tuple[str, ...] = ()
    sorted_by: str = ""
    confidence: float | None = None
    offered: tuple[str, ...] = ()
    steps: tuple[TraceStep, ...] = ()
    recalled: tuple[TraceRecall, ...] = ()
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    model_calls: int = 0
    duration_ms: int = 0

    def with_usage(self, usage: Usage) -> "TurnTrace":
        """Return the trace with what the turn's calls of the model cost."""
        return replace(
            self,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            completion_tokens=usage.completion_tokens,
            model_calls=usage.calls,
        )


_ADAPTER: TypeAdapter[TurnTrace] = TypeAdapter(TurnTrace)


def joined_traces(traces: Sequence[TurnTrace]) -> TurnTrace | None:
    """Return the traces of several wishes of one turn as one."""
    if not traces:
        return None
    return replace(
        traces[0],
        categories=tuple(dict.fromkeys(name for one in traces for name in one.categories)),
        offered=tuple(dict.fromkeys(name for one in traces for name in one.offered)),
        steps=tuple(step for one in traces for step in one.steps),
    )


class Traces:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def put(
        self, user_id: UserId, turn_id: TurnId, trace: TurnTrace, at: datetime, *, tx: Transaction
    ) -> None:
        """Keep a turn's trace; a retried turn replaces its own."""
        await tx.execute(
            "INSERT INTO turn_traces(turn_id, user_id, trace, created_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT(turn_id) DO UPDATE SET trace = excluded.trace, created_at = excluded.created_at",
            turn_id,
            user_id,
            _ADAPTER.dump_json(trace).decode(),
            to_ms(at),
        )

    async def forget_recalled(self, user_id: UserId, *, tx: Transaction) -> None:
        """Drop what was recalled for the user's turns: a fact that is forgotten must not stay in them."""
        await tx.execute(
            "UPDATE turn_traces SET trace = json_set(trace, '$.recalled', json('[]')) WHERE user_id = ?"
            " AND json_array_length(trace, '$.recalled') > 0",
            user_id,
        )

    async def list_recent_tools(self, user_id: UserId, *, turns: int = 2) -> list[str]:
        """Return the tools that the user's last turns used, the latest first."""
        rows = await self._db.fetch_all(
            "SELECT trace FROM turn_traces WHERE user_id = ? ORDER BY turn_id DESC LIMIT ?", user_id, turns
        )
        traces = [_ADAPTER.validate_json(row["trace"]) for row in rows]
        return list(dict.fromkeys(step.tool for trace in traces for step in reversed(trace.steps)))

    async def list_last(self, user_id: UserId, *, turns: int) -> dict[TurnId, TurnTrace]:
        """Return the traces of the user's last answered turns, the newest first."""
        rows = await self._db.fetch_all(
            "SELECT turn_id, trace FROM turn_traces WHERE user_id = ? ORDER BY turn_id DESC LIMIT ?",
            user_id,
            turns,
        )
        return {row["turn_id"]: _ADAPTER.validate_json(row["trace"]) for row in rows}

    async def find_last(self, user_id: UserId) -> TurnTrace | None:
        """Return the trace of the user's last answered turn."""
        row = await self._db.fetch_one(
            "SELECT trace FROM turn_traces WHERE user_id = ? ORDER BY turn_id DESC LIMIT 1", user_id
        )
        return None if row is None else _ADAPTER.validate_json(row["trace"])
