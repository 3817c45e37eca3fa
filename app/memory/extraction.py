"""Facts and events, taken out of what a person said before their words leave the prompt."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol, TypeVar
from zoneinfo import ZoneInfo

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from app.database.repositories.summaries import HistoryId, HistoryMessage, Standing
from app.domain.chat import ChatMessage, ChatRequest
from app.domain.errors import Permanent, ToolFault
from app.domain.ids import ConversationId, TurnId, UserId, WaMessageId
from app.domain.ports import ChatModel
from app.domain.turn import TurnContext
from app.memory.grounding import find_source, in_own_words
from app.memory.past import DayEvent
from app.memory.repository import MemoryRepository
from app.memory.statements import Statement, happenings, self_statements, statements

log = structlog.get_logger(__name__)

_T = TypeVar("_T")

_READING_S: Final = 10.0
"""For reading some messages, which takes milliseconds; what takes longer is given up and counts as read."""
_CHUNK_MESSAGES: Final = 60
_CHUNK_CHARS: Final = 3_000
_LINE_CHARS: Final = 400
_MAX_CALLS: Final = 4
"""Of the model for one message that is longer than a prompt; all of it is searched for plain words."""
_ANSWER_TOKENS: Final = 500
_MAX_NOTES: Final = 12
_NOTES: Final = MappingProxyType(
    {"type": "array", "items": MappingProxyType({"type": "string"}), "maxItems": _MAX_NOTES}
)
_SCHEMA: Final = MappingProxyType(
    {
        "type": "object",
        "properties": MappingProxyType({"facts": _NOTES, "events": _NOTES}),
        "required": ("facts", "events"),
    }
)


class Facts(Protocol):
    """Where facts go. Both calls are idempotent: after a crash the same one comes again."""

    async def remember(self, user_id: UserId, text: str, *, turn_id: TurnId) -> object:
        """Keep a fact that was learned in a turn."""
        ...

    async def forget_turn(self, user_id: UserId, turn_id: TurnId) -> object:
        """Drop what was learned in a turn."""
        ...


@dataclass(frozen=True, slots=True)
class _Found:
    """What a chunk told; `events` carry the moment when they were told."""

    facts: tuple[tuple[str, HistoryMessage], ...]
    events: tuple[tuple[str, HistoryMessage], ...]


class _Notes(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    facts: tuple[str, ...] = ()
    events: tuple[str, ...] = ()


class Extractor:
    """Reads every message of a person once, in order; the assistant's words are never a source.

    Plain self-statements are found by their wording. A model adds to them, and only sentences that the person
    really wrote. `timezone` (IANA) decides to which day an event belongs.
    """

    def __init__(
        self, repository: MemoryRepository, model: ChatModel, facts: Facts, *, prompt: str, timezone: str
    ) -> None:
        self._repository = repository
        self._model = model
        self._facts = facts
        self._prompt = ChatMessage("system", prompt)
        self._timezone = timezone

    async def extract(
        self, user_id: UserId, conversation_id: ConversationId, *, through: HistoryId | None = None
    ) -> int:
        """Read on, up to that message or the last one; returns how many messages were read.

        A chunk counts as read once its facts and events are kept. What is taken back or rewritten meanwhile
        stops the reading: the next call goes on.

        Raises:
            NotReady, Transient: the model does not answer now; what was read so far stays read.
        """
        count = 0
        while True:
            standing = await self._repository.summaries.read(
                user_id, conversation_id, behind="extraction", side="oldest", limit=_CHUNK_MESSAGES
            )
            chunk = _chunk(standing.messages, through) if standing is not None else ()
            if standing is None or not chunk:
                return count
            try:
                found = await self._find(chunk)
            except TimeoutError:
                log.error("extraction.too_slow", messages=len(chunk))
                found = _Found((), ())
            if not await self._keep(user_id, conversation_id, found, standing, chunk[-1].id):
                return count
            count += len(chunk)

    async def learn(self, told: Sequence[str], ctx: TurnContext) -> None:
        """Keep what a person told of themselves at once; reading their conversation later adds nothing to it."""
        for text in told:
            await self._remember(ctx.user_id, text, ctx.turn_id)

    async def take_back(self, user_id: UserId, message_id: WaMessageId, *, is_rewritten: bool) -> None:
        """Forget the facts that were learned in the turn of a revoked message; of a rewritten one, read it again.

        A turn of several merged messages is one: the facts of all of them go. Summary, snapshot and events of the
        day went with the message itself, by triggers. A message that was never read, or is somebody else's,
        changes nothing; doing it twice changes nothing.
        """
        turn_id = await self._repository.conversations.find_turn(user_id, message_id)
        if turn_id is None:
            return
        await self._facts.forget_turn(user_id, turn_id)
        log.info("memory.taken_back", source_turn_id=turn_id)
        if is_rewritten:
            await self._read_again(user_id, turn_id)

    async def _read_again(self, user_id: UserId, turn_id: TurnId) -> None:
        """Keep what the messages of a turn say in plain words now; asks no model."""
        told = await self._repository.summaries.list_turn(user_id, turn_id)
        found = await _aside(partial(_plain, told))
        for text, _ in found.facts:
            await self._remember(user_id, text, turn_id)
        zone = await self._zone_of(user_id)
        async with self._repository.transaction() as tx:
            for text, source in found.events:
                await self._repository.days.add(user_id, _event(text, source, zone), tx=tx)

    async def _find(self, chunk: Sequence[HistoryMessage]) -> _Found:
        """Raises TimeoutError where reading alone takes longer than anything a person writes."""
        plain, told = await _aside(lambda: (_plain(chunk), _told(chunk)))
        if not told:
            return plain
        facts, events = dict(plain.facts), dict(plain.events)
        for lines in _prompts([one for one, _ in told]):
            notes = await self._ask(lines)
            await _aside(partial(_add_all, notes, told, facts=facts, events=events))
        return _Found(tuple(facts.items()), tuple((text, at) for text, at in events.items() if text not in facts))

    async def _ask(self, lines: Sequence[str]) -> _Notes:
        numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
        request = ChatRequest(
            messages=(self._prompt, ChatMessage("user", numbered)),
            response_schema=_SCHEMA,
            max_tokens=_ANSWER_TOKENS,
            temperature=0.0,
            purpose="short",
        )
        try:
            return _Notes.model_validate(json.loads((await self._model.chat(request)).text))
        except (ValueError, RecursionError, ValidationError) as exc:
            log.warning("extraction.answer_unreadable", reason=type(exc).__name__)
        except Permanent as exc:
            log.warning("extraction.refused", reason=exc.code)
        return _Notes()

    async def _keep(
        self,
        user_id: UserId,
        conversation_id: ConversationId,
        found: _Found,
        base: Standing,
        through: HistoryId,
    ) -> bool:
        for text, source in found.facts:
            await self._remember(user_id, text, source.stored.turn_id)
        zone = await self._zone_of(user_id)
        async with self._repository.transaction() as tx:
            is_kept = await self._repository.summaries.mark_extracted(
                user_id, conversation_id, through, base=base, tx=tx
            )
            for text, source in found.events if is_kept else ():
                await self._repository.days.add(user_id, _event(text, source, zone), tx=tx)
        if not is_kept:
            await self._take_back_what_changed(user_id, [source for _, source in found.facts])
        return is_kept

    async def _remember(self, user_id: UserId, text: str, turn_id: TurnId) -> None:
        try:
            await self._facts.remember(user_id, text, turn_id=turn_id)
        except ToolFault as exc:
            # What the store will never take must not hold up what comes after it.
            log.warning("extraction.fact_refused", reason=exc.code)

    async def _take_back_what_changed(self, user_id: UserId, sources: Sequence[HistoryMessage]) -> None:
        """A message was revoked while it was being read: the revocation could not know of facts to come."""
        for source in dict.fromkeys(sources):
            left = await self._repository.summaries.list_turn(user_id, source.stored.turn_id)
            if not any(one.id == source.id and one.stored.text == source.stored.text for one in left):
                await self._facts.forget_turn(user_id, source.stored.turn_id)

    async def _zone_of(self, user_id: UserId) -> ZoneInfo:
        return ZoneInfo((await self._repository.users.get(user_id)).zone(self._timezone))


def _event(text: str, source: HistoryMessage, zone: ZoneInfo) -> DayEvent:
    """What happened belongs to the day that it was for the person."""
    at = source.stored.created_at
    return DayEvent(at.astimezone(zone).date(), text, source.stored.turn_id, at)


async def _aside(work: Callable[[], _T]) -> _T:
    """Do what only reads and thinks beside the event loop: nobody's answer waits for it.

    Raises:
        TimeoutError: it took too long.
    """
    async with asyncio.timeout(_READING_S):
        return await asyncio.to_thread(work)


def _told(messages: Sequence[HistoryMessage]) -> list[tuple[Statement, HistoryMessage]]:
    return [(one, message) for message in messages if message.is_users for one in statements(message.stored.text)]


def _add_all(
    notes: _Notes,
    told: Sequence[tuple[Statement, HistoryMessage]],
    *,
    facts: dict[str, HistoryMessage],
    events: dict[str, HistoryMessage],
) -> None:
    for note in notes.facts[:_MAX_NOTES]:
        _add(note, told, facts=facts, events=events)
    for note in notes.events[:_MAX_NOTES]:
        _add(note, told, facts=None, events=events)


def _chunk(messages: Sequence[HistoryMessage], through: HistoryId | None) -> tuple[HistoryMessage, ...]:
    """The messages of one call: what the person wrote in them fits a prompt; at least one message."""
    chunk: list[HistoryMessage] = []
    size = 0
    for message in messages:
        size += min(len(message.stored.text), _CHUNK_CHARS) if message.is_users else 0
        if (through is not None and message.id > through) or (chunk and size > _CHUNK_CHARS):
            break
        chunk.append(message)
    return tuple(chunk)


def _prompts(told: Sequence[Statement]) -> list[list[str]]:
    """The lines of each call of the model: as much as it reads at once, and no more than a few calls."""
    prompts: list[list[str]] = [[]]
    size = 0
    for line in dict.fromkeys(one.text[:_LINE_CHARS] for one in told):
        size += len(line)
        if prompts[-1] and size > _CHUNK_CHARS:
            prompts.append([])
            size = len(line)
        prompts[-1].append(line)
    return prompts[:_MAX_CALLS]


def _plain(messages: Sequence[HistoryMessage]) -> _Found:
    facts: dict[str, HistoryMessage] = {}
    events: dict[str, HistoryMessage] = {}
    for message in messages:
        if message.is_users:
            told = statements(message.stored.text)
            facts.update(dict.fromkeys(self_statements(told), message))
            events.update(dict.fromkeys(happenings(told), message))
    return _Found(tuple(facts.items()), tuple(events.items()))


def _add(
    note: str,
    told: Sequence[tuple[Statement, HistoryMessage]],
    *,
    facts: dict[str, HistoryMessage] | None,
    events: dict[str, HistoryMessage],
) -> None:
    """Keep a note where somebody said it; one about these days is an event, whatever the model calls it."""
    at = find_source(note, [one for one, _ in told])
    if at is None:
        return
    statement, message = told[at]
    target = events if facts is None or (statement.is_passing and not statement.is_asked_for) else facts
    target.setdefault(in_own_words(note, statement), message)
