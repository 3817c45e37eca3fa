"""What was said before in the conversation of the person who asks."""

from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from app.database.repositories.conversations import Conversations
from app.domain.tools import Alias
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.skills.registry import SkillRegistry

SKILL: Final = "conversation"
MAX_COUNT: Final = 50

_DEFAULT_COUNT: Final = 10
_SHOWN_CHARS: Final = 300


class _ConversationTools:
    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    async def get_recent_messages(self, count: int = _DEFAULT_COUNT, *, ctx: TurnContext) -> str:
        """Show the last messages of this conversation.

        Args:
            count: 1 to 50
        """
        wanted = min(max(count, 1), MAX_COUNT)
        found = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=wanted)
        if not found:
            return "Nothing was said in this conversation before."
        zone = ZoneInfo(ctx.timezone)
        return "\n".join(
            f"[{message.created_at.astimezone(zone):%Y-%m-%d %H:%M}] {message.role}:"
            f" {one_line(message.text, _SHOWN_CHARS)}"
            for message in found
        )


def register(registry: SkillRegistry, conversations: Conversations) -> None:
    """Add the tool that reads the conversation."""
    registry.add(
        _ConversationTools(conversations).get_recent_messages,
        SKILL,
        read_only=True,
        aliases=MappingProxyType({"limit": Alias("count")}),
    )
