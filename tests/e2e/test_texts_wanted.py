"""Texts that people want written, in many words: they are written with all that was told, and never sent."""

from pathlib import Path

import pytest

from app.language.catalogue import say
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.brief import without_story
from app.pipeline.lexicon import wants_draft, wants_draft_alone
from app.pipeline.lexicon.redrafts import read_change
from app.pipeline.texts import PIPELINE
from app.skills.writing.told import read_draft_wish, without_asides
from tests.builders import ALICE
from tests.e2e.small import open_encoder, small_app


@pytest.fixture(scope="module")
def encoder() -> LocalEmbedder:
    return open_encoder()


@pytest.mark.parametrize(
    "text",
    [
        "me armas un mensaje pa la seño? Tobías tiene varicela y no va hasta el 14",
        "necesito un msj para el dueño del local, que este mes le pago el día 10",
        "cómo le escribo a la administradora que hay una gotera en el 4C desde el lunes?",
        "ayudame a contestarle a mi cuñado que no le presto la camioneta",
        "se cortó la luz y perdí 18 pollos. escríbame la carta para el seguro por favor",
        "tengo que contestar a una clienta, la torta sale 2400. yo copio y pego",
        "me harías el favor de escribir un aviso para el edificio? el sábado no hay agua",
        "buenas, un mensajito porfa para mi comadre Tere: que gracias por las gallinas",
        "can you do me a txt for Declan, his van's ready and it came to 340",
        "how do I word it to my boss that I can't do the 28th",
        "Keisha is off school, throwing up. could u whip up an excuse note for Ms Bartlett",
        "mate knock me up a quick ad for marketplace, 2 oak chairs, 60 quid the pair",
        "what do I text back to Gary, he wants 500 and we said 420",
        "I gotta message my ex about pickup at 10, can you write it for me",
        "tengo que pedirle a mi tío los 900 que me debe, sin que se ofenda",
        "i need to ask our tenant to move the bins, nicely",
        "something to tell the coach: both kids have flu, back on the 12th",
        "anuncio para vender el escritorio, pino, 120 mil",
        "a thank you to our neighbour for minding the cat",
        "need a couple of sentences for a card, our porter leaves after 20 years, nothing mushy",
        "me hacen falta dos renglones para la tarjeta de la directora",
        "i could do with a short message for my uncle's 70th",
    ],
)
def test_a_wish_for_a_text_is_seen_wherever_a_clause_opens_with_it(text: str) -> None:
    assert wants_draft_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "mandale un mensaje a Fede que llego a las 9",
        "text my wife that I'm running late",
        "recordame mandarle un mensaje a Vale mañana a las 10",
        "guarda este mensaje: la clave del wifi es gato77",
        "save this message: the alarm code is 4471",
        "necesito comprar tarjeta para el cumple de Nico",
        "add birthday card and envelopes to my shopping list",
        "me llegó un mensaje del banco diciendo que debo 300",
        "ayer le escribí una carta a mi hermana y lloré",
        "haceme acordar de mandar el mail a las 6",
        "take a note: the van needs oil",
        "i want to tell my sister about the wedding",
        "que le digo a la gente que opina de mi vida",
        "something to eat for my sister please",
    ],
)
def test_what_only_names_a_text_is_no_wish_for_one(text: str) -> None:
    assert not wants_draft_alone(text)


