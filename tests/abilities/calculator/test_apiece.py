"""A price for each with how many there are, packs for an area, and square measures: by code, or not at all."""

from pathlib import Path

import pytest

from app.skills.tools.calculator.alone import answer_alone
from tests.abilities.calculator.test_everyday import _EN, _ES
from tests.abilities.calculator.test_going_on import told_without_a_model
from tests.builders import ALICE, BOB


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("the farm visit is 7 per kid and there are 19 of them, what are we looking at", "7 × 19 = 133"),
        ("Dad found a karaoke room, they ask 16 a head and we're 8. how much should I bring?", "16 × 8 = 128"),
        ("the groomer charges 32 for each one and I've 4 poodles, what does that come to", "32 × 4 = 128"),
        ("she wants 6.50 a jar and I need 14 jars, whats the damage", "6.50 × 14 = 91"),
        ("55 a horse and we've 3 horses, what will I owe you", "55 × 3 = 165"),
        ("the clown asks 6 a kid and there's 17 coming, what am i looking at", "6 × 17 = 102"),
        ("how much will we pay if it's 21 a ticket and there's 5 of us", "21 × 5 = 105"),
        ("ribbon is 3 a metre, i need 40 metres so what am i looking at", "3 × 40 = 120"),
    ],
)
def test_a_price_for_each_is_multiplied_by_how_many_there_are(message: str, answer: str) -> None:
    reply = answer_alone(message, _EN)
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("el mago cobra 90 por niño y vamos 21, de cuánto hablamos", "90 × 21 = 1890"),
        ("le vendo cada sombrero a 620 y me encargan 9, qué monto es", "620 × 9 = 5580"),
        ("la parrilla libre está 700 por cabeza y seremos 13, cuánto sería todo", "700 × 13 = 9100"),
        ("me piden 40 por oveja y tengo 26 ovejas, cuanto me va a salir", "40 × 26 = 1040"),
        ("la tirolesa vale 65 cada uno y somos 9 cuanto hay que juntar", "65 × 9 = 585"),
        ("en la costurera son 18 por pantalon y son 7 pantalones, cuanto le pago", "18 × 7 = 126"),
        ("somos 11 y la lancha sale 30 soles por persona, de cuanta plata estamos hablando", "30 × 11 = 330"),
    ],
)
def test_a_price_for_each_is_multiplied_in_spanish(message: str, answer: str) -> None:
    reply = answer_alone(message, _ES)
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    "message",
    [
        # nothing is asked
        "we did the caves, it was 7 a head and there were 19 of us, lovely day",
        "el mago cobraba 90 por niño y fuimos 21, estuvo divino",
        # something else is asked, or wished
        "it's 16 a head and we're 8, what time does it open",
        "it's 16 a head and we're 8, how much is a cab",
        "it's 16 a head and we're 8, what do you reckon",
        "candles are 6 each and i've 80, how many can i get",
        "remind me to pay, it's 16 a head and we're 8, how much",
        "cobran 40 por cabeza y somos 7, me alcanza con lo que tengo?",
        # other numbers
        "it's 16 a head and we're 8 but it's from 5pm, what are we looking at",
        "the trip is 12 a child and mine are 4, 6 and 9, what will it cost",
        "sale 40 por cabeza y somos 7 el 14/3, cuanto es",
        "my lad is 7 and it's 16 a kid, how much",
        "candles are 6 each and we're 5 minutes away, how much is it",
        "las velas salen 6 cada una y son 4 cuadras, cuanto es",
        # others than those that the price is for
        "the marquee is 95 each day and we're 8, what do we pay",
        "it's 9 a kid and we're 5 adults, what does it cost",
        "28 a sheep and we're 4, what do we pay",
        "cobran 40 por niño y vamos 5 adultos, cuanto sale",
    ],
)
def test_a_price_for_each_makes_no_sum_where_anything_else_is_told(message: str) -> None:
    assert answer_alone(message, _EN) is None
    assert answer_alone(message, _ES) is None


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("how many tins for 27 square metres, each covers 6", "27 / 6 = 4.5 → 5 tins"),
        ("i've 18 sqm to tile and each pack covers 1.5 sqm, how many packs", "18 / 1.5 = 12 packs"),
        ("how many rolls for 30 square feet if a roll covers 2 square feet", "30 / 2 = 15 rolls"),
        ("cuantas latas para 27 metros cuadrados, cada una cubre 6", "27 / 6 = 4.5 → 5 latas"),
        ("tengo 33 m2 de pasto y cada bolsa rinde 11 m², cuantas bolsas", "33 / 11 = 3 bolsas"),
    ],
)
def test_packs_for_an_area_are_whole(message: str, answer: str) -> None:
    reply = answer_alone(message, _EN)
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    "message",
    [
        "a crate is 12, how many crates for 30 metres",
        "each box covers 2 sqm, how many boxes for 30 euros",
        "each tin covers 6 sqm, how many litres for 27 sqm",
        "each tin covers 6 sqm, we painted 27 sqm",
    ],
)
def test_packs_of_something_else_are_not_counted(message: str) -> None:
    assert answer_alone(message, _EN) is None


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("how many acres is 8 hectares", "8 / 0.40468564224 ≈ 19.77 acres"),
        ("the allotment is 250 m2, what is that in square feet", "250 / 0.09290304 ≈ 2690.98 ft²"),
        ("a 45m² flat in sq ft", "45 / 0.09290304 ≈ 484.38 ft²"),
        ("convert 900 sqft to m²", "900 × 0.09290304 ≈ 83.61 m²"),
        ("12 square yards in square feet", "12 × 9 = 108 ft²"),
        ("how many hectares are 5 sq km", "5 × 100 = 500 hectares"),
        ("whats 3 acres in square metres", "3 × 4046.8564224 ≈ 12140.57 m²"),
        ("un lote de 600 m² en pies cuadrados", "600 / 0.09290304 ≈ 6458.35 ft²"),
        ("cuantas hectareas son 30 acres", "30 × 0.40468564224 ≈ 12.14 hectareas"),
        ("pasame 80 pies cuadrados a m2", "80 × 0.09290304 ≈ 7.43 m²"),
    ],
)
def test_square_measures_are_converted(message: str, answer: str) -> None:
    reply = answer_alone(message, _EN)
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    "message", ["what is 6 metres in square feet", "what's 4 acres in kilos", "cuantos metros son 9 m2", "6 m2"]
)
def test_an_area_is_no_length(message: str) -> None:
    assert answer_alone(message, _EN) is None


