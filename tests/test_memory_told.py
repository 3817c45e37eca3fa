"""What is told in passing is kept in the person's words, and quoted when they ask for it again."""

import pytest

from app.domain.recollection import NOTHING_RECALLED, Recollection, Remembering, Remembrance
from app.memory.asked import asks_of_self, takes_back_told
from app.memory.health import allergy_to, tells_of_health
from app.memory.statements import holds_only, self_statements, sentences_told, statements
from app.pipeline.answering.quoting import told_of
from app.pipeline.answering.wishes import Known, as_they_told, asked_of_own
from app.pipeline.texts import PIPELINE
from app.skills.router import Intent
from app.skills.sources.sources import Source


def told(text: str) -> list[str]:
    return self_statements(statements(text))


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("te cuento que a Bruno, mi gordo, le detectaron asma", "a Bruno, mi gordo, le detectaron asma"),
        ("a mi suegra le prohibieron la sal", "a mi suegra le prohibieron la sal"),
        ("fíjate que mi papá no puede tomar café", "mi papá no puede tomar café"),
        ("para que sepan, laburo de sereno en un depósito", "laburo de sereno en un depósito"),
        ("mi hija Renata va a la escuela 14", "mi hija Renata va a la escuela 14"),
        ("tenemos tres gallinas y un loro", "tenemos tres gallinas y un loro"),
        ("siempre dejo la llave debajo de la maceta", "siempre dejo la llave debajo de la maceta"),
        ("los domingos almorzamos en lo de mi vieja", "los domingos almorzamos en lo de mi vieja"),
        ("entro a las 6 a la panadería", "entro a las 6 a la panadería"),
        ("mi señora es de Tarija", "mi señora es de Tarija"),
        ("la hermana de mi novio vive en Cuenca", "la hermana de mi novio vive en Cuenca"),
        ("soy de Bahía Blanca", "soy de Bahía Blanca"),
        ("just so you know, my dad was diagnosed with gout", "my dad was diagnosed with gout"),
        ("my son can't have dairy", "my son can't have dairy"),
        ("my brother isn't allowed alcohol any more", "my brother isn't allowed alcohol any more"),
        ("my eldest is studying in Nakuru", "my eldest is studying in Nakuru"),
        ("we keep the ladder behind the shed", "we keep the ladder behind the shed"),
        ("I usually park the bike by the bakery", "I usually park the bike by the bakery"),
        ("we still have the old caravan", "we still have the old caravan"),
        ("our bins are collected on Fridays", "our bins are collected on Fridays"),
        ("market day for us is Saturday", "market day for us is Saturday"),
        ("we have two goats and a donkey", "we have two goats and a donkey"),
        ("I work the night shift", "I work the night shift"),
        ("hola, soy Hilda, tengo 71", "soy Hilda, tengo 71"),
        ("mi hermano menor, el Nacho, es celíaco", "mi hermano menor, el Nacho, es celíaco"),
        ("me cambiaron todo, ahora tomo enalapril 10 a la noche", "tomo enalapril 10 a la noche"),
        ("ahora vivo en Salto", "vivo en Salto"),
        ("mi abuelo usa marcapasos", "mi abuelo usa marcapasos"),
        ("our anniversary is the 4th of June", "our anniversary is the 4th of June"),
        ("my son's got a wasp allergy", "my son's got a wasp allergy"),
        ("I'm 5 months pregnant", "I'm 5 months pregnant"),
        ("just so you have it, my dad's called Joe", "my dad's called Joe"),
        ("my wee girl Orla's in P3", "my wee girl Orla's in P3"),
        ("my husband takes 5 mg of it every night", "my husband takes 5 mg of it every night"),
        ("our wifi code is brisket77", "our wifi code is brisket77"),
        ("soy muy alérgica al látex", "soy muy alérgica al látex"),
        ("mi sobrino es re intolerante a la lactosa", "mi sobrino es re intolerante a la lactosa"),
        ("my daughter is severely allergic to sesame", "my daughter is severely allergic to sesame"),
        (
            "anoche mi nieto Beto que es alérgico al kiwi probó uno",
            "mi nieto Beto que es alérgico al kiwi probó uno",
        ),
        (
            "vino mi tía Ema que es alérgica a los frutos secos y a la leche",
            "mi tía Ema que es alérgica a los frutos secos y a la leche",
        ),
        ("nuestra hija, que es diabética, ya viaja", "nuestra hija, que es diabética, ya viaja"),
        ("vino mi cuñada, que es celíaca, y no había pan", "mi cuñada, que es celíaca, y no había pan"),
        (
            "at the fair my nephew Ned, who's allergic to bees, got stung",
            "my nephew Ned, who's allergic to bees, got stung",
        ),
        ("we just found out my son is coeliac", "we just found out my son is coeliac"),
        ("soy Nico, quería saber cómo hago arroz", "soy Nico"),
        (
            "my boys are Otieno, in class 4, and Brian, in class 7",
            "my boys are Otieno, in class 4, and Brian, in class 7",
        ),
    ],
)
def test_what_is_told_in_passing_is_a_fact(said: str, fact: str) -> None:
    assert told(said) == [fact]


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (
            "I'm Dot, 79 in June, and I've seven grandkids. The youngest is Alfie, he's my son Ken's.",
            ["I'm Dot, 79 in June, and I've seven grandkids", "The youngest is Alfie, he's my son Ken's"],
        ),
        (
            "Buenas, Ramiro acá, albañil, de Neiva. Mi señora Yolima cose y el niño se llama Esteban",
            ["Ramiro acá, albañil, de Neiva", "Mi señora Yolima cose y el niño se llama Esteban"],
        ),
        ("Name's Earl, 71, drove a taxi, three cats", ["Name's Earl, 71, drove a taxi, three cats"]),
        ("soy Ana, necesito un timbre para mañana, vivo en Salto", ["soy Ana", "vivo en Salto"]),
        ("I'm Bob and I want a list of tools. My wife's Jo. Lovely day.", ["I'm Bob", "My wife's Jo"]),
        ("Right here, 5 of them. Nothing else", []),
        ("mi hija Ema cuánto calza", []),
        ("my kids love it when it snows", []),
    ],
)
def test_who_introduces_themselves_is_kept_up_to_what_they_want(said: str, facts: list[str]) -> None:
    assert told(said) == facts


