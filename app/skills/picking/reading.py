"""Reads which things a message means, and what is to become of them: "sacá lo del bebé que ya me trajeron".

The reason that a person gives is no part of what they mean, and what they want left alone never is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import (
    Kind,
    Token,
    bare,
    behind_marker,
    deed_of,
    fronted,
    is_content,
    is_count,
    is_other_wish,
    is_past,
    kind,
    opened,
    opening_verb,
    place_of,
    places_of,
    span,
    stripped,
    tokens_of,
    without_list,
)

Deed = Literal["remove", "done", "change"]

MAX_CHARS: Final = 400
_REMOVING: Final = LatePattern(rf"(?<!\w){PICKING.pattern('removing')}(?!\w)")
_REMOVE: Final = "delete"
_MOST_TARGETS: Final = 8
_MOST_FRONTED: Final = 4
_DOING: Final = (PICKING["pronouns"] | PICKING["subjects"] | PICKING["taken_objects"]) - PICKING["determiners"]
_OPENS_TALE: Final = PICKING["says_why"] | PICKING["determiners"] | PICKING["subjects"]
_ALREADY_LAST: Final = PICKING["pronouns"] | PICKING["done_verbs"]
_KINDS: Final = PICKING["note_words"] | PICKING["task_words"] | PICKING["thing_words"]
_TELLING: Final = PICKING["already"] | PICKING["done_verbs"] | PICKING["done_words"] | PICKING["done_participles"]


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that is meant: `text` tells it, `said` is all that is said of it, `place` its place (-1: last)."""

    text: str
    place: int | None = None
    said: str = ""

    @property
    def is_described(self) -> bool:
        return self.text != self.said


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to become of which things. Without `targets` it only points, and `beside` says what for.

    `more` are short clauses that may name further things, `kept` what is to be left as it is, `new` the words
    that a thing is to have, `place` those that name its list, `kind` what sort of thing it is called. `is_told`:
    the message only tells that it was done.
    """

    deed: Deed
    targets: tuple[Target, ...] = ()
    more: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    beside: str = ""
    new: str = ""
    place: str | None = None
    kind: Kind | None = None
    is_all: bool = False
    is_told: bool = False


def read_target(text: str) -> Target:
    """Return what a few words mean: a place in a row, or a thing with those words."""
    return _Message(text).target(tokens_of(text))


@lru_cache(maxsize=16)
def read_wish(text: str) -> Wish | None:
    """Return what a message wants done with things there are; None for any other message.

    It is kept for a while: each ability reads the same message.
    """
    if len(text) > MAX_CHARS:
        return None
    return _Message(_REMOVING.sub(_REMOVE, text)).wish()


@dataclass(frozen=True, slots=True)
class _Clause:
    """`deed` is what its verb says, `words` all else in it; None: it has no such verb."""

    deed: str | None
    words: tuple[Token, ...]
    is_told: bool = False
    is_other: bool = False
    is_denied: bool = False


def _points_to_kind(words: Sequence[Token]) -> bool:
    """Tell whether words are only "that note", "esa tarea"."""
    return [one.key in some for one, some in zip(words, (PICKING["this_one"], _KINDS), strict=False)] == [True] * 2


class _Message:
    def __init__(self, text: str) -> None:
        self._text = text

    def wish(self) -> Wish | None:
        clauses = [self._read(one) for one in self._clauses()]
        deeds = [one for one in clauses if one.deed in {"remove", "done", "change"}]
        keys = {word.key for one in clauses for word in one.words}
        if not deeds or any(one.is_other for one in clauses) or not keys.isdisjoint(PICKING["elsewhere"]):
            return None
        asked = [one for one in deeds if not one.is_told] or deeds
        kind = asked[0].deed
        if {one.deed for one in asked} != {kind} or ("?" in self._text and asked[0].is_told):
            return None
        return self._made(clauses, asked, kind)

    def _made(self, clauses: Sequence[_Clause], asked: Sequence[_Clause], deed: str | None) -> Wish | None:
        kept = tuple(
            said
            for one in clauses
            if one.deed == "keep"
            and not PICKING["thinking_again"].issuperset(each.key for each in one.words)
            and (said := self._said(one.words))
        )
        new = ""
        if deed == "change":
            asked, new = self._changed(clauses, asked)
            if not new:
                return None
        told = [one for one in clauses if one.is_told and one.deed == deed] or self._fronted(clauses, asked[0])
        named = [one for one in asked if any(map(self._says, one.words))] or told
        place, targets, is_all = None, list[Target](), False
        for one in named:
            words, found = without_list(one.words)
            if (at := self._exception(words)) is not None:
                words, kept = words[:at], (*kept, self._said(words[at + 1 :]))
            place = place if found is None else found
            targets += self._targets(words)
            is_all = is_all or self._is_all(words)
        is_pointed = not any(self._names_more(word) for one in named for word in one.words)  # "borra las dos"
        if (
            (is_pointed or not targets)
            and deed == "remove"
            and (denied := self._denied(clauses, asked[0], targets))
        ):
            kept, targets = (), list(self._targets(denied))
        plain = [one for one in clauses if one.deed is None]
        kinds = {word.key for one in clauses for word in one.words}
        return Wish(
            "remove" if deed == "remove" else "done" if deed == "done" else "change",
            tuple(targets[:_MOST_TARGETS]),
            tuple(self._said(one.words) for one in plain if one.words),
            kept,
            " ".join(self._said(one.words) for one in plain),
            new,
            place,
            kind(kinds),
            is_all,
            asked[0].is_told,
        )

    def _fronted(self, clauses: Sequence[_Clause], asked: _Clause) -> list[_Clause]:
        """Return the clause that only names what the next one speaks of: "the hatch one, remove it"."""
        if asked not in clauses:
            return []
        before = clauses[max(0, clauses.index(asked) - 1)]
        opens = before.words[:1] and before.words[0].key in PICKING["determiners"]
        is_short = before.deed is None and len(before.words) <= _MOST_FRONTED
        return [before] if opens and is_short and any(map(self._names_more, before.words)) else []

    def _denied(self, clauses: Sequence[_Clause], asked: _Clause, counted: Sequence[Target]) -> tuple[Token, ...]:
        """Return the words for what is not wanted, behind which stands why, and a wish that points to it, or that
        has it `counted`: "not the hats, Ann has some, take them off"; () where there is none."""
        kept = [one for one in clauses if one.deed == "keep" and self._said(one.words)]
        is_one = len(kept) == 1 and kept[0].is_denied and clauses.index(kept[0]) < clauses.index(asked)
        # "The rope my brother got no": what somebody did is no thing.
        is_plain = is_one and (not counted or _DOING.isdisjoint(one.key for one in kept[0].words))
        return kept[0].words if is_plain and not asked.is_told else ()

    def _changed(self, clauses: Sequence[_Clause], asked: Sequence[_Clause]) -> tuple[list[_Clause], str]:
        """Return the clauses that name what changes, and what it becomes: "change it to bread. no time"."""
        [first, *_] = asked
        words = list(first.words)
        at = next(
            (n for n, one in enumerate(words) if one.key in PICKING["becoming"] and n + 1 < len(words)), None
        )
        if at is None:
            return [first], ""
        while words[at + 1].key in PICKING["becoming"] and at + 2 < len(words):
            at += 1
        new = span(self._text, words[at + 1 :])
        named = _Clause("change", tuple(words[:at]))
        if not any(map(self._says, named.words)):
            before = [one for one in clauses if one.words and one.words[-1].end <= first.words[0].start]
            named = before[-1] if before else named
        return [named], new

    def _targets(self, words: Sequence[Token]) -> Iterator[Target]:
        part: list[Token] = []
        for one in (*words, None):
            if one is not None and one.key not in PICKING["joining"]:
                part.append(one)
                continue
            if (places := places_of(part)) and not any(map(self._names_more, part)):
                yield from (Target(self._span(part), place, self._span(part)) for place in places)
            elif any(map(self._says, part)) and not self._is_all(part):
                yield self.target(part)
            part = []

    def target(self, words: Sequence[Token]) -> Target:
        said = [one for one in words if self._says(one)]
        places = [place_of(one) for one in said]
        if len(said) == 1 and places[0] is not None:
            return Target(self._span(words), places[0], self._span(words))
        return Target(self._span(words[behind_marker(words) :]), said=self._span(words))

    def _says(self, one: Token) -> bool:
        return is_content(one.key) or place_of(one) is not None or one.key in PICKING["every"]

    def _names(self, one: Token) -> bool:
        return is_content(one.key) and one.key not in PICKING["every"]

    def _names_more(self, one: Token) -> bool:
        return self._names(one) and not is_count(one)

    def _is_all(self, words: Sequence[Token]) -> bool:
        return any(one.key in PICKING["every"] for one in words) and not any(map(self._names, words))

    def _exception(self, words: Sequence[Token]) -> int | None:
        """Return where an exception to all begins: "todo menos el pan"."""
        every = next((n for n, one in enumerate(words) if one.key in PICKING["every"]), len(words))
        return next((n for n, one in enumerate(words) if n > every and one.key in PICKING["excepting"]), None)

    def _excepts(self, clause: Sequence[Token], one: Token) -> bool:
        """Tell whether a word leads from all to what is left alone: "tick all but the rice"."""
        return not one.is_cut and one.key in PICKING["excepting"] and clause[-1].key in PICKING["every"]

    def _said(self, words: Sequence[Token]) -> str:
        return self._span(words) if any(map(self._says, words)) else ""

    def _span(self, words: Sequence[Token]) -> str:
        kept = stripped(stripped(words, PICKING["particles"], PICKING["closing"]), PICKING["opening"])
        return span(self._text, kept)

    def _clauses(self) -> Iterator[list[Token]]:
        """Yield the clauses: what opens a reason behind a thing that was named begins one, too."""
        words, clause = tokens_of(self._text), list[Token]()
        for number, one in enumerate(words):
            if clause and not self._excepts(clause, one) and self._begins(clause, words, number):
                yield clause
                clause = []
            if one.key not in COMMON_WORDS["address"] or not _points_to_kind(clause[-2:]):
                clause.append(one)  # "Delete that note mate"
        if clause:
            yield clause

    def _begins(self, clause: Sequence[Token], words: Sequence[Token], number: int) -> bool:
        one = words[number]
        if one.is_cut or one.key in PICKING["breaks"]:
            return True
        if one.key in PICKING["joining"]:
            rest = words[number + 1 : number + 7]
            return opening_verb(rest) is not None or any(is_other_wish(each) for each in rest[:1])
        if one.key in PICKING["hence"] and opening_verb(words[number + 1 : number + 4]) == ("remove", 0):
            return True  # "Ann does the tiles so delete that one"
        if clause[-1].key != bare(clause[-1].key) and len(clause) > 1 and one.key in PICKING["reason"]:
            return True  # "lo de las flores borralo que ya las trajo"
        verb = opening_verb(clause)
        behind = clause if verb is None else clause[verb[1] + 1 :]
        has_thing = any(self._says(each) for each in behind)
        is_reason = one.key in PICKING["reason"]
        if not has_thing and _points_to_kind(behind):
            # "Delete that note my brother has it", but "that note that says …" is told by that.
            told = words[number + 1].key if number + 1 < len(words) else ""
            has_thing = told not in PICKING["telling_of"]
            is_reason = is_reason or one.key in PICKING["says_why"]
        elif has_thing and not any(map(self._names_more, behind)) and any(place_of(each) for each in behind):
            # "Scrap that last one my aunt has it".
            is_reason = is_reason or (one.key in _OPENS_TALE and clause[-1].key not in PICKING["joining"])
        return verb is not None and verb[0] != "change" and has_thing and is_reason

    def _read(self, clause: Sequence[Token]) -> _Clause:
        words = opened(clause)
        if words and is_other_wish(words[0]):
            return _Clause(None, tuple(words), is_other=True)
        found = opening_verb(clause)
        if found is not None:
            return _Clause(found[0], tuple(clause[found[1] + 1 :]))
        if (count := fronted(clause)) and clause[count].key not in PICKING["particles"]:
            return _Clause("remove", tuple(clause[:count]))  # "the brass one scrap it"
        plain = stripped(clause, frozenset(), PICKING["closing"]) or clause  # "esa última bórrala nomás"
        if (last := deed_of(plain[-1])) is not None and (plain[-1].key != bare(plain[-1].key) or last == "keep"):
            return _Clause(last, tuple(plain[:-1]))
        if clause[-1].key in PICKING["denying"] and len(clause) > 1:
            return _Clause("keep", tuple(clause[:-1]), is_denied=True)
        if len(words) > 1 and words[0].key in PICKING["denying"] and words[1].key in PICKING["determiners"]:
            return _Clause("keep", tuple(words[1:]), is_denied=True)
        told = self._told(clause)
        return _Clause(None, tuple(clause)) if told is None else _Clause("done", tuple(told), is_told=True)

    def _told(self, clause: Sequence[Token]) -> list[Token] | None:
        """Return the words for what a clause says was done: "ya empaqué las medias", "el pan ya lo compré"."""
        words = stripped(clause, PICKING["opening"] - _TELLING)
        while len(words) > 1 and words[0].key in _ALREADY_LAST and words[-1].key in PICKING["already"]:
            words.insert(0, words.pop())
        at = next((n for n, one in enumerate(words) if one.key in PICKING["already"]), self._taken_up(words))
        verb = 0 if at is None else at
        while verb < len(words) and words[verb].key in PICKING["pronouns"] | PICKING["already"]:
            verb += 1
        if verb >= len(words) or words[verb].key in PICKING["not_done"]:
            return None
        key = words[verb].key
        before = [one for one in words[: at or 0] if one.key not in PICKING["subjects"]]
        behind = words[verb + 1 :]
        is_aside = len(behind) <= 1 or behind[0].key in PICKING["aside"] | PICKING["described_by"]
        is_done = key in _TELLING - PICKING["already"] or (at is not None and is_past(words[verb], self._text))
        if is_done and (at == 0 or at is None or not before):
            return self._without_aside(behind)
        if is_done and before and is_aside:
            return before
        if len(words) > 1 and words[-1].key in PICKING["done_participles"]:
            return words[:-1]
        return None

    def _taken_up(self, words: Sequence[Token]) -> int | None:
        """Return where a thing is taken up again before a verb of what was done: "la harina la conseguí"."""
        pairs = pairwise(range(1, len(words)))
        found = (n for n, verb in pairs if words[verb].key in PICKING["done_verbs"] and self._takes_up(words[n]))
        at = next((n for n in found if any(map(self._says, words[:n]))), None)
        return None if any(one.key in PICKING["denying"] for one in words[:at]) else at

    def _takes_up(self, one: Token) -> bool:
        return one.key in PICKING["pronouns"] & PICKING["described"] and not one.is_cut

    def _without_aside(self, words: Sequence[Token]) -> list[Token]:
        """Return the words for a thing without where or when it was got: "the glue from work"."""
        ends = (n for n, one in enumerate(words) if one.key in PICKING["aside"])
        end = next((n for n in ends if any(map(self._says, words[:n]))), len(words))
        return list(words[:end])
