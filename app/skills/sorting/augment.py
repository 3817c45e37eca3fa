"""More of the examples for the fit: as people type them, between greeting and thanks, several in one message."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from app.skills.sorting.examples import FOLLOWUP, Example, Label
from app.skills.sorting.words import plain

Slots = Mapping[str, Mapping[str, Sequence[str]]]

_NEIGHBOURS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_MARKS: Final = re.compile(r"[¿?¡!.,;:]")
_MAX_CATEGORIES: Final = 3
# Sentences that many people could have written, none of them with places to be filled in, weigh more: of a hand
# that the fit had not seen, 76.6 % were right where they counted once, and 79 % where they counted so often.
_OF_MANY_HANDS: Final = "/families_"
_TIMES: Final = 6
# What follows their colon is their object: "translate: remind me at five".
_SWALLOWING: Final = (
    "talk/es/talk/translation",
    "talk/en/talk/translation",
    "talk/es/talk/writing",
    "talk/en/talk/writing",
)


def augment(examples: Sequence[Example], slots: Slots, seed: int) -> list[Example]:
    """Return the examples and what becomes of them; the same for the same seed.

    Each once as typed in haste and once in a frame of greeting, story and thanks; and as many pairs of a wish
    with another wish or with talk as there are examples.
    """
    chance = random.Random(seed)  # noqa: S311 - the same variants each time, no secret
    examples = [one for one in examples for _ in range(_TIMES if _OF_MANY_HANDS in one.block else 1)]
    made = [*examples]
    for example in examples:
        made.append(_changed(example, typed(example.text, chance)))
        if example.label.categories != (FOLLOWUP,):
            made.append(_framed(example, slots[example.language], chance))
    made += _pairs(examples, slots, chance)
    return made


def _changed(example: Example, text: str) -> Example:
    return Example(text, example.label, example.language, example.block)


def typed(text: str, chance: random.Random) -> str:
    """Return the text as somebody types it: without marks, accents or capitals, with a slip of the finger."""
    ways: tuple[tuple[float, Callable[[str], str]], ...] = (
        (0.6, str.lower),
        (0.5, lambda one: plain(one) if one.islower() else one),
        (0.5, lambda one: _MARKS.sub("", one) if not any(sign.isdigit() for sign in one) else one),
        (0.5, lambda one: slipped(one, chance)),
        (0.2, lambda one: slipped(one, chance)),
        (0.06, str.upper),
    )
    for share, way in ways:
        if chance.random() < share:
            text = way(text)
    return text or "."


def slipped(text: str, chance: random.Random) -> str:
    """Make one slip: a letter left out, doubled, swapped with the next, or its neighbour on the keyboard."""
    letters = [place for place, sign in enumerate(text) if sign.isalpha()]
    if len(letters) < 4:
        return text
    place = chance.choice(letters[1:])
    match chance.randrange(4):
        case 0:
            return text[:place] + text[place + 1 :]
        case 1:
            return text[:place] + text[place] + text[place:]
        case 2:
            return text[: place - 1] + text[place] + text[place - 1] + text[place + 1 :]
        case _:
            return text[:place] + _neighbour(text[place], chance) + text[place + 1 :]


def _neighbour(sign: str, chance: random.Random) -> str:
    for row in _NEIGHBOURS:
        place = row.find(sign)
        if place >= 0:
            return row[max(0, place - 1)] if chance.random() < 0.5 else row[min(len(row) - 1, place + 1)]
    return sign


def _framed(example: Example, slots: Mapping[str, Sequence[str]], chance: random.Random) -> Example:
    text = example.text
    if chance.random() < 0.7:
        text = f"{chance.choice(slots['hello'])}{chance.choice((', ', ' ', '. '))}{text}"
    if chance.random() < 0.5:
        text = f"{text}{chance.choice((', ', ' ', '. '))}{chance.choice(slots['please'])}"
    return _changed(example, typed(text, chance) if chance.random() < 0.4 else text)


def _pairs(examples: Sequence[Example], slots: Slots, chance: random.Random) -> list[Example]:
    pairs = []
    for language in sorted({example.language for example in examples}):
        own = [one for one in examples if one.language == language and one.label.categories != (FOLLOWUP,)]
        wishes = [one for one in own if one.label.categories]
        talk = [one for one in own if not one.label.categories and not one.block.startswith(_SWALLOWING)]
        for _ in range(len(own)):
            one = chance.choice(talk if chance.random() < 0.4 else wishes)
            other = chance.choice(wishes if one.label.categories and chance.random() < 0.4 else talk)
            first, second = (one, other) if chance.random() < 0.4 else (other, one)
            pair = _joined(first, second, chance.choice(slots[language]["join"]))
            if len(pair.label.categories) <= _MAX_CATEGORIES:
                pairs.append(_changed(pair, typed(pair.text, chance)) if chance.random() < 0.4 else pair)
    return pairs


def _joined(first: Example, second: Example, joiner: str) -> Example:
    categories = tuple(sorted({*first.label.categories, *second.label.categories}))
    wishes = {first.label.wish, second.label.wish}
    told = (first.label.tells_fact, second.label.tells_fact)
    label = Label(
        categories,
        next(wish for wish in ("act", "look", "talk") if wish in wishes),
        tells_fact=True if True in told else None if None in told else False,
    )
    text = f"{first.text.rstrip('.')}{joiner}{second.text}"
    return Example(text, label, first.language, f"{first.block} {second.block}")
