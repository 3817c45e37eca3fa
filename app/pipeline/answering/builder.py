"""The prompt of a turn, ordered from what never changes to what changes each time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.database.repositories.conversations import StoredMessage
from app.domain.chat import ANSWER_TOKENS, ChatMessage
from app.domain.errors import Permanent
from app.domain.ids import TurnId
from app.language.catalogue import LANGUAGE_NAMES, Language
from app.llm.wire import estimate_tokens

MAX_MESSAGES: Final = 180
"""The most messages that are shown. History is read up to a limit (200), behind which it slides."""
MAX_CHOICE: Final = 8
"""Among so many turns the beginning is chosen; about so many turns pass until it moves."""
NOTE_OPENING: Final = "[For you, not part of the message:"
"""How the note beside the newest message begins; a model that repeats it is cut off there."""
_QUOTE_CHARS: Final = 600
_HISTORY_SHARE: Final = 4
_ANSWER_SHARE: Final = 4


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message of history and the turn that it belongs to."""

    turn_id: TurnId
    message: ChatMessage


@dataclass(frozen=True, slots=True)
class NewestMessage:
    """What the person wrote now, and what they quoted, of either side; `guidance`: how to speak to them."""

    text: str
    language: Language
    at: datetime
    quoted: StoredMessage | None = None
    guidance: str = ""


@dataclass(frozen=True, slots=True)
class Background:
    """What is known beside history, the most important first.

    `lasting` sections (tag, text) change rarely and stand below the system text; `passing` sentences belong to
    the newest message alone.
    """

    lasting: tuple[tuple[str, str], ...] = ()
    passing: tuple[str, ...] = ()


NOTHING: Final = Background()
WriteNewest = Callable[[str, NewestMessage, Background], ChatMessage]
"""Writes the newest message: what the person said last, with what belongs to it."""


def opening_sections(capabilities: str) -> tuple[tuple[str, str], ...]:
    """The lasting sections that are the same for everybody, which come first."""
    return (("capabilities", capabilities),)


