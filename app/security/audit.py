"""What was done in whose name: a hash chain of records, and a journal that no retry repeats.

Each call leaves two records, its intent and its outcome. A call that may change something has its intent on
disk before anything happens; the two records of one that only reads, asks nobody or ends before it runs are
written together at its end, because a crash in between would leave nothing that anybody must know.

Construction: a record's hash covers the record before it, as in Schneier and Kelsey, "Secure Audit Logs to
Support Computer Forensics" (1999); with a key it is an HMAC, so that who writes to the database alone cannot
forge a chain. Texts are hashed with a salt kept beside them: blanking both leaves nothing to guess from.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Final

import structlog
from pydantic import TypeAdapter, ValidationError

from app.database.db import Transaction
from app.database.repositories.audit import (
    Anchor,
    AuditEvent,
    AuditEvents,
    JournalEntry,
    JournalKey,
    Phase,
)
from app.database.repository import Repository
from app.domain.clock import to_ms
from app.domain.ids import TurnId, UserId
from app.domain.ports import Clock
from app.domain.tools import ToolResult

log = structlog.get_logger(__name__)

MAX_CONTENT_CHARS: Final = 500
"""How much of a result, and of each text among the arguments, a record keeps."""
_GENESIS: Final = "0" * 64
_PAGE: Final = 500
_REDACTED: Final = "[redacted]"
_SECRET_NAME: Final = re.compile(r"token|secret|passw|passphrase|authorization|api_?key|cookie|credential", re.I)
_SECRET_TEXT: Final = re.compile(
    r"(?i:bearer)\s+[\w.~+/=-]{8,}|\bEA[A-Za-z0-9]{20,}|\bsk-[\w-]{16,}|\bgh[pousr]_\w{20,}|\bxox[a-z]-[\w-]{10,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*"
)


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One call as it is recorded; `arguments` are validated ones, or the model's own where they never were."""

    user_id: UserId
    turn_id: TurnId
    tool: str
    arguments: object
    occurrence: int = 0
    claim_id: str = ""

    @property
    def key(self) -> JournalKey:
        return JournalKey(self.turn_id, self.tool, call_hash(self.tool, self.arguments), self.occurrence)


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call ended: a kind of `ToolResult`, or "cancelled"; `journalled` is what its retry will get."""

    kind: str
    text: str
    duration_ms: int = 0
    journalled: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class _Head:
    count: int
    hash: str
    mac: str = ""


_HEAD: Final[TypeAdapter[_Head]] = TypeAdapter(_Head)


class AuditTrail:
    """Writes the chain and the journal; each write is one transaction, so calls may run side by side."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        *,
        head_file: Path,
        key: bytes | None = None,
        known_secrets: tuple[str, ...] = (),
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._head_file = head_file
        self._key = key
        self._known_secrets = tuple(secret for secret in known_secrets if len(secret) >= 6)

    async def record_intent(self, facts: CallFacts, verdict: str) -> int:
        """Write what is about to be done and return the record's id, for `record_outcome`."""
        async with self._repository.transaction() as tx:
            intent = await self._append_intent(facts, verdict, tx)
        self._write_head(intent)
        return intent.id

    async def record_outcome(
        self, facts: CallFacts, verdict: str, outcome: CallOutcome, *, intent_id: int | None
    ) -> None:
        """Write how a call ended; where its intent was not written yet, that too, in the same transaction."""
        async with self._repository.transaction() as tx:
            if intent_id is None:
                intent_id = (await self._append_intent(facts, verdict, tx)).id
            if outcome.journalled is not None:
                await self._repository.tool_journal.finish(facts.user_id, facts.key, outcome.journalled, tx=tx)
            content = {"result": _cut(self._redact_text(outcome.text))}
            record = self._blank_record(facts, "outcome", outcome.kind)
            record = replace(record, intent_id=intent_id, duration_ms=outcome.duration_ms)
            record = await self._append(record, content, tx)
        self._write_head(record)

    async def find_done(self, facts: CallFacts) -> JournalEntry | None:
        """Return what an earlier attempt of this turn left of this call."""
        return await self._repository.tool_journal.find(facts.user_id, facts.key)

    async def start(self, facts: CallFacts) -> bool:
        """Note in the journal that the call runs from now on; False when it was noted before.

        Nor does it run once another process has the turn: what that one does is not known here.
        """
        return await self._repository.tool_journal.start(
            facts.user_id, facts.key, self._clock.now(), claim_id=facts.claim_id
        )

    async def prune(self, before: datetime) -> int:
        """Delete a page of the records from before that time, but for the newest; returns how many.

        What stays is held against the last of them, so that the trail is whole as before.
        """
        events = self._repository.audit_events
        known = await events.find_anchor()
        oldest = await events.list_after(0 if known is None else known.last_id, _PAGE + 1)
        old = list(takewhile(lambda event: event.at < to_ms(before), oldest[:-1]))
        if not old:
            return 0
        anchor = Anchor(old[-1].id, old[-1].entry_hash, old[-1].at)
        anchor = replace(anchor, mac=_anchor_mac(anchor, self._key))
        async with self._repository.transaction() as tx:
            return await events.prune(anchor, tx=tx)

    async def verify(self) -> list[str]:
        """Return a sentence for each record that was edited, removed or moved; empty when all is well."""
        return await verify_chain(self._repository.audit_events, self._head_file, self._key)

    async def _append_intent(self, facts: CallFacts, verdict: str, tx: Transaction) -> AuditEvent:
        content = {"arguments": self._redact(facts.arguments)}
        return await self._append(self._blank_record(facts, "intent", verdict), content, tx)

    def _blank_record(self, facts: CallFacts, phase: Phase, verdict: str) -> AuditEvent:
        return AuditEvent(
            id=0,
            at=to_ms(self._clock.now()),
            actor=facts.user_id,
            turn_id=facts.turn_id,
            tool=facts.tool.encode(errors="replace").decode()[:200],
            phase=phase,
            intent_id=0,
            verdict=verdict,
            duration_ms=0,
            content=None,
            content_hash="",
            previous_hash="",
            entry_hash="",
        )

    async def _append(self, record: AuditEvent, content: Mapping[str, object], tx: Transaction) -> AuditEvent:
        last = await self._repository.audit_events.find_last(tx=tx)
        event_id = 1 if last is None else last.id + 1
        text = canonical_json({**content, "salt": secrets.token_hex(16)})
        record = replace(
            record,
            id=event_id,
            intent_id=record.intent_id or event_id,
            content=text,
            content_hash=_digest(text, self._key),
            previous_hash=_GENESIS if last is None else last.entry_hash,
        )
        record = replace(record, entry_hash=_entry_hash(record, self._key))
        await self._repository.audit_events.append(record, tx=tx)
        return record

    def _write_head(self, last: AuditEvent) -> None:
        """Note how long the chain is, beside the database; after the commit, so that it is never ahead of it.

        Not in a thread, though it writes a file: it takes microseconds, and no later head may be overtaken.
        """
        head = _Head(last.id, last.entry_hash)
        if self._key is not None:
            head = replace(head, mac=_digest(f"{head.count}:{head.hash}", self._key))
        fresh = self._head_file.with_name(f"{self._head_file.name}.new")
        try:
            self._head_file.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_bytes(_HEAD.dump_json(head))
            os.replace(fresh, self._head_file)
        except OSError as exc:
            # The record is committed; the next one writes the head anew.
            log.error("audit.head_not_written", error=type(exc).__name__)

    def _redact(self, value: object, name: str = "") -> object:
        """Blank what looks like a secret, by the name it stands under or by its shape, and cut long texts."""
        if name and _SECRET_NAME.search(name) and isinstance(value, str):
            return _REDACTED
        if isinstance(value, Mapping):
            return {str(key): self._redact(item, str(key)) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._redact(item, name) for item in value]
        return _cut(self._redact_text(value)) if isinstance(value, str) else value

    def _redact_text(self, text: str) -> str:
        for secret in self._known_secrets:
            text = text.replace(secret, _REDACTED)
        return _SECRET_TEXT.sub(_REDACTED, text)


