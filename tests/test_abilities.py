"""An ability is one folder and one line: without them the rest works as before."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from app.bootstrap.abilities import ABILITIES
from tests.rooms import ability_names

ROOT: Final = Path(__file__).resolve().parents[1]
_FOLDERS: Final = {path.parent.name for path in (ROOT / "app/skills/tools").glob("*/ability.py")}
SMALL: Final = sorted(ability_names() & _FOLDERS)
COPIED: Final = ("app", "tests", "skills", "pyproject.toml", ".env.example", "constraints.txt", "CLAUDE.md")
MOST: Final = ("--ignore=tests/bench", "--ignore=tests/test_abilities.py", "tests")
CORE: Final = tuple(
    f"tests/{name}.py"
    for name in (
        "test_architecture",
        "test_examples",
        "test_isolation",
        "test_migrate",
        "test_texts",
        "test_tool_catalog",
        "test_tool_index",
        "e2e/test_conversation",
        "e2e/test_tools",
    )
)
"""What would notice a gap: every table, sentence and tool, and a running application."""


def test_every_ability_brings_sentences_for_its_tools_and_tests_of_its_own() -> None:
    for name in SMALL:
        folder = ROOT / "app/skills/tools" / name
        if list(folder.glob("*_tools.py")):
            assert (folder / "examples.toml").is_file(), name
            assert (folder / "SKILL.md").is_file(), name
            assert list((ROOT / "tests/abilities" / name).glob("test_*.py")), name


def test_no_ability_is_listed_twice() -> None:
    assert len(set(map(id, ABILITIES))) == len(ABILITIES)


def without(name: str, folder: Path) -> Path:
    """A copy of the project that never had the ability."""
    for part in COPIED:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, folder / part)
    shutil.rmtree(folder / "app/skills/tools" / name)
    shutil.rmtree(folder / "tests/abilities" / name, ignore_errors=True)
    listing = folder / "app/bootstrap/abilities.py"
    lines = [line for line in listing.read_text("utf-8").splitlines() if not re.search(rf"\b{name}\b", line)]
    listing.write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def run(folder: Path, program: str, *arguments: str) -> None:
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
def test_without_an_ability_the_rest_works(name: str, tmp_path: Path) -> None:
    folder = without(name, tmp_path)
    run(folder, "mypy", "app", "tests")
    run(folder, "lint-imports")
    run(folder, "pytest", "-q", "-p", "no:cacheprovider", *CORE)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["notes", "weather"])
def test_without_an_ability_every_other_test_passes(name: str, tmp_path: Path) -> None:
    folder = without(name, tmp_path)
    run(folder, "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *MOST)
