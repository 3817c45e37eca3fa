"""Fit the head that reads needs and write `data/head.npz`: `python -m app.skills.sources.fit`, a minute.

The examples are in `data/en.toml` and `data/es.toml`, a list for each source.
"""

import hashlib
import random
import tomllib
from collections.abc import Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, NamedTuple, cast

import numpy as np

from app.domain.ports import Embedder
from app.skills.sorting.augment import typed
from app.skills.sorting.evidence import evidence_names
from app.skills.sorting.fit import with_encoder
from app.skills.sorting.lexicon import load_lexicon
from app.skills.sorting.small_head import SmallHead, meanings, save_head
from app.skills.sorting.sorter import data_folder as sorting_data
from app.skills.sorting.training import Targets, train
from app.skills.sources.sources import ORIGINS, Origin, data_folder, put_together

SEED: Final = 20261126
ROUNDS: Final = 20
_AS_TYPED: Final = 3
_FILES: Final = ("en.toml", "es.toml")


class Example(NamedTuple):
    origin: Origin
    text: str


def load_examples(file: Traversable) -> list[Example]:
    """Read a file of examples."""
    tables = tomllib.loads(file.read_text("utf-8"))
    return [Example(cast(Origin, source), said) for source, several in tables.items() for said in several]


def digest_of(folder: Traversable) -> str:
    """Return a digest of the examples and of the names of what counts as evidence."""
    digest = hashlib.sha256("\n".join(evidence_names(load_lexicon(sorting_data() / "lexicon"))).encode())
    for name in _FILES:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


async def fit(embedder: Embedder) -> SmallHead:
    """Fit and return the head: each example as it stands, and three times as somebody types it in haste."""
    chance = random.Random(SEED)  # noqa: S311 - the same variants each time, no secret
    own = [one for name in _FILES for one in load_examples(data_folder() / name)]
    made = [*own, *(one._replace(text=typed(one.text, chance)) for _ in range(_AS_TYPED) for one in own)]
    features = await _features(made, embedder)
    wanted = np.array([[one.origin == name for name in ORIGINS] for one in made], np.float32)
    layers = train(features, Targets(wanted, np.ones_like(wanted)), SEED, rounds=ROUNDS)
    return SmallHead(layers, embedder.model, digest_of(data_folder()))


async def _features(examples: Sequence[Example], embedder: Embedder) -> np.ndarray:
    lexicon = load_lexicon(sorting_data() / "lexicon")
    found = await meanings([one.text for one in examples], embedder)
    return np.stack([put_together(one.text, by, lexicon) for one, by in zip(examples, found, strict=True)])


def main() -> None:
    """Fit and write the head."""
    save_head(with_encoder(fit), Path(str(data_folder())) / "head.npz")


if __name__ == "__main__":
    main()
