"""A message that puts itself right: "remind me at 5, no wait, at 6 to call", "milk, eggs, bread… no, no bread".

The right value takes the place of the wrong one, or a thing is gone, and nothing of the correction stays. Where it
is not clear what is meant, the message stays as it is.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from app.domain.wording import fold, stem
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.amending import MAX_CHARS, is_correction
from app.skills.amending_values import Read, Value, is_opener
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import fronted, stripped, tokens_of

_MARKER: Final = LatePattern(
    rf"{COMMON_WORDS.pattern('right_within')}(?:\W{{1,3}}{COMMON_WORDS.pattern('right_within')}){{0,2}}",
)
_REASON: Final = LatePattern(
    rf"\W{{0,3}}(?:{COMMON_WORDS.pattern('giving_reason')}"
    r"|(?:not?|que (?:ya|no|hay|tengo|tenemos|me|nos|se|es|el|la|los|las))(?!\w))",
)
_NEXT_WISH: Final = LatePattern(rf",? (?:and|y) {COMMON_WORDS.pattern('next_wish')}(?!\w)")
_DEED: Final = re.compile(r"[ ,]{0,3}\w{2,}[aei]r(?:l[aeo]s?|me|te|se|nos){0,2}(?!\w)")
"""What is to be done, in Spanish: "at 6 *llamar*"."""
_PART_BEFORE: Final = LatePattern(COMMON_WORDS.pattern("part_before_hour"))
_PART_BEHIND: Final = LatePattern(COMMON_WORDS.pattern("part_behind_hour"))
_OWN_THING: Final = LatePattern(rf" {COMMON_WORDS.pattern('own_thing')}(?!\w)")
_SENTENCE_END: Final = re.compile(r"[.;!?\n](?:\s|\Z)")
_CLAUSE_END: Final = re.compile(r"[,.;!?…\n](?:\s|\Z)")
_WORD: Final = re.compile(r"\w+")
_MARKS: Final = ",.;:…-–—\n(!"
_EDGES: Final = f" {_MARKS}"
_BETWEEN: Final = COMMON_WORDS["before_right"]
_WITHOUT: Final = COMMON_WORDS["without_it"]
_WHY: Final = COMMON_WORDS["why_without"]
_THINKING: Final = PICKING["thinking_again"] | PICKING["opening"] | PICKING["joining"]
_HAS_SOME: Final = LatePattern(
    rf"\W{{1,3}}(?:{'|'.join(sorted(_WHY))}|(?:\w+ ){{1,3}}{COMMON_WORDS.pattern('somebody_has')})(?!\w)",
    flags=0,
)
_ARTICLE: Final = "(?:(?:the|some|el|la|los|las) )?"
_JOINER: Final = "(?:,? (?:y|e|and|&|ni) |, ?)"
_STOP: Final = COMMON_WORDS["stop_words"]
_MOST_OF_A_THING: Final = 3
_MOST_DENIED: Final = 4
# A thing as it is named: "the dentist", "mi tía Rosa".
_NAMED: Final = LatePattern(rf"\W{{0,3}}(?P<named>{COMMON_WORDS.pattern('before_named')} \w+)")
_NAMED_LAST: Final = LatePattern(rf"(?<!\w){COMMON_WORDS.pattern('before_named')} \w+\Z")
_MISTAKEN: Final = COMMON_WORDS["mistaken"]
_APOLOGISING: Final = COMMON_WORDS["apologising"]
_KEEPERS: Final = COMMON_WORDS["keepers"] | COMMON_WORDS["days"]
_SMALL: Final = 2
_PHONE: Final = 7
_CLOCK: Final = re.compile(r"\d{1,2}(?:[:.h][0-5]\d)?")


def put_right_within(text: str) -> str:
    """Return a message as it is meant where it puts itself right; any other as it is."""
    if len(text) <= MAX_CHARS and (less := _without_fronted(text)) is not None:
        return put_right_within(less)
    found = _MARKER.finditer(text) if len(text) <= MAX_CHARS else ()
    better = next(
        filter(None, (_put_right(text, one) for one in found if text[: one.start()].strip(_EDGES))), None
    )
    return text if better is None else put_right_within(better)


def _put_right(text: str, marker: re.Match[str]) -> str | None:
    head = text[: marker.start()].rstrip()
    if is_correction(head) and _SENTENCE_END.search(text[len(head) - 1 : marker.start()]):
        return None  # "No, I'm at school at 9. Better at 11" puts right what was said before it
    if _denies(head):
        return None  # "Not Friday, make it Monday" says what is not so before what is.
    is_apart = head[-1:] in _MARKS or "\n" in text[len(head) : marker.start()]
    if _WITHOUT.isdisjoint(map(fold, _WORD.findall(marker[0])[-1:])):
        # "Add 2 to the list sorry 3", but "not Friday, Sunday".
        is_apart = is_apart or len(_WORD.findall(text[marker.end() :])) <= _MOST_OF_A_THING
    elif not is_apart:
        return None
    head = head.rstrip(_EDGES)
    less = _without_thing(text, head, marker.end()) if is_apart else None
    return less or _with_value(text, head, marker, is_apart=is_apart) or _with_named(text, head, marker)


def _denies(head: str) -> bool:
    said = fold(head).split()
    return len(said) <= _MOST_DENIED and not COMMON_WORDS["denying"].isdisjoint(said[:1])


def _without_fronted(text: str) -> str | None:
    """Return a message without what its row names and a later clause takes off: "the tulle take it off"."""
    ends = [*_CLAUSE_END.finditer(text)]
    for begin, end in pairwise([*ends, None]):
        start, stop = begin.end() if begin else 0, end.start() if end else len(text)
        clause = stripped(tokens_of(text[start:stop]), _THINKING)
        head, count = text[: begin.start() if begin else 0], fronted(clause)
        less = _without(head, [one.key for one in clause[:count]]) if count else None
        if less is not None:
            joined = next((one for one in clause[count:] if one.key in PICKING["joining"]), None)
            behind = text[stop:] if joined is None else f" {text[start + joined.start :]}"
            is_why = joined is None and _HAS_SOME.match(fold(behind)) is not None
            close = _SENTENCE_END.search(behind) if is_why else None
            return less + (behind[close.start() :] if close else "" if is_why else behind)
    return None


def _with_value(text: str, head: str, marker: re.Match[str], *, is_apart: bool) -> str | None:
    begin = marker.end()
    values = [one for one in Read(text).values() if not is_opener(one)]
    olds = [one for one in values if one.end <= len(head)]
    new = next((one for one in values if one.start >= begin and one.key not in {old.key for old in olds}), None)
    part = _PART_BEFORE.search(text, begin) or _PART_BEHIND.search(text, begin)
    if part is not None and (new is None or part.start() < new.start) and is_apart:
        if new is None or part.re is not _PART_BEFORE.compiled or text[part.end() : new.start].strip():
            return _with_part_of_hour(text, head, olds, part, begin)
        new = replace(new, start=part.start(), text=text[part.start() : new.end])  # "no, at half past 6"
    if new is None or not _leads(text[begin : new.start], head):
        return None
    if _OWN_THING.match(text, new.end) and _is_plain(marker[0]):
        return None  # "The class is at 5, no, at 6 I have the vet": two things
    old = _meant([one for one in olds if one.kind == new.kind], new, text, head, is_apart=is_apart)
    if old is None or not (new.after in {"", old.after} or _is_open(text[new.end :], head[old.end :], marker[0])):
        return None
    rest = _behind(text[new.end :], head[old.end :], old.key)
    return f"{head[: old.start]}{new.text}{head[old.end :]}{rest}"


def _is_plain(marker: str) -> bool:
    return _WITHOUT.issuperset(map(fold, _WORD.findall(marker)))


def _is_open(rest: str, between: str, marker: str) -> bool:
    """Tell whether what stands behind the right value belongs to both: nothing stood behind the wrong one, and
    somebody says sorry for it, or the deed or a reason follows: "at 5, sorry, at 6 Mum comes"; but "it is at 5,
    no, at 6 we swim" may be two things.
    """
    if between:
        return False
    return not _is_plain(marker) or _DEED.match(fold(rest)) is not None or _REASON.match(rest) is not None


def _with_named(text: str, head: str, marker: re.Match[str]) -> str | None:
    """Return a message whose last thing gives way to another one: "call the vet, no sorry, the dentist"."""
    said = {fold(one) for one in _WORD.findall(marker[0])}
    # "Sorry" alone may begin anything.
    if said.isdisjoint(_MISTAKEN) and (said.isdisjoint(_APOLOGISING) or said.isdisjoint(_WITHOUT)):
        return None
    new, old = _NAMED.match(text, marker.end()), _NAMED_LAST.search(head)
    if new is None or old is None or not _KEEPERS.isdisjoint(map(fold, _WORD.findall(old[0]))):
        return None
    return f"{head[: old.start()]}{text[new.start('named') :]}"


def _leads(between: str, head: str) -> bool:
    """Tell whether before the right value stands only what stood before the wrong one, or says that it is."""
    words, said = [fold(one) for one in _WORD.findall(between)], {stem(fold(one)) for one in _WORD.findall(head)}
    return not _CLAUSE_END.search(between.lstrip(_EDGES)) and all(
        one in _BETWEEN or stem(one) in said for one in words
    )


def _meant(olds: Sequence[Value], new: Value, text: str, head: str, *, is_apart: bool) -> Value | None:
    """Return the value that was wrong: behind the same word, the only one, or the last one, of the same size."""
    last = olds[-1:] if olds and not _WORD.search(head[olds[-1].end :]) else []
    olds = olds if is_apart else last
    before = _WORD.findall(fold(text[: new.start]))[-1:]
    same = [one for one in olds if _WORD.findall(fold(text[: one.start]))[-1:] == before]
    old = next((some[0] for some in (same, olds, last) if len(some) == 1), None)
    is_vague = old is not None and new.kind == "name" and len(olds) > 1
    if old is None or is_vague or new.kind != "number":
        return None if is_vague else old
    digits = [sum(map(str.isdigit, one.text)) for one in (old, new)]
    if min(digits) <= _SMALL and _CLOCK.fullmatch(old.text) and _CLOCK.fullmatch(new.text):
        return old  # "at 4, no wait, 4:30"
    is_alike = max(digits) <= _SMALL or abs(digits[0] - digits[1]) <= (max(digits) < _PHONE)
    return old if is_alike else None


def _behind(rest: str, between: str, old: str) -> str:
    """Return what stands behind the right value without what stood behind the wrong one, and without why, or what
    is told of the wrong one: "el 26, el 6 fue lo del vecino"."""
    for one in _WORD.finditer(between):
        found = _WORD.search(rest)
        if found is None or fold(found[0]) != fold(one[0]) or rest[: found.start()].strip():
            break
        rest = rest[found.end() :]
    rest = rest.removesuffix(" mejor").removesuffix(" instead")
    if _REASON.match(rest) is None and old not in _WORD.findall(fold(rest)):
        return rest
    ends = [end.start() for one in (_SENTENCE_END, _NEXT_WISH) if (end := one.search(rest)) is not None]
    return rest[min(ends) :] if ends else ""


def _with_part_of_hour(text: str, head: str, olds: Sequence[Value], part: re.Match[str], begin: int) -> str | None:
    hour = next((one for one in reversed(olds) if one.kind == "number" and len(one.text) <= _SMALL), None)
    if hour is None or not _leads(text[begin : part.start()], head):
        return None
    told = f"{part[0]} {hour.text}" if part.re is _PART_BEFORE.compiled else f"{hour.text} {part[0]}"
    return f"{head[: hour.start]}{told}{head[hour.end :]}{_behind(text[part.end() :], '', hour.key)}"


def _without_thing(text: str, head: str, begin: int) -> str | None:
    """Return a message without the thing of a row that is taken back: "no bread", "pan no"."""
    end = _CLAUSE_END.search(text, begin)
    said = [fold(one) for one in _WORD.findall(text[begin : end.start() if end else len(text)])]
    denied = next((n for n, one in enumerate(said[: _MOST_OF_A_THING + 1]) if one in _WITHOUT), None)
    behind = None if end is None else _WORD.search(text, end.end())
    if denied is None or (behind and fold(behind[0]) not in _WHY):
        return None
    close = _SENTENCE_END.search(text, begin)
    for thing in [said[:denied]] if denied else [said[1 : 1 + n] for n in range(_MOST_OF_A_THING, 0, -1)]:
        if (less := _without(head, thing)) is not None:
            return less + (text[close.start() :] if close else "")
    return None


def _without(head: str, thing: Sequence[str]) -> str | None:
    """Return what was said without a thing of its row; None where it is not there, or twice."""
    if len(fold(head)) != len(head):
        return None
    named = rf"{_ARTICLE}{' '.join(one for one in thing if one not in _STOP)}"
    for pattern in (rf"{_JOINER}{named}(?!\w)", rf"(?<!\w){named}{_JOINER}"):
        found = [*re.finditer(pattern, fold(head))] if named != _ARTICLE else []
        if len(found) == 1:
            return f"{head[: found[0].start()]}{head[found[0].end() :]}"
    return None
