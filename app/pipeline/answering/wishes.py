"""What a small model is let do with a wish: talk, act, ask first, refuse, or quote the person."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final, NamedTuple

from app.domain.recollection import Recollection
from app.domain.wording import fold, one_line, stem, words
from app.language.catalogue import Sentence
from app.language.lexicon import COMMON_WORDS
from app.pipeline.answering import quoting
from app.pipeline.answering.parting import wishes_none_of
from app.pipeline.lexicon import (
    ASKS_NUMBER,
    TELLING_ME,
    WORDS,
    asks_above,
    asks_contents,
    asks_dose,
    asks_for_kept,
    asks_leave,
    asks_of_own,
    denies_wish,
    is_of_oneself,
    is_small_talk,
    opens_translation,
    says_recall,
    wants_done,
    wants_draft,
    wants_draft_alone,
    without_lead,
)
from app.pipeline.lexicon.limits import kind_asked, kind_named
from app.pipeline.lexicon.reported import asks_opinion, only_talks, reports_only, tells_story
from app.pipeline.lexicon.stories import tells_of_before
from app.pipeline.lexicon.told import may_answer, recalls_own
from app.pipeline.lexicon.world import asks_world, goes_on_asking
from app.pipeline.texts import PIPELINE
from app.skills.amending import amended, is_correction
from app.skills.amending_whose import says_whose
from app.skills.router import NO_CATEGORY, Intent
from app.skills.sources.sources import Source
from app.skills.unusable import brings_text, denies

MEMORY: Final = "memory"
Told = Callable[[], Sequence[str]]
_NOTES: Final = "notes"
# So sure is the head of a wish, and of no tool for it, before it is refused without asking the model.
_CLEARLY: Final = 0.8
# Below, it is asked whether a thing is wished for before it is done: measured on 600 messages by two hands, 3 in
# 100 of those that wish for something are asked, and half of those that do not.
_DOUBTFUL_WISH: Final = 0.85
_DOUBTFUL_CATEGORY: Final = 0.5
QUOTED_FACTS: Final = 2
_WORDS_OF_AN_OPENER: Final = 2
_WORD: Final = re.compile(r"\w+")
_ASKING: Final = COMMON_WORDS["interrogatives"] | TELLING_ME
_CLAUSE: Final = re.compile(r"[,;:.!?…]\s|\n")
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s")
_LEAST_ALIKE: Final = 4
_SHARE_ALIKE: Final = 0.7
_SHARE_PARROTED: Final = 0.75
QUOTED_CHARS: Final = 200
_JUST_TOLD: Final = 2
_PUT_RIGHT: Final = 3  # sentences back
_KEPT_BY: Final = frozenset({"lists", "memory", "notes", "projects", "reminders", NO_CATEGORY})
_NEVER_TOLD: Final = frozenset({"weather", "math"})
_NEAR_BOOKS: Final = frozenset({"datetime", "history", "math", "memory", NO_CATEGORY})
_KEPT_APART: Final = frozenset({"documents", "files", "history", "tools"})


def about_self(recollection: Recollection) -> Recollection:
    """Return what a question of the person about themselves is answered from. What they ask for by its own words
    ("what am I allergic to?") is the answer, and no warning beside it."""
    asked_for = {item.text for item in recollection.items if item.why.startswith("words")}
    return replace(
        recollection,
        items=recollection.items + recollection.more,
        warnings=tuple(fact for fact in recollection.warnings if fact not in asked_for),
    )


def plainly(text: str, intent: Intent, recollection: Recollection, *, has_history: bool) -> Intent:
    """Take for plain talk what wishes for nothing, and what is answered from what is known or was just said."""
    if asks_world(text) or (intent.by == "head" and (is_small_talk(text) or opens_translation(text))):
        return replace(intent, categories=(NO_CATEGORY,), wish="talk", unmet=(), is_elsewhere=False, is_live=False)
    if _only_tells(text, intent):
        intent = replace(intent, calls=(), only=())
        return replace(intent, categories=(NO_CATEGORY,), wish="talk", unmet=(), is_elsewhere=False, is_live=False)
    tells_only = intent.categories != (MEMORY,) and tells_of_before(text)
    if intent.wish == "act" and not _KEPT_BY.isdisjoint(intent.categories) and (tells_only or denies_wish(text)):
        left = tuple(one for one in intent.categories if one not in _KEPT_BY)
        intent = replace(intent, categories=left or (NO_CATEGORY,), unmet=(), only=())
        return replace(intent, wish="look" if left else "talk")
    is_unsure = (intent.confidence or 0.0) < _DOUBTFUL_CATEGORY and _NOTES not in intent.categories
    # What a message to somebody is about may name an hour, as a reminder does.
    if ((intent.is_plain or is_unsure) and wants_draft(text)) or wants_draft_alone(text):
        return replace(intent, categories=(NO_CATEGORY,), wish="talk", unmet=(), is_elsewhere=False)
    if asks_contents(text) and not intent.names_place and not intent.only:
        return replace(intent, categories=(NO_CATEGORY,), wish="talk", unmet=(), is_elsewhere=False, is_live=False)
    if intent.is_plain and intent.wish == "look" and asks_leave(text) and kind_asked(text) is None:
        return replace(intent, wish="talk", is_elsewhere=False)
    if not intent.only and wishes_none_of(intent.categories, text):
        return replace(intent, categories=(NO_CATEGORY,), wish="talk", refers_back=False)
    is_only_told = recollection.is_only_told and is_doubtful(intent) and not intent.only
    if recollection.told and "?" not in text and (intent.is_plain or is_only_told):
        return replace(intent, categories=(NO_CATEGORY,), wish="talk", unmet=(), is_elsewhere=False)
    is_about_self = intent.categories == (MEMORY,) and (bool(recollection.items) or has_history)
    # "What's the code of my lock?" may be looked for in other places than where it was told.
    may_be_known = (intent.confidence or 0.0) < _CLEARLY and not intent.names_place
    is_known = may_be_known and any(item.is_fact for item in recollection.items)
    if intent.wish == "talk" or (intent.wish == "look" and not intent.is_plain and (is_about_self or is_known)):
        return replace(intent, categories=(NO_CATEGORY,), wish="talk")
    return intent


def _only_tells(text: str, intent: Intent) -> bool:
    """Tell whether a text that was sorted by its sound tells of others, or of the day, or asks for a view."""
    if only_talks(text):
        return True
    if intent.by != "head" or intent.calls or intent.only:
        return False
    is_tale = intent.is_story and intent.wish == "act" and (tells_story(text) or asks_opinion(text))
    return is_tale or reports_only(text)


def of_book(text: str, intent: Intent, source: Source) -> Intent:
    """Take for plain talk what a book could tell without a sum, whatever tool it is near."""
    may_be = intent.wish == "look" and not intent.calls and _NEAR_BOOKS.issuperset(intent.categories)
    if not may_be or not source.is_book or any(map(str.isdigit, text)):
        return intent
    return replace(intent, categories=(NO_CATEGORY,), wish="talk", unmet=(), is_elsewhere=False)


def may_go_on_from_book(text: str, intent: Intent) -> bool:
    """Tell whether a short question may go on from one of general knowledge: "ok and the smallest?".

    One with words of live things, or of what is kept, does not."""
    is_loose = intent.wish != "act" and not (intent.calls or intent.only or intent.names_place or intent.unmet)
    is_unsure = intent.is_plain or (intent.confidence or 0.0) < _CLEARLY
    is_free = kind_named(text) is None and kind_asked(text, opens=True) is None
    is_free = is_free and WORDS["own"].isdisjoint(_WORD.findall(fold(text)))
    return is_loose and is_unsure and is_free and not intent.is_live and goes_on_asking(text)


def is_doubtful(intent: Intent) -> bool:
    """What refers to something just done was wished for then, and can be undone."""
    if intent.by != "head" or intent.wish != "act" or intent.refers_back:
        return False
    # A story names a list, too: "he keeps a list of excuses".
    is_unplaced = (intent.is_story or not intent.names_place) and (intent.confidence or 0.0) < _DOUBTFUL_CATEGORY
    return intent.wish_confidence < _DOUBTFUL_WISH or is_unplaced


class Known(NamedTuple):
    """A sentence with facts in it that says all there is to say."""

    sentence: Sentence
    facts: str


def answered_by_facts(text: str, intent: Intent, recollection: Recollection, told: Told) -> Known | None:
    """Return what is said to a message out of the person's own facts alone: a small model turns them around."""
    is_talk = intent.wish == "talk"
    if is_talk and recollection.is_only_told and quoting.without_asker(text) == text:
        if not _trails_question(text):
            return Known(PIPELINE.told, quoted(recollection.told))
        if quoting.asks_for_fact(text):
            return Known(PIPELINE.told_before, quoted(recollection.told))
    is_plain = is_talk or (intent.is_plain and intent.wish == "look")
    if is_plain and recollection.is_for_doctor and recollection.warnings and not recollection.told:
        return Known(PIPELINE.ask_doctor, quoted(recollection.warnings))
    # Told "of course", by a model that knows nothing of it, somebody might.
    if is_plain and recollection.is_for_doctor and (asks_leave(text) or asks_dose(text)):
        return Known(PIPELINE.ask_doctor_first, "")
    if is_plain and recollection.against and asks_leave(text):
        return Known(PIPELINE.better_not, quoted(recollection.against))
    if recollection.cautions and not recollection.told and intent.categories in ((NO_CATEGORY,), (MEMORY,)):
        return Known(PIPELINE.cannot_know_food, quoted(recollection.cautions))
    holding = _holding(text, recollection) if is_talk or intent.categories == (MEMORY,) else []
    if holding and (not intent.refers_back or len(_asked(text)) > 1):
        return Known(PIPELINE.told_before, quoted(quoting.with_gone(holding[:QUOTED_FACTS], told())))
    return None


