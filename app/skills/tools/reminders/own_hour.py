"""Wishes whose hour is said right away, and whose thing holds another: "remind me at 7 that the 9:30 is full"."""

import re
from datetime import datetime
from typing import Final

from app.domain.wording import fold, one_line
from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.antecedents import Pointing, without_why
from app.skills.tools.reminders.lexicon import flat, is_courtesy, says_something, spoken
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.when.meanings import Repeat, When, likely_of, says_hour
from app.when.reading import read_wish

_MAX_CHARS: Final = 300
_DIGITS: Final = re.compile(r"\d+(?:[:.]\d\d)?")
_TWO: Final = 2
_EDGES: Final = " ,;.:-–"
_CLAUSE: Final = re.compile(r"[.,;!\n] ?| (?:y|e|o|and|or|then|also|luego|tambien|[+&]) ")


def read_own_hour(text: str, now: datetime, language: Language) -> Pointing | None:
    """Return a wish that says its hour before its thing, where that tells of another hour, in the person's words.

    None of any other text: of one that wishes for something at that other hour, too. `now` is local.
    """
    if len(text) > _MAX_CHARS or "?" in text or len(_DIGITS.findall(text)) < _TWO:
        return None
    plain = flat(text)
    asking = lexicon.REMINDING.search(plain)
    led = None if asking is None else lexicon.LED_THING.search(plain, asking.end())
    if asking is None or led is None:
        return None
    # "At three no coffee": what is not to be done is told so.
    *_, last = ("", *lexicon.WORD.finditer(plain, 0, led.start()))
    is_denied = bool(last) and last[0] in lexicon.NOT_REMINDING and last.start() >= asking.end()
    begin, end = (last.start(), last.start()) if is_denied else (led.start(), led.end())
    own = read_wish(text[:begin], now, language)
    if not says_hour(own.when) or says_something(own.what) or not is_courtesy(text[: asking.start()]):
        return None
    thing = text[end:]
    other = read_wish(thing, now, language).when
    if own.when is None or not says_hour(other) or _is_wished(thing, now, language) or _comes_again(other):
        return None
    what = one_line(without_why(thing, now, language).strip(_EDGES), MAX_TEXT_CHARS)
    return Pointing(what, own.when) if says_something(what) else None


def _comes_again(when: When | None) -> bool:
    return any(isinstance(one, Repeat) for one in likely_of(when))


def _is_wished(thing: str, now: datetime, language: Language) -> bool:
    """Tell whether a part behind the first is a wish itself, or says one more hour: "and at 9 to feed it"."""
    behind = _CLAUSE.split(fold(thing))[1:]
    firsts = {next((word for word in spoken(one) if word not in lexicon.JOINERS), "") for one in behind}
    is_other = not lexicon.OTHER_WISHES.isdisjoint(firsts) or lexicon.REMINDING.search(flat(thing)) is not None
    return is_other or any(says_hour(read_wish(one, now, language).when) for one in behind)
