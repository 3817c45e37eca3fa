"""Tests in forked processes (tests/forked.py) are told as they are without them."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest

_ROOT: Final = Path(__file__).parents[1]
_ENDING: Final = """
import os, signal, sys, time, warnings
import pytest

@pytest.fixture(scope="module")
def counted():
    made = [len(list(range(3)))]
    yield made
    assert made == [3, "used", "used"]

@pytest.fixture
def broken():
    raise LookupError("no such fixture today")

@pytest.fixture(scope="session")
def bad_at_the_end(tmp_path_factory):
    yield tmp_path_factory.mktemp("of_session")
    raise OSError("the session's fixture does not end")

def test_first_of_a_module(counted):
    counted.append("used")

def test_second_of_a_module(counted):
    counted.append("used")

def test_fails():
    print("said before it failed")
    assert [1, 2, 3] == [1, 2, 4]

def test_errs(broken):
    pass

def test_is_skipped():
    pytest.skip("for a reason")

@pytest.mark.xfail(reason="known", strict=True)
def test_fails_as_expected():
    raise ValueError

def test_is_killed():
    os.kill(os.getpid(), signal.SIGKILL)

def test_after_a_death():
    pass

def test_leaves_quietly():
    os._exit(0)

@pytest.mark.timeout(0.5)
def test_hangs():
    time.sleep(60)

def test_warns():
    warnings.warn("mind the step", UserWarning)

def test_writes_a_file(tmp_path, bad_at_the_end):
    (tmp_path / "file").touch()
    assert "fork" in str(tmp_path) and "fork" in str(bad_at_the_end)

def test_without_standard_input():
    with pytest.raises(OSError):
        sys.stdin.read()
"""
_SLOW: Final = "\n".join(
    f"def test_slow_{number}():\n    __import__('time').sleep(0.05)\n" for number in range(60)
)


def _run(folder: Path, *options: str, **modules: str) -> tuple[int, str, Mapping[str, ElementTree.Element]]:
    """Run these modules in two forks; returns the exit code, what was printed, and the cases of the XML."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    plugins = ("-p", "tests.forked", "-p", "pytest_timeout", "--forked", "2")
    command = [sys.executable, "-m", "pytest", *plugins, "--junitxml", "told.xml", *options]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    cases = ElementTree.parse(folder / "told.xml").iter("testcase")
    return done.returncode, done.stdout + done.stderr, {str(case.get("name")): case for case in cases}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, Mapping[str, ElementTree.Element]]:
    return _run(tmp_path_factory.mktemp("ending"), "--durations=3", test_ending=_ENDING)


def test_each_end_of_a_test_is_told(told: tuple[int, str, Mapping[str, ElementTree.Element]]) -> None:
    code, text, cases = told
    ends = {name: [part.tag for part in case if not part.tag.startswith("system")] for name, case in cases.items()}

    assert code == pytest.ExitCode.TESTS_FAILED
    assert "4 failed, 6 passed, 1 skipped, 1 xfailed, 1 warning, 2 errors" in text, text
    assert ends == {
        "test_first_of_a_module": [],
        "test_second_of_a_module": [],
        "test_fails": ["failure"],
        "test_errs": ["error"],
        "test_is_skipped": ["skipped"],
        "test_fails_as_expected": ["skipped"],
        "test_is_killed": ["failure"],
        "test_after_a_death": [],
        "test_leaves_quietly": ["failure"],
        "test_hangs": ["failure"],
        "test_warns": [],
        "test_writes_a_file": [],
        "test_without_standard_input": ["error"],
    }


def test_a_failure_comes_with_its_traceback(told: tuple[int, str, Mapping[str, ElementTree.Element]]) -> None:
    _, text, cases = told

    for part in ("assert [1, 2, 3] == [1, 2, 4]", "At index 2 diff: 3 != 4", "said before it failed"):
        assert part in text
    assert "LookupError: no such fixture today" in text
    assert "OSError: the session's fixture does not end" in text
    assert "UserWarning: mind the step" in text
    assert "Timeout" in str(cases["test_hangs"][0].get("message"))
    assert "slowest 3 durations" in text


def test_a_death_is_told_with_its_signal(told: tuple[int, str, Mapping[str, ElementTree.Element]]) -> None:
    _, text, cases = told

    assert "exit code -9" in str(cases["test_is_killed"][0].text)
    assert "exit code 0" in str(cases["test_leaves_quietly"][0].text)
    assert "FAILED test_ending.py::test_is_killed" in text


def test_first_failure_ends_all_processes(tmp_path: Path) -> None:
    failing = "def test_fails():\n    assert False\n"

    code, text, cases = _run(tmp_path, "-x", test_one=failing, test_other=_SLOW)

    assert code == pytest.ExitCode.TESTS_FAILED
    assert "stopping after 1 failures" in text
    assert len(cases) < 30


def test_a_module_that_cannot_be_imported_ends_the_run_before_a_test(tmp_path: Path) -> None:
    code, text, cases = _run(tmp_path, test_one="import no_such_module", test_other=_SLOW)

    assert code == pytest.ExitCode.INTERRUPTED
    assert "no_such_module" in text
    assert [*cases] == ["test_one"]
