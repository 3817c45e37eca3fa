"""A question that only sounds like one for a date is answered as talk, not with "I cannot"."""

from pathlib import Path

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder

__all__ = ["encoder"]


async def test_what_the_model_takes_for_a_date_and_is_none_is_talked_about(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    wrong = call("look_up_date", day="the flood season")
    async with small_app(tmp_path, encoder, wrong, wrong, "I can't.", "From June to October.") as (app, llm):
        await app.say(ALICE, "what date is the flood season?")
        assert app.replies_to(ALICE) == ["From June to October."]
        assert not llm.requests[-1].tools
        assert "what date is the flood season?" in llm.requests[-1].messages[-1].content
