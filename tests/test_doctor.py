"""The doctor: for every broken set-up the first ✖ is the right one, and its next step names the fix."""

import asyncio
import io
import json
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.console import Console
from typer.testing import CliRunner

from app.cli.doctor.machine import Loaded
from app.cli.doctor.model import speed_verdict, tool_verdict
from app.cli.doctor.plan import World, examine, open_hops
from app.cli.doctor.report import JsonReport, TextReport
from app.cli.doctor.round import Cleaner, Hop, Outcome, ok, run_hops
from app.cli.language import terminal_language
from app.cli.main import cli
from app.config import Settings, load_settings
from app.database.lock import single_process
from app.database.sqlite import sqlite
from app.domain.errors import ConfigError
from app.domain.health import Checked
from app.language.catalogue import LANGUAGES, Language
from app.simulator.graph import SimulatedGraph
from tests.builders import APP_SECRET, PHONE_NUMBER_ID, VERIFY_TOKEN
from tests.databases import migrated
from tests.fakes.admin_api import AdminApi, LocalApp
from tests.fakes.graph_admin import ACCOUNT_ID, APP_ID, NUMBER, GraphAdmin
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.tool_ollama import ToolOllama
from tests.harness import ACCESS_TOKEN, make_settings, running_app

MODEL = "qwen3:8b"
PUBLIC_URL = "https://wasap.example.org"
WHATSAPP_HOPS = (
    "access token",
    "permissions",
    "phone number id",
    "app secret",
    "public address",
    "subscription",
    "test recipients",
    "clock",
    "API version",
)
SENSES = ("documents", "pictures", "what pictures show", "voice notes", "spoken answers", "charts")
HOPS = (
    "settings",
    "people",
    "disk",
    "database",
    "vector extension",
    "memory",
    "model",
    "tool calls",
    "context size",
    "speed",
    *SENSES,
    "skills",
    "MCP servers",
    *WHATSAPP_HOPS,
)
SECRETS = (ACCESS_TOKEN, APP_SECRET, VERIFY_TOKEN, "an-audit-key-of-tests", "ollama-password", "a-servers-own-key")

Handler = (
    Callable[[httpx.Request], httpx.Response] | Callable[[httpx.Request], Coroutine[None, None, httpx.Response]]
)


async def yes() -> bool:
    return True


async def no() -> bool:
    return False


@dataclass
class Clinic:
    """A healthy set-up with a WhatsApp account; a test breaks one thing of it."""

    root: Path
    overrides: dict[str, Any] = field(default_factory=dict)
    problem: ConfigError | None = None
    graph: GraphAdmin = field(default_factory=lambda: GraphAdmin(ACCESS_TOKEN))
    graph_transport: httpx.AsyncBaseTransport | None = None
    models: httpx.AsyncBaseTransport | None = None
    ollama: ToolOllama = field(default_factory=lambda: ToolOllama(MODEL))
    public: Handler = field(default_factory=lambda: answers_challenge)
    free_bytes: int = 10**11
    memory_bytes: int = 16 * 1024**3
    has_vectors: Callable[[], Awaitable[bool]] = yes
    seconds: float = 0.1

    @property
    def data_dir(self) -> Path:
        return self.root / "data"

    def settings(self) -> Settings:
        values = {
            "llm_provider": "ollama",
            "ollama_base_url": "http://someone:ollama-password@ollama.test",
            "audit_hmac_key": "an-audit-key-of-tests",
            "skills_dir": self.root / "skills",
            "public_url": PUBLIC_URL,
            **self.overrides,
        }
        return make_settings(values.pop("data_dir", self.data_dir), **values)

    def world(self) -> World:
        ticks = iter(range(1_000_000))
        return World(
            graph=self.graph_transport or self.graph.transport(),
            public=httpx.MockTransport(self.public),
            ollama=self.models or self.ollama.transport(),
            now=lambda: datetime.now(UTC),
            timer=lambda: next(ticks) * self.seconds,
            free_bytes=lambda folder: self.free_bytes,
            memory_bytes=lambda: self.memory_bytes,
            has_vectors=self.has_vectors,
            tries_samples=False,
        )

    async def examine(self, *, is_quick: bool = False, settings: Settings | None = None) -> dict[str, Any]:
        """Go the round; returns what `--json` prints."""
        out = io.StringIO()
        loaded = Loaded(settings or self.settings(), self.problem)
        is_healthy = await examine(loaded, JsonReport(out), self.world(), is_quick=is_quick)
        report: dict[str, Any] = json.loads(out.getvalue())
        assert report["ok"] is is_healthy
        return report

    async def text(self, *, is_terminal: bool = False, language: Language = "en") -> str:
        out = io.StringIO()
        console = Console(file=out, force_terminal=is_terminal, highlight=False)
        report = TextReport(console, language)
        await examine(Loaded(self.settings()), report, self.world(), is_quick=False)
        return out.getvalue()


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clinic:
    monkeypatch.chdir(tmp_path)
    skill = tmp_path / "skills" / "calculator"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: calculator\ndescription: Computes.\n---\nUse it.\n")
    data = tmp_path / "data"
    data.mkdir()
    server = {"command": "sh", "env": {"KEY": "a-servers-own-key"}}
    (data / "mcp_servers.json").write_text(json.dumps({"servers": {"shell": server}}))
    return Clinic(tmp_path)


