"""The bundled model's own process: loads the model and serves it on loopback until its parent is gone.

Run as `python -m app.llm.llamacpp_server` by `app.llm.llamacpp`. One JSON object (`ServerConfig`) comes in
on standard input, which then stays open for as long as the parent lives; one goes out on standard output:
`{"address": "http://…"}` once requests are served, or `{"error": "…"}` when that will never be.
Everything else that this process and llama.cpp say goes to standard error.
"""

import ctypes
import json
import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

try:
    import xllamacpp

    IS_INSTALLED = True
except ImportError:
    IS_INSTALLED = False

EXIT_NOT_INSTALLED: Final = 3
EXIT_NOT_LOADED: Final = 4

_PR_SET_PDEATHSIG: Final = 1  # prctl(2)
_OOM_SCORE_ADJ: Final = 500
SLOTS: Final = 3
"""How many prompts the model holds at a time: each has the whole context for itself."""
# A call is cancelled, and another slot's call let in, only between two batches of a prompt. 64 tokens take
# about a second on two cores and are read as fast, one by one, as in llama.cpp's default of 2048.
_BATCH_TOKENS: Final = 64
_PROMPT_CACHE_MIB: Final = 512
# The share of a prompt that a slot must hold already to go on there. With less, as when another person writes,
# what is there is kept in memory, and what fits better is looked for: all conversations begin with the same text.
_SAME_CONVERSATION: Final = 0.6
_WARNINGS: Final = 2


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """What the parent asks for. `context_tokens` is what one conversation may hold, prompt and answer.

    States of slots may be saved in `slot_dir`, which must exist; nowhere without one.
    """

    model_path: str
    model_name: str
    context_tokens: int
    threads: int
    api_key: str
    slot_dir: str = ""


def main() -> int:
    """Serve until standard input ends; returns the exit status if it cannot begin to."""
    config = ServerConfig(**json.loads(sys.stdin.readline()))
    _end_with_parent()
    _be_first_to_go()
    parent = _take_standard_output()
    if not IS_INSTALLED:
        _tell(
            parent,
            error="xllamacpp cannot be loaded; run: pip install 'wasap[local]' (needs the system's libgomp)",
        )
        return EXIT_NOT_INSTALLED
    threading.Thread(target=_exit_at_end_of_input, daemon=True).start()
    try:
        server = xllamacpp.Server(server_params(config))
    except (RuntimeError, ValueError) as exc:
        _tell(parent, error=f"{config.model_path} cannot be loaded: {exc}")
        return EXIT_NOT_LOADED
    _tell(parent, address=server.listening_address)
    threading.Event().wait()
    return 0


def server_params(config: ServerConfig) -> Any:
    """Translate our settings into llama.cpp's (`common_params` of its `common/common.h`)."""
    params = xllamacpp.CommonParams()
    params.model.path = config.model_path
    params.model_alias = {config.model_name}
    params.port = 0
    params.api_keys = [config.api_key]
    params.n_parallel = SLOTS
    # The context is divided among the slots; in one that they share (`kv_unified`), a long turn would
    # crowd out the short calls.
    params.n_ctx = config.context_tokens * SLOTS
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = config.threads
    # Prompts that left their slot wait in memory for the next turn; the default is 8 GB.
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    # Only what leaves a slot is kept: copies of what stays would push out the beginnings of calls.
    params.cache_idle_slots = False
    params.slot_prompt_similarity = _SAME_CONVERSATION
    # Fitting to the device measures what we set ourselves; without it, loading takes 1.4 s instead of 4.2 s.
    params.fit_params = False
    params.verbosity = _WARNINGS
    params.ui = False
    params.endpoint_slots = True
    if config.slot_dir:
        # Only the end of the path tells llama.cpp that it is a folder.
        params.slot_save_path = f"{config.slot_dir.rstrip('/')}/"
    return params


def _end_with_parent() -> None:
    """Have the kernel kill this process with its parent (Linux), however that one ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _be_first_to_go() -> None:
    """Offer this process to the kernel when memory runs out: it can be started again, a turn cannot."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE_ADJ), encoding="ascii")


def _take_standard_output() -> IO[str]:
    """Keep standard output for our one line, and send what native code prints there to standard error."""
    parent = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return parent


def _exit_at_end_of_input() -> None:
    sys.stdin.read()
    # Native threads are in the middle of their work; waiting for them would keep the memory.
    os._exit(0)


def _tell(parent: IO[str], **facts: str) -> None:
    print(json.dumps(facts), file=parent, flush=True)


if __name__ == "__main__":
    sys.exit(main())
