"""Texts that were just written are changed: the small model gets the text and what to change, and nothing else."""

import re
from pathlib import Path

import pytest

from app.language.catalogue import say
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.drafts import translated_too
from app.pipeline.lexicon import is_small_talk, wants_draft, wants_draft_alone, wants_text
from app.pipeline.lexicon.redrafts import read_brought, read_change, read_translation, to_be_done
from app.skills.drafted import Change, WantedText
from app.skills.texts import SKILLS
from tests.builders import ALICE, BOB
from tests.e2e.small import open_encoder, small_app

WISH = "armame un mensaje para la profe de danza avisando que Lola falta mañana"
DRAFT = "Estimada profesora: le aviso que Lola no podrá asistir mañana a la clase. Saludos cordiales."
PEAR = "Blanca por dentro, verde por fuera: la pera, con leche y arroz."
COW = "Why did the cow cross the road? To get to the udder side of it."
IN_SPANISH = "Texto: {draft}\n\nCambio: {change}"
IN_ENGLISH = "Text: {draft}\n\nChange: {change}"
SHORTER = "Hola, profe: Lola falta mañana. ¡Saludos!"


@pytest.fixture(scope="module")
def encoder() -> LocalEmbedder:
    return open_encoder()


@pytest.mark.parametrize(
    ("wish", "draft", "change", "told"),
    [
        (
            WISH,
            DRAFT,
            "más corto y sin saludo, poné que tiene un compromiso y ya, si no la profe me llama",
            IN_SPANISH,
        ),
        (WISH, DRAFT, "que sea un poco menos formal por favor", IN_SPANISH),
        (WISH, DRAFT, "quedó medio frío, hacelo más cariñoso", IN_SPANISH),
        (WISH, DRAFT, "y para el profe de piano?", IN_SPANISH),
        (WISH, DRAFT, "sin tanto saludo", IN_SPANISH),
        (WISH, DRAFT, "está muy largo", IN_SPANISH.replace("{change}", "más corto")),
        (
            "draft a letter to my landlord Mr Hill about the boiler, broken since Tuesday",
            "Dear Mr Hill, the boiler has been broken since Tuesday. Please send somebody soon.",
            "can you make it a bit firmer?",
            IN_ENGLISH,
        ),
        (
            "draft a letter to my landlord Mr Hill about the boiler, broken since Tuesday",
            "Dear Mr Hill, the boiler has been broken since Tuesday. Please send somebody soon.",
            "mention the baby in the house",
            IN_ENGLISH,
        ),
        (
            "write a short poem about my dog Biscuit",
            "Biscuit runs along the shore, sleeps all day and wants some more.",
            "funnier please",
            IN_ENGLISH.replace("{change}", "make it funnier"),
        ),
    ],
)
async def test_a_text_is_changed_with_the_text_at_hand(
    tmp_path: Path, encoder: LocalEmbedder, wish: str, draft: str, change: str, told: str
) -> None:
    changed = f"Now then! {draft} And that is all that there is in the house."
    async with small_app(tmp_path, encoder, draft, SHORTER if draft == DRAFT else changed) as (app, llm):
        await app.say(ALICE, wish)
        await app.say(ALICE, change)

        system, *examples, asked = llm.requests[-1].messages
        assert [system.role, *(one.role for one in examples[:2])] == ["system", "user", "assistant"]
        assert asked.content == told.format(draft=draft, change=change)
        assert wish not in str(llm.requests[-1])
        assert app.replies_to(ALICE) == [draft, SHORTER if draft == DRAFT else changed]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("ahora en inglés", "traducir al inglés"),
        ("pasalo a portugués porfa", "traducir al portugués"),
        ("y en italiano?", "traducir al italiano"),
    ],
)
async def test_a_text_is_wanted_in_another_language(
    tmp_path: Path, encoder: LocalEmbedder, change: str, told: str
) -> None:
    async with small_app(tmp_path, encoder, DRAFT, "Dear teacher, Lola is away tomorrow.") as (app, llm):
        await app.say(ALICE, WISH)
        await app.say(ALICE, change)

        asked = llm.requests[-1].messages[-1].content
        assert asked.endswith(f"\n\nCambio: {told}")


@pytest.mark.parametrize(
    ("kept", "wish", "draft", "removal"),
    [
        (
            "anotá en la lista del súper: yerba, jabón y velas",
            "armame un mensaje para mi tía invitándola a cenar el viernes",
            "Hola, tía: te invito a cenar el viernes a casa. ¿Venís? Te mando un beso.",
            "sacá lo de las velas",
        ),
        (
            "add to my shopping list: candles, wine and napkins",
            "write a message to Paul inviting him for dinner on Friday",
            "Hi Paul, would you like to come for dinner on Friday? We would love to see you.",
            "take out the candles",
        ),
    ],
)
async def test_what_the_text_does_not_have_is_taken_out_of_something_else(
    tmp_path: Path, encoder: LocalEmbedder, kept: str, wish: str, draft: str, removal: str
) -> None:
    async with small_app(tmp_path, encoder, draft, *["¿?"] * 6) as (app, llm):
        await app.say(ALICE, kept)
        await app.say(ALICE, wish)
        await app.say(ALICE, removal)

        assert draft in app.replies_to(ALICE)
        assert not any(f": {draft}\n\n" in one.messages[-1].content for one in llm.requests)


LETTER = "Dear Mr Hill, the boiler has been broken since Tuesday. Please send somebody soon."
LETTER_WISH = "draft a letter to my landlord Mr Hill about the boiler, broken since Tuesday"


@pytest.mark.needs("lists")
@pytest.mark.parametrize(
    ("wish", "draft", "between", "change"),
    [
        (WISH, DRAFT, ["velas y jabón, a la lista del súper"], "más formal porfa"),
        (WISH, DRAFT, ["velas y jabón, a la lista del súper", "tachá las velas"], "hacelo más corto"),
        (LETTER_WISH, LETTER, ["we're out of tea, shopping list please", "cheers!"], "shorter please"),
        (LETTER_WISH, LETTER, ["we're out of tea, shopping list please"], "make it warmer"),
    ],
)
async def test_a_text_is_still_at_hand_after_something_was_done(
    tmp_path: Path, encoder: LocalEmbedder, wish: str, draft: str, between: list[str], change: str
) -> None:
    async with small_app(tmp_path, encoder, draft, *["Ok!"] * 3) as (app, llm):
        for said in (wish, *between, change):
            await app.say(ALICE, said)

        assert any(f": {draft}\n\n" in one.messages[-1].content for one in llm.requests)


