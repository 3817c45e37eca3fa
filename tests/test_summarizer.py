"""Folding: every message is in the summary's range or in history, whatever fails, whoever comes in between."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.chat import ChatRequest, ChatResponse
from app.domain.errors import Permanent, Transient
from app.domain.ids import ConversationId, TurnId, UserId
from app.llm.prompts import load_prompt
from app.memory.extraction import Extractor
from app.memory.summarizer import FoldLimits, Summarizer, usable_summary
from tests.examples import some
from tests.fakes.llm import Line, ScriptedChatModel, answer
from tests.talks import ANN, BOB, FactBook, Talks, talking

LIMITS = FoldLimits(
    over_messages=12, over_tokens=2_000, keep_messages=4, keep_tokens=400, chunk_tokens=300, summary_chars=400
)
GOOD = "Ann and the assistant talked about her plans for the garden behind the house."
USELESS = ("", "   ", "Ok.", '{"summary": "x"}', "<|im_start|>user " + GOOD, "user: hi\nassistant: hello\n" + GOOD)


class PatientModel(ScriptedChatModel):
    """Counts the calls that it holds back, and can forget lines that nobody asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[ChatRequest] = []

    async def chat(self, request: ChatRequest) -> ChatResponse:
        self.held.append(request)
        return await super().chat(request)

    def forget(self) -> None:
        self.held.clear()
        self._lines.clear()


class Study:
    """A summariser over a real database; its extraction finds nothing that needs a model."""

    def __init__(self, talks: Talks, *, limits: FoldLimits = LIMITS) -> None:
        self.talks = talks
        self.model = PatientModel()
        self.book = FactBook()
        repository = talks.repository
        notes = ScriptedChatModel()
        notes.category = '{"facts": [], "events": []}'
        extractor = Extractor(
            repository, notes, self.book, prompt=load_prompt("app.memory", "extract"), timezone="UTC"
        )
        prompt = load_prompt("app.memory", "summarize")
        self.summarizer = Summarizer(repository, self.model, extractor, talks.clock, prompt=prompt, limits=limits)
        self.is_idle = True

    async def fold(self, user_id: UserId = ANN) -> int:
        conversation_id = await self.talks.open(user_id)
        return await self.summarizer.fold(user_id, conversation_id, is_idle=lambda _: self.is_idle)

    async def chat_long(self, turns: int = 10) -> ConversationId:
        for n in range(turns):
            await self.talks.say(f"message number {n}", answer=f"answer number {n}")
        return await self.talks.open()

    async def check_ranges(self, conversation_id: ConversationId) -> tuple[int, int]:
        """Every stored message is on exactly one side of the mark; returns how many are on each."""
        standing = await self.talks.repository.summaries.read(ANN, conversation_id, limit=1_000)
        assert standing is not None
        shown = [one.id for one in standing.messages]
        covered = [one for one in await self.talks.ids() if one <= standing.folded_through]
        assert covered + shown == await self.talks.ids()
        assert bool(covered) == (standing.summary is not None)
        assert standing.extracted_through >= standing.folded_through
        return len(covered), len(shown)


@pytest.fixture
async def study() -> AsyncIterator[Study]:
    async with talking() as talks:
        yield Study(talks)


async def test_a_short_conversation_is_left_alone(study: Study) -> None:
    await study.chat_long(6)
    assert await study.fold() == 0
    assert study.model.requests == []


async def test_the_oldest_messages_are_folded_and_whole_recent_turns_stay(study: Study) -> None:
    conversation_id = await study.chat_long(10)
    study.model.add(GOOD)
    assert await study.fold() == 16
    assert await study.check_ranges(conversation_id) == (16, 4)
    standing = await study.talks.repository.summaries.read(ANN, conversation_id)
    assert standing is not None
    assert standing.summary is not None
    assert standing.summary.text == GOOD
    assert standing.messages[0].stored.text == "message number 8"


async def test_the_model_reads_the_summary_so_far_and_only_what_is_folded_now(study: Study) -> None:
    await study.chat_long(10)
    study.model.add(GOOD)
    await study.fold()
    for n in range(10, 16):
        await study.talks.say(f"message number {n}")
    study.model.add(GOOD + " Then they went on.")
    assert await study.fold() == 12
    prompt = study.model.requests[-1].messages[-1].content
    assert GOOD in prompt
    assert "message number 7" not in prompt
    assert "message number 8" in prompt
    assert "message number 14" not in prompt
    assert study.model.requests[-1].purpose == "short"


