"""A stand-in for `app.llm.llamacpp_server`: the same protocol in its own process, without a model.

The newest message of a request says what happens to it; see `Handler.ANSWERS`. Anything else is answered with the
request's own body as JSON.
"""

import json
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

Start = Literal["well", "not_installed", "unloadable", "dies", "babbles", "deaf"]

SLOW: Final = "a long prefix"
"""A prefix with these words is read to its end the second time only; the first time, a file "hanging" appears."""

OVERFLOW: Final[Mapping[str, object]] = MappingProxyType(
    {
        "code": 400,
        "message": "request (9030 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 9030,
        "n_ctx": 8192,
    }
)


def fake_server(start: Start = "well") -> tuple[str, ...]:
    """Return the command of a server that starts that way; "deaf" ignores SIGTERM and the end of its input."""
    return sys.executable, "-S", "-E", __file__, start


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.config = config
        self.is_hanging = threading.Event()
        self.was_left = threading.Event()
        self.may_begin = threading.Event()
        self.at_work: Counter[int] = Counter()
        self.slots: dict[int, str] = {}
        self.left: Counter[int] = Counter()
        self.actions: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Server
    slot: int
    is_at_work = False

    def do_GET(self) -> None:
        """Tell the slots; one whose request was left is at work still when it is looked at twice."""
        self.server.actions.append("look at slots")
        busy = self.server.at_work + self.server.left
        self.server.left -= Counter(set(range(3)) - set(+self.server.at_work))
        self._send_json([{"id": slot, "is_processing": busy[slot] > 0} for slot in range(3)])

    def do_POST(self) -> None:
        size_bytes = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(size_bytes))
        if self.headers["Authorization"] != f"Bearer {self.server.config['api_key']}":
            return self._fail(401, {"code": 401, "message": "Invalid API Key", "type": "authentication_error"})
        path, _, query = self.path.partition("?action=")
        if path.startswith("/slots/"):
            return self._act_on_slot(int(path.removeprefix("/slots/")), query, body["filename"])
        if path == "/completion":
            self.server.actions.append(f"set aside {body['id_slot']}")
            return self._send_json({"content": ""})
        said, self.slot = body["messages"][-1]["content"], body.get("id_slot", -1)
        if self.server.at_work[self.slot] or self.server.left[self.slot]:
            self.server.actions.append(f"spoil {self.slot}")
        self.server.at_work[self.slot] += 1
        self.is_at_work = True
        try:
            self._answer(said, body)
        finally:
            self._let_go()
        return None

    def _let_go(self) -> None:
        if self.is_at_work:
            self.is_at_work = False
            self.server.at_work[self.slot] -= 1

    def _answer(self, said: str, body: dict[str, Any]) -> None:
        self.server.slots[self.slot] = json.dumps(body["messages"])
        if said == ".":
            self.server.actions.append(f"read {body['id_slot']}")
            if SLOW in body["messages"][0]["content"] and not self.server.was_left.is_set():
                (Path(self.server.config["slot_dir"]) / "hanging").touch()
                self.hang()
                return
        if said in self.ANSWERS:
            self.ANSWERS[said](self)
        else:
            self._begin()
            self._say(json.dumps(body))
            self._end()

    def _act_on_slot(self, slot: int, action: str, filename: str) -> None:
        """Save and restore as llama.cpp does, down to the end of the process at a state that is none."""
        self.server.actions.append(f"{action} {slot}")
        state = Path(self.server.config["slot_dir"]) / filename
        if action == "save":
            state.write_text(self.server.slots[slot])
        elif not state.read_text().startswith("["):
            os.kill(os.getpid(), signal.SIGABRT)
            threading.Event().wait()
        else:
            self.server.slots[slot] = state.read_text()
        self._send_json({"id_slot": slot})

    def tell_actions(self) -> None:
        self._begin()
        self._say(json.dumps(self.server.actions))
        self._end()

    def hang(self) -> None:
        """Answer without end, and note when the client leaves."""
        try:
            self._begin()
            self._say("once ")
            self.server.is_hanging.set()
            self.connection.recv(1)
        finally:
            self.server.left[self.slot] = 2
            self.server.was_left.set()

    def begin_late(self) -> None:
        """Begin when another request says so, as a request does that is on its way still; then as `hang`."""
        self.server.is_hanging.set()
        self.server.may_begin.wait()
        self.hang()

    def let_begin(self) -> None:
        self.server.may_begin.set()
        self._begin()
        self._say("begun")
        self._end()

    def get_stuck(self) -> None:
        """Say marks without end, until the client leaves."""
        self._begin()
        self._say("So ")
        with suppress(OSError):
            while True:
                self._say("¡¡ !")
        self.server.was_left.set()

    def wait_until_hanging(self) -> None:
        self.server.is_hanging.wait()
        self._begin()
        self._say("hanging")
        self._end()

    def wait_until_left(self) -> None:
        self.server.was_left.wait()
        self._begin()
        self._say("left")
        self._end()

    def crash(self) -> None:
        self._begin()
        self._say("once ")
        os.kill(os.getpid(), signal.SIGKILL)

    def stop_short(self) -> None:
        self._begin()
        self._say("once ")

    def tell_config(self) -> None:
        self._begin()
        self._say(json.dumps({**self.server.config, "pid": os.getpid(), "spin": os.environ["GOMP_SPINCOUNT"]}))
        self._end()

    def think(self) -> None:
        self._begin()
        for piece in ("<think>Let me", " see.</thi", "nk>Four", "."):
            self._say(piece)
        self._end()

    def separate(self) -> None:
        """Say characters that some count as line ends, unescaped, as llama.cpp does."""
        self._begin()
        self._say("one\u2028two\u0085three")
        self._end()

    def run_on(self) -> None:
        self._begin()
        self._say("and so on")
        self._end(finish_reason="length")

    def call_tools(self) -> None:
        self._begin()
        for index, name in enumerate(("get_time", "calculate")):
            self._delta({"tool_calls": [{"index": index, "id": f"c{index}", "function": {"name": name}}]})
            for piece in ('{"x": ', f"{index}}}"):
                self._delta({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        self._end(finish_reason="tool_calls")

    def call_badly(self) -> None:
        self._begin()
        self._delta({"tool_calls": [{"index": 0, "function": {"name": "calculate", "arguments": '{"x": '}}]})
        self._end()

    def babble(self) -> None:
        self._begin()
        self._write('data: {"choices": [\n\n')

    def fail_midway(self) -> None:
        self._begin()
        self._say("once ")
        self._write(
            f"data: {json.dumps({'error': {'code': 500, 'message': 'out of luck', 'type': 'server_error'}})}\n\n"
        )

    ANSWERS: ClassVar[Mapping[str, Callable[["Handler"], None]]] = MappingProxyType(
        {
            "hang": hang,
            "begin late": begin_late,
            "let begin": let_begin,
            "get stuck": get_stuck,
            "wait until hanging": wait_until_hanging,
            "wait until left": wait_until_left,
            "crash": crash,
            "stop short": stop_short,
            "tell config": tell_config,
            "tell actions": tell_actions,
            "think": think,
            "separate": separate,
            "run on": run_on,
            "call tools": call_tools,
            "call badly": call_badly,
            "babble": babble,
            "fail midway": fail_midway,
            "overflow": lambda self: self._fail(400, dict(OVERFLOW)),
            "bad schema": lambda self: self._fail(400, {"code": 400, "message": "bad schema", "type": "x"}),
            "loading": lambda self: self._fail(503, {"code": 503, "message": "Loading model", "type": "x"}),
            "fail": lambda self: self._fail(500, {"code": 500, "message": "no luck", "type": "server_error"}),
            "fail plainly": lambda self: self._fail(502, "Bad Gateway"),
        }
    )

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has in the base class
        return None

    def _send_json(self, body: object) -> None:
        self.send_response(200)
        self.end_headers()
        self._write(json.dumps(body))

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self._write(": keep-alive\n\n")
        self._delta({"role": "assistant", "content": None})

    def _say(self, text: str) -> None:
        self._delta({"content": text})

    def _delta(self, delta: dict[str, Any], *, finish_reason: str | None = None) -> None:
        self._chunk({"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]})

    def _end(self, *, finish_reason: str = "stop") -> None:
        self._delta({}, finish_reason=finish_reason)
        usage = {"prompt_tokens": 542, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 527}}
        self._chunk({"choices": [], "usage": usage, "timings": {"cache_n": 527, "prompt_n": 15}})
        self._let_go()  # before the client can know, who may ask the slot again at once
        self._write("data: [DONE]\n\n")

    def _chunk(self, chunk: dict[str, Any]) -> None:
        self._write(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n")

    def _write(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    def _fail(self, status: int, error: object) -> None:
        self.send_response(status)
        self.end_headers()
        self._write(error if isinstance(error, str) else json.dumps({"error": error}))


def main(start: Start) -> int:
    config = json.loads(sys.stdin.readline())
    if start == "not_installed":
        tell({"error": "the package xllamacpp is not installed"})
        return 3
    if start == "unloadable":
        tell({"error": f"{config['model_path']} cannot be loaded"})
        return 4
    if start == "dies":
        return 1
    if start == "babbles":
        tell("Hello there")
    if start == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = Server(config)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tell({"address": f"http://127.0.0.1:{server.server_port}"})
    sys.stdin.read()
    if start == "deaf":
        threading.Event().wait()
    return 0


def tell(fact: object) -> None:
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))  # type: ignore[arg-type]  # written by `fake_server`
