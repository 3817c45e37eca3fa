"""The first half of the wizard: every value is asked for, and proven at Meta, before anything changes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from app.cli.connect import prompts
from app.cli.connect.prompts import Dialog, Question
from app.cli.connect.state import Draft, Name, StepFailed
from app.cli.connect.texts import CONNECT
from app.cli.meta import MANAGE, RENEW, Unfit, scopes_problem, token_problem
from app.domain.errors import AppError, Transient
from app.domain.phones import digits_of
from app.language.catalogue import LazyText, joined, lazy
from app.whatsapp.admin import GraphAdmin, PhoneNumber

_WRONG_APP: Final = "graph_101"
_MAX_PLACE_DIGITS: Final = 2

_APP_ID: Final = Question(Name.APP_ID, CONNECT.ask_app_id, prompts.check_app_id)
_APP_SECRET: Final = Question(Name.APP_SECRET, CONNECT.ask_app_secret, prompts.check_app_secret, is_secret=True)
_TOKEN: Final = Question(Name.ACCESS_TOKEN, CONNECT.ask_token, prompts.check_access_token, is_secret=True)
_ACCOUNT: Final = Question(Name.ACCOUNT_ID, CONNECT.ask_account, prompts.check_account_id)
_NUMBER: Final = Question(Name.NUMBER_ID, CONNECT.ask_number, prompts.check_number)
_OWNER: Final = Question(Name.OWNER, CONNECT.ask_owner, prompts.check_owner)


class Checks:
    """The steps that only ask and look. Each takes what is known and returns it with its own findings.

    Raises, in every step:
        StepFailed: why not, and what to do.
        Unanswered: a value is missing, and there is nobody to ask.
        Transient: Meta cannot be reached, or has trouble that passes.
    """

    def __init__(self, dialog: Dialog, graph: GraphAdmin, now: Callable[[], datetime]) -> None:
        self._dialog = dialog
        self._graph = graph
        self._now = now

    async def app(self, draft: Draft) -> Draft:
        """Prove app id and secret by exchanging them for the app's token."""
        app_id, app_secret = self._dialog.value(_APP_ID), self._dialog.value(_APP_SECRET)
        try:
            app_token = await self._graph.app_token(app_id, app_secret)
            app = await self._graph.app(app_id, app_token)
        except Transient:
            raise
        except AppError as exc:
            raise _app_refused(exc) from None
        self._dialog.hop("done", "app", lazy(CONNECT.app_ok, name=app.name or "app", app=app.id))
        return replace(draft, app_id=app_id, app_secret=app_secret, app_token=app_token)

    async def token(self, draft: Draft) -> Draft:
        """Ask Meta what the access token is: valid, of this app, for how long, and what it may do."""
        access_token = self._dialog.value(_TOKEN)
        facts = await self._graph.debug_token(access_token, draft.app_token)
        now = self._now()
        if problem := token_problem(facts, draft.app_id, now):
            raise StepFailed("token", problem.cause, problem.next_step, Name.ACCESS_TOKEN)
        kind = facts.type or lazy(CONNECT.kind_unknown)
        if facts.ends_at is None:
            self._dialog.hop("done", "token", lazy(CONNECT.token_forever, kind=kind))
        else:
            hours = (facts.ends_at - now).total_seconds() / 3600
            self._dialog.hop("done", "token", lazy(CONNECT.token_ends, kind=kind, hours=f"{hours:.0f}"))
            self._dialog.note(lazy(CONNECT.token_ends_advice, step=RENEW))
        if problem := scopes_problem(facts):
            raise StepFailed("permissions", problem.cause, problem.next_step, Name.ACCESS_TOKEN)
        self._dialog.hop("done", "permissions", lazy(CONNECT.permissions_ok))
        return replace(draft, access_token=access_token, token=facts)

    async def number(self, draft: Draft) -> Draft:
        """Find the accounts and numbers that the token manages, and take one number.

        It is the only one, the given one, or the one that is picked. The account is asked for only where Meta
        names none.
        """
        accounts = await self._find_accounts(draft)
        given = self._dialog.given(Name.ACCOUNT_ID)
        if not accounts:
            accounts = (self._dialog.value(_ACCOUNT),)
        elif given in accounts:
            accounts = (given,)
        found = [(one, account) for account in accounts for one in await self._numbers_of(account, draft)]
        if not found:
            cause = lazy(CONNECT.no_number, account=", ".join(accounts))
            raise StepFailed("number", cause, lazy(CONNECT.no_number_step), Name.ACCOUNT_ID)
        number, account_id = self._choose(found)
        kind = CONNECT.test_number if number.is_test else CONNECT.own_number
        self._dialog.hop("done", "account", lazy(CONNECT.account_ok, account=account_id))
        self._dialog.hop("done", "number", lazy(kind, number=_shown(number)))
        if number.is_test:
            self._dialog.note(lazy(CONNECT.test_number_advice))
        return replace(draft, number=number, account_id=account_id)

    async def _find_accounts(self, draft: Draft) -> tuple[str, ...]:
        facts = draft.token
        if facts is None or (not (named := facts.targets(MANAGE)) and not facts.user_id):
            return ()
        if named:
            return named
        try:
            return tuple(one.id for one in await self._graph.assigned_accounts(facts.user_id, draft.access_token))
        except AppError:
            # Not every kind of token may ask this; the owner can read the id off a page.
            return ()

    async def _numbers_of(self, account_id: str, draft: Draft) -> tuple[PhoneNumber, ...]:
        try:
            return await self._graph.phone_numbers(account_id, draft.access_token)
        except AppError as exc:
            cause = lazy(CONNECT.account_unseen, account=account_id, detail=exc.detail)
            fix = lazy(CONNECT.account_unseen_step)
            raise StepFailed("number", cause, fix, Name.ACCOUNT_ID) from None

    def _choose(self, found: Sequence[tuple[PhoneNumber, str]]) -> tuple[PhoneNumber, str]:
        """Return the number that the owner wants, and its account."""
        wanted = self._dialog.given(Name.NUMBER_ID)
        if not wanted and len(found) == 1:
            return found[0]
        if not wanted:
            for place, (number, _) in enumerate(found, start=1):
                self._dialog.note(joined("", (f"{place}. ", _shown(number))))
        typed = self._dialog.value(_NUMBER)
        if not wanted and len(typed) <= _MAX_PLACE_DIGITS and 1 <= int(typed) <= len(found):
            return found[int(typed) - 1]
        for number, account_id in found:
            if typed in (number.id, digits_of(number.display_phone_number)):
                return number, account_id
        listed = [lazy(CONNECT.has_id, number=one.display_phone_number, id=one.id) for one, _ in found]
        fix = lazy(CONNECT.there_are, numbers=joined("; ", listed))
        raise StepFailed("number", lazy(CONNECT.not_of_account, number=typed), fix, Name.NUMBER_ID)

    async def owner(self, draft: Draft) -> Draft:
        """Ask who may write first: the one who gets the first message. Who else may write is given or nobody."""
        owner = self._dialog.value(_OWNER)
        if owner == digits_of(draft.chosen.display_phone_number):
            fix = lazy(CONNECT.owner_is_business_step)
            raise StepFailed("owner", lazy(CONNECT.owner_is_business), fix, Name.OWNER)
        family = self._family(owner)
        told = lazy(CONNECT.family_ok, owner=owner, count=len(family)) if family else None
        self._dialog.hop("done", "owner", told or lazy(CONNECT.owner_ok, owner=owner))
        return replace(draft, owner=owner, family=family)

    def _family(self, owner: str) -> tuple[str, ...]:
        given = (one for one in self._dialog.given(Name.FAMILY).split(",") if one.strip())
        try:
            numbers = dict.fromkeys(map(prompts.check_owner, given))
        except Unfit as exc:
            raise StepFailed("owner", exc.why, lazy(CONNECT.family_step), Name.FAMILY) from None
        return tuple(one for one in numbers if one != owner)


