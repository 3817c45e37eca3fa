"""Several reminders in one message: each time with its own thing is one, without the reasons beside it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

from app.domain.wording import fold, words
from app.language.catalogue import Language, say
from app.language.lexicon import STOP_WORDS
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.asked_times import next_behind
from app.skills.tools.reminders.clauses import is_excuse
from app.skills.tools.reminders.common_day import announced, as_often, day_of, lacks_day
from app.skills.tools.reminders.lexicon import (
    flat,
    may_open_with_noun,
    only_wakes,
    opens_with_noun,
    says_something,
    spoken,
    what_to_say,
)
from app.skills.tools.reminders.texts import REMINDERS
from app.when.meanings import Habits, Point, Repeat, When, likely_of, says_hour
from app.when.reading import read_wish

_MAX_CHARS: Final = 1_000
_MOST_PIECES: Final = 24
_MOST: Final = 8
_MARK: Final = re.compile(rf"[,;!?\n]|:(?=\s)|{lexicon.NO_TITLE}\.(?=\s)|(?<!\S)[+•*·–—-](?=\s)", re.I)
_QUOTED: Final = re.compile('["“«‘]')
_TIMED: Final = re.compile(r"(?<=\s)(?=\d{1,2}(?:[:.]\d\d)? ?[ap]m\s)", re.IGNORECASE)
_LEAST_TIMED: Final = 3
_LISTED: Final = re.compile(r"[;\n+•*·–—-]")
_NOON: Final = 12
_MARKS: Final = (",", ".", "!")
_EDGES: Final = " ,;.:!?+•*·–—-\n\t"


@dataclass(frozen=True, slots=True)
class Wished:
    """One of several: its words in the message, what it is about, and when it comes."""

    said: str
    what: str
    when: When


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a message: `raw` as it stands there, `said` without the marks and joiners before it.

    `is_linked`: a joiner stands there; `is_listed`: a line begins there, or a sign. `is_asked`: it asks to be
    reminded. `is_first`: its time stands before its thing. `is_reason`: it only tells why.
    """

    raw: str
    said: str
    when: When | None
    thing: str
    is_linked: bool
    is_listed: bool
    is_asked: bool
    is_first: bool
    is_reason: bool

    @property
    def is_whole(self) -> bool:
        return self.when is not None and bool(self.thing)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads parts of messages; `now` is local."""

    now: datetime
    language: Language

    def pieces(self, text: str) -> list[_Piece]:
        """Return the parts of a text between its marks and joiners, and before each wish; [] of very many."""
        found = list(islice(_cut(text), _MOST_PIECES + 1))
        return [self.piece(one) for one in found] if len(found) <= _MOST_PIECES else []

    def piece(self, raw: str) -> _Piece:
        place, joiners = _opening(raw)
        said = raw[place:].strip(_EDGES)
        wish = read_wish(said, self.now, self.language)
        is_asked = lexicon.REMINDING.search(fold(said)) is not None or opens_with_noun(fold(said))
        is_first = wish.when is not None and _starts_apart(_thing(said), _thing(wish.what))
        return _Piece(
            raw,
            said,
            wish.when,
            worded(_thing(wish.what), said, self.language),
            joiners > 0,
            _LISTED.search(raw[:place]) is not None,
            is_asked,
            is_first,
            not is_asked and (lexicon.BECAUSE.match(fold(said)) is not None or _tells(raw, said, wish.when)),
        )

    def join(self, one: _Piece, other: _Piece) -> _Piece:
        return self.piece(f"{one.raw}{other.raw}")

    def groups(self, pieces: Sequence[_Piece]) -> list[_Piece]:
        """Return the parts put together so that each has a time and a thing, without reasons."""
        groups = [pieces[0]]
        for one in self._units(pieces[1:]):
            last = groups[-1]
            if last.is_whole and one.is_reason:
                continue
            if _is_preamble(groups, one):
                groups[-1] = replace(one, is_asked=True)
            elif _is_another(last, one):
                groups.append(one)
            else:
                groups[-1] = self.join(last, one)
        return groups

    def _units(self, pieces: Sequence[_Piece]) -> Iterator[_Piece]:
        """Yield parts, a bare time with the thing right behind it, a bare wish with what it is for, and a reason
        with the rest of it."""
        waiting: _Piece | None = None
        for one in pieces:
            if waiting is not None and (_belongs(waiting, one) or self._is_half(waiting, one)):
                waiting = self.join(waiting, one) if not waiting.is_reason else waiting
                continue
            if waiting is not None:
                yield waiting
            waiting = one
        if waiting is not None:
            yield waiting

    def _is_half(self, before: _Piece, one: _Piece) -> bool:
        """Tell whether a time goes on behind a joiner: "at ten and a half"."""
        if before.when is None or before.thing or one.when is not None or one.is_asked:
            return False
        return self.join(before, one).when != before.when


@lru_cache(maxsize=16)
def several(text: str, now: datetime, language: Language) -> tuple[Wished, ...]:
    """Return the reminders that a text wishes for, where those are several and it wishes for nothing else, or the
    one of a message to somebody else.

    () for all others. `now` is local. One thing at several times, or several things at one time, are one.
    """
    if len(text) > _MAX_CHARS:
        return ()
    reader = _Reader(now, language)
    if (headed := announced(text, now, language)) is not None:
        day, rest = headed
        groups = reader.groups(reader.pieces(rest) or [reader.piece(rest)])
        is_clear = 1 < len(groups) <= _MOST and all(one.is_whole and says_hour(one.when) for one in groups)
        if is_clear and not any(map(_wishes_otherwise, groups)):
            return tuple(_timed(groups, reader, day))
    if not _may_ask(text):
        return ()
    pieces = _behind_story(reader.pieces(text))
    if not pieces or any(_wishes_otherwise(one) for one in pieces):
        return ()
    groups = reader.groups(pieces)
    is_asked_last = _only_asks(pieces[-1]) and not any(one.is_asked for one in pieces[:-1])
    is_asked = groups[0].is_asked or lexicon.DIARY.match(fold(text)) is not None or is_asked_last
    if not is_asked or not 1 < len(groups) <= _MOST or not all(one.is_whole for one in groups):
        return _dictated(text, reader)
    return tuple(_timed(groups, reader))


def _behind_story(pieces: Sequence[_Piece]) -> Sequence[_Piece]:
    """Return parts from the first that asks, where it says its day, or means that of the story: "exam tomorrow :(
    remind me tomorrow at 6"; none where the story's time may be meant: "back at night, remind me today, no, …"."""
    first = next((n for n, one in enumerate(pieces) if one.is_asked), 0)
    asked = pieces[first]
    days = {at.date() for one in pieces[:first] if (at := first_of(one.when))}
    is_dated = not lacks_day(asked.when) or days == {at.date() for at in (first_of(asked.when),) if at}
    if first > 0 and asked.is_whole and asked.is_first and is_dated:
        return pieces[first:]
    return () if first > 0 and pieces[0].is_whole and asked.when and asked is not pieces[-1] else pieces


