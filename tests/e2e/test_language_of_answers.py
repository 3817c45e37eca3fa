"""In which language a person is answered: that of the message, unless they settled on one."""

import tomllib
from pathlib import Path
from typing import Final

import pytest

from app.commands.texts import COMMANDS
from app.domain.errors import NotReady
from app.language.catalogue import LANGUAGE_NAMES, Language, say
from app.language.detection import LanguageDetector, read_wish
from app.pipeline.texts import PIPELINE
from app.simulator.payloads import SimUser, text
from tests.builders import ALICE, BOB
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app

FIRST: Final = tomllib.loads((Path(__file__).parents[1] / "data" / "first_messages.toml").read_text("utf-8"))
ELSEWHERE: Final = {"en": "54911", "es": "44770"}
"""Prefixes of countries in which people speak the other language."""


@pytest.mark.parametrize("language", ["en", "es"])
async def test_forty_first_messages_are_answered_in_their_own_language_whatever_the_prefix(
    tmp_path: Path, language: Language
) -> None:
    people = [SimUser(f"{ELSEWHERE[language]}{n:06}", "New") for n in range(40)]
    answered_otherwise, detector = [], LanguageDetector()
    async with running_app(tmp_path, allowed_phone_numbers=tuple(one.wa_id for one in people)) as app:
        for person, words in zip(people, FIRST[language], strict=True):
            asked = len(app.llm.requests)
            await app.graph.receive(person, text(words))
            await app.idle()
            # Who it is, and what it can do, is told by code.
            by_code = detector.detect(app.replies_to(person.wa_id)[-1], "es" if language == "en" else "en")
            by_model = [
                f"reply in {LANGUAGE_NAMES[language]}]" in one.messages[-1].content for one in app.llm.requests
            ]
            if by_code != language if asked == len(by_model) else not by_model[-1]:
                answered_otherwise.append(words)
        assert len(app.llm.requests) > 30
    assert answered_otherwise == []


async def test_what_code_says_during_the_first_turn_is_in_the_language_of_the_message(tmp_path: Path) -> None:
    llm = ScriptedChatModel(NotReady("model_fetching", progress=0.5), "Hi.")
    async with running_app(tmp_path, llm=llm) as app:
        await app.receive(ALICE, "Hello! How has your day been?")
        await app.let_time_pass()
        assert app.replies_to(ALICE)[0] == say(PIPELINE.model_fetching, "en", percent=50)


async def test_a_wish_settles_the_language_of_answers_until_it_is_taken_back(app: AppUnderTest) -> None:
    await app.say(ALICE, "de ahora en adelante respóndeme en inglés, por favor")
    assert app.replies_to(ALICE) == [say(PIPELINE.language_settled, "en")]
    assert app.llm.requests == []
    await app.say(ALICE, "¿Cómo estás? Cuéntame algo de tu día")
    await app.say(BOB, "¿Cómo estás? Cuéntame algo de tu día")
    assert [_language(app, n) for n in range(2)] == ["English", "Spanish"]
    await app.say(ALICE, "responde en el idioma en que te escribo")
    assert app.replies_to(ALICE)[-1] == say(PIPELINE.language_free, "es")
    await app.say(ALICE, "¿Cómo estás? Cuéntame algo de tu día")
    assert _language(app, 2) == "Spanish"


@pytest.mark.parametrize(
    ("prefix", "command", "language"),
    [
        ("54911", "/help", "es"),
        ("44770", "/help", "en"),
        ("44770", "/ayuda", "es"),
        ("54911", "/ayuda", "es"),
        ("44770", "/Ayuda", "es"),
        ("54911", "/remember my dog is called Rex", "en"),
        ("44770", "/recordar my dog is called Rex", "en"),
    ],
)
async def test_a_first_command_is_answered_in_the_language_of_its_words_else_its_name_else_the_prefix(
    tmp_path: Path, prefix: str, command: str, language: Language
) -> None:
    person = SimUser(f"{prefix}000001", "New")
    async with running_app(tmp_path, allowed_phone_numbers=(person.wa_id,)) as app:
        await app.graph.receive(person, text(command))
        await app.idle()
        replies = "\n".join(app.replies_to(person.wa_id))
        title = say(COMMANDS.help_title, language)
        assert title in replies if "Rex" not in command else LanguageDetector().detect(replies, "es") == language


@pytest.mark.parametrize("command", ["/help", "/ayuda"])
async def test_after_a_first_command_each_message_is_answered_in_its_own_language(
    tmp_path: Path, command: str
) -> None:
    person = SimUser("54911000001", "New")
    async with running_app(tmp_path, allowed_phone_numbers=(person.wa_id,)) as app:
        for words in (command, "What should I cook tonight?", "/help", "¿Y qué hago mañana?", "/help"):
            await app.graph.receive(person, text(words))
            await app.idle()
        told = [say(COMMANDS.help_title, language) for language in ("es", "en", "es")]
        helped = [reply.splitlines()[0] for reply in app.replies_to(person.wa_id)[::2]]
        assert [title in line for title, line in zip(told, helped, strict=True)] == [True] * 3
        assert [_language(app, n) for n in range(2)] == ["English", "Spanish"]


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("From now on please answer in English", "en"),
        ("from now on answer in Spanish", "es"),
        ("Please always reply to me in English.", "en"),
        ("Switch to Spanish", "es"),
        ("Speak English, please!", "en"),
        ("A partir de ahora contéstame en inglés, por favor", "en"),
        ("Háblame en español", "es"),
        ("quiero que me respondas siempre en español", "es"),
    ],
)
def test_a_wish_for_a_language_is_understood_in_any_of_them(words: str, language: Language) -> None:
    wish = read_wish(words)
    assert wish is not None
    assert wish.language == language


@pytest.mark.parametrize(
    "words",
    [
        "write a poem in English",
        "how do I answer in English?",
        "don't answer in English",
        "in English",
        "no respondas en inglés",
        "mi profe habla en inglés",
        "From now on answer in English. And what is the weather in Rome?",
        "answer in English " * 50,
    ],
)
def test_what_wants_more_than_a_language_is_for_the_model(words: str) -> None:
    assert read_wish(words) is None


def _language(app: AppUnderTest, request: int) -> str:
    return app.llm.requests[request].messages[-1].content.rpartition("reply in ")[2].rstrip("]")