@pytest.mark.needs("lists")
@pytest.mark.parametrize("said", ["agregale azúcar", "take out the tea", "no, mejor jabón blanco"])
async def test_what_may_mean_what_was_just_done_changes_no_text(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder, DRAFT, *["¿?"] * 6) as (app, llm):
        for one in (WISH, "velas y jabón, a la lista del súper", said):
            await app.say(ALICE, one)

        assert not any(f": {DRAFT}\n\n" in one.messages[-1].content for one in llm.requests)


_THINGS = ("perro", "jabón", "vecinos", "cumpleaños", "trabajo", "boiler", "candles", "mother", "kitchen", "money")
_TAKE_OUT = ("sacá lo de {}", "quita lo del {}", "sin lo de {}", "take out the {}", "leave out the bit about {}")


@pytest.mark.parametrize("thing", _THINGS)
@pytest.mark.parametrize("wish", _TAKE_OUT)
def test_what_is_taken_out_of_a_text_stands_in_it(wish: str, thing: str) -> None:
    change = read_change(wish.format(thing))

    assert change is not None
    assert change.fits(f"Hola, Ana. Te cuento: {thing.upper()}, ya sabés. Un beso grande.")
    assert not any(change.fits(f"Hola, Ana: {other}, ya sabés.") for other in _THINGS if other != thing)


@pytest.mark.parametrize(
    ("wish", "text"),
    [
        ("quita el saludo", "Estimado señor: el viernes voy. Atentamente, Luis."),
        ("remove the last sentence", "I can't come. I am ill."),
        ("sin tantas vueltas", "Hola, ¿cómo estás? Quería contarte que no voy."),
        ("sacale lo de que trabajo", "El sábado no puedo porque voy a trabajar."),
        ("sin mencionar a la dueña", "Estimada dueña: se rompió la canilla."),
        ("drop the part about the dogs", "Come over! Our dog will be at home."),
    ],
)
def test_parts_that_any_text_has_and_other_forms_of_a_word_can_be_taken_out(wish: str, text: str) -> None:
    change = read_change(wish)

    assert change is None or change.fits(text)


@pytest.mark.parametrize(
    "said",
    [
        "y que los necesito para mañana a las 8",
        "let them know I'm in after 6",
        "te faltó decir que llego a las 5",
        "put in that I'll be there by 10",
        "could you add that I'm free after 3",
        "and that I'm off on friday",
    ],
)
def test_what_a_text_is_to_say_too_is_a_change_of_it(said: str) -> None:
    change = read_change(said)
    assert change is not None
    assert change.kind == "addition"


@pytest.mark.parametrize(
    ("said", "named", "added"),
    [
        ("añade que el lunes hay tarta y quita lo del bus", ("bus",), ("lunes", "tarta")),
        ("put in that they bring boots, and drop the part about the bus", ("bus",), ("bring", "boots")),
        ("make it friendlier and without the bit about the bus", ("bus",), ()),
        ("quita los corazones porfa", (), ()),
    ],
)
def test_what_comes_in_and_what_goes_out_are_told_apart(
    said: str, named: tuple[str, ...], added: tuple[str, ...]
) -> None:
    change = read_change(said)

    assert change is not None
    assert (change.named, change.added) == (named, added)


def test_a_new_text_has_what_was_to_come_in_and_nothing_of_what_was_to_go() -> None:
    before = "Hi all, the walk is at ten. The bus stops at the church. \u2764"
    wanted = WantedText(
        "add that they bring boots and drop the bus and the hearts", before, "addition", ("bus",), added=("boots",)
    )
    both = "Hi all, the walk is at ten. Bring boots. \u2764"

    assert wanted.objection_to(before) == "unchanged"
    assert wanted.objection_to("Hi all, the walk is at ten.") == "unchanged"
    assert wanted.objection_to(wanted.tidied(both)) is None
    assert (
        wanted.mended(f"{before} Bring boots.", "unchanged", "en")
        == "Hi all, the walk is at ten. \u2764 Bring boots."
    )


@pytest.mark.parametrize(
    "said", ["recordame a las 6 llamarlo", "let me know at 6", "y que cocino hoy?", "add milk to my list"]
)
def test_what_is_wished_for_beside_a_text_is_no_change_of_it(said: str) -> None:
    assert read_change(said) is None


async def test_changes_go_on_from_the_newest_text(tmp_path: Path, encoder: LocalEmbedder) -> None:
    lines = DRAFT, SHORTER, "Hola, profe: Lola falta mañana y le debo una clase. ¡Saludos!"
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, WISH)
        await app.say(ALICE, "más corto")
        await app.say(ALICE, "decile que le debo una clase")

        assert SHORTER in llm.requests[-1].messages[-1].content
        assert DRAFT not in str(llm.requests[-1])
        assert app.replies_to(ALICE)[-1] == lines[-1]


async def test_a_text_that_comes_out_the_same_is_asked_for_again(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, DRAFT, DRAFT, SHORTER) as (app, llm):
        await app.say(ALICE, WISH)
        await app.say(ALICE, "más corto")

        first, again = llm.requests[-2:]
        assert again.messages[-1].content.startswith(first.messages[-1].content)
        assert "so that the text is another" in again.messages[-1].content
        assert again.temperature > first.temperature
        assert app.replies_to(ALICE)[-1] == SHORTER


async def test_whoever_changes_nothing_twice_says_so(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, DRAFT, DRAFT, DRAFT) as (app, _):
        await app.say(ALICE, WISH)
        await app.say(ALICE, "más corto")

        assert app.replies_to(ALICE)[-1] == say(SKILLS.text_unchanged, "es")


