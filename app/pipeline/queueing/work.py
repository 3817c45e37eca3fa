"""What there is to do for whom, and who looks after it in this process."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from app.domain.ids import TurnId, UserId
from app.pipeline.delivering.delivery import Delivery
from app.pipeline.queueing.dispatcher import Dispatcher

_AT_ONCE: Final = 40


@dataclass(frozen=True, slots=True)
class NewWork:
    """Whose turns, control rows and outboxes must be looked at; waking all three for each message is slow.

    `stopped` are running turns whose messages were taken back.
    """

    turns: frozenset[UserId] = frozenset()
    controls: frozenset[UserId] = frozenset()
    outboxes: frozenset[UserId] = frozenset()
    stopped: frozenset[tuple[UserId, TurnId]] = frozenset()

    @classmethod
    def all_of(cls, user_ids: Iterable[UserId]) -> "NewWork":
        """Everything of these people must be looked at."""
        found = frozenset(user_ids)
        return cls(found, found, found)

    def __or__(self, other: "NewWork") -> "NewWork":
        return NewWork(
            self.turns | other.turns,
            self.controls | other.controls,
            self.outboxes | other.outboxes,
            self.stopped | other.stopped,
        )

    def __bool__(self) -> bool:
        return bool(self.turns or self.controls or self.outboxes or self.stopped)

    @property
    def people(self) -> frozenset[UserId]:
        return self.turns | self.controls | self.outboxes | {user_id for user_id, _ in self.stopped}

    def of(self, user_ids: Collection[UserId]) -> "NewWork":
        """Return the part that is these people's."""
        return NewWork(
            frozenset(one for one in self.turns if one in user_ids),
            frozenset(one for one in self.controls if one in user_ids),
            frozenset(one for one in self.outboxes if one in user_ids),
            frozenset(one for one in self.stopped if one[0] in user_ids),
        )

    def encode(self) -> Iterator[str]:
        """Yield texts, each of some people, that `decode` reads."""
        people = sorted(self.people)
        for first in range(0, len(people), _AT_ONCE):
            part = self.of(frozenset(people[first : first + _AT_ONCE]))
            parts = (part.turns, part.controls, part.outboxes, part.stopped)
            yield json.dumps([list(one) for one in parts])

    @classmethod
    def decode(cls, text: str) -> "NewWork":
        turns, controls, outboxes, stopped = json.loads(text)
        pairs = frozenset((UserId(user_id), TurnId(turn_id)) for user_id, turn_id in stopped)
        return cls(frozenset(turns), frozenset(controls), frozenset(outboxes), pairs)


class Desk(Protocol):
    """Where new work goes."""

    def begin(self, work: NewWork) -> None:
        """Have it looked at; returns at once."""
        ...


class Here:
    """Has work looked at in this process."""

    def __init__(self, dispatcher: Dispatcher, delivery: Delivery) -> None:
        self._dispatcher = dispatcher
        self._delivery = delivery

    @property
    def is_open(self) -> bool:
        """New work is taken up."""
        return self._dispatcher.is_open

    def begin(self, work: NewWork) -> None:
        """See `Desk`."""
        self._dispatcher.stop(work.stopped)
        self._dispatcher.take_up(work.turns, work.controls)
        self._delivery.wake(work.outboxes)

    def sign(self, process_id: str) -> None:
        """Mark what is taken from now on with the name of this process."""
        self._dispatcher.sign(process_id)

    def is_busy(self, user_id: UserId) -> bool:
        """Tell whether anything of that person's is at work or waits for a time."""
        return self._dispatcher.is_busy(user_id) or self._delivery.is_busy(user_id)

    def is_at_work(self, user_id: UserId) -> bool:
        """Tell whether anything of that person's runs now."""
        return self._dispatcher.is_at_work(user_id) or self._delivery.is_at_work(user_id)

    def drop(self, user_ids: Sequence[UserId]) -> None:
        """Leave these people to another process, as they are."""
        self._dispatcher.drop(user_ids)
        self._delivery.drop(user_ids)

    def when_over(self, call: Callable[[UserId], None]) -> None:
        """Have `call` called whenever a lane of a person's ends."""
        self._dispatcher.when_over(call)
        self._delivery.when_over(call)
