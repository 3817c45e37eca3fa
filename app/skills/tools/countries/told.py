"""Answers questions about countries by code: a small model takes the largest city for the capital."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from babel.core import Locale
from babel.languages import get_official_languages
from babel.numbers import get_territory_currencies

from app.database.repositories.conversations import Conversations
from app.domain.inbound import Audio, InboundMessage, Text
from app.domain.outbound import Reply
from app.domain.places import Places
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import Language, Sentence, say
from app.skills.tools.countries.lexicon import ELSEWHERE, GOES_ON, NAMED, OF_WHICH, TOPICS, Topic, asks
from app.skills.tools.countries.texts import OF_COUNTRIES

_MAX_CHARS: Final = 300
_MOST_WORDS: Final = 6
_MOST_OF_A_NAME: Final = 3
_NEAR: Final = 6  # words
_AROUND: Final = 24  # characters
_LAST_TURNS: Final = 8
_FRESH: Final = timedelta(hours=6)
_PARTS: Final = "parts"
_WRITTEN_IN: Final[tuple[Language, ...]] = ("es", "en")
_EDGES: Final = ' .,;:!?¡¿-"«“'
_APOSTROPHE: Final = re.compile(r"['’]")
_WORD: Final = re.compile(r"[^\W_]+")


class Country(NamedTuple):
    """`capitals` by language; `continent` is "" for a part of a country, whose `code` is its name."""

    code: str
    continent: str
    capitals: Mapping[Language, str]


@dataclass(frozen=True, slots=True)
class Asked:
    topic: Topic
    country: Country


class Countries:
    """`tell` is a `Telling`."""

    def __init__(self, places: Places, conversations: Conversations) -> None:
        self._places = places
        self._conversations = conversations

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Return what a message asks of a country, or what goes on from that; None for every other message."""
        if len(messages) != 1 or messages[0].quoted_id or not isinstance(messages[0].content, Text | Audio):
            return None
        question = self.read(asked) or await self._going_on(asked, ctx)
        told = None if question is None else _told(question, ctx.language)
        return Reply(literal=told) if told else None

    def read(self, text: str) -> Asked | None:
        """Return what a text asks of the one country that it names, or that it names behind what it asks for."""
        said = _plain(text)
        if len(said) > _MAX_CHARS:
            return None
        if (of_which := OF_WHICH.search(said)) is not None:
            country = next((one for one in countries().values() if _is_capital(of_which["city"], one)), None)
            return None if country is None else Asked("capital", country)
        topic = next((one for one in TOPICS if NAMED[one].search(said) and asks(said, one)), None)
        if topic is None or (named := NAMED[topic].search(said)) is None:
            return None
        if not ELSEWHERE.isdisjoint(_WORD.findall(said[max(0, named.start() - _AROUND) : named.end() + _AROUND])):
            return None
        near = next(self._named_in(_WORD.findall(said[named.end() :])[:_NEAR]), None)
        country = near or self._only(said)
        return None if country is None else Asked(topic, country)

    async def _going_on(self, text: str, ctx: TurnContext) -> Asked | None:
        """Return the question that was answered last, for the country that is named now."""
        if self._other(text) is None:
            return None
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=_LAST_TURNS)
        newest = recent[-1] if recent else None
        if newest is None or newest.role != "assistant" or ctx.received_at - newest.created_at > _FRESH:
            return None
        question: Asked | None = None
        for said in (one.text for one in recent if one.role == "user"):
            question = self.read(said) or self._moved(question, said)
        is_told = question is not None and _told(question, ctx.language) == newest.text
        return self._moved(question, text) if is_told else None

    def _moved(self, question: Asked | None, text: str) -> Asked | None:
        """Return a question for the country that a text names beside little else."""
        other = self._other(text)
        return None if question is None or other is None else replace(question, country=other)

    def _other(self, text: str) -> Country | None:
        """Return the country of "and of Italy?"."""
        said = _plain(text)
        is_short = len(said) <= _MAX_CHARS and len(_WORD.findall(said)) <= _MOST_WORDS
        return self._only(said) if is_short and ("?" in said or GOES_ON.match(said)) else None

    def _only(self, said: str) -> Country | None:
        found = {one.code: one for one in self._named_in(_WORD.findall(said))}
        return next(iter(found.values())) if len(found) == 1 else None

    def _named_in(self, words: Sequence[str]) -> Iterator[Country]:
        """Yield the parts of countries, then the countries, that are named by folded words."""
        starts = ((at, size) for at in range(len(words)) for size in range(_MOST_OF_A_NAME, 0, -1))
        parts = (countries().get(" ".join(words[at : at + size])) for at, size in starts)
        yield from filter(None, parts)
        for name, _ in self._places.each_named(words):
            if (country := countries().get(self._places.territory(name) or "")) is not None:
                yield country


def _is_capital(city: str, country: Country) -> bool:
    return fold(city) in map(fold, country.capitals.values())


def _plain(text: str) -> str:
    """Return a text folded, without apostrophes: "what s Chile s capital"."""
    return _APOSTROPHE.sub(" ", fold(" ".join(text.split()))).lstrip(_EDGES)


def _told(asked: Asked, language: Language) -> str | None:
    code, locale = asked.country.code, Locale(language)
    country = locale.territories.get(code, code)
    match asked.topic:
        case "capital":
            return say(OF_COUNTRIES.capital, language, country=country, told=asked.country.capitals[language])
        case "currency":
            used = [locale.currencies.get(one, one) for one in get_territory_currencies(code)]
            return say(OF_COUNTRIES.currency, language, country=country, told=used[0]) if used else None
        case "languages":
            spoken = [locale.languages.get(one, one) for one in get_official_languages(code)]
            listed = ", ".join(spoken)
            return (
                say(OF_COUNTRIES.languages, language, count=len(spoken), country=country, told=listed)
                if spoken
                else None
            )
        case "continent":
            where = _continent(asked.country.continent)
            return (
                None
                if where is None
                else say(OF_COUNTRIES.continent, language, country=country, told=say(where, language))
            )


def _continent(name: str) -> Sentence | None:
    match name:
        case "africa":
            return OF_COUNTRIES.africa
        case "asia":
            return OF_COUNTRIES.asia
        case "central_america":
            return OF_COUNTRIES.central_america
        case "europe":
            return OF_COUNTRIES.europe
        case "europe_and_asia":
            return OF_COUNTRIES.europe_and_asia
        case "north_america":
            return OF_COUNTRIES.north_america
        case "oceania":
            return OF_COUNTRIES.oceania
        case "south_america":
            return OF_COUNTRIES.south_america
        case _:
            return None


@cache
def countries() -> Mapping[str, Country]:
    """Return each country by its code of ISO 3166-1, and parts of countries by their folded names."""
    read = tomllib.loads(resources.files(__package__).joinpath("data", "capitals.toml").read_text("utf-8"))
    found = {}
    for continent, capitals in read.items():
        for code, named in capitals.items():
            each = dict(zip(_WRITTEN_IN, [named, named] if isinstance(named, str) else named, strict=True))
            is_part = continent == _PARTS
            found[fold(code) if is_part else code] = Country(code, "" if is_part else continent, each)
    return found
