"""How far a word that was typed in haste is from the one that was meant."""


def slips(said: str, meant: str) -> int:
    """Count the letters that are missing, too many, wrong, or swapped with the next one; 3 stands for more.

    The optimal string alignment distance, https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance.
    """
    if abs(len(said) - len(meant)) > 2:
        return 3
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for place, letter in enumerate(said):
        earlier, before = before, row
        row = [place + 1]
        for at, other in enumerate(meant):
            least = min(row[at] + 1, before[at + 1] + 1, before[at] + (letter != other))
            if place and at and letter == meant[at - 1] and said[place - 1] == other:
                least = min(least, earlier[at - 1] + 1)
            row.append(least)
    return min(row[-1], 3)
