"""Words that are wanted in another language: those of courtesy, and what is said to somebody who is described."""

import re
from types import MappingProxyType
from typing import Final

from app.language.detection import language_by_words
from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import SAID_TO_THEM, WORDS, asks_for_kept, wants_done

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_POINTED: Final = re.compile(r"[:,]\s*")
_COURTESIES: Final = WORDS["courtesies"]
_LANGUAGES: Final = MappingProxyType(
    {word: code for code, words in WORDS.table("languages").items() for word in words}
)


def tongue() -> str:
    return rf"(?P<tongue>{WORDS.pattern('tongue')})(?!\w)"


def into_tongue() -> str:
    return rf"{WORDS.pattern('into')} {tongue()}"


ASKED: Final = (
    LatePattern(rf"{WORDS.pattern('asks_saying')},? {into_tongue()}[:,]? (?P<said>[^?]{{1,300}})"),
    LatePattern(rf"{WORDS.pattern('asks_saying')}[:,]? (?P<said>[^?]{{1,300}}?),? {into_tongue()}"),
    LatePattern(rf"{into_tongue()},? {WORDS.pattern('asks_saying')}[:,]? (?P<said>[^?]{{1,300}})"),
    LatePattern(rf"{WORDS.pattern('asks_word')} {tongue()} {WORDS.pattern('word_for')} (?P<said>[^?,.;]{{1,60}})"),
)
"""Words that are wanted in a language that is named."""
COURTESY: Final = LatePattern(
    rf"\W{{0,9}}(?:(?:and|y) )?(?P<said>[^?¿,.;:]{{1,40}}?) {into_tongue()} ?\?\W{{0,9}}\Z"
)
"""A question of nothing but words, and a language: "thank you in French?"."""
_SPOKEN_BADLY: Final = LatePattern(
    rf"(?<!\w)(?:{WORDS.pattern('own_tongue')} (?P<own>{WORDS.pattern('tongue')}) {WORDS.pattern('is_poor')}"
    rf"|{WORDS.pattern('speaking_badly')} {tongue()})"
)
_BEHIND_JOY: Final = re.compile(
    r"[^?¿\d]{1,40}?\W(?:and|y|e) (?P<said>[^?¿,.;:!]{2,40})\?\W{0,9}\Z", re.IGNORECASE
)
_MOST_JOY: Final = 5
TO_WHOM: Final = LatePattern(
    rf"{WORDS.pattern('to_whom_said')} \w+ {WORDS.pattern('who_does')} (?:\w+ ){{1,2}}?"
    rf"{WORDS.pattern('going_to')} \w+[,:]? (?:{into_tongue()}[,:]? )?(?P<said>\w.*\w)"
)
"""Who is spoken to, and behind that what is said: "to a guest who comes to the desk the lift is broken"."""


WHY: Final = LatePattern(rf"[.;!] {WORDS.pattern('why_translated')}(?!\w)|, {WORDS.pattern('why_tongue')}(?!\w)")
_SPOKEN: Final = LatePattern(
    rf"(?P<denied>(?<!\w)(?:no|not|dont|don't|doesnt|doesn't|never|ni) )?"
    rf"(?:{WORDS.pattern('speaking')} (?:\w+ ){{0,2}}?|{WORDS.pattern('speaking_only')} ){tongue()}"
)
_MAX_STORY: Final = 400
_MARKS: Final = " ,.;:¡!¿\"“”«»'‘’"


def _telling() -> str:
    return rf"(?<!\w){WORDS.pattern('telling_whom')}"


def _that() -> str:
    return rf"(?:{WORDS.pattern('telling_that')}(?!\w)|:)"


def _whom() -> str:
    """Return up to eight words for somebody, which are none of a question: "how do I tell if …"."""
    return rf"(?!{WORDS.pattern('telling_nobody')}(?!\w))(?:[\w'’.-]+ ){{1,8}}?"


def _somebody() -> str:
    """Return a word or two for somebody, where nothing stands between them and what they are told."""
    pronoun = WORDS.pattern("telling_pronoun")
    is_alone = rf"{pronoun}(?= {WORDS.pattern('telling_opening')}(?!\w))"
    return rf"(?:{is_alone}|{WORDS.pattern('telling_somebody')} [\w'’-]+|{pronoun}) "


