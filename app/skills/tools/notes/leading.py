"""What introduces a note, and is no part of it: "anotame esto tal cual así no me olvido: …", "take a note. …"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, pairwise
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import tokens_of
from app.skills.tools.notes.lexicon import (
    BEHIND_TALK,
    IDEA,
    IN_HASTE,
    INTO_NOTES,
    KEEP_BACK,
    KEEP_IT,
    NO_MORE_SO,
    NOTE_FIRST,
    NOTE_SAYING,
    NOTE_TO,
    NOTE_WRITTEN,
    OCCASION,
    ONLY_KEPT,
    POLITE_END,
    SMALL_TALK,
    WHAT,
    WORDS,
    WRITING_DOWN,
)

_WORD: Final = re.compile(r"\w+")
_FIRM: Final = re.compile(r"\s?:|\s?\n|\s[-–—]{1,3}>?\s|\s[=→]>?\s|[.!…]{1,3}\s|\s(?=[\"“«])")
_CLAUSE: Final = re.compile(r"[,.;!?\n]\s|\s(?:y|e|and|also|tambien|también)\s", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[.!?…]\s|\n")
_MARKS: Final = " \t\n,:?"
_MAX_CHARS: Final = 1_000
_FIRST_WORDS: Final = 4
_LEAST_WORDS: Final = 3
_MAX_KEPT_CHARS: Final = 2_000
_LIST: Final = PICKING["list_words"]
_THING: Final = PICKING["determiners"] | WORDS["own"]
_CODE: Final = re.compile(r"(?=\w{0,30}\d)(?=\w{0,30}[^\W\d])\w{5,40}(?!\w)|\d[\d .-]{6,40}\d")


@dataclass(frozen=True, slots=True)
class Lead:
    """Where the words to be kept begin. `is_clear`: it says that all behind it is one note; `has_that`: it ends
    with "that", so what is told behind it is one."""

    end: int
    is_clear: bool = False
    has_that: bool = False


def wish_in(said: str) -> list[re.Match[str]]:
    """Return the words from the verb of a wish to keep something on; none where there is no such wish."""
    words = list(dropwhile(lambda word: fold(word[0]) in WORDS["wish_fillers"], _WORD.finditer(said)))
    if words and fold(words[0][0]) in WORDS["wish_verbs"]:
        return words
    is_weak = bool(words) and fold(words[0][0]) in WORDS["note_verbs"]
    return words if is_weak and any(_is_note(word) for word in words[:6]) else []


def read_lead(said: str) -> Lead | None:
    """Return what introduces a note; None where a text does not begin so."""
    words = wish_in(said)
    if (first := NOTE_FIRST.match(said)) is not None:
        return Lead(first.end(), is_clear=True)
    if (first := NOTE_TO.match(said) or NOTE_WRITTEN.match(said)) is not None:
        return Lead(first.end(), has_that=True)
    if not words:
        return None
    start = words[0].start()
    if (first := NOTE_SAYING.match(said, start) or NOTE_WRITTEN.match(said, start)) is not None:
        return Lead(first.end(), has_that=True)
    end, named, has_that, place = 0, False, False, 0
    for word, last in _each(said, words):
        # "Note that it costs 40": what "that" leads to is a part of what is kept.
        is_told_of = has_that and fold(word[0]) in WORDS["told_of"] and _FIRM.match(said, word.end()) is None
        if last is None or (is_told_of and fold(said[:place]).endswith(tuple(WORDS["wish_that"]))):
            break
        is_named = _is_note(word) or fold(word[0]) in WORDS["this"] | WORDS["quoted_called"]
        named = named or (word is not words[0] and is_named)
        place = last
        mark = _FIRM.match(said, last)
        if mark is not None:
            # "Note: …", but not "good note. …".
            return Lead(mark.end(), is_clear=named or (_is_note(words[0]) and ":" in mark[0]))
        has_that = has_that or fold(word[0]) in WORDS["wish_that"]
        # "Make a note for me, the gate …": behind "that", a comma belongs to what is kept.
        if fold(word[0]) in WORDS["wish_ends"] or (not has_that and said[last : last + 1] == ","):
            end = last
    # "Stick this in a note, the lodger …": "the" begins what is kept.
    is_end = end == place or fold(said[end:place].strip(" ,")) in PICKING["determiners"]
    is_clear = named and is_end and said[end : end + 1] == ","
    # "Make that two" keeps nothing.
    is_kept = (fold(words[0][0]) in WORDS["noting"] or _keeps_thing(said, words, end)) or any(
        fold(one) in WORDS["kept_as"] for one in _WORD.findall(said[:end])
    )
    return (
        Lead(end, is_clear=is_clear, has_that=has_that and is_kept and not WHAT.search(said[:end]))
        if end
        else None
    )


def _each(said: str, words: list[re.Match[str]]) -> Iterator[tuple[re.Match[str], int | None]]:
    """Yield the words of a lead with where they end, what is said of its haste as one; None behind the last."""
    place = 0
    for number, word in enumerate(words):
        if word.start() < place:
            continue
        haste = IN_HASTE.match(said, word.start()) if number else None
        if haste is not None:
            place = haste.end() - (len(haste[0]) - len(haste[0].rstrip(" ,")))
            yield word, place
        else:
            yield word, word.end() if not number or fold(word[0]) in WORDS["wish_words"] else None


def without_wish(said: str) -> str:
    """Return a note without the wish to keep it: "guardá en una nota que la llave …" is about the key."""
    lead = read_lead(said)
    if lead is None:
        return said
    rest = said[lead.end :].lstrip(_MARKS).removeprefix("- ")
    haste = IN_HASTE.match(rest)
    return (rest if haste is None else rest[haste.end() :].lstrip(" ,:")) or rest or said


def behind_command(content: str, messages: Sequence[str]) -> str:
    """Return what a model took for a note without the verb that wishes for it, where it begins as a message does:
    "che anotame la patente …". What only looks so elsewhere ("anotar la cita") is what is to be kept."""
    for said in messages:
        words = wish_in(said)
        is_begun = fold(said).startswith(fold(content[: words[1].start()])) if len(words) > 1 else False
        if is_begun and fold(words[0][0]) in WORDS["noting"] and fold(words[1][0]) in _THING:
            return content[words[0].end() :].lstrip(_MARKS) if len(content) > words[1].end() else content
    return content


def note_in(said: str) -> str:
    """Return what is to be kept where all of a message is one note; "" where it is not, or may be more.

    With what it is for, where that stands before the wish: "for the next visit to the vet note that …".
    """
    if (occasion := OCCASION.match(said)) is not None:
        kept = without_wish(said[occasion.end() :])
        is_day = not WORDS["of_a_day"].isdisjoint(fold(occasion["when"]).split())
        return "" if is_day or "?" in kept or wishes_more(kept) else f"{occasion['when']}: {kept.rstrip('. ')}"
    lead, words = read_lead(said), wish_in(said)
    if len(said) > _MAX_CHARS or any(fold(one[0]) in WORDS["diary_verbs"] for one in words[:1]):
        return ""
    # "Me anotás que …?" is no question.
    is_told = lead is not None and lead.has_that and said.count("?") == said.rstrip().endswith("?")
    rest = without_wish(said.rstrip(" ?") if is_told else said)
    if "?" in rest or (lead is None and not words):
        return ""
    if ONLY_KEPT.search(fold(rest)) is not None or _is_noted(said, words):
        rest = rest if lead is not None else said[words[0].end() :].strip()
    elif lead is None or not (lead.is_clear or (lead.has_that and is_statement(rest))):
        return ""
    rest = POLITE_END.sub("", f" {rest}").strip()
    rest = rest if rest.endswith("..") else rest.removesuffix(".")
    return "" if not rest or wishes_more(rest) else rest


def note_behind_talk(said: str) -> str:
    """Return what is to be kept where somebody tells something first: "the van broke down, anyway write down that
    the garage is Bell's"; "" where what is told may be a wish, or be pointed at: "…, note that he charges 40"."""
    wish = BEHIND_TALK.search(said) if len(said) <= _MAX_CHARS else None
    before = "" if wish is None else said[: wish.start()]
    opening = next(iter(fold(before).split()), "").strip(",")
    is_told = bool(before) and "?" not in before and opening not in WORDS["not_told_first"]
    if wish is None or not is_told or wish_in(before) or wishes_more(before):
        return ""
    kept = note_in(said[wish.end() :])
    first = next(iter(_WORD.findall(kept)), "")
    is_thing = fold(first) in PICKING["determiners"] - WORDS["points_back"] or first[:1].isupper()
    return kept if is_thing or fold(first) in WORDS["own"] - WORDS["points_back"] else ""