async def test_what_a_text_tells_is_the_persons_own(tmp_path: Path, encoder: LocalEmbedder) -> None:
    draft = "Hola, Marcos: ya te envié los papeles del seguro y guardé una copia. Abrazo."
    changed = "Marcos: te envié los papeles y guardé una copia. No sé si llegaron."
    async with small_app(tmp_path, encoder, draft, changed) as (app, _):
        await app.say(ALICE, "escribime un mensaje para Marcos diciendo que ya mandé los papeles")
        await app.say(ALICE, "un poco más corto y decile que no sé si llegaron")

        assert app.replies_to(ALICE) == [draft, changed]


@pytest.mark.parametrize(
    ("wish", "wrong", "right"),
    [
        (
            "escribile un mensaje a la maestra de Bruno que hoy no va, tiene 39 de fiebre",
            "Hola, maestra: hoy no voy, tengo fiebre.",
            "Hola, maestra de Bruno: hoy no va, tiene 39 de fiebre.",
        ),
        (
            "write a message to my boss that Omar and I start at 10 on Friday",
            "Hi boss, I will start late on Friday. Thanks a lot!",
            "Hi boss, Omar and I start at 10 on Friday.",
        ),
        (
            "write a text to my aunt that we come on Sunday, and don't mention the broken lamp",
            "Hi aunt, we come on Sunday. Sorry about the lamp!",
            "Hi aunt, we come on Sunday.",
        ),
    ],
)
async def test_a_text_that_twice_leaves_out_a_name_or_a_number_is_told_in_the_persons_words(
    tmp_path: Path, encoder: LocalEmbedder, wish: str, wrong: str, right: str
) -> None:
    async with small_app(tmp_path, encoder, wrong, wrong) as (app, llm):
        await app.say(ALICE, wish)

        assert "each name and number" in llm.requests[-1].messages[-1].content
        assert app.replies_to(ALICE) == [right]


async def test_a_number_may_be_said_in_words(tmp_path: Path, encoder: LocalEmbedder) -> None:
    draft = "Hola, Raúl: mañana llego a las seis con Petra. ¡Nos vemos!"
    async with small_app(tmp_path, encoder, draft) as (app, _):
        await app.say(ALICE, "escribile un mensajito a Raúl que mañana llego a las 6 con Petra")

        assert app.replies_to(ALICE) == [draft]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("vale, al final preguntale si hay reunión", "addition"),
        ("at the end ask if she has the keys", "addition"),
        ("y lo de las llaves quitalo que da vergüenza", "removal"),
        ("the bit about the keys, drop that", "removal"),
    ],
)
def test_what_is_to_stand_at_the_end_or_to_go_is_a_change(change: str, kind: str) -> None:
    found = read_change(change)

    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    ("text", "is_wanted"),
    [
        ("bueno, pues al menos ponme el mensajito pa decirle que llego mañana", True),
        ("al menos dame el texto", True),
        ("ok then at least give me the text for that", True),
        ("ok write me the text then", True),
        ("pasame el mensaje que me mandó Julia", False),
        ("dame el texto de la nota 3", False),
        ("dame el mail de Julia", False),
        ("give me the text of the second note", False),
        ("the dog next door barks all night. write the owner a message, polite but firm", True),
        ("se rompió el ascensor otra vez! redactame un mensaje para los vecinos", True),
        ("went to the shop. write milk on the list", False),
    ],
)
def test_a_text_may_be_asked_for_like_a_thing(text: str, is_wanted: bool) -> None:
    assert wants_draft(text) is is_wanted


@pytest.mark.parametrize(
    ("refused", "wish", "draft"),
    [
        (
            "págale 500 a Nico que me prestó para el taxi",
            "bueno, al menos dame el texto para decirle que se los paso el lunes",
            "Nico, el lunes te paso los 500 del taxi. ¡Gracias!",
        ),
        (
            "call Ruth and tell her I'm stuck at the depot",
            "ok then at least give me the text for that",
            "Hi Ruth, I'm stuck at the depot.",
        ),
    ],
)
async def test_a_text_in_the_place_of_what_was_refused_is_about_that(
    tmp_path: Path, encoder: LocalEmbedder, refused: str, wish: str, draft: str
) -> None:
    async with small_app(tmp_path, encoder, draft) as (app, llm):
        await app.say(ALICE, refused)
        await app.say(ALICE, wish)

        assert llm.requests[-1].messages[-1].content == f"{refused}\n{wish}"
        assert app.replies_to(ALICE)[-1] == draft


async def test_what_is_taken_out_along_with_another_tone_stays_out(tmp_path: Path, encoder: LocalEmbedder) -> None:
    stays = "Estimada profesora: Lola no asistirá mañana a la clase. Atentamente."
    gone = "Estimada profesora: Lola no podrá asistir mañana. Atentamente."
    async with small_app(tmp_path, encoder, DRAFT, stays, gone) as (app, _):
        await app.say(ALICE, WISH)
        await app.say(ALICE, "más serio, y lo de la clase quitalo")

        assert app.replies_to(ALICE)[-1] == gone


async def test_a_text_that_claims_to_have_gone_out_never_stands(tmp_path: Path, encoder: LocalEmbedder) -> None:
    claim = "Listo, ya le envié el mensaje a la profe de danza."
    async with small_app(tmp_path, encoder, claim, claim) as (app, _):
        await app.say(ALICE, WISH)

        assert app.replies_to(ALICE) == ["Hola, profe de danza: Lola falta mañana."]


@pytest.mark.parametrize(
    ("asked", "change"),
    [
        ("explicame qué es un eclipse", "más simple"),
        ("explicame qué es un eclipse", "en dos líneas"),
        ("what should I tell my kids about the move?", "shorter please"),
        ("what should I tell my kids about the move?", "in Spanish"),
    ],
)
async def test_any_answer_is_made_shorter_simpler_or_said_in_another_language(
    tmp_path: Path, encoder: LocalEmbedder, asked: str, change: str
) -> None:
    told = "It happens when the moon stands between us and the sun, so that its shadow falls on us."
    told = (
        told
        if "should" in asked
        else "La luna pasa entre nosotros y el sol, y por eso su sombra cae sobre la tierra."
    )
    async with small_app(tmp_path, encoder, told, "The moon hides the sun.") as (app, llm):
        await app.say(ALICE, asked)
        await app.say(ALICE, change)

        assert f": {told}\n\n" in llm.requests[-1].messages[-1].content
        assert app.replies_to(ALICE)[-1] == "The moon hides the sun."