def answers_challenge(request: httpx.Request) -> httpx.Response:
    """What our own webhook does; see tests/e2e for the real one."""
    query = request.url.params
    if request.url.path != "/webhook" or query.get("hub.verify_token") != VERIFY_TOKEN:
        return httpx.Response(403)
    return httpx.Response(200, text=query["hub.challenge"])


def first_failure(report: dict[str, Any]) -> dict[str, str]:
    failures = [hop for hop in report["hops"] if hop["status"] == "failed"]
    assert failures, report
    found: dict[str, str] = failures[0]
    return found


# The broken set-ups: what is wrong, the hop that must say so, and what its next step must name.

Break = Callable[[Clinic], object]


def no_credential(clinic: Clinic) -> None:
    clinic.problem = ConfigError("WHATSAPP", "WHATSAPP_APP_SECRET: set all four WHATSAPP_ credentials or none")


def nobody_allowed(clinic: Clinic) -> None:
    clinic.overrides |= {"allowed_phone_numbers": (), "admin_phone_numbers": ()}


def data_dir_is_a_file(clinic: Clinic) -> None:
    (clinic.root / "occupied").write_text("not a folder")
    clinic.overrides["data_dir"] = clinic.root / "occupied"


def disk_full(clinic: Clinic) -> None:
    clinic.free_bytes = 20_000_000


def no_database(clinic: Clinic) -> None:
    (clinic.data_dir / "wasap.db").write_text(
        "this is a letter, not a database, and long enough to be read as one"
    )


def future_database(clinic: Clinic) -> None:
    with sqlite.connect(clinic.data_dir / "wasap.db") as connection:
        connection.execute("CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, sha256 TEXT)")
        connection.execute("INSERT INTO schema_migrations VALUES (9999, '')")
    connection.close()


def no_extension(clinic: Clinic) -> None:
    clinic.has_vectors = no


def model_not_pulled(clinic: Clinic) -> None:
    clinic.ollama.models = ("other:1b",)


def ollama_not_running(clinic: Clinic) -> None:
    clinic.ollama.is_running = False


def embedded_not_fetched(clinic: Clinic) -> None:
    clinic.overrides["llm_provider"] = "embedded"


def too_little_memory(clinic: Clinic) -> None:
    clinic.overrides["llm_provider"] = "embedded"
    clinic.memory_bytes = 3 * 1024**3


def own_model_missing(clinic: Clinic) -> None:
    clinic.overrides |= {"llm_provider": "embedded", "llm_model_path": clinic.root / "gone.gguf"}


def model_without_tools(clinic: Clinic) -> None:
    clinic.ollama.can_call_natively = clinic.ollama.can_call_bound = False


def wrong_protocol(clinic: Clinic) -> None:
    clinic.ollama.can_call_natively = False


def context_cut(clinic: Clinic) -> None:
    clinic.ollama.context_cap = 4096


def crawling(clinic: Clinic) -> None:
    clinic.seconds = 60.0


def broken_skill(clinic: Clinic) -> None:
    (clinic.root / "skills/calculator/SKILL.md").write_text("no front matter at all")


def no_skills(clinic: Clinic) -> None:
    clinic.overrides["skills_dir"] = clinic.root / "elsewhere"


def mcp_not_json(clinic: Clinic) -> None:
    (clinic.data_dir / "mcp_servers.json").write_text('{"servers": {"a": a-servers-own-key}}')


def mcp_without_command(clinic: Clinic) -> None:
    (clinic.data_dir / "mcp_servers.json").write_text(
        '{"mcpServers": {"lonely": {"args": ["a-servers-own-key"]}}}'
    )


