"""What is written down about servers: read in both forms, kept whole, secrets apart, nothing inherited unasked."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.domain.errors import ConfigError
from app.mcp.config import ServerConfig, check_name, parse_server, refuse_own_environment
from app.mcp.connecting.resolve import Unusable, resolve
from app.mcp.files import ConfigFile, SecretStore
from tests.examples import some

TIME = {"command": "uvx", "args": ["mcp-server-time==2026.1.1"]}
ENVIRON = {"PATH": "/bin", "HOME": "/home/owner", "WHATSAPP_ACCESS_TOKEN": "EAAG-secret", "REGION": "eu"}


def written(path: Path, document: object) -> ConfigFile:
    path.write_text(json.dumps(document), "utf-8")
    return ConfigFile(path)


def find_nothing(name: str) -> str | None:
    return None


@pytest.mark.parametrize("form", ["servers", "mcpServers"])
def test_both_forms_are_read(tmp_path: Path, form: str) -> None:
    listed = written(tmp_path / "s.json", {form: {"time": TIME}}).load()
    assert listed.servers["time"].command == "uvx"
    assert listed.servers["time"].args == ("mcp-server-time==2026.1.1",)
    assert listed.skipped == ()


def test_of_two_entries_with_one_name_that_of_our_form_counts(tmp_path: Path) -> None:
    document = {"mcpServers": {"a": {"command": "theirs"}, "b": TIME}, "servers": {"a": {"command": "ours"}}}
    listed = written(tmp_path / "s.json", document).load()
    assert {name: server.command for name, server in listed.servers.items()} == {"a": "ours", "b": "uvx"}


def test_no_file_is_no_server(tmp_path: Path) -> None:
    assert ConfigFile(tmp_path / "none.json").load().servers == {}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({}, "a command or a url"),
        ("uvx thing", "not an object"),
        ({"command": "x", "args": "one two"}, "args"),
        ({"type": "carrier pigeon", "url": "http://x"}, "type"),
        ({"url": "ftp://files.example"}, "http://"),
        ({"type": "stdio", "url": "http://x"}, "needs a command"),
        ({"command": "x", "timeout_s": -1}, "timeout_s"),
        ({"command": "x\0y"}, "character"),
        ({"command": "x", "env": {"A=B": "c"}}, "character"),
    ],
)
def test_a_broken_entry_is_skipped_with_its_reason_and_the_rest_is_used(
    tmp_path: Path, entry: object, reason: str
) -> None:
    listed = written(tmp_path / "s.json", {"servers": {"bad": entry, "time": TIME}}).load()
    assert list(listed.servers) == ["time"]
    assert [skipped.name for skipped in listed.skipped] == ["bad"]
    assert reason in listed.skipped[0].reason


def test_the_reason_for_a_broken_entry_quotes_no_value(tmp_path: Path) -> None:
    entry = {"command": "x", "env": {"TOKEN": ["sk-very-secret"]}, "timeout_s": "sk-very-secret"}
    listed = written(tmp_path / "s.json", {"servers": {"bad": entry}}).load()
    assert "sk-very-secret" not in str(listed.skipped)


@pytest.mark.parametrize("text", ["{", "[]", '{"servers": []}', "\x00\x01", '{"servers": {"a": '])
def test_a_file_that_is_broken_as_a_whole_is_refused_and_never_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError):
        ConfigFile(path).load()
    with pytest.raises(ConfigError):
        ConfigFile(path).put("time", parse_server(TIME))
    assert path.read_text("utf-8") == text


def test_what_we_do_not_know_stays_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    document: dict[str, Any] = {
        "inputs": [{"id": "x"}],
        "mcpServers": {"old": {"command": "a", "gallery": True, "alwaysAllow": ["b"]}, "odd": 5},
    }
    file = written(path, document)
    file.put("time", parse_server({**TIME, "note": "mine"}))
    expected = {**document, "mcpServers": {**document["mcpServers"], "time": {**TIME, "note": "mine"}}}
    assert json.loads(path.read_text("utf-8")) == expected
    assert file.remove("time")
    assert not file.remove("time")
    assert json.loads(path.read_text("utf-8")) == document


def test_a_saved_file_is_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "s.json"
    ConfigFile(path).put("time", parse_server(TIME))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["s.json"]
    assert json.loads(path.read_text("utf-8")) == {"servers": {"time": TIME}}


@given(
    st.dictionaries(st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), st.text(max_size=20), max_size=4),
    st.lists(st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=20), max_size=4),
)
@some(0.4)
def test_what_was_put_is_loaded_again(
    tmp_path_factory: pytest.TempPathFactory, headers: dict[str, str], args: list[str]
) -> None:
    file = ConfigFile(tmp_path_factory.mktemp("c") / "s.json")
    config = ServerConfig(command="run", args=tuple(args), headers=headers)
    assume(not any("${env:" in text for text in (*args, *headers.values())))
    file.put("one", config)
    assert file.load().servers["one"] == config


@pytest.mark.parametrize("name", ["", "a/b", "../x", "a\nb", " a", "x" * 49, "ñ", "a;b"])
def test_a_name_that_could_lead_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        check_name(name)


@pytest.mark.parametrize("word", ["http", "streamable-http", "streamableHttp", "streamable_http"])
def test_the_words_of_other_clients_for_http_are_understood(word: str) -> None:
    assert parse_server({"type": word, "url": "https://x.example/mcp"}).transport == "http"


@pytest.mark.parametrize("entry", [{"enabled": False}, {"disabled": True}])
def test_both_words_for_switched_off_are_understood(entry: dict[str, object]) -> None:
    assert not parse_server({**TIME, **entry}).is_enabled


def test_a_launcher_gets_time_to_download() -> None:
    assert parse_server(TIME).opening_timeout_s > parse_server({"command": "ready"}).opening_timeout_s


def test_a_child_gets_what_it_was_given_and_the_way_to_its_programs() -> None:
    spec = resolve(
        "a",
        parse_server({"command": "x", "env": {"API_KEY": "${KEY}", "DEBUG": True, "PORT": 80}}),
        find_secret={"KEY": "sk-1"}.get,
        environ=ENVIRON,
    )
    assert dict(spec.env) == {
        "PATH": "/bin",
        "LANG": "C.UTF-8",
        "API_KEY": "sk-1",
        "DEBUG": "true",
        "PORT": "80",
    }


def test_only_a_server_that_is_not_confined_gets_our_home() -> None:
    entry = parse_server({"command": "x", "confined": False})
    assert resolve("a", entry, find_secret=find_nothing, environ=ENVIRON).env["HOME"] == "/home/owner"


def test_references_are_found_in_the_secrets_and_not_in_our_environment() -> None:
    config = parse_server({"command": "x", "env": {"TOKEN": "${WHATSAPP_ACCESS_TOKEN}"}})
    with pytest.raises(Unusable, match="WHATSAPP_ACCESS_TOKEN"):
        resolve("a", config, find_secret=find_nothing, environ=ENVIRON)
    with pytest.raises(Unusable) as caught:
        resolve("a", config, find_secret=find_nothing, environ=ENVIRON)
    assert "EAAG-secret" not in str(caught.value)


def test_our_environment_is_read_only_where_the_owner_wrote_so() -> None:
    config = parse_server({"command": "x", "args": ["${env:REGION}", "${PORT:-80}", "$HOME"]})
    spec = resolve("a", config, find_secret=find_nothing, environ=ENVIRON)
    assert spec.args == ("eu", "80", "$HOME")


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "x", "args": ["${env:WHATSAPP_ACCESS_TOKEN}"]},
        {"command": "x", "env": {"A": "${env:WHATSAPP_ACCESS_TOKEN}"}},
        {"url": "https://x.example/${env:WHATSAPP_ACCESS_TOKEN}"},
        {"url": "https://x.example", "headers": {"A": "${env:WHATSAPP_ACCESS_TOKEN}"}},
        {"command": "x", "cwd": "${env:WHATSAPP_ACCESS_TOKEN}"},
    ],
)
def test_an_installation_cannot_ask_for_our_environment(tmp_path: Path, entry: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="only the owner"):
        refuse_own_environment(parse_server(entry))
    with pytest.raises(ValueError, match="only the owner"):
        ConfigFile(tmp_path / "s.json").put("a", parse_server(entry))


def test_references_of_other_programs_are_refused_by_name() -> None:
    with pytest.raises(Unusable, match="input:token"):
        resolve(
            "a", parse_server({"command": "x", "args": ["${input:token}"]}), find_secret=find_nothing, environ={}
        )


def test_the_variables_a_server_wants_are_listed() -> None:
    config = parse_server({"command": "x", "args": ["${B}"], "env": {"Q": "${A}${B}${C:-d}${env:E}"}})
    assert config.variables == ("B", "A")


def test_nothing_given_in_confidence_shows_in_a_text_or_a_repr() -> None:
    config = parse_server(
        {
            "url": "https://user:pw-in-url@x.example/mcp?key=query-key",
            "headers": {"Authorization": "Bearer ${KEY}"},
            "env": {"MY_TOKEN": "clear-token"},
        }
    )
    spec = resolve("a", config, find_secret={"KEY": "sk-1234"}.get, environ={})
    shown = f"{spec!r} {spec.redact('x sk-1234 key=query-key pw-in-url clear-token Bearer sk-1234')}"
    for secret in ("sk-1234", "query-key", "pw-in-url", "clear-token"):
        assert secret not in shown


def test_secrets_are_kept_in_a_file_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "mcp_secrets.json"
    store = SecretStore(path)
    store.set("A_KEY", "one")
    store.set("B_KEY", "two")
    store.set("A_KEY", "three")
    assert (store.find("A_KEY"), store.find("C"), store.names()) == ("three", None, ("A_KEY", "B_KEY"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert store.remove("A_KEY")
    assert not store.remove("A_KEY")
    assert SecretStore(path).names() == ("B_KEY",)


@pytest.mark.parametrize(
    ("name", "value"), [("a b", "x"), ("1A", "x"), ("A", ""), ("A", "x\ny"), ("A", "x" * 9000)]
)
def test_a_secret_that_cannot_be_one_is_refused_without_being_quoted(
    tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(ValueError, match=r"variable|value") as caught:
        SecretStore(tmp_path / "s.json").set(name, value)
    assert value == "" or value not in str(caught.value)


@pytest.mark.parametrize("text", ["not json with sk-1234", '{"A": 5}', "[]"])
def test_damaged_secrets_are_neither_lost_nor_shown(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as caught:
        SecretStore(path).set("A", "x")
    assert "sk-1234" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert path.read_text("utf-8") == text
