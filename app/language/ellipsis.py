"""Questions that leave out what was just asked: "what time is it in Madrid?", then "and in Sydney?".

A small model that is shown both repeats the first. So the question is written out where one reading is certain: a
number takes the place of the number of its kind, what follows a preposition that of what followed the same one,
and a name that of the only name. Everything else is left to who answers.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.language.phrases import any_of

_TURNS: Final = 3
_MAX_CHARS: Final = 300
_MAX_WORDS: Final = 5
_MOST_OPENING: Final = 3
"""Words among which a question without a mark opens: "che, cómo se dice …"."""
_OPENING: Final = LatePattern(
    rf"\W*(?:{COMMON_WORDS.pattern('well_answered')}\W+){{0,3}}"
    rf"{COMMON_WORDS.pattern('going_on')}\s+",
)
# "Lovely. And in Greek?"
_REACTION: Final = re.compile(r"\A[^\W\d_]{1,15}(?: [^\W\d_]{1,15}){0,2}(?:[.!]+|,)\s+(?=\w)")
_TONGUES: Final = COMMON_WORDS["tongues"]
_TRANSLATING: Final = LatePattern(rf"{COMMON_WORDS.pattern('translating')} ")
_TRANSLATED: Final = LatePattern(
    rf"{COMMON_WORDS.pattern('translating')} (?P<said>[^\n]{{1,80}}?) "
    rf"(?:in|en|to|al|a) {any_of(sorted(_TONGUES), {})}"
)
_BESIDE_TONGUE: Final = COMMON_WORDS["beside_tongue"]
_WHY: Final = re.compile(
    r"[?.,;!]|(?<!\w)(?:que|q|xq|porque|because|cos|for|para|pa|i|my|im)(?!\w)", re.IGNORECASE
)
_PREPOSITIONS: Final = COMMON_WORDS["prepositions"]
_INTERROGATIVES: Final = COMMON_WORDS["interrogatives"]
_WORD: Final = re.compile(r"[^\s?!¿¡.,;:]+(?:[.,;:]++[^\s?!¿¡.,;:]+)*")
_PHRASE_END: Final = re.compile(r"[?!,;:]|\.(?:\s|$)")
_GOES_ON: Final = re.compile(rf"{_PHRASE_END.pattern}|\s(?=[\"'“«‘]|(?:que|q|that)\s)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d[\d.,:/]*\d|\d")
_QUOTED: Final = re.compile(r"\"[^\"\n]{1,120}\"|'[^'\n]{1,120}'|“[^”\n]{1,120}”|«[^»\n]{1,120}»|‘[^’\n]{1,120}’")
_DIGIT: Final = re.compile(r"\d")
_NAME: Final = re.compile(r"(?<=[\w,] )[A-ZÀ-ÖØ-Þ][\w’'-]*(?: [A-ZÀ-ÖØ-Þ][\w’'-]*)*")
_BEHIND: Final = re.compile(rf"\w+ (?:{_NAME.pattern})")


def in_full(text: str, before: Sequence[str]) -> str:
    """Return a message as it would read alone; `before` are those before it, oldest first."""
    full = ""
    for one in (*before[-_TURNS:], text):
        full = written_out(one, full) or one
    return full


def written_out(text: str, before: str) -> str | None:
    """Return `before` with what `text` says in its place; None where that is doubtful, or no such question."""
    text = _REACTION.sub("", text, count=1) or text
    if (other := _in_another_tongue(text, before)) is not None:
        return other
    opening = _OPENING.match(text[:_MAX_CHARS])
    if opening is None or len(before) > _MAX_CHARS:
        return None
    # What follows the question is why: "y en Lima? que mi hija vive allá".
    part = text[opening.end() :].strip().partition("?")[0].rstrip("!. ")
    if (instead := _quoted(part, before)) is not None:
        return instead
    if not _asks(before):
        return None
    words = part.split()
    if not 0 < len(words) <= _MAX_WORDS or _PHRASE_END.search(part):
        return None
    if len(_NUMBER.findall(part)) == 1:
        return _with_number(part, words, before)
    if fold(words[-1]) not in _TONGUES and (said := _TRANSLATED.search(before)) is not None:
        return before[: said.start("said")] + _TRANSLATING.sub("", part) + before[said.end("said") :]
    if fold(words[0]) in _PREPOSITIONS:
        return _with_phrase(words[0], part, before)
    names = list(_NAME.finditer(before))
    if len(names) == 1 and all(word[0].isupper() for word in words):
        return before[: names[0].start()] + part + before[names[0].end() :]
    return None


def put_behind(text: str) -> str:
    """Return what a message of few words puts in the place of what was asked: "and thank you?"; "" of another."""
    opening = _OPENING.match(text[:_MAX_CHARS])
    part = "" if opening is None else text[opening.end() :].strip().partition("?")[0].rstrip("!. ")
    keys = [fold(word) for word in part.split()]
    is_little = 0 < len(keys) <= _MAX_WORDS and _PHRASE_END.search(part) is None
    is_other = not is_little or keys[0] in COMMON_WORDS["addressing"] or not _TONGUES.isdisjoint(keys)
    return "" if is_other else part


def _in_another_tongue(text: str, before: str) -> str | None:
    """Return a wish for a translation with the other tongue of "and in Italian?", "y en alemán? que viajo"."""
    if max(len(text), len(before)) > _MAX_CHARS or _TRANSLATING.search(before) is None:
        return None
    named, tongues = ([one for one in _WORD.finditer(said) if fold(one[0]) in _TONGUES] for said in (text, before))
    if len(named) != 1 or len(tongues) != 1:
        return None
    why = _WHY.search(text, named[0].end())
    others = f"{text[: named[0].start()]} {text[named[0].end() : why.start() if why else None]}"
    if not {fold(one[0]) for one in _WORD.finditer(others)} <= _BESIDE_TONGUE:
        return None
    return before[: tongues[0].start()] + named[0][0] + before[tongues[0].end() :]


def _quoted(part: str, before: str) -> str | None:
    """Put what is quoted where a wish for a translation quotes something."""
    quoted = _QUOTED.search(before) if _QUOTED.fullmatch(part) and _TRANSLATING.search(before) else None
    return None if quoted is None else before[: quoted.start()] + part + before[quoted.end() :]


def _asks(text: str) -> bool:
    opening = [fold(one[0]) for one in islice(_WORD.finditer(text), _MOST_OPENING)]
    return "?" in text or not _INTERROGATIVES.isdisjoint(opening)


def _with_number(part: str, words: list[str], before: str) -> str | None:
    """Put a number where one of its kind stands: behind the same word, or the only one there is."""
    number = next(found for word in words if (found := _NUMBER.search(word)))
    kind = _kind(part, number[0])
    alike = [one for one in _NUMBER.finditer(before) if _kind(before[one.start() :], one[0]) == kind]
    at = part.index(number[0])
    lead = part[:at].split()
    if lead and fold(lead[-1]) in _PREPOSITIONS:
        behind = [one for one in alike if before[: one.start()].split()[-1:] == lead[-1:]]
        alike = behind or alike
    if len(alike) != 1:
        return None
    return before[: alike[0].start()] + number[0] + before[alike[0].end() :]


def _kind(rest: str, number: str) -> str:
    """A number is like another whose separators are the same, and that is a percentage, too, or is none."""
    is_share = rest.partition(number)[2].lstrip().startswith("%")
    return "".join(dict.fromkeys(_DIGIT.sub("", number))) + "%" * is_share


def _with_phrase(preposition: str, part: str, before: str) -> str | None:
    """Put what follows a preposition in the place of the name, or the rest of a phrase, behind the same one."""
    same = [one for one in _WORD.finditer(before) if fold(one[0]) == fold(preposition)]
    if not same:
        return None
    begin = same[-1].start()
    if (name := _BEHIND.match(before, begin)) is not None:
        return before[:begin] + part + before[name.end() :]
    end = _GOES_ON.search(before, begin)
    return before[:begin] + part + before[end.start() if end else len(before) :]
