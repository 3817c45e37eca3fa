"""An answer in plain talk as short as it is wanted, each thing once."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from app.domain.wording import end_of_sentences
from app.language.folding import fold
from app.language.late import LatePattern
from app.skills.lexicon import ANSWERS
from app.skills.unusable import SENTENCE, without_stock

_SPEAKS_AS: Final = LatePattern(ANSWERS.pattern("speaks_as"))
_ENUMERATED: Final = 4
_CLAUSE: Final = re.compile(r"[^.!?:;\n]+")
_GREETING_WORDS: Final = 4


def concise(text: str, max_sentences: int | None) -> str:
    """Return the first sentences of an answer, without stock ones unless hardly anything is left, and without what
    one of them names again, or who it speaks as."""
    text = _without_speaker(text) if max_sentences is None else _each_said_once(_without_speaker(text))
    text = _without_named_again(text[: None if max_sentences is None else end_of_sentences(text, max_sentences)])
    rest = without_stock(text)
    return rest if len(rest.split()) >= _GREETING_WORDS else text


def _without_speaker(text: str) -> str:
    lead = _SPEAKS_AS.match(text)
    rest = "" if lead is None else text[lead.end() :].lstrip(" ,")
    return f"{rest[:1].upper()}{rest[1:]}" if rest else text


def _each_said_once(text: str) -> str:
    """Return a text without the sentences that it says again, word for word."""
    found = SENTENCE.findall(text)
    said = [" ".join(fold(one).split()) for one in found]
    return "".join(
        one for place, one in enumerate(found) if " " not in said[place] or said[place] not in said[:place]
    ).strip()


def _without_named_again(text: str) -> str:
    """Leave out what an enumeration names again: "a pen, a book of art, a bag, a book of art"."""
    return _CLAUSE.sub(lambda found: ", ".join(_each_once(found[0].split(", "))), text)


def _each_once(parts: Sequence[str]) -> Iterator[str]:
    known: set[str] = set()
    for one in parts:
        # "Ha, ha, ha" is laughing, and few parts may say it twice on purpose.
        is_again = fold(one).strip() in known and len(parts) >= _ENUMERATED and len(one.split()) > 1
        known.add(fold(one).strip())
        if not is_again:
            yield one
