"""What a new fact means for those that are known, found without comparing it with each of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.memory.repository import Memory
from app.memory.similarity import FactText, compare, stems_of


@dataclass(frozen=True, slots=True)
class Judgement:
    """`known` says the new fact already; `merged` say less than it, `contradicted` cannot be true beside it."""

    known: Memory | None
    merged: tuple[Memory, ...]
    contradicted: tuple[Memory, ...]


class KnownFacts:
    """The facts that count, taken apart once.

    Two facts have to do with each other only if they claim something about the same, differ in numbers alone, or
    all words of one stand in the other: then the rarest word of the shorter one does. So each is found by few
    marks, and compared with few others, however many there are. `comparisons` counts them.
    """

    def __init__(self, active: Iterable[Memory]) -> None:
        self._facts = {one.id: (one, FactText(one.text)) for one in active}
        self._holding: defaultdict[str, set[int]] = defaultdict(set)
        self._marked: defaultdict[str, set[int]] = defaultdict(set)
        self.comparisons = 0
        for memory_id, (_, fact) in self._facts.items():
            for word in fact.words:
                self._holding[word].add(memory_id)
        for memory_id, (_, fact) in self._facts.items():
            self._mark(memory_id, fact)

    @property
    def active(self) -> list[Memory]:
        """The facts, in the order of their numbers."""
        return sorted((one for one, _ in self._facts.values()), key=lambda one: one.number)

    def add(self, memory: Memory) -> None:
        """Let one more fact count."""
        fact = FactText(memory.text)
        self._facts[memory.id] = memory, fact
        for word in fact.words:
            self._holding[word].add(memory.id)
        self._mark(memory.id, fact)

    def remove(self, memory: Memory) -> None:
        """Let a fact count no longer."""
        self._facts.pop(memory.id, None)

    def judge(self, fact: FactText) -> Judgement:
        """Tell what stands in the way of a new fact, or goes with it."""
        found: dict[str, list[Memory]] = defaultdict(list)
        for memory, other in self._related(fact):
            self.comparisons += 1
            found[compare(fact, other)].append(memory)
        known = sorted([*found["same"], *found["is_covered"]], key=lambda one: one.number)
        return Judgement(known[0] if known else None, tuple(found["covers"]), tuple(found["contradicts"]))

    def _related(self, fact: FactText) -> list[tuple[Memory, FactText]]:
        ids = set[int]()
        for mark in (*_marks(fact), *(f"word {word}" for word in fact.words)):
            ids |= self._marked.get(mark, set())
        if fact.words:
            ids |= self._holding.get(self._rarest(fact), set())
        related = (self._facts[one] for one in ids if one in self._facts)
        return sorted(related, key=lambda one: one[0].number)

    def _mark(self, memory_id: int, fact: FactText) -> None:
        for mark in (*_marks(fact), *([f"word {self._rarest(fact)}"] if fact.words else [])):
            self._marked[mark].add(memory_id)

    def _rarest(self, fact: FactText) -> str:
        return min(fact.words, key=lambda word: len(self._holding.get(word, ())))


def _marks(fact: FactText) -> Iterator[str]:
    """The words as they are, what they are but for numbers, and each claim: of many values, only with its own."""
    yield f"={fact.key}"
    if fact.numbers and fact.is_state:
        yield f"but for numbers {' '.join(fact.words_but_numbers)}"
    for claim in fact.claims:
        value = "" if claim.is_single else " ".join(sorted(stems_of(claim.value)))
        yield f"{claim.attribute}: {value}"
