"""One process for each data directory; the lock ends with its holder, however that one ends."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.database.lock import single_process
from app.domain.errors import ConfigError
from tests.harness import running_app

HOLDER = """
import sys
from pathlib import Path
from app.database.lock import single_process
with single_process(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def start_holder(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock until its standard input is closed."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_another_process_is_refused_and_told_which_setting_is_concerned(tmp_path: Path) -> None:
    path = tmp_path / "data" / "app.lock"
    with start_holder(path) as holder:
        with pytest.raises(ConfigError) as caught, single_process(path):
            pass
        holder.communicate()
    assert caught.value.code == "DATA_DIR"
    assert str(path.parent) in caught.value.detail


def test_the_lock_is_free_again_when_its_holder_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "app.lock"
    with start_holder(path) as holder:
        holder.kill()
        holder.communicate()
    assert holder.returncode == -signal.SIGKILL
    with single_process(path):
        pass


def test_a_second_start_in_the_same_process_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "app.lock"
    with single_process(path), pytest.raises(ConfigError), single_process(path):
        pass


def test_the_lock_is_free_again_after_an_error_inside(tmp_path: Path) -> None:
    path = tmp_path / "app.lock"
    with pytest.raises(LookupError), single_process(path):
        raise LookupError
    with single_process(path):
        pass


def test_two_data_directories_do_not_disturb_each_other(tmp_path: Path) -> None:
    with single_process(tmp_path / "one" / "app.lock"), single_process(tmp_path / "two" / "app.lock"):
        pass


def test_a_child_process_does_not_inherit_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "app.lock"
    command = [sys.executable, "-c", "print('started', flush=True); input()"]
    with single_process(path):
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
        assert child.stdout is not None
        assert child.stdout.readline() == b"started\n"
    try:
        with single_process(path):
            pass
    finally:
        child.communicate(b"\n")


def test_two_data_directories_cannot_share_a_database(tmp_path: Path) -> None:
    database = tmp_path / "shared.db"
    (tmp_path / "link").symlink_to(tmp_path)
    with single_process(tmp_path / "one" / "app.lock", database=database):
        for spelling in (database, tmp_path / "link" / "shared.db"):
            other = single_process(tmp_path / "two" / "app.lock", database=spelling)
            with pytest.raises(ConfigError) as caught, other:
                pass
            assert caught.value.code == "DATABASE_PATH"
    with single_process(tmp_path / "two" / "app.lock", database=database):
        pass


async def test_two_services_with_data_directories_of_their_own_cannot_share_a_database(tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    async with running_app(tmp_path / "one", database_path=database):
        with pytest.raises(ConfigError) as caught:
            async with running_app(tmp_path / "two", database_path=database):
                pass
    assert caught.value.code == "DATABASE_PATH"


def test_a_database_in_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    nowhere = tmp_path / "no" / "such" / "x.db"
    with pytest.raises(ConfigError) as caught, single_process(tmp_path / "app.lock", database=nowhere):
        pass
    assert caught.value.code == "DATABASE_PATH"


def test_a_data_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a directory")
    with pytest.raises(ConfigError) as caught, single_process(tmp_path / "data" / "app.lock"):
        pass
    assert caught.value.code == "DATA_DIR"
