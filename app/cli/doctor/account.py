"""The number, the account it belongs to, and whether our app hears of it."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from app.cli.doctor.graph import WRONG_OBJECT, Answer, GraphReader, refusal
from app.cli.doctor.outcome import Outcome, failed, ok, skipped
from app.cli.doctor.whatsapp import Credentials, TokenChecks

_MAX_TEST_RECIPIENTS: Final = 5
_SANDBOX: Final = "SANDBOX"
_TEST_NAME: Final = "Test Number"
_API_SETUP: Final = "https://developers.facebook.com/apps > your app > WhatsApp > API Setup"


class _Number(BaseModel):
    """A phone number node, the fields that are asked for (OpenAPI of v23.0, `getWhatsAppAccountNumberDetails`)."""

    model_config = ConfigDict(hide_input_in_errors=True)

    id: str
    display_phone_number: str
    verified_name: str = ""
    quality_rating: str = ""
    account_mode: str = ""

    @property
    def is_test(self) -> bool:
        return self.account_mode == _SANDBOX or self.verified_name == _TEST_NAME


class _Numbers(BaseModel):
    data: tuple[_Number, ...]


class _App(BaseModel):
    id: str


class _Subscription(BaseModel):
    whatsapp_business_api_data: _App


class _Subscriptions(BaseModel):
    """`GET /{WABA-ID}/subscribed_apps` (OpenAPI of v23.0, `getAllSubscriptionsForAWaba`)."""

    data: tuple[_Subscription, ...]


class AccountChecks:
    """Looks at the number and its account with a token that `tokens` found good."""

    def __init__(
        self, graph: GraphReader, credentials: Credentials, tokens: TokenChecks, *, people: Sequence[str]
    ) -> None:
        self._graph = graph
        self._credentials = credentials
        self._tokens = tokens
        self._people = frozenset(people)
        self._number: _Number | None = None

    async def number(self) -> Outcome:
        """The phone number id is the id of a number, not the number itself."""
        given = self._credentials.phone_number_id.strip()
        if not (given.isascii() and given.isdigit()):
            return await self._mistaken(given)
        answer = await self._get(given, fields="id,display_phone_number,verified_name,quality_rating,account_mode")
        number = _number_in(answer)
        if number is None:
            is_other_thing = answer.is_success or answer.code in WRONG_OBJECT
            return await self._mistaken(given) if is_other_thing else refusal(answer, "about the phone number")
        self._number = number
        advice = ""
        if number.quality_rating == "RED":
            advice = "its quality is RED: people block or report it; send less of what nobody asked for"
        return ok(f"{number.display_phone_number} ({number.verified_name or 'no name yet'})", advice)

    async def subscribed(self) -> Outcome:
        """Our app is subscribed to the account: without it nothing ever arrives."""
        account_id = self._account_id()
        app_id = self._tokens.app_id
        if account_id is None or not app_id:
            return skipped(
                "the account or the app is not known",
                "set WHATSAPP_BUSINESS_ACCOUNT_ID and WHATSAPP_APP_ID in .env; both are shown in " + _API_SETUP,
            )
        answer = await self._get(f"{account_id}/subscribed_apps")
        if answer.code in WRONG_OBJECT:
            return failed(
                f"{account_id} is not a WhatsApp Business Account that the token may see",
                f"set WHATSAPP_BUSINESS_ACCOUNT_ID in .env to the one shown in {_API_SETUP}",
            )
        subscribed = _apps_in(answer)
        if subscribed is None:
            return refusal(answer, "which apps are subscribed")
        if app_id not in subscribed:
            return failed(
                f"app {app_id} is not subscribed to account {account_id}: no message would arrive",
                "run: python -m app connect (it makes the call POST "
                f"/{account_id}/subscribed_apps with your token)",
            )
        return ok(f"app {app_id} hears of account {account_id}")

    async def recipients(self) -> Outcome:
        """A test number writes to five verified people at most."""
        if self._number is None or not self._number.is_test:
            return ok("a number of your own: it may answer everybody")
        count = len(self._people)
        if count > _MAX_TEST_RECIPIENTS:
            return failed(
                f"this is Meta's test number, which writes to {_MAX_TEST_RECIPIENTS} verified people at most; "
                f"{count} are allowed here",
                f"shorten ALLOWED_PHONE_NUMBERS to {_MAX_TEST_RECIPIENTS}, or add your own number in {_API_SETUP}",
            )
        return ok(
            "this is Meta's test number: it writes to five verified people at most",
            f"verify each allowed number in {_API_SETUP} > To (otherwise error 131030)",
        )

    async def _mistaken(self, given: str) -> Outcome:
        """Say what was pasted in place of the id, and the id itself where the account tells it."""
        for number in await self._numbers():
            if _digits(number.display_phone_number) == _digits(given):
                return failed(
                    "WHATSAPP_PHONE_NUMBER_ID holds the phone number itself, not its id",
                    f"set WHATSAPP_PHONE_NUMBER_ID={number.id} in .env",
                )
        return failed(
            "WHATSAPP_PHONE_NUMBER_ID is not the id of a number that the token may see; "
            "often the phone number itself was pasted",
            f"copy the Phone number ID (15 digits or so, below the number) from {_API_SETUP}",
        )

    async def _numbers(self) -> tuple[_Number, ...]:
        account_id = self._account_id()
        if account_id is None:
            return ()
        answer = await self._get(f"{account_id}/phone_numbers", fields="id,display_phone_number")
        try:
            return _Numbers.model_validate(answer.body).data if answer.is_success else ()
        except ValidationError:
            return ()

    def _account_id(self) -> str | None:
        if self._credentials.account_id:
            return self._credentials.account_id
        told = self._tokens.info.account_ids if self._tokens.info else ()
        return told[0] if len(told) == 1 else None

    async def _get(self, path: str, **params: str) -> Answer:
        return await self._graph.get(path, token=self._credentials.token, **params)


def _number_in(answer: Answer) -> _Number | None:
    try:
        return _Number.model_validate(answer.body) if answer.is_success else None
    except ValidationError:
        return None


def _apps_in(answer: Answer) -> frozenset[str] | None:
    try:
        found = _Subscriptions.model_validate(answer.body).data if answer.is_success else None
    except ValidationError:
        return None
    return None if found is None else frozenset(each.whatsapp_business_api_data.id for each in found)


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())