def asked_of_own(
    text: str, intent: Intent, source: Source, recollection: Recollection, told: Told
) -> Known | None:
    """Return what `_asked_of_what_was_told` finds, for the last question of a text where that is surely for it.

    "Nothing of that was told" is no answer to what a book could tell.
    """
    known = _asked_of_what_was_told(text, intent, recollection, told)
    if source.is_own and (known is None or not known.facts):
        question = quoting.question_in(text)
        known = _asked_of_what_was_told(question, intent, recollection, told) or known
        if (known is None or not known.facts) and (one := _the_one_about(question, told())):
            known = Known(PIPELINE.told_before, quoted([one]))
    return None if known is not None and source.is_book and not known.facts else known


def _the_one_about(question: str, told: Sequence[str]) -> str:
    """Return the only one of what was told that has a word of a question; "" where none has, or several have."""
    asked = _asked(question)
    plain = (
        one
        for one in may_answer(question, told)
        if len(one) <= QUOTED_CHARS and "?" not in one and not wants_done(one)
    )
    found = [one for one in dict.fromkeys(plain) if not asked.isdisjoint(map(stem, words(one)))]
    return found[0] if len(found) == 1 and not asks_for_kept(found[0]) else ""


def _asked_of_what_was_told(text: str, intent: Intent, recollection: Recollection, told: Told) -> Known | None:
    """Return the person's own words where they ask for what is known of them, or what they `told` (oldest first)
    in this conversation, which is read only then."""
    text = quoting.without_asker(text)
    if not quoting.asks_for_fact(text) or not may_be_told(text, intent) or wants_draft(text) or brings_text(text):
        return None
    facts = [one.text for one in (*recollection.items, *recollection.more) if one.is_fact]
    plain = plainly_told(told())
    found = quoting.told_of(text, (*plain, *facts))
    # Kept, it is without the wish to keep it.
    kept = quoting.told_of(text, [one for one in facts if found is not None and one in found]) or found
    is_asked = recalls_own(text) and (intent.wish == "talk" or intent.categories == (MEMORY,))
    is_unfound = kept is None and is_asked and all(map(is_small_talk, plain[:_JUST_TOLD]))
    is_untold = kept is None and not facts and asks_of_own(text) and all(map(is_small_talk, plain))
    if is_unfound or is_untold:
        # What was to be noted, or reminded of, was told all the same.
        noted = quoting.told_of(text, [one for one in reversed(told()) if "?" not in one])
        denial = PIPELINE.nothing_found if is_unfound else PIPELINE.not_told
        return Known(denial, "") if noted is None else Known(PIPELINE.told_before, quoted([noted]))
    return None if kept is None else Known(PIPELINE.told_before, quoted(quoting.with_gone([kept], told())))


