"""Finds the place of a person's people in what they told: in this conversation, or kept as facts."""

import re
from dataclasses import dataclass
from typing import Final

from app.database.repositories.conversations import Conversations
from app.domain.places import Places
from app.domain.recollection import Remembering
from app.domain.turn import TurnContext
from app.language.catalogue import LANGUAGES, say
from app.skills.whereabouts.people import Lives, Spoken, place_answered, read_told
from app.skills.whereabouts.texts import WHEREABOUTS

_LOOKED_BACK: Final = 40
_ANSWER_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class Where:
    """`place` is "" where it was not told, or told of several; `is_known`: of this person something was told."""

    place: str
    is_known: bool


class Whereabouts:
    def __init__(self, remembering: Remembering, conversations: Conversations, places: Places) -> None:
        self._remembering = remembering
        self._conversations = conversations
        self._places = places

    async def find(self, spoken: Spoken, text: str, ctx: TurnContext) -> Where:
        """Return where somebody is of whom a `text` speaks: what was told last counts, then what is kept.

        Raises:
            Transient: the database failed.
        """
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=_LOOKED_BACK)
        said = [one.text for one in recent if one.role == "user"]
        said += [text] if said[-1:] != [text] else []
        facts = await self._facts(spoken.shown, ctx)
        _, called = read_told([*facts, *said], self._places)
        names = sorted(name for kin, name in called if kin == spoken.person.kin)
        for name in names[:1]:
            facts += [one for one in await self._facts(name, ctx) if one not in facts]
        each = [read_told(told, self._places)[0] for told in (said, facts)]
        if not spoken.is_sure and not spoken.person.names <= _names(called, [*each[0], *each[1]]):
            return Where("", is_known=False)
        for lives in each:
            there = [one for one in lives if one.person.is_same(spoken.person, called)]
            if there:
                return Where(_only(there), is_known=True)
        return Where("", is_known=True)

    async def _facts(self, about: str, ctx: TurnContext) -> list[str]:
        found = await self._remembering.recall(about, ctx)
        return [one.text for one in (*found.items, *found.more) if one.is_fact]

    def answered(self, text: str) -> str:
        """Return the place that an answer to our question names; "" where it may be something else."""
        return place_answered(text, self._places) if len(text) <= _ANSWER_CHARS and "?" not in text else ""


def _names(called: frozenset[tuple[str, str]], lives: list[Lives]) -> frozenset[str]:
    return frozenset(name for _, name in called).union(*(one.person.names for one in lives))


def _only(told: list[Lives]) -> str:
    """Return where the one person of whom it was told lives; "" where several are meant."""
    people = {one.person for one in told if one.person.names}
    if len(people) > 1:
        return ""
    return told[-1].place


def asked_where(newest: str) -> bool:
    """Tell whether an answer of ours was the question where somebody is."""
    return _ASKED_BEFORE.fullmatch(newest) is not None


def _question() -> str:
    asked = [
        re.escape(say(WHEREABOUTS.where, language, who="<who>", count=count)).replace("<who>", r"[^\n?]{1,60}")
        for language in LANGUAGES
        for count in (1, 2)
    ]
    return "|".join(asked)


_ASKED_BEFORE: Final = re.compile(_question())
