"""The clauses of a message about the items of a list, their words as they are compared, and the items."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from app.language.lexicon import STOP_WORDS
from app.language.slips import slips
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import (
    Token,
    deed_of,
    is_content,
    is_other_wish,
    opening_verb,
    pieces,
    stripped,
    tokens_of,
    without_pronouns,
)
from app.skills.tools.lists.joined import puts_on
from app.skills.tools.lists.lexicon import ASKED_BESIDE, UNITS, WORDS
from app.skills.tools.lists.repository import Item, NamedList

_ENDS_SENTENCE: Final = re.compile(r"[.!?;\n]")
_LEAST_LETTERS: Final = 5
_DETERMINERS: Final = PICKING["determiners"]
ARTICLES: Final = frozenset({"el", "la", "los", "las", "the"})
PRONOUNS: Final = PICKING["pronouns"] | frozenset({"it", "them"})
OPENERS: Final = (WORDS["filling"] | PICKING["opening"]) - WORDS["makes"] - PICKING["already"]
_PUTTING: Final = WORDS["add_verbs"] | WORDS["put_verbs"]
_OPENING_CLAUSE: Final = (_PUTTING | WORDS["swapping"] | WORDS["skipping"] | WORDS["makes"]) - WORDS["noun_verbs"]
_CLOSING: Final = PICKING["closing"] - PICKING["particles"] - WORDS["instead"] - PICKING["list_words"]
_SPEAKERS: Final = PICKING["subjects"] | frozenset({"i", "we"})
_LEAST_OF_A_REASON: Final = 2
_ONES: Final = frozenset({"one", "ones"})
_MOST_OF_A_KIND: Final = 5
_FOR: Final = frozenset({"a", "para", "pa", "for"})
_ENGLISH_MORE: Final = frozenset({"and", "also", "plus", "oh"})
_HENCE: Final = frozenset({"so", "entonces"})
_SINCE: Final = frozenset({"since"})
_WHY: Final = PICKING["relative"] | frozenset({"so", "since"})
_ASIDE: Final = (
    PICKING["already"]
    | PICKING["reason"]
    | PICKING["subjects"]
    | _DETERMINERS
    | PICKING["aside"]
    | PICKING["list_links"]
)
_LIST: Final = PICKING["list_words"] | PICKING["list_links"] | PICKING["closing"] | PICKING["particles"]
_NO_NAME: Final = (
    STOP_WORDS | _DETERMINERS | PICKING["denying"] | PICKING["pronouns"] | PICKING["subjects"] | PICKING["breaks"]
)


@dataclass(frozen=True, slots=True)
class Clause:
    words: tuple[Token, ...]
    is_reason: bool = False


def clauses_of(words: Sequence[Token]) -> list[Clause]:
    found, clause, is_reason = list[Clause](), list[Token](), False
    for number, one in enumerate(words):
        opens_reason = _opens_reason(words, number) and not _follows(words, number)
        is_behind = (is_reason and _wishes_behind(words, number)) or _follows(words, number)
        if is_behind and [each.key for each in clause[1:]][-1:] == ["asi"]:
            clause.pop()
        if clause and (one.is_cut or opens_reason or is_behind or _joins(words, number)):
            found.append(Clause(tuple(clause), is_reason))
            clause, is_reason = [], False
        is_reason = is_reason or (opens_reason and not clause)
        clause.append(one)
    return [*found, Clause(tuple(clause), is_reason)] if clause else found


def before_question(text: str, known: Set[str]) -> str:
    """Return a text without the question at its end, where that only asks whether something known is on the list:
    "and foil. the candles were there, right?"; as it is otherwise."""
    words = tokens_of(text) if text.rstrip().endswith("?") else []
    first = next((n for n in range(len(words) - 1, 0, -1) if _ENDS_SENTENCE.search(words[n].gap)), 0)
    asked = [one.key for one in words[first:]]
    beside = WORDS["on_it"] | WORDS["asks_whether"] | ASKED_BESIDE | WORDS["having"] | WORDS["asks_again"]
    named = [key for key in asked if hold([key], list(known))]
    is_asked = bool(named) and all(key in beside or key in named for key in asked)
    return text[: words[first - 1].end] if first and is_asked else text


def unasked(text: str) -> str:
    """Return a request without the mark that makes it polite: "can you add rice?", "me agregás pan?"."""
    words = tokens_of(text) if text.rstrip().endswith("?") else []
    rest = stripped(words, OPENERS | PICKING["pronouns"] | WORDS["politely"])
    is_asked = any(one.key in PICKING["pronouns"] | WORDS["politely"] for one in words[: len(words) - len(rest)])
    verb = without_pronouns(rest[0].key, WORDS["put_verbs"]) if rest else ""
    is_put = verb in WORDS["put_verbs"] - WORDS["weak_verbs"] and (is_asked or verb.endswith("s"))
    found = opening_verb(rest) if is_asked else None
    is_wish = is_put or (found is not None and found[0] in {"remove", "change"} and found[1] == 0)
    return text.rstrip(" ?") if is_wish and text.count("?") == 1 else text


def tells_how_much(words: Sequence[Token]) -> bool:
    """Tell whether words only say how much of something there is: "2 heads", "3 maples"."""
    return [one.key.isdigit() for one in words] == [True, False] and words[1].key in UNITS


def tells_which(words: Sequence[Token]) -> bool:
    """Tell whether words only tell which one: "de los baratos", "que sea rojo", "los largos", "the big ones"."""
    first, second, *_ = [*(one.key for one in words), "", ""]
    is_which = first in PICKING["relative"] and second in WORDS["telling_which"]
    is_of_kind = first in WORDS["place_links"] and second in _DETERMINERS and len(words) > 2
    is_kind = first in _DETERMINERS and (second in WORDS["place_links"] or len(words) == 2)
    is_one = 1 < len(words) <= _MOST_OF_A_KIND and words[-1].key in _ONES
    if tells_how_much(words):
        return True
    return len(words) > 1 and (is_which or (len(words) <= _MOST_OF_A_KIND and (is_of_kind or is_kind)) or is_one)


def _opens_reason(words: Sequence[Token], number: int) -> bool:
    """Tell whether a reason begins here: "que ya trajo Ana", "cos she has some"; no "que sean 30"."""
    key = words[number].key
    if key in PICKING["breaks"]:
        return True
    if number == 1 and words[0].key in PICKING["calls_out"]:
        return False  # "fijate que Ana trae el suyo"
    behind = takewhile(lambda one: not one.is_cut, words[number + 1 : number + 6])
    return (
        key in _WHY and (number > 0 or key in _SINCE) and not any(one.key in WORDS["no_reason"] for one in behind)
    )


def _follows(words: Sequence[Token], number: int) -> bool:
    """Tell whether a wish follows from what was said: "ya hay, asi que sacalos", "we have some so take it off"."""
    before, behind = words[max(0, number - 1)].key, words[number + 1 : number + 5]
    is_hence = words[number].key in _HENCE or (words[number].key in PICKING["relative"] and before == "asi")
    found = opening_verb(behind) if is_hence else None
    clause = {one.key for one in takewhile(lambda one: not one.is_cut, behind)}
    if is_hence and not clause.isdisjoint(WORDS["instead"] | WORDS["better"]):
        return True  # "so a shawl instead"
    if is_hence and not clause.isdisjoint(PICKING["denying"]) and not clause.isdisjoint(WORDS["needed"]):
        return True  # "so we dont need it"
    return found is not None and (found[0] == "done" or (found[0] == "remove" and found[1] == 0))


def _wishes_behind(words: Sequence[Token], number: int) -> bool:
    """Tell whether a wish begins behind a reason, without a mark: "since Ana is coming add crisps"."""
    verbs = WORDS["put_verbs"] - WORDS["told_too"] - WORDS["noun_verbs"]
    is_told = words[number - 1].key in STOP_WORDS | PICKING["pronouns"] | PICKING["subjects"]
    return number > _LEAST_OF_A_REASON and words[number].key in verbs and not is_told


def _joins(words: Sequence[Token], number: int) -> bool:
    """Tell whether a joiner leads to a clause of its own."""
    if words[number].key not in PICKING["joining"] or number + 1 >= len(words):
        return False
    rest = words[number + 1 : number + 8]
    is_verb = puts_on(rest) or rest[0].key in _OPENING_CLAUSE or is_other_wish(rest[0])
    return is_verb or opening_verb(rest) is not None or any(one.key in WORDS["becomes"] for one in rest)


def opened_clause(words: Sequence[Token]) -> list[Token]:
    """Return a clause without what only opens it: "no para", "ah mirá", "eish"."""
    rest = list(
        words[1:]
        if _follows(words, 0) or (len(words) > 1 and words[0].key == "que" and opening_verb(words[1:]))
        else words
    )
    while len(rest) > 1 and rest[0].key in OPENERS | PICKING["joining"]:
        before = words[len(words) - len(rest) - 1].key if len(rest) < len(words) else ""
        is_called_out = before in WORDS["exclaiming"] and rest[1].key not in PICKING["asks_formally"]
        if is_called_out and (opening_verb(rest[1:]) or ("", -1))[1] == 0:
            return rest[1:]  # "oh no take the eggs off"
        if rest[0].key in PICKING["denying"] and rest[1].key not in OPENERS | _DETERMINERS | WORDS["skipping"]:
            break
        if (
            rest[0].key in PICKING["denying"]
            and rest[1].key in _DETERMINERS
            and rest[-1].key not in (PICKING["denying"])
        ):
            break
        rest.pop(0)
    put = rest[len(list(takewhile(lambda one: one.key in WORDS["after_all"] | WORDS["in_its_place"], rest))) :]
    if put and put[0].key in _PUTTING:
        rest = put  # "mejor poné atún", "en su lugar pon atún"
    while len(rest) > 1 and rest[-1].key in _CLOSING and rest[-2].key not in WORDS["becomes"]:
        rest.pop()
    return rest


def opens_more(opening: Sequence[Token]) -> bool:
    """Tell whether what opens a clause says that one more follows, and no time as "and at 8", "y a las 8"."""
    keys = [one.key for one in opening]
    if keys[-1:] == ["a"] and not _ENGLISH_MORE.isdisjoint(keys):
        keys.pop()  # "and a torch"
    return (
        not WORDS["more"].isdisjoint(keys) and WORDS["at_places"].isdisjoint(keys[-2:]) and _FOR.isdisjoint(keys)
    )


def tells_why(clause: Clause) -> bool:
    """Tell whether a clause says why a thing before it is wanted: "because …", "Tilly used the last of it"."""
    return clause.is_reason or any(one.key in WORDS["consumed"] for one in clause.words[1:])


def only_more(words: Sequence[Token]) -> bool:
    """Tell whether a clause only says that one more thing follows: "y otra cosa, …", "another thing: …"."""
    only = OPENERS | PICKING["joining"] | WORDS["more"] | PICKING["described"]
    return opens_more(words) and all(one.key in only for one in words)


def tells_put(opening: Sequence[Token], rest: Sequence[Token]) -> bool:
    """Tell whether somebody only says that they do so: "I put butter on everything", not "we need …"."""
    is_own = bool(opening) and opening[-1].key in _SPEAKERS
    return is_own and bool(rest) and rest[0].key in _PUTTING and rest[0].key not in WORDS["lacked"]


def is_phrase(words: Sequence[Token], number: int, phrases: frozenset[str]) -> bool:
    said = [one.key for one in words[number : number + 3]]
    return " ".join(said) in phrases or " ".join(said[:2]) in phrases


def parted(words: Sequence[Token], at: frozenset[str]) -> tuple[list[Token], list[Token]]:
    """Return the words before and behind the first of those."""
    before = list(takewhile(lambda one: one.key not in at, words))
    return before, list(words[len(before) + 1 :])


def without_verbs(words: Sequence[Token]) -> list[Token]:
    rest = list(words)
    while (
        len(rest) > 1
        and rest[0].key
        in (WORDS["add_verbs"] | WORDS["put_verbs"] | WORDS["makes"] | WORDS["instead"]) - WORDS["noun_verbs"]
    ):
        rest.pop(0)
    return rest


def to_particle(words: Sequence[Token]) -> list[Token]:
    """Return the words for what is taken off, up to "off": behind it stands why."""
    before = list(takewhile(lambda one: one.key not in PICKING["particles"], words))
    return before if any(is_content(one.key) for one in before) else list(words)


def to_list(words: Sequence[Token]) -> list[Token]:
    """Return words without those for the list at their end."""
    at = next((n for n, one in enumerate(words) if one.key in PICKING["list_words"]), None)
    if at is None:
        return list(words)
    while at > 0 and words[at - 1].key in PICKING["list_links"]:
        at -= 1
    return list(words[:at])


def contents(words: Sequence[Token]) -> list[str]:
    return [one.key for one in words if is_content(one.key) and one.key not in PICKING["every"]]


def hold(some: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether each of some words stands among others, in the plural or not."""
    return bool(some) and all(any(_forms(one) & _forms(other) for other in others) for one in some)


