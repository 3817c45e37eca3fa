"""Computes what goes on from the result just told, without the model, which computes wrong."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Final

from app.database.repositories.conversations import Conversations, StoredMessage
from app.domain.errors import ToolFault
from app.domain.inbound import Audio, InboundMessage, Text
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import stem
from app.skills.tools.calculator.calculator_tools import computed, in_words
from app.skills.tools.calculator.corrections import Correction, read_correction
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.goods import read_priced
from app.skills.tools.calculator.markups import Markup, read_following, read_marked
from app.skills.tools.calculator.results import Told, read_result
from app.skills.tools.calculator.spoken import NUMBER, is_grouped, ways, with_plain_numbers
from app.skills.tools.calculator.steps import read_step
from app.skills.tools.calculator.stories import read_story

_LAST_TURN: Final = 8
_FRESH: Final = timedelta(hours=6)
_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)?")
_COUNTED: Final = re.compile(r" (?P<noun>[^\W\d_]{3,})")


class GoingOn:
    """`tell` is a `Telling`."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Return what things at a price come to, or what a step or a correction makes of the newest result.

        None for every other message, and where the newest answer is not a result, or an old one.
        """
        if len(messages) != 1 or messages[0].quoted_id or not isinstance(messages[0].content, Text | Audio):
            return None
        if (priced := read_priced(asked) or read_marked(asked) or read_story(asked)) is not None:
            return await self._tell_priced(priced, ctx)
        following, step, correction = read_following(asked), read_step(asked), read_correction(asked)
        if following is None and step is None and correction is None:
            return None
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=_LAST_TURN)
        told = _newest_result(recent, ctx)
        if told is None:
            return None
        if following is not None and (marked := following.after(told.sum)) is not None:
            return _reply_marked(following, marked, told, ctx)
        if step is not None:
            return _reply(step, told, ctx)
        corrected = _corrected(told, correction, _asked_before(recent), ctx) if correction else None
        return _worded(corrected, ctx, is_local=told.is_local) if corrected else None

    async def _tell_priced(self, priced: str, ctx: TurnContext) -> Reply | None:
        """Answer, but where a question of ours is open, whose answer the message may be."""
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=1)
        plain = with_plain_numbers(priced, ctx)
        if plain is None or any(one.role == "assistant" and "?" in one.text for one in recent):
            return None
        return _worded(plain, ctx, is_local=is_grouped(priced, ctx))


def _newest_result(recent: Sequence[StoredMessage], ctx: TurnContext) -> Told | None:
    newest = recent[-1] if recent else None
    if newest is None or newest.role != "assistant" or ctx.received_at - newest.created_at > _FRESH:
        return None
    return read_result(newest.text, ctx)


def _asked_before(recent: Sequence[StoredMessage]) -> str:
    return next((one.text for one in reversed(recent) if one.role == "user"), "")


def _reply(step: str, told: Told, ctx: TurnContext) -> Reply | None:
    plain = with_plain_numbers(step, ctx)
    if plain is None:
        return None
    is_first = plain.startswith("{}")
    value = f"({told.value})" if told.value.startswith("-") and not is_first else told.value
    return _worded(plain.replace("{}", value), ctx, is_local=told.is_local or is_grouped(step, ctx))


def _reply_marked(said: Markup, marked: Markup, told: Told, ctx: TurnContext) -> Reply | None:
    """Word a markup; what of it was `said` now is as it was written, the rest as it was told."""
    new = with_plain_numbers(said.price or said.percent, ctx)
    if new is None:
        return None
    plain = replace(marked, price=new) if said.price else replace(marked, percent=new)
    is_local = told.is_local or is_grouped(said.price, ctx)
    return _worded(plain.sum.replace("{}", told.value), ctx, is_local=is_local)


def _worded(plain: str, ctx: TurnContext, *, is_local: bool) -> Reply | None:
    try:
        return Reply(literal=in_words(computed(read_expression(plain)), ctx, is_local=is_local))
    except ToolFault:
        return None


def _corrected(told: Told, correction: Correction, asked: str, ctx: TurnContext) -> str | None:
    """Put the new number in the place of the one that is meant; None where that is none or several."""
    new = with_plain_numbers(correction.new, ctx)
    old = correction.old or _counted(asked, correction.noun)
    wrong = with_plain_numbers(old, ctx) if old else None
    if new is None or wrong is None:
        return None
    places = [found for found in _NUMBERS.finditer(told.sum) if Decimal(found[0]) == Decimal(wrong)]
    if len(places) != 1:
        return None
    return f"{told.sum[: places[0].start()]}{new}{told.sum[places[0].end() :]}"


def _counted(asked: str, noun: str) -> str | None:
    """Return the only number of a message that counts such things."""
    if not noun:
        return None
    for text in ways(asked):
        found = [
            number["number"]
            for number in NUMBER.finditer(text)
            if (counted := _COUNTED.match(text, number.end())) and stem(counted["noun"]) == stem(noun)
        ]
        if len(found) == 1:
            return found[0]
    return None
