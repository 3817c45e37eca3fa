"""Run tests in processes that are forked after one collection: `pytest --forked 4`.

Four processes of pytest-xdist each import the application, collect ten thousand tests, and compile the same
patterns. Here one process does so once. Its children take the tests of one module after another and send it their
reports; it tells them as if it had run the tests itself, so that `-x`, `--durations` and `--junitxml` work. When a
child dies, the test that it was running fails by its name, and a new child takes the rest of the module.
"""

import gc
import os
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn, cast

import pytest

from app.language.late import compile_all


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--forked", type=int, default=0, metavar="N", help="run tests in N forks of this process")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Let children run the tests; leave it to pytest where none is to be run, or one with a debugger."""
    count, option = session.config.getoption("forked"), session.config.option
    cannot_begin = session.testsfailed and not option.continue_on_collection_errors
    if count < 1 or option.collectonly or option.usepdb or cannot_begin:
        return None
    compile_all()
    gc.freeze()
    MainProcess(session).run(count)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


def grouped(items: Sequence[pytest.Item]) -> list[list[int]]:
    """Return the numbers of each module's tests, which share its fixtures.

    The lengthy ones come first, which would be waited for at the end, then the module with most of them.
    """
    groups: dict[str, list[int]] = {}
    lengthy: set[str] = set()
    for number, item in enumerate(items):
        module = item.nodeid.partition("::")[0]
        groups.setdefault(module, []).append(number)
        if item.get_closest_marker("lengthy") is not None:
            lengthy.add(module)
    names = sorted(groups, key=lambda name: (name in lengthy, len(groups[name])), reverse=True)
    return [groups[name] for name in names]


@dataclass
class Child:
    """A process, and the numbers of the tests that it has yet to tell of: it is running the first of them."""

    pid: int
    to_run: deque[int] = field(default_factory=deque)
    last: int = 0
    has_ended: bool = False


