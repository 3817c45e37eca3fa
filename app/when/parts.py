"""The atoms of one text, by what they are."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.when.atoms import (
    Ahead,
    Atom,
    Clock,
    DayAtom,
    During,
    Each,
    PartOfDay,
    Since,
    Times,
    Until,
    Vaguely,
)


@dataclass(slots=True)
class Parts:
    """The atoms of one text by what they are."""

    days: list[DayAtom] = field(default_factory=list)
    clocks: list[Clock] = field(default_factory=list)
    parts: list[PartOfDay] = field(default_factory=list)
    aheads: list[Ahead] = field(default_factory=list)
    each: list[Each] = field(default_factory=list)
    until: list[DayAtom] = field(default_factory=list)
    since: list[DayAtom] = field(default_factory=list)
    during: list[Ahead] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    vague: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, atoms: Sequence[Atom]) -> "Parts":
        parts = cls()
        for atom in atoms:
            parts._put(atom)
        return parts

    def _put(self, atom: Atom) -> None:
        match atom:
            case Clock() | PartOfDay() | Ahead() | Each():
                self._times_of(atom)
            case Until(day):
                self.until.append(day)
            case Since(day):
                self.since.append(day)
            case During(span):
                self.during.append(span)
            case Times(count):
                self.times.append(count)
            case Vaguely(kind):
                self.vague.append(kind)
            case _:
                self.days.append(atom)

    def _times_of(self, atom: Clock | PartOfDay | Ahead | Each) -> None:
        match atom:
            case Clock():
                self.clocks.append(atom)
            case PartOfDay():
                self.parts.append(atom)
            case Ahead():
                self.aheads.append(atom)
            case Each():
                self.each.append(atom)

    def without_bounds(self) -> "Parts":
        """The same without where it ends; from when on it counts is its day."""
        return Parts(days=[*self.days, *self.since], clocks=self.clocks, parts=self.parts, aheads=self.aheads)

    def is_empty(self) -> bool:
        return not (self.days or self.clocks or self.parts or self.aheads or self.each or self.vague)
