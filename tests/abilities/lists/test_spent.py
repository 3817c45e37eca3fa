"""Money that was spent is kept on a list by code, put right there, and added up; nothing else is taken for it."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.spent import read_expense
from tests.builders import ALICE, BOB
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("cargué 4200 de gasoil, anotalo en los gastos", "4200 de gasoil"),
        ("sumá 1.150,50 de la verdulería a los gastos", "1.150,50 de la verdulería"),
        ("7300 me salió el dentista anotalo en gastos", "7300 el dentista"),
        ("put 9.80 for the bus on my expenses", "9.80 for the bus"),
        ("please add 35 for the plumber to my expenses", "35 for the plumber"),
        ("apuntá en gastos 640 del pan", "640 del pan"),
        ("add to my expenses: 20 for parking", "20 for parking"),
        ("anotá 3 kilos de yerba a los gastos", None),
        ("los gastos me tienen loca este mes", None),
        ("bajé 3 kilos y los gastos también", None),
        ("my expenses went up by 40 this month", None),
    ],
)
def test_what_is_to_be_kept_as_spent_is_read(text: str, item: str | None) -> None:
    assert read_expense(text) == item


@pytest.mark.needs("lists")
async def test_amounts_are_kept_put_right_and_added_up_without_a_model(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        for told in (
            "cargué 4200 de gasoil, anotalo en los gastos",
            "y 1150 en la verdulería, un robo",
            "ah no, lo de la verdulería fueron 1510, vi el ticket",
        ):
            await app.say(ALICE, told)
        shown = app.replies_to(ALICE)[-1]
        assert shown.endswith("☐ 4200 de gasoil\n☐ 1510 en la verdulería")
        await app.say(ALICE, "cuánto llevo?")
        assert app.replies_to(ALICE)[-1] == "Gastos: van 4200 + 1510 = 5710"
        assert llm.requests == []


@pytest.mark.needs("lists")
@pytest.mark.parametrize(
    "told", ["y a las 8 paso por tu casa", "y 2 kilos de pan", "y estuvo lindo, 250 personas"]
)
async def test_other_numbers_are_no_money(tmp_path: Path, encoder: LocalEmbedder, told: str) -> None:
    async with small_app(tmp_path, encoder, *["¡Qué bien!"] * 4) as (app, llm):
        await app.say(ALICE, "cargué 4200 de gasoil, anotalo en los gastos")
        await app.say(ALICE, told)
        llm.drop_lines()
        await app.say(ALICE, "cuánto suman los gastos?")
        assert app.replies_to(ALICE)[-1] == "Gastos: van 4200"


@pytest.mark.needs("lists")
async def test_everybody_has_their_own_expenses(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Ask away.") as (app, _):
        await app.say(BOB, "put 9.80 for the bus on my expenses")
        await app.say(BOB, "and 12.50 for lunch")
        await app.say(BOB, "what's the total?")
        assert app.replies_to(BOB)[-1] == "Expenses: 9.80 + 12.50 = 22.30 so far"

        await app.say(ALICE, "what's the total of my expenses?")
        assert "22.30" not in app.replies_to(ALICE)[-1]
