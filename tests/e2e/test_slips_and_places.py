"""Talk that goes on by places, what is not put on after all, a sum beside a reminder, and slips of the phone."""

from pathlib import Path
from typing import Final

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists", "reminders", "notes", "calculator")

NOT_PUT: Final[tuple[tuple[tuple[str, ...], list[str]], ...]] = (
    (("anotá en la lista del vivero tierra y macetas", "mejor no pongas la tierra"), ["macetas"]),
    (("apunta en la lista del vivero tierra y macetas", "no le agregues macetas, ya hay"), ["tierra"]),
    (("add pegs and rope to the camp list", "better not put the rope"), ["pegs"]),
    (("add pegs and rope to the camp list", "actually dont add pegs"), ["rope"]),
    (("add pegs and rope to the camp list", "better not put salt"), ["pegs", "rope"]),
    (("add pegs and rope to the camp list", "i didnt get rope today"), ["pegs", "rope"]),
    (("anota en la lista dl vivero tierra y macetas", "saka la tierra"), ["macetas"]),
)
REMINDED: Final[tuple[tuple[tuple[str, ...], list[str]], ...]] = (
    (("recordame que el martes a las 15 viene el gasista",), ["viene el gasista"]),
    (("recordame que tengo que hacer mañana a las 9",), []),
    (("xfa recuerdame pagar el agua el 25 a las 10",), ["pagar el agua"]),
    (("recordame mañana a las 7:3o regar", "gracias"), ["regar"]),
    (
        (
            "remind me on monday at 10 to shear",
            "remind me on tuesday at 9 to wax skis",
            "cancel the first",
        ),
        ["wax skis"],
    ),
    (
        ("recordame el lunes a las 10 esquilar y el martes a las 9 encerar", "el segundo cancelalo"),
        ["esquilar"],
    ),
    (
        (
            "remind me on monday at 10 to shear",
            "remind me on tuesday at 9 to wax skis",
            "the first is lame",
        ),
        ["shear", "wax skis"],
    ),
)
SUMS: Final = (
    ("40 miles in km and remind me at 6pm to fuel up", "64.37", "fuel up"),
    ("pasame 20 libras a kilos y recordame a las 18 pesar el lechón", "9.07", "pesar el lechón"),
    ("14 x 25 y recordame a las 18 cerrar la caja", "350", "cerrar la caja"),
)


@pytest.mark.parametrize(("turns", "left"), NOT_PUT)
async def test_what_is_not_to_be_put_on_is_not_there(
    tmp_path: Path, encoder: LocalEmbedder, turns: tuple[str, ...], left: list[str]
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 9) as (app, _):
        for said in turns:
            await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == left


@pytest.mark.parametrize(("turns", "left"), REMINDED)
async def test_reminders_are_read_through_slips_and_meant_by_their_place(
    tmp_path: Path, encoder: LocalEmbedder, turns: tuple[str, ...], left: list[str]
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 9) as (app, _):
        for said in turns:
            await app.say(ALICE, said)
        assert await stored(app, "text", "reminders") == left


@pytest.mark.parametrize(("said", "result", "title"), SUMS)
async def test_a_sum_before_a_reminder_is_answered_too(
    tmp_path: Path, encoder: LocalEmbedder, said: str, result: str, title: str
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 9) as (app, _):
        await app.say(ALICE, said)
        assert result in app.replies_to(ALICE)[-1]
        assert await stored(app, "text", "reminders") == [title]