def no_launcher(clinic: Clinic) -> None:
    entry = {"command": "no-such-launcher", "args": ["a-servers-own-key"]}
    (clinic.data_dir / "mcp_servers.json").write_text(json.dumps({"mcpServers": {"github": entry}}))


def no_network(clinic: Clinic) -> None:
    clinic.graph.is_reachable = False


def meta_down(clinic: Clinic) -> None:
    clinic.graph.is_down = True


def token_revoked(clinic: Clinic) -> None:
    clinic.graph.token = "the token that was made after ours"


def token_invalid(clinic: Clinic) -> None:
    clinic.graph.is_token_valid = False


def token_expired(clinic: Clinic) -> None:
    clinic.graph.expires_at = 1_700_000_000


def token_of_other_app(clinic: Clinic) -> None:
    clinic.overrides["whatsapp_app_id"] = "3999999999999"


def no_permission(clinic: Clinic) -> None:
    clinic.graph.scopes = ("whatsapp_business_management",)


def number_pasted(clinic: Clinic) -> None:
    clinic.overrides["whatsapp_phone_number_id"] = f"+{NUMBER}"


def bare_number_pasted(clinic: Clinic) -> None:
    clinic.overrides["whatsapp_phone_number_id"] = NUMBER


def unknown_number_id(clinic: Clinic) -> None:
    clinic.overrides["whatsapp_phone_number_id"] = "1999999999999"


def wrong_secret(clinic: Clinic) -> None:
    clinic.graph.app_secret = "0123456789abcdef0123456789abcdef"


def secret_with_umlaut(clinic: Clinic) -> None:
    clinic.overrides["whatsapp_app_secret"] = "geheimnisträger"


def token_with_umlaut(clinic: Clinic) -> None:
    clinic.overrides["whatsapp_access_token"] = "zugangsschlüssel"


def tunnel_down(clinic: Clinic) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("all connection attempts failed", request=request)

    clinic.public = refuse


def certificate_of_our_own(clinic: Clinic) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        cause = ssl.SSLCertVerificationError("self-signed certificate")
        raise httpx.ConnectError("CERTIFICATE_VERIFY_FAILED", request=request) from cause

    clinic.public = refuse


def other_verify_token(clinic: Clinic) -> None:
    clinic.public = lambda request: httpx.Response(403)


def tunnel_page(clinic: Clinic) -> None:
    clinic.public = lambda request: httpx.Response(200, text="<html>You are about to visit</html>")


def redirecting(clinic: Clinic) -> None:
    clinic.public = lambda request: httpx.Response(301, headers={"Location": f"{PUBLIC_URL}/webhook/"})


def public_url_is_local(clinic: Clinic) -> None:
    clinic.overrides["public_url"] = "https://192.168.1.10"


def public_url_without_tls(clinic: Clinic) -> None:
    clinic.overrides["public_url"] = "http://wasap.example.org"


def not_subscribed(clinic: Clinic) -> None:
    clinic.graph.subscribed = ["3777777777777"]


def wrong_account(clinic: Clinic) -> None:
    clinic.overrides["whatsapp_business_account_id"] = "2999999999999"


def too_many_for_a_test_number(clinic: Clinic) -> None:
    clinic.graph.account_mode = "SANDBOX"
    clinic.overrides["allowed_phone_numbers"] = tuple(f"549115555010{n}" for n in range(6))


def clock_wrong(clinic: Clinic) -> None:
    clinic.graph.at = datetime.now(UTC) - timedelta(hours=1)


def version_ended(clinic: Clinic) -> None:
    clinic.overrides["whatsapp_api_version"] = "v19.0"


