"""What goes on from a result just told is computed by code; what may be anything else is left to the model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.turn import Said, TurnContext
from app.language.catalogue import Language
from app.skills.tools.calculator.both import read_both
from app.skills.tools.calculator.calculator_tools import calculate
from app.skills.tools.calculator.corrections import Correction, read_correction
from app.skills.tools.calculator.going_on import answer_of_story
from app.skills.tools.calculator.goods import read_priced
from app.skills.tools.calculator.results import Told, read_result
from app.skills.tools.calculator.sharers import read_sharers
from app.skills.tools.calculator.steps import read_step
from app.skills.tools.calculator.story import find_sum
from tests.builders import ALICE, BOB
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app

ZONES = ("America/Argentina/Buenos_Aires", "America/Mexico_City", "Europe/Madrid", "America/Lima", "UTC")


def turn(language: Language = "en", timezone: str = "UTC") -> TurnContext:
    at = datetime(2026, 8, 4, tzinfo=UTC)
    return TurnContext(
        TurnId(1), UserId("ann"), ConversationId(1), 1, at, language, is_admin=False, timezone=timezone
    )


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # shared out
        ("dividilo por 6", "{} / 6"),
        ("y con la seña de 70 descontada", "{} - 70"),
        ("y descontando el adelanto de 80?", "{} - 80"),
        ("and with a 60 deposit taken off?", "{} - 60"),
        ("Ahora divídelo entre los cinco, por favor", "{} / 5"),
        ("dale, y eso dividido 8 cuánto da?", "{} / 8"),
        ("¿y repartido entre las 4 primas?", "{} / 4"),
        ("oye, y entre 9 cuánto nos toca?", "{} / 9"),
        ("y si somos 7 cuánto pone cada uno?", "{} / 7"),
        ("y en 12 cuotas?", "{} / 12"),
        ("ok now divide that by 15", "{} / 15"),
        ("and shared between all 9 of us?", "{} / 9"),
        ("repartilo en partes iguales entre 8", "{} / 8"),
        ("y a cada uno de los 6 cuánto le toca?", "{} / 6"),
        ("dividilo a la mitad", "{} / 2"),
        ("share it out equally between the seven cousins", "{} / 7"),
        ("split that in half please", "{} / 2"),
        ("split it three ways please", "{} / 3"),
        ("how much each if there are 11 of us?", "{} / 11"),
        ("lovely, and between the five cousins?", "{} / 5"),
        # a share that somebody keeps of it
        ("y si el kiosco se queda con el 12 por ciento, cuánto nos queda", "{} - 12%"),
        ("y si el escribano se lleva el 4% de eso", "{} - 4%"),
        ("y si nos cobran el 6 por ciento cuánto nos queda", "{} - 6%"),
        ("and if the venue takes 9 percent of that what's left for us", "{} - 9%"),
        ("the shop keeps 30%, what do i get", "{} - 30%"),
        # to whom one says "usted", or as in Mexico and the Andes
        ("réstele 700 que gasté en el remís", "{} - 700"),
        ("sáquele otros 150", "{} - 150"),
        ("póngale 90 más", "{} + 90"),
        ("échele 25 de la bolsa", "{} + 25"),
        # what is left of it
        ("de eso un tercio es para mi cuñada, cuánto me queda?", "{} - {} / 3"),
        ("half of it goes to my flatmate, how much is left for me", "{} - {} / 2"),
        ("a third is for the landlord", "{} / 3"),
        # with a reason behind it
        ("partilo para 6 que somos seis", "{} / 6"),
        ("divídelo x 3 porque viene mi cuñada con el novio", "{} / 3"),
        ("repártelo que vamos 5 en el coche", "{} / 5"),
        ("restale 300 q los puso mi primo", "{} - 300"),
        ("split that by 5 cos there's five of us", "{} / 5"),
        ("take off 40 because the cake was burnt", "{} - 40"),
        # multiplied
        ("por 30 días", "{} * 30"),
        ("¿y eso por 12 meses?", "{} * 12"),
        ("multiplicalo por 2,5", "{} * 2,5"),
        ("times 52", "{} * 52"),
        ("and times eight weeks?", "{} * 8"),
        ("x 4", "{} * 4"),
        ("* 4", "{} * 4"),
        ("/ 4", "{} / 4"),
        # more
        ("y si le sumo 3.500 del remis?", "{} + 3.500"),
        ("súmale 80 pesos de propina", "{} + 80"),
        ("bueno, agregale 950 de bolsas", "{} + 950"),
        ("sumale 15 mil del camión", "{} + 15000"),
        ("plus 3k for the van", "{} + 3000"),
        ("más 200 del estacionamiento", "{} + 200"),
        ("más el 21 % de IVA", "{} + 21%"),
        ("y con la propina del 10%?", "{} + 10%"),
        ("y si a eso le sumo 4 pizzas a 9800 cada una?", "{} + 4 * 9800"),
        ("más IVA 21%", "{} + 21%"),
        ("increase that by 4%", "{} + 4%"),
        ("y un 6% más?", "{} + 6%"),
        ("con 2.200 de envío", "{} + 2.200"),
        ("plus 9.99 shipping", "{} + 9.99"),
        ("+ 12.5%", "{} + 12.5%"),
        ("add $45.50 for the taxi", "{} + 45.50"),
        ("and plus 8% sales tax?", "{} + 8%"),
        ("with a 15% tip, dear?", "{} + 15%"),
        ("and if we leave a 12% tip?", "{} + 12%"),
        ("y si dejamos un 15% de propina?", "{} + 15%"),
        ("could you add 3 hours at 18.75 to that please", "{} + 3 * 18.75"),
        # less
        ("restale 2.300 de la luz", "{} - 2.300"),
        ("quítale 150 del camión", "{} - 150"),
        ("menos el 5% de comisión", "{} - 5%"),
        ("y si me hacen un 20% de descuento?", "{} - 20%"),
        ("con 10 por ciento de descuento", "{} - 10%"),
        ("ahora descontale los 400 de la seña", "{} - 400"),
        ("knock off 30 for the broken one", "{} - 30"),
        ("take 25 off for the petrol", "{} - 25"),
        ("now subtract 60", "{} - 60"),
        ("bajale un 8%", "{} - 8%"),
        ("con 700 de descuento", "{} - 700"),
        ("- 45", "{} - 45"),
        ("with 30% off?", "{} - 30%"),
        ("less the 3% card fee", "{} - 3%"),
        ("and minus forty for the parking", "{} - 40"),
        # a part, or a multiple
        ("y la mitad de eso?", "{} / 2"),
        ("el triple", "{} * 3"),
        ("la tercera parte de eso", "{} / 3"),
        ("and a quarter of that for the savings jar?", "{} / 4"),
        ("double that please", "{} * 2"),
        ("half?", "{} / 2"),
        ("y el 30% de eso para el alquiler?", "30% of {}"),
        ("what's 12.5% of that?", "12.5% of {}"),
        # long, with the step in the last or the first clause
        (
            "Bueno, al final hablé con mi cuñada y resulta que la salsa y las servilletas las pone ella porque le"
            " sobraron de su cumpleaños, así que no hace problema. Restale 1.800 de la salsa",
            "{} - 1.800",
        ),
        (
            "Take off 35 for the tent pegs. My neighbour came round and said that he has a whole box of them in"
            " his shed which he never uses, so we may as well borrow those from him and be done",
            "{} - 35",
        ),
    ],
)
def test_what_goes_on_from_a_result_is_read(message: str, expected: str) -> None:
    assert read_step(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "tengo 4 sobrinos",
        "I always leave a 20% tip",
        "le dejé 10% de propina al mozo",
        "entre 8 vecinos elegimos a la presidenta",
        "between 12 players we picked one",
        "dividilo entre 4 que somos 6 y 2 perros",
        "dividilo entre 4 que mañana te recuerdo",
        "somos 5",
        "recordame restarle 20 mañana",
        "anotá 700 de pan",
        "agregale 3 kilos de harina",
        "agregá 2 jabones a la lista",
        "add 6 tomatoes",
        "add 30 to the shopping list",
        "add 18 to my expenses",
        "take 2 tablets",
        "take 5",
        "shared 4 photos with him",
        "split between me and my 2 sisters",
        "entre las 4 chicas y yo",
        "dividilo entre los 3 y Ana",
        "dividí 840 entre 7",
        "cuánto es 12 por 9?",
        "y de 1200?",
        "and 25%?",
        "¿y el 8%?",
        "no le sumes 20",
        "don't add 20",
        "no, dividido 6",
        "la mitad de las cajas",
        "half of them came late",
        "half of that was paid in May",
        "un cuarto para las visitas",
        "por 2 razones no puedo ir",
        "con 10% de interés cuánto pago por mes?",
        "el doble de trabajo",
        "double room for two",
        "a las 7",
        "por 50 pesos qué me llevo?",
        "necesito una carpa por 4 días",
        "y si llueve por 2 días adónde vamos?",
        "restale 40 y dividilo entre 3",
        "restale 40. ¿qué hora es en Madrid?",
        "take off 20, and who won the match?",
        "más o menos 20",
        "10% de batería",
        "between 3 and 5",
        "entre 3 y 5",
        "quedan 8",
        "+1",
        "take that one off",
        "explicame cómo se divide por dos cifras",
        "enseñame a multiplicar por 12",
        "bueno, 500",
        "ok: 45",
        "- 12 huevos",
        "menos 3 que se rompieron",
        "agregale 2 más",
        "póngale 2 más",
        "échele 3 cucharadas de harina",
        "no le ponga 50 más",
        "le quité 900 de comisión ayer",
        "la mitad de eso se la quedó mi cuñada",
        "add 2 more people",
        "I add 12 each day",
        "with 3 sugars",
        "gracias!",
        "meet me at 6 with 2 friends",
        "mi sobrino juega un partido entre 2 equipos hoy",
        "9" * 700,
        "",
        # long, and the step is in the middle
        "Ayer vino mi cuñada con toda la familia a casa y nos quedamos charlando un rato largo de las vacaciones."
        " Sumale 900 de la leña. Después se fueron todos caminando por la costanera y volvieron cansados",
    ],
)
def test_what_may_be_something_else_is_no_step(message: str) -> None:
    assert read_step(message) is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("vendí 18 budines a 2600 cada uno, cuánto me tienen que pagar?", "18 * 2600"),
        ("Trabajé nueve horas a $4.800 la hora, ¿cuánto me deben?", "9 * 4.800"),
        ("entregué 5 docenas de facturas a 7.000 la docena. cuánto es?", "5 * 7.000"),
        ("¿cuánto es por 3 noches a 95 la noche?", "3 * 95"),
        ("2 jugos a 800 y 4 tostados a 3200, cuánto es en total?", "2 * 800 + 4 * 3200"),
        ("3 kilos y medio a 900 el kilo, cuánto es?", "3.5 * 900"),
        ("6 metros de tela a 5400 el metro", "6 * 5400"),
        ("I made 31 candles at £6.75 each, what does that come to?", "31 * 6.75"),
        ("35 hours at 21.40 per hour", "35 * 21.40"),
        ("how much is 8 kg of flour at 1.35 a kilo?", "8 * 1.35"),
        ("we booked 4 nights at $112 a night, how much is that altogether?", "4 * 112"),
    ],
)
def test_things_at_a_price_are_read(message: str, expected: str) -> None:
    assert read_priced(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "vendí 18 budines a 2600 cada uno",
        "2 jugos a 800",
        "36 eggs at 4 a dozen",
        "2 dozen eggs at 3 each",
        "I do 20 hours at 18 an hour, how much do I earn in a year?",
        "abre de 8 a 12",
        "4 camisas a 9000 cada una con 20% de descuento, cuánto es?",
        "cena con 4 amigos a las 9",
        "recordame llevar 2 tortas a 5000 cada una, cuánto es?",
        "we were 6 hours at 2 different airports, how much is that?",
        "31 candles at 6.75 each, how much for 12?",
        "how much is the deposit for 4 nights at 112 a night?",
        "hice 9 panes a 1500, cuánto me queda de ganancia?",
        "how many of the 12 at 3 each are left",
    ],
)
def test_what_asks_for_more_than_a_product_is_left_to_the_model(message: str) -> None:
    assert read_priced(message) is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("no, eran 31 bolsas, no 13", Correction("31", "13")),
        ("it was 24 not 42", Correction("24", "42")),
        ("no eran 13 sino 31", Correction("31", "13")),
        ("not 60 but 16", Correction("16", "60")),
        ("62 en vez de 26", Correction("62", "26")),
        ("era 20%, no 15%", Correction("20", "15")),
        ("perdón, eran 65 nomás", Correction("65", noun="nomas")),
        ("ay no, eran 90", Correction("90")),
        ("no 37, I looked at the wrong line", Correction("37")),
        ("sorry, it was 28 boxes", Correction("28", noun="boxes")),
        ("uy, me equivoqué, eran doce", Correction("12")),
        ("no eran 90", None),
        ("no quiero 4", None),
        ("no tengo 20 pesos", None),
        ("no, avisame a las 8", None),
        ("sorry, 15%", None),
        ("no 2 ni 3", None),
        ("son 90", None),
        ("the meeting is at 4, not 5", None),
    ],
)
def test_a_number_taken_back_is_read(message: str, expected: Correction | None) -> None:
    assert read_correction(message) == expected


@pytest.mark.parametrize(
    ("told", "language", "expected"),
    [
        ("23 × 3.5 = 80.5", "en", Told("23 × 3.5", "80.5", is_local=False)),
        ("1.500 + 320,5 = 1.820,5", "es", Told("1500 + 320.5", "1820.5", is_local=True)),
        ("1820.5 / 4 = 455.125", "es", Told("1820.5 / 4", "455.125", is_local=False)),
        ("15% de 260 = 39", "es", Told("15% de 260", "39", is_local=False)),
        ("3.069 / 3 = 1.023 (3.069 was read as 3.069)", "es", Told("3.069 / 3", "1.023", is_local=False)),
        ("10 / 3 ≈ 3.33", "en", Told("10 / 3", "(10 / 3)", is_local=False)),
        ("10 / 3 ≈ 3.33333333333", "en", Told("10 / 3", "(10 / 3)", is_local=False)),
        ("7.000 / 3 ≈ 2.333,33", "es", Told("7000 / 3", "(7000 / 3)", is_local=True)),
        ("Of what you just told me: 18.40 + 7 = 25.4", "en", Told("18.40 + 7", "25.4", is_local=False)),
        ("De lo que me dijiste recién: 640", "es", Told("640", "640", is_local=False)),
        ("23 × 3.5 = 81", "en", None),
        ("640", "es", None),
        ("The answer is 80.5", "en", None),
        ("2 + 2 = 4\n3 + 3 = 6", "en", None),
        ("2 + 2 = 4, you know", "en", None),
    ],
)
def test_only_a_result_that_is_right_is_gone_on_from(told: str, language: Language, expected: Told | None) -> None:
    assert read_result(told, turn(language)) == expected


@given(
    st.integers(1, 10**9),
    st.integers(1, 9999),
    st.sampled_from("+-*/"),
    st.sampled_from(("en", "es")),
    st.sampled_from(ZONES),
    st.booleans(),
)
def test_whatever_the_calculator_tells_is_read_back(
    thousandths: int, right: int, sign: str, language: Language, zone: str, is_grouped: bool
) -> None:
    left = (
        f"{thousandths // 1000:,}".replace(",", ".")
        if is_grouped and language == "es"
        else f"{thousandths / 1000}"
    )
    expression = f"{left} {sign} {right}"
    ctx = replace(turn(language, zone), said=Said(now=(expression,)))
    result = calculate(expression, ctx=ctx)
    if "≈" in result.output or "(" in result.output:
        return
    read = read_result(result.reply or "", ctx)
    assert read is not None
    assert read.value == result.output.rpartition("= ")[2]


@pytest.mark.parametrize(
    ("said", "sharers"),
    [
        ("and if Tess doesn't pay? typical", 7),
        ("y si el Beto se borra otra vez?", 7),
        ("and if two of them drop out?", 6),
        ("y si en vez de 8 fuéramos 10", 10),
        ("el Beto se borró del gimnasio de 3 pisos", None),
        ("saca a Lucho que es su santo y la invitamos nosotros", 7),
        ("quita a Ema", 7),
        ("quita a mi primo, cumple años", 7),
        ("leave Pat out, it's her birthday", 7),
        ("take Sam out of it he is skint", 7),
        ("quita a todos", None),
        ("saca a Lucho y a Beto", None),
        ("saca a pasear al perro mañana", None),
        ("quita a Rosa de la lista de invitados", None),
        ("leave the milk out", None),
        ("leave pat a note saying she was great", None),
    ],
)
def test_who_shares_is_counted_anew_whatever_is_said_of_them(said: str, sharers: int | None) -> None:
    assert read_sharers(said, 8) == sharers


@given(st.text(max_size=200) | st.text("0123456789 .,%$-+/xy\u00bd", max_size=200))
def test_any_text_is_read_without_a_failure(text: str) -> None:
    step = read_step(text)
    assert step is None or step.count("{}") in (1, 2)
    read_priced(text)
    read_correction(text)
    read_result(text, turn("es"))


async def told_without_a_model(directory: Path, talks: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Hold the talks, (message, result) each, and see that no model was asked for an answer."""
    llm = ScriptedChatModel()
    async with running_app(directory, llm=llm, profile=CONSTRAINED) as app:
        for person, talk in talks.items():
            for message, result in talk:
                await app.say(person, message)
                assert app.replies_to(person)[-1] == result
    assert not [request for request in llm.requests if request.purpose != "short"]


