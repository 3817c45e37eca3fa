"""Adds up what a person has just told, one amount a message: a small model adds wrong, and does not say so."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.database.repositories.conversations import Conversations
from app.domain.errors import ToolFault
from app.domain.inbound import Audio, InboundMessage, Text
from app.domain.outbound import Reply
from app.domain.turn import Said, TurnContext
from app.domain.wording import fold
from app.language.catalogue import say
from app.skills.tools.calculator.calculator_tools import calculate
from app.skills.tools.calculator.lexicon import SPENT, TOTAL
from app.skills.tools.calculator.texts import CALCULATOR

_LOOKED_BACK: Final = 16
_LEAST: Final = 2
_EDGES: Final = " .!?¡¿"
_DIGITS: Final = re.compile(r"\d")
# A number that stands alone: no time, date, share, weight or code, and nothing that is counted.
_AMOUNT: Final = re.compile(
    r"(?<![\w.,:/+-])[$€£]?\s?(?P<number>\d{1,9}(?:[.,]\d{1,3}){0,3})(?![\w.,:/%-]*\d)(?![:/%\w])(?=[.,;!?)]*(?:\s|\Z))"
)


class Totals:
    """`tell` is a `Telling`."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Return the sum that "how much is that so far?" asks for, with its parts.

        Where not each message before has one number alone, those count that tell what was spent. None for every
        other message, and where there is no amount.
        """
        if len(messages) != 1 or messages[0].quoted_id or not isinstance(messages[0].content, Text | Audio):
            return None
        if TOTAL.fullmatch(fold(asked).strip(_EDGES)) is None:
            return None
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=_LOOKED_BACK)
        told = [one.text for one in recent if one.role == "user" and _DIGITS.search(one.text)]
        parts = [one for text in told if (one := _amount(text)) is not None]
        if len(parts) < max(len(told), _LEAST):
            parts = [one for text in told if (one := _spent(text)) is not None]
        if len(parts) < _LEAST:
            return Reply(literal=say(CALCULATOR.total, ctx.language, sum=parts[0])) if parts else None
        try:
            result = calculate(" + ".join(parts), ctx=replace(ctx, said=Said(now=tuple(told))))
        except ToolFault:
            return None
        return Reply(literal=say(CALCULATOR.total, ctx.language, sum=result.reply)) if result.reply else None


def _spent(text: str) -> str | None:
    """Return the first amount behind the word that tells of spending: "I spent 12.80 on parking"."""
    verb = SPENT.search(fold(text))
    found = None if verb is None else _AMOUNT.search(text, verb.end())
    return None if found is None else found["number"]


def _amount(text: str) -> str | None:
    """Return the only number of a message, if it is an amount."""
    found = _AMOUNT.findall(text)
    return found[0] if len(found) == 1 and len(_DIGITS.findall(text)) == len(_DIGITS.findall(found[0])) else None