def _dictated(text: str, reader: _Reader) -> tuple[Wished, ...]:
    """Return the one that says when before what is to be said to somebody, which may name other times: "at six to
    tell Ann that the party is on Friday"."""
    plain = flat(text)
    asking = lexicon.REMINDING.search(plain)
    told = None if asking is None else lexicon.SAYING_THAT.search(plain, asking.end())
    if told is None or read_wish(text[told.start() :], reader.now, reader.language).when is None:
        return ()
    one = reader.piece(text[: told.start()])
    is_sure = isinstance(one.when, Point | Repeat) or says_hour(one.when)
    what = what_to_say(text[told.start() :], _MAX_CHARS)
    return (Wished(text, what, one.when),) if one.when is not None and is_sure and not one.thing else ()


def _may_ask(text: str) -> bool:
    """Tell whether a text has words that ask to be reminded; most have none, and times are dear to read."""
    folded = fold(text)
    if lexicon.REMINDING.search(folded) is not None or lexicon.DIARY.match(folded) is not None:
        return True
    return may_open_with_noun(folded) and any(
        opens_with_noun(fold(one[_opening(one)[0] :].strip(_EDGES))) for one in _cut(text)
    )


def parts_meant(parts: Sequence[Wished], text: str, when: str) -> Sequence[Wished]:
    """Return the one that has all the words of a call, where a model makes a call for each; else all of them."""
    called = set(words(f"{text} {when}"))
    found = [one for one in parts if called <= set(words(one.said))]
    return found if len(found) == 1 else parts


def worded(what: str, said: str, language: Language) -> str:
    """Return what a reminder says for a wish: a wake-up in words that fit, where it `said` no more than that."""
    is_waking = only_wakes(what) if what else lexicon.WAKING.search(fold(said)) is not None or only_wakes(said)
    return say(REMINDERS.wake_up, language) if is_waking else what


