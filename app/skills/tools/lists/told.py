"""What a clause tells of a thing: that somebody brings it, that it ran out, is lacking, or was got."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from app.skills.picking.lexicon import PICKING
from app.skills.picking.reading import read_wish
from app.skills.picking.tokens import Token, is_wish, pieces, span, stripped, without_pronouns
from app.skills.tools.lists.at_hand import read_at_hand
from app.skills.tools.lists.joined import puts_on
from app.skills.tools.lists.lexicon import GONE, LACKING, WORDS
from app.skills.tools.lists.strung import are_wares
from app.skills.tools.lists.wording import (
    OPENERS,
    Clause,
    tells_how_much,
    tells_which,
    tells_why,
    to_list,
    without_end,
)

_MOST_OF_A_LEAD: Final = 5
_MOST_OF_GONE: Final = 10
_LEADS: Final = OPENERS | PICKING["subjects"] | PICKING["pronouns"] | PICKING["list_links"] | WORDS["more"]
TOLD_BEHIND: Final = WORDS["filling"] | PICKING["closing"]
_PUTTING: Final = WORDS["put_verbs"] - WORDS["noun_verbs"] - WORDS["weak_verbs"]
_ALREADY: Final = PICKING["already"]
_FILLING: Final = PICKING["opening"] | PICKING["closing"] | PICKING["joining"]
_ENDS: Final = WORDS["at_places"] | PICKING["breaks"] | PICKING["reason"] | PICKING["relative"]


def told_more(text: str, words: Sequence[Token], put: str) -> str:
    """Return a thing just put down with what is told of it, ", que sea rojo", ", the big ones"; "" of others."""
    bare = stripped(words, frozenset(), TOLD_BEHIND)
    if len(bare) == 1 and bare[0].key.isdecimal() and bare[0].is_cut and put and not put[0].isdigit():
        return f"{bare[0].key} {put}"  # "y huevos, 30"
    if any(one.key in WORDS["being"] for one in words) or not tells_which(bare):
        return ""
    start = text.rfind(put, 0, bare[0].start)
    if start < 0 or (are_wares([span(text, bare)]) and not tells_how_much(bare)):
        return ""
    return text[start : bare[-1].end]


def lacked_in(text: str, words: list[Token]) -> tuple[list[Token], bool, bool]:
    """Return the words for what may be wanted, whether a verb leads to it, and whether that says it is lacking."""
    verb = next((n for n, one in enumerate(words[:_MOST_OF_A_LEAD]) if one.key in WORDS["lacked"]), None)
    is_led = verb is not None and all(one.key in _LEADS for one in words[:verb])
    said = words[verb + 1 :] if verb is not None and is_led else words
    if (lacks := LACKING.match(text, words[0].start)) is not None:
        said, is_led = [one for one in words if one.start >= lacks.end()], True
    while len(said) > 1 and said[0].key in _LEADS | WORDS["lacked"]:
        said = said[1:]
    return without_end(to_list(said)) if lacks else to_list(said), is_led, lacks is not None


def got_in(text: str, words: list[Token]) -> list[str]:
    """Return the things that a clause says were got: "got the X", "I've the milk and bread got"."""
    if words[-1].key in PICKING["done_verbs"] and words[0].key in WORDS["having"] and len(words) > 2:
        return [span(text, part) for part in pieces(words[1:-1])]
    said = span(text, words)
    if (things := read_at_hand(said)) or (wish := read_wish(said)) is None:
        return things
    return [one.text for one in wish.targets] if wish.is_told and wish.deed == "done" else []


def brought_in(words: Sequence[Token]) -> list[Token]:
    """Return the words for what somebody brings, or has of their own: "la Ro trae su ensalada"; [] where none."""
    at = next((n for n, one in enumerate(words) if n and one.key in WORDS["bringing"]), 0)
    if not at or any(one.key in PICKING["denying"] or is_wish(one) for one in words):
        return []
    is_before = words[at - 1].key in WORDS["brought_objects"]  # "el hielo lo trae Ana"
    said = words[: at - 1] if is_before else stripped(words[at + 1 :], WORDS["owned_words"] | _FILLING)
    said = stripped(said, WORDS["owned_words"] | PICKING["determiners"], _FILLING | _ALREADY)
    return list(takewhile(lambda one: one.key not in _ENDS | WORDS["whose"] | _ALREADY, said))


def gone_in(words: Sequence[Token]) -> list[Token]:
    """Return the words for what is said to have run out: "brown rice is finished too"; [] where none is."""
    keys = [one.key for one in words[:_MOST_OF_GONE]]
    at = next((n for n in range(1, len(keys)) if GONE.fullmatch(" ".join(keys[n:]))), 0)
    said = stripped(words[:at], PICKING["determiners"] | WORDS["own"])
    if said and said[-1].key.endswith("s") and len(said[-1].key) < said[-1].end - said[-1].start:
        said[-1] = replace(said[-1], key=said[-1].key[:-1], end=said[-1].end - 2)  # "brown sugar's gone"
    return said


def backs(clause: Clause) -> bool:
    """Tell whether a clause makes sure that a thing before it is wanted: by why, or by putting down another."""
    behind = clause.words[int(clause.words[0].key in PICKING["joining"]) :]
    verb = without_pronouns(behind[0].key, _PUTTING) if len(behind) > 1 else ""
    return verb in _PUTTING or puts_on(behind) or tells_why(clause)
