"""What a message wants: `Sorter.sort` asks the in-process encoder and the fitted head, never a model."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

import numpy as np

from app.domain.ports import Embedder
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.router import Wish
from app.skills.sorting.clauses import opening_places, shortened, split_clauses
from app.skills.sorting.evidence import evidence
from app.skills.sorting.examples import FOLLOWUP, NO_CATEGORY
from app.skills.sorting.head import (
    ACT,
    FACT,
    LOOK,
    MEANING_SCALE,
    QUALITIES,
    Head,
    Matrix,
    confidence,
    load_head,
    probability,
)
from app.skills.sorting.lexicon import Found, Lexicon, load_lexicon
from app.skills.sorting.parts import as_wishes
from app.skills.sorting.spelling import Spelling
from app.skills.sorting.words import words_of

MAX_CATEGORIES: Final = 3
_EVEN: Final = 0.5
# A word that refers to an act ("sorry, it was 46") says less of what is wanted than one that stands for itself.
_INHERITED: Final = 0.2
_AT_HAND: Final = 0.1
_OPENED: Final = 0.4
_ACTS: Final = frozenset(
    {"add_verb", "bought", "check_verb", "forget_verb", "keep_verb", "note_me", "note_verb"}
    | {"remember_verb", "remind_verb", "remove_verb"}
)
_NOTING: Final = frozenset({"keep_verb", "note_me", "note_verb"})
_PLACING: Final = frozenset({"note_me", "note_verb", "remind_verb"})
_SAID: Final = 0.9
_MATH: Final = "math"
_NOTES: Final = "my_notes"
_WORDS_OF_A_STORY: Final = 15
_LONGEST_IN_PARTS: Final = 400
_WORDS_THAT_GO_ON: Final = 8
_GOES_ON_CHARS: Final = 100
_FEW_WORDS: Final = 4
_KEEPING: Final = frozenset({"lists", "memory", "notes", "projects", "reminders"})
_GROWING: Final = frozenset({"lists", "projects"})
_OF_A_LIST: Final = frozenset({"add_verb", "again", "list_noun", "shopping", "todo"})
_DIGIT: Final = re.compile(r"\d")
_REWORK: Final = LatePattern(COMMON_WORDS.pattern("reworking"))
_EXPLAINING: Final = LatePattern(rf"\W*{COMMON_WORDS.pattern('explaining')}")
_ELSEWHERE: Final = frozenset({"device", "reach_people", "spend"})
_LIVE: Final = "live"
_THE_ONE: Final = LatePattern(COMMON_WORDS.pattern("the_one"))
_LATELY: Final = LatePattern(COMMON_WORDS.pattern("lately"))
_PUTTING_RIGHT: Final = LatePattern(COMMON_WORDS.pattern("putting_right"))
# Of 3,500 messages of plain talk, none with many words is so surely about something to be told at a time; of
# 139 that wish for that without a word for it, 108 are.
_PLAINLY_PLANNED: Final = 0.75
_LITERAL: Final = re.compile(r"[\d@]")
_THERE: Final = LatePattern(COMMON_WORDS.pattern("there"))
_SUM: Final = re.compile(r"\d ?[+*×÷^x] ?\d|\d [-/] \d|\d ?%")
_REMIND: Final = frozenset({"alarm_noun", "remind_verb"})
_TAKES_BACK: Final = frozenset({"remove_verb", "check_verb"})
_POINTS: Final = frozenset({"it", "ordinal"})
_CALLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "task_noun": "projects",
        "project_noun": "projects",
        "list_noun": "lists",
        "my_notes": "notes",
        "alarm_noun": "reminders",
    }
)
_PLACES: Final = frozenset(
    ["note_noun", "my_notes", "list_noun", "project_noun", "task_noun", "file_noun", "alarm_noun", "talked"]
)
_LOOKED_UP: Final = _PLACES | frozenset(
    ["about_self", "clock", "machine", "server_noun", "tool_noun", "weather_noun"]
)


@dataclass(frozen=True, slots=True)
class Sorted:
    """What a message wants.

    `categories` are those it needs, the most probable first, at most three; ("none",) for plain talk and for what
    no tool can do: `wish` tells the two apart. `probabilities` has every category, "none" among them, and is
    calibrated. `wish` is "act" (store, change, delete, do), "look" (look something up) or "talk" (neither).
    `tells_fact`: the person says something about themselves or their people in passing. `refers_back`: it makes
    sense only with the turn before ("y en Lima?", "delete it"). `names_place`: it says where to look ("in my
    notes"). `parts` are its clauses, as they are written; () of a long one. `is_elsewhere`: it opens with what no
    tool can do. `is_live`: it asks for the news of these days. `is_story`: many words, no verb of a wish opens a
    clause, no note is named, nor is it plain that something is to be told at a time. `is_sure` is right in 98 of
    100 unseen messages; it is about `categories` alone. Act without asking only where `wish_probability` is high,
    too.
    """

    categories: tuple[str, ...]
    probabilities: Mapping[str, float]
    wish: Wish
    wish_probability: float
    tells_fact: bool
    refers_back: bool
    names_place: bool
    is_story: bool
    is_elsewhere: bool
    is_live: bool
    parts: tuple[str, ...]
    confidence: float
    is_sure: bool


@dataclass(frozen=True, slots=True)
class _Marks:
    """What the wording of a message shows.

    `groups` of the lexicon are in it. It has one clause, a number, asks for one, or holds a sum; it goes on with
    "and" from what was done, names one of several, has a text to work on, points to what was just talked of, wants
    what nothing here does, wants something explained that is nobody's own, asks what is left, or puts something
    right in so many words ("make that"), or opens with "note" and has no other wish; for a story, see `Sorted`.
    """

    groups: frozenset[str]
    is_one_clause: bool
    has_number: bool
    asks_number: bool
    is_sum: bool
    goes_on: bool
    names_one: bool
    is_rework: bool
    is_there: bool
    is_elsewhere: bool
    is_explaining: bool
    asks_what_is_left: bool
    puts_right: bool
    is_one_note: bool
    is_story: bool


class Sorter:
    """Sorts messages in Spanish and English; about 5 ms each. Knows its own categories, not those of MCP servers:
    where there are such, "none" with a wish to act or look is worth a second opinion."""

    def __init__(self, embedder: Embedder, head: Head, lexicon: Lexicon) -> None:
        self._embedder = embedder
        self._head = head
        self._lexicon = lexicon
        self._spelling = Spelling(head.words)

    @property
    def categories(self) -> frozenset[str]:
        """All that a message may be sorted to; some may not be there in this installation."""
        return frozenset(self._head.categories) - {FOLLOWUP}

    @classmethod
    def open(cls, embedder: Embedder) -> "Sorter | None":
        """Return a sorter; None when the head was fitted to the vectors of another model."""
        head = _own_head()
        if embedder.model != head.model:
            return None
        return cls(embedder, head, load_lexicon(data_folder() / "lexicon"))

    def put_right(self, message: str) -> str:
        """Return a message without the slips of hasty typing: to be read, not to be kept or shown."""
        return self._spelling.corrected(message)

    async def sort(self, message: str, *, previous: Sequence[str] = ()) -> Sorted:
        """Sort a message; `previous` are the categories of the turn before, for one that refers back to it.

        Raises:
            Permanent, Transient: the embedder's.
        """
        whole = self._spelling.corrected(shortened(message))
        features = await message_features(whole, self._embedder, self._lexicon)
        words = words_of(whole)
        found = list(self._lexicon.find(words))
        opening = opening_places(whole, words, self._lexicon)
        verbs = {one.group for one in found if one.group in _ACTS and one.begin in opening}
        has_wish = bool(verbs) or any(one.group == _NOTES for one in found)
        log_odds = self._head.log_odds(features[0], features[1:])
        groups = frozenset(one.group for one in found)
        parts = self._parts(message) if len(message) <= _LONGEST_IN_PARTS else ()
        marks = _Marks(
            groups,
            is_one_note=not verbs.isdisjoint(_NOTING) and len(parts) == 1 and "remind_verb" not in groups,
            has_number=_DIGIT.search(whole) is not None,
            # "… on the list, my niece taught me": what no wish opens is no other one.
            is_one_clause=len(features) == 1 or len(parts) == 1,
            asks_number=not groups.isdisjoint({"math_verb", "question"}),
            is_sum="math_verb" in groups or _SUM.search(whole) is not None,
            goes_on=self._goes_on(message),
            names_one=_THE_ONE.search(whole) is not None,
            is_rework=_REWORK.match(whole) is not None,
            is_there=_THERE.search(whole) is not None,
            is_explaining=_EXPLAINING.match(message) is not None
            and not _LITERAL.search(whole)
            and groups.isdisjoint(_LOOKED_UP),
            puts_right=_PUTTING_RIGHT.search(whole) is not None and "?" not in message,
            asks_what_is_left=len(words) <= _FEW_WORDS and groups <= {"question", "todo", *_OF_A_LIST},
            is_elsewhere=not _LITERAL.search(whole) and _opens_elsewhere(found, opening),
            is_story=len(words) > _WORDS_OF_A_STORY and not has_wish,
        )
        decided = self._decide(log_odds, () if marks.is_explaining else tuple(previous), marks)
        # Who opens with the verb of a wish wishes for it, and who says "note" or "remind me" says where.
        is_opened = bool(verbs) and "?" not in message and decided.categories != (NO_CATEGORY,)
        if is_opened and decided.wish == "talk" and decided.wish_probability > _OPENED:
            decided = replace(decided, wish="act")
        is_said = is_opened and decided.wish == "act"
        return replace(
            decided,
            wish_probability=max(decided.wish_probability, _SAID) if is_said else decided.wish_probability,
            names_place=decided.names_place or (is_said and not verbs.isdisjoint(_PLACING)),
            is_elsewhere=marks.is_elsewhere,
            is_live=_LIVE in groups and "?" in message and _LATELY.search(whole) is not None,
            parts=parts,
        )

    def _parts(self, message: str) -> tuple[str, ...]:
        """Return the clauses, each without what joins it to the one before."""
        parts: list[str] = []
        for clause in as_wishes(split_clauses(message, self._lexicon), self._lexicon):
            words = words_of(clause)
            joined = self._lexicon.length_of(self._lexicon.joiners, words, 0, len(words)) if parts else 0
            parts.append(
                (clause[words[joined].begin :] if 0 < joined < len(words) else clause)
                .strip(" ,;")
                .removesuffix(" +")
            )
        return tuple(parts)

    def _goes_on(self, message: str) -> bool:
        """Tell whether few words that name nothing else open with "and"; before their spelling is put right, which
        changes words it does not know."""
        words = words_of(message[:_GOES_ON_CHARS])
        return (
            len(words) <= _WORDS_THAT_GO_ON
            and "?" not in message
            and {one.group for one in self._lexicon.find(words)} <= _OF_A_LIST
            and self._lexicon.length_of(self._lexicon.joiners, words, 0, len(words)) > 0
        )

    def _decide(self, log_odds: Matrix, previous: tuple[str, ...], marks: _Marks) -> Sorted:
        names = (*self._head.categories, *QUALITIES)
        odds = dict(zip(names, map(float, probability(log_odds)), strict=True))
        found = {name: odds[name] for name in self._head.categories if name != FOLLOWUP}
        wanted = sorted((name for name in found if found[name] > _EVEN), key=lambda name: -found[name])
        # A sum that is asked for is one, whatever stands before it.
        if wanted and marks.is_sum and marks.asks_number and _INHERITED < found.get(_MATH, 0.0) <= _EVEN:
            wanted.append(_MATH)
        wanted = [] if marks.is_explaining else _as_named(wanted, found, marks)
        # "I got the bread" is about the list that was just shown.
        is_wished = max(odds[ACT], odds[LOOK]) > _INHERITED
        wanted = wanted or [name for name in previous if is_wished and found.get(name, 0.0) > _AT_HAND][:1]
        before = [name for name in previous if name != NO_CATEGORY]
        # "What's missing?", after a list was shown.
        if not wanted and "lists" in before and marks.asks_what_is_left and odds[LOOK] > max(odds[ACT], _EVEN):
            wanted = ["lists"]
        # "And two lamps", after something was put on a list.
        is_more = marks.goes_on and odds[ACT] > _INHERITED and not _GROWING.isdisjoint(before)
        is_amendment = not wanted and bool(before) and (is_more or _amends(marks))
        # "Scrap that note", right after it was saved.
        is_there = (marks.is_there or _takes_back(marks)) and not set(before).isdisjoint(wanted)
        refers_back = is_amendment or is_there or (odds[FOLLOWUP] > _EVEN and not marks.is_elsewhere)
        if refers_back and not wanted:
            wanted = before
        is_at_hand = bool(wanted) and max(found.get(name, 0.0) for name in wanted) <= _EVEN
        wish = _wish(odds, least=_INHERITED if is_at_hand else _EVEN, has_several=len(wanted) > 1)
        wish = "act" if is_amendment else wish
        wish = "talk" if marks.is_explaining or (marks.is_rework and not wanted) else wish
        is_understood = not refers_back or bool(wanted) or bool(previous) or wish == "talk"
        # "Tomorrow I have to take the car in" is told, perhaps: whether to remind them is asked.
        is_plan = (wish, wanted) == ("act", ["reminders"]) and not refers_back and marks.groups.isdisjoint(_REMIND)
        sureness = confidence(log_odds[: len(self._head.categories)])
        return Sorted(
            categories=tuple(wanted[:MAX_CATEGORIES]) or (NO_CATEGORY,),
            probabilities={**found, NO_CATEGORY: float(np.prod([1 - one for one in found.values()]))},
            wish=wish,
            wish_probability=_EVEN if is_plan else max(odds[ACT], odds[LOOK]) if wish == "talk" else odds[wish],
            tells_fact=odds[FACT] > _EVEN,
            refers_back=refers_back,
            is_story=marks.is_story and not (is_plan and min(odds[ACT], sureness) >= _PLAINLY_PLANNED),
            is_elsewhere=False,
            is_live=False,
            parts=(),
            names_place=not marks.groups.isdisjoint(_PLACES),
            confidence=sureness,
            is_sure=is_understood and (marks.is_explaining or sureness >= self._head.sure_from),
        )


def _as_named(wanted: list[str], found: Mapping[str, float], marks: _Marks) -> list[str]:
    """Return the likely thing that is called by its name ("the task buy paint") in the place of another; and
    nothing to calculate where there is nothing but numbers ("a task: order 3 tins of 5 l")."""
    # "Note this before I forget" names no time to be told at, nor does "note: alarm 0912"; "note that it came to
    # 4200" asks for no sum.
    if marks.is_one_note and "notes" in wanted:
        return [name for name in wanted if name not in ("reminders", _MATH)]
    named = {name for group, name in _CALLED.items() if group in marks.groups}
    if len(named) == len(wanted) == 1 and found.get(min(named), 0.0) >= _INHERITED:
        return list(named)
    # One thing is kept in one place.
    if marks.is_one_clause and len(named) == 1 and named <= set(wanted) <= _KEEPING:
        return list(named)
    if not (marks.is_sum and marks.asks_number) and not _KEEPING.isdisjoint(wanted):
        return [name for name in wanted if name != _MATH]
    return wanted


def _opens_elsewhere(found: Sequence[Found], opening: Collection[int]) -> bool:
    """Tell whether what no tool can do opens a clause, and no wish one before: "delete it, she ordered one"."""
    wishes = [one for one in found if one.begin in opening and one.group in _ELSEWHERE | _ACTS]
    first = min((one.begin for one in wishes), default=None)
    return any(one.begin == first and one.group in _ELSEWHERE for one in wishes)


def _amends(marks: _Marks) -> bool:
    """Tell whether words take back or put right what was just done: "sorry, it is 46", "delete that"."""
    return _takes_back(marks) or ("correction" in marks.groups and marks.has_number) or marks.puts_right


def _takes_back(marks: _Marks) -> bool:
    points = marks.names_one or not marks.groups.isdisjoint(_POINTS)
    return points and not marks.groups.isdisjoint(_TAKES_BACK)


def _wish(odds: Mapping[str, float], *, least: float, has_several: bool) -> Wish:
    """Of several things, one may be looked up and another one done."""
    if max(odds[ACT], odds[LOOK]) <= least:
        return "talk"
    return "act" if odds[ACT] >= odds[LOOK] or (has_several and odds[ACT] > _EVEN) else "look"


async def message_features(message: str, embedder: Embedder, lexicon: Lexicon) -> Matrix:
    """Return the features of a message, and below them those of its clauses if it has several."""
    clauses = split_clauses(message, lexicon)
    texts = [message, *clauses] if len(clauses) > 1 else [message]
    meanings = [np.frombuffer(one, "<f4") for one in await embedder.embed(texts, purpose="query")]
    return np.stack([features_of(text, meaning, lexicon) for text, meaning in zip(texts, meanings, strict=True)])


def features_of(text: str, meaning: Matrix, lexicon: Lexicon) -> Matrix:
    """Put meaning and evidence of a text side by side."""
    return np.concatenate([meaning * MEANING_SCALE, evidence(text, lexicon)]).astype(np.float32)


@cache
def _own_head() -> Head:
    return load_head(data_folder() / "head.npz")


def data_folder() -> Traversable:
    """Where the examples, the lexicon and the fitted head lie."""
    return files("app.skills.sorting") / "data"
