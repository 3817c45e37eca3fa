"""A local server (MCP) runs as the service's account, and reaches neither its files nor another server."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from app.mcp.connecting.landlock import version
from tests.e2e.test_closed_memory import settings

SECRET = "k3y-of-the-other-server"
VICTIM = """
import pathlib, time
pathlib.Path("kept.txt").write_text("what the other server keeps")
time.sleep(600)
"""
SPY = """
import json, os, pathlib, subprocess, sys, tempfile, time
place, given = pathlib.Path(PLACE), pathlib.Path(sys.argv[1])
data = place / "data"
other = data / "mcp" / "work" / "victim"
deadline = time.monotonic() + 200
while not (other / "kept.txt").exists() and time.monotonic() < deadline:
    time.sleep(0.01)

def victims():
    of_victim = str(place / "programs" / "victim.py").encode()
    for one in pathlib.Path("/proc").iterdir():
        try:
            if one.name.isdigit() and of_victim in (one / "cmdline").read_bytes():
                return (one / "environ").read_bytes()
        except OSError:
            continue  # closed to us, or a process of somebody else that just ended
    raise PermissionError

def replaced():
    target = data / "mcp_servers.json"
    target.rename(data / "moved.json")
    (data / "moved.json").rename(target)

attempts = {
    "the database": lambda: (data / "wasap.db").read_bytes(),
    "the list of the data folder": lambda: os.listdir(data),
    "the settings": lambda: (place / ".env").read_text(),
    "the secrets of servers": lambda: (data / "mcp_secrets.json").read_text(),
    "another server's folder": lambda: (other / "kept.txt").read_text(),
    "another server's log": lambda: (data / "mcp" / "logs" / "victim.log").read_text(),
    "another server's variables": victims,
    "a person's files": lambda: (data / "users" / "ann" / "letter.txt").read_text(),
    "the keys of the account": lambda: (place / "home" / ".ssh" / "id").read_text(),
    "the settings through a link": lambda: through_link(place / ".env"),
    "to replace the list of servers": replaced,
    "to write beside the database": lambda: (data / "new.txt").write_text("x"),
    "to signal its keeper": lambda: os.kill(os.getppid(), 0),
    "to signal the service": lambda: os.kill(parent_of(os.getppid()), 0),
    "a child of its own with more": lambda: subprocess.run(["cat", str(place / ".env")], check=True),
}

def parent_of(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])

def through_link(target):
    link = pathlib.Path("link")
    link.unlink(missing_ok=True)
    link.symlink_to(target)
    return link.read_text()

allowed = {
    "its own folder": lambda: pathlib.Path("mine.txt").write_text("x"),
    "its home": lambda: pathlib.Path.home().joinpath(".cache").mkdir(exist_ok=True),
    "a moment's file": lambda: tempfile.TemporaryFile().close(),
    "the folder it was given": lambda: (given / "new.txt").write_text((given / "old.txt").read_text()),
    "to move between folders": lambda: os.renames("mine.txt", "sub/mine.txt"),
    "the names of hosts": lambda: pathlib.Path("/etc/hosts").read_text(),
    "to start a program": lambda: subprocess.run(["sh", "-c", "echo > /dev/null"], check=True),
}

def outcome(act):
    try:
        act()
    except (OSError, subprocess.SubprocessError) as exc:
        return "denied"
    return "done"

found = {name: outcome(act) for name, act in {**attempts, **allowed}.items()}
done = {name for name in found if found[name] == "done"}
told = {
    "reached": sorted(done & attempts.keys()),
    "denied": sorted(attempts.keys() - done),
    "kept_from": sorted(allowed.keys() - done),
}
pathlib.Path("told.new").write_text(json.dumps(told))
os.replace("told.new", "told.json")
sys.stdin.read()
"""

PATIENCE_S: Final = 200
"""A busy machine needs long to start the service and what it starts."""

pytestmark = [
    pytest.mark.lengthy,
    pytest.mark.skipif(version() == 0, reason="this system has no Landlock that can be used"),
    pytest.mark.timeout(300),  # the service is started, which a busy machine makes long
]


Told = Mapping[str, list[str]]


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder on the disk: shared memory, where other tests may be, is open to every server."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder).resolve()


@pytest.fixture(scope="module")
def told(place: Path) -> Iterator[Mapping[str, Told]]:
    """What each of three servers that try everything could do; one service runs them, and none needs another."""
    data, programs, given = place / "data", place / "programs", place / "given"
    for folder in (data / "users" / "ann", programs, given, place / "home" / ".ssh"):
        folder.mkdir(parents=True)
    (place / ".env").write_text("TIMEZONE=UTC\n", "utf-8")
    (place / "home" / ".ssh" / "id").write_text("a key", "utf-8")
    (given / "old.txt").write_text("the operator's", "utf-8")
    (data / "users" / "ann" / "letter.txt").write_text("dear", "utf-8")
    (programs / "spy.py").write_text(f"PLACE = {str(place)!r}\n{SPY}", "utf-8")
    (programs / "victim.py").write_text(VICTIM, "utf-8")
    python = {"command": sys.executable}
    spy = {**python, "args": ["-I", "-S", str(programs / "spy.py"), str(given)], "connect_timeout_s": 60}
    spies = {
        "confined": spy,
        "let_out": {**spy, "confined": False},
        "given_more": {**spy, "folders": [str(place), str(data)]},
    }
    victim = {**python, "args": ["-I", "-S", str(programs / "victim.py")], "env": {"ITS_TOKEN": "${MCP_T}"}}
    (data / "mcp_servers.json").write_text(json.dumps({"servers": {"victim": victim, **spies}}), "utf-8")
    (data / "mcp_secrets.json").write_text(json.dumps({"MCP_T": SECRET}), "utf-8")
    files = {name: data / "mcp" / "work" / name / "told.json" for name in spies}
    with subprocess.Popen(
        [sys.executable, "-m", "app", "serve"],
        cwd=place,
        env={**os.environ, **settings(data), "HOME": str(place / "home")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as service:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not all(map(Path.exists, files.values())) and service.poll() is None:
                assert time.monotonic() < deadline, [name for name, file in files.items() if not file.exists()]
                time.sleep(0.05)
            yield {name: json.loads(file.read_text("utf-8")) for name, file in files.items()}
        finally:
            service.terminate()


def test_a_confined_server_reaches_nothing_of_ours_and_all_that_it_was_given(told: Mapping[str, Told]) -> None:
    assert told["confined"]["reached"] == []
    assert told["confined"]["kept_from"] == []
    assert len(told["confined"]["denied"]) == 15


def test_a_server_that_its_operator_lets_out_reaches_all_of_it(told: Mapping[str, Told]) -> None:
    assert told["let_out"]["denied"] == []
    assert told["let_out"]["kept_from"] == []


def test_a_folder_that_holds_our_files_is_given_without_them(told: Mapping[str, Told]) -> None:
    assert told["given_more"]["reached"] == ["the keys of the account"]
    assert told["given_more"]["kept_from"] == []
