"""The child process: takes one task on standard input, writes one answer to standard output, and ends.

usage: python -m app.media.worker
The libraries are imported here alone, after the limits are set, so the service itself stays small.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from app.media.heavy.faults import Fault

_MIB: Final = 1024 * 1024
_MAX_WRITTEN_BYTES: Final = 64 * _MIB
_PARENT_DEATH_SIGNAL: Final = 1
_NICE: Final = 10
_PART: Final = 50
TASKS: Final[Mapping[str, tuple[str, int]]] = MappingProxyType(
    {
        "read_document": ("documents", 1536),
        "query_table": ("tables", 1536),
        "read_picture": ("pictures", 3072),
        "hear": ("hearing", 4096),
        "speak": ("speaking", 4096),
        "shrink_picture": ("shrinking", 1536),
        "look": ("looking", 16_384),
        "draw_chart": ("charts", 2048),
        "write_document": ("writing", 1024),
    }
)
"""The module of each task, and how much memory (MiB of address space) it may take."""


def main() -> None:
    """Do what standard input asks for."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries that print must not spoil the answer
    request = json.load(sys.stdin)
    module, memory_mib = TASKS[request["task"]]
    _limit(memory_mib, request["cpu_s"])
    result, fault = None, None
    try:
        result = _run(module, request["arguments"])
    except Fault as exc:
        fault = {"code": exc.code, "detail": exc.detail}
    except MemoryError:
        fault = {"code": "too_much_memory"}
    for line in _lines(result, fault):
        # Half of a pair of surrogates is no text that anything else takes.
        answers.write(json.dumps(line, ensure_ascii=False).encode(errors="replace") + b"\n")
    answers.flush()
    # Some libraries take seconds to tidy up, or crash while they do.
    os._exit(0)


def _lines(result: Mapping[str, object] | None, fault: object) -> Iterator[Mapping[str, object]]:
    """Yield the answer in parts, long lists some items at a time: parsing one part keeps nobody waiting."""
    lists = {key: value for key, value in (result or {}).items() if isinstance(value, list) and len(value) > _PART}
    yield {
        "result": None if result is None else {**result, **{key: [] for key in lists}},
        "fault": fault,
    }
    for key, value in lists.items():
        for start in range(0, len(value), _PART):
            yield {"more_of": key, "items": value[start : start + _PART]}


def _run(module: str, arguments: Mapping[str, Any]) -> Mapping[str, object]:
    try:
        loaded = import_module(f"app.media.heavy.{module}")
    except ImportError as exc:
        raise Fault("not_installed", exc.name or "") from exc
    result: Mapping[str, object] = loaded.run(**arguments)
    return result


def _limit(memory_mib: int, cpu_s: int) -> None:
    """Bound what a file can do here, and end with whoever started this."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_mib * _MIB,) * 2)
    cores = os.cpu_count() or 1
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s * cores,) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_WRITTEN_BYTES,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_NICE)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


if __name__ == "__main__":
    main()
