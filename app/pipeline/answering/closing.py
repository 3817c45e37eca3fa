"""The end of a turn in words: what is sent, what history keeps, and what was never answered."""

from collections.abc import Sequence
from typing import Final

from app.database.repositories.conversations import NewMessage
from app.database.repositories.inbox import InboxRow
from app.domain.outbound import OutboundMessage, OutText, Reply
from app.domain.wording import cut
from app.language.catalogue import Language, say
from app.pipeline.answering.normalize import describe
from app.pipeline.texts import PIPELINE
from app.whatsapp.render import render, render_literal
from app.whatsapp.split import split

_QUOTE_CHARS: Final = 60
_MAX_QUOTES: Final = 3


def to_messages(reply: Reply) -> list[OutboundMessage]:
    """Render a reply's text and split it; ready-made messages follow."""
    rendered = (render(reply.markdown), render_literal(reply.literal))
    texts = [OutText(piece) for text in rendered for piece in split(text)]
    return [*texts, *reply.messages]


def missed_text(missed: Sequence[InboxRow], language: Language) -> str:
    """Say that these came too late to be answered, with the beginning of the first few."""
    quotes = [cut(describe(row.message.content).text, _QUOTE_CHARS) for row in missed[:_MAX_QUOTES]]
    more = " …" if len(missed) > _MAX_QUOTES else ""
    return say(PIPELINE.missed_while_offline, language, quotes=", ".join(f"“{q}”" for q in quotes) + more)


def as_history(missed: Sequence[InboxRow]) -> tuple[NewMessage, ...]:
    """Return what history keeps of messages that came too late."""
    return tuple(
        NewMessage("user", text, row.message.id) for row in missed if (text := describe(row.message.content).text)
    )
