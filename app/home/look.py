"""Draws the home: templates, their words, and the headers that keep a page to itself."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, urlencode

from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.database.repositories.users import User
from app.home.drawing import draw
from app.home.texts import AT_HOME
from app.language.catalogue import LANGUAGES, Language, Sentence, say
from app.skills.pages import LONGEST_WORDS, Download, Page, Part, Visit
from app.web.palette import PALETTE

_HERE: Final = Path(__file__).parent
_POLICY: Final = (
    "default-src 'none'; style-src {style}; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_LOOK_AGAIN_S: Final = "2"
_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "X-Content-Type-Options": "nosniff",
        # Not "no-referrer": then browsers post `Origin: null`, and nobody could tell our own page.
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
)


@dataclass(frozen=True, slots=True)
class Tile:
    """A part on the first page."""

    part: Part
    summary: str


class Look:
    """Reads the templates and styles once.

    Raises:
        OSError: a file is missing.
    """

    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        static = _HERE / "static"
        palette, gate, home = (file.read_text() for file in (PALETTE, static / "gate.css", static / "home.css"))
        self._gate_style = palette + gate
        self._style = palette + home
        digest = hashlib.sha256(self._gate_style.encode()).digest()
        self._gate_policy = _POLICY.format(style=f"'sha256-{base64.b64encode(digest).decode()}'")

    def style(self) -> Response:
        return Response(self._style, media_type="text/css", headers=dict(_HEADERS))

    def stranger(self, status: int = 200) -> Response:
        """Say that this is WasAP, and nothing else."""
        return self._door("door.html", status, _everywhere(AT_HOME.this_is))

    def locked(self, status: int = 401) -> Response:
        """Tell somebody on this machine where the token is."""
        return self._door("locked.html", status, _everywhere(AT_HOME.locked))

    def farewell(self, text: str, language: Language) -> Response:
        return self._door("door.html", 200, [(language, text)])

    def refused(self, visit: Visit, text: str, status: int) -> Response:
        """Tell a visitor why a post was not taken, with the way back to their home."""
        return self._door("back.html", status, [(visit.language, text)], home=visit.say(AT_HOME.home))

    def link(self, visit: Visit, key: str) -> Response:
        """Ask for the press that uses a link up: what only looks at links must not."""
        line, button = visit.say(AT_HOME.link_for, name=visit.name), visit.say(AT_HOME.link_open)
        return self._door("link.html", 200, [(visit.language, line)], button=button, key=key)

    def choice(self, people: Sequence[User]) -> Response:
        """Ask the one at this machine whose home to open."""
        lines = _everywhere(AT_HOME.whose) if people else _everywhere(AT_HOME.nobody_yet)
        return self._door("choice.html", 200, lines, people=people, setup=_everywhere(AT_HOME.setup))

    def overview(self, visit: Visit, proof: str, tiles: Sequence[Tile], notice: str) -> Response:
        hello = visit.say(AT_HOME.hello, name=visit.name) if visit.name else visit.say(AT_HOME.hello_nobody)
        groups = [
            (visit.say(title), [tile for tile in tiles if tile.part.for_admins is for_admins])
            for title, for_admins in ((AT_HOME.yours, False), (AT_HOME.this_service, True))
        ]
        return self._page("overview.html", visit, proof, notice=notice, hello=hello, groups=groups, current="")

    def part(
        self, visit: Visit, proof: str, part: Part, page: Page, frame: "Frame", *, status: int = 200
    ) -> Response:
        answer = self._page(
            "part.html",
            visit,
            proof,
            status,
            longest_words=LONGEST_WORDS,
            notice=frame.notice,
            parts=frame.parts,
            current=part.name,
            title=page.title or visit.say(part.title),
            page=page,
            back=visit.address,
            at=visit,
            draw=draw,
            link=_Links(part.name, visit),
            count_told=visit.say(AT_HOME.page_of, page=visit.page, pages=page.pages),
        )
        if page.is_underway:
            answer.headers["Refresh"] = _LOOK_AGAIN_S
        return answer

    def missing(self, visit: Visit, proof: str) -> Response:
        line = visit.say(AT_HOME.no_such_page)
        return self._page("missing.html", visit, proof, 404, notice="", line=line, current="")

    def _page(self, template: str, visit: Visit, proof: str, status: int = 200, **values: object) -> Response:
        text = self._environment.get_template(template).render(
            {"parts": (), **values, "visit": visit, "proof": proof, "words": _frame(visit)}
        )
        return HTMLResponse(
            text, status, headers={**_HEADERS, "Content-Security-Policy": _POLICY.format(style="'self'")}
        )

    def _door(
        self, template: str, status: int, lines: Sequence[tuple[Language, str]], **values: object
    ) -> Response:
        """Draw a page for somebody who is not in: each line in its language."""
        text = self._environment.get_template(template).render(
            style=self._gate_style, language=lines[0][0], lines=lines, **values
        )
        return HTMLResponse(text, status, headers={**_HEADERS, "Content-Security-Policy": self._gate_policy})


@dataclass(frozen=True, slots=True)
class Frame:
    """What is around a part: the others, and what is said once."""

    parts: Sequence[Part]
    notice: str


@dataclass(frozen=True, slots=True)
class _Links:
    """Addresses within a part."""

    name: str
    visit: Visit

    def item(self, item: str) -> str:
        return f"/home/{self.name}?{urlencode({'item': item})}"

    def page(self, number: int) -> str:
        words = {"words": self.visit.words} if self.visit.words else {}
        return f"/home/{self.name}?{urlencode({**words, 'page': number})}"

    def act(self, name: str) -> str:
        return f"/home/{self.name}/{name}"


def download(file: Download) -> Response:
    """Hand a file over to be kept; no browser shows it as a page of ours."""
    headers = {
        **_HEADERS,
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.filename)}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return Response(file.data, media_type="application/octet-stream", headers=headers)


def _everywhere(sentence: Sentence) -> list[tuple[Language, str]]:
    """A sentence for somebody whose language is not known."""
    return [(language, say(sentence, language)) for language in LANGUAGES]


def _frame(visit: Visit) -> Mapping[str, str]:
    sentences = {
        "home": AT_HOME.home,
        "leave": AT_HOME.leave,
        "search": AT_HOME.search,
        "all": AT_HOME.show_all,
        "yes": AT_HOME.yes,
        "older": AT_HOME.next_page,
        "newer": AT_HOME.previous_page,
        "pages": AT_HOME.pages,
        "nothing_found": AT_HOME.nothing_found,
        "from_you": AT_HOME.from_you,
        "yours": AT_HOME.yours,
        "admin": AT_HOME.this_service,
        "save": AT_HOME.save,
        "skip": AT_HOME.skip,
        "done": AT_HOME.is_done,
        "as_table": AT_HOME.as_table,
    }
    return {name: visit.say(sentence) for name, sentence in sentences.items()}
