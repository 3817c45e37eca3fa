"""What a turn came to, before it is committed, and how it is told."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from app.database.repositories.conversations import NewMessage, ToolState
from app.database.repositories.inbox import InboxRow
from app.database.repositories.traces import TraceRecall, TraceStep, TurnTrace, joined_traces
from app.domain.chat import Usage
from app.domain.ids import UserId
from app.domain.inbound import Choice, Content
from app.domain.outbound import (
    MAX_CAPTION_CHARS,
    MAX_INTERACTIVE_BODY_CHARS,
    MAX_TEXT_CHARS,
    Button,
    Buttons,
    ListMenu,
    OutboundMessage,
    OutMedia,
    OutTemplate,
    OutText,
    Reply,
)
from app.domain.recollection import NOTHING_RECALLED, Recollection
from app.domain.turn import TurnContext
from app.domain.wording import cut
from app.language.catalogue import Language, say
from app.pipeline.answering.builder import NOTE_OPENING
from app.pipeline.answering.normalize import describe
from app.pipeline.texts import PIPELINE
from app.skills.executor import LoopResult
from app.skills.router import NO_CATEGORY, Intent
from app.whatsapp.render import render, render_literal
from app.whatsapp.split import split

# The note beside a message, in words of the model's own.
_NOTE_SAID: Final = re.compile(
    r"[\[(]?\b(?:para (?:ti|vos)|for you)[,:]? (?:not|no es|y no) parte? (?:of the message|del mensaje)"
    r"[^.\]\n]{0,80}[.\])]? ?",
    re.IGNORECASE,
)
_MARKS: Final = " .…\n"
_BARE_NUMBER: Final = re.compile(r"\n\s{0,4}(?:\d{1,3}[.)]|[-*•])$")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind` names the path taken, for the log; `said` is what history keeps.

    `trace` is kept for `/why`, together with `usage`; `tool_state` for the conversation's next turns.
    `is_secret`: the message was for somebody else than us; the inbox forgets its text.
    `concerned` are the users, besides the author, whose lanes or outboxes may have work now.
    """

    kind: str
    reply: Reply = field(default_factory=Reply)
    said: tuple[NewMessage, ...] = ()
    usage: Usage = field(default_factory=Usage)
    concerned: frozenset[UserId] = frozenset()
    is_secret: bool = False
    trace: TurnTrace | None = None
    tool_state: ToolState | None = None


def joined(told: Sequence[Outcome]) -> Outcome:
    """Return what came of several wishes as one answer."""
    texts = [one.text for outcome in told for one in outcome.said if one.role == "assistant"]
    replies = [outcome.reply for outcome in told]
    states = [outcome.tool_state for outcome in told if outcome.tool_state is not None]
    sticky = tuple(dict.fromkeys(name for state in states for name in state.sticky))
    traces = [outcome.trace for outcome in told if outcome.trace is not None]
    return Outcome(
        "answer" if any(outcome.kind == "answer" for outcome in told) else told[-1].kind,
        Reply(
            "\n\n".join(reply.markdown for reply in replies if reply.markdown),
            "\n\n".join(reply.literal for reply in replies if reply.literal),
            tuple(message for reply in replies for message in reply.messages),
        ),
        (NewMessage("assistant", "\n\n".join(texts)),) if texts else (),
        trace=joined_traces(traces),
        tool_state=replace(states[-1], sticky=sticky) if states else None,
    )


_QUOTE_CHARS: Final = 60
_MAX_QUOTES: Final = 3


def to_messages(reply: Reply) -> list[OutboundMessage]:
    """Render a reply's text and split it; ready-made messages follow."""
    rendered = [text for text in (render(reply.markdown), render_literal(reply.literal)) if text]
    if reply.lead:
        rendered[:1] = ["\n\n".join([render_literal(reply.lead), *rendered[:1]])]
    texts = [OutText(piece) for text in rendered for piece in split(text)]
    match texts, reply.messages:
        case [only], [OutMedia(kind="image" | "video" | "document", caption=None) as file]:
            # One bubble instead of two: each is billed.
            if len(only.body) <= MAX_CAPTION_CHARS:
                return [replace(file, caption=only.body)]
    return [*texts, *reply.messages]


def with_asides(messages: Sequence[OutboundMessage], asides: Sequence[str]) -> list[OutboundMessage]:
    """Put what is told beside the answer below its text, in the same message where it fits: each one is billed."""
    told = list(messages)
    for aside in filter(None, map(render_literal, asides)):
        at = next((i for i in reversed(range(len(told))) if isinstance(told[i], OutText)), None)
        last = None if at is None else told[at]
        if at is not None and isinstance(last, OutText) and len(last.body) + len(aside) + 2 <= MAX_TEXT_CHARS:
            told[at] = replace(last, body=f"{last.body}\n\n{aside}")
        else:
            told += [OutText(piece) for piece in split(aside)]
    return told


