"""The local Graph API's administration answers as Meta's documentation says."""

from collections.abc import AsyncIterator

import httpx
import pytest
from pydantic import JsonValue

from app.domain.errors import AccessRevoked, AppError
from app.simulator.graph import SimulatedGraph
from app.simulator.payloads import SimUser, text
from app.whatsapp.admin import GraphAdmin
from tests.fakes.admin_api import AdminApi, LocalApp

TOKEN = "EAAadminTestTokenThatOnlyTestsKnow00001"
LOCAL = LocalApp("300000000000001", "0123456789abcdef" * 2, TOKEN, "200000000000001", "100000000000001")
CALLBACK = "https://wasap.example.org/webhook"
VERIFY = "a verify token"
OWNER = SimUser("5491155550101", "Alice")


class World:
    """One app at Meta's, and the internet in which its callback URL echoes or refuses."""

    def __init__(self) -> None:
        self.posted: list[bytes] = []
        self.is_up = True
        self.graph = SimulatedGraph(LOCAL.phone_number_id, access_token=TOKEN)
        self.internet = httpx.AsyncClient(transport=httpx.MockTransport(self._site))
        self.admin = AdminApi(LOCAL, self.graph.app, self.internet)
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.admin), base_url="http://graph.test/v26.0"
        )
        self.client = GraphAdmin(self.http, base_url="http://graph.test", version="v26.0")

    def _site(self, request: httpx.Request) -> httpx.Response:
        if not self.is_up:
            raise httpx.ConnectError("nobody")
        if request.method == "POST":
            self.posted.append(request.content)
            return httpx.Response(200)
        is_ours = request.url.params["hub.verify_token"] == VERIFY
        return httpx.Response(200 if is_ours else 403, text=request.url.params["hub.challenge"])

    async def app_token(self) -> str:
        return await self.client.app_token(LOCAL.app_id, LOCAL.app_secret)

    async def set_callback(self) -> None:
        await self.client.subscribe_field(
            LOCAL.app_id,
            await self.app_token(),
            callback_url=CALLBACK,
            verify_token=VERIFY,
            fields=frozenset({"messages"}),
        )

    async def get(self, path: str, token: str = TOKEN) -> tuple[int, dict[str, JsonValue]]:
        response = await self.http.get(path, headers={"Authorization": f"Bearer {token}"})
        return response.status_code, response.json()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    async with made.http, made.internet:
        yield made


async def test_the_app_token_is_given_for_id_and_secret(world: World) -> None:
    query = {"client_id": LOCAL.app_id, "client_secret": LOCAL.app_secret, "grant_type": "client_credentials"}
    answer = (await world.http.get("/oauth/access_token", params=query)).json()
    assert answer.keys() == {"access_token", "token_type"}
    assert answer["access_token"].startswith(f"{LOCAL.app_id}|")


@pytest.mark.parametrize(
    ("changed", "code"),
    [({"client_id": "1"}, 101), ({"client_secret": "x"}, 1), ({"grant_type": "code"}, 1)],
)
async def test_a_wrong_part_of_the_credentials_is_refused(
    world: World, changed: dict[str, str], code: int
) -> None:
    query = {"client_id": LOCAL.app_id, "client_secret": LOCAL.app_secret, "grant_type": "client_credentials"}
    response = await world.http.get("/oauth/access_token", params={**query, **changed})
    assert response.status_code == 400
    assert response.json()["error"].keys() == {"message", "type", "code", "fbtrace_id"}
    assert response.json()["error"]["code"] == code


async def test_a_token_is_described_with_the_accounts_it_is_for(world: World) -> None:
    status, answer = await world.get(f"/debug_token?input_token={TOKEN}", await world.app_token())
    assert status == 200
    assert answer["data"] == {
        "app_id": LOCAL.app_id,
        "type": "SYSTEM_USER",
        "application": LOCAL.name,
        "expires_at": 0,
        "is_valid": True,
        "scopes": ["whatsapp_business_management", "whatsapp_business_messaging", "public_profile"],
        "user_id": "122100000000000001",
        "granular_scopes": [
            {"scope": "whatsapp_business_management", "target_ids": [LOCAL.account_id]},
            {"scope": "whatsapp_business_messaging", "target_ids": [LOCAL.account_id]},
        ],
    }


async def test_a_token_nobody_knows_is_an_answer_and_not_an_error(world: World) -> None:
    status, answer = await world.get("/debug_token?input_token=EAAunknown", await world.app_token())
    assert (status, answer["data"]) == (
        200,
        {"error": {"code": 190, "message": "Invalid OAuth access token."}, "is_valid": False, "scopes": []},
    )


async def test_an_expired_token_is_refused_with_190_and_463(world: World) -> None:
    world.admin.switches.is_token_expired = True
    status, answer = await world.get(f"/{LOCAL.account_id}/phone_numbers")
    assert status == 401
    assert answer["error"] == {
        "message": "Error validating access token: Session has expired",
        "type": "OAuthException",
        "code": 190,
        "fbtrace_id": "SIMULATED",
        "error_subcode": 463,
    }


