"""What a reminder is to say: the wish without its time, what leads to it, and what is told behind it."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.domain.wording import clean, fold, words
from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.lexicon import flat, says_something, what_to_say, without_asking
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.when.lexicon import WORDS
from app.when.meanings import Point, Repeat, Unsure, When, says_hour
from app.when.reading import read_span, read_wish

_SIGNS: Final = " ,.;:-–¡!¿?"
_HALF_OF_DAY: Final = 12


def what_is_meant(text: str, said: str, found: When | None, now: datetime, language: Language) -> str:
    """What the reminder is to say: without the words that ask for it, and without its time where that is sure."""
    is_sure = isinstance(found, Point | Repeat) or _is_one_hour(found)
    said = read_wish(said, now, language).what if is_sure else said
    is_whole = fold(text) in fold(said)  # what is left of it is no time: "evening" of "parents' evening"
    text = _without_excuse(text, said)
    rest = read_wish(text, now, language).what if is_sure and not is_whole else text
    trimmed = _trimmed(rest, said) if said else rest
    for source in (trimmed if says_something(trimmed) else "", without_asking(said), trimmed, said):
        if what := what_to_say(clean(source), MAX_TEXT_CHARS):
            return what
    return ""


def _without_excuse(text: str, said: str) -> str:
    """Return what a model calls a wish by without the reason, or a part of it, that the wish is `said` without."""
    excuse = None if lexicon.EXCUSE.search(flat(said)) else lexicon.EXCUSE.search(flat(text))
    return text if excuse is None else _cut(text, excuse.start())


def _is_one_hour(found: When | None) -> bool:
    """Tell whether only the day, or the half of it, of one hour is not known, or which of some whole days."""
    likely = found.likely if isinstance(found, Unsure) else ()
    clocks = {
        (one.at.hour % _HALF_OF_DAY, one.at.minute) for one in likely if isinstance(one, Point) and one.has_clock
    }
    is_one = len(clocks) == 1 or (bool(likely) and not any(one.has_clock for one in likely))
    return is_one and all(isinstance(one, Point) and (clocks or one.has_day) for one in likely)


def _trimmed(text: str, said: str) -> str:
    """Cut from both ends what is no part of the message without its time: "10 call Ann" of "at 10 call Ann"."""
    there = {fold(word).strip(_SIGNS) for word in said.split()}
    parts = text.split()
    while parts and fold(parts[0]).strip(_SIGNS) not in there:
        parts.pop(0)
    while parts and fold(parts[-1]).strip(_SIGNS) not in there:
        parts.pop()
    return " ".join(parts)


_BEFORE: Final = frozenset(word for phrase in WORDS.phrases("mark.before") for word in phrase.split())
_EDGES: Final = " ,.;:-–"
_PART: Final = re.compile(rf"[,;!?\n]|{lexicon.NO_TITLE}\.(?!\d)", re.IGNORECASE)
_HALF_DAY: Final = timedelta(hours=12)
_FEW_WORDS: Final = 3
_SENTENCE: Final = re.compile(rf"(?:[!?;\n]|{lexicon.NO_TITLE}\.)\s", re.IGNORECASE)
_BY_DAY: Final = range(7, 22)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A message cut where it asks to be reminded; `purpose` is told behind that, and is no part of `behind`."""

    front: str
    behind: str
    purpose: str

    @classmethod
    def of(cls, said: str) -> "_Asked | None":
        asking = lexicon.REMINDING.search(flat(said))
        if asking is None or not says_something(said[: asking.start()]):
            return None
        behind = said[asking.start() :]
        purpose = lexicon.PURPOSE_BEHIND.search(flat(behind))
        end = len(behind) if purpose is None else purpose.start()
        return cls(said[: asking.start()], behind[:end], behind[end:])

    def alone(self, now: datetime, language: Language) -> str:
        """Return what stands before a wish that names nothing: "rent is due", of "…, tell me on the 3rd"."""
        if not self.front.rstrip().endswith((",", ".", ";", "!")):
            return ""
        *_, front = _SENTENCE.split(self.front.strip(_EDGES))
        when = read_wish(front, now, language).when
        behind = read_wish(f"{self.behind}{self.purpose}", now, language)
        is_apart = when is not None and behind.when is not None
        return front if is_apart and not says_something(behind.what) else ""

    @property
    def names_nothing(self) -> bool:
        """Tell whether it is an appointment that is named before the wish to hear of it so long before."""
        span = read_span(self.behind, "en")
        plain = fold(self.behind if span is None else span[1])
        return not _BEFORE.isdisjoint(plain.split()) and not says_something(_without_before(plain))


