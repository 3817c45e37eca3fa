"""Keep what this process holds from the programs that it starts."""

import ctypes
import sys
from typing import Final

import structlog

_PR_SET_DUMPABLE: Final = 4

log = structlog.get_logger(__name__)


def close_memory() -> None:
    """Let no program of the same account read this process's memory, environment or open files.

    A server (MCP) runs as our account, and the kernel would show it our tokens in `environ` and `mem`.
    What this process starts is readable as ever once it runs its own program. Linux only; root can always look.
    """
    if sys.platform != "linux":
        return
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        log.warning("process.memory_open", errno=ctypes.get_errno())
