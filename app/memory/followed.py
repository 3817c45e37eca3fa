"""What becomes of a fact that was just told, by a message of which a head says how it relates to it.

What is new is kept beside what was told before, in the person's words: which of both is meant they read together.
"""

from typing import Final

from app.domain.chat import ToolCall
from app.domain.ports import ChatModel
from app.domain.turn import TurnContext
from app.memory.repository import Memories, Memory
from app.memory.similarity import content_words
from app.memory.statements import sentences_told
from app.skills.amending import CALL_ID, after_opening, is_correction, says_nowadays
from app.skills.following.following import Calls, Spoken
from app.skills.following.relations import Relation

_TOLD_BACK: Final = 2
_NEWEST: Final = 5
_MOST_CHARS: Final = 300


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
    whole = f"{fact.text.rstrip(' .;')}; {after_opening(text).strip()}"
    if "?" in text or len(whole) > _MOST_CHARS:
        return []
    return [ToolCall(CALL_ID, "correct_fact", {"new": whole, "old": fact.text, "fact": str(fact.number)})]
