"""A question for the clock of a place: "q hora es en Quito, que llamo a mi tío", "and the time there?".

"There" is the only place that was named in what the person wrote just before.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from app.domain.chat import ToolCall
from app.domain.errors import ToolFault
from app.domain.places import Places
from app.domain.turn import TurnContext
from app.language.folding import fold
from app.skills.tools.datetime.going_on import place_told
from app.skills.tools.datetime.lexicon import (
    AROUND_NOW,
    ASKS_CLOCK,
    HERE_IN,
    LEAVES_ASLEEP,
    MONTH,
    PLACE_THERE,
    PLACE_TOLD,
    QUESTIONS,
    REPORTS,
    TO_PLACE,
)
from app.skills.tools.datetime.reasons import is_reason, wishes
from app.skills.tools.datetime.slipped import put_right
from app.skills.whereabouts.people import read_told

_MAX_CHARS: Final = 240
_MOST_BEFORE: Final = 3
_WORD: Final = re.compile(r"\w+")
_BREAKS: Final = "?!;:"
_LEADING: Final = AROUND_NOW | QUESTIONS["beside"]


class ClockOfPlace:
    """`call` is a `Certain`."""

    def __init__(self, places: Places) -> None:
        self._places = places

    async def call(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Return the call for the clock of the place that a message asks for, and for nothing else."""
        if len(text) > _MAX_CHARS:
            return None
        place = self._asked(text, ctx) or self._asked(put_right(text) or text, ctx, has_slips=True)
        try:
            zone = self._places.zone(place, default="") if place else None
        except ToolFault:
            return None
        return None if zone is None else ToolCall("clock_of_place", "get_current_datetime", {"timezone": place})

    def _asked(self, text: str, ctx: TurnContext, *, has_slips: bool = False) -> str:
        plain = " ".join(fold(text).replace("’", "'").split())
        asked = ASKS_CLOCK.search(plain)
        if asked is None:
            return ""
        story = _without_leading(plain[: asked.start()])
        behind = plain[asked.end() :].lstrip(" ,")
        if (there := PLACE_THERE.match(behind)) is not None:
            return self._pointed_to(text, story, ctx) if is_reason(behind[there.end() :]) else ""
        name, rest = self._here_in(story)
        if name:
            return name if not rest.strip() and is_reason(behind.strip(" ?")) else ""
        to = None if story else TO_PLACE.match(behind)
        if to is None:
            return ""
        # "En La Paz": the article is of the name.
        article = behind[: to.end()].split()[-1:]
        has_article = self._places.at_start([*article, *_WORD.findall(behind[to.end() :])[:1]]).count(" ") > 0
        start = to.end() - len(article[0]) - 1 if has_article else to.end()
        name, rest = self._named(behind[start:], has_slips=has_slips)
        return name if is_reason(rest) else ""

    def _pointed_to(self, text: str, story: str, ctx: TurnContext) -> str:
        """Return the place that "there" is: the only one of the story before it, or of what was said before."""
        told = " ".join(text.split())[: len(story)]
        if not story or (self._is_of_somebody(told) and not _is_at_odds(story)):
            return self._told([story, *ctx.said.before], ctx)
        is_plain = not (_is_at_odds(story) or REPORTS.search(story) or any(map(str.isdigit, story)))
        # "To wake her" names no town.
        named = {*self._places_in(LEAVES_ASLEEP.sub("-", told))} if is_plain else set[str]()
        return named.pop() if len(named) == 1 else ""

    def _is_of_somebody(self, story: str) -> bool:
        """Tell whether a story says where somebody lives."""
        lives, _ = read_told([story], self._places)
        return bool(lives)

    def _here_in(self, story: str) -> tuple[str, str]:
        """Return the place that a story ends in, where it begins with that: "and here in Leeds"."""
        here = HERE_IN.match(story := story.lstrip("¿ "))
        return self._named(story[here.end() :]) if here else ("", "")

    def _named(self, text: str, *, has_slips: bool = False) -> tuple[str, str]:
        """Return the place that a text begins with, a city with its country, and what follows."""
        words = list(_WORD.finditer(text))
        folded = [one[0] for one in words]
        within, size = self._places.with_region(folded)
        if within and set(_BREAKS).isdisjoint(text[: words[size - 1].start()]):
            return within, text[words[size - 1].end() :]
        name = self._places.at_start(folded)
        if not name:
            near, size = self._near(folded) if has_slips else ("", 0)
            return (near, text[words[size - 1].end() :]) if near else ("", text)
        end = len(name.split())
        country = self._places.at_start(folded[end:])
        beside = [country] if self._places.territory(country) is not None else []
        last = words[end + len(" ".join(beside).split()) - 1]
        return ", ".join((name, *beside)), text[last.end() :]

    def _near(self, words: Sequence[str]) -> tuple[str, int]:
        """Return the place that slipped words begin with, a city with its country, and how many they are."""
        near, size = self._places.near_start(words)
        behind = words[size:] if near else ()
        country = self._places.at_start(behind)
        country, more = (country, len(country.split())) if country else self._places.near_start(behind)
        is_country = bool(country) and self._places.territory(country) is not None
        return (f"{near}, {country}", size + more) if is_country else (near, size)

    def _told(self, said: Sequence[str], ctx: TurnContext) -> str:
        """Return the only place that was named just before, in such messages or in a clock just told; else ""."""
        told = place_told(next(iter(ctx.said.answers), ""))
        if told and not said[0]:
            return told
        named = {one for text in said[: _MOST_BEFORE + 1] for one in self._places_in(text)}
        return named.pop() if len(named) == 1 else ""

    def _places_in(self, text: str) -> Iterator[str]:
        """Yield the places that a text says somebody is in, or goes to, known or not: not "Sofia called"."""
        written = _WORD.findall(text)
        words = [fold(one) for one in written]
        named = {at: name for name, at in self._places.each_named(words, with_towns=True)}
        last, end = "", -1
        for at, word in enumerate(words):
            is_told = at >= end and PLACE_TOLD.search(f"{' '.join(words[max(0, at - 2) : at])} ") is not None
            within, size = self._places.with_region(words[at:]) if is_told else ("", 0)
            if within:
                yield within
                end = at + size
                continue
            if at < end or (at not in named and (not written[at][:1].isupper() or MONTH.fullmatch(word))):
                continue
            name = named.get(at, word)
            if last and at == end and self._places.territory(name) is not None:
                last = f"{last}, {name}"
            elif is_told:
                if last:
                    yield last
                last = name
            else:
                continue
            end = at + len(name.split())
        if last:
            yield last


def _without_leading(text: str) -> str:
    """Return a text without the words at its end that lead to a question."""
    words = list(_WORD.finditer(text))
    while words and words[-1][0] in _LEADING:
        words.pop()
    return text[: words[-1].end()] if words else ""


def _is_at_odds(story: str) -> bool:
    """Whether something else is asked or wished in a story before a question."""
    return "?" in story or wishes(story)
