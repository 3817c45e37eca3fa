"""What stays of past days and of conversations that ended: short enough for a prompt, and found again."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Final
from zoneinfo import ZoneInfo

import structlog

from app.database.repositories.summaries import HistoryMessage, Standing
from app.domain.chat import ChatMessage, ChatRequest
from app.domain.errors import AppError
from app.domain.ids import ConversationId, UserId
from app.domain.ports import ChatModel, Clock
from app.domain.wording import clean, first_words, fold, one_line
from app.llm.salvage import looks_like_call
from app.memory.repository import MemoryRepository

log = structlog.get_logger(__name__)

MAX_SNAPSHOT_CHARS: Final = 4_000
_READ: Final = 400
_SUMMARY_CHARS: Final = 1_600
_USER_CHARS: Final = 240
_ASSISTANT_CHARS: Final = 160
_TITLE_CHARS: Final = 60
_TITLE_WORDS: Final = 8
_TITLE_LINES: Final = 12
_TITLE_TOKENS: Final = 24
_EVENTS: Final = 60
_EVENT_CHARS: Final = 160
_DECORATION: Final = " \t\"'«»“”*_`#.:-–"
_LABEL: Final = re.compile(r"\A\W*(?:title|t[ií]tulo)\s*:\s*", re.IGNORECASE)
_MACHINERY: Final = re.compile(r"[{}<>\[\]|\\]|```")


class Sessions:
    """`timezone` (IANA) decides which date a conversation bears; `prompt` asks for a title."""

    def __init__(
        self, repository: MemoryRepository, model: ChatModel, clock: Clock, *, prompt: str, timezone: str
    ) -> None:
        self._repository = repository
        self._model = model
        self._clock = clock
        self._prompt = ChatMessage("system", prompt)
        self._zone = ZoneInfo(timezone)

    async def keep(self, user_id: UserId, conversation_id: ConversationId) -> bool:
        """Write the snapshot of an ended conversation; returns whether one was added.

        Doing it again adds nothing. Without a model the title is made of the first words. When a message is
        taken back meanwhile nothing is kept, and the next call sees what is left.
        """
        standing = await self._repository.summaries.read(user_id, conversation_id, limit=_READ)
        if standing is None or standing.ended_at is None or not (standing.messages or standing.summary):
            return False
        return await self._repository.snapshots.add(
            user_id,
            conversation_id,
            title=await self._title(standing),
            text=snapshot_text(standing),
            base=standing,
            at=self._clock.now(),
        )

    async def recent_days(self, user_id: UserId, today: date, *, days: int = 2, limit_chars: int = 600) -> str:
        """Return the log of the last days, today included, a line for each event, or "".

        Oldest first; what does not fit is the oldest. `today` is a date in the person's zone.
        """
        first = today - timedelta(days=max(days, 1) - 1)
        events = await self._repository.days.list_between(user_id, first, today, limit=_EVENTS)
        kept: list[tuple[date, str]] = []
        room = limit_chars
        for event in reversed(events):
            line = f"- {one_line(event.text, _EVENT_CHARS)}"
            heading = 0 if kept and kept[-1][0] == event.day else len(f"{event.day}:\n")
            room -= len(line) + 1 + heading
            if room < 0:
                break
            kept.append((event.day, line))
        by_day = groupby(reversed(kept), key=lambda one: one[0])
        return "\n".join("\n".join([f"{day}:", *(line for _, line in lines)]) for day, lines in by_day)

    async def _title(self, standing: Standing) -> str:
        said = [one for one in standing.messages if one.stored.text.strip()][:_TITLE_LINES]
        about = [standing.summary.text] if standing.summary is not None else []
        about += [f"{one.stored.role}: {one_line(one.stored.text, _ASSISTANT_CHARS)}" for one in said]
        request = ChatRequest(
            messages=(self._prompt, ChatMessage("user", "\n".join([*about, "Title:"]))),
            max_tokens=_TITLE_TOKENS,
            temperature=0.0,
            purpose="short",
        )
        try:
            title = usable_title((await self._model.chat(request)).text)
        except AppError as exc:
            log.info("snapshot.title_made", reason=exc.code)
            title = None
        return title or self._made_title(standing)

    def _made_title(self, standing: Standing) -> str:
        day = standing.started_at.astimezone(self._zone).date()
        of_user = (one.stored.text for one in standing.messages if one.is_users)
        beginning = first_words(clean(next(of_user, "")), _TITLE_CHARS)
        return f"{beginning} ({day})" if beginning else str(day)


def usable_title(answer: str) -> str | None:
    """Return the title in an answer: one line of a few words; None when it is something else."""
    lines = clean(answer).splitlines()
    title = _LABEL.sub("", lines[0]).strip(_DECORATION) if lines else ""
    if not any(char.isalpha() for char in title) or _MACHINERY.search(title) or looks_like_call(title):
        return None
    if len(title) > _TITLE_CHARS or len(title.split()) > _TITLE_WORDS or fold(title) in {"user", "assistant"}:
        return None
    return title


def snapshot_text(standing: Standing) -> str:
    """Return the summary and then what was said after it, a line each, in at most 4,000 characters.

    Where that is too much, what the person said goes before what was answered, and the beginning and the end
    before the middle.
    """
    head = one_line(standing.summary.text, _SUMMARY_CHARS) if standing.summary is not None else ""
    room = MAX_SNAPSHOT_CHARS - len(head) - 1
    lines = [_line(one) for one in standing.messages]
    own = [at for at, one in enumerate(standing.messages) if one.is_users]
    others = [at for at, one in enumerate(standing.messages) if not one.is_users]
    kept: set[int] = set()
    for at in (*_from_both_ends(own), *_from_both_ends(others)):
        if len(lines[at]) + 1 <= room:
            kept.add(at)
            room -= len(lines[at]) + 1
    return "\n".join([*([head] if head else []), *(lines[at] for at in sorted(kept))])


def _line(message: HistoryMessage) -> str:
    limit = _USER_CHARS if message.is_users else _ASSISTANT_CHARS
    return f"{message.stored.role}: {one_line(message.stored.text, limit)}"


def _from_both_ends(items: Sequence[int]) -> list[int]:
    """First, last, second, last but one, and so on."""
    paired = zip(items, reversed(items), strict=True)
    return list(dict.fromkeys(one for pair in paired for one in pair))
