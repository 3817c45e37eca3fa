"""In which language a recording is written down."""

from collections.abc import Mapping

import pytest

pytest.importorskip("av", reason="the extra `voice` is not installed")
likely_language = pytest.importorskip("app.media.heavy.hearing").likely_language


@pytest.mark.parametrize(
    ("found", "every", "language"),
    [
        ("it", {"it": 0.66, "es": 0.27, "en": 0.03}, "es"),
        ("nn", {"nn": 0.4, "en": 0.35, "es": 0.01}, "en"),
        ("it", {"it": 0.93, "es": 0.05}, "it"),
        ("ja", {"ja": 0.6, "zh": 0.3, "es": 0.01}, "ja"),
        ("es", {"es": 0.5, "en": 0.4}, "es"),
    ],
)
def test_a_related_language_is_believed_only_where_it_is_sure(
    found: str, every: Mapping[str, float], language: str
) -> None:
    assert likely_language(found, every[found], every, ("es", "en")) == language


def test_without_languages_of_its_own_it_is_what_was_found() -> None:
    assert likely_language("it", 0.5, {"it": 0.5, "es": 0.4}, ()) == "it"
