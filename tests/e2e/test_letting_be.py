"""What is to stay stays: who denies that something is taken away, or tells of somebody else, changes nothing."""

from pathlib import Path

import pytest

from app.domain.chat import ToolCall
from app.llm.local_embedder import LocalEmbedder
from app.skills.following.following import DOUBTFUL_ID
from app.skills.letting_be.reading import allowed, lets_be
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")
REMOVES = (ToolCall("read_0", "remove_from_list", {"items": ["yeast"]}),)


@pytest.mark.parametrize(
    "said",
    [
        "don't take the yeast off",
        "no please don't cancel it",
        "dont delete the one about Gwen, I need it",
        "never remove the salt",
        "no saques la levadura que falta un montón",
        "no, no lo canceles",
        "no me borres la nota del portón",
        "che no vayas a quitar el yeso",
        "ni la toques",
    ],
)
def test_a_denial_leaves_all_as_it_is(said: str) -> None:
    assert lets_be(said)
    assert not allowed(REMOVES, said)


@pytest.mark.parametrize(
    "said",
    [
        "take the yeast off",
        "don't take the yeast off, take the flour off",
        "don't forget to cancel it",
        "don't remind me any more",
        "no lo canceles, cancela el otro",
        "ya no me lo recuerdes",
        "saca la levadura, no la necesito",
        "no hace falta, bórralo",
        "no te olvides de borrar la nota",
        "ya compré la levadura",
        "couldn't find any yeast, take it off",
        "I didn't pay for the club so cancel that reminder",
        "no conseguimos levadura, quitala",
        "no compré el yeso porque estaba caro, bórralo",
        "got the salt, couldn't find the yeast",
        "compré la sal pero no encontré la levadura",
        "don't delete the salt but tick off the yeast",
        "my coach told me to cancel, so cancel it",
        "the nurse told me to drop the yeast, take it off the list",
        "Saqué mal la cuenta, quita la levadura",
    ],
)
def test_a_wish_to_take_away_is_one(said: str) -> None:
    assert not lets_be(said)
    assert allowed(REMOVES, said) == REMOVES


@pytest.mark.parametrize(
    "said",
    [
        "no compré la levadura",
        "todavía no la conseguimos",
        "no alcancé a comprar el yeso",
        "I haven't bought the yeast yet",
        "we couldn't find any yeast",
        "saqué la levadura del estante y estaba vencida",
    ],
)
def test_what_was_not_done_or_done_elsewhere_takes_nothing_away(said: str) -> None:
    assert not lets_be(said)
    assert not allowed(REMOVES, said)


@pytest.mark.parametrize(
    "said",
    [
        "the council wants to scrap the yeast",
        "you should cut out the yeast",
        "the nurse told me to drop the yeast",
        "mi cuñada quiere sacar la levadura",
        "deberían eliminar la levadura",
    ],
)
def test_what_others_are_to_do_is_asked_first(said: str) -> None:
    assert [one.id.endswith(DOUBTFUL_ID) for one in allowed(REMOVES, said)] == [True]


async def test_nothing_is_called_off_or_ticked_against_a_wish(tmp_path: Path, encoder: LocalEmbedder) -> None:
    talk = ("I hope they find another way.",) * 3
    async with small_app(tmp_path, encoder, *talk) as (app, _):
        await app.say(ALICE, "remind me tomorrow at 9 to wash the van")
        for said in (
            "don't cancel it",
            "no lo canceles eh",
            "cancel my broadband, it's rubbish",
            "the union says we must cancel the strike",
            "what reminders do I have?",
        ):
            await app.say(ALICE, said)
        said_so = app.replies_to(ALICE)
        assert said_so[1:3] == ["I leave it at that: nothing was done.", "Lo dejo así: no hice nada."]
        assert "wash the van" in said_so[-1]


async def test_what_was_not_bought_stays_on_the_list(tmp_path: Path, encoder: LocalEmbedder) -> None:
    talk = ("Maybe tomorrow.",) * 6
    async with small_app(tmp_path, encoder, *talk) as (app, _):
        for said in (
            "add yeast, salt and flour to the list",
            "no saques la sal",
            "no compré la sal",
            "I didn't get the yeast",
            "what is on my list?",
        ):
            await app.say(ALICE, said)
        assert app.replies_to(ALICE)[-1] == "Shopping:\n☐ yeast\n☐ salt\n☐ flour"
