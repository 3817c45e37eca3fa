"""Which thing that a person told holds what they ask for now."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Final

from app.domain.wording import fold, stem, words
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import (
    ASKS_NUMBER,
    CHOOSING,
    FORBIDDEN,
    OF_OTHERS,
    OWN,
    RECALLING,
    WORDS,
    asks_fact,
    says_recall,
    wants_done,
    without_lead_in,
)
from app.pipeline.lexicon.told import (
    ASKER,
    ASKS_AGE,
    ASKS_NAMED,
    CHANGED,
    ENDINGS,
    GENERAL,
    HOUR,
    NAMING,
    OF_NUMBERS,
    ONCE_MORE,
    PRONOUNS,
    RANKING,
    SAME,
    SECOND_HALF,
    SEXES,
    TELLS_AGE,
    THE_OTHER,
    TITLES,
    TOLD_AS,
    WHEN_OR_WHERE,
    WIDER,
    YEAR,
    is_number,
    may_answer,
    who_is_named,
    with_kin,
)
from app.skills.amending import is_correction, says_gone, says_nowadays

_GOING_ON: Final = LatePattern(rf"\W*{COMMON_WORDS.pattern('going_on')}\s+")
_NO_LONGER: Final = LatePattern(rf"\W{{0,3}}{COMMON_WORDS.pattern('no_longer_so')}(?!\w)")
_MOST_GOING_ON: Final = 6
_WORDS_OF_GOING_ON: Final = 2
_JOINER: Final = re.compile(r"\A(?:y|and|but|pero|while|mientras) ", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_EXPLAINING: Final = LatePattern(rf"\W*(?:{COMMON_WORDS.pattern('explaining')})")
_NAME: Final = re.compile(r"(?<=[^\W\d_] )[A-ZÀ-ÖØ-Þ][^\W\d_]+")
_NAMED_BEHIND: Final = LatePattern(
    rf"(?:['’]s)?[,:(]?\s\(?(?:(?i:{'|'.join(sorted(TITLES))})\.?\s){{0,3}}[A-ZÀ-ÖØ-Þ][^\W\d_]+"
    rf"|(?: \w+){{0,4}} (?i:{WORDS.pattern('is_so')}|{'|'.join(sorted(NAMING))})(?: [a-z]+)? [A-ZÀ-ÖØ-Þ]",
    flags=0,
)
_LEAST_ASKED: Final = 2
_AND: Final = re.compile(r",? (?:and|y|e|&) |, ", re.IGNORECASE)
_ASKED_AGAIN: Final = re.compile(r"\? (?:(?:and|y|e) )?", re.IGNORECASE)
_MOST_MORE: Final = 2
_MOST_MORE_WORDS: Final = 5
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBERING: Final = frozenset(stem(SAME.get(word, word)) for word in OF_NUMBERS)
_RANKING: Final = frozenset(map(stem, RANKING))
_POINTING: Final = frozenset(map(stem, PRONOUNS | OWN))
_SILENT: Final = COMMON_WORDS["asking"] | COMMON_WORDS["interrogatives"] | RECALLING
_RECENT: Final = 3
_LEAST_SHARED: Final = 2
_LEAST_ALIKE: Final = 3
_DIGITS_OF_A_YEAR: Final = 4
_FIRST_WORDS: Final = 5
_MOST_INSIDE: Final = 12
_MOST_WORDS: Final = 45
_WORDS_OF_POINTING: Final = 3
_INSIDE: Final = LatePattern(
    rf"{WORDS.pattern('asks_anywhere')}"
    rf"|(?:^|[,;:(–…-] ?)(?:{WORDS.pattern('leading_in')} ){{0,3}}{WORDS.pattern('asks_at_clause')}"
)
_REPORTING: Final = WORDS["reporting"]
_ACCENTED: Final = LatePattern(WORDS.pattern("asks_accented"))
_CLAUSE_END: Final = re.compile(r"[,;:()–…?!]|\s-\s")
_COUNTED: Final = re.compile(r"(?<!\w)\d{1,3}(?!\w|[.,:/]\d)")


@dataclass(frozen=True, slots=True)
class Asked:
    """Stems of a question: `names` of people and places, `content` with them.

    `naming` ask for a name, `numbering` for a number, `beside` stand around the question. It is
    about the person's own, it says "he" or "it" of whom was just spoken of, it asks what somebody must not have
    (`forbidding` are the words for that), or only which of them `is_ranking` first or last, or
    it `is_choosing` among them, or how old somebody is. `asked_of`: "when", "where", or "".
    """

    names: frozenset[str]
    content: frozenset[str]
    naming: frozenset[str]
    is_recall: bool
    numbering: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    asked_of: str = ""
    is_ranking: bool = False
    is_own: bool = False
    is_pronoun: bool = False
    is_choosing: bool = False
    is_general: bool = False
    is_age: bool = False
    forbidding: frozenset[str] = frozenset()


def with_gone(facts: Sequence[str], told: Sequence[str]) -> list[str]:
    """Return facts, newest first, with what was `told` to put them right and could not be put into them."""
    about = {stem(word) for one in facts for word in words(one)}
    found = list(facts)
    for before, one in pairwise(["", *told]):
        is_next = bool(before) and any(before in fact for fact in found)
        is_anew = is_correction(one) or says_nowadays(one) or _NO_LONGER.match(one) is not None
        is_anew = (is_anew and (is_next or says_gone(one, about))) or (is_next and _goes_elsewhere(one, before))
        if is_anew and one not in found:
            found.insert(0, one)
    return found


def _goes_elsewhere(told: str, before: str) -> bool:
    """Tell whether what was told is what became of what was told `before`: "they moved her to room 6"."""
    is_of_that = CHANGED.match(fold(told)) is not None
    return is_of_that and "?" not in told and not wants_done(told) and before != told


def only_goes_on(text: str) -> bool:
    """Tell whether all that a text asks is "and now?": what that means stands before it."""
    asked = [one for one in _SENTENCE.split(text) if one.endswith("?")]
    return bool(asked) and all(len(_WORD.findall(one)) <= _WORDS_OF_GOING_ON for one in asked)


def without_asker(text: str) -> str:
    """Return a text without what says who wants to know: "my mum is asking", "decile a mi suegra que pregunta"."""
    kept = text
    for found in reversed([*ASKER.finditer(fold(text))]):
        kept = f"{kept[: found.start()]} {kept[found.end() :]}"
    return " ".join(kept.split()).strip(" ,;:-") if kept != text else text


def question_in(text: str) -> str:
    """Return a text that asks from its last word of asking on: "go on, a riddle: which boat do I row"."""
    words = list(_WORD.finditer(text))[:-_LEAST_ASKED]
    asking = [one for one in words if fold(one[0]) in COMMON_WORDS["interrogatives"]]
    return text[asking[-1].start() :] if asking else text


def asks_for_fact(text: str) -> bool:
    """Tell whether a text has a question whose answer may be what its author told."""
    return any(any(questions_in(one)) for one in _SENTENCE.split(text))


def told_of(text: str, told: Sequence[str]) -> str | None:
    """Return the one of what was told (best known first) that shares most with a question; None where there is no
    question for a fact, or nothing shares enough with it."""
    questions = next((found for one in _SENTENCE.split(text) if (found := [*questions_in(one)])), [])
    for question in questions:
        asked = read_question(question, beside=text)
        shares = [
            (_shared(asked, one, is_recent=place < _RECENT), one)
            for place, one in enumerate(may_answer(question, told))
        ]
        best = max((count for count, _ in shares), default=0)
        if best:
            return next(one for count, one in shares if count == best)
    return None


def each_question(text: str) -> list[str]:
    """Return the questions of a text that asks for two things or three of the person's own, each whole: "what's my
    wife's name and my boy's" asks for two names; [] where it asks for one."""
    for sentence in _SENTENCE.split(_ASKED_AGAIN.sub(" & ", text)):
        first, *more = _AND.split(sentence.strip(" ?!."))
        if not 0 < len(more) <= _MOST_MORE or not any(questions_in(f"{first}?")):
            continue
        words_of = [*_WORD.finditer(first)]
        own = next((one.start() for one in words_of if fold(one[0]) in WORDS["mine"]), None)
        if own is None:
            continue
        # "What are my wife and my son called", "my wife's name and my son's".
        ends = [first[own:].rpartition(" ")[2], more[-1].rpartition(" ")[2]]
        tail = next((one for one in ends if fold(one) in NAMING), "")
        found = [first if fold(ends[0]) in NAMING or not tail else f"{first} {tail}"]
        for part in more:
            if any(questions_in(f"{part}?")) and len(part.split()) > _LEAST_ASKED:
                found.append(part)
            elif len(part.split()) <= _MOST_MORE_WORDS:
                is_named = not tail or fold(part.rpartition(" ")[2]) in NAMING
                found.append(f"{first[:own]}{part}" + ("" if is_named else f" {tail}"))
        if len(found) == len(more) + 1:
            return [f"{one}?" for one in found]
    return []


