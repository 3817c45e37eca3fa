"""Wishes that name their thing by a pronoun, behind a story that names it: "there's a stew on, in 40 minutes tell
me to take it off"."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple

from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.lexicon import (
    flat,
    is_courtesy,
    names_topic,
    says_something,
    spoken,
    what_to_say,
)
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.when.meanings import Point, Repeat, When, says_hour
from app.when.reading import first_span, read_wish

_CLAUSE: Final = re.compile(r"[.,;:!\n] ?| (?:y|e|and|then|also|luego|tambien) ")
_MAX_CHARS: Final = 400
_MARK: Final = re.compile(r"[,;!\n]|\.(?!\d)")
_MOST_PARTS: Final = 6
_MARKS: Final = ",;.!\n"
_ENDS: Final = ".!\n"
_EDGES: Final = " ,;.:-–¡!\n"


class Pointing(NamedTuple):
    """What is to be said, with the words that tell what it is about, and when."""

    what: str
    when: When


def read_pointing(text: str, now: datetime, language: Language) -> Pointing | None:
    """Return the wish at the end of a story whose thing is a pronoun, with what that stands for behind it, in the
    person's words: "take it off: there's a stew on the stove"; or one to be told a thing after a span of time.
    None of any other text. `now` is local.
    """
    if len(text) > _MAX_CHARS or "?" in text:
        return None
    return _read_pronoun(text, now, language) or _read_told(text, now, language)


def _read_pronoun(text: str, now: datetime, language: Language) -> Pointing | None:
    plain = flat(text)
    asked = list(lexicon.REMINDING.finditer(plain))
    if len(asked) != 1:
        return None
    asking = asked[0].start()
    cuts = (
        one for one in _cuts(plain, asking) if is_courtesy(read_wish(text[one[1] : asking], now, language).what)
    )
    end, begin = next(cuts, (0, 0))
    front, wish = text[:end].strip(_EDGES), read_wish(text[begin:], now, language)
    what = without_why(what_to_say(wish.what, MAX_TEXT_CHARS), now, language)
    if wish.when is None or not says_hour(wish.when) or not _points(what) or not _is_story(front):
        return None
    return _pointing(what, front, wish.when)


def _read_told(text: str, now: datetime, language: Language) -> Pointing | None:
    """Return what is to be told after a span of time, behind a story or alone: "check the glue", of "left the glue
    drying and I'll forget, in 40 minutes tell me to check the glue". Nothing else may be wished, at no other time.
    """
    if not any(one.search(flat(text)) for one in (lexicon.TELLS_ME, lexicon.REMINDING)):
        return None  # a time is dear to read
    begins = [0, *(one.end() for one in _MARK.finditer(text))][:_MOST_PARTS]
    spans = ((text[:at], found) for at in begins if (found := first_span(text[at:], language)) is not None)
    told, (front, span, behind) = next(spans, ("", ("", "", "")))
    front = told + front
    if (asked := lexicon.TOLD_BEHIND_SPAN.match(flat(behind))) is not None:
        behind = behind[asked.end() :]
    elif (asked := lexicon.TOLD_BEFORE_SPAN.search(flat(front))) is not None:
        front = front[: asked.start()]
    led = None if asked is None else (lexicon.TOLD_THING if asked["is_told"] is not None else lexicon.TO_THING)
    thing = None if led is None else led.match(flat(behind))
    is_bare = asked is not None and asked["is_told"] is None and lexicon.INFINITIVE.match(flat(behind).lstrip())
    if thing is None and not is_bare:
        return None
    rest = behind if thing is None else behind[thing.end() :]
    story, when = front.strip(_EDGES), read_wish(span, now, language).when
    before = spoken(story)
    is_denied = not (lexicon.NOT_REMINDING | lexicon.REPORTING | lexicon.NO_STORY).isdisjoint(before[-2:])
    is_told = is_courtesy(story) or (_is_story(story) and (_holds(flat(story)) or _is_of_people(before)))
    if is_denied or not is_told or not isinstance(when, Point) or not _is_thing(rest, now, language):
        return None
    end = lexicon.BEHIND.search(flat(rest))
    what = what_to_say(without_why(rest if end is None else rest[: end.start()], now, language), MAX_TEXT_CHARS)
    if not says_something(what):
        return None
    return _pointing(what, story, when) if says_something(story) and _points(what) else Pointing(what, when)


def _is_thing(rest: str, now: datetime, language: Language) -> bool:
    """Tell whether what follows "tell me to" is one thing to do, at no other time, and nothing to be looked up."""
    clauses = map(spoken, _CLAUSE.split(flat(rest)))
    firsts = {next((word for word in one if word not in lexicon.JOINERS), "") for one in clauses}
    is_other = not lexicon.OTHER_WISHES.isdisjoint(firsts) or next(iter(spoken(rest)), "") in lexicon.NOT_TOLD
    is_other = is_other or lexicon.REMINDING.search(flat(rest)) is not None
    return not is_other and not names_topic(rest) and read_wish(rest, now, language).when is None


def _is_of_people(said: list[str]) -> bool:
    return not (lexicon.STORY - lexicon.ARTICLES).isdisjoint(said)


def _pointing(what: str, front: str, when: When) -> Pointing | None:
    about = _about(lexicon.JOINED_BEHIND.sub("", front))
    return Pointing(f"{what}: {about}", when) if len(what) + len(about) < MAX_TEXT_CHARS else None


def _cuts(plain: str, asking: int) -> Iterator[tuple[int, int]]:
    """Yield where the story may end, and the wish begin: at a mark or a joiner, or where it is asked for."""
    yield from (one.span() for one in lexicon.BEFORE_WISH.finditer(plain, 0, asking))
    yield asking, asking


def _points(what: str) -> bool:
    plain = flat(what)
    if any(mark in plain for mark in _MARKS):
        return False
    found = lexicon.POINTS_AT.match(plain) or lexicon.POINTS_AT_ALONE.match(plain)
    return found is not None and lexicon.NOT_POINTING.isdisjoint(spoken(found[0]))


def _is_story(front: str) -> bool:
    """Tell whether what stands before a wish tells something, and neither wishes for another thing nor says whose
    words follow."""
    said = spoken(front)
    begins = [0, *(one.end() for one in lexicon.BEFORE_WISH.finditer(flat(front)))]
    firsts = {next(iter(spoken(front[at:])), "") for at in begins}
    is_other = not lexicon.OTHER_WISHES.isdisjoint(firsts) or not lexicon.NO_STORY.isdisjoint(said)
    return len(said) > 1 and says_something(front) and not is_courtesy(front) and not is_other


def _about(front: str) -> str:
    """Return what a story tells last of a thing that is somewhere, to its end; else its last sentence."""
    plain = flat(front)
    last = max(plain.rfind(end) for end in _ENDS) + 1
    begins = [last, *(one.end() for one in lexicon.BEFORE_WISH.finditer(plain, last))]
    held = [one for one, end in zip(begins, [*begins[1:], len(plain)], strict=True) if _holds(plain[one:end])]
    return front[held[-1] if held else last :].strip(_EDGES)


def _holds(clause: str) -> bool:
    return lexicon.HOLDING.search(clause) is not None


def read_after_span(text: str, now: datetime, language: Language) -> Pointing | None:
    """Return the wish to be told after a time that is said right behind the asking, "in 40 minutes to …", whatever
    other time is told of behind that; None of any other text. `now` is local.
    """
    found = first_span(text, language) if len(text) <= _MAX_CHARS and "?" not in text else None
    if found is None or not lexicon.may_ask(flat(text)):
        return None
    front, span, behind = found
    asked = list(lexicon.REMINDING.finditer(flat(front + behind.lstrip())))
    led = lexicon.TO_THING.match(flat(behind))
    is_asked = len(asked) == 1 and is_courtesy(front[: asked[0].start()]) and asked[0].end() >= len(front.rstrip())
    if not is_asked or led is None or first_span(behind, language) is not None:
        return None
    rest, when = behind[led.end() :], read_wish(span, now, language).when
    told = read_wish(rest, now, language).when
    firsts = {next(iter(spoken(one)), "") for one in _CLAUSE.split(flat(rest))}
    if told is None or isinstance(told, Repeat) or not isinstance(when, Point) or firsts & lexicon.OTHER_WISHES:
        return None
    what = what_to_say(without_why(rest, now, language), MAX_TEXT_CHARS)
    return Pointing(what, when) if says_something(what) else None


def without_why(what: str, now: datetime, language: Language) -> str:
    """Return what is to be said without the reason behind it, unless that is for somebody else to hear."""
    plain = flat(what)
    if not lexicon.SAYING.isdisjoint(spoken(what)):
        return what
    cuts = (one for one in lexicon.WHY_JOINED.finditer(plain) if says_something(what[: one.start()]))
    return next(
        (what[: one.start()] for one in cuts if _is_why(plain, one.start(), one.end(), now, language)), what
    )


def _is_why(plain: str, begin: int, at: int, now: datetime, language: Language) -> bool:
    part = plain[at:]
    joiner = lexicon.WHY_JOINER.match(part)
    if lexicon.BECAUSE.match(part) or lexicon.LAST_TIME.match(part):
        return True
    said = spoken(read_wish(part[joiner.end() :] if joiner else part, now, language).what)
    first = next((word for word in said if word not in lexicon.JOINERS), "")
    return (joiner is not None or begin + 1 < at) and first in lexicon.STORY - lexicon.ARTICLES
