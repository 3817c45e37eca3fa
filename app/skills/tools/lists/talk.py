"""What a message that dictates a list says beside it: a story, what is planned, sounds, a search for a word.

None of that names a thing: a clause with a finite verb or a gerund is none.
"""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_wish, span, stripped, without_pronouns
from app.skills.tools.lists.held import held
from app.skills.tools.lists.lexicon import (
    AFTERTHOUGHT,
    DOING,
    LACKING,
    MORE_BEHIND_TAG,
    NOT_FIRST,
    PAUSE,
    REMEMBERING,
    SEARCHES,
    SEARCHING,
    SOUND,
    TAG,
    WORDS,
)
from app.skills.tools.lists.occasions import without_occasion
from app.skills.tools.lists.slipped import household_word, words_of
from app.skills.tools.lists.titles import is_title

ENDS_SENTENCE: Final = re.compile(r"[.!?;\n…]")
_EMPTY_BRACKETS: Final = re.compile(r" ?\( {0,9}\)")
_ENDED: Final = frozenset(".!;")
_OPENING: Final = (PICKING["opening"] | WORDS["filling"] | PICKING["joining"]) - WORDS["tellers"] - WORDS["finite"]
_WANTING: Final = WORDS["put_verbs"] | WORDS["lacked"] | WORDS["needed"] | PICKING["list_words"]
_WHY: Final = PICKING["breaks"] | PICKING["relative"]
_ASKING: Final = COMMON_WORDS["interrogatives"] - _WHY - WORDS["finite"] - WORDS["asks_whether"]
_AFTER_TELLER: Final = PICKING["pronouns"] | PICKING["determiners"] | WORDS["finite"]
_OBJECTS: Final = frozenset({"lo", "los", "le", "les", "se", "nos"})
_THEM: Final = frozenset({"lo", "la", "los", "las"})
_OTHERS_DO: Final = WORDS["told_too"] | WORDS["finite"]
_WHO: Final = WORDS["own"] | frozenset({"el", "la", "los", "las", "un", "una"})
_LEAST_OF_A_CLAUSE: Final = 2
_FIRST_WORDS: Final = 4
_FEW_WORDS: Final = 5
_MOST_OF_OWN: Final = 5
_BEFORE_NOUN: Final = WORDS["place_links"] | frozenset({"el", "la", "un", "una", "en", "con"})
_GERUND: Final = "ing"
_VOWELS: Final = frozenset("aeiouy")
_BEHIND_GERUND: Final = STOP_WORDS | PICKING["determiners"] | WORDS["behind_gerund"]
_POINTING: Final = frozenset({"it", "them", "those", "these", "eso", "esos", "esas", "todo", "todos", "all"})


def is_said(text: str, words: Sequence[Token]) -> bool:
    """Tell whether words are a clause that only tells something: "driving up on friday", "hoy cocino yo"."""
    rest = stripped(words, _OPENING)
    # Why a thing is wanted is read with it.
    rest = rest[: next((n for n, one in enumerate(rest) if n > 0 and one.key in _WHY), len(rest))]
    if _is_done_by_other(text, rest):
        return True
    is_counted = bool(rest) and rest[0].key[0].isdigit()
    if len(rest) < _LEAST_OF_A_CLAUSE or is_counted or any(is_wish(one) or one.key in _WANTING for one in words):
        return False
    if is_title(text, words):
        return False
    first = rest[0].key
    if any(one.key in WORDS["excusing"] for one in words):
        return True
    if any(_is_object(*some) for some in zip(rest, rest[1:], rest[2:], strict=False)) or DOING.match(
        " ".join(one.key for one in words)
    ):
        return True  # "El pan lo lleva Ana"
    is_asked = first in WORDS["asks_whether"] - WORDS["tellers"] or any(one.key in _ASKING for one in rest)
    if is_asked or LACKING.search(span(text, words)) is not None:
        return False
    if first in WORDS["tellers"]:
        # "Me dices la hora" asks for something; "nos vamos" does not.
        is_asked = rest[1].key.endswith("s") and not rest[1].key.endswith("mos")
        return rest[1].key not in WORDS["telling_which"] and not (is_asked and rest[1].key not in _AFTER_TELLER)
    # "Driving up with …", but no "sleeping bag", "washing up liquid", "cling film".
    is_gerund = first.endswith(_GERUND) and not _VOWELS.isdisjoint(first.removesuffix(_GERUND))
    is_gerund = is_gerund and first not in WORDS["ing_things"]
    return (is_gerund and rest[1].key in _BEHIND_GERUND) or any(
        _is_verb(text, rest, number) for number in range(len(rest))
    )


