"""Finds what a correction puts right in a text that was just kept: "sorry, it's Dermot who has them, not Liam".

What is wrong is a number, a day, a side or a name. The new one is of the same kind, does not stand in the kept
text, and takes the place of the one that is denied, has the same neighbours, or is the only one of its kind.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from app.database.repositories.acts import Acts
from app.domain.chat import ToolCall
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold, stem
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.language.slips import slips
from app.skills.amending_codes import part_put_right
from app.skills.amending_values import DENYING, EMPTY, ENDS_CLAUSE, OPENING, Read, Value, is_opener
from app.skills.amending_whose import of_whose
from app.skills.picking.reading import read_wish
from app.skills.picking.tokens import opening_verb, tokens_of
from app.skills.respelling import is_respelling, respelled
from app.skills.saying_instead import (
    bare_correction,
    put_instead,
    says_instead,
    without_asking_to_fix,
    without_wish_to_fix,
)

MAX_CHARS: Final = 600
JUST: Final = timedelta(minutes=15)
"""How long what was kept can be put right by a word."""
CALL_ID: Final = "by_form"
Amend = Callable[[int, str, TurnContext], Awaitable[ToolCall | None]]
"""Returns the call for what a message says of a row of a table, a correction or the wish to hear it; None where it
says nothing of it."""
_MOST_ROWS: Final = 12
_Pair = tuple[float, Value, Value]

_ASKING_THEN: Final = LatePattern(COMMON_WORDS.pattern("asking_then"))
_PUTTING_RIGHT: Final = LatePattern(COMMON_WORDS.pattern("putting_right"))
_THE_OTHER: Final = LatePattern(COMMON_WORDS.pattern("the_other"), flags=0)
_MORE: Final = COMMON_WORDS["one_more"]
_PLACING: Final = COMMON_WORDS["placing"]
_GONE: Final = COMMON_WORDS["gone_from"]
_DAYS: Final = COMMON_WORDS["days"]
_SORRY_BEHIND: Final = LatePattern(
    rf"\W{{0,3}}(?P<head>[^,;!?\n]{{1,24}}?),? {COMMON_WORDS.pattern('sorry_behind')}(?=\W*+\Z|[,.;!])"
)
_NOWADAYS: Final = LatePattern(COMMON_WORDS.pattern("nowadays"))
_NOW: Final = LatePattern(rf"(?<!\w){COMMON_WORDS.pattern('now_it_is')}\s?\Z")
_WORD: Final = re.compile(r"\w+")
_FURTHEST: Final = 2
_SEVERAL: Final = 2
_FEWEST_SIGNS: Final = 2
_FEW_WORDS: Final = 6
_LETTERS_OF_A_NAME: Final = 4
_SLIPS: Final = 2

# What speaks for a pair of an old and a new value.
_DENIED: Final = 3.0
_SAME_NEIGHBOUR: Final = 2.0
_SAME_LEAD: Final = 1.6
_SAME_CLAUSE: Final = 1.0
_OPENS: Final = -0.5
_LATER: Final = -0.05
_ENOUGH: Final = 1.5
_CLEARLY: Final = 0.5


class Amending:
    """What is said of what was kept last, by table: `rooms` know what a message that `is_meant` does with their
    rows."""

    def __init__(
        self, acts: Acts, rooms: Mapping[str, Amend], clock: Clock, is_meant: Callable[[str], bool]
    ) -> None:
        self._acts = acts
        self._is_meant = is_meant
        self._rooms = rooms
        self._clock = clock

    async def call(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Return the call for a message about what was kept last; None for any other. See `Certain`."""
        if not self._is_meant(text):
            return None
        for table, row_id in await self._acts.list_last_rows(ctx.user_id, self._clock.now() - JUST, _MOST_ROWS):
            if table in self._rooms and (call := await self._rooms[table](row_id, text, ctx)) is not None:
                return call
        return None


@dataclass(frozen=True, slots=True)
class Amendment:
    """`old` stands in the kept text, `new` in what was said; `text` is the kept text with `new`."""

    old: str
    new: str
    text: str


