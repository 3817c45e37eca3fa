"""A place or a firm that somebody has left, and the new one, put right in what was told; the same of texts."""

from datetime import datetime

import pytest

from app.pipeline.lexicon.redrafts import read_change, read_instead
from app.skills.amending import amended, is_correction, says_gone
from app.skills.tools.reminders.asked_times import answered
from app.skills.tools.reminders.pending import hour_told


@pytest.mark.parametrize(
    ("kept", "said", "right"),
    [
        (
            "mi prima Ana trabaja en el hospital",
            "uy no, ya no está en el hospital, ahora está en la clínica Sur",
            "mi prima Ana trabaja en la clínica Sur",
        ),
        ("my cousin works at the bank", "nah hang on she's left the bank, she's at the zoo now",
         "my cousin works at the zoo"),
        ("my nephew drives for Acme", "nope wait, he's left Acme, he's with Borax now",
         "my nephew drives for Borax"),
        ("my cousin works at the bank", "no she isn't at the bank, she's with the council now", None),
        ("mi prima trabaja en el hospital", "no, el hospital queda lejos, ahora estoy en casa", None),
        ("mi prima trabaja en el hospital", "no, ya no me duele, ahora estoy en casa", None),
        ("", "no, , ,", None),
    ],
)  # fmt: skip
def test_what_is_left_gives_way_to_what_is_so_now(kept: str, said: str, right: str | None) -> None:
    found = amended(kept, said)

    assert is_correction(said)
    assert (found and found.text) == right


def test_only_a_correction_of_the_same_thing_says_that_it_is_over() -> None:
    assert says_gone("no, she isn't at the bank anymore, she's with the council", {"bank", "sister"})
    assert not says_gone("no, she never said so, she likes it", {"bank", "sister"})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("too long. just say flat tyre and I'll be in by 10", "flat tyre and I'll be in by 10"),
        ("mejor decile solo que no voy y que mañana le explico", "no voy y que mañana le explico"),
        ("muy largo, decile nomás que venga hoy mismo", "venga hoy mismo"),
        ("just say hello to him from me", ""),
        ("just tell me what the weather is", ""),
        ("just put milk on my shopping list", ""),
        ("mejor decile a Ana que compre pan", ""),
        ("just say what?", ""),
    ],
)
def test_what_a_text_is_to_tell_instead_is_kept_as_it_was_said(said: str, told: str) -> None:
    assert read_instead(said) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("shorter, and tell her she's invited with her husband", "she's invited with her husband"),
        ("más cortito y agregá que llevo el postre", "llevo el postre"),
        ("make it shorter and say sorry", ""),
    ],
)
def test_what_is_to_be_told_beside_another_change_is_read_with_it(said: str, told: str) -> None:
    change = read_change(said)

    assert change is not None
    assert (change.kind, change.told) == ("length", told)


@pytest.mark.parametrize(
    ("wish", "said", "at"),
    [
        ("remind me thursday 7pm to water the plants", "actually make it 6, the bus comes early", "26 18:00"),
        ("recordame el jueves a las 20 regar", "mejor a las 7, que llego antes", "26 19:00"),
        ("remind me thursday at 6:30 to feed the cat", "pm", "26 18:30"),
        ("recordame el jueves a las 6 darle la pastilla", "de la tarde porfa", "26 18:00"),
        ("remind me tomorrow at 4:30 to eat", "am", "27 04:30"),
    ],
)
def test_another_hour_keeps_the_day_and_its_half(wish: str, said: str, at: str) -> None:
    now, language = datetime(2026, 11, 26, 12), "es" if wish.startswith("recordame") else "en"
    found = answered(f"{wish}\n{hour_told(said, wish, now, language)}", now, language)

    assert found is not None
    assert getattr(found, "at", now).strftime("%d %H:%M") == at
