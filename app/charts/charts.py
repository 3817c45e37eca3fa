"""Series as pictures: drawn in a child process, ready to leave with an answer, absent without harm."""

import asyncio
import re
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

import structlog

from app.charts.lexicon import CHARTS
from app.domain.errors import Permanent, Transient
from app.domain.outbound import OutMedia
from app.domain.ports import Children, MediaSource
from app.domain.turn import TurnContext
from app.domain.wording import fold

DRAW_S: Final = 60.0
_WORD: Final = re.compile(r"[^\W_]+")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart, or one row of bars; None: nothing was measured there."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn: each label stands below one value of each series. `unit` is written beside the axis."""

    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    kind: Literal["line", "bars"] = "bars"
    unit: str = ""


DrawIfAsked = Callable[[Chart, TurnContext], Awaitable[Sequence[OutMedia]]]
"""Draws where the person's own words ask for it; see `Charts.draw_if_asked`."""


async def draw_nothing(chart: Chart, ctx: TurnContext) -> Sequence[OutMedia]:
    """Be `DrawIfAsked` where nothing is drawn."""
    return ()


class Charts:
    """Draws for whoever has a series worth looking at."""

    def __init__(self, children: Children, media: MediaSource, folder: Path) -> None:
        self._children = children
        self._media = media
        self._folder = folder

    async def draw(self, chart: Chart) -> OutMedia | None:
        """Return a picture for an answer, stored at Meta's; None where it cannot be drawn: the text is enough."""
        if not is_able() or not chart.labels or not any(one.values for one in chart.series):
            return None
        place = Path(await asyncio.to_thread(_place_in, self._folder))
        target = place / "chart.png"
        try:
            await self._children.run("draw_chart", {**asdict(chart), "target": str(target)}, timeout_s=DRAW_S)
            data = await asyncio.to_thread(target.read_bytes)
            return OutMedia("image", await self._media.upload(data, mime_type="image/png", filename="chart.png"))
        except (OSError, Permanent, Transient) as exc:
            log.warning("chart.not_drawn", reason=getattr(exc, "code", type(exc).__name__))
            return None
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    async def draw_if_asked(self, chart: Chart, ctx: TurnContext) -> Sequence[OutMedia]:
        """Return the picture where the person's own words ask for one: each message is billed."""
        if not asks_for_chart(ctx):
            return ()
        drawn = await self.draw(chart)
        return () if drawn is None else (drawn,)


def is_able() -> bool:
    """Tell whether this machine can draw."""
    return find_spec("matplotlib") is not None


def asks_for_chart(ctx: TurnContext) -> bool:
    """Tell whether the person's words of this turn ask for a picture of figures."""
    return any(not CHARTS.isdisjoint(_WORD.findall(fold(said))) for said in ctx.said.now)


def _place_in(folder: Path) -> str:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return tempfile.mkdtemp(dir=folder)
