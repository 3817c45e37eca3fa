"""How a head of one purpose is fitted: each example as it is, and three times as somebody types it in haste."""

import hashlib
import random
from collections.abc import Callable, Collection, Sequence
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

import numpy as np

from app.domain.ports import Embedder
from app.language.phrases import written_out
from app.skills.sorting.augment import typed
from app.skills.sorting.evidence import evidence_names
from app.skills.sorting.head import Matrix
from app.skills.sorting.lexicon import Lexicon, load_lexicon
from app.skills.sorting.small_head import SmallHead, meanings
from app.skills.sorting.sorter import data_folder as sorting_data
from app.skills.sorting.training import Targets, train

FILES: Final = ("en.toml", "es.toml")
SEED: Final = 20261126
ROUNDS: Final = 20
_AS_TYPED: Final = 3


class Labelled(NamedTuple):
    """`label` is one of the head's labels; `features` puts those of a text together from its meaning.

    `is_none_of`: it has no label, and only tells that it is none of these.
    """

    text: str
    label: str
    features: Callable[[str, Matrix, Lexicon], Matrix]
    is_none_of: Collection[str] = ()


def digest_of(folder: Traversable) -> str:
    """Return a digest of the examples in a folder, and of the names of what counts as evidence."""
    digest = hashlib.sha256("\n".join(evidence_names(load_lexicon(sorting_data() / "lexicon"))).encode())
    for name in FILES:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


async def fit_head(
    examples: Sequence[Labelled], labels: Sequence[str], folder: Traversable, embedder: Embedder
) -> SmallHead:
    """Fit and return a head with a score for each of the labels; `folder` has the files of its examples."""
    chance = random.Random(SEED)  # noqa: S311 - the same variants each time, no secret
    made = [*examples, *(one._replace(text=typed(one.text, chance)) for _ in range(_AS_TYPED) for one in examples)]
    lexicon = load_lexicon(sorting_data() / "lexicon")
    made = [one._replace(text=written_out(one.text)) for one in made]
    found = await meanings([one.text for one in made], embedder)
    features = np.stack([one.features(one.text, by, lexicon) for one, by in zip(made, found, strict=True)])
    wanted = np.array([[one.label == name for name in labels] for one in made], np.float32)
    known = [[not one.is_none_of or name in one.is_none_of for name in labels] for one in made]
    layers = train(features, Targets(wanted, np.array(known, np.float32)), SEED, rounds=ROUNDS)
    return SmallHead(layers, embedder.model, digest_of(folder))
