"""What whoever runs the service reads about a model that does not answer: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

LLM: Final = Texts.of(__package__)
