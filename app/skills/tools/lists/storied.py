"""What only sounds as if it changed a list: a story, talk, what is done with the thing itself, lists of others."""

import re
from collections.abc import Sequence, Set
from itertools import takewhile
from typing import Final

from app.language.late import LatePattern
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, bare, deed_of, opening_verb, stripped, tokens_of
from app.skills.tools.lists.had_already import says_had
from app.skills.tools.lists.item_acts import ItemAct
from app.skills.tools.lists.lexicon import LACKING, WORDS
from app.skills.tools.lists.repository import NamedList
from app.skills.tools.lists.slipped import household_word
from app.skills.tools.lists.wording import clauses_of, only_more, opened_clause

_MAX_CHARS: Final = 300
_NEAR: Final = 3
_LINKS: Final = PICKING["determiners"] | WORDS["own"] | WORDS["owners"]
_TO_PLACE: Final = WORDS["from_place"] | WORDS["into_place"]
_CUTS: Final = (
    PICKING["subjects"] | PICKING["relative"] | PICKING["reason"] | PICKING["breaks"] | WORDS["having"]
) - _TO_PLACE - _LINKS  # fmt: skip
_LISTS: Final = PICKING["list_words"] | WORDS["list_like"] | WORDS["shops"]
_GOT: Final = PICKING["done_verbs"] | PICKING["done_participles"] | WORDS["got_by"] | WORDS["consumed"]
_DOING: Final = _GOT | WORDS["taking_out"] | WORDS["buying_now"] | WORDS["never_minding"] | WORDS["in_doubt"]
_LED: Final = (WORDS["lacked"] | WORDS["put_verbs"] | WORDS["add_verbs"]) - PICKING["joining"] - WORDS["got_by"]
_MEANT: Final = (WORDS["more"] | PICKING["hence"]) - PICKING["joining"]
_LEADS_ORDER: Final = PICKING["hence"] | WORDS["leads_order"]
_BEFORE_ORDER: Final = (
    PICKING["hence"] | WORDS["hence"] | PICKING["opening"] | PICKING["joining"] | PICKING["closing"]
)
_TOLD_VERBS: Final = (
    PICKING["done_participles"] | PICKING["done_verbs"] | WORDS["taking_out"]
) - WORDS["not_told_of"]  # fmt: skip
_ONLY_CALLED: Final = PICKING["subjects"] | WORDS["only_called"]
_FAILED: Final = LatePattern(rf"(?<!\S){WORDS.pattern('failed_try')}(?!\S)")
_THEM: Final = PICKING["taken_objects"] | WORDS["them_alone"]
_TOLD_GOT: Final = LatePattern(rf"(?<!\S){WORDS.pattern('told_got')}(?!\S)")
_OF_OTHERS: Final = LatePattern(rf"(?<!\S){WORDS.pattern('of_others')}(?!\S)")
_OF_SOMEBODY: Final = LatePattern(rf"\A{WORDS.pattern('of_somebody')}(?!\S)")
_COMMENT: Final = LatePattern(rf"\s*{WORDS.pattern('comments')}(?!\w)[^,\n]{{0,60}}\Z")
_LAST_SENTENCE: Final = re.compile(r"(?<![.!…])[.!…]++(?=\s{1,3}\S[^.!…\n,:]{0,60}[.!…]{0,3}\s{0,3}\Z)")
_POSSESSOR: Final = re.compile(r"\w['’]s\b")
_INFINITIVE: Final = re.compile(r"\w{2,15}[aei]r(?:te|le|les|se|nos)")
_WE_DO: Final = re.compile(r"\w{2,15}[aei]mos")


def tells_story(text: str, known: Sequence[NamedList]) -> bool:
    """Tell whether a message that seems to take something off a list, or to tick it, only speaks of the thing."""
    words = tokens_of(text) if len(text) <= _MAX_CHARS else []
    if any(one.key in _LISTS & PICKING["list_words"] for one in words):
        return False
    if _stays(text, words):
        return True
    if _has_failed(text, words):
        return True
    words = [] if _orders_behind(words) else words
    if not any(_takes(one) or one.key in _DOING for one in words):
        return False
    own = {word.key for one in known for named in (one.name, *_texts(one)) for word in tokens_of(named)}
    if not words:
        return False
    if _is_moved(words, own) or _is_about(words, own) or _is_advised(words) or _talks_on(words):
        return True
    return not any(map(_takes, words)) and _is_got_otherwise(words)