@pytest.mark.needs("calculator")
async def test_results_are_gone_on_from_without_a_model(tmp_path: Path) -> None:
    talks = {
        BOB: (
            ("I made 31 candles at 6.75 each, how much is that altogether?", "31 × 6.75 = 209.25"),
            ("sorry, it was 13 candles", "13 × 6.75 = 87.75"),
            ("take off 18 for the wax", "87.75 - 18 = 69.75"),
            ("and a third of that for my sister?", "69.75 / 3 = 23.25"),
            ("plus 10%", "23.25 + 10% = 25.575"),
            ("10% of 270", "10% of 270 = 27"),
            ("so what do we pay in all", "270 + 10% = 297"),
            ("and three ways with Dot and Raj", "297 / 3 = 99"),
        ),
        ALICE: (
            ("vendí 18 budines a 2.600 cada uno, cuánto me tienen que pagar?", "18 × 2.600 = 46.800"),
            ("y si le sumo 4 tortas de 12.500?", "46.800 + 4 × 12.500 = 96.800"),
            ("no, eran 5 tortas, no 4", "46.800 + 5 × 12.500 = 109.300"),
            ("restale el 5 % de comisión", "109.300 - 5% = 103.835"),
            ("y dividido entre las tres?", "103.835 / 3 ≈ 34.611,67"),
            ("por 3", "(103.835 / 3) × 3 = 103.835"),
        ),
    }
    await told_without_a_model(tmp_path, talks)


