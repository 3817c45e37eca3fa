"""How messages relate to what was just done: the head against a hand that it has not seen, and its parts."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.local_embedder import LocalEmbedder
from app.skills.following.fit import load_examples
from app.skills.following.following import SURELY
from app.skills.following.relations import (
    KINDS,
    MASK,
    RELATIONS,
    Kind,
    RelationReader,
    data_folder,
    masked,
)
from app.skills.sorting.small_fit import digest_of
from app.skills.sorting.small_head import load_head
from app.skills.tools.reminders.clauses import clauses
from app.skills.tools.reminders.followed import new_time_in

CHECK: Final = Path(__file__).parent / "data" / "following.toml"
BRACED: Final = re.compile(r"\{([^{}]*)\}")
NOON: Final = datetime(2026, 11, 18, 12, 0)


@pytest.fixture(scope="module")
def reader() -> Iterator[RelationReader]:
    embedder = LocalEmbedder.open()
    if embedder is None:
        pytest.skip("the optional extra `local` is not installed")
    with closing(embedder):
        opened = RelationReader.open(embedder)
        assert opened is not None
        yield opened


def test_the_fitted_head_belongs_to_the_examples() -> None:
    assert load_head(data_folder() / "head.npz").digest == digest_of(data_folder()), (
        "run `python -m app.skills.following.fit`"
    )


def test_examples_and_held_out_messages_have_nothing_in_common() -> None:
    known = {one.text.casefold() for name in ("en.toml", "es.toml") for one in load_examples(data_folder() / name)}
    held_out = {one.text.casefold() for one in load_examples(CHECK)}
    assert len(held_out) > 450
    assert known.isdisjoint(held_out)


async def test_what_a_stranger_says_next_is_read_right(reader: RelationReader) -> None:
    right, sure = Counter[bool](), Counter[tuple[str, bool]]()
    for kind, tables in tomllib.loads(CHECK.read_text("utf-8")).items():
        for relation, table in tables.items():
            for said in table["said"]:
                found = await reader.read(
                    BRACED.sub(r"\1", said), cast(Kind, kind), " ".join(BRACED.findall(said))
                )
                right[found.relation == relation] += 1
                sure[found.relation, found.relation == relation] += found.probability >= SURELY

    assert right[True] / right.total() > 0.85
    acts = [name for name in RELATIONS if name not in {"ask", "other"}]
    wrong, well = sum(sure[name, False] for name in acts), sum(sure[name, True] for name in acts)
    assert wrong / (wrong + well) < 0.1
    assert sure["ask", False] / (sure["ask", False] + sure["ask", True]) < 0.05


@pytest.mark.parametrize(
    ("text", "kind", "spoken", "relation"),
    [
        ("ah y mi hija pide galletas tb", "list", "pan", "more"),
        ("mom says candles 2 pls", "list", "balloons", "more"),
        ("q no sea tan largo xq es pal grupo", "text", "mensaje para el grupo", "change"),
        ("sacale las velas porfa xq ya ai", "list", "velas, globos", "off"),
    ],
)
async def test_words_are_read_as_people_spell_them(
    reader: RelationReader, text: str, kind: Kind, spoken: str, relation: str
) -> None:
    found = await reader.read(text, kind, spoken)
    assert (found.relation, found.probability >= SURELY) == (relation, True)


@pytest.mark.parametrize(
    ("text", "spoken", "shown"),
    [
        ("take the Oat Milk off", "oat milk, bread", "take the # off"),
        ("los huevos sácalos", "6 huevos", "los # sácalos"),
        ("is the vet's number there", "ring the vet", "is the #'s number there"),
        ("nothing of it", "oat milk", "nothing of it"),
        ("", "oat milk", ""),
    ],
)
def test_words_of_the_thing_are_masked(text: str, spoken: str, shown: str) -> None:
    assert masked(text, spoken) == shown


@given(st.text(max_size=60), st.text(max_size=60))
def test_masking_only_takes_words_away(text: str, spoken: str) -> None:
    pieces = [one for one in masked(text, spoken).split(MASK) if one]
    place = 0
    for piece in pieces:
        place = text.find(piece, place)
        assert place >= 0
        place += len(piece)


def test_every_kind_and_relation_has_examples() -> None:
    examples = [one for name in ("en.toml", "es.toml") for one in load_examples(data_folder() / name)]
    found = {(one.kind, one.relation) for one in examples}
    assert {kind for kind, _ in found} == set(KINDS)
    assert {relation for _, relation in found} == set(RELATIONS)


@pytest.mark.parametrize(
    ("said", "when"),
    [
        ("no, at nine I'm in court. better at 11", "better at 11"),
        ("quarter to seven, the ferry goes at 8", "quarter to seven"),
        ("the boss says friday", ""),
        ("it will be late", ""),
    ],
)
def test_the_clause_with_the_new_time_is_found(said: str, when: str) -> None:
    assert new_time_in(clauses(said), NOON, "en") == when
