"""The sets that judge the assistant stay apart from what it is made of: prompts, examples, words, texts, code."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from app.domain.wording import fold

ROOT: Final = Path(__file__).resolve().parents[1]
SETS: Final = [one for one in sorted((ROOT / "tests" / "bench_model").glob("*.json")) if one.name != "talk.json"]
PRODUCT: Final = ("*.py", "*.toml", "*.md", "*.po")
# `talk.json` is for seconds, not for what is right. Shorter ones may be a part of what everybody says; as a whole
# example or a quoted sentence they do not stand in the product either.
MIN_WORDS: Final = 6
MIN_WORDS_WHOLE: Final = 2
QUOTED: Final = re.compile(r'"([^"\n]{4,200})"')
WORD: Final = re.compile(r"\w+")


def plain(text: str) -> str:
    return f" {' '.join(WORD.findall(fold(text)))} "


def sentences(value: object) -> Iterator[str]:
    """What people say in a set: under these keys, at whatever depth."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from _texts(inside) if key in {"turns", "say", "text", "message", "says"} else sentences(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from sentences(inside)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inside in value.values() if isinstance(value, dict) else value:
            yield from _texts(inside)


@pytest.fixture(scope="module")
def product() -> dict[str, str]:
    files = [file for pattern in PRODUCT for file in sorted((ROOT / "app").rglob(pattern))]
    return {str(file.relative_to(ROOT)): plain(file.read_text("utf-8")) for file in files}


@pytest.fixture(scope="module")
def examples() -> set[tuple[str, str]]:
    """What stands in quotation marks in the product, each with its file."""
    return {
        (str(one.relative_to(ROOT)), plain(text))
        for pattern in PRODUCT
        for one in sorted((ROOT / "app").rglob(pattern))
        for text in QUOTED.findall(one.read_text("utf-8"))
    }


@pytest.mark.parametrize("file", SETS, ids=lambda file: file.name)
def test_no_sentence_of_a_set_stands_in_the_product(file: Path, product: dict[str, str]) -> None:
    said = {plain(text) for text in sentences(json.loads(file.read_text("utf-8")))}
    assert said, "the set holds nothing that a person says"
    found = {
        (name, text) for name, content in product.items() for text in said if _is_long(text) and text in content
    }
    # Counted, not shown: who builds must not read the set that is kept apart.
    places = sorted({name for name, _ in found})
    assert (len(found), places) == (0, [])


@pytest.mark.parametrize("file", SETS, ids=lambda file: file.name)
def test_no_example_of_the_product_is_a_whole_sentence_of_a_set(
    file: Path, examples: set[tuple[str, str]]
) -> None:
    said = {plain(text) for text in sentences(json.loads(file.read_text("utf-8")))}
    said = {text for text in said if len(text.split()) >= MIN_WORDS_WHOLE}
    assert len(examples) > 10_000, "the examples were not found"
    found = [(name, text) for name, text in examples if text in said]
    places = sorted({name for name, _ in found})
    assert (len(found), places) == (0, [])


def _is_long(text: str) -> bool:
    return len(text.split()) >= MIN_WORDS
