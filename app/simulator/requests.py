"""Requests to `POST /{phone-number-id}/messages`, with Meta's limits, and the errors Graph answers with.

Limits follow the Cloud API's reference. Only the types that the assistant can send are taken.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from app.domain.errors import Rejected
from app.domain.outbound import (
    MAX_BUTTON_ID_CHARS,
    MAX_BUTTON_TITLE_CHARS,
    MAX_BUTTONS,
    MAX_INTERACTIVE_BODY_CHARS,
    MAX_LIST_ROWS,
    MAX_ROW_DESCRIPTION_CHARS,
    MAX_ROW_TITLE_CHARS,
    MAX_TEXT_CHARS,
)
from app.simulator.payloads import JsonObject

INVALID: Final = 100
MISSING: Final = 131008
NOT_VALID: Final = 131009
_TITLES: Final[Mapping[int, str]] = MappingProxyType(
    {
        INVALID: "Invalid parameter",
        190: "Invalid OAuth access token",
        MISSING: "Required parameter is missing",
        NOT_VALID: "Parameter value is not valid",
    }
)


class GraphRefusal(Rejected):
    """The request is answered with this Graph error instead of being carried out."""

    def __init__(self, graph_code: int, detail: str, *, status: int = 400) -> None:
        super().__init__(f"graph_{graph_code}", detail, status=status)
        self.graph_code = graph_code


def error_body(refusal: GraphRefusal) -> JsonObject:
    """Lay out a Graph error the way the Graph API does."""
    code = refusal.graph_code
    return {
        "error": {
            "message": f"(#{code}) {_TITLES.get(code, 'Simulated error')}",
            "type": "OAuthException",
            "code": code,
            "error_data": {"messaging_product": "whatsapp", "details": refusal.detail},
            "fbtrace_id": "SIMULATED",
        }
    }


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class _Text(_Part):
    body: str = Field(min_length=1, max_length=MAX_TEXT_CHARS)
    preview_url: bool = False


class _Body(_Part):
    text: str = Field(min_length=1, max_length=MAX_INTERACTIVE_BODY_CHARS)


class _Footer(_Part):
    text: str = Field(min_length=1, max_length=60)


class _Header(_Footer):
    type: Literal["text"]


class _Reply(_Part):
    id: str = Field(min_length=1, max_length=MAX_BUTTON_ID_CHARS)
    title: str = Field(min_length=1, max_length=MAX_BUTTON_TITLE_CHARS)


class _Button(_Part):
    type: Literal["reply"]
    reply: _Reply


class _Row(_Part):
    id: str = Field(min_length=1, max_length=200)
    title: str = Field(min_length=1, max_length=MAX_ROW_TITLE_CHARS)
    description: str | None = Field(default=None, max_length=MAX_ROW_DESCRIPTION_CHARS)


class _Section(_Part):
    title: str | None = Field(default=None, max_length=24)
    rows: list[_Row] = Field(min_length=1)


class _ButtonAction(_Part):
    buttons: list[_Button] = Field(min_length=1, max_length=MAX_BUTTONS)

    @model_validator(mode="after")
    def _is_unambiguous(self) -> Self:
        _refuse_repeated("buttons", [button.reply.id for button in self.buttons])
        _refuse_repeated("buttons", [button.reply.title for button in self.buttons])
        return self


class _ListAction(_Part):
    button: str = Field(min_length=1, max_length=20)
    sections: list[_Section] = Field(min_length=1, max_length=10)

    @model_validator(mode="after")
    def _is_within_limits(self) -> Self:
        ids = [row.id for section in self.sections for row in section.rows]
        _refuse_repeated("rows", ids)
        if len(ids) > MAX_LIST_ROWS:
            raise PydanticCustomError("too_many_rows", "at most 10 rows in all sections together")
        if len(self.sections) > 1 and not all(section.title for section in self.sections):
            raise PydanticCustomError("missing", "every section needs a title when there are several")
        return self


class _Buttons(_Part):
    type: Literal["button"]
    header: _Header | None = None
    body: _Body
    footer: _Footer | None = None
    action: _ButtonAction


class _List(_Part):
    type: Literal["list"]
    header: _Header | None = None
    body: _Body
    footer: _Footer | None = None
    action: _ListAction


class _Reaction(_Part):
    message_id: str = Field(min_length=1)
    emoji: str


class _Media(_Part):
    id: str | None = Field(default=None, min_length=1)
    link: str | None = Field(default=None, min_length=1)
    caption: str | None = Field(default=None, max_length=1024)
    filename: str | None = None
    voice: bool = False

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.id is None) == (self.link is None):
            raise PydanticCustomError("missing", "exactly one of id and link is needed")
        return self


class _Parameter(_Part):
    type: Literal["text", "payload"]
    text: str = Field(default="", max_length=1024)
    payload: str = Field(default="", max_length=128)

    @model_validator(mode="after")
    def _is_one_line(self) -> Self:
        if any(blank in self.text for blank in ("\n", "\t", "    ")):
            raise PydanticCustomError("value", "no line breaks, tabs or more than three spaces in a variable")
        return self


class _Component(_Part):
    type: Literal["body", "button"]
    sub_type: Literal["quick_reply"] | None = None
    index: str = ""
    parameters: list[_Parameter]


class _Language(_Part):
    code: str


class _Template(_Part):
    name: str = Field(min_length=1)
    language: _Language
    components: list[_Component] = Field(default_factory=list)

    @property
    def values(self) -> tuple[str, ...]:
        """What fills the variables of the body."""
        return tuple(one.text for part in self.components if part.type == "body" for one in part.parameters)


class _Context(_Part):
    message_id: str = Field(min_length=1)


class SendRequest(_Part):
    """A message on its way to a person, within Meta's limits."""

    messaging_product: Literal["whatsapp"]
    recipient_type: Literal["individual"] = "individual"
    to: str | None = Field(default=None, min_length=1)
    recipient: str | None = Field(default=None, min_length=1)
    type: Literal[
        "text", "interactive", "reaction", "image", "audio", "video", "document", "sticker", "template"
    ] = "text"
    context: _Context | None = None
    biz_opaque_callback_data: str | None = Field(default=None, max_length=512)
    text: _Text | None = None
    interactive: _Buttons | _List | None = Field(default=None, discriminator="type")
    reaction: _Reaction | None = None
    image: _Media | None = None
    audio: _Media | None = None
    video: _Media | None = None
    document: _Media | None = None
    sticker: _Media | None = None
    template: _Template | None = None

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.to is None and self.recipient is None:
            raise PydanticCustomError("missing", "one of to and recipient is needed")
        if getattr(self, self.type) is None:
            raise PydanticCustomError("missing", "the object named by type is needed")
        return self

    @property
    def readable(self) -> str:
        """The words a person would read: body, caption, or the emoji of a reaction."""
        part = getattr(self, self.type)
        match part:
            case _Text():
                return part.body
            case _Buttons() | _List():
                return part.body.text
            case _Reaction():
                return part.emoji
        return part.caption or "" if isinstance(part, _Media) else ""


