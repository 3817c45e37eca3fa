"""What a wish for a text says of it: whom it is for, and what it is to tell; and a plain text of that."""

import re
from dataclasses import dataclass
from typing import Final

from app.language.catalogue import LANGUAGES, Language, say
from app.language.folding import fold
from app.language.late import LatePattern
from app.language.written_numbers import in_digits
from app.skills.lexicon import ANSWERS
from app.skills.texts import SKILLS

_MAX_CHARS: Final = 500
_WISH: Final = LatePattern(
    rf"{ANSWERS.pattern('draft_reader')} (?P<whom>\w+(?: \w+){{0,4}}?),? "
    rf"{ANSWERS.pattern('draft_saying')} (?P<said>.{{6,}})"
)
_NUMBER: Final = re.compile(r"\d+")
_NAME: Final = re.compile(r"(?<!\w)(?<![.!?] )[A-ZÀ-ÖØ-Þ]\w{2,}")
_OF: Final = re.compile(r"\b(?:de|of) ([A-ZÀ-ÖØ-Þ]\w{2,})")
_ENDED: Final = re.compile(r"[.!?…]\Z")


@dataclass(frozen=True, slots=True)
class DraftWish:
    """`whom` is who is to read it, in the person's words, `said` what it is to tell."""

    whom: str
    said: str

    def lacks(self, text: str) -> bool:
        """Tell whether a text leaves out a number, or somebody who is named in it.

        The reader's own name need not be in it, but "the teacher of Ana" names Ana.
        """
        named = {*_NAME.findall(self.said), *_OF.findall(self.whom)}
        if any(fold(name) not in fold(text) for name in named):
            return True
        read = {number for way in _ways(text) for number in _NUMBER.findall(way)}
        return not read.issuperset(_NUMBER.findall(self.said))

    def told(self, language: Language) -> str:
        """Return a plain text in the person's own words."""
        said = self.said if _ENDED.search(self.said) else f"{self.said}."
        return say(SKILLS.draft_told, language, whom=self.whom, said=said)


def read_draft_wish(asked: str) -> DraftWish | None:
    """Return what a wish for a text says; None where it is not said as "to somebody that …"."""
    asked = " ".join(asked[:_MAX_CHARS].split())
    at = 0
    while (found := _WISH.search(asked, at)) is not None:
        whom = found["whom"].split()
        while whom and fold(whom[0]) in ANSWERS["determiners"]:
            whom.pop(0)
        if whom and ANSWERS["draft_nobody"].isdisjoint(map(fold, whom)):
            return DraftWish(" ".join(whom), found["said"])
        at = found.start() + 1
    return None


def _ways(text: str) -> list[str]:
    return [text, *(in_digits(fold(text), language) for language in LANGUAGES)]
