"""Fit the head to the examples and write `data/head.npz`: `python -m app.skills.sorting.fit`, a few minutes.

Eight times an eighth of the blocks (a hand and a manner in one language) is held out; what the heads fitted to the
others say about it decides the calibration and from where on an answer is sure. The head that is written is fitted
to everything.
"""

import asyncio
import hashlib
import random
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.domain.ports import Embedder
from app.llm.local_embedder import LocalEmbedder
from app.skills.sorting.augment import Slots, augment
from app.skills.sorting.clauses import shortened, split_clauses
from app.skills.sorting.evidence import evidence, evidence_names
from app.skills.sorting.examples import Example, Label, load_examples
from app.skills.sorting.head import QUALITIES, Head, Layers, Matrix, calibrated, confidence, pooled, save_head
from app.skills.sorting.lexicon import Lexicon, load_lexicon
from app.skills.sorting.sorter import data_folder, features_of
from app.skills.sorting.spelling import Spelling
from app.skills.sorting.training import Targets, train
from app.skills.sorting.words import words_of

T = TypeVar("T")
SEED: Final = 20261122
FOLDS: Final = 8
# Held-out blocks are nearer to the rest than what strangers write: 98 in 100 of theirs takes more of these.
SURE: Final = 0.985
_PIECE: Final = 512
_DIGESTED: Final = 20
_SLOPES: Final = tuple(0.4 + 0.05 * step for step in range(20))
_SHIFTS: Final = tuple(-1.5 + 0.25 * step for step in range(13))


@dataclass(frozen=True, slots=True)
class Checked:
    """The scores of held-out messages, and what they should be."""

    scores: Matrix
    wanted: NDArray[np.bool_]


class Encoder:
    """Features of texts, each worked out once."""

    def __init__(self, embedder: Embedder, lexicon: Lexicon, spelling: Spelling) -> None:
        self._embedder = embedder
        self._lexicon = lexicon
        self._spelling = spelling
        self._known: dict[str, Matrix] = {}

    async def features(self, texts: Sequence[str]) -> Matrix:
        await self._encode(texts)
        return np.stack([self._known[text] for text in texts])

    async def pooled(self, layers: Layers, messages: Sequence[str]) -> Matrix:
        """Return the scores of messages as the sorter makes them."""
        messages = [self._spelling.corrected(shortened(message)) for message in messages]
        clauses = [split_clauses(message, self._lexicon) for message in messages]
        await self._encode([*messages, *(clause for several in clauses for clause in several)])
        return np.stack(
            [
                pooled(layers, self._known[message], self._rows(several))
                for message, several in zip(messages, clauses, strict=True)
            ]
        )

    def _rows(self, clauses: Sequence[str]) -> Matrix:
        several = clauses if len(clauses) > 1 else ()
        return np.array([self._known[clause] for clause in several], np.float32)

    async def _encode(self, texts: Sequence[str]) -> None:
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        for begin in range(0, len(new), _PIECE):
            piece = new[begin : begin + _PIECE]
            vectors = await self._embedder.embed(piece, purpose="query")
            for text, vector in zip(piece, vectors, strict=True):
                self._known[text] = features_of(text, np.frombuffer(vector, "<f4"), self._lexicon)


async def fit(embedder: Embedder) -> Head:
    """Fit, calibrate and return the head for everything in `data/`."""
    folder = data_folder()
    slots: Slots = tomllib.loads((folder / "slots.toml").read_text("utf-8"))
    examples = load_examples(folder)
    categories = tuple(sorted({name for example in examples for name in example.label.categories}))
    lexicon = load_lexicon(folder / "lexicon")
    words = words_in(examples, slots, lexicon)
    encoder = Encoder(embedder, lexicon, Spelling(words))
    folds = in_folds(examples, slots)
    checked = await _hold_out(folds, categories, encoder)
    slope, shift = calibrate(checked)
    sure_from = threshold(checked, slope, shift)
    layers = await _fitted([example for fold in folds for example in fold], categories, encoder)
    return Head(categories, layers, slope, shift, sure_from, words, embedder.model, digest_of(folder))


def words_in(examples: Sequence[Example], slots: Slots, lexicon: Lexicon) -> dict[str, int]:
    """Return the words of the examples, of what fills their gaps and of the lexicon, with how often they occur."""
    texts = [example.text for example in examples]
    texts += [text for table in slots.values() for several in table.values() for text in several]
    texts += [" ".join(phrase) for phrase in lexicon.phrases]
    return dict(sorted(Counter(word.text for text in texts for word in words_of(text)).items()))


