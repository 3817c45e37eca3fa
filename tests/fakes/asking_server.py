"""A stdio MCP server of the 2025-06-18 era that wants to know something before it answers.

Run as a script by tests; made of the standard library alone. `sign_up` asks for a key, `delete` for a yes,
`book` for how many and an address for the bill; each returns what it was told.
"""

import json
import sys
from typing import Any

NO_ARGUMENTS = {"type": "object", "properties": {}}
TOOLS = [
    {"name": name, "description": name, "inputSchema": NO_ARGUMENTS} for name in ("sign_up", "delete", "book")
]
KEY = {"type": "object", "properties": {"key": {"type": "string", "title": "Your key"}}, "required": ["key"]}
PARTY = {
    "type": "object",
    "properties": {
        "guests": {"type": "integer", "title": "Guests", "minimum": 1, "maximum": 8},
        "bill": {"type": "string", "title": "Bill to", "format": "email"},
    },
    "required": ["guests", "bill"],
}
QUESTIONS = {
    "sign_up": {"message": "Which key do you use?", "requestedSchema": KEY},
    "book": {"message": "For whom?", "requestedSchema": PARTY},
    "delete": {"message": "Really delete *everything*?", "requestedSchema": NO_ARGUMENTS},
}


def send(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def result_of(call: str, answer: dict[str, Any]) -> str:
    if answer.get("action") != "accept":
        return f"{call}: {answer.get('action')}"
    if call == "book":
        return f"{call}: {json.dumps(answer['content'])}"
    return f"{call}: accept, {len(answer['content'].get('key', ''))} characters"


def main() -> None:
    waiting: dict[str, tuple[int, str]] = {}
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case None:
                request_id, call = waiting.pop(message["id"])
                text = result_of(call, message.get("result") or {})
                send(id=request_id, result={"content": [{"type": "text", "text": text}]})
            case "initialize":
                info = {"name": "asking", "version": "0"}
                result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
                send(id=message["id"], result=result)
            case "tools/list":
                send(id=message["id"], result={"tools": TOOLS})
            case "tools/call":
                name, question_id = message["params"]["name"], f"q{message['id']}"
                waiting[question_id] = (message["id"], name)
                send(id=question_id, method="elicitation/create", params=QUESTIONS[name])
            case _ if "id" in message:
                send(id=message["id"], error={"code": -32601, "message": "Method not found"})


if __name__ == "__main__":
    main()
