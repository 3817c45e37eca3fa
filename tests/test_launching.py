"""Where launchers are found, and what of our own environment their owner may pass on to them."""

import json
import os
from pathlib import Path

import pytest

from app.cli.doctor.machine import check_mcp
from app.config import load_settings
from app.domain.errors import ConfigError
from app.mcp.config import parse_server
from app.mcp.connecting.resolve import resolve
from app.mcp.installing.launchers import search_path
from tests.fakes.registries import make_launchers

ENVIRON = {"PATH": "/nowhere", "HOME": "/home/owner", "CERTS": "/etc/certs", "OTHER": "ours alone"}


def find_nothing(name: str) -> str | None:
    return None


@pytest.fixture
def no_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A service that was started with no virtual environment activated."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_a_launcher_that_is_not_on_the_path_is_found_among_our_own_programs(tmp_path: Path) -> None:
    ours = str(make_launchers(tmp_path))
    assert search_path("uvx", "/nowhere", ours) == f"/nowhere{os.pathsep}{ours}"
    assert search_path("npx", "", ours) == ours


def test_a_launcher_on_the_path_is_taken_before_ours(tmp_path: Path) -> None:
    theirs, ours = str(make_launchers(tmp_path / "a")), str(make_launchers(tmp_path / "b"))
    assert search_path("uvx", theirs, ours) == theirs


@pytest.mark.parametrize("command", ["python", "sh", "", "/usr/bin/uvx"])
def test_no_other_command_is_looked_for_among_our_own_programs(tmp_path: Path, command: str) -> None:
    ours = make_launchers(tmp_path)
    (ours / "python").symlink_to(ours / "npx")
    assert search_path(command, "/nowhere", str(ours)) == "/nowhere"


def test_where_nobody_has_the_launcher_the_path_stays(tmp_path: Path) -> None:
    assert search_path("npx", "/nowhere", str(tmp_path)) == "/nowhere"


def test_uvx_comes_with_us_and_a_server_that_needs_it_can_be_started() -> None:
    spec = resolve("a", parse_server({"command": "uvx"}), find_secret=find_nothing, environ=ENVIRON)
    first, ours = spec.env["PATH"].split(os.pathsep)
    assert first == "/nowhere"
    assert os.access(Path(ours) / "uvx", os.X_OK)


@pytest.mark.usefixtures("no_programs")
async def test_the_doctor_finds_it_where_the_service_does(tmp_path: Path) -> None:
    file = tmp_path / "mcp_servers.json"
    file.write_text(json.dumps({"servers": {"time": {"command": "uvx"}}}), "utf-8")
    assert (await check_mcp(file, True)).status == "ok"
    file.write_text(json.dumps({"servers": {"time": {"command": "uvicorn"}}}), "utf-8")
    assert (await check_mcp(file, True)).status == "failed"


@pytest.mark.usefixtures("no_programs")
async def test_the_doctor_says_which_launcher_is_missing_before_anybody_installs_with_it(tmp_path: Path) -> None:
    outcome = await check_mcp(tmp_path / "mcp_servers.json", True)
    assert outcome.status == "skipped"
    assert "install Node.js" in outcome.next_step
    assert "uvx" not in outcome.next_step
    make_launchers(tmp_path / "home").rename(tmp_path / "bin")
    (tmp_path / "npx").symlink_to(tmp_path / "bin" / "npx")
    assert "Node.js" not in (await check_mcp(tmp_path / "mcp_servers.json", True)).next_step


async def test_the_doctor_says_where_servers_cannot_be_confined(tmp_path: Path) -> None:
    file = tmp_path / "mcp_servers.json"
    file.write_text(json.dumps({"servers": {"a": {"command": "sh"}}}), "utf-8")
    assert "cannot keep local MCP servers" in (await check_mcp(file, False)).next_step
    confined = await check_mcp(file, True)
    assert "cannot keep" not in confined.next_step
    assert "only their own files" in confined.sentence


def test_what_is_passed_on_is_ours_and_what_the_server_was_given_itself_wins() -> None:
    config = parse_server({"command": "x", "env": {"CERTS": "/its/own"}})
    for passed, certs in (((), None), (("CERTS", "ABSENT"), "/etc/certs")):
        bare = resolve(
            "a", parse_server({"command": "x"}), find_secret=find_nothing, environ=ENVIRON, passed=passed
        )
        assert bare.env.get("CERTS") == certs
        assert bare.env.keys() <= {"PATH", "LANG", "CERTS"}
        own = resolve("a", config, find_secret=find_nothing, environ=ENVIRON, passed=passed)
        assert own.env["CERTS"] == "/its/own"


def test_the_password_of_an_address_that_is_passed_on_is_blanked_in_what_the_server_says() -> None:
    environ = {**ENVIRON, "HTTPS_PROXY": "http://me:swordfish@proxy.test:8080", "ODD": "http://[half"}
    spec = resolve(
        "a",
        parse_server({"command": "x"}),
        find_secret=find_nothing,
        environ=environ,
        passed=("HTTPS_PROXY", "ODD"),
    )
    assert spec.redact("tunnel me:swordfish@proxy.test failed") == "tunnel me:[secret]@proxy.test failed"


def test_names_to_pass_on_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_PASSED_ENV", " SSL_CERT_FILE,npm_config_cache ,, UV_DEFAULT_INDEX,")
    assert load_settings().mcp_passed_env == ("SSL_CERT_FILE", "npm_config_cache", "UV_DEFAULT_INDEX")


@pytest.mark.parametrize(
    "name",
    [
        "WHATSAPP_ACCESS_TOKEN",
        "whatsapp_phone_number_id",
        "DATA_DIR",
        "MCP_PASSED_ENV",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS",
        "ApiKey",
        "PGPASSWORD",
        "KEY_PASSPHRASE",
    ],
)
def test_a_setting_or_secret_cannot_be_passed_on(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("MCP_PASSED_ENV", f"SSL_CERT_FILE,{name}")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert caught.value.code == "MCP_PASSED_ENV"
    assert "entry 2" in caught.value.detail
    assert "/mcp set" in caught.value.detail


@pytest.mark.parametrize("value", ["A=1", "hush hush", "9LIVES", "${HOME}", "PATH;HOME", "ghp-0123"])
def test_what_is_no_name_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("MCP_PASSED_ENV", value)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert "entry 1 is no name" in caught.value.detail
    assert value not in caught.value.detail
