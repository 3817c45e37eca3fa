"""The first half of the wizard: every value is asked for, and proven at Meta, before anything changes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from app.cli.connect import prompts
from app.cli.connect.graph_admin import GraphAdmin, PhoneNumber, TokenFacts, expiry
from app.cli.connect.prompts import Prompter, Question, Screen
from app.cli.connect.state import (
    ACCESS_TOKEN,
    ACCOUNT_ID,
    ALLOWED,
    APP_ID,
    APP_SECRET,
    NUMBER_ID,
    OWNER,
    PUBLIC_URL,
    VERIFY_TOKEN,
    Draft,
    StepFailed,
)
from app.domain.errors import AppError

MANAGE: Final = "whatsapp_business_management"
SCOPES: Final = ("whatsapp_business_messaging", MANAGE)
_WRONG_APP: Final = "graph_101"
_SYSTEM_USER: Final = (
    "In Business Settings > System users generate a token for this app that never expires, with "
    "whatsapp_business_messaging and whatsapp_business_management"
)
_MAX_PLACE_DIGITS: Final = 2

_APP_ID: Final = Question(APP_ID, "App ID (Meta app > App settings > Basic)", prompts.check_app_id)
_APP_SECRET: Final = Question(
    APP_SECRET, "App Secret (same page, Show; it stays hidden)", prompts.check_app_secret, is_secret=True
)
_TOKEN: Final = Question(
    ACCESS_TOKEN, "Access token of a system user (it stays hidden)", prompts.check_access_token, is_secret=True
)
_ACCOUNT: Final = Question(
    ACCOUNT_ID, "WhatsApp Business Account ID (Meta app > WhatsApp > API Setup)", prompts.check_account_id
)
_NUMBER: Final = Question(NUMBER_ID, "Which number (place, id, or the number itself)", prompts.check_number)
_OWNER: Final = Question(OWNER, "Your own WhatsApp number, with country code", prompts.check_owner)


class Checks:
    """The steps that only ask and look. Each takes what is known and returns it with its own findings.

    Raises, in every step:
        StepFailed: why not, and what to do.
        Unanswered: a value is missing, and there is nobody to ask.
        Transient: Meta is not reached, or has trouble that passes.
    """

    def __init__(self, ask: Prompter, graph: GraphAdmin, screen: Screen, now: Callable[[], datetime]) -> None:
        self._ask = ask
        self._graph = graph
        self._screen = screen
        self._now = now

    async def app(self, draft: Draft) -> Draft:
        """Prove app id and secret by exchanging them for the app's token."""
        app_id, app_secret = self._ask.value(_APP_ID), self._ask.value(_APP_SECRET)
        try:
            app_token = await self._graph.app_token(app_id, app_secret)
            app = await self._graph.app(app_id, app_token)
        except AppError as exc:
            raise _app_refused(exc) from None
        self._screen.hop("done", "app", f"{app.name or 'app'} ({app.id}); its secret is right")
        return replace(draft, app_id=app_id, app_secret=app_secret, app_token=app_token)

    async def token(self, draft: Draft) -> Draft:
        """Ask Meta what the access token is: valid, of this app, for how long, and what it may do."""
        access_token = self._ask.value(_TOKEN)
        facts = await self._graph.debug_token(access_token, draft.app_token)
        hours = expiry(facts, self._now())
        again = (ACCESS_TOKEN,)
        if not facts.is_valid or (hours is not None and hours <= 0):
            is_over = hours is not None and hours <= 0
            cause = "the access token has expired" if is_over else "Meta says that the access token is not valid"
            raise StepFailed("token", cause, _SYSTEM_USER, ask_again=again)
        if facts.app_id != draft.app_id:
            cause = f"the access token belongs to another app ({facts.app_id})"
            raise StepFailed("token", cause, f"Generate one for app {draft.app_id}", ask_again=again)
        if hours is None:
            self._screen.hop("done", "token", f"valid, {facts.type or 'kind unknown'}, never expires")
        else:
            self._screen.hop("done", "token", f"valid, {facts.type or 'kind unknown'}, ends in {hours:.0f} hours")
            self._screen.note(f"A temporary token: the assistant falls silent when it ends. {_SYSTEM_USER}.")
        missing = [scope for scope in SCOPES if scope not in facts.scopes]
        if missing:
            cause = f"the access token lacks {' and '.join(missing)}"
            raise StepFailed("permissions", cause, _SYSTEM_USER, ask_again=again)
        self._screen.hop("done", "permissions", "messaging and management")
        return replace(draft, access_token=access_token, token=facts)

    async def number(self, draft: Draft) -> Draft:
        """Find the accounts and numbers that the token manages, and take one number.

        It is the only one, the given one, or the one that is picked. The account is asked for only where Meta
        names none.
        """
        accounts = await self._find_accounts(draft)
        given = self._ask.given(ACCOUNT_ID)
        if not accounts:
            accounts = (self._ask.value(_ACCOUNT),)
        elif given in accounts:
            accounts = (given,)
        owners: dict[str, str] = {}
        numbers: list[PhoneNumber] = []
        for account_id in accounts:
            for one in await self._numbers_of(account_id, draft.access_token):
                numbers.append(one)
                owners[one.id] = account_id
        if not numbers:
            cause = f"there is no number in account {', '.join(accounts)}"
            raise StepFailed(
                "number", cause, "Add one in Meta app > WhatsApp > API Setup", ask_again=(ACCOUNT_ID,)
            )
        chosen = self._choose(numbers)
        self._show_number(owners[chosen.id], chosen)
        return replace(draft, number=chosen, account_id=owners[chosen.id])

    def _show_number(self, account_id: str, chosen: PhoneNumber) -> None:
        kind = "test number" if chosen.is_test else "number"
        shown = f"{kind} {chosen.display_phone_number} {chosen.verified_name!r}, id {chosen.id}"
        self._screen.hop("done", "account", f"WhatsApp Business Account {account_id}")
        self._screen.hop("done", "number", shown)
        if chosen.is_test:
            self._screen.note(
                "A test number writes to at most 5 people, each verified in Meta app > WhatsApp > API Setup > To; "
                "anybody else is refused with error 131030."
            )

    async def _find_accounts(self, draft: Draft) -> tuple[str, ...]:
        facts = draft.token
        if facts is None or (named := facts.targets(MANAGE)):
            return named if facts else ()
        return await self._find_assigned(facts, draft.access_token)

    async def _find_assigned(self, facts: TokenFacts, access_token: str) -> tuple[str, ...]:
        if not facts.user_id:
            return ()
        try:
            return tuple(one.id for one in await self._graph.assigned_accounts(facts.user_id, access_token))
        except AppError:
            # Not every kind of token may ask this; the owner can read the id off a page.
            return ()

    async def _numbers_of(self, account_id: str, access_token: str) -> tuple[PhoneNumber, ...]:
        try:
            return await self._graph.phone_numbers(account_id, access_token)
        except AppError as exc:
            cause = f"Meta does not show account {account_id}: {exc.detail}"
            next_step = (
                "Compare the id with Meta app > WhatsApp > API Setup, and give the system user that account"
            )
            raise StepFailed("number", cause, next_step, ask_again=(ACCOUNT_ID,)) from None

    def _choose(self, numbers: Sequence[PhoneNumber]) -> PhoneNumber:
        wanted = self._ask.given(NUMBER_ID)
        if not wanted and len(numbers) == 1:
            return numbers[0]
        if not wanted:
            for place, one in enumerate(numbers, start=1):
                self._screen.note(f"{place}. {one.display_phone_number} {one.verified_name!r}, id {one.id}")
        typed = self._ask.value(_NUMBER)
        for place, one in enumerate(numbers, start=1):
            is_place = not wanted and len(typed) <= _MAX_PLACE_DIGITS and typed == str(place)
            if is_place or typed in (one.id, _digits(one.display_phone_number)):
                return one
        listed = "; ".join(f"{one.display_phone_number} has id {one.id}" for one in numbers)
        raise StepFailed(
            "number", f"{typed} is none of this account's", f"There are: {listed}", ask_again=(NUMBER_ID,)
        )

    async def owner(self, draft: Draft) -> Draft:
        """Ask who may write first: the one who gets the first message."""
        owner = self._ask.value(_OWNER)
        if owner == _digits(draft.chosen.display_phone_number):
            cause, next_step = "that is the business number itself", "Name the phone that you will write from"
            raise StepFailed("owner", cause, next_step, ask_again=(OWNER,))
        self._screen.hop("done", "owner", f"+{owner}, who may write to the assistant")
        return replace(draft, owner=owner)


