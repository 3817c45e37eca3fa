"""Which WhatsApp: Meta's, or the simulator that stands in for it."""

import secrets
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

import httpx
from pydantic import SecretStr
from starlette.types import ASGIApp

from app.config import Settings
from app.domain.ports import Clock
from app.pipeline.receiving.admission import AllowList
from app.simulator.graph import SimulatedGraph
from app.simulator.people import DEFAULT_USERS, SPARE_USERS


@dataclass(frozen=True, slots=True)
class Account:
    """The WhatsApp side: Meta's, or the simulator's with secrets made up for this run.

    `account_id` is "" where nobody said it.
    """

    base_url: str
    version: str
    phone_number_id: str
    access_token: str
    verify_token: str
    app_secret: str
    account_id: str
    allow_list: AllowList


def choose_account(settings: Settings) -> Account:
    if settings.is_simulated:
        numbers = tuple(user.wa_id for user in (*DEFAULT_USERS, *SPARE_USERS))
        return Account(
            base_url="http://graph.simulator",
            version=settings.whatsapp_api_version,
            phone_number_id="100000000000000",
            access_token=secrets.token_urlsafe(24),
            verify_token=secrets.token_urlsafe(24),
            app_secret=secrets.token_hex(16),
            account_id="200000000000000",
            allow_list=AllowList(numbers, numbers[:1]),
        )
    return Account(
        base_url=settings.whatsapp_api_base_url,
        version=settings.whatsapp_api_version,
        phone_number_id=settings.whatsapp_phone_number_id or "",
        access_token=_reveal(settings.whatsapp_access_token),
        verify_token=_reveal(settings.whatsapp_verify_token),
        app_secret=_reveal(settings.whatsapp_app_secret),
        account_id=settings.whatsapp_business_account_id or "",
        allow_list=AllowList(settings.allowed_phone_numbers, settings.admin_phone_numbers),
    )


def _reveal(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret is not None else ""


async def open_simulator(
    settings: Settings, account: Account, app: ASGIApp, stack: AsyncExitStack, clock: Clock
) -> SimulatedGraph | None:
    """Stand in for Meta: our client sends to it, and it posts signed webhooks to our own routes."""
    if not settings.is_simulated:
        return None
    graph = SimulatedGraph(
        account.phone_number_id,
        access_token=account.access_token,
        log_path=settings.data_dir / "simulator.jsonl",
        media_dir=settings.data_dir / "simulator-media",
        now=clock.now,
        sleep=clock.sleep,
    )
    webhook = await stack.enter_async_context(
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://localhost"
        )
    )

    async def post_webhook(body: bytes, headers: Mapping[str, str]) -> int:
        response = await webhook.post("/webhook", content=body, headers=dict(headers))
        return response.status_code

    graph.connect(post_webhook, account.app_secret)
    await stack.enter_async_context(graph.running())
    return graph