def questions_in(sentence: str) -> Iterator[str]:
    """Yield what a sentence may ask: all of it, then each clause with a question inside it, and that alone."""
    if _asks(sentence):
        yield without_lead_in(sentence)
    if len(sentence.split()) > _MOST_WORDS:
        return
    ends = [one.start() for one in _CLAUSE_END.finditer(sentence)]
    places = {*(one.start() for one in _ACCENTED.finditer(sentence))}
    places |= {one.start() for one in _INSIDE.finditer(fold(sentence))}
    for place in sorted(places):
        begin = max((end + 1 for end in ends if end <= place), default=0)
        end = min((end for end in ends if end > place), default=len(sentence))
        asked = sentence[max(place, begin) : end].strip()
        is_reported = not _REPORTING.isdisjoint(_WORD.findall(fold(sentence[begin:place]))[-1:])
        if not is_reported and len(asked.split()) <= _MOST_INSIDE and _asks(f"{asked}?"):
            yield from dict.fromkeys((sentence[begin:end].strip(), asked))
            # "When was it, my sister's wedding": what it is about stands beside it.
            yield from [sentence] * (len(asked.split()) <= _WORDS_OF_POINTING)


def _asks(sentence: str) -> bool:
    return asks_fact(sentence) and _EXPLAINING.match(fold(sentence)) is None


