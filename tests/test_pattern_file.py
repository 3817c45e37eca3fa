"""Compiled patterns on disk: the same as `re.compile` makes, and made anew wherever anything differs."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from app.language.pattern_file import PatternFile

PATTERNS = (
    (r"\b(?P<day>lunes|martes)\b(?: a las (\d{1,2}))?", re.IGNORECASE),
    (r"(?<!\w)(?:[eéè]l|l[aá])\s+(?=\S)", re.IGNORECASE | re.MULTILINE),
    (r"(?i:hola)(?P<rest>[^\n?]{0,40}?)(?P=rest)\Z", 0),
    (r"(?s)a.b", re.ASCII),
    ("", 0),
    ("[😀-😎]|[一-龥]+", 0),
)
KEYS = [(pattern, int(flags)) for pattern, flags in PATTERNS]
FINGERPRINT = """
import hashlib, sys
import app.cli.main
from app.language.late import each_loaded
told = sorted((one.pattern, one.flags) for one in each_loaded())
print(len(told), hashlib.sha256(repr(told).encode()).hexdigest())
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that keeps the patterns above."""
    kept = tmp_path / "kept" / "late.patterns"
    _compile_all(kept)
    return kept


def test_kept_patterns_are_what_re_compile_returns(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [re.compile(pattern, flags) for pattern, flags in PATTERNS]
    nobody_compiles(monkeypatch)
    found = _compile_all(path)
    assert found == expected
    assert [one.groupindex for one in found] == [one.groupindex for one in expected]
    assert [one.groups for one in found] == [one.groups for one in expected]
    at = found[0].search("el Martes a las 9")
    assert at is not None
    assert (at["day"], at[2], at.lastindex) == ("Martes", "9", 2)


def test_a_start_that_compiles_nothing_leaves_the_file(path: Path) -> None:
    before = path.stat()
    _compile_all(path)
    assert path.stat() == before


def test_only_what_is_wanted_is_kept_whoever_compiled_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size, file, wanted = path.stat().st_size, PatternFile(path), KEYS[:2]
    file.keep([])
    assert path.stat().st_size == size
    file.compile("another", 0)
    file.keep([*wanted, ("another", 0), ("never compiled", 0)])
    assert path.stat().st_size < size
    nobody_compiles(monkeypatch)
    again = PatternFile(path)
    assert [again.compile(*key).pattern for key in (*wanted, ("another", 0))]
    with pytest.raises(AssertionError):  # it is compiled
        again.compile(*KEYS[2])


@pytest.mark.parametrize("damage", [b"", b"\0" * 100, None])
def test_a_damaged_file_is_made_anew(path: Path, damage: bytes | None, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [re.compile(pattern, flags) for pattern, flags in PATTERNS]
    path.write_bytes(path.read_bytes()[:-1] + b"?" if damage is None else damage)
    assert _compile_all(path) == expected
    nobody_compiles(monkeypatch)
    assert _compile_all(path) == expected


def test_another_python_compiles_for_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = path.read_bytes()
    monkeypatch.setattr(sys, "version", f"{sys.version} (another)")
    assert _compile_all(path) == [re.compile(pattern, flags) for pattern, flags in PATTERNS]
    assert path.read_bytes() != kept


def test_without_this_interface_patterns_are_compiled_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.language.pattern_file._laid_out", lambda pattern, flags: None)
    assert _compile_all(tmp_path / "late.patterns") == [re.compile(pattern, flags) for pattern, flags in PATTERNS]


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert len(_compile_all(tmp_path / "file" / "late.patterns")) == len(PATTERNS)


def test_what_is_no_pattern_is_refused(tmp_path: Path) -> None:
    with pytest.raises(re.error, match="unterminated"):
        PatternFile(tmp_path / "late.patterns").compile("(a", 0)


def test_patterns_are_the_same_in_every_process() -> None:
    """Words come from sets, whose order differs: a pattern made in that order would be compiled at each start."""
    told = [
        subprocess.run(
            [sys.executable, "-c", FINGERPRINT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert int(told[0].split()[0]) > 500
    assert told[0] == told[1]


def nobody_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("it is compiled")

    monkeypatch.setattr(import_module("re._parser"), "parse", refuse)


def _compile_all(path: Path) -> list[re.Pattern[str]]:
    file = PatternFile(path)
    found = [file.compile(*key) for key in KEYS]
    file.keep(KEYS)
    return found
