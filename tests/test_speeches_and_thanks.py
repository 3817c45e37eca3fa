"""Notes of thanks name what they are for and who signs; a speech is said to those who are there."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.writing.told import read_draft_wish
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "whom", "named", "signed"),
    [
        (
            "Write a short, kind note of thanks to the porters. Mention the ladder they lent, and sign it Ulla.",
            "porters",
            "the ladder they lent,",
            "Ulla",
        ),
        (
            "Escribime una nota breve y linda de agradecimiento para doña Eva. Nombrá las tunas y firmala Celia",
            "doña Eva",
            "las tunas",
            "Celia",
        ),
        ("una nota de disculpas para la portera por el ruido, firmada Beto", "portera", "", "Beto"),
    ],
)
def test_a_note_of_thanks_says_what_for_and_who_signs(said: str, whom: str, named: str, signed: str) -> None:
    wish = read_draft_wish(said)
    assert wish is not None
    assert (wish.whom, wish.named, wish.signed) == (whom, named, signed)


def test_a_text_that_leaves_out_what_it_is_to_name_is_none() -> None:
    wish = read_draft_wish("write a note of thanks to the porters. Mention the ladder")
    assert wish is not None
    assert wish.lacks("Dear porters, thank you so much for everything.")
    assert not wish.lacks("Dear porters, thank you so much for the ladder.")


@pytest.mark.parametrize(
    "said",
    [
        "my aunt wrote a note of thanks to the porters",
        "the note of thanks from Celia came today",
        "make a note of the thanks that I owe Celia",
        "la nota de agradecimiento de Celia está en el cajón",
    ],
)
def test_what_tells_of_one_wishes_for_none(said: str) -> None:
    assert read_draft_wish(said) is None


@pytest.mark.parametrize(
    ("said", "is_spoken"),
    [
        ("I have to say something at my niece's baptism, write me a few words to read", True),
        ("tengo que decir algo en el bautizo de mi ahijada Noa, escribime unas palabras para leer", True),
        ("write me a toast for my brother's wedding", True),
        ("write a message to my boss that I have to say something at the dinner and will be late", False),
        ("write me a few words for my brother, to go on the card", False),
        ("escribime un mensaje para invitar a mi tía al bautismo", False),
    ],
)
def test_a_speech_is_told_from_a_message(said: str, is_spoken: bool) -> None:
    wish = read_draft_wish(said)
    assert wish is not None
    assert wish.is_spoken == is_spoken


SPEECH = "Good day, everyone. Our little Noa is baptised, and we rejoice. Noa, we will be there for you."


async def test_a_speech_may_say_more_than_was_told_but_not_less_than_a_few_sentences(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    said = "they asked me to say something at the baptism, write me a few words to read, and name little Noa"
    async with small_app(tmp_path, encoder, "Hi Noa, have a lovely day.", SPEECH) as (app, model):
        await app.say(ALICE, said)
        assert app.replies_to(ALICE) == [SPEECH]
        assert "say aloud" in model.requests[0].messages[0].content
        assert await stored(app, "content", "notes") == []


@pytest.mark.parametrize(
    ("wish", "text", "lacks"),
    [
        (
            "write a message to Olga's coach: she has a bad ankle and rests today",
            "Hi Olga, a bad ankle: rests today.",
            True,
        ),
        (
            "write a message to Olga's coach: she has a bad ankle and rests today",
            "Hi, Olga has a bad ankle and rests today.",
            False,
        ),
        (
            "escribile un mensaje a la profe de Tadeo: hoy falta porque tiene anginas",
            "¡Hola, Tadeo! Hoy faltas por anginas.",
            True,
        ),
        (
            "escribile un mensaje a la profe de Tadeo: hoy falta porque tiene anginas",
            "Hola, profe: hoy Tadeo falta porque tiene anginas.",
            False,
        ),
        ("escribile un mensaje a la tía Nélida: el domingo no vamos", "Hola, Nélida: el domingo no vamos.", False),
    ],
)
def test_the_reader_is_greeted_and_not_whoever_the_text_is_of(wish: str, text: str, lacks: bool) -> None:
    read = read_draft_wish(wish)
    assert read is not None
    assert read.lacks(text) == lacks
