"""Fit the head that reads relations and write `data/head.npz`: `python -m app.skills.following.fit`, a minute.

The examples are in `data/en.toml` and `data/es.toml`, a table for what was done and how the message relates to it;
words in braces stood in that.
"""

import re
import tomllib
from functools import partial
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, NamedTuple, cast

from app.domain.ports import Embedder
from app.skills.following.relations import MASK, RELATIONS, Kind, Relation, data_folder, put_together
from app.skills.sorting.fit import with_encoder
from app.skills.sorting.small_fit import FILES, Labelled, fit_head
from app.skills.sorting.small_head import SmallHead, save_head

_BRACED: Final = re.compile(r"\{[^{}]*\}")


class Example(NamedTuple):
    """`text` with the words for the thing masked."""

    kind: Kind
    relation: Relation
    text: str


def load_examples(file: Traversable) -> list[Example]:
    """Read a file of examples."""
    tables = tomllib.loads(file.read_text("utf-8"))
    return [
        Example(cast(Kind, kind), cast(Relation, relation), _BRACED.sub(MASK, said))
        for kind, several in tables.items()
        for relation, table in several.items()
        for said in table["said"]
    ]


async def fit(embedder: Embedder) -> SmallHead:
    """Fit and return the head."""
    own = [one for name in FILES for one in load_examples(data_folder() / name)]
    labelled = [Labelled(one.text, one.relation, partial(put_together, one.kind)) for one in own]
    return await fit_head(labelled, RELATIONS, data_folder(), embedder)


def main() -> None:
    """Fit and write the head."""
    save_head(with_encoder(fit), Path(str(data_folder())) / "head.npz")


if __name__ == "__main__":
    main()
