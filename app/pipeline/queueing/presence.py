"""The read and typing marks of people who are waiting for an answer; best effort, never a message."""

import asyncio
from typing import Final

import structlog

from app.domain.errors import AppError
from app.domain.ids import UserId, WaMessageId
from app.domain.ports import Clock, Messenger
from app.log import user_tag

log = structlog.get_logger(__name__)

RENEW_S: Final = 20.0
"""The mark ends by itself after 25 s (Meta, "Typing indicators")."""
MIN_PAUSE_S: Final = 5.0
"""`renew` may be called for every step of a tool; Meta need not hear of each."""


class Presence:
    """One task for each user whose turn is coming or running; it marks and renews until hidden."""

    def __init__(self, messenger: Messenger, clock: Clock) -> None:
        self._messenger = messenger
        self._clock = clock
        self._tasks: dict[UserId, asyncio.Task[None]] = {}
        self._ended: set[asyncio.Task[None]] = set()
        self._shown: dict[UserId, WaMessageId] = {}
        self._marked_at: dict[UserId, float] = {}
        self._read: set[UserId] = set()
        self._seeing: set[asyncio.Task[None]] = set()

    def see(self, user_id: UserId, message_id: WaMessageId) -> None:
        """Mark a message read, and show nothing else: its answer is there at once."""
        task = asyncio.create_task(
            self._mark(user_id, message_id, is_typing=False), name=f"read:{user_tag(user_id)}"
        )
        self._seeing.add(task)
        task.add_done_callback(self._seeing.discard)

    def show(self, user_id: UserId, message_id: WaMessageId) -> None:
        """Mark the message read and show typing until `hide`; the same message again changes nothing."""
        if self._shown.get(user_id) == message_id:
            return
        self.hide(user_id)
        self._shown[user_id] = message_id
        self._marked_at[user_id] = self._clock.elapsed_s()
        self._tasks[user_id] = asyncio.create_task(
            self._keep(user_id, message_id), name=f"typing:{user_tag(user_id)}"
        )

    def renew(self, user_id: UserId) -> None:
        """Show typing again now where a turn runs: whatever we sent meanwhile ended the mark on the phone."""
        message_id, marked_at = self._shown.get(user_id), self._marked_at.get(user_id)
        if message_id is None or marked_at is None or self._clock.elapsed_s() - marked_at < MIN_PAUSE_S:
            return
        self.hide(user_id)
        self.show(user_id, message_id)

    def hide(self, user_id: UserId) -> None:
        """Stop renewing the mark; our reply, or time, ends it on the phone. What was fast is still marked read."""
        message_id = self._shown.pop(user_id, None)
        if message_id is not None and user_id not in self._read:
            self.see(user_id, message_id)
        self._read.discard(user_id)
        self._marked_at.pop(user_id, None)
        task = self._tasks.pop(user_id, None)
        if task is not None:
            task.cancel()
            self._ended.add(task)
            task.add_done_callback(self._ended.discard)

    async def aclose(self) -> None:
        for user_id in tuple(self._tasks):
            self.hide(user_id)
        for task in self._seeing:
            task.cancel()
        if left := (*self._ended, *self._seeing):
            await asyncio.wait(left)

    async def _keep(self, user_id: UserId, message_id: WaMessageId) -> None:
        while True:
            self._marked_at[user_id] = self._clock.elapsed_s()
            await self._mark(user_id, message_id, is_typing=True)
            self._read.add(user_id)
            await self._clock.sleep(RENEW_S)

    async def _mark(self, user_id: UserId, message_id: WaMessageId, *, is_typing: bool) -> None:
        try:
            await self._messenger.mark_read(message_id, is_typing=is_typing)
        except AppError as exc:
            log.debug("presence.mark_failed", user=user_tag(user_id), code=exc.code)
