"""The clauses of a message, so that each of several wishes is found: "anotá X y decime Y"."""

import re
from collections.abc import Sequence
from typing import Final

from app.skills.sorting.lexicon import Found, Lexicon
from app.skills.sorting.words import Word, words_of

MAX_CLAUSES: Final = 6
_HEAD_CHARS: Final = 700
_TAIL_CHARS: Final = 500
_MIN_WORDS: Final = 2
_SENTENCE_END: Final = re.compile(r"[.!?;\n]\s|\n")
_BREAK: Final = re.compile(r"[,:;.!?()\n]")
# Words that open a wish wherever they stand, also without a comma before them.
WISHES: Final = frozenset({"note_me", "remind_verb"})
# Words that open one after a joiner ("and") or a comma.
OPENINGS: Final = frozenset(
    {
        *WISHES,
        "add_verb",
        "alarm_noun",
        "check_verb",
        "clock",
        "forget_verb",
        "install_verb",
        "keep_verb",
        "know_verb",
        "math_verb",
        "note_verb",
        "question",
        "remember_verb",
        "remove_verb",
        "shopping",
        "show_verb",
        "tell_verb",
    }
)


def shortened(message: str) -> str:
    """Keep the beginning and the end of a long message, where wishes stand."""
    if len(message) <= _HEAD_CHARS + _TAIL_CHARS:
        return message
    return f"{message[:_HEAD_CHARS]} {message[-_TAIL_CHARS:]}"


def split_clauses(message: str, lexicon: Lexicon) -> list[str]:
    """Return the clauses of a message in order, [message] when it has but one; at most six.

    A clause begins after the end of a sentence, after a comma or a joiner ("y", "and") when a wish or a question
    follows, and before the verb of a wish. One without two words of its own stays with its neighbour.
    """
    words = words_of(message)
    starts = clause_starts(message, words, list(lexicon.find(words)), lexicon)
    places = [words[start].begin for start in starts[1:]]
    pieces = [message[a:b].strip() for a, b in zip([0, *places], [*places, len(message)], strict=True)]
    clauses = [piece for piece in pieces if piece]
    if len(clauses) > MAX_CLAUSES:
        clauses = [*clauses[: MAX_CLAUSES - 1], " ".join(clauses[MAX_CLAUSES - 1 :])]
    return clauses or [message]


def clause_starts(message: str, words: Sequence[Word], found: Sequence[Found], lexicon: Lexicon) -> list[int]:
    """Return the numbers of the words that begin a clause, 0 first; [0] for an empty message, too.

    None begins within the words of a wish: "note that" in "make a note that".
    """
    inside = {place for one in found if one.group in WISHES for place in range(one.begin + 1, one.end)}
    openings = {one.begin for one in found if one.group in OPENINGS}
    wishes = {one.begin for one in found if one.group in WISHES}
    starts, last = [0], 0
    for number in range(1, len(words)):
        gap = message[words[number - 1].end : words[number].begin]
        joined = lexicon.length_of(lexicon.joiners, words, number, len(words))
        opens = lexicon.after_fillers(words, number, len(words)) in openings
        begins = (
            _SENTENCE_END.search(gap) is not None
            or (opens and (joined > 0 or _BREAK.search(gap) is not None))
            or number in wishes
        )
        own = number - lexicon.after_fillers(words, last, number)
        if begins and own >= _MIN_WORDS and number not in inside:
            starts.append(number)
            last = number
    return starts


def opening_places(message: str, words: Sequence[Word], lexicon: Lexicon) -> set[int]:
    """Return the numbers of the first words after a mark or a joiner, and of the very first.

    Twice where fillers stand there: with them ("y en Lima?") and without ("y anotá").
    """
    places = {0, lexicon.after_fillers(words, 0, len(words))}
    for number in range(1, len(words)):
        gap = message[words[number - 1].end : words[number].begin]
        if _BREAK.search(gap) or lexicon.length_of(lexicon.joiners, words, number, len(words)):
            places |= {number, lexicon.after_fillers(words, number, len(words))}
    return places
