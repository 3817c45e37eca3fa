"""Whether two facts say the same, whether one says more, and whether both can be true at once.

Deterministic and without a model: near-duplicates by the words that matter, in their order; contradictions by what
the sentences claim (`claims`), by a "no" before the same words, and by another number in the same words. In doubt
two facts are unrelated: a fact too many does less harm than one lost.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from app.domain.wording import clean, fold, stem
from app.memory.claims import Claim, normalised, read_claims
from app.memory.lexicon import FILLER, GENDERED, MONTHS, NEGATIONS, RELATIONS, SHIFTS, STATES

Relation = Literal["same", "covers", "is_covered", "contradicts", "unrelated"]
"""Of a new fact to an old one. `covers`: it says all the old one does, and more."""

_WORD: Final = re.compile(r"[^\W_]+(?:[.,:/@-][^\W_]+)*")
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_SMALLEST: Final = 2
_SILENT: Final = FILLER | NEGATIONS


def tidy(text: str) -> str:
    """Return a fact as it is kept: cleaned, no blanks at the ends of lines, at most one empty line in a row."""
    return _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in clean(text).split("\n"))).strip()


def text_key(text: str) -> str:
    """Return the text without case, accents and punctuation: equal for facts said in the same words."""
    return " ".join(_WORD.findall(fold(text))) or fold(text)


def content_words(text: str) -> tuple[str, ...]:
    """Return the stems of the words that say something, in their order, each once."""
    found = (stem_of(word) for word in _WORD.findall(normalised(text)) if word not in _SILENT)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class FactText:
    """A fact taken apart once, to be compared with many."""

    text: str

    @cached_property
    def key(self) -> str:
        return text_key(self.text)

    @cached_property
    def said(self) -> tuple[str, ...]:
        return tuple(_WORD.findall(normalised(self.text)))

    @cached_property
    def words(self) -> tuple[str, ...]:
        return content_words(self.text)

    @cached_property
    def is_negative(self) -> bool:
        return not NEGATIONS.isdisjoint(self.said)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        return read_claims(self.text)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if _is_number(word))

    @cached_property
    def words_but_numbers(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if not _is_number(word))

    @cached_property
    def is_state(self) -> bool:
        """It tells how something is."""
        return not self.is_negative and not STATES.isdisjoint(self.said)

    @cached_property
    def fingerprints(self) -> tuple[str, ...]:
        """What identifies the fact however it is worded, as far as that can be told."""
        claims = tuple(f"{one.attribute}={' '.join(one.value)}:{one.is_yes}" for one in self.claims)
        return (f"{'no ' * self.is_negative}{' '.join(sorted(self.words)) or self.key}", *claims)


def compare(new: FactText, old: FactText) -> Relation:
    """Return how a new fact stands to an old one."""
    if new.key == old.key:
        return "same"
    if _claims_clash(new, old) or _negates(new, old) or _has_other_numbers(new, old):
        return "contradicts"
    if new.is_negative != old.is_negative:
        return "unrelated"
    if (relation := _by_claims(new, old)) is not None:
        return relation
    return _by_words(new, old)


def _claims_clash(new: FactText, old: FactText) -> bool:
    return any(
        _clash(mine, other) for mine in new.claims for other in old.claims if mine.attribute == other.attribute
    )


def _clash(new: Claim, old: Claim) -> bool:
    if new.is_yes != old.is_yes:
        return stems_of(new.value) == stems_of(old.value)
    return new.is_single and new.is_yes and not _agree(new.value, old.value)


def _agree(new: Sequence[str], old: Sequence[str]) -> bool:
    """One value says the other one, and perhaps more: "Madrid" and "Madrid, Spain"."""
    mine, theirs = stems_of(new), stems_of(old)
    return mine <= theirs or theirs <= mine


def stems_of(value: Sequence[str]) -> frozenset[str]:
    """Return the stems of a claim's value, in whatever order it was said."""
    return frozenset(map(stem_of, value))


def _negates(new: FactText, old: FactText) -> bool:
    return new.is_negative != old.is_negative and new.words == old.words and bool(new.words)


def _has_other_numbers(new: FactText, old: FactText) -> bool:
    """The same words with other numbers, and a verb that tells how something is."""
    if not new.numbers or not old.numbers or new.numbers == old.numbers or not (new.is_state and old.is_state):
        return False
    return new.words_but_numbers == old.words_but_numbers and bool(new.words_but_numbers)


def _by_claims(new: FactText, old: FactText) -> Relation | None:
    """Two sentences that are one claim each, about the same thing, in whatever words or language."""
    if len(new.claims) != 1 or len(old.claims) != 1:
        return None
    mine, theirs = new.claims[0], old.claims[0]
    if (mine.attribute, mine.is_yes) != (theirs.attribute, theirs.is_yes):
        return None
    if _rest(new, mine) or _rest(old, theirs):
        return None
    is_more, is_less = stems_of(theirs.value) < stems_of(mine.value), stems_of(mine.value) < stems_of(theirs.value)
    if stems_of(mine.value) == stems_of(theirs.value):
        return "same"
    if not mine.is_single:
        return None
    return "covers" if is_more else "is_covered" if is_less else None


def _rest(fact: FactText, claim: Claim) -> bool:
    """There are words behind the value: the sentence says more than the claim."""
    tail = content_words(fact.text)
    last = stem_of(claim.value[-1])
    return last in tail and tail[-1] != last


def _by_words(new: FactText, old: FactText) -> Relation:
    if new.words == old.words and new.words:
        return "same"
    if _covers(new, old):
        return "covers"
    return "is_covered" if _covers(old, new) else "unrelated"


def _covers(longer: FactText, shorter: FactText) -> bool:
    """All words of the shorter stand in the longer, in order, and those added do not turn its meaning."""
    if len(shorter.words) < _SMALLEST or len(longer.words) <= len(shorter.words):
        return False
    rest = iter(longer.words)
    if not all(word in rest for word in shorter.words):
        return False
    added = set(longer.said) - set(shorter.said)
    return added.isdisjoint(SHIFTS) and added.isdisjoint(RELATIONS)


def stem_of(word: str) -> str:
    """Return a folded word without the ending of its plural, and of its gender where that is safe.

    A stemmer goes further ("hija" and "hijo" are one), and then two facts about two children are one fact.
    """
    has_gender = any(word.endswith(one.lstrip(".")) and len(word) >= len(one) for one in GENDERED)
    return stem(word[:-1] if has_gender else word)


def _is_number(word: str) -> bool:
    return word in MONTHS or any(char.isdigit() for char in word)