@pytest.mark.needs("calculator")
async def test_only_the_newest_answer_is_gone_on_from_and_only_ones_own(tmp_path: Path) -> None:
    llm = ScriptedChatModel(echo=True)
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        await app.say(BOB, "how much is 12 times 9?")
        await app.say(ALICE, "dividilo entre 4")
        assert "27" not in app.replies_to(ALICE)[-1]
        await app.say(BOB, "nice weather today")
        await app.say(BOB, "divide that by 4")
        assert "27" not in app.replies_to(BOB)[-1]


@pytest.mark.needs("calculator")
async def test_bare_numbers_prices_and_reasons_go_on_without_a_model(tmp_path: Path) -> None:
    talks = {
        BOB: (
            ("what's 12 percent of 55, the driver got lost a lot", "12% of 55 = 6.6"),
            ("well, he did say sorry, and 16 percent?", "16% of 55 = 8.8"),
            ("a kettle is 40 with 15% off, how much", "40 - 15% = 34"),
            ("and if I get two at that price?", "34 × 2 = 68"),
            ("a rug is 90 with 10% off, how much", "90 - 10% = 81"),
            ("and if she takes four with that discount", "81 × 4 = 324"),
            ("y eso entre 3 q somos cuanto le toca a cada quien", "324 / 3 = 108"),
            ("how much is 7 pairs of gloves at 12 each", "7 × 12 = 84"),
            ("how much for nine of them", "9 × 12 = 108"),
            ("whats 41 kg in pounds? the form is american", "41 / 0.45359237 ≈ 90.39 pounds"),
        ),
        ALICE: (
            ("cuánto es el 9% de 4000? es que la del banco no sabía", "9% de 4000 = 360"),
            ("bueno, qué remedio, y el 11%?", "11% de 4000 = 440"),
            ("cuánto son 5 docenas y media", "5.5 × 12 = 66"),
            ("tres docenas y media de alfajores cuántos son", "3.5 × 12 = 42"),
            ("cuánto es 6 x 750", "6 × 750 = 4500"),
            ("quítele 400 de flete", "4500 - 400 = 4100"),
            ("ahora súmele 60 más", "4100 + 60 = 4160"),
        ),
    }
    await told_without_a_model(tmp_path, talks)


