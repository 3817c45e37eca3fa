"""The catalogue of sentences: complete, alike in every language, and short enough for WhatsApp."""

from itertools import product
from typing import get_args

import pytest

from app.domain.outbound import MAX_BUTTON_TITLE_CHARS, MAX_INTERACTIVE_BODY_CHARS
from app.domain.phrasebook.key import PhraseKey
from app.domain.phrases import FAMILIES, LANGUAGES, Language, Phrase, say

EVERY_PHRASE = [phrase for family in FAMILIES for phrase in family]
EVERY_SENTENCE = list(product(EVERY_PHRASE, LANGUAGES))
LONGEST_NAME = "N" * 25
"""WhatsApp lets a profile name have 25 characters."""


def placeholders(phrase: PhraseKey, language: Language) -> frozenset[str]:
    """What a sentence must be given, found by giving it nothing and then what it misses."""
    values: dict[str, str] = {}
    while True:
        try:
            say(phrase, language, **values)
        except KeyError as exc:
            values[exc.args[0]] = "value"
        else:
            return frozenset(values)


def filled(phrase: PhraseKey, language: Language, value: str = "value") -> str:
    return say(phrase, language, **dict.fromkeys(placeholders(phrase, language), value))


def test_the_languages_are_those_of_the_type() -> None:
    assert set(LANGUAGES) == set(get_args(Language))
    assert len(set(LANGUAGES)) == len(LANGUAGES)


@pytest.mark.parametrize(("phrase", "language"), EVERY_SENTENCE)
def test_every_sentence_exists_in_every_language_and_is_short_enough(
    phrase: PhraseKey, language: Language
) -> None:
    text = filled(phrase, language)
    assert text == text.strip() != ""
    assert len(text) <= MAX_INTERACTIVE_BODY_CHARS
    assert "{" not in text
    assert "}" not in text


@pytest.mark.parametrize("phrase", EVERY_PHRASE)
def test_a_sentence_has_the_same_placeholders_in_every_language(phrase: PhraseKey) -> None:
    assert len({placeholders(phrase, language) for language in LANGUAGES}) == 1


@pytest.mark.parametrize(("phrase", "language"), EVERY_SENTENCE)
def test_a_placeholder_shows_what_it_was_given_and_reads_no_braces_in_it(
    phrase: PhraseKey, language: Language
) -> None:
    count = len(placeholders(phrase, language))
    assert filled(phrase, language, "{name}").count("{name}") >= count


def test_a_missing_value_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(KeyError, match="ref"):
        say(Phrase.TURN_FAILED, "en")


@pytest.mark.parametrize("phrase", EVERY_PHRASE)
def test_no_sentence_was_left_untranslated(phrase: PhraseKey) -> None:
    assert len({filled(phrase, language) for language in LANGUAGES}) == len(LANGUAGES)


def test_no_two_phrases_share_a_key() -> None:
    assert len({phrase.value for phrase in EVERY_PHRASE}) == len(EVERY_PHRASE)


def test_no_two_sentences_of_a_language_are_the_same() -> None:
    for language in LANGUAGES:
        assert len({filled(phrase, language) for phrase in EVERY_PHRASE}) == len(EVERY_PHRASE)


@pytest.mark.parametrize(("phrase", "language"), list(product((Phrase.TRUST_YES, Phrase.TRUST_NO), LANGUAGES)))
def test_button_titles_fit_on_a_button(phrase: PhraseKey, language: Language) -> None:
    assert len(filled(phrase, language)) <= MAX_BUTTON_TITLE_CHARS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_question_of_trust_fits_above_its_buttons_with_the_longest_name(language: Language) -> None:
    question = say(Phrase.TRUST_QUESTION, language, name=LONGEST_NAME)
    assert LONGEST_NAME in question
    assert len(question) <= MAX_INTERACTIVE_BODY_CHARS


def test_sentences_about_a_failed_turn_carry_its_reference() -> None:
    failures = [
        Phrase.MODEL_DOWN,
        Phrase.MODEL_SLOW,
        Phrase.MODEL_MISSING,
        Phrase.MODEL_BUSY,
        Phrase.EMPTY_ANSWER,
        Phrase.TURN_FAILED,
        Phrase.TOO_LONG,
    ]
    for phrase, language in product(failures, LANGUAGES):
        assert "ref 4711" in say(phrase, language, ref=4711)