BROKEN: tuple[tuple[Break, str, str], ...] = (
    (no_credential, "settings", "python -m app connect"),
    (nobody_allowed, "people", "ALLOWED_PHONE_NUMBERS"),
    (data_dir_is_a_file, "disk", "DATA_DIR"),
    (disk_full, "disk", "500 MiB"),
    (no_database, "database", "backups"),
    (future_database, "database", "update the program"),
    (no_extension, "vector extension", "pip install sqlite-vec"),
    (model_not_pulled, "model", f"ollama pull {MODEL}"),
    (ollama_not_running, "model", "ollama serve"),
    (embedded_not_fetched, "model", "python -m app model fetch"),
    (own_model_missing, "model", "LLM_MODEL_PATH"),
    (too_little_memory, "memory", "model fetch qwen2.5-0.5b"),
    (model_without_tools, "tool calls", "OLLAMA_MODEL"),
    (wrong_protocol, "tool calls", 'tool_protocol="constrained"'),
    (context_cut, "context size", "num_ctx"),
    (crawling, "speed", "smaller model"),
    (broken_skill, "skills", "calculator/SKILL.md"),
    (no_skills, "skills", "SKILLS_DIR"),
    (mcp_not_json, "MCP servers", "mcp_servers.json"),
    (mcp_without_command, "MCP servers", "'lonely'"),
    (no_launcher, "MCP servers", "install no-such-launcher"),
    (no_network, "access token", "network"),
    (meta_down, "access token", "try again"),
    (token_revoked, "access token", "system user"),
    (token_with_umlaut, "access token", "system user"),
    (token_invalid, "access token", "system user"),
    (token_expired, "access token", "WHATSAPP_ACCESS_TOKEN"),
    (token_of_other_app, "access token", f"WHATSAPP_APP_ID={APP_ID}"),
    (no_permission, "permissions", "whatsapp_business_messaging"),
    (number_pasted, "phone number id", f"WHATSAPP_PHONE_NUMBER_ID={PHONE_NUMBER_ID}"),
    (bare_number_pasted, "phone number id", f"WHATSAPP_PHONE_NUMBER_ID={PHONE_NUMBER_ID}"),
    (unknown_number_id, "phone number id", "Phone number ID"),
    (wrong_secret, "app secret", f"apps/{APP_ID}/settings/basic"),
    (secret_with_umlaut, "app secret", f"apps/{APP_ID}/settings/basic"),
    (tunnel_down, "public address", "tunnel"),
    (certificate_of_our_own, "public address", "public authority"),
    (other_verify_token, "public address", "WHATSAPP_VERIFY_TOKEN"),
    (tunnel_page, "public address", "warning page"),
    (redirecting, "public address", "the address that it leads to"),
    (public_url_is_local, "public address", "tunnel"),
    (public_url_without_tls, "public address", "https://"),
    (not_subscribed, "subscription", "python -m app connect"),
    (wrong_account, "subscription", "WHATSAPP_BUSINESS_ACCOUNT_ID"),
    (too_many_for_a_test_number, "test recipients", "ALLOWED_PHONE_NUMBERS to 5"),
    (clock_wrong, "clock", "set-ntp"),
    (version_ended, "API version", "WHATSAPP_API_VERSION=v26.0"),
)


@pytest.mark.parametrize(("break_it", "hop", "fix"), BROKEN, ids=[each[0].__name__ for each in BROKEN])
async def test_the_first_failure_is_the_broken_hop_and_its_next_step_names_the_fix(
    clinic: Clinic, break_it: Break, hop: str, fix: str
) -> None:
    break_it(clinic)
    report = await clinic.examine()
    found = first_failure(report)
    assert found["hop"] == hop, found
    assert fix in found["next_step"]
    assert [each["hop"] for each in report["hops"]] == list(HOPS)
    assert [secret for secret in SECRETS if secret in json.dumps(report, ensure_ascii=False)] == []


def test_every_hop_has_a_set_up_that_breaks_it() -> None:
    # A part that is missing is left out, and breaks nothing.
    assert {hop for _, hop, _ in BROKEN} == set(HOPS) - set(SENSES)


async def test_a_healthy_account_has_no_failure_and_nothing_left_out(clinic: Clinic) -> None:
    report = await clinic.examine()
    assert [hop["hop"] for hop in report["hops"]] == list(HOPS)
    found = [(hop["hop"], hop["status"]) for hop in report["hops"] if hop["hop"] not in SENSES]
    assert found == [(name, "ok") for name in HOPS if name not in SENSES]
    assert report["ok"] is True


async def test_a_healthy_simulator_set_up_asks_meta_nothing(clinic: Clinic) -> None:
    names = ("access_token", "phone_number_id", "verify_token", "app_secret")
    clinic.overrides |= dict.fromkeys((f"whatsapp_{name}" for name in names), None)
    report = await clinic.examine()
    assert report["ok"] is True
    shown = {hop["hop"]: hop for hop in report["hops"]}
    assert {shown[name]["status"] for name in WHATSAPP_HOPS} == {"skipped"}
    assert all("simulator" in shown[name]["sentence"] for name in WHATSAPP_HOPS)
    assert clinic.graph.seen == []


