"""Things that go on the list which is named, though another one was shown, with why behind that; and things that
hold an "and", or the mark of feet and inches."""

import pytest

from app.skills.tools.lists.joined import each_listed
from app.skills.tools.lists.placed import read_placed
from app.skills.tools.lists.reasoned import named_alone


@pytest.mark.parametrize(
    ("text", "name", "items"),
    [
        ("and sealant on the boathouse list, because the hatch drips", "boathouse", ["sealant"]),
        ("also mop heads on the Canteen list cos the cook is moaning", "Canteen", ["mop heads"]),
        (
            "oh and cat litter on the vet list please, the old tom is poorly and grumpy",
            "vet",
            ["cat litter"],
        ),
        ("and gloves and masks on the clinic list since the nurse asked twice", "clinic", ["gloves", "masks"]),
        ("nd clamps on the luthier lsit cos mine snapped", "luthier", ["clamps"]),
        ("y bisagras en la lista de la herrería, que se rompió el portón", "herrería", ["bisagras"]),
        ("ah y también sogas en la lista del bote, es que la vieja se cortó", "bote", ["sogas"]),
        ("y focos en la lista de mantenimiento porque el pasillo está a oscuras", "mantenimiento", ["focos"]),
        ("y alcohol en la lista de enfermería", "enfermería", ["alcohol"]),
    ],
)
def test_what_names_its_list_goes_there_without_why(text: str, name: str, items: list[str]) -> None:
    assert read_placed(named_alone(text), []) == [(name, items)]


@pytest.mark.parametrize(
    "text",
    [
        "and my cousin is on the waiting list, because the ward is full",
        "y mi vecina quedó en la lista de espera, que el taller está lleno",
        "and what is on the boathouse list, because I forgot?",
        "and take the clamps off the luthier list because I have some",
        "and my aunt put us on the guest list, because she is kind",
        "y Rita anotó a Paco en la lista de invitados, que viene solo",
        "y lo puse en la lista de la farmacia, que es donde va",
        "and nails on the list, they all rusted",
        "the foreman keeps a list of tools, because they vanish",
    ],
)
def test_a_story_or_a_question_or_no_name_is_left(text: str) -> None:
    assert named_alone(text) == ""


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (
            "add pie and mash, surf and turf and lemons to the bistro list",
            ["pie and mash", "surf and turf", "lemons"],
        ),
        ("add tuna and sweetcorn baps and juice to the canteen list", ["tuna and sweetcorn baps", "juice"]),
        ("poné tartas de puerro y queso y pan en la lista del taller", ["tartas de puerro y queso", "pan"]),
        ("add bread and butter to the canteen list", ["bread", "butter"]),
        ("poné jamón y queso en la lista del taller", ["jamón", "queso"]),
        ("add a hose of 3/4\" and a plank of 6' to the yard list", ['hose of 3/4"', "plank of 6'"]),
        ('poné varillas de 8" en la lista del taller', ['varillas de 8"']),
        ('add "Rocky 2" to the yard list', ["Rocky 2"]),
    ],
)
def test_one_thing_may_hold_an_and_or_a_mark_of_feet(text: str, items: list[str]) -> None:
    assert read_placed(text, [])[0].items == items
    assert each_listed(items, 80) == items
