"""Chooses, among what there is, the things that a person means: by their place, by words, or by meaning."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeVar

from app.domain.wording import have_one_stem, stem, words
from app.skills.picking.lexicon import PICKING
from app.skills.picking.reading import Target, Wish
from app.skills.picking.tokens import Token, is_content, places_of, tokens_of

FindClosest = Callable[[str, Sequence[str]], Awaitable[int | None]]
"""Returns the place of the text that is clearly the closest in meaning to what was said."""

_ANSWERS_SHOWN: Final = 2


class Numbered(Protocol):
    """Something with a number that people say, and a text."""

    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...


T = TypeVar("T", bound=Numbered)


def by_words(said: str, texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that words fit: the same ones, else all of one in the other; several are
    equally good."""
    wanted = _stems(said)
    have = [_stems(text) for text in texts]
    same = [n for n, held in enumerate(have) if wanted and held == wanted]
    return same or [n for n, held in enumerate(have) if wanted and held and (wanted <= held or held <= wanted)]


def sharing_most(said: str, texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that share most words with what was said; none where none shares any."""
    wanted = _stems(said)
    shared = [len(wanted & _stems(text)) for text in texts]
    most = max(shared, default=0)
    return [n for n, count in enumerate(shared) if most and count == most]


def named_in_reason(reason: str, texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that are named in why one is to go: "Ann is doing the tiles"."""
    said, *each = [
        [one.key for one in tokens_of(text) if is_content(one.key) and one.key not in PICKING["list_words"]]
        for text in (reason, *texts)
    ]
    alike: Sequence[Callable[[str, str], bool]] = (lambda one, other: stem(one) == stem(other), have_one_stem)
    found = ([n for n, own in enumerate(each) if _shares(own, said, one)] for one in alike)
    return next(filter(None, found), [])


def _shares(own: Sequence[str], said: Sequence[str], is_alike: Callable[[str, str], bool]) -> bool:
    return any(is_alike(one, other) for one in own for other in said)


def at_place(place: int, count: int) -> int | None:
    """Return the index of the first (1), the last (-1) and so on of so many things."""
    index = place - 1 if place > 0 else count + place
    return index if 0 <= index < count else None


def except_for(kept: Sequence[str], texts: Sequence[str]) -> list[int]:
    """Return the places of those texts that are not to be left alone."""
    left = {place for said in kept for place in by_words(said, texts) or sharing_most(said, texts)}
    return [n for n in range(len(texts)) if n not in left]


def is_named_whole(said: str, text: str) -> bool:
    """Tell whether a few words are nothing but the name of a thing: "the matches", in a row of several."""
    spoken = {one.key for one in tokens_of(said)} - PICKING["determiners"] - PICKING["joining"]
    return bool(spoken) and set(map(stem, spoken)) <= {stem(one.key) for one in tokens_of(text)}


async def choose(target: Target, texts: Sequence[str], closest: FindClosest | None) -> int | None:
    """Return the place of the text that is meant; None where that is not clear."""
    if target.place is not None:
        return at_place(target.place, len(texts))
    fits = by_words(target.text, texts)
    if len(fits) == 1:
        return fits[0]
    if fits or closest is None or len(texts) < 2:
        return None
    return await closest(target.text, texts)


def by_number(target: Target, items: Sequence[T]) -> T | None:
    """Return the thing with the number that is said, or with that place in the order of their numbers."""
    if target.place is None:
        return None
    words = tokens_of(target.said)
    if any(one.key == str(target.place) for one in words) and not places_of(words):
        return next((one for one in items if one.number == target.place), None)
    index = at_place(target.place, len(items))
    return None if index is None else sorted(items, key=lambda one: one.number)[index]


async def choose_numbered(wish: Wish, items: Sequence[T], closest: FindClosest | None) -> T | None:
    """Return the one thing that a wish is for, among those with numbers; None where that is not clear."""
    left = [items[n] for n in except_for(wish.kept, [one.text for one in items])]
    said = wish.targets[0] if wish.targets else None
    if wish.kept and (said is None or is_other(said)):
        near = [left[n] for n in sharing_most(wish.beside, [one.text for one in left])]
        return left[0] if len(left) == 1 else near[0] if len(near) == 1 else None
    if said is None or len(wish.targets) > 1:
        return None
    if said.place is not None:
        return by_number(said, items)
    texts = [one.text for one in left]
    fits = by_words(said.text, texts) or sharing_most(said.text, texts)
    if fits:
        return left[fits[0]] if len(fits) == 1 else None
    place = await closest(said.text, texts) if closest is not None and len(texts) > 1 else None
    return None if place is None else left[place]


def is_other(target: Target) -> bool:
    """Tell whether words only say that it is not the one that was spoken of: "la otra"."""
    return any(one.key in PICKING["other"] for one in tokens_of(target.said)) and not _named(target.said)


def is_in_talk(texts: Sequence[str], answers: Sequence[str]) -> bool:
    """Tell whether one of the last answers (newest first) showed one of these texts."""
    shown = [_spaced(one) for one in answers[:_ANSWERS_SHOWN]]
    return any((spaced := _spaced(text)).strip() and spaced in one for text in texts for one in shown)


def _stems(text: str) -> set[str]:
    return _named(text) or {stem(word) for word in words(text) if is_content(word)}


def _named(text: str) -> set[str]:
    return {stem(one.key) for one in tokens_of(text) if is_content(one.key) and not _is_vague(one)}


def _is_vague(one: Token) -> bool:
    return one.key in PICKING["closing"] | PICKING["every"] | PICKING["other"]


def _spaced(text: str) -> str:
    return f" {' '.join(one.key for one in tokens_of(text))} "
