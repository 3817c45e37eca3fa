"""What code can say, code says; and what is no answer never leaves as one."""

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from app.language.catalogue import Language, say
from app.pipeline.texts import PIPELINE
from app.simulator import payloads
from app.simulator.payloads import SimUser
from tests.builders import ALICE, message
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app

SITUATIONS: Final = tomllib.loads((Path(__file__).parents[1] / "data" / "plain_answers.toml").read_text("utf-8"))
NUMBERS: Final = {"es": "5491150000001", "en": "447700900001"}
MEDIA: Final = {"id": "2", "mime_type": "application/octet-stream"}
CAROUSEL: Final = (
    "First soak the beans in cold water overnight, then boil them slowly with a bay leaf until they are soft. "
)


@pytest.mark.needs("conversation", "oversight", "mcp", "memory")
@pytest.mark.parametrize("language", ["es", "en"])
async def test_twenty_situations_in_each_language_are_answered_by_code_with_the_exact_sentence(
    tmp_path: Path, language: Language
) -> None:
    situations: list[dict[str, Any]] = SITUATIONS[language]
    assert len(situations) == 20
    said_otherwise = []
    person = SimUser(NUMBERS[language], "New")
    async with running_app(tmp_path, allowed_phone_numbers=(person.wa_id, ALICE)) as app:
        for situation in situations:
            await _happen(app, person, situation)
            await app.idle()
            if (last := app.replies_to(person.wa_id)[-1]) != situation["says"]:
                said_otherwise.append((situation, last))
        assert said_otherwise == []
        assert len(app.replies_to(person.wa_id)) == 20
        assert app.llm.requests == []
        # What is learnt from captions is read later, when nobody waits.
        sorting = [one for one in app.llm.short_requests if "numbered lines" not in one.messages[0].content]
        assert sorting == []


async def test_a_looping_answer_is_asked_for_again_and_the_second_one_counts(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(CAROUSEL * 30, "Beans, rice, soup.")) as app:
        await app.say(ALICE, "Suggest three dinners, please")
        assert app.replies_to(ALICE) == ["Beans, rice, soup."]


async def test_an_answer_that_loops_twice_is_cut_where_it_begins_to_repeat_itself(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(CAROUSEL * 30, CAROUSEL * 30)) as app:
        await app.say(ALICE, "Suggest three dinners, please")
        assert app.replies_to(ALICE) == [f"{CAROUSEL.strip()} …"]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"- {n} x 7 = {n * 7}" for n in range(1, 41)),
        "La la la la la la la la la la la la la la la la",
        "Monday: soup and bread.\nTuesday: soup and bread.\nWednesday: soup and bread.\nThursday: rice.",
    ],
)
async def test_a_table_or_a_song_is_no_loop(tmp_path: Path, text: str) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(text)) as app:
        await app.say(ALICE, "go on, please")
        assert len(app.llm.requests) == 1


async def test_json_never_leaves_as_an_answer(tmp_path: Path) -> None:
    llm = ScriptedChatModel('{"dinner": ["soup", "rice"]}', '```json\n[{"dinner": "soup"}]\n```')
    async with running_app(tmp_path, llm=llm) as app:
        await app.say(ALICE, "Suggest three dinners, please")
        assert app.replies_to(ALICE) == [say(PIPELINE.empty_answer, "en", ref=1)]


@pytest.mark.parametrize("text", ["…", "...", " . …\n"])
async def test_three_dots_are_no_answer(tmp_path: Path, text: str) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(text, text)) as app:
        await app.say(ALICE, "Tell me something about owls")
        assert app.replies_to(ALICE) == [say(PIPELINE.empty_answer, "en", ref=1)]


async def test_json_that_was_asked_for_is_an_answer(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel('{"dinner": "soup"}')) as app:
        await app.say(ALICE, "Suggest a dinner as JSON, please")
        assert app.replies_to(ALICE) == ['{"dinner": "soup"}']


async def _happen(app: AppUnderTest, person: SimUser, situation: dict[str, Any]) -> None:
    match situation:
        case {"writes": words}:
            await app.graph.receive(person, payloads.text(words))
        case {"presses": title}:
            await app.graph.receive(person, payloads.button_reply("approve:1", title))
        case {"sends": kind}:
            body = {
                "order": {
                    "product_items": [
                        {"product_retailer_id": "1", "quantity": 1, "item_price": 5, "currency": "EUR"}
                    ]
                },
                "unsupported": None,
                "request_welcome": None,
            }.get(kind, MEDIA)
            await app.post(message(kind, body, sender=person.wa_id))
