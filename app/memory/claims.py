"""What a sentence claims about a person: "I live in X", "my wife is called Y".

A claim has an attribute (what it is about), a value, and says yes or no. Only plain statements at the beginning of
a clause are read; whatever is told in another way has no claims, and is never in contradiction with anything.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.memory.lexicon import ARTICLES, CONDITIONS, LEXICON, RELATIONS, USER

_ONE_OF_A_KIND: Final = frozenset(
    (
        "wife",
        "husband",
        "partner",
        "girlfriend",
        "boyfriend",
        "mother",
        "father",
        "boss",
        "mother_in_law",
        "father_in_law",
    )
)
# Only the first of several marks begins a clause's end: each of them would look at all the others.
_CLAUSES: Final = LatePattern(
    rf"(?<![.;:!?\n])[.;:!?\n]+(?=\s|$)|,| {LEXICON.pattern('claiming.joins')} ", flags=0
)
_LEAD: Final = LatePattern(rf"(?:{LEXICON.pattern('claiming.lead')} )+", flags=0)
_TAIL: Final = LatePattern(rf" {LEXICON.pattern('claiming.tail')}.*", flags=0)
_OF_A_THIRD: Final = LatePattern(LEXICON.pattern("claiming.third"), flags=0)
_CONTRACTIONS: Final = tuple(
    (re.compile(rf"{short.lstrip('~')}(?!\w)"), f" {full}" if short.startswith("~") else full)
    for short, _, full in (one.partition(" = ") for one in LEXICON.phrases("contractions"))
)
_CLAIMS: Final = tuple(
    (attribute, LatePattern(pattern, flags=0))
    for attribute, pattern in LEXICON.sequences(
        "claims",
        no="(?P<no>{})",
        no2="(?P<no2>{})",
        rel=r"(?P<rel>\w+)",
        value="(?P<value>.+)",
        digits=r"(?P<value>\d+)",
        place=r"(?P<value>[^\d]+)",
        date=r"(?P<value>.*\d.*)",
        thing="(?P<thing>{})",
        which=r"(?P<thing>\w+)",
        whose="(?P<whose>.+?)",
        rest=".*",
    )
)


@dataclass(frozen=True, slots=True)
class Claim:
    """`is_single`: two different values cannot both be true."""

    attribute: str
    value: tuple[str, ...]
    is_yes: bool
    is_single: bool


def normalised(text: str) -> str:
    """Return the text folded, with contractions written out ("don't" is "do not")."""
    said = fold(text.replace("’", "'"))
    for short, full in _CONTRACTIONS:
        said = short.sub(full, said)
    return said


def read_claims(text: str) -> tuple[Claim, ...]:
    """Return what the text plainly claims, in the order in which it does."""
    lines = "\n".join(normalised(line) for line in text.split("\n"))
    return tuple(claim for clause in _CLAUSES.split(lines) for claim in _claims_of(clause))


def _claims_of(clause: str) -> Iterator[Claim]:
    lead = _LEAD.match(clause.strip())
    said = clause.strip() if lead is None else clause.strip()[lead.end() :]
    # "My dog is old, is called Toby": who a clause without a subject is about is anybody's guess.
    if _OF_A_THIRD.match(said) and not (lead is not None and USER.intersection(lead[0].split())):
        return
    for attribute, pattern in _CLAIMS:
        if (match := pattern.fullmatch(said)) is not None:
            if (claim := _claim(attribute, match.groupdict())) is not None:
                yield claim
            return


def _claim(attribute: str, found: Mapping[str, str | None]) -> Claim | None:
    words = re.findall(r"[^\W_]+", _TAIL.sub("", found["value"] or ""))
    value = tuple(word for word in words if word not in ARTICLES)
    is_yes = not (found.get("no") or found.get("no2"))
    relation = RELATIONS.get(found.get("rel") or "", "")
    if not value or (found.get("rel") and not relation):
        return None
    match attribute:
        case "like" | "dislike":
            return Claim("like", value, is_yes == (attribute == "like"), is_single=False)
        case "be":
            return _being(value, is_yes)
        case "thing" | "favourite":
            about = f"{attribute}:{found['thing']} {found.get('whose') or ''}".rstrip()
            return Claim(about, value, is_yes, is_single=True)
        case _:
            is_single = not relation or relation in _ONE_OF_A_KIND or attribute == "home"
            return Claim(f"{relation}:{attribute}", value, is_yes, is_single)


def _being(value: tuple[str, ...], is_yes: bool) -> Claim | None:
    condition = next((CONDITIONS[word] for word in value if word in CONDITIONS), None)
    return None if condition is None else Claim(condition[0], (condition[1],), is_yes, is_single=True)
