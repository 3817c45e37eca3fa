"""Lexicons: words by topic from one file for each language."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS, Lexicon
from app.memory import lexicon as facts


def package_of(folder: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> str:
    package = folder / "some_words"
    package.mkdir()
    (package / "__init__.py").touch()
    for language, text in files.items():
        (package / f"{language}.toml").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, package.name, raising=False)
    return package.name


def test_the_words_of_all_languages_stand_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = package_of(
        tmp_path,
        monkeypatch,
        es='days = "hoy ayer"\n[pets]\ncat = "gato gata"\ndog = "perro"',
        en='days = """\ntoday\n"""\n[pets]\ncat = "cat"\ndog = ""',
    )
    words = Lexicon.of(name)
    assert words["days"] == {"hoy", "ayer", "today"}
    assert words.table("pets") == {"cat": {"gato", "gata", "cat"}, "dog": {"perro"}}


def test_a_word_is_read_as_people_spell_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = package_of(
        tmp_path,
        monkeypatch,
        es='more = "tambien"\nasks = ["tambien <word>"]',
        en='more = "and"\nasks = ["and <word>"]',
    )
    words = Lexicon.of(name)
    assert {"tambien", "tmb", "and", "nd"} <= words["more"]
    asked = re.compile(words.pattern("asks"))
    assert [one for one in ("tmb pan", "nd rice", "tampoco pan") if asked.fullmatch(one)] == ["tmb pan", "nd rice"]


@pytest.mark.parametrize(
    ("spanish", "reason"),
    [
        ('days = "hoy"', "no words for months in es.toml"),
        ('days = 3\nmonths = ""', "days is neither words, nor phrases, nor a table"),
        ("days", r"es\.toml: Expected '=' after a key"),
    ],
)
def test_what_a_language_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spanish: str, reason: str
) -> None:
    name = package_of(tmp_path, monkeypatch, es=spanish, en='days = "today"\nmonths = "may"')
    with pytest.raises(ValueError, match=reason):
        Lexicon.of(name)


def test_phrases_find_words_with_and_without_accents_endings_and_gaps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = package_of(
        tmp_path,
        monkeypatch,
        es='told = ["mi <pet> ... se_llama/tiene_<number>", "busca+ ya?"]\nbefore = ["yo? no?"]\n'
        '[pets]\ncat = "gato"\n[lists]\npet = "{pets} mascota"\nenclitics = "lo la"',
        en='told = ["my <pet> \'s name is", "~ist"]\nbefore = []\n[pets]\ncat = "cat"\n[lists]\npet = "{pets}"',
    )
    told = re.compile(Lexicon.of(name).pattern("told", before="before"))
    for text in (
        "mi gato se llama",
        "mi gatos muy viejo tiene 12",
        "yo no búscalo ya",
        "my cat's name is",
        "dentist",
    ):
        assert told.fullmatch(text), text
    for text in ("mi gato es uno dos tres se llama", "buscamelo", "mi perro se llama", "my cat name is"):
        assert told.search(text) is None, text


def test_every_word_is_folded() -> None:
    every = [word for tongue in COMMON_WORDS.tongues for topic in tongue.words.values() for word in topic]
    every += [*facts.RELATIONS, *facts.CONDITIONS, *facts.MONTHS, *facts.NEGATIONS, *facts.FILLER, *facts.SHIFTS]
    every += [word for words in facts.CATEGORY_WORDS.values() for word in words]
    assert [word for word in every if word != fold(word)] == []
    assert "setiembre" in facts.MONTHS


def test_every_topic_that_code_asks_a_lexicon_for_is_there() -> None:
    root = Path(__file__).resolve().parents[1]
    asked = 0
    for path in (root / "app").rglob("*.py"):
        if "exicon" not in (source := path.read_text("utf-8")):
            continue
        topics = [
            (node.value.id, node.slice.value)
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        ]
        if not topics:
            continue
        module = importlib.import_module(
            ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        )
        for name, topic in topics:
            if isinstance(words := getattr(module, name, None), Lexicon):
                asked += 1
                assert topic in words.words, f"{path.name}: {name}[{topic!r}]"
    assert asked