@pytest.mark.parametrize(
    ("wish", "written"),
    [
        (
            "me armas un mensaje pa la maestra? Tobías tiene varicela y no va hasta el 14, firma Carolina",
            "Hola, maestra: Tobías tiene varicela y no va hasta el 14.\n\nCarolina",
        ),
        (
            "ayudame a escribirle algo al portero q no suene feo pero el ascensor se traba desde el lunes",
            "Hola, portero: el ascensor se traba desde el lunes.",
        ),
        (
            "Keisha is off school today, throwing up since 4am. could u whip up an excuse note for Ms Bartlett",
            "Hi Ms Bartlett, Keisha is off school today, throwing up since 4am.",
        ),
    ],
)
async def test_a_model_that_asks_for_what_was_told_is_replaced_by_the_persons_words(
    tmp_path: Path, encoder: LocalEmbedder, wish: str, written: str
) -> None:
    asks = "Sure, I can help you with that. Please tell me what you need."
    async with small_app(tmp_path, encoder, asks, asks) as (app, _):
        await app.say(ALICE, wish)

        assert app.replies_to(ALICE) == [written]


async def test_what_nobody_told_is_left_out_and_who_signs_is_put_below(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    draft = "Hi Declan, the van is ready and it came to 340. It will be here on Friday. Could you confirm?"
    async with small_app(tmp_path, encoder, draft) as (app, _):
        await app.say(ALICE, "do me a txt for Declan, the van is ready and it came to 340, sign it Moll")

        assert app.replies_to(ALICE) == ["Hi Declan, the van is ready and it came to 340.\n\nMoll"]


async def test_who_wants_it_sent_is_refused(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, "mandale un mensaje a mi tía que llego a las 9")

        assert app.replies_to(ALICE) == [say(PIPELINE.cannot_reach, "es")]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("ay pero ella es alemana, me lo pasas al aleman?", "de"),
        ("ponmelo en ingles porfa que es gringa", "en"),
        ("now in spanish for my mother in law", "es"),
        ("could you translate that to german", "de"),
        ("in french class we read Camus", ""),
        ("how do you say bread in Italian?", ""),
        ("mi jefe vive en ingles country", ""),
    ],
)
def test_a_text_is_wanted_in_another_language_with_a_reason_before_or_behind(text: str, language: str) -> None:
    change = read_change(text)

    assert (change.language if change is not None else "") == language


@pytest.mark.parametrize(
    ("wish", "left"),
    [
        ("write to my landlord about the damp. keep it civil even though he's a crook", "keep it civil"),
        (
            "armame un mensaje para Ruiz, que sea cordial aunque es un pesado, firma Ana",
            "que sea cordial, firma Ana",
        ),
    ],
)
def test_why_a_text_is_to_sound_so_stays_out_of_it(wish: str, left: str) -> None:
    assert without_asides(wish).endswith(left)


def test_what_a_text_tells_is_no_aside() -> None:
    wish = "write to Jo that we come even though it rains"
    assert without_asides(wish) == wish


def test_a_text_in_the_english_of_the_islands_is_wanted() -> None:
    assert wants_draft_alone("mi need a message fi mi boss Miss Grant, say mi sick today. mi a go send it later")


def test_what_is_quoted_for_somebody_else_is_to_be_translated() -> None:
    said = "tengo un paciente escocés que no entiende nada, cómo le digo 'respire hondo y aguante'? gracias"
    assert not wants_draft(said)
    assert without_story(said) == "cómo le digo 'respire hondo y aguante'"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (
            "the new neighbours are from Lugo, lovely people, brought cake. how do you say 'it was delicious' "
            "in spanish, I'll leave them a card",
            "how do you say 'it was delicious' in spanish",
        ),
        (
            "vino un turista al kiosco y no le entendí nada, me puse colorada. cómo se dice vuelto en inglés",
            "cómo se dice vuelto en inglés",
        ),
    ],
)
def test_a_translation_is_asked_without_the_story(said: str, asked: str) -> None:
    assert without_story(said) == asked


@pytest.mark.parametrize(
    "said",
    [
        "Traducí al francés: llegamos el jueves a la noche en tren",
        "translate to spanish. we will be late, please start without us and save some cake",
        "traducime esto al inglés: hola vecino, el sábado hacemos una fiesta y va a haber ruido",
        "she wrote 'nos vemos el lunes' and then went off without another word, how do you say that in english",
    ],
)
def test_what_is_to_be_translated_is_never_cut_off(said: str) -> None:
    assert without_story(said) == said


