"""What was said and done before the message that a turn answers."""

from dataclasses import dataclass, replace
from typing import Final

from app.database.repositories.audit import JournalEntry
from app.database.repositories.conversations import StoredMessage, ToolState
from app.database.repositories.summaries import Standing
from app.domain.turn import Said
from app.pipeline.answering.brief import without_small_talk
from app.pipeline.answering.drafts import Redraft

_SAID_BEFORE: Final = 6
"""How many earlier messages a person's words are looked for in."""

_BELOW_BOOK: Final = 4


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said before, and what the turn did already if it is tried again."""

    standing: Standing | None
    quoted: StoredMessage | None
    tools: ToolState
    done_before: list[JournalEntry]
    redraft: Redraft | None = None

    @property
    def history(self) -> list[StoredMessage]:
        return [] if self.standing is None else [one.stored for one in self.standing.messages]

    def said(self, text: str) -> Said:
        """Return what the person's words may be taken from, when this is what they write now."""
        recent = without_small_talk(self.history)[: -_SAID_BEFORE - 1 : -1]
        return Said(
            now=(text,) if self.quoted is None else (text, self.quoted.text),
            before=tuple(one.text for one in recent if one.role == "user"),
            answers=tuple(one.text for one in recent if one.role == "assistant"),
        )

    def below_book(self, *, is_alone: bool) -> "Conversation":
        """Return what a question of general knowledge is asked below: nothing where it `is_alone`, else what was
        said last, on which it may go on."""
        if self.standing is None:
            return self
        last = () if is_alone else self.standing.messages[-_BELOW_BOOK:]
        return replace(self, standing=replace(self.standing, messages=last, summary=None))

    @property
    def said_before(self) -> list[str]:
        """What the person wrote in this conversation, oldest first."""
        return [one.text for one in self.history if one.role == "user"]

    @property
    def summary(self) -> str:
        """What was said before history begins; "" where nothing was."""
        summary = None if self.standing is None else self.standing.summary
        return "" if summary is None else summary.text

    @property
    def told_once(self) -> str | None:
        """What the one call of an earlier attempt tells the person, if there was one, and it ended well."""
        results = [entry.result for entry in self.done_before]
        return results[0].reply or None if len(results) == 1 and results[0] and results[0].success else None

    @property
    def has_acted(self) -> bool:
        return any(entry.result is not None and entry.result.success for entry in self.done_before)
