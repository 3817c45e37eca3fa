"""Routes to handlers that read their request themselves."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


class PlainRoute(Route):
    """Hands the request to its handler as it is, and answers one method.

    FastAPI reads the signature of each handler at every start, and parses each request by it, which these do not
    need: ten of its routes were a sixth of a start. Starlette alone would answer HEAD like GET, acts included.
    """

    def __init__(self, method: str, path: str, handler: Callable[[Request], Awaitable[Response]]) -> None:
        super().__init__(path, handler, methods=[method], include_in_schema=False)
        self.methods = {method}
