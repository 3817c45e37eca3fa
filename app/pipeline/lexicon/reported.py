"""What somebody said, asked or wants of somebody else: its orders are no wish of who tells of them."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import (
    LISTS_CALLED,
    NOTES_CALLED,
    NOTING,
    PUTTING,
    REMINDERS_CALLED,
    REMINDING,
    WORDS,
    asks_leave,
    wants_done,
)
from app.pipeline.lexicon.happened import tells_what_happened, wishes_no_errand
from app.pipeline.lexicon.stories import opens_wish

_MAX_CHARS: Final = 400
_QUOTED: Final = re.compile(r"[\"“«][^\"“”«»]{1,120}[\"”»]")


def _clause() -> str:
    """Return a pattern for the rest of a clause, up to a break or to what ends it."""
    return rf"(?:(?! {WORDS.pattern('reported.ends')}(?!\w))[^.,;:!…\n]){{0,160}}"


def _order() -> str:
    """Return a pattern for one more order of a row."""
    own = rf"(?![^,.;:!…\n]{{0,80}}(?<!\w){WORDS.pattern('reported.no_order')}(?!\w))"
    bare = rf"{WORDS.pattern('reported.bare_order')}(?=,|[.;:!…\n]|\Z| {WORDS.pattern('reported.and_do')} )"
    return rf"(?:{bare}|(?:{WORDS.pattern('reported.order_to_others')}(?!\w)|{own}){_clause()})"


_SAID: Final = LatePattern(
    rf"(?<=\S )(?<!\w){WORDS.pattern('reported.said')}(?!\w)[,:]?(?: \w+)?{_clause()}"
    rf"(?:,? {WORDS.pattern('reported.goes_on')}(?!\w){_clause()}){{0,4}}"
)
# "Told me to book the hall, pay the band and be nice":
_ORDERED: Final = LatePattern(
    rf"(?<=\S )(?<!\w){WORDS.pattern('reported.said')}"
    rf"(?:(?<= to)|(?: \w+){{0,2}} {WORDS.pattern('reported.to_do')})(?!\w)"
    rf"{_clause()}(?:, {_order()}){{1,5}},? {WORDS.pattern('reported.and_do')} {_order()}(?=[,.;:!…\n]|\Z)"
)
# "Put the bins out i said", "pone la mesa le dije a mi marido":
_SAID_BEHIND: Final = LatePattern(
    rf"(?:\A|(?<=[.,;:!…] ))[^.,;:!…\n]{{1,60}} {WORDS.pattern('reported.i_said')}"
    rf"(?: {WORDS.pattern('reported.to_whom')} \w+)?(?=[.,;:!…\n]|\Z)"
)
# "Buy cheap, my dad used to say"; what is to be noted or recalled may be what somebody said.
_THEY_SAID: Final = LatePattern(
    rf"\A[^.;:!…\n]{{1,80}}, (?:{WORDS.pattern('reported.and_do')} )?{WORDS.pattern('reported.they_said')}"
    r"(?=[.,;:!…\n]|\Z)"
)
_CITED: Final = LatePattern(rf"(?<=\S )(?<!\w){WORDS.pattern('reported.said')} ?:")
_REPLIED: Final = LatePattern(rf"(?<!\w){WORDS.pattern('reported.i_replied')}[,:]{_clause()}(?:,{_clause()})?")
_OPENS_QUOTED: Final = re.compile(r"\W{0,2}[\"“«‘'](?P<said>[^\"“”«»\n]{2,160}?)[\"”»’'](?=[\s,.;:–—-])")
_QUOTE_TOLD: Final = LatePattern(rf"\W{{0,4}}{WORDS.pattern('reported.quote_told')}(?!\w)")
_SIGNED: Final = re.compile(r"\s?[-–—]\s?\w+(?:\s\w+){0,3}\W{0,3}\Z")
_ASKS_VIEW: Final = LatePattern(rf"\W{{0,3}}(?:\w+\W{{1,3}}){{0,2}}?{WORDS.pattern('reported.asks_view')}(?!\w)")
_TO_ME: Final = LatePattern(WORDS.pattern("reported.reminds_me"))
_NOTE_THAT: Final = LatePattern(rf"\W{{0,3}}(?:\w+\W{{1,3}}){{0,2}}?{WORDS.pattern('reported.note_that')} ")
_OTHERS_REMIND: Final = LatePattern(rf"(?<!you)(?<!you ){WORDS.pattern('reported.others_remind')}(?!\w)")
_WORD: Final = re.compile(r"\w+")
_TO_KEEP: Final = REMINDING | NOTES_CALLED | LISTS_CALLED | REMINDERS_CALLED
_WISHED: Final = LatePattern(WORDS.pattern("wished_now"))


def without_reported(text: str) -> str:
    """Return a folded text without what it tells that others said, asked or wished for, or were told: "my boss
    goes book it, cancel it, and I'm sat there" → "my boss , and i'm sat there"."""
    said = " ".join(fold(text).replace("’", "'").split())
    if _is_said_by_them(said):
        return _THEY_SAID.sub("", said)
    said = _REPLIED.sub(" ", said) if ":" in said else said
    return _SAID.sub(" ", _ORDERED.sub(" ", _SAID_BEHIND.sub(" ", _QUOTED.sub(" ", said))))


