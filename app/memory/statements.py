"""What people say of themselves, found by its wording and without a model.

The words are in `lexicon`. They would rather miss a fact than keep a question, a request or a text that somebody
wants translated. The time grows with the length of the text, whatever stands in it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.domain.wording import clean, fold, one_line, words
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.memory.health import is_about_medicine
from app.memory.lexicon import LEXICON, RELATIONS, TITLES

MAX_FACT_CHARS: Final = 200
_MIN_EVENT_WORDS: Final = 4
_LONGEST_DANGLING: Final = 20
_WORDS_BESIDE: Final = 1
_MARKS: Final = " ,;:.!–-"


def _no_title() -> str:
    return "".join(rf"(?<!\b{title}\.)" for title in sorted(TITLES))


_FIRST: Final = 2
_INTRODUCING: Final = LatePattern(LEXICON.pattern("telling.introducing"))
_JOINED: Final = LatePattern(rf",? {LEXICON.pattern('telling.joins')} |[,;] ")
_COUNTS: Final = frozenset(word for tongue in LEXICON.tongues for word in tongue.lists["count"].split())
_KIN: Final = frozenset((*RELATIONS, *(word for one in LEXICON.tongues for word in one.lists["kin"].split())))
_WORDS_OF_KIN: Final = 5
_NUMBERS: Final = frozenset(word for words_of in COMMON_WORDS.table("numbers").values() for word in words_of)
_NAMED_SO: Final = LatePattern(LEXICON.pattern("telling.named_so"))
_GOES_ON: Final = LatePattern(LEXICON.pattern("telling.goes_on"))
_DIGIT: Final = re.compile(r"\d")
_WORDS: Final = re.compile(r"\w+")
_SENTENCE_END: Final = re.compile(rf"(?<=[.!?…;])(?i:{_no_title()})(?<!\b[A-Z]\.)\s+|\n+|(?=[¿¡])")
_LETTER: Final = re.compile(r"[^\W\d_]")
_OF_THAT: Final = LatePattern(rf"{LEXICON.pattern('telling.named_of_that')} ", flags=0)
# A quotation holds no other beginning of one: else many that are never closed would each be read to the end.
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|«[^«»\n]*»|“[^“”\n]*”|```.*?```|`[^`\n]*`", re.DOTALL)

_FILLER: Final = LatePattern(rf"(?:{LEXICON.pattern('telling.filler')}(?!['’])[,:!. ¡-]*)+")
_EXPLICIT: Final = LatePattern(
    rf"(?:{LEXICON.pattern('telling.courtesy')},? )?"
    rf"(?:{LEXICON.pattern('telling.remember_that')}[,:]?|{LEXICON.pattern('telling.remember_this')}[,:])"
    r" ?(?P<fact>\S.*)",
)
_REMEMBER: Final = LatePattern(
    rf"(?:{LEXICON.pattern('telling.courtesy')},? ){{0,2}}{LEXICON.pattern('telling.remember_this')}"
    r" (?P<fact>\S.*)"
)
# "My left knee is the bad one": how it is with what is somebody's, or with their own.
_OF_ONES_OWN: Final = LatePattern(LEXICON.pattern("telling.of_ones_own"))
_QUESTION: Final = LatePattern(LEXICON.pattern("telling.question"))
_REQUEST: Final = LatePattern(LEXICON.pattern("telling.request"))
_TEXT_WORK: Final = LatePattern(LEXICON.pattern("telling.text_work"))
_HYPOTHETICAL: Final = LatePattern(LEXICON.pattern("telling.hypothetical"))
_NOT_TOLD: Final = (
    _REQUEST,
    _QUESTION,
    _HYPOTHETICAL,
    LatePattern(LEXICON.pattern("telling.wanting")),
    LatePattern(LEXICON.pattern("telling.void")),
)
_PASSING: Final = LatePattern(rf"(?<!\bla ){LEXICON.pattern('telling.passing')}")
_ASKED: Final = LatePattern(LEXICON.pattern("telling.asked"))
_TOLD: Final = LatePattern(
    rf"(?:^|[,:(–-] ?|{LEXICON.pattern('telling.joins')} )(?:{LEXICON.pattern('telling.lately')},? )?"
    rf"(?P<told>{LEXICON.pattern('telling.tells', before='telling.before_tells')}"
    rf"|(?P<takes>{LEXICON.pattern('telling.takes', before='telling.before_tells')}))",
)
_JOKING: Final = LatePattern(rf"(?<!\w){LEXICON.pattern('telling.joking')}(?!\w)")
_SUPPOSING: Final = LatePattern(rf"\W*{LEXICON.pattern('telling.supposing')} ")
_OR_ELSE: Final = LatePattern(rf"(?<!\w){LEXICON.pattern('telling.or_else')}(?!\w)")
_OF_THAT_THING: Final = LatePattern(rf"{LEXICON.pattern('telling.of_that_thing')}[{_MARKS}]*\Z")
_BESIDE: Final = LatePattern(LEXICON.pattern("telling.beside"))
_VOID: Final = LatePattern(
    rf"{LEXICON.pattern('telling.void')}|{LEXICON.pattern('telling.void_alone')}\Z",
)
# Words that may stand beside what is told, and say nothing.
_AROUND: Final = frozenset(
    word for phrase in LEXICON.phrases("telling.filler") for word in re.findall(r"\w+", fold(phrase))
)
# Where what was told ends, and something else may begin: ", so imagine the cooking".
_ASIDE: Final = LatePattern(rf",? {LEXICON.pattern('telling.so')},? |, ")
_DANGLING: Final = LatePattern(rf"[{_MARKS}]{LEXICON.pattern('telling.dangling')}\Z")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence as it was written, on one line; `is_asked_for`: the person wants it remembered."""

    text: str
    is_asked_for: bool = False

    @property
    def is_passing(self) -> bool:
        """It speaks of these days, and will not be true for long."""
        return _PASSING.search(self.text) is not None


