"""The message templates of a local account: submitted, decided on, and filled in when they are sent."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.simulator.payloads import JsonObject
from app.simulator.requests import INVALID, GraphRefusal

APPROVED_AFTER: Final = timedelta(minutes=1)
_REFUSALS: Final[Mapping[str, int]] = MappingProxyType({"PAUSED": 132015, "DISABLED": 132016})
_MISSING: Final = 132001
_BLANK: Final = "{{1}}"


class _Component(BaseModel):
    model_config = ConfigDict(frozen=True)

    type: str
    text: str = ""


class _New(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1, max_length=512, pattern=r"^[a-z0-9_]+$")
    language: str = Field(min_length=2)
    category: str
    components: tuple[_Component, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Shelved:
    """`status` is what somebody decided; "" until then: pending, and approved after a minute."""

    id: str
    name: str
    language: str
    category: str
    body: str
    made_at: datetime
    status: str = ""
    reason: str = "NONE"


class TemplateShelf:
    """Meta's reviewer says yes after a minute, unless `decide` was quicker."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._all: dict[tuple[str, str], Shelved] = {}

    def add(self, body: object) -> Shelved:
        """Take a template for review.

        Raises:
            GraphRefusal: 100, as Meta does for what it would not even review.
        """
        try:
            new = _New.model_validate(body)
        except ValidationError as exc:
            raise GraphRefusal(INVALID, str(exc.errors()[0]["msg"])) from exc
        text = next((one.text for one in new.components if one.type.upper() == "BODY"), "").strip()
        if text.startswith("{{") or text.endswith("}}") or not text:
            raise GraphRefusal(INVALID, "a body may not begin or end with a variable")
        if (new.name, new.language) in self._all:
            raise GraphRefusal(INVALID, "content in this language already exists")
        number = str(9_000_000_000 + len(self._all))
        made = Shelved(number, new.name, new.language, new.category, text, self._now())
        self._all[new.name, new.language] = made
        return made

    def decide(self, name: str, language: str, status: str, reason: str = "NONE") -> Shelved:
        decided = replace(self._all[name, language], status=status, reason=reason)
        self._all[name, language] = decided
        return decided

    def remove(self, name: str, language: str) -> None:
        del self._all[name, language]

    def status(self, one: Shelved) -> str:
        if one.status:
            return one.status
        return "APPROVED" if self._now() - one.made_at >= APPROVED_AFTER else "PENDING"

    def list(self, name: str) -> Iterator[JsonObject]:
        """Yield what Graph says of those whose names contain that."""
        for one in self._all.values():
            if name in one.name:
                yield {
                    "id": one.id,
                    "name": one.name,
                    "language": one.language,
                    "status": self.status(one),
                    "category": one.category,
                    "rejected_reason": one.reason,
                }

    def fill(self, name: str, language: str, values: tuple[str, ...]) -> str:
        """Return what the person reads.

        Raises:
            GraphRefusal: the template is missing or not approved (132001), paused (132015) or disabled (132016).
        """
        one = self._all.get((name, language))
        if one is None or self.status(one) != "APPROVED":
            code = _MISSING if one is None else _REFUSALS.get(one.status, _MISSING)
            raise GraphRefusal(code, "the template cannot be sent", status=404)
        if one.body.count(_BLANK) != len(values):
            raise GraphRefusal(132000, "the number of variables differs from the template's")
        return one.body.replace(_BLANK, values[0]) if values else one.body
