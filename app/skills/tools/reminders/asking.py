"""How somebody asks to be reminded, woken or rung, wherever in a message."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import fold, words
from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.clauses import mended
from app.skills.tools.reminders.lexicon import (
    flat,
    is_courtesy,
    is_polite,
    is_question,
    may_ask,
    may_ring,
    may_rouse,
    names_topic,
    opens_with_noun,
    says_something,
    spoken,
    what_to_say,
)
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.when.meanings import Point, Repeat, Unsure, When, likely_of, says_hour
from app.when.reading import read_wish

_LONG_NUMBER: Final = re.compile(r"\d[\d .-]{5,}\d")
_SENTENCE: Final = re.compile(rf"(?:[!?;\n]|{lexicon.NO_TITLE}\.)\s")
_MOST_BY_CLOCK: Final = 300


def is_by_clock(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text has something that comes again, and the rest of it asks to be told. `now` is local."""
    if len(text) > _MOST_BY_CLOCK or not names_topic(text):
        return False
    wish = read_wish(text, now, language)
    likely = likely_of(wish.when)
    comes_again = bool(likely) and all(isinstance(one, Repeat) for one in likely)
    return comes_again and is_question(wish.what)


_MOST_OF_RING: Final = 200
_FIRST_WORDS: Final = 3
_RING_EDGES: Final = " ,.;:¡!¿?"


@dataclass(frozen=True, slots=True)
class Ring:
    """`what` it is for, "" where that is not said."""

    what: str
    when: When


def read_ring(text: str, now: datetime, language: Language) -> Ring | None:
    """Read "call me at 7 to wake me up"; None where somebody else is called, and for every other text.

    `now` is local.
    """
    if len(text) > _MOST_OF_RING or not may_ring(fold(text)):
        return None
    wish = read_wish(text, now, language)
    is_sure = isinstance(wish.when, Point | Repeat)
    is_likely = isinstance(wish.when, Unsure) and wish.when.why == "which" and bool(wish.when.likely)
    asking = lexicon.RINGING.match(" ".join(fold(wish.what).split()))
    if asking is None or wish.when is None or not (is_sure or is_likely):
        return None
    rest = " ".join(wish.what.split())[asking.end() :].strip(_RING_EDGES)
    purpose = lexicon.RING_FOR.match(fold(rest))
    if purpose is None:
        return Ring("", wish.when) if not rest or is_polite(rest) else None
    return Ring(what_to_say(rest[purpose.end() :].strip(_RING_EDGES), MAX_TEXT_CHARS), wish.when)


_PART_OF_WISH: Final = re.compile(r"[,;!?\n]+|[.:](?=\s)")
_SENTENCE_END: Final = re.compile(rf"(?<=[.!?;\n]){lexicon.NO_TITLE_BEFORE}\s+|\n+", re.IGNORECASE)
_MOST_OF_ROUSING: Final = 1_000
_MOST_PARTS: Final = 24


