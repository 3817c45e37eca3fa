"""What fills only before a wish: "go ahead and add rye", "también sal y agarrá y poneme pan"."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS

_MAX_CHARS: Final = 400
_MOST_BEFORE: Final = 160
_JOINER: Final = re.compile(r"(?<!\w)(?:y|e|and|n|&)(?!\w)")
_SOUND: Final = r"(?:o+h|a+h|a+y|u+h|u+y|e+h|e+r|u+m|m+)"


def _within() -> str:
    """Return a pattern for what stands between a thing and the wish for one more: " oh and de paso "."""
    said = rf"(?:{COMMON_WORDS.pattern('going_ahead')},? )"
    joined = rf"(?:{_SOUND},? )?(?P<and>y|e|and|n|&),? (?:{_SOUND},? )?"
    put = COMMON_WORDS.pattern("put_ahead")
    return rf"(?P<mark>[,;.!…]{{0,3}}) (?:{joined}{said}{{0,3}}|{said}{{1,3}})(?={put})"


_FIRST: Final = LatePattern(
    rf"\W{{0,3}}(?:{COMMON_WORDS.pattern('going_ahead_first')} ){{1,2}}(?={COMMON_WORDS.pattern('wished_ahead')})"
)
# "Hey mate, jot down …"; who is called needs a comma, or a wish for oneself behind it: "mum put ham on it" tells.
_CALLED: Final = LatePattern(
    rf"\W{{0,3}}(?:{COMMON_WORDS.pattern('called_ahead')}[,.!?…]{{0,3}} |"
    rf"{COMMON_WORDS.pattern('people_called')}(?:[,.!…]{{1,3}} |"
    rf" (?={COMMON_WORDS.pattern('called_ahead')}[ ,]|{COMMON_WORDS.pattern('people_called')}[ ,]"
    rf"|{COMMON_WORDS.pattern('wished_of_me')}))){{1,6}}"
    rf"(?=(?:{COMMON_WORDS.pattern('politely_ahead')},? ){{0,3}}{COMMON_WORDS.pattern('kept_ahead')})"
)
# "A quick favour, the bus is here: note that …"
_ANNOUNCED: Final = LatePattern(
    rf"\W{{0,3}}(?:{COMMON_WORDS.pattern('called_ahead')}[,.!…]{{0,3}} ){{0,3}}"
    rf"{COMMON_WORDS.pattern('things_ahead')}(?:,[^.:;!?\n]{{1,60}}+)?: "
    rf"(?=(?:{COMMON_WORDS.pattern('politely_ahead')},? ){{0,3}}"
    rf"(?:{COMMON_WORDS.pattern('kept_ahead')}|{COMMON_WORDS.pattern('wished_ahead')}))"
)
_WROTE: Final = re.compile(r"(?:\w+ )?\w+é(?!\w)", re.IGNORECASE)  # "ya anoté …"
_WITHIN: Final = LatePattern(_within())
_LAST: Final = LatePattern(rf",? {COMMON_WORDS.pattern('going_ahead_last')}(?=\W{{0,9}}\Z)")
_PUTS: Final = LatePattern(COMMON_WORDS.pattern("put_ahead"))
_TOLD: Final = LatePattern(COMMON_WORDS.pattern("told_ahead"))


def without_going_ahead(text: str) -> str:
    """Return a message without what fills before its wishes; any other as it is.

    In the middle of a message only before one more thing that is to be put somewhere, and not where what somebody
    says or keeps may stand before it: "note: go early and go ahead and add …".
    """
    flat = fold(text).replace("’", "'") if len(text) <= _MAX_CHARS else ""
    if len(flat) != len(text):
        return text
    if ":" in flat and (announced := _ANNOUNCED.match(flat)) is not None:
        text, flat = text[announced.end() :], flat[announced.end() :]
    first = _CALLED.match(flat)
    if first is not None and _WROTE.match(text, first.end()) is not None:
        return text
    if first is not None or (first := _FIRST.match(flat)) is not None:
        text, flat = text[first.end() :], flat[first.end() :]
    last = _LAST.search(flat)
    if last is not None and _PUTS.search(flat) is not None and not _is_told(flat[: last.start()]):
        text, flat = (one[: last.start()] + one[last.end() :] for one in (text, flat))
    for found in reversed([*_WITHIN.finditer(flat, 0, _MOST_BEFORE)]):
        before = flat[: found.start()]
        joiner = found["and"] or next(iter(_JOINER.findall(found[0])), "")
        is_run_on = joiner and not found["and"] and not found["mark"]  # "how do I go ahead and add …"
        if not before.strip() or is_run_on or _is_told(before):
            continue
        joint = f"{found['mark']} {joiner} " if joiner else f"{found['mark'] or ','} "
        text = f"{text[: found.start()]}{joint}{text[found.end() :]}"
    return text


def _is_told(before: str) -> bool:
    return ":" in before or '"' in before or _TOLD.search(before) is not None
