"""What a person changes about messages that were already sent: reactions, edits, revocations."""

from collections.abc import Sequence

from app.database.repository import Repository
from app.domain.ids import TurnId, WaMessageId
from app.domain.inbound import Edit, InboundMessage, Reaction, Revoke
from app.domain.ports import Clock
from app.domain.recollection import TakenBack
from app.domain.turn import TurnContext
from app.pipeline.answering.normalize import describe


class HistoryKeeper:
    """Lets history, and what was learned from it, follow; doing anything twice changes nothing."""

    def __init__(self, repository: Repository, taken_back: Sequence[TakenBack], clock: Clock) -> None:
        self._repository = repository
        self._taken_back = taken_back
        self._clock = clock

    async def change(self, message: InboundMessage, ctx: TurnContext) -> None:
        """Apply a reaction, an edit or a revocation to the message it is about."""
        conversations = self._repository.conversations
        async with self._repository.transaction() as tx:
            match message.content:
                case Reaction(message_id=message_id, emoji=emoji):
                    await conversations.react(ctx.user_id, message_id, emoji, tx=tx)
                case Edit(original_id=message_id, content=content):
                    await conversations.edit(ctx.user_id, message_id, describe(content).text, tx=tx)
                case Revoke(original_id=message_id):
                    await conversations.erase(ctx.user_id, message_id, tx=tx)
                    await self._repository.changes.revoke(ctx.user_id, message_id, self._clock.now(), tx=tx)
                case _:
                    pass
        # After the text: an extraction that ends in between must not leave its fact behind.
        match message.content:
            case Revoke(original_id=message_id) | Edit(original_id=message_id):
                await self._take_back(message_id, ctx, is_rewritten=isinstance(message.content, Edit))
            case _:
                pass

    async def rewrite(self, edited: InboundMessage, turns: Sequence[TurnId], ctx: TurnContext) -> None:
        """Store what a message says now, and forget the turns in which it was answered: it gets another one."""
        async with self._repository.transaction() as tx:
            await self._repository.changes.put_content(ctx.user_id, edited, tx=tx)
            await self._repository.conversations.erase_turns(ctx.user_id, turns, tx=tx)
        await self._take_back(edited.id, ctx, is_rewritten=True)

    async def _take_back(self, message_id: WaMessageId, ctx: TurnContext, *, is_rewritten: bool) -> None:
        for forget in self._taken_back:
            await forget(ctx.user_id, message_id, is_rewritten=is_rewritten)
