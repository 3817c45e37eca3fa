"""From what people write ("Tokio", "UTC-3", "México") to a time zone or a country."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from babel.core import Locale, get_global
from rapidfuzz import process
from rapidfuzz.distance import OSA

from app.domain.errors import ToolFault, UnknownPlace
from app.domain.place_names import CITIES, COUNTRY_ALIASES, PRINCIPAL_ZONES
from app.domain.regions import SPLIT, regions
from app.domain.towns import is_ordinary, towns

_LOCALES: Final = ("es", "en")
_MAX_CHARS: Final = 80
_NEAREST: Final = 3
_MUCH_ALIKE: Final = 0.8
_MOST_WORDS: Final = 3
_LEAST_LETTERS: Final = 4
_SHORT_NAME: Final = 6
_FURTHEST: Final = timedelta(hours=14)
_HERE: Final = frozenset(
    {
        "local",
        "here",
        "aqui",
        "aca",
        "hora local",
        "local time",
        "my time",
        "mi hora",
        "my timezone",
        "mi zona",
    }
)
_WITHIN: Final = frozenset({"in", "en"})
_NO_NAMES: Final = frozenset(
    {
        *("the", "other", "a", "my", "el", "la", "los", "las", "otro", "otra", "un", "una", "mi"),
        *("noche", "noches", "dia", "tarde", "manana", "night", "nights", "day", "work"),  # "de noche en Soria"
    }
)
_ARTICLES: Final = frozenset({"the", "el", "la", "los", "county", "co"})
_LEADING: Final = re.compile(
    r"^(?:(?:the|time|in|at|hora|zona|horaria|de|del|en|la|el|los|las|ciudad|city|of|estado|state)\s+)+"
)
_TRAILING: Final = frozenset({"time", "timezone", "zone", "hora", "city", "ciudad"})
_OFFSET: Final = re.compile(r"(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_NO_PLACES: Final = ("Etc/", "SystemV/", "posix/", "right/")


@dataclass(frozen=True, slots=True)
class Zone:
    """A place's time zone.

    `label` is how the place is called in the answer, `key` the IANA name or "UTC-03:00".
    `country` is set when a country was asked for, `siblings` are then its other zones.
    """

    label: str
    key: str
    info: tzinfo
    country: str = ""
    siblings: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.key if self.label == self.key else f"{self.label} ({self.key})"

    def assumption(self, moment: datetime) -> str:
        """A sentence when the country shows other times elsewhere at that moment; else empty."""
        offset = moment.astimezone(self.info).utcoffset()
        if all(moment.astimezone(ZoneInfo(key)).utcoffset() == offset for key in self.siblings):
            return ""
        return f" {self.country} has several time zones; {self.key} was assumed."


def _without_trailing(name: str) -> str:
    words = name.split()
    while words[1:] and words[-1] in _TRAILING:
        words.pop()
    return " ".join(words)


def fold(text: str) -> str:
    """Lower case, no accents, one blank between words: equal for every spelling of a name."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^\w]|_", " ", plain.casefold()).split())


