"""Asking a person before a tool runs: one question with three buttons, bound to one exact call."""

import asyncio
import re
import secrets
import unicodedata
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from json import dumps
from types import MappingProxyType
from typing import Final, Literal

import structlog

from app.asking.texts import ASKING
from app.database.repositories.approvals import Answer, NewApproval
from app.database.repositories.outbox import LOST_QUESTION_SEQ
from app.database.repository import Repository
from app.domain.clock import first_of
from app.domain.ids import TurnId, UserId, WaMessageId
from app.domain.outbound import MAX_INTERACTIVE_BODY_CHARS, Button, Buttons, OutboundMessage, OutText
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import cut
from app.language.catalogue import LANGUAGES, Language, Sentence, say
from app.security.audit import call_hash
from app.whatsapp.marks import WORD_JOINER
from app.whatsapp.split import split

log = structlog.get_logger(__name__)

Verdict = Literal["yes", "no", "abort", "expired", "no_channel", "too_long"]
"""`no_channel`: the person cannot be reached; `too_long`: the arguments cannot be shown in full."""

APPROVAL_PREFIX: Final = "ap:"
MAX_SHOWN_MESSAGES: Final = 8
"""More text than this nobody reads before saying yes, so it is not asked at all."""
_REPLY_WINDOW: Final = timedelta(hours=24)
_BRIEF_LINE_CHARS: Final = 80
_CHOICE: Final = re.compile(r"ap:([\w-]{22}):([yna])")
_ANSWERS: Final[Mapping[str, Answer]] = MappingProxyType({"y": "yes", "n": "no", "a": "abort"})
_TITLES: Final[Mapping[Answer, Sentence]] = MappingProxyType(
    {"yes": ASKING.approval_run, "no": ASKING.approval_cancel, "abort": ASKING.approval_abort}
)
_WORDS: Final[Mapping[str, Answer]] = MappingProxyType(
    {"si": "yes", "yes": "yes", "no": "no", "abortar": "abort", "abort": "abort", "abortar todo": "abort"}
)
_MARKS: Final = frozenset("*_~`")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
"""Categories of characters that break a line, reorder it, or cannot be seen."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that are letters or symbols by category, and show nothing."""
_WIDE_GAP: Final = re.compile(" {4,}")


@dataclass(frozen=True, slots=True)
class Answered:
    """An open question took this answer; the turn that asked goes on."""

    verdict: Answer
    tool: str


@dataclass(frozen=True, slots=True)
class Stale:
    """There is no such question, it is not this person's, or it is no longer open. Nothing happens."""


