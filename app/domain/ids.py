"""Identifiers that must never be mistaken for one another."""

from typing import NewType

UserId = NewType("UserId", str)
"""Ours: a uuid. Never a phone number, because people change theirs."""

TurnId = NewType("TurnId", int)
"""The inbox row that opened the turn: stable across retries and restarts."""

InboxId = NewType("InboxId", int)
OutboxId = NewType("OutboxId", int)
ConversationId = NewType("ConversationId", int)

WaMessageId = NewType("WaMessageId", str)
"""Meta's message id (`wamid.…`)."""
