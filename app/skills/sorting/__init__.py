"""Sorting by evidence: what a message wants, from its meaning and its words, in milliseconds and without a model.

`Sorter` is the door. The examples in `data/` decide; after a change there, `python -m app.skills.sorting.fit`
writes `data/head.npz` anew.
"""

from app.skills.sorting.sorter import Sorted, Sorter

__all__ = ("Sorted", "Sorter")
