"""Names of places with a slip, or by ear: "brisbne", "kito", "guayakil".

Only where one known place is that near. A name that is a place as it is written stays, and so does a word of a
language ("in german").
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

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


def meant_at_start(places: Places, words: Sequence[str], *, least: int = 1) -> tuple[str, int]:
    """Return the place that was meant by the folded words that a text begins with, and how many they are; ("", 0)
    where there is none, or several are as near. A country that is named behind it may have smaller towns, too."""
    for size in range(min(_MOST_WORDS, len(words)), least - 1, -1):
        said = " ".join(words[:size])
        if len(said) < _LEAST_LETTERS or said in _NO_PLACES:
            continue
        if name := _one_of(places, said, _towns_in(places, words[size:])) or _one_of(places, said, _by_sound()):
            return name, size
    return "", 0


def _towns_in(places: Places, behind: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the cities and towns, by sound, of the country that stands behind a name."""
    for size in range(min(_MOST_WORDS, len(behind)), 0, -1):
        said = " ".join(behind[:size])
        country = said if len(said) < _LEAST_LETTERS else _one_of(places, said, _countries_by_sound())
        if code := places.territory(said) or places.territory(country):
            return _towns_of(code)
    return {}


@cache
def _by_sound() -> Mapping[str, tuple[str, ...]]:
    """Return all large cities and countries by their sound; 15 ms, when the first is asked for."""
    places = Places()
    return _sounding({*places.cities(), *places.countries()})


@cache
def _countries_by_sound() -> Mapping[str, tuple[str, ...]]:
    return _sounding(Places().countries())


@cache
def _towns_of(code: str) -> Mapping[str, tuple[str, ...]]:
    """Return the cities and towns of a country by their sound; some 20 ms, once for each country."""
    places = Places()
    zones = frozenset(places.zones_of(code))
    known = {**towns(fold), **places.cities()}
    return _sounding(name for name, (_, zone) in known.items() if zone in zones)


def _sounding(names: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(names):
        found[sound_of(name)] = (*found.get(sound_of(name), ()), name)
    return MappingProxyType(found)


def _one_of(places: Places, said: str, by_sound: Mapping[str, Collection[str]]) -> str:
    """Return the only name that sounds like what was said, or else is one slip away (two in a long one)."""
    near = by_sound.get(sound_of(said)) or _near(said, [one for names in by_sound.values() for one in names])
    if len(near) > 1:
        near = [one for one in near if sorted(one) == sorted(said)] or near
    zones = {(places.territory(one), places.zone(one, default="").key) for one in near}
    is_one = len(near) == 1 or (len(zones) == 1 and None not in {code for code, _ in zones})
    return next(iter(near)) if near and is_one else ""


def _near(said: str, names: Iterable[str]) -> list[str]:
    most = 2 if len(said) >= _TWICE else 1
    like = [one for one in names if one[:1] == said[:1] and one.count(" ") == said.count(" ")]
    found = process.extract(said, like, scorer=OSA.distance, score_cutoff=most, limit=None)
    fitting = [(count, name) for name, count, _ in found if _is_slip(said, name)]
    least = min((count for count, _ in fitting), default=0)
    return [name for count, name in fitting if count == least]


def _is_slip(said: str, name: str) -> bool:
    if len(said) == len(name):
        return len(said) >= (_LEAST_MEANT if sorted(said) == sorted(name) else _ANY_LETTER)
    return len(name) >= _LEAST_MEANT