@pytest.mark.parametrize(
    ("wish", "drafts", "written"),
    [
        (
            "my lad kicked a ball through the greenhouse on Sunday, write me a short apology that I can send to "
            "her myself, her name is Mrs Pocock",
            ["Hi Mrs Pocock, my lad kicked a ball through the greenhouse on Sunday to her myself."] * 2,
            "Hi Mrs Pocock, I am very sorry about what happened. Please accept my apologies.",
        ),
        (
            "hazme un mensaje de disculpas para don Evaristo, mi perro le rompió las macetas",
            ["Hola, don Evaristo. Mi perro le rompió las macetas."] * 2,
            "Hola, don Evaristo: Perdón por lo que pasó. Lo lamento mucho. Mi perro le rompió las macetas.",
        ),
        (
            "necesito un mensaje de pésame para la familia Quispe, murió el abuelo",
            ["Hola, familia Quispe. Murió el abuelo."] * 2,
            "Hola, familia Quispe: Siento mucho la pérdida. Mi más sentido pésame.",
        ),
        (
            "write a thank you note to Mr Adeyemi for mending our gate",
            ["Hi Mr Adeyemi, the gate was mended."] * 2,
            "Hi Mr Adeyemi, Thank you very much for mending our gate.",
        ),
        (
            "can you write a congratulations message for Tomasz, he passed his driving test",
            ["Hi Tomasz, you passed the driving test.", "Congratulations, Tomasz, you passed the driving test!"],
            "Congratulations, Tomasz, you passed the driving test!",
        ),
    ],
)
async def test_a_text_is_of_the_kind_that_is_asked_for(
    tmp_path: Path, encoder: LocalEmbedder, wish: str, drafts: list[str], written: str
) -> None:
    async with small_app(tmp_path, encoder, *drafts) as (app, _):
        await app.say(ALICE, wish)

        assert app.replies_to(ALICE) == [written]


@pytest.mark.parametrize(
    ("wish", "kind"),
    [
        ("escribime dos líneas para pedirle perdón a la modista, le grité ayer por el vestido", "apology"),
        ("our plumber came at midnight, write something to thank him that I can print", "thanks"),
        ("un mensajito de felicitación para mi ahijada Luz que se recibió de enfermera", "congratulation"),
        ("redactame una queja para la empresa de gas, hace 3 días que no viene nadie", "complaint"),
        ("write me an excuse for the gym, I can't come on Friday", "excuse"),
        ("me armas una invitación para el cumple de Nahuel, es el sábado a las 5 en casa", "invitation"),
        ("disculpa, escríbeme un mensaje para el plomero, que venga el jueves", ""),
        ("write a note for Jo that I am sorry about the key", ""),
        ("draft a text to my landlord about the boiler, thank you", ""),
        ("necesito un mensaje para Juan, perdón la molestia, que traiga la escalera", ""),
        ("write a note for Jo please, thanks", ""),
    ],
)
def test_the_kind_of_a_text_is_read_from_the_wish_alone(wish: str, kind: str) -> None:
    found = read_draft_wish(wish)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("write me a card that I can give to him myself, the soup was lovely", "the soup was lovely"),
        ("escríbeme una disculpa que yo misma le mando, llegué tarde a la cita", "llegué tarde a la cita"),
        ("write a note for Jo, my dog bit him, its name is Rex", "my dog bit him, its name is Rex"),
        ("write to Jo that I can read it myself", "I can read it myself"),
        ("write to Jo that I'll give it to her on Friday", "I'll give it to her on Friday"),
        ("armame un mensaje para Rita que le mando la plata mañana", "le mando la plata mañana"),
    ],
)
def test_who_hands_a_text_on_is_no_part_of_it(wish: str, said: str) -> None:
    found = read_draft_wish(wish)
    assert found is not None
    assert found.said == said
