"""`python -m app connect` against a local Graph API: from nothing to a verified reply, and every way to fail."""

import asyncio
import io
import logging
import re
import socket
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from pydantic_settings import DotEnvSettingsSource
from rich.console import Console
from typer.testing import CliRunner

from app.bootstrap import Ports
from app.cli.connect.env_file import EnvFile, EnvFileError, apply_changes
from app.cli.connect.prompts import (
    check_access_token,
    check_app_secret,
    check_owner,
    read_terminal,
)
from app.cli.connect.state import Draft, Options, StepFailed
from app.cli.connect.wizard import World, connect_number
from app.cli.main import cli
from app.cli.meta import check_public_url
from app.config import Settings
from app.llm.providers import ModelBinding
from app.main import create_app
from app.simulator.graph import SimulatedGraph
from app.simulator.payloads import SimUser, text
from app.webhook.health import HELD_S
from tests.fakes.admin_api import AdminApi, LocalApp
from tests.fakes.clock import FrozenClock
from tests.fakes.embedder import HashEmbedder
from tests.fakes.llm import ScriptedChatModel
from tests.harness import NATIVE, NO_INTERNET, lifespan

GRAPH = "http://graph.test"
PUBLIC = "https://wasap.example.org"
APP_ID = "300000000000001"
SECRET = "0123456789abcdef0123456789abcdef"
TOKEN = "EAAconnectTestTokenThatOnlyTestsKnow0001"
ACCOUNT_ID = "200000000000001"
NUMBER_ID = "100000000000001"
OWNER = SimUser("5491155550101", "Alice")
TYPED = {
    "App ID": APP_ID,
    "App Secret": SECRET,
    "Access token": TOKEN,
    "country": OWNER.wa_id,
    "Public": PUBLIC,
}
WAIT_S = 60