@pytest.mark.parametrize(
    ("said", "is_asked"),
    [
        ("what do you know about me?", True),
        ("che qué sabés de mí", True),
        ("contame todo lo que recordás de mí", True),
        ("qué sabés de mi familia", False),
        ("what do you know about me being late", False),
    ],
)
def test_who_asks_for_all_that_is_known_of_them_is_understood(said: str, is_asked: bool) -> None:
    assert asks_of_self(said) == is_asked


@pytest.mark.parametrize(
    "said",
    [
        "I still don't know what to cook",
        "I always feel tired on mondays",
        "I never said that",
        "I still need to buy milk",
        "I still can't find it",
        "we have a meeting at 5",
        "my husband is late",
        "my kids are hungry",
        "I wish my kids lived in London",
        "my train leaves at 6",
        "siempre quiero dormir más",
        "siempre lo mismo",
        "mañana entro a las 9",
        "mi hijo está enojado",
        "mis hijos están en casa",
        "tengo un problema con mi jefe",
        "ojalá mi hija viva en Lima",
        "quiero tener un perro",
        "¿a mi suegra le prohibieron la sal?",
    ],
)
def test_feelings_plans_and_wishes_are_no_facts(said: str) -> None:
    assert told(said) == []


@pytest.mark.parametrize(
    ("fact", "asked", "whose"),
    [
        ("a Bruno, mi gordo, le diagnosticaron celiaquía", "le puedo dar pan a Bruno?", True),
        ("my son can't have dairy", "can I give my son a milkshake?", True),
        ("my brother isn't allowed alcohol", "is it ok to bring my brother some wine?", True),
        ("mi papá no puede tomar cafeína", "le hago un cafecito a mi papá?", True),
        ("a mi suegra le prohibieron la sal", "jamón para mi suegra?", True),
        ("my son can't have dairy", "can I give my son an apple?", False),
        ("a mi suegra le prohibieron la sal", "le compro flores?", False),
    ],
)
def test_what_somebody_may_not_have_is_touched_by_what_is_of_that_kind(fact: str, asked: str, whose: bool) -> None:
    assert tells_of_health(fact)
    assert (allergy_to(fact, asked) is not None) is whose


