"""What is said to a wish that nothing here can do: a small model would claim that it was done."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from app.domain.recollection import Recollection
from app.language.catalogue import LANGUAGES, Sentence, say
from app.pipeline.answering import quoting
from app.pipeline.answering.perceiving import Question
from app.pipeline.answering.wishes import asks_maybe, is_about
from app.pipeline.lexicon import (
    asks_for_kept,
    asks_outcome,
    asks_price,
    is_of_others,
    wants_done,
    wants_draft,
)
from app.pipeline.lexicon.happened import (
    tells_day,
    tells_what_happened,
    tells_yield,
    thanks_first,
    wishes_no_errand,
)
from app.pipeline.lexicon.limits import Kind, is_no_errand, kind_asked, kind_named
from app.pipeline.lexicon.reported import reports_only
from app.pipeline.lexicon.sayings import is_saying, wants_no_errand
from app.pipeline.lexicon.world import asks_world
from app.pipeline.texts import PIPELINE
from app.skills.executor import LoopResult
from app.skills.picking.reading import read_wish
from app.skills.renaming import read_new_name
from app.skills.router import Intent
from app.skills.sources.sources import ERRANDS, Errand, Source
from app.skills.unusable import brings_text, exclaims, is_news

_DATES: Final = "look_up_date"
_CLEARLY: Final = 0.8
_EXPAND: Final = "expand"
_SURELY: Final = 0.9
_PLAINLY: Final = 0.55
_ANSWERS_BACK: Final = 2
_LEAST_OF_ERRAND: Final = 2
# Of 2,500 messages of plain talk, 25 were taken for a question about the world with 0.7 or more; 8 are, where one
# without words of such a question needs 0.86; of 381 such questions, 366 are left so.
_LOOKED_FOR: Final = 0.7
_LOOKED_FOR_UNNAMED: Final = 0.86
_REFUSALS: Final[Mapping[Kind, Sentence]] = MappingProxyType(
    {
        "reach": PIPELINE.cannot_reach,
        "pay": PIPELINE.cannot_pay,
        "live": PIPELINE.cannot_look_up,
        "control": PIPELINE.cannot_control,
        "see": PIPELINE.cannot_see,
    }
)
_LOOKED_INTO: Final[frozenset[Kind]] = frozenset({"live", "see"})
# What is asked about after one of these is something that was to go out.
_WENT_OUT: Final = (PIPELINE.cannot_do, PIPELINE.cannot_reach, PIPELINE.cannot_pay, PIPELINE.nothing_went_out)


def refusal_for(
    intent: Intent, question: Question, recollection: Recollection, said: Sequence[str], source: Source
) -> Sentence | None:
    """Return what to say to a wish that nothing here can do: a small model would claim that it was done.

    What is looked for and came to mind, or was `said` before, is known after all. Who only tells what happened
    wants nothing of it.
    """
    refusal = _refusal(intent, question, recollection, said, source)
    return None if refusal is None or _only_tells(question.asked) else refusal


def _refusal(
    intent: Intent, question: Question, recollection: Recollection, said: Sequence[str], source: Source
) -> Sentence | None:
    if _asks_for_nothing(question.asked):
        return None
    is_unsure = not intent.names_place and not intent.only and (intent.confidence or 0.0) < _CLEARLY
    errand = _errand_in(question.asked, intent, source)
    asked = kind_asked(question.asked, opens=not intent.is_plain) or errand
    # Who opens with the order of a ride for seven has no reminder in mind.
    is_errand = asked == "pay" or errand is not None
    is_unsure = is_unsure or (is_errand and not intent.names_place and not intent.only)
    is_unsure |= kind_asked(question.asked, opens=True) == "reach"
    if question.categories or not (intent.is_plain or is_unsure):
        return None
    # A file that came with the question may hold the answer, and so may what was said.
    is_at_hand = (goes_on := quoting.only_goes_on(question.asked)) or question.shown != question.asked
    is_at_hand = is_at_hand or bool(recollection.items)
    # "Which one came first?" is of the note before it.
    is_of_kept = kind_named(question.asked) is None and any(
        asks_for_kept(one) or wants_done(one) for one in said[-1:]
    )
    is_at_hand = is_at_hand or is_of_kept or is_about(question.asked, said)
    if asked is not None and not (is_at_hand and asked in _LOOKED_INTO) and not _is_of_words(question.asked):
        return PIPELINE.cannot_install if _EXPAND in intent.unmet and asked == "control" else _REFUSALS[asked]
    if (source.is_book or source.is_own) and not intent.unmet:
        return None
    # "When was her operation?" is of whom was just spoken of.
    if intent.refers_back or not intent.is_plain or (said and is_of_others(question.asked)):
        return None
    named = kind_named(question.asked, _LOOKED_INTO)
    looked = _REFUSALS[named or "live"]
    # "They moved her to room 6" tells, and asks for no news.
    may_ask = named is not None or intent.wish == "look" or asks_maybe(question.asked)
    is_live = intent.is_live or (source.is_live and may_ask and not _is_of_words(question.asked))
    if is_live and not recollection.items and not goes_on:
        return looked
    if intent.wish in (None, "talk"):
        return None
    if _EXPAND in intent.unmet:
        return PIPELINE.cannot_install
    is_certain = bool(intent.unmet) or intent.is_elsewhere
    is_plain = (intent.confidence or 0.0) >= _PLAINLY
    if intent.wish == "act":
        is_certain = is_certain or (is_plain and intent.wish_confidence >= _SURELY)
        of_act = kind_named(question.asked)
        return (PIPELINE.cannot_do if of_act is None else _REFUSALS[of_act]) if is_certain else None
    least = _LOOKED_FOR if named else _LOOKED_FOR_UNNAMED
    is_certain = is_certain or (is_plain and intent.wish_confidence >= least)
    return looked if is_certain and not is_at_hand else None


def _asks_for_nothing(text: str) -> bool:
    is_of_world = asks_world(text) or (exclaims(text) and is_news(text))
    return is_no_errand(text) or is_of_world or _is_of_things_here(text)


def _is_of_things_here(text: str) -> bool:
    """Tell whether a text wants another name for what was just made, or things gone or done that it tells by their
    places alone: "delete the last one"."""
    wish = read_wish(text)
    by_place = wish is not None and bool(wish.targets) and all(one.place is not None for one in wish.targets)
    return by_place or bool(read_new_name(text))


def _only_tells(text: str) -> bool:
    """A head takes what was paid, booked or sent for a wish to do so, and "the lift was out" for a look at it."""
    is_told = tells_what_happened(text) or tells_day(text) or (thanks_first(text) and wishes_no_errand(text))
    if reports_only(text) or is_saying(text) or wants_no_errand(text) or tells_yield(text):
        return True
    return kind_asked(text) is None and is_told


def _errand_in(text: str, intent: Intent, source: Source) -> Errand | None:
    if intent.calls or len(text.split()) < _LEAST_OF_ERRAND:  # A head has to read something in "u7m4", too.
        return None
    return source.asked_errand((intent.wish == "act") + (kind_named(text, ERRANDS) is not None))


def found_no_date(result: LoopResult) -> bool:
    """Tell whether all that was done is to look up a date where there was none: "how many days has a week"."""
    return bool(result.steps) and all(step.name == _DATES and step.kind == "failed" for step in result.steps)


def _is_of_words(text: str) -> bool:
    """Tell whether a text wants words written, or put right, whatever they say."""
    return wants_draft(text) or brings_text(text)


def asks_of_refused(text: str, answers: Sequence[str]) -> bool:
    """Tell whether a message asks what came of an act that was refused just before; `answers` oldest first."""
    if not asks_outcome(text):
        return False
    refusals = [say(one, language) for language in LANGUAGES for one in _WENT_OUT]
    return any(refusal in answer for answer in answers[-_ANSWERS_BACK:] for refusal in refusals)


def asks_price_of_refused(text: str, answers: Sequence[str]) -> bool:
    """Tell whether a message asks what something costs that was refused just before; `answers` oldest first."""
    if not answers or not asks_price(text):
        return False
    refusals = (*_REFUSALS.values(), PIPELINE.cannot_do, PIPELINE.cannot_know_price)
    return any(say(one, language) in answers[-1] for one in refusals for language in LANGUAGES)
