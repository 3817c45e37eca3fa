"""The model of a process that runs no turns."""

from app.domain.chat import ChatRequest, ChatResponse, ModelState
from app.domain.errors import Transient


class AnsweredElsewhere:
    """A `ChatModel` that answers nobody: the workers have theirs."""

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Refuse.

        Raises:
            Transient: always.
        """
        raise Transient("llm_elsewhere", "this process runs no turns")

    async def state(self) -> ModelState:
        """See `ChatModel`."""
        return ModelState("the workers' model", "ready")