class ContextBuilder:
    """Puts the prompt together within a fixed number of tokens.

    `newest` writes the last message; without it, a note in brackets follows the person's words. History takes
    `history_tokens` at most.
    What does not fit goes in this order: history beyond a quarter of the context, the oldest first; passing
    sentences, lasting sections, the least important first; the rest of history. Never the newest message.
    """

    def __init__(
        self,
        system_prompt: str,
        context_tokens: int,
        *,
        history_tokens: int | None = None,
        newest: WriteNewest | None = None,
    ) -> None:
        self._system = ChatMessage("system", system_prompt)
        self._context_tokens = context_tokens
        self._history_tokens = context_tokens if history_tokens is None else history_tokens
        self._last = newest or _last

    def opening(self, capabilities: str) -> ChatMessage:
        """Return what every conversation begins with, as far as it is nobody's in particular."""
        return self._system_with(Background(opening_sections(capabilities)))

    def build(
        self, history: list[StoredMessage], newest: NewestMessage, background: Background = NOTHING
    ) -> tuple[ChatMessage, ...]:
        """Return system text, as much history as fits, and the newest message with what belongs to it.

        The roles alternate after the system text, and the person speaks first. What the person wrote last
        without getting an answer is part of the newest message where it fits, and left out where not; in
        the next prompt it is found in the same place.

        Raises:
            Permanent: the newest message alone is too long (`llm_prompt_too_long`).
        """
        earlier, unanswered = _split(_joined(history))
        wanted = min(estimate_tokens([one.message for one in earlier]), self._history_tokens)
        background = self._fitting(newest, background, min(wanted, self._context_tokens // _HISTORY_SHARE))
        system = self._system_with(background)
        last = self._last(newest.text, newest, background)
        left = self._left_beside(system, last)
        if left < 0:
            raise Permanent("llm_prompt_too_long", f"{-left} tokens over")
        if unanswered is not None:
            longer = self._last(f"{unanswered.content}\n{newest.text}", newest, background)
            if (left_beside_longer := self._left_beside(system, longer)) >= 0:
                last, left = longer, left_beside_longer
        begin = window_start(earlier, min(left, self._history_tokens))
        return (system, *(one.message for one in earlier[begin:]), last)

    def _fitting(self, newest: NewestMessage, background: Background, for_history: int) -> Background:
        """Drop what is least important until history has its share."""
        while background.passing or background.lasting:
            last = self._last(newest.text, newest, background)
            if self._left_beside(self._system_with(background), last) >= for_history:
                break
            if background.passing:
                background = replace(background, passing=background.passing[:-1])
            else:
                background = replace(background, lasting=background.lasting[:-1])
        return background

    def _system_with(self, background: Background) -> ChatMessage:
        sections = [f"<{tag}>\n{text}\n</{tag}>" for tag, text in background.lasting if text]
        return replace(self._system, content="\n\n".join([self._system.content, *sections]))

    def _left_beside(self, system: ChatMessage, last: ChatMessage) -> int:
        answer = min(ANSWER_TOKENS, self._context_tokens // _ANSWER_SHARE)
        return self._context_tokens - answer - estimate_tokens([system, last])


def _joined(history: list[StoredMessage]) -> list[Spoken]:
    """One message for each change of speaker: chat templates expect the roles to alternate."""
    joined: list[Spoken] = []
    for one in history:
        if joined and joined[-1].message.role == one.role:
            before = joined[-1]
            text = f"{before.message.content}\n{one.text}"
            joined[-1] = Spoken(before.turn_id, ChatMessage(one.role, text))
        else:
            joined.append(Spoken(one.turn_id, ChatMessage(one.role, one.text)))
    return joined


def _split(history: list[Spoken]) -> tuple[list[Spoken], ChatMessage | None]:
    """Take what the person wrote last, if nothing answered it, off the history."""
    if history and history[-1].message.role == "user":
        return history[:-1], history[-1].message
    return history, None


def _last(text: str, newest: NewestMessage, background: Background) -> ChatMessage:
    return ChatMessage("user", f"{text}\n\n{_note(newest, background)}")


def _note(newest: NewestMessage, background: Background) -> str:
    """What changes with each turn stands behind the message, so that everything before it stays cached."""
    parts = [f"it is {newest.at.astimezone():%A %Y-%m-%d %H:%M}"]
    if newest.quoted is not None:
        author = "you" if newest.quoted.role == "assistant" else "the person"
        parts.append(f'the message quotes what {author} wrote before: "{newest.quoted.text[:_QUOTE_CHARS]}"')
    parts += background.passing
    parts.append(f"reply in {LANGUAGE_NAMES[newest.language]}")
    return f"{NOTE_OPENING} {'; '.join(parts)}]"


def window_start(history: Sequence[Spoken], budget_tokens: int) -> int:
    """Return the index of the first message that is shown to the model: one of the person's, or the end.

    Everything is shown while it fits. Later, dropping one message each turn would change the prompt's
    beginning each turn, and the model would read everything anew. So the window begins at the turn with
    the roundest number (most trailing zeros in binary) among the earliest that fit. That turn keeps its
    place until it no longer fits itself, wherever in the list it stands meanwhile.
    """
    first = _first_that_fits(history, budget_tokens)
    starts = [index for index in range(first, len(history)) if history[index].message.role == "user"]
    if not starts:
        return len(history)
    if first == 0:
        return starts[0]
    # At most half of what fits is given up.
    choice = starts[: min(MAX_CHOICE, len(starts) // 2 + 1)]
    return max(choice, key=lambda index: _roundness(history[index].turn_id))


def _first_that_fits(history: Sequence[Spoken], budget_tokens: int) -> int:
    start, spent = len(history), 0
    while start > 0 and len(history) - start < MAX_MESSAGES:
        spent += estimate_tokens([history[start - 1].message])
        if spent > budget_tokens:
            break
        start -= 1
    return start


def _roundness(turn_id: TurnId) -> int:
    return turn_id & -turn_id
