"""Things for a list that is named, though another one was shown, and why: "and tape on the van list, it tore"."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from app.language.catalogue import LANGUAGES
from app.language.lexicon import STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, is_wish, pieces, span, stripped
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.slipped import words_of
from app.skills.tools.lists.talk import tells

_VERBS: Final = tuple("".join(one.words["put_plainly"]) for one in WORDS.tongues)
_PUT_BY_OTHERS: Final = WORDS["put_verbs"] - WORDS["noun_verbs"] - WORDS["weak_verbs"] - PICKING["joining"]
_LETTERS: Final = frozenset("lst")
_MAX_CHARS: Final = 300
_MOST_OF_A_NAME: Final = 3
_MOST_OF_THINGS: Final = 12
_SEVERAL: Final = 2
_LIST_WORDS: Final = PICKING["list_words"]
_ENGLISH: Final = frozenset({"list"})
_PUTTING: Final = WORDS["put_verbs"] | WORDS["add_verbs"]
_OPENING: Final = (PICKING["opening"] | WORDS["filling"] | WORDS["more"]) - _PUTTING
_ON: Final = WORDS["in_list"] | WORDS["to_list"]
_WHY: Final = PICKING["breaks"] | PICKING["relative"] | PICKING["reason"] | WORDS["why_behind_list"]
_TELLS: Final = PICKING["subjects"] | PICKING["relative"] | PICKING["denying"] | WORDS["being"] | WORDS["having"]
_AFTER_LIST: Final = (WORDS["as_well"] | PICKING["closing"]) - _WHY
_OBJECTS: Final = WORDS["objects_before_verb"]


def named_alone(text: str) -> str:
    """Return a message that puts things on a list which it names as a plain wish, without why; "" for any other.

    Only one that goes on ("and …"), or says why, is read so. Not to be stored or shown.
    """
    is_short = len(text) <= _MAX_CHARS and "?" not in text and ":" not in text
    # A word for a list, with a slip or not; most messages have none.
    may_name = is_short and any(word[0] == "l" and _LETTERS.issubset(word) for word in text.lower().split())
    words = words_of(text) if may_name else []
    at = [n for n, one in enumerate(words) if one.key in _LIST_WORDS]
    if len(at) != 1 or not PICKING["elsewhere"].isdisjoint(one.key for one in words):
        return ""
    begin = _led_from(words, at[0])
    end = at[0] + 1 if words[at[0]].key in _ENGLISH else _name_ends(words, at[0])
    if not begin or not end:
        return ""
    things, behind = _things(words[:begin]), stripped(words[end:], _AFTER_LIST)
    goes_on = not WORDS["more"].isdisjoint(one.key for one in words[: begin - len(things)])
    is_why = bool(behind) and _is_why(text, behind)
    if not things or not (is_why or (goes_on and not behind)) or _tells(text, things):
        return ""
    verb = _VERBS[LANGUAGES.index("en" if words[at[0]].key in _ENGLISH else "es")]
    return f"{verb} {span(text, things)} {span(text, words[begin:end])}"


def without_whys(text: str) -> str:
    """Return a message that puts things on several lists without why, told behind each; any other as it is."""
    if len(text) > _MAX_CHARS or "?" in text or ":" in text:
        return text
    words = words_of(text)
    at = [n for n, one in enumerate(words) if one.key in _LIST_WORDS]
    if len(at) < _SEVERAL or not all(_led_from(words, one) for one in at):
        return text
    for here, behind in reversed(list(zip(at, [*at[1:], len(words)], strict=True))):
        end = here + 1 if words[here].key in _ENGLISH else _name_ends(words, here)
        if not end or not words[end:behind] or not _is_why(text, words[end:behind]):
            continue
        joiners = (
            [n for n in range(end, behind) if words[n].key in PICKING["joining"]] if behind < len(words) else []
        )
        if joiners:
            text = f"{text[: words[end - 1].end]} {text[words[joiners[-1]].start :]}"
        elif behind == len(words):
            text = text[: words[end - 1].end]
    return text


def _led_from(words: Sequence[Token], at: int) -> int:
    """Return where the words begin that lead to a list that has a name, "on the van", "en la"; 0: none do."""
    first = at
    while first > 0 and at - first <= _MOST_OF_A_NAME + 1 and not words[first].is_cut:
        first -= 1
        if words[first].key in _ON:
            is_named = words[at].key not in _ENGLISH or any(is_content(one.key) for one in words[first + 1 : at])
            names_none = any(one.key in WORDS["waits"] for one in words[first + 1 : at])
            return first if is_named and not names_none else 0
    return 0


def _name_ends(words: Sequence[Token], at: int) -> int:
    """Return where the name ends that stands behind the word for a list; 0 where none does."""
    behind = list(takewhile(lambda one: not one.is_cut, words[at + 1 : at + 2 + 2 * _MOST_OF_A_NAME]))
    lead = len(behind) - len(stripped(behind, WORDS["list_named"] | WORDS["place_links"] | PICKING["determiners"]))
    name = list(takewhile(lambda one: one.key not in _WHY and one.key not in _AFTER_LIST, behind[lead:]))
    is_name = 0 < len(name) <= _MOST_OF_A_NAME and is_content(name[0].key) and name[0].key not in WORDS["waits"]
    return at + 1 + lead + len(name) if is_name and lead else 0


def _things(words: Sequence[Token]) -> list[Token]:
    rest = stripped(words, _OPENING)
    while len(rest) > 1 and rest[0].key in _PUTTING - WORDS["noun_verbs"]:
        rest = stripped(rest[1:], PICKING["pronouns"] - PICKING["determiners"])
    return rest


def _is_why(text: str, behind: Sequence[Token]) -> bool:
    """Tell whether what stands behind a list only says why, and puts or wishes for nothing more."""
    each = pieces(behind)
    more = WORDS["put_verbs"] - WORDS["noun_verbs"] - WORDS["finite"]
    is_more = any(part[0].key in more or is_wish(part[0]) for part in each)
    return not is_more and (behind[0].key in _WHY or (behind[0].is_cut and tells(text, each[0])))


def _tells(text: str, things: Sequence[Token]) -> bool:
    """Tell whether what stands before a list is no thing for it: "my brother is on …", "mi primo quedó en …"."""
    is_past = any(text[one.start : one.end].lower().endswith(("ó", "é", "aron", "ieron")) for one in things)
    is_past = is_past or any(one.key in _PUT_BY_OTHERS for one in things)  # "my aunt put us"
    is_wished = is_wish(things[0]) or things[0].key in _OBJECTS or len(things) > _MOST_OF_THINGS
    none = _TELLS | (PICKING["pronouns"] - PICKING["determiners"] - STOP_WORDS)
    return is_past or is_wished or not none.isdisjoint(one.key for one in things) or tells(text, things)
