"""No input of a stranger, a model or a server makes a parser crash or take long; an hour of it: `tests.fuzz`."""

import random
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Rejected
from app.media.heavy.faults import Fault
from tests.fuzz import MAX_CHARS, SLOW_S, TARGETS, Target, made_of, seconds_of
from tests.fuzz_archives import SAMPLES, has_documents, read_backup, zipped

TRIES = 5
needs_documents = pytest.mark.skipif(
    not has_documents(), reason="the libraries that read documents are not installed"
)


@pytest.mark.parametrize("name", TARGETS)
@given(data=st.data())
def test_a_parser_takes_or_refuses_whatever_comes(name: str, data: st.DataObject) -> None:
    target = TARGETS[name]
    pieces = st.lists(st.one_of(st.sampled_from(target.seeds), st.text(max_size=20)), max_size=12)
    seconds_of(target, "".join(data.draw(pieces))[: target.max_chars])


@pytest.mark.parametrize("name", TARGETS)
def test_a_parser_is_done_with_a_long_text_of_anything_soon(name: str) -> None:
    target, chance = TARGETS[name], random.Random(1)
    texts = [seed * (MAX_CHARS // len(seed) + 1) for seed in target.seeds]
    texts.append(made_of(target.seeds, chance))
    slow = [text[:60] for text in texts if _least_seconds(target, text[: target.max_chars]) >= SLOW_S]
    assert slow == []


def _least_seconds(target: Target, text: str) -> float:
    """A busy machine makes a reading longer, never shorter."""
    least = seconds_of(target, text)
    for _ in range(TRIES - 1):
        if least < SLOW_S:
            break
        least = min(least, seconds_of(target, text))
    return least


def test_an_archive_that_is_not_broken_is_read() -> None:
    read_backup("")


@pytest.mark.parametrize("text", ["\x00\n", "999999999999>]>"], ids=["offset", "name"])
def test_a_broken_backup_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(Rejected, match="backup_damaged"):
        read_backup(text)


@needs_documents
def test_a_book_whose_kind_cannot_be_unpacked_is_damaged(tmp_path: Path) -> None:
    data = bytearray(zipped(SAMPLES["epub"]))
    begin = data.index(b"mimetype") + len(b"mimetype")
    data[begin : begin + 8] = b"\xff" * 8
    path = tmp_path / "a.epub"
    path.write_bytes(data)
    with pytest.raises(Fault) as raised:
        import_module("app.media.heavy.documents").run(path=str(path), filename=path.name)
    assert raised.value.code == "damaged"


@needs_documents
def test_a_sheet_that_does_not_say_how_wide_it_is_has_the_columns_that_are_used(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(zipped(SAMPLES["xlsx"]))
    read = import_module("app.media.heavy.documents").run(path=str(path), filename=path.name)

    [table] = read["tables"]
    assert len(table["columns"]) == 2, table
