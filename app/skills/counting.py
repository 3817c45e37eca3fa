"""Questions for a number alone, or for what is left: they are answered from what is stored, never guessed."""

import re
from collections.abc import Sequence, Set
from itertools import takewhile
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS

_MAX_CHARS: Final = 120
_WORD: Final = re.compile(r"[^\W_]+")
_BESIDE: Final = COMMON_WORDS["counting"] | COMMON_WORDS["counted"] | STOP_WORDS
_BESIDE_ANY: Final = COMMON_WORDS["counted"] | COMMON_WORDS["any_of"] | COMMON_WORDS["beside_any"] | STOP_WORDS

_TELL_LEFT: Final = COMMON_WORDS["left_over"] | COMMON_WORDS["still_left"]
_PURPOSES: Final = COMMON_WORDS["left_for"]
_LEFT: Final = (
    COMMON_WORDS["left_over"] | COMMON_WORDS["beside_left"] | COMMON_WORDS["only_told"] | _PURPOSES | STOP_WORDS
)
_MOST_WORDS_LEFT: Final = 13
_MOST_OF_A_NAME: Final = 4
_WORDS_OF_AN_OPENING: Final = 5
_CLAUSE: Final = re.compile(r"[^.,;:!?\n]+")
_LOOKS: Final = COMMON_WORDS["what"] | COMMON_WORDS["looks_into"]
_CONTENTS: Final = COMMON_WORDS["left_over"] | COMMON_WORDS["holds"]
_HEARD: Final = COMMON_WORDS["hearing"] | COMMON_WORDS["pointed_at"]
_HEARD_IT: Final = re.compile(
    rf"(?:{'|'.join((*COMMON_WORDS['hearing'], *COMMON_WORDS['hearing_it']))})(?:me|nos)?(?:lo|la|los|las)"
)
_KEPT: Final = COMMON_WORDS["how_kept"] | COMMON_WORDS["what"] | COMMON_WORDS["as_kept"]
_BESIDE_HEARD: Final = _HEARD | _KEPT | COMMON_WORDS["beside_heard"] | COMMON_WORDS["only_told"]
_MOST_WORDS_HEARD: Final = 12
_REASON: Final = LatePattern(COMMON_WORDS.pattern("giving_reason"))
_BESIDE_CONTENTS: Final = _LEFT | _BESIDE | _LOOKS | _CONTENTS
# "Sacá el aceite, que tengo" tells why; with its accent, or a question mark, it would ask.
_WHY: Final = COMMON_WORDS["opens_why"]
_TELLING_WHY: Final = COMMON_WORDS["telling_why"]
_ASKING: Final = "qué"


def asks_how_many(text: str, kind: Set[str]) -> bool:
    """Tell whether a text asks how many things of a kind there are, and nothing else; `kind` is its names."""
    said = set(_WORD.findall(fold(text))) if len(text) <= _MAX_CHARS else set()
    is_asked = not said.isdisjoint(COMMON_WORDS["counting"]) and not said.isdisjoint(kind)
    return is_asked and said <= _BESIDE | kind


def asks_whether_any(text: str, kind: Set[str]) -> bool:
    """Tell whether a text asks whether there is any thing of a kind, and nothing else; `kind` is its names."""
    said = set(_WORD.findall(fold(text))) if len(text) <= _MAX_CHARS else set()
    is_asked = "?" in text or not said.isdisjoint(COMMON_WORDS["any_of"])
    return is_asked and not said.isdisjoint(kind) and said <= _BESIDE_ANY | kind


def asks_what_is_left(text: str) -> bool:
    """Tell whether a text asks what is left of what was just shown, and nothing else: "what's left?"."""
    words = _WORD.findall(fold(text)) if len(text) <= _MAX_CHARS else []
    said = set(words)
    is_asked = not said.isdisjoint(_TELL_LEFT) and not said.isdisjoint(COMMON_WORDS["what"])
    return is_asked and len(words) <= _MOST_WORDS_LEFT and said <= _LEFT


def speaks_of_left(text: str) -> bool:
    """Tell whether a text asks what is left, of whatever has a name, too: what is done is no answer to it."""
    is_left = not _TELL_LEFT.isdisjoint(_WORD.findall(fold(text)[:_MAX_CHARS]))
    return is_left and (asks_what_is_left(text) or asked_what_is_in(text) is not None)


def asks_what_is_left_for(text: str) -> bool:
    """Tell whether it is asked what is left for what a list is for: "what's left to pack?"."""
    return asks_what_is_left(text) and not _PURPOSES.isdisjoint(_WORD.findall(fold(text)))


def asks_to_hear(text: str) -> bool:
    """Tell whether a text only asks to hear what was just kept: "read it back", "so what have you got now?".

    Behind that may stand why: "read it to me i'm in the shop"."""
    reason = _REASON.search(text, 1) if 1 < len(text) <= _MAX_CHARS else None
    if reason is not None and asks_to_hear(text[: reason.start()]):
        return True
    words = _WORD.findall(fold(text).replace("'", "").replace("’", "")) if len(text) <= _MAX_CHARS else []
    is_heard_it = any(map(_HEARD_IT.fullmatch, words))  # "léamela"
    said = {word for word in words if _HEARD_IT.fullmatch(word) is None}
    if len(words) > _MOST_WORDS_HEARD or not said <= _BESIDE_HEARD:
        return False
    is_heard = not said.isdisjoint(COMMON_WORDS["hearing"])
    is_asked = not said.isdisjoint(COMMON_WORDS["how_kept"] | COMMON_WORDS["what"])
    return (
        is_heard_it
        or (is_heard and (is_asked or not said.isdisjoint(COMMON_WORDS["pointed_at"])))
        or (is_asked and not said.isdisjoint(COMMON_WORDS["as_kept"]))
    )


def asked_what_is_in(text: str) -> str | None:
    """Return the name of that of which a text asks what is in it, or left of it: "qué me falta en la finca?"; ""
    where it only points to it: "what all is on it".

    A story may stand before the question. None where it asks something else.
    """
    if len(text) > _MAX_CHARS:
        return None
    clauses = _CLAUSE.findall(fold(text).replace("'", "").replace("’", ""))
    asks = "?" in text or _ASKING in text.casefold()
    for number, clause in reversed([*enumerate(clauses)]):
        words = _WORD.findall(clause)
        said = set(words)
        named = [word for word in words if word not in _BESIDE_CONTENTS]
        # "Tengo que pasar por el súper" asks nothing.
        opening = list(takewhile(lambda word: word not in _CONTENTS, words))[:_WORDS_OF_AN_OPENING]
        is_asked = not _LOOKS.isdisjoint(opening) and not said.isdisjoint(_CONTENTS)
        if number > 0 and not asks and _tells_why(words, is_named=bool(named)):
            continue
        if is_asked and len(named) <= _MOST_OF_A_NAME and len(words) <= _MOST_WORDS_LEFT + len(named):
            return " ".join(named)
    return None


def _tells_why(words: Sequence[str], *, is_named: bool) -> bool:
    """Tell whether a clause says why: "…, que tengo", "…, que el taller está cerrado"."""
    return not _WHY.isdisjoint(words[:1]) and (not is_named or not _TELLING_WHY.isdisjoint(words[1:2]))