@pytest.mark.parametrize(
    "message",
    [
        "what's 12 percent of 55, then split it",
        "what's 12 percent of 55? and who won last night",
        "what's 12 percent of 55, the other half too",
        "2+1, la promo del chino",
        "cuánto es el 9% de 4000, es la mitad de lo otro",
        "cuánto es el 9% de 4000? anotá que llamó Raúl",
        "cuánto es 90 por 4 que le sumo dos más",
        "cuánto es 1250 por 3 que salió cada banco",
        "what's 640 / 7 to the nearest hundred",
        "how much is 95 times 12 for the three of us",
    ],
)
def test_what_changes_a_sum_is_no_reason(message: str) -> None:
    assert find_sum(message, turn("es")) is None


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("cuánto es 430 por 6 que vendo tortas", "430 × 6 = 2580"),
        ("decime cuánto es 85 por 14 para el alquiler de las mesas", "85 × 14 = 1190"),
        ("cuánto es 1250 entre 5 q le pago a la niñera", "1250 / 5 = 250"),
        ("how much is 95 times 12 for the choir weekend", "95 × 12 = 1140"),
        ("what's 18 times 45 so I know what to charge", "18 × 45 = 810"),
        ("cuánto es 600 por 7 menos 20", "600 × 7 - 20 = 4180"),
    ],
)
def test_the_reason_behind_a_whole_sum_is_no_part_of_it(message: str, told: str) -> None:
    found = find_sum(message, turn("es"))
    assert found is not None
    assert found[1].literal == told