def _forms(word: str) -> set[str]:
    forms = {word}
    if word.endswith("s") and len(word) > 3:
        forms.add(word[:-1])
    if word.endswith("es") and len(word) > 4:
        forms.add(word[:-2])
    return forms


def meant(one: Token, known: set[str]) -> Token:
    if len(one.key) < _LEAST_LETTERS or not one.key.isalpha() or one.key in known or not is_content(one.key):
        return one
    if any(_forms(one.key) & _forms(word) for word in known):
        return one
    near = [word for word in known if len(word) >= _LEAST_LETTERS and slips(one.key, word) == 1]
    return replace(one, key=near[0]) if len(near) == 1 else one


def opened_by_and(words: Sequence[Token]) -> list[Token]:
    """Return words with the "and" before them where it has a slip: "nd jam"."""
    is_slip = len(words) > 1 and words[0].key in WORDS["and_slipped"] - PICKING["determiners"]
    return [replace(words[0], key="and"), *words[1:]] if is_slip else list(words)


class Items:
    """The items of a list, found by what is said."""

    def __init__(self, one: NamedList) -> None:
        self._list = one
        self.open = one.open_items

    def mended(self, words: Sequence[Token]) -> list[Token]:
        """Return words with those of the items in the place of slips: they are only compared so."""
        known = {one.key for item in self._list.items for one in tokens_of(item.text)}
        return [meant(one, known) for one in opened_by_and(words)]

    def each(self, said: Sequence[Token], *, is_whole: bool) -> list[Item]:
        """Return the items that are enumerated; [] where one of them is none."""
        found = list[Item]()
        for part in pieces(said):
            apart = self._apart(part, is_whole=is_whole)
            item = self.named(part) if is_whole else self.begun(part)
            if item is None and not apart:
                return []
            found += apart or [item] if item is not None else apart
        return found

    def _apart(self, part: Sequence[Token], *, is_whole: bool) -> list[Item]:
        """Return the items that only their articles part: "the rope the tarp"; [] where one names none."""
        begins = [n for n, one in enumerate(part) if one.key in ARTICLES]
        ends = [*begins[1:], len(part)]
        groups = [part[n:end] for n, end in zip(begins, ends, strict=False)]
        if begins[:1] != [0] or len(groups) < 2:
            return []
        last = self.named(groups[-1]) if is_whole else self.begun(groups[-1])
        items = [item for item in (*map(self.named, groups[:-1]), last) if item is not None]
        return items if len(set(items)) == len(groups) else []

    def all_but(self, missing: Sequence[Sequence[Token]]) -> list[Item]:
        """Return what is open but for what is named; what stands behind that is why."""
        named = list(takewhile(lambda item: item is not None, map(self.begun, missing)))
        return [item for item in self.open if item not in named] if named or not missing else []

    def begun(self, part: Sequence[Token]) -> Item | None:
        """Return the item whose name words begin with; what follows it may only be an aside."""
        for end in range(len(part), 0, -1):
            is_aside = end == len(part) or part[end].key in _ASIDE | _LIST
            if is_aside and (item := self.named(part[:end])) is not None:
                return item
        return None

    def named(self, said: Sequence[Token]) -> Item | None:
        """Return the one item that words name, and nothing else."""
        wanted = contents(said)
        if PICKING["list_words"].issuperset(wanted):
            return None  # "Off the list" names no "list paper"
        items = self._list.items
        same = [item for item in items if wanted and hold(wanted, contents(tokens_of(item.text)))]
        whole = [item for item in same if hold(contents(tokens_of(item.text)), wanted)]
        return whole[0] if len(whole) == 1 else same[0] if len(same) == 1 else None

    def within(self, said: Sequence[Token]) -> Item | None:
        """Return the one item all of whose words are among others: "milk" of "oat milk"."""
        found = [item for item in self._list.items if hold(contents(tokens_of(item.text)), contents(said))]
        return found[0] if len(found) == 1 else None

    def headed(self, said: Sequence[Token]) -> Item | None:
        """Return the one item that has the first word of a thing, which is told anew: "pañales talla 5"."""
        first = next((key for key in contents(said) if key not in PICKING["list_words"]), "")
        items = [item for item in self._list.items if first and hold([first], contents(tokens_of(item.text)))]
        return items[0] if len(items) == 1 else self.named(said)


