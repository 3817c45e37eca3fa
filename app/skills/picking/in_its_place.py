"""What is wanted in the place of a thing that goes: "delete the first one, going with sweep the hall instead"."""

from collections.abc import Sequence
from typing import Final

from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, span, stripped, tokens_of

_MAX_CHARS: Final = 200
_MOST_OF_A_LEAD: Final = 4
_PLACE: Final = tuple(tuple(one.split("_")) for one in sorted(PICKING["in_its_place"], key=len, reverse=True))


def parted_by_instead(text: str) -> tuple[str, str]:
    """Return what a message says before what is to be there instead, and that; "" where there is none."""
    words = tokens_of(text) if len(text) <= _MAX_CHARS and "?" not in text else []
    for number in range(1, len(words)):
        if not (words[number].is_cut or words[number].key in PICKING["joining"]):
            continue
        if said := said_instead(words[number:]):
            return text[: words[number - 1].end], span(text, said)
    return text, ""


def said_instead(clause: Sequence[Token]) -> list[Token]:
    """Return the words for what a clause wants instead; [] of any other: "my aunt does it instead"."""
    clause = stripped(clause, PICKING["joining"])
    whole = _without_place(clause)
    said = _without_lead(whole)
    is_why = said[:1] and said[0].key in PICKING["says_why"] | PICKING["pronouns"] | PICKING["subjects"]
    is_led = len(said) < len(whole)
    is_told = is_why or (not is_led and any(one.key in PICKING["taken_objects"] for one in said[1:]))
    return said if len(said) < len(_without_lead(clause)) and not is_told else []


def without_said_place(thing: Sequence[Token]) -> list[Token]:
    """Return words for a thing without several for "instead" around them: "en cambio peras"; one may be of it."""
    named = _without_place(thing)
    return named if named and len(named) + 1 < len(thing) else list(thing)


def _without_place(clause: Sequence[Token]) -> list[Token]:
    """Return a clause without the words for "instead" around it."""
    keys = tuple(one.key for one in clause)
    first = next((len(one) for one in _PLACE if keys[: len(one)] == one), 0)
    last = next((len(one) for one in _PLACE if keys[len(keys) - len(one) :] == one), 0)
    return list(clause[first : len(clause) - last]) if first + last < len(clause) else []


def _without_lead(clause: Sequence[Token]) -> list[Token]:
    """Return a clause without what leads to the thing: "we're going with", "poné"."""
    lead = stripped(clause[:_MOST_OF_A_LEAD], PICKING["going_with"])
    count = len(clause[:_MOST_OF_A_LEAD]) - len(lead)
    is_lead = count > 1 or (count == 1 and clause[0].key in PICKING["put_there"])
    return list(clause[count if is_lead else 0 :])