def is_correction(said: str) -> bool:
    """Tell whether a message opens as a correction, or says that something is to be put right."""
    flat = without_asking_to_fix(" ".join(said[:MAX_CHARS].split()))
    if (
        "?" in flat
        or (_opened(flat) and (_ASKING_THEN.match(behind := after_opening(flat)) or _removes(behind)))
        or not _MORE.isdisjoint(_WORD.findall(_first_said(flat)))
    ):
        return False
    return (
        is_respelling(flat)
        or says_instead(flat)
        or OPENING.match(flat) is not None
        or _is_sorry_behind(flat)
        or _PUTTING_RIGHT.search(flat) is not None
        or ((told := without_wish_to_fix(flat)) != flat and _names_value(told))
    )


def _is_sorry_behind(flat: str) -> bool:
    """Tell whether a message opens with a number or a day and an apology behind it: "7750 perdón", "the 12th,
    sorry, it slipped"."""
    sorry = _SORRY_BEHIND.match(fold(flat))
    if sorry is None:
        return False
    head = flat[: sorry.end("head")]
    values = {
        word for one in Read(head).values() if one.kind == "number" or one.key in _DAYS for word in one.key.split()
    }
    return bool(values) and (values | EMPTY - DENYING).issuperset(_WORD.findall(fold(head)))


def _removes(said: str) -> bool:
    """Tell whether a message wants something gone: "nah, delete that note, Ann has them"."""
    wish = read_wish(said) if opening_verb(tokens_of(said)[:1]) == ("remove", 0) else None
    return wish is not None and wish.deed == "remove"


def _names_value(told: str) -> bool:
    return any(not is_opener(one) for one in Read(told).values())


def says_nowadays(said: str) -> bool:
    """Tell whether a message says how something is now: "he's with the post now"."""
    return _NOWADAYS.search(said[:MAX_CHARS]) is not None


def after_opening(said: str) -> str:
    """Return what is said behind the words that open a correction."""
    return said[len(_opened(said)) :].lstrip(" ,.;:!…-")


def _first_said(flat: str) -> str:
    """Return what is said up to the first value and its clause: behind it, "the other one" is another thing."""
    read = Read(flat)
    first = next((one for one in read.values() if not is_opener(one)), None)
    if first is None:
        return fold(flat)
    end = next((one for one in read.clauses if one > first.start), len(flat))
    return f"{fold(flat[: first.end])} {_THE_OTHER.sub(' ', fold(flat[first.end : end]))}"


def amended(kept: str, said: str) -> Amendment | None:
    """Return what `said`, a correction, puts right in `kept`; None where that is not certain."""
    said = bare_correction(said[:MAX_CHARS])
    if (part := of_whose(kept, said)) is not None and not part.new:
        return None
    if (part := part or part_put_right(kept, said)) is not None:
        return _with(kept, part.start, part.end, part.new)
    if (moved := _elsewhere(kept[:MAX_CHARS], said)) is not None:
        return moved
    heard = Read(said)
    pairs = _told_first(kept, heard, _pairs(kept, said))
    alike = _alike(pairs)
    best = _best(pairs) or _best([pair for pair in alike if sorted(pair[1].key) == sorted(pair[2].key)])
    best = best or _best(alike)
    if best is None:
        if each := _in_order(kept, said, pairs):
            return _each_instead(kept, each)
        if (one := put_instead(kept, said)) is not None:
            return _with(kept, one.start, one.end, one.new)
        word = respelled(kept, said)
        return None if word is None else _with(kept, *word[1:])
    score, old, new = best
    if score < _SAME_CLAUSE + _LATER * _FURTHEST and not _is_told_anew(new, heard):
        return None
    return _each_instead(kept, [(_meant_of(old, new, heard), new), *_more(_not_repeated(heard, pairs), best)])


