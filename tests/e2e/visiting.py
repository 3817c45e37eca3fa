"""A browser in front of a running application's home: its cookies, the name it calls, what it posts."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import httpx

from tests.harness import AppUnderTest

HOST = "home.example"
ADDRESS = f"https://{HOST}"
NEAR = "localhost:8000"


class Reachable(Protocol):
    """An application that answers."""

    @property
    def http(self) -> httpx.AsyncClient: ...


@dataclass
class Browser:
    """`headers` go along with every request: what a proxy adds, or where a page of another site posts from."""

    app: Reachable
    host: str = HOST
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str) -> httpx.Response:
        return await self._ask("GET", path)

    async def post(self, path: str, /, **form: str) -> httpx.Response:
        return await self._ask("POST", path, form)

    async def submit(self, page: str, act: str, /, **form: str) -> httpx.Response:
        """Open a page, and post with the proof that its forms carry; returns the page that follows."""
        answer = await self.post(f"{page}/{act}", proof=await self.proof(page), **form)
        assert answer.status_code == 303, answer.text
        return await self.get(answer.headers["location"])

    async def proof(self, page: str = "/") -> str:
        match = re.search(r'name="proof" value="(\w+)"', (await self.get(page)).text)
        assert match is not None
        return match[1]

    async def parts(self) -> list[str]:
        """The addresses of all parts that the first page shows."""
        return re.findall(r'href="(/home/[a-z]+)"', (await self.get("/")).text)

    async def _ask(self, method: str, path: str, form: Mapping[str, str] | None = None) -> httpx.Response:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"host": self.host, **self.headers, **({"cookie": cookies} if cookies else {})}
        answer = await self.app.http.request(method, path, data=form, headers=headers)
        self.app.http.cookies.clear()
        for name, value in answer.cookies.items():
            self.cookies[name] = value
        return answer


def words(answer: httpx.Response) -> str:
    """What stands on a page, as a person reads it."""
    body = answer.text.partition("<body>")[2]
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body)))


async def link_for(app: AppUnderTest, person: str) -> str:
    """Let a person ask for a link; returns its path."""
    await app.say(person, "/home")
    match = re.search(rf"{ADDRESS}(/home/in/\S+)", app.replies_to(person)[-1])
    assert match is not None, app.replies_to(person)[-1]
    return match[1]


async def use(browser: Browser, link: str) -> httpx.Response:
    """Press the button behind a link."""
    return await browser.post("/home/in", key=link.rpartition("/")[2])


async def at_home(app: AppUnderTest, person: str) -> Browser:
    """A browser in which a person's home is open."""
    browser = Browser(app)
    answer = await use(browser, await link_for(app, person))
    assert answer.status_code == 303, answer.text
    return browser
