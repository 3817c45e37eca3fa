"""How far a word that was typed in haste is from the one that was meant."""

from typing import Final

from rapidfuzz.distance import OSA

_MOST: Final = 2


def slips(said: str, meant: str) -> int:
    """Count the letters that are missing, too many, wrong, or swapped with the next one; 3 stands for more.

    The optimal string alignment distance, https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance.
    """
    return OSA.distance(said, meant, score_cutoff=_MOST)
