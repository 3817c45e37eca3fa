"""The clock of a place that is named, or was named just before, is told by code; all else is left to others."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.places import Places
from app.domain.turn import Said, TurnContext
from app.skills.tools.datetime import asked_now as here
from app.skills.tools.datetime.asked_days import read_asked, read_going_on
from app.skills.tools.datetime.asked_now import asks_now
from app.skills.tools.datetime.of_places import ClockOfPlace

NOW = datetime(2026, 11, 21, 22, 14, tzinfo=UTC)
CTX = TurnContext(TurnId(1), UserId("ann"), ConversationId(1), 1, NOW, "en", is_admin=False, timezone="UTC")
TODAY = NOW.date()


@pytest.fixture(scope="module")
def clock() -> ClockOfPlace:
    return ClockOfPlace(Places())


async def place_of(clock: ClockOfPlace, *said: str, told: str = "I see.") -> object:
    *before, now = said
    words = Said(now=(now,), before=tuple(reversed(before)), answers=(told,))
    call = await clock.call(now, replace(CTX, said=words))
    return None if call is None else call.arguments["timezone"]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        (("what time is it in Manila",), "manila"),
        (("hey what's the time in Oslo right now? i need to ring the landlord",), "oslo"),
        (("decime la hora en Quito, que quiero llamar a mi vieja",), "quito"),
        (("q hora es en Cordoba España porfa",), "cordoba, espana"),
        (("my gran moved to Cardiff in march", "and what time is it there now?"), "cardiff"),
        (("mi hijo se fue a Lyon", "todo bien, gracias", "che qué hora es allá?"), "lyon"),
        (("my uncle lives in Nairobi, what time is it there",), "nairobi"),
        # a place that is named wins over "here"
        (("and here in Cardiff, what time is it, me watch is knackered",), "cardiff"),
        (("ok what about here in Oslo, what's the time, I just landed",), "oslo"),
        (("sorry whats the time here in Lyon, my phone died",), "lyon"),
        (("¿y aquí en Quito qué hora sería? se me rompió el reloj",), "quito"),
        (("acá en Manila qué horas serian, que no me cambió el celu",), "manila"),
        # cities of some ten thousands, also where the name is a word, or a first name
        (("what time is it in Drogheda rn",), "drogheda"),
        (("what's the time in Cork, i want to ring my nan",), "cork"),
        (("what time is it in Sheffield please",), "sheffield"),
        (("q hora es en Torreón ahorita",), "torreon"),
        (("que hora es en Iquique, Chile",), "iquique, chile"),
        (("mi primo vive en Soria, que hora es alla",), "soria"),
        (("slow day, hail outside. My boy moved to Perth in June. What time is it by him now",), "perth"),
        # who is spoken to, and a reason behind that
        (("qué hora es en Cuenca che, mi cuñado reparte de madrugada allá y no lo quiero molestar",), "cuenca"),
        (("what's the time in Nairobi mate, my aunt works nights there",), "nairobi"),
        (("q hora es en Bogotá parce, ai vive mi hermano",), "bogota"),
        # slips in the question and in the place, and talk behind it
        (("whta tiem is it in tokoy right nwo",), "tokyo"),
        (("waht's teh tiem in brisbnae, got family over there",), "brisbane"),
        (("what is the tiem in cape twon, my aunt is there",), "cape town"),
        (("wat time isit in singapoer",), "singapore"),
        (("q hroa es en quito ahroa",), "quito"),
        (("qe hora es en buenso aires, tengo un hermano allá",), "buenos aires"),
        (("que hra seria en montevieo ahorita",), "montevideo"),
        (("what time is it in Dublin now, got a mate there",), "dublin"),
        (("mi tía se mudó a Soria en abril y acá graniza. qué hora es allá",), "soria"),
    ],
)
async def test_the_clock_of_the_only_place_is_asked_for(
    clock: ClockOfPlace, said: tuple[str, ...], place: str
) -> None:
    assert await place_of(clock, *said) == place


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("what's the time in Nairobi mate, me brother's on nights and i don't want to be ringing him", "nairobi"),
        ("what time is it in Leeds, my gran naps after lunch and I'd hate to wake her", "leeds"),
        ("qué hora es en Lima mano, mi tía hace guardias y no quiero despertarla", "lima"),
        ("che me decis la hora de Quito, mi primo entra a las 5 y le quiero hablar", "quito"),
        ("hora en Bogotá porfa, mi nuera está de guardia", "bogota"),
        ("k ora s en montevideo q mi ermano labura d noxe", "montevideo"),
        ("wat tym is it in jhanesburg my cuzin works nites", "johannesburg"),
        ("any idea what time it'd be in Osaka? my client there starts late", "osaka"),
        ("cn u tel me wot time it is in karachi bro, ma uncle wrks der", "karachi"),
        ("my niece does nights in Cardiff and i don't want to wake her, what time is it there", "cardiff"),
        ("mi sobrina trabaja de noche en Soria y prefiero que duerma, qué hora es allá?", "soria"),
    ],
)
async def test_a_reason_with_the_question_hinders_no_clock(clock: ClockOfPlace, said: str, place: str) -> None:
    assert await place_of(clock, said) == place


@pytest.mark.parametrize(
    "said",
    [
        "what time is it in Leeds, my gran is there and how do I get there",
        "what time is it in Lima, wake me at 7",
        "what time is it in Lima, my flight leaves at 9",
        "qué hora es en Lima, mi tía vive ahí y cuánto cuesta llamarla",
        "qué hora es en Lima, despiértame a las 6",
        "what time is it in Rome, it's 9 here",
        "my boss went from Leeds to Lima, what time is it there",
        "my boss in Lima asked me what time is it there",
        "a qué hora en Lima juega el equipo",
        "he said it was late in Chicago and I forgot what time it is there",
    ],
)
async def test_what_is_asked_or_wished_beside_the_reason_is_left_to_others(clock: ClockOfPlace, said: str) -> None:
    assert await place_of(clock, said) is None


@pytest.mark.parametrize(
    "said",
    [
        ("what time is it there?",),
        ("i was in Oslo, then in Bergen", "what time is it there?"),
        ("Sydney rang me, she is fine", "what time is it there?"),
        ("what time is it in Manila and remind me to ring Joy",),
        ("what time is it in Manila when it is 8 here",),
        ("what time does the bank open in Manila",),
        ("what time is it in nada",),
        ("que hora es en casa",),
        ("she asked what time is it in Manila",),
        ("remind me that my uncle lives in Nairobi, what time is it there",),
        ("what time is it in Nowhereville",),
        ("my gran moved to Cardiff", "what time is the match there?"),
        ("acá en Quito siempre me preguntan qué hora es en España",),
        ("here in Oslo what time is it when it's 8 there",),
        ("here in Oslo what time is it, remind me to ring Joy",),
        ("qué hora es en Roma, y contame algo del Coliseo",),
    ],
)
async def test_what_asks_for_more_or_for_no_place_is_left_to_others(
    clock: ClockOfPlace, said: tuple[str, ...]
) -> None:
    assert await place_of(clock, *said) is None


async def test_there_is_where_the_clock_was_just_told(clock: ClockOfPlace) -> None:
    told = "Oslo: 23:14, Saturday, November 21, 2026"
    assert await place_of(clock, "what time is it there now?", told=told) == "Oslo"


def test_the_time_there_is_not_the_time_here() -> None:
    assert asks_now("hey there, what time is it")
    assert not asks_now("what time is it there")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("del 3 al 21 de mayo cuántos días son", date(2027, 5, 3), date(2027, 5, 21)),
        ("from the 2nd to the 19th of april, how many days is that", date(2027, 4, 2), date(2027, 4, 19)),
        ("we go march 4 to 18, how many days is that", date(2027, 3, 4), date(2027, 3, 18)),
        ("del 28 de mayo al 4 de julio cuántos días hay", date(2027, 5, 28), date(2027, 7, 4)),
    ],
)
def test_both_days_are_of_the_month_that_is_said_once(text: str, first: date, last: date) -> None:
    asked = read_asked(text, TODAY, "es")
    assert asked is not None
    assert asked.days == (first, last)


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("and in weeks?", True),
        ("y cuántas semanas son?", True),
        ("and in months?", False),
        ("in weeks we go", False),
    ],
)
def test_a_distance_is_told_again_in_another_unit_that_it_has(text: str, is_same: bool) -> None:
    before = read_asked("del 3 al 21 de mayo cuántos días son", TODAY, "es")
    assert before is not None
    assert (read_going_on(text, before, TODAY, "es") == before) is is_same


@pytest.mark.parametrize(
    "said",
    [
        "what item is in Oslo",
        "que hora es en el bar",
        "que hora es en la pza",
        "what time is it in heaven",
        "what time is it in your head",
        "how long is a tiem in rugby",
        "a que hroa abre el banco en Lima",
        "I know the time in Rome was fun",
        "what time does the train leave in Madrid",
        "what tiem is it in oslo, and remind me to ring Kari at 9",
    ],
)
async def test_what_only_looks_like_a_slip_is_no_clock(clock: ClockOfPlace, said: str) -> None:
    assert await place_of(clock, said) is None


@pytest.mark.parametrize("said", ["wath time is it", "q hroa es", "what tiem is it pls"])
async def test_the_time_here_is_asked_with_slips(said: str) -> None:
    assert await here.call(said, CTX) is not None


@pytest.mark.parametrize("said", ["hola hoja es", "what tile is it", "no tiem for that"])
async def test_other_words_near_it_ask_for_no_time(said: str) -> None:
    assert await here.call(said, CTX) is None
