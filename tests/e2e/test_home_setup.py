"""The first-run guide: from a fresh clone to a connected number, in a page, against the simulated Graph."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx

from app.bootstrap import Ports
from app.cli.connect.guide import connect_inside
from app.config import Settings
from app.domain.health import Checked
from app.llm.providers import ModelBinding
from app.main import create_app
from app.simulator.payloads import text
from tests.e2e.visiting import NEAR, words
from tests.fakes.clock import FrozenClock
from tests.fakes.embedder import HashEmbedder
from tests.fakes.llm import ScriptedChatModel
from tests.harness import NATIVE, NO_INTERNET, lifespan
from tests.test_connect import (
    ACCOUNT_ID,
    APP_ID,
    NUMBER_ID,
    OWNER,
    PUBLIC,
    SECRET,
    TOKEN,
    Setup,
    a_setup,
)

WAIT_S = 60
PAGE = "/home/setup"
GIVEN = {
    "WHATSAPP_APP_ID": APP_ID,
    "WHATSAPP_APP_SECRET": SECRET,
    "WHATSAPP_ACCESS_TOKEN": TOKEN,
    "owner": OWNER.wa_id,
    "family": "",
    "PUBLIC_URL": PUBLIC,
    "WHATSAPP_PHONE_NUMBER_ID": "",
    "WHATSAPP_BUSINESS_ACCOUNT_ID": "",
}
STEPS = (
    "The Meta app",
    "The access token",
    "What the token may do",
    "The WhatsApp account",
    "The business number",
    "Your own number",
    "Somebody answers Meta",
    "The public address leads here",
    "The settings are written",
    "Meta knows the address",
    "The account sends its messages",
    "A first message to you",
    "A message of Meta arrives here",
    "Templates for reminders",
)


@dataclass
class Owner:
    """Whoever sits at the machine of a fresh clone, with a browser and the address that the start printed."""

    http: httpx.AsyncClient
    setup: Setup
    token: str
    clicks: int = 0
    speaks: str = "en-GB,en;q=0.9"
    cookies: dict[str, str] = field(default_factory=dict)
    seen: str = ""

    async def get(self, path: str, *, host: str = NEAR) -> httpx.Response:
        return await self._ask("GET", path, host=host)

    async def press(self, act: str, /, *, host: str = NEAR, origin: str = "", proof: str = "", **form: str) -> str:
        """Post a form of the page; returns the page that follows, as it is read."""
        self.clicks += 1
        answer = await self.post(act, host=host, origin=origin, proof=proof or await self.proof(), **form)
        return words(await self.get(answer.headers["location"]) if answer.status_code == 303 else answer)

    async def post(self, act: str, /, *, host: str = NEAR, origin: str = "", **form: str) -> httpx.Response:
        return await self._ask("POST", f"{PAGE}/{act}", form, host=host, origin=origin)

    async def proof(self) -> str:
        match = re.search(r'name="proof" value="(\w+)"', (await self.get(PAGE)).text)
        assert match is not None
        return match[1]

    async def plan(self) -> str:
        match = re.search(r'name="plan" value="([^"]+)"', (await self.get(PAGE)).text)
        assert match is not None, words(await self.get(PAGE))
        return match[1]

    async def settled(self) -> str:
        """Wait until nothing goes on; returns what the page says then."""
        async with asyncio.timeout(WAIT_S):
            while "refresh" in (page := await self.get(PAGE)).headers:
                await asyncio.sleep(0)
        return words(page)

    async def _ask(
        self, method: str, path: str, form: dict[str, str] | None = None, *, host: str, origin: str = ""
    ) -> httpx.Response:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"host": host, "cookie": cookies, "accept-language": self.speaks}
        headers |= {"origin": origin} if origin else {}
        answer = await self.http.request(method, path, data=form, headers=headers)
        self.http.cookies.clear()
        self.cookies |= dict(answer.cookies)
        self.seen += answer.text
        return answer


@asynccontextmanager
async def fresh_clone(tmp_path: Path, *, wait_s: float = WAIT_S) -> AsyncIterator[Owner]:
    """A service without a number, a Meta with an app, and a public address that leads to the service."""
    found = [
        Checked("disk", "ok", {"en": "120 GB are free", "es": "hay 120 GB"}, title={"en": "disk", "es": "disco"}),
        Checked(
            "model",
            "failed",
            {"en": "no answer", "es": "sin respuesta"},
            {"en": "fetch it", "es": "descárgalo"},
            {"en": "model", "es": "modelo"},
        ),
    ]

    async def examine() -> list[Checked]:
        return found

    async with AsyncExitStack() as stack:
        setup = await stack.enter_async_context(a_setup(tmp_path, 1))
        connect = partial(connect_inside, http=setup.http, env_path=setup.env_path, wait_s=wait_s)
        llm = ScriptedChatModel()
        ports = Ports(
            None,
            NO_INTERNET,
            ModelBinding(llm, NATIVE),
            HashEmbedder(),
            FrozenClock(),
            examine=examine,
            connect=connect,
        )
        app = create_app(Settings(_env_file=None, data_dir=tmp_path / "data"), ports)
        setup.tunnel.service = httpx.ASGITransport(app)
        await stack.enter_async_context(lifespan(app))
        http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost:8000")
        await stack.enter_async_context(http)
        token = (tmp_path / "data" / "simulator-token").read_text("ascii").strip()
        owner = Owner(http, setup, token)
        owner.cookies = dict((await owner.get(f"/?token={token}")).cookies)
        yield owner
    for secret in (SECRET, TOKEN, setup.values.get("WHATSAPP_VERIFY_TOKEN", TOKEN)):
        assert secret not in owner.seen, "a secret was shown"


async def test_from_a_fresh_clone_to_a_connected_number(tmp_path: Path) -> None:
    async with fresh_clone(tmp_path) as owner:
        first = words(await owner.get("/"))
        assert "Set up, step by step" in first
        assert [step for step in STEPS if f"{step} not yet" not in first] == []
        checked = await owner.press("check")
        assert "120 GB are free" in checked
        assert "no answer → fetch it" in checked
        before = owner.setup.values
        await owner.press("prove", **GIVEN)
        proven = await owner.settled()
        assert "All of it fits. This would change: + WHATSAPP_APP_ID=" in proven
        assert f"at Meta: account {ACCOUNT_ID} is subscribed" in proven
        assert (owner.setup.values, owner.setup.admin.is_subscribed) == (before, False), "nothing has changed yet"
        await owner.press("connect", plan=await owner.plan())
        done = await owner.settled()
        assert "The number is connected." in done
        assert [step for step in STEPS if f"{step} not yet" in done] == []
        assert owner.setup.values["WHATSAPP_PHONE_NUMBER_ID"] == NUMBER_ID
        assert owner.setup.values["ALLOWED_PHONE_NUMBERS"] == f"+{OWNER.wa_id}"
        assert owner.setup.admin.callback_url == f"{PUBLIC}/webhook"
        assert owner.setup.admin.is_subscribed
        assert [sent["to"] for sent in owner.setup.admin.templates_sent] == [OWNER.wa_id]
        assert owner.clicks == 3


async def test_what_is_wrong_is_named_at_its_step_with_what_to_do(tmp_path: Path) -> None:
    async with fresh_clone(tmp_path) as owner:
        await owner.press("prove", **{**GIVEN, "WHATSAPP_APP_SECRET": SECRET[::-1]})
        told = await owner.settled()
        assert "The Meta app the App Secret does not belong to this App ID → Copy it from Meta app" in told
        assert "The access token not yet" in told
        assert APP_ID in (await owner.get(PAGE)).text, "what is no secret still stands in the form"
        await owner.press("prove", **{**GIVEN, "PUBLIC_URL": "http://localhost"})
        told = await owner.settled()
        assert "The public address leads here" in told
        assert "→ Correct it in the form" in told
        assert "Connect the number" not in told


async def test_whoever_reads_spanish_is_told_each_cause_and_step_in_spanish(tmp_path: Path) -> None:
    async with fresh_clone(tmp_path) as owner:
        owner.speaks = "es-AR,es;q=0.9,en;q=0.8"
        await owner.press("check")
        assert "modelo sin respuesta → descárgalo" in words(await owner.get(PAGE))
        await owner.press("prove", **{**GIVEN, "WHATSAPP_APP_SECRET": SECRET[::-1]})
        assert (
            "La app de Meta el App Secret no es de este App ID → Cópialo de app de Meta" in await owner.settled()
        )
        await owner.press("prove", **{**GIVEN, "owner": "x"})
        told = await owner.settled()
        assert "escribe tu número con el código del país" in told
        assert "→ Corrígelo en el formulario: Tu número de WhatsApp" in told
        await owner.press("prove", **GIVEN)
        proven = await owner.settled()
        assert "caracteres, no se muestran) " in proven
        assert f"en Meta: la cuenta {ACCOUNT_ID} queda suscrita a la app {APP_ID}" in proven
        plan = await owner.plan()
        owner.speaks = "en"
        assert await owner.plan() == plan, "the yes is bound to the same, whoever reads it"
        await owner.press("connect", plan=plan)
        assert "The number is connected." in await owner.settled()


async def test_the_language_that_is_chosen_first_is_that_of_the_page_and_of_the_first_message(
    tmp_path: Path,
) -> None:
    async with fresh_clone(tmp_path) as owner:
        owner.speaks = "es-ES,es;q=0.9"
        first = words(await owner.get(PAGE))
        assert "1. Idioma English Continue in English Español 2. Esta máquina" in first, (
            "the other is offered in itself"
        )
        assert "From here on this page is in English" in await owner.press("language", value="en")
        assert "1. Language English Español Seguir en español 2. This machine" in words(await owner.get("/"))
        assert "That didn't work" in await owner.press("language", value="klingon")
        owner.setup.admin.switches.has_sample_template = False
        await owner.press("prove", **GIVEN)
        await owner.settled()
        await owner.press("connect", plan=await owner.plan())
        async with asyncio.timeout(WAIT_S):
            while "Now write any word" not in words(await owner.get(PAGE)):
                await asyncio.sleep(0)
        await owner.setup.graph.receive(OWNER, text("hola"))
        assert "The number is connected." in await owner.settled()
        assert "the number is connected" in owner.setup.graph.sends[0].text, "though the number is a Spanish one"


async def test_the_family_may_write_from_the_beginning(tmp_path: Path) -> None:
    async with fresh_clone(tmp_path) as owner:
        await owner.press("prove", **{**GIVEN, "family": "+54 9 11 5555 0102, somebody"})
        assert "→ Correct the numbers of the family" in await owner.settled()
        await owner.press("prove", **{**GIVEN, "family": f"+54 9 11 5555 0102, {OWNER.wa_id}, +34 600 000 003"})
        assert f"+{OWNER.wa_id} and 2 more may write" in await owner.settled()
        await owner.press("connect", plan=await owner.plan())
        assert "The number is connected." in await owner.settled()
        allowed = owner.setup.values["ALLOWED_PHONE_NUMBERS"]
        assert allowed == f"+{OWNER.wa_id},+5491155550102,+34600000003", "the first is the admin"


async def test_an_empty_secret_keeps_what_was_given_before(tmp_path: Path) -> None:
    async with fresh_clone(tmp_path) as owner:
        await owner.press("prove", **{**GIVEN, "owner": "x"})
        assert "country code" in await owner.settled()
        await owner.press("prove", **{**GIVEN, "WHATSAPP_APP_SECRET": "", "WHATSAPP_ACCESS_TOKEN": ""})
        assert "All of it fits" in await owner.settled()


async def test_a_webhook_that_does_not_come_is_told_with_the_next_step(tmp_path: Path) -> None:
    async with fresh_clone(tmp_path, wait_s=0.2) as owner:
        owner.setup.admin.switches.has_sample_template = False
        await owner.press("prove", **GIVEN)
        await owner.settled()
        await owner.press("connect", plan=await owner.plan())
        told = await owner.settled()
        assert "no webhook came within" in told
        assert "The number is connected." not in told


async def test_only_the_owner_at_this_machine_sees_or_takes_a_step(tmp_path: Path) -> None:
    async with fresh_clone(tmp_path) as owner:
        proof = await owner.proof()
        before = owner.setup.values
        strange = Owner(owner.http, owner.setup, owner.token)
        foreign = await owner.get(PAGE, host="evil.example")
        assert foreign.content == (await strange.get("/", host="evil.example")).content
        assert "Set up" not in words(await strange.get(PAGE))
        refused = [
            await owner.post("prove", **GIVEN),
            await owner.post("prove", proof="0" * 64, **GIVEN),
            await owner.post("prove", proof=proof, origin="https://evil.example", **GIVEN),
            await owner.post("prove", proof=proof, host="evil.example", **GIVEN),
            await strange.post("prove", proof=proof, **GIVEN),
            await owner.post("connect", proof="", plan="x"),
        ]
        assert [answer.status_code for answer in refused] == [403, 403, 403, 404, 401, 403]
        assert "That didn't work" in await owner.press("connect", plan="+ X=1")
        assert "That didn't work" in await owner.press("guess")
        assert owner.setup.values == before


async def test_nobody_but_the_number_that_is_being_connected_is_a_guest_of_the_webhook(tmp_path: Path) -> None:
    async with fresh_clone(tmp_path) as owner:
        query = {"hub.mode": "subscribe", "hub.verify_token": "guessed", "hub.challenge": "1"}
        for _ in range(2):
            assert (await owner.http.get("/webhook", params=query)).status_code == 403
            assert (await owner.http.post("/webhook", content=b"{}")).status_code in (400, 401, 403)
            await owner.press("prove", **GIVEN)
            await owner.settled()
