"""Finds the text that a message wants changed, by rules, or where they know no such wording by the fitted head."""

from collections.abc import Sequence
from typing import Final

from app.database.repositories.conversations import StoredMessage
from app.database.repositories.traces import TurnTrace
from app.database.repository import Repository
from app.domain.turn import TurnContext
from app.domain.wording import words
from app.language.catalogue import Language
from app.language.detection import language_by_words
from app.language.ellipsis import in_full
from app.pipeline.answering.conversation import Conversation
from app.pipeline.answering.drafts import (
    MOST_TURNS,
    Redraft,
    can_be_changed,
    last_written,
    may_redraft,
    read_redraft,
    translated_too,
)
from app.pipeline.lexicon import opens_translation, wants_draft, wants_sent
from app.pipeline.lexicon.redrafts import Change, asks_how_to_say, says_manner, to_be_done
from app.pipeline.lexicon.translating import spoken_in
from app.skills.drafted import WantedText
from app.skills.following.relations import Relation
from app.skills.selection import ToolSelection
from app.skills.unusable import is_news

_MARKS: Final = ",.;!"
_JUST_SAID: Final = 3
_MOST_SAID: Final = 8
"""How many messages back a text is looked for where only the head would tell that it is meant."""
# Chatter about what a text is about is taken for a change of it more often than elsewhere.
_SURELY: Final = 0.9


class Redrafting:
    def __init__(self, repository: Repository, selection: ToolSelection) -> None:
        self._repository = repository
        self._selection = selection

    async def find(self, asked: str, before: Conversation, ctx: TurnContext) -> Redraft | None:
        """Return what a message wants changed about the text that was just written, or is quoted; else None."""
        asked = _without_tale(asked)
        # "And in French?" right behind a question is that question again.
        if (full := in_full(asked, before.said_before)) != asked:
            return read_redraft(full, (), None, ctx.language)
        if (too := translated_too(asked, before.said_before[-_JUST_SAID:], ctx.language)) is not None:
            return too
        # … and how something is said is asked of the language that somebody was just said to speak.
        if not may_redraft(asked) and asks_how_to_say(asked):
            told = next((one for one in reversed(before.said_before[-_JUST_SAID:]) if spoken_in(one)), "")
            return read_redraft(f"{told}. {asked}", (), None, ctx.language) if told else None
        is_by_rule = may_redraft(asked)
        written = "" if is_by_rule else _written_before(before.history[-_MOST_SAID:])
        if not (is_by_rule or written):
            return None
        traces = await self._repository.traces.list_last(ctx.user_id, turns=MOST_TURNS)
        acts = [turn for turn, trace in traces.items() if not is_talk(trace)]
        is_just_told = next(iter(traces), None) not in acts
        if is_by_rule:
            talk = [one for one in before.history if one.turn_id not in acts]
            return read_redraft(asked, talk, before.quoted, ctx.language, is_just_told=is_just_told)
        found = await self._selection.relate(asked, "text", written) if is_just_told else None
        is_sure = found is not None and found.probability >= _SURELY
        return redraft_of(asked, found.relation, written, ctx.language) if found is not None and is_sure else None


def redraft_of(asked: str, relation: Relation, text: str, language: Language) -> Redraft | None:
    """Return what a message wants changed about a text that it relates to so."""
    if relation not in {"change", "more"} or "?" in asked or wants_draft(asked) or wants_sent(asked):
        return None
    if relation == "more":
        wanted = WantedText(asked, text, "addition", added=tuple(words(asked)))
    else:
        by_manner = says_manner(asked)
        wanted = WantedText(asked, text, to_be_done(Change("manner"), asked) if by_manner else "replacement")
    return Redraft(wanted, " ".join(asked.split()), language_by_words(text) or language)


def _without_tale(asked: str) -> str:
    """Return the wish to have the text behind a colon translated, without what is told before it."""
    head, colon, _ = asked.partition(":")
    tale = max(head.rfind(mark) for mark in _MARKS)
    wish = asked[tale + 1 :].strip()
    return wish if colon and tale > 0 and opens_translation(wish) and is_news(asked[:tale]) else asked


def is_talk(last: TurnTrace) -> bool:
    """Tell whether a turn was told in the model's own words, or in those with a rule's change."""
    return not last.steps and (last.model_calls > 0 or last.sorted_by == "rule")


def _written_before(history: Sequence[StoredMessage]) -> str:
    """Return the text that was written last, where that is the last thing said; else ""."""
    text = last_written(history, is_any=False, is_bare=False)
    return text if can_be_changed(text) else ""
