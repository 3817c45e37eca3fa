"""What the wizard knows so far, and how a step of it fails."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from app.domain.errors import AppError
from app.language.catalogue import Language, LazyText, worded
from app.whatsapp.admin import AppSubscription, PhoneNumber, TokenFacts


class Name(StrEnum):
    """The values that the wizard needs: the variables of `.env`, the owner's number, and those of the family."""

    ACCESS_TOKEN = "WHATSAPP_ACCESS_TOKEN"  # noqa: S105 - the name of a variable
    ACCOUNT_ID = "WHATSAPP_BUSINESS_ACCOUNT_ID"
    ADMINS = "ADMIN_PHONE_NUMBERS"
    ALLOWED = "ALLOWED_PHONE_NUMBERS"
    APP_ID = "WHATSAPP_APP_ID"
    APP_SECRET = "WHATSAPP_APP_SECRET"  # noqa: S105 - the name of a variable
    NUMBER_ID = "WHATSAPP_PHONE_NUMBER_ID"
    PUBLIC_URL = "PUBLIC_URL"
    VERIFY_TOKEN = "WHATSAPP_VERIFY_TOKEN"  # noqa: S105 - the name of a variable
    OWNER = "owner"
    FAMILY = "family"


SECRETS: Final = frozenset({Name.ACCESS_TOKEN, Name.APP_SECRET, Name.VERIFY_TOKEN})


class StepFailed(AppError):
    """A step does not work. `cause` says why, `next_step` what the owner does; neither holds a secret.

    `ask_again` names the answers that were wrong: the next try asks for them again.
    """

    def __init__(self, step: str, cause: str, next_step: str, *ask_again: str) -> None:
        super().__init__(step, f"{cause}. {next_step}")
        self.step = step
        self.cause = cause
        self.next_step = LazyText(lambda language: _capital(worded(next_step, language)))
        self.ask_again = ask_again


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A webhook came: of whose message (`sender`, digits), or what became of ours; empty where not known."""

    sender: str = ""
    status_of: str = ""
    state: str = ""
    error_code: int | None = None


class Arrivals(Protocol):
    async def next(self) -> Arrival:
        """Wait for a webhook that came after this object was made."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line said. `wait_s` bounds the wait for a webhook; secrets never come this way.

    Without `hello_in` the first message is in the language of the owner's country.
    """

    app_id: str = ""
    number: str = ""
    owner: str = ""
    public_url: str = ""
    family: str = ""
    says_yes: bool = False
    is_hello_forced: bool = False
    wait_s: float = 180
    hello_in: Language | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known after each step; a field is empty until its step ran."""

    app_id: str = ""
    app_secret: str = field(default="", repr=False)
    app_token: str = field(default="", repr=False)
    access_token: str = field(default="", repr=False)
    token: TokenFacts | None = None
    account_id: str = ""
    number: PhoneNumber | None = None
    owner: str = ""
    family: tuple[str, ...] = ()
    public_url: str = ""
    verify_token: str = field(default="", repr=False)
    is_verify_token_new: bool = False
    subscription: AppSubscription | None = None
    is_subscribed: bool = False
    has_changed: bool = False
    first_message_id: str = ""
    arrivals: Arrivals | None = None
    is_service_running: bool = False

    @property
    def callback_url(self) -> str:
        return f"{self.public_url}/webhook"

    @property
    def chosen(self) -> PhoneNumber:
        """The business number; only after the step that chooses it."""
        if self.number is None:
            raise LookupError("no number was chosen yet")
        return self.number
