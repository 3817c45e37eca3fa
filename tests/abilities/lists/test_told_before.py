"""What is told of before, of habits and of others is talked about, and puts nothing on a list."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.pipeline.lexicon.stories import tells_of_before
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("my grandad used to pin his list to the shed and add twine, nails and putty", True),
        ("my cousin put ketchup and relish on the list again, every single week", True),
        ("we would set up a new project each spring, hedge, gutters, the lot", True),
        ("mum always writes her reminders on the calendar, bins, library, swimming", True),
        ("yesterday I wrote a note about the meter and lost it", True),
        ("mi suegro siempre anota lo del mercado en un cartón y lo pierde", True),
        ("antes yo colgaba la lista en la puerta y los chicos agregaban helado y gomitas", True),
        ("de chica mi madrina me mandaba con una lista: fideos, velas, sal", True),
        ("todos los domingos armamos una lista con los vecinos, carbón, hielo y pan", True),
        ("mi tío solía dejarse notas por toda la casa", True),
        ("I used to write it all down, add relish to the shopping list", False),
        ("my cousin put relish on the list, take it off", False),
        ("put relish on the list", False),
        ("mum always forgets, so put relish on the list", False),
        ("can you add whatever my mum always writes: salt", False),
        ("my nephew needs a list: pens, glue", False),
        ("mi suegro siempre anotaba todo, agregá fideos a la lista", False),
        ("cuando era chico me gustaba, poné dulce en la lista", False),
        ("mi marido siempre pone cerveza pero falta jabón", False),
        ("recordame que mi tía siempre anota mal la hora", False),
        ("quería que anotaras fideos", False),
        ("¿mi tía siempre anota esto?", False),
    ],
)
def test_what_is_told_of_before_wishes_for_nothing(said: str, is_told: bool) -> None:
    assert tells_of_before(said) == is_told


@pytest.mark.parametrize(
    "said",
    [
        "I used to stick my shopping list on the microwave and the twins would add fizzy laces, popcorn and gum",
        "mi madrina siempre anotaba lo del súper en un sobre, arroz, velas, azúcar, y después perdía el sobre",
        "my lodger put rum and coconut milk on the list again, he does that every payday",
        "todos los inviernos armábamos un proyecto con mi papá, pintura, techo, canaletas",
    ],
)
async def test_a_story_with_a_list_in_it_is_offered_no_tool(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder, "Ha!") as (app, llm):
        await app.say(ALICE, said)
        assert [one.purpose for one in llm.requests if one.purpose == "call"] == []
        assert await stored(app, "text", "list_items") == []
