"""Whether a message wishes for a turn by the clock: "every morning at 8 tell me the weather"."""

from datetime import datetime
from typing import Final

from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import is_question, names_topic
from app.when.meanings import Repeat, Unsure
from app.when.reading import read_wish

_MAX_CHARS: Final = 300


def is_by_clock(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text has something that comes again, and the rest of it asks to be told. `now` is local."""
    if len(text) > _MAX_CHARS or not names_topic(text):
        return False
    wish = read_wish(text, now, language)
    match wish.when:
        case Repeat():
            comes_again = True
        case Unsure(likely=likely):
            comes_again = bool(likely) and all(isinstance(one, Repeat) for one in likely)
        case _:
            comes_again = False
    return comes_again and is_question(wish.what)
