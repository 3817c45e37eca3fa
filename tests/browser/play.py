"""What the scripted model says in front of the browser, and the picture that is sent there."""

import struct
import zlib
from typing import Final

from app.domain.chat import ChatRequest, ChatResponse, ToolCall, Usage
from tests.fakes.llm import last_user_text

MAX_LINES: Final = 300
USAGE: Final = Usage(prompt_tokens=412, completion_tokens=38, cached_tokens=296, calls=1)
SNIPPET: Final = """Post JSON and show only the status:

```
curl -s -o /dev/null -w '%{http_code}' \\
  -H 'Content-Type: application/json' \\
  -d '{"hello": "world"}' localhost:8000
```

It prints **200** when all is well."""
SUMMARY: Final = """**Formatting**

- **bold**, *italic*, ~~struck~~ and `code`
- a second point

1. first
2. second

> quoted words"""


def play(request: ChatRequest) -> ChatResponse:
    """Answer by what the person said; sums and files go through their tools first."""
    said = last_user_text(request)
    is_after_tool = request.messages[-1].role == "tool"
    if "you cannot see what it shows" in said:
        return _say("A lovely caption.")
    if "17" in said:
        return _say("17 × 24 = **408**") if is_after_tool else _call("calculate", {"expression": "17*24"})
    if "shopping" in said.lower():
        arguments: dict[str, object] = {"path": "shopping.txt", "content": "rice, eggs, tomatoes"}
        return _say("Saved as `shopping.txt`.") if is_after_tool else _call("write_file", arguments)
    if "curl" in said:
        return _say(SNIPPET)
    if "format" in said.lower():
        return _say(SUMMARY)
    return _say(f"You said: {said}")


def _say(text: str) -> ChatResponse:
    return ChatResponse(text, usage=USAGE)


def _call(tool: str, arguments: dict[str, object]) -> ChatResponse:
    return ChatResponse("", (ToolCall("call-1", tool, arguments),), USAGE)


def picture(width: int = 330, height: int = 220) -> bytes:
    """A PNG of hills in the evening, drawn here so that no file has to be kept (PNG: W3C, third edition)."""
    rows = bytearray()
    for y in range(height):
        rows.append(0)  # no filter
        for x in range(width):
            rows.extend(_colour(x / width, y / height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(bytes(rows), 9)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _colour(x: float, y: float) -> tuple[int, int, int]:
    if (x - 0.7) ** 2 * 2.2 + (y - 0.42) ** 2 < 0.008:
        return 255, 236, 190
    for crest, ground in ((0.86, (24, 60, 62)), (0.74, (52, 92, 96)), (0.6, (96, 125, 130))):
        if y > crest + 0.12 * abs((x * 2.2 + crest * 3) % 1 - 0.5):
            return ground
    return int(250 - 70 * y), int(170 + 30 * y), int(120 + 90 * y)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
