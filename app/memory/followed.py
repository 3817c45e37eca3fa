"""What becomes of a fact that was just told, by a message of which a head says how it relates to it.

What is new is kept beside what was told before, in the person's words: which of both is meant they read together.
"""

import re
from typing import Final

from app.domain.chat import ToolCall
from app.domain.ports import ChatModel
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.late import LatePattern
from app.memory.lexicon import LEXICON, RELATIONS
from app.memory.repository import Memories, Memory
from app.memory.similarity import content_words
from app.memory.statements import sentences_told
from app.skills.amending import CALL_ID, after_opening, is_correction, says_nowadays
from app.skills.following.following import Calls, Spoken
from app.skills.following.relations import Relation

_TOLD_BACK: Final = 2
_NEWEST: Final = 5
_MOST_CHARS: Final = 300
_WORD: Final = re.compile(r"\w+")
_IS_THE_ONE: Final = LatePattern(rf"(?<!\w){LEXICON.pattern('telling.is_the_one')}(?!\w)", flags=0)


async def recall(memories: Memories, answer: str, ctx: TurnContext) -> Spoken | None:
    """See `Recall`: what the message before told; all that without a look into the database."""
    is_meant = any(is_correction(one) or says_nowadays(one) for one in ctx.said.now)
    if answer != ctx.said.answers[0] or not is_meant:
        return None
    told = next(filter(None, map(sentences_told, ctx.said.before[:_TOLD_BACK])), None)
    if not told:
        return None

    async def act(relation: Relation, text: str, ctx: TurnContext, model: ChatModel) -> Calls:
        known = [one for one in await memories.list_newest(ctx.user_id, _NEWEST) if one.text in told]
        return _calls(relation, text, known)

    return Spoken("fact", " ".join(told), act)


def _calls(relation: Relation, text: str, known: list[Memory]) -> Calls:
    if relation == "ask":
        return []
    said = set(content_words(text))
    fact = max(known, key=lambda one: len(said & set(content_words(one.text))), default=None)
    if fact is None:
        return []
    if (whose := _of_another(fact.text, text)) is not None:
        return [ToolCall(CALL_ID, "correct_fact", {"new": whose, "old": fact.text, "fact": str(fact.number)})]
    whole = f"{fact.text.rstrip(' .;')}; {after_opening(text).strip()}"
    if "?" in text or len(whole) > _MOST_CHARS:
        return []
    return [ToolCall(CALL_ID, "correct_fact", {"new": whole, "old": fact.text, "fact": str(fact.number)})]


def _of_another(fact: str, text: str) -> str | None:
    """Return a fact put right where it was told of the wrong one: "no, my sister is the allergic one"."""
    said = after_opening(text).strip(" .!")
    is_so = _IS_THE_ONE.search(fold(said)) is not None
    has_kin = any(word in RELATIONS for word in fold(said).split())
    shared = set(content_words(said)) & set(content_words(fact))
    if not (is_so and has_kin and shared) or any(word in RELATIONS for word in fold(fact).split()):
        return None
    # What it is about stands in the fact: "allergic" of "allergic to nuts".
    at = [one for one in _WORD.finditer(fact) if not shared.isdisjoint(content_words(one[0]))]
    return f"{said}{fact[at[-1].end() :].rstrip(' .')}" if fold(said).endswith(fold(at[-1][0])) else said
