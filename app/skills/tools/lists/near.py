"""What a message says of the items of a list that was just used: clause by clause, off, got, other, or one more.

A clause that names no item and wishes for nothing is the reason beside it: nothing in it is acted on.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import (
    Token,
    fronted,
    is_content,
    opening_verb,
    span,
    stripped,
    tokens_of,
    without_list,
    without_pronouns,
)
from app.skills.tools.lists.at_hand import read_all_got, tells_of_use
from app.skills.tools.lists.item_acts import ItemAct
from app.skills.tools.lists.kinds import (
    another_kind,
    counted_anew,
    described,
    is_made_of_it,
    made_sure,
    of_kind,
    told_count,
)
from app.skills.tools.lists.lexicon import INSTEAD_OF, WORDS
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.rewording import reworded
from app.skills.tools.lists.strung import are_wares, end_of_thing, is_measure, things_in, without_filler
from app.skills.tools.lists.told import TOLD_BEHIND, backs, brought_in, gone_in, got_in, lacked_in, told_more
from app.skills.tools.lists.turning import in_its_place, not_to_put, read_turned, wishes_otherwise
from app.skills.tools.lists.wording import (
    OPENERS,
    PRONOUNS,
    Items,
    before_question,
    clauses_of,
    from_verb,
    is_phrase,
    named_too,
    only_more,
    opened_clause,
    opens_more,
    parted,
    tells_put,
    to_list,
    to_particle,
    unasked,
    unneeded,
    without_end,
    without_verbs,
)

MAX_CHARS: Final = 300
_DETERMINERS: Final = PICKING["determiners"]
_AFTER_ALL: Final = WORDS["after_all"] | WORDS["instead"] | frozenset({"al"})
_OWN: Final = WORDS["own"] | ((PICKING["subjects"] | PICKING["pronouns"]) - _DETERMINERS)


def read_near(text: str, one: NamedList, *, is_last: bool = False) -> list[ItemAct]:
    """Return what a message does with the items of a list that was just used; [] where that is not certain.

    `is_last`: the last answer showed it, so what is only named may be one thing more.
    """
    text = before_question(unasked(text), {word.key for item in one.items for word in tokens_of(item.text)})
    if len(text) > MAX_CHARS or "?" in text or not one.items:
        return []
    return read_turned(text, one) or _Reader(text, one, is_last=is_last).acts()


class _Unclear(Exception):
    """A message says something that is not certain, or wishes for something else."""


class _Reader:
    def __init__(self, text: str, one: NamedList, *, is_last: bool) -> None:
        self._text = text
        self._items = Items(one)
        self._is_last = is_last
        self._acts: list[ItemAct] = []
        self._last: Item | None = None
        self._spoken: list[Item] = []
        self._is_brought = False
        self._denied: Item | None = None
        self._gone: tuple[Item, Sequence[Token]] | None = None
        self._unread: Sequence[Token] = ()
        self._wanted: list[str] = []
        self._maybe: list[ItemAct] = []

    def acts(self) -> list[ItemAct]:
        words = self._items.mended(tokens_of(self._text))
        if (missing := read_all_got(words)) is not None:
            return [ItemAct("done", item) for item in self._items.all_but(missing)]
        try:
            self._read_all(words)
        except _Unclear:
            return []
        is_about_item = self._is_last or any(act.item is not None for act in self._acts)
        more = self._maybe if any(act.item is not None for act in self._acts) else []
        return list(dict.fromkeys([*self._acts, *more])) if is_about_item else []

    def _read_all(self, words: Sequence[Token]) -> None:
        clauses = clauses_of(words)
        before: tuple[Token, ...] = ()
        for number, clause in enumerate(clauses):
            if only_more(clause.words):
                before = clause.words
                continue
            is_read = clause.is_reason or self._tells_more(clause.words)
            if not is_read and not self._does_without(clause.words):
                rest = from_verb(opened_clause(clause.words), self._items)
                opening = (*before, *clause.words[: len(clause.words) - len(rest)])
                if not tells_put(opening, rest):
                    self._read(rest, opening, is_why=any(map(backs, clauses[number + 1 :][:1])))
            before = ()

    def _tells_more(self, words: Sequence[Token]) -> bool:
        """Read what is told of the thing just put down: ", de los baratos", ", que sea rojo", ", the big ones"."""
        last = self._acts[-1] if self._acts else None
        more = told_more(self._text, words, last.new) if last is not None and last.deed == "add" else ""
        if last is None or not more or self._items.named(stripped(words, frozenset(), TOLD_BEHIND)):
            return False
        self._acts[-1] = last._replace(new=more)
        return True

    def _does_without(self, words: Sequence[Token]) -> bool:
        """Read "mejor sin velas", "don't put candles"; alone, "no candles" may say that none is left."""
        bare = stripped(words, (OPENERS | PICKING["joining"] | WORDS["after_all"]) - PICKING["denying"])
        if (unwanted := not_to_put(bare)) and not self._items.named(stripped(unwanted, _DETERMINERS)):
            raise _Unclear  # "better not put salt", of which there is none
        bare = bare[int(len(bare) > 2 and bare[0].key in PICKING["denying"] and bare[1].key in WORDS["without"]) :]
        others = {one.key for one in words if one not in bare[:1]}
        has_changed = not others.isdisjoint(WORDS["after_all"] | WORDS["this_time"])
        first = bare[0].key if len(bare) > 1 else ""
        is_without = first in WORDS["without"] or (has_changed and first in PICKING["denying"])
        find = self._items.begun if has_changed and not unwanted else self._items.named
        bare, is_told = unwanted or bare[1:], made_sure(list(words))[1] is not None  # "no, que la sal sea fina"
        item = find(stripped(bare, _DETERMINERS)) if (unwanted or is_without) and not is_told else None
        if item is not None:
            self._take_off(item)
            self._denied, self._gone = item, (item, bare)  # "actually not butter, margarine"
        return item is not None

    def _read(self, words: list[Token], opening: Sequence[Token], *, is_why: bool) -> None:
        changes = self._replaced, self._other_kind, self._recounted, self._changed
        readers = (*changes, self._off, self._not_needed, self._added, self._got, self._brought)
        if words and not any(read(words) for read in readers):
            named, _ = parted(words, WORDS["being"] | PICKING["done_participles"])
            self._spoken = self._items.each(named, is_whole=True)
            self._last = self._items.named(words) or next(iter(self._spoken), None) or self._last
            count = len(self._acts)
            self._read_more(words, opening, is_why=is_why)
            self._unread = words if len(self._acts) == count else ()

    def _brought(self, words: list[Token]) -> bool:
        """Read what somebody has or brings, "Dave brings his own tent": the "that" behind it means this alone."""
        if said := brought_in(words):
            self._last, self._is_brought = self._items.named(said), True
            self._spoken = [self._last] if self._last else []
        return bool(said) and self._last is not None

    def _read_more(self, words: list[Token], opening: Sequence[Token], *, is_why: bool) -> None:
        """Read "and some jam", "forgot the onions", "we need wipes", "not bread, wraps"."""
        if (new := in_its_place(self._text, words, opening)) and self._acts and self._acts[-1].deed == "remove":
            self._acts.append(ItemAct("add", new=new))
            return
        said, is_led, lacks = lacked_in(self._text, words)
        gone = gone_in(words)
        is_precise = self._items.within(gone) is not None  # "brown rice" of "rice"
        is_led = is_led or is_precise or 0 < len(gone) < len(words) - 2
        said = gone or said
        things, end = things_in(self._text, said) or [], end_of_thing(self._text, said)
        is_told = any(one.key in WORDS["being"] for one in said[:end])
        before = {one.key for one in (*opening, *words[: len(words) - len(said) + 1])}
        is_more, is_own = opens_more(opening), not is_led and not _OWN.isdisjoint(before)
        is_meant = is_why or end < len(said) or not before <= WORDS["more"] | {one.key for one in said}
        if not things or is_told or any(self._items.named(tokens_of(one)) for one in things):
            return
        if words[0].key in PICKING["denying"]:
            self._wanted = things if lacks else self._wanted  # "no hay pan, ponelo"
            return
        if self._denied is not None and not is_more and len(things) == 1 and are_wares(things):
            self._renamed(self._denied, things[0])
            self._denied = None
            return
        self._wanted = things if is_led else self._wanted
        is_wanted = is_precise or are_wares(
            things,
            is_strict=is_own or (not is_more and not is_led),
            is_more=is_more and not is_own,
            is_meant=is_more and is_meant and not is_own,
        )
        if self._is_last and is_wanted:
            self._acts += [ItemAct("add", new=thing) for thing in things]
        elif self._is_last and is_more and not is_own and are_wares(things, is_meant=True):
            self._maybe += [ItemAct("add", new=thing) for thing in things]  # "pegs found, and rope"

    def _replaced(self, words: list[Token]) -> bool:
        """Read "en vez de X pon Y", "Y instead of X", "swap X for Y"."""
        at = next((n for n in range(len(words)) if is_phrase(words, n, INSTEAD_OF)), None)
        if at is not None and all(one.key in WORDS["makes"] for one in words[:at]):
            words, at = words[at:], 0
        if at is not None:
            behind = words[at + 2 + (words[at].key == "en") :]
            old, new = (
                (behind, words[:at])
                if at
                else parted(behind, WORDS["put_verbs"] | WORDS["add_verbs"] | WORDS["instead"] | WORDS["becomes"])
            )
            if not self._reword(old, without_verbs(new)):
                raise _Unclear
            return True
        if words[0].key not in WORDS["swapping"]:
            return False
        old, new = parted(without_list(words[1:])[0], WORDS["swapped_for"])
        return bool(new) and self._reword(old, new)

    def _other_kind(self, words: list[Token]) -> bool:
        """Read "condensada" behind "evaporada no", and "white onions not red": another kind of the same thing."""
        if opening_verb(words) is not None or words[-1].key in WORDS["stays_so"]:
            self._gone = None
            return False  # "not the gate, take it off"
        at = next((n for n, one in enumerate(words) if one.key in PICKING["denying"]), len(words))
        gone = (item, words[at + 1 :]) if (item := self._items.named(words[at + 1 :])) else self._gone
        if gone is None or (gone is self._gone and at < len(words)):
            return False
        new = another_kind(gone[0].text, gone[1], self._text, words[:at] or self._unread)
        if new or any(one.key not in WORDS["filling"] for one in words):
            self._gone = None
        return self._renamed(gone[0], new)

    def _reword(self, old: Sequence[Token], new: Sequence[Token]) -> bool:
        old = [one for one in old if one.key not in PICKING["relative"]]
        item, things = self._items.named(old), things_in(self._text, new)
        if item is None or not things or len(things) > 1:
            return False
        kind = another_kind(item.text, old, self._text, new) or of_kind(item.text, things[0])
        return self._renamed(item, kind or things[0])

    def _renamed(self, item: Item, new: str) -> bool:
        if new:
            self._acts = [act for act in self._acts if act.item != item]
            self._acts.append(ItemAct("reword", item, new))
        return bool(new)

    def _recounted(self, words: list[Token]) -> bool:
        """Read "two of the milk", "de la leche dos"."""
        number, said = counted_anew(stripped(words, frozenset(), _AFTER_ALL))
        return (item := self._items.named(said)) is not None and self._amended(item, number)

    def _changed(self, words: list[Token]) -> bool:
        """Read "los huevos que sean 30", "make it 2 bottles of wine", "mejor la leche entera"."""
        if is_made_of_it(words) and (item := self._items.named(words[-1:])) is not None:
            return self._amended(item, words[2:])
        words, at = told_count(*made_sure(words))
        behind = [] if at is None else stripped(words[at + 1 :], frozenset(), _AFTER_ALL)
        if at is not None and behind:
            before = stripped(words[:at], PICKING["relative"], PICKING["relative"] | WORDS["has_to"])
            if not before and is_measure(behind[0]) and (item := self._items.headed(behind)) is not None:
                number = list(takewhile(is_measure, behind))  # "Que sean 4 los yogures".
                is_plain = any(one.key in _DETERMINERS for one in behind[len(number) :][:1])
                return self._amended(item, number if is_plain else behind)
            item = self._items.named(before) if before else self._last
            return item is not None and self._renamed(item, described(item.text, self._text, behind, words[at]))
        if words[0].key in WORDS["makes"]:
            said = stripped(words, WORDS["makes"] | PRONOUNS | _DETERMINERS)
            item = (
                self._items.headed(said)
                or self._items.within(said)
                or (self._last if all(map(is_measure, said)) else None)
            )
            return bool(said) and item is not None and self._amended(item, said)
        at = next(
            (n for n, one in enumerate(words) if one.key in WORDS["makes"] & WORDS["instead"] and n > 0),
            len(words),
        )
        if at + 1 < len(words) and (item := self._items.named(words[:at])) is not None:
            kind = span(self._text, words[at + 1 :])
            is_anew = is_measure(words[at + 1]) or self._items.headed(words[at + 1 :]) is not None
            return self._amended(item, words[at + 1 :]) if is_anew else self._renamed(item, f"{item.text} {kind}")
        bare = stripped(words, frozenset(), _AFTER_ALL)
        is_told = bool(bare) and bare[-1].key in WORDS["being"]  # "la de mi abuela es mejor"
        if 0 < len(bare) < len(words) and not is_told and (item := self._items.headed(bare)) is not None:
            return self._amended(item, bare)
        return False

    def _amended(self, item: Item, said: Sequence[Token]) -> bool:
        bare = without_filler(said, WORDS["filling"] | PICKING["closing"] | _DETERMINERS)
        return self._renamed(item, reworded(item.text, self._text, bare))

    def _off(self, words: list[Token]) -> bool:
        """Read "saca X", "take X off", "forget X", "X no", "not X"."""
        found = opening_verb(words)
        is_noun = found is not None and words[found[1]].key in WORDS["noun_verbs"]  # "bin bags"
        if found is not None and found[0] in {"keep", "done", "change"}:
            if found[0] == "done" and self._ticks(words[found[1] + 1 :]):
                return True
            raise _Unclear
        if found is None and words[0].key in WORDS["skipping"]:
            found = ("remove", 0)
        if found is None and (count := fronted(words)):
            return self._remove(words[:count], is_whole=True) and self._takes_more(words[count:])
        if found is not None:
            said = to_particle(words[found[1] + 1 :])
            return self._remove(said, is_noun=is_noun) and self._takes_more(words[found[1] + 1 + len(said) :])
        if words[-1].key in PICKING["denying"] and len(words) > 1:
            said = [one for one in words[:-1] if one.key not in WORDS["no_longer"]]
            self._gone = (item, said) if (item := self._items.named(said)) else None
            return self._remove(said, is_whole=True)
        if words[0].key in PICKING["denying"] and len(words) > 1:
            # "No turkey this year, put ham on instead"; alone it may say that none is left.
            self._denied = self._items.begun(words[1:])
            self._gone = (self._denied, words[1:]) if self._denied else None
        is_denied = words[0].key in PICKING["denying"] and len(words) > 1 and words[1].key in _DETERMINERS
        return is_denied and self._remove(words[1:], is_whole=True)

    def _ticks(self, words: Sequence[Token]) -> bool:
        """Read "tick the eggs", and "so tick it off" behind "the charger is in the bag"."""
        is_named = any(is_content(one.key) for one in to_list(words))
        items = self._items.each(to_particle(to_list(words)), is_whole=True) if is_named else self._spoken
        self._acts += [ItemAct("done", item) for item in items]
        return bool(items) or (self._is_brought and not is_named)

    def _not_needed(self, words: list[Token]) -> bool:
        """Read "los X ya no hacen falta", "dont need the X anymore", "no need for X"."""
        said = unneeded(words)
        return bool(said or (said is not None and self._is_brought)) and self._remove(said or [], is_whole=True)

    def _remove(self, said: Sequence[Token], *, is_whole: bool = False, is_noun: bool = False) -> bool:
        said = [one for one in said if one.key not in PRONOUNS - _DETERMINERS]
        if not any(is_content(one.key) for one in said):
            gone = [act.item for act in self._acts[-1:] if act.deed == "remove" and not self._is_brought]
            last = self._last or next(iter(gone), None)
            if last is not None and (self._is_brought or not is_whole):
                self._take_off(last)
            return last is not None or self._is_brought
        items = self._items.each(said, is_whole=is_whole)
        if not items and not is_whole and not is_noun:
            raise _Unclear
        for item in items:
            self._take_off(item)
        return bool(items)

    def _takes_more(self, behind: Sequence[Token]) -> bool:
        """Read "and the oats too" behind "take the tea off"."""
        for item in self._items.each(named_too(behind), is_whole=True):
            self._take_off(item)
        return True

    def _take_off(self, item: Item) -> None:
        """A thing that was told to be there is taken off where that is asked for, too."""
        self._acts = [act for act in self._acts if act.item != item]
        self._acts.append(ItemAct("remove", item))

    def _added(self, words: list[Token]) -> bool:
        """Read "agregá Y", "put Y on instead"."""
        verb = without_pronouns(words[0].key, WORDS["add_verbs"] | WORDS["put_verbs"])
        if verb not in WORDS["add_verbs"] | WORDS["put_verbs"] or (len(words) < 2 and verb == words[0].key):
            if wishes_otherwise(words[0]):
                raise _Unclear
            return False
        if any(one.key in WORDS["again"] for one in words):
            raise _Unclear
        beside = PICKING["particles"] | WORDS["instead"] | frozenset({"on"})
        said = without_end(to_list([one for one in words[1:] if one.key not in beside]))
        is_instead = any(one.key in WORDS["instead"] for one in words)
        is_pointing = all(
            one.key in PRONOUNS | PICKING["described"] | WORDS["filling"] | WORDS["as_well"] for one in said
        )
        if said and all(one.key in WORDS["no_things"] | _DETERMINERS for one in said):
            return True  # "I need the rest"
        things = self._wanted if is_pointing else things_in(self._text, said)
        is_weak = verb in WORDS["weak_verbs"] and not any(act.item is not None for act in self._acts)
        if not things or (is_weak and (is_made_of_it(words) or not are_wares(things))):
            raise _Unclear
        gone = self._acts[-1] if self._acts and self._acts[-1].deed == "remove" else None
        if is_instead and gone is not None and len(things) == 1:
            self._acts[-1] = ItemAct("reword", gone.item, things[0])
        elif is_instead and self._denied is not None and len(things) == 1:
            self._acts.append(ItemAct("reword", self._denied, things[0]))
        else:
            self._acts += [ItemAct("add", new=thing) for thing in things]
        return True

    def _got(self, words: list[Token]) -> bool:
        """Read "ya tengo X", "got the X", "X ya la trajo mi hermana"."""
        if tells_of_use(span(self._text, words)):
            return False
        things = got_in(self._text, words)
        items = [item for one in things if (item := self._items.named(self._items.mended(tokens_of(one))))]
        self._acts += [ItemAct("done", item) for item in items]
        self._last, self._spoken = (items[-1], items) if items else (self._last, self._spoken)
        return bool(items)
