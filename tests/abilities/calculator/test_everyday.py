"""Ways and hours, what is left, the cheaper offer, percentages, rates: by code where each number has its role."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.turn import TurnContext
from app.language.catalogue import Language
from app.skills.tools.calculator.alone import answer_alone
from tests.abilities.calculator.test_going_on import told_without_a_model
from tests.builders import ALICE, BOB


def _turn(language: Language, timezone: str) -> TurnContext:
    at = datetime(2026, 11, 25, 13, tzinfo=UTC)
    return TurnContext(
        TurnId(1), UserId("ann"), ConversationId(1), 1, at, language, is_admin=False, timezone=timezone
    )


_ES: Final = _turn("es", "America/Argentina/Buenos_Aires")
_EN: Final = _turn("en", "Europe/London")


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        # a way, and the clock
        ("por la ruta 8 faltan 210 km y no paso de 70, cuanto voy a tardar", "210 km / 70 km/h = 3 h"),
        ("voy a 110 km/h y quedan 275 km, cuanto me falta", "275 km / 110 km/h = 2 h 30 min"),
        ("caminé 6 km en 75 minutos, a qué velocidad voy?", "6 km / 1 h 15 min = 4.8 km/h"),
        ("cuantos km hago en 4 horas a 95", "95 km/h × 4 h = 380 km"),
        ("si salgo seis y cuarto y son 2 horas y media, a que hora llego", "6:15 + 2 h 30 min = 8:45"),
        ("entro a las 8 y tardo 50 minutos, a que hora tengo que salir", "8:00 - 50 min = 7:10"),
        ("me faltan 50 km a 100 km/h, a que hora llego", "10:00 + 30 min = 10:30"),
        # what lasts, and is left at its end; a night
        ("la funcion arranca 20:40 y dura 2 horas y media, a que hora salgo", "20:40 + 2 h 30 min = 23:10"),
        ("me acuesto 11:45 y me levanto 6:30, cuanto duermo", "6:30 - 11:45 = 6 h 45 min"),
        ("se levanta 5:10 y se acuesta 10:40, cuantas horas esta despierta", "10:40 - 5:10 = 17 h 30 min"),
        # what is bought in a row and paid with a note; a share of what was earned
        ("di 2000 y eran 450, 380 y 610, cuanto me dan de vuelto", "2000 - (450 + 380 + 610) = 560"),
        ("cobramos 4500 por el show, cuanto es el 20% para el sonido", "20% de 4500 = 900"),
        ("pedí 4 de 320 y pagué con 2000, cuánto es el vuelto", "2000 - 4 × 320 = 720"),
        # the part alone, or the part and all of it
        ("cuanto de propina es el 15% de 640", "15% de 640 = 96"),
        ("son 900 mas 21% de iva, cuanto de iva y cuanto sale", "21% de 900 = 189\n900 + 21% = 1089"),
        # for others than it was told for, one thing alone
        ("3 kilos me alcanzan para 12, cuanto necesito para 30", "3 × 30 / 12 = 7.5 kilos"),
        # one length of time after the other
        ("entro 9 menos cuarto y son 5 horas y media, a que hora salgo", "8:45 + 5 h 30 min = 14:15"),
        (
            "salgo a las 6, manejo 4 horas, paro media hora y manejo 3 horas mas, a que hora llego",
            "6:00 + 4 h + 30 min + 3 h = 13:30",
        ),
        # durations
        ("1h 20 + 45 min + 2h 10 cuanto es", "1 h 20 min + 45 min + 2 h 10 min = 4 h 15 min"),
        ("cuantos minutos son 3 horas y cuarto", "3 h 15 min = 195 minutos"),
        ("entre las 22:30 y las 6:15 cuantas horas hay", "6:15 - 22:30 = 7 h 45 min"),
        # left, and missing
        ("Cobré 12.000, pagué 3.500 de alquiler y 1.200 de luz, qué me queda?", "12.000 - 3.500 - 1.200 = 7.300"),
        ("me dieron 900, 250 se los di al flaco y 80 fueron de pan, que me queda", "900 - 250 - 80 = 570"),
        ("tengo 30 huevos, use 8 y se me rompieron 3, cuantos me quedan", "30 - 8 - 3 = 19"),
        ("tengo 900 y me entran 350 mas y despues gasto 420, cuanto tengo", "900 + 350 - 420 = 830"),
        ("el sillon sale 75000 y junte 48000, cuanto me falta", "75000 - 48000 = 27000"),
        ("me presto 3 lucas y le devolvi 1200, cuanto le debo todavia", "3000 - 1200 = 1800"),
        # the cheaper one
        (
            "que conviene, el de 900 g a 5400 o el de 400 a 2600",
            "900 g a 5400 = 6000 por kilo\n400 a 2600 = 6500 por kilo\nSale menos: 900 g a 5400.",
        ),
        # of a hundred
        ("que porcentaje es 45 de 180", "45 / 180 × 100 = 25%"),
        ("el alquiler paso de 400 a 460, cuanto aumento en porcentaje", "(460 - 400) / 400 × 100 = 15%"),
        ("facture 121000 con iva del 21 incluido, cuanto es sin el iva", "121000 / (1 + 21%) = 100000"),
        ("cuánto es el 21% de IVA de 3.640", "21% de 3.640 = 764,4"),
        # averages, proportion, rates, two who share
        ("saqué 8, 6.5 y 9,5, que promedio tengo", "(8 + 6.5 + 9.5) / 3 = 8"),
        ("si 5 metros me cobraron 12500, cuanto me van a cobrar 8 metros", "12500 × 8 / 5 = 20000"),
        ("cobro 1.250 por hora, hago 6 horas por dia, cuanto es por dia", "1.250 × 6 = 7.500"),
        ("son 1200 al año, cuanto es por mes", "1200 / 12 = 100"),
        (
            "mi hermano pone el doble que yo y sale 4500, cuanto cada uno",
            "4500 / (1 + 2) = 1500 uno, y el otro 3000",
        ),
        ("con 2 huevos me salen 8 tortitas, cuantos huevos para 20", "2 × 20 / 8 = 5 huevos"),
        (
            "a batch does 16 rolls with 400g of flour, Sue wants 40, how much flour",
            "400 × 40 / 16 = 1000 g flour",
        ),
        ("con 3 litros pinto 24 metros, cuantos litros para 60 metros", "3 × 60 / 24 = 7.5 litros"),
        ("si 2 kilos cuestan 350, 5 kilos?", "350 × 5 / 2 = 875"),
        ("cuanto es 10k en millas", "10 / 1.609344 ≈ 6.21 millas"),
        ("cuanto es 38 grados en fahrenheit", "38 × 9 / 5 + 32 = 100.4 fahrenheit"),
    ],
)
def test_everyday_sums_are_computed(message: str, answer: str) -> None:
    reply = answer_alone(message, _ES)
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (
            "flapjack recipe says 400 g oats n 150 ml honey does 6, got 15 in, how much of each",
            "400 × 15 / 6 = 1000 g oats\n150 × 15 / 6 = 375 ml honey",
        ),
        ("if i leave at 7:20 and its 186 miles and i avg 62 what time am i there", "7:20 + 3 h = 10:20"),
        ("gave her 20 for a 7.35 sandwich and a 3.20 coffee, whats my change", "20 - (7.35 + 3.20) = 9.45"),
        ("180 miles to go and they're only letting us do 45, how long", "180 miles / 45 mph = 4 h"),
        ("took 3 h for 240 km, what's my speed", "240 km / 3 h = 80 km/h"),
        ("the coach leaves at half past 9, 4 hours 15, when do we arrive", "9:30 + 4 h 15 min = 13:45"),
        (
            "we must be there by 6:30 pm, an hour and a half, what time do we leave",
            "6:30 pm - 1 h 30 min = 5:00 pm",
        ),
        ("2h45 and 1h30 together", "2 h 45 min + 1 h 30 min = 4 h 15 min"),
        ("135 minutes in hours", "135 min = 2 h 15 min"),
        ("had 50, spent 12.30 and 8, what's left", "50 - 12.30 - 8 = 29.7"),
        ("my pension is 1,040, rent is 610 and the gas 85.50, what is left over", "1040 - 610 - 85.50 = 344.5"),
        ("had 2 grand, spent 650 quid on the fridge, whats left", "2000 - 650 = 1350"),
        ("i need 1200 and ive got 450 saved, how much more do i need", "1200 - 450 = 750"),
        (
            "6 for 4.20 or 10 for 6.50, which is better value",
            "6 for 4.20 = 0.7 each\n10 for 6.50 = 0.65 each\nCheaper: 10 for 6.50.",
        ),
        ("salary is 5 lakh and rent 1.2 lakh whats left", "500000 - 120000 = 380000"),
        ("she owes me 90, she gave me 25 and 30 today, how much does she still owe", "90 - 25 - 30 = 35"),
        ("i run at 10 km an hour, its 42 km, how long", "42 km / 10 km/h = 4 h 12 min"),
        ("what percent of 240 is 36", "36 / 240 × 100 = 15%"),
        ("the total is 240 including 20% vat, what is it without vat", "240 / (1 + 20%) = 200"),
        ("her marks are 67, 72, 81 and 58, whats the average", "(67 + 72 + 81 + 58) / 4 = 69.5"),
        ("6 eggs are 2.10, how much for 10 eggs", "2.10 × 10 / 6 = 3.5"),
        ("i make 15 an hour and work 32 hours a week, how much a month", "15 × 32 × 52 / 12 = 2080"),
        (
            "rent is 900 and he pays double what i do, how much each",
            "900 / (1 + 2) = 300 for one, 600 for the other",
        ),
        ("the bill's 64, 12.5% service, how much is the service", "12.5% of 64 = 8"),
        ("serves 6 with 2 cups of lentils, need it for 27", "2 × 27 / 6 = 9 cups lentils"),
        ("leave at 6, walk 2 hours, then a 20 minute rest, when do i set off again", "6:00 + 2 h + 20 min = 8:20"),
        ("8 of them at 45 cents, gave a tenner, what change", "10 - 8 × 0.45 = 6.4"),
        ("3 rolls at R18 each and paid with R100, what change do i get", "100 - 18 × 3 = 46"),
        ("how many ks is 26 miles", "26 × 1.609344 ≈ 41.84 km"),
    ],
)
def test_everyday_sums_are_computed_in_english(message: str, answer: str) -> None:
    reply = answer_alone(message, _EN)
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    "message",
    [
        "voy a 80 y no pasa nadie en la ruta",
        "el turno empieza 22:30 y dura 8 horas, estoy muerta",
        "me acuesto 11:30 y me levanto 6:15, recordame tomar agua",
        "me acosté 9:30 y me levanté 10, cuanto duermo",
        "we eat at 1:30 and the roast takes 3 hours, when do i put it in",
        "la receta lleva 500 g de harina y rinde 6, y para 9 uso 2 huevos y 4 latas",
        "voy a 3 reuniones hoy, cuanto tiempo libre me queda?",
        "how long do i cook a 2 kg chicken at 180",
        "what time should i leave for the 8.40 train",
        "flight leaves 23:40 and takes 14 hours, what time is it there then",
        "recordame en 3 horas que salgo a las 7",
        "doctor says walk half an hour a day",
        "i had 3 kids and 2 dogs, whats left of my sanity",
        "saqué 10 en matematica y 8 en lengua, quedo contenta la profe",
        "anota que gaste 500 y me quedan 300",
        "que conviene mas, el turno de 9 a 12 o el de 4 a 6",
        "cual es mejor, el 14 o el 15",
        "que te quede: calza 24 y de pantalón es 9",
        "el reloj esta parado a las siete y diez y nos hace gracia",
        "she pays double what i do, i pay 300, how much does she pay",
        "the bill is 250 with 20% vat, how much vat",
        "if i earn 3000 and pay 20% tax how much tax is that and what do i keep",
        "i do 8 reps with 20 kilos, need to do 40",
        "a meeting at 3, it's an hour long and i've 2 hours of prep, when do i start",
        "salgo a las 7, tardo 2 horas o 3 horas con trafico, a que hora llego",
        "el promedio de vida es 75 años",
        "si 2 personas tardan 6 dias, cuanto tardan 4?",
        "cuanto gana un medico por mes en 2024",
        "gano 300 por dia, cuanto gano al mes",
        "le doy 5 ml cada 8 horas, cuanto le doy por dia",
        "take 2 pills a day, how many in a week",
        "mi viejo tiene el doble de edad que yo, 60",
        "1000 al 5% de interes por mes, cuanto es al año",
    ],
)
def test_a_number_without_a_sure_role_makes_no_sum(message: str) -> None:
    assert answer_alone(message, _ES) is None
    assert answer_alone(message, _EN) is None


@pytest.mark.needs("calculator")
async def test_other_numbers_doubts_and_rounding_go_on_without_a_model(tmp_path: Path) -> None:
    talks = {
        ALICE: (
            ("voy a 90 y me faltan 270 km, cuanto tardo?", "270 km / 90 km/h = 3 h"),
            ("y a 120?", "270 km / 120 km/h = 2 h 15 min"),
            ("gasto 1200 por semana en nafta, cuanto es por año", "1200 × 52 = 62400"),
            ("y por mes?", "1200 × 52 / 12 = 5200"),
            ("en 6 cuotas de 15000 cuanto es", "6 × 15000 = 90000"),
            ("y en 9?", "9 × 15000 = 135000"),
            ("seguro?", "Sí: 9 × 15000 = 135000"),
            ("y si son 12 cuotas?", "12 × 15000 = 180000"),
            ("cuanto es 1000 / 7", "1000 / 7 ≈ 142.86"),
            ("redondeado?", "1000 / 7 ≈ 143"),
            ("tengo 5000 y gasto 1200, cuanto me queda", "5000 - 1200 = 3800"),
            ("no, gasto 1500", "5000 - 1500 = 3500"),
            ("y otros 35 del pan", "3500 - 35 = 3465"),
            ("cuanto es 15600 / 4", "15600 / 4 = 3900"),
            ("con 10 de propina", "(15600 + 10%) / 4 = 4290"),
            ("85,600+730", "85600 + 730 = 86330 (leí 85,600 como 85600)"),
        ),
        BOB: (
            ("12 chairs at 45 each how much is that", "12 × 45 = 540"),
            ("no, 14", "14 × 45 = 630"),
            ("are you sure?", "Yes: 14 × 45 = 630"),
            ("wait add the 6 for the taxi", "630 + 6 = 636"),
            ("whats 20% of 1800", "20% of 1800 = 360"),
            ("ok and the rest split 3 ways?", "(1800 - 20%) / 3 = 480"),
            ("and if there are 4 of us", "(1800 - 20%) / 4 = 360"),
            ("whats 3 tickets at 42.50", "3 × 42.50 = 127.5"),
            ("and for two of them", "2 × 42.50 = 85"),
            ("how long at 60 mph for 150 miles", "150 miles / 60 mph = 2 h 30 min"),
            ("you sure", "Yes: 150 miles / 60 mph = 2 h 30 min"),
            ("and at 50?", "150 miles / 50 mph = 3 h"),
        ),
    }
    await told_without_a_model(tmp_path, talks)


@pytest.mark.needs("calculator")
async def test_each_step_starts_from_the_last_result(tmp_path: Path) -> None:
    talks = {
        ALICE: (
            ("cuánto es 22 por 130", "22 × 130 = 2860"),
            ("y eso dividido 11", "2860 / 11 = 260"),
            ("ahora ponle 55", "260 + 55 = 315"),
            ("entre nueve", "315 / 9 = 35"),
            ("no, entre 7", "315 / 7 = 45"),
            # for a thing, of what people share
            ("el taxi salió 3600 y somos 4, cuánto cada uno", "3600 / 4 = 900"),
            ("y sumale 400 de propina", "(3600 + 400) / 4 = 1000"),
            ("y si se bajan dos?", "(3600 + 400) / 2 = 2000"),
            ("el 15% de 1400 cuánto es", "15% de 1400 = 210"),
            ("restale eso a los 1400", "1400 - 210 = 1190"),
        ),
        BOB: (
            ("what's 24 times 65", "24 × 65 = 1560"),
            ("split that 6 ways", "1560 / 6 = 260"),
            ("now take 35 off", "260 - 35 = 225"),
            ("halve it", "225 / 2 = 112.5"),
            ("plus 20 booking fee", "112.5 + 20 = 132.5"),
            ("times 3", "132.5 × 3 = 397.5"),
            ("and if it were 4?", "132.5 × 4 = 530"),
        ),
    }
    await told_without_a_model(tmp_path, talks)
