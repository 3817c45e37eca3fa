"""Cities of 30,000 people and more that `place_names` does not have, with their zones (GeoNames, CC BY 4.0)."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

_FILE: Final = "towns.txt"
_ORDINARY: Final = "*"


@cache
def towns(fold: Callable[[str], str]) -> Mapping[str, tuple[str, str]]:
    """Return the folded name -> (name, zone) of each town; 25 ms and 4 MB, when the first is asked for.

    A name has "*" before it where it is a word or a first name in Spanish or English, too: "Cork". Of several of
    a name the largest is meant; where another one in another zone has a third of its people, neither is here.
    """
    found: dict[str, tuple[str, str]] = {}
    for line in files(__package__).joinpath(_FILE).read_text("utf-8").splitlines():
        zone, tab, names = line.partition("\t")
        for name in names.split(",") if tab else ():
            bare = name.lstrip(_ORDINARY)
            is_plain = bare.isascii() and bare.replace(" ", "").isalpha()
            found[bare.lower() if is_plain else fold(bare)] = (name, zone)
    return MappingProxyType(found)


def is_ordinary(name: str) -> bool:
    """Tell whether such a name may mean something else."""
    return name.startswith(_ORDINARY)
