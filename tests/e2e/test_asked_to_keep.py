"""What somebody plainly asks to have remembered is kept at once, without a question and without the model."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.memory.asked import asked_to_keep
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.parametrize(
    "said",
    [
        "acordate siempre de apagar el horno",
        "I'll remember this forever: what a match",
        "never forget your wellies, my aunt used to say",
    ],
)
def test_what_only_speaks_of_ever_is_not_kept(said: str) -> None:
    assert asked_to_keep(said) is None


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        (
            "che guardate esto para cuando vaya al vivero: el cantero mide 2 por 3",
            "el cantero mide 2 por 3",
        ),
        (
            "Lola pesa 14 kilos y Toto 9, memorizalo porque el vete siempre pregunta",
            "Lola pesa 14 kilos y Toto 9",
        ),
        ("acordate para siempre: mi suegro es alérgico al látex", "mi suegro es alérgico al látex"),
        ("que no se te olvide nunca: soy hipertenso", "soy hipertenso"),
        ("remember this for good: I can't eat shellfish", "I can't eat shellfish"),
        ("don't you ever forget: my uncle has a pacemaker", "my uncle has a pacemaker"),
        ("please remember I interpret from Greek at the court", "I interpret from Greek at the court"),
        ("que no se te olvide: mi ahijado no tolera la soja", "mi ahijado no tolera la soja"),
        ("remember this for me please, the loft ladder hook is in the airing cupboard", None),
        ("remember for me would you, the loft hook is in the shed", "the loft hook is in the shed"),
        (
            "keep this safe: gran's bus pass is 5521. hers expires in June",
            "gran's bus pass is 5521. hers expires in June",
        ),
        ("our sitter charges 12 an hour. don't forget that", "our sitter charges 12 an hour"),
        ("For future reference, grandpa drinks his tea cold", "grandpa drinks his tea cold"),
        ("para que lo tengas en cuenta: mi consuegra no sube escaleras", "mi consuegra no sube escaleras"),
        ("mi ahijada Uma cumple el 9 de julio pa q lo recuerdes", "mi ahijada Uma cumple el 9 de julio"),
        ("Tom's vet is Mr Orr, not Mrs Orr, keep that straight", "Tom's vet is Mr Orr, not Mrs Orr"),
        (
            "oye, acordate de esto que es serio, yo tomo enalapril y la cardióloga me prohibió el pomelo",
            "yo tomo enalapril y la cardióloga me prohibió el pomelo",
        ),
        (
            "listen, remember this, it's serious, I'm on warfarin and I can't have cranberry juice",
            "I'm on warfarin and I can't have cranberry juice",
        ),
        ("quiero que recuerdes algo importante: la llave del gas gira al revés", "la llave del gas gira al revés"),
        (
            "ojo, grábate esto muy bien que después se me pasa, mi nene es alérgico al sésamo",
            "mi nene es alérgico al sésamo",
        ),
        ("make sure you remember this, my mum takes digoxin", "my mum takes digoxin"),
        ("hey get this into your head, the loft light sticks", "the loft light sticks"),
        ("the sitter charges 12, keep that in mind cause she changes it", "the sitter charges 12"),
    ],
)
def test_the_opening_or_the_closing_words_ask_to_keep_the_rest(said: str, fact: str | None) -> None:
    assert asked_to_keep(said) == (fact or "the loft ladder hook is in the airing cupboard")


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        (
            "pls remember my right knee is the bad one, stairs are murder",
            "my right knee is the bad one, stairs are murder",
        ),
        (
            "can you remember our gate opens inwards, vans always get it wrong",
            "our gate opens inwards, vans always get it wrong",
        ),
        ("acordate que a mi suegra le cae mal el ajo", "a mi suegra le cae mal el ajo"),
        ("recuerda que nuestro taller cierra a las dos", "nuestro taller cierra a las dos"),
    ],
)
def test_how_it_is_with_what_is_somebodys_own_is_kept_as_it_stands(said: str, fact: str) -> None:
    assert asked_to_keep(said) == fact


@pytest.mark.parametrize(
    "said",
    [
        "remember my meeting is tomorrow at 5",
        "recuerda que mi turno es mañana a las 8",
        "remember my mum on sunday",
        "remember when our boat sank",
    ],
)
def test_what_is_of_a_day_or_of_old_times_is_no_fact_to_keep(said: str) -> None:
    assert asked_to_keep(said) is None


@pytest.mark.parametrize(
    "said",
    [
        "acordate de regar las plantas",
        "remember to water the plants",
        "remember that song from the wedding",
        "don't forget the milk",
        "guardate esto",
        "keep this list safe: rope, tape",
        "que no se te olvide: mañana paso a las 9",
        "did you keep that in mind?",
        "es verde, grabatelo",
        "acuérdate de esto que te dije ayer",
        "make sure you remember your umbrella",
        "don't forget this weekend is the fair",
        "I need you to remember to water the plants",
        "remember something funny happened at work",
        "me dijo acuérdate de esto que es importante y se fue",
        "learn this: what is 4 by 9",
        "you must know this one, what is the capital of Peru",
        "quiero que sepas algo, te quiero mucho",
    ],
)
def test_other_wishes_and_bare_words_keep_nothing(said: str) -> None:
    assert asked_to_keep(said) is None


def test_what_only_a_question_named_is_kept_with_it() -> None:
    asked = "¿te acordás cuándo te dije que vence el carnet de Toto?"
    assert asked_to_keep("uy, no te dije nada. es el 9 de mayo, grabatelo", asked) == (
        "vence el carnet de Toto: es el 9 de mayo"
    )
    asked = "do you remember when the boiler cover runs out?"
    assert asked_to_keep("it's the 3rd of May, remember that", asked) == (
        "the boiler cover runs out: it's the 3rd of May"
    )


@pytest.mark.needs("memory")
async def test_it_is_kept_without_a_question(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "Lola pesa 14 kilos y Toto 9, memorizalo porque el vete siempre pregunta")
        await app.say(ALICE, "keep this safe: gran's bus pass is 5521")
        assert llm.requests == []
        assert await stored(app, "text", "memories") == ["Lola pesa 14 kilos y Toto 9", "gran's bus pass is 5521"]
        assert "?" not in "".join(app.replies_to(ALICE))


@pytest.mark.needs("memory")
async def test_what_was_kept_is_quoted_without_the_wish_to_keep_it(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "remember for me would you, the loft hook hangs with Doreen at the shop")
        await app.say(ALICE, "who has the loft hook again?")
        assert llm.requests == []
        assert app.replies_to(ALICE)[-1] == "You told me: «the loft hook hangs with Doreen at the shop»."


@pytest.mark.parametrize(
    ("said", "asked", "fact"),
    [
        (
            "oye, acordate de esto que es serio, yo tomo enalapril y la cardióloga me prohibió el pomelo",
            "me como un pomelo?",
            "yo tomo enalapril y la cardióloga me prohibió el pomelo",
        ),
        (
            "now listen, remember this because it matters, I'm on warfarin and I can't have cranberry juice",
            "can I have a glass of cranberry juice?",
            "I'm on warfarin and I can't have cranberry juice",
        ),
    ],
)
async def test_what_is_kept_with_talk_before_it_warns_later(
    tmp_path: Path, encoder: LocalEmbedder, said: str, asked: str, fact: str
) -> None:
    async with small_app(tmp_path, encoder, "Una fruta.") as (app, llm):
        await app.say(ALICE, said)
        assert llm.requests == []
        assert await stored(app, "text", "memories") == [fact]
        await app.say(ALICE, asked)
        assert fact in app.replies_to(ALICE)[-1]