async def test_a_day_that_was_wrong_is_put_right_by_code_and_changes_go_on(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    draft, right = "Hi Joan, we are coming on Sunday at noon.", "Hi Joan, we are coming on Saturday at noon."
    async with small_app(tmp_path, encoder, draft, "Joan! See you Saturday at noon.") as (app, llm):
        await app.say(ALICE, "write my aunt Joan a message saying we come on Sunday at noon")
        await app.say(ALICE, "sorry, it's Saturday, not Sunday")
        assert app.replies_to(ALICE)[-1] == right
        assert len(llm.requests) == 1

        await app.say(ALICE, "more cheerful")
        assert right in llm.requests[-1].messages[-1].content


async def test_a_day_that_the_text_does_not_name_is_put_right_in_the_models_words(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, DRAFT, "Estimada profesora: Lola faltará el viernes.") as (app, llm):
        await app.say(ALICE, WISH)
        await app.say(ALICE, "perdón, es el viernes")

        assert "Cambio: perdón, es el viernes" in llm.requests[-1].messages[-1].content


async def test_thanks_in_between_do_not_lose_the_text(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, DRAFT, "¡De nada! Que salga todo lindo mañana.", SHORTER) as (
        app,
        llm,
    ):
        await app.say(ALICE, WISH)
        await app.say(ALICE, "gracias!!")
        await app.say(ALICE, "mejor más corto")

        assert f": {DRAFT}\n\n" in llm.requests[-1].messages[-1].content


async def test_what_was_quoted_is_changed(tmp_path: Path, encoder: LocalEmbedder) -> None:
    other = "Mañana va a estar lindo para ir al río con los chicos, llevá gorra y agua."
    async with small_app(tmp_path, encoder, DRAFT, other, SHORTER) as (app, llm):
        await app.say(ALICE, WISH)
        written = next(one for one in app.graph.sends if one.text == DRAFT)
        await app.say(ALICE, "mañana queremos ir al río con los chicos y mi hermano")
        await app.receive(ALICE, "más corto", quote=written.id)
        await app.idle()

        assert f": {DRAFT}\n\n" in llm.requests[-1].messages[-1].content


async def test_what_code_told_is_not_rewritten(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "¿Más corto qué?") as (app, llm):
        await app.say(ALICE, "llamá a mi prima por favor")
        await app.say(ALICE, "más corto")

        assert "Cambio:" not in str(llm.requests)


async def test_only_ones_own_text_is_changed(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, DRAFT, "¿Más corto qué cosa?") as (app, llm):
        await app.say(ALICE, WISH)
        await app.say(BOB, "más corto")

        assert DRAFT not in str(llm.requests[-1])


@pytest.mark.parametrize(
    "other", ["gracias!!", "contame algo de la luna", "hoy nos quedamos sin luz toda la tarde"]
)
async def test_another_message_after_a_text_is_talked_about(
    tmp_path: Path, encoder: LocalEmbedder, other: str
) -> None:
    async with small_app(tmp_path, encoder, DRAFT, "Está a 384.000 kilómetros, qué lejos.") as (app, llm):
        await app.say(ALICE, WISH)
        await app.say(ALICE, other)

        assert "Cambio:" not in str(llm.requests[-1])


@pytest.mark.parametrize(
    "text",
    [
        "mmm no, más tierno", "me encanta, pero más serio", "¿lo podrías hacer menos seco?", "y uno para Nélida",
        "otra para mi cuñado", "lo mismo para mi patrona", "ahora para la directora", "mencioná que llevo torta",
        "ponele una despedida linda", "firmalo como Beto", "sacale lo del perro", "cambiale sábado por domingo",
        "en tres renglones", "que suene más natural", "tratalo de usted", "agregá lo del turno", "otra versión",
        "hazlo más breve", "a bit kinder", "could you make it sound less stiff?",
        "no emojis",
        "now one for my gran",
        "and for Priya?", "the same for my landlord", "leave out the last bit", "change Friday to Sunday",
        "sign it from all of us", "say thanks for the cake", "in two sentences", "it's too wordy",
        "put it in French",
        "tell him I'm sorry", "nice, but warmer", "another version", "use emojis",
    ],
)  # fmt: skip
def test_a_wish_to_change_a_text_is_known(text: str) -> None:
    assert read_change(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "agregá harina", "agregá harina a la lista", "add a bin bag to the list", "mandáselo", "send it to him",
        "sin dudas", "y para el viernes?", "and for Friday?", "más tarde sigo", "para mi tía compré flores",
        "recordame comprar pilas", "poné música", "no sé si mandarlo", "ya me contestó que sí", "más vale",
        "cambiá la reunión al martes", "for lunch we had soup", "more tomorrow", "in french class we read Camus",
        "escribile un mensaje a mi nuera diciendo que sí", "how do you say bread in Italian?", "too bad",
        "change of plans, we stay home", "qué frío hace", "my boss said no", "y vos?",
        "decile a mi tía que llego tarde",
        "ponelo más formal: el sábado no puedo ir", "in two lines: the lift is broken and nobody comes to fix it",
    ],
)  # fmt: skip
def test_any_other_message_is_no_wish_to_change_a_text(text: str) -> None:
    assert read_change(text) is None


@pytest.mark.parametrize(
    "text", ["necesito un mensaje para la vecina", "I need a reply for my landlord", "inventá un poema"]
)
def test_a_wish_for_a_text_is_known(text: str) -> None:
    assert wants_text(text)


@pytest.mark.parametrize(
    ("greeting", "answer", "wish", "told"),
    [
        ("buenas! qué tal todo?", "¡Hola! Todo bien, ¿y vos?", "contame una adivinanza corta", PEAR),
        ("Hey, how are you doing?", "Hi! I'm great, how are you?", "tell me a joke about cows", COW),
        ("buen día", "¡Buen día! ¿Cómo estás?", "cómo se hace el arroz con leche?", PEAR),
    ],
)
async def test_a_wish_right_after_a_greeting_is_shown_without_it(
    tmp_path: Path, encoder: LocalEmbedder, greeting: str, answer: str, wish: str, told: str
) -> None:
    async with small_app(tmp_path, encoder, answer, told) as (app, llm):
        await app.say(ALICE, greeting)
        await app.say(ALICE, wish)

        assert [one.role for one in llm.requests[-1].messages] == ["system", "user"]
        assert answer not in str(llm.requests[-1])
        assert app.replies_to(ALICE)[-1] == told


