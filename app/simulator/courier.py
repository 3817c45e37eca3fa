"""Takes signed webhooks to our own door, and comes back later when nobody opened."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

import httpx
import structlog

from app.simulator import payloads
from app.simulator.faults import Faults
from app.simulator.payloads import JsonObject
from app.simulator.wire import Sent, WireLog

PostWebhook = Callable[[bytes, dict[str, str]], Awaitable[int]]
Job = Callable[[], Awaitable[None]]

REDELIVERY_DELAYS_S: Final = (1.0, 4.0, 15.0)
"""Meta redelivers for days; whoever sits in front of a page has given up long before that."""

_MAX_WAITING: Final = 1_000

log = structlog.get_logger(__name__)


class Courier:
    """Posts webhooks; jobs that may wait run one after the other in a task owned by `running`."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]], faults: Faults, wire: WireLog) -> None:
        self._faults = faults
        self._wire = wire
        self._sleep = sleep
        self._post_webhook: PostWebhook | None = None
        self._app_secret = ""
        self._jobs: asyncio.Queue[tuple[float, Job]] = asyncio.Queue(_MAX_WAITING)

    def connect(self, post_webhook: PostWebhook, app_secret: str) -> None:
        self._post_webhook = post_webhook
        self._app_secret = app_secret

    def enqueue(self, job: Job) -> None:
        """Run a job after the ones before it; dropped with a log line when too many wait.

        While webhooks are late, it waits from now on for as long as they are on their way.
        """
        try:
            self._jobs.put_nowait((monotonic() + self._faults.webhook_delay_s, job))
        except asyncio.QueueFull:
            log.warning("simulator.webhook_dropped", reason="queue_full")

    async def idle(self) -> None:
        """Wait until every job known now is done."""
        await self._jobs.join()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work on the jobs while open; those still waiting at the end are dropped."""
        worker = asyncio.create_task(self._work(), name="simulator.courier")
        try:
            yield
        finally:
            worker.cancel()
            await asyncio.wait([worker])
            if not worker.cancelled():
                worker.result()

    async def post(self, payload: JsonObject, *, user: str) -> int:
        """Sign and post, twice while webhooks are repeated; the HTTP status, 0 when nobody answered."""
        body = payloads.encode(payload)
        headers = payloads.signed_headers(body, self._app_secret)
        status = await self._post_once(body, headers, user)
        return await self._post_once(body, headers, user) if self._faults.is_webhook_repeated else status

    async def redeliver(self, payload: JsonObject, *, user: str) -> int:
        """Wait and post, with growing pauses, until it is taken; the last answer."""
        status = 0
        for delay_s in REDELIVERY_DELAYS_S:
            await self._sleep(delay_s)
            status = await self.post(payload, user=user)
            if status == httpx.codes.OK:
                return status
        log.warning("simulator.webhook_dropped", reason="not_taken", status=status)
        return status

    async def _post_once(self, body: bytes, headers: dict[str, str], user: str) -> int:
        if self._post_webhook is None:
            return 0
        began = monotonic()
        status = 0
        try:
            status = await self._post_webhook(body, headers)
        except (OSError, httpx.HTTPError) as exc:
            log.warning("simulator.webhook_unreachable", reason=type(exc).__name__)
        shown = {name.lower(): value for name, value in headers.items()}
        self._wire.add(
            Sent("webhook", "POST", "/webhook", shown, body), user=user, status=status, answer=b"", began=began
        )
        return status

    async def _work(self) -> None:
        while True:
            due, job = await self._jobs.get()
            try:
                if (left_s := due - monotonic()) > 0:
                    await self._sleep(left_s)
                await job()
            finally:
                self._jobs.task_done()
