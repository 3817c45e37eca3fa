"""The catalogues: complete, alike in every language, short enough for WhatsApp, and each sentence used."""

import ast
import re
import string
from collections import Counter
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest

from app.asking.texts import ASKING
from app.domain.outbound import MAX_BUTTON_TITLE_CHARS, MAX_INTERACTIVE_BODY_CHARS
from app.language.catalogue import LANGUAGES, Language, Sentence, Texts, say
from app.pipeline.texts import PIPELINE
from tests.syntax import every_node

APP = Path(__file__).resolve().parents[1] / "app"
LONGEST_NAME = "N" * 25
"""WhatsApp lets a profile name have 25 characters."""


def rooms() -> dict[str, Texts]:
    """Return every room's sentences under the name that its package gives them."""
    found = {}
    for folder in sorted(path.parent for path in APP.rglob("texts/__init__.py")):
        package = import_module(".".join(folder.relative_to(APP.parent).parts))
        found.update({name: value for name, value in vars(package).items() if isinstance(value, Texts)})
    return found


ROOMS = rooms()
EVERY_SENTENCE = [sentence for texts in ROOMS.values() for sentence in texts]


def forms(sentence: Sentence, language: Language) -> tuple[str, ...]:
    return sentence.forms[language].texts if language in sentence.forms else ()


def placeholders(text: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name)


def filled(text: str, value: str = "value") -> str:
    return text.format_map(dict.fromkeys(placeholders(text), value))


def test_there_is_a_catalogue_for_each_language_in_each_room() -> None:
    lacking = [
        f"{folder.parent.relative_to(APP)}/{language}.po"
        for folder in APP.rglob("texts/__init__.py")
        for language in LANGUAGES
        if not (folder.parent / f"{language}.po").is_file()
    ]
    assert lacking == []


def test_no_sentence_is_missing_in_a_language() -> None:
    lacking = [
        f"{one.name} in {language}" for one in EVERY_SENTENCE for language in LANGUAGES if not forms(one, language)
    ]
    assert lacking == []


def test_a_sentence_has_the_same_placeholders_in_every_language() -> None:
    different = [
        one.name
        for one in EVERY_SENTENCE
        if len({frozenset().union(*map(placeholders, forms(one, language))) for language in LANGUAGES}) != 1
    ]
    assert different == []


def test_a_form_that_leaves_a_placeholder_out_leaves_out_only_the_count() -> None:
    wrong = [
        one.name
        for one, language in product(EVERY_SENTENCE, LANGUAGES)
        if len({placeholders(text) - {"count"} for text in forms(one, language)}) > 1
    ]
    assert wrong == []


def test_every_sentence_is_neat_and_short_enough() -> None:
    wrong = [
        (one.name, language)
        for one, language in product(EVERY_SENTENCE, LANGUAGES)
        for text in map(filled, forms(one, language))
        if text != text.strip() or not text or len(text) > MAX_INTERACTIVE_BODY_CHARS or set("{}") & set(text)
    ]
    assert wrong == []


def test_a_placeholder_reads_no_braces_in_what_it_is_given() -> None:
    for one, language in product(EVERY_SENTENCE, LANGUAGES):
        for text in forms(one, language):
            assert filled(text, "{name}").count("{name}") >= len(placeholders(text)), one.name


def test_a_missing_value_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(KeyError, match="ref"):
        say(PIPELINE.turn_failed, "en")


def test_no_sentence_was_left_untranslated() -> None:
    same = [one.name for one in EVERY_SENTENCE if len({forms(one, language) for language in LANGUAGES}) == 1]
    assert same == []


def test_no_two_sentences_of_a_language_are_the_same() -> None:
    for language in LANGUAGES:
        counted = Counter(forms(one, language) for one in EVERY_SENTENCE)
        assert [texts for texts, times in counted.items() if times > 1] == []


def test_code_names_only_sentences_that_there_are_and_every_sentence_is_used() -> None:
    used: dict[str, set[str]] = {name: set() for name in ROOMS}
    named = re.compile(rf"\b(?:{'|'.join(ROOMS)})\b")
    sources = (path.read_text("utf-8") for path in [*APP.rglob("*.py"), *Path(__file__).parent.rglob("*.py")])
    for source in filter(named.search, sources):
        for node in every_node(ast.parse(source)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in used:
                used[node.value.id].add(node.attr)
    there_are = {name: {one.name.rpartition(": ")[2] for one in texts} for name, texts in ROOMS.items()}
    assert {name: used[name] - there_are[name] for name in ROOMS if used[name] - there_are[name]} == {}
    assert {name: there_are[name] - used[name] for name in ROOMS if there_are[name] - used[name]} == {}


@pytest.mark.parametrize(("sentence", "language"), list(product((ASKING.trust_yes, ASKING.trust_no), LANGUAGES)))
def test_button_titles_fit_on_a_button(sentence: Sentence, language: Language) -> None:
    assert len(say(sentence, language)) <= MAX_BUTTON_TITLE_CHARS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_question_of_trust_fits_above_its_buttons_with_the_longest_name(language: Language) -> None:
    question = say(ASKING.trust_question, language, name=LONGEST_NAME)
    assert LONGEST_NAME in question
    assert len(question) <= MAX_INTERACTIVE_BODY_CHARS


def test_sentences_about_a_failed_turn_carry_its_reference() -> None:
    failures = [
        PIPELINE.model_down,
        PIPELINE.model_slow,
        PIPELINE.model_missing,
        PIPELINE.model_busy,
        PIPELINE.empty_answer,
        PIPELINE.turn_failed,
        PIPELINE.too_long,
    ]
    for sentence, language in product(failures, LANGUAGES):
        assert "ref 4711" in say(sentence, language, ref=4711)
