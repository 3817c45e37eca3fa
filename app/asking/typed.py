"""A choice that is typed instead of tapped: its title, its place in the row, or words that no other one has."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.asking.lexicon import CHOOSING, DENYING, bare, read_word
from app.domain.outbound import Buttons, ListMenu, OutboundMessage
from app.domain.wording import fold, stem
from app.language.lexicon import COMMON_WORDS, STOP_WORDS

MAX_CHARS: Final = 60
_MOST_WORDS: Final = 6
_BULLET: Final = "• "
_WORD: Final = re.compile(r"[^\W_]+")
_PLACES: Final = MappingProxyType(
    {word: int(place) for place, words in COMMON_WORDS.table("ordinals").items() for word in words}
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A choice as it is shown: the id of its button, its title, and all that is said of it."""

    id: str
    title: str
    text: str

    @property
    def key(self) -> str:
        return self.id.rpartition(":")[2]


def shown_in(messages: Sequence[OutboundMessage]) -> tuple[Shown, ...]:
    """Return the choices of a question, in their order; they stand in its last message."""
    match messages[-1:]:
        case [Buttons(body=body, buttons=buttons)]:
            lines = [line for line in body.splitlines() if line.startswith(_BULLET)]
            said = lines if len(lines) == len(buttons) else [""] * len(buttons)
            pairs = zip(buttons, said, strict=True)
            return tuple(Shown(one.id, one.title, f"{one.title} {line}") for one, line in pairs)
        case [ListMenu(sections=sections)]:
            rows = [row for section in sections for row in section.rows]
            return tuple(Shown(one.id, one.title, f"{one.title} {one.description}") for one in rows)
        case _:
            return ()


def typed_choice(text: str, shown: Sequence[Shown], *, takes_numbers: bool) -> Shown | None:
    """Return the one choice that a text names and nothing else; None where that is not clear.

    `takes_numbers`: "2" is the second. Where the choices are times it may be one.
    """
    if len(text) > MAX_CHARS or "?" in text:
        return None
    titled = [one for one in shown if bare(one.title) == bare(text)]
    if titled:
        return titled[0] if len(titled) == 1 else None
    if read_word(text) is not None:
        return None  # a bare "yes" may be one to anything
    return by_place(text, shown, takes_numbers=takes_numbers) or _by_words(text, shown)


def by_place(text: str, shown: Sequence[Shown], *, takes_numbers: bool) -> Shown | None:
    """Return the choice at the place that a text says, and nothing else: "the second one", "la 2"."""
    said = [word for word in _WORD.findall(fold(text)) if word not in CHOOSING]
    if len(said) != 1 or len(text) > MAX_CHARS or "?" in text:
        return None
    [word] = said
    place = _PLACES.get(word, 0)
    if not place and takes_numbers and word.isdigit() and not _has_digits(shown, word):
        place = int(word) if len(word) == 1 else 0
    # "The last one" may be the newest.
    return shown[place - 1] if 0 < place <= len(shown) else None


def _has_digits(shown: Sequence[Shown], number: str) -> bool:
    """Tell whether a title has a number as one of its words, so that it may be meant by it."""
    return any(number in _WORD.findall(one.title) for one in shown)


def _by_words(text: str, shown: Sequence[Shown]) -> Shown | None:
    spoken = _WORD.findall(fold(text))
    said = {stem(word) for word in spoken if word not in CHOOSING | STOP_WORDS}
    is_plain = all(word.isalpha() for word in spoken) and DENYING.isdisjoint(spoken)
    if not said or not is_plain or len(spoken) > _MOST_WORDS:
        return None
    found = [one for one in shown if said <= {stem(word) for word in _WORD.findall(fold(one.text))}]
    return found[0] if len(found) == 1 else None
