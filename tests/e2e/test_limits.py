"""What nothing here can do is refused by its kind, with the one thing that can be done instead, by code."""

from pathlib import Path
from typing import Any

import pytest

from app.language.catalogue import Language, say
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.lexicon import kind_asked, kind_named
from app.pipeline.texts import PIPELINE
from tests.builders import ALICE
from tests.e2e.test_brief import encoder, small_app

__all__ = ["encoder"]

REFUSED: list[tuple[str, Any, Language]] = [
    ("decile a mi cuñada que llego tarde", PIPELINE.cannot_reach, "es"),
    ("llámale al plomero porfa", PIPELINE.cannot_reach, "es"),
    ("please ring the school for me", PIPELINE.cannot_reach, "en"),
    ("págame el recibo del agua", PIPELINE.cannot_pay, "es"),
    ("resérvame una mesa para seis", PIPELINE.cannot_pay, "es"),
    ("order me a curry from the usual place", PIPELINE.cannot_pay, "en"),
    ("cómo va el Santos ahorita?", PIPELINE.cannot_look_up, "es"),
    ("cuánto quedó River anoche?", PIPELINE.cannot_look_up, "es"),
    ("a cómo amaneció el dólar?", PIPELINE.cannot_look_up, "es"),
    ("hay mucho trancón en la autopista?", PIPELINE.cannot_look_up, "es"),
    ("how did the Hornets do last night?", PIPELINE.cannot_look_up, "en"),
    ("is there much traffic on the ring road?", PIPELINE.cannot_look_up, "en"),
    ("poneme algo de música linda", PIPELINE.cannot_control, "es"),
    ("ábreme la puerta del garaje", PIPELINE.cannot_control, "es"),
    ("play some quiet music", PIPELINE.cannot_control, "en"),
    ("turn the heating up a bit", PIPELINE.cannot_control, "en"),
    ("fijate en la cámara del patio", PIPELINE.cannot_see, "es"),
    ("por dónde viene el bondi?", PIPELINE.cannot_see, "es"),
    ("dónde anda mi marido ahorita?", PIPELINE.cannot_see, "es"),
    ("where's the school bus?", PIPELINE.cannot_see, "en"),
    ("check the camera in the barn", PIPELINE.cannot_see, "en"),
]


@pytest.mark.parametrize(("message", "sentence", "language"), REFUSED)
async def test_a_refusal_names_the_kind_of_thing_that_was_asked(
    tmp_path: Path, encoder: LocalEmbedder, message: str, sentence: Any, language: Language
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, message)
        assert llm.requests == []
        assert app.replies_to(ALICE) == [say(sentence, language)]


@pytest.mark.parametrize(
    "message",
    [
        "cómo va todo hoy?",
        "how's your day going today",
        "poné música en la lista de la fiesta",
        "ayer fui al partido con mi hijo y la pasamos bien",
        "me encanta la música de los ochenta",
        "el colectivo venía lleno y llegué tarde",
        "what a match that was last night",
        "anotá que el portón hace ruido",
        "the heating broke again, such a pain",
        "mi hijo llama a la abuela todos los domingos",
        "my sister calls the school every week",
    ],
)
def test_what_only_speaks_of_it_is_not_taken_for_a_wish(message: str) -> None:
    assert kind_asked(message) is None


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("transferile 3 lucas a mi primo", "pay"),
        ("mandale 300 pesos a Beto", "pay"),
        ("mandale un mensajito a Beto", "reach"),
        ("avisale al plomero que pague la luz", "reach"),
        ("send my cousin 40 quid", "pay"),
        ("what is nothing of that kind", None),
    ],
)
def test_of_several_kinds_the_first_that_is_named_counts(message: str, kind: str | None) -> None:
    assert kind_named(message) == kind
