"""The second half of the wizard: shows what would change, changes it, and waits for the proof."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from app.cli.connect.checks import wanted_settings
from app.cli.connect.env_file import EnvFile
from app.cli.connect.prompts import Dialog
from app.cli.connect.state import SECRETS, Arrival, Draft, Name, Options, StepFailed
from app.cli.connect.texts import CONNECT
from app.domain.errors import AppError, Permanent
from app.domain.phones import canonical_number, likely_language
from app.language.catalogue import LANGUAGES, Sentence, lazy, say
from app.skills.tools.reminders.templates import NAME as TEMPLATE
from app.skills.tools.reminders.templates import new_template
from app.whatsapp.admin import GraphAdmin
from app.whatsapp.templates import AccountTemplates

FIELD: Final = "messages"
TEMPLATE_FIELD: Final = "message_template_status_update"
SAMPLE_TEMPLATE: Final = "hello_world"
SAMPLE_LANGUAGE: Final = "en_US"
_NO_TEMPLATE: Final = frozenset({"graph_132000", "graph_132001", "graph_132005", "graph_132007", "graph_132015"})
_NOT_A_RECIPIENT: Final = "graph_131030"
_CALLBACK_REFUSED: Final = frozenset({"graph_2200", "graph_100"})
_STATES: Final[Mapping[str, Sentence]] = MappingProxyType(
    {"sent": CONNECT.is_sent, "delivered": CONNECT.is_delivered, "read": CONNECT.is_read}
)


class Setup:
    """The steps that change something. Each leaves alone what is as it should be, and says so.

    Raises in every step what `Checks` does; `settings` also EnvFileError.
    """

    def __init__(self, dialog: Dialog, graph: GraphAdmin, env: EnvFile, options: Options) -> None:
        self._dialog = dialog
        self._graph = graph
        self._env = env
        self._options = options

    async def settings(self, draft: Draft) -> Draft:
        """Show every change, at Meta and in `.env`; after a yes write the file, whole."""
        subscription = await self._graph.subscription(draft.app_id, draft.app_token)
        apps = await self._graph.subscribed_apps(draft.account_id, draft.access_token)
        ours = next((app for app in apps if app.id == draft.app_id), None)
        is_subscribed = ours is not None and ours.override_url in ("", draft.callback_url)
        draft = replace(draft, subscription=subscription, is_subscribed=is_subscribed)
        wanted = wanted_settings(draft, self._env.values.get(Name.ALLOWED) or self._dialog.given(Name.ALLOWED))
        changes = self._env.changes(wanted)
        planned = [*self._env.describe(changes, SECRETS), *self._planned_at_meta(draft)]
        if not planned:
            self._dialog.hop("skipped", "settings", lazy(CONNECT.env_complete, file=self._env.path.name))
            return draft
        self._dialog.plan(planned)
        if not self._dialog.confirm(CONNECT.go_on):
            raise StepFailed("settings", lazy(CONNECT.stopped_before), lazy(CONNECT.stopped_before_step))
        self._write(changes, draft)
        return replace(draft, has_changed=True)

    def _planned_at_meta(self, draft: Draft) -> list[str]:
        planned: list[str] = []
        if not _is_in_place(draft):
            now = (draft.subscription.callback_url if draft.subscription else "") or lazy(CONNECT.nowhere)
            values = {"app": draft.app_id, "address": draft.callback_url, "now": now}
            planned.append(lazy(CONNECT.plan_callback, **values))
        if not draft.is_subscribed:
            planned.append(lazy(CONNECT.plan_subscription, account=draft.account_id, app=draft.app_id))
        return planned

    def _write(self, changes: Mapping[str, str], draft: Draft) -> None:
        if not changes:
            self._dialog.hop("skipped", "settings", lazy(CONNECT.env_is_complete, file=self._env.path.name))
            return
        self._env = self._env.write(changes)
        self._dialog.hop("done", "settings", lazy(CONNECT.env_written, file=self._env.path.name))
        if draft.is_service_running:
            self._dialog.note(lazy(CONNECT.restart))

    async def callback(self, draft: Draft) -> Draft:
        """Tell Meta where to bring webhooks; Meta asks for the challenge at once."""
        if _is_in_place(draft):
            self._dialog.hop("skipped", "callback", lazy(CONNECT.was_set))
            return draft
        kept = draft.subscription.field_names if draft.subscription else frozenset()
        try:
            with self._dialog.working(lazy(CONNECT.meta_asks)):
                await self._graph.subscribe_field(
                    draft.app_id,
                    draft.app_token,
                    callback_url=draft.callback_url,
                    verify_token=draft.verify_token,
                    fields=kept | {FIELD, TEMPLATE_FIELD},
                )
        except AppError as exc:
            if exc.code not in _CALLBACK_REFUSED:
                raise
            cause = lazy(CONNECT.callback_refused, address=draft.callback_url)
            fix = lazy(CONNECT.callback_refused_step, detail=exc.detail)
            raise StepFailed("callback", cause, fix) from None
        self._dialog.hop("done", "callback", lazy(CONNECT.callback_ok, field=FIELD, address=draft.callback_url))
        return draft

    async def subscription(self, draft: Draft) -> Draft:
        """Subscribe the account to the app; without this nothing ever arrives."""
        if draft.is_subscribed:
            self._dialog.hop("skipped", "subscription", lazy(CONNECT.was_subscribed))
            return draft
        await self._graph.subscribe_app(draft.account_id, draft.access_token)
        apps = await self._graph.subscribed_apps(draft.account_id, draft.access_token)
        if all(app.id != draft.app_id for app in apps):
            raise StepFailed("subscription", lazy(CONNECT.unlisted), lazy(CONNECT.unlisted_step))
        self._dialog.hop("done", "subscription", lazy(CONNECT.subscribed, account=draft.account_id))
        return draft

    async def first_message(self, draft: Draft) -> Draft:
        """Send the sample template to the owner; where the account has none, the owner writes first."""
        if not draft.has_changed and not self._options.is_hello_forced:
            self._dialog.hop("skipped", "message", lazy(CONNECT.no_message))
            return draft
        template = (SAMPLE_TEMPLATE, SAMPLE_LANGUAGE)
        try:
            sent = await self._graph.send_template(draft.chosen.id, draft.access_token, draft.owner, *template)
        except AppError as exc:
            if exc.code in _NO_TEMPLATE:
                self._dialog.hop("skipped", "message", lazy(CONNECT.no_template, template=SAMPLE_TEMPLATE))
                return draft
            if exc.code == _NOT_A_RECIPIENT:
                cause = lazy(CONNECT.not_a_recipient, owner=draft.owner)
                raise StepFailed("message", cause, lazy(CONNECT.not_a_recipient_step)) from None
            raise
        self._dialog.hop("done", "message", lazy(CONNECT.sent_to, owner=draft.owner))
        return replace(draft, first_message_id=sent)

    async def webhook(self, draft: Draft) -> Draft:
        """Wait until Meta brings something: what became of our message, or what the owner writes."""
        if not draft.has_changed and not self._options.is_hello_forced:
            self._dialog.hop("skipped", "webhook", lazy(CONNECT.untested))
            return draft
        number = draft.chosen.display_phone_number
        self._dialog.note(lazy(CONNECT.write_now, number=number, owner=draft.owner))
        try:
            with self._dialog.working(lazy(CONNECT.waiting)):
                async with asyncio.timeout(self._options.wait_s):
                    arrival = await _first_of_ours(draft)
        except TimeoutError:
            cause = lazy(CONNECT.no_webhook, seconds=f"{self._options.wait_s:.0f}")
            raise StepFailed("webhook", cause, lazy(CONNECT.no_webhook_step)) from None
        await self._tell_arrival(arrival, draft)
        return draft

    async def templates(self, draft: Draft) -> Draft:
        """Submit the templates with which reminders reach people who have not written for 24 hours."""
        account = AccountTemplates(self._graph, draft.account_id, draft.access_token)
        try:
            known = {one.language: one.status for one in await account.list(TEMPLATE)}
            missing = [language for language in LANGUAGES if language not in known]
            made = {one: (await account.create(new_template(one))).status for one in missing}
        except Permanent as exc:
            self._dialog.hop("skipped", "templates", lazy(CONNECT.templates_refused, detail=exc.detail))
            return draft
        states = ", ".join(
            f"{language} {status.lower()}" for language, status in sorted({**known, **made}.items())
        )
        told = lazy(CONNECT.templates_ok, states=states)
        self._dialog.hop("done" if missing else "skipped", "templates", told)
        return draft

    async def _tell_arrival(self, arrival: Arrival, draft: Draft) -> None:
        if arrival.sender:
            hello = say(CONNECT.hello, self._options.hello_in or likely_language(draft.owner))
            await self._graph.send_text(draft.chosen.id, draft.access_token, draft.owner, hello)
            self._dialog.hop("done", "webhook", lazy(CONNECT.message_answered))
        elif arrival.status_of:
            known = _STATES.get(arrival.state)
            state = arrival.state if known is None else lazy(known)
            self._dialog.hop("done", "webhook", lazy(CONNECT.message_is, state=state))
        else:
            self._dialog.hop("done", "webhook", lazy(CONNECT.at_the_service))


async def _first_of_ours(draft: Draft) -> Arrival:
    """Return the first webhook that concerns the owner or our message; others come from other conversations.

    Raises:
        StepFailed: Meta accepted our message, and then did not deliver it.
    """
    if draft.arrivals is None:
        raise LookupError("nothing listens yet")
    while True:
        arrival = await draft.arrivals.next()
        is_ours = bool(arrival.status_of) and arrival.status_of == draft.first_message_id
        if is_ours and arrival.state == "failed":
            cause = lazy(CONNECT.not_delivered, code=arrival.error_code)
            raise StepFailed("message", cause, lazy(CONNECT.not_delivered_step))
        is_owner = bool(arrival.sender) and canonical_number(arrival.sender) == canonical_number(draft.owner)
        if is_ours or is_owner or arrival == Arrival():
            return arrival


def _is_in_place(draft: Draft) -> bool:
    """Tell whether Meta brings messages to our address. It must be told again of a new verify token."""
    now = draft.subscription
    if now is None or draft.is_verify_token_new:
        return False
    return now.active and now.callback_url == draft.callback_url and FIELD in now.field_names
