"""Things that are dictated without commas where the list is named in the same message, and who is on it."""

import pytest

from app.skills.tools.lists.picked import asks_who
from app.skills.tools.lists.placed import read_placed


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("make a list called dunes with parasol goggles flask and a kettle", "parasol|goggles|flask|kettle"),
        ("new list called shed with hammer pliers and 3 tins of paint", "hammer|pliers|3 tins of paint"),
        ("lista ruta con poncho silbato navaja y saco de dormir", "poncho|silbato|navaja|saco de dormir"),
        ("nueva lista obra con rodillo lija pinza bolsa de clavos", "rodillo|lija|pinza|bolsa de clavos"),
        # What may be one thing stays together.
        ("make a list called den with tent poles and camera charger", "tent poles|camera charger"),
        ("make a list called fete with paper cups and a bread knife", "paper cups|bread knife"),
        ("make a list called mesa with chair cushions and rope ladder", "chair cushions|rope ladder"),
        ("haz una lista sol con protector solar y crema de manos", "protector solar|crema de manos"),
        # What is told behind the last thing is no part of it.
        ("make a list called loch with rods and a flask setting off at six with gran", "rods|flask"),
        ("make a list called loch with rods and a flask we're out on sunday with gran", "rods|flask"),
        ("lista dique con canas y anzuelos salimos a las 4 con mi hermano", "canas|anzuelos"),
        ("lista dique con canas y saco de dormir nos vamos el jueves con ella", "canas|saco de dormir"),
        ("make a list called desk with glue and a leaving card", "glue|leaving card"),
        # "I" joins two things in Spanish only, and belongs to a name.
        ("crea la lista sala con globos i guirnaldas", "globos|guirnaldas"),
        ("crea la lista duelo con Rosa, Saul i Nelly", "Rosa|Saul|Nelly"),
        ("crea la lista reyes con Jaime I y Carlos VI", "Jaime I|Carlos VI"),
        ("make a list called jam with figs i love figs", "figs"),
    ],
)
def test_things_without_commas_are_told_apart(said: str, items: str) -> None:
    assert [one.items for one in read_placed(said, ())] == [items.split("|")]


@pytest.mark.parametrize(
    "said",
    ["lista la merienda con mate y torta", "lista de espera con ruido y calor", "la lista quinta con Ana ya esta"],
)
def test_what_is_said_of_a_list_makes_none(said: str) -> None:
    assert read_placed(said, ()) == []


@pytest.mark.parametrize(
    ("said", "is_asked"),
    [
        ("quiénes van quedando?", True),
        ("y quienes hay hasta ahora", True),
        ("quién está anotado", True),
        ("who all is on it now", True),
        ("so who have we put down", True),
        ("quién trae el hielo?", False),
        ("quien va", False),
        ("quienes van al cine", False),
        ("who is on holiday", False),
        ("who has the milk?", False),
        ("quienes", False),
    ],
)
def test_who_is_on_the_list_is_asked(said: str, is_asked: bool) -> None:
    assert asks_who(said) == is_asked