def test_what_is_not_allowed_but_neither_food_nor_medicine_is_no_health() -> None:
    assert not tells_of_health("my brother isn't allowed on the balcony")


SAID = (
    "my boys are Otieno, in class 4, and Brian, in class 7",
    "mi suegra se llama Nélida y vive en Durango",
    "mi hermana se llama Eva",
    "el gordo calza 33",
    "collection day for the recycling is Friday",
    "we drive a Hilux, the 2009 one",
    "my eldest Achieng is studying in Nakuru",
    "I usually park the bike by the bakery",
    "entro a las 6 a la panadería",
)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("in which city is Achieng studying? it's for a form", "my eldest Achieng is studying in Nakuru"),
        ("what year did I say the hilux is?", "we drive a Hilux, the 2009 one"),
        ("a ver, te acordás cómo se llama la madre de mi marido?", "mi suegra se llama Nélida y vive en Durango"),
        ("dónde vive la mamá de mi esposa, la Nélida?", "mi suegra se llama Nélida y vive en Durango"),
        ("where do i park the bike again?", "I usually park the bike by the bakery"),
        ("q talle calza el gordo?", "el gordo calza 33"),
        ("which of my boys is in class 7?", "my boys are Otieno, in class 4, and Brian, in class 7"),
        ("which day is the recycling collected?", "collection day for the recycling is Friday"),
        ("a qué hora entro a la panadería?", "entro a las 6 a la panadería"),
        ("a qué hora entro?", "entro a las 6 a la panadería"),
        ("what year is our Hilux from?", "we drive a Hilux, the 2009 one"),
    ],
)
def test_a_question_for_what_was_told_finds_the_sentence(asked: str, answer: str) -> None:
    assert told_of(asked, SAID) == answer


@pytest.mark.parametrize(
    "asked",
    [
        "what could I cook for Otieno and Brian?",
        "what should we do with the Hilux, it is from 2009?",
        "how do I clean the bike at the bakery?",
        "qué le regalo a mi suegra Nélida?",
        "qué cocino para mi hermana Eva y mi suegra?",
        "cómo se llama el perro de mi hermana?",
        "where does Tom park the bike?",
        "cuando entro a la panadería a las 6 tomo mate",
        "what is the capital of Peru?",
        "what a day, my boys were in class",
    ],
)
def test_advice_and_what_shares_too_little_finds_nothing(asked: str) -> None:
    assert told_of(asked, SAID) is None


def test_of_equals_the_newest_is_quoted() -> None:
    newest_first = ["I park the bike by the station", "I park the bike by the bakery"]
    assert told_of("where do I park the bike?", newest_first) == newest_first[0]


def known(text: str, intent: Intent, *said: str) -> Known | None:
    return asked_of_own(text, intent, Source(), NOTHING_RECALLED, lambda: said)


LOOKING = Intent(("none",), by="head", confidence=0.9, wish="look", wish_confidence=0.9)


def test_what_is_kept_by_its_kind_or_told_by_a_clock_is_never_quoted() -> None:
    said = "my list of books is on the shelf in Nakuru", "gasté mucho en el súper de Nakuru"
    for asked in (
        "what is on my list of books?",
        "qué hora es en Nakuru en el súper?",
        "cuánto gasté en el súper de Nakuru?",
    ):
        assert known(asked, LOOKING, *said) is None
    notes = Intent(("notes",), by="head", confidence=0.95, wish="look", names_place=True)
    assert known("where do I park the bike?", notes, "I park the bike by the bakery") is None


def test_what_was_to_be_kept_elsewhere_is_not_quoted() -> None:
    for said in ("/remember the bike is parked by the bakery", "bike is parked by the bakery save it"):
        assert known("where is the bike parked?", LOOKING, said) is None


