"""Facts compared: what says the same, what says more, what cannot be true together, and what has nothing to do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.categories import CATEGORIES, category_of, known_category
from app.memory.claims import read_claims
from app.memory.similarity import FactText, compare, content_words, text_key, tidy


def relation(new: str, old: str) -> str:
    return compare(FactText(new), FactText(old))


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("vivo en Lisboa", "vivo en Madrid"),
        ("I live in Lisbon", "vivo en Madrid"),
        ("me mudé a Lisboa el año pasado", "Vivo en Madrid."),
        ("El usuario vive en Lima", "vivo en Madrid"),
        ("my wife's name is Eva", "my wife is called Ana"),
        ("mi mujer se llama Eva", "my wife is called Ana"),
        ("ya no soy vegetariano", "soy vegetariano"),
        ("soy vegetariano", "ya no soy vegetariano"),
        ("soy vegana", "Soy vegetariano"),
        ("I'm single", "estoy casado"),
        ("me gusta el café", "no me gusta el cafe"),
        ("I don't like tea", "I like tea"),
        ("I hate tea", "I love tea"),
        ("ya no fumo", "fumo"),
        ("I don’t smoke anymore", "I smoke"),
        ("soy alérgico a los frutos secos", "no soy alérgica a los frutos secos"),
        ("tengo 43 años", "tengo 42 años"),
        ("I'm 43 years old", "tengo 42 años"),
        ("mi hijo cumple el 4 de mayo", "mi hijo cumple el 3 de mayo"),
        ("el código de la alarma es 4321", "El código de la alarma es 1234"),
        ("mi color favorito es el rojo", "mi color favorito es azul"),
        ("my phone number is 555-9999", "My phone number is 555-1234"),
        ("mi cumpleaños es el 3 de mayo", "nací el 4 de mayo de 1980"),
        ("mi suegra vive en Jaén", "mi suegra vive en Vigo"),
        ("trabajo en Google y vivo en Roma", "vivo en Lima"),
        ("ya no vivo en Madrid", "vivo en Madrid"),
    ],
)
def test_what_cannot_be_true_together_is_found_in_both_languages(new: str, old: str) -> None:
    assert relation(new, old) == "contradicts"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("tengo un gato", "tengo un perro"),
        ("mi hija se llama Eva", "mi hija se llama Ana"),
        ("mi hermano se llama Pedro", "mi hermano se llama Juan"),
        ("a mi madre le gusta el café", "me gusta el café"),
        ("mi hermana tiene un perro", "tengo un perro"),
        ("en 2022 viajé a Perú", "en 2019 viajé a Perú"),
        ("Mi perro es viejo, se llama Toby", "me llamo Ana"),
        ("mi hermana es médica y vive en Roma", "vivo en Madrid"),
        ("no vivo en Madrid", "vivo en Lisboa"),
        ("Ana odia a Luis", "Luis odia a Ana"),
        ("quiero vivir en Madrid", "vivo en Madrid"),
        ("antes vivía en Roma", "vivo en Roma"),
        ("I used to like tea", "I like tea"),
        ("juego al tenis los jueves", "juego al tenis los lunes"),
        ("me gusta el té", "me gusta el café"),
        ("soy médica", "soy alta"),
        ("hablo francés", "hablo inglés"),
        ("mi amiga Marina vive lejos", "mi amiga Mariana vive lejos"),
    ],
)
def test_what_may_both_be_true_is_left_alone(new: str, old: str) -> None:
    assert relation(new, old) == "unrelated"
    assert relation(old, new) == "unrelated"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("tengo un perro", "Tengo un PERRO."),
        ("mi mujer se llama Ana", "my wife's name is Ana"),
        ("Me gustan los gatos", "me gustan gatos"),
        ("recuerda que soy celíaca", "soy celiaca"),
        ("I am vegetarian", "soy vegetariana"),
        ("👍", "👍"),
    ],
)
def test_what_says_the_same_is_recognised_in_other_words(new: str, old: str) -> None:
    assert relation(new, old) == "same"
    assert relation(old, new) == "same"


@pytest.mark.parametrize(
    ("longer", "shorter"),
    [
        ("tengo un perro labrador llamado Toby", "tengo un perro"),
        ("vivo en Madrid, España", "vivo en Madrid"),
        ("me llamo Ana García", "me llamo Ana"),
        ("I am allergic to nuts and penicillin", "I'm allergic to nuts"),
    ],
)
def test_what_says_more_covers_what_says_less(longer: str, shorter: str) -> None:
    assert relation(longer, shorter) == "covers"
    assert relation(shorter, longer) == "is_covered"


texts = st.text(st.characters(), max_size=80)
sentences = st.lists(
    st.sampled_from(
        (
            *("no", "ya no", "vivo en", "Madrid", "Lisboa", "mi mujer", "se llama", "Ana", "tengo", "42", "años"),
            *("me gusta", "el café", "I don't", "like", "tea", "my", "soy", "vegano", ",", ".", "y", "user"),
        )
    ),
    max_size=8,
).map(" ".join)


@given(texts | sentences, texts | sentences)
def test_any_two_texts_can_be_compared_and_the_order_does_not_change_what_they_are(new: str, old: str) -> None:
    mirrored = {"covers": "is_covered", "is_covered": "covers"}
    there, back = relation(new, old), relation(old, new)
    assert back == mirrored.get(there, there)


@given(texts | sentences)
def test_a_text_is_the_same_as_itself_however_it_is_spaced(text: str) -> None:
    assert relation(text, text) == "same"
    kept = tidy(text)
    assert text_key(f"  {kept}\n") == text_key(kept)
    assert tidy(tidy(text)) == tidy(text)


def test_a_clause_about_somebody_else_claims_nothing_about_the_person() -> None:
    assert read_claims("Mi perro es viejo, se llama Toby y vive en Roma") == ()
    assert [one.attribute for one in read_claims("El usuario se llama Ana. Vivo en Roma; tengo 42 años")] == [
        ":name",
        ":home",
        ":age",
    ]


def test_the_words_that_matter_are_folded_stems_in_their_order() -> None:
    assert content_words("¿Cómo se llaman mis gatos?") == ("como", "llaman", "gato")


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("mi hija se llama Ana", "family"),
        ("soy alérgica a la penicilina", "health"),
        ("I work at a bank", "work"),
        ("mi jefa se llama Eva y trabajo con ella", "work"),
        ("vivo en Madrid", "home"),
        ("me gusta el café", "tastes"),
        ("my flight leaves on May 3", "plans"),
        ("me llamo Ana", "personal"),
        ("el cielo es azul", "general"),
        ("", "general"),
    ],
)
def test_a_fact_finds_its_category(text: str, category: str) -> None:
    assert category_of(text) == category
    assert category in CATEGORIES


def test_only_known_names_are_categories() -> None:
    assert known_category(" Family ") == "family"
    assert known_category("secrets") is None
    assert known_category(None) is None