def statements(text: str) -> list[Statement]:
    """Return the sentences in which a person tells something, in order, as they wrote them.

    Questions, requests, conditions and quotations tell nothing; nor does a message that brings a text to work
    on. What somebody wants remembered is told, without the words that ask for it.
    """
    parts = (" ".join(part.split()) for part in _SENTENCE_END.split(_QUOTED.sub(" ", clean(text))))
    sentences = [part[filler.end() :] if (filler := _FILLER.match(part)) else part for part in parts if part]
    if any(_TEXT_WORK.match(sentence) for sentence in sentences):
        return []
    return [told for sentence in sentences if (told := _told(sentence)) is not None]


def sentences_told(text: str) -> list[str]:
    """Return the sentences in which a person tells something, as they wrote them, without what ends them.

    "His name is Theo" stands with the sentence before it, which says whose that is.
    """
    found: list[str] = []
    for one in statements(text):
        is_of_that = (
            bool(found)
            and _OF_THAT.match(fold(one.text)) is not None
            and f"{found[-1]}. {one.text}" in (" ".join(text.split()))
        )
        found[len(found) - is_of_that :] = [f"{found[-1]}. {one.text}" if is_of_that else one.text]
        found[-1] = found[-1].rstrip(_MARKS)
    return found


def self_statements(told: Sequence[Statement]) -> list[str]:
    """Return what a person says of themselves in plain words, each as they wrote it, without repetition."""
    found: list[str] = []
    is_introduced = any(_INTRODUCING.match(one.text) and not _is_not_meant(one.text) for one in told[:_FIRST])
    for one in told:
        parts = [bounded(one.text)] if one.is_asked_for else _told_of_oneself(one.text)
        found += _introducing(one.text, parts) if is_introduced and not one.is_asked_for else parts
    return list(dict.fromkeys(one for one in found if one))


def _introducing(sentence: str, parts: list[str]) -> list[str]:
    """Return what a sentence of who introduces themselves tells: all of it up to what they want, where its `parts`
    do not say it all, and it tells of somebody."""
    end = len(sentence)
    joints = [(0, 0), *((mark.start(), mark.end()) for mark in _JOINED.finditer(sentence))]
    for (before, start), (until, _) in pairwise([*joints, (len(sentence), 0)]):
        # "…, qué me recomienda": what joins may ask, too.
        joining, clause = sentence[before:until].lstrip(", "), sentence[start:until]
        if any(kind.match(part) for kind in _NOT_TOLD for part in (joining, clause)) or _PASSING.search(clause):
            end = before
            break
    whole = bounded(sentence[:end])
    said = set(words(whole))
    is_of_them = bool(parts) or not _KIN.isdisjoint(_WORDS.findall(fold(whole)))
    is_said = said - _AROUND <= {word for part in parts for word in words(part)}
    is_kept = bool(said) and (is_of_them or _INTRODUCING.match(whole) is not None)
    if not is_kept or (is_said and end == len(sentence)):
        return parts
    return [whole, *_told_of_oneself(sentence[end:])]


