"""A person comes to this process: what another one left of theirs, and what it took in for them meanwhile."""

from collections.abc import Collection

from app.asking.asking import Asking
from app.database.repositories.shared import SharedWork
from app.domain.ids import UserId
from app.pipeline.delivering.delivery import Delivery
from app.pipeline.queueing.dispatcher import Dispatcher
from app.pipeline.queueing.roll import Roll


class Handover:
    """Does person by person what a process that serves alone does at its start, and when a message comes in."""

    def __init__(
        self, dispatcher: Dispatcher, delivery: Delivery, asking: Asking, work: SharedWork, roll: Roll
    ) -> None:
        self._dispatcher = dispatcher
        self._delivery = delivery
        self._asking = asking
        self._work = work
        self._roll = roll

    async def list_people(self) -> list[UserId]:
        """See `SharedWork`."""
        return await self._work.list_people()

    async def recover(self, user_ids: Collection[UserId]) -> int:
        """Put in order what a dead process left half done of these people; returns of how many there was any."""
        left = await self._work.find_left(user_ids)
        if left:
            await self._roll.note_takers(left)
            await self._delivery.recover(left)
            await self._asking.expire_leftovers(left)
            await self._dispatcher.take_over(left)
        return len(left)

    def is_waiting(self, user_id: UserId) -> bool:
        """Tell whether a turn of that person's waits for an answer, or just had one."""
        return self._asking.is_waiting(user_id)

    async def read_again(self, user_id: UserId) -> None:
        """Move what answers the question of the person's turn beside it; for anything else it may give way.

        `Asking.read_all` does so when a message comes in, where the turn is in the same process.
        """
        await self._asking.take_pressed(user_id)
        has_other = False
        for row_id, message, is_talk in await self._work.list_since_asked(user_id):
            reading = await self._asking.read(user_id, message) if is_talk else None
            if reading is None:
                has_other = True
            else:
                await self._work.make_answer(user_id, row_id, reading.lane, reading.address)
        if has_other:
            self._asking.give_way([user_id])