async def test_what_depends_on_a_failure_is_marked_as_not_checked(clinic: Clinic) -> None:
    token_revoked(clinic)
    report = await clinic.examine()
    skipped = {hop["hop"]: hop["sentence"] for hop in report["hops"] if hop["status"] == "skipped"}
    assert {"permissions", "phone number id", "app secret", "subscription"} <= set(skipped)
    assert "access token" in skipped["app secret"]
    assert "public address" not in skipped


async def test_broken_settings_leave_everything_else_unchecked(clinic: Clinic) -> None:
    no_credential(clinic)
    report = await clinic.examine(settings=Settings.model_construct())
    assert [hop["status"] for hop in report["hops"]] == ["failed", *["skipped"] * (len(HOPS) - 1)]
    assert clinic.ollama.prompt_words == []


async def test_the_quick_round_asks_the_model_nothing(clinic: Clinic) -> None:
    report = await clinic.examine(is_quick=True)
    assert clinic.ollama.prompt_words == []
    assert report["ok"] is True
    skipped = [hop["hop"] for hop in report["hops"] if hop["status"] == "skipped" and hop["hop"] not in SENSES]
    assert skipped == ["tool calls", "context size", "speed"]


async def test_a_slow_machine_is_not_kept_reading_for_minutes(clinic: Clinic) -> None:
    clinic.seconds = 7.0  # 300 words in that time are 43 per second, so 5,000 take two minutes
    report = await clinic.examine()
    shown = {hop["hop"]: hop for hop in report["hops"]}
    assert "too long to read here" in shown["context size"]["sentence"]
    assert max(clinic.ollama.prompt_words) < 4000
    clinic.seconds = 70.0
    again = await clinic.examine()
    assert next(hop["status"] for hop in again["hops"] if hop["hop"] == "context size") == "skipped"


async def test_advice_is_given_for_what_works_but_not_for_long(clinic: Clinic) -> None:
    clinic.graph.expires_at = int((datetime.now(UTC) + timedelta(hours=20)).timestamp())
    clinic.graph.token_type = "USER"
    clinic.graph.account_mode = "SANDBOX"
    report = await clinic.examine(is_quick=True)
    shown = {hop["hop"]: hop for hop in report["hops"]}
    assert report["ok"] is True
    assert "user token" in shown["access token"]["sentence"]
    assert "system user" in shown["access token"]["next_step"]
    assert "131030" in shown["test recipients"]["next_step"]


STRICT: tuple[tuple[Break, str], ...] = (
    (token_revoked, "access token"),
    (token_expired, "access token"),
    (token_with_umlaut, "access token"),
    (no_permission, "permissions"),
    (number_pasted, "phone number id"),
    (wrong_secret, "app secret"),
    (not_subscribed, "subscription"),
)


@pytest.mark.parametrize(("break_it", "hop"), STRICT, ids=[each[0].__name__ for each in STRICT])
async def test_with_the_app_id_a_token_need_not_inspect_itself(clinic: Clinic, break_it: Break, hop: str) -> None:
    clinic.graph.may_inspect_itself = False
    clinic.overrides |= {"whatsapp_app_id": APP_ID, "whatsapp_business_account_id": ACCOUNT_ID}
    assert (await clinic.examine(is_quick=True))["ok"] is True
    break_it(clinic)
    assert first_failure(await clinic.examine(is_quick=True))["hop"] == hop


async def test_where_meta_tells_nothing_about_a_token_it_is_tried(clinic: Clinic) -> None:
    clinic.graph.may_inspect_itself = False
    report = await clinic.examine(is_quick=True)
    shown = {hop["hop"]: hop for hop in report["hops"]}
    assert report["ok"] is True
    assert "WHATSAPP_APP_ID" in shown["access token"]["next_step"]
    assert shown["phone number id"]["status"] == "ok"
    assert (shown["app secret"]["status"], shown["subscription"]["status"]) == ("skipped", "skipped")
    token_revoked(clinic)
    assert first_failure(await clinic.examine(is_quick=True))["hop"] == "access token"


async def test_the_local_graph_api_answers_all_that_the_doctor_asks(clinic: Clinic) -> None:
    local = LocalApp(APP_ID, APP_SECRET, ACCESS_TOKEN, ACCOUNT_ID, PHONE_NUMBER_ID)
    graph = SimulatedGraph(PHONE_NUMBER_ID, access_token=ACCESS_TOKEN)
    async with httpx.AsyncClient() as http:
        admin = AdminApi(local, graph.app, http)
        admin.is_subscribed = True
        clinic.graph_transport = httpx.ASGITransport(admin)
        clinic.overrides["whatsapp_app_id"] = APP_ID
        report = await clinic.examine(is_quick=True)
        asked = {hop["hop"]: hop["status"] for hop in report["hops"] if hop["hop"] in WHATSAPP_HOPS}
        assert asked.pop("clock") in {"ok", "skipped"}  # an app in this process sends no Date
        assert set(asked.values()) == {"ok"}
        admin.is_subscribed = False
        assert first_failure(await clinic.examine(is_quick=True))["hop"] == "subscription"