def read_question(sentence: str, beside: str = "") -> Asked:
    names = [] if sentence.isupper() else [fold(name) for name in _NAME.findall(sentence)]
    names += filter(None, [who_is_named(sentence)])
    # "Which of my kids": whoever is meant may have been told of without that word.
    chosen = CHOOSING.sub(" ", fold(sentence))
    # "What did we call the baby".
    chosen = ASKS_NAMED.sub(f" {min(NAMING)} ", chosen)
    found = {stem(word) for word in words(with_kin(chosen)) if word not in _SILENT}
    said = set(_WORD.findall(ASKS_NAMED.sub(f" {min(NAMING)} ", fold(sentence))))
    naming = frozenset(said & NAMING)
    is_number = ASKS_NUMBER.search(fold(sentence)) is not None
    numbering = frozenset(found & _NUMBERING) if is_number else frozenset()
    content = frozenset(found - naming - numbering)
    ranks = frozenset(content & _RANKING)
    kind = WHEN_OR_WHERE.search(fold(sentence))
    forbidden = FORBIDDEN.search(fold(sentence))
    # Between the first word and the last may stand who must not.
    said_so = [] if forbidden is None else words(forbidden[0])
    return Asked(
        frozenset(map(stem, names)) & found,
        content,
        naming,
        # "What does my brother do again?" was told before.
        says_recall(sentence) or not (said.isdisjoint(ONCE_MORE) or said.isdisjoint(OWN)),
        numbering,
        beside=frozenset(stem(word) for word in words(with_kin(beside)) if word not in _SILENT) - found,
        asked_of="" if kind is None else kind.lastgroup or "",
        is_ranking=bool(ranks) and not said.isdisjoint(OF_OTHERS | OWN),
        is_own=not said.isdisjoint(OWN),
        is_pronoun=not said.isdisjoint(PRONOUNS),
        is_choosing=chosen != fold(sentence),
        is_general=GENERAL.search(fold(sentence)) is not None,
        is_age=ASKS_AGE.search(fold(sentence)) is not None,
        forbidding=frozenset(stem(said_so[place]) for place in (0, -1) if said_so),
    )