def only_told(text: str, acts: Sequence[ItemAct]) -> bool:
    """Tell whether all that would be put on a list was only enumerated in a story, or is talk."""
    if not acts or any(act.deed != "add" for act in acts):
        return False
    if any(map(_is_talk, acts)) or any(says_had(one.words) for one in clauses_of(tokens_of(text))[1:]):
        return True
    is_led = not _LED.isdisjoint(one.key for one in tokens_of(text)) or LACKING.search(text) is not None
    before, said = _around(text, acts[0].new)
    if any(key in WORDS["got_by"] for key in said):
        return True
    return not is_led and _MEANT.isdisjoint(said) and any(map(_ends_in_thing, before))


def _ends_in_thing(clause: Sequence[Token]) -> bool:
    """Tell whether a clause tells something of the thing at its end, and is not that alone: "cenamos pizza"."""
    keys = [one.key for one in stripped(opened_clause(clause), PICKING["determiners"])]
    return len(keys) > 1 and (household_word(keys[-1]) or not (_GOT | WORDS["telling_of_things"]).isdisjoint(keys))


def is_of_others(text: str) -> bool:
    """Tell whether an enumeration is told to be a list of somebody else's: "the kids wrote their list: …"."""
    head, colon, behind = text.partition(":")
    words = tokens_of(head) if colon and len(head) <= _MAX_CHARS else []
    if not any(one.key in PICKING["list_words"] for one in words) or any(one.key in _LED for one in words):
        return False
    said = " ".join(one.key for one in words)
    return _OF_OTHERS.search(said) is not None or (
        (_OF_SOMEBODY.match(said) is not None or _POSSESSOR.search(head) is not None)
        and without_comment(behind) != behind
    )


def without_comment(text: str) -> str:
    """Return an enumeration without the sentence behind it that only says what somebody thinks of it."""
    end = _LAST_SENTENCE.search(text) if "," in text else None
    return text if end is None or _COMMENT.match(text.lower(), end.end()) is None else text[: end.end()]


def _texts(one: NamedList) -> list[str]:
    return [item.text for item in one.items]


def _takes(one: Token) -> bool:
    return deed_of(one) == "remove" or one.key in WORDS["taking_out"]


def _stays(text: str, words: Sequence[Token]) -> bool:
    """Tell whether a thing is to stay after all: "no, espere, la harina sí"."""
    if len(words) <= _NEAR or words[0].key not in PICKING["denying"] or not words[1].is_cut:
        return False
    last = text[words[-1].start : words[-1].end].lower()
    others = words[1:]
    return last in WORDS["stays_so"] and not any(one.key in PICKING["denying"] or _takes(one) for one in others)


def _is_moved(words: Sequence[Token], own: Set[str]) -> bool:
    """Tell whether a thing itself is taken out of a place, or put into it: "take the fish out of the freezer"."""
    at = next((n for n, one in enumerate(words) if _takes(one)), len(words))
    said = list(takewhile(lambda one: not one.is_cut and one.key not in _CUTS, words[at + 1 :]))
    places = (n for n in range(1, len(said)) if not _is_kind(said, n, words[at]))
    return any(_is_place(said, n, own) for n in places)


def _orders_behind(words: Sequence[Token]) -> bool:
    """Tell whether an order stands behind what is told: "the vet says no salt, so take it off", "…, quítala"."""
    begins = (n for n, one in enumerate(words) if n and (one.is_cut or one.key in _LEADS_ORDER))
    for begin in begins:
        clause = stripped(words[begin:], _BEFORE_ORDER)
        verb = opening_verb(clause)
        if verb is None or verb[1] or verb[0] not in {"remove", "done"} or _is_moved(clause, frozenset()):
            continue
        if clause[0].key not in _TOLD_VERBS and (len(clause) > 1 or bare(clause[0].key) != clause[0].key):
            return True
    return False


def _has_failed(text: str, words: Sequence[Token]) -> bool:
    """Tell whether a try came to nothing: "rang the vet but nobody answered", "compré huevos y se rompieron"."""
    is_short = len(text) <= _MAX_CHARS and "?" not in text
    return (
        is_short and not _orders_behind(words) and _FAILED.search(" ".join(one.key for one in words)) is not None
    )


