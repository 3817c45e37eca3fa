"""The container: what it may do is as little as it needs, and what it is made of is said exactly."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any, Final, get_args

import httpx
import pytest
import yaml
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from typer.testing import CliRunner

from app.bootstrap import require_role
from app.cli.main import cli
from app.config import Settings
from app.domain.roles import Role
from tests.container_root import read_steps
from tests.e2e.crash_world import free_port, serving
from tests.harness import AppUnderTest, make_settings

ROOT = Path(__file__).resolve().parents[1]
RELEASE = re.compile(r"[a-z/]+:\d+\.\d+\.\d+[a-z0-9.-]*(@sha256:[0-9a-f]{64})?")


COMPOSED: Final = ("compose.yaml", "compose.several.yaml")
OF_COMPOSE: Final = frozenset({"TZ"})
"""Variables that are no settings of ours, and that a container reads all the same."""
VARIABLE: Final = re.compile(r"\$\{(\w+)(?::[-?]([^}]*))?\}")
NOBODYS: Final = '{"detail":"Not Found"}'
"""The answer to an address that no route has."""
OTHERS: Final = frozenset({"proxy", "db", "ollama", "pull-model"})


def compose(name: str = "compose.yaml") -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((ROOT / name).read_text("utf-8"))["services"]
    return services


def by_default(value: str) -> str:
    """What a value of a compose file is while nobody sets anything."""
    return VARIABLE.sub(lambda found: found[2] or "", value)


def own() -> dict[str, Any]:
    """The processes of the service, of the file for several."""
    return {name: one for name, one in compose("compose.several.yaml").items() if name not in OTHERS}


def test_every_image_is_one_release() -> None:
    given = re.findall(r"^ARG PYTHON_IMAGE=(\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    services = [one for name in COMPOSED for one in compose(name).values()]
    images = [by_default(one["image"]) for one in services if "image" in one and "build" not in one]
    assert len(given) == 1
    assert len(images) == 6
    for image in given + images:
        assert RELEASE.fullmatch(image), image


def test_the_service_can_change_nothing_but_its_data_and_has_limits() -> None:
    for service in (compose()["wasap"], *own().values()):
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
        assert {"pids_limit", "mem_limit", "cpus"} <= service.keys()
        assert service["volumes"] == ["wasap-data:/data"]
        assert service["stop_grace_period"] == "45s"
    assert [port.startswith("127.0.0.1:") for port in compose()["wasap"]["ports"]] == [True]


def test_the_root_without_an_engine_takes_every_step_of_the_image() -> None:
    steps = list(read_steps((ROOT / "Dockerfile").read_text("utf-8")))
    assert [given for kind, given in steps if kind == "USER"] == ["wasap"]
    assert [json.loads(given) for kind, given in steps if kind == "CMD"] == [
        ["python", "-m", "app", "serve", "--verbose"]
    ]
    assert len([given for kind, given in steps if kind == "RUN"]) == 4
    assert "skills ./skills" in [given for kind, given in steps if kind == "COPY"]
    assert "!skills" in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert (
        dict(word.split("=") for kind, given in steps if kind == "ENV" for word in given.split())["PORT"] == "8000"
    )


def test_several_processes_have_real_commands_and_only_the_proxy_has_a_door() -> None:
    services = compose("compose.several.yaml")
    [plain] = [
        json.loads(given) for kind, given in read_steps((ROOT / "Dockerfile").read_text("utf-8")) if kind == "CMD"
    ]
    roles = {name: service["command"][-1] for name, service in own().items()}
    assert roles == {"web": "web", "worker": "worker"}
    assert set(roles.values()) <= set(get_args(Role))
    for name, service in own().items():
        assert service["command"] == [*plain, "--role", roles[name]]
        shown = CliRunner().invoke(cli, [*service["command"][3:], "--help"])
        assert shown.exit_code == 0, shown.output
    assert [by_default(str(one["deploy"]["replicas"])) for one in own().values()] == ["2", "3"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]


@pytest.mark.parametrize("name", COMPOSED)
def test_what_a_compose_file_sets_are_settings_that_the_program_takes(name: str) -> None:
    services = [one for one in compose(name).values() if "build" in one]
    for service in services:
        given = {key: by_default(str(value)) for key, value in service["environment"].items()}
        assert [key for key in given if key.lower() not in Settings.model_fields and key not in OF_COMPOSE] == []
        values = {key.lower(): value for key, value in given.items() if value}
        taken = make_settings(Path(values.pop("data_dir")), **values)
        assert taken.host == "0.0.0.0"
        if name != "compose.yaml":
            require_role(taken, service["command"][-1])


def test_the_image_for_several_has_the_library_of_their_database() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for service in own().values():
        extras = service["build"]["args"]["EXTRAS"].split(",")
        assert {"postgres", "metrics", "local"} <= set(extras) <= project["optional-dependencies"].keys()


async def test_every_health_check_asks_an_address_that_answers(app: AppUnderTest) -> None:
    asked = {name: service["healthcheck"]["test"][-1] for name, service in own().items()}
    paths = {name: re.findall(r"http://127\.0\.0\.1:8000(/[\w/]+)", test) for name, test in asked.items()}
    assert paths == {"web": ["/health/ready"], "worker": ["/health/live"]}
    for name, test in asked.items():
        compile(test, name, "exec")
        assert (await app.http.get(paths[name][0])).status_code == 200


async def test_the_proxy_serves_the_webhook_and_the_home_and_nothing_else(app: AppUnderTest) -> None:
    written = (ROOT / "deploy" / "Caddyfile").read_text("utf-8")
    [served] = re.findall(r"^\t@served path (.+)$", written, re.MULTILINE)
    assert served.split() == ["/webhook", "/", "/home/*"]
    for path in served.split():
        assert (await app.http.get(path.replace("*", "in/nothing"))).text != NOBODYS
    assert "dynamic a web 8000" in written
    assert "./deploy/Caddyfile:/etc/caddy/Caddyfile:ro" in compose("compose.several.yaml")["proxy"]["volumes"]


def test_everything_that_others_wait_for_is_there_and_kept() -> None:
    whole = yaml.safe_load((ROOT / "compose.several.yaml").read_text("utf-8"))
    services = whole["services"]
    for service in services.values():
        for other, what in service.get("depends_on", {}).items():
            assert what["condition"] != "service_healthy" or "healthcheck" in services[other]
        kept = [volume.partition(":")[0] for volume in service.get("volumes", ())]
        assert [one for one in kept if not one.startswith("./") and one not in whole["volumes"]] == []
    written = (ROOT / "compose.several.yaml").read_text("utf-8")
    head = written.partition("x-wasap")[0]
    assert [name for name in re.findall(r"\$\{(\w+):\?", written) if name not in head] == []


@pytest.mark.long
@pytest.mark.skipif(shutil.which("caddy") is None, reason="there is no caddy")
async def test_the_proxy_as_it_is_written_lets_through_what_it_should(tmp_path: Path) -> None:
    written = (ROOT / "deploy" / "Caddyfile").read_text("utf-8")
    door, echo = free_port(), Starlette(routes=[Route("/{path:path}", _echo, methods=["GET", "POST"])])
    async with serving(echo) as service:
        here = f"to {service.removeprefix('http://')}"
        adapted = re.sub(r"dynamic a web 8000 \{.*?\n\t\t\t\}", here, written, flags=re.DOTALL)
        assert adapted != written
        (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n}\n" + adapted)
        caddy = await asyncio.create_subprocess_exec(
            *("caddy", "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")),
            env={**os.environ, "WASAP_HOST": f"http://localhost:{door}", "HOME": str(tmp_path)},
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with httpx.AsyncClient(base_url=f"http://localhost:{door}", trust_env=False) as http:
                await _until_open(http)
                body = b'{"caf\xc3\xa9":  1}\n'
                posted = await http.post("/webhook", content=body, headers={"X-Hub-Signature-256": "sha256=0"})
                assert (posted.status_code, posted.content) == (200, body)
                assert posted.headers["echo-host"] == f"localhost:{door}"
                served = [
                    (await http.get(path)).status_code for path in ("/", "/home/in/x", "/webhook?hub.mode=a")
                ]
                hidden = (
                    "/metrics",
                    "/health",
                    "/health/ready",
                    "/simulator",
                    "/webhook/x",
                    "/home",
                    "/home/../metrics",
                )
                refused = [(await http.get(path)).status_code for path in hidden]
        finally:
            caddy.terminate()
            await caddy.wait()
    assert served == [200, 200, 200]
    assert refused == [404] * len(hidden)


async def _echo(request: Request) -> Response:
    return Response(await request.body(), headers={"echo-host": request.headers["host"]})


async def _until_open(http: httpx.AsyncClient) -> None:
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(httpx.ConnectError):
                await http.get("/")
                return
            await asyncio.sleep(0.05)
