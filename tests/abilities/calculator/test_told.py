"""Sums as people tell them are computed by code, and so is what goes on from them; all else is the model's."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.turn import TurnContext
from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.instead import read_instead
from app.skills.tools.calculator.per_measure import read_packs, read_price_of_it
from app.skills.tools.calculator.sharers import read_sharers
from app.skills.tools.calculator.told import read_put_on
from tests.builders import ALICE, BOB
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app

NOW: Final = datetime(2026, 11, 18, 13, tzinfo=UTC)
TALKS: list[list[tuple[str, str]]] = [
    # a price for one, and another amount of it
    [
        ("cuanto es medio kilo de asado si el kilo sale 9.800", "9.800 × 0,5 = 4.900"),
        ("y kilo y medio?", "9.800 × 1,5 = 14.700"),
    ],
    [("vecina el kilo de queso esta a 340 y quiere tres cuartos, cuanto le cobro", "340 × 0.75 = 255")],
    [("250 g of ham at 12.40 a kilo, what do I charge her", "12.40 × 250 / 1000 = 3.1")],
    [("eggs are 4.80 a dozen, how much is a dozen and a half", "4.80 × 1.5 = 7.2")],
    [("30 eggs at 4.80 a dozen how much do i ask for", "4.80 × 30 / 12 = 12")],
    # for others than just asked, the price of each of a measure, and what one thing cost
    [
        ("the curry feeds 5 with 600 g of lentils, how much for 12", "600 × 12 / 5 = 1440 g lentils"),
        ("and if only 9 come?", "600 × 9 / 5 = 1080 g lentils"),
    ],
    [("cuanto es 3.5 x 12", "3.5 × 12 = 42"), ("y si el metro sale 90, cuanto gasto", "42 × 90 = 3780")],
    [
        ("split 96 between 4, how much each", "96 / 4 = 24"),
        ("take the bottle of gin out, 18", "(96 - 18) / 4 = 19.5"),
    ],
    # with what comes on top, goes off, and who shares it
    [
        (
            "disculpe joven, 6 puertas a 1250 y aparte 400 del flete, cuanto le paso en total",
            "6 × 1250 + 400 = 7900",
        )
    ],
    [("presupuesto de 48000 mas iva 21 cuanto queda", "48000 + 21% = 58080")],
    [("la cuenta fue 1860 con 10% de propina entre 6 cuanto cada uno", "(1860 + 10%) / 6 = 341")],
    [
        ("dinner came to 212.50 between 5 of us, how much each", "212.50 / 5 = 42.5"),
        ("stick 12% on top for service", "(212.50 + 12%) / 5 = 47.6"),
        ("hang on nora isnt paying so 4 of us", "(212.50 + 12%) / 4 = 59.5"),
    ],
    [
        ("la cena salio 9000 y somos 6, cuanto cada uno?", "9000 / 6 = 1500"),
        ("uh no, marta no paga", "9000 / 5 = 1800"),
        ("al final somos 8", "9000 / 8 = 1125"),
        ("pero rita pone la mitad que los otros 7", "9000 / (7 + 1 / 2) = 1200 cada uno; el otro, 600"),
    ],
    [
        (
            "split 900 between 3 of us but leo pays half of what the other 2 pay each, how much each",
            "900 / (2 + 1 / 2) = 360 each; the other one, 180",
        )
    ],
    [
        ("the bill is 64 and i want to leave 15% tip, whats the total", "64 + 15% = 73.6"),
        ("and if its 20%?", "64 + 20% = 76.8"),
    ],
    [
        ("20 camisas a 350 cada una cuanto es", "20 × 350 = 7000"),
        ("no, eran 14", "14 × 350 = 4900"),
        ("y si son 16?", "16 × 350 = 5600"),
    ],
    [
        ("cobro 3200 mas el 16 de iva cuanto queda", "3200 + 16% = 3712"),
        ("y sobre 4500?", "4500 + 16% = 5220"),
    ],
    [
        ("la cancha salio 12000, somos 10, cuanto cada uno?", "12000 / 10 = 1200"),
        ("se bajaron 2", "12000 / 8 = 1500"),
        ("no somos 8, somos 6", "12000 / 6 = 2000"),
    ],
    # behind a story, whose numbers stay out
    [
        (
            "double shift, 14 on the ward and no tea. how many hours is 6 shifts at 10 and a half each",
            "6 × 10.5 = 63",
        ),
        ("and 8 shifts?", "8 × 10.5 = 84"),
    ],
    [("hoy 32 alumnos y una fiebre de 39, no doy más. cuánto es 24 por 18", "24 × 18 = 432")],
    [("been up since 5 with the twins and the boiler packed in, whats 17 x 23", "17 × 23 = 391")],
    [("3 horas en el banco!! la merienda salio 3600 somos 3 cuanto cada uno", "3600 / 3 = 1200")],
    # who is in and out
    [
        ("la cancha salio 24000 entre 12 cuanto cada uno", "24000 / 12 = 2000"),
        ("uy, me avisa Caro que ellos 2 no van. y ahora?", "24000 / 10 = 2400"),
        ("y con 3 mas?", "24000 / 13 ≈ 1846.15"),
        ("y con 1300 del agua", "(24000 + 1300) / 13 ≈ 1946.15"),
    ],
    [
        ("the minibus is 240 between 12 of us how much each", "240 / 12 = 20"),
        ("the twins can't make it, so now?", "240 / 10 = 24"),
        ("my cousin texted to say she isnt coming", "240 / 9 ≈ 26.67"),
        ("and 18 for parking", "(240 + 18) / 9 ≈ 28.67"),
    ],
    # told short
    [("can i get change from a tenner if its 6.40", "10 - 6.40 = 3.6")],
    [("20 for a 13.50 shop, what change", "20 - 13.50 = 6.5")],
    [("a fiver each for 7 of us, how much", "5 × 7 = 35")],
    [("bill was 96, 4 of us", "96 / 4 = 24")],
    [("precio 2400 mas iva 21", "2400 + 21% = 2904")],
    [("vendo a 900, me encargaron 40", "40 × 900 = 36000")],
    [("a dozen is 6, how much is each", "6 / 12 = 0.5")],
    [("12 dozen eggs", "12 × 12 = 144")],
    [("double 45", "2 × 45 = 90")],
    [("cuanto es 300 gramos por 8 personas", "300 × 8 = 2400 gramos")],
    # change, gain, measures, recipes, hours, fuel
    [("me pago con 500 y era 347, cuanto le doy de vuelto", "500 - 347 = 153")],
    [("3 cafes a 45 y me da 200 cuanto le devuelvo", "200 - 3 × 45 = 65")],
    [
        (
            "i buy them for 12 and sell for 15, what's my margin",
            "15 - 12 = 3: that is 25% of what it costs you (markup) and 20% of the selling price (margin)",
        )
    ],
    [
        ("cuantos milimetros son 5/8 de pulgada", "5 / 8 × 25,4 = 15,875 milimetros"),
        ("y 3/4?", "3 / 4 × 25.4 = 19.05 milimetros"),
    ],
    [("im 5 foot 10, whats that in cm", "5 × 30.48 + 10 × 2.54 = 177.8 cm")],
    [("350°F in celsius pls", "(350 - 32) × 5 / 9 ≈ 176.67 celsius")],
    [("how many ml is 2 cups", "2 × 236.5882365 ≈ 473.18 ml (US measure)")],
    [
        (
            "la receta es para 4 y lleva 300 g de harina y 2 huevos, somos 6, cuanto pongo",
            "300 × 6 / 4 = 450 g harina\n2 × 6 / 4 = 3 huevos",
        ),
        ("y para ocho?", "300 × 8 / 4 = 600 g harina\n2 × 8 / 4 = 4 huevos"),
    ],
    [
        (
            "from 7.30 to 16.15 with half an hour off, five days, how many hours is that",
            "(16:15 - 7:30 - 30 min) × 5 = 41 h 15 min",
        )
    ],
    # who shares it, what comes on top of it, and what is told of it afterwards
    [
        ("pedimos sushi por 52000 entre los 4, cuanto le toca a cada uno", "52000 / 4 = 13000"),
        ("y si me meten uno más, o sea 5", "52000 / 5 = 10400"),
    ],
    [("entre 4 la cena de 18400 cuanto nos toca", "18400 / 4 = 4600")],
    [
        ("the total was 96.60 for 6 mates, how much each pls", "96.60 / 6 = 16.1"),
        ("2 of them arent paying", "96.60 / 4 = 24.15"),
        ("plus 4 for the tip", "(96.60 + 4) / 4 = 25.15"),
    ],
    [
        ("lunch was 45.60, how much is it with a 15% tip", "45.60 + 15% = 52.44"),
        ("what about 20", "45.60 + 20% = 54.72"),
        ("and without the tip?", "45.60 = 45.6"),
    ],
    [
        ("tenia 15000 y gaste 4300 en el super cuanto me queda", "15000 - 4300 = 10700"),
        ("y pague 1000 del taxi", "15000 - 4300 - 1000 = 9700"),
    ],
    [("compre 3 remeras a 8500 y un pantalon de 22000, cuanto gaste", "3 × 8500 + 22000 = 47500")],
    [("i sell bracelets for 8 each, sold 23, how much did i make", "8 × 23 = 184")],
    [("the phone is 480 over 24 months, how much is it per month", "480 / 24 = 20")],
    [
        ("petrol is 1.80 a litre, how much for 35 litres", "1.80 × 35 = 63"),
        ("and 40?", "1.80 × 40 = 72"),
    ],
    [("12 eggs is 3.60 so how much is one egg", "3.60 / 12 = 0.3")],
    [("mi carro gasta 8 litros cada 100 km, cuanto gasto en 350 km", "350 × 8 / 100 = 28 l")],
    [
        (
            "240 km and the van does 12 km a litre, diesel is 1.50 a litre, how much do i spend",
            "240 / 12 × 1.50 = 30",
        )
    ],
]


@pytest.mark.needs("calculator")
async def test_what_people_tell_is_computed_and_gone_on_from_without_a_model(tmp_path: Path) -> None:
    llm = ScriptedChatModel(echo=True)
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for talk in TALKS:
            person = (
                BOB
                if any(word in talk[0][0].split() for word in ("the", "how", "between", "and", "in"))
                else ALICE
            )
            for message, result in talk:
                await app.say(person, message)
                assert app.replies_to(person)[-1] == result, message
    assert not [request for request in llm.requests if request.purpose != "short"]


@pytest.mark.needs("calculator")
async def test_a_question_of_ours_is_no_bar_to_a_sum_that_is_asked_for(tmp_path: Path) -> None:
    llm = ScriptedChatModel("¡Todo bien! ¿Y vos?")
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        await app.say(ALICE, "hola, como va?")
        await app.say(ALICE, "el kilo de milanesa lo tengo a 9.200, cuanto seria medio kilo?")
        assert app.replies_to(ALICE)[-1] == "9.200 × 0,5 = 4.600"


_NO_SUMS: Final = (
    "el kilo esta a 280, carisimo todo",
    "recordame comprar 3/4 kilo de yerba a 280 el kilo",
    "anota que ruben pago con 500 y era 347, cuanto me debe",
    "add 250 g of ham at 12.40 a kilo to the shopping list",
    "he gave me a 50 and it was lovely",
    "cuanto es la multa por ir a 120 en zona de 60",
    "de 8 a 10 personas vienen, cuantas horas antes cocino?",
    "somos 3 hermanas",
    "one more beer please",
    "2 noches en un cuarto a 450 la noche y 3 cuartos mas, cuanto?",
    "2 litros a 300 el kilo, cuanto es",
    "tengo 40 años y compre 3 panes a 25 cada uno, cuanto es",
    "compro en 80 y vendo en 100 por suerte",
    "my son is 6 ft tall now!",
    "cuantos kilos bajo ana? 5",
    "how many miles did you do in 2 hours",
    "trabaje de 8 a 17 estoy muerta",
    "the recipe for 4 was lovely",
    "la receta es para 4, somos 6",
    "cuanto sale el kilo de pan?",
    "3 cajas a 25 cada una y 10%, cuanto es",
    "pago con 200 y era 347, cuanto me da de vuelto",
    "delivery is 5 quid. how much is 3 pizzas at 12 each",
    "we split into 4 groups of 6",
    "i get a half hour lunch. how old is a 30 year old oak",
    "fueron 200 personas al casamiento y salio 15000",
    "vendo a 700 el kilo, me pidieron 35 de multa",
    "cuantos gramos de levadura para 3 kilos de harina",
    # what stands before it is asked, too
    "qué hora es en Roma y cuánto es el 20% de 350",
    "whats the capital of Chad and how much is 20% of 350",
)
_NOT_OF_IT: Final = (
    ("the minibus is 240 between 12 of us how much each", "my train isn't coming"),
    ("the minibus is 240 between 12 of us how much each", "the lads can't come"),
    ("the minibus is 240 between 12 of us how much each", "sam and 3 others cant come"),
    ("la cena fue 30000 entre 3, cuanto cada uno", "y 2 de esos son alergicos al mani"),
    ("la cena fue 30000 entre 3, cuanto cada uno", "somos 4 hermanos sabias?"),
    ("the bill was 90 for 3 of us how much each", "one more thing, is it raining?"),
    ("tenia 15000 y gaste 4300, cuanto me queda", "y mañana a las 4 voy al dentista"),
)


@pytest.mark.needs("calculator")
async def test_what_is_no_sum_or_not_sure_is_left_to_the_model(tmp_path: Path) -> None:
    llm = ScriptedChatModel(echo=True)
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for message in _NO_SUMS:
            await app.say(ALICE, message)
            assert app.replies_to(ALICE)[-1].startswith("echo: "), message
        for told, message in _NOT_OF_IT:
            await app.say(ALICE, told)
            assert "=" in app.replies_to(ALICE)[-1], told
            await app.say(ALICE, message)
            assert app.replies_to(ALICE)[-1].startswith("echo: "), message


@pytest.mark.parametrize(
    ("message", "now"),
    [
        ("y si me meten uno más, o sea 4", 4),
        ("y si viene tambien mi hermano", 4),
        ("y si vienen 2 amigos mas?", 5),
        ("pará que falta contar a lucas, 4 en total", 4),
        ("sin contarme a mi", 2),
        ("dividilo entre 5 mejor", 5),
        ("se rajaron dos", 1),
        ("one more joined us", 4),
        ("what if 2 more come", 5),
        ("2 more people turned up", 5),
        ("we're 4 now actually", 4),
        ("minus me", 2),
        ("y si el Nico no pone?", 2),
        ("y si Nico no pone un peso como siempre?", 2),
        ("y 3 mas", None),
        ("llegaron 2 paquetes", None),
        ("vienen 2 mas a las 9?", None),
        ("dividilo entre 5", None),
        ("i have 2 more questions", None),
        ("one more thing", None),
        ("se baja uno", 2),
        ("y si faltan dos", 1),
        ("what if 2 don't show up", 1),
        ("y si se suma una más?", 4),
        ("and if one of them comes back?", 4),
        ("falta uno", None),
        ("faltan dos", None),
        ("y si faltan 2 horas", None),
        ("y si se suma todo", None),
        ("my sister wants in too", 4),
        ("no cuentes a Leo, es su cumple", 2),
        ("forget Pete he's skint", 2),
        ("se cae el sistema", None),
        ("kick it off", None),
        ("don't count on it", None),
        ("take the wine out, 18", None),
    ],
)
def test_who_shares_now_is_read(message: str, now: int | None) -> None:
    assert read_sharers(message, 3) == now


_CTX: Final = TurnContext(TurnId(1), UserId("u1"), ConversationId(1), 1, NOW, "es", is_admin=False)
_PIECES: Final = (
    *("1/2", "½", "3 1/2", "0", "1.250", "9,80", "12:30", "25:99", "8", "99999999", "2h45", "3 lucas", "$ 40"),
    *(
        "10 %",
        "1/2 %",
        "½%",
        "200%",
        "+",
        "x",
        "o",
        "or",
        "a",
        "de",
        "to",
        "for",
        "per",
        "at",
        "y",
        "and",
        ",",
        "?",
    ),
    *("kilo", "libras", "dozen", "cups", "km", "mph", "km/h", "litros", "horas", "minutes", "por mes", "a week"),
    *(
        "cuánto es",
        "how much",
        "how much is one",
        "cost",
        "o sea",
        "how long",
        "how fast",
        "cuánto falta",
        "what's left",
        "which is cheaper",
        "promedio",
    ),
    *("pago con", "somos", "cada uno", "of us", "él paga la mitad", "el doble que yo", "compro en", "vendo en"),
    *("saqué", "tenía", "spent", "le di", "menos", "plus", "off", "IVA", "sin IVA", "tax", "percent of", "out of"),
    *(
        "salgo a las",
        "llego",
        "voy a",
        "de 8 a 17",
        "la receta es para",
        "en 12 cuotas de",
        "ponele",
        "stick it on",
    ),
)


@pytest.mark.parametrize(
    ("message", "before", "step"),
    [
        ("and it's 14 dollars a metre, what's that come to", "7.5 * 4", "{} * 14"),
        ("y si el metro cuadrado esta 450, cuanto me sale", "cuanto es 12 x 8", "{} * 450"),
        ("y si el kilo sale 9000 cuanto gasto", "cuanto es medio kilo si el kilo sale 9800", None),
        ("a cab is 14 dollars", "12 x 4", None),
    ],
)
def test_the_price_of_each_is_of_the_measure_just_told(message: str, before: str, step: str | None) -> None:
    assert read_price_of_it(message, before) == step


@pytest.mark.parametrize(
    ("message", "packs"),
    [
        ("y el rollo cubre 5 metros, cuantos rollos", ("5", "rollos")),
        ("if a tin covers 10 square metres how many tins do i need", ("10", "tins")),
        ("how many rolls of paper does a family use in 5 weeks", None),
    ],
)
def test_packs_are_asked_for(message: str, packs: tuple[str, str] | None) -> None:
    assert read_packs(message) == packs


@given(st.lists(st.sampled_from(_PIECES), max_size=24).map(" ".join))
def test_any_text_is_read_without_a_failure(text: str) -> None:
    for one in (text, f"{text}?"):
        for ctx in (_CTX, replace(_CTX, language="en", timezone="Europe/London")):
            answer = answer_alone(one, ctx)
            assert answer is None or answer.literal
        step = read_put_on(one)
        assert step is None or "{}" in step
        assert read_instead(one, text) != ""
        assert read_sharers(one, 4) != 4
        priced = read_price_of_it(one, "")
        assert priced is None or "{}" in priced
        assert read_packs(one) != ("", "")


@pytest.mark.parametrize(
    "text", ["1/" * 120, "kilo a " * 40, "de 8 a 17 " * 20, "½" * 200, "3 pies 5 pies y 2% " * 12, ""]
)
def test_what_says_too_little_is_no_sum(text: str) -> None:
    assert answer_alone(text, _CTX) is None


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (
            "una licuadora cuesta 1800 más 16% de iva, cuánto es el iva y cuánto en total",
            "16% de 1800 = 288\n1800 + 16% = 2088",
        ),
        ("me los dejan en 11 y los doy a 15, vendí 65, cuánto gano?", "(15 - 11) × 65 = 260"),
        ("me los dejan en 11 y los doy a 15, vendí 65, cuánto me queda?", "(15 - 11) × 65 = 260"),
        ("lo doy a 15, vendí 65, cuánto me queda?", None),
        ("i buy them at 3 and sell at 5, sold 30, whats my profit", "(5 - 3) × 30 = 60"),
        ("compro la caja de 12 a 60 y vendo cada una a 8, cuánto gano por caja", None),
        ("me dejan el kilo a 13 y vendo la bolsa a 20, vendí 30 bolsas, cuánto gano", None),
        ("saco 1840, le quito 620 y 350, cuánto me queda", "1840 - 620 - 350 = 870"),
        ("tenia 900, compre 3 remeras a 40, cuanto me queda", "900 - 3 × 40 = 780"),
        ("tenía 900 y compré 3 remeras, cuánto me queda", None),
        ("tenia 200 y compre 3 de 35, cuanto me queda", None),
        ("sold 30 pies at 7 and spent 45 on flour, what's left", "30 × 7 - 45 = 165"),
        ("tengo 5000, gasté 2000 y del resto ahorro el 30%, cuánto ahorro", "30% de (5000 - 2000) = 900"),
        ("total was 100, i already paid 20 and the rest between 4, how much each", "(100 - 20) / 4 = 20"),
        ("90 con 20% de descuento y encima 21% de iva cuánto queda", "90 - 20% + 21% = 87.12"),
        ("1200 con 10% y después otro 5% de descuento cuánto queda", None),
        ("somos 8 y la cuenta es 540, pero dos no pagan, cuánto cada uno", "540 / 6 = 90"),
        ("300 between 5 of us but Meera isn't paying, how much each", "300 / 4 = 75"),
        ("480 for the house, 5 of us but Sam is away so he doesnt pay, how much each", None),
        ("la cuenta es 60000 somos 4 y con 10 de propina, cuánto cada uno", "(60000 + 10%) / 4 = 16500"),
        ("la cuenta es 60 somos 4 y con 10 de propina, cuánto cada uno", None),
        ("son 25 por persona por dia, somos 6 y vamos 3 dias, cuánto es", "25 × 6 × 3 = 450"),
        ("40 a night per person, 5 people 2 nights, whats the total", "40 × 5 × 2 = 400"),
    ],
)
def test_a_number_has_the_role_that_the_words_give_it_or_nothing_is_computed(
    message: str, answer: str | None
) -> None:
    reply = answer_alone(message, _CTX)
    assert (reply.literal if reply else None) == answer