async def _hold_out(folds: Sequence[Sequence[Example]], categories: Sequence[str], encoder: Encoder) -> Checked:
    chance = random.Random(SEED)  # noqa: S311 - the same choice each time, no secret
    scores, wanted = [], []
    for number, unseen in enumerate(folds):
        seen = [example for other, fold in enumerate(folds) if other != number for example in fold]
        layers = await _fitted(seen, categories, encoder)
        messages = _as_people_write(unseen, chance)
        scores.append(await encoder.pooled(layers, [message.text for message in messages]))
        wanted += [[name in message.label.categories for name in categories] for message in messages]
    return Checked(np.concatenate(scores)[:, : len(categories)], np.array(wanted))


def in_folds(examples: Sequence[Example], slots: Slots) -> list[list[Example]]:
    """Share the blocks of each file, language and section evenly among the folds, and augment each fold."""
    sections: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        sections[example.block.rsplit("/", 1)[0]].add(example.block)
    blocks = [block for section in sorted(sections) for block in sorted(sections[section])]
    fold_of = {block: number % FOLDS for number, block in enumerate(blocks)}
    return [
        augment([example for example in examples if fold_of[example.block] == fold], slots, SEED + fold)
        for fold in range(FOLDS)
    ]


def _as_people_write(variants: Sequence[Example], chance: random.Random) -> list[Example]:
    """A third of the single wishes, as they stand, typed in haste or in a frame, and a tenth of the pairs."""
    singles = [variant for variant in variants if " " not in variant.block]
    pairs = [variant for variant in variants if " " in variant.block]
    return [*chance.sample(singles, len(singles) // 3), *chance.sample(pairs, len(pairs) // 10)]


async def _fitted(examples: Sequence[Example], categories: Sequence[str], encoder: Encoder) -> Layers:
    features = await encoder.features([example.text for example in examples])
    return train(features, _targets(examples, categories), SEED)


def _targets(examples: Sequence[Example], categories: Sequence[str]) -> Targets:
    wanted = [[*(name in one.label.categories for name in categories), *_qualities(one.label)] for one in examples]
    counts = np.ones((len(examples), len(categories) + len(QUALITIES)), np.float32)
    counts[:, -1] = [one.label.tells_fact is not None for one in examples]
    return Targets(np.array(wanted, np.float32), counts)


def _qualities(label: Label) -> tuple[bool, bool, bool]:
    return label.wish == "act", label.wish == "look", bool(label.tells_fact)


def calibrate(checked: Checked) -> tuple[float, float]:
    """Return the slope and shift under which the held-out messages are least surprising."""

    def surprise(slope: float, shift: float) -> float:
        signed = np.where(checked.wanted, 1, -1) * calibrated(checked.scores, slope, shift)
        return float(np.logaddexp(0, -signed).mean())

    return min(((slope, shift) for slope in _SLOPES for shift in _SHIFTS), key=lambda one: surprise(*one))


def threshold(checked: Checked, slope: float, shift: float) -> float:
    """Return the lowest confidence from which on 98 of 100 held-out messages were right."""
    log_odds = calibrated(checked.scores, slope, shift)
    right = np.all((log_odds > 0) == checked.wanted, axis=1)
    sureness = np.array([confidence(row) for row in log_odds])
    order = np.argsort(-sureness)
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(share >= SURE)
    last = int(enough[-1]) if len(enough) else 0
    sys.stdout.write(f"held out: {len(right)}, right {right.mean():.3f}, sure {(last + 1) / len(right):.3f}\n")
    return float(sureness[order[last]])


def digest_of(folder: Traversable) -> str:
    """Return a digest of the examples and of what counts as evidence in some of them.

    It tells a head that was fitted to others, or to the numbers of an older program.
    """
    lexicon = load_lexicon(folder / "lexicon")
    digest = hashlib.sha256("\n".join(evidence_names(lexicon)).encode())
    for number, example in enumerate(load_examples(folder)):
        digest.update(repr(example).encode())
        if number % _DIGESTED == 0:
            digest.update(evidence(example.text, lexicon).tobytes())
    return digest.hexdigest()


def with_encoder(work: Callable[[Embedder], Coroutine[Any, Any, T]]) -> T:
    """Run a fit over the encoder of this program.

    Raises:
        SystemExit: it is not installed.
    """
    embedder = LocalEmbedder.open()
    if embedder is None:
        raise SystemExit("the extra `local` is not installed")
    with closing(embedder):
        return asyncio.run(work(embedder))


def main() -> None:
    """Fit and write the head."""
    save_head(with_encoder(fit), Path(str(data_folder())) / "head.npz")


if __name__ == "__main__":
    main()