def canonical_json(value: object) -> str:
    """The one JSON text of a value, whatever the order of its keys."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), default=str)


def call_hash(tool: str, arguments: object) -> str:
    """What stands for one exact call: SHA-256 over the tool's name and its arguments."""
    return hashlib.sha256(canonical_json([tool, arguments]).encode()).hexdigest()


async def verify_chain(events: AuditEvents, head_file: Path, key: bytes | None) -> list[str]:
    """Check every record against the one before it, and the last against the head file.

    Returns a sentence for each fault, in the order of the records. Records after the head are no fault: a
    crash between the commit and the head leaves one. Contents go with a person who asked to be forgotten, and
    with nobody else. The journal of calls tells of records that went together with the head.
    """
    try:
        head = _read_head(head_file)
    except (OSError, ValidationError):
        return ["the head file is unreadable"]
    findings: list[str] = []
    last_id, last_hash, hash_at_head = 0, _GENESIS, _GENESIS
    anchor = await events.find_anchor()
    if anchor is not None:
        last_id, last_hash = anchor.last_id, anchor.last_hash
        if head is not None and head.count == last_id:
            hash_at_head = last_hash
        if not hmac.compare_digest(anchor.mac, _anchor_mac(anchor, key)):
            findings.append("the anchor of what is kept no longer was changed")
    async for event in _all_events(events):
        findings.extend(_faults(event, last_id, last_hash, key))
        last_id, last_hash = event.id, event.entry_hash
        if head is not None and event.id == head.count:
            hash_at_head = event.entry_hash
    findings += [f"record {number}: its content was removed" for number in await events.list_blanked()]
    if unrecorded := await events.count_unrecorded():
        findings.append(f"{unrecorded} calls of tools ran of which there is no record")
    return findings + _head_faults(head, last_id, hash_at_head, key)


