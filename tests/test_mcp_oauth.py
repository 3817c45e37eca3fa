"""Signing in at remote servers: the whole dance, and everything that must not come of it."""

import asyncio
import stat
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.commands.texts import COMMANDS
from app.database.repository import Repository
from app.domain.clock import SystemClock
from app.domain.ids import UserId
from app.domain.outbound import Reply
from app.language.catalogue import say
from app.mcp.config import ServerConfig
from app.mcp.connecting.calls import CallFailed
from app.mcp.connecting.host import WAITING_FOR_CONSENT, Host, NoConsents, Verdict
from app.mcp.connecting.resolve import ServerSpec, resolve
from app.mcp.connecting.transports import Transports
from app.mcp.files import ConfigFile
from app.mcp.manager import McpManager
from app.mcp.signing_in.callback import CALLBACK_PATH, DOCUMENT_PATH, OurClient, create_routes
from app.mcp.signing_in.consent import LINK_LIFE_S, Answered, consent_text
from app.mcp.signing_in.http import SignInHttp, may_be_shown
from app.mcp.texts import MCP
from tests.databases import migrated
from tests.fakes.clock import FrozenClock
from tests.fakes.mcp import text_of, turn_of, until
from tests.fakes.oauth import ISSUER, OWNER, REDIRECT_URL, REMOTE, URL, Remote, Running, running_sign_ins
from tests.fakes.registries import commands_over


async def add(running: Running, config: ServerConfig = REMOTE, name: str = "remote", wait_s: float = 5) -> str:
    async with asyncio.timeout(10):
        return (await running.manager.hot_add_server(name, config, wait_s=wait_s)).state


async def call(running: Running) -> str:
    async with asyncio.timeout(10):
        return text_of(await running.manager.call("remote", "count", {}, turn_of()))


def asked(link: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(link).query).items()}


def texts_below(folder: Path, but: Path) -> list[str]:
    return [path.read_text("utf-8") for path in folder.rglob("*") if path.is_file() and path != but]


def state(running: Running) -> tuple[str, str | None]:
    info = running.manager.find_server("remote")
    assert info is not None
    return info.state, info.error


async def until_asked(running: Running) -> None:
    """Wait until an admin has the link and the connection waits for the answer."""
    await until(lambda: bool(running.admin.links) and state(running)[1] == WAITING_FOR_CONSENT)


async def test_a_server_that_wants_consent_is_used_once_an_admin_gave_it(tmp_path: Path) -> None:
    remote = Remote()
    async with running_sign_ins(tmp_path, remote, SystemClock()) as running:
        adding = asyncio.create_task(add(running))
        await until_asked(running)
        assert await running.consent() == "taken"
        assert await adding == "ready"
        assert await call(running) == "call 1"
        assert len(running.admin.links) == 1
    (registered,) = remote.registered
    assert registered["redirect_uris"] == [REDIRECT_URL]
    assert asked(running.admin.links[0])["resource"] == URL


async def test_what_signing_in_brought_is_in_the_secrets_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    remote = Remote()
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        assert await add(running) == "ready"
        await call(running)
        secrets = [*remote.tokens, *remote.refresh_tokens, remote.token_requests[0]["code"]]
        spoken = "".join(capfd.readouterr()) + repr(running.manager.list_servers())
    kept = tmp_path / "secrets.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert all(secret in kept.read_text("utf-8") for secret in secrets[:2])
    assert not any(secret in spoken for secret in secrets)
    assert not any(secret in text for text in texts_below(tmp_path, kept) for secret in secrets)


async def test_after_a_restart_nobody_is_asked_again(tmp_path: Path) -> None:
    remote = Remote()
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        await add(running)
    async with running_sign_ins(tmp_path, remote, SystemClock()) as again:
        assert await add(again) == "ready"
        assert await call(again) == "call 1"
        assert again.admin.links == []


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_token_that_ends_is_renewed_once_for_all_who_need_it(tmp_path: Path, is_restarted: bool) -> None:
    remote, clock = Remote(lasts_s=600), FrozenClock()
    async with running_sign_ins(tmp_path, remote, clock, does="yes") as running:
        await add(running)
        if not is_restarted:
            remote.revoke()
            await clock.advance(590)
            assert sorted(await asyncio.gather(call(running), call(running))) == ["call 1", "call 2"]
    if is_restarted:
        await clock.advance(590)
        async with running_sign_ins(tmp_path, remote, clock) as again:
            assert await add(again) == "ready"
            assert again.admin.links == []
    assert [form["grant_type"] for form in remote.token_requests] == ["authorization_code", "refresh_token"]


