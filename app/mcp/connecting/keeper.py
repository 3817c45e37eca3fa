"""Start a server, and end all that it ever started.

`python -I -S keeper.py RULESET GRACE_S COMMAND [ARGUMENT ...]`

This process stays the server's parent. Whatever the server starts and abandons, also in a session of its own,
becomes a child of this one (`PR_SET_CHILD_SUBREAPER`). It ends them when it is told to or the service is gone,
and ends itself when no child is left. Linux only.

RULESET is the descriptor of a ruleset of Landlock that the server enters, or "-". Run as a script, with nothing
of ours imported, between our process and a server.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

END: Final = signal.SIGUSR1
"""Ends all: what is there has the grace to end by itself, and again after SIGTERM, then it is killed."""
KILL: Final = signal.SIGUSR2
"""Kills all, now."""
_WAITED_FOR: Final = (signal.SIGCHLD, END, KILL)
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_CAPBSET_DROP: Final = 24
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_SET_NO_NEW_PRIVS: Final = 38
_RESTRICT_SELF: Final = 446
_CAPABILITIES: Final = range(64)
_LOOK_AGAIN_S: Final = 0.005


def main(ruleset: str, grace_s: float, command: list[str]) -> NoReturn:
    libc = ctypes.CDLL(None, use_errno=True)
    # What ends other processes does not end this one. Before this line there is nothing to end yet.
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(_PR_SET_PDEATHSIG, END, 0, 0, 0)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit(f"it cannot be kept together: {os.strerror(ctypes.get_errno())}")
    server = os.fork()
    if server == 0:
        os.setsid()
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        _become(libc, ruleset, command)
    os.chdir("/")
    for descriptor in (0, 1, 2, *(() if ruleset == "-" else (int(ruleset),))):
        os.close(descriptor)  # who reads and writes these learns when the server closes them
    sys.exit(_keep(server, grace_s))


def _become(libc: ctypes.CDLL, ruleset: str, command: list[str]) -> NoReturn:
    """Enter the ruleset, then become the server."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores them for itself, and what is ignored stays so in the next program.
        signal.signal(number, signal.SIG_DFL)
    if ruleset != "-":
        for capability in _CAPABILITIES:
            # Fails for whoever is not root, and so has none to lose.
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(_RESTRICT_SELF, int(ruleset), 0):
            sys.exit(f"it cannot be confined: {os.strerror(ctypes.get_errno())}")
        os.close(int(ruleset))
    try:
        os.execvp(command[0], command)  # noqa: S606 - no shell, on purpose
    except OSError as exc:
        sys.exit(f"{command[0]}: {exc.strerror}")


def _keep(server: int, grace_s: float) -> int:
    """Wait until nothing is left, and return how the server ended; once told to, see to it."""
    family = _Family(server)
    told = family.wait_for((END, KILL), None)
    if told == END:
        told = family.wait_for((KILL,), grace_s, until=lambda: family.is_server_gone)
    if told != KILL:
        for process in _below(os.getpid()):
            with suppress(OSError):
                os.kill(process, signal.SIGTERM)
        family.wait_for((KILL,), grace_s)
    while True:
        # Whoever is killed leaves its children to this process: they come next.
        for process in _below(os.getpid()):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        family.wait_for((), _LOOK_AGAIN_S)


class _Family:
    """The processes of a server, as its keeper hears of them."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._outcome = 0
        self.is_server_gone = False

    def wait_for(
        self, orders: tuple[int, ...], timeout_s: float | None, *, until: Callable[[], bool] = lambda: False
    ) -> int | None:
        """Wait for one of the orders and return it; None when the time is over or the condition holds.

        Raises:
            SystemExit: nothing is left.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            self._reap()
            if until():
                return None
            if deadline is None:
                number = signal.sigwait(_WAITED_FOR)
            else:
                got = signal.sigtimedwait(_WAITED_FOR, max(0.0, deadline - time.monotonic()))
                if got is None:
                    return None
                number = got.si_signo
            if number in orders:
                return number

    def _reap(self) -> None:
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                sys.exit(self._outcome)
            if process == 0:
                return
            if process == self._server:
                self.is_server_gone = True
                code = os.waitstatus_to_exitcode(status)
                self._outcome = code if code >= 0 else 128 - code


def _below(parent: int) -> list[int]:
    """Return all processes below one, as far as they stay where they are while this looks."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as stat:
                children.setdefault(int(stat.read().rpartition(b")")[2].split()[1]), []).append(int(name))
    found = list(children.get(parent, ()))
    for process in found:
        found += children.get(process, ())
    return found


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3:])