async def test_a_long_backlog_is_folded_in_chunks_that_fit(study: Study) -> None:
    for n in range(30):
        await study.talks.say(f"{n} " + "word " * 60)
    study.model.add(*[GOOD] * 40)
    assert await study.fold() > 0
    await study.check_ranges(await study.talks.open())
    sizes = [len(request.messages[-1].content) for request in study.model.requests]
    assert len(sizes) > 3
    assert max(sizes) < 300 * 3.5 + LIMITS.summary_chars + 100


async def test_one_turn_that_is_longer_than_a_chunk_is_read_from_both_ends(study: Study) -> None:
    await study.talks.say("BEGIN " + "filler " * 2_000 + "END")
    await study.chat_long(8)
    study.model.add(*[GOOD] * 9)
    await study.fold()
    prompt = study.model.requests[0].messages[-1].content
    assert "BEGIN" in prompt
    assert "END" in prompt
    assert len(prompt) < 2_000


@pytest.mark.parametrize("useless", USELESS)
async def test_a_useless_answer_changes_nothing_and_is_tried_again_later(study: Study, useless: str) -> None:
    conversation_id = await study.chat_long()
    study.model.add(useless)
    assert await study.fold() == 0
    assert await study.check_ranges(conversation_id) == (0, 20)
    assert await study.fold() == 0
    assert len(study.model.requests) == 1
    await study.talks.clock.advance(31)
    study.model.add(GOOD)
    assert await study.fold() == 16


@pytest.mark.parametrize("failure", [Transient("llm_timeout"), Permanent("llm_model_missing")])
async def test_a_failing_model_changes_nothing(study: Study, failure: Exception) -> None:
    conversation_id = await study.chat_long()
    study.model.add(failure)
    assert await study.fold() == 0
    assert await study.check_ranges(conversation_id) == (0, 20)


async def test_a_summary_that_forgets_most_of_the_one_before_is_refused(study: Study) -> None:
    await study.chat_long()
    long = " ".join(f"Fact number {n} was told in the kitchen." for n in range(8))
    study.model.add(long)
    await study.fold()
    await study.chat_long(8)
    study.model.add("They talked some more about this and that.")
    assert await study.fold() == 0


async def test_a_message_that_arrives_during_the_fold_stays_in_history(study: Study) -> None:
    conversation_id = await study.chat_long()
    study.model.add(GOOD)
    study.model.block()
    folding = asyncio.create_task(study.fold())
    async with asyncio.timeout(5):
        await study.model.started.wait()
        await study.talks.say("in between")
        study.model.release()
        assert await folding == 16
    assert await study.check_ranges(conversation_id) == (16, 6)
    standing = await study.talks.repository.summaries.read(ANN, conversation_id)
    assert standing is not None
    assert standing.messages[-2].stored.text == "in between"


async def test_a_message_that_is_revoked_during_the_fold_is_in_no_summary(study: Study) -> None:
    first = await study.talks.say("a secret that I take back")
    conversation_id = await study.chat_long()
    study.model.add(GOOD + " She told a secret.")
    study.model.block()
    folding = asyncio.create_task(study.fold())
    async with asyncio.timeout(5):
        await study.model.started.wait()
        await study.talks.revoke(first)
        study.model.release()
        assert await folding == 0
    assert await study.check_ranges(conversation_id) == (0, 21)


async def test_two_folds_at_once_fold_every_message_once(study: Study) -> None:
    conversation_id = await study.chat_long()
    study.model.add(*[GOOD] * 4)
    study.model.block()
    folds = [asyncio.create_task(study.fold()) for _ in range(2)]
    async with asyncio.timeout(5):
        while len(study.model.requests) < 2:
            await asyncio.sleep(0)
        study.model.release()
        assert sorted([await fold for fold in folds]) == [0, 16]
    await study.check_ranges(conversation_id)


async def test_nobody_who_waits_for_an_answer_is_kept_waiting(study: Study) -> None:
    await study.chat_long()
    study.is_idle = False
    assert await study.fold() == 0
    assert study.model.requests == []


