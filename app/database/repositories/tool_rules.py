"""What admins decided about single tools. It counts for everybody; the audit trail says who."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.database.db import Database, Row, Transaction
from app.domain.clock import to_ms

ChosenAction = Literal["allow", "flag", "block"]


@dataclass(frozen=True, slots=True)
class ChosenRule:
    """`seal` is the tool as it was then: who allows a tool allows that one, and no other of its name."""

    tool: str
    action: ChosenAction
    seal: str


class ToolRules:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, tool: str) -> ChosenRule | None:
        row = await self._db.fetch_one("SELECT * FROM tool_rules WHERE tool = ?", tool)
        return None if row is None else _rule(row)

    async def list_all(self) -> list[ChosenRule]:
        return [_rule(row) for row in await self._db.fetch_all("SELECT * FROM tool_rules ORDER BY tool")]

    async def put(self, rule: ChosenRule, at: datetime, *, tx: Transaction) -> None:
        """Keep a rule in place of the one before."""
        await tx.execute(
            "INSERT INTO tool_rules(tool, action, seal, changed_at) VALUES (?, ?, ?, ?) ON CONFLICT (tool)"
            " DO UPDATE SET action = excluded.action, seal = excluded.seal, changed_at = excluded.changed_at",
            rule.tool,
            rule.action,
            rule.seal,
            to_ms(at),
        )

    async def remove(self, tool: str, *, tx: Transaction) -> None:
        """Drop the rule about a tool; nothing happens where there is none."""
        await tx.execute("DELETE FROM tool_rules WHERE tool = ?", tool)


def _rule(row: Row) -> ChosenRule:
    return ChosenRule(row["tool"], row["action"], row["seal"])
