"""Folds the oldest part of a conversation into its summary, and never loses a message on the way."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import structlog

from app.database.repositories.summaries import HistoryMessage, Standing, Summary
from app.domain.backoff import Backoff
from app.domain.chat import ChatMessage, ChatRequest
from app.domain.errors import AppError
from app.domain.ids import ConversationId, UserId
from app.domain.ports import ChatModel, Clock
from app.domain.wording import clean
from app.llm.salvage import looks_like_call
from app.llm.wire import estimate_tokens
from app.memory.extraction import Extractor
from app.memory.repository import MemoryRepository

log = structlog.get_logger(__name__)

_READ: Final = 400
_CHARS_PER_TOKEN: Final = 3
_MIN_CHARS: Final = 40
_SHRINKING: Final = 3
"""A summary that is less than a third of the one before has forgotten something."""
_ECHOED_LINES: Final = 2
_LABEL: Final = re.compile(
    r"\A(?:#+\s*)?\**(?:new |updated |nuevo )?(?:summary|resumen)(?: so far)?\**\s*:?\**\s*", re.I
)
_SPEAKER_LINE: Final = re.compile(r"^[^\w\n]*(?:user|assistant|system)[^\w\n]*:", re.IGNORECASE | re.MULTILINE)
_MACHINERY: Final = re.compile(
    r"<\|[^|\n]{1,40}\|>|```|\A\s*[{\[]|\[INST\]|</?(?:think|tool_call)>", re.IGNORECASE
)
_UNFINISHED: Final = re.compile(r"(?<=[.!?…])[^.!?…]*\Z")
_SENTENCE: Final = re.compile(r"[^.!?…\n]+[.!?…]*\s*")


@dataclass(frozen=True, slots=True)
class FoldLimits:
    """When a conversation is folded, and how much of it stays as it was said.

    Folding begins over `over_messages` or `over_tokens` and goes on until at most `keep_messages` and
    `keep_tokens` are left, in whole turns: seldom and much at once, because each fold changes the beginning of
    the prompt. `chunk_tokens` is how much one call of the model reads.
    """

    over_messages: int = 60
    over_tokens: int = 3_000
    keep_messages: int = 24
    keep_tokens: int = 1_500
    chunk_tokens: int = 1_500
    summary_chars: int = 1_500

    @classmethod
    def for_context(cls, context_tokens: int) -> "FoldLimits":
        """Limits under which system text, summary, history and answer fit that context."""
        share = max(128, context_tokens // 8)
        return cls(
            over_tokens=share * 3,
            keep_tokens=share * 3 // 2,
            chunk_tokens=min(1_500, share * 2),
            summary_chars=min(1_500, share * 2),
        )


class Summarizer:
    """`is_idle` tells whether a person waits for no answer now: the model is theirs first."""

    def __init__(
        self,
        repository: MemoryRepository,
        model: ChatModel,
        extractor: Extractor,
        clock: Clock,
        *,
        prompt: str,
        limits: FoldLimits,
    ) -> None:
        self._repository = repository
        self._model = model
        self._extractor = extractor
        self._clock = clock
        self._prompt = ChatMessage("system", prompt)
        self._limits = limits
        self._backoff = Backoff(clock)

    async def fold(
        self, user_id: UserId, conversation_id: ConversationId, *, is_idle: Callable[[UserId], bool]
    ) -> int:
        """Fold what is too old, where the conversation is too long; returns how many messages that were.

        Whatever goes wrong, nothing changes, and the conversation has its next turn after a while. The person
        beginning to write stops the folding between two chunks.
        """
        if not self._backoff.is_due(conversation_id):
            return 0
        standing = await self._read(user_id, conversation_id)
        if standing is None or not self._is_long(standing.messages):
            return 0
        # What is said from now on moves no boundary: the end of a fold would be one small fold after another.
        old = self._old(standing.messages)
        count = 0
        while standing is not None and old and is_idle(user_id):
            chunk = self._readable(old)
            if not await self._fold_chunk(user_id, conversation_id, standing, chunk):
                break
            count += len(chunk)
            old = old[len(chunk) :]
            standing = await self._read(user_id, conversation_id)
        return count

    async def _read(self, user_id: UserId, conversation_id: ConversationId) -> Standing | None:
        return await self._repository.summaries.read(user_id, conversation_id, side="oldest", limit=_READ)

    async def _fold_chunk(
        self,
        user_id: UserId,
        conversation_id: ConversationId,
        standing: Standing,
        chunk: Sequence[HistoryMessage],
    ) -> bool:
        through = chunk[-1].id
        try:
            await self._extractor.extract(user_id, conversation_id, through=through)
            text = await self._summarize(standing.summary, chunk)
        except AppError as exc:
            self._give_up_for_now(conversation_id, exc.code)
            return False
        if text is None:
            self._give_up_for_now(conversation_id, "unusable_answer")
            return False
        is_folded = await self._repository.summaries.fold(
            user_id, conversation_id, Summary(text, through), base=standing, at=self._clock.now()
        )
        if is_folded:
            self._backoff.succeeded(conversation_id)
        log.info("summary.folded" if is_folded else "summary.outdated", messages=len(chunk), chars=len(text))
        return is_folded

    def _give_up_for_now(self, conversation_id: ConversationId, reason: str) -> None:
        delay_s = self._backoff.failed(conversation_id)
        log.warning("summary.postponed", reason=reason, delay_s=delay_s)

    async def _summarize(self, before: Summary | None, chunk: Sequence[HistoryMessage]) -> str | None:
        room = self._limits.chunk_tokens * _CHARS_PER_TOKEN // len(chunk)
        # A message that is far too long for its share is read from both ends.
        said = "\n".join(f"{one.stored.role}: {_both_ends(one.stored.text, max(room, 80))}" for one in chunk)
        so_far = before.text if before is not None else "-"
        request = ChatRequest(
            messages=(
                self._prompt,
                ChatMessage("user", f"Summary so far:\n{so_far}\n\nSaid next:\n{said}\n\nThe new summary:"),
            ),
            max_tokens=self._limits.summary_chars // _CHARS_PER_TOKEN,
            temperature=0.0,
            purpose="short",
        )
        answer = await self._model.chat(request)
        # The limit may have cut the last sentence in two.
        text = _UNFINISHED.sub("", answer.text) if answer.is_truncated else answer.text
        return usable_summary(text, before.text if before else "", limit_chars=self._limits.summary_chars)

    def _is_long(self, messages: Sequence[HistoryMessage]) -> bool:
        return len(messages) > self._limits.over_messages or _tokens(messages) > self._limits.over_tokens

    def _old(self, messages: Sequence[HistoryMessage]) -> list[HistoryMessage]:
        """All but the last turns, of which at least one is kept, and as many as the limits allow."""
        turns = _turns(messages)
        kept = turns.pop()
        while turns:
            kept = turns[-1] + kept
            if len(kept) > self._limits.keep_messages or _tokens(kept) > self._limits.keep_tokens:
                break
            turns.pop()
        return [message for turn in turns for message in turn]

    def _readable(self, old: Sequence[HistoryMessage]) -> list[HistoryMessage]:
        """The first turns that one call can read, at least one."""
        chunk: list[HistoryMessage] = []
        for turn in _turns(old):
            if chunk and _tokens([*chunk, *turn]) > self._limits.chunk_tokens:
                break
            chunk += turn
        return chunk


def usable_summary(answer: str, before: str, *, limit_chars: int) -> str | None:
    """Return the summary in an answer, whole sentences of at most `limit_chars` characters, or None.

    None for what is empty or too short, shows how the machine works, repeats the transcript, or has lost most
    of what the summary before it said. A sentence that comes again is left out.
    """
    text = _LABEL.sub("", clean(answer))
    if _MACHINERY.search(text) or looks_like_call(text):
        return None
    if len(_SPEAKER_LINE.findall(text)) >= _ECHOED_LINES:
        return None
    kept, size = dict[str, None](), 0
    for sentence in _SENTENCE.findall(text):
        told = " ".join(sentence.split())
        if not told or told in kept:
            continue
        if size + len(told) + 1 > limit_chars:
            break
        kept[told] = None
        size += len(told) + 1
    summary = " ".join(kept)
    return summary if len(summary) >= max(_MIN_CHARS, len(before) // _SHRINKING) else None


def _turns(messages: Sequence[HistoryMessage]) -> list[list[HistoryMessage]]:
    return [list(turn) for _, turn in groupby(messages, key=lambda one: one.stored.turn_id)]


def _tokens(messages: Sequence[HistoryMessage]) -> int:
    return estimate_tokens([ChatMessage(one.stored.role, one.stored.text) for one in messages])


def _both_ends(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit * 2 // 3]} … {flat[-limit // 3 :]}"
