"""A reminder that is called off while it is still asked which time was meant: "cancel that reminder"."""

import json
from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from app.asking.asking import Asking
from app.database.repositories.conversations import Conversations
from app.domain.inbound import InboundMessage
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import openings, say
from app.skills.tools.reminders.buttons import WHICH
from app.skills.tools.reminders.pointing import read_called_off
from app.skills.tools.reminders.texts import REMINDERS
from app.when.rules import to_local

_MAX_CHARS: Final = 60


class Withdrawn:
    def __init__(self, asking: Asking, conversations: Conversations) -> None:
        self._asking = asking
        self._conversations = conversations

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """End the question of the last answer where a message only calls the reminder off that it is about."""
        if len(asked) > _MAX_CHARS or "?" in asked or not self._points_at_one(asked, ctx):
            return None
        cards = await self._asking.list_bound(ctx.user_id, WHICH)
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=1) if cards else []
        if not recent or not any(one.text.startswith(openings(REMINDERS.asked)) for one in recent):
            return None
        bound = json.loads(cards[0].bound_to)
        if bound["changes"] is not None or not await self._asking.settle(cards[0]):
            return None
        return Reply(literal=say(REMINDERS.cancelled, ctx.language, count=1, text=bound["text"]))

    def _points_at_one(self, asked: str, ctx: TurnContext) -> bool:
        off = read_called_off(asked, to_local(ctx.received_at, ZoneInfo(ctx.timezone)), ctx.language)
        return off is not None and not off.names and off.when is None and not off.is_all
