"""What a correction puts right in what was just kept, found in the words alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.skills.amending import amended, is_correction
from app.skills.own_words import corrected

PUT_RIGHT = (
    # kept, said, kept afterwards
    ("4 sachets de leche", "uy no, 6 sachets, vienen los mellizos", "6 sachets de leche"),
    ("el gasista se llama Ramiro, cobra 18000", "perdón, se llama Rodolfo, Ramiro es el plomero", "Rodolfo"),
    (
        "pasar por lo de Elvira a buscar la torta",
        "no, era en lo de Nélida, Elvira hace las empanadas",
        "lo de Nélida",
    ),
    ("el turno con la doctora es el martes", "me equivoqué, el jueves", "es el jueves"),
    ("talle de Ema 28, talle de Lucas 31", "perdona, que Lucas ya va por el 33", "Lucas 33"),
    ("la caja fuerte es 8812 y el candado 3304", "en realidad el candado es 3340", "el candado 3340"),
    ("the farrier wants 65 a horse", "sorry I was shouting over the wind, 75 he said, not 65, fix it", "wants 75"),
    (
        "ask Bridget for the big pot",
        "sorry it's Breda who has the pot, not Bridget. Bridget's away in Derry",
        "ask Breda",
    ),
    ("bake sale is at Holt Lane, bring tape", "oh wait it moved to Fernside, the rest stands", "at Fernside"),
    ("diapers size 3", "oops i meant size 4, he grew", "diapers size 4"),
    ("flour 2 kg", "the flour make it 5 kg, they are staying the week", "flour 5 kg"),
    ("Asha's ring is with jeweller Ramesh", "Not Ramesh aunty, Rakesh. Ramesh fixes watches", "jeweller Rakesh"),
    ("spent 64 on shoes", "no 46", "spent 46 on shoes"),
    ("Nico usa talle 12", "no espera, se lo probé recién y ya usa 14, cómo pega el estirón", "Nico usa talle 14"),
    ("my granddaughter's called Isla", "it's Ayla, not Isla", "called Ayla"),
    ("mi tía Rosa vive en Talca", "me confundí, es en Temuco", "mi tía Rosa vive en Temuco"),
    ("Ivy takes a size 2 shoe", "no wait, I tried them on her and she's now a 3, mad", "Ivy takes a size 3 shoe"),
)
OTHERWISE = (
    # kept, said
    ("the code is 4471", "no, wake me tomorrow at 5"),
    ("my dentist is Dr Walsh", "no wait, what time is it in Lima"),
    ("4 sachets de leche", "no, mejor agregá también 3 lápices"),
    ("pan", "no, leche"),
    ("el turno es el lunes", "no, el martes no puedo ir a la pileta"),
    ("spent 64 on shoes", "wait i also spent 20 on socks"),
    ("meet Sam at 5", "sorry, busy day, my boss Karen kept me till 6"),
    ("pan x 2", "espera, cuánto es 5 por 8?"),
    ("caja 12, estante 4", "perdón, 9"),
    ("llamar a Tere", "gracias, me salvaste"),
    ("the gym locker is 217", "217 it is"),
)


@pytest.mark.parametrize(("kept", "said", "afterwards"), PUT_RIGHT)
def test_a_correction_replaces_the_value_that_is_meant(kept: str, said: str, afterwards: str) -> None:
    found = amended(kept, said) if is_correction(said) else None
    assert found is not None
    assert afterwards in found.text
    assert found.text == kept.replace(found.old, found.new, 1)


@pytest.mark.parametrize(("kept", "said"), OTHERWISE)
def test_what_is_no_certain_correction_changes_nothing(kept: str, said: str) -> None:
    assert not is_correction(said) or amended(kept, said) is None


@given(st.text(max_size=80), st.text(max_size=80))
def test_whatever_is_said_only_one_value_of_the_kept_text_changes(kept: str, said: str) -> None:
    found = amended(kept, f"sorry, {said}")
    if found is not None:
        before, _, after = kept.partition(found.old)
        assert found.old in kept
        assert found.new in " ".join(said.split())
        assert found.text.startswith(before[:1])
        assert len(found.text) == len(kept) - len(found.old) + len(found.new)
        assert after[-1:] == found.text[-1:] or not after


@pytest.mark.parametrize(
    ("kept", "said", "better"),
    [
        (
            "the ferry takes 40 bikes on Monday",
            "oh blast, make that 46, the club has just signed up 6 riders. fix it in the note",
            "the ferry takes 46 bikes on Monday",
        ),
        (
            "ensayo de la murga el sábado a las 20",
            "uyyy me avisaron recién, que es el domingo, acomodámelo ahí en la nota porfa",
            "ensayo de la murga el domingo a las 20",
        ),
        (
            "inspection is on Tuesday at the mill",
            "change it there please: it is Friday",
            "inspection is on Friday at the mill",
        ),
        (
            "hire 30 chairs for the Patel wedding",
            "ugh her uncle rang, it's 55 chairs now, sort that out for me would you",
            "hire 55 chairs for the Patel wedding",
        ),
        (
            "we hang the yellow banner by the gate",
            "scrap that, they say it's the purple one, sort it in the note will you",
            "we hang the purple banner by the gate",
        ),
        (
            "la carpa verde va atrás",
            "nono me dice mi cuñado que es la roja, corregímelo ahí",
            "la carpa roja va atrás",
        ),
    ],
)
def test_a_wish_to_put_it_right_and_talk_before_it_are_no_part_of_a_correction(
    kept: str, said: str, better: str
) -> None:
    found = amended(kept, said)
    assert is_correction(said)
    assert found is not None
    assert found.text == better


@pytest.mark.parametrize(
    "said",
    [
        "scrap that",
        "can you sort that out for me",
        "I'll go on Friday to sort it",
        "se rompió el caño a las 6, vino Juan a arreglarlo",
        "she says it's 5 now where she lives",
        "is it the green one, sort of?",
    ],
)
def test_a_story_of_mending_corrects_nothing(said: str) -> None:
    assert not is_correction(said)


@pytest.mark.parametrize(
    ("kept", "said", "better"),
    [
        ("la clave del galpón es 7741#", "uy no, es 7714#, cambialo", "la clave del galpón es 7714#"),
        ("la clave del galpón es 7741#", "no, 7714", "la clave del galpón es 7714#"),
        ("la clave del galpón es 7741", "perdón, es 7714#", "la clave del galpón es 7714#"),
        ("the hatch is 88B* on the left", "sorry, it's 89B*", "the hatch is 89B* on the left"),
        ("the hatch is 8821", "*8812*", "the hatch is 8812"),
    ],
)
def test_the_signs_of_a_code_stay_at_it(kept: str, said: str, better: str) -> None:
    found = amended(kept, said)
    assert found is not None
    assert found.text == better
    assert corrected(kept, found.new, found.old) == better