def first_of(when: When | None) -> datetime | None:
    """Return when that comes first; None where it is not sure."""
    if isinstance(when, Point):
        return when.at
    return when.first if isinstance(when, Repeat) else None


def without_reason(text: str, now: datetime, language: Language) -> str:
    """Return a wish without the reason behind it, or what is told of another time: "…, she had her op today".

    A message to somebody else, or what is quoted, is kept whole.
    """
    reader = _Reader(now, language)
    pieces = reader.pieces(text) if len(text) <= _MAX_CHARS and _QUOTED.search(text) is None else []
    reasons = [one for one in pieces[1:] if one.is_reason]
    asked = " ".join(fold(one.said) for one in pieces if one not in reasons)
    is_dictated = not lexicon.SAYING.isdisjoint(spoken(lexicon.REMINDING.sub(" ", asked)))
    is_sure = all(one.when is not None or is_excuse(one.raw, one.said) for one in reasons)
    if is_dictated or not reasons or not is_sure:
        return text  # "…, its charger and its cover"
    groups = reader.groups(pieces)
    is_said = len(groups) == 1 and groups[0].is_whole and _says_when(groups[0])
    return groups[0].said if is_said else text


def answer_in(text: str, now: datetime, language: Language) -> str:
    """Return the part of an answer that says when, without the reasons and what comes behind it."""
    plain = flat(text)
    cuts = {one.start() for found in (_MARK, lexicon.EXCUSE, lexicon.ASIDE) for one in found.finditer(plain)}
    kept, is_said = "", False
    for begin, end in pairwise(sorted({0, *cuts, len(text)})):
        part = text[begin:end].lstrip(_EDGES)
        is_time = read_wish(part, now, language).when is not None
        is_reason = lexicon.ASIDE.match(flat(part)) is not None or lexicon.BECAUSE.match(flat(part)) is not None
        if not is_reason and (is_time or not is_said):
            kept, is_said = kept + text[begin:end], is_said or is_time
    return kept if is_said else text


def _cut(text: str) -> Iterator[str]:
    """Yield the parts of a text, each with what stands before it."""
    plain = flat(text)
    cuts = {
        one.start()
        for found in (_MARK, lexicon.LINKING, lexicon.EXCUSE, lexicon.REMINDING)
        for one in found.finditer(plain)
    }
    timed = {one.start() for one in _TIMED.finditer(plain)}
    cuts |= timed if len(timed) >= _LEAST_TIMED else set()  # "7am bins 9am dentist 5pm pick up the dog"
    lead = ""
    for begin, end in pairwise(sorted({0, *cuts, len(text)})):
        lead += text[begin:end]
        if _opening(lead)[0] < len(lead.rstrip(_EDGES)):
            yield lead
            lead = ""


def _opening(raw: str) -> tuple[int, int]:
    """Return where the words of a part begin behind its marks and joiners, and how many joiners there are."""
    place = joiners = 0
    for word in lexicon.WORD.finditer(raw):
        if fold(word[0]) not in lexicon.ONE_MORE or lexicon.LATER_THAN.match(flat(raw), word.start()):
            wish = lexicon.ALSO_WISHED.match(flat(raw), word.start()) if joiners else None
            return (word.start() if wish is None else wish.end()), joiners
        place, joiners = word.end(), joiners + 1
    return place, joiners


def _thing(what: str) -> str:
    """Return what a wish without its time is about; "" where it is about nothing."""
    thing = what_to_say(what, _MAX_CHARS)
    if (asking := lexicon.REMINDING.search(flat(thing))) is not None:
        behind = what_to_say(thing[asking.start() :], _MAX_CHARS)
        thing = behind if says_something(behind) else what_to_say(thing[: asking.start()], _MAX_CHARS)
    return thing if says_something(thing) else ""


def _starts_apart(said: str, thing: str) -> bool:
    """Tell whether a text begins with other words than the thing in it; an article may open both."""
    first, others = spoken(said)[:2], spoken(thing)[:2]
    return first != others if first and first[0] in STOP_WORDS else first[:1] != others[:1]


def _tells(raw: str, said: str, when: When | None) -> bool:
    """Tell whether a part behind a mark tells something of another time: ", she had her op today"."""
    first = next(iter(spoken(said)), "")
    is_told = first in lexicon.STORY - lexicon.NOT_REMINDING - lexicon.ARTICLES
    is_told = is_told or lexicon.TOLD_OF_THING.match(flat(said)) is not None
    return when is not None and raw.lstrip()[:1] in _MARKS and is_told


