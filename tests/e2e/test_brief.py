"""Small models beside the encoder: messages are sorted without the model, and each prompt has one purpose."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.database.db import Database
from app.domain.errors import Transient
from app.language.catalogue import Language, say
from app.llm.local_embedder import LocalEmbedder
from app.pipeline.lexicon import after_taken_back, asks_outcome, denies_wish, opens_translation, takes_back
from app.pipeline.texts import PIPELINE
from app.skills.router import SortingFacts
from app.skills.sorting import Sorter
from app.skills.sorting.quick import HeadSorter
from app.skills.texts import SKILLS
from app.skills.tools.lists.texts import LISTS
from app.skills.unusable import is_bare_json, promises_act, talk_objection
from tests.builders import ALICE, BOB
from tests.e2e.asking import is_question, press, titles_of, until_asked
from tests.e2e.small import open_encoder, small_app
from tests.fakes.llm import ScriptedChatModel
from tests.harness import NATIVE, AppUnderTest, running_app


@pytest.fixture(scope="module")
def encoder() -> LocalEmbedder:
    return open_encoder()


def call(name: str, **arguments: object) -> str:
    return json.dumps({name: arguments})


async def test_plain_talk_is_asked_plainly(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "¡Qué lindo! ¿Cómo estuvo?") as (app, llm):
        await app.say(ALICE, STORY)

        [request] = llm.requests
        assert llm.short_requests == []
        assert request.response_schema is None
        assert len(request.messages[0].content) < 500
        assert "save_note" not in str(request.messages)
        assert app.replies_to(ALICE) == ["¡Qué lindo! ¿Cómo estuvo?"]


STORY = "hoy fuimos a la plaza con los chicos y nos reímos mucho"


async def test_an_answer_that_says_nothing_is_asked_for_again(tmp_path: Path, encoder: LocalEmbedder) -> None:
    lines = "¡Hola! ¿En qué puedo ayudarte hoy?", "¡Qué lindo! Vayan más seguido. No dudes en preguntarme."
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, STORY)

        first, second = llm.requests
        assert second.messages[:-1] == first.messages[:-1]
        assert second.messages[-1].content.startswith(first.messages[-1].content.removesuffix("]"))
        assert app.replies_to(ALICE) == ["¡Qué lindo! Vayan más seguido."]


async def test_who_has_nothing_to_say_twice_says_so(tmp_path: Path, encoder: LocalEmbedder) -> None:
    lines = "Lo siento, pero no puedo ayudarte con eso.", "¡Lo siento, pero no puedo ayudarte con eso."
    async with small_app(tmp_path, encoder, *lines) as (app, _):
        await app.say(ALICE, STORY)

        assert app.replies_to(ALICE) == [say(SKILLS.nothing_to_say, "es")]


async def test_news_are_answered_after_examples_in_their_language(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "¡Qué susto!", "Good work!", "Leonardo.") as (app, llm):
        await app.say(ALICE, "se me cayó una maceta del balcón y casi le pego a un señor")
        await app.say(ALICE, "we painted the whole fence this morning and then it rained")
        await app.say(ALICE, "who painted the Mona Lisa?")

        spanish, english, question = llm.requests
        assert [one.role for one in spanish.messages] == ["system", *["user", "assistant"] * 7, "user"]
        assert spanish.purpose == english.purpose == "closing"
        assert "ayudarte" in spanish.avoided
        assert "help" in english.avoided
        assert english.messages[1] != spanish.messages[1]
        assert (question.purpose, question.avoided) == ("turn", ())


async def test_a_greeting_may_be_answered_with_one(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "¡Hola! ¿En qué puedo ayudarte hoy?") as (app, _):
        await app.say(ALICE, "hola, buenas tardes")

        assert app.replies_to(ALICE) == ["¡Hola! ¿En qué puedo ayudarte hoy?"]


async def test_plain_talk_that_claims_to_have_done_something_never_stands(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "¡Guardé tu nota!", "He guardado la nota.") as (app, _):
        await app.say(ALICE, STORY)

        assert app.replies_to(ALICE) == [say(SKILLS.good_to_know, "es")]


async def test_a_wish_takes_one_bound_call_and_the_tool_tells_what_it_did(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, call("save_note", content="el techista viene el 14")) as (app, llm):
        await app.say(ALICE, "anotá el techista viene el 14")

        [request] = llm.requests
        assert llm.short_requests == []
        assert request.purpose == "call"
        assert '"save_note"' in json.dumps(request.response_schema)
        assert "get_weather" not in str(request)
        assert ["el techista viene el 14" in reply for reply in app.replies_to(ALICE)] == [True]


async def test_who_looks_is_offered_nothing_that_writes(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, call("list_notes")) as (app, llm):
        await app.say(ALICE, "leeme las notas del taller")

        [request] = llm.requests
        asked = json.dumps(request.response_schema)
        assert '"list_notes"' in asked
        assert '"save_note"' not in asked
        assert '"delete_note"' not in asked


async def test_the_text_above_a_call_is_the_same_for_the_same_tools(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    lines = call("save_note", content="el portón se traba"), call("save_note", content="la llave está en el cajón")
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, "anotá el portón se traba")
        await app.say(ALICE, "apuntá lo de la llave, está en el cajón")

        first, second = llm.requests
        assert first.messages[0] == second.messages[0]
        assert len(second.messages) == 2


async def test_a_percentage_asked_anew_between_marks_needs_no_model(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "¿cuánto es el 12% de 3200?")
        await app.say(ALICE, "¿y el 20%?")

        assert "640" in app.replies_to(ALICE)[-1]
        assert llm.requests == []


async def test_a_number_asked_anew_stands_in_the_call_of_the_model(tmp_path: Path, encoder: LocalEmbedder) -> None:
    lines = call("get_current_datetime", timezone="Oslo"), call("get_current_datetime", timezone="Ushuaia")
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, "what time is it in Oslo?")
        await app.say(ALICE, "and in Tolhuin?")

        assert "what time is it in Tolhuin?" in llm.requests[-1].messages[-1].content


async def test_what_goes_on_with_and_is_put_on_the_same_list(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, call("add_to_list", items=["desk lamps"])) as (app, _):
        await app.say(ALICE, "add sugar to the shopping list")
        await app.say(ALICE, "and desk lamps")

        assert "desk lamps" in app.replies_to(ALICE)[-1]


async def test_what_was_bought_and_stands_on_a_list_is_checked_without_asking(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    lines = call("add_to_list", items=["lentejas"]), call("check_off", items=["lentejas"])
    async with small_app(tmp_path, encoder, *lines) as (app, _):
        await app.say(ALICE, "agregá lentejas a la lista de compras")
        await app.say(ALICE, "ya compré las lentejas")

        assert say(LISTS.ask_check, "es") not in app.replies_to(ALICE)[-1]
        assert say(LISTS.checked, "es", items="lentejas", list="").strip() in app.replies_to(ALICE)[-1]


async def test_two_wishes_are_done_one_by_one_each_with_its_own_words(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    line = call("save_note", content="el electricista viene el viernes")
    async with small_app(tmp_path, encoder, line) as (app, llm):
        await app.say(ALICE, "poné harina en la lista y anotá que el electricista viene el viernes")

        [asked] = llm.requests
        assert "harina" not in asked.messages[-1].content
        [reply] = app.replies_to(ALICE)
        assert "harina" in reply
        assert "el electricista viene el viernes" in reply
        await app.say(ALICE, "/undo")
        assert "harina" in app.replies_to(ALICE)[-1]


async def test_a_list_that_nobody_named_is_the_one_there_is(tmp_path: Path, encoder: LocalEmbedder) -> None:
    lines = call("add_to_list", items=["sugar"]), call("show_list", list_name="Camping")
    async with small_app(tmp_path, encoder, *lines) as (app, _):
        await app.say(ALICE, "add sugar to the shopping list")
        await app.say(ALICE, "show me the list")

        assert "sugar" in app.replies_to(ALICE)[-1]


@pytest.mark.parametrize(
    "text", ["soy alérgica al maní", "me llamo Delia y vivo en Tandil", "our boat is called Heron"]
)
async def test_what_people_tell_of_themselves_is_kept_at_once_and_said_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, text: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, text)

        assert llm.requests == []
        assert all(part in app.replies_to(ALICE)[-1] for part in text.split(" y "))
        await app.say(ALICE, "/memories")
        assert all(part in app.replies_to(ALICE)[-1] for part in text.split(" y "))


async def test_a_warning_about_health_stands_also_where_the_answer_speaks_of_it(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    told = "Ideas vegetarianas para la cena: ensalada con jamón, o un sándwich de pollo."
    async with small_app(tmp_path, encoder, told) as (app, _):
        await app.say(ALICE, "soy vegetariana")
        await app.say(ALICE, "dame ideas para la cena")

        assert (
            app.replies_to(ALICE)[-1]
            == f"{told}\n\n{say(PIPELINE.health_warning, 'es', facts='«soy vegetariana»')}"
        )


async def test_who_denies_what_they_were_told_is_corrected_with_the_persons_words(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "Lo siento, no tengo información sobre tu nombre.") as (app, _):
        await app.say(ALICE, "me llamo Delia")
        await app.say(ALICE, "cómo me llamo?")

        assert app.replies_to(ALICE)[-1] == say(PIPELINE.told_before, "es", facts="«me llamo Delia»")


async def test_all_that_is_known_of_somebody_is_told_with_what_was_put_right_later(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "¡Qué bien!", "¡Qué bien!", "¡Qué bien!") as (app, _):
        await app.say(ALICE, "mi sobrina Tilda tiene 8")
        await app.say(ALICE, "vivo en Salto")
        await app.say(ALICE, "hoy está lindo")
        await app.say(ALICE, "no, Tilda tiene 9")
        await app.say(ALICE, "no, la mamá de Tilda tiene 40")
        await app.say(ALICE, "qué sabés de mí?")

        assert app.replies_to(ALICE)[-1].endswith("1. mi sobrina Tilda tiene 9\n2. vivo en Salto")


async def test_what_was_said_before_is_looked_for_in_the_conversation(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    lines = "¡Felicitaciones!", "Tu primo se recibió de geólogo."
    async with small_app(tmp_path, encoder, *lines) as (app, _):
        told = "ayer mi primo se recibió de geólogo y festejamos hasta tarde"
        await app.say(ALICE, told)
        await app.say(ALICE, "busca de qué se recibió mi primo")

        assert app.replies_to(ALICE)[-1] == say(PIPELINE.told_before, "es", facts=f"«{told}»")


async def test_a_translation_is_not_asked_for_in_the_language_of_the_person(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "Guten Abend") as (app, llm):
        await app.say(ALICE, "traducí al alemán: buenas tardes")

        assert "Spanish" not in llm.requests[-1].messages[-1].content


@pytest.mark.parametrize("bad", ["¡¡¡¡ " * 30, "Había una vez un gato que vivía en un tejado muy alto."])
async def test_marks_alone_and_the_same_again_are_asked_for_again(
    tmp_path: Path, encoder: LocalEmbedder, bad: str
) -> None:
    first = "Había una vez un gato que vivía en un tejado muy alto."
    async with small_app(tmp_path, encoder, first, bad, "Un perro perdió su hueso y lo encontró.") as (app, _):
        await app.say(ALICE, "contame un cuento corto para dormir")
        await app.say(ALICE, "ahora contame otro cuento distinto")

        assert app.replies_to(ALICE) == [first, "Un perro perdió su hueso y lo encontró."]


async def test_who_asks_for_what_was_said_hears_it_again(tmp_path: Path, encoder: LocalEmbedder) -> None:
    said = "El paraguas azul quedó en la casa de la tía Marta, detrás de la puerta."
    async with small_app(tmp_path, encoder, said, said) as (app, _):
        await app.say(ALICE, "parece que el paraguas azul quedó en la casa de la tía Marta, detrás de la puerta")
        await app.say(ALICE, "entonces dónde era que estaba?")

        assert app.replies_to(ALICE)[-1] == said


async def test_the_same_answer_to_news_is_asked_for_again(tmp_path: Path, encoder: LocalEmbedder) -> None:
    plan = "Para la fiesta podés armar una lista de invitados, elegir la música y pedir la torta con tiempo."
    async with small_app(tmp_path, encoder, plan, plan, "¡Qué bueno! Una cosa menos.") as (app, _):
        await app.say(ALICE, "estoy organizando una fiesta para mi hermana y estoy nerviosa")
        await app.say(ALICE, "igual la torta ya quedó encargada por suerte")

        assert app.replies_to(ALICE)[-1] == "¡Qué bueno! Una cosa menos."


async def test_what_repeats_itself_in_plain_talk_is_cut_and_not_asked_for_again(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    good = "Podés hacer una tarta de verduras, un guiso de lentejas, o una pizza casera con lo que haya en casa."
    loop = " ".join(["Otra idea es hacer una sopa de verduras con lo que quede en la heladera."] * 5)
    async with small_app(tmp_path, encoder, f"{good} {loop}") as (app, _):
        await app.say(ALICE, "dame ideas para la cena de hoy")

        assert app.replies_to(ALICE)[-1].startswith(good)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("pedime un taxi para las ocho", PIPELINE.cannot_pay),
        ("llamá a mi mamá por favor", PIPELINE.cannot_reach),
        ("a cuánto cerró hoy el dólar?", PIPELINE.cannot_look_up),
    ],
)
async def test_what_nothing_here_can_do_is_said_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, message: str, sentence: Any
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, message)

        assert llm.requests == llm.short_requests == []
        assert app.replies_to(ALICE) == [say(sentence, "es")]


async def test_a_fact_about_health_stands_beside_an_answer_that_touches_it(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "Con harina y agua.", "Buenas noches.") as (app, _):
        await app.say(ALICE, "/remember tengo hipertensión")
        await app.say(ALICE, "¿cómo se hace la masa de una pizza común?")
        await app.say(ALICE, "bueno, me voy a dormir, hasta mañana")

        _, answer, other = app.replies_to(ALICE)
        assert answer.startswith("Con harina y agua.")
        assert "tengo hipertensión" in answer
        assert other == "Buenas noches."


@pytest.mark.parametrize(
    ("fact", "asked"),
    [
        ("soy celíaca", "me invitaron a comer fideos, te parece que puedo?"),
        ("I've been coeliac since I was ten", "would a slice of pizza be ok for me?"),
        ("soy diabético", "qué opinas, me como un helado?"),
        ("my aunt Joan is coeliac", "making scones for Joan, good idea?"),
        ("mi sobrina Pía es alérgica al huevo", "le puedo hacer un merengue a Pía?"),
        ("our Ned is allergic to eggs", "can Ned have a bit of quiche?"),
    ],
)
async def test_what_is_not_for_somebody_is_advised_against_without_a_model(
    tmp_path: Path, encoder: LocalEmbedder, fact: str, asked: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, f"/remember {fact}")
        await app.say(ALICE, asked)

        assert llm.requests == []
        assert f"«{fact}»" in app.replies_to(ALICE)[-1]


async def test_a_question_about_oneself_is_answered_from_ones_facts(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "Tu perro es Roco.") as (app, llm):
        await app.say(ALICE, "/remember mi perro se llama Roco")
        await app.say(ALICE, "¿mi perro es grande o chico?")

        [request] = llm.requests
        assert request.response_schema is None
        assert "mi perro se llama Roco" in request.messages[-1].content


@pytest.mark.parametrize(
    ("fact", "asked"),
    [
        ("mi talle de botas es 43", "¿cuál era el talle de las botas?"),
        ("mi perro se llama Roco", "como se llama mi perro"),
        ("cumplo años el 8 de mayo", "¿cuándo cumplo?"),
        ("my locker is number 219", "which number is my locker?"),
    ],
)
async def test_a_fact_that_holds_all_of_a_question_is_quoted_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, fact: str, asked: str
) -> None:
    async with small_app(tmp_path, encoder, "No lo sé.") as (app, llm):
        await app.say(ALICE, f"/remember {fact}")
        await app.say(ALICE, asked)

        assert f"«{fact}»" in app.replies_to(ALICE)[-1]
        assert not llm.requests


async def told_then_asked(app: AppUnderTest, told: str, asked: str) -> str:
    """Tell something and ask about it; returns the answer."""
    await app.say(ALICE, told)
    await app.say(ALICE, asked)
    return app.replies_to(ALICE)[-1]


@pytest.mark.parametrize(
    ("told", "asked", "advice"),
    [
        ("soy alérgica a la penicilina", "me dieron amoxicilina para la garganta, la tomo?", "farmacia"),
        ("I'm allergic to ibuprofen", "my head hurts, could some naproxen help?", "pharmacist"),
        ("I take warfarin every night", "is aspirin ok with that?", "pharmacist"),
        ("tomo enalapril a la mañana", "puedo tomar un ibuprofeno?", "farmacia"),
    ],
)
async def test_medicines_are_for_the_doctor_where_a_fact_about_health_is_known(
    tmp_path: Path, encoder: LocalEmbedder, told: str, asked: str, advice: str
) -> None:
    async with small_app(tmp_path, encoder, "Sí, no hay problema.") as (app, _):
        answer = await told_then_asked(app, told, asked)

        assert advice in answer
        assert f"«{told}»" in answer
        assert "no hay problema" not in answer


@pytest.mark.parametrize(
    ("answer", "is_json"),
    [
        ('{"reminder": {"time": 19:34}}', True),
        ('[{"set_reminder": {"text": ring Ann}}]', True),
        ("[the bus leaves at 9: be early]", False),
    ],
)
def test_an_object_is_no_answer_however_broken(answer: str, is_json: bool) -> None:
    assert is_bare_json(answer) is is_json


@pytest.mark.parametrize(
    ("told", "wish", "gone"),
    [
        ("trabajo de noche en una imprenta", "olvidate de lo que te conté de la imprenta porfa", "imprenta"),
        ("mi cuñada Delfi vive en Azul", "olvida que mi cuñada vive en Azul", "Azul"),
        ("my brother Ned is vegan", "can you forget what I told you about Ned?", "Ned"),
        ("I live in Galway", "forget that I live in Galway", "Galway"),
    ],
)
async def test_what_is_to_be_forgotten_is_forgotten_by_code(
    tmp_path: Path, encoder: LocalEmbedder, told: str, wish: str, gone: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        answer = await told_then_asked(app, told, wish)
        await app.say(ALICE, "/memories")

        assert answer.startswith(("Olvidado", "Forgotten"))
        assert gone in answer
        assert gone not in app.replies_to(ALICE)[-1]
        assert not llm.requests


@pytest.mark.parametrize(
    ("told", "correction", "asked", "answer"),
    [
        (
            "mi viejo Raúl cumple 81 en mayo",
            "uy miento, 82",
            "escuchame un segundo, cuántos cumple mi viejo",
            "82",
        ),
        ("my dad Ron lives at 71 Mill Lane", "oh shoot, 72", "quick one, which lane does my dad live at", "72"),
    ],
)
async def test_a_fact_is_put_right_in_haste_and_asked_for_behind_a_comma(
    tmp_path: Path, encoder: LocalEmbedder, told: str, correction: str, asked: str, answer: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await told_then_asked(app, told, correction)
        await app.say(ALICE, asked)

        assert answer in app.replies_to(ALICE)[-1]
        assert not llm.requests


@pytest.mark.parametrize(
    ("wish", "answer"),
    [
        ("olvida lo que te conté de la caldera", "No sé nada parecido a «la caldera»"),
        ("forget what I said about the boiler", "I don't know anything like “the boiler”"),
    ],
)
async def test_what_was_never_told_cannot_be_forgotten(
    tmp_path: Path, encoder: LocalEmbedder, wish: str, answer: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, wish)

        assert answer in app.replies_to(ALICE)[-1]
        assert not llm.requests


@pytest.mark.parametrize(
    ("asked", "advice"),
    [
        ("puedo tomar una aspirina con el vino?", "farmacia"),
        ("cuánto jarabe le doy a una nena de 12 kilos", "farmacia"),
        ("is it ok to mix tylenol and advil", "pharmacist"),
        ("how often can I give my toddler paracetamol?", "pharmacist"),
    ],
)
async def test_no_model_allows_a_medicine_to_somebody_of_whom_nothing_is_known(
    tmp_path: Path, encoder: LocalEmbedder, asked: str, advice: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, asked)

        assert advice in app.replies_to(ALICE)[-1]
        assert not llm.requests


@pytest.mark.parametrize(
    ("told", "asked", "advice"),
    [
        ("mi suegra Delia es alérgica a las nueces", "le puedo dar a Delia un budín con nueces?", "Mejor no"),
        ("my brother Tom is allergic to shellfish", "can I take Tom to that shellfish place?", "Better not"),
    ],
)
async def test_what_somebody_is_allergic_to_is_advised_against_by_code(
    tmp_path: Path, encoder: LocalEmbedder, told: str, asked: str, advice: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        answer = await told_then_asked(app, told, asked)

        assert answer.startswith(advice)
        assert f"«{told}»" in answer
        assert not llm.requests


@pytest.mark.parametrize(
    ("told", "asked", "advice"),
    [
        ("mi suegra Delia es alérgica a las nueces", "puedo comer nueces?", "Mejor no"),
        ("my brother Tom is allergic to shellfish", "can I eat shellfish?", "Better not"),
    ],
)
async def test_what_somebody_else_is_allergic_to_may_be_eaten_and_is_said_beside_it(
    tmp_path: Path, encoder: LocalEmbedder, told: str, asked: str, advice: str
) -> None:
    async with small_app(tmp_path, encoder, "Sí, claro.") as (app, _):
        answer = await told_then_asked(app, told, asked)

        assert advice not in answer
        assert f"«{told}»" in answer


@pytest.mark.parametrize(
    ("told", "asked", "parroted"),
    [
        (
            "mi mamá cumple el 3 de mayo y le gustan las orquídeas",
            "cuándo era el cumple de mi vieja?",
            "Mi mamá cumple el 3 de mayo.",
        ),
        (
            "I do the night shift on Tuesdays and Fridays",
            "which nights am I away?",
            "I do the night shift on Fridays.",
        ),
    ],
)
async def test_what_somebody_told_of_themselves_is_not_said_as_the_assistants_own(
    tmp_path: Path, encoder: LocalEmbedder, told: str, asked: str, parroted: str
) -> None:
    async with small_app(tmp_path, encoder, "Ah!", parroted) as (app, _):
        assert f"«{told}»" in await told_then_asked(app, told, asked)


async def test_what_tells_of_somebody_and_more_is_not_said_as_the_assistants_own(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    told = "mi mamá cumple el 3 de mayo y le gustan las orquídeas"
    async with small_app(tmp_path, encoder, "Mi mamá cumple el 3 de mayo, y le gustan las orquídeas.") as (app, _):
        await app.say(ALICE, told)

        assert app.replies_to(ALICE)[-1].endswith(f"«{told}».")


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("corregime esto: mi mama cumple el 3 de mayo", "Mi mamá cumple el 3 de mayo."),
        ("write my sister a message about that", "My mother turns 70 on May 3rd."),
    ],
)
async def test_what_is_written_for_somebody_speaks_as_they_do(
    tmp_path: Path, encoder: LocalEmbedder, asked: str, written: str
) -> None:
    async with small_app(tmp_path, encoder, "Ah!") as (app, llm):
        llm.category = "none"
        await app.say(ALICE, written)
        llm.drop_lines()
        llm.add(written)
        await app.say(ALICE, asked)

        assert app.replies_to(ALICE)[-1] == written


async def test_when_to_leave_is_no_question_for_the_clock(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "A las 9:20.") as (app, llm):
        await app.say(ALICE, "a qué hora tengo que salir si tardo 40 minutos?")

        assert app.replies_to(ALICE) == ["A las 9:20."]
        assert "get_current_datetime" not in str(llm.requests)


async def test_what_stands_on_a_list_is_checked_off_when_it_was_got(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "agregá yerba y pan a la lista")
        await app.say(ALICE, "la yerba ya la compre")

        assert "☑ yerba" in app.replies_to(ALICE)[-1]
        assert llm.requests == []


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("I usually park the bike by the bakery", "where is it i park the bike again?"),
        ("our recycling is collected on Fridays", "which day do they collect our recycling again?"),
        ("nuestra camioneta es una Hilux del 2009", "de qué año te dije que es la camioneta?"),
        ("mi suegra se llama Nélida y vive en Durango", "te acordás dónde vive la mamá de mi marido?"),
    ],
)
async def test_what_was_told_before_is_quoted_and_neither_refused_nor_made_up(
    tmp_path: Path, encoder: LocalEmbedder, told: str, asked: str
) -> None:
    async with small_app(tmp_path, encoder, "¡Qué bien!") as (app, llm):
        await app.say(ALICE, told)
        asked_before = len(llm.requests)
        await app.say(ALICE, asked)

        assert f"«{told}»" in app.replies_to(ALICE)[-1]
        assert len(llm.requests) == asked_before


@pytest.mark.parametrize(
    ("told", "asked", "is_found"),
    [
        ("our Pip, thats my pug, chewed the remote", "whats my dogs name", True),
        ("vino mi hijo con sus nenas, Ona y Sol, qué lindo día", "cómo se llaman mis nietas", True),
        ("my cousin Flo has a pug called Pip", "whats my dogs name", False),
        ("I walked past the mill at dawn", "what is my dog called", False),
    ],
)
async def test_a_name_told_in_a_story_is_quoted_and_none_is_made_up(
    tmp_path: Path, encoder: LocalEmbedder, told: str, asked: str, *, is_found: bool
) -> None:
    async with small_app(tmp_path, encoder, "Lovely!") as (app, llm):
        await app.say(ALICE, told)
        asked_before = len(llm.requests)
        await app.say(ALICE, asked)

        if is_found:
            assert f"«{told}»" in app.replies_to(ALICE)[-1]
        else:
            assert app.replies_to(ALICE)[-1] == say(PIPELINE.nothing_found, "en")
        assert len(llm.requests) == asked_before


async def test_what_is_to_be_forgotten_or_was_told_by_another_is_quoted_to_nobody(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "Lovely!", "Fine.", "Lovely!") as (app, _):
        await app.say(ALICE, "I had a parrot called Rio, lovely thing")
        await app.say(ALICE, "forget what I said about the parrot")
        await app.say(ALICE, "what was my parrot called")
        await app.say(BOB, "what was my parrot called")

        assert not any("Rio" in one for one in app.replies_to(ALICE)[2:] + app.replies_to(BOB))


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("te cuento que a Bruno, mi gordo, le diagnosticaron celiaquía", "puedo darle una medialuna a Bruno?"),
        ("my brother isn't allowed caffeine since his surgery", "can I make my brother an espresso?"),
    ],
)
async def test_who_may_not_have_something_is_not_given_it(
    tmp_path: Path, encoder: LocalEmbedder, told: str, asked: str
) -> None:
    async with small_app(tmp_path, encoder, "Sure, go ahead!", "Sure, go ahead!") as (app, _):
        await app.say(ALICE, told)
        await app.say(ALICE, asked)

        assert f"«{told.removeprefix('te cuento que ')}»" in app.replies_to(ALICE)[-1]


@pytest.mark.parametrize(
    ("first", "said", "told"),
    [
        (
            "",
            "anotá en el proyecto Mudanza: conseguir cajas, pedir el flete y avisar al portero",
            "pedir el flete",
        ),
        (
            "start a project called Attic",
            "ok add to the project attic: buy tape, sort the boxes",
            "sort the boxes",
        ),
    ],
)
async def test_what_is_listed_for_a_project_becomes_its_tasks(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str, told: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        if first:
            llm.add('{"create_project": {"name": "Attic"}}')
            await app.say(ALICE, first)
            llm.add(call("add_task", project="Attic", title="tape"))
        else:
            llm.add('{"create_project": {"name": "Mudanza"}}')
        await app.say(ALICE, said)

        assert told in app.replies_to(ALICE)[-1]
        async with Database.open(app.database) as db:
            assert len(await db.fetch_all("SELECT id FROM project_tasks")) == (2 if first else 3)
            assert not await db.fetch_all("SELECT id FROM notes")


async def test_a_project_is_looked_at_where_its_name_is_said(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "armá un proyecto llamado Quincho con la tarea techo")
        await app.say(ALICE, "¿qué falta del quincho?")

        assert "techo" in app.replies_to(ALICE)[-1]
        assert not llm.requests


@pytest.mark.parametrize(
    ("zone", "asked", "answer"),
    [
        ("America/Argentina/Buenos_Aires", "cuánto es 45.300 menos 12.750?", "45.300 - 12.750 = 32.550"),
        ("America/Mexico_City", "cuánto es 45.300 menos 12.750?", "32.55"),
    ],
)
async def test_a_point_between_thousands_is_read_as_where_the_person_lives(
    tmp_path: Path, encoder: LocalEmbedder, zone: str, asked: str, answer: str
) -> None:
    async with small_app(tmp_path, encoder, call("calculate", expression="45.300 - 12.750"), "32.55") as (app, _):
        await app.say(ALICE, f"/zone {zone}")
        await app.say(ALICE, asked)

        assert answer in app.replies_to(ALICE)[-1]


@pytest.mark.parametrize(
    "told",
    [
        "mañana a la mañana tengo que llevar el auto al taller, qué fiaca",
        "tomorrow I have to take the car to the garage",
    ],
)
async def test_a_plan_is_no_wish_to_be_reminded(tmp_path: Path, encoder: LocalEmbedder, told: str) -> None:
    async with small_app(tmp_path, encoder, "Ojalá salga barato.") as (app, _):
        await app.receive(ALICE, told)
        await app.let_time_pass()

        async with Database.open(app.database) as db:
            assert await db.fetch_all("SELECT id FROM reminders") == []


async def test_a_half_that_was_said_is_counted(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, call("calculate", expression="4 * 1200")) as (app, _):
        await app.say(ALICE, "cuánto es 4 kilos y medio por 1200?")

        assert "4.5 × 1200 = 5400" in app.replies_to(ALICE)[-1]


@pytest.mark.parametrize("asked", ["hola, q podes hacer?", "what can you help me with?"])
async def test_what_it_can_do_is_told_by_code(tmp_path: Path, encoder: LocalEmbedder, asked: str) -> None:
    async with small_app(tmp_path, encoder, "Puedo volar.") as (app, llm):
        await app.say(ALICE, "/tools")
        await app.say(ALICE, asked)

        assert len(app.replies_to(ALICE)[-1].splitlines()) > 5
        assert not llm.requests


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("hola, quién sos?", "no una persona"),
        ("Hello! Who are you?", "not a person"),
        ("eres una persona?", "no una"),
        ("buenas! mi hermana me pasó este número, ¿sos una persona de verdad?", "no una persona"),
        ("just got this number from my son, am I talking to a human?", "not a person"),
    ],
)
async def test_who_it_is_is_told_by_code(tmp_path: Path, encoder: LocalEmbedder, asked: str, told: str) -> None:
    async with small_app(tmp_path, encoder, "Soy Ana.") as (app, llm):
        await app.say(ALICE, asked)

        assert told in app.replies_to(ALICE)[-1]
        assert not llm.requests


async def test_who_wants_all_of_theirs_forgotten_is_asked_first(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Hecho.") as (app, llm):
        await app.say(ALICE, "borrá todo lo que sabés de mí")

        assert not llm.requests
        assert "/forget-me" not in app.replies_to(ALICE)[-1]
        assert "?" in app.replies_to(ALICE)[-1]


async def test_notes_that_are_asked_for_by_name_are_looked_up_all_the_same(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, call("search_notes", query="botas"), "No hay.") as (app, llm):
        await app.say(ALICE, "/remember mi talle de botas es 43")
        await app.say(ALICE, "buscá en mis notas lo de las botas")

        assert '"search_notes"' in json.dumps(llm.requests[0].response_schema)


DOUBTFUL = "agregar leche o ya tenemos?"


async def listed(app: AppUnderTest) -> list[str]:
    # By the library that the service uses: another one in the same process may read what is old.
    async with Database.open(app.database) as db:
        return [str(row["text"]) for row in await db.fetch_all("SELECT text FROM list_items")]


async def test_in_doubt_the_person_is_asked_in_their_words_before_anything_changes(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, call("add_to_list", items=["leche"])) as (app, _):
        await app.receive(ALICE, DOUBTFUL)
        button = await until_asked(app, ALICE)
        [question] = [send for send in app.graph.sends if is_question(send)]
        assert question.text.splitlines() == [say(LISTS.ask_add, "es"), "• leche"]
        assert titles_of(question) == ["Sí", "No, gracias"]
        assert await listed(app) == []

        await press(app, ALICE, f"{button}:y")
        await app.idle()
        assert await listed(app) == ["leche"]


async def test_a_story_that_sounds_a_little_like_a_wish_is_talked_about(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, "¡Qué recuerdos!") as (app, _):
        await app.say(
            ALICE,
            "en casa la lista de la compra la hacía siempre mi abuela en el reverso de un calendario, "
            "con arroz, lentejas y jabón, qué recuerdos",
        )

        assert app.replies_to(ALICE) == ["¡Qué recuerdos!"]
        assert await listed(app) == []


@pytest.mark.parametrize("no", ["no", "mejor no", None])
async def test_who_says_no_or_goes_on_to_something_else_gets_nothing_done(
    tmp_path: Path, encoder: LocalEmbedder, no: str | None
) -> None:
    lines = [call("add_to_list", items=["leche"]), *([] if no == "no" else ["¡Qué bueno!"])]
    async with small_app(tmp_path, encoder, *lines) as (app, _):
        await app.receive(ALICE, DOUBTFUL)
        await until_asked(app, ALICE)
        await app.say(ALICE, no or STORY)

        told = SKILLS.refused if no == "no" else SKILLS.passed_over
        assert say(told, "es") in app.replies_to(ALICE)
        assert await listed(app) == []


async def test_a_large_model_is_spared_sorting_where_the_head_is_sure(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    llm = ScriptedChatModel("Son las ocho.")
    async with running_app(tmp_path, llm=llm, profile=NATIVE, embedder=encoder) as app:
        await app.say(ALICE, "qué hora es en Oslo?")

        assert llm.short_requests == []
        assert "get_current_datetime" in [tool.name for tool in llm.requests[0].tools]


class _Broken:
    """An encoder that fails, under the name of the right one."""

    def __init__(self, model: str) -> None:
        self.model = model

    async def embed(self, texts: object, *, purpose: object) -> list[bytes]:
        raise Transient("embedder_failed")


async def test_an_encoder_that_fails_leaves_sorting_to_the_model(encoder: LocalEmbedder) -> None:
    sorter = Sorter.open(_Broken(encoder.model))
    assert sorter is not None
    assert await HeadSorter(sorter, decides_alone=True).sort("anotá esto", SortingFacts(("notes",))) is None


async def test_a_wish_that_may_be_for_a_server_is_sorted_by_the_model(encoder: LocalEmbedder) -> None:
    sorter = Sorter.open(encoder)
    assert sorter is not None
    quick = HeadSorter(sorter, decides_alone=True)

    alone = await quick.sort("mandale un mail a Juana", SortingFacts(("notes",)))
    beside_a_server = await quick.sort("mandale un mail a Juana", SortingFacts(("notes", "mail")))

    assert alone is not None
    assert alone.categories == ("none",)
    assert alone.wish == "act"
    assert beside_a_server is None


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "grandma's soup: 2 leeks 3 potatoes, a litre of stock. save it",
            "grandma's soup: 2 leeks 3 potatoes, a litre of stock",
        ),
        ("ya mandé el auto al taller y salió 85.000, anotalo", "ya mandé el auto al taller y salió 85.000"),
    ],
)
async def test_what_ends_with_the_wish_to_keep_it_is_kept_without_a_question(
    tmp_path: Path, encoder: LocalEmbedder, message: str, kept: str
) -> None:
    async with small_app(tmp_path, encoder, call("save_note", content=kept)) as (app, _):
        await app.say(ALICE, message)

        async with Database.open(app.database) as db:
            assert [row["content"] for row in await db.fetch_all("SELECT content FROM notes")] == [kept]


async def test_what_is_not_there_is_told_by_code(tmp_path: Path, encoder: LocalEmbedder) -> None:
    delete = call("delete_note", note="garaje")
    async with small_app(tmp_path, encoder, delete, delete) as (app, llm):
        await app.say(ALICE, "borrá la nota del garaje")
        assert app.replies_to(ALICE) == ["No encontré «garaje»."]
        assert len(llm.requests) == 1

        await app.say(ALICE, "anotá que la llave está en la cocina")
        await app.say(ALICE, "borrá la nota del garaje")
        assert (
            app.replies_to(ALICE)[-1] == "No encontré «garaje». Esto es lo que hay:\n1. la llave está en la cocina"
        )


async def test_an_answer_that_only_repeats_the_message_is_asked_for_again(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    echo = "Claro, necesito una idea para el regalo de Ana."
    async with small_app(tmp_path, encoder, echo, "Un libro de cocina, o una planta.") as (app, llm):
        await app.say(ALICE, "necesito una idea para el regalo de Ana jaja")

        assert app.replies_to(ALICE) == ["Un libro de cocina, o una planta."]
        assert "do not repeat" in llm.requests[-1].messages[-1].content


@pytest.mark.parametrize(
    "message",
    [
        "escribile a mi suegra un mensaje diciendo que el domingo no podemos, soy la mamá de Leo",
        "draft a short email to the school",
    ],
)
async def test_words_for_somebody_else_are_written_and_not_refused(
    tmp_path: Path, encoder: LocalEmbedder, message: str
) -> None:
    async with small_app(tmp_path, encoder, "Hola, soy la mamá de Leo: el domingo no podemos.") as (app, _):
        await app.say(ALICE, message)
        assert app.replies_to(ALICE) == ["Hola, soy la mamá de Leo: el domingo no podemos."]

        await app.say(ALICE, "mandale un mensaje a mi suegra diciendo que no vamos")
        assert app.replies_to(ALICE)[-1] == say(PIPELINE.cannot_reach, "es")


@pytest.mark.parametrize(
    ("wish", "question", "language"),
    [
        ("pedime un taxi para las ocho", "y ya viene?", "es"),
        ("pedime un taxi para las ocho", "cuánto falta?", "es"),
        ("llamá a mi mamá por favor", "¿te atendió?", "es"),
        ("llamá a mi mamá por favor", "bueno y le avisaste que llego tarde?", "es"),
        ("order me a pizza for eight o'clock please", "when will it get here?", "en"),
        ("order me a pizza for eight o'clock please", "is it on the way", "en"),
    ],
)
async def test_what_came_of_a_refused_act_is_told_as_it_is(
    tmp_path: Path, encoder: LocalEmbedder, wish: str, question: str, language: Language
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, wish)
        await app.say(ALICE, question)

        assert llm.requests == []
        refused, told = app.replies_to(ALICE)
        assert refused in {say(one, language) for one in (PIPELINE.cannot_pay, PIPELINE.cannot_reach)}
        assert told == say(PIPELINE.nothing_went_out, language)


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("ya le contestaron?", True),
        ("did the plumber answer?", True),
        ("heard back from them?", True),
        ("a qué hora llega?", True),
        ("qué puedo cocinar hoy?", False),
        ("how do you make bread?", False),
        ("me ayudas a escribirle?", False),
        ("mi tía llegó bien", False),
    ],
)
def test_a_question_for_what_came_of_something_is_known(text: str, is_asked: bool) -> None:
    assert asks_outcome(text) is is_asked


@pytest.mark.parametrize(
    ("message", "answer", "told"),
    [
        ("el remis salió carísimo, 700 puse", "He ingresado 700 de remis.", say(SKILLS.good_to_know, "es")),
        ("my suitcase is by the stairs since Monday", "Great! I'll be ready to help you with your suitcase.", ""),
        ("ando con la espalda a la miseria hoy", "Por supuesto, puedo ayudarte con eso.", ""),
    ],
)
async def test_what_was_not_done_or_says_nothing_never_stands(
    tmp_path: Path, encoder: LocalEmbedder, message: str, answer: str, told: str
) -> None:
    async with small_app(tmp_path, encoder, answer, answer) as (app, _):
        await app.say(ALICE, message)

        nothing = {say(SKILLS.nothing_to_say, language) for language in ("es", "en")}
        assert app.replies_to(ALICE)[-1] in ({told} if told else nothing)


@pytest.mark.parametrize(
    ("message", "answer", "language"),
    [
        ("hay fútbol esta noche por la tele, qué lindo", "¡Claro! Déjame consultar la cartelera.", "es"),
        ("me gustan las cumbias viejas", "¡Qué bueno! Te pongo una cumbia ahora mismo.", "es"),
        ("the kids want some music in the kitchen tonight", "Sure, I'd be happy to put on some jazz.", "en"),
        ("I wonder how the hens are doing in the yard", "Let me check the camera.", "en"),
    ],
)
async def test_a_promised_act_in_plain_talk_never_stands(
    tmp_path: Path, encoder: LocalEmbedder, message: str, answer: str, language: Language
) -> None:
    async with small_app(tmp_path, encoder, answer, answer) as (app, _):
        await app.say(ALICE, message)

        assert app.replies_to(ALICE)[-1] != answer


async def test_a_promise_in_a_text_written_for_somebody_stands(tmp_path: Path, encoder: LocalEmbedder) -> None:
    draft = "Hola, vecina: mañana voy a revisar la medianera y la llamo."
    async with small_app(tmp_path, encoder, draft) as (app, _):
        await app.say(ALICE, "escribile a mi vecina un mensaje diciendo que mañana miro la medianera")

        assert app.replies_to(ALICE) == [draft]


@pytest.mark.parametrize(
    "text",
    [
        "Okay, I'll wake you up at 6.",
        "Your parcel is on its way!",
        "I'm playing the song now.",
        "Ahora mismo enciendo la luz del patio.",
        "¡Claro! Voy a ponerte una cumbia.",
        "Tu pedido ya está en camino.",
    ],
)
def test_a_promise_of_an_act_is_recognised(text: str) -> None:
    assert promises_act(text)


@pytest.mark.parametrize(
    "text",
    [
        "I can't play music here.",
        "No voy a revisar nada.",
        "Put the flour in a bowl and turn on the oven.",
        "Te pongo un ejemplo: la luna.",
        "I'd be happy to play a game of riddles with you.",
        "Let me know how it goes!",
        "Revisa el horno y enciende la luz.",
        "Te busco una receta rica.",
    ],
)
def test_talk_that_promises_no_act_is_left_alone(text: str) -> None:
    assert not promises_act(text)


async def test_another_place_right_after_a_clock_is_told_its_own_time(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "what time is it in Oslo?")
        await app.say(ALICE, "and my cousin? she lives in Perth, the Australia one")

        assert not llm.requests
        assert app.replies_to(ALICE)[-1].startswith("Perth: ")


@pytest.mark.parametrize(
    "greeting", ["buenas tardes, todo en orden?", "hola hola! todo en orden por ahí?", "hey! everything good?"]
)
async def test_a_greeting_is_no_question_for_what_is_kept(
    tmp_path: Path, encoder: LocalEmbedder, greeting: str
) -> None:
    async with small_app(tmp_path, encoder, "¡Hola! :)") as (app, llm):
        await app.say(ALICE, greeting)

        assert [one.purpose for one in llm.requests] == ["turn"]
        assert app.replies_to(ALICE) == ["¡Hola! :)"]


@pytest.mark.parametrize(
    ("said", "is_taken_back"),
    [
        ("perdón el 12, el 3 fue la de al lado pero esa no importa", False),
        ("I wanted you to note the locker number but Jo has it, so never mind", True),
        ("poné arroz en la lista... no, dejalo, queda medio kilo", True),
        ("meant to have you jot the bin day down but it's on the calendar, so never mind", True),
        ("could you please cancel the alarm, no need", False),
        ("iba a pedirle que me recordara lo del dentista, pero ya llamaron, entonces no haga nada", True),
        ("never mind the rice, add beans", False),
        ("cancelá la alarma de las 6, ya no hace falta", False),
        ("anotá esto: no hace falta llevar sábanas a la cabaña", False),
        ("lo que te dije de mi jefe estaba mal, olvidalo", False),
        ("remind me to ring Ann, don't bother with the time", False),
        ("note that the side gate hinge is 75 mm... no, better not, I'll measure it first", True),
        ("apuntá la patente del remis, ay no, perdón, no lo anotes, es la vieja", True),
        ("set an alarm for twenty to four, actually don't, the verger has it", True),
        ("write down that Tove owes fifty, wait, cancel that", True),
        ("note that the vicar said better not, the pipes are wet", False),
        ("quería otra colmena, pero mejor no, es carísima", False),
        ("anotá: la torre mejor no, el alfil sí", False),
        ("add oat milk, no, better not, add rice milk", False),
        ("he said note it, no, better not, and I laughed", False),
        ('save this line: "Live, better not, she sighed"', False),
    ],
)
def test_a_wish_that_ends_with_never_mind_is_none(said: str, *, is_taken_back: bool) -> None:
    assert takes_back(said) == is_taken_back


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        (
            "te iba a pedir que anotes la clave pero no, dejalo. mejor decime qué hora es en Quito",
            "mejor decime qué",
        ),
        ("I was going to have you note the bin day but never mind. what's 15% of 60?", "what's 15% of 60?"),
        ("remind me at 5 to ring Jo, no, forget it. put soap on the list", "put soap on the list"),
        ("forget it, he said. put soap on the list", "forget it"),
        ("note that he said leave it. the key is under the mat", "note that"),
    ],
)
def test_what_is_wished_for_instead_of_what_is_taken_back_is_heard(said: str, rest: str) -> None:
    assert after_taken_back(said).startswith(rest)


async def test_what_is_taken_back_is_not_done(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "poné arroz en la lista... no, dejalo, queda medio kilo")

        assert await app.rows("SELECT id FROM list_items") == []
        assert app.replies_to(ALICE) == [say(SKILLS.passed_over, "es")]
        assert llm.requests == []


@pytest.mark.parametrize(
    ("said", "is_asked"),
    [
        ("buenas, me traducís al inglés: la llave está debajo del felpudo, son 40 pesos", True),
        ("how do you say the shop shuts at 6 in portuguese", True),
        ("could you put this in german for the porter: the lift is stuck again", True),
        ("recordame traducir la carta el lunes", False),
        ("note: put that in french before friday", False),
        ("anotá la traducción: felpudo es doormat", False),
    ],
)
def test_what_opens_with_a_translation_is_to_be_translated(said: str, *, is_asked: bool) -> None:
    assert opens_translation(said) == is_asked


@pytest.mark.parametrize(
    ("again", "is_same"),
    [
        ("decime otra vez cómo se llama la profe de piano", None),
        ("¿me lo repetís otra vez?", None),
        ("tell me her name one more time", None),
        ("decime otra cosa", "same"),
        ("otra vez no, decime otra idea", "same"),
    ],
)
def test_who_wants_to_hear_it_again_may_hear_the_same(again: str, is_same: str | None) -> None:
    answer = "La profe de piano se llama Estela y su número termina en cuatro."
    assert talk_objection(answer, asked=again, before=answer, language="es") == is_same


@pytest.mark.parametrize(
    ("asked", "is_new"),
    [
        ("¿y si también viene la tía que no puede caminar?", True),
        ("¿qué más hay que llevar al río?", True),
        ("¿qué juegos hay para una tarde con primos?", False),
        ("¿juegos para la tarde con los primos, cuáles eran?", False),
        ("¿cómo era, me lo repetís de nuevo?", False),
    ],
)
def test_another_question_is_not_answered_with_the_answer_before(asked: str, *, is_new: bool) -> None:
    answer = "Con los primos pueden jugar a las escondidas, a las cartas o al ludo toda la tarde."
    before = "qué juegos hay para una tarde con los primos"
    found = talk_objection(answer, asked=asked, before=answer, language="es", asked_before=before)
    assert (found == "repeated") == is_new


@pytest.mark.parametrize(
    ("said", "is_denied"),
    [
        ("don't remind me, it's their wedding anniversary on sunday", True),
        ("no me lo apuntes, ya está en la agenda: jueves a las 11 el pediatra", True),
        ("no hace falta que guardes nada, te cuento que cambiamos de casa", True),
        ("no need to save it, the gate was open", True),
        ("don't remind me at 6, remind me at 7 to feed the hens", False),
        ("don't remind me about the hens any more", False),
        ("no anotes sal, anotá azúcar en la lista", False),
        ("don't let me forget the hens", False),
        ("if you don't remind me I'll never do it: shut the hens in at 6", False),
        ("si no me avisás me olvido: cerrar el gallinero a las 6", False),
    ],
)
def test_who_says_that_nothing_is_to_be_kept_wishes_for_nothing(said: str, is_denied: bool) -> None:
    assert denies_wish(said) == is_denied


async def test_a_denied_wish_is_talked_about(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Lovely, give them my best.") as (app, _):
        await app.say(ALICE, "don't remind me, it's their wedding anniversary on sunday")
        assert app.replies_to(ALICE) == ["Lovely, give them my best."]
        assert await app.rows("SELECT text FROM reminders") == []


async def test_what_an_enumeration_names_again_is_left_out(tmp_path: Path, encoder: LocalEmbedder) -> None:
    line = (
        "You could give her a puzzle, a book of maps, a kite, a book of maps, a box of paints. She will love it."
    )
    async with small_app(tmp_path, encoder, line) as (app, _):
        await app.say(ALICE, "what could I give my goddaughter for her first day of school")
        once = "You could give her a puzzle, a book of maps, a kite, a box of paints. She will love it."
        assert app.replies_to(ALICE) == [once]
