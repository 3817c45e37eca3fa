"""Words around a reminder: how people ask for one, and how they name one or all of them."""

import re
from typing import Final

from app.domain.wording import fold, one_line
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
NO_NAME: Final = _WORDS["no_name"]
EVERY_ONE: Final = _WORDS["every_one"]
OFF: Final = _WORDS["off"]
CREATE: Final = _WORDS["create"]
_OPENING: Final = re.compile(
    rf"^(?:{_WORDS.pattern('please')}[\s,]+)*{_WORDS.pattern('asking')}(?:\s*[:,]\s*|\s+|$)", re.IGNORECASE
)
_JOINING: Final = re.compile(rf"^{_WORDS.pattern('joining')}(?:\s+|$)", re.IGNORECASE)
_ENDING: Final = re.compile(rf"{_WORDS.pattern('asking_after')}$", re.IGNORECASE)
_TELLING: Final = re.compile(
    rf"^(?:{_WORDS.pattern('please')}[\s,]+)*{_WORDS.pattern('telling')}\s"
    rf"(?:(?={_WORDS.pattern('looked_up')})(?!{_WORDS.pattern('belongs')})|(?!{_WORDS.pattern('to_be_told')}))",
    re.IGNORECASE,
)
_BELONGS: Final = re.compile(_WORDS.pattern("belongs"), re.IGNORECASE)
_TOPICS: Final = _WORDS["topics"]
THIS_WEEK: Final = re.compile(rf"\s{_WORDS.pattern('this_week')}$", re.IGNORECASE)
THIS_MONTH: Final = re.compile(rf"\s{_WORDS.pattern('this_month')}$", re.IGNORECASE)
WEEKEND: Final = re.compile(rf"\s{_WORDS.pattern('weekend')}$", re.IGNORECASE)
FOR_SO_LONG: Final = re.compile(rf"\s{_WORDS.pattern('for_so_long')}\s(?=\w+ \w+$)", re.IGNORECASE)
WITHIN: Final = _WORDS["within"]
SPAN_FIRST: Final = re.compile(
    rf"(?P<span>{_WORDS.pattern('this_week')}|{_WORDS.pattern('this_month')}|{_WORDS.pattern('today')}"
    rf"|{_WORDS.pattern('weekend')}|{_WORDS.pattern('until')}\s[^,]{{2,40}}?),?\s(?={_WORDS.pattern('being')}\s)",
    re.IGNORECASE,
)
BEING: Final = re.compile(
    rf"(?:{_WORDS.pattern('by_the_way')},?\s)?(?:{_WORDS.pattern('being')})\s(?:{_WORDS.pattern('somewhere')})\s",
    re.IGNORECASE,
)
PURPOSE: Final = re.compile(rf"\s{_WORDS.pattern('purpose')}$", re.IGNORECASE)
TODAY: Final = re.compile(rf"\s{_WORDS.pattern('today')}$", re.IGNORECASE)
UNTIL: Final = re.compile(rf"\s{_WORDS.pattern('until')}\s", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+")
PUTTING_OFF: Final = re.compile(
    rf"^\W*(?:{_WORDS.pattern('please')}\W+)*{_WORDS.pattern('put_off')}\s*", re.IGNORECASE
)
PUTTING_IT_OFF: Final = re.compile(
    rf"^\W*(?:{_WORDS.pattern('please')}\W+)*{_WORDS.pattern('put_it_off')}(?!\w)", re.IGNORECASE
)
SO_LONG: Final = re.compile(rf"^{_WORDS.pattern('for_so_long')}\s", re.IGNORECASE)
ONCE_MORE: Final = re.compile(_WORDS.pattern("once_more"), re.IGNORECASE)
LAST_WORDS: Final = re.compile(rf"\W{{1,9}}{_WORDS.pattern('please')}\W{{0,9}}$", re.IGNORECASE)
CALLING_OFF: Final = re.compile(
    rf"^\W*(?:{_WORDS.pattern('please')}\W+)*{_WORDS.pattern('calling_off')}\s+", re.IGNORECASE
)
CALLING_IT_OFF: Final = re.compile(
    rf"(?:{_WORDS.pattern('please')}\W+)*{_WORDS.pattern('calling_it_off')}(?:\s{_WORDS.pattern('please')})?",
    re.IGNORECASE,
)
MOVING_IT: Final = re.compile(
    rf"(?:{_WORDS.pattern('please')}\W+)*{_WORDS.pattern('moving_it')}(?!\w)", re.IGNORECASE
)
AND_ANOTHER: Final = re.compile(
    rf"^\W*(?:{_WORDS.pattern('by_the_way')}\W+)?{_WORDS.pattern('and_another')}\W+", re.IGNORECASE
)
TO_DO: Final = re.compile(rf"^{_WORDS.pattern('to_do')}", re.IGNORECASE)
NEW_HOUR: Final = re.compile(
    rf"{_WORDS.pattern('new_hour')}\s(?:\w+\s){{0,2}}?(\d{{1,2}}(?:[:.]\d\d)?)(?=\W*$|\s{_WORDS.pattern('instead')}\W*$)",
    re.IGNORECASE,
)
DIARY: Final = re.compile(
    rf"^\W*(?:{_WORDS.pattern('please')}\W+)*(?!{_WORDS.pattern('no_diary')}){_WORDS.pattern('diary')}(?=\W+\w)",
    re.IGNORECASE,
)
REMINDING: Final = re.compile(
    rf"^\W*(?:{_WORDS.pattern('please')}\W+)*{_WORDS.pattern('reminding')}(?=\W+\w)", re.IGNORECASE
)
REMINDING_AFTER: Final = re.compile(
    rf"{_WORDS.pattern('reminding_after')}(?:\W+{_WORDS.pattern('please')})?\W*$", re.IGNORECASE
)
CONTACT: Final = _WORDS["contact"]
_EDGES: Final = " ,.;:-–¡!¿?\n"
_ROUNDS: Final = 3


def is_question(text: str) -> bool:
    """Tell whether a wish without its time is to be looked up then: "tell me the weather", not "to call"."""
    plain = fold(" ".join(text.split())).strip(_EDGES)
    told = _TELLING.match(plain)
    if told is None or _BELONGS.search(plain, told.end()):
        return False
    return not _TOPICS.isdisjoint(_WORD.findall(plain))


def what_to_say(text: str, limit: int) -> str:
    """Return a wish without the words that only ask for it: "remind me to call Ann" is "call Ann"."""
    rest = " ".join(text.split()).strip(_EDGES)
    for _ in range(_ROUNDS):
        shorter = _ENDING.sub("", _OPENING.sub("", rest, count=1), count=1).strip(_EDGES)
        shorter = _JOINING.sub("", shorter, count=1).strip(_EDGES)
        if shorter == rest:
            break
        rest = shorter
    return one_line(rest, limit)
