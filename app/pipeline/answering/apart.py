"""What a message wants, part by part, each as it is answered alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from app.domain.ports import ChatModel
from app.domain.recollection import NOTHING_RECALLED, Remembering
from app.domain.turn import TurnContext
from app.pipeline import lexicon
from app.pipeline.answering import parting
from app.pipeline.answering.parting import Part
from app.pipeline.answering.perceiving import Question
from app.pipeline.answering.wishes import is_doubtful, of_book
from app.skills.amending import is_correction
from app.skills.router import NO_CATEGORY, Intent
from app.skills.selection import ToolSelection
from app.when.reading import read_wish

_MOST_PARTS: Final = 3
_TALK: Final = Intent((NO_CATEGORY,), by="rule", wish="talk")


class Wish(NamedTuple):
    """A part of a message with the turn as it is for it; where it only tells, `told` are the facts in it."""

    text: str
    intent: Intent
    question: Question
    told: tuple[str, ...] = ()


class Apart:
    def __init__(self, selection: ToolSelection, remembering: Remembering) -> None:
        self._selection = selection
        self._remembering = remembering

    async def of_kinds(self, question: Question, model: ChatModel) -> list[Wish]:
        """Return the wishes of a message for a list and for something else; [] where one is not clear."""
        first, wished = parting.told_before(question.asked)
        if (before := await self._beside(first, question, model)) is None:
            return []
        last, wish = parting.told_behind(wished)
        if behind := await self._facts(last, question):
            wished = wish
        parts = parting.parts_of_kinds(wished) or parting.question_behind(wished)
        if first or behind:
            parts = parts or [Part(wished)]
        is_story = bool(first) and not before
        # "My niece is called Bea, remind me at 6 to ring her": what is told says who. "Gravel and a
        # bench, as tasks" is no story at all.
        is_needed = is_story or any(one.told for one in before)
        whole = question.asked if is_needed and not behind and len(parts) == 1 else ""
        ctx = _of_part(question, whole)
        if whole and (intent := await self._selection.find_certain(whole, ctx, model)) is not None:
            return [*before, Wish(whole, intent, _alone(question, whole, ctx, intent))]
        wanted = [await self._of(part, question, model) for part in parts]
        wishes = [one for one in wanted if one is not None and not (is_story and _may_need(first, one))]
        return [*before, *wishes, *behind] if len(wishes) == len(wanted) else []

    async def _beside(self, told: str, question: Question, model: ChatModel) -> list[Wish] | None:
        """Return what is said to what stands beside the wishes: to facts, to a correction of what was done, and
        nothing to a story; None where it is none of these."""
        if not told:
            return []
        ctx = _of_part(question, told)
        if is_correction(told):
            amended = await self._selection.find_certain(told, ctx, model)
            if amended is None and not any(map(str.isdigit, told)):
                return None
            amended = amended or await self._sort_alone(told, model, ctx)
            return [Wish(told, amended, _alone(question, told, ctx, amended))]
        facts = await self._facts(told, question)
        return facts if facts or parting.tells_story(question.asked, told) else None

    async def _facts(self, told: str, question: Question) -> list[Wish]:
        ctx = _of_part(question, told)
        known = await self._remembering.recall(told, ctx) if told else NOTHING_RECALLED
        is_fact = known.is_only_told and known.told
        return [Wish(told, _TALK, _alone(question, told, ctx), known.told)] if is_fact else []

    async def _of(self, part: Part, question: Question, model: ChatModel) -> Wish | None:
        certain = partial(self._selection.find_certain, model=model)
        noted = parting.as_note(part.text) if part.kind == "told" else ""
        intent = await certain(part.text, _of_part(question, part.text))
        if intent is None and noted:
            part = part._replace(text=noted, beside="")
            intent = await certain(noted, _of_part(question, noted))
        said = part.text if intent is not None else part.beside or part.text
        ctx = _of_part(question, said)
        intent = intent or await certain(said, ctx) or await self._sort_alone(said, model, ctx)
        if said == part.beside and parting.does_again(intent):
            if (alone := parting.asked_alone(part)) is None:
                alone = part.text, await self._sort_alone(part.text, model, ctx)
            said, intent = alone
            ctx = _of_part(question, said)
        placed = parting.placed(part, intent)
        return None if placed is None else Wish(said, placed, _alone(question, said, ctx, placed))

    async def as_sorted(self, intent: Intent, question: Question, model: ChatModel) -> list[Wish]:
        """Return the wishes of a sorted message one by one, where each is clear without the others; else none.

        A small model that is to make two calls at once mixes their words up, and reads a longer prompt.
        """
        ctx, several = question.ctx, len(intent.categories) > 1 and not intent.is_one_wish
        if not several or question.shown != question.asked or len(intent.parts) < 2:
            return []
        sort = partial(self._sort_alone, model=model, ctx=ctx)
        found = await parting.wishes_in(question.asked, intent.parts, sort)
        wished = [name for _, one in found for name in one.categories]
        if (
            not 1 < len(found) <= _MOST_PARTS
            or NO_CATEGORY in wished
            or not _agree(wished, intent.categories)
            or any(one.refers_back for _, one in found)
        ):
            return []
        return [await self._as_clear(part, one, question, model) for part, one in found]

    async def _as_clear(self, part: str, sorted_to: Intent, question: Question, model: ChatModel) -> Wish:
        """Return a part as it is answered alone: with its call, where that leaves nothing to a model."""
        part = parting.bare(part)
        ctx = _of_part(question, part)
        intent = await self._selection.find_certain(part, ctx, model) or sorted_to
        is_doubted = intent.in_doubt if intent.calls else is_doubtful(intent)
        ctx = replace(ctx, in_doubt=is_doubted, is_read=intent.is_read)
        return Wish(part, intent, replace(question, asked=part, shown=part, ctx=ctx))

    async def _sort_alone(self, part: str, model: ChatModel, ctx: TurnContext) -> Intent:
        intent = await self._selection.sort(part, (), (), model, ctx)
        return of_book(part, intent, await self._selection.source_of(part))


def _may_need(story: str, wish: Wish) -> bool:
    """Tell whether a wish may need the story before it: for a time, or to say what it is about."""
    ctx = wish.question.ctx
    if not wish.intent.calls or (
        wish.intent.categories != ("lists",) and lexicon.POINTS_AT_STORY.search(wish.text)
    ):
        return True
    now = ctx.received_at.astimezone(ZoneInfo(ctx.timezone))
    return wish.intent.categories != ("lists",) and read_wish(story, now, ctx.language).when is not None


def _alone(question: Question, part: str, ctx: TurnContext, intent: Intent = _TALK) -> Question:
    ctx = replace(ctx, in_doubt=intent.in_doubt, is_read=intent.is_read)
    return replace(question, asked=part, shown=part, ctx=ctx)


def _agree(wished: Sequence[str], sorted_to: Sequence[str]) -> bool:
    """Tell whether wishes alone are what the whole message was sorted to; of one, its words know better."""
    return len(wished) == len(sorted_to) and len(Counter(wished) - Counter(sorted_to)) <= 1


def _of_part(question: Question, part: str) -> TurnContext:
    """Return the turn as it is for one part of its message."""
    said = question.ctx.said
    return replace(question.ctx, said=replace(said, now=(part,), before=(question.shown, *said.before)))
