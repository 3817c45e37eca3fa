"""Every address of the service, asked with requests that nobody wrote: refused or taken, never an error of ours.

Schemathesis makes the requests from FastAPI's own description of the routes, and from what is said below of those
that read their request themselves; many of them break that description.
"""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from app.web.routes import PlainRoute
from tests.builders import ALICE, signed_headers
from tests.e2e.test_simulator_access import ANA, browser, token_of
from tests.e2e.visiting import ADDRESS, at_home
from tests.harness import running_app

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]
EXAMPLES: Final = int(os.environ.get("HTTP_EXAMPLES", "40"))
TEXT: Final = {"type": "string"}
ENDLESS: Final = "/simulator/api/events"
ENDING: Final = re.compile(r"/(leave|forget|erase|signout)")
"""Acts of the home after which there is no session to go on with."""


def asked(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "in": "query", "schema": TEXT} for name in names]


def placed(places: Sequence[str]) -> dict[str, object]:
    return {"name": "rest", "in": "path", "required": True, "schema": {"enum": list(places)}}


def form(**fields: Mapping[str, object]) -> dict[str, object]:
    needed = [name for name, said in fields.items() if "const" in said]
    schema = {"type": "object", "properties": fields, "required": needed}
    return {"content": {"application/x-www-form-urlencoded": {"schema": schema}}}


def meta_post() -> dict[str, object]:
    """A POST of Meta's, as loosely as it may come."""
    scalar: dict[str, object] = {"anyOf": [TEXT, {"type": "integer"}, {"type": "null"}]}
    message = {
        "type": "object",
        "required": ["id", "from", "type"],
        "properties": {
            "id": scalar,
            "from": {"enum": [ALICE, "1", ""]},
            "timestamp": scalar,
            "type": {
                "enum": ["text", "image", "interactive", "reaction", "location", "contacts", "order", "system"]
            },
            "text": {"type": "object", "properties": {"body": scalar}},
            "image": {"type": "object", "properties": {"id": scalar, "caption": scalar}},
            "interactive": {"type": "object"},
            "context": {"type": "object", "properties": {"id": scalar}},
        },
    }
    status = {"type": "object", "properties": {"id": scalar, "status": scalar, "recipient_id": scalar}}
    value = {
        "type": "object",
        "required": ["messages"],
        "properties": {
            "metadata": {"type": "object", "properties": {"phone_number_id": scalar}},
            "messages": {"type": "array", "items": message, "maxItems": 3},
            "statuses": {"type": "array", "items": status, "maxItems": 3},
        },
    }
    change = {"type": "object", "required": ["value"], "properties": {"field": scalar, "value": value}}
    entry = {"type": "object", "properties": {"changes": {"type": "array", "items": change, "maxItems": 2}}}
    body = {"type": "object", "properties": {"entry": {"type": "array", "items": entry, "maxItems": 2}}}
    return {"requestBody": {"content": {"application/json": {"schema": body}}}, "responses": {}}


def described(app: FastAPI, more: Mapping[str, Mapping[str, object]]) -> dict[str, Any]:
    """A description of all routes, also of those that FastAPI does not tell, with `more` about some of them."""
    whole = FastAPI(title="WasAP")
    plain = [route for route in app.routes if isinstance(route, PlainRoute)]
    for route in _routes(app.routes):
        route.include_in_schema = True
        whole.router.routes.append(route)
    paths: dict[str, Any] = whole.openapi()["paths"]
    for one in plain:
        rest = {"parameters": [placed(["x"])]} if "{rest}" in one.path_format else {}
        for method in one.methods or ():
            paths.setdefault(one.path_format, {})[method.lower()] = {"responses": {}, **rest}
    for address, said in more.items():
        method, _, path = address.partition(" ")
        paths.setdefault(path, {}).setdefault(method, {"responses": {}}).update(said)
    return whole.openapi()


def _routes(routes: Sequence[Any]) -> Iterator[APIRoute]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        elif (inner := getattr(route, "original_router", None)) is not None:
            yield from _routes(inner.routes)