async def test_a_token_that_the_server_takes_back_is_renewed_without_a_person(tmp_path: Path) -> None:
    remote = Remote()
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        await add(running)
        remote.revoke()
        assert await call(running) == "call 1"
        assert len(running.admin.links) == 1


async def test_a_renewal_outlives_the_request_that_wanted_it(tmp_path: Path) -> None:
    remote, clock = Remote(lasts_s=600), FrozenClock()
    spec = ServerSpec("remote", "http", url=URL, is_public_only=True)
    async with running_sign_ins(tmp_path, remote, clock, does="yes") as running:
        await add(running)
        first = await running.sign_ins.token(spec)
        await clock.advance(590)
        remote.may_renew.clear()
        waiting = asyncio.create_task(running.sign_ins.token(spec))
        await until(lambda: remote.token_requests[-1]["grant_type"] == "refresh_token")
        waiting.cancel()
        await asyncio.wait({waiting})
        remote.may_renew.set()
        async with asyncio.timeout(5):
            second = await running.sign_ins.token(spec)
        assert waiting.cancelled()
        assert first != second
        assert second in remote.tokens
    assert [form["grant_type"] for form in remote.token_requests] == ["authorization_code", "refresh_token"]


async def test_a_server_that_registers_nobody_says_what_its_owner_can_do(tmp_path: Path) -> None:
    async with running_sign_ins(tmp_path, Remote(registers=False), SystemClock()) as running:
        assert await add(running) == "failed"
        assert "OAUTH_CLIENT_ID" in str(state(running)[1])


async def test_where_a_token_cannot_be_renewed_the_caller_is_told_and_an_admin_asked_once(tmp_path: Path) -> None:
    remote = Remote()
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        await add(running)
        running.admin.on_link = None
        remote.revoke()
        remote.refuses_refresh = True
        for _ in range(2):
            with pytest.raises(CallFailed, match="wants the consent of an admin first"):
                await call(running)
        await until(lambda: len(running.admin.links) == 2)
        assert await running.consent() == "taken"
        await until(lambda: not running.sign_ins.is_open("remote"))
        assert await call(running) == "call 1"
    assert [form["grant_type"] for form in remote.token_requests].count("refresh_token") == 1


async def test_a_server_whose_admin_declines_is_not_connected(tmp_path: Path) -> None:
    async with running_sign_ins(tmp_path, Remote(), SystemClock(), does="no") as running:
        assert await add(running) == "failed"
        assert "did not allow it" in str(state(running)[1])
        assert running.remote.token_requests == []


async def test_a_link_counts_for_its_state_its_admins_and_one_answer(tmp_path: Path) -> None:
    remote = Remote()
    async with running_sign_ins(tmp_path, remote, SystemClock()) as running:
        adding = asyncio.create_task(add(running))
        await until_asked(running)
        good = remote.browse(running.admin.links[0])
        answer = running.sign_ins.answer
        for wrong in ("", "no address", "http://[", f"{REDIRECT_URL}?code=x", f"{REDIRECT_URL}?code=x&state=y"):
            assert await answer(wrong) == "unknown"
        assert await answer(good, by=UserId("mallory")) == "not_yours"
        assert await answer(good, by=OWNER) == "taken"
        assert await answer(good, by=OWNER) == "unknown"
        assert await adding == "ready"
        assert await answer(good) == "unknown"


async def test_a_link_is_too_old_after_a_while(tmp_path: Path) -> None:
    clock = FrozenClock()
    async with running_sign_ins(tmp_path, Remote(), clock) as running:
        adding = asyncio.create_task(add(running))
        await until_asked(running)
        await clock.advance(0)
        await clock.advance(LINK_LIFE_S + 1)
        await adding
        await until(lambda: state(running)[0] == "failed")
        assert await running.consent() == "unknown"
        assert "while the link was good" in str(state(running)[1])


