"""What somebody plainly asks to have remembered ("guardate esto: …", "…, keep that in mind"), or forgotten."""

import re
from typing import Final, NamedTuple

from app.domain.wording import fold, points_back
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.memory.lexicon import LEXICON
from app.memory.similarity import content_words
from app.memory.statements import Statement, self_statements, told_on_request

_MAX_CHARS: Final = 800
_MAX_OF_ME: Final = 80
_LEAST_WORDS: Final = 3
_MOST_OF_A_QUESTION: Final = 12


def _called() -> str:
    """Return a pattern for whom it is said to, and what only leads to a wish."""
    return rf"(?:{LEXICON.pattern('keeping.called')}[,.!:]* ){{0,3}}"


def _weight() -> str:
    """Return a pattern for what says how much it matters, which may stand before what is to be kept."""
    return rf"(?:[,.]? {LEXICON.pattern('keeping.weight')}(?=[ ,.:;!])){{0,3}}"


_FIRST: Final = LatePattern(
    rf"{_called()}(?:{LEXICON.pattern('keeping.first_marked')}(?=[,:])"
    rf"|(?:{LEXICON.pattern('keeping.first')}|{LEXICON.pattern('keeping.first_in_full')})"
    rf"(?:,? {LEXICON.pattern('keeping.courtesy')}){{0,2}}{_weight()}(?=[,:.;!])"
    rf"|{LEXICON.pattern('keeping.first')}(?:,? {LEXICON.pattern('keeping.courtesy')}){{0,2}})"
    rf"(?:,? {LEXICON.pattern('keeping.purpose')}[^,.;:!?]{{0,60}}(?=:)| {LEXICON.pattern('keeping.that')}(?= ))?"
    r"[,:.;!]{0,2} (?P<fact>[^\s,:.].*)",
)
_LAST: Final = LatePattern(
    rf"(?:(?P<mark>[.,;:!…]) (?:{LEXICON.pattern('keeping.courtesy')},? )?{LEXICON.pattern('keeping.last')}"
    rf"|[,;.]? {LEXICON.pattern('keeping.last_in_full')})"
    rf"(?:,? {LEXICON.pattern('keeping.courtesy')})?(?:,? {LEXICON.pattern('keeping.why')} [^?]{{1,80}})?"
    r"[.! )]*\Z",
)
_OTHERWISE: Final = LatePattern(LEXICON.pattern("keeping.otherwise"))
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+")
_BARE: Final = LatePattern(rf"{LEXICON.pattern('keeping.is_so')} ")
_ASKING: Final = LatePattern(
    rf"(?:[¿ ]|{LEXICON.pattern('keeping.called')}[,! ]|{LEXICON.pattern('keeping.recall')}[,? ])*+"
    rf"(?:(?:{'|'.join(sorted(COMMON_WORDS['interrogatives']))}|q) )?",
)
_FORGETTING: Final = LatePattern(
    rf"\W*(?:{LEXICON.pattern('forgetting.lead')}[,.!]? ){{0,3}}{LEXICON.pattern('forgetting.verb')}"
    rf"(?: (?P<about>{LEXICON.pattern('forgetting.about')}))? (?P<topic>\S.*)",
    flags=0,
)
_ELSEWHERE: Final = LatePattern(LEXICON.pattern("forgetting.otherwise"), flags=0)
_OF_ME: Final = LatePattern(
    rf"\W*(?:{LEXICON.pattern('keeping.called')}\W+){{0,3}}{LEXICON.pattern('forgetting.of_me')}\W*",
    flags=0,
)
_CLAUSE: Final = re.compile(r"[,;.:!?]")
_COURTESY: Final = LatePattern(rf"(?<!\w){LEXICON.pattern('keeping.courtesy')}\Z", flags=0)


_UNSAID: Final = LatePattern(
    rf"\W*(?:{LEXICON.pattern('keeping.called')}\W+){{0,2}}(?:{LEXICON.pattern('telling.unsaid')}\W+)?"
    rf"{LEXICON.pattern('telling.unsaid')}"
    rf"(?:\W+{LEXICON.pattern('keeping.courtesy')})?(?:\W+(?:lol|ha|haha|ja|jaja|jajaja))?\W*",
    flags=0,
)
_UNSAYS_ITSELF: Final = LatePattern(
    rf"(?<=\w)[.!,;…]{{1,3}} {LEXICON.pattern('telling.unsaid')}"
    rf"(?:\W+{LEXICON.pattern('keeping.courtesy')})?\W{{0,4}}\Z",
    flags=0,
)
_MOST_UNSAID: Final = 60


