"""Where tests keep their files, and who loads what they need (tests/fixtures.py).

Of several processes, one hands the tests out and runs none: all others wait for it while it imports, for two
seconds with the application.
"""

import gc
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

# The tests start the program dozens of times: what is compiled once is kept, whatever the shell says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# The terminal is spoken to in the language of its locale: for tests in English, whoever runs them.
os.environ["LC_ALL"] = "C.UTF-8"

_ROOM_BYTES: Final = 2_000_000_000
_MEMORY: Final = Path("/dev/shm")


def _keep_files_in_memory() -> None:
    """Keep what tests write in memory, where there is room and programs may run: nothing waits for a disk.

    Each commit waits for it, and a test survives kills, not power cuts. TMPDIR decides otherwise.
    """
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK | os.X_OK):
        return
    room = os.statvfs(_MEMORY)
    if room.f_bavail * room.f_frsize >= _ROOM_BYTES and not room.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None


_keep_files_in_memory()


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.import_plugin("tests.forked")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("dist", "no") != "no":
        return
    # Importing makes hundreds of thousands of objects and no garbage: to look for some was a sixth of it.
    gc.disable()
    config.pluginmanager.import_plugin("tests.fixtures")
