"""What a correction says that it is takes the place of what it says that it is not."""

import pytest

from app.skills.amending import amended, is_correction

MAT = "the spare key is under the grey mat"
SILLA = "la silla azul es para la tía Nélida"


@pytest.mark.parametrize(
    ("kept", "said", "better"),
    [
        (MAT, "it's the striped mat, not the grey", "the spare key is under the striped mat"),
        (MAT, "sorry it's the striped one not the grey one", "the spare key is under the striped mat"),
        (MAT, "not the grey mat, it's the grey pot", "the spare key is under the grey pot"),
        (SILLA, "es la silla verde, no la azul", "la silla verde es para la tía Nélida"),
        (SILLA, "ay perdón, no es la azul sino la verde", "la silla verde es para la tía Nélida"),
        ("la silla es para la tía", "es para la prima, no la tía", "la silla es para la prima"),
        ("la silla es de la tía", "es para la prima, no la tía", None),
        ("la reunión es en el club", "no es el club, es la biblioteca", "la reunión es en la biblioteca"),
        ("gate number is 7714", "i misread it, it was 7741", "gate number is 7741"),
        (MAT, "it's raining, not snowing", None),
        (MAT, "it's the grey mat, not the grey door", None),
        ("grey mat by the grey door", "it's the blue one, not the grey", None),
        ("la caja es la de clavos", "no es la de clavos, es la de tuercas", "la caja es la de tuercas"),
        (SILLA, "es linda, no?", None),
        (SILLA, "is it the green one, not the azul?", None),
        (MAT, "it's mine because I bought it, not grey", None),
    ],
)
def test_what_is_denied_gives_way_where_it_stands_once(kept: str, said: str, better: str | None) -> None:
    found = amended(kept, said)
    assert (found.text if found else None) == better


def test_a_question_at_the_end_corrects_nothing() -> None:
    assert not is_correction("es linda, no?")


@pytest.mark.parametrize(
    ("kept", "said", "right"),
    [
        ("varnish the oar", "change it, it's not the oar but the mast", "varnish the mast"),
        ("order slate", "please fix that, it's not slate but tile", "order tile"),
        ("lijar la silla", "cambiala, no es la silla, es el banco", "lijar el banco"),
        ("contratar al herrero", "cámbiela, no es herrero sino soldador", "contratar al soldador"),
        ("llamar al herrero", "esa no, no es el herrero sino el soldador", "llamar al soldador"),
        ("varnish the oar", "change it, it's not the sail but the mast", None),
        ("varnish the oar", "change the oil in the van", None),
    ],
)
def test_a_wish_to_change_it_may_open_what_puts_it_right(kept: str, said: str, right: str | None) -> None:
    found = amended(kept, said)
    assert (found and found.text) == right


@pytest.mark.parametrize(
    ("kept", "said", "right"),
    [
        ("bring the ladder", "sorry not the ladder, the trestle", "bring the trestle"),
        ("bring the ladder", "aiya wrong, it's the trestle not the ladder", "bring the trestle"),
        ("bring the ladder", "not the ladder, is the trestle, change it", "bring the trestle"),
        ("bring the ladder", "no no, trestle, not ladder. fix it pls", "bring the trestle"),
        ("llevar la zaranda", "perdón, no la zaranda, la criba", "llevar la criba"),
        ("llevar la zaranda", "uy no, la zaranda no, la criba", "llevar la criba"),
        ("llevar la zaranda", "la zaranda no, la criba sí que pesa", None),
        ("bring the ladder", "wrong number, they rang again, not Bob", None),
    ],
)
def test_behind_what_opens_a_correction_no_verb_is_needed(kept: str, said: str, right: str | None) -> None:
    found = amended(kept, said)
    assert (found and found.text) == right