async def test_facts_are_taken_out_before_their_messages_are_folded(study: Study) -> None:
    await study.talks.say("me llamo Ana")
    await study.chat_long()
    study.model.add(GOOD)
    await study.fold()
    assert study.book.of() == ["me llamo Ana"]


async def test_only_ones_own_words_reach_the_model(study: Study) -> None:
    await study.chat_long()
    for n in range(10):
        await study.talks.say(f"bob's secret {n}", user_id=BOB)
    study.model.add(GOOD, GOOD)
    await study.fold()
    await study.fold(BOB)
    assert ["secret" in request.messages[-1].content for request in study.model.requests] == [False, True]


def cut_off(_: ChatRequest) -> ChatResponse:
    return ChatResponse(GOOD + " And then she began to", usage=answer("").usage, is_truncated=True)


async def test_a_sentence_that_the_limit_cut_in_two_is_left_out(study: Study) -> None:
    conversation_id = await study.chat_long()
    study.model.add(cut_off)
    await study.fold()
    standing = await study.talks.repository.summaries.read(ANN, conversation_id)
    assert standing is not None
    assert standing.summary is not None
    assert standing.summary.text == GOOD


@pytest.mark.parametrize("context_tokens", [1024, 2048, 4096, 8192, 32_768])
def test_the_limits_leave_room_in_any_context(context_tokens: int) -> None:
    limits = FoldLimits.for_context(context_tokens)
    summary_tokens = limits.summary_chars // 3
    prompt_tokens = 250 + summary_tokens + limits.chunk_tokens
    assert prompt_tokens + summary_tokens <= context_tokens
    assert limits.keep_tokens + summary_tokens < limits.over_tokens < context_tokens


@given(st.text(max_size=300), st.text(max_size=100), st.integers(40, 300))
def test_a_summary_is_bounded_whatever_the_model_writes(text: str, before: str, limit: int) -> None:
    summary = usable_summary(text, before, limit_chars=limit)
    assert summary is None or 40 <= len(summary) <= limit


def test_a_label_goes_and_a_sentence_that_repeats_is_said_once() -> None:
    assert usable_summary(f"**Summary:** {GOOD} {GOOD} {GOOD}", "", limit_chars=400) == GOOD


STEPS = st.sampled_from(
    ("say", "say", "say", "say silently", "revoke", "edit", "fold", "fold two", "fail", "empty")
)
OUTCOMES: Mapping[str, Line] = MappingProxyType({"fail": Transient("llm_timeout"), "empty": ""})


@given(st.lists(STEPS, min_size=8, max_size=40))
@some(0.4)
def test_after_anything_every_message_is_in_summary_or_history(steps: list[str]) -> None:
    asyncio.run(live_through(steps))


async def live_through(steps: list[str]) -> None:
    small = FoldLimits(over_messages=6, keep_messages=2, chunk_tokens=60)
    async with talking() as talks:
        study = Study(talks, limits=small)
        turns = [await talks.say("the first words")]
        conversation_id = await talks.open()
        for number, step in enumerate(steps):
            await talks.clock.advance(4_000)
            turn = turns[number % len(turns)]
            match step:
                case "say" | "say silently":
                    turns.append(await talks.say(f"words {number}", answer="ok" if step == "say" else None))
                case "revoke":
                    await talks.revoke(turn)
                case "edit":
                    await talks.edit(turn, f"other words {number}")
                case _:
                    study.model.add(*[OUTCOMES.get(step, GOOD)] * 40)
                    await fold_while_talking(study, turn, number, folds=2 if step == "fold two" else 1)
            await study.check_ranges(conversation_id)


async def fold_while_talking(study: Study, turn: TurnId, number: int, *, folds: int) -> None:
    """Hold the model's answer back while the person goes on writing, and takes something back at times."""
    study.model.block()
    tasks = [asyncio.create_task(study.fold()) for _ in range(folds)]
    async with asyncio.timeout(5):
        while len(study.model.held) < folds and not all(task.done() for task in tasks):
            await asyncio.sleep(0)
        await study.talks.say(f"in between {number}")
        if number % 3 == 0:
            await study.talks.revoke(turn)
        study.model.release()
        for task in tasks:
            await task
    study.model.forget()
