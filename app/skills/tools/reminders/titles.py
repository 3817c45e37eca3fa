"""What a reminder is called: its thing, without what leads to it and what is told behind it."""

from typing import Final

from app.domain.wording import fold, words
from app.skills.tools.reminders.lexicon import LEADING_IN, SO_AS_NOT, STORY_BEHIND, says_something
from app.skills.tools.reminders.several import flat
from app.when.lexicon import WORDS

_BEFORE: Final = frozenset(word for phrase in WORDS.phrases("mark.before") for word in phrase.split())
_EDGES: Final = " ,.;:-–"


def titled(what: str, said: str) -> str:
    """Return a thing without "so that I'm not late" behind it.

    One that is to be told so long before is an appointment, without "I've got" before it and the story behind it:
    "dentista", of "me toca dentista y salgo de lejos, avisame una hora antes".
    """
    purpose = SO_AS_NOT.search(flat(what))
    title = what if purpose is None else _cut(what, purpose.start())
    if _BEFORE.isdisjoint(words(said)) and _BEFORE.isdisjoint(fold(said).split()):
        return title
    story = STORY_BEHIND.search(flat(title))
    title = title if story is None else _cut(title, story.start())
    opening = LEADING_IN.match(flat(title))
    return title if opening is None else title[opening.end() :]


def _cut(what: str, place: int) -> str:
    head = what[:place].strip(_EDGES)
    return head if says_something(head) else what
