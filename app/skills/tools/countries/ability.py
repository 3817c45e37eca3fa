"""What is so of each country: its capital, its money, its languages, its continent."""

from app.skills.kit import Kit
from app.skills.tools.countries.told import Countries


def register(kit: Kit) -> None:
    if kit.is_small_model:
        kit.tellings.append(Countries(kit.places, kit.repository.conversations).tell)