class Forgettable(NamedTuple):
    """What somebody wants forgotten, folded. `is_told`: they say that it was told ("what I said about …")."""

    topic: str
    is_told: bool


def asked_to_forget(text: str) -> Forgettable | None:
    """Return what a message wants forgotten that is remembered; None for any other message.

    "Forget it" takes back a wish, not a fact.
    """
    flat = fold(" ".join(text.split()))
    if len(flat) > _MAX_CHARS or _ELSEWHERE.search(flat) or (found := _FORGETTING.match(flat)) is None:
        return None
    topic = _COURTESY.sub("", _CLAUSE.split(found["topic"], maxsplit=1)[0]).strip()
    is_named = bool(content_words(topic)) and not points_back(topic)
    return Forgettable(topic, found["about"] is not None) if is_named else None


def takes_back_told(text: str) -> bool:
    """Tell whether a message only takes back what its author just told: "just kidding", "forget it"."""
    return len(text) <= _MOST_UNSAID and _UNSAID.fullmatch(fold(" ".join(text.split()))) is not None


def asks_to_forget(text: str, told: str) -> bool:
    """Tell whether a message asks to forget what a sentence tells: it has all words of what is to be forgotten, or
    tells that itself and takes it back at its end: "he can't stand jazz. Forget it"."""
    if told in text and _UNSAYS_ITSELF.search(fold(" ".join(text.split()))) is not None:
        return True
    asked = asked_to_forget(text)
    return asked is not None and set(content_words(asked.topic)).issubset(content_words(told))


def asks_of_self(text: str) -> bool:
    """Tell whether a message asks for all that is known of its author, and for nothing else."""
    return len(text) <= _MAX_OF_ME and _OF_ME.fullmatch(fold(" ".join(text.split()))) is not None


def asked_to_keep(text: str, before: str = "") -> str | None:
    """Return what a message wants remembered, without the words that ask for it; None for any other message.

    `before` is what its author wrote before: "it is on the 9th, keep that" is about what they asked then.
    """
    flat = " ".join(text.split())
    if len(flat) > _MAX_CHARS or "?" in flat or _OTHERWISE.search(flat):
        return None
    last = _LAST.search(flat)
    bare = flat if last is None else flat[: last.start()]
    # "Hey, remember this as it matters, …": it stands first.
    bare = bare if len(bare.split()) >= _LEAST_WORDS else flat
    if (first := _FIRST.fullmatch(bare)) is not None:
        return None if _is_no_fact(first["fact"]) else _whole(first["fact"], before)
    if fact := told_on_request(bare):
        return fact
    if last is None:
        return None
    said = flat[: last.start()]
    # "Uh, no idea. It is on the 9th, keep that": behind a comma, that sentence alone is meant.
    return _whole(said if last["mark"] in {".", "!", "…"} else _SENTENCE.split(said)[-1], before)


def _is_no_fact(said: str) -> bool:
    """Tell whether what stands behind such a wish is of these days, or asks: "learn this: what is 4 by 9"."""
    opening = fold(said.split(maxsplit=1)[0])
    return Statement(said).is_passing or opening in COMMON_WORDS["interrogatives"]


def _whole(fact: str, before: str) -> str | None:
    """Return a fact with what it is about, where only the question before names that."""
    said = fact.strip(" ,;:.!")
    if _BARE.match(said):
        asked = _asked(before)
        return f"{asked}: {said}" if asked else None
    is_whole = len(said.split()) >= _LEAST_WORDS or bool(self_statements((Statement(said),)))  # "soy celíaca"
    return said if is_whole else None


def _asked(before: str) -> str:
    """Return what a question is about: "vence el seguro" of "¿te acordás cuándo vence el seguro?"."""
    flat = " ".join(before.split())
    opening = _ASKING.match(fold(flat))
    asked = flat if opening is None else flat[opening.end() :]
    is_question = "?" in before and len(asked.split()) <= _MOST_OF_A_QUESTION
    return asked.strip(" ?.!") if is_question else ""