async def test_a_server_that_is_removed_takes_its_link_with_it(tmp_path: Path) -> None:
    async with running_sign_ins(tmp_path, Remote(), SystemClock()) as running:
        adding = asyncio.create_task(add(running))
        await until_asked(running)
        async with asyncio.timeout(5):
            await running.manager.hot_remove_server("remote")
        await adding
        assert await running.consent() == "unknown"


async def test_a_token_goes_to_no_other_address_of_the_same_name(tmp_path: Path) -> None:
    remote = Remote()
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        await add(running)
        await running.manager.hot_remove_server("remote")
        running.admin.on_link = None
        elsewhere = REMOTE.model_copy(update={"url": "https://evil.test/mcp"})
        spec = ServerSpec("remote", "http", url="https://evil.test/mcp", is_public_only=True)
        assert await running.sign_ins.token(spec) is None
        assert await add(running, elsewhere, wait_s=0.2) != "ready"


@pytest.mark.parametrize("greets_anybody", [False, True])
async def test_a_server_that_refuses_the_token_it_just_gave_is_not_asked_for_again(
    tmp_path: Path, greets_anybody: bool
) -> None:
    remote = Remote(takes_tokens=False, greets_anybody=greets_anybody, refuses_refresh=True)
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        assert await add(running) == "failed"
        assert "just given" in str(state(running)[1])
        # What is open to anybody counts as taken, until the token is refused for the first time.
        assert len(running.admin.links) <= 1 + greets_anybody


@pytest.mark.parametrize("grants_scopes", [True, False])
async def test_more_rights_are_asked_for_once_whether_or_not_they_are_given(
    tmp_path: Path, grants_scopes: bool
) -> None:
    remote = Remote(call_scope="write")
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        await add(running)
        remote.grants_scopes = grants_scopes
        for _ in range(3):
            try:
                await call(running)
            except CallFailed:
                await running.sign_ins.verdict("remote")
        assert [asked(link)["scope"] for link in running.admin.links] == ["basic", "basic write"]
    assert remote.calls == (2 if grants_scopes else 0)


async def test_an_account_of_our_own_needs_no_person(tmp_path: Path) -> None:
    remote = Remote()
    names = ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_ISSUER", "OAUTH_GRANT_TYPE")
    values = ("service", "hush-hush", ISSUER, "client_credentials")
    config = REMOTE.model_copy(update={"env": dict(zip(names, values, strict=True))})
    async with running_sign_ins(tmp_path, remote, SystemClock()) as running:
        assert await add(running, config) == "ready"
        remote.revoke()
        assert await call(running) == "call 1"
        assert running.admin.links == []
    assert remote.registered == []


async def test_an_account_of_our_own_without_issuer_gives_its_secret_to_nobody(tmp_path: Path) -> None:
    remote = Remote()
    env = {"OAUTH_CLIENT_ID": "service", "OAUTH_CLIENT_SECRET": "hush", "OAUTH_GRANT_TYPE": "client_credentials"}
    async with running_sign_ins(tmp_path, remote, SystemClock()) as running:
        assert await add(running, REMOTE.model_copy(update={"env": env})) == "failed"
        assert "OAUTH_ISSUER" in str(state(running)[1])
    assert remote.token_requests == []


async def test_a_client_that_was_registered_by_hand_is_used(tmp_path: Path) -> None:
    remote = Remote()
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        assert await add(running, REMOTE.model_copy(update={"env": {"OAUTH_CLIENT_ID": "mine"}})) == "ready"
        assert asked(running.admin.links[0])["client_id"] == "mine"
    assert remote.registered == []


async def test_a_registration_is_made_anew_when_the_way_back_changes(tmp_path: Path) -> None:
    remote = Remote()
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        await add(running)
    remote.revoke()
    remote.refuses_refresh = True
    async with running_sign_ins(
        tmp_path, remote, SystemClock(), does="yes", redirect_url="https://new.test/back"
    ) as again:
        assert await add(again) == "ready"
    assert [one["redirect_uris"] for one in remote.registered] == [[REDIRECT_URL], ["https://new.test/back"]]


