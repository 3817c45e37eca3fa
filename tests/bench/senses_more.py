"""More of what the senses can do: answers spoken and written down again, the right page, memory at rest.

Parts of `python -m tests.bench.senses`.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from app.database.db import Database
from app.database.migrate import migrate
from app.database.repository import Repository
from app.database.vectors import open_index
from app.domain.ids import UserId, WaMessageId
from app.embeddings.indexer import Indexer
from app.llm.embedders import open_embedder
from app.media.repository import PIECES, Documents, MediaFiles, NewDocument
from app.media.shelf import Shelf
from tests.fakes import files
from tests.fakes.clock import FrozenClock

PAGES: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("pages.json").read_text("utf-8"))
_FILLER: Final = {
    "es": "El texto que sigue es de carácter general y no trata de nada en particular. " * 6,
    "en": "The text that follows is of a general nature and is about nothing in particular. " * 6,
}
_AMONG: Final = 3
_OWNER: Final = UserId("owner")
_IDLE: Final = """
import asyncio, importlib.abc, json, sys, tempfile
from importlib.util import find_spec
from pathlib import Path
EXTRAS = ("faster_whisper", "av", "onnxruntime", "rapidocr", "zxingcpp", "cv2", "pypdfium2", "markitdown",
          "openpyxl", "docx", "matplotlib")
if sys.argv[1] == "without":
    class Hidden(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in EXTRAS:
                raise ModuleNotFoundError(name)
    sys.meta_path.insert(0, Hidden())
from tests.harness import running_app
from tests.builders import ALICE
async def main():
    with tempfile.TemporaryDirectory() as folder:
        async with running_app(Path(folder)) as app:
            for number in range(5):
                await app.say(ALICE, f"hello {number}")
            status = Path("/proc/self/status").read_text().splitlines()
            kib = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
            sys.stderr.write(json.dumps({"mib": kib / 1024, "loaded": [x for x in EXTRAS if x in sys.modules]}))
asyncio.run(main())
"""


async def questions(read: Callable[[Path], Awaitable[Mapping[str, Any]]], work: Path) -> list[str]:
    """Ask fifty questions whose page is known; returns what was found, line by line."""
    async with Database.open(work / "pages.db") as db, open_embedder(None, "") as embedder:
        await migrate(db)
        repository = Repository(db)
        repository.embeddings.add(PIECES)
        async with db.transaction() as tx:
            await tx.execute(
                "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'es', 0, 0)", _OWNER
            )
        documents = Documents(db)
        for language in ("es", "en"):
            await _shelve(read, db, documents, work, language)
        indexer = None
        if embedder is not None:
            indexer = Indexer(repository, await open_index(db, embedder.model), embedder, FrozenClock())
            while await indexer.backfill(64):
                pass
        shelf = Shelf(documents, indexer)
        right, first, lines = 0, 0, []
        for language in ("es", "en"):
            for page, (_, question) in enumerate(PAGES[language], start=1):
                found = await shelf.search(_OWNER, question, limit=_AMONG)
                at = [one.piece.page for one in found if one.document.title == language]
                right += page in at
                first += at[:1] == [page]
                if page not in at:
                    lines.append(f"  not found: {question!r}, page {page}")
        total = sum(len(PAGES[language]) for language in ("es", "en"))
        by = "words and meaning" if indexer else "words"
        return [*lines, f"pages by {by}: {right} of {total} among the first {_AMONG}, {first} first"]


async def _shelve(
    read: Callable[[Path], Awaitable[Mapping[str, Any]]],
    db: Database,
    documents: Documents,
    work: Path,
    language: str,
) -> None:
    path = work / f"{language}.pdf"
    pages = [f"{text}\n{_FILLER[language][:80]}\n{_FILLER[language][80:160]}" for text, _ in PAGES[language]]
    path.write_bytes(files.pdf(pages))
    found = await read(path)
    now = datetime.now(UTC)
    file = await MediaFiles(db).add(_OWNER, WaMessageId(language), path.name, "application/pdf", 1, now)
    new = NewDocument(
        title=language,
        language=language,
        page_count=len(pages),
        read_pages=len(pages),
        chars=int(found["chars"]),
        tables=(),
        pieces=[(one["page"], one["text"]) for one in found["pieces"]],
    )
    await documents.add(_OWNER, file.id, new, now, described="[document {number}]")


async def idle_memory() -> list[str]:
    """Start the service with all extras and with none of them in sight; returns what each takes at rest."""
    found: dict[str, float] = {}
    for kind in ("with", "without"):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _IDLE, kind, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
        )
        _, said = await process.communicate()
        told = json.loads(said.decode().splitlines()[-1])
        found[kind] = told["mib"]
        if told["loaded"]:
            found[f"{kind}: loaded {', '.join(told['loaded'])}"] = 0.0
    named = [one for one in found if ":" in one]
    return [
        *named,
        f"memory at rest: {found['with']:.0f} MiB with all extras, {found['without']:.0f} MiB without,"
        f" {found['with'] - found['without']:+.1f} MiB",
    ]
