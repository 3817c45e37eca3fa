"""Which of a person's sentences tells what they ask of their own people, animals and things, by another word.

What is asked for is one word ("dog"), which a sentence may only hold in meaning ("my whippet"). It must hold an
answer besides: a name for "called", an age for "how old", a place for "where", a day for "when".
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from app.domain.wording import fold, stem, words
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.pipeline.answering.quoting import Asked, holds, questions_in, read_question
from app.pipeline.lexicon import OWN, WORDS, says_recall
from app.pipeline.lexicon.told import NAMING, SAME, TITLES, WIDER, is_number, with_kin

Likeness = Callable[[str, Sequence[str]], Awaitable[Sequence[float]]]
"""Returns how alike a word is to each of others in meaning, -1 to 1; nothing where no encoder tells."""
Kind = Literal["name", "age", "where", "when"]

# A whippet, a kelpie and a labrador are 0.52 to 0.58 to "dog"; a brother is 0.45, a sofa 0.41.
_ALIKE: Final = 0.5
_MOST_CHARS: Final = 300
_LEAST_LETTERS: Final = 3
_BEFORE: Final = 3
_APART: Final = WORDS["kinds_apart"]
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’][^\W\d_]{1,2}(?!\w))?")
_NOT_OWNERS: Final = frozenset({"that", "he", "she", "it", "who", "here", "there", "what", "where", "let"})
_TESTING: Final = LatePattern(rf"(?<!\w){WORDS.pattern('testing')}")
_NAMED_BEFORE: Final = LatePattern(rf"(?:,|(?<=\w)) ?{WORDS.pattern('named_before')} ")
_SO: Final = LatePattern(rf"(?<!\w){WORDS.pattern('is_so')} (?P<so>[^\W\d_]{{3,}})")
_SAID_SMALL: Final = frozenset({"medicinekind"})
_PLACE: Final = LatePattern(rf"(?<!\w)(?i:{WORDS.pattern('named_place')}) [A-ZÀ-ÖØ-Þ][^\W\d_]+", flags=0)
_BEHIND_A_PLACE: Final = LatePattern(rf"(?<!\w){WORDS.pattern('named_place')} \Z")
_NAME: Final = re.compile(r"(?<=[^\W_.!?] )[A-ZÀ-ÖØ-Þ][^\W\d_]+|(?<=, )[A-ZÀ-ÖØ-Þ][^\W\d_]+")
_DAY: Final = LatePattern(rf"\d|(?<!\w){WORDS.pattern('a_day')}(?!\w)")
_AGE: Final = LatePattern(
    rf"(?<!\w){WORDS.pattern('ones_age')} (?P<age>\w+)|(?<!\w)(?P<aged>\w+) {WORDS.pattern('age_behind')}(?!\w)"
)
_CHILD: Final = frozenset({"childkind", "boykind", "daughterkind"})
_GRANDCHILD: Final = frozenset({"grandchildkind", "grandsonkind", "granddaughterkind"})
_BETWEEN: Final = 4
_MOST_BEHIND: Final = 8


class OwnThing(NamedTuple):
    """What is asked of: its words and their stems, all of which a sentence must hold; `kind` of answer."""

    called: Mapping[str, str]
    kind: Kind

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(self.called.values())


class Nearest(NamedTuple):
    """The sentences that hold an answer, and those that speak of such a thing, but hold none, or of another's."""

    found: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def own_thing(text: str) -> OwnThing | None:
    """Return what of their own a text asks of; None where it asks for none, or for something else of it."""
    if (tested := _TESTING.search(fold(text))) is not None and len(fold(text)) == len(text):
        text = text[: tested.start()].rstrip(" ,.;:-")
    for sentence in re.split(r"(?<=[.!?…])\s+|\n+", text):
        # "Do you remember my dog's name" has no word that asks.
        for question in [*questions_in(sentence)] or [sentence] * says_recall(sentence):
            if (kind := _kind(asked := read_question(question))) is None or not _is_own(question):
                continue
            said = [one for one in _TOKEN.findall(fold(question)) if one not in COMMON_WORDS["interrogatives"]]
            stems = frozenset(asked.content) - _around(kind)
            pairs = [" ".join(both) for both in pairwise(["", *map(_bare, said)])]
            called = {both.rpartition(" ")[2]: one for both in pairs for one in stems if _is_called(both, one)}
            if called and stems == {*called.values()} and not asked.names:
                return OwnThing(called, kind)
    return None


