"""What so many give where one gives so much, what is owed in so many times, and a result that is said back."""

from pathlib import Path

import pytest

from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.repriced import with_told_price
from app.skills.tools.calculator.shared_out import in_instalments
from tests.abilities.calculator.test_everyday import _EN, _ES
from tests.builders import BOB
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app


@pytest.mark.parametrize(
    ("told", "then", "answer"),
    [
        ("one roll of tape seals 40 parcels", "and 6 rolls?", "40 × 6 = 240 parcels"),
        ("a sheet of ply gives 18 shelves", "what if i use 5", "18 × 5 = 90 shelves"),
        ("each crate holds 24 jars", "and with 9?", "24 × 9 = 216 jars"),
        ("de un tronco saco 32 tablas", "y con cuatro troncos?", "32 × 4 = 128 tablas"),
        ("con una garrafa lleno 14 botellas", "y si abro 3?", "14 × 3 = 42 botellas"),
        ("si de un lechón de 20 kilos salen 75 tacos", "y con 3 lechones", "75 × 3 = 225 tacos"),
    ],
)
def test_so_many_give_so_many_times_what_one_does(told: str, then: str, answer: str) -> None:
    asked = with_told_price(then, told)
    reply = answer_alone(asked, _EN if "×" in answer and told[:1] in "oae" else _ES) if asked else None
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("one round i deliver 55 leaflet, 4 round", "55 × 4 = 220 leaflet"),
        ("one boat carry 11 people, 5 boat how many", "11 × 5 = 55 people"),
        ("una mañana riego 16 surcos, 7 mañanas", "16 × 7 = 112 surcos"),
        ("de una docena de claras salen 60 merengues, cuántos salen con 3 docenas", None),
        ("one day a client brought 4 dogs, 6 days later he came back", None),
        ("de un rollo saco 30 bolsas y necesito 900", None),
        ("un albañil levanta un muro en 6 dias, y con 3?", None),
        ("one ticket cost 14 dollars", None),
        ("un amigo tiene 3 gatos", None),
    ],
)
def test_what_one_gives_is_told_with_how_many_there_are(said: str, answer: str | None) -> None:
    reply = answer_alone(said, _EN if said.startswith("one") else _ES)
    assert (reply.literal if reply else None) == answer


@pytest.mark.parametrize(
    ("told", "then"),
    [
        ("de un tronco saco 32 tablas", "y para 600?"),
        ("de un tronco saco 32 tablas", "y si quiero 600 tablas?"),
        ("a neighbour brought 3 kittens", "and if there are 7?"),
        ("compré un cuaderno de 200 hojas", "y con 5?"),
        ("one oven bakes at 200 degrees", "and with 2?"),
    ],
)
def test_what_is_asked_of_anything_else_is_left(told: str, then: str) -> None:
    assert with_told_price(then, told) is None


@pytest.mark.parametrize(
    ("said", "then", "calculation"),
    [
        (["mi cuñada me debe 36 mil"], "y si me paga en 6 cuotas?", "36000 / 6"),
        (["le presté 900 a Tito", "ando corto"], "me los devuelve en 4 pagos, cuánto cada uno?", "900 / 4"),
        (
            ["i lent my brother 450"],
            "he wants to pay it back over 5 months, how much a month?",
            "450 / 5",
        ),
        (["mi cuñada me debe 36 mil"], "vuelve en 6 semanas", None),
        (["el asado es para 40"], "y si me paga en 6 cuotas?", None),
        (["mi cuñada me debe 36 mil", "y pagué 200 de luz"], "y si me paga en 6 cuotas?", None),
    ],
)
def test_what_is_owed_is_paid_in_so_many_times(said: list[str], then: str, calculation: str | None) -> None:
    assert in_instalments(then, said) == calculation


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("we're 8 plus my gran, 15 a ticket, how much in total?", "15 × 9 = 135"),
        ("somos 5 y un nene, 2 tamales cada uno, cuántos son?", "2 × 6 = 12 tamales"),
        ("voy con 3 amigas, 20 la entrada, cuánto es todo?", "20 × 4 = 80"),
        ("media docena de bollos cuesta 24, cuánto sale el bollo?", "24 / (0.5 × 12) = 4"),
        ("somos 3 y un nene, adultos a 30 y el nene a 15, cuánto es", None),
        ("2 wraps cost 13 and the juices were 5, how much altogether?", None),
    ],
)
def test_one_more_in_words_counts_and_a_price_counts_nobody(said: str, answer: str | None) -> None:
    reply = answer_alone(said, _EN if said[0] in "w2" else _ES)
    assert (reply.literal if reply else None) == answer


@pytest.mark.needs("calculator")
async def test_a_result_that_is_said_back_is_no_new_wish(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(echo=True), profile=CONSTRAINED) as app:
        for said in ("4 mops at 13 each", "so that's 52, yeah?", "they want 6 now"):
            await app.say(BOB, said)
        assert app.replies_to(BOB)[-3:] == ["4 × 13 = 52", "Yes: 4 × 13 = 52", "6 × 13 = 78"]