def _said() -> str:
    return rf"(?!{WORDS.pattern('telling_nothing')}(?!\w))(?P<said>\w[^?]{{1,300}})"


_TOLD_WHOM: Final = (
    LatePattern(rf"{_telling()} {_whom()}{into_tongue()}[:,]?(?: {_that()})? {_said()}"),
    LatePattern(rf"{_telling()} {into_tongue()},? {_whom()}{_that()} {_said()}"),
    LatePattern(rf"{into_tongue()},? (?:\w+ )?{_telling()} {_whom()}{_that()} {_said()}"),
    LatePattern(rf"{into_tongue()},? (?:\w+ )?{_telling()} {_somebody()}{_said()}"),
    LatePattern(rf"{_telling()} {into_tongue()},? {_somebody()}{_said()}"),
    LatePattern(rf"{_telling()} {_whom()}{_that()} {_said()}"),
    LatePattern(rf"{_telling()} {_somebody()}{_said()}"),
)
"""Words for somebody who is named: "how do I tell my tenant in Greek that …", "in Greek, how do I tell …"."""
_BEHIND: Final = LatePattern(rf"[,;]? {into_tongue()}\W{{0,9}}\Z")


def language_named(said: str) -> str:
    """Return the code of the language that a folded text names first, or ""."""
    return next((code for word in _LETTERS.findall(said) if (code := _LANGUAGES.get(word))), "")


def _told_to(text: str) -> tuple[str, str, int] | None:
    """Return the tongue in which somebody is to be told something, what that is, and where the wish for it begins;
    "" for a tongue that is not named there; None of any other message.

    Whom it is for is no part of it.
    """
    for pattern in _TOLD_WHOM:
        if (found := pattern.search(text)) is None:
            continue
        groups, told = found.groupdict(), found["said"].strip()
        named = groups.get("tongue") or ""
        if not named and (behind := _BEHIND.search(told)) is not None:
            named, told = behind["tongue"], told[: behind.start()]
        if not named:  # "… the gate sticks, she only speaks Greek": why it is to be said in that language.
            told = ", ".join(one for one in told.split(", ") if _SPOKEN.search(one) is None)
        return named, told, found.start()
    return None


def read_told_to(text: str) -> tuple[str, str] | None:
    """Read what somebody who is named is to be told in a language, which may be the one that they only speak."""
    said = " ".join(text.split()) if len(text) <= _MAX_STORY else ""
    is_other = TO_WHOM.search(said) is not None or SAID_TO_THEM.search(text) is not None
    if is_other or (found := _told_to(said)) is None:
        return None
    named, told, at = found
    code = language_named(fold(named)) or spoken_in(said)
    told = WHY.split(told)[0].strip(_MARKS)
    is_other = not told or not code or code == language_by_words(told)
    return None if is_other or wants_done(said[:at]) or asks_for_kept(said[:at]) else (code, told)


def spoken_in(text: str) -> str:
    """Return the code of the language that a text says somebody speaks, or "": "they only speak Greek"."""
    found = [one for one in _SPOKEN.finditer(" ".join(text.split())) if not one["denied"]]
    return language_named(fold(found[-1]["tongue"])) if found else ""


def is_courtesy(said: str) -> bool:
    return _COURTESIES.issuperset(_LETTERS.findall(fold(said)))


def behind_pointing(text: str) -> str:
    """Return the words that others point to: those behind "this: …"."""
    head, *rest = _POINTED.split(text, maxsplit=1)
    is_pointing = rest and COMMON_WORDS["pointing"].issuperset(_LETTERS.findall(fold(head)))
    return rest[0] if is_pointing else text


def courtesy_behind_joy(text: str) -> str:
    """Return the courtesy that a short reaction goes on to ask for: "aw, so sweet! And goodbye?"; else ""."""
    found = _BEHIND_JOY.match(text)
    is_asked = found is not None and len(text[: found.start("said")].split()) <= _MOST_JOY + 1
    return found["said"].strip() if found is not None and is_asked and is_courtesy(found["said"]) else ""


def spoken_badly(text: str) -> str:
    """Return the language that whoever writes hardly speaks: "my French is poor"; "" where none is told."""
    found = _SPOKEN_BADLY.search(text)
    return "" if found is None else found["own"] or found["tongue"]
