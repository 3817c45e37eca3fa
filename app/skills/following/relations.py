"""How a message relates to what was just done, as a fitted head reads it: asks for it, adds to it, changes it …

The head sees the meaning of the message, the evidence that sorting sees, its words and pairs of words (hashed),
and what sort of thing was done. Words that stood in that thing are replaced by one sign, so that "the eggs" and
"the dentist" are alike. Of 467 messages of a hand that the examples had not seen it reads 89 in 100 right
(`tests/test_following.py`).
"""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

import numpy as np

from app.domain.ports import Embedder
from app.domain.wording import fold, stem, words
from app.language.lexicon import STOP_WORDS
from app.skills.sorting.head import Layers, Matrix, probability
from app.skills.sorting.lexicon import Lexicon, load_lexicon
from app.skills.sorting.sorter import data_folder as sorting_data
from app.skills.sorting.sorter import features_of

Kind = Literal["list", "reminder", "note", "text", "sum", "fact"]
"""What was just done: what stands on a list, a reminder, a note, a text for somebody, a result, a fact told."""
Relation = Literal["ask", "off", "got", "change", "more", "other"]
"""Asks what it says, takes it away, tells that it is done, makes it another, adds to it; or none of that."""
KINDS: Final[tuple[Kind, ...]] = ("list", "reminder", "note", "text", "sum", "fact")
RELATIONS: Final[tuple[Relation, ...]] = ("ask", "off", "got", "change", "more", "other")
MASK: Final = "#"

_WORD: Final = re.compile(r"[^\W_]+")
_TOKEN: Final = re.compile(r"\w+|[?!,.;:#]")
_ASKED: Final = frozenset({"hora", "time", "dia", "day"})
_HASHED: Final = 1_024
_KIND_SCALE: Final = 2.0

_IMPOSSIBLE: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {"note": frozenset({"got"}), "text": frozenset({"off", "got"}), "sum": frozenset({"off", "got", "more"}),
     "fact": frozenset({"off", "got"})}
)  # fmt: skip


class Reading(NamedTuple):
    """The likeliest relation, and how likely it is (0 to 1)."""

    relation: Relation
    probability: float


@dataclass(frozen=True, slots=True)
class RelationHead:
    """`layers` put out a score for each of `RELATIONS`; `model` made the vectors it was fitted to."""

    layers: Layers
    model: str
    digest: str

    def read(self, features: Matrix, kind: Kind) -> Reading:
        odds = probability(self.layers.scores(features[None, :])[0])
        odds *= [name not in _IMPOSSIBLE.get(kind, frozenset()) for name in RELATIONS]
        best = int(odds.argmax())
        return Reading(RELATIONS[best], float(odds[best] / odds.sum()))


class RelationReader:
    """Reads messages with the fitted head."""

    def __init__(self, head: RelationHead, embedder: Embedder, lexicon: Lexicon) -> None:
        self._head = head
        self._embedder = embedder
        self._lexicon = lexicon

    @classmethod
    def open(cls, embedder: Embedder) -> "RelationReader | None":
        """Open the head of this program; None where another model makes the vectors."""
        head = _own_head()
        return (
            cls(head, embedder, load_lexicon(sorting_data() / "lexicon")) if head.model == embedder.model else None
        )

    async def read(self, text: str, kind: Kind, spoken: str) -> Reading:
        """Return how a text relates to a thing that says what was `spoken`.

        Raises:
            AppError: the embedder fails.
        """
        return self._head.read(
            await relation_features(masked(text, spoken), kind, self._embedder, self._lexicon), kind
        )


async def relation_features(text: str, kind: Kind, embedder: Embedder, lexicon: Lexicon) -> Matrix:
    """Return the features of a text whose words for the thing are masked."""
    (vector,) = await embedder.embed([text], purpose="query")
    return put_together(text, kind, np.frombuffer(vector, "<f4"), lexicon)


def put_together(text: str, kind: Kind, meaning: Matrix, lexicon: Lexicon) -> Matrix:
    """Return meaning, evidence, kind and hashed words side by side."""
    beside = np.zeros(len(KINDS) + 1 + _HASHED, np.float32)
    beside[KINDS.index(kind)] = _KIND_SCALE
    beside[len(KINDS)] = MASK in text
    said = ["^", *_TOKEN.findall(text.lower()), "$"]
    for one in (*said, *(" ".join(pair) for pair in pairwise(said))):
        beside[len(KINDS) + 1 + zlib.crc32(one.encode()) % _HASHED] = 1
    return np.concatenate([features_of(text, meaning, lexicon), beside])


def masked(text: str, spoken: str) -> str:
    """Return a text with each run of words that stand in what was `spoken`, in any form, as one sign."""
    known = {stem(word) for word in words(spoken) if word not in STOP_WORDS | _ASKED}
    pieces, end, is_masked = list[str](), 0, False
    for word in _WORD.finditer(text):
        between, is_known = text[end : word.start()], stem(fold(word[0])) in known
        if is_known and is_masked and not between.strip():
            end = word.end()
            continue
        pieces += [between, MASK if is_known else word[0]]
        end, is_masked = word.end(), is_known
    return "".join([*pieces, text[end:]])


def save_head(head: RelationHead, path: Path) -> None:
    """Write a head in half precision: about 350 kB."""
    one = head.layers
    np.savez_compressed(
        path,
        hidden=one.hidden.astype(np.float16),
        hidden_bias=one.hidden_bias,
        out=one.out.astype(np.float16),
        out_bias=one.out_bias,
        source=np.array([head.model, head.digest]),
    )


def load_head(file: Traversable) -> RelationHead:
    """Read what `save_head` wrote."""
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
        names = ("hidden", "hidden_bias", "out", "out_bias")
        layers = Layers(*(stored[name].astype(np.float32) for name in names))
        model, digest = (str(text) for text in stored["source"])
    return RelationHead(layers, model, digest)


def data_folder() -> Traversable:
    """Where the examples and the fitted head lie."""
    return files("app.skills.following") / "data"


@cache
def _own_head() -> RelationHead:
    return load_head(data_folder() / "head.npz")