def with_button(messages: Sequence[OutboundMessage], button: Button | None) -> list[OutboundMessage]:
    """Put a button under the last text; of one that is too long for that, the end becomes a message of its own.

    Where there is no text, or a person chooses something already, it is left out.
    """
    told = list(messages)
    texts = [(i, one) for i, one in enumerate(told) if isinstance(one, OutText)]
    if button is None or not texts or any(isinstance(one, Buttons | ListMenu | OutTemplate) for one in told):
        return told
    at, last = texts[-1]
    *before, end = split(last.body, MAX_INTERACTIVE_BODY_CHARS)
    if before and last.body.endswith(end):  # no formatting reaches across the cut
        before = split(last.body.removesuffix(end))
    quote_id = None if before else last.quote_id
    pieces = [OutText(body, last.quote_id if i == 0 else None) for i, body in enumerate(before)]
    told[at : at + 1] = [*pieces, Buttons(end, (button,), quote_id=quote_id)]
    return told


def missed_text(missed: Sequence[InboxRow], language: Language) -> str:
    """Say that these came too late to be answered, with the beginning of the first few that have words."""
    texts = [text for row in missed if (text := _words_of(row.message.content))]
    if not texts:
        return say(PIPELINE.missed_without_words, language, count=len(missed))
    quotes = [cut(text, _QUOTE_CHARS) for text in texts[:_MAX_QUOTES]]
    more = " …" if len(missed) > len(quotes) else ""
    return say(PIPELINE.missed_while_offline, language, quotes=", ".join(f"“{q}”" for q in quotes) + more)


def _words_of(content: Content) -> str:
    """What the person wrote or said; of a button that they pressed, what stood on it."""
    return content.title.strip() if isinstance(content, Choice) else describe(content).text.strip()


def as_history(missed: Sequence[InboxRow]) -> tuple[NewMessage, ...]:
    """Return what history keeps of messages that came too late."""
    return tuple(
        NewMessage("user", text, row.message.id) for row in missed if (text := describe(row.message.content).text)
    )


def tools_after(result: LoopResult, intent: Intent, before: ToolState, given: tuple[str, ...]) -> ToolState | None:
    """What the next turns should know; None where that is nothing new.

    Categories that only stood in for "none", and were no use, do not stand in again. The head asks for them only
    where a message refers back, so it keeps them through plain talk.
    """
    if intent.by == "head" and intent.is_plain:
        return None
    is_stale = intent.categories == before.sticky and not result.steps
    sticky = () if is_stale else tuple(name for name in intent.categories if name != NO_CATEGORY)
    is_old = not sticky and not before.sticky and given == before.given_skills
    return None if is_old else ToolState(sticky, given)


def said_by_code(text: str, intent: Intent) -> Outcome:
    trace = trace_of(LoopResult(text), intent, NOTHING_RECALLED)
    return Outcome("answer", Reply(text), (NewMessage("assistant", text),), trace=trace)


def outcome_of(result: LoopResult, trace: TurnTrace, tools: ToolState | None, ctx: TurnContext) -> Outcome:
    if result.ended == "aborted":
        return Outcome("excuse", Reply(say(PIPELINE.stopped, ctx.language)), trace=trace)
    text = result.text.partition(NOTE_OPENING)[0]
    text = (text if result.is_literal else _NOTE_SAID.sub("", text)).strip()
    text = text if text.strip(_MARKS) else ""
    if not text and result.attachments:
        return Outcome("answer", Reply(messages=result.attachments), trace=trace, tool_state=tools)
    if not text:
        excuse = say(PIPELINE.empty_answer, ctx.language, ref=ctx.turn_id)
        return Outcome("excuse", Reply(excuse), trace=trace)
    shown = f"{_whole_part(text)} …" if result.is_truncated else text
    reply = Reply(literal=shown) if result.is_literal else Reply(shown)
    reply = replace(reply, messages=result.attachments)
    return Outcome("answer", reply, (NewMessage("assistant", shown),), trace=trace, tool_state=tools)


def _whole_part(text: str) -> str:
    """Return a text that was cut off without its last, broken sentence or line, if that is not most of it."""
    end = max(text.rfind(mark) for mark in (". ", "! ", "? ", "\n"))
    return _BARE_NUMBER.sub("", text[: end + 1].rstrip() if end > len(text) // 2 else text)


def trace_of(result: LoopResult, intent: Intent, recollection: Recollection) -> TurnTrace:
    return TurnTrace(
        categories=intent.categories,
        sorted_by=intent.by,
        confidence=intent.confidence,
        offered=tuple(dict.fromkeys(name for names in result.offered for name in names)),
        steps=tuple(TraceStep(step.name, step.kind, step.duration_ms) for step in result.steps),
        recalled=tuple(TraceRecall(one.kind, one.text, one.why) for one in recollection.items),
    )
