"""`/` and all below `/home`: strangers learn that this is WasAP, visitors get their own home."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qsl

import structlog
from fastapi import HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from app.domain.errors import NotFound, ToolFault
from app.domain.ids import UserId
from app.home.access import Access, Entered
from app.home.guide import NAME, Guide
from app.home.look import Frame, Look, Tile, download
from app.home.texts import AT_HOME
from app.language.catalogue import LANGUAGES, Language
from app.log import user_tag
from app.skills.pages import LONGEST_WORDS, Download, Farewell, Page, Part, Refused, Visit
from app.web.guard import require_own_page
from app.web.routes import PlainRoute

log = structlog.get_logger(__name__)

ROOT: Final = "/"
MAX_FORM_BYTES: Final = 1024 * 1024
_MAX_FIELDS: Final = 40
_LAST_PAGE: Final = 10_000
_DOORS: Final = ("in", "as")
"""Where somebody comes in who has no session yet."""
_STYLE: Final = "static/home.css"


class Home:
    """Answers for the home. `parts` is what abilities have added, also after this was made."""

    def __init__(self, access: Access, parts: Sequence[Part], look: Look, guide: Guide) -> None:
        self._access = access
        self._parts = parts
        self._look = look
        self._guide = guide
        self._told = ""
        """What the guide's next page says once: there is one owner, and no session to keep it in."""

    async def open(self, request: Request) -> Response:
        """Answer `GET /`."""
        if self._access.is_near(request) and (answer := self._access.guard.take_token(request, ROOT)) is not None:
            return answer
        entered = await self._access.find(request)
        if entered is None:
            return await self._outside(request, status=200)
        visit = entered.visit
        tiles = [Tile(part, await part.summary(visit)) for part in self._parts_of(visit)]
        notice = await self._notice(entered)
        return self._look.overview(visit, entered.proof, tiles, notice)

    async def look_at(self, request: Request) -> Response:
        """Answer `GET /home/…`."""
        rest = _rest_of(request)
        if rest.startswith("in/") and (answer := await self._show_link(request, rest.removeprefix("in/"))):
            return answer
        entered = await self._access.find(request)
        if rest == _STYLE and (entered is not None or self._access.has_token(request)):
            return self._look.style()
        if rest == NAME and self._access.has_token(request):
            return await self._show_guide(request)
        if entered is None:
            return await self._outside(request, status=404)
        part = self._find(entered.visit, rest)
        if part is None:
            return self._look.missing(entered.visit, entered.proof)
        visit, notice = _at(entered.visit, request.query_params), await self._notice(entered)
        if len(visit.words) > LONGEST_WORDS:
            notice = visit.say(AT_HOME.search_too_long, limit=LONGEST_WORDS)
            visit = replace(visit, words="")
        try:
            page = await part.show(visit)
        except NotFound:
            return self._look.missing(entered.visit, entered.proof)
        return self._look.part(visit, entered.proof, part, page, Frame(self._parts_of(visit), notice))

    async def do(self, request: Request) -> Response:
        """Answer `POST /home/…`; whatever another site could have sent changes nothing."""
        rest = _rest_of(request)
        entered = None if rest in _DOORS else await self._access.find(request)
        try:
            form = await _form(request)
            if rest.startswith(f"{NAME}/") and self._access.has_token(request):
                self._access.require_owner(request, form.get("proof", ""))
                return await self._take_step(request, rest, form)
            if rest in _DOORS:
                require_own_page(request)
                return await self._enter(request, rest, form)
            if entered is None:
                return await self._outside(request, status=404)
            self._access.require_own_form(request, entered, form.get("proof", ""))
        except HTTPException as exc:
            return self._refuse(entered, exc.status_code)
        if rest == "leave":
            answer = _to(ROOT)
            await self._access.leave(entered, answer)
            return answer
        return await self._act(entered, rest, form)

    async def _act(self, entered: Entered, rest: str, form: Mapping[str, str]) -> Response:
        name, _, act = rest.partition("/")
        visit = _at(entered.visit, dict(parse_qsl(form.get("back", ""), max_num_fields=_MAX_FIELDS)))
        part = self._find(visit, name)
        if part is None or act not in part.acts:
            return self._look.missing(visit, entered.proof)
        try:
            done = await part.acts[act](visit, form)
        except Refused as exc:
            page = (await part.show(visit)).with_problem(act, form, exc.text)
            # A form that came from a page of its own is not on this one.
            frame = Frame(self._parts_of(visit), "" if page.has_problem else exc.text)
            return self._look.part(visit, entered.proof, part, page, frame, status=422)
        except (NotFound, ToolFault) as exc:
            log.info("home.act_refused", part=name, act=act, code=exc.code)
            done = visit.say(AT_HOME.not_done)
        log.info("home.acted", user=user_tag(visit.user_id), part=name, act=act)
        if isinstance(done, Download):
            return download(done)
        if isinstance(done, Farewell):
            answer = self._look.farewell(done.text, visit.language)
            self._access.forget(answer)
            return answer
        if isinstance(done, Page):
            return self._look.part(visit, entered.proof, part, done, Frame(self._parts_of(visit), ""))
        await self._access.note(entered, done)
        return _to(f"/home/{name}?{visit.address}" if visit.address else f"/home/{name}")

    def _refuse(self, entered: Entered | None, status: int) -> Response:
        log.warning("home.post_refused", status=status)
        if entered is None:
            return self._look.stranger(status)
        sentence = AT_HOME.form_too_large if status == 413 else AT_HOME.not_your_form
        return self._look.refused(entered.visit, entered.visit.say(sentence), status)

    async def _show_guide(self, request: Request) -> Response:
        visit = self._owner(request)
        told, self._told = self._told, ""
        page = await self._guide.show(visit)
        return self._look.part(visit, self._access.owner_proof, self._guide.part, page, Frame((), told))

    async def _take_step(self, request: Request, rest: str, form: Mapping[str, str]) -> Response:
        visit = self._owner(request)
        part, act = self._guide.part, rest.partition("/")[2]
        try:
            if act not in part.acts:
                raise NotFound("step_unknown")
            self._told = str(await part.acts[act](visit, form))
        except Refused as exc:
            page = (await part.show(visit)).with_problem(act, form, exc.text)
            return self._look.part(visit, self._access.owner_proof, part, page, Frame((), ""), status=422)
        except NotFound:
            self._told = visit.say(AT_HOME.not_done)
        log.info("home.setup", act=act)
        return _to(f"/home/{NAME}")

    def _owner(self, request: Request) -> Visit:
        wanted = language_of(request.headers.get("accept-language", ""))
        return self._access.visitors.owner(self._guide.language(wanted))

    async def _show_link(self, request: Request, key: str) -> Response | None:
        visit = await self._access.find_link(key) if self._access.is_known_place(request) else None
        return None if visit is None else self._look.link(visit, key)

    async def _enter(self, request: Request, way: str, form: Mapping[str, str]) -> Response:
        answer = _to(ROOT)
        if way == "as":
            is_in = self._access.has_token(request) and await self._access.sit_down(
                request, UserId(form.get("user", "")), answer
            )
        else:
            is_in = self._access.is_known_place(request) and await self._access.take_link(
                request, form.get("key", ""), answer
            )
        log.info("home.entered" if is_in else "home.refused", way=way)
        return answer if is_in else self._look.stranger(404)

    async def _outside(self, request: Request, status: int) -> Response:
        """Answer whoever has no session."""
        if self._access.has_token(request):
            here = await self._access.visitors.list_here()
            # From a fresh clone, nobody has written yet: what there is to do is the guide.
            return self._look.choice(here) if here or status != 200 else await self._show_guide(request)
        return self._look.locked() if self._access.is_near(request) else self._look.stranger(status)

    async def _notice(self, entered: Entered) -> str:
        """Return what is to be said, once."""
        await self._access.note(entered, "")
        return entered.session.notice

    def _parts_of(self, visit: Visit) -> list[Part]:
        mine = [part for part in self._parts if visit.is_admin or not part.for_admins]
        return sorted(mine, key=lambda part: part.for_admins)

    def _find(self, visit: Visit, name: str) -> Part | None:
        return next((part for part in self._parts_of(visit) if part.name == name), None)


