"""What answered nobody and was not delivered: the admins hear of it at once, the person with their next answer."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from app.asking.admins import Admins
from app.database.db import Transaction
from app.database.repositories.outbox import LostMessage
from app.database.repository import Repository
from app.domain.outbound import words_of
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import cut
from app.language.catalogue import Language, say
from app.pipeline.texts import PIPELINE
from app.when.rules import to_local
from app.when.telling import tell_moment

WhenLost = Callable[[LostMessage], Awaitable[None]]

_SHOWN_CHARS: Final = 300
_SHOWN: Final = 10
_REASONS: Final = MappingProxyType(
    {
        "graph_131047": PIPELINE.lost_window,
        "graph_131056": PIPELINE.lost_pair_rate,
        "graph_131026": PIPELINE.lost_unreachable,
        "graph_132001": PIPELINE.lost_no_template,
        "graph_132015": PIPELINE.lost_paused,
        "graph_132016": PIPELINE.lost_disabled,
    }
)


class LostMessages:
    """`listeners` hear of each, before the admins do."""

    def __init__(
        self, repository: Repository, admins: Admins, clock: Clock, listeners: Sequence[WhenLost]
    ) -> None:
        self._repository = repository
        self._admins = admins
        self._clock = clock
        self._listeners = listeners

    async def report(self) -> int:
        """Tell the admins who was not reached, when and why, but not of what; returns how many messages."""
        now, queue = self._clock.now(), self._repository.outbox_queue
        lost = await queue.list_unreported()
        for one in lost:
            for listener in self._listeners:
                await listener(one)
            user = await self._repository.users.get(one.user_id)
            text_in = partial(_report, user.name or "?", one)
            async with self._repository.transaction() as tx:
                await queue.note_reported(one.id, now, tx=tx)
                told = await self._admins.tell_in(tx, text_in, but=one.user_id, is_warning=True)
            self._admins.wake(told)
        return len(lost)

    async def tell_beside(self, ctx: TurnContext, tx: Transaction) -> str:
        """Say with an answer what did not reach the person in time."""
        lost = await self._repository.outbox.list_lost(ctx.user_id, tx=tx)
        if not lost:
            return ""
        now, zone = self._clock.now(), ZoneInfo(ctx.timezone)
        await self._repository.outbox.note_told(ctx.user_id, lost, now, tx=tx)
        lines = []
        for one in lost[:_SHOWN]:
            when = tell_moment(to_local(one.created_at, zone), to_local(now, zone), ctx.language)
            lines.append(f"- {when}: {cut(words_of(one.message), _SHOWN_CHARS)}")
        return "\n".join([say(PIPELINE.lost, ctx.language, count=len(lost)), *lines])


def _report(name: str, one: LostMessage, language: Language) -> str:
    known = _REASONS.get(one.error)
    reason = say(PIPELINE.lost_other, language, code=one.error) if known is None else say(known, language)
    return say(PIPELINE.lost_report, language, name=name, reason=reason)
