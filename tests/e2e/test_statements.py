"""What tells something is no question: it is never answered with older words, and may put a fact right."""

from pathlib import Path

import pytest

from app.domain.recollection import NOTHING_RECALLED, Recollection, Remembrance
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.wishes import Known, as_they_told
from app.pipeline.texts import PIPELINE
from app.skills.amending import amended
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("la recién medí de nuevo y da 41", PIPELINE.heard),
        ("actually he told me it is 41", PIPELINE.heard),
        ("¿cuánto mide mi estante?", PIPELINE.told_before),
        ("how wide is my shelf", PIPELINE.told_before),
        ("decime cuánto mide mi estante", PIPELINE.told_before),
    ],
)
def test_only_a_question_is_answered_with_what_was_told(said: str, sentence: object) -> None:
    fact = Remembrance("memory", "", "my shelf is 38 wide, mi estante mide 38", "words shelf", is_fact=True)
    found = as_they_told(f"{fact.text}.", said, Recollection((fact,)), [])
    assert found is not None
    assert found.sentence is sentence
    assert ("38" in found.facts) is (sentence is PIPELINE.told_before)


def test_a_denial_of_a_statement_quotes_nothing_older() -> None:
    found = as_they_told(
        "No tengo información sobre eso.", "y el de la ducha también gotea", NOTHING_RECALLED, ["la ducha gotea"]
    )
    assert found in (None, Known(PIPELINE.heard, "«y el de la ducha también gotea»"))


def test_a_half_goes_with_its_number() -> None:
    found = amended("el pie de Bruno mide 21 y medio", "perdón, el pie de Bruno mide 23")
    assert found is not None
    assert found.text == "el pie de Bruno mide 23"


@pytest.mark.needs("memory")
async def test_the_newer_value_takes_the_place_of_the_older_one(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "memorizate esto: el estante de Bruno mide 38 y medio")
        await app.say(ALICE, "no, lo medí recién, el estante mide 41")
        await app.say(ALICE, "mi hermana vive en Salta")
        await app.say(ALICE, "perdón, vive en Jujuy")
        await app.say(ALICE, "mi ahijado entrena los lunes")
        await app.say(ALICE, "ah no, ahora lo pasaron a los jueves")
        assert llm.requests == []
        assert await stored(app, "text", "memories") == [
            "el estante de Bruno mide 41",
            "mi hermana vive en Jujuy",
            "mi ahijado entrena los jueves",
        ]
        assert "41" in app.replies_to(ALICE)[1]
        assert "Jujuy" in app.replies_to(ALICE)[3]