class Places:
    """Names of zones, cities and countries in Spanish and English.

    Sources: the IANA zones that this system has, CLDR's countries and zone cities (Babel), `place_names`, `towns`.
    A town is looked for only where a text asks for a place: elsewhere its name may be anything.
    Each is read when it is first needed, once in a process: together 0.2 s and 7 MB, which a start can do without.
    """

    @property
    def _keys(self) -> Mapping[str, str]:
        return _keys()

    @property
    def _codes(self) -> Mapping[str, tuple[str, str]]:
        return _territory_names()

    @property
    def _zones_of(self) -> Mapping[str, tuple[str, ...]]:
        return _zones_of_territories()

    @property
    def _cities(self) -> Mapping[str, tuple[str, str]]:
        return _cities()

    def cities(self) -> Mapping[str, tuple[str, str]]:
        """Return the folded name -> (name, zone) of every large city."""
        return self._cities

    def countries(self) -> Collection[str]:
        """Return the folded names of every country."""
        return self._codes.keys()

    def zones_of(self, code: str) -> tuple[str, ...]:
        return self._zones_of.get(code, ())

    def territory(self, name: str) -> str | None:
        """The ISO 3166 code of the country of that name in Spanish or English, if it is one."""
        return self._codes.get(fold(name), (None, ""))[0]

    def is_named(self, name: str) -> bool:
        """Tell whether a city or a country is called so, in Spanish or English."""
        return fold(name) in self._cities or fold(name) in self._codes

    def is_town(self, name: str) -> bool:
        """Tell whether a town is called so, and nothing else."""
        town, _ = towns(fold).get(fold(name), ("", ""))
        return bool(town) and not is_ordinary(town)

    def at_start(self, words: Sequence[str]) -> str:
        """Return the longest name of a city, a country or any town with which folded words begin; "" for none."""
        known = towns(fold)
        names = (" ".join(words[:size]) for size in range(min(_MOST_WORDS, len(words)), 0, -1))
        return next(
            (one for one in names if len(one) >= _LEAST_LETTERS and (self.is_named(one) or one in known)), ""
        )

    def near_start(self, words: Sequence[str]) -> tuple[str, int]:
        """Return the city or country whose name, with a slip or two, folded words begin with, and how many of them
        that is; ("", 0) where there is none, or several are as near."""
        names = self._cities.keys() | self._codes.keys()
        for size in range(min(_MOST_WORDS, len(words)), 0, -1):
            said = " ".join(words[:size])
            most = 2 if len(said) > _SHORT_NAME else 1
            if len(said) >= _LEAST_LETTERS and (name := _nearest(said, names, most)):
                return name, size
        return "", 0

    def named_in(self, words: Sequence[str], *, with_towns: bool = False) -> tuple[str, frozenset[str]]:
        """Return the only city among folded words, with the country that is named beside it, or the only country,
        and the words that name them; "" where there is none, or several."""
        found = dict.fromkeys(name for name, _ in self.each_named(words, with_towns=with_towns))
        countries = [name for name in found if self.territory(name) is not None]
        cities = [name for name in found if name not in countries]
        if len(cities) > 1 or len(countries) > 1:
            return "", frozenset()
        return ", ".join((*cities, *countries)), frozenset(" ".join(found).split())

    def each_named(self, words: Sequence[str], *, with_towns: bool = False) -> Iterator[tuple[str, int]]:
        """Yield every city and country among folded words, and at which of them it begins."""
        at = 0
        while at < len(words):
            sizes = range(_MOST_WORDS, 0, -1)
            name = next((name for size in sizes if (name := self._at(words, at, size, with_towns))), None)
            if name:
                yield name, at
            at += len(name.split()) if name else 1

    def _at(self, words: Sequence[str], at: int, size: int, with_towns: bool) -> str | None:
        name = " ".join(words[at : at + size])
        is_whole = at + size <= len(words) and len(name) >= _LEAST_LETTERS
        return name if is_whole and (self.is_named(name) or (with_towns and self.is_town(name))) else None

    def zone(self, text: str, *, default: str) -> Zone:
        """Resolve what a person wrote; `default` (an IANA name) stands for "here" and for nothing.

        Raises:
            UnknownPlace: no such place; the nearest names are in the sentence.
            ToolFault: it is too long.
        """
        written = " ".join(text.split())
        if len(written) > _MAX_CHARS:
            raise ToolFault("unknown_place", "That is too long for the name of a place.")
        if not written or fold(written) in _HERE:
            return self._iana(default) or _utc()
        found = self._whole(written) or self._qualified(written) or self._side_by_side(written)
        if found is None:
            raise self._unknown(written)
        return found

    def _whole(self, written: str) -> Zone | None:
        return self._iana(written) or _offset(written) or self._named(written)

    def _qualified(self, written: str) -> Zone | None:
        """'Paris, Texas': the city where it lies in the named region, else the region alone."""
        city, comma, region = re.sub(r"[()]", ",", written).strip(" ,").partition(",")
        if not comma:
            return None
        inside, around = self._whole(city.strip()), self._whole(region.strip(" ,"))
        if (kept := regions(fold).get(fold(region))) is not None:
            return self._within(inside, around, *kept)
        if inside is None or around is None:
            return inside or around
        return inside if inside.key in (around.key, *around.siblings) else around

    def _side_by_side(self, written: str) -> Zone | None:
        """'Kingston Jamaica': a town and where it lies, without a comma."""
        words = fold(written).split()
        name, size = self.with_region(words)
        return self._qualified(name) if size == len(words) else None

    def _within(self, inside: Zone | None, around: Zone | None, region: str, zones: Sequence[str]) -> Zone | None:
        """Return the clock of a town in a region: its own where the region keeps it, else the region's only one.

        "Perth in Scotland" is not the larger town of that name. None where the region keeps several.
        """
        keys = set(zones) | ({around.key, *around.siblings} if around is not None else set())
        if inside is not None and inside.key in keys:
            return inside
        if inside is not None and len(zones) > 1:
            # "Santa Cruz" is a region of two countries: that of the town is meant.
            same = [one for one in zones if _country_of(one) == _country_of(inside.key)]
            zones = same if len(same) == 1 else zones
        if len(zones) > 1:
            return None if fold(region) in SPLIT else around
        named = f"{inside.label}, {region}" if inside is not None else region
        return Zone(named, zones[0], ZoneInfo(zones[0]))

    def with_region(self, words: Sequence[str]) -> tuple[str, int]:
        """Return the town and its region or country ("perth, scotland") with which folded words begin, and how
        many of them that is; ("", 0) where no region is named. Of an unknown town the region is enough."""
        known = len(self.at_start(words).split())
        for size in (*((known,) if known else ()), *range(1, min(_MOST_WORDS, len(words)) + 1)):
            start = size + (not _WITHIN.isdisjoint(words[size : size + 1]))
            has_article = not _ARTICLES.isdisjoint(words[start : start + 1])
            if region := self._region_at(words[start:]):
                has_article = False
            region = region or self._region_at(words[start + has_article :])
            is_town = size == known or (start > size and _NO_NAMES.isdisjoint(words[:size]))
            if region and is_town:
                return f"{' '.join(words[:size])}, {region}", start + has_article + len(region.split())
        return "", 0

    def _region_at(self, words: Sequence[str]) -> str:
        names = (" ".join(words[:size]) for size in range(min(_MOST_WORDS, len(words)), 0, -1))
        known = regions(fold)
        return next((one for one in names if one in known or self.territory(one) is not None), "")

    def _iana(self, written: str) -> Zone | None:
        key = self._keys.get(written.replace(" ", "_").casefold())
        name = fold(written)
        if key is None or ("/" not in key and (name in self._cities or name in self._codes)):
            return None
        return Zone(key if key.startswith(_NO_PLACES) else _city_of(key), key, ZoneInfo(key))

    def _named(self, written: str) -> Zone | None:
        name = fold(written)
        for candidate in (name, _LEADING.sub("", name), _without_trailing(_LEADING.sub("", name))):
            if candidate in self._cities:
                label, key = self._cities[candidate]
                return Zone(written if name == candidate and not written.islower() else label, key, ZoneInfo(key))
            code, country = self._codes.get(candidate, (None, ""))
            keys = self._zones_of.get(code or "", ())
            if keys:
                return Zone(country, keys[0], ZoneInfo(keys[0]), country, keys[1:])
        label, key = next(filter(None, map(towns(fold).get, (name, _LEADING.sub("", name)))), ("", ""))
        return Zone(label.lstrip("*"), key, ZoneInfo(key)) if key.casefold() in self._keys else None

    def _unknown(self, written: str) -> UnknownPlace:
        names = {name: label for name, (label, _) in self._cities.items()}
        names |= {name: country for name, (_, country) in self._codes.items()}
        near = get_close_matches(fold(written), names, n=_NEAREST, cutoff=0.6)
        much = get_close_matches(fold(written), near, n=1, cutoff=_MUCH_ALIKE)
        hint = f" Nearest: {', '.join(dict.fromkeys(names[name] for name in near))}." if near else ""
        return UnknownPlace(
            f"No time zone is known for '{written}'.{hint} "
            "Use a large city nearby, a country, an IANA name or an offset such as UTC-3.",
            wanted=written,
            near=tuple(names[name] for name in much),
        )