async def test_without_the_account_id_it_is_read_from_the_token(clinic: Clinic) -> None:
    assert clinic.settings().whatsapp_business_account_id is None
    await clinic.examine(is_quick=True)
    assert f"/v26.0/{ACCOUNT_ID}/subscribed_apps" in clinic.graph.seen


async def test_the_webhook_of_a_running_service_answers_the_challenge(clinic: Clinic) -> None:
    async with running_app(clinic.data_dir) as app:

        async def tunnel(request: httpx.Request) -> httpx.Response:
            answer = await app.http.get(request.url.path, params=request.url.params)
            return httpx.Response(answer.status_code, content=answer.content)

        clinic.public = tunnel
        report = await clinic.examine(is_quick=True)
        assert report["ok"] is True
        clinic.overrides["whatsapp_verify_token"] = "a word that was changed since the start"
        assert first_failure(await clinic.examine(is_quick=True))["hop"] == "public address"


async def test_a_tunnel_without_a_service_behind_it_is_no_failure(clinic: Clinic) -> None:
    clinic.public = lambda request: httpx.Response(502)
    report = await clinic.examine(is_quick=True)
    hop = next(hop for hop in report["hops"] if hop["hop"] == "public address")
    assert (hop["status"], "make run" in hop["next_step"]) == ("skipped", True)


async def test_beside_a_running_service_the_database_is_read_and_not_written(clinic: Clinic) -> None:
    path = clinic.data_dir / "wasap.db"
    async with migrated(path) as db:
        before = await db.fetch_one("PRAGMA user_version")
        with single_process(clinic.data_dir / "app.lock", database=path):
            report = await clinic.examine(is_quick=True)
        after = await db.fetch_one("PRAGMA user_version")
    hop = next(hop for hop in report["hops"] if hop["hop"] == "database")
    assert (hop["status"], "running service" in hop["sentence"]) == ("ok", True)
    assert before is not None
    assert after is not None
    assert before["user_version"] == after["user_version"]


async def test_a_stopped_service_leaves_a_database_that_takes_writes(clinic: Clinic) -> None:
    path = clinic.data_dir / "wasap.db"
    async with migrated(path):
        pass
    report = await clinic.examine(is_quick=True)
    hop = next(hop for hop in report["hops"] if hop["hop"] == "database")
    assert "takes writes" in hop["sentence"]
    with single_process(clinic.data_dir / "app.lock", database=path):
        pass  # the round gave the lock back


async def test_a_fresh_machine_is_not_written_to(clinic: Clinic) -> None:
    clinic.overrides["data_dir"] = clinic.root / "not" / "yet"
    report = await clinic.examine(is_quick=True)
    assert report["ok"] is True
    assert not (clinic.root / "not").exists()


async def test_what_is_not_a_terminal_gets_plain_lines(clinic: Clinic) -> None:
    wrong_secret(clinic)
    text = await clinic.text()
    assert "\x1b" not in text
    assert "✔ access token: " in text
    assert "✖ app secret: " in text
    last = text.splitlines()[-1]
    assert last.startswith("One hop does not work; begin with: app secret. ")
    checked = sum(line.startswith(("✔", "✖")) for line in text.splitlines())
    unchecked = [line[2:].partition(":")[0] for line in text.splitlines() if line.startswith("–")]
    left_out = f", {len(unchecked)} not: {', '.join(unchecked)}" if unchecked else ""
    assert last.endswith(f" {checked} checked{left_out}.")
    assert [secret for secret in SECRETS if secret in text] == []


async def test_the_last_line_counts_what_was_not_checked_and_names_it(clinic: Clinic) -> None:
    clinic.overrides |= dict.fromkeys(
        ("whatsapp_access_token", "whatsapp_phone_number_id", "whatsapp_verify_token", "whatsapp_app_secret")
    )
    lines = (await clinic.text()).splitlines()
    checked = sum(line.startswith(("✔", "✖")) for line in lines)
    unchecked = [line[2:].partition(":")[0] for line in lines if line.startswith("–")]
    assert len(unchecked) > 8
    assert lines[-1].endswith(f"{checked} checked, {len(unchecked)} not: {', '.join(unchecked)}.")


