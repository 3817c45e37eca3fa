"""What nothing here can do is refused by its kind, with the one thing that can be done instead, by code."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app.language.catalogue import LANGUAGES, Language, say
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.lexicon import asks_price
from app.pipeline.lexicon.happened import tells_what_happened
from app.pipeline.lexicon.limits import is_no_errand, kind_asked, kind_named
from app.pipeline.texts import PIPELINE
from app.skills.tools.reminders.asking import read_ring
from app.skills.tools.reminders.texts import REMINDERS
from tests.builders import ALICE, BOB
from tests.e2e.asking import press, until_asked
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]

REFUSED: list[tuple[str, Any, Language]] = [
    ("decile a mi cuñada que llego tarde", PIPELINE.cannot_reach, "es"),
    ("llámale al plomero porfa", PIPELINE.cannot_reach, "es"),
    ("mandale un wasap a mi nuera que ya estoy lista, la espero abajo", PIPELINE.cannot_reach, "es"),
    ("please ring the school for me", PIPELINE.cannot_reach, "en"),
    ("marca a la veterinaria y diles que llevo al gato el martes", PIPELINE.cannot_reach, "es"),
    (
        "llama a la guardería y diles que Tadeo falta hoy porque se despertó con los ojos pegados y mucha "
        "fiebre, y que mañana les llevo el papel que nos dé la pediatra en la consulta",
        PIPELINE.cannot_reach,
        "es",
    ),
    ("give the garage a ring and tell them I'll fetch the van on Monday", PIPELINE.cannot_reach, "en"),
    ("mándele un mensaje a mi nieta que ya salí del banco", PIPELINE.cannot_reach, "es"),
    ("mandá un audio al grupo que la función se pasó", PIPELINE.cannot_reach, "es"),
    ("message my brother I'm at the gate", PIPELINE.cannot_reach, "en"),
    ("can't settle, stick on some Nina Simone would you", PIPELINE.cannot_control, "en"),
    ("ponme unos temas del Puma para cocinar", PIPELINE.cannot_control, "es"),
    ("págame el recibo del agua", PIPELINE.cannot_pay, "es"),
    ("quiero que me compres dos entradas para el circo", PIPELINE.cannot_pay, "es"),
    ("yapéale 15 soles a don Lucho que se los debo", PIPELINE.cannot_pay, "es"),
    ("resérvame una mesa para seis", PIPELINE.cannot_pay, "es"),
    ("order me a curry from the usual place", PIPELINE.cannot_pay, "en"),
    ("cómo va el Santos ahorita?", PIPELINE.cannot_look_up, "es"),
    ("cuánto quedó River anoche?", PIPELINE.cannot_look_up, "es"),
    ("a cómo amaneció el dólar?", PIPELINE.cannot_look_up, "es"),
    ("hay mucho trancón en la autopista?", PIPELINE.cannot_look_up, "es"),
    ("how did the Hornets do last night?", PIPELINE.cannot_look_up, "en"),
    ("is there much traffic on the ring road?", PIPELINE.cannot_look_up, "en"),
    ("knicks winning or losing", PIPELINE.cannot_look_up, "en"),
    ("any tailbacks on the bypass?", PIPELINE.cannot_look_up, "en"),
    ("argh ok then hows the A38 lookin", PIPELINE.cannot_look_up, "en"),
    ("how's the M60 looking, we're off soon", PIPELINE.cannot_look_up, "en"),
    ("está cortada la panamericana?", PIPELINE.cannot_look_up, "es"),
    ("hay mucho quilombo en el centro?", PIPELINE.cannot_look_up, "es"),
    ("quién gana el clásico?", PIPELINE.cannot_look_up, "es"),
    ("poneme algo de música linda", PIPELINE.cannot_control, "es"),
    ("ábreme la puerta del garaje", PIPELINE.cannot_control, "es"),
    ("play some quiet music", PIPELINE.cannot_control, "en"),
    ("turn the heating up a bit", PIPELINE.cannot_control, "en"),
    ("how much is the bus to Leeds?", PIPELINE.cannot_look_up, "en"),
    ("cuánto cuesta el micro a Luján?", PIPELINE.cannot_look_up, "es"),
    ("conseguime un remis para las 7", PIPELINE.cannot_pay, "es"),
    ("book us a table for Saturday at 8", PIPELINE.cannot_pay, "en"),
    ("fijate en la cámara del patio", PIPELINE.cannot_see, "es"),
    ("por dónde viene el bondi?", PIPELINE.cannot_see, "es"),
    ("dónde anda mi marido ahorita?", PIPELINE.cannot_see, "es"),
    ("where's the school bus?", PIPELINE.cannot_see, "en"),
    ("check the camera in the barn", PIPELINE.cannot_see, "en"),
    ("play us some jazz", PIPELINE.cannot_control, "en"),
    ("subile el volumen porfa", PIPELINE.cannot_control, "es"),
    ("book dad in at the optician", PIPELINE.cannot_pay, "en"),
    ("please cancel my physio appointment", PIPELINE.cannot_pay, "en"),
    ("podés ver si hay hora con la pediatra?", PIPELINE.cannot_pay, "es"),
    ("sácale cita al abuelo con el oculista", PIPELINE.cannot_pay, "es"),
    ("hazle una transferencia a mi casera", PIPELINE.cannot_pay, "es"),
    ("wire 80 to my landlord", PIPELINE.cannot_pay, "en"),
    ("sube esto a Instagram", PIPELINE.cannot_reach, "es"),
    ("post this on Facebook", PIPELINE.cannot_reach, "en"),
    ("could u msg nan n say the bus came", PIPELINE.cannot_reach, "en"),
    ("subila a mi Instagram", PIPELINE.cannot_reach, "es"),
    ("hey buddy chuck some Sade on", PIPELINE.cannot_control, "en"),
    ("please open the side gate", PIPELINE.cannot_control, "en"),
    ("pop the kettle on", PIPELINE.cannot_control, "en"),
    ("ándale ponme una rola de Banda MS", PIPELINE.cannot_control, "es"),
    ("grábame la novela", PIPELINE.cannot_control, "es"),
    ("checa cuánto me queda en el banco", PIPELINE.cannot_see, "es"),
    ("cobrale al inquilino el mes", PIPELINE.cannot_pay, "es"),
]


@pytest.mark.parametrize(("message", "sentence", "language"), REFUSED)
async def test_a_refusal_names_the_kind_of_thing_that_was_asked(
    tmp_path: Path, encoder: LocalEmbedder, message: str, sentence: Any, language: Language
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, message)
        assert llm.requests == []
        assert app.replies_to(ALICE) == [say(sentence, language)]


async def test_who_may_not_install_is_told_who_may(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(BOB, "hook up the calendar server")
        await app.say(BOB, "instalá el complemento de mapas")
        assert llm.requests == []
        assert app.replies_to(BOB) == [say(PIPELINE.cannot_install, language) for language in ("en", "es")]


async def test_what_only_goes_on_is_no_news(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Entonces alcanza con menos.", "Then less will do.") as (app, _):
        await app.say(ALICE, "ay no, recién me avisan Coca y Tito que ellos no vienen. y ahora?")
        await app.say(ALICE, "Nell just said the twins aren't coming today. and now?")
        refused = {say(PIPELINE.cannot_look_up, language) for language in LANGUAGES}
        assert refused.isdisjoint(app.replies_to(ALICE))


@pytest.mark.parametrize(
    "message",
    [
        "cómo va todo hoy?",
        "how's your day going today",
        "poné música en la lista de la fiesta",
        "ayer fui al partido con mi hijo y la pasamos bien",
        "me encanta la música de los ochenta",
        "el colectivo venía lleno y llegué tarde",
        "what a match that was last night",
        "anotá que el portón hace ruido",
        "the heating broke again, such a pain",
        "mi hijo llama a la abuela todos los domingos",
        "anoche apunté la receta de la tele en un papel y no lo encuentro",
        "me hizo el favor y llamó a mi hermana",
        "my sister calls the school every week",
        "how's the soup looking",
        "how are you looking today",
        "is the toilet backed up",
        "winning or losing, it's all the same to me",
        "quién gana más, un médico o un abogado?",
        "hay mucho lío en mi casa",
        "está trabado el cajón de abajo",
        "cómo va la tesis de tu prima",
        "recordame cancelar la cita",
        "recuérdame pagar el gas",
        "tengo que sacar turno",
        "remind me to book a table",
        "to do: renew my passport, pay the gas bill",
        "play chess with me",
        "saca la leche",
        "chuck some basil on top",
        "how do I put the kettle on a gas hob",
        "cómo se pide una pizza en italiano",
        "put a pizza on the list",
        "mum said she is on her way",
        "anotá que cobré el alquiler",
        "cuánto tengo en la lista?",
    ],
)
def test_what_only_speaks_of_it_is_not_taken_for_a_wish(message: str) -> None:
    assert kind_asked(message) is None


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("transferile 3 lucas a mi primo", "pay"),
        ("mandale 300 pesos a Beto", "pay"),
        ("mandale un mensajito a Beto", "reach"),
        ("avisale al plomero que pague la luz", "reach"),
        ("send my cousin 40 quid", "pay"),
        ("what is nothing of that kind", None),
        ("how much is the bus to Leeds?", "live"),
        ("how much does a taxi to the airport cost?", "live"),
        ("cuánto sale el bondi a Luján?", "live"),
        ("cuánto cobran los taxis de noche?", "live"),
        ("how much is on my account?", "see"),
        ("how long till the bus comes?", "see"),
        ("cuánto le falta al colectivo?", "see"),
        ("a qué hora sale el micro?", "see"),
    ],
)
def test_of_several_kinds_the_first_that_is_named_counts(message: str, kind: str | None) -> None:
    assert kind_named(message) == kind


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("settle the water bill for us, its due", "pay"),
        ("bung a curry order in for us, I'm starved", "pay"),
        ("pedite una pizza dale que no hay nada", "pay"),
        ("haceme una reserva para el sabado", "pay"),
        ("comprame un cargador por internet", "pay"),
        ("let Fiona know we've left", "reach"),
        ("dale un toque a mi cuñada que baje", "reach"),
        ("log into my account and look", "see"),
        ("googleame los bancos", "see"),
        ("por que no hay agua en el edificio", "live"),
        ("hay mucha cola en el consulado?", "live"),
        ("is the library open today", "live"),
        ("poneme la novela", "control"),
        ("what did I put down about the lock", None),
        ("how's the system doing", None),
    ],
)
def test_it_is_seen_what_is_surely_asked_for(message: str, kind: str | None) -> None:
    assert kind_asked(message, opens=True) == kind


@pytest.mark.parametrize(
    ("refused", "asked", "language"),
    [
        ("consigueme un taxi para las 9", "y cuánto sale?", "es"),
        ("págame el recibo del agua", "a cuánto estaría?", "es"),
        ("order me a curry from the usual place", "what would it cost?", "en"),
        ("get us a cab for 7", "and is it expensive?", "en"),
    ],
)
async def test_the_price_of_what_was_refused_is_not_known_either(
    tmp_path: Path, encoder: LocalEmbedder, refused: str, asked: str, language: Language
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, refused)
        await app.say(ALICE, asked)
        assert llm.requests == []
        assert app.replies_to(ALICE)[-1] == say(PIPELINE.cannot_know_price, language)


@pytest.mark.parametrize("asked", ["cuánto es 3 por 8?", "how much sugar goes into jam?", "how much is left?"])
def test_other_amounts_are_no_price(asked: str) -> None:
    assert not asks_price(asked)


RINGS: list[tuple[str, Language, str]] = [
    ("llamame a las 7 para despertarme", "es", "Hora de levantarse"),
    ("¿me llamas mañana a las 8 para que tome la pastilla?", "es", "tome la pastilla"),
    ("porfa márcame a las 6:30 de la tarde", "es", "Aviso"),
    ("can you call me at 7 tomorrow to wake me up?", "en", "Time to wake up"),
    ("give me a ring at 6pm so that I take the bread out", "en", "I take the bread out"),
]


@pytest.mark.needs("reminders")
@pytest.mark.parametrize(("message", "language", "text"), RINGS)
async def test_who_asks_to_be_rung_is_offered_a_message_and_gets_it_after_a_yes(
    tmp_path: Path, encoder: LocalEmbedder, message: str, language: Language, text: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.receive(ALICE, message)
        button = await until_asked(app, ALICE)
        assert say(REMINDERS.ask_instead_of_ring, language) in app.replies_to(ALICE)[-1]
        assert await stored(app, "text", "reminders") == []
        await press(app, ALICE, f"{button}:y")
        await app.idle()
        assert await stored(app, "text", "reminders") == [text]
        assert llm.requests == []


@pytest.mark.needs("reminders")
async def test_who_does_not_want_a_message_instead_gets_none(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.receive(ALICE, "llamame a las 7 para despertarme")
        button = await until_asked(app, ALICE)
        await press(app, ALICE, f"{button}:n")
        await app.idle()
        assert await stored(app, "text", "reminders") == []


@pytest.mark.parametrize(
    "message",
    [
        "llamame un taxi a las 7",
        "llámame a mi mamá a las 7",
        "mi jefe me llama todos los días a las 7",
        "call me a cab at 7",
        "call my mum at 7",
        "recordame a las 7 llamar a mi mamá",
        "call me Nelly",
        "llamame cuando puedas",
    ],
)
def test_what_is_no_wish_to_be_rung_is_left(message: str) -> None:
    assert read_ring(message, datetime(2026, 11, 25, 10), "es") is None


@pytest.mark.parametrize(
    "message",
    [
        "hazme el favor de marcar a mi hermano, que no llego",
        "porfa llame a mi suegra",
        "be a dear and ring my son",
    ],
)
def test_a_call_is_asked_for_however_politely(message: str) -> None:
    assert kind_asked(message) == "reach"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("the twins are shattered and it is late book us a room near the pier", "pay"),
        ("her train gets in late so order her a cab for ten", "pay"),
        ("mi hermana ya salió del ensayo pidele un taxi porfa", "pay"),
        ("vienen todos el domingo y somos nueve reserva una mesa en la parrilla", "pay"),
        ("me prestó para el pasaje, ahora yapeale 20 a mi prima", "pay"),
        ("they wouldn't book us a room so we slept in the van", None),
        ("my sister said order her a curry and laughed", None),
        ("mi tío me dijo pidele un taxi y no quise", None),
        ("we always order us a curry on paydays", None),
        ("recordame llamar a la clínica y decirles que cambio el turno", None),
    ],
)
def test_an_order_is_seen_behind_a_story_without_a_mark(message: str, kind: str | None) -> None:
    assert kind_asked(message) == kind


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("resérveme un cuarto con vista, que llevo años sin vacaciones", "pay"),
        ("encárguenos unos tamales para el velorio, que mi hermana no cocina", "pay"),
        (
            "cómpreme unas localidades para la zarzuela, que mi señora las viene pidiendo desde que nos casamos "
            "y yo siempre salgo tarde del taller y cuando llego a la taquilla ya la cerraron",
            "pay",
        ),
        ("me podés sacar una cita, que no doy abasto", "pay"),
        ("podés sacarme una cita con la podóloga", "pay"),
        ("get us four tickets for the circus, the twins won't shut up about it", "pay"),
        (
            "hire us a minibus, we're fourteen with the cousins and granny can't do the train any more since "
            "her hip and nobody in this family has a car with more than four seats in it",
            "pay",
        ),
        ("hoy cruza la barcaza a Chiloé?", "live"),
        ("is the ferry to Arran sailing", "live"),
        ("a qué hora abre la ferretería hoy", "live"),
        ("consígueme una receta de mole", None),
        ("sácame una duda", None),
        ("we hired us a minibus once and never again", None),
        ("cómo se dice encárgueme unos tamales en quechua", None),
        ("is the ferry on the list", None),
    ],
)
def test_formal_orders_with_a_long_reason_and_crossings_are_seen(message: str, kind: str | None) -> None:
    assert kind_asked(message) == kind


@pytest.mark.parametrize(
    ("message", "is_none"),
    [
        ("tell them the truth, how many are they in a curling team", True),
        ("decile vos, cuántos dientes tiene un tiburón", True),
        ("dile tú, quién pintó el Guernica", True),
        ("dad says it goes in the attic, fix it", True),
        ("dice mi cuñado que es para el garaje, corregilo", True),
        ("tell them the truth", False),
        ("decile a mi prima cuántos somos", False),
        ("change it to my other account and pay the plumber", False),
    ],
)
def test_who_urges_an_answer_or_puts_something_right_has_no_errand(message: str, is_none: bool) -> None:
    assert is_no_errand(message) is is_none


async def test_a_question_told_as_an_order_is_not_refused(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Four.", "Cuatro.") as (app, _):
        await app.say(ALICE, "tell them the truth, how many are they in a curling team")
        await app.say(ALICE, "decile vos, cuántos son en un equipo de curling")
        refused = {say(PIPELINE.cannot_reach, language) for language in LANGUAGES}
        assert refused.isdisjoint(app.replies_to(ALICE))


STORIES: list[tuple[str, ...]] = [
    ("en", "someone nicked the tip jar while I was on the phone with the supplier"),
    ("en", "mum transferred the deposit to a scammer and now she wont look at her phone"),
    ("en", "reception phoned me at 3am because a guest wanted a second duvet"),
    ("es", "reservaron el salón para el sábado y al final se casaron en la plaza"),
    ("es", "se agotaron las entradas en diez minutos y yo en el baño"),
]


@pytest.mark.parametrize(("language", "story"), STORIES)
async def test_who_tells_what_happened_is_not_refused(
    tmp_path: Path, encoder: LocalEmbedder, language: str, story: str
) -> None:
    answer = {"en": "What a day that was.", "es": "Qué día tuviste."}[language]
    async with small_app(tmp_path, encoder, answer) as (app, _):
        await app.say(ALICE, story)
        assert app.replies_to(ALICE) == [answer]


@pytest.mark.parametrize(
    "story",
    [
        "the couple in six paid twice and nobody saw it until friday",
        "my aunt booked a cruise and got seasick on the first day",
        "when I worked at the cinema a man bought a ticket every day",
        "you wont believe it, a bride came in for her dress and we'd sold it",
        "vendí dos boletos para la rifa y me los pagaron con tamales",
        "llamó un cliente a quejarse del café y era de otra cafetería",
        "mae no me va a creer, llegaron seis clientes y el mesero estaba dormido",
        "le avisaron al portero que cortaban el agua y no le dijo a nadie",
    ],
)
def test_what_happened_is_told_from_a_wish(story: str) -> None:
    assert tells_what_happened(story)


@pytest.mark.parametrize(
    "message",
    [
        "my train was cancelled and I'm stuck in Crewe so get me a cab",
        "they cancelled on me again so book me in with the other physio",
        "I was hoping you could reserve a court for us",
        "he had no phone, can anyone ring him",
        "the boiler died, someone call a plumber",
        "who won the derby last night",
        "was the match cancelled",
        "se me hizo tarde y el bus no pasó, consígueme un taxi",
        "vinieron mis suegros, pedime unas empanadas",
        "mi hermano pagó la otra vez así que ahora paga tú el gas",
        "mi marido reservó mal el hotel, cámbialo para el viernes",
        "quería que me reservaras una cancha",
        "qué pasó en Lima hoy",
        "necesito que llames al plomero que se me inundó la cocina",
        "order two pizzas",
    ],
)
def test_a_wish_in_a_story_is_left_a_wish(message: str) -> None:
    assert not tells_what_happened(message)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("I want you to reserve a room in Brighton", "pay"),
        ("sort me out a taxi for 5", "pay"),
        ("quisiera que me alquilaras un carro para el finde", "pay"),
        ("quiero que le mandes plata a mi hermana", "pay"),
        ("necesito que llames al plomero que se me inunda la cocina", "reach"),
        ("responde el mensaje de mi cuñado", "reach"),
        ("my cousin wanted to book a court for us", None),
        ("mi tía quería que llamaran al plomero", None),
        ("necesito que llueva un poco", None),
    ],
)
def test_a_wish_that_says_who_is_to_do_it_is_surely_one(message: str, kind: str | None) -> None:
    assert kind_asked(message) == kind
