"""Names of places with a slip, or by ear: "brisbne", "kito", "guayakil".

Only where one known place is that near. A name that is a place as it is written stays, and so does a word of a
language ("in german").
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from app.domain.places import Places, fold
from app.domain.towns import towns
from app.language.lexicon import COMMON_WORDS
from app.language.slips import sound_of

_MOST_WORDS: Final = 3
_LEAST_LETTERS: Final = 4
_LEAST_MEANT: Final = 5
_ANY_LETTER: Final = 6
"""From so many letters on one may be wrong: in a shorter word another letter makes another word."""
_TWICE: Final = 9
_NO_PLACES: Final = COMMON_WORDS["tongues"]


def written_at_start(places: Places, words: Sequence[str]) -> int:
    """Return how many folded words name a place as they are written, 0 where they begin with none."""
    sizes = range(min(_MOST_WORDS, len(words)), 0, -1)
    said = ((size, " ".join(words[:size])) for size in sizes)
    return next((size for size, one in said if places.is_named(one) or one in towns(fold)), 0)


def sounding_like(places: Places, said: str) -> str:
    """Return the only large city or country that sounds like a name in Spanish, "Balparaíso"; "" where none."""
    name = fold(said)
    return _only_one(places, name, _large().by_sound.get(sound_of(name), ()))


def meant_at_start(places: Places, words: Sequence[str], *, least: int = 1) -> tuple[str, int]:
    """Return the place that was meant by the folded words that a text begins with, and how many they are; ("", 0)
    where there is none, or several are as near. A country that is named behind it may have smaller towns, too."""
    for said, behind in _at_start(words, least):
        if name := _one_of(places, said, _towns_in(places, behind)) or _one_of(places, said, _large()):
            return name, len(words) - len(behind)
    return "", 0


def swapped_at_start(places: Places, words: Sequence[str], *, least: int = 1) -> tuple[str, int]:
    """Return the same where letters are only swapped ("el ciaro"), or a country behind it tells that a place was
    meant by its sound ("la pas bolivia"): an article leads to all other things, too ("la plaza")."""
    for said, behind in _at_start(words, least):
        towns_there = _towns_in(places, behind)
        near = towns_there.by_sound.get(sound_of(said), ()) or _swapped(said, _large())
        if name := _only_one(places, said, near):
            return name, len(words) - len(behind)
    return "", 0


class _Names(NamedTuple):
    """Names of places by their sound, and by their first letter and how many blanks are in them."""

    by_sound: Mapping[str, Sequence[str]]
    by_start: Mapping[tuple[str, int], Sequence[str]]


def _at_start(words: Sequence[str], least: int) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what the text begins with and may be a place, the longest first, and what stands behind it."""
    for size in range(min(_MOST_WORDS, len(words)), least - 1, -1):
        said = " ".join(words[:size])
        if len(said) >= _LEAST_LETTERS and said not in _NO_PLACES:
            yield said, words[size:]


def _towns_in(places: Places, behind: Sequence[str]) -> _Names:
    """Return the cities and towns of the country that stands behind a name."""
    for size in range(min(_MOST_WORDS, len(behind)), 0, -1):
        said = " ".join(behind[:size])
        country = said if len(said) < _LEAST_LETTERS else _one_of(places, said, _countries())
        if code := places.territory(said) or places.territory(country):
            return _towns_of(code)
    return _grouped(())


@cache
def _large() -> _Names:
    """Return all large cities and countries; 15 ms, when the first is asked for."""
    places = Places()
    return _grouped({*places.cities(), *places.countries()})


@cache
def _countries() -> _Names:
    return _grouped(Places().countries())


@cache
def _towns_of(code: str) -> _Names:
    """Return the cities and towns of a country; some 20 ms, once for each country."""
    places = Places()
    zones = frozenset(places.zones_of(code))
    known = {**towns(fold), **places.cities()}
    return _grouped(name for name, (_, zone) in known.items() if zone in zones)


def _grouped(names: Iterable[str]) -> _Names:
    by_sound: dict[str, list[str]] = {}
    by_start: dict[tuple[str, int], list[str]] = {}
    for name in sorted(names):
        by_sound.setdefault(sound_of(name), []).append(name)
        by_start.setdefault(_start_of(name), []).append(name)
    return _Names(MappingProxyType(by_sound), MappingProxyType(by_start))


def _start_of(name: str) -> tuple[str, int]:
    return name[:1], name.count(" ")


def _one_of(places: Places, said: str, names: _Names) -> str:
    """Return the only name that sounds like what was said, or else is one slip away (two in a long one)."""
    return _only_one(places, said, names.by_sound.get(sound_of(said)) or _near(said, names))


def _only_one(places: Places, said: str, near: Sequence[str]) -> str:
    if len(near) > 1:
        near = [one for one in near if sorted(one) == sorted(said)] or near
    zones = {(places.territory(one), places.zone(one, default="").key) for one in near}
    is_one = len(near) == 1 or (len(zones) == 1 and None not in {code for code, _ in zones})
    return next(iter(near)) if near and is_one else ""


def _near(said: str, names: _Names) -> list[str]:
    most = 2 if len(said) >= _TWICE else 1
    like = names.by_start.get(_start_of(said), ())
    found = process.extract(said, like, scorer=OSA.distance, score_cutoff=most, limit=None)
    fitting = [(count, name) for name, count, _ in found if _is_slip(said, name)]
    least = min((count for count, _ in fitting), default=0)
    return [name for count, name in fitting if count == least]


def _swapped(said: str, names: _Names) -> list[str]:
    return [one for one in _near(said, names) if sorted(one) == sorted(said)]


def _is_slip(said: str, name: str) -> bool:
    if len(said) == len(name):
        return len(said) >= (_LEAST_MEANT if sorted(said) == sorted(name) else _ANY_LETTER)
    return len(name) >= _LEAST_MEANT
