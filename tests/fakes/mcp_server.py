"""A stdio MCP server of the 2025-06-18 era made of the standard library alone, so that it starts in 50 ms.

Run as a script by tests. Its tools do to a client what servers in the world do. Switches: `--die-at-start`,
`--hang-at-start`, `--die-on-unknown` (ends at the first method it does not know, as some servers do),
`--stubborn` (outlives the end of its input, and SIGTERM).
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

NO_ARGUMENTS = {"type": "object", "properties": {}}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "echo",
        "description": "Echo text back.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        "annotations": {"readOnlyHint": True},
    },
    {"name": "raw", "inputSchema": {"type": "object", "additionalProperties": True}},
    {"name": "pid", "inputSchema": NO_ARGUMENTS},
    {"name": "environment", "inputSchema": NO_ARGUMENTS},
    {"name": "where", "inputSchema": NO_ARGUMENTS},
    {"name": "fail", "inputSchema": NO_ARGUMENTS},
    {"name": "crash", "inputSchema": NO_ARGUMENTS},
    {"name": "silence", "inputSchema": NO_ARGUMENTS},
    {"name": "freeze", "inputSchema": NO_ARGUMENTS},
    {"name": "big", "inputSchema": {"type": "object", "properties": {"size": {"type": "integer"}}}},
    {"name": "intricate", "inputSchema": NO_ARGUMENTS},
    {"name": "damaged", "inputSchema": NO_ARGUMENTS},
    {"name": "complain", "inputSchema": NO_ARGUMENTS},
    {"name": "flood_log", "inputSchema": NO_ARGUMENTS},
    {"name": "flood", "inputSchema": NO_ARGUMENTS},
    {"name": "have_child", "inputSchema": NO_ARGUMENTS},
    {"name": "have_daemon", "inputSchema": NO_ARGUMENTS},
    {"name": "grow", "inputSchema": NO_ARGUMENTS},
    {"name": "ask", "inputSchema": {"type": "object", "properties": {"item": {"type": "string"}}}},
    # What the protocol forbids and servers send all the same.
    {"name": "no_schema"},
    {"name": "untyped", "inputSchema": {"properties": {"q": True}}, "description": 7},
    {"name": 3},
]
LOCK = threading.Lock()
WAITING: dict[str, tuple[int, str]] = {}
Tool = Callable[[int, dict[str, Any]], None]


def send(**message: object) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode())


def write(line: bytes) -> None:
    with LOCK:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()


def answer(request_id: object, text: str, **more: object) -> None:
    send(id=request_id, result={"content": [{"type": "text", "text": text}], **more})


def flood_log() -> None:
    line = b"x" * 200 + b"\n"
    while True:
        os.write(2, line * 50)


def flood() -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 100}}
    lines = [json.dumps(note).encode(), b"this is no JSON-RPC", b'{"jsonrpc": "2.0", "method": 5}']
    while True:
        for line in lines:
            write(line)


def crash(request_id: int, arguments: dict[str, Any]) -> None:
    os._exit(42)


def send_intricate(request_id: int, arguments: dict[str, Any]) -> None:
    inside = b",".join([b"[]"] * 1_000_000)
    write(
        b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"a":[%s]}}}' % (request_id, inside)
    )


def send_damaged(request_id: int, arguments: dict[str, Any]) -> None:
    text = b'"half a pair \\ud83d and no UTF-8 \xff"'
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}' % (request_id, text))


def complain(request_id: int, arguments: dict[str, Any]) -> None:
    os.write(2, f"the key is {os.environ.get('API_KEY')}\n".encode())
    answer(request_id, "complained")


def begin(work: Callable[[], None]) -> Tool:
    def tool(request_id: int, arguments: dict[str, Any]) -> None:
        threading.Thread(target=work, daemon=True).start()
        answer(request_id, "begun")

    return tool


def have_child(request_id: int, arguments: dict[str, Any]) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    answer(request_id, str(child.pid))


def have_daemon(request_id: int, arguments: dict[str, Any]) -> None:
    """Leave a process in a session of its own, whose parent is gone, and which does not end when told to."""
    told, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            os.write(tell, str(os.getpid()).encode())
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"])
        os._exit(0)
    os.wait()
    answer(request_id, os.read(told, 20).decode())


def grow(request_id: int, arguments: dict[str, Any]) -> None:
    TOOLS.append({"name": f"extra{len(TOOLS)}", "inputSchema": NO_ARGUMENTS})
    send(method="notifications/tools/list_changed")
    answer(request_id, "grown")


def ask(request_id: int, arguments: dict[str, Any]) -> None:
    WAITING[f"q{request_id}"] = (request_id, arguments["item"])
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    params = {"message": f"Really delete {arguments['item']}?", "requestedSchema": schema}
    send(id=f"q{request_id}", method="elicitation/create", params=params)


DEEDS: dict[str, Tool] = {
    "echo": lambda request_id, arguments: answer(request_id, arguments["text"]),
    "raw": lambda request_id, arguments: answer(request_id, json.dumps(arguments)),
    "pid": lambda request_id, arguments: answer(request_id, str(os.getpid())),
    "environment": lambda request_id, arguments: answer(request_id, json.dumps(dict(os.environ))),
    "where": lambda request_id, arguments: answer(request_id, os.getcwd()),
    "fail": lambda request_id, arguments: answer(request_id, "no such thing", isError=True),
    "crash": crash,
    "silence": lambda request_id, arguments: None,
    "freeze": lambda request_id, arguments: time.sleep(600),
    "big": lambda request_id, arguments: answer(request_id, "x" * arguments["size"]),
    "intricate": send_intricate,
    "damaged": send_damaged,
    "complain": complain,
    "flood_log": begin(flood_log),
    "flood": begin(flood),
    "have_child": have_child,
    "have_daemon": have_daemon,
    "grow": grow,
    "ask": ask,
    "no_schema": lambda request_id, arguments: answer(request_id, "called no_schema"),
}


def take_answer(message: dict[str, Any]) -> None:
    request_id, item = WAITING.pop(message["id"])
    result = message.get("result") or {}
    is_yes = result.get("action") == "accept" and result["content"]["ok"]
    answer(request_id, f"deleted {item}" if is_yes else f"kept {item} ({result.get('action')})")


def handle(message: dict[str, Any]) -> None:
    if "method" not in message:
        take_answer(message)
    elif "id" in message:
        request_id, params = message["id"], message.get("params") or {}
        match message["method"]:
            case "initialize":
                info = {"name": "fake", "version": "0"}
                send(
                    id=request_id,
                    result={
                        "protocolVersion": "2025-06-18",
                        "capabilities": {"tools": {"listChanged": True}},
                        "serverInfo": info,
                    },
                )
            case "tools/list":
                send(id=request_id, result={"tools": TOOLS})
            case "tools/call":
                DEEDS[params["name"]](request_id, params.get("arguments") or {})
            case _ if "--die-on-unknown" in sys.argv:
                os._exit(1)
            case _:
                send(id=request_id, error={"code": -32601, "message": "Method not found"})


def main() -> None:
    if "--die-at-start" in sys.argv:
        sys.exit("boom at start")
    if "--hang-at-start" in sys.argv:
        time.sleep(600)
    if "--stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        handle(json.loads(line))
    if "--stubborn" in sys.argv:
        time.sleep(600)


if __name__ == "__main__":
    main()
