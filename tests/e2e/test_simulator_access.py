"""Who gets into the simulator of a service that has no number yet: its first person is an admin there."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.bootstrap import Ports
from app.config import Settings
from app.llm.providers import ModelBinding
from app.main import create_app
from tests.fakes.embedder import HashEmbedder
from tests.fakes.llm import ScriptedChatModel
from tests.harness import NATIVE, lifespan

HOST = "localhost:8000"
ANA = "5491100000001"
HELLO: Mapping[str, str] = {"user": ANA, "type": "text", "text": "hola"}
HERE = "127.0.0.1"
BRIDGE = "172.17.0.1"


@asynccontextmanager
async def browser(
    data_dir: Path, *, peer: str = HERE, host: str = HOST, **settings: Any
) -> AsyncIterator[httpx.AsyncClient]:
    """A browser in front of a service without credentials, which connects from `peer`."""
    chosen = Settings(_env_file=None, data_dir=data_dir, debounce_ms=0, **settings)
    llm = ScriptedChatModel(echo=True)
    llm.category = "none"
    app = create_app(chosen, Ports(chat=ModelBinding(llm, NATIVE), embedder=HashEmbedder()))
    async with lifespan(app):
        transport = httpx.ASGITransport(app, client=(peer, 50_000))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as http:
            yield http


def token_of(data_dir: Path) -> str:
    """What the start prints, as the file has it."""
    return (data_dir / "simulator-token").read_text("ascii").strip()


async def test_who_has_no_token_sees_no_chat_and_writes_nothing(tmp_path: Path) -> None:
    async with browser(tmp_path) as http:
        page = await http.get("/simulator")
        answers = [
            await http.get("/simulator?token=guessed"),
            await http.get("/simulator/api/state"),
            await http.get(f"/simulator/api/events?user={ANA}"),
            await http.post("/simulator/api/messages", json=HELLO),
            await http.get("/simulator/api/state", headers={b"Authorization": "Bearer ñ".encode()}),
        ]
    assert [answer.status_code for answer in (page, *answers)] == [401] * 6
    assert "simulator-token" in page.text, "the page says where the token is"
    assert not (tmp_path / "simulator.jsonl").exists() or "hola" not in (tmp_path / "simulator.jsonl").read_text()


async def test_the_address_that_the_start_prints_lets_in_and_a_cookie_keeps_it_so(tmp_path: Path) -> None:
    async with browser(tmp_path) as http:
        first = await http.get("/simulator", params={"token": token_of(tmp_path)})
        page = await http.get("/simulator")
        sent = await http.post("/simulator/api/messages", json=HELLO)
    cookie = first.headers["set-cookie"].lower()
    assert (first.status_code, first.headers["location"]) == (303, "/simulator"), "the token leaves the address"
    assert set(cookie.split("; ")) >= {"httponly", "samesite=strict", "path=/simulator"}
    assert "/simulator/static/app.js" in page.text
    assert sent.json()["webhook_status"] == 200


@pytest.mark.parametrize("header", ["Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "CF-Connecting-IP"])
async def test_a_stranger_behind_a_proxy_that_rewrites_the_host_is_refused(tmp_path: Path, header: str) -> None:
    async with browser(tmp_path) as http:
        known = {"Authorization": f"Bearer {token_of(tmp_path)}"}
        answer = await http.post("/simulator/api/messages", json=HELLO, headers={**known, header: "203.0.113.9"})
        own = await http.get("/simulator/api/state", headers=known)
    assert (answer.status_code, own.status_code) == (403, 200)


async def test_another_machine_is_refused_unless_told_otherwise_and_asked_for_the_token_then(
    tmp_path: Path,
) -> None:
    async with browser(tmp_path, peer=BRIDGE) as http:
        known = {"Authorization": f"Bearer {token_of(tmp_path)}"}
        assert (await http.get("/simulator/api/state", headers=known)).status_code == 403
    async with browser(tmp_path, peer=BRIDGE, host="chat.example", simulator_remote=True) as http:
        forwarded = {"X-Forwarded-For": "203.0.113.9"}
        assert (await http.get("/simulator/api/state", headers=forwarded)).status_code == 401
        assert (await http.get("/simulator/api/state", headers={**known, **forwarded})).status_code == 200
        foreign = await http.post(
            "/simulator/api/messages", json=HELLO, headers={**known, "Origin": "http://evil.example"}
        )
        assert foreign.status_code == 403


async def test_the_token_outlives_a_restart_and_is_nobody_elses(tmp_path: Path) -> None:
    async with browser(tmp_path):
        first = token_of(tmp_path)
    async with browser(tmp_path):
        assert token_of(tmp_path) == first
    assert (tmp_path / "simulator-token").stat().st_mode & 0o077 == 0