def _is_kind(words: Sequence[Token], at: int, verb: Token) -> bool:
    """Tell whether a place only tells the kind of a thing: "quita el atún de lata", "take off the tuna in oil"."""
    held = at + 1 < len(words) and words[at + 1].key in WORDS["kinds_held"]
    is_out = words[at - 1].key in WORDS["from_place"]
    return held and not is_out and verb.key not in WORDS["dropping"]


def _is_place(words: Sequence[Token], at: int, own: Set[str]) -> bool:
    if words[at].key not in _TO_PLACE or words[at - 1].key in PICKING["described"] - WORDS["taken_back"]:
        return False
    behind = stripped(words[at + 1 :], _LINKS | WORDS["from_place"])
    near = [one.key for one in behind[:_NEAR]]
    if not near or not _LISTS.isdisjoint(near) or not own.isdisjoint(near):
        return False
    is_known = not WORDS["home_places"].isdisjoint(near)
    has_article = at + 1 < len(words) and any(
        one.key in WORDS["place_articles"] for one in words[at + 1 : len(words) - len(behind)]
    )
    return is_known or (words[at].key in WORDS["surely_from"] and has_article)


def _is_about(words: Sequence[Token], own: Set[str]) -> bool:
    """Tell whether a thing only tells of what another is: "quité la mancha de aceite"."""
    for number, one in enumerate(words):
        before = words[max(0, number - _NEAR) : number]
        is_done = any(_takes(each) or each.key in _GOT for each in before)
        if one.key in WORDS["traces"] - own and is_done and not any(each.is_cut for each in (*before[1:], one)):
            return True
    return False


def _is_advised(words: Sequence[Token]) -> bool:
    """Tell whether it is what a doctor or a recipe says to do: "the doctor told me to cut out the salt"."""
    at = next((n for n, one in enumerate(words) if one.key in WORDS["advisers"]), len(words))
    said = list(takewhile(lambda one: not one.is_cut and one.key not in PICKING["hence"], words[at + 1 :]))
    told = next((n for n, one in enumerate(said) if one.key in WORDS["advising"]), len(said))
    return any(map(_takes, said[told:]))


def _talks_on(words: Sequence[Token]) -> bool:
    """Tell whether somebody calls to look at something else: "forget the goat, look at what rice costs"."""
    looks = (n for n in range(1, len(words) - 1) if words[n].is_cut and words[n].key in WORDS["looking"])
    return words[0].key in WORDS["never_minding"] and any(
        not words[n + 1].is_cut and words[n + 1].key not in _ONLY_CALLED for n in looks
    )


def _is_got_otherwise(words: Sequence[Token]) -> bool:
    """Tell whether what was got is gone again, is somebody else's, or was long ago."""
    keys = [one.key for one in words]
    got = next((n for n, key in enumerate(keys) if key in _GOT), len(keys))
    is_gone = any(
        one.key in WORDS["consumed"] and not _THEM.isdisjoint(keys[max(0, n - 1) : n + 2])
        for n, one in enumerate(words)
        if n > got
    )
    return is_gone or _TOLD_GOT.search(" ".join(keys)) is not None


def _is_talk(act: ItemAct) -> bool:
    """Tell whether what would be put on a list is a clause: "así estamos", "quería contarte"."""
    words = tokens_of(act.new)
    is_cut_off = len(words) > 1 and words[-1].key in WORDS["open_ends"]
    if is_cut_off or (len(words) == 1 and words[0].key in WORDS["put_it"]):
        return True
    for one in words:
        is_verb = _INFINITIVE.fullmatch(one.key) or _WE_DO.fullmatch(one.key)
        if one.key in WORDS["only_talk"] or (is_verb and not household_word(one.key)):
            return True
    return False


def _around(text: str, thing: str) -> tuple[list[Sequence[Token]], list[str]]:
    """Return the clauses before the one that names a thing first, and the words of that one."""
    own, before = {one.key for one in tokens_of(thing)}, list[Sequence[Token]]()
    for one in clauses_of(tokens_of(text)):
        keys = [word.key for word in one.words]
        if not own.isdisjoint(keys):
            return before, keys
        if not only_more(one.words):
            before.append(one.words)
    return [], []
