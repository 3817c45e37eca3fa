"""A wish in the infinitive, as on a slip of paper: "agregar pan a la lista", "recordar pagar la luz mañana".

Its verb is put as one asks for it, before anybody reads the message; what stands behind it stays as it is written.
"""

import re
from types import MappingProxyType
from typing import Final

from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS

_MAX_CHARS: Final = 300
_WORD: Final = re.compile(r"[^\W\d_]+")
_ASKED_FOR: Final = MappingProxyType(
    {verb: asked for verb, _, asked in (one.partition("=") for one in sorted(COMMON_WORDS["terse.asked_for"]))}
)
_GERUNDS: Final = COMMON_WORDS["terse.gerunds"]
_REMINDING: Final = COMMON_WORDS["terse.reminding"]
_KEPT: Final = COMMON_WORDS["terse.kept"]
_TO_LISTS: Final = COMMON_WORDS["terse.to_lists"]
_LISTS: Final = COMMON_WORDS["terse.lists"]
_TELLING: Final = COMMON_WORDS["terse.telling"]
_STATING: Final = COMMON_WORDS["terse.stating"]
_DAYS: Final = COMMON_WORDS["days"] | COMMON_WORDS["terse.near_days"]
_NOT_DONE: Final = COMMON_WORDS["terse.not_done"]
_DONE: Final = LatePattern(COMMON_WORDS.pattern("terse.to_be_done"))
"""A verb in the infinitive, or "that": what a reminder is of is to be done."""
_GLUED: Final = re.compile(r"(?<=\d)(?=[^\W\d_])")
_HOUR_OR_DATE: Final = LatePattern(
    rf"(?<!\w)(?:{COMMON_WORDS.pattern('terse.before_hour')} \d{{1,2}}(?!\d)|\d{{1,2}}(?:[:/.-]\d{{1,2}}"
    rf"| ?{COMMON_WORDS.pattern('terse.behind_hour')})(?!\w))"
)
_OPENING: Final = COMMON_WORDS["terse.opening"]
_OWN: Final = LatePattern(rf":| {COMMON_WORDS.pattern('terse.opens_told')}(?!\w)")
_LATER: Final = LatePattern(
    rf"(?:[,;.] |\s{COMMON_WORDS.pattern('terse.joins')} )(?P<verb>{COMMON_WORDS.pattern('terse.goes_on')})(?!\w)"
)
_TO_LIST: Final = LatePattern(rf"(?<!\w){COMMON_WORDS.pattern('terse.list_last')}\W{{0,3}}\Z")


def as_asked(text: str) -> str:
    """Return a wish whose verb stands in the infinitive with that verb as one asks; any other text as it is.

    "Agregar leche a la masa" puts nothing where we keep things, "crear un proyecto es difícil" tells something,
    and what has a question mark asks.
    """
    verb = _opening_verb(text) if len(text) <= _MAX_CHARS and "?" not in text else None
    if verb is None or not _is_wish(text, verb):
        return text
    key, first = fold(verb[0]), verb[0][0]
    asked = _ASKED_FOR[key]
    asked = asked[0].upper() + asked[1:] if first.isupper() else asked
    return f"{text[: verb.start()]}{asked}{_going_on(text[verb.end() :])}"


def tells_of_doing(text: str) -> bool:
    """Tell whether a text only says how it is to do so: "agregar a alguien a la lista es un lío"."""
    verb = _opening_verb(text) if len(text) <= _MAX_CHARS else None
    said = set[str]() if verb is None else _said(text[verb.end() :])
    return not said.isdisjoint(_STATING) and not said.isdisjoint(_KEPT)


def _said(behind: str) -> set[str]:
    """Return the words up to a colon or "that", where the person's own begin."""
    own = _OWN.search(behind)
    return set(_WORD.findall(fold(behind if own is None else behind[: own.start()])))


def _opening_verb(text: str) -> re.Match[str] | None:
    """Return the infinitive that opens a message, behind a greeting or "please" at most."""
    for one in _WORD.finditer(text, 0, len(text)):
        key = fold(one[0])
        if key in _ASKED_FOR:
            return one
        if key not in _OPENING:
            return None
    return None


def _is_wish(text: str, verb: re.Match[str]) -> bool:
    key, behind = fold(verb[0]), text[verb.end() :]
    said = _said(behind)
    if not said.isdisjoint(_TELLING | _STATING):
        return False
    if key in _REMINDING:
        is_dated = (
            not _DAYS.isdisjoint(_WORD.findall(fold(behind)))
            or _HOUR_OR_DATE.search(_GLUED.sub(" ", fold(behind))) is not None
        )
        return is_dated and _is_to_be_done(behind)
    if key in _GERUNDS:
        return _TO_LIST.search(behind) is not None
    return not said.isdisjoint(_LISTS if key in _TO_LISTS else _KEPT)


def _is_to_be_done(behind: str) -> bool:
    said = (one for one in _WORD.findall(fold(behind)) if one not in _NOT_DONE)
    return any(_DONE.fullmatch(one) for one in said)


def _going_on(behind: str) -> str:
    """Return what stands behind the verb with the verbs of further wishes as one asks: "… y agregar pan"."""
    own = behind.find(":")
    end = len(behind) if own < 0 else own
    head = _LATER.sub(lambda one: one[0].replace(one["verb"], _ASKED_FOR[fold(one["verb"])]), behind[:end])
    return f"{head}{behind[end:]}"