async def test_every_hop_its_cause_and_its_next_step_are_told_in_the_language_of_the_reader(
    clinic: Clinic,
) -> None:
    wrong_secret(clinic)
    no_skills(clinic)
    told = {language: (await clinic.text(language=language)).splitlines() for language in LANGUAGES}
    assert [line for line in told["es"] if line in told["en"]] == []
    assert len(told["es"]) == len(told["en"])
    spanish = "\n".join(told["es"])
    assert "✖ App Secret de la app: WHATSAPP_APP_SECRET no es el App Secret de la app" in spanish
    assert "    → copia el App Secret de https://developers.facebook.com/apps/" in spanish
    assert "2 partes no funcionan; empieza por: tus habilidades. " in told["es"][-1]


@pytest.mark.parametrize(("break_it", "hop", "step"), BROKEN, ids=lambda value: getattr(value, "__name__", None))
async def test_what_is_broken_has_a_next_step_in_each_language(
    clinic: Clinic, break_it: Break, hop: str, step: str
) -> None:
    break_it(clinic)
    async with open_hops(Loaded(clinic.settings(), clinic.problem), clinic.world(), is_quick=False) as hops:
        found = await run_hops(hops, _Silent(), Cleaner(()))
    broken = next(one for one in found if one.status == "failed")
    assert broken.hop == hop
    for text in (broken.title, broken.next_step):
        assert len({text[language] for language in LANGUAGES}) == len(LANGUAGES), text


async def test_one_answer_of_the_model_is_shown_and_judged(clinic: Clinic) -> None:
    said = "“What is the weather in Lima?”"
    assert f"; {said} came to get_weather(city='Lima'), which is right" in await clinic.text()
    model_without_tools(clinic)
    assert f"; {said} came to “I could do that.”, which is wrong" in await clinic.text()


async def test_a_terminal_gets_colours(clinic: Clinic) -> None:
    assert "\x1b[" in await clinic.text(is_terminal=True)


async def test_a_check_that_hangs_is_cut_off_and_the_round_goes_on() -> None:
    async def hang() -> Outcome:
        await asyncio.Event().wait()
        return ok("never")

    async def fine() -> Outcome:
        return ok("fine")

    hops = [Hop("slow", "slow", hang, timeout_s=0.01), Hop("next", "next", fine)]
    findings = await run_hops(hops, _Silent(), Cleaner(()))
    assert [finding.status for finding in findings] == ["failed", "ok"]
    assert findings[0].next_step


def test_texts_from_outside_are_one_line_without_secrets() -> None:
    clean = Cleaner(("top secret", "abcd+/="))
    shown = clean("a\x1b[31m\nb\u202e top secret and top%20secret, top+secret, abcd%2B%2F%3D" + "x" * 1000)
    assert "secret and" not in shown.replace("[secret] and", "")
    assert not any(piece in shown for piece in ("top", "abcd", "\x1b", "\n", "\u202e"))
    assert len(shown) <= 400


@pytest.mark.parametrize(
    ("read", "written", "word"), [(2000, 60, "fast"), (300, 20, "fine"), (70, 27, "slow"), (10, 2, "very slow")]
)
def test_speed_has_a_plain_word(read: float, written: float, word: str) -> None:
    outcome = speed_verdict(read, written)
    assert outcome.sentence.startswith(f"{word}:")
    assert (outcome.status == "failed") is (word == "very slow")


def test_a_model_that_needs_the_other_protocol_is_told_apart_from_one_that_needs_none() -> None:
    assert tool_verdict("native", {"native": 2, "constrained": 3}).status == "ok"
    assert "needs the native protocol" in tool_verdict("constrained", {"native": 3, "constrained": 1}).sentence
    assert "does not call tools" in tool_verdict("native", {"native": 1, "constrained": 1}).sentence


