"""What a person presses or types, brought to the questions as the pipeline does."""

from app.asking.answers import Answered
from app.asking.asking import Asking
from app.domain.ids import WaMessageId
from app.domain.inbound import Choice, Content, InboundMessage, Sender, Text
from app.domain.turn import TurnContext


async def press(asking: Asking, ctx: TurnContext, button: str) -> Answered | None:
    """Press a button; None when it is none of ours."""
    return await _bring(asking, ctx, Choice(button, "x"), None)


async def write(asking: Asking, ctx: TurnContext, text: str, quoted_id: str | None = None) -> Answered | None:
    """Write a text; None when it is no answer to anything."""
    return await _bring(asking, ctx, Text(text), quoted_id)


async def _bring(asking: Asking, ctx: TurnContext, content: Content, quoted_id: str | None) -> Answered | None:
    quoted = None if quoted_id is None else WaMessageId(quoted_id)
    message = InboundMessage(
        WaMessageId("wamid.in"), "1000", Sender(wa_id="1"), ctx.received_at, content, quoted_id=quoted
    )
    reading = await asking.read(ctx.user_id, message)
    return None if reading is None else await asking.answer(reading.address, message, ctx)