def _is_own(question: str) -> bool:
    return not WORDS["mine"].isdisjoint(_TOKEN.findall(fold(question)))


def _kind(asked: Asked) -> Kind | None:
    if (asked.is_general and not asked.is_recall) or asked.is_ranking or asked.is_choosing or asked.forbidding:
        return None
    if asked.is_age:
        return "age"
    if asked.naming:
        return "name"
    if asked.asked_of == "when":
        return "when"
    return "where" if asked.asked_of == "where" and asked.content & _around("where") else None


def _around(kind: Kind) -> frozenset[str]:
    return frozenset(map(stem, WORDS["dwelling"])) if kind == "where" else frozenset()


async def nearest(thing: OwnThing, told: Sequence[str], likeness: Likeness) -> Nearest:
    """Return the sentences (in their order) that tell what is asked of a thing."""
    found: list[str] = []
    refused: list[str] = []
    for one in dict.fromkeys(told):
        place = await _place(thing, one, likeness) if len(one) <= _MOST_CHARS and "?" not in one else None
        if place is None:
            continue
        is_answer = _is_theirs(one, place, thing) and _holds_answer(one, thing, place)
        (found if is_answer else refused).append(one)
    return Nearest(tuple(found), tuple(refused))


async def _place(thing: OwnThing, told: str, likeness: Likeness) -> int | None:
    """Return which word of a sentence (from 0) is what is asked of; None where none is. All else it must hold."""
    present = {stem(word) for word in words(with_kin(told))}
    present |= {stem(one) for word in words(with_kin(told)) for one in WIDER.get(word, ())}
    said = [_bare(fold(one[0])) for one in _TOKEN.finditer(told)]
    lacking = [one for one in thing.stems if not holds(present, one)]
    if len(lacking) > 1:
        return None
    wanted = lacking[0] if lacking else [*thing.called.values()][-1]
    if not lacking:
        pairs = enumerate(pairwise(["", *said]))
        # "My old lady" is one by both words.
        return next((place for place, both in pairs if _is_called(" ".join(both), wanted)), None)
    if wanted in _GRANDCHILD:
        return _childs_child(said)
    asked = next(word for word, one in thing.called.items() if one == wanted)
    if asked in SAME:  # It has words of its own, and none of them is there.
        return None
    unknown = [place for place, one in enumerate(_TOKEN.findall(told)) if _may_mean(one)]
    alike = await likeness(asked, [said[place] for place in unknown]) if unknown else ()
    best = max(zip(alike, unknown, strict=False), default=(0.0, 0))
    return best[1] if best[0] >= _ALIKE else None


def _may_mean(word: str) -> bool:
    """Tell whether a word may be one for a thing: no name, and no kind of its own."""
    bare = _bare(fold(word))
    is_kind = bare in _APART or bare in SAME or bare in WIDER
    return len(bare) >= _LEAST_LETTERS and word[0].islower() and not is_kind and bare not in STOP_WORDS


def _is_called(words_of: str, wanted: str) -> bool:
    """Tell whether the last of two words is one for what is wanted."""
    word = words_of.rpartition(" ")[2]
    called = with_kin(words_of).rpartition(" ")[2]
    ones = (called, *WIDER.get(word, ()), *WIDER.get(called, ()))
    return any(holds({stem(one)}, wanted) for one in ones)