def _nearest(said: str, names: Iterable[str], most: int) -> str:
    """Return the only name of as many words, at most so many slips away; it begins with one of the first two
    letters."""
    like = [one for one in names if one[:1] in said[:2] and one.count(" ") == said.count(" ")]
    near = process.extract(said, like, scorer=OSA.distance, score_cutoff=most, limit=2)
    name = near[0][0] if near and (len(near) == 1 or near[0][1] < near[1][1]) else ""
    # In a short word another letter makes another word: "casa" is not "caba".
    return name if len(said) >= _SHORT_NAME or sorted(name) == sorted(said) else ""


def _utc() -> Zone:
    return Zone("UTC", "UTC", ZoneInfo("UTC"))


def _city_of(key: str) -> str:
    return key.rpartition("/")[2].replace("_", " ")


def _offset(written: str) -> Zone | None:
    match = _OFFSET.fullmatch(written.replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-"))
    if match is None:
        return None
    sign, hours, minutes = match[1], int(match[2]), int(match[3] or 0)
    distance = timedelta(hours=hours, minutes=minutes)
    if distance > _FURTHEST:
        return None
    key = f"UTC{sign}{hours:02}:{minutes:02}"
    return Zone(key, key, timezone(distance if sign == "+" else -distance, key))


@cache
def _keys() -> Mapping[str, str]:
    """Folded IANA name -> IANA name of every zone that this system has; looking for them takes 20 ms."""
    return MappingProxyType({key.casefold(): key for key in available_timezones()})


@cache
def _territory_names() -> Mapping[str, tuple[str, str]]:
    """Folded name -> (code, name) of every country, in every language."""
    names: dict[str, tuple[str, str]] = {}
    for language in _LOCALES:
        for code, name in Locale.parse(language).territories.items():
            if len(code) == len("US") and code in get_global("territory_zones"):
                names.setdefault(fold(name), (code, name))
    for code, aliases in COUNTRY_ALIASES.items():
        names |= {fold(alias): (code, alias) for alias in _split(aliases)}
    return MappingProxyType(names)


@cache
def _zones_of_territories() -> Mapping[str, tuple[str, ...]]:
    """Territory -> its zones, the principal one first; only zones that this system has."""
    keys = _keys()
    zones: dict[str, tuple[str, ...]] = {}
    for code, listed in get_global("territory_zones").items():
        known = sorted(key for key in listed if key.casefold() in keys and key != "Etc/Unknown")
        first = PRINCIPAL_ZONES.get(code)
        zones[code] = (*(key for key in known if key == first), *(key for key in known if key != first))
    return MappingProxyType(zones)


def _country_of(key: str) -> str:
    return next((code for code, zones in _zones_of_territories().items() if key in zones), "")


@cache
def _cities() -> Mapping[str, tuple[str, str]]:
    """Folded name -> (name, zone) of every city."""
    return MappingProxyType(dict(_city_names(_keys())))


def _city_names(keys: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """(folded name, (name, zone)); a later pair for the same name wins."""
    current = get_global("zone_aliases")
    for key in sorted(keys.values()):
        if "/" in key and not key.startswith(_NO_PLACES):
            yield fold(_city_of(key)), (_city_of(key), _known(current.get(key, key), key, keys))
    for language in reversed(_LOCALES):
        for key, names in Locale.parse(language).time_zones.items():
            if names.get("city") and key.casefold() in keys:
                yield fold(names["city"]), (names["city"], _known(current.get(key, key), key, keys))
    for key, listed in CITIES.items():
        for name in _split(listed):
            yield fold(name), (name, key)


def _known(key: str, otherwise: str, keys: Mapping[str, str]) -> str:
    return key if key.casefold() in keys else otherwise


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]
