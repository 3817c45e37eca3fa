"""Two amounts that belong together by what they are of, wherever in a story they are told."""

import pytest

from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.by_kind import read_by_kind
from app.skills.tools.calculator.measures import measured_ways
from app.skills.tools.calculator.others_now import with_others
from app.skills.tools.calculator.spoken import first_read
from tests.abilities.calculator.test_everyday import _EN, _ES


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("each apron is eating 1.4 metres of cotton, and for 15 aprons how many metres", "1.4 × 15 = 21 metres"),
        ("we plant 9 bulbs per pot and the shed has 26 pots, how many bulbs", "9 × 26 = 234 bulbs"),
        ("16 jars to a tray, my lad packed 13 trays, how many jars is that", "16 × 13 = 208 jars"),
        ("a van takes 18, the choir is 54 singers, how many vans", "54 / 18 = 3 vans"),
        ("i've 9 metres of cord, each tag takes 30 cm, how many tags", "9 × 100 / 30 = 30 tags"),
        ("how many kilos of oats is it if its 140 hens at 65 grams each", "65 × 140 / 1000 = 9.1 kilos"),
        ("14 lads each with 3 spanners how many spanners", "14 × 3 = 42"),
        ("i get 16 scones out of a tin and fill 11 tins, how many is that", "16 × 11 = 176"),
        ("the new fella only thinks in feet or whatever, whats 240 cm in that", "240 / 30.48 ≈ 7.87 feet"),
        ("how many kilos is 90 pounds? Moll says 50 and i say no way", "90 × 0.45359237 ≈ 40.82 kilos"),
        ("2.4 kilos of oats for 32 hens, how many grams is it per hen", "2.4 / 32 × 1000 = 75 grams"),
    ],
)
def test_what_belongs_together_is_reckoned_by_its_kind(said: str, told: str) -> None:
    reply = answer_alone(said, _EN)
    assert reply is not None
    assert reply.literal == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "uf hoy tengo 140 nenes en el salón y sirvo 90 gramos de fideos por nene, cuántos kilos son",
            "90 × 140 / 1000 = 12.6 kilos",
        ),
        ("cada fardo trae 36 bolsas y hay 14 fardos, cuántas bolsas son", "36 × 14 = 504 bolsas"),
        ("tengo 4,2 kilos de queso para 60 tablas, cuántos gramos van por tabla", "4.2 / 60 × 1000 = 70 gramos"),
        ("esta tarde: 1800 gramos de cera y cada vela lleva 150, cuántas velas salen", "1800 / 150 = 12 velas"),
    ],
)
def test_what_belongs_together_in_spanish(said: str, told: str) -> None:
    reply = answer_alone(said, _ES)
    assert reply is not None
    assert reply.literal == told


@pytest.mark.parametrize(
    "said",
    [
        "i have 18 aprons done and each apron takes 2 metres, how many metres are left",
        "tengo 11 gallinas y 5 patos, cuántas aves son",
        "the bus comes every 15 minutes and takes 40 minutes, how many minutes do i wait",
        "el camión lleva 30 palés y cada palé pesa 800 kilos, cuántas toneladas faltan",
        "each kid is 7 years old and we have 12 kids, how many sandwiches",
        "mi hija tiene 9 años y corre 5 kilómetros por día, cuántos kilómetros corre mi hijo",
        "she knits 2 rows per hour and i drank 3 coffees, how many coffees is too many",
        "we lost 4 games and won 9 games, how many points per game",
        "12 guests, 3 glasses each and 4 waiters, how many glasses",
        "each lad is 7 and we have 12 lads, how many rolls",
        "hay 6 mesas de 5 alumnos y 3 maestros, cuántos alumnos hay",
    ],
)
def test_what_does_not_belong_together_is_left_to_the_model(said: str) -> None:
    assert first_read(read_by_kind, measured_ways(said)) is None


def test_the_same_for_others_goes_on() -> None:
    before = "each apron takes 1.4 metres of cotton, for 15 aprons how many metres"
    changed = with_others("and now they are 20", before)
    assert changed is not None
    reply = answer_alone(changed, _EN)
    assert reply is not None
    assert reply.literal == "1.4 × 20 = 28 metres"


@pytest.mark.parametrize(
    "said",
    [
        "each shelf holds 30 books and 2 shelves collapsed, how many books are on show",
        "a rack holds 24 jars and 3 racks broke, how many jars to sell",
        "each pack has 6 rolls, i used 2 packs, how many rolls",
        "each van seats 9 kids and 2 vans are missing, how many kids",
        "10 masons for 6 hours, how many hours per mason",
        "cada estante tiene 30 libros y se rompieron 2 estantes, cuantos libros tengo",
        "cada grupo tiene 20 alumnos y 3 grupos no vinieron, cuantos alumnos hay",
    ],
)
def test_what_is_gone_is_not_what_there_is(said: str) -> None:
    assert answer_alone(said, _EN) is None
    assert answer_alone(said, _ES) is None
