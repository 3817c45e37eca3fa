"""The prompt of a turn, ordered from what never changes to what changes each time."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.context.budget import window_start
from app.database.repositories.conversations import StoredMessage
from app.domain.chat import ChatMessage
from app.domain.errors import Permanent
from app.domain.phrases import Language
from app.llm.wire import estimate_tokens

ANSWER_TOKENS: Final = 1024
"""What is kept free for the answer."""
NOTE_OPENING: Final = "[For you, not part of the message:"
"""How the note beside the newest message begins; a model that repeats it is cut off there."""
_QUOTE_CHARS: Final = 600
_LANGUAGE_NAMES: Final = {"es": "Spanish", "en": "English"}


@dataclass(frozen=True, slots=True)
class NewestMessage:
    """What the person wrote now, and what they quoted, of either side."""

    text: str
    language: Language
    at: datetime
    quoted: StoredMessage | None = None


class ContextBuilder:
    """Puts the prompt together within a fixed number of tokens."""

    def __init__(self, system_prompt: str, context_tokens: int) -> None:
        self._system = ChatMessage("system", system_prompt)
        self._context_tokens = context_tokens

    def build(self, history: list[StoredMessage], newest: NewestMessage) -> tuple[ChatMessage, ...]:
        """Return system text, as much history as fits, and the newest message with what belongs to it.

        Raises:
            Permanent: the newest message alone is too long (`llm_prompt_too_long`).
        """
        last = ChatMessage("user", f"{newest.text}\n\n{_note(newest)}")
        left = self._context_tokens - ANSWER_TOKENS - estimate_tokens([self._system, last])
        if left < 0:
            raise Permanent("llm_prompt_too_long", f"{-left} tokens over")
        earlier = _joined(history)
        return (self._system, *earlier[window_start(earlier, left) :], last)


def _joined(history: list[StoredMessage]) -> list[ChatMessage]:
    """One message for each change of speaker: chat templates expect the roles to alternate."""
    joined: list[ChatMessage] = []
    for message in history:
        if joined and joined[-1].role == message.role:
            joined[-1] = ChatMessage(message.role, f"{joined[-1].content}\n{message.text}")
        else:
            joined.append(ChatMessage(message.role, message.text))
    return joined


def _note(newest: NewestMessage) -> str:
    """What changes with each turn stands behind the message, so that everything before it stays cached."""
    parts = [f"it is {newest.at.astimezone():%A %Y-%m-%d %H:%M}"]
    if newest.quoted is not None:
        author = "you" if newest.quoted.role == "assistant" else "the person"
        parts.append(f'the message quotes what {author} wrote before: "{newest.quoted.text[:_QUOTE_CHARS]}"')
    parts.append(f"reply in {_LANGUAGE_NAMES[newest.language]}")
    return f"{NOTE_OPENING} {'; '.join(parts)}]"