def _shared(asked: Asked, told: str, *, is_recent: bool) -> int:
    """Return how many stems a question shares with what was told; 0 where too few, or names are missing."""
    said = words(with_kin(told))
    present = {stem(word) for word in said}.union(*(WIDER.get(word, ()) for word in said))
    is_of_all = asked.is_general and not (asked.is_own or asked.is_pronoun or asked.is_recall)
    if is_of_all or not asked.names <= present:
        return 0
    count = sum(holds(present, word) for word in asked.content)
    # "How old is Maya" is answered by "Maya is 7", and "what size was he" by a size.
    numbered = asked.content or asked.numbering
    if asked.numbering and _counts(told, asked.content) and all(holds(present, word) for word in numbered):
        return _LEAST_SHARED + count
    of_whom = asked.content | (asked.beside - _NUMBERING)
    is_age = asked.is_age and any(is_number(one["age"]) for one in TELLS_AGE.finditer(fold(told)))
    # "How old is he?" is of whom was just spoken of, "how old is Maya" of her.
    if is_age and (is_recent or of_whom) and all(holds(present, word) for word in of_whom):
        return _LEAST_SHARED + count
    if asked.naming and asked.content and count == len(asked.content) and _names_behind(told, asked.content):
        return _LEAST_SHARED + count
    is_counted = asked.is_ranking and is_recent and len(_COUNTED.findall(told)) >= _LEAST_SHARED
    if is_counted and all(holds(present, word) for word in asked.content - _RANKING - _POINTING):
        return 1 + count
    if asked.forbidding and count and FORBIDDEN.search(fold(told)) is not None:
        # Of whom it was told, or else of oneself, or of whom was just spoken of.
        whose = (asked.content | asked.beside) - asked.forbidding
        is_pointing = is_recent and (asked.is_choosing or (asked.is_pronoun and not asked.beside))
        is_theirs = asked.is_own or is_pointing or any(holds(present, word) for word in whose)
        return _LEAST_SHARED + count if is_theirs else 0
    named = sum(holds(present, word) for word in asked.naming | asked.numbering)
    is_named = bool(asked.names) and count + named > len(asked.names)
    is_half = count >= _LEAST_SHARED and 2 * count >= len(asked.content)
    is_whole = (
        bool(asked.content)
        and count == len(asked.content)
        and _is_meant(asked, told, present, is_recent=is_recent)
    )
    return count + named if is_named or is_half or is_whole or (asked.is_recall and count) else 0


def _counts(told: str, content: frozenset[str]) -> bool:
    """Tell whether a text holds a number: in digits, or in words right before what is asked for ("three kids")."""
    said = words(with_kin(told))
    return any(map(str.isdigit, told)) or any(
        is_number(one) and holds({stem(other)}, asked) for one, other in pairwise(said) for asked in content
    )


