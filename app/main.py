"""The FastAPI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from app.bootstrap import Ports, running
from app.config import Settings, load_settings
from app.domain.roles import Role
from app.telemetry.requests import TimedRequests


def create_app(settings: Settings | None = None, ports: Ports | None = None, role: Role = "all") -> FastAPI:
    """Build the application; everything it needs is opened and closed by its lifespan.

    Raises:
        ConfigError: a setting is wrong.
    """
    chosen, given = settings or load_settings(), ports or Ports()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with running(chosen, given, app, role) as services:
            app.router.routes.extend(services.routes)
            if services.simulator_router is not None:
                app.include_router(services.simulator_router)
            app.state.services = services
            yield

    app = FastAPI(title="WasAP", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    if (meter := given.meter) is not None:
        app.add_middleware(TimedRequests, meter=meter)
    return app