def rouses(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text has a time, and "poke me" or the like where a wish begins. `now` is local."""
    if len(text) > _MOST_OF_ROUSING or not may_rouse(fold(text)) or read_wish(text, now, language).when is None:
        return False
    return any(_opens_so(part, now, language) for part in _PART_OF_WISH.split(text, maxsplit=_MOST_PARTS))


def _opens_so(part: str, now: datetime, language: Language) -> bool:
    what = read_wish(part, now, language).what
    return lexicon.ROUSING_FIRST.match(" ".join(fold(what).split())) is not None


def own_words(text: str, called: str, now: datetime, language: Language) -> tuple[str, str]:
    """Return the sentence of a text that asks to be reminded, where it says by itself on which day, and of what;
    else the whole text: "I'm on nights till Sunday. Tomorrow at 5 poke me to pack food". And the words of a call,
    which are the sentence where they are not from it."""
    own = _own_sentence(text, now, language) if len(text) <= _MOST_OF_ROUSING else text
    return own, called if own == text or fold(called) in fold(own) else own


def _own_sentence(text: str, now: datetime, language: Language) -> str:
    asked = lexicon.REMINDING.search(flat(text))
    front, wish = (text[: asked.start()], text[asked.start() :]) if asked is not None else ("", "")
    if front.rstrip().endswith(",") and says_something(front) and _is_whole(wish, now, language):
        excuse = lexicon.EXCUSE.search(flat(wish))
        cut = wish if excuse is None else wish[: excuse.start()].rstrip(_RING_EDGES)
        return cut if _is_whole(cut, now, language) else wish
    sentences = [one for one in _SENTENCE_END.split(text, maxsplit=_MOST_PARTS) if one.strip()]
    asking = list(_asking(sentences, now, language)) if len(sentences) > 1 else []
    if len(asking) != 1 or not _is_whole(asking[0], now, language):
        return text
    # "… will you remind me a bit before? About 7": what comes behind may say when.
    behind = " ".join(sentences[sentences.index(asking[0]) + 1 :])
    return asking[0] if not behind or read_wish(behind, now, language).when is None else text


def _asking(sentences: list[str], now: datetime, language: Language) -> Iterator[str]:
    return (one for one in sentences if lexicon.REMINDING.search(fold(one)) or rouses(one, now, language))


def _is_whole(sentence: str, now: datetime, language: Language) -> bool:
    wish = read_wish(sentence, now, language)
    # "That Thursday at one", on a Thursday: the question names only days of the wish.
    likely = likely_of(wish.when) if isinstance(wish.when, Repeat | Point) or says_hour(wish.when) else ()
    is_sure = bool(likely) and all(isinstance(one, Repeat) or one.has_day for one in likely)
    thing = what_to_say(wish.what, _MOST_OF_ROUSING)
    return is_sure and says_something(thing) and not is_question(wish.what)


def own_part(said: str, ctx: TurnContext) -> str:
    """Return the clause that a call is made for, where the wishes of a message are taken one by one."""
    part = mended(ctx.said.now[0]) if ctx.said.now else ""
    return part if part.strip() and " ".join(part.split()) in " ".join(said.split()) else said


def asks_to_be_reminded(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text has "remind us" anywhere and a time, or something to do right behind it.

    What comes in a later sentence may be another wish. `now` is local.
    """
    folded = fold(text)
    if rouses(text, now, language):
        return True
    if not may_ask(folded):
        return False
    is_time = read_wish(text, now, language).when is not None
    if is_time and "?" not in text and opens_with_noun(folded):
        return True
    # "Tell me at 5pm to call Ann": the time is between them.
    said = (folded, fold(read_wish(text, now, language).what) if is_time else folded)
    found = ((one, asking) for one in said for asking in lexicon.REMINDING.finditer(one) if _is_meant(one, asking))
    folded, asking = next(found, (folded, None))
    if asking is None:
        return False
    later = [read_wish(one, now, language).what for one in _SENTENCE.split(folded[asking.end() :])[1:]]
    if not all(map(is_polite, later)):
        return False
    return is_time or lexicon.TO_DO.match(folded[asking.end() :].lstrip(" ,:")) is not None


def _is_meant(folded: str, asking: re.Match[str]) -> bool:
    before = folded[: asking.start()].split()
    if len(before) > 1 and before[0].strip(",:") in lexicon.OTHER_WISHES and before[-1] in lexicon.JOINERS:
        return False  # "note the code 7719 and remind me tomorrow": two wishes, told apart by who sorts
    is_denied = not lexicon.NOT_REMINDING.isdisjoint(before[-1:]) or not lexicon.REPORTING.isdisjoint(before[-2:])
    return not is_denied and lexicon.REMINDING_NO.match(folded, asking.end()) is None


def as_wish(text: str, now: datetime, language: Language) -> str:
    """Return a polite question to be reminded at an hour as the wish that it is, without why that is asked for:
    "recordarme a las 9 …" of "¿podrías recordarme a las 9 …? que me olvido"; any other text as it is.

    `now` is local.
    """
    plain = flat(text)
    asking = lexicon.REMINDING.search(plain) if len(text) <= _MOST_OF_ROUSING else None
    if asking is None:
        return text
    front = read_wish(text[: asking.start()], now, language)
    why = lexicon.WHY_BEHIND.search(plain, asking.end())
    ends = [at for at in (plain.find("?", asking.end()), -1 if why is None else why.start()) if at >= 0]
    end = min(ends, default=len(text))
    begin = asking.start() if front.when is None else 0
    wish = read_wish(text[begin:end], now, language)
    thing = what_to_say(wish.what, _MOST_OF_ROUSING)
    is_whole = says_hour(wish.when) and (
        says_something(thing) or lexicon.WAKING.search(plain[begin:end]) is not None
    )
    if not is_whole or not is_courtesy(front.what) or not _only_closes(text[end:], now, language):
        return text
    return text[begin:end].strip(_RING_EDGES)


def _only_closes(behind: str, now: datetime, language: Language) -> bool:
    """Tell whether what stands behind a wish only says thanks or why, at no other time."""
    rest = behind.lstrip(_RING_EDGES)
    is_told = behind.startswith("?") and not lexicon.STORY.isdisjoint(spoken(rest)[:1])
    is_why = is_told or lexicon.WHY_BEHIND.match(f"? {flat(rest)}") is not None
    is_other = "?" in rest or not lexicon.OTHER_WISHES.isdisjoint(spoken(rest)[1:])
    return is_courtesy(rest) or (is_why and not is_other and read_wish(rest, now, language).when is None)


def is_for_diary(text: str) -> bool:
    """Tell whether a text opens with "agendame …"; a number of somebody's is for the notes."""
    if lexicon.DIARY.match(fold(text)) is None:
        return False
    is_contact = not lexicon.CONTACT.isdisjoint(words(text)) or _LONG_NUMBER.search(text) is not None
    return not is_contact and "?" not in text


def goes_on(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text adds another one: "and on Monday at 7 to water the lawn". `now` is local."""
    opening = lexicon.AND_ANOTHER.match(fold(text))
    if opening is None or "?" in text:
        return False
    wish = read_wish(lexicon.SAME_DAY.sub(" ", fold(text)[opening.end() :]), now, language)
    first = next(iter(spoken(wish.what)), "")
    is_story = not first or first in lexicon.STORY or lexicon.STORY_ENDINGS.match(fold(wish.what)) is not None
    return not is_story and bool(likely_of(wish.when))


def surely_goes_on(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text says that it adds another one, and at what hour: "and also on Monday at 7 the lawn"."""
    said = spoken(text)
    is_also = not lexicon.ALSO.isdisjoint((*said[:_FIRST_WORDS], *said[-1:])) or _leads_to_deed(
        text, now, language
    )
    return is_also and goes_on(text, now, language) and says_hour(read_wish(text, now, language).when)


def _leads_to_deed(text: str, now: datetime, language: Language) -> bool:
    """Tell whether something to do stands behind "and", and a time beside it: "and in 3 hours to feed the cat"."""
    opening = lexicon.AND_ANOTHER.match(flat(text))
    if opening is None:
        return False
    rest = flat(read_wish(text[opening.end() :], now, language).what)
    return any(one.match(rest) for one in (lexicon.TO_DO, lexicon.INFINITIVE, lexicon.LED_TO_MORE))