class MainProcess:
    """Hands the tests out, and tells what the children report."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._hook = session.config.hook
        self._groups = deque(grouped(session.items))
        self._children: dict[Connection, Child] = {}
        self._forks = 0

    def run(self, count: int) -> None:
        """Run all tests in that many processes at a time; returns when the last of them has ended."""
        try:
            for _ in range(min(count, len(self._groups))):
                self._fork()
            while self._children:
                for connection in wait([*self._children]):
                    self._hear(cast("Connection", connection))
        finally:  # something is left only where this process was interrupted: a child ends after its test
            for connection, child in self._children.items():
                connection.close()
                os.waitpid(child.pid, 0)

    def _fork(self) -> None:
        ours, theirs = Pipe()
        self._forks += 1
        temporary: Any = self._session.config
        folder = temporary._tmp_path_factory.getbasetemp() / f"fork{self._forks}"
        sys.stdout.flush()  # what waits in a buffer would be written by both
        sys.stderr.flush()
        if (pid := os.fork()) == 0:
            for connection in (ours, *self._children):
                connection.close()
            folder.mkdir(mode=0o700)
            temporary._tmp_path_factory._basetemp = folder
            _be_a_child(self._session, theirs)
        theirs.close()
        self._children[ours] = Child(pid)
        self._hand_out(ours)

    def _hand_out(self, connection: Connection) -> None:
        """Send the child its next tests, none where there are no more."""
        group = self._groups.popleft() if self._groups and not self._is_over() else []
        self._children[connection].to_run.extend(group)
        self._send(connection, group)

    def _send(self, connection: Connection, group: list[int]) -> None:
        with suppress(OSError):  # it is dead: its end is heard next
            connection.send(group)

    def _hear(self, connection: Connection) -> None:
        """Take one message of a child: what became of a test, or of the fixtures that it kept until its end."""
        child = self._children[connection]
        message = None
        with suppress(EOFError, OSError):
            message = connection.recv()
        if message is None:
            self._bury(connection)
            return
        child.has_ended, stop, reports, warned = message
        if not child.has_ended:
            child.last = child.to_run.popleft()
        self._tell(child.last, reports, warned)
        self._session.shouldstop = self._session.shouldstop or stop
        if self._is_over():
            for each in self._children:
                self._send(each, [])
        elif not child.to_run and not child.has_ended:
            self._hand_out(connection)

    def _tell(self, number: int, reports: Sequence[dict[str, Any]], warned: Sequence[dict[str, Any]]) -> None:
        """Tell of a test as if it had run here."""
        item = self._session.items[number]
        self._hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for one in warned:
            self._hook.pytest_warning_recorded.call_historic(kwargs=one)
        for data in reports:
            report = self._hook.pytest_report_from_serializable(config=self._session.config, data=data)
            self._hook.pytest_runtest_logreport(report=report)
        self._hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _bury(self, connection: Connection) -> None:
        """Forget a child that has ended; if it died, fail the test it was running, and let another go on."""
        child = self._children.pop(connection)
        connection.close()
        _, status = os.waitpid(child.pid, 0)
        if child.has_ended:
            return
        number = child.to_run.popleft() if child.to_run else child.last
        item = self._session.items[number]
        died = f"The process of this test died: exit code {os.waitstatus_to_exitcode(status)} (below 0: a signal)"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", died, "call")
        data = self._hook.pytest_report_to_serializable(config=self._session.config, report=report)
        self._tell(number, [data], [])
        if child.to_run:
            self._groups.appendleft([*child.to_run])
        if self._groups and not self._is_over():
            self._fork()

    def _is_over(self) -> bool:
        return bool(self._session.shouldfail or self._session.shouldstop)


class Relay:
    """Stands where the terminal was, in a child: keeps what is told of a test until it is sent."""

    def __init__(self, config: pytest.Config, writer: object) -> None:
        self._config = config
        self._tw = writer  # what pytest and its plugins write to when they look for the terminal
        self._told: tuple[list[Any], list[Any]] = ([], [])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self._config.hook
        self._told[0].append(hook.pytest_report_to_serializable(config=self._config, report=report))

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, when: str, nodeid: str) -> None:
        one = warning_message
        # As a text: an object of a warning need not survive the way.
        sent = warnings.WarningMessage(str(one.message), one.category, one.filename, one.lineno)
        self._told[1].append({"warning_message": sent, "when": when, "nodeid": nodeid, "location": None})

    def take(self) -> tuple[list[Any], list[Any]]:
        """Return what was told since the last time: reports, warnings."""
        told, self._told = self._told, ([], [])
        return told


def _be_a_child(session: pytest.Session, connection: Connection) -> NoReturn:
    """Run what the main process hands out until that is nothing, undo all fixtures, and end this process."""
    code = 1
    try:
        plugins = session.config.pluginmanager
        terminal: Any = plugins.unregister(name="terminalreporter")
        relay = Relay(session.config, terminal._tw)
        plugins.register(relay, "terminalreporter")
        relay.take()  # warnings from before the fork are told again to each new plugin
        if capture := plugins.get_plugin("capturemanager"):
            capture.stop_global_capturing()  # its files belong to all processes
            capture.start_global_capturing()
            capture.suspend_global_capture()
        _run_groups(session, connection, relay)
        code = 0
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        pass  # the main process was interrupted, too, or is gone
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            session.config.hook.pytest_unconfigure(config=session.config)
            sys.stdout.flush()
        finally:
            os._exit(code)


def _run_groups(session: pytest.Session, connection: Connection, relay: Relay) -> None:
    item, stop = session.items[0], None
    try:
        while group := connection.recv():
            for place, number in enumerate(group, start=1):
                if stop or connection.poll():
                    break
                item = session.items[number]
                # After the last one of a module, its fixtures end and those of the session stay.
                following = session.items[group[place]] if place < len(group) else session
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                stop = session.shouldstop or session.shouldfail
                connection.send((False, stop, *relay.take()))
    finally:
        ended = pytest.CallInfo.from_call(lambda: session._setupstate.teardown_exact(None), when="teardown")
    if ended.excinfo:
        relay.pytest_runtest_logreport(item.ihook.pytest_runtest_makereport(item=item, call=ended))
    connection.send((True, stop, *relay.take()))
