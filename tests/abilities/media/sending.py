"""How a person sends a file in these tests: through the simulated Graph and the webhook."""

import asyncio
import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.errors import Permanent
from app.simulator import payloads
from app.simulator.payloads import JsonObject, MediaKind
from tests.harness import PEOPLE, AppUnderTest

WAIT_S = 50
"""A real child starts its libraries anew, on a machine that others use, too."""


@dataclass
class ScriptedChildren:
    """`Children` at the wire: what each task answers, in order; the last one again and again."""

    answers: dict[str, Sequence[Mapping[str, object] | Permanent]]
    asked: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)
    gate: asyncio.Event | None = None

    async def run(self, task: str, arguments: Mapping[str, object], *, timeout_s: float) -> Mapping[str, object]:
        number = sum(name == task for name, _ in self.asked)
        self.asked.append((task, arguments))
        if self.gate is not None:
            await self.gate.wait()
        given = self.answers[task]
        answer = given[min(number, len(given) - 1)]
        if isinstance(answer, Permanent):
            raise answer
        return answer


async def send(
    app: AppUnderTest,
    sender: str,
    kind: MediaKind,
    data: bytes,
    *,
    caption: str | None = None,
    filename: str | None = None,
    voice: bool | None = None,
    mime_type: str = "application/octet-stream",
    forwarded: bool = False,
) -> str:
    """Let a person send a file; returns the id of their message."""
    content = attached(app, kind, data, caption=caption, filename=filename, voice=voice, mime_type=mime_type)
    if forwarded:
        content["context"] = {"forwarded": True}
    receipt = await app.graph.receive(PEOPLE[sender], content)
    assert receipt.webhook_status == 200
    return receipt.id


def attached(app: AppUnderTest, kind: MediaKind, data: bytes, *, mime_type: str, **facts: object) -> JsonObject:
    media_id = app.graph.add_media(data, mime_type)
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    return payloads.media(kind, {"id": media_id, "mime_type": mime_type, "sha256": digest, **facts})  # type: ignore[dict-item]  # plain values


async def settle(app: AppUnderTest) -> None:
    """As `idle`, with time for a real child."""
    async with asyncio.timeout(WAIT_S):
        await app.services.idle()
        await app.graph.idle()
        await app.services.idle()