@pytest.mark.needs("calculator")
async def test_others_who_come_or_go_change_the_sum_of_a_price_for_each(tmp_path: Path) -> None:
    talks = {
        ALICE: (
            ("el mago cobra 90 por niño y vamos 21, cuanto sería todo", "90 × 21 = 1890"),
            ("y si van 3 mas", "90 × 24 = 2160"),
            ("y si dos no vienen", "90 × 22 = 1980"),
            ("y con 10% de descuento", "1980 - 10% = 1782"),
        ),
        BOB: (
            ("the farm visit is 7 per kid and there are 19 of them, what are we looking at", "7 × 19 = 133"),
            ("and if two don't come?", "7 × 17 = 119"),
            ("and with 10% off", "119 - 10% = 107.1"),
            ("how many square feet is 60 square metres", "60 / 0.09290304 ≈ 645.83 ft²"),
            ("in square yards?", "60 / 0.83612736 ≈ 71.76 yd²"),
        ),
    }
    await told_without_a_model(tmp_path, talks)


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("admission's 17 euros and there's 6 of us, how much is that", "17 × 6 = 102"),
        ("the ferry fare costs 8 and we are 5, what's that come to", "8 × 5 = 40"),
        ("cover charge was 9 and there were 4 of us, how much did I spend", "9 × 4 = 36"),
        ("el boleto del zoologico cuesta 75 y somos 6 con mi suegra, cuanto es", "75 × 6 = 450"),
        ("el cubierto está en 230 y vamos 7 wey, cuanto sería todo", "230 × 7 = 1610"),
        ("la inscripción vale 40 c/u y vamos 3, cuánto llevo", "40 × 3 = 120"),
        # one for all is shared, as is what somebody wants shared
        ("the cottage costs 480 and we are 4 how much", "480 / 4 = 120"),
        ("el regalo sale 2700 y somos 9, cuanto nos toca", "2700 / 9 = 300"),
        ("the raft costs 80 and we're 5, how much each", "80 / 5 = 16"),
        ("the taxi fare was 24 and there's 3 of us, how much", "24 / 3 = 8"),
        ("las entradas salieron 4800 y somos 4, cuanto es", "4800 / 4 = 1200"),
    ],
)
def test_what_is_for_each_by_its_nature_is_multiplied_and_what_is_for_all_shared(
    message: str, answer: str
) -> None:
    reply = answer_alone(message, _EN) or answer_alone(message, _ES)
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    "message",
    [
        # neither is certain
        "the raft costs 80 and we're 5, how much",
        "the tickets cost 120 and there's 4 of us, how much",
        "las entradas salen 450 y somos 7, cuanto es",
        "cada cabaña sale 900 y somos 6, cuanto es",
        # what each pays is told already
        "la entrada vale 450 y somos 7, cuanto es cada uno",
        # stories, quotes and wishes
        "my gran said the entry cost 12 and there were 5 of them, imagine",
        "ayer la entrada salía 450 y éramos 7, una locura total",
        "recordame que el pasaje sale 450 y somos 7",
        "the entry is 12 and there's 5 of us, how much change from 100",
        "the entry is 12 and we're 2 families, how much",
    ],
)
def test_a_price_for_each_by_its_nature_is_never_shared_and_makes_no_sum_in_doubt(message: str) -> None:
    assert answer_alone(message, _EN) is None
    assert answer_alone(message, _ES) is None


@pytest.mark.parametrize(
    "message",
    [
        "the entry is 12 and we're 5, my nan doesn't pay, how much",
        "the bus fare is 3 and we're 4, return trip, how much",
        "supper is 30 a head and there are 6 courses, how much",
        "they charge 15 a head for at least 20 people, how much",
        "la entrada sale 12 y somos 5, mi hija no paga, cuanto es",
        "el boleto sale 12 y somos 5, ida y vuelta, cuanto es",
    ],
)
def test_a_price_that_not_all_pay_once_makes_no_sum(message: str) -> None:
    assert answer_alone(message, _EN) is None
    assert answer_alone(message, _ES) is None