def wanted_settings(draft: Draft, allowed: str) -> dict[str, str]:
    """Return what `.env` must hold; the owner and the family join those who are `allowed` already."""
    return {
        Name.APP_ID: draft.app_id,
        Name.APP_SECRET: draft.app_secret,
        Name.ACCESS_TOKEN: draft.access_token,
        Name.ACCOUNT_ID: draft.account_id,
        Name.NUMBER_ID: draft.chosen.id,
        Name.VERIFY_TOKEN: draft.verify_token,
        Name.PUBLIC_URL: draft.public_url,
        Name.ALLOWED: _joined(allowed, (draft.owner, *draft.family)),
    }


def _joined(allowed: str, numbers: Sequence[str]) -> str:
    entries = [one.strip() for one in allowed.split(",") if one.strip()]
    known = {digits_of(one) for one in entries}
    return ",".join([*entries, *(f"+{one}" for one in numbers if one not in known)])


def _shown(number: PhoneNumber) -> LazyText:
    name = repr(number.verified_name)
    return lazy(CONNECT.shown_number, number=number.display_phone_number, name=name, id=number.id)


def _app_refused(exc: AppError) -> StepFailed:
    if exc.code == _WRONG_APP:
        return StepFailed("app", lazy(CONNECT.app_unknown), lazy(CONNECT.app_unknown_step), Name.APP_ID)
    return StepFailed("app", lazy(CONNECT.secret_wrong), lazy(CONNECT.secret_wrong_step), Name.APP_SECRET)