def is_own_thing(text: str, words: Sequence[Token]) -> bool:
    """Tell whether words name a thing of one's own, "my phone charger"; no "my sister is coming"."""
    rest = words[1:] if words[0].key in WORDS["my_own"] else ()
    is_short = 0 < len(rest) <= _MOST_OF_OWN and rest[0].key not in WORDS["no_names"]
    none = WORDS["finite"] | WORDS["being"] | WORDS["no_things"] | WORDS["lacked"] | WORDS["happening"]
    is_plain = is_short and none.isdisjoint(one.key for one in rest) and not tells(text, words)
    is_told = NOT_FIRST.search(span(text, rest[-1:])) is not None and len(rest) > 1
    return is_plain and not is_told and text[rest[-1].end - 1] not in "óéí"


def _is_object(before: Token, one: Token, behind: Token) -> bool:
    """Tell whether a word stands for what somebody does something with: "lo lleva"; no "y los huevos"."""
    is_first = one.is_cut or before.key in PICKING["joining"]
    is_article = is_first and (household_word(behind.key) or behind.key.endswith("s"))
    return one.key in _OBJECTS and not is_article


def _is_done_by_other(text: str, words: Sequence[Token]) -> bool:
    """Tell whether somebody else does it: "el hielo lo pone mi compadre", "la torta la compra Ana"."""
    return any(
        one.key in _THEM
        and verb.key in _OTHERS_DO
        and (who.key in _WHO or text[who.start].isupper())
        and not any(is_wish(each) for each in words[:number])
        for number, (one, verb, who) in enumerate(zip(words[1:], words[2:], words[3:], strict=False), 1)
    )


def _is_verb(text: str, words: Sequence[Token], number: int) -> bool:
    one, before, behind = words[number], words[:number][-1:], words[number + 1 :][:1]
    said = text[one.start : one.end]
    if one.key in WORDS["finite"]:
        is_numeral = said.isupper() and not text.isupper()  # "Felipe VI"
        return (number > 0 or one.key not in WORDS["politely"]) and not is_numeral
    # "En la verdulería", "un café", "ramos de flores".
    is_noun = any(each.key in _BEFORE_NOUN for each in before) or household_word(one.key)
    is_noun = is_noun or one.key in WORDS["subjects"]  # "geografía"
    is_noun = is_noun or any(each.key in WORDS["place_links"] for each in behind)
    is_ended = NOT_FIRST.search(said) is not None and one.key[-2:] not in {"ed", "ng"}
    return is_ended and not is_noun and number < _FIRST_WORDS < len(said)


def _story_begins(words: Sequence[Token]) -> int:
    """Return where somebody does something behind a thing, without a mark: "and glue the dog chewed the table"."""
    said = " ".join(one.key for one in words)
    begins = (said.count(" ", 0, one.start()) for one in DOING.finditer(said))
    joined = next((n for n, one in enumerate(words) if one.key in PICKING["joining"]), len(words))
    is_ware = (n for n in begins if n and words[n - 1].key not in STOP_WORDS | _WHY)
    return next((n for n in is_ware if joined < n or household_word(words[n - 1].key)), len(words))


def tells(text: str, words: Sequence[Token]) -> bool:
    """Tell whether words only say what is so, or what is not wanted: "el vino lo trae Ana", "no meat"."""
    is_denied = len(words) > 1 and any(one.key in PICKING["denying"] for one in words)
    return is_said(text, words) or (is_denied and not any(map(is_wish, words)))


def without_pointing(words: Sequence[Token]) -> Sequence[Token]:
    """Return words without the wish at their end that points to what stands before: "ponelo", "put them"."""
    last = [one.key for one in words[-2:]]
    if last and _points(words[-1]):
        return words[:-1]
    is_put = len(last) > 1 and last[0] in WORDS["put_verbs"] and last[1] in _POINTING | {"that"}
    return words[:-2] if is_put else words


def _points(one: Token) -> bool:
    """Tell whether a verb of putting has its object in it: "ponelo"."""
    is_bare = one.key in WORDS["put_verbs"]
    return one.key in WORDS["put_it"] or (not is_bare and without_pronouns(one.key, WORDS["put_verbs"]) != one.key)