def named_too(words: Sequence[Token]) -> list[Token]:
    """Return the words for what is named behind a joiner: "and the oats too"."""
    at = next((n for n, one in enumerate(words) if one.key in PICKING["joining"]), len(words))
    return stripped(words[at:], PICKING["joining"] | WORDS["as_well"], WORDS["as_well"] | PICKING["closing"])


def unneeded(words: Sequence[Token]) -> list[Token] | None:
    """Return the words for what is said not to be needed, [] where it is pointed to; None where nothing is."""
    keys = {one.key for one in words}
    is_denied = not keys.isdisjoint(PICKING["denying"] | WORDS["no_longer"] - PICKING["already"])
    beside = WORDS["needed"] | WORDS["no_longer"] | PICKING["denying"] | OPENERS | PICKING["pronouns"]
    is_so = is_denied and not keys.isdisjoint(WORDS["needed"])
    return [one for one in words if one.key not in beside] if is_so else None


def from_verb(words: list[Token], items: Items) -> list[Token]:
    """Return a clause without who is spoken to: "oiga quite los nopales", "lads take it off"."""
    for count in (1, 2):
        before, rest = words[:count], words[count:]
        is_name = all(
            one.key not in _NO_NAME | WORDS["add_verbs"] and items.named([one]) is None for one in before
        )
        found = opening_verb(rest)
        is_verb = rest and (
            rest[0].key in (WORDS["skipping"] | WORDS["makes"]) - WORDS["noun_verbs"]
            or (found is not None and found[1] == 0)
        )
        is_denied = len(rest) > 1 and rest[0].key in PICKING["denying"] and rest[1].key in WORDS["needed"]
        if is_name and (is_verb or is_denied) and deed_of(before[0]) is None:
            return words[count:]
    return words


def without_end(words: Sequence[Token]) -> list[Token]:
    """Return what is to be put down without what only ends a wish: "sugar on as well please"."""
    ends = WORDS["as_well"] | WORDS["filling"] | PICKING["closing"] | PICKING["already"]
    return stripped(words, frozenset(), ends - WORDS["household"])