async def test_where_the_owner_wrote_a_header_nobody_is_asked(tmp_path: Path) -> None:
    config = REMOTE.model_copy(update={"headers": {"authorization": "Bearer outdated"}})
    async with running_sign_ins(tmp_path, Remote(), SystemClock(), does="yes") as running:
        assert await add(running, config) == "waiting"
        assert running.admin.links == []


async def test_no_token_crosses_the_internet_in_the_clear(tmp_path: Path) -> None:
    async with running_sign_ins(tmp_path, Remote(), SystemClock()) as running:
        spec = ServerSpec("remote", "http", url="http://mcp.test/mcp", is_public_only=True)
        assert running.sign_ins.auth(spec) is None


class AlwaysGranted(NoConsents):
    async def verdict(self, server: str) -> Verdict | None:
        return Verdict(True)


async def test_a_server_that_lets_nobody_in_whatever_was_consented_is_given_up(tmp_path: Path) -> None:
    host = Host(
        Transports(tmp_path, guard=Remote().transport),
        lambda name, config: resolve(name, config, find_secret=lambda key: None, environ={}),
        SystemClock(),
        consents=AlwaysGranted(),
    )
    manager = McpManager(ConfigFile(tmp_path / "mcp_servers.json"), host)
    try:
        info = await manager.hot_add_server("remote", REMOTE, wait_s=5)
    finally:
        await manager.aclose()
    assert (info.state, info.error) == ("failed", "it wants consent again and again")


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ("resource", {"authorization_servers": ["http://auth.test"]}),
        ("resource", {"resource": "https://other.test/mcp"}),
        ("metadata", {"issuer": "https://other.test"}),
        ("metadata", {"authorization_endpoint": "http://auth.test/authorize"}),
        ("metadata", {"authorization_endpoint": "https://auth.test/authorize#"}),
        ("metadata", {"registration_endpoint": "http://127.0.0.1:9/register"}),
    ],
)
async def test_a_server_that_leads_astray_gets_neither_link_nor_token(
    tmp_path: Path, where: str, what: dict[str, object]
) -> None:
    remote = Remote(**{where: what})  # type: ignore[arg-type]  # the two fields are of one type
    async with running_sign_ins(tmp_path, remote, SystemClock(), does="yes") as running:
        assert await add(running) == "failed"
        assert running.admin.links == []
        assert "sign-in" in str(state(running)[1])
    assert remote.token_requests == []


NEAR = ServerSpec("s", "http", url="http://localhost:3000/mcp")
FAR = ServerSpec("s", "http", url="https://mcp.test/mcp")
NAMED = ServerSpec("s", "http", url="http://mcp:3000/mcp")
BY_MESSAGE = ServerSpec("s", "http", url="https://127.0.0.1/mcp", is_public_only=True)


@pytest.mark.parametrize(
    ("spec", "url", "way"),
    [
        (NEAR, "http://localhost:4000/token", "plain"),
        (NEAR, "http://192.168.1.7/token", "plain"),
        (NEAR, "https://auth.test/token", "guard"),
        (NEAR, "http://auth.test/token", "refused"),
        (FAR, "https://mcp.test/token", "plain"),
        (FAR, "https://auth.test/token", "guard"),
        (FAR, "http://localhost:4000/token", "refused"),
        (FAR, "https://169.254.169.254/latest", "guard"),
        (FAR, "http://169.254.169.254/latest", "refused"),
        (NAMED, "http://mcp:3000/token", "plain"),
        (NAMED, "http://other:3000/token", "refused"),
        (BY_MESSAGE, "https://127.0.0.1/token", "guard"),
    ],
)
async def test_what_a_server_names_is_reached_as_the_server_may_be_itself(
    spec: ServerSpec, url: str, way: str
) -> None:
    taken: list[str] = []

    def note(kind: str) -> httpx2.MockTransport:
        def answer(request: httpx2.Request) -> httpx2.Response:
            taken.append(kind)
            return httpx2.Response(200)

        return httpx2.MockTransport(answer)

    async with SignInHttp(lambda: note("guard"), lambda: note("plain")).open(spec) as http:
        if way == "refused":
            with pytest.raises(httpx2.UnsupportedProtocol):
                await http.get(url)
        else:
            await http.get(url)
    assert taken == ([] if way == "refused" else [way])


