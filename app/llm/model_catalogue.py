"""Official models to choose from: what they need, what they are allowed for, and what we measured of them."""

import tomllib
from importlib import resources
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from app.domain.errors import Permanent
from app.llm.llamacpp_server import SLOTS

_PLAIN_NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
# Beside weights and context: llama.cpp's working memory and its memory of earlier prompts.
_ENGINE_BYTES: Final = 700 * 1024 * 1024
# What the service itself, the system and the disk's cache want.
_OTHERS_BYTES: Final = 1536 * 1024 * 1024


class CatalogueModel(BaseModel):
    """One file at a hub. `score` is what our own measurements gave, "" where nobody measured.

    `is_tried`: it ran here; what is told of the others is written down from their pages.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=_PLAIN_NAME)]
    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    file: Annotated[str, Field(pattern=_PLAIN_NAME)]
    size_bytes: Annotated[int, Field(gt=0)]
    kv_bytes_per_token: Annotated[int, Field(gt=0)]
    licence: str
    languages: str
    is_tried: bool = False
    is_default: bool = False
    score: str = ""

    def memory_bytes(self, context_tokens: int) -> int:
        """Return what the model's process takes with such a context in each of its slots."""
        return self.size_bytes + SLOTS * context_tokens * self.kv_bytes_per_token + _ENGINE_BYTES

    def fits(self, memory_bytes: int, context_tokens: int) -> bool:
        """Tell whether a machine with so much memory can carry it beside the service."""
        return self.memory_bytes(context_tokens) + _OTHERS_BYTES <= memory_bytes


class Catalogue(BaseModel):
    """The models, in the order in which they are listed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: tuple[CatalogueModel, ...]

    @classmethod
    def read(cls) -> "Catalogue":
        """Read the file that comes along."""
        text = resources.files("app.llm").joinpath("catalogue.toml").read_text("utf-8")
        return cls.model_validate(tomllib.loads(text))

    def find(self, name: str) -> CatalogueModel:
        """Return the model of that name.

        Raises:
            Permanent: "model_unknown", with the names there are.
        """
        for model in self.model:
            if model.name == name.casefold():
                return model
        names = ", ".join(model.name for model in self.model)
        raise Permanent("model_unknown", f"there is no model {name!r} in the catalogue; there are: {names}")

    def find_file(self, file: str) -> CatalogueModel | None:
        """Return the model that comes in a file of that name, if one does."""
        return next((model for model in self.model if model.file.casefold() == file.casefold()), None)

    @property
    def default(self) -> CatalogueModel:
        """The one that is fetched unasked."""
        return next(model for model in self.model if model.is_default)

    def largest_for(self, memory_bytes: int, context_tokens: int) -> CatalogueModel | None:
        """Return the largest that a machine with so much memory can carry beside the service, if any."""
        carried = [model for model in self.model if model.fits(memory_bytes, context_tokens)]
        return max(carried, key=lambda model: model.size_bytes, default=None)