def wanted_settings(draft: Draft, allowed: str) -> dict[str, str]:
    """Return what `.env` must hold; the owner joins those who are `allowed` already."""
    return {
        APP_ID: draft.app_id,
        APP_SECRET: draft.app_secret,
        ACCESS_TOKEN: draft.access_token,
        ACCOUNT_ID: draft.account_id,
        NUMBER_ID: draft.chosen.id,
        VERIFY_TOKEN: draft.verify_token,
        PUBLIC_URL: draft.public_url,
        ALLOWED: _joined(allowed, draft.owner),
    }


def _joined(allowed: str, owner: str) -> str:
    entries = [one.strip() for one in allowed.split(",") if one.strip()]
    is_there = any(_digits(one) == owner for one in entries)
    return ",".join(entries if is_there else [*entries, f"+{owner}"])


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def _app_refused(exc: AppError) -> StepFailed | AppError:
    if exc.code == "graph_unreachable" or exc.code.startswith("graph_http_5"):
        return exc
    if exc.code == _WRONG_APP:
        next_step = "Copy the App ID from Meta app > App settings > Basic"
        return StepFailed("app", "Meta knows no app with this App ID", next_step, ask_again=(APP_ID,))
    next_step = "Copy it from Meta app > App settings > Basic > Show; it changes when somebody resets it"
    return StepFailed("app", "the App Secret does not belong to this App ID", next_step, ask_again=(APP_SECRET,))