@dataclass(slots=True)
class _Question:
    token: str
    answered: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class _Line:
    """One person's questions: at most one is open, the others wait for the lock."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    open: _Question | None = None
    stopped: tuple[TurnId, int] | None = None
    """The turn and attempt in which the person stopped everything."""


class ApprovalBroker:
    """Asks and waits in the turn's task; answers come from the control lane, in another."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        *,
        wake_delivery: Callable[[frozenset[UserId]], None],
        timeout_s: float = 300,
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._wake_delivery = wake_delivery
        self._timeout_s = timeout_s
        self._lines: dict[UserId, _Line] = {}

    async def ask(self, ctx: TurnContext, tool_name: str, arguments: Mapping[str, object]) -> Verdict:
        """Show the call to its person and wait for a button; questions of one person come one at a time.

        The answer counts for exactly these arguments. Cancelling the wait closes the question.

        Raises:
            Transient: the question could not be stored.
        """
        asked = call_hash(tool_name, arguments)
        shown = [f"{neutralise(name)}: {neutralise(_json_text(value))}" for name, value in arguments.items()]
        async with self.line_of(ctx.user_id) as line:
            if line.stopped == (ctx.turn_id, ctx.attempt):
                return "abort"
            verdict = await self._ask_now(line, ctx, tool_name, asked, shown)
            if verdict == "abort":
                line.stopped = (ctx.turn_id, ctx.attempt)
        if verdict == "yes" and call_hash(tool_name, arguments) != asked:
            log.error("approval.arguments_changed", tool=tool_name)
            return "no"
        return verdict

    async def answer(self, user_id: UserId, choice_id: str) -> Answered | Stale:
        """Take a pressed button. Only the asked person's first press, in time, counts."""
        match = _CHOICE.fullmatch(choice_id)
        return Stale() if match is None else await self._take(user_id, match[1], _ANSWERS[match[2]])

    async def answer_text(self, user_id: UserId, text: str, quoted_id: WaMessageId | None = None) -> bool:
        """Take a typed answer to the open question; False when the text is none and means something else.

        A text that quotes another message than the question is none.
        """
        answer, question = read_answer(text), self._open_question(user_id)
        if answer is None or question is None:
            return False
        if quoted_id is not None:
            asked_in = await self._repository.approvals.find_message_id(user_id, question.token)
            if asked_in != quoted_id:
                return False
        return isinstance(await self._take(user_id, question.token, answer), Answered)

    def has_pending(self, user_id: UserId) -> bool:
        """Tell whether a question to this person is open now."""
        return self._open_question(user_id) is not None

    async def expire_leftovers(self) -> None:
        """At start, before anything is sent or tried again: end what an earlier process asked.

        Whoever has such a question on their screen is told, once for each turn, that it no longer counts.
        """
        now = self._clock.now()
        async with self._repository.transaction() as tx:
            lost = await self._repository.approval_queue.expire_leftovers(tx=tx)
            for question in lost:
                language = await self._repository.users.language(question.user_id, tx=tx)
                await self._repository.outbox.add(
                    question.user_id,
                    [OutText(say(ASKING.approval_question_lost, language))],
                    now,
                    turn_id=question.turn_id,
                    first_seq=LOST_QUESTION_SEQ,
                    tx=tx,
                )
        if lost:
            log.info("approval.lost_by_restart", count=len(lost))

    def _open_question(self, user_id: UserId) -> _Question | None:
        line = self._lines.get(user_id)
        return None if line is None else line.open

    async def _take(self, user_id: UserId, token: str, answer: Answer) -> Answered | Stale:
        question = self._open_question(user_id)
        if question is None or question.token != token:
            return Stale()
        async with self._repository.transaction() as tx:
            tool = await self._repository.approvals.answer(user_id, token, answer, self._clock.now(), tx=tx)
        if tool is None:
            return Stale()
        question.answered.set()
        log.info("approval.answered", tool=tool, verdict=answer)
        return Answered(answer, tool)

    @asynccontextmanager
    async def line_of(self, user_id: UserId) -> AsyncIterator[_Line]:
        """Wait for one's turn to ask that person; the last one to leave removes the line."""
        line = self._lines.setdefault(user_id, _Line())
        line.users += 1
        try:
            async with line.lock:
                yield line
        finally:
            line.users -= 1
            if not line.users:
                del self._lines[user_id]

    async def _ask_now(
        self, line: _Line, ctx: TurnContext, tool_name: str, asked: str, shown: Sequence[str]
    ) -> Verdict:
        token = secrets.token_urlsafe(16)
        messages = build_question(token, tool_name, shown, ctx.language)
        if messages is None:
            return "too_long"
        now = self._clock.now()
        if not await self._repository.approvals.has_written_since(ctx.user_id, now - _REPLY_WINDOW):
            return "no_channel"
        approval = NewApproval(
            token, ctx.turn_id, tool_name, asked, now, expires_at=now + timedelta(seconds=self._timeout_s)
        )
        question = _Question(token)
        try:
            async with self._repository.transaction() as tx:
                await self._repository.outbox.add(ctx.user_id, messages, now, turn_id=None, tx=tx)
                await self._repository.approvals.add(ctx.user_id, approval, tx=tx)
            line.open = question
            self._wake_delivery(frozenset({ctx.user_id}))
            log.info("approval.asked", tool=tool_name)
            await first_of(question.answered.wait(), self._clock.sleep(self._timeout_s))
        except asyncio.CancelledError:
            await asyncio.shield(self._repository.approvals.close(ctx.user_id, token, "cancelled"))
            raise
        finally:
            line.open = None
        return await self._settle(ctx.user_id, token)

    async def _settle(self, user_id: UserId, token: str) -> Verdict:
        """Let the database say how it ended: an answer may have been committed as the time ran out."""
        closed = await self._repository.approvals.close(user_id, token, "expired")
        match closed.state:
            case "yes" | "no" | "abort":
                return closed.state
            case _:
                return "expired" if closed.was_sent else "no_channel"


def build_question(
    token: str, tool_name: str, shown: Sequence[str], language: Language
) -> tuple[OutboundMessage, ...] | None:
    """Return the messages that ask: the buttons, after the full text where that does not fit beside them.

    None when the arguments are too long to be shown at all.
    """
    tool = neutralise(tool_name)
    buttons = tuple(
        Button(f"{APPROVAL_PREFIX}{token}:{key}", say(_TITLES[answer], language))
        for key, answer in _ANSWERS.items()
    )
    body = say(ASKING.approval_question, language, tool=tool, arguments="\n".join(shown)).strip()
    if _units(body) <= MAX_INTERACTIVE_BODY_CHARS:
        return (Buttons(body, buttons),)
    pieces = split("\n".join([tool, *shown]))
    if len(pieces) > MAX_SHOWN_MESSAGES:
        return None
    brief = [cut(line, _BRIEF_LINE_CHARS) for line in shown]
    while brief:
        body = say(ASKING.approval_question, language, tool=tool, arguments="\n".join([*brief, "…"]))
        if _units(body) <= MAX_INTERACTIVE_BODY_CHARS:
            break
        brief.pop()
    return (*map(OutText, pieces), Buttons(body, buttons))


def read_answer(text: str) -> Answer | None:
    """Return what a bare yes, no or stop says, in any of our languages; None for any other text."""
    said = _bare(text)
    titles = {_bare(say(phrase, language)): answer for answer, phrase in _TITLES.items() for language in LANGUAGES}
    return _WORDS.get(said) or titles.get(said)


def neutralise(text: str) -> str:
    """Keep a text from drawing anything: no formatting, no line of its own, nothing hidden or reordered.

    Many spaces in a row, which would push what follows to a line of its own, are counted instead.
    """
    return _WIDE_GAP.sub(lambda gap: f" [␣×{len(gap[0])}] ", "".join(map(_neutral, text)))


def _neutral(char: str) -> str:
    if char in _MARKS:
        return f"{WORD_JOINER}{char}{WORD_JOINER}"
    if char != " " and (char in _BLANK or unicodedata.category(char) in _HIDDEN):
        code = ord(char)
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return char


def _json_text(value: object) -> str:
    return dumps(value, ensure_ascii=False, default=str)


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(char for char in folded if not unicodedata.combining(char))
    return " ".join(letters.strip(" \n.,;!¡…").split())


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