@pytest.mark.parametrize(
    "message",
    [
        "y cuánto se lleva el gestor si se queda con el 10 por ciento",
        "how much does the shop get if it takes 30%",
        "mi socio no se queda con el 10 por ciento",
        "cada uno se lleva el 20 por ciento, cuánto es?",
        "y si nos cobran el 5 por ciento de recargo cuánto pagamos",
        "and if i keep 40% of that",
    ],
)
def test_what_they_get_or_a_surcharge_is_not_taken_off(message: str) -> None:
    assert " - " not in (read_step(message) or "")


@pytest.mark.needs("calculator")
async def test_what_goes_on_is_computed_with_talk_behind_it(tmp_path: Path) -> None:
    talks = {
        ALICE: (
            ("how many kilos is 8 stone", "8 × 6.35029318 ≈ 50.8 kilos"),
            ("and 12? thats what i was after the twins, lord help me", "12 × 6.35029318 ≈ 76.2 kilos"),
            ("what's 10% of 65", "10% of 65 = 6.5"),
            ("and 15%? the lad was so kind, bless him", "15% of 65 = 9.75"),
        ),
        BOB: (
            ("cuántas libras son 30 kilos", "30 / 0.45359237 ≈ 66.14 libras"),
            ("y en onzas? que la receta de mi suegra viene así", "30 / 0.028349523125 ≈ 1058.22 onzas"),
            ("18% de 250", "18% de 250 = 45"),
            ("¿y el 22%? que me lo subieron los muy vivos", "22% de 250 = 55"),
            ("7 por 9", "7 × 9 = 63"),
            ("eso último sacáselo a los 400 que me dio el tío, a ver si llego", "400 - 63 = 337"),
        ),
    }
    await told_without_a_model(tmp_path, talks)


