"""Answers what is to be computed by code: a small model computes wrong, and does not say so."""

from collections.abc import Sequence
from typing import Final

from app.database.repositories.conversations import Conversations
from app.domain.inbound import Audio, InboundMessage, Text
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.at_once import answer_at_once
from app.skills.tools.calculator.going_on import answer_going_on, answer_of_story
from app.skills.tools.calculator.rests import read_part_off
from app.skills.tools.calculator.results import worded
from app.skills.tools.calculator.spoken import has_word
from app.skills.tools.calculator.story import find_sum
from app.skills.tools.calculator.totals import answer_total
from app.skills.tools.calculator.two_asked import asks_elsewhere

_LOOKED_BACK: Final = 16


class Sums:
    """`tell` is a `Telling`."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Return the result of a sum that is told, of what goes on from the one before, or of what was spent.

        None for every other message. What goes on comes first: "+ 15%" is a calculation of its own, of no use.
        """
        if len(messages) != 1 or messages[0].quoted_id or not isinstance(messages[0].content, Text | Audio):
            return None
        if asks_elsewhere(asked):
            return None
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=_LOOKED_BACK)
        if (alone := answer_alone(asked, ctx)) is None:
            said = [one.text for one in recent if one.role == "user"]
            going_on = answer_going_on(asked, recent, ctx)
            told = going_on or answer_at_once(asked, ctx) or _less_part(asked, ctx)
            told = told or answer_total(asked, said, ctx)
            found = None if told else find_sum(asked, ctx)
            return found[1] if found else told or answer_of_story(asked, said, ctx)
        is_answer = bool(recent) and recent[-1].role == "assistant" and "?" in recent[-1].text
        return alone if _asks(asked) or not is_answer else answer_at_once(asked, ctx)


def _less_part(asked: str, ctx: TurnContext) -> Reply | None:
    part = read_part_off(asked)
    told = worded(part, ctx) if part else None
    return Reply(literal=told) if told else None


def _asks(text: str) -> bool:
    return "?" in text or has_word(fold(text), "asking_how_much")
