"""One message through the simulator, from a terminal."""

import asyncio
import json
import socket
from collections.abc import Mapping

import httpx

from app.cli.serve import serving
from app.config import Settings
from app.domain.errors import ConfigError, Transient
from app.main import create_app
from app.simulator.people import DEFAULT_USERS
from app.web.guard import read_token

FIRST_USER = DEFAULT_USERS[0]


async def simulate_message(settings: Settings, text: str, timeout_s: float) -> list[str]:
    """Send a text as the simulator's first person and return the replies.

    Uses the service that is running, or starts one for this message alone.

    Raises:
        ConfigError: real WhatsApp credentials are set, so that there is no simulator.
        Transient: no reply came within `timeout_s`.
    """
    if not settings.is_simulated:
        raise ConfigError("SIMULATOR_ENABLED", "is not on: WhatsApp credentials are set")
    running_at = f"http://127.0.0.1:{settings.port}"
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    known = {"Authorization": f"Bearer {read_token(settings.data_dir)}"}
    try:
        async with asyncio.timeout(timeout_s):
            if await _is_running(running_at, known):
                return await _converse(running_at, known, text)
            listening = socket.create_server(("127.0.0.1", 0))
            own = f"http://127.0.0.1:{listening.getsockname()[1]}"
            async with serving(create_app(settings), listening):
                return await _converse(own, known, text)
    except TimeoutError:
        raise Transient("no_reply", f"no reply within {timeout_s:.0f} s; see data/model.log") from None


async def _is_running(base_url: str, known: Mapping[str, str]) -> bool:
    try:
        async with httpx.AsyncClient(base_url=base_url, headers=known, timeout=2) as client:
            return (await client.get("/simulator/api/state")).is_success
    except httpx.HTTPError:
        return False


async def _converse(base_url: str, known: Mapping[str, str], text: str) -> list[str]:
    replies: list[str] = []
    patience = httpx.Timeout(10, read=None)
    async with httpx.AsyncClient(base_url=base_url, headers=known, timeout=patience) as client:
        state = (await client.get("/simulator/api/state")).raise_for_status().json()
        message = {"user": FIRST_USER.wa_id, "type": "text", "text": text}
        (await client.post("/simulator/api/messages", json=message)).raise_for_status()
        query = {"user": FIRST_USER.wa_id, "after": state["last_seq"]}
        async with client.stream("GET", "/simulator/api/events", params=query) as stream:
            async for line in stream.aiter_lines():
                event = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
                if event.get("kind") != "send":
                    continue
                replies.append(event["data"]["text"])
                facts = (await client.get("/simulator/api/state")).json()["facts"]
                if facts.get("state") not in {"fetching", "loading"}:
                    return replies
    return replies
