"""What any test may need, and nothing about one feature: fixtures, and what happens around the collection.

Loaded by tests/conftest.py in a process that runs tests, not in one that only hands them out.
"""

import gc
import importlib
import io
import logging
import os
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import ExitStack, redirect_stdout, suppress
from pathlib import Path
from typing import Final

import pytest
import structlog
from hypothesis import HealthCheck, settings

from app.database.db import Engine
from tests.databases import SOCKETS, SWITCH, is_on_server, lay_down
from tests.harness import AppUnderTest, running_app
from tests.object_store import ObjectStore, running_store
from tests.object_store import why_there_is_none as why_there_is_no_store
from tests.postgresql import Server, running_server, why_there_is_none
from tests.rooms import ability_names

# A busy machine is no fault of the code under test: neither deadlines nor slow generation fail an example.
_SUPPRESSED: Final = (HealthCheck.too_slow,)
# The same examples each time: a change is judged by what it did, and "nightly" looks for what nobody thought of.
settings.register_profile(
    "check", deadline=None, max_examples=25, derandomize=True, suppress_health_check=_SUPPRESSED
)
settings.register_profile("nightly", deadline=None, max_examples=1000, suppress_health_check=_SUPPRESSED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))

_LONG_TEST_S: Final = 900
_LONG_MARKS: Final = frozenset({"long", "live", "live_servers", "browser"})


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import a share of the modules of tests before the others, where several processes collect all of them.

    In a new checkout each would compile each module, for five seconds; so each finds what the others compiled.
    What cannot be imported is told by the collection that follows.
    """
    worker = getattr(session.config, "workerinput", None)
    folders = [session.config.invocation_params.dir / arg for arg in session.config.args]
    if worker is None or not all(folder.is_dir() for folder in folders):
        return
    number, count = int(worker["workerid"].removeprefix("gw")), int(worker["workercount"])
    for file in sorted(file for folder in folders for file in folder.rglob("test_*.py"))[number::count]:
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests that take minutes a limit of their own; skip those that need an ability that is gone."""
    there = ability_names()
    for item in items:
        for mark in list(item.iter_markers()):
            if mark.name in _LONG_MARKS:
                item.add_marker(pytest.mark.timeout(_LONG_TEST_S))
            elif mark.name == "sqlite" and is_on_server():
                item.add_marker(pytest.mark.skip(f"is about SQLite: {mark.args[0]}"))
            elif mark.name == "needs":
                for missing in {*mark.args} - there:
                    item.add_marker(pytest.mark.skip(f"there is no ability {missing}"))


SERVERS: Final = pytest.StashKey[ExitStack]()
SERVER: Final = pytest.StashKey[Server]()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the collector of garbage look only at what tests make, not at all modules again each time."""
    gc.freeze()
    # Seven hundred new objects, the default, are there after each statement: a tree of syntax took twice its time.
    gc.set_threshold(10_000)
    gc.enable()
    if not session.config.option.collectonly and is_on_server() and (reason := why_there_is_none()):
        raise pytest.UsageError(f"{SWITCH}: {reason}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Start PostgreSQL for the first test of this process that needs it: here no test's limit of time runs."""
    stash = item.config.stash
    needs = is_on_server() or {"postgresql", "engine"} & {*getattr(item, "fixturenames", ())}
    if needs and SERVER not in stash and why_there_is_none() is None:
        with redirect_stdout(io.StringIO()):  # what it says belongs to no test
            server = stash[SERVER] = stash.setdefault(SERVERS, ExitStack()).enter_context(running_server())
        os.environ[SOCKETS] = str(server.folder)
    return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    if (servers := config.stash.get(SERVERS, None)) is not None:
        servers.close()


@pytest.fixture(autouse=True)
def untouched_logging() -> Iterator[None]:
    """What a test sets up for logging, a command line under test included, ends with it."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    # Drawing a traceback with all its locals takes seconds on a busy machine, inside the event loop.
    plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], plain])
    yield
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


@pytest.fixture(autouse=is_on_server())
def swept_server(pytestconfig: pytest.Config) -> Iterator[None]:
    """Where the application's database is on a server, a test leaves none there."""
    yield
    pytestconfig.stash[SERVER].sweep()


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    """A running application with an echoing model, a simulated Graph and a clock that stands still."""
    async with running_app(tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def postgresql(pytestconfig: pytest.Config) -> Server:
    """A PostgreSQL that runs as long as the tests of this process; skips where there is none."""
    if reason := why_there_is_none():
        pytest.skip(reason)
    return pytestconfig.stash[SERVER]


@pytest.fixture(scope="session")
def object_store() -> Iterator[ObjectStore]:
    """A server that speaks S3 as long as the tests of this process run; skips where there is none."""
    if reason := why_there_is_no_store():
        pytest.skip(reason)
    with running_store() as store:
        yield store


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each of the databases that the application runs on."""
    found: Engine = request.param
    return found


@pytest.fixture
async def database(engine: Engine, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new database is that has the application's tables, on each engine."""
    if engine == "sqlite":
        await lay_down(tmp_path / "wasap.db")
        return str(tmp_path / "wasap.db")
    server: Server = request.getfixturevalue("postgresql")
    return server.clean()
