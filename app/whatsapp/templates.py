"""The templates of one WhatsApp account: listed, and submitted for Meta's approval."""

from collections.abc import Sequence

from app.domain.ports import NewTemplate, TemplateState
from app.whatsapp.admin import GraphAdmin, Template

_NO_REASON = "NONE"


class AccountTemplates:
    """`Templates` over Graph, for an account and its token."""

    def __init__(self, admin: GraphAdmin, account_id: str, access_token: str) -> None:
        self._admin = admin
        self._account_id = account_id
        self._access_token = access_token

    async def list(self, name: str) -> Sequence[TemplateState]:
        found = await self._admin.templates(self._account_id, self._access_token, name)
        return [_state(one) for one in found]

    async def create(self, new: NewTemplate) -> TemplateState:
        for one in await self.list(new.name):
            if one.language == new.language:
                return one
        made = await self._admin.create_template(self._account_id, self._access_token, template_body(new))
        return TemplateState(new.name, new.language, made.status or "PENDING")


def template_body(new: NewTemplate) -> dict[str, object]:
    """Return the body of `POST /{waba-id}/message_templates`."""
    text: dict[str, object] = {"type": "BODY", "text": new.body, "example": {"body_text": [[new.example]]}}
    buttons = [{"type": "QUICK_REPLY", "text": title} for title in new.buttons]
    components: list[dict[str, object]] = [text, {"type": "BUTTONS", "buttons": buttons}]
    return {"name": new.name, "language": new.language, "category": "UTILITY", "components": components}


def _state(one: Template) -> TemplateState:
    reason = "" if one.rejected_reason == _NO_REASON else one.rejected_reason
    return TemplateState(one.name, one.language, one.status, reason)