def _childs_child(said: Sequence[str]) -> int | None:
    """Return where somebody's own child's child stands: "my son … with his two girls"; None where none does."""
    pairs = enumerate(pairwise(["", *said]))
    kin = [place for place, both in pairs if with_kin(" ".join(both)).rpartition(" ")[2] in _CHILD]
    for first, second in pairwise(kin):
        is_own = not WORDS["mine"].isdisjoint(said[max(0, first - _BEFORE) : first])
        between = said[max(first + 1, second - _BETWEEN) : second]
        is_of_them = WORDS["mine"].isdisjoint(between) and not {"la", "el"} & {*between[-1:]}
        # "Los hijos de mi hija".
        if (is_own and is_of_them) or (between[:1] == ["de"] and not WORDS["mine"].isdisjoint(between)):
            return second
    return None


def _is_theirs(told: str, place: int, thing: OwnThing) -> bool:
    """Tell whether the word at a place is of something of the person's own, not of somebody whom they speak of."""
    if len(thing.stems) > 1 or thing.stems & _GRANDCHILD:
        return True
    written = _TOKEN.findall(told)
    said = [fold(one) for one in written]
    before, behind = said[max(0, place - _BEFORE) : place], said[place + 1 : place + 3]
    owners = [one for one in before[-2:] if re.search(r"['’]s\Z", one) and _bare(one) not in _NOT_OWNERS]
    # "My sisters spaniel", without the mark.
    owners += [
        one for one in before[-1:] if one[-1:] == "s" and not {one, one[:-1]}.isdisjoint(_APART | SAME.keys())
    ]
    of_another = behind[:1] == ["de"] and not {*behind[1:]} <= {*map(str, range(100))}
    is_mine = not WORDS["mine"].isdisjoint(before[-1:])
    if owners or (of_another and not is_mine) or not WORDS["of_another"].isdisjoint(before[-2:]):
        return False
    # "Gran rang": who is called so without more is the person's own.
    if place == 0 or not WORDS["mine"].isdisjoint(before[-2:]):
        return True
    if not WORDS["a_thing"].isdisjoint(before):
        is_of_nobody = _APART.isdisjoint(said[:place]) and not any(one[0].isupper() for one in written[1:place])
        is_ones = is_of_nobody or not WORDS["by_oneself"].isdisjoint(said[:place])
        return is_ones and WORDS["mine"].isdisjoint(said[:place])
    if WORDS["mine"].isdisjoint(said) and not WORDS["by_oneself"].isdisjoint(said):
        return True
    return not WORDS["mine"].isdisjoint(before) or not {"the", "old", "el", "la", "los", "las"}.isdisjoint(before)


def _holds_answer(told: str, thing: OwnThing, place: int) -> bool:
    folded, kind = fold(told), thing.kind
    if kind == "when":
        return _DAY.search(folded) is not None
    if kind == "where":
        return _PLACE.search(told) is not None
    if kind == "age":
        return any(is_number(one["age"] or one["aged"] or "") for one in _AGE.finditer(folded))
    named = (one for one in _NAME.finditer(told) if fold(one[0]) not in OWN | TITLES)
    is_named = any(_BEHIND_A_PLACE.search(told[: one.start()]) is None for one in named)
    said = _TOKEN.findall(folded)
    # Written small, a name stands right behind the thing, or before "that's my".
    is_behind = not STOP_WORDS.issuperset(said[place + 1 : place + 2]) and not is_named
    # "My tablet for the thyroid is eutirox".
    is_medicine = bool(thing.stems & _SAID_SMALL) or not WORDS["medicines_called"].isdisjoint(thing.called)
    behind = _SO.search(" ".join(said[place + 1 : place + _MOST_BEHIND])) if is_medicine else None
    is_said = behind is not None and behind["so"] not in STOP_WORDS | WORDS["how_medicine_is"]
    return (
        is_named or is_behind or is_said or not NAMING.isdisjoint(said) or _NAMED_BEFORE.search(folded) is not None
    )


def _bare(word: str) -> str:
    """Return a word without the ending of who has something: "dog's" is "dog"."""
    return re.sub(r"['’]s?\Z", "", word)
