"""Which reminder the words of a model mean, or the whole message where they mean none."""

from collections.abc import Sequence

from app.domain.wording import fold, said_number, stem, words
from app.skills.tools.reminders.lexicon import EVERY_ONE, NO_NAME
from app.skills.tools.reminders.pointing import CalledOff, pointed_by
from app.skills.tools.reminders.repository import Reminder


def names_in(said: str) -> list[str]:
    return [word for word in words(said) if word not in NO_NAME and word not in EVERY_ONE]


def pointed(
    reminder: str, said: str, off: CalledOff | None, active: Sequence[Reminder], newest: Reminder | None
) -> list[Reminder]:
    """Return the one that the whole message is about, where the words of the model name none."""
    wanted = names_in(reminder)
    if wanted and matching(reminder, wanted, active):
        return []
    return pointed_by(said, active, newest if off is None or off.points else None)


def matching(said: str, named: Sequence[str], some: Sequence[Reminder]) -> list[Reminder]:
    number = said_number(said)
    if number is not None and (same := [one for one in some if one.number == number]):
        return same
    wanted = {stem(word) for word in named}
    rungs = [
        [one for one in some if fold(one.text) == fold(said)],
        [one for one in some if wanted <= {stem(word) for word in words(one.text)}],
        [one for one in some if wanted & {stem(word) for word in words(one.text)}],
    ]
    return next((found for found in rungs if found), [])