def is_owned(words: Sequence[Token]) -> bool:
    """Tell whether words say that a thing is there: "masilla tengo", "no i have bleach"."""
    return len(words) <= _FEW_WORDS and any(one.key in WORDS["having"] for one in words)


def dictated_in(text: str, *, keeps_owned: bool = False) -> str:
    """Return a message that puts things on a list without what it tells beside that; any other as it is.

    Where it `keeps_owned`, what says that a thing is there stays, too.
    """
    if "?" in text or not any(one.key in PICKING["list_words"] for one in words_of(text)):
        return text
    text = _as_one_row(without_occasion(TAG.sub("", without_tag(text))))
    bare = without_remembering(SEARCHES.sub(", ", text))
    parts = _parts(held(bare, words_of(bare)))
    at = next((n for n, part in enumerate(parts) if any(one.key in PICKING["list_words"] for one in part)), None)
    if at is None:
        return text
    text = bare
    first, last = _sentence(parts, at)
    gone = {n for n in range(len(parts)) if n < first and _is_before(text, parts, n, parts[first:last])}
    gone |= {n for n in range(first, len(parts)) if n != at and is_said(text, parts[n])}
    gone -= {n for n in gone if keeps_owned and is_owned(parts[n])}
    gone |= {n for n, part in enumerate(parts) if n != at and SEARCHING.fullmatch(fold(span(text, part)))}
    return _without(text, parts, gone)


def _as_one_row(text: str) -> str:
    """Return what is dictated without the pauses, and the words of somebody who thinks of one more thing.

    Behind a full stop, such words may open another story: only a thing that is known goes on there.
    """

    def comma(found: re.Match[str]) -> str:
        is_apart = not _ENDED.isdisjoint(found["mark"]) and not household_word(fold(found["next"]))
        return found[0] if is_apart else f", {found['next']}"

    return AFTERTHOUGHT.sub(comma, PAUSE.sub(",", text))


def without_tag(text: str) -> str:
    """Return a text without the tag behind the words for a list, where one more thing is put on it behind that."""
    found = MORE_BEHIND_TAG.search(text)
    return text if found is None else f"{text[: found.end('list')]}{text[found.start('more') :]}"


def without_remembering(text: str) -> str:
    """Return a message without why it is said just now: "and soap on the list before i forget"."""
    return REMEMBERING.sub("", text)


def _without(text: str, parts: Sequence[Sequence[Token]], gone: set[int]) -> str:
    """Return a text without some of its parts, and without the sounds in the others; "8 mm" is none."""
    for one, is_gone in reversed([(one, n in gone) for n, part in enumerate(parts) for one in part]):
        is_sound = text[one.start : one.end].islower() and SOUND.fullmatch(one.key) is not None
        if is_gone or (is_sound and not text[: one.start].rstrip()[-1:].isdigit()):
            text = f"{text[: one.start]}{text[one.end :]}"
    return _EMPTY_BRACKETS.sub("", text)


def _parts(words: Sequence[Token]) -> list[list[Token]]:
    found: list[list[Token]] = []
    for one in words:
        if not found or one.is_cut:
            found.append([])
        found[-1].append(one)
    return [each for part in found for n in [_story_begins(part)] for each in (part[:n], part[n:]) if each]


def _sentence(parts: Sequence[Sequence[Token]], at: int) -> tuple[int, int]:
    """Return the first part of the sentence with a part, and where it ends."""
    first, last = at, at + 1
    while first > 0 and ENDS_SENTENCE.search(parts[first][0].gap) is None:
        first -= 1
    while last < len(parts) and ENDS_SENTENCE.search(parts[last][0].gap) is None:
        last += 1
    return first, last


def _is_before(text: str, parts: Sequence[Sequence[Token]], number: int, wish: Sequence[Sequence[Token]]) -> bool:
    """Tell whether a part before the sentence that wishes is a story, which that neither points to nor goes on."""
    words, opening = [one for part in wish for one in part], wish[0][0].key
    is_going_on = opening in PICKING["joining"] | WORDS["as_well"]
    is_pointing = any(one.key in _POINTING or _points(one) for one in words)
    first, last = _sentence(parts, number)
    before = [one for part in parts[first:last] for one in part]
    if is_pointing or any(is_wish(one) or one.key in _WANTING for one in before):
        return False
    is_clause = any(is_said(text, part) for part in parts[first:last])
    is_ware = any(household_word(one.key) for one in before) or LACKING.search(span(text, before)) is not None
    return is_clause or not (is_going_on or is_ware)
