"""What a question of the person's own is answered with: their own sentences, or that nothing of it was told."""

from app.domain.recollection import Recollection
from app.pipeline.answering import quoting
from app.pipeline.answering.nearest import Likeness, nearest, own_thing
from app.pipeline.answering.wishes import (
    QUOTED_FACTS,
    Known,
    Told,
    answered_by_facts,
    asked_of_own,
    may_be_told,
    plainly_told,
    quoted,
)
from app.pipeline.lexicon import asks_dose, asks_leave, says_recall, wants_draft
from app.pipeline.lexicon.told import asks_of_spouse, tells_marriage
from app.pipeline.texts import PIPELINE
from app.skills.router import Intent
from app.skills.sources.sources import Source
from app.skills.unusable import brings_text


async def known_of_theirs(
    text: str, intent: Intent, source: Source, recollection: Recollection, told: Told, likeness: Likeness
) -> Known | None:
    """Return what is told out of the person's own facts, or their own words.

    What their medicine is called is no question for a doctor, where they told it.
    """
    known = answered_by_facts(text, intent, recollection, told)
    if known is not None and not (known.sentence is PIPELINE.ask_doctor and _asks_only_name(text)):
        return known
    theirs = await asked_of_theirs(text, intent, source, recollection, told, likeness)
    return theirs if known is None or (theirs is not None and theirs.facts) else known


def _asks_only_name(text: str) -> bool:
    if asks_leave(text) or asks_dose(text):
        return False
    thing = own_thing(quoting.without_asker(text))
    return thing is not None and thing.kind == "name"


async def asked_of_theirs(
    text: str, intent: Intent, source: Source, recollection: Recollection, told: Told, likeness: Likeness
) -> Known | None:
    """Return what is told of a question, or of each of those that a text asks at once."""
    each = quoting.each_question(quoting.without_asker(text))
    known = [await _asked_of_one(one, intent, source, recollection, told, likeness) for one in each]
    facts = [*dict.fromkeys(one.facts for one in known if one is not None and one.facts)]
    is_each = all(one is not None and one.facts for one in known)
    if facts and (is_each or all(own_thing(one) is not None for one in each)):
        return Known(PIPELINE.told_before, "; ".join(facts))
    return await _asked_of_one(text, intent, source, recollection, told, likeness)


async def _asked_of_one(
    text: str, intent: Intent, source: Source, recollection: Recollection, told: Told, likeness: Likeness
) -> Known | None:
    """Return what `asked_of_own` finds; where that is nothing, or of somebody else's ("my friend got a spaniel"),
    the sentences that tell it by another word.

    That nothing was found is said of a name and an age alone: a small model makes those up.
    """
    known = asked_of_own(text, intent, source, recollection, told)
    thing = own_thing(quoting.without_asker(text))
    if thing is None or not may_be_told(text, intent) or wants_draft(text) or brings_text(text):
        return known
    facts = [one.text for one in (*recollection.items, *recollection.more) if one.is_fact]
    plain = plainly_told(told())
    said = [*plain, *facts]
    near = await nearest(thing, said, likeness)
    if near.found:
        found = [one for one in near.found if not any(one != other and one in other for other in near.found)]
        return Known(PIPELINE.told_before, quoted(quoting.with_gone(found[:QUOTED_FACTS], told())))
    if thing.kind == "name" and asks_of_spouse(thing.called) and (married := [*filter(tells_marriage, said)]):
        return Known(PIPELINE.told_before, quoted(quoting.with_gone(married[-1:], told())))
    if known is not None and known.facts and not any(one in known.facts for one in near.refused):
        return known
    if source.is_book:
        return None
    if thing.kind in {"name", "age"} and (source.is_own or says_recall(text)):
        return Known(PIPELINE.nothing_found if said else PIPELINE.not_told, "")
    return None if known is None or known.facts else known