def create_routes(home: Home) -> list[PlainRoute]:
    """Build the routes; every other method gets what an unknown address gets."""
    inside = "/home/{rest:path}"
    return [
        PlainRoute("GET", ROOT, home.open),
        PlainRoute("GET", inside, home.look_at),
        PlainRoute("POST", inside, home.do),
    ]


def _rest_of(request: Request) -> str:
    return str(request.path_params["rest"])


async def _form(request: Request) -> Mapping[str, str]:
    """Read a form as browsers post it; of a field that is there twice, the last counts.

    Raises:
        HTTPException: 413, or 400 for what is no form.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise HTTPException(400)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413)
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError as exc:
        raise HTTPException(400) from exc
    return {name: value.replace("\r\n", "\n").strip() for name, value in pairs}


def language_of(accepted: str) -> Language:
    """Return the first of our languages that a browser asks for, as `Accept-Language` has it; else English."""
    wanted = (one.strip().lower()[:2] for one in accepted.split(","))
    return next((ours for one in wanted for ours in LANGUAGES if ours == one), "en")


def _at(visit: Visit, query: Mapping[str, str]) -> Visit:
    number = query.get("page", "")
    page = min(max(1, int(number)), _LAST_PAGE) if number.isascii() and number.isdigit() and len(number) < 9 else 1
    return replace(visit, page=page, words=query.get("words", "").strip(), item=query.get("item", "")[:1000])


def _to(address: str) -> Response:
    return RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})