def plainly_told(told: Sequence[str]) -> list[str]:
    """Return what was told, put right, newest first; "shopping list: …" was done, and is shown by what did it."""
    return [
        one
        for one in reversed(put_right(told))
        if len(one) <= QUOTED_CHARS and not wants_done(one) and not asks_for_kept(one)
    ]


def put_right(told: Sequence[str]) -> list[str]:
    """Return what was told with what was put right since in its place, oldest first."""
    found: list[str] = []
    for one in told:
        is_right = is_correction(one) or says_whose(one)
        recent = range(len(found) - 1, max(-1, len(found) - 1 - _PUT_RIGHT), -1) if is_right else ()
        right = ((place, amended(found[place], one)) for place in recent)
        place, better = next(((place, better) for place, better in right if better is not None), (0, None))
        if better is None:
            found.append(one)
        else:
            found[place] = better.text
    return found


def may_be_told(text: str, intent: Intent) -> bool:
    """Tell whether a question may be for what a person told, not for what is kept, counted or looked up."""
    is_elsewhere = asks_for_kept(text) or asks_world(text) or not _NEVER_TOLD.isdisjoint(intent.categories)
    if intent.names_place or intent.only or is_elsewhere:
        return False
    is_clear = (intent.confidence or 0.0) >= _CLEARLY
    return says_recall(text) or not is_clear or _KEPT_APART.isdisjoint(intent.categories)


