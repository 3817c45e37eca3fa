"""What a turn costs, whoever calls the model in it."""

from app.domain.chat import ChatRequest, ChatResponse, ModelState, Usage
from app.domain.ports import ChatModel


class MeteredModel:
    """A `ChatModel` that adds up the usage of all its calls; one for each turn."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner
        self.usage = Usage()

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Answer as the inner model does."""
        response = await self._inner.chat(request)
        self.usage += response.usage
        return response

    async def state(self) -> ModelState:
        return await self._inner.state()
