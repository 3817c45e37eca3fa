"""What others said, asked or want is no wish of who tells of it; what is asked beside it still is."""

import pytest

from app.pipeline.lexicon import wants_draft
from app.pipeline.lexicon.happened import tells_what_happened, thanks_first, wishes_no_errand
from app.pipeline.lexicon.reported import asks_opinion, reports_only, tells_story, without_reported


@pytest.mark.parametrize(
    "text",
    [
        "mi gerente me dice cancele el pedido y mándelo de nuevo y yo como un tonto obedecí, tremendo relajo",
        "cerrá el portón le dije a mi hijo, apagá la radio, y el pibe mirando la pared desde las 4",
        "mi tía quiere que le busque pasajes a Salta, y ella ni valija tiene",
        'mi nono le dice al parlante "poneme un tango" y se enoja porque no contesta, es un caso',
        "the landlady goes pay me now, then she is off to Spain for a month, mad altogether",
        "shut the gate i said, open the boot, and the lad just stares at his phone",
        "my brother keeps telling me to sell the boat and pay him back, I'm worn out with it",
        "my flatmate has been nagging at me that i should order blinds, as if money grew",
        "the sacristan told me to book the hall, order 40 chairs, pay the band and be nice, ha",
        "my mate said to pay the harbour, buy a buoy, clean the hull and smile",
        "my uncle told me to cancel the gardener and the gardener turned out to be his own son",
    ],
)
def test_who_tells_what_was_said_wishes_for_nothing(text: str) -> None:
    assert reports_only(text)


@pytest.mark.parametrize(
    "text",
    [
        "mi tía me pidió harina y huevos, agregalos a la lista porfa",
        "el pintor dice que viene el lunes, recordame dejarle la escalera",
        "mi jefe me dijo que llegue temprano, poneme una alarma a las 5",
        "qué dijeron en el noticiero del temporal",
        "pide un taxi para las nueve",
        "my aunt asked me to bring cups, put cups on my list",
        "my foreman told me to be on time, set an alarm for 18:00 and be quick",
        "the tuner told me to rest, remind me at 5 and add felt to my list",
        "the vet told me to weigh her, note 41 kg and add hay to the list",
        "the vet says friday at ten, remind me thursday night",
        "make a note that the tiler said he needs nine boxes",
        "my boss told me the rate was 40, how much is that for 6 hours?",
        "la lluvia mojó toda la ropa",
    ],
)
def test_what_is_asked_beside_it_is_still_asked(text: str) -> None:
    assert not reports_only(text)


def test_what_was_said_is_left_out() -> None:
    rest = without_reported("my gran says eat more greens, she is ninety")
    assert " ".join(rest.split()) == "my gran , she is ninety"


def test_a_tale_of_a_timer_is_no_wish_for_one() -> None:
    assert tells_story("the oven timer went off in the sermon and everybody turned round")
    assert not tells_story("the oven timer broke, set a timer here for ten minutes please")


def test_a_view_of_alarms_is_no_wish_for_one() -> None:
    assert asks_opinion("qué opinas de los que ponen cuatro alarmas? mi roomie apaga todas")
    assert not asks_opinion("poneme una alarma a las 6, te parece bien?")


def test_thanks_with_news_want_nothing_sent() -> None:
    said = "gracias crack, con eso me alcanza, y mira que a mi las cuentas se me dan fatal"
    assert thanks_first(said)
    assert wishes_no_errand(said)
    assert not wishes_no_errand("gracias, llamá a mi hermana")


def test_as_if_is_no_question() -> None:
    assert tells_what_happened("la inspectora vino otra vez, como si no tuviera casa")


def test_a_letter_that_comes_is_no_wish_for_one() -> None:
    assert not wants_draft("I rang the water board, then a letter comes saying I owe them 90")
    assert wants_draft("I need a letter saying I owe them 90")