def test_a_live_question_is_answered_from_what_was_told() -> None:
    live = Intent(("none",), by="head", confidence=0.9, wish="look", wish_confidence=0.9, is_live=True)
    found = known("which day do they empty our bins again?", live, "our bins are emptied on Friday")
    assert found == Known(PIPELINE.told_before, "«our bins are emptied on Friday»")


def test_requests_and_questions_are_not_told() -> None:
    assert sentences_told("recordame que la bici está en la panadería") == []
    assert sentences_told("where is my bike?") == []
    assert sentences_told("Hi! The bike is by the bakery.") == ["The bike is by the bakery"]


def test_a_sentence_that_takes_a_fact_for_its_own_is_quoted() -> None:
    fact = Remembrance("memory", "", "I usually park the bike by the bakery", "words bike", is_fact=True)
    answer = "Good question. I usually park the bike by the bakery. Anything else?"
    found = as_they_told(answer, "where is the bike?", Recollection((fact,)), [])
    assert found is not None
    assert found.facts == "«I usually park the bike by the bakery»"


@pytest.mark.parametrize(
    "said",
    [
        "tengo una yegua que se llama Lucero",
        "trabajo de sereno en un galpón, de diez a seis",
        "we have a parrot called Pip",
    ],
)
def test_a_name_and_hours_behind_a_fact_are_nothing_more(said: str) -> None:
    assert holds_only(said, told(said))


def test_what_else_is_asked_beside_a_fact_is_more() -> None:
    said = "tengo una yegua que se llama Lucero y no sé qué darle"
    assert not holds_only(said, told(said))


@pytest.mark.parametrize(
    ("fact", "asked", "whose"),
    [
        ("I'm on warfarin and I can't have cranberry", "cranberry juice?", set()),
        ("tomo litio y no puedo tomar ibuprofeno", "me tomo un ibuprofeno?", set()),
        ("I had a transplant and grapefruit is banned for me", "grapefruit for breakfast?", set()),
        ("my doctor says no alcohol", "shall I have a beer?", set()),
        ("my niece Uma can't have sesame", "hummus with sesame?", {"niece", "uma"}),
    ],
)
def test_whose_it_is_that_is_forbidden_behind_what_else_is_told(fact: str, asked: str, whose: set[str]) -> None:
    assert allergy_to(fact, asked) == frozenset(whose)


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("Mi cuñado dice que soy alérgico a madrugar jaja", []),
        ("Creo que soy alérgica al polvo, o capaz es un resfrío, no sé", []),
        ("I love mopping floors said nobody ever", []),
        ("my favourite drink is payday", []),
        ("I'm Superman", []),
        ("creo que soy alérgica al polvo", ["soy alérgica al polvo"]),
        ("soy celíaca, recomendame un budín", ["soy celíaca"]),
        ("No me gusta el hígado pero a mi hija le encanta", ["No me gusta el hígado pero a mi hija le encanta"]),
        ("I'm allergic to bees haha", ["I'm allergic to bees haha"]),
    ],
)
def test_what_nobody_means_is_no_fact(said: str, facts: list[str]) -> None:
    assert told(said) == facts


@pytest.mark.parametrize(
    ("said", "is_taken_back"),
    [
        ("just kidding", True),
        ("forget it", True),
        ("jaja mentira, es broma", True),
        ("olvidalo", True),
        ("forget it was ever cheap there", False),
        ("I was just kidding with my nephew about the goat", False),
        ("es broma lo que cobran por el pan", False),
    ],
)
def test_what_was_just_told_is_taken_back_by_such_words_alone(said: str, is_taken_back: bool) -> None:
    assert takes_back_told(said) is is_taken_back
    told_before = ["my locker code is 7781", said]
    left = Remembering(takes_back=[takes_back_told]).not_unsaid(told_before)
    assert left == ([] if is_taken_back else told_before)


def test_who_asks_of_themselves_is_told_nothing_of_their_family() -> None:
    said = ["my sister works at Harbour Foods", "I work at Mill Lane"]
    assert told_of("where do I work?", said) == "I work at Mill Lane"
    assert told_of("where do I work?", said[:1]) is None
    assert told_of("where does my sister work?", said) == said[0]