async def test_what_was_talked_of_before_is_still_shown_beside_a_wish(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    lines = "¡Hola! ¿Cómo va?", "¡Qué lindo, un cachorro!", "¡De nada!", "Podés llamarlo Canela, o Tango."
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, "hola che")
        await app.say(ALICE, "ayer trajimos un cachorro marrón a casa y es un terremoto")
        await app.say(ALICE, "jaja gracias")
        await app.say(ALICE, "dame ideas de nombres")

        shown = [one.content for one in llm.requests[-1].messages]
        assert "ayer trajimos un cachorro marrón a casa y es un terremoto" in shown
        assert not {"hola che", "jaja gracias", lines[0], lines[2]}.intersection(shown)


async def test_who_answers_what_they_were_greeted_with_is_understood(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    lines = "¡Hola! ¿Cómo te fue hoy?", "Uf, qué día. Ojalá mañana sea más liviano."
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, "hola!")
        await app.say(ALICE, "cansada, tuve tres reuniones seguidas")

        assert lines[0] in [one.content for one in llm.requests[-1].messages]


@pytest.mark.parametrize(
    ("text", "is_small"),
    [
        ("Buenas tardes, ¿cómo anda?", True),
        ("qué onda wey", True),
        ("thanks so much 😊", True),
        ("good morning!", True),
        ("hola, soy Raúl", False),
        ("y mañana?", False),
        ("what day is it?", False),
        ("4417-22", False),
        ("how are the hens?", False),
        ("buenas, se cortó la luz", False),
    ],
)
def test_small_talk_is_known(text: str, is_small: bool) -> None:
    assert is_small_talk(text) is is_small


@pytest.mark.parametrize(
    ("wish", "wrote", "told"),
    [
        (WISH, f'"""\n{DRAFT}\n"""', DRAFT),
        (WISH, f"```\n{DRAFT}\n```", DRAFT),
        (WISH, f"«{DRAFT}»", DRAFT),
        (WISH, f"Texto: {DRAFT}\n\nCambio: ninguno", DRAFT),
        (WISH, f"¡Claro! Aquí tienes el mensaje:\n\n{DRAFT}", DRAFT),
        (WISH, "Hola, [Nombre de la profe]: Lola falta mañana a danza.", "Hola: Lola falta mañana a danza."),
        (WISH, f"Estimada [Nombre],\n{DRAFT}\n\nAtentamente,\n[Tu nombre]", f"{DRAFT}\n\nAtentamente,"),
        ("draft a letter to my dentist", "Dear [Name], I need a new date, thanks.", "I need a new date, thanks."),
        (
            "write a message to Ann with [DATE] in it",
            "Ann, see you on [DATE], then.",
            "Ann, see you on [DATE], then.",
        ),
    ],
)
async def test_a_text_is_handed_out_alone_and_without_blanks(
    tmp_path: Path, encoder: LocalEmbedder, wish: str, wrote: str, told: str
) -> None:
    async with small_app(tmp_path, encoder, wrote) as (app, llm):
        await app.say(ALICE, wish)

        assert app.replies_to(ALICE) == [told]
        assert len(llm.requests) == 1


@pytest.mark.parametrize(
    "bare",
    [
        "¡Hola, [Nombre]!",
        "Hola, profe. ¿Cómo está?",
        f"¡Hola! ¿Podrías ayudarme? {WISH}",
        "Hola, profe. Lola falta el [fecha] a la clase de danza.",
    ],
)
async def test_a_text_that_tells_nothing_is_asked_for_again(
    tmp_path: Path, encoder: LocalEmbedder, bare: str
) -> None:
    async with small_app(tmp_path, encoder, bare, DRAFT) as (app, llm):
        await app.say(ALICE, WISH)

        assert app.replies_to(ALICE) == [DRAFT]
        assert llm.requests[-1].temperature > llm.requests[0].temperature


async def test_whoever_writes_no_text_twice_asks_what_it_should_say(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "¡Hola!", "¡Hola, [Nombre de la profe]!") as (app, _):
        await app.say(ALICE, "armame un mensaje para la profe de danza")

        assert app.replies_to(ALICE) == [say(SKILLS.text_bare, "es")]


async def test_a_sentence_with_a_blank_is_left_out_at_last(tmp_path: Path, encoder: LocalEmbedder) -> None:
    blank = "Hola, profe. Lola falta mañana a danza. Vuelve el [fecha] sin falta."
    async with small_app(tmp_path, encoder, blank, blank) as (app, _):
        await app.say(ALICE, WISH)

        assert app.replies_to(ALICE) == ["Hola, profe. Lola falta mañana a danza."]


@pytest.mark.parametrize(
    ("change", "hardly"),
    [
        ("más gracioso", DRAFT.replace("Saludos", "Un saludo")),
        ("más cariñoso", f'"""\n{DRAFT.upper()}\n"""'),
        ("más corto", f"{DRAFT} Muchas gracias."),
        ("más largo", SHORTER),
        ("sacale lo de la clase", DRAFT.replace("mañana a la clase", "a clase mañana")),
    ],
)
async def test_a_text_that_hardly_changed_is_not_passed_as_changed(
    tmp_path: Path, encoder: LocalEmbedder, change: str, hardly: str
) -> None:
    changed = "Querida profe, con pena le cuento que mi Lola mañana se queda en casa y no va a bailar con todos."
    async with small_app(tmp_path, encoder, DRAFT, hardly, changed if "corto" not in change else SHORTER) as (
        app,
        _,
    ):
        await app.say(ALICE, WISH)
        await app.say(ALICE, change)

        assert app.replies_to(ALICE)[-1] != hardly
        assert app.replies_to(ALICE)[-1] in {changed, SHORTER}