def quoted(facts: Sequence[str]) -> str:
    return "; ".join(f"«{fact}»" for fact in facts)


def _holding(text: str, recollection: Recollection) -> list[str]:
    """Return the facts that hold every word of a question; none for what is so for everybody."""
    text = "" if asks_world(text) else without_lead(text)
    opening = next(iter(_WORD.findall(fold(text))), "")
    if opening not in COMMON_WORDS["interrogatives"] and f"{opening}s" not in COMMON_WORDS["interrogatives"]:
        return []
    asked = _asked(text)
    facts = [one.text for one in (*recollection.items, *recollection.more) if one.is_fact]
    return [one for one in facts if asked and all(_is_in(word, one) for word in asked)]


def _asked(text: str) -> set[str]:
    """Return the stems of what a question is about."""
    return {stem(word) for word in words(text)} - COMMON_WORDS["asking"] - COMMON_WORDS["interrogatives"]


def _is_in(asked: str, fact: str) -> bool:
    """Tell whether a word, or another form of it ("cumplo", "cumple"), stands in a fact."""
    for word in map(stem, words(fact)):
        alike = max(_LEAST_ALIKE, math.ceil(_SHARE_ALIKE * max(len(asked), len(word))))
        if asked == word or asked[:alike] == word[:alike]:
            return True
    return False


def is_about(text: str, said: Sequence[str]) -> bool:
    """Tell whether a question has a word of what was said before."""
    asked = _asked(text)
    return any(not asked.isdisjoint(map(stem, words(one))) for one in said)


def as_they_told(answer: str, text: str, recollection: Recollection, said: Sequence[str]) -> Known | None:
    """Return the person's own words for an answer that denies them, or repeats them as if they were its own.

    They are what is known of them, told in `text`, or `said` before (oldest first). None where it does neither.
    """
    found = _as_told(answer, text, recollection, said)
    if found is None or found.sentence is not PIPELINE.told_before:
        return found
    if ASKS_NUMBER.search(fold(text)) or asks(text):
        return found if asks(text) or any(map(str.isdigit, found.facts)) else Known(PIPELINE.nothing_found, "")
    # Only a question is answered with what was told before: a statement may put that right.
    return Known(PIPELINE.heard, quoted([one_line(text, QUOTED_CHARS).rstrip(" .!")]))


