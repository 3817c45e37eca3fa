"""Messages that put themselves right: the right value holds, once, and nothing of the correction stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.skills.amending_within import put_right_within


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("remind me at 4 to feed Bo, wait no, make that half past", "remind me at half past 4 to feed Bo"),
        ("recordame a las 6 regar, no, a las 6 y media mejor", "recordame a las 6 y media regar"),
        ("anotá en la lista 2 kilos de peras, no, mejor 3", "anotá en la lista 3 kilos de peras"),
        ("note: the shed code is 5512, sorry 5521", "note: the shed code is 5521"),
        ("apunta que la clave es lobo7, perdón gato7", "apunta que la clave es gato7"),
        ("recordame mañana a las 7 salir, no perdón, a las 8", "recordame mañana a las 8 salir"),
        ("remind me on monday, sorry i mean tuesday, at 9 to ring Bo", "remind me on tuesday, at 9 to ring Bo"),
        ("remind me at 7 no wait 8 to ring Bo", "remind me at 8 to ring Bo"),
        ("recuérdame en 5 minutos el arroz, no espera, en 10 minutos", "recuérdame en 10 minutos el arroz"),
        ("ponme a las 3 ir al taller, mejor a las 4 que a las 3 cierran", "ponme a las 4 ir al taller"),
        ("recordame a las 5, perdón, a las 6 llevar la red", "recordame a las 6 llevar la red"),
        ("recordame a las 5, no, a las 6 llevar la red", "recordame a las 6 llevar la red"),
        ("anota que me deben 450, uy no, 540 pesos", "anota que me deben 540 pesos"),
        ("wake me at 4, wait no, 4:30 so I can feed Bo", "wake me at 4:30 so I can feed Bo"),
        ("remind me at 5, sorry I mean at half past 6, to ring Bo", "remind me at half past 6, to ring Bo"),
        ("row at 5, sorry, at 6, cos it ebbs and also put wax on a list", "row at 6 and also put wax on a list"),
        ("put 2 bags of ice on the list, make that 3", "put 3 bags of ice on the list"),
        ("recuérdame el lunes el gas\nme equivoqué es el martes, el lunes no", "recuérdame el martes el gas"),
        ("anota peras, arroz, miel... no, arroz no que ya hay", "anota peras, miel"),
        ("add rice, jam and tea to the list, actually not tea we have some", "add rice, jam to the list"),
        ("pon arroz y miel en la lista, no, miel no", "pon arroz en la lista"),
        ("add wax and dye to the list… no wait the dye take it off, Jo has some", "add wax to the list"),
        ("poneme harina, nata y canela, ah no la canela sacala que me sobró", "poneme harina, nata"),
        ("put ham and foil on the list. the foil take off, and add jam", "put ham on the list, and add jam"),
        ("pon pan, miel y uvas, la miel sácala y suma sal", "pon pan y uvas y suma sal"),
        ("remind me at 9 to ring the roofer, no sorry, the glazier", "remind me at 9 to ring the glazier"),
        ("recordame a las 7 buscar el pincel no perdón el rodillo", "recordame a las 7 buscar el rodillo"),
    ],
)  # fmt: skip
def test_a_message_is_read_as_it_is_put_right(said: str, meant: str) -> None:
    assert put_right_within(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "sorry 4417",
        "note: buy ham and bread, the bread take it out of the oven at 5",
        "note: i was sorry to leave the flat at 14 Elm Road",
        "apuntá que quedamos a las 5, no a las 6",
        "anota que compré 3 kilos, perdón, 4 perros me siguieron",
        "note the rent is 400 a month, sorry, 3 tenants pay it",
        "note to say sorry, 6 people were hurt on the 5th",
        "el viernes no, el domingo",
        "recordame a las 8 decirle a Juan que no, que mejor el jueves",
        "note: pick up at 3, wait for Tom at gate 4",
        "add a reminder for the dentist at 3, make it every 2 weeks",
        "note: Ann said no, 5 is too early",
        "the front code is 4471, no, the back door is 3382",
        "note: no bread at the bakery, sorry",
        "apunta: arroz, la miel no, mejor jalea",
        "pon en la lista pan sin sal, no integral",
        "my number is 555 210 3344, no, 3345",
        "remind me at 5 to call Ann about the Ford, sorry Eva",
        "put the rake on the list, no sorry, the spade",
        "ring the roofer tomorrow, no sorry, the glazier",
        "she told my brother sorry, the bus was late",
        "dile al jefe, perdón por molestar, el lunes no voy",
    ],
)
def test_what_is_no_certain_correction_stays(said: str) -> None:
    assert put_right_within(said) == said


@given(st.text(alphabet="ab5 9,.no\n sorywaitmejor"))
def test_no_text_makes_it_fail(said: str) -> None:
    assert isinstance(put_right_within(said), str)