@pytest.mark.parametrize(
    ("url", "spec", "may"),
    [
        ("https://auth.test/authorize?state=x", FAR, True),
        ("http://localhost:4000/authorize", NEAR, True),
        ("http://localhost:4000/authorize", FAR, False),
        ("http://auth.test/authorize", NEAR, False),
        ("javascript:alert(1)", NEAR, False),
        ("https://bank.test@evil.test/", FAR, False),
        ("https://auth.test/a b", FAR, False),
        ("https://auth.test/\u202egnp", FAR, False),
        ("https://", FAR, False),
        ("https://[", FAR, False),
    ],
)
def test_only_a_web_address_is_put_before_a_person(url: str, spec: ServerSpec, may: bool) -> None:
    assert may_be_shown(url, spec) is may


def test_the_message_names_the_host_and_how_to_answer() -> None:
    text = consent_text("remote", "https://auth.test/x?state=1", "en", is_pasted=True)
    assert "link of auth.test" in text
    assert "15 minutes" in text
    assert "/mcp code" in text
    assert "/mcp code" not in consent_text("remote", "https://auth.test/x", "es", is_pasted=False)


@pytest.mark.parametrize(("outcome", "status"), [("taken", 200), ("declined", 200), ("unknown", 400)])
def test_the_browser_ends_on_a_page_that_leads_nowhere(outcome: Answered, status: int) -> None:
    heard: list[str] = []

    async def answer(url: str) -> Answered:
        heard.append(url)
        return outcome

    app = FastAPI()
    app.router.routes.extend(create_routes(answer, OurClient(REDIRECT_URL, "https://w.test/c.json")))
    with TestClient(app) as browser:
        page = browser.get(f"{CALLBACK_PATH}?code=sesame&state=s", headers={"Accept-Language": "fr, en-GB;q=0.8"})
        document = browser.get(DOCUMENT_PATH).json()
    assert page.status_code == status
    assert 'lang="en"' in page.text
    assert "sesame" not in page.text
    assert page.headers["referrer-policy"] == "no-referrer"
    assert heard == [f"http://testserver{CALLBACK_PATH}?code=sesame&state=s"]
    assert (document["client_id"], document["redirect_uris"]) == ("https://w.test/c.json", [REDIRECT_URL])


async def test_an_admin_pastes_the_address_into_the_chat(tmp_path: Path) -> None:
    remote, file = Remote(), ConfigFile(tmp_path / "mcp_servers.json")
    admin = replace(turn_of(OWNER), is_admin=True)
    async with running_sign_ins(tmp_path, remote, SystemClock()) as running:
        commands = commands_over(running.manager, file, running.sign_ins)
        file.put("remote", REMOTE)
        started = Reply(say(MCP.sign_in_login_started, "en", name="remote"))
        assert await commands.run("login remote", admin) == started
        await until_asked(running)
        pasted = f"code {remote.browse(running.admin.links[0])}"
        assert await commands.run(pasted, turn_of(OWNER)) == Reply(say(COMMANDS.admin_only, "en"))
        assert await commands.run(pasted, admin) == Reply(say(MCP.sign_in_taken, "en"))
        await until(lambda: state(running)[0] == "ready")


async def test_what_else_follows_the_command_starts_nothing(tmp_path: Path) -> None:
    remote, file = Remote(), ConfigFile(tmp_path / "mcp_servers.json")
    admin = replace(turn_of(OWNER), is_admin=True)
    async with running_sign_ins(tmp_path, remote, SystemClock()) as running, migrated() as db:
        commands = commands_over(running.manager, file, running.sign_ins, repository=Repository(db), home=tmp_path)
        unknown = Reply(say(MCP.sign_in_login_no_server, "en", name="nothing"))
        assert await commands.run("login nothing", admin) == unknown
        assert await commands.run("login", admin) == Reply(say(MCP.sign_in_usage_login, "en"))
        assert await commands.run("code", admin) == Reply(say(MCP.sign_in_usage_code, "en"))
        assert (await commands.run("add x npx y", admin)).markdown.startswith("I can't run that")
        assert running.manager.list_servers() == ()
