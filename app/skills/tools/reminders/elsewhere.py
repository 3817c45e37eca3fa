"""Hours that are told by the clock of another place: "at 5pm Lisbon time"."""

from typing import Final

from app.domain.places import Places
from app.domain.wording import fold
from app.skills.tools.reminders import lexicon

_MOST_WORDS: Final = 3


def tells_hour_elsewhere(text: str) -> bool:
    """Tell whether an hour is said to be that of another place, before its name or behind it."""
    if lexicon.HOUR_OF_PLACE.isdisjoint(lexicon.spoken(text)):
        return False
    said = [one[0] for one in lexicon.WORD.finditer(text)]
    hours = (at for at, one in enumerate(said) if fold(one) in lexicon.HOUR_OF_PLACE)
    return any(_behind_place(said, at) or _before_place(said, at) for at in hours)


def _behind_place(said: list[str], at: int) -> bool:
    begins = range(max(1, at - _MOST_WORDS), at)
    return any(_ends_hour(said[begin - 1]) and _is_place(said[begin:at]) for begin in begins)


def _before_place(said: list[str], at: int) -> bool:
    begin = at + 2 if fold(" ".join(said[at + 1 : at + 2])) in lexicon.JOINS_PLACE else at + 1
    is_behind_hour = at > 0 and _ends_hour(said[at - 1])
    return is_behind_hour and any(_is_place(said[begin : begin + count]) for count in range(1, _MOST_WORDS + 1))


def _ends_hour(word: str) -> bool:
    return word[-1:].isdigit() or word[:1].isdigit() or fold(word) in lexicon.HALF_BEHIND


def _is_place(words: list[str]) -> bool:
    """Tell whether words name a place: a city that is known, or each with a capital."""
    return bool(words) and (Places().is_named(" ".join(words)) or all(one[:1].isupper() for one in words))