@pytest.mark.parametrize(
    ("before", "asked", "answer"),
    [
        ("he quoted me 90 for the boiler", "knock 20% off that for cash and that", "90 - 20% = 72"),
        ("I made 640 this week", "take 10 percent off that for tax", "640 - 10% = 576"),
        ("la cocina sale 3000", "sacale el 10% por pago contado y eso", "3000 - 10% = 2700"),
        ("I'm 42 this year", "knock 20% off that", None),
        ("I made 40 cakes", "knock 20% off that", None),
        ("is it 90 for the boiler?", "knock 20% off that", None),
        ("he quoted me 90, she quoted me 70", "knock 20% off that", None),
    ],
)
def test_a_part_goes_off_the_only_amount_that_was_told(before: str, asked: str, answer: str | None) -> None:
    reply = answer_of_story(asked, [before], turn("es" if "sacale" in asked else "en"))
    assert (reply.literal if reply else None) == answer


@pytest.mark.parametrize(
    ("message", "count", "expected"),
    [
        ("now that plus the first", 2, "55 + 48"),
        ("y ahora eso más lo primero", 2, "55 + 48"),
        ("add that to the first one would ya", 2, "55 + 48"),
        # the first of three may be another; one alone has no first
        ("now that plus the first", 3, None),
        ("now that plus the first", 1, None),
        ("that was the first of them", 2, None),
    ],
)
def test_the_first_of_two_results_is_added(message: str, count: int, expected: str | None) -> None:
    results = [
        Told("12 * 4", "48", is_local=False),
        Told("50 + 5", "55", is_local=False),
        Told("2", "2", is_local=False),
    ]
    both = read_both(message, results[:count])
    assert (both.sum if both else None) == expected