def _is_meant(asked: Asked, told: str, present: set[str], *, is_recent: bool) -> bool:
    """Tell whether what was told, which has all that is asked for, is what the question is about."""
    if asked.naming or asked.numbering:
        return bool(asked.naming) and not NAMING.isdisjoint(_WORD.findall(fold(told)))
    # "Whose is Zayd?": nothing but a name, of which something of their own was told.
    is_named = asked.names == asked.content and not asked.asked_of
    is_own = (asked.is_own or is_named) and (is_recent or not OWN.isdisjoint(_WORD.findall(fold(told))))
    is_own = (is_own and not asked.content <= HOUR | YEAR) or (is_recent and asked.content <= _RANKING)
    is_beside = any(holds(present, word) for word in asked.beside)
    return is_own or is_beside or (is_recent and (asked.is_pronoun or asked.is_choosing or _tells_of(told, asked)))


def _tells_of(told: str, asked: Asked) -> bool:
    """Tell whether a text says of what is asked for where or when it is: "the wedding is on 12 June in Cork"."""
    said = TOLD_AS.search(fold(told))
    if said is None or not asked.asked_of or said[asked.asked_of] is None:
        return False
    subject = [stem(word) for word in words(with_kin(told[: said.start()]))]
    return len(subject) <= _FIRST_WORDS and all(holds(set(subject), word) for word in asked.content)


def _names_behind(told: str, content: frozenset[str]) -> bool:
    """Tell whether a name stands right behind what is asked for: "mis dos hijos, Tomi y Lola"."""
    said = ((word, fold(word[0])) for word in _WORD.finditer(told))
    found = next((word for word, one in said if stem(SAME.get(one, one)) in content), None)
    return found is not None and _NAMED_BEHIND.match(told, found.end()) is not None


def holds(present: set[str], word: str) -> bool:
    if word in HOUR or word in YEAR:
        return any(one.isdigit() and (word in HOUR or len(one) == _DIGITS_OF_A_YEAR) for one in present)
    return any(_is_form(word, other) for other in present)


def _is_form(word: str, other: str) -> bool:
    """Tell whether two stems are one word, or its forms: "vive" and "vivo", but not "hijo" and "hija"."""
    if word == other:
        return True
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    root, endings = word[:shared], {word[shared:], other[shared:]} - {""}
    return shared >= _LEAST_ALIKE and root not in SEXES and root.isalpha() and endings <= ENDINGS


def half_of_other(text: str, before: str, told: Sequence[str]) -> str | None:
    """Return what was told of the other one of two, where a few words go on from a question `before` for one.

    "And mum's?" names the half, "y la otra?" means the one that was not asked for. None where that is not clear.
    """
    words_said = text.split()
    if len(words_said) > _MOST_GOING_ON or (opening := _GOING_ON.match(text)) is None:
        return None
    named = _stems(text[opening.end() :]) - {stem(one) for one in _SILENT}
    is_other = THE_OTHER.fullmatch(text) is not None
    asked = _stems(before) - {stem(one) for one in _SILENT}
    for one in told:
        halves = [(half, _stems(half)) for half in _halves(one)]
        best = max((len(asked & held) for _, held in halves), default=0)
        meant = [half for half, held in halves if len(asked & held) == best]
        others = [(half, held) for half, held in halves if half not in meant]
        if best and len(meant) == 1:
            found = [half for half, held in others if is_other or (named and named <= held)]
            if len(found) == 1:
                return found[0]
    return None


def _halves(told: str) -> list[str]:
    """Return what was told of one thing, and of the next, without the wish to keep it."""
    parts = [part.strip() for one in _SENTENCE.split(told) for part in SECOND_HALF.split(one)]
    bare = (_JOINER.sub("", part) for part in parts)
    return [_without_wish(part).rstrip(" .,;!") for part in bare if part]


def _without_wish(part: str) -> str:
    lead, mark, rest = part.partition(", ")
    lead, mark, rest = (lead, mark, rest) if mark and wants_done(lead) else part.partition(": ")
    return rest if mark and rest and len(lead.split()) <= _MOST_GOING_ON else part


def _stems(text: str) -> set[str]:
    return {stem(word.removesuffix("'s")) for word in words(with_kin(text.replace("'s", "")))}
