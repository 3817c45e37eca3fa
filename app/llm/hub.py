"""What the hub says of a file: its checksum, pinned at the first look and never changed unasked."""

import re
from pathlib import Path
from typing import Annotated, Final

import httpx
import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.domain.errors import AppError, Permanent, Transient
from app.llm.model_catalogue import CatalogueModel
from app.llm.model_store import HUB, ModelFile
from app.llm.wire import WirePart

log = structlog.get_logger(__name__)

_TIMEOUT: Final = httpx.Timeout(20.0, connect=5.0)
_REVISION: Final = re.compile(r"[0-9a-f]{40}")
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Lfs(WirePart):
    sha256: _Sha256
    size: Annotated[int, Field(gt=0)]


class _Sibling(WirePart):
    rfilename: str
    lfs: _Lfs | None = None


class _Repository(WirePart):
    sha: str
    siblings: tuple[_Sibling, ...] = ()


class Pin(BaseModel):
    """One exact file: the bytes that it has, and the revision at which the hub has them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    revision: Annotated[str, Field(pattern=_REVISION.pattern)]
    sha256: _Sha256
    size_bytes: Annotated[int, Field(gt=0)]


def pinned_file(directory: Path, model: CatalogueModel) -> ModelFile | None:
    """Return the exact file that was pinned in a directory of models, if one was; a damaged pin is none."""
    try:
        return _file_of(model, Pin.model_validate_json(_path_of(directory, model).read_bytes()))
    except (OSError, ValidationError):
        return None


class Hub:
    """Says which exact file a name stands for, once: afterwards the hub cannot exchange it."""

    def __init__(self, directory: Path, http: httpx.AsyncClient) -> None:
        self._directory = directory
        self._http = http

    async def file_of(self, model: CatalogueModel) -> ModelFile:
        """Return the file that was pinned in the directory of models; else the hub is asked, and pins it.

        Raises:
            Permanent: "model_unlisted" (the hub does not have it, or wants a licence accepted first).
            Transient: "hub_unreachable", "hub_bad_answer".
        """
        if (known := pinned_file(self._directory, model)) is not None:
            return known
        pin = await self._look_up(model)
        self._directory.mkdir(parents=True, exist_ok=True)
        _path_of(self._directory, model).write_text(pin.model_dump_json(indent=2), encoding="ascii")
        log.info("model.pinned", model=model.name, sha256=pin.sha256, revision=pin.revision)
        return _file_of(model, pin)

    async def _look_up(self, model: CatalogueModel) -> Pin:
        try:
            response = await self._http.get(
                f"{HUB}/api/models/{model.repository}", params={"blobs": "true"}, timeout=_TIMEOUT
            )
            if response.is_error:
                raise _refusal(model, response.status_code)
            repository = _Repository.model_validate_json(response.content)
        except httpx.HTTPError as exc:
            detail = f"{type(exc).__name__}: {exc}; download {model.file} by hand and set LLM_MODEL_PATH to it"
            raise Transient("hub_unreachable", detail) from exc
        except ValidationError as exc:
            raise Transient("hub_bad_answer", f"the hub describes {model.repository} in an unknown form") from exc
        lfs = next((one.lfs for one in repository.siblings if one.rfilename == model.file), None)
        if lfs is None or _REVISION.fullmatch(repository.sha) is None:
            raise Permanent("model_unlisted", f"{model.repository} has no {model.file} with a checksum any more")
        return Pin(revision=repository.sha, sha256=lfs.sha256, size_bytes=lfs.size)


def _refusal(model: CatalogueModel, status: int) -> AppError:
    if status in (401, 403):
        detail = f"{model.repository} wants its licence accepted; download {model.file} there, set LLM_MODEL_PATH"
        return Permanent("model_unlisted", detail)
    if status == 404:
        return Permanent("model_unlisted", f"the hub has no {model.repository} any more")
    return Transient("hub_unreachable", f"the hub answered {status}")


def _path_of(directory: Path, model: CatalogueModel) -> Path:
    return directory / f"{model.file}.pin"


def _file_of(model: CatalogueModel, pin: Pin) -> ModelFile:
    url = f"{HUB}/{model.repository}/resolve/{pin.revision}/{model.file}"
    return ModelFile(name=model.file, size_bytes=pin.size_bytes, sha256=pin.sha256, hub_url=url)