def _read_head(head_file: Path) -> _Head | None:
    return _HEAD.validate_json(head_file.read_bytes()) if head_file.exists() else None


async def _all_events(events: AuditEvents) -> AsyncIterator[AuditEvent]:
    last_id = -(2**63)
    while page := await events.list_after(last_id, _PAGE):
        for event in page:
            yield event
        last_id = page[-1].id


def _faults(event: AuditEvent, last_id: int, last_hash: str, key: bytes | None) -> list[str]:
    name = f"record {event.id}"
    findings = []
    if event.id <= last_id:
        findings.append(f"{name} has an impossible number")
    elif event.id != last_id + 1:
        findings.append(_missing(last_id + 1, event.id - 1))
    elif event.previous_hash != last_hash:
        findings.append(f"{name} does not follow the record before it")
    if event.content is not None and _digest(event.content, key) != event.content_hash:
        findings.append(f"{name}: its content was changed")
    if _entry_hash(event, key) != event.entry_hash:
        findings.append(f"{name} was changed")
    return findings


def _head_faults(head: _Head | None, last_id: int, hash_at_head: str, key: bytes | None) -> list[str]:
    if head is None:
        return ["the head file is missing, so removed last records would not be found"] if last_id else []
    if key is not None and not hmac.compare_digest(head.mac, _digest(f"{head.count}:{head.hash}", key)):
        return ["the head file was changed"]
    if head.count > last_id:
        return [_missing(last_id + 1, head.count, " at the end")]
    return [] if hash_at_head == head.hash else [f"record {head.count} is not the one in the head file"]


def _anchor_mac(anchor: Anchor, key: bytes | None) -> str:
    return _digest(f"anchor:{anchor.last_id}:{anchor.last_hash}:{anchor.last_at}", key)


def _missing(first: int, last: int, where: str = "") -> str:
    return (
        f"record {first}{where} is missing" if first == last else f"records {first} to {last}{where} are missing"
    )


def _entry_hash(event: AuditEvent, key: bytes | None) -> str:
    fields = [
        event.previous_hash,
        event.id,
        event.at,
        event.actor,
        event.turn_id,
        event.tool,
        event.phase,
        event.intent_id,
        event.verdict,
        event.duration_ms,
        event.content_hash,
    ]
    return _digest(canonical_json(fields), key)


def _digest(text: str, key: bytes | None) -> str:
    data = text.encode()
    return hashlib.sha256(data).hexdigest() if key is None else hmac.new(key, data, "sha256").hexdigest()


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CONTENT_CHARS else f"{text[:MAX_CONTENT_CHARS]}… ({len(text)} characters)"
