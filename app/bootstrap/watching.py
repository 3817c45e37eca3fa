"""What /metrics tells of how things stand."""

from app.bootstrap.connections import Connections
from app.bootstrap.pipeline import Pipeline
from app.config import Settings
from app.database.repositories.queues import look_at_queues
from app.domain.errors import Transient
from app.domain.ports import Clock
from app.domain.roles import Role
from app.telemetry.router import Meter, Standing, create_routes
from app.web.guard import Guard
from app.web.routes import PlainRoute
from app.webhook.health import Recent


def build_metrics_routes(
    settings: Settings, meter: Meter | None, connections: Connections, pipeline: Pipeline, clock: Clock, role: Role
) -> list[PlainRoute]:
    """Build `/metrics`. Only requests of this machine itself are near, whatever the simulator lets in."""

    async def look() -> Standing:
        return await _standing(connections, pipeline, clock, role)

    token = settings.metrics_token
    return create_routes(
        meter,
        Recent(look, clock.elapsed_s).get,
        Guard(pipeline.kit.process.guard.token),
        None if token is None else token.get_secret_value(),
    )


async def _standing(connections: Connections, pipeline: Pipeline, clock: Clock, role: Role) -> Standing:
    try:
        queues = await look_at_queues(connections.db)
    except Transient:
        queues = None
    return Standing(
        role=role,
        at=clock.now(),
        queues=queues,
        people_at_work=pipeline.dispatcher.active_count,
        is_delivery_paused=pipeline.delivery.pause_reason is not None,
        model=None if role == "web" else await connections.chat.model.state(),
    )