def asked_of_other(text: str, said: Sequence[str], recollection: Recollection) -> Known | None:
    """Return what was told of the other one of two ("and mum's?"), where what was `said` last (oldest first) asked
    for the first; or what was said last, where that is asked for."""
    if asks_above(text):
        last = one_line(said[-1], QUOTED_CHARS) if said else ""
        return Known(PIPELINE.told_before if last else PIPELINE.not_told, quoted([last]))
    # "I'm at the desk, who is mum's doctor": it may ask behind a story, and without a mark.
    asking = COMMON_WORDS["interrogatives"] | TELLING_ME
    if not said or wants_done(text) or (not asks(said[-1]) and asking.isdisjoint(_WORD.findall(fold(said[-1])))):
        return None
    facts = [one.text for one in (*recollection.items, *recollection.more) if one.is_fact]
    told = [*(one for one in reversed(said[:-1]) if not asks(one)), *facts]
    half = quoting.half_of_other(text, said[-1], told)
    return None if half is None else Known(PIPELINE.told_before, quoted([half]))


def _trails_question(text: str) -> bool:
    """Tell whether the last clause of what is told asks: "I can't have kiwi, what can I not have"."""
    *before, last = [one for one in _CLAUSE.split(text) if one.strip()] or [""]
    first = next(iter(_WORD.findall(last)), "")
    opens = fold(first) in COMMON_WORDS["interrogatives"] - WORDS["subordinate"]
    return bool(before) and opens and (fold(first) not in WORDS["accented"] or fold(first) != first.casefold())


def asks_maybe(text: str) -> bool:
    """Tell whether a text may ask something, with a mark, a word of asking, or one that wants to be told."""
    return "?" in text or not _ASKING.isdisjoint(_WORD.findall(fold(text)))


def asks(text: str) -> bool:
    """Tell whether a text asks for something, or to be told or given it."""
    opening = list(takewhile(lambda word: word in COMMON_WORDS["opening"] | _ASKING, _WORD.findall(fold(text))))
    is_asked = not _ASKING.isdisjoint(opening)
    return "?" in text or is_asked or quoting.asks_for_fact(text) or says_recall(text)


def _as_told(answer: str, text: str, recollection: Recollection, said: Sequence[str]) -> Known | None:
    facts = [one for one in recollection.items if one.is_fact]
    near = [one.text for one in facts if one.why.startswith("words")] or [one.text for one in facts[:1]]
    near = near[:QUOTED_FACTS]
    if denies(answer) and (found := near or _told_of(text, said)):
        return Known(PIPELINE.told_before, quoted(found))
    # What is written for them, or mended, speaks as they do.
    if wants_draft(text) or brings_text(text):
        return None
    answered = fold(answer)
    if any(fold(fact) in answered for fact in near):
        return Known(PIPELINE.told_before, quoted(near))
    own = _said_as_ones_own(answer)
    if recollection.told and any(_says_no_more(one, text) for one in own):
        return Known(PIPELINE.told, quoted(recollection.told))
    for known in (*(fact.text for fact in facts), *reversed(said)):
        is_told = len(known) <= QUOTED_CHARS and "?" not in known
        if is_told and any(_says_no_more(one, known) for one in own):
            return Known(PIPELINE.told_before, quoted([known]))
    return None


def _said_as_ones_own(answer: str) -> list[str]:
    """Return the whole answer, and each of its sentences, where they speak as somebody does of themselves."""
    opener, _, rest = answer.partition("! ")
    whole = rest if len(opener.split()) <= _WORDS_OF_AN_OPENER else answer
    return [one for one in dict.fromkeys((whole, *_SENTENCE.split(answer))) if is_of_oneself(one)]


def _told_of(text: str, said: Sequence[str]) -> list[str]:
    """Return the newest thing that was told, not asked, with a word of what is asked now; [] where none was."""
    asked = _asked(text)
    told = (one for one in reversed(said) if "?" not in one and len(one) <= QUOTED_CHARS)
    return [one for one in told if any(_is_in(word, one) for word in asked)][:1]


def _says_no_more(answer: str, told: str) -> bool:
    """Tell whether nearly all that an answer says stands in what was told."""
    said, known = list(map(stem, words(answer))), set(map(stem, words(told)))
    return len(said) > 1 and sum(word in known for word in said) >= _SHARE_PARROTED * len(said)