def note_pointed_back(said: str) -> str:
    """Return what a message tells before a wish to keep that, with more talk behind it: "the vet said two pills.
    Keep a note of that for me. She was lovely"; "" where there is none, or that talk wishes for something."""
    flat = " ".join(said.split())
    wish = KEEP_BACK.search(flat) if len(flat) <= _MAX_CHARS and "?" not in flat else None
    kept = "" if wish is None else flat[: wish.start()].rstrip(" .!")
    rest = "" if wish is None else flat[wish.end() :]
    is_wish = bool(kept) and (bool(wish_in(kept)) or wishes_more(kept) or wishes_more(f". {rest}"))
    return "" if is_wish or len(kept.split()) < _LEAST_WORDS else kept


def without_small_talk(said: str) -> str:
    """Return a message without the weather at its end, which is no part of a note: "…, gosh it's hot"."""
    return SMALL_TALK.sub("", said) if len(said) <= _MAX_CHARS else said


def is_no_more_so(said: str) -> bool:
    """Tell whether a message says of what it wants noted that it is not so: "… No, I already paid her"."""
    return len(said) <= _MAX_CHARS and NO_MORE_SO.search(said) is not None


def note_before(said: str) -> str:
    """Return what a message tells before it ends with the wish to keep that: "the gate code is 4417, save it"."""
    flat = " ".join(said.split())
    if (into := INTO_NOTES.search(flat)) is not None:
        kept = flat[: into.start()].rstrip(" ,.;:")
        return "" if "?" in kept or wishes_more(kept) else kept
    kept = kept_at_end(flat)
    return kept if is_statement(kept) and not wishes_more(kept) else ""