@pytest.mark.parametrize(
    ("name", "value"),
    [("WHATSAPP_APP_ID", "my app"), ("WHATSAPP_BUSINESS_ACCOUNT_ID", "+1"), ("PUBLIC_URL", "wasap.example.org")],
)
def test_the_new_settings_refuse_what_they_cannot_be(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert caught.value.code == name
    assert value not in caught.value.detail


def test_the_exit_code_tells_programs_whether_something_failed(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    (clinic.root / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("LLM_PROVIDER", "embedded")
    monkeypatch.setenv("LLM_MODEL_PATH", str(clinic.root / "model.gguf"))
    with single_process(clinic.data_dir / "app.lock"):  # so that nothing tries to load that file
        healthy = CliRunner().invoke(cli, ["doctor", "--json"])
        monkeypatch.setenv("SKILLS_DIR", "elsewhere")
        broken = CliRunner().invoke(cli, ["doctor", "--quick"])
        spanish = CliRunner().invoke(cli, ["doctor", "--quick"], env={"LC_ALL": "", "LANG": "es_AR.UTF-8"})
        for_programs = CliRunner().invoke(cli, ["doctor", "--quick", "--json"], env={"LC_ALL": "es_AR.UTF-8"})
        monkeypatch.setenv("LLM_PROVIDER", "oracle-of-secrets")
        unreadable = CliRunner().invoke(cli, ["doctor"])
    assert healthy.exit_code == 0, healthy.output
    assert json.loads(healthy.output)["ok"] is True
    assert broken.exit_code == 1
    assert "✖ your skills: " in broken.output
    assert "✖ tus habilidades: SKILLS_DIR elsewhere no es una carpeta: " in spanish.output
    assert "    → ejecuta esto en la carpeta del proyecto, o pon en SKILLS_DIR" in spanish.output
    assert "Una parte no funciona; empieza por: tus habilidades. " in spanish.output
    assert "is not a folder" in for_programs.output
    assert unreadable.exit_code == 1
    assert "✖ settings: LLM_PROVIDER" in unreadable.output
    assert "oracle-of-secrets" not in unreadable.output


class _Silent:
    def began(self, hop: Hop) -> None:
        return None

    def found(self, finding: Checked) -> None:
        return None


@pytest.mark.parametrize(
    ("gib", "overrides", "words"),
    [
        (16, {"llm_provider": "embedded"}, ("qwen3-14b", "chosen one is qwen2.5-coder-1.5b (2.4 GiB)")),
        (4, {"llm_provider": "embedded"}, ("qwen2.5-coder-1.5b (2.4 GiB)",)),
        (8, {"llm_provider": "ollama"}, ("qwen2.5-coder-7b", "another program")),
        (16, {"llm_provider": "embedded", "llm_model_path": Path("Qwen3-4B-Q4_K_M.gguf")}, ("is qwen3-4b",)),
        (16, {"llm_provider": "embedded", "llm_model_path": Path("mine.gguf")}, ("not in the catalogue",)),
        (1, {"llm_provider": "ollama"}, ("carries no model",)),
    ],
)
async def test_memory_tells_what_could_be_carried_and_what_was_chosen(
    clinic: Clinic, gib: int, overrides: dict[str, Any], words: tuple[str, ...]
) -> None:
    clinic.memory_bytes = gib * 1024**3
    clinic.overrides |= overrides
    report = await clinic.examine(is_quick=True)

    (hop,) = [hop for hop in report["hops"] if hop["hop"] == "memory"]
    assert hop["status"] == "ok"
    for word in words:
        assert word in hop["sentence"]


async def test_a_server_of_openais_api_is_asked_as_the_service_would(clinic: Clinic) -> None:
    clinic.overrides |= {"llm_provider": "openai", "openai_base_url": "http://openai.test"}
    report = await clinic.examine(is_quick=True)

    failure = first_failure(report)
    assert failure["hop"] == "model"
    assert "OPENAI_BASE_URL" in failure["next_step"]

    clinic.models = FakeOpenAI("a-model").transport()
    report = await clinic.examine(is_quick=True)
    (hop,) = [hop for hop in report["hops"] if hop["hop"] == "model"]
    assert (hop["status"], hop["sentence"]) == ("ok", "http://openai.test has a-model")


@pytest.mark.parametrize("command", [[], ["doctor"], ["connect"], ["mcp"], ["mcp", "add"], ["model", "fetch"]])
def test_each_command_explains_itself_for_h(command: list[str]) -> None:
    short, long = (CliRunner().invoke(cli, [*command, option]) for option in ("-h", "--help"))
    assert (short.exit_code, short.output) == (0, long.output)
    assert "Usage: " in short.output


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "es_AR.UTF-8"}, "es"),
        ({"LANG": "es"}, "es"),
        ({"LC_ALL": "C", "LANG": "es_AR.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "es_ES@euro", "LANG": "en_GB.UTF-8"}, "es"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_a_terminal_is_spoken_to_in_the_language_of_its_locale(
    environment: dict[str, str], language: Language
) -> None:
    assert terminal_language(environment) == language