def reports_only(text: str) -> bool:
    """Tell whether a text tells what was said, asked or wished for by others, and wishes for nothing itself."""
    if "?" in text or len(text) > _MAX_CHARS or _opens_asking(text):
        return False
    said = " ".join(fold(text).replace("’", "'").split())
    if (rest := without_reported(text)) == said:
        return False
    if _SAID_BEHIND.search(said) is not None:  # What follows was said to them, too.
        return _TO_KEEP.isdisjoint(_WORD.findall(rest)) and _WISHED.search(rest) is None
    return wishes_no_errand(rest) and not _wishes(rest)


def cites_only(text: str) -> bool:
    """Tell whether a text only cites what others said, with a colon or with who said it behind."""
    said = " ".join(fold(text).replace("’", "'").split())
    is_cited = _is_said_by_them(said) or (":" in said and _CITED.search(said) is not None)
    return is_cited and reports_only(text)


def _is_said_by_them(said: str) -> bool:
    found = _THEY_SAID.match(said) if "," in said else None
    words = _WORD.findall(found[0]) if found is not None else []
    return (
        bool(words)
        and REMINDING.isdisjoint(words)
        and (NOTING.isdisjoint(words) or not LISTS_CALLED.isdisjoint(words))
    )


def only_talks(text: str) -> bool:
    """Tell whether a text only tells who uses the words that it quotes in front, "… is all he ever says", or asks
    for a view on a plan: "would it be a bad idea to set an alarm?"."""
    return len(text) <= _MAX_CHARS and (_tells_of_quote(text) or _asks_view(text))


def _tells_of_quote(text: str) -> bool:
    found = _OPENS_QUOTED.match(text)
    if found is None:
        return False
    said, rest = set(_WORD.findall(fold(found["said"]))), fold(text[found.end() :]).replace("’", "'")
    is_order = not said.isdisjoint(REMINDING | NOTING | PUTTING | NOTES_CALLED) or wants_done(found["said"])
    is_kept = not (REMINDING | LISTS_CALLED | REMINDERS_CALLED).isdisjoint(_WORD.findall(rest)) or _wishes(rest)
    return is_order and not is_kept and bool(_QUOTE_TOLD.match(rest) or _SIGNED.match(rest))


def _asks_view(text: str) -> bool:
    asked, mark, behind = text.rpartition("?")
    said = " ".join(fold(asked).replace("’", "'").split())
    is_asked = bool(mark) and _ASKS_VIEW.match(said) is not None and _TO_ME.search(said) is None
    return is_asked and not _wishes(" ".join(fold(behind).split()))


def noted_of_others(text: str) -> str:
    """Return what is to be noted where it tells that somebody else reminds: "Ann will remind me on Friday", of
    "note that Ann will remind me on Friday"; "" of any other text."""
    said = text.replace("’", "'")
    folded = fold(said)
    opening = _NOTE_THAT.match(folded) if len(text) <= _MAX_CHARS and len(folded) == len(said) else None
    if opening is None or "?" in text or _OTHERS_REMIND.search(folded, opening.end()) is None:
        return ""
    return text[opening.end() :]


def tells_story(text: str) -> bool:
    """Tell whether a text that reads like a story tells what happened, and wishes for nothing in any clause."""
    return tells_what_happened(text) and not _wishes(" ".join(fold(text).replace("’", "'").split()))


def asks_opinion(text: str) -> bool:
    """Tell whether a text asks what somebody thinks, and for nothing to be kept or done."""
    return asks_leave(text) and not _wishes(" ".join(fold(text).replace("’", "'").split()))


def _opens_asking(text: str) -> bool:
    """Tell whether a text opens with a question: "qué dijeron", not "que dijeron"."""
    first = next(iter(_WORD.findall(text.casefold())), "")
    asks = COMMON_WORDS["interrogatives"]
    return (folded := fold(first)) in asks and (folded != first or folded not in WORDS["happened.also_tells"])


def _wishes(rest: str) -> bool:
    return _WISHED.search(rest) is not None or wants_done(rest) or opens_wish(rest)