def told_on_request(sentence: str) -> str:
    """Return the plain fact behind "remember", to be kept as it stands: "remember my sister is vegan"; else ""."""
    found = _EXPLICIT.match(sentence) or _REMEMBER.match(sentence)
    fact = "" if found is None else found["fact"]
    told = _told_of_oneself(fact)
    is_of_a_day = not COMMON_WORDS["days"].isdisjoint(words(fact))
    is_first = bool(told) and fold(fact).startswith(fold(told[0]))
    is_plain = (is_first or _OF_ONES_OWN.match(fold(fact)) is not None) and not is_of_a_day
    return bounded(_without_aside(fact)) if is_plain and not _PASSING.search(fact) else ""


def holds_only(text: str, told: Sequence[str]) -> bool:
    """Tell whether a text holds nothing but what a person told of themselves, and perhaps a greeting."""
    if "?" in text or any(_goes_elsewhere(one) for one in told):
        return False
    kept = {word for one in told for word in words(one)}
    return bool(kept) and len(set(words(text)) - kept - _AROUND) <= _WORDS_BESIDE


def _goes_elsewhere(fact: str) -> bool:
    """Tell whether behind a comma or an "and" comes more than a number, a name or one more thing of that kind."""
    parts = (part.split() for part in _JOINED.split(fact)[1:])
    return any(not _is_one_more(part) for part in parts if part)


def _is_one_more(part: Sequence[str]) -> bool:
    if len(part) <= _WORDS_OF_KIN and not _KIN.isdisjoint(map(fold, part)):
        return True
    has_digit = any(_DIGIT.search(word) or fold(word) in _NUMBERS for word in part)
    said = " ".join(part)
    if _AROUND.issuperset(map(fold, part)) or _NAMED_SO.match(said) or _GOES_ON.match(said):
        return True
    return has_digit or fold(part[0]) in _COUNTS or all(word[0].isupper() for word in part)


def happenings(told: Sequence[Statement]) -> list[str]:
    """Return what a person says of these days: what happened, or will."""
    long_enough = (one.text for one in told if one.is_passing and len(one.text.split()) >= _MIN_EVENT_WORDS)
    return list(dict.fromkeys(bounded(text) for text in long_enough))


def bounded(text: str) -> str:
    """Return a statement as it is kept: on one line, of at most 200 characters, without trailing punctuation."""
    flat = " ".join(text.split()).rstrip(_MARKS)
    if dangling := _DANGLING.search(flat, max(0, len(flat) - _LONGEST_DANGLING)):
        flat = flat[: dangling.start()].rstrip(_MARKS)
    return one_line(flat, MAX_FACT_CHARS)


def _told(sentence: str) -> Statement | None:
    if "?" in sentence or sentence.startswith("¿"):
        return None
    if explicit := _EXPLICIT.match(sentence):
        return Statement(explicit["fact"], is_asked_for=True)
    if any(kind.match(sentence) for kind in (_QUESTION, _REQUEST, _HYPOTHETICAL)):
        return None
    return Statement(sentence) if _LETTER.search(sentence) else None


def _told_of_oneself(sentence: str) -> list[str]:
    if _is_not_meant(sentence):
        return []
    starts = [
        match.start("told")
        for match in _TOLD.finditer(sentence)
        if _ASKED.search(match["told"]) is None
        and (not match["takes"] or is_about_medicine(sentence[match.end() :]))
    ]
    # Within a story, and before all else that it tells: the words for it may be several, so nothing behind is cut.
    beside = _BESIDE.search(sentence, 0, starts[0] if starts else len(sentence))
    starts = starts if beside is None else [beside.start(), *starts]
    # "… but my husband loves it" says nothing without what it points to.
    starts = [start for n, start in enumerate(starts) if not n or not _OF_THAT_THING.match(sentence, start)]
    parts = (sentence[start:end] for start, end in pairwise([*starts, len(sentence)]))
    clauses = [bounded(_without_aside(part)) for part in parts]
    return [one for one in clauses if not _VOID.match(one) and not _PASSING.search(one)]


def _is_not_meant(sentence: str) -> bool:
    """Tell whether a sentence is a joke, "said nobody ever", or wonders: "I think I'm X, or maybe not, dunno"."""
    if _JOKING.search(sentence) is not None:
        return True
    return _SUPPOSING.match(sentence) is not None and _OR_ELSE.search(sentence) is not None


def _without_aside(clause: str) -> str:
    """Cut the clause where, after a comma or "so", a request or a question begins; "…, who's celiac" is none."""
    beside = _BESIDE.match(clause)
    for mark in _ASIDE.finditer(clause, beside.end() if beside else 0):
        if _REQUEST.match(clause, mark.end()) or _QUESTION.match(clause, mark.end()):
            return clause[: mark.start()]
    return clause