def titled(what: str, said: str, now: datetime, language: Language) -> str:
    """Return a thing without "so that I'm not late" behind it, and without what is told before the wish.

    One that is to be told so long before is an appointment, without "I've got" before it and the story behind it:
    "dentista", of "me toca dentista y salgo de lejos, avisame una hora antes así pido permiso".
    """
    asked = _Asked.of(said)
    if asked is not None and asked.names_nothing:
        return _appointment(asked.front, now, language) or what
    if asked is not None and (front := asked.alone(now, language)):
        return front
    if asked is not None and lexicon.REMINDING.search(flat(what)) is not None:
        what = _behind(asked, now, language) or what
    purpose = lexicon.SO_AS_NOT.search(flat(what))
    title = what if purpose is None else _cut(what, purpose.start())
    if _BEFORE.isdisjoint(words(said)) and _BEFORE.isdisjoint(fold(said).split()):
        return title
    return _without_story(title)


def by_day(found: When | None, said: str) -> When | None:
    """Return when an appointment is told that may be by day or by night: by day. "The dentist at 3"."""
    asked = _Asked.of(said)
    if asked is None or not asked.names_nothing or not isinstance(found, Unsure) or len(found.likely) != 2:
        return found
    points = sorted((one for one in found.likely if isinstance(one, Point)), key=lambda one: one.at)
    if len(points) != len(found.likely) or points[1].at - points[0].at != _HALF_DAY:
        return found
    likely = [one for one in points if one.at.hour in _BY_DAY]
    return likely[0] if len(likely) == 1 else found


def _appointment(front: str, now: datetime, language: Language) -> str:
    """Return what is told of the appointment: the part that says when it is, else the last one."""
    parts = [one for one in map(str.strip, _PART.split(front)) if says_something(one)]
    timed = [one for one in parts if read_wish(one, now, language).when is not None]
    wishes = (read_wish(one, now, language).what for one in (*reversed(timed), *reversed(parts)))
    return next((title for one in wishes if says_something(title := _without_story(one.strip(_EDGES)))), "")


def _behind(asked: _Asked, now: datetime, language: Language) -> str:
    """Return what the wish behind a story is for: "feed the cat", of "I'm up early, remind me to feed the cat"."""
    wish = read_wish(_without_day(f"{asked.behind}{asked.purpose}"), now, language).what
    asking = lexicon.REMINDING.match(flat(wish))
    rest = "" if asking is None else wish[asking.end() :].strip(_EDGES)
    is_purpose = lexicon.PURPOSE_BEHIND.match(flat(rest)) is not None
    is_for_more = read_wish(asked.front, now, language).when is None and len(rest.split()) > _FEW_WORDS
    # A sentence of its own that says when asks for all that is behind it.
    *_, own = _SENTENCE.split(asked.front)
    is_for_more = is_for_more or says_hour(read_wish(f"{own} {asked.behind}", now, language).when)
    is_thing = any(one.match(flat(rest)) for one in (lexicon.TO_DO, lexicon.INFINITIVE, lexicon.JOINING)) and (
        not is_purpose or is_for_more
    )
    thing = what_to_say(wish, MAX_TEXT_CHARS)
    return thing if is_thing and says_something(thing) else ""


def _without_day(text: str) -> str:
    """Return a text without "that day", which points at the story before it."""
    same = lexicon.SAME_DAY.search(flat(text))
    return text if same is None else f"{text[: same.start()]} {text[same.end() :]}"


def _without_before(plain: str) -> str:
    return " ".join(word for word in plain.split() if word.strip(_EDGES) not in _BEFORE)


def _without_story(title: str) -> str:
    story = lexicon.STORY_BEHIND.search(flat(title))
    title = title if story is None else _cut(title, story.start())
    told = lexicon.TELLING_WHEN.search(flat(title))
    title = title if told is None else _cut(title, told.start())
    opening = lexicon.LEADING_IN.match(flat(title))
    return title if opening is None else title[opening.end() :]


def _cut(what: str, place: int) -> str:
    head = what[:place].strip(_EDGES)
    return head if says_something(head) else what
