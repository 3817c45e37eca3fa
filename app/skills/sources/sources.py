"""Where the answer to a message comes from, as a fitted head reads it: a book, a look at the world now, what the
person told, or what only somebody or something elsewhere knows; and what is asked for that nothing here can do.

Without it a question of general knowledge ("how long is a football match?") was taken for one that needs live
results, and a small model's guess stood for what nobody here can know.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, Literal, NamedTuple

import numpy as np
import structlog

from app.domain.errors import AppError
from app.domain.ports import Embedder
from app.language.phrases import written_out
from app.skills.sorting.head import Matrix
from app.skills.sorting.lexicon import Lexicon, load_lexicon
from app.skills.sorting.small_head import SmallHead, hashed_words, load_head, meanings
from app.skills.sorting.sorter import data_folder as sorting_data
from app.skills.sorting.sorter import features_of

log = structlog.get_logger(__name__)

Errand = Literal["reach", "pay", "control"]
"""What nothing here can do: get to others, spend or get something, work a device or another program."""
Origin = Literal["timeless", "live", "own", "elsewhere", "none", "reach", "pay", "control"]
"""A book, the world now, what the person told or keeps, somebody or something elsewhere; that nothing is asked; or
an errand."""
ERRANDS: Final[tuple[Errand, ...]] = ("reach", "pay", "control")
ORIGINS: Final[tuple[Origin, ...]] = ("timeless", "live", "own", "elsewhere", "none", *ERRANDS)
_TOKEN: Final = re.compile(r"\w+|[?!,.;:]")
_MOST_CHARS: Final = 400


# Of 80 questions of general knowledge by a hand that the examples had not seen, 70 are found so likely, and 4
# others with them; of 40 that need a look at the world now, 32 are found so surely, and one other with them.
_LIKELY: Final = 0.8
_SURELY: Final = 0.9
# By how many other signs tell of an errand. Of 110 by such hands the service refuses 95 so; of 90 that sound like
# one 7, of 120 ordinary ones with words of errands in them 3 (by lists of words alone: 54, 5 and 3).
_ERRAND: Final = (0.95, 0.6, 0.5)


class Source(NamedTuple):
    """The likeliest origin of an answer, and how likely it is (0 to 1); `Source()` where that is not known.

    `errand` is the likeliest thing that nothing here can do, and `of_errand` how likely any is asked for.
    """

    origin: Origin = "none"
    probability: float = 0.0
    errand: Errand = "reach"
    of_errand: float = 0.0

    @property
    def is_book(self) -> bool:
        """Whether what is asked is so for everybody, and at any time."""
        return self.origin == "timeless" and self.probability >= _LIKELY

    @property
    def is_own(self) -> bool:
        """Whether it may be among what the person told."""
        return self.origin == "own" and self.probability >= _LIKELY

    @property
    def is_live(self) -> bool:
        """Whether only who looks at the world now could answer."""
        return self.origin == "live" and self.probability >= _SURELY

    def asked_errand(self, signs: int) -> Errand | None:
        """Return what is asked for that nothing here can do, where `signs` (0 to 2) more tell of it, too."""
        return self.errand if self.of_errand >= _ERRAND[signs] else None


class SourceReader:
    """Reads messages with the fitted head; `put_right` takes slips of typing out of them first."""

    def __init__(
        self, head: SmallHead, embedder: Embedder, lexicon: Lexicon, put_right: Callable[[str], str] = str
    ) -> None:
        self._put_right = put_right
        self._head = head
        self._embedder = embedder
        self._lexicon = lexicon

    @classmethod
    def open(cls, embedder: Embedder, put_right: Callable[[str], str] = str) -> "SourceReader | None":
        """Open the head of this program; None where another model makes the vectors."""
        head = _own_head()
        if head.model != embedder.model:
            return None
        return cls(head, embedder, load_lexicon(sorting_data() / "lexicon"), put_right)

    async def read(self, text: str) -> Source:
        """Return where the answer to a text comes from; `Source()` for a long one, or if the embedder fails."""
        if len(text) > _MOST_CHARS:
            return Source()
        text = written_out(self._put_right(text))
        try:
            (meaning,) = await meanings([text], self._embedder)
        except AppError as exc:
            log.warning("sources.head_failed", reason=exc.code)
            return Source()
        odds = self._head.odds(put_together(text, meaning, self._lexicon))
        odds /= odds.sum()
        best, errands = int(odds.argmax()), odds[-len(ERRANDS) :]
        return Source(ORIGINS[best], float(odds[best]), ERRANDS[int(errands.argmax())], float(errands.sum()))

    async def likeness(self, word: str, others: Sequence[str]) -> Sequence[float]:
        """Return how alike a word is to each of others in meaning, -1 to 1; nothing if the embedder fails."""
        try:
            one, *rest = await meanings([word, *others], self._embedder)
        except AppError as exc:
            log.warning("sources.likeness_failed", reason=exc.code)
            return ()
        return [float(one @ other) for other in rest]


def put_together(text: str, meaning: Matrix, lexicon: Lexicon) -> Matrix:
    """Return meaning, evidence and hashed words side by side."""
    return np.concatenate([features_of(text, meaning, lexicon), hashed_words(_TOKEN.findall(text.lower()))])


def data_folder() -> Traversable:
    """Where the examples and the fitted head lie."""
    return files("app.skills.sources") / "data"


@cache
def _own_head() -> SmallHead:
    return load_head(data_folder() / "head.npz")
