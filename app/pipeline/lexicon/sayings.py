"""What names an errand, or sounds like a look at the world now, and is neither: sayings, rows of things, what is
lacking, what a thing is like, what is usual, and what is asked of the assistant itself."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import WORDS
from app.pipeline.lexicon.happened import wishes_no_errand
from app.pipeline.lexicon.limits import kind_asked, kind_named
from app.skills.sources.sources import ERRANDS

_MAX_CHARS: Final = 200
_MOST_OF_A_THING: Final = 3
_MOST_NEEDED: Final = 12
_LEAST_OF_A_STATE: Final = 4
_WORD: Final = re.compile(r"[^\W\d_]+")


def _opening(phrases: str) -> str:
    """Return a pattern for phrases that open a text, maybe behind a greeting."""
    return rf"\A\W{{0,3}}(?:{WORDS.pattern('greeting')}\W+){{0,3}}{WORDS.pattern(phrases)}(?!\w)"


_SAYING: Final = LatePattern(_opening("sayings.idioms"))
_ROW: Final = LatePattern(rf" ?[,;&] ?| {WORDS.pattern('sayings.joined')} ")
_NEEDS: Final = LatePattern(_opening("sayings.needs"))
_IS: Final = LatePattern(rf"\A(?:\w+ ){{0,3}}{WORDS.pattern('sayings.is')}")
_SETTING: Final = LatePattern(WORDS.pattern("sayings.setting"))
_USUAL: Final = LatePattern(WORDS.pattern("sayings.usual"))
_FIGURE: Final = re.compile(r"(?P<thing>[^\W\d_]{2,}(?: [^\W\d_]{2,}){0,2}) [$€£]? ?\d{2,7}(?:[.,]\d{1,3})?")
_WHO_DOES: Final = LatePattern(_opening("sayings.who_does"))
_OF_YOU: Final = LatePattern(_opening("sayings.of_you"))


def is_saying(text: str) -> bool:
    """Tell whether a text opens with a figure of speech, and orders nothing behind it: "call it a day"."""
    said = _flat(text)
    found = _SAYING.match(said)
    return found is not None and wishes_no_errand(said[found.end() :].split("?")[0])


def wants_no_errand(text: str) -> bool:
    """Tell whether a text that a head may take for an errand, or for a look at the world now, is none by its form:
    "oven chips, peas", "out of teabags", "the fan in the barn squeaks", "who washes the kit?"."""
    if len(text) > _MAX_CHARS or kind_asked(text) is not None:
        return False
    said = _flat(text)
    return _asks_of_any_time(said) or _are_figures(said) or ("?" not in said and _names_only(said))


def _names_only(said: str) -> bool:
    words = _WORD.findall(said)
    named = kind_named(said, ERRANDS)
    if named in ("pay", "reach"):  # "Pizza and wings" is an order
        return False
    rest = _NEEDS.sub("", said)
    if any(map(str.isdigit, said)) or not wishes_no_errand(rest):
        return False
    if (named == "control" or _IS.match(said) is not None) and _is_state(said, words):
        return True
    return WORDS["sayings.ordering"].isdisjoint(_WORD.findall(rest)) and (_is_lack(said) or _is_row(said))


def _is_lack(said: str) -> bool:
    return _NEEDS.match(said) is not None and len(said.split()) <= _MOST_NEEDED


def _is_row(said: str) -> bool:
    """Tell whether a text is things of few words each, one behind another."""
    things = [one.split() for one in _ROW.split(said.strip(" .!"))]
    return len(things) > 1 and all(0 < len(one) <= _MOST_OF_A_THING for one in things)


def _are_figures(said: str) -> bool:
    """Tell whether a text is things, each with its figure, and nothing more: "rent 640, phone 22"."""
    each = [_FIGURE.fullmatch(one) for one in said.strip(" .!").split(", ")] if ", " in said else []
    things = [one["thing"] for one in each if one is not None]
    words = [word for thing in things for word in thing.split()]
    # "Rent 640, phone 22": a verb alone orders nothing.
    is_verb = len(words) > len(things) and not wishes_no_errand(" ".join(words))
    is_order = is_verb or not WORDS["sayings.ordering"].isdisjoint(words)
    return len(things) > 1 and len(things) == len(each) and not is_order


def _is_state(said: str, words: list[str]) -> bool:
    """Tell whether a text says what a device is like, and not how it is to be set."""
    if len(words) < _LEAST_OF_A_STATE or words[-1] in WORDS["sayings.set_last"] or _SETTING.search(said):
        return False
    if words[0] in COMMON_WORDS["interrogatives"]:
        return False
    return words[0] in WORDS["sayings.whose"] or _IS.match(said) is not None


def _asks_of_any_time(said: str) -> bool:
    """Tell whether a question is of what is usual, of who does a thing, or of the assistant itself."""
    if "?" in said and _USUAL.search(said) is not None:
        return True
    if not WORDS["sayings.now"].isdisjoint(_WORD.findall(said)):
        return False
    return _WHO_DOES.match(said) is not None or _OF_YOU.match(said) is not None


def _flat(text: str) -> str:
    return " ".join(fold(text).replace("’", "'").split())
