"""A thing of a list that is to be of another kind, or another thing: "cambia la pintura, mejor mate"."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from app.skills.picking.in_its_place import said_instead
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, deed_of, is_content, is_other_wish, is_wish, span, stripped, tokens_of
from app.skills.tools.lists.item_acts import ItemAct
from app.skills.tools.lists.kinds import of_kind
from app.skills.tools.lists.lexicon import INSTEAD_OF, WORDS
from app.skills.tools.lists.repository import NamedList
from app.skills.tools.lists.slipped import household_word
from app.skills.tools.lists.strung import are_wares, things_in
from app.skills.tools.lists.talk import tells
from app.skills.tools.lists.wording import OPENERS, PRONOUNS, Items, to_list, without_end

_RATHER: Final = WORDS["instead"] | WORDS["better"]


def read_turned(text: str, one: NamedList) -> list[ItemAct]:
    """Return what becomes of the thing; behind it may stand why. [] of any other message."""
    if acts := _instead_of(text, one):
        return acts
    words = stripped(tokens_of(text), OPENERS)
    cut = next((n for n, each in enumerate(words) if n and each.is_cut), 0)
    if not cut or words[0].key not in WORDS["swapping"] or (item := Items(one).named(words[1:cut])) is None:
        return []
    told = stripped(words[cut:], WORDS["kind_leads"])
    new, rest = told[:1], told[1:]
    is_led = bool(new) and len(told) < len(words) - cut
    ends = not rest or rest[0].is_cut or rest[0].key in PICKING["relative"] | WORDS["filling"] | PICKING["closing"]
    if not (is_led and ends) or any(map(is_wish, rest)):
        return []
    said = span(text, new)
    # "Mejor jalea" may be another thing, "mejor mate que la otra brilla" is not.
    is_kind = new[0].key in WORDS["described_as"] or not WORDS["other_one"].isdisjoint(one.key for one in rest)
    kind = of_kind(item.text, said, is_loose=is_kind) or (said if household_word(new[0].key) else "")
    return [ItemAct("reword", item, kind)] if kind else []


def _instead_of(text: str, one: NamedList) -> list[ItemAct]:
    """Return what comes in the place of a thing that is named first: "y en vez del pan, tostadas"."""
    words = stripped(tokens_of(text), (OPENERS | PICKING["joining"]) - PICKING["denying"])
    begin = next((n for n in (3, 2) if " ".join(each.key for each in words[:n]) in INSTEAD_OF), 0)
    end = next((n for n, each in enumerate(words) if n > begin and each.is_cut), 0)
    item = Items(one).named(words[begin:end]) if begin and end else None
    new = stripped(words[end:], WORDS["kind_leads"] - WORDS["counts"])
    things = things_in(text, new) if item and new and not tells(text, new) and not any(map(is_wish, new)) else None
    if item is None or not things or not are_wares(things, is_meant=True):
        return []
    more = [ItemAct("add", new=each) for each in things[1:]]
    return [ItemAct("reword", item, of_kind(item.text, things[0]) or things[0]), *more]


def in_its_place(text: str, words: Sequence[Token], opening: Sequence[Token]) -> str:
    """Return the thing that a clause wants in the place of one that was just taken off: "better a hood"."""
    leading = _RATHER | WORDS["in_its_place"]
    instead = said_instead(words)  # "Going with rye instead"
    rest = stripped(instead or words, leading | PICKING["determiners"], _RATHER | PICKING["closing"])
    led = list(takewhile(lambda one: one.key in leading, words))
    is_led = (
        bool(instead)
        or len(led) > 1
        or not _RATHER.isdisjoint(one.key for one in (*opening[-1:], *led, *words[-1:]))
    )
    things = things_in(text, rest) if is_led and rest else None
    return things[0] if things and len(things) == 1 and are_wares(things, is_meant=True) else ""


def wishes_otherwise(one: Token) -> bool:
    """Tell whether a clause that this word opens wishes for something else than to put a thing down."""
    return is_other_wish(one) or (deed_of(one) is not None and one.key not in WORDS["noun_verbs"])


def not_to_put(words: Sequence[Token]) -> list[Token]:
    """Return the words for what is not to be put on the list: "no pongas el pan", "don't add the milk"."""
    denied = [one.key for one in takewhile(lambda one: one.key in PICKING["denying"], words)]
    rest = stripped(words[len(denied) :], PRONOUNS - PICKING["determiners"])
    is_put = bool(denied) and len(rest) > 1 and rest[0].key in WORDS["not_put"]
    return without_end(to_list(rest[1:])) if is_put and any(is_content(one.key) for one in rest[1:]) else []
