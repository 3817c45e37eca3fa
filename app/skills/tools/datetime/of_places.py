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
    APART_WISHES,
    AROUND_NOW,
    ASKS_CLOCK,
    HERE_IN,
    MONTH,
    PLACE_NOW,
    PLACE_THERE,
    PLACE_TOLD,
    PLACE_WHY,
    QUESTIONS,
    TO_PLACE,
)
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
            is_told = not story or self._is_of_somebody(text, story)
            return self._told([story, *ctx.said.before], ctx) if is_told and _is_all(behind[there.end() :]) else ""
        name, rest = self._here_in(story)
        if name:
            return name if not rest.strip() and _is_all(behind.strip(" ?")) else ""
        to = None if story else TO_PLACE.match(behind)
        name, rest = self._named(behind[to.end() :], has_slips=has_slips) if to else ("", "")
        return name if _is_all(rest) else ""

    def _is_of_somebody(self, text: str, story: str) -> bool:
        """Tell whether a story says no more than where somebody lives."""
        lives, _ = read_told([" ".join(text.split())[: len(story)]], self._places)
        return bool(lives) and "?" not in story and APART_WISHES.isdisjoint(_WORD.findall(story))

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
            near, size = self._places.near_start(folded) if has_slips else ("", 0)
            return (near, text[words[size - 1].end() :]) if near else ("", text)
        end = len(name.split())
        country = self._places.at_start(folded[end:])
        beside = [country] if self._places.territory(country) is not None else []
        last = words[end + len(" ".join(beside).split()) - 1]
        return ", ".join((name, *beside)), text[last.end() :]

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


def _spoken_to(text: str) -> re.Match[str] | None:
    """Match a word at the beginning that only speaks to somebody, and no reason: "che, my sister works there"."""
    found = _WORD.match(text) if PLACE_WHY.match(text) is None else None
    return found if found is not None and found[0] in AROUND_NOW else None


def _is_all(rest: str) -> bool:
    """Whether what follows a question says no more than now, please, or why it is asked."""
    question, _mark, behind = rest.partition("?")
    left = question.strip(" ,.!")
    while (now := PLACE_NOW.match(left) or _spoken_to(left)) is not None:
        left = left[now.end() :].strip(" ,.!")
    reason = f"{left} {behind}".strip(" ,.!")
    said = set(_WORD.findall(reason))
    is_why = not reason or PLACE_WHY.match(reason) is not None
    return is_why and "?" not in behind and not any(map(str.isdigit, reason)) and APART_WISHES.isdisjoint(said)