def requests_of(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield requests for each operation: those that keep to its description, and those that do not."""
    loaded = schemathesis.openapi.from_dict(schema)
    for result in loaded.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        if operation.path == ENDLESS:
            continue
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            yield from _made(operation, mode)


def _made(operation: Any, mode: GenerationMode) -> list[tuple[str, dict[str, Any]]]:
    made: list[tuple[str, dict[str, Any]]] = []
    if mode is GenerationMode.NEGATIVE and not (operation.query or operation.body or operation.path_parameters):
        return made

    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def collect(case: Any) -> None:
        given_ = case.as_transport_kwargs(base_url="http://x.example")
        made.append((f"{operation.method.upper()} {operation.path}", given_))

    with contextlib.suppress(Unsatisfiable):  # nothing breaks the description of an address without parts
        collect()
    return made


async def ask_all(http: httpx.AsyncClient, schema: dict[str, Any], **headers: str) -> dict[str, dict[int, int]]:
    """Send every request; returns how often each operation answered with which status.

    What the application raises comes out here.
    """
    seen: dict[str, dict[int, int]] = {}
    for name, made in requests_of(schema):
        answer = await send(http, made, headers)
        assert answer.status_code < 500, (name, made, answer.text)
        counts = seen.setdefault(name, {})
        counts[answer.status_code] = counts.get(answer.status_code, 0) + 1
    return seen


async def send(http: httpx.AsyncClient, made: dict[str, Any], headers: dict[str, str]) -> httpx.Response:
    url = made["url"].replace("http://x.example", "")
    given_ = {name: made[name] for name in ("params", "json", "files", "cookies") if made.get(name) is not None}
    data = made.get("data")
    body = {"data": data} if isinstance(data, dict) else {"content": data} if data is not None else {}
    sent = {**{str(key): str(value) for key, value in (made.get("headers") or {}).items()}, **headers}
    sent = {key: value.encode("ascii", "replace").decode() for key, value in sent.items()}
    request = http.build_request(made["method"], url, headers=sent, **body, **given_)
    if request.url.path == "/webhook" and request.method == "POST":
        raw = request.read()
        request = http.build_request("POST", "/webhook", content=raw, headers=signed_headers(raw))
    return await http.send(request)


async def test_the_simulator_and_what_is_open_to_anybody(tmp_path: Path) -> None:
    async with browser(tmp_path) as http:
        await http.get("/simulator", params={"token": token_of(tmp_path)})
        callback = {"parameters": asked("state", "code", "iss")}
        schema = described(app_of(http), {"get /oauth/mcp/callback": callback})
        schema["paths"] = {path: said for path, said in schema["paths"].items() if not path.startswith("/home")}
        for one in schema["components"]["schemas"].values():
            if "user" in one.get("properties", {}):
                one["properties"]["user"] = {"enum": [ANA]}
        seen = await ask_all(http, schema)
        assert seen["POST /simulator/api/messages"].get(200), "some requests are taken"
        assert seen["POST /simulator/api/messages"].get(422), "and some are refused"


async def test_the_webhook_takes_or_drops_whatever_is_signed(tmp_path: Path) -> None:
    async with running_app(tmp_path) as app:
        verify = {"parameters": asked("hub.mode", "hub.verify_token", "hub.challenge")}
        schema = described(app_of(app.http), {"get /webhook": verify, "post /webhook": meta_post()})
        schema["paths"] = {"/webhook": schema["paths"]["/webhook"]}
        seen = await ask_all(app.http, schema)
        assert seen["POST /webhook"].get(200)
        await app.say(ALICE, "hola")
        assert app.replies_to(ALICE)[-1].startswith("echo: hola"), "it goes on answering"


async def test_whoever_is_at_home_breaks_nothing_there(tmp_path: Path) -> None:
    async with running_app(tmp_path, public_url=ADDRESS) as app:
        home = await at_home(app, ALICE)
        await home.submit("/home/notes", "add", title="lock", content="the code is 4711")
        await home.submit("/home/lists", "add", list="Groceries", things="milk\nbread")
        await home.submit("/home/projects", "create", name="Garden")
        one = "/home/projects?item=1"
        await home.post("/home/projects/task", proof=await home.proof(one), back="item=1", title="plant the fern")
        addresses = [*await home.parts(), one]
        pages = [(await home.get(address)).text for address in addresses]
        acts = sorted({one for page in pages for one in re.findall(r'action="/home/([a-z]+/[a-z_]+)"', page)})
        acts = [one for one in acts if not ENDING.search(f"/{one}")]
        assert len(acts) > 10, acts
        fields = {one: TEXT for page in pages for one in re.findall(r'name="([a-z_]+)"', page) if one != "proof"}
        parts = sorted({act.partition("/")[0] for act in acts})
        proof = {"proof": {"const": await home.proof()}}
        more: dict[str, Mapping[str, object]] = {
            "get /home/{rest}": {"parameters": [placed(parts), *asked("page", "words", "item")]},
            "post /home/{rest}": {"parameters": [placed(acts)], "requestBody": form(**fields, **proof)},
        }
        schema = described(app_of(app.http), more)
        schema["paths"] = {path: said for path, said in schema["paths"].items() if path.startswith("/home")}
        cookies = "; ".join(f"{name}={value}" for name, value in home.cookies.items())
        seen = await ask_all(app.http, schema, host=home.host, cookie=cookies, origin=ADDRESS)
        assert seen["GET /home/{rest}"].get(200)
        assert set(seen["POST /home/{rest}"]) & {200, 303, 422}


def app_of(http: httpx.AsyncClient) -> FastAPI:
    transport: Any = http._transport
    found: FastAPI = transport.app
    return found