async def test_changes_go_on_from_the_text_that_stayed_as_it_was(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, DRAFT, DRAFT, DRAFT, SHORTER) as (app, llm):
        await app.say(ALICE, WISH)
        await app.say(ALICE, "más gracioso")
        await app.say(ALICE, "más corto")

        assert f": {DRAFT}\n\n" in llm.requests[-1].messages[-1].content
        assert app.replies_to(ALICE)[-2:] == [say(SKILLS.text_unchanged, "es"), SHORTER]


async def test_code_takes_out_the_sentence_that_a_model_leaves_in(tmp_path: Path, encoder: LocalEmbedder) -> None:
    draft = "Hola, profe. Lola falta mañana a danza. Tiene turno con el dentista a esa hora. ¡Saludos!"
    async with small_app(tmp_path, encoder, draft, draft, draft) as (app, _):
        await app.say(ALICE, WISH)
        await app.say(ALICE, "sacale lo del dentista")

        assert app.replies_to(ALICE)[-1] == "Hola, profe. Lola falta mañana a danza. ¡Saludos!"


async def test_code_leaves_the_least_telling_sentence_out_of_a_text_that_stays_long(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    draft = "Hola, profe. Lola falta mañana a la clase de danza. Espero que esté bien. ¡Vuelve el jueves!"
    async with small_app(tmp_path, encoder, draft, draft, draft) as (app, _):
        await app.say(ALICE, f"{WISH} y vuelve el jueves")
        await app.say(ALICE, "más corto")

        assert (
            app.replies_to(ALICE)[-1] == "Hola, profe. Lola falta mañana a la clase de danza. ¡Vuelve el jueves!"
        )


async def test_how_long_a_text_may_become_goes_by_the_old_one(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, DRAFT, SHORTER, DRAFT) as (app, llm):
        await app.say(ALICE, WISH)
        await app.say(ALICE, "más corto")
        await app.say(ALICE, "más largo")

        first, shorter, longer = (one.max_tokens or 0 for one in llm.requests)
        assert len(DRAFT) / 4 < shorter < first
        assert longer > len(SHORTER)


@pytest.mark.parametrize(
    "wish",
    [
        "armame un mensaje para el vecino de al lado, que el perro ladra hasta las 3 de la mañana",
        "escríbeme un mensaje para mi madrina diciendo que almorzamos el sábado a las 13",
        "prepárame un correo para la gerente avisando que el lunes a las 9 no llego",
        "write a message to my sister saying that we arrive tomorrow at 5",
    ],
)
async def test_an_hour_in_a_message_for_somebody_makes_no_reminder(
    tmp_path: Path, encoder: LocalEmbedder, wish: str
) -> None:
    draft = f"Holis! {re.split(' (?:que|that) ', wish)[1]}. Besos"
    async with small_app(tmp_path, encoder, draft) as (app, llm):
        await app.say(ALICE, wish)

        assert app.replies_to(ALICE) == [draft]
        assert llm.requests[-1].messages[-1].content == wish
        assert llm.requests[-1].response_schema is None


@pytest.mark.parametrize(
    ("text", "is_draft"),
    [
        ("escribile a Marta un mensaje contando que llegamos a las 8", True),
        ("write a letter to my tenant saying rent is due on Friday at noon", True),
        ("escribime un mensaje a las 8 para tomar la pastilla", False),
        ("write me a message at 8 to take my pills", False),
        ("write a message to my boss and remind me at 6 to send it", False),
        ("redactá un mail para mi jefa y anotá el turno del martes", False),
    ],
)
def test_a_text_for_somebody_is_told_from_a_reminder(text: str, is_draft: bool) -> None:
    assert wants_draft_alone(text) is is_draft


@pytest.mark.parametrize(
    ("before", "change", "after", "is_right"),
    [
        ("Thank you for feeding the cats all week.", "more casual", "You're welcome! Always nice to help.", False),
        (
            "Come to the party at 5 in the park, please.",
            "more formal",
            "Kindly attend the party in the park.",
            False,
        ),
        (
            "Hi Ann, the show moved to Friday and please bring the red lamps.",
            "a bit warmer",
            "Hi Ann, lovely news: the show moved and please bring the lamps, hugs!",
            False,
        ),
        (
            "Hi Ann, the show moved to Friday and please bring the red lamps.",
            "a bit warmer",
            "Hi dear Ann, lovely news: the show moved to Friday. Please bring the red lamps, hugs!",
            True,
        ),
        (
            "Hola, Nora: el taller es el martes y traé las telas verdes.",
            "más cariñoso",
            "Hola, Nora querida: el taller es el martes, te espero con las telas. ¡Besos!",
            False,
        ),
        (DRAFT, "agregale que la quiero", f"{DRAFT} La quiero, y el domingo la llamo.", False),
        (DRAFT, "agregale que la quiero", f"{DRAFT} La quiero mucho.", True),
        (DRAFT, "agregale que el domingo la llamo", f"{DRAFT} El domingo la llamo.", True),
        (DRAFT, "más formal", "Distinguida profesora: Lola no podrá asistir a la clase mañana, gracias.", True),
    ],
)
def test_a_changed_text_stays_that_text_and_makes_nothing_up(
    before: str, change: str, after: str, is_right: bool
) -> None:
    read = read_change(change)
    assert read is not None
    wanted = WantedText(change, before, to_be_done(read, change))

    assert wanted.objection_to(after) == (None if is_right else "unchanged")


@pytest.mark.parametrize(
    ("change", "done"),
    [
        ("más formal", "formal"),
        ("menos formal", "casual"),
        ("no tan serio", "casual"),
        ("mmm no, más cariñoso", "warm"),
        ("muy seco", "casual"),
        ("muy largo", "shorter"),
        ("más cortito", "shorter"),
        ("too angry, and say please", "warm"),
        ("suena muy mandón, suavizalo", "warm"),
        ("make it angrier", "firm"),
        ("way too long. Make it three lines and put her name, Mrs Okafor", "shorter"),
        ("en dos líneas", "shorter"),
        ("make it funnier", "funny"),
        ("less stiff", "casual"),
        ("too harsh", "warm"),
        ("too short", "longer"),
        ("firmer please", "firm"),
        ("another version", "warm"),
        ("menos triste", "warm"),
        ("add that I'm late", "addition"),
        ("and for my gran?", "recipient"),
    ],
)
def test_what_is_to_be_done_to_a_text_is_read(change: str, done: str) -> None:
    read = read_change(change)

    assert read is not None
    assert to_be_done(read, change) == done


@pytest.mark.parametrize(
    ("said", "text", "wish", "better"),
    [
        (
            "please put this in proper English: no hot water since Monday, send Mr Rao to see boiler",
            "no hot water since Monday, send Mr Rao to see boiler",
            "please put this in proper English",
            "There has been no hot water since Monday. Please send Mr Rao to see the boiler.",
        ),
        (
            "dejame esto más amable: mové el auto que no puedo sacar la camioneta",
            "mové el auto que no puedo sacar la camioneta",
            "dejame esto más amable",
            "¡Hola! ¿Podrías mover el auto, por favor? Así puedo sacar la camioneta. ¡Mil gracias!",
        ),
    ],
)
async def test_a_text_that_is_brought_is_put_better_and_not_done(
    tmp_path: Path, encoder: LocalEmbedder, said: str, text: str, wish: str, better: str
) -> None:
    async with small_app(
        tmp_path,
        encoder,
        better,
        "Hola: mové ya el auto, porfa." if "esto" in wish else "No hot water since Monday, Mr Rao.",
    ) as (app, llm):
        await app.say(ALICE, said)
        assert llm.requests[-1].messages[-1].content == f"{wish}: {text}"
        assert app.replies_to(ALICE) == [better]

        await app.say(ALICE, "más corto" if "esto" in wish else "shorter")
        assert better in llm.requests[-1].messages[-1].content


@pytest.mark.parametrize(
    ("text", "tidied", "objection"),
    [
        ("Hi Nora, your hens ate my beans again.", "Hi neighbour, your hens ate my beans again.", None),
        (
            "Hi neighbour, my hens are in my beans again.",
            "Hi neighbour, my hens are in my beans again.",
            "lacking",
        ),
    ],
)
def test_nobody_is_greeted_whom_nobody_named_and_what_is_theirs_stays_theirs(
    text: str, tidied: str, objection: str | None
) -> None:
    wanted = WantedText("write a message to my neighbour, his hens ate my beans again")
    assert wanted.tidied(text) == tidied
    assert wanted.objection_to(tidied) == objection


@pytest.mark.parametrize(
    ("said", "into", "told"),
    [
        ("hola, como se dice tijera en portugues", "pt", "tijera"),
        ("y como digo en alemán quisiera dos entradas", "de", "quisiera dos entradas"),
        ("traduceme al frances: la puerta no cierra. es para el portero", "fr", "la puerta no cierra"),
        ("he only speaks one, how would you say mind the step in greek? he's 90", "el", "mind the step"),
        ("what's the Welsh word for butter, lovey", "cy", "butter"),
        (
            'como les digo en portugues a los de la posada "hay estacionamiento?" salimos mañana',
            "pt",
            "hay estacionamiento?",
        ),
        ("the new cook only speaks Polish, how do I say the oven is hot", "pl", "the oven is hot"),
        ("no hablo italiano, cómo digo que me perdí", "it", "me perdí"),
        ("mis suegros hablan puro inglés, cómo les digo que estuvo rico", "en", "estuvo rico"),
        ("tell me how to say in Greek: where is the ferry? we sail on Friday", "el", "where is the ferry?"),
        ("put this in Greek: where are you? I am at the door", "el", "where are you? I am at the door"),
        ("off to Porto and none of us knows a word of Portuguese. How to say: two coffees", "pt", "two coffees"),
        ("cómo le digo en francés la cena estuvo rica, porque no habla español", "fr", "la cena estuvo rica"),
        ("nadie de la familia habla alemán, cómo se dice tengo frío", "de", "tengo frío"),
        ("they don't speak French, how do I say good luck", "", ""),
        ("she only speaks English, how do I say good luck my friend", "", ""),
        ("how do you say that in French", "", ""),
        ("remind me to ask how you say thanks in Welsh", "", ""),
        (
            "q quiere decir esto q me puso el fontanero: i will be back after lunch",
            "es",
            "i will be back after lunch",
        ),
        ("what does my landlord mean, he wrote: mañana pintan el patio", "en", "mañana pintan el patio"),
        ("qué significa esto: el lunes no hay agua", "", ""),
        (
            "could you teach me how to say 'two coffees please' in Italian? we sail on Sunday",
            "it",
            "two coffees please",
        ),
        ("¿puedes traducir al portugués: muy rico todo? es para la posadera", "pt", "muy rico todo"),
        ("qué quiere decir la sigla: IVA", "", ""),
        ("cómo le digo a mi vecina en inglés que baje la música", "en", "baje la música"),
        ("good morning in Greek?", "el", "good morning"),
        ("mil gracias en griego?", "el", "mil gracias"),
        ("how do you say excuse me please in Greek", "el", "excuse me please"),
        ("that song in Greek?", "", ""),
        ("ok in Greek?", "", ""),
        ("how do I say to a guest who comes to the desk the lift is broken in Greek", "el", "the lift is broken"),
        ("how do I say in Greek to a guest who comes to the desk the lift is broken", "el", "the lift is broken"),
        (
            "como le digo a un pasajero que sube por la rampa en griego no hay lugar",
            "el",
            "no hay lugar",
        ),
        (
            "cómo le digo en inglés a una clienta que entra a la farmacia el turno es mañana",
            "en",
            "el turno es mañana",
        ),
        (
            "how do you say it came to a boy who lives by the sea in Greek",
            "el",
            "it came to a boy who lives by the sea",
        ),
        ("nota: mi suegra vive abajo. y decime como se dice suegra en ingles", "", ""),
        (
            "a chap from Lyon is at reception and my French is dire, how do I tell him that the lift is out",
            "fr",
            "the lift is out",
        ),
        (
            "there's a girl at the gate and I've no German, how do I tell her the last tram left",
            "de",
            "the last tram left",
        ),
        (
            "en la farmacia hay una turista y yo de inglés nada, cómo le explico que es con receta",
            "en",
            "es con receta",
        ),
        ("mi italiano da pena y llegó el técnico, cómo le digo que gotea la canilla", "it", "gotea la canilla"),
        ("in French how do I say see you on the hill", "fr", "see you on the hill"),
        ("my daughter's French is fine, how do I tell her I'm proud of her", "", ""),
        ("su inglés es malo, cómo le digo que estudie más", "", ""),
        ("my English is poor, how can I get better", "", ""),
        ("how do I say this in Spanish: the pump is leaking again", "es", "the pump is leaking again"),
        ("cómo se dice en inglés esto, la bomba gotea", "en", "la bomba gotea"),
    ],
)
def test_words_are_asked_for_in_another_language(said: str, into: str, told: str) -> None:
    assert read_translation(said) == ((into, told) if into else None)


@pytest.mark.parametrize(
    ("before", "said", "told"),
    [
        (["how do you say good morning in Greek"], "and thank you very much?", "thank you very much"),
        (["how do you say good morning in Greek", "and sorry?"], "and good night?", "good night"),
        (["how do you say good morning in Greek"], 'Nice. And how would I say "see you"?', "see you"),
        (["cómo se dice tijera en griego"], "y muchas gracias?", "muchas gracias"),
        (["cómo se dice tijera en griego"], "y cómo digo hasta luego?", "hasta luego"),
        (["cómo se dice tijera en griego"], "y perdón?", "perdón"),
        (["good morning in Greek?"], "and please?", "please"),
        (["how do you say good morning in Greek"], "aw that's gorgeous, and goodbye?", "goodbye"),
        (["cómo se dice tijera en griego"], "jaja me encantó! y mil gracias?", "mil gracias"),
        (["my sister baked us a pie"], "aw that's gorgeous, and thank you?", None),
        (["how do you say good morning in Greek"], "that's gorgeous and I'm off, thank you", None),
        (["buenas noches"], "y buenas tardes?", None),
        (["cómo se dice tijera en griego"], "y vos cómo andás?", None),
        (["cómo se dice tijera en griego"], "y anotá que viajo el 4", None),
        (["how do you say good morning in Greek"], "how do you say it to an old lady", None),
        (["what is the capital of Denmark"], "and thank you very much?", None),
        (["how do you say good morning in Greek", "my son is ill"], "and thank you?", None),
    ],
)
def test_what_is_asked_next_is_said_in_the_same_language(before: list[str], said: str, told: str | None) -> None:
    found = translated_too(said, before, "en")
    assert (None if found is None else (found.wanted.before, found.wanted.into)) == (told and (told, "el"))


@pytest.mark.parametrize(
    ("said", "text", "told"),
    [
        ("poneme esto en inglés porfa: paso el martes a las 8", "paso el martes a las 8", "traducir al inglés"),
        ("could you put this in Spanish: it comes on Tuesday", "it comes on Tuesday", "translate into Spanish"),
        (
            "my spanish is awful, how do i write to the porter 'it comes on Tuesday'?",
            "it comes on Tuesday",
            "translate into Spanish",
        ),
    ],
)
async def test_a_translation_of_what_is_brought_keeps_its_day(
    tmp_path: Path, encoder: LocalEmbedder, said: str, text: str, told: str
) -> None:
    wrong, right = "Paso el jueves a las 8, dice.", "Paso el martes a las 8, dice."
    if "ingl" in told:
        wrong, right = "I'll come by on Thursday at 8.", "I'll come by on Tuesday at 8."
    async with small_app(tmp_path, encoder, wrong, wrong) as (app, llm):
        await app.say(ALICE, said)
        asked = llm.requests[0].messages[-1].content
        assert asked == f"{told}: {text}"
        assert app.replies_to(ALICE) == [right]


@pytest.mark.parametrize(
    ("text", "change", "written", "is_kept"),
    [
        ("you owe me 30 for gas, pay up", "warm", "Hi! You owe me 30 for gas. Could you pay? Thanks!", True),
        ("you owe me 30 for gas, pay up", "warm", "Hi! I owe you 30 for gas. I will pay it soon!", False),
        (
            "we dont come wensday, 2 kids is sick",
            "correction",
            "We won't come Wednesday: two kids are sick.",
            True,
        ),
        (
            "le debo 3 cuotas, se las yevo el vienes",
            "correction",
            "Le debo 4 cuotas, se las llevo el viernes.",
            False,
        ),
        (
            "le debo 3 cuotas, se las yevo el vienes",
            "correction",
            "Le debo tres cuotas, se las llevo el viernes.",
            True,
        ),
        ("traé la escalera que la nesecito hoy", "firm", "¿Cómo estás? Espero que bien.", False),
    ],
)
def test_a_text_that_is_brought_tells_what_it_told(
    text: str, change: Change, written: str, *, is_kept: bool
) -> None:
    wanted = WantedText("esto", text, change, is_brought=True)

    assert (wanted.objection_to(written) is None) is is_kept


@pytest.mark.parametrize(
    "said",
    [
        "make this a list: soap, rope",
        "put this on the list: soap, rope and tape",
        "rewrite it",
        "note this: the van is due in May",
        "corregí la nota: son 40",
        "get it down to the shop at six: they close early",
        "put these in the two lines of the list: soap, rope and tape",
        "poneme esto en la lista: jabón, soga y cinta",
    ],
)
def test_what_brings_no_text_to_be_put_better_is_something_else(said: str) -> None:
    assert read_brought(said) is None


@pytest.mark.parametrize(
    "wish",
    [
        "Whittle this down to one line, I'm at the till:",
        "can you sum this up for me:",
        "please get it into two short sentences, am driving:",
        "give us the gist of this:",
        "trim these to a single paragraph:",
        "Reducime esto a una sola frase, que estoy apurada:",
        "me puedes pasar esto en dos renglones, voy manejando:",
        "sintetizame esto porfa:",
        "haceme un resumen de esto:",
    ],
)
def test_a_text_that_is_wanted_shorter_is_brought_whole(wish: str) -> None:
    text = "the lorry is moved to Friday at 10, the deposit goes up to 700 and nobody parks at the gate"

    assert read_brought(f"{wish} {text}") == (wish.rstrip(":"), text)
