"""Fit the head that reads where answers come from and write `data/head.npz`: `python -m app.skills.sources.fit`.

It takes three minutes. The examples are in `data/en.toml` and `data/es.toml`, a list for each origin, and one of
messages that are no errand.
"""

import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, NamedTuple, cast

from app.domain.ports import Embedder
from app.skills.sorting.fit import with_encoder
from app.skills.sorting.small_fit import FILES, Labelled, fit_head
from app.skills.sorting.small_head import SmallHead, save_head
from app.skills.sources.sources import ERRANDS, ORIGINS, Origin, data_folder, put_together


class Example(NamedTuple):
    """A message and its origin, or that it is no errand, whatever its origin."""

    origin: Origin | Literal["no_errand"]
    text: str


def load_examples(file: Traversable) -> list[Example]:
    """Read a file of examples."""
    tables = tomllib.loads(file.read_text("utf-8"))
    return [Example(cast(Origin, origin), said) for origin, several in tables.items() for said in several]


async def fit(embedder: Embedder) -> SmallHead:
    """Fit and return the head."""
    own = [one for name in FILES for one in load_examples(data_folder() / name)]
    labelled = [
        Labelled(one.text, "", put_together, ERRANDS)
        if one.origin == "no_errand"
        else Labelled(one.text, one.origin, put_together)
        for one in own
    ]
    return await fit_head(labelled, ORIGINS, data_folder(), embedder)


def main() -> None:
    """Fit and write the head."""
    save_head(with_encoder(fit), Path(str(data_folder())) / "head.npz")


if __name__ == "__main__":
    main()