def _only_asks(one: _Piece) -> bool:
    return one.is_asked and one.when is None and not one.thing


def _belongs(before: _Piece, one: _Piece) -> bool:
    """Tell whether a part goes on with the one before it, which is not whole without it."""
    if before.is_reason:
        return one.when is None and not one.is_asked
    if before.when is None:
        return before.is_asked and not before.thing and not one.is_reason
    return not before.thing and one.when is None and not one.is_linked and not one.is_reason


def _is_preamble(groups: Sequence[_Piece], one: _Piece) -> bool:
    """Tell whether all that stands before a part only asks, for what follows: "remind me of these: …"."""
    [first, *others] = groups
    is_open = first.is_asked and first.when is None and not others
    return is_open and one.is_whole and (one.is_listed or one.raw.lstrip().startswith(":"))


def _is_another(last: _Piece, one: _Piece) -> bool:
    """Tell whether a part is a reminder beside the one before it."""
    first = next(iter(spoken(one.thing)), "")
    if not last.is_whole or not one.is_whole or first in lexicon.PLACING or not _says_when(one):
        return False
    is_story = first in lexicon.STORY or lexicon.STORY_ENDINGS.match(fold(one.thing)) is not None
    is_told = is_story and not (one.is_linked or one.is_listed)
    if one.is_asked or one.is_listed or (one.is_first and not is_told):
        return True
    if lexicon.INFINITIVE.match(fold(one.said)) is not None:
        return True
    # "…, also ring nana on Sunday at noon", but not "to call Ann and say that we meet on Sunday at noon".
    is_marked = one.raw.lstrip()[:1] in _MARKS
    return (
        one.is_linked
        and not is_story
        and (is_marked or (not last.is_first and any(each.has_clock for each in likely_of(one.when))))
    )


def _says_when(one: _Piece) -> bool:
    """Tell whether a part has a day or an hour: "evening" of "choir evening" is none, "and in the evening" is."""
    is_time = any(isinstance(each, Repeat) or each.has_day or each.has_clock for each in likely_of(one.when))
    return is_time or (one.is_first and one.is_linked)


def _wishes_otherwise(one: _Piece) -> bool:
    """Tell whether a part wishes for something else than to be reminded."""
    first = next(iter(spoken(one.said)), "")
    is_empty = one.when is None and not one.thing  # "…, que me avise"
    return first in lexicon.OTHER_WISHES and not (one.is_asked or one.is_reason or is_empty)


def _timed(groups: Sequence[_Piece], reader: _Reader, day: date | None = None) -> Iterator[Wished]:
    """Yield each with its time; one without a day comes on that of the one before, or as often as that."""
    last: When | None = None
    for one, before in zip(groups, (None, *groups), strict=False):
        when = read_wish(one.said, reader.now, reader.language).when if one.when is None else one.when
        if day is not None and lacks_day(when):
            when = next_behind(last, _on(day, one.said, reader, last) or when)
        elif isinstance(last, Repeat) and before is not None and before.is_first and _goes_on(one, reader):
            when = as_often(last, when)
        day, last = day_of(when), when
        if when is not None:
            yield Wished(one.said, one.thing, when)


def _goes_on(one: _Piece, reader: _Reader) -> bool:
    """Tell whether a part gives another hour with its thing, "and at ten the drops", and asks nothing anew."""
    asked = lexicon.REMINDING.search(flat(one.said))
    own = one.said if asked is None else one.said[: asked.start()]
    is_open = one.is_linked and one.is_first and lacks_day(one.when)
    return is_open and read_wish(own, reader.now, reader.language).when is not None


def _on(day: date, said: str, reader: _Reader, last: When | None) -> When | None:
    # Behind "8pm", "at 9" is at night, too.
    near = last.at.time() if isinstance(last, Point) and last.at.date() == day else None
    same = read_wish(said, reader.now, reader.language, Habits(day=day, near=near)).when if near else None
    if isinstance(last, Point) and isinstance(same, Point) and last.at.hour >= _NOON and same.at > last.at:
        return same if same.at.date() == day else None
    found = read_wish(said, reader.now, reader.language, Habits(day=day)).when
    likely = likely_of(found)
    is_ahead = all(isinstance(one, Point) and one.at > reader.now for one in likely)
    return (likely[0] if len(likely) == 1 else found) if is_ahead else None
