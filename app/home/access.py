"""Who may open which home: by a link that works once, or with the token of this machine."""

import hmac
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import HTTPException, Request
from fastapi.responses import Response

from app.database.db import Database
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.home.repository import SESSION_LIFE, Doors, Keys, Session
from app.home.visitors import Visitors
from app.skills.pages import Visit
from app.web.guard import Guard, require_own_page


@dataclass(frozen=True, slots=True)
class Entered:
    """A visitor with the session they came with; `proof` is what their forms carry and no other site knows."""

    session: Session
    visit: Visit

    @property
    def proof(self) -> str:
        return hmac.new(self.session.key.encode(), b"form", "sha256").hexdigest()


class Access:
    """`address` is where the service is reached from outside, "" if nowhere.

    A request counts only when it was made to that host, or on this machine under its own name (`Guard.is_near`): a
    foreign name that leads here (DNS rebinding), or a proxy that says another name, gets nothing.
    """

    def __init__(self, db: Database, clock: Clock, guard: Guard, visitors: Visitors, *, address: str) -> None:
        parts = urlsplit(address)
        self._db = db
        self._clock = clock
        self._host = parts.netloc.lower()
        self._is_secure = parts.scheme == "https"
        self._doors = Doors(db)
        self._keys = Keys()
        self.guard = guard
        self.visitors = visitors

    def is_near(self, request: Request) -> bool:
        return self.guard.is_near(request)

    def is_known_place(self, request: Request) -> bool:
        """Tell whether a request was made to a name of ours."""
        return self._is_outside(request) or self.is_near(request)

    def has_token(self, request: Request) -> bool:
        """Tell whether a request on this machine brings the token that the start printed."""
        return self.is_near(request) and self.guard.has_token(request)

    @property
    def owner_proof(self) -> str:
        """Return what forms carry that only whoever runs the service may post."""
        return hmac.new(self.guard.token.encode(), b"setup", "sha256").hexdigest()

    def require_owner(self, request: Request, proof: str) -> None:
        """Refuse what was not posted by a page of ours, on this machine, with its token.

        Raises:
            HTTPException: 403.
        """
        require_own_page(request)
        is_ours = hmac.compare_digest(proof.encode("utf-8", "replace"), self.owner_proof.encode())
        if not (is_ours and self.has_token(request)):
            raise HTTPException(403, "This takes posts from its own page only.")

    async def find(self, request: Request) -> Entered | None:
        """Return who comes with a session that is good here and now."""
        key = request.cookies.get(self._cookie, "")
        if not key or not self.is_known_place(request):
            return None
        session = await self._keys.find_session(self._db, key, self._clock.now())
        if session is None or (session.is_local and not self.is_near(request)):
            return None
        visit = await self.visitors.find(session.user_id)
        return None if visit is None else Entered(session, visit)

    def require_own_form(self, request: Request, entered: Entered, proof: str) -> None:
        """Refuse what was posted by another site, or by a page of another session.

        Raises:
            HTTPException: 403.
        """
        require_own_page(request)
        if not hmac.compare_digest(proof.encode("utf-8", "replace"), entered.proof.encode()):
            raise HTTPException(403, "This takes posts from its own page only.")

    async def find_link(self, key: str) -> Visit | None:
        """Return whose home a link would open now; this does not use it up."""
        user_id = await self._keys.find_link(self._db, key, self._clock.now())
        return None if user_id is None else await self.visitors.find(user_id)

    async def take_link(self, request: Request, key: str, answer: Response) -> bool:
        """Use a link up and give the browser a session; False when it opens nothing."""
        session = await self._keys.take_link(self._db, key, self._clock.now())
        if session is None:
            return False
        self._hand_over(request, session, answer)
        return True

    async def sit_down(self, request: Request, user_id: UserId, answer: Response) -> bool:
        """Open the home of a person who is at home on this machine; False for anybody else."""
        if user_id not in {one.user_id for one in await self.visitors.list_here()}:
            return False
        self._hand_over(request, await self._doors.open_local(user_id, self._clock.now()), answer)
        return True

    async def leave(self, entered: Entered, answer: Response) -> None:
        await self._doors.close(entered.visit.user_id, entered.session)
        self.forget(answer)

    def forget(self, answer: Response) -> None:
        """Let the browser forget its session."""
        answer.delete_cookie(self._cookie, path="/", httponly=True, samesite="strict")

    async def note(self, entered: Entered, notice: str) -> None:
        """Keep what the next page of this session says once."""
        if notice != entered.session.notice:
            await self._doors.set_notice(entered.visit.user_id, entered.session, notice)

    @property
    def _cookie(self) -> str:
        return self.guard.cookie_name("home")

    def _is_outside(self, request: Request) -> bool:
        return bool(self._host) and request.headers.get("host", "").lower() == self._host

    def _hand_over(self, request: Request, session: Session, answer: Response) -> None:
        answer.set_cookie(
            self._cookie,
            session.key,
            max_age=int(SESSION_LIFE.total_seconds()),
            path="/",
            httponly=True,
            samesite="strict",
            secure=self._is_secure and self._is_outside(request),
        )