def kept_at_end(said: str) -> str:
    """Return what stands before the wish to keep it at the end of a message; "" where there is no such wish."""
    flat = " ".join(said.split())
    if len(flat) > _MAX_KEPT_CHARS or "?" in flat or (wish := KEEP_IT.search(flat)) is None:
        return ""
    words = fold(flat[: wish.start()]).split()
    if len(words) < _LEAST_WORDS or words[-1] in WORDS["not_behind"]:
        return ""
    is_other = words[0].strip(",:") in WORDS["other_wish"] | COMMON_WORDS["interrogatives"]
    return "" if is_other else flat[: wish.start()].rstrip(" ,;:.")


def idea_in(said: str) -> str:
    """Return an idea that a message only tells: whether it is to be kept, is to be asked."""
    found = IDEA.match(said)
    idea = "" if found is None or "?" in said or len(said) > _MAX_CHARS else said[found.end() :].strip()
    return idea if len(idea.split()) >= _LEAST_WORDS and not wishes_more(idea) else ""


def _keeps_thing(said: str, words: Sequence[re.Match[str]], end: int) -> bool:
    """Tell whether a verb of keeping leads to a thing behind "that": "save that the code …"."""
    behind = next(iter(_WORD.findall(fold(said[end:]))), "")
    is_kept = fold(words[0][0]) in WORDS["keeping_that"] and fold(said[:end]).endswith(tuple(WORDS["wish_that"]))
    return is_kept and behind in PICKING["determiners"] | WORDS["own"]


def _is_noted(said: str, words: list[re.Match[str]]) -> bool:
    """Tell whether a verb of noting stands before a thing and what that is: "note the pump is a GX3"."""
    words = [*words[:1], *dropwhile(lambda one: fold(one[0]) in WORDS["kept_as"], words[1:])]
    behind = [fold(one[0]) for one in words[1:]]
    is_thing = bool(behind) and behind[0] in PICKING["determiners"] | WORDS["own"]
    # "And also note the tap turns right": another one needs no "is".
    is_more = is_thing and not WORDS["also"].isdisjoint(map(fold, said[: words[0].start()].split()))
    is_said = is_more or (is_thing and not WORDS["linking"].isdisjoint(behind[2:]))
    if not is_thing or not (fold(words[0][0]) in WORDS["noting"] or WRITING_DOWN.match(said, words[0].start())):
        return False
    # "Note the plate of the van 4471KLM": a code says what it is; behind that stands why.
    code = _CODE.search(said, words[1].start())
    rest = said[words[1].start() : code.end() if code else None]
    return (is_said or (code is not None and not _LIST.intersection(behind))) and is_statement(rest)


def is_statement(rest: str, *, is_surely_noted: bool = False) -> bool:
    """Tell whether words tell how something is: no day, nothing that was paid, that lacks or is to be done.

    Where several are noted at once, a day is no reminder, and only "we need …" may be for a list."""
    keys = [one.key for one in tokens_of(rest)]
    opening = {_opens(one.split()) for one in _CLAUSE.split(rest)}
    is_more = not opening.isdisjoint((COMMON_WORDS["interrogatives"] - WORDS["wish_that"]) | PICKING["remove"])
    has_day = not WORDS["of_a_day"].isdisjoint(keys)
    # "Los martes" are no day for a reminder.
    has_day |= any(
        key in COMMON_WORDS["days"] and before not in WORDS["usual_days"] for before, key in pairwise(["", *keys])
    )
    # "That I owe Lee 40", but not "que debo ir al banco".
    is_owed = not WORDS["owing"].isdisjoint(keys) and any(key[0].isdigit() for key in keys)
    not_kept = WORDS["not_kept"] - (WORDS["owing"] if is_owed else frozenset())
    is_plain = not_kept.isdisjoint(keys[: 2 if is_surely_noted else _FIRST_WORDS])
    is_plain = is_plain and (is_surely_noted or not has_day)
    return len(keys) > 1 and keys[0] not in WORDS["not_kept_first"] and is_plain and not is_more


def wishes_more(rest: str) -> bool:
    """Tell whether another wish stands behind the note: ". And put caulk on my list"."""
    if not WORDS["to_remind"].isdisjoint(_WORD.findall(fold(rest))):
        return True
    clauses = [one.split() for one in _CLAUSE.split(rest)]
    sentences = [one.split() for one in _SENTENCE.split(rest)[1:]]
    wishing = (WORDS["other_wish"] | WORDS["wish_verbs"]) - WORDS["not_wished_within"]
    return any(_opens(one) in wishing for one in clauses) or any(
        _opens(one) in COMMON_WORDS["interrogatives"] for one in sentences
    )


def _opens(words: list[str]) -> str:
    plain = (fold(one).strip(".,:;!¡¿\"'") for one in words)
    return next((one for one in plain if one not in WORDS["wish_fillers"]), "")


def _is_note(word: re.Match[str]) -> bool:
    return fold(word[0]) in WORDS["note_called"]