def _told_first(kept: str, heard: Read, pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return pairs without the values of a later clause that only says why: "it's the 3rd, they rang me at 9"."""
    first, stems = min((one[2].clause for one in pairs), default=0), Read(kept).stems
    is_plain = any(one[2].clause == first and one[2].kind == "number" for one in pairs)
    why = {one[2].clause for one in pairs if is_plain} - {first}
    why = {one for one in why if heard.stems_of(one).isdisjoint(stems)}
    return [one for one in pairs if one[2].clause not in why]


def _not_repeated(heard: Read, pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return pairs without the old values that are only said again: "Hall" of "Hall 3 with Judith"."""
    words = frozenset(one[1].key for one in pairs)
    said = {one.key for one in heard.values(words) if not one.is_denied}
    return [one for one in pairs if one[1].key not in said]


def _more(pairs: Sequence[_Pair], first: _Pair) -> list[tuple[Value, Value]]:
    """Return what else a correction surely puts right: "it's the 3rd and the code is 88B"."""
    found, last = list[tuple[Value, Value]](), first
    while pairs := [one for one in pairs if one[1] is not last[1] and one[2] is not last[2]]:
        best = _best(pairs)
        if best is None or (best[0] < _ENOUGH and best[1].shape != best[2].shape):
            break
        last = best
        found.append(best[1:])
    return found


def _in_order(kept: str, said: str, pairs: Sequence[_Pair]) -> list[tuple[Value, Value]]:
    """Return as many new numbers as there are old ones, each with the word of its old one before it: "the 25th at
    10" for "the 24th at 9"; [] where they are not told so."""
    numbers = [pair for pair in pairs if pair[1].kind == "number"]
    olds, news = (
        {one.start: one for one in each} for each in (((p[1] for p in numbers)), (p[2] for p in numbers))
    )
    each = list(zip(olds.values(), news.values(), strict=False))
    is_alike = all(_word_before(kept, old) == _word_before(said, new) for old, new in each)
    return each if len(olds) == len(news) == _SEVERAL and is_alike else []


def _word_before(text: str, value: Value) -> str:
    return next(iter(fold(text[: value.start]).split()[-1:]), "")


def _meant_of(old: Value, new: Value, heard: Read) -> Value:
    """Return the word of a name that another one stands for, where it is denied or a slip for that: of "Hernan
    Ruiz" only "Hernan", for "German, not Hernan"."""
    if old.kind != "name" or " " not in old.text or " " in new.text:
        return old
    each = list(_WORD.finditer(old.text))
    denied = {one.key for one in heard.values(frozenset({fold(one[0]) for one in each})) if one.is_denied}
    close = [one for one in each if len(one[0]) >= _LETTERS_OF_A_NAME and slips(fold(one[0]), new.key) <= _SLIPS]
    meant = [one for one in each if fold(one[0]) in denied] or close
    if len(meant) != 1:
        return old
    start, end = old.start + meant[0].start(), old.start + meant[0].end()
    return replace(old, start=start, end=end, text=meant[0][0])


def _each_instead(kept: str, pairs: Sequence[tuple[Value, Value]]) -> Amendment:
    """Put each value in the place of its old one; the signs of a code stay where none are said."""
    text = kept
    for old, new in sorted(pairs, key=lambda pair: -pair[0].start):
        text = text[: old.start] + new.text + (new.signs or old.signs) + text[old.end + len(old.signs) :]
    start, end = min(old.start for old, _ in pairs), max(old.end + len(old.signs) for old, _ in pairs)
    return Amendment(kept[start:end], text[start : end + len(text) - len(kept)], text)


def _with(kept: str, start: int, end: int, new: str) -> Amendment:
    return Amendment(kept[start:end], new, kept[:start] + new + kept[end:])


def may_amend(kept: str, said: str) -> list[Amendment]:
    """Return what may be put right in `kept`, where several numbers of it look like the one that is said."""
    said = bare_correction(said[:MAX_CHARS])
    alike = [] if amended(kept, said) is not None else _alike(_pairs(kept, said))
    if (
        len(alike) < _SEVERAL
        or len({new.key for _, _, new in alike}) > 1
        or not _is_told_anew(alike[0][2], Read(said))
    ):
        return []
    return [_each_instead(kept, [(old, new)]) for _, old, new in alike]


def _pairs(kept: str, said: str) -> list[_Pair]:
    """Return the values of one kind that may stand for another, with what speaks for that."""
    there, heard = Read(kept[:MAX_CHARS]), Read(said)
    olds = list(there.values())
    each = [one.key for one in olds if one.kind == "colour"]
    olds = [one for one in olds if one.kind != "colour" or (each.count(one.key) == 1 and "?" not in said)]
    names = frozenset(fold(word) for one in olds if one.kind == "name" for word in one.text.split())
    held = {one.key for one in olds} | names
    spoken = list(heard.values(names))
    news = [one for one in spoken if one.key not in held and not one.is_denied and not is_opener(one)]
    named = {word for one in spoken for word in one.key.split()} & held | {one.key for one in spoken} & held
    return [
        (_score(old, new, there, heard, named), old, new) for new in news for old in olds if old.kind == new.kind
    ]


def _alike(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return the pairs of numbers or codes that look alike: "5.61" and "5.16", "4B" and "4D"."""
    numbers = [pair for pair in pairs if pair[1].kind == "number" and len(pair[1].key) >= _FEWEST_SIGNS]
    return [pair for pair in numbers if pair[1].shape == pair[2].shape]


def _is_told_anew(new: Value, heard: Read) -> bool:
    return _NOW.search(heard.text, 0, new.start) is not None or _says_no_more(new, heard)


def _elsewhere(kept: str, said: str) -> Amendment | None:
    """Return what stands behind a preposition put right, where the end of `kept` is denied first: "she isn't at
    the bank anymore, she's at the post office now"."""
    *_, gone, instead = ["", "", *ENDS_CLAUSE.split(after_opening(said))]
    told, own = max(_NOWADAYS.split(instead), key=len).strip(" .!"), list(_WORD.finditer(kept))
    keys, left, new = ([fold(one) for one in _WORD.findall(text)] for text in (kept, gone, told))
    for place in (one for one, key in enumerate(keys) if new.count(key) == 1 and key in _PLACING):
        at, thing = new.index(keys[place]), keys[place + 1 :]
        is_gone = not _GONE.isdisjoint(left) and f" {' '.join(thing)} " in f" {' '.join(left)} "
        is_now = told != instead.strip(" .!") or keys[place - 1] in left
        is_plain = EMPTY.union(keys).issuperset(new[:at]) and _PLACING.isdisjoint(new[at + 1 :])
        if is_gone and is_now and is_plain and not EMPTY.issuperset(thing) and 1 < len(new) - at < _FEW_WORDS:
            start, better = own[place].start(), told[list(_WORD.finditer(told))[at].start() :]
            return _with(kept, start, own[-1].end(), better)
    return None


def says_gone(said: str, about: Set[str]) -> bool:
    """Tell whether a correction says that something with one of these stems is over, and another thing behind."""
    *gone, instead = (Read(one).stems for one in ENDS_CLAUSE.split(after_opening(said[:MAX_CHARS])))
    return about.isdisjoint(instead) and any(about & one and _GONE & one for one in gone)


def _score(old: Value, new: Value, there: Read, heard: Read, named: set[str]) -> float:
    score = _DENIED if old.key in named or not named.isdisjoint(old.key.split()) else 0.0
    score += _SAME_NEIGHBOUR * (bool(old.after) and old.after == new.after)
    score += _SAME_NEIGHBOUR * (bool(old.before) and old.before == new.before)
    score += _SAME_LEAD * (bool(old.led) and old.led == new.led)
    score += _behind_shared(old, there, heard)
    score += _SAME_CLAUSE * (not heard.stems_of(new.clause).isdisjoint(there.stems))
    return score + _OPENS * old.opens + _LATER * new.clause


def _behind_shared(old: Value, there: Read, heard: Read) -> float:
    """Return what speaks for an old value in that a word of both texts, best a name, stands before it, without
    another value of its kind between them."""
    shared = [
        one
        for one in there.tokens
        if one.end() <= old.start and fold(one[0]) not in EMPTY and stem(fold(one[0])) in heard.stems
    ]
    end = shared[-1].end() if shared else 0
    if not shared or any(one.kind == old.kind and end <= one.start < old.start for one in there.values()):
        return 0.0
    return _SAME_NEIGHBOUR if shared[-1][0][0].isupper() else _SAME_CLAUSE


def _says_no_more(new: Value, heard: Read) -> bool:
    """Tell whether the clause of a new value says hardly anything else: "no, 46", "wait, it moved to York"."""
    others = heard.stems_of(new.clause) - {stem(word) for word in new.key.split()}
    others -= {stem(word) for word in _WORD.findall(fold(_opened(heard.text)))}
    count = sum(heard.clause_of(one.start()) == new.clause for one in heard.tokens)
    count -= len(_WORD.findall(_opened(heard.text))) if new.clause == 0 else 0
    return new.clause <= _FURTHEST and len(others) <= 1 and count <= _FEW_WORDS


def _opened(said: str) -> str:
    opening = OPENING.match(said)
    return "" if opening is None else opening[0]


def _best(pairs: Sequence[_Pair]) -> _Pair | None:
    """Return the only pair, or the one for which most speaks, and clearly more than for another old value."""
    if not pairs:
        return None
    first, *others = sorted(pairs, key=lambda pair: -pair[0])
    rivals = [score for score, one, _ in others if one is not first[1]]
    is_clear = first[0] >= _ENOUGH and all(first[0] - score >= _CLEARLY for score in rivals)
    return first if not others or is_clear else None
