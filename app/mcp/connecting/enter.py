"""Enter a ruleset of Landlock, then become a program: `python -I -S enter.py DESCRIPTOR COMMAND [ARGUMENT ...]`.

Run as a script, with nothing of ours imported, between our process and a server.
"""

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_CAPBSET_DROP: Final = 24
_RESTRICT_SELF: Final = 446
_CAPABILITIES: Final = range(64)


def main(descriptor: int, command: list[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores them for itself, and what is ignored stays so in the next program.
        signal.signal(number, signal.SIG_DFL)
    for capability in _CAPABILITIES:
        # Fails for whoever is not root, and so has none to lose.
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(_RESTRICT_SELF, descriptor, 0):
        sys.exit(f"it cannot be confined: {os.strerror(ctypes.get_errno())}")
    os.close(descriptor)
    try:
        os.execvp(command[0], command)  # noqa: S606 - no shell, on purpose
    except OSError as exc:
        sys.exit(f"{command[0]}: {exc.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
