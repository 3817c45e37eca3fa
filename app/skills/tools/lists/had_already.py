"""What somebody who dictates a list finds to be there: "I need rice oh hold on there's rice here, only salt"."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, pieces, span, stripped, tokens_of
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.strung import things_in

_MAX_CHARS: Final = 400
_LEAST_TURN: Final = 2
_TURNS: Final = WORDS["turning"] | PICKING["thinking_again"] | PICKING["hesitating"] | PICKING["hanging"]
_TURNING: Final = _TURNS | WORDS["stopping"]
_BESIDE: Final = (
    PICKING["already"] | PICKING["subjects"] | PICKING["pronouns"] | PICKING["taken_objects"]
    | PICKING["relative"] | WORDS["owned_beside"]
) - PICKING["denying"]  # fmt: skip
_NEEDING: Final = WORDS["lacked"] | PICKING["subjects"]
_HENCE: Final = WORDS["hence"] | WORDS["then_only"]
_LEADING: Final = (
    WORDS["put_verbs"] | WORDS["add_verbs"] | WORDS["lacked"] | WORDS["filling"] | PICKING["list_words"]
    | PICKING["list_links"] | PICKING["subjects"] | PICKING["pronouns"] | PICKING["determiners"]
)  # fmt: skip


def without_had(text: str) -> str:
    """Return a message without the last thing before a change of mind, where that says that it is there already,
    and others follow; any other as it is."""
    words = tokens_of(text) if len(text) <= _MAX_CHARS and "?" not in text else []
    for number in range(1, len(words) - 1):
        if words[number].key not in _TURNS or words[number - 1].key in _TURNING:
            continue
        turn = list(takewhile(lambda one: one.key in _TURNING, words[number:]))
        begin = number + len(turn)
        said = words[begin : next((n for n in range(begin, len(words)) if not _is_said(words, n, number)), begin)]
        rest = words[begin + len(said) :]
        hence = list(takewhile(lambda one: one.key in _HENCE, rest))
        is_had = _is_had(said) and (len(turn) >= _LEAST_TURN or said[0].key not in PICKING["list_links"])
        last = _last(text, words[:number], said) if is_had and len(rest) > len(hence) > 0 else []
        if last:
            before = stripped(words[: words.index(last[0])], frozenset(), PICKING["joining"])
            if any(one.key in WORDS["put_verbs"] for one in before):
                before = stripped(before, frozenset(), _NEEDING)  # "Put on the list I need …"
            mark = " " if not before or before[-1].key in _LEADING else ", "
            return f"{text[: before[-1].end if before else 0]}{mark}{text[rest[len(hence)].start :]}"
    return text


def still_wanted(items: Sequence[str], text: str) -> list[str]:
    """Return the things that a model took from a message without what that says to be there already."""
    said, wanted = text.casefold(), without_had(text).casefold()
    return [one for one in items if one.casefold() in wanted or one.casefold() not in said]


def says_had(words: Sequence[Token]) -> bool:
    """Tell whether a clause says only that what was just said is there after all: "no wait, we've got those"."""
    keys = {one.key for one in words}
    is_pointing = not keys.isdisjoint(WORDS["those"] | PICKING["taken_objects"] | PICKING["pronouns"])
    is_plain = keys <= _TURNING | _BESIDE | PICKING["denying"] | WORDS["having"] | WORDS["those"] | _HENCE
    has_turned = not keys.isdisjoint(_TURNING | PICKING["denying"] | PICKING["already"])
    return is_plain and is_pointing and has_turned and not keys.isdisjoint(WORDS["having"])


def _is_said(words: Sequence[Token], at: int, turn: int) -> bool:
    """Tell whether a word says that a thing is there, or names it once more."""
    one, before = words[at], words[:turn]
    return one.key in _BESIDE | WORDS["having"] or (
        is_content(one.key) and one.key in {each.key for each in before} and one.key not in _HENCE
    )


def _is_had(said: Sequence[Token]) -> bool:
    keys = {one.key for one in said}
    is_owned = not keys.isdisjoint(WORDS["having"])
    return is_owned and not keys.isdisjoint(PICKING["already"] | PICKING["taken_objects"] | PICKING["pronouns"])


def _last(text: str, before: Sequence[Token], said: Sequence[Token]) -> Sequence[Token]:
    """Return the words for the last thing before a change of mind; [] where another one is named again."""
    [*_, last] = pieces(before) or [[]]
    lead = next((n for n in range(len(last), 0, -1) if last[n - 1].key in _LEADING), 0)
    things = things_in(text, last[lead:]) or [span(text, last[lead:])]
    words = tokens_of(things[-1])
    thing = last[len(last) - len(words) :]
    named = {one.key for one in said if is_content(one.key)} - WORDS["having"] - _BESIDE
    is_it = not named or named <= {one.key for one in thing}
    return thing if words and is_it and [one.key for one in thing] == [one.key for one in words] else []
