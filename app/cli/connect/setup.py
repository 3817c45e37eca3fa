"""The second half of the wizard: shows what would change, changes it, and waits for the proof."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from app.cli.connect.checks import wanted_settings
from app.cli.connect.env_file import EnvFile
from app.cli.connect.prompts import Dialog
from app.cli.connect.state import SECRETS, Arrival, Draft, Name, StepFailed
from app.cli.connect.texts import CONNECT
from app.domain.errors import AppError, Permanent
from app.domain.phones import canonical_number, likely_language
from app.language.catalogue import LANGUAGES, say
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


class Setup:
    """The steps that change something. Each leaves alone what is as it should be, and says so.

    `wait_s` bounds the wait for a webhook. With `is_hello_forced` a first message is sent although nothing
    changed. Raises in every step what `Checks` does; `settings` also EnvFileError.
    """

    def __init__(
        self, dialog: Dialog, graph: GraphAdmin, env: EnvFile, *, wait_s: float, is_hello_forced: bool
    ) -> None:
        self._dialog = dialog
        self._graph = graph
        self._env = env
        self._wait_s = wait_s
        self._is_hello_forced = is_hello_forced

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
            self._dialog.hop("skipped", "settings", f"{self._env.path.name} is complete, nothing to change")
            return draft
        self._dialog.plan(planned)
        if not self._dialog.confirm("Go on?"):
            raise StepFailed("settings", "stopped before anything was changed", "Run connect again when you like")
        self._write(changes, draft)
        return replace(draft, has_changed=True)

    def _planned_at_meta(self, draft: Draft) -> list[str]:
        planned = []
        if not _is_in_place(draft):
            now = (draft.subscription.callback_url if draft.subscription else "") or "nowhere"
            planned.append(f"at Meta: webhooks of app {draft.app_id} go to {draft.callback_url} (now {now})")
        if not draft.is_subscribed:
            planned.append(f"at Meta: account {draft.account_id} is subscribed to app {draft.app_id}")
        return planned

    def _write(self, changes: Mapping[str, str], draft: Draft) -> None:
        if not changes:
            self._dialog.hop("skipped", "settings", f"{self._env.path.name} is complete")
            return
        self._env = self._env.write(changes)
        self._dialog.hop("done", "settings", f"{self._env.path.name} written, readable by you alone")
        if draft.is_service_running:
            self._dialog.note("Restart the service, so that it reads them.")

    async def callback(self, draft: Draft) -> Draft:
        """Tell Meta where to bring webhooks; Meta asks for the challenge at once."""
        if _is_in_place(draft):
            self._dialog.hop("skipped", "callback", "was set already")
            return draft
        kept = draft.subscription.field_names if draft.subscription else frozenset()
        try:
            with self._dialog.working("Meta asks the address for its challenge"):
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
            cause = f"Meta does not get the challenge from {draft.callback_url}, although this machine does"
            fix = (
                "The address must answer everybody on the internet, over HTTPS with a certificate of a public "
                f"authority; look for a rule that lets only you in. Meta says: {exc.detail}"
            )
            raise StepFailed("callback", cause, fix) from None
        self._dialog.hop("done", "callback", f"Meta sends {FIELD} to {draft.callback_url}")
        return draft

    async def subscription(self, draft: Draft) -> Draft:
        """Subscribe the account to the app; without this nothing ever arrives."""
        if draft.is_subscribed:
            self._dialog.hop("skipped", "subscription", "the account was subscribed already")
            return draft
        await self._graph.subscribe_app(draft.account_id, draft.access_token)
        apps = await self._graph.subscribed_apps(draft.account_id, draft.access_token)
        if all(app.id != draft.app_id for app in apps):
            cause = "Meta accepted the subscription but does not list it"
            raise StepFailed("subscription", cause, "Try again in a minute")
        self._dialog.hop("done", "subscription", f"account {draft.account_id} sends its webhooks to the app")
        return draft

    async def first_message(self, draft: Draft) -> Draft:
        """Send the sample template to the owner; where the account has none, the owner writes first."""
        if not draft.has_changed and not self._is_hello_forced:
            self._dialog.hop("skipped", "message", "everything was in place; none is sent (--hello sends one)")
            return draft
        template = (SAMPLE_TEMPLATE, SAMPLE_LANGUAGE)
        try:
            sent = await self._graph.send_template(draft.chosen.id, draft.access_token, draft.owner, *template)
        except AppError as exc:
            if exc.code in _NO_TEMPLATE:
                self._dialog.hop("skipped", "message", f"this account has no template {SAMPLE_TEMPLATE} to send")
                return draft
            if exc.code == _NOT_A_RECIPIENT:
                cause = f"+{draft.owner} is not one of the test number's five recipients (131030)"
                fix = "Add it in Meta app > WhatsApp > API Setup > To > Manage phone number list"
                raise StepFailed("message", cause, fix) from None
            raise
        self._dialog.hop("done", "message", f"sent to +{draft.owner}")
        return replace(draft, first_message_id=sent)

    async def webhook(self, draft: Draft) -> Draft:
        """Wait until Meta brings something: what became of our message, or what the owner writes."""
        if not draft.has_changed and not self._is_hello_forced:
            self._dialog.hop("skipped", "webhook", "not tested this time")
            return draft
        self._dialog.note(f"Now write any word to {draft.chosen.display_phone_number} from +{draft.owner}.")
        try:
            with self._dialog.working("waiting for Meta's webhook"):
                async with asyncio.timeout(self._wait_s):
                    arrival = await _first_of_ours(draft)
        except TimeoutError:
            cause = f"no webhook came within {self._wait_s:.0f} seconds"
            fix = (
                "Check that the app is Live or that your number has a role in it, and that the tunnel passes "
                "POST requests; then run connect --hello again"
            )
            raise StepFailed("webhook", cause, fix) from None
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
            self._dialog.hop("skipped", "templates", f"Meta does not take them now ({exc.detail}): see /templates")
            return draft
        states = ", ".join(
            f"{language} {status.lower()}" for language, status in sorted({**known, **made}.items())
        )
        told = f"for reminders after 24 hours: {states}"
        self._dialog.hop("done" if missing else "skipped", "templates", told)
        return draft

    async def _tell_arrival(self, arrival: Arrival, draft: Draft) -> None:
        if arrival.sender:
            hello = say(CONNECT.hello, likely_language(draft.owner))
            await self._graph.send_text(draft.chosen.id, draft.access_token, draft.owner, hello)
            self._dialog.hop("done", "webhook", "your message arrived, and was answered")
        elif arrival.status_of:
            self._dialog.hop("done", "webhook", f"arrived: the first message is {arrival.state}")
        else:
            self._dialog.hop("done", "webhook", "arrived at the running service")


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
            cause = f"webhooks arrive, but the first message was not delivered ({arrival.error_code})"
            raise StepFailed(
                "message", cause, "docs/operations.md explains the code; or write to the number first"
            )
        is_owner = bool(arrival.sender) and canonical_number(arrival.sender) == canonical_number(draft.owner)
        if is_ours or is_owner or arrival == Arrival():
            return arrival


def _is_in_place(draft: Draft) -> bool:
    """Tell whether Meta brings messages to our address. It must be told again of a new verify token."""
    now = draft.subscription
    if now is None or draft.is_verify_token_new:
        return False
    return now.active and now.callback_url == draft.callback_url and FIELD in now.field_names