async def test_a_missing_permission_is_refused_with_200(world: World) -> None:
    world.admin.switches.missing_scopes = frozenset({"whatsapp_business_management"})
    with pytest.raises(AccessRevoked) as caught:
        await world.client.phone_numbers(LOCAL.account_id, TOKEN)
    assert caught.value.code == "graph_200"


async def test_an_account_is_not_found_under_another_id(world: World) -> None:
    status, answer = await world.get("/999/phone_numbers")
    assert status == 404
    error = answer["error"]
    assert isinstance(error, dict)
    assert error["code"] == 803


async def test_numbers_and_the_number_itself_have_the_documented_fields(world: World) -> None:
    _, listed = await world.get(f"/{LOCAL.account_id}/phone_numbers")
    _, number = await world.get(f"/{LOCAL.phone_number_id}")
    assert listed["data"] == [number]
    assert {"id", "display_phone_number", "verified_name", "quality_rating", "status"} <= number.keys()
    assert number["account_mode"] == "LIVE"
    world.admin.switches.is_test_number = True
    assert (await world.client.phone_numbers(LOCAL.account_id, TOKEN))[0].is_test


async def test_a_callback_is_kept_once_it_answered_the_challenge(world: World) -> None:
    await world.set_callback()
    _, answer = await world.get(f"/{LOCAL.app_id}/subscriptions", await world.app_token())
    assert answer["data"] == [
        {
            "object": "whatsapp_business_account",
            "callback_url": CALLBACK,
            "active": True,
            "fields": [{"name": "messages", "version": "v26.0"}],
        }
    ]


@pytest.mark.parametrize("how", ["switch", "down"])
async def test_a_callback_that_does_not_answer_is_refused_with_2200(world: World, how: str) -> None:
    world.is_up = how != "down"
    world.admin.switches.is_callback_unreachable = how == "switch"
    with pytest.raises(AppError) as caught:
        await world.set_callback()
    assert caught.value.code == "graph_2200"
    assert world.admin.callback_url == ""


async def test_a_subscribed_app_is_listed_as_documented(world: World) -> None:
    assert (await world.get(f"/{LOCAL.account_id}/subscribed_apps"))[1] == {"data": []}
    await world.client.subscribe_app(LOCAL.account_id, TOKEN)
    _, answer = await world.get(f"/{LOCAL.account_id}/subscribed_apps")
    link = f"https://www.facebook.com/games/?app_id={LOCAL.app_id}"
    entry = {"whatsapp_business_api_data": {"id": LOCAL.app_id, "name": LOCAL.name, "link": link}}
    assert answer == {"data": [entry]}


async def test_nothing_is_brought_until_callback_and_subscription_are_there(world: World) -> None:
    assert await world.admin.post_webhook(b"{}", {}) == 200
    await world.set_callback()
    assert await world.admin.post_webhook(b"{}", {}) == 200
    assert world.posted == []
    await world.client.subscribe_app(LOCAL.account_id, TOKEN)
    await world.admin.post_webhook(b"{}", {})
    assert world.posted == [b"{}"]


async def test_a_template_is_taken_and_its_statuses_are_brought(world: World) -> None:
    await world.set_callback()
    await world.client.subscribe_app(LOCAL.account_id, TOKEN)
    sent = await world.client.send_template(LOCAL.phone_number_id, TOKEN, OWNER.wa_id, "hello_world", "en_US")
    assert [sent.encode() in body for body in world.posted] == [True, True]
    with pytest.raises(AppError) as caught:
        await world.client.send_template(LOCAL.phone_number_id, TOKEN, OWNER.wa_id, "unknown", "en_US")
    assert caught.value.code == "graph_132001"


async def test_a_test_number_writes_to_its_verified_recipients_only(world: World) -> None:
    world.admin.switches.is_test_number = True
    with pytest.raises(AppError) as caught:
        await world.client.send_text(LOCAL.phone_number_id, TOKEN, OWNER.wa_id, "hola")
    assert caught.value.code == "graph_131030"
    world.admin.switches.verified_recipients = frozenset({OWNER.wa_id})
    await world.client.send_text(LOCAL.phone_number_id, TOKEN, OWNER.wa_id, "hola")
    assert [send.text for send in world.graph.sends] == ["hola"]


async def test_what_is_not_administration_reaches_the_graph_beside_it(world: World) -> None:
    world.graph.connect(world.admin.post_webhook, LOCAL.app_secret)
    await world.set_callback()
    await world.client.subscribe_app(LOCAL.account_id, TOKEN)
    async with world.graph.running():
        await world.graph.receive(OWNER, text("hola"))
        await world.graph.idle()
    assert any(b"hola" in body for body in world.posted)
    assert (await world.get("/1234567890"))[0] == 404
