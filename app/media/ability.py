"""Files: what people send beside text is fetched, kept, and put in words."""

from app.jobs import Job
from app.language.detection import LanguageDetector
from app.media import document_tools
from app.media.arrivals import Arrivals
from app.media.children import ChildProcesses
from app.media.document_tools import DocumentTools
from app.media.perception import Perception
from app.media.reading import Reading
from app.media.repository import PIECES, Documents, MediaFiles
from app.media.retention import Retention
from app.media.shelf import Shelf
from app.skills.kit import Kit


def register(kit: Kit) -> None:
    """Add the senses, the tools for documents, and what lets go of files."""
    settings, clock = kit.settings, kit.clock
    children = kit.children
    if children is None:
        processes = ChildProcesses(settings.data_dir)
        processes.clear()
        children = processes
    files, documents = MediaFiles(kit.db), Documents(kit.db)
    arrivals = Arrivals(files, kit.channel.media, clock, users_dir=settings.users_dir)
    reading = Reading(children, documents, LanguageDetector(), clock, context_tokens=settings.llm_context_tokens)
    shelf = Shelf(documents, kit.indexer)
    kit.repository.embeddings.add(PIECES)
    kit.senses.append(Perception(arrivals, {"document": reading.perceive}).perceive)
    kit.recalls.append(shelf.recall)
    kit.taken_back.append(arrivals.take_back)
    document_tools.register(kit.tools, DocumentTools(documents, files, arrivals, shelf, children))
    retention = Retention(
        kit.db, files, arrivals, clock, users_dir=settings.users_dir, keep_days=settings.media_keep_days
    )
    kit.jobs.add(Job("media", retention.release))
