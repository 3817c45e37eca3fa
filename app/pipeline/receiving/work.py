"""What a stored webhook gives to do, and for whom."""

from dataclasses import dataclass

from app.domain.ids import UserId


@dataclass(frozen=True, slots=True)
class NewWork:
    """Whose turns, control rows and outboxes must be looked at; waking all three for each message is slow."""

    turns: frozenset[UserId] = frozenset()
    controls: frozenset[UserId] = frozenset()
    outboxes: frozenset[UserId] = frozenset()

    def __or__(self, other: "NewWork") -> "NewWork":
        return NewWork(self.turns | other.turns, self.controls | other.controls, self.outboxes | other.outboxes)