class _TypingIndicator(_Part):
    type: Literal["text"]


class ReadRequest(_Part):
    """A read mark for a person's message, with or without the typing mark."""

    messaging_product: Literal["whatsapp"]
    status: Literal["read"]
    message_id: str = Field(min_length=1)
    typing_indicator: _TypingIndicator | None = None


def parse_request(body: bytes) -> tuple[SendRequest | ReadRequest, JsonObject]:
    """Read what was posted to `/messages`; the second value is the JSON as it came.

    Raises:
        GraphRefusal: 100 for the envelope, 131008 for something missing, 131009 for a bad value.
    """
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise GraphRefusal(INVALID, "the body is not JSON") from exc
    if not isinstance(raw, dict):
        raise GraphRefusal(INVALID, "the body is not a JSON object")
    try:
        return (ReadRequest if "status" in raw else SendRequest).model_validate(raw), raw
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(str(step) for step in first["loc"]) or "message"
        raise GraphRefusal(_code_of(where, first["type"]), f"{where}: {first['msg']}") from exc


def _code_of(where: str, problem: str) -> int:
    if where in {"messaging_product", "type", "recipient_type", "status"}:
        return INVALID
    return MISSING if problem == "missing" else NOT_VALID


def _refuse_repeated(what: str, values: list[str]) -> None:
    if len(set(values)) != len(values):
        raise PydanticCustomError("repeated", "{what} must differ from one another", {"what": what})