class Tunnel(httpx.AsyncBaseTransport):
    """The way to this machine, from outside and inside: to what listens on its port, or another answer.

    `service` takes the place of what listens there.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.service: httpx.AsyncBaseTransport | None = None
        self.answer: httpx.Response | httpx.TransportError | None = None
        self._inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if isinstance(self.answer, httpx.Response):
            return self.answer
        if self.answer is not None:
            raise self.answer
        if self.service is not None:
            return await self.service.handle_async_request(request)
        await request.aread()
        url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self.port)
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"host"]
        return await self._inner.handle_async_request(
            httpx.Request(request.method, url, headers=headers, content=request.content)
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


@dataclass
class Person:
    """Types what was prepared for a question, in order; whoever asks more often gets Ctrl-D."""

    answers: dict[str, list[str]] = field(default_factory=lambda: {key: [one] for key, one in TYPED.items()})
    asked: list[tuple[str, bool]] = field(default_factory=list)

    def __call__(self, text: str, *, is_hidden: bool) -> str:
        self.asked.append((text, is_hidden))
        for key, waiting in self.answers.items():
            if key in text and waiting:
                return waiting.pop(0)
        if "Go on?" in text:
            return "y"
        raise EOFError


@dataclass
class Setup:
    """Meta, the internet and a machine, in this process."""

    admin: AdminApi
    graph: SimulatedGraph
    tunnel: Tunnel
    http: httpx.AsyncClient
    env_path: Path
    port: int
    person: Person = field(default_factory=Person)
    output: io.StringIO = field(default_factory=io.StringIO)

    async def connect(
        self, options: Options | None = None, *, environment: dict[str, str] | None = None, is_asked: bool = True
    ) -> Draft:
        console = Console(file=self.output, width=200)
        world = World(self.http, console, self.person if is_asked else None, environment or {}, self.env_path)
        async with asyncio.timeout(WAIT_S):
            return await connect_number(options or Options(), world)

    async def fails(self, options: Options | None = None) -> StepFailed:
        """Run with everything given and nobody to ask; return how it failed, having said so."""
        given_values = {"WHATSAPP_APP_SECRET": SECRET, "WHATSAPP_ACCESS_TOKEN": TOKEN}
        chosen = options or Options(APP_ID, "", OWNER.wa_id, PUBLIC, says_yes=True)
        with pytest.raises(StepFailed) as caught:
            await self.connect(chosen, environment=given_values, is_asked=False)
        assert f"✖ {caught.value.step}" in self.shown
        assert caught.value.cause in self.shown
        assert caught.value.next_step in self.shown
        return caught.value

    @property
    def shown(self) -> str:
        return self.output.getvalue()

    @property
    def values(self) -> dict[str, str]:
        return dict(EnvFile.read(self.env_path).values)


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


@asynccontextmanager
async def a_setup(tmp_path: Path, port: int) -> AsyncIterator[Setup]:
    env_path = tmp_path / ".env"
    env_path.write_text(f"# mine\nWHATSAPP_API_BASE_URL={GRAPH}\nPORT={port}\nUNKNOWN_TO_US='kept as it is'\n")
    graph = SimulatedGraph(NUMBER_ID, access_token=TOKEN)
    tunnel = Tunnel(port)
    local = LocalApp(APP_ID, SECRET, TOKEN, ACCOUNT_ID, NUMBER_ID)
    async with AsyncExitStack() as stack:
        internet = await stack.enter_async_context(httpx.AsyncClient(transport=tunnel))
        admin = AdminApi(local, graph.app, internet)
        graph.connect(admin.post_webhook, SECRET)
        await stack.enter_async_context(graph.running())
        mounts = {PUBLIC: tunnel, "http://127.0.0.1": tunnel, GRAPH: httpx.ASGITransport(admin)}
        http = await stack.enter_async_context(httpx.AsyncClient(mounts=mounts))
        yield Setup(admin, graph, tunnel, http, env_path, port)


@pytest.fixture
async def setup(tmp_path: Path, free_port: int) -> AsyncIterator[Setup]:
    """A set-up whose output is searched for secrets at the end of every test."""
    async with a_setup(tmp_path, free_port) as made:
        yield made
    for secret in (SECRET, TOKEN, made.values.get("WHATSAPP_VERIFY_TOKEN", TOKEN)):
        assert secret not in made.shown


async def test_from_nothing_to_a_webhook_that_came_back(setup: Setup) -> None:
    await setup.connect()
    assert re.findall(r"^([✔✖–]) (\w+)", setup.shown, re.MULTILINE) == [
        ("✔", step)
        for step in (
            "app",
            "token",
            "permissions",
            "account",
            "number",
            "owner",
            "receiver",
            "address",
            "settings",
            "callback",
            "subscription",
            "message",
            "webhook",
            "templates",
        )
    ]
    assert setup.admin.callback_url == f"{PUBLIC}/webhook"
    assert setup.admin.fields == ("message_template_status_update", "messages")
    assert {one["language"] for one in setup.graph.templates.list("wasap_reminder")} == {"es", "en"}
    assert setup.admin.is_subscribed
    assert [sent["to"] for sent in setup.admin.templates_sent] == [OWNER.wa_id]
    written = setup.values
    assert len(written.pop("WHATSAPP_VERIFY_TOKEN")) >= 32
    assert written == {
        "WHATSAPP_API_BASE_URL": GRAPH,
        "PORT": str(setup.port),
        "UNKNOWN_TO_US": "kept as it is",
        "WHATSAPP_APP_ID": APP_ID,
        "WHATSAPP_APP_SECRET": SECRET,
        "WHATSAPP_ACCESS_TOKEN": TOKEN,
        "WHATSAPP_BUSINESS_ACCOUNT_ID": ACCOUNT_ID,
        "WHATSAPP_PHONE_NUMBER_ID": NUMBER_ID,
        "PUBLIC_URL": PUBLIC,
        "ALLOWED_PHONE_NUMBERS": f"+{OWNER.wa_id}",
    }
    assert stat.S_IMODE(setup.env_path.stat().st_mode) == 0o600
    assert setup.env_path.read_text().startswith("# mine\n")
    assert Settings(_env_file=setup.env_path).has_whatsapp


async def test_secrets_are_typed_unseen_and_everything_else_is_shown(setup: Setup) -> None:
    await setup.connect()
    hidden = [is_hidden for text, is_hidden in setup.person.asked if "Secret" in text or "token" in text]
    open_ = [is_hidden for text, is_hidden in setup.person.asked if "App ID" in text or "number" in text]
    assert (hidden, open_) == ([True, True], [False, False])


async def test_without_the_sample_template_the_owner_writes_first_and_is_answered(setup: Setup) -> None:
    setup.admin.switches.has_sample_template = False
    running = asyncio.create_task(setup.connect())
    async with asyncio.timeout(WAIT_S):
        while "Now write any word" not in setup.shown:
            await asyncio.sleep(0.01)
        receipt = await setup.graph.receive(OWNER, text("hola"))
        await running
    assert [send.recipient for send in setup.graph.sends] == [OWNER.wa_id]
    assert "número está conectado" in setup.graph.sends[0].text
    assert "your message arrived, and was answered" in setup.shown
    # Nobody stored that message, so Meta must bring it again to the service.
    assert receipt.webhook_status in (0, 503)


async def test_a_second_run_finds_everything_in_place_and_changes_nothing(setup: Setup) -> None:
    await setup.connect()
    before, calls = setup.env_path.read_bytes(), len(setup.admin.calls)
    setup.output.truncate(0)
    await setup.connect(Options(says_yes=True), is_asked=False)
    assert setup.env_path.read_bytes() == before
    later = setup.admin.calls[calls:]
    assert {"set_subscription", "subscribe", "messages"}.isdisjoint(later)
    assert re.findall(r"^– (\w+)", setup.shown.lstrip("\0"), re.MULTILINE) == [
        "settings",
        "callback",
        "subscription",
        "message",
        "webhook",
        "templates",
    ]


async def test_an_account_that_is_subscribed_already_is_left_alone(setup: Setup) -> None:
    setup.admin.is_subscribed = True
    await setup.connect()
    assert "– subscription the account was subscribed already" in setup.shown
    assert "subscribe" not in setup.admin.calls


async def test_an_override_that_leads_elsewhere_is_ended(setup: Setup) -> None:
    setup.admin.is_subscribed, setup.admin.override_url = True, "https://elsewhere.example.org/webhook"
    await setup.connect()
    assert setup.admin.override_url == ""


async def test_whom_the_owner_names_may_write_beside_those_who_may_already(setup: Setup) -> None:
    await setup.connect(Options(family="+34 600-000-003"))
    await setup.connect(Options(family="+34 600 000 003,+1 555 000 0002"))
    assert setup.values["ALLOWED_PHONE_NUMBERS"] == f"+{OWNER.wa_id},+34600000003,+15550000002"


async def test_other_fields_of_the_app_stay_subscribed(setup: Setup) -> None:
    setup.admin.callback_url, setup.admin.fields = "https://old.example.org/webhook", ("account_update",)
    await setup.connect()
    assert ",".join(setup.admin.fields) == "account_update,message_template_status_update,messages"
    assert "(now https://old.example.org/webhook)" in setup.shown


async def test_the_service_started_from_that_file_answers_and_proves_the_next_run(
    setup: Setup, tmp_path: Path
) -> None:
    await setup.connect()
    clock = FrozenClock()
    chosen = Settings(_env_file=setup.env_path, data_dir=tmp_path / "data", debounce_ms=0)
    llm = ScriptedChatModel(echo=True)
    llm.category = "none"
    graph = httpx.ASGITransport(setup.admin)
    ports = Ports(graph, NO_INTERNET, ModelBinding(llm, NATIVE), HashEmbedder(), clock)
    app = create_app(chosen, ports)
    setup.tunnel.service = httpx.ASGITransport(app)
    async with lifespan(app) as services, asyncio.timeout(WAIT_S):
        receipt = await setup.graph.receive(OWNER, text("what is new"))
        await services.idle()
        assert receipt.webhook_status == 200
        assert [(send.recipient, "what is new" in send.text) for send in setup.graph.sends] == [
            (OWNER.wa_id, True)
        ]
        await clock.advance(60)
        shown = setup.shown
        with socket.create_server(("127.0.0.1", setup.port)):
            again = asyncio.ensure_future(setup.connect(Options(is_hello_forced=True)))
            while not again.done():
                # The service holds what it says of itself for so long: with a clock that stands still, for ever.
                await clock.advance(HELD_S if "Now write any word" in setup.shown.partition(shown)[2] else 0)
            await again
    assert f"✔ receiver     the service runs on port {setup.port} and answers" in setup.shown
    assert "✔ webhook      arrived at the running service" in setup.shown


# Every way to fail, at its own step.


async def test_a_wrong_app_id_is_caught_at_the_app(setup: Setup) -> None:
    failure = await setup.fails(Options("999999999999999", "", OWNER.wa_id, PUBLIC, says_yes=True))
    assert (failure.step, failure.ask_again) == ("app", ("WHATSAPP_APP_ID",))


async def test_a_wrong_secret_is_caught_at_the_app(setup: Setup) -> None:
    setup.person.answers["App Secret"] = ["f" * 32]
    with pytest.raises(EOFError):
        await setup.connect()
    assert "✖ app          the App Secret does not belong to this App ID" in setup.shown


async def test_after_a_wrong_secret_only_the_secret_is_asked_again(setup: Setup) -> None:
    setup.person.answers |= {"App Secret": ["f" * 32, SECRET], "Try this step again": ["y"]}
    await setup.connect()
    asked = [text for text, _ in setup.person.asked]
    assert sum("App Secret" in text for text in asked) == 2
    assert sum("App ID" in text for text in asked) == 1


async def test_an_expired_token_is_caught_at_the_token(setup: Setup) -> None:
    setup.admin.switches.is_token_expired = True
    failure = await setup.fails()
    assert (failure.step, failure.cause) == ("token", "the access token has expired")
    assert "never expires" in failure.next_step


async def test_a_missing_permission_is_caught_by_name(setup: Setup) -> None:
    setup.admin.switches.missing_scopes = frozenset({"whatsapp_business_management"})
    failure = await setup.fails()
    assert (failure.step, failure.cause) == ("permissions", "the access token lacks whatsapp_business_management")


async def test_an_id_of_another_number_is_caught_and_the_right_one_named(setup: Setup) -> None:
    failure = await setup.fails(Options(APP_ID, "123456789012345", OWNER.wa_id, PUBLIC, says_yes=True))
    assert failure.step == "number"
    assert NUMBER_ID in failure.next_step


async def test_the_number_itself_in_place_of_its_id_is_understood(setup: Setup) -> None:
    setup.person.answers = {key: [one] for key, one in TYPED.items()}
    draft = await setup.connect(Options(number="+1 555 000 9999"))
    assert draft.chosen.id == NUMBER_ID


async def test_an_account_that_the_token_does_not_name_is_found_by_its_user(setup: Setup) -> None:
    setup.admin.switches.account_known_by = "user"
    assert (await setup.connect()).account_id == ACCOUNT_ID


async def test_an_account_that_nobody_names_is_asked_for_and_a_wrong_one_is_caught(setup: Setup) -> None:
    setup.admin.switches.account_known_by = "nobody"
    setup.person.answers |= {"Account ID": ["999999999999", ACCOUNT_ID], "Try this step again": ["y"]}
    assert (await setup.connect()).account_id == ACCOUNT_ID
    assert "✖ number       Meta does not show account 999999999999" in setup.shown


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.ConnectError("refused"), "no connection to that host"),
        (httpx.ConnectError("certificate verify failed"), "certificate"),
        (httpx.ReadTimeout("slow"), "no answer"),
        (httpx.Response(502), "nothing listens behind it"),
        (httpx.Response(404), "no /webhook"),
        (httpx.Response(403), "refuses the verify token"),
        (httpx.Response(301, headers={"location": "https://www.example.org"}), "redirects"),
        (httpx.Response(200, text="<html>welcome</html>"), "another page"),
    ],
)
async def test_an_address_that_does_not_lead_here_is_caught_before_anything_is_written(
    setup: Setup, answer: httpx.Response | httpx.TransportError, words: str
) -> None:
    before = setup.env_path.read_bytes()
    setup.tunnel.answer = answer
    failure = await setup.fails()
    assert failure.step == "address"
    assert words in failure.cause
    assert setup.env_path.read_bytes() == before
    assert setup.admin.callback_url == ""


async def test_an_address_that_only_meta_cannot_reach_is_caught_at_the_callback(setup: Setup) -> None:
    setup.admin.switches.is_callback_unreachable = True
    failure = await setup.fails()
    assert failure.step == "callback"
    # The file is whole: the next run goes on from here with the same verify token.
    token = setup.values["WHATSAPP_VERIFY_TOKEN"]
    setup.admin.switches.is_callback_unreachable = False
    await setup.connect(Options(says_yes=True), is_asked=False)
    assert setup.values["WHATSAPP_VERIFY_TOKEN"] == token
    assert setup.admin.callback_url == f"{PUBLIC}/webhook"


async def test_a_temporary_token_is_named_as_one(setup: Setup) -> None:
    setup.admin.switches.is_token_temporary = True
    await setup.connect()
    assert "ends in 24 hours" in setup.shown
    assert "A temporary token" in setup.shown


async def test_a_test_number_is_named_and_its_unknown_recipient_caught(setup: Setup) -> None:
    setup.admin.switches.is_test_number = True
    failure = await setup.fails()
    assert "at most 5 people" in setup.shown
    assert failure.step == "message"
    assert "131030" in failure.cause


async def test_a_port_that_a_stranger_holds_is_caught_at_the_receiver(setup: Setup) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(403)

    setup.tunnel.service = httpx.MockTransport(answer)
    with socket.create_server(("127.0.0.1", setup.port)):
        failure = await setup.fails()
    assert failure.step == "receiver"


async def test_no_webhook_in_time_is_caught_at_the_webhook(setup: Setup) -> None:
    setup.admin.switches.has_sample_template = False
    options = Options(APP_ID, "", OWNER.wa_id, PUBLIC, says_yes=True, wait_s=0.05)
    assert (await setup.fails(options)).step == "webhook"


async def test_meta_out_of_reach_is_said_without_the_secret_of_the_request(setup: Setup) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(f"cannot reach {request.url}")

    async with httpx.AsyncClient(transport=httpx.MockTransport(refuse)) as setup.http:
        failure = await setup.fails()
    assert failure.step == "app"
    assert failure.__cause__ is None


async def test_a_missing_value_is_named_when_nobody_can_be_asked(setup: Setup) -> None:
    with pytest.raises(StepFailed) as caught:
        await setup.connect(Options(says_yes=True), is_asked=False)
    assert caught.value.cause == "WHATSAPP_APP_ID: is not set"


async def test_a_no_before_the_changes_leaves_everything_as_it_was(setup: Setup) -> None:
    before = setup.env_path.read_bytes()
    setup.person.answers |= {"Go on?": ["n"], "Try this step again": ["n"]}
    with pytest.raises(StepFailed):
        await setup.connect()
    assert setup.env_path.read_bytes() == before
    assert (setup.admin.callback_url, setup.admin.is_subscribed) == ("", False)


@pytest.mark.parametrize("question", ["App ID", "Access token", "Public", "Go on?"])
async def test_an_end_at_any_question_writes_nothing(setup: Setup, question: str) -> None:
    before = sorted(path.name for path in setup.env_path.parent.iterdir()), setup.env_path.read_bytes()

    def stop(text: str, *, is_hidden: bool) -> str:
        if question in text:
            raise KeyboardInterrupt
        return person(text, is_hidden=is_hidden)

    person, setup.person = setup.person, stop  # type: ignore[assignment]  # any reader will do
    with pytest.raises(KeyboardInterrupt):
        await setup.connect()
    after = sorted(path.name for path in setup.env_path.parent.iterdir()), setup.env_path.read_bytes()
    assert after == before


# Shapes, and the file.


@pytest.mark.parametrize(
    ("typed", "cleaned"),
    [
        ("wasap.example.org", PUBLIC),
        (" https://WASAP.example.org/webhook/ ", PUBLIC),
        ("https://wasap.example.org:8443/bot/webhook", f"{PUBLIC}:8443/bot"),
    ],
)
def test_an_address_is_cleaned(typed: str, cleaned: str) -> None:
    assert check_public_url(typed) == cleaned


@pytest.mark.parametrize(
    "typed",
    [
        "http://wasap.example.org",
        "https://localhost:8000",
        "https://127.0.0.1",
        "https://[::1]/",
        "https://10.0.0.7",
        "https://printer.local",
        "https://me:pw@wasap.example.org",
        "https://wasap.example.org/?next=1",
        "https://wasap.example.org:99999",
        "ftp://wasap.example.org",
        "",
    ],
)
def test_an_address_that_meta_cannot_call_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match=r"Meta|address"):
        check_public_url(typed)


def test_credentials_in_each_others_place_are_noticed() -> None:
    with pytest.raises(ValueError, match="access token"):
        check_app_secret("EA" + "x" * 180)
    with pytest.raises(ValueError, match="App Secret"):
        check_access_token(SECRET)
    assert check_access_token(f" 'Bearer {TOKEN}'\n") == TOKEN
    assert check_owner("+54 (9) 11 5555-0101") == OWNER.wa_id


@pytest.mark.parametrize("is_hidden", [False, True])
async def test_the_terminal_is_read_beside_the_running_loop(is_hidden: bool) -> None:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("my answer\r")
        assert read_terminal("  App ID: ", is_hidden=is_hidden) == "my answer"
        keys.send_text("half an ans\x03")
        with pytest.raises(KeyboardInterrupt):
            read_terminal("  App ID: ", is_hidden=is_hidden)
        keys.send_text("\x04")
        with pytest.raises(EOFError):
            read_terminal("  App ID: ", is_hidden=is_hidden)


NAMES = st.sampled_from(["PUBLIC_URL", "WHATSAPP_APP_ID", "ALLOWED_PHONE_NUMBERS"])
LINES = st.lists(
    st.one_of(
        st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=20).map("# {}".format),
        st.sampled_from(["", "LOG_LEVEL=INFO", "X='two words'", 'Y="a b" # why', "export Z=1", "# PUBLIC_URL="]),
        st.builds("{}={}".format, NAMES, st.sampled_from(["", "old", "'quoted'"])),
    ),
    max_size=8,
)


def read_back(path: Path) -> dict[str, str | None]:
    return dict(DotEnvSettingsSource(Settings, env_file=path, case_sensitive=True).env_vars)


@given(lines=LINES, changes=st.dictionaries(NAMES, st.text(max_size=12)), newline=st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_reads_back_and_nothing_else_changes(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], changes: dict[str, str], newline: str
) -> None:
    path = tmp_path_factory.mktemp("env") / ".env"
    path.write_bytes(newline.join(lines).encode())
    before, raw = read_back(path), path.read_bytes()
    try:
        EnvFile.read(path).write(changes)
    except EnvFileError:
        assert path.read_bytes() == raw
        assert any(
            not re.fullmatch(r"[!-~]+( [!-~]+)*", value) or set(value) & set("\"'#$\\`")
            for value in changes.values()
        )
        return
    after = read_back(path)
    assert {name: after[name] for name in changes} == changes
    assert {name: value for name, value in after.items() if name not in changes} == {
        name: value for name, value in before.items() if name not in changes
    }
    assert [one.name for one in path.parent.iterdir()] == [".env"]


def test_a_commented_line_of_the_example_becomes_the_setting_and_keeps_its_comment() -> None:
    text_before = "# Where it is.\n# PUBLIC_URL=\n# Who.\n# ALLOWED_PHONE_NUMBERS=\n"
    expected = f"# Where it is.\nPUBLIC_URL={PUBLIC}\n# Who.\n# ALLOWED_PHONE_NUMBERS=\n"
    assert apply_changes(text_before, {"PUBLIC_URL": PUBLIC}) == expected


def test_a_file_that_somebody_else_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    read = EnvFile.read(path)
    path.write_text("PORT=9000\n")
    with pytest.raises(EnvFileError, match="changed meanwhile"):
        read.write({"PUBLIC_URL": PUBLIC})
    assert path.read_text() == "PORT=9000\n"


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.env", tmp_path / ".env"
    real.write_text("PORT=9000\n")
    link.symlink_to(real)
    EnvFile.read(link).write({"PUBLIC_URL": PUBLIC})
    assert link.is_symlink()
    assert "PUBLIC_URL" in real.read_text()


@pytest.fixture
def logging_stays_as_it_is() -> Iterator[None]:
    """The command line sets logging up for the whole process."""
    root = logging.getLogger()
    handlers, level, configuration = root.handlers[:], root.level, structlog.get_config()
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**configuration)


@pytest.mark.usefixtures("logging_stays_as_it_is")
def test_the_command_ends_with_1_and_names_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(cli, ["connect", "--yes"])
    assert ended.exit_code == 1
    assert "✖ app          WHATSAPP_APP_ID: is not set" in ended.output
    assert "until then nothing changes" in ended.output.partition("✖")[0]
    assert list(tmp_path.iterdir()) == []
