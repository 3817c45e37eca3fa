"""Files: what people send beside text is fetched, kept, and put in words."""

from app.jobs import Job
from app.language.detection import LanguageDetector
from app.media import document_tools, home, preferences, speaking
from app.media.abilities_here import AbilitiesHere
from app.media.arrivals import Arrivals
from app.media.asking_back import AskingBack
from app.media.choosing import Choosing
from app.media.document_tools import DocumentTools
from app.media.hearing import Hearing
from app.media.papers import Papers
from app.media.passages import Quoting
from app.media.perception import Perception
from app.media.reading import Reading
from app.media.repository import PIECES, Documents, MediaFiles, VoiceChoices
from app.media.retention import Retention
from app.media.seeing import Seeing
from app.media.shelf import Shelf
from app.media.speaking import Speaking, Studio
from app.media.vision import Projector, Vision
from app.media.weights import Weights
from app.skills.kit import Kit


def register(kit: Kit) -> None:
    """Add the senses, the tools for documents, and what lets go of files."""
    settings, clock = kit.settings, kit.clock
    children = kit.children
    files, documents = MediaFiles(kit.db), Documents(kit.db)
    arrivals = Arrivals(files, kit.channel.media, clock, kit.files)
    reading = Reading(children, documents, LanguageDetector(), clock, context_tokens=settings.llm_context_tokens)
    shelf = Shelf(documents, kit.indexer)
    kit.repository.embeddings.add(PIECES)
    vision = _vision(kit)
    perception = _perception(kit, files, arrivals, reading, vision)
    kit.senses.update(dict.fromkeys(("audio", "document", "image", "video"), perception.perceive))
    choosing = Choosing(kit.asking, files, documents)
    choosing.register()
    kit.tellings.append(AskingBack(files, kit.files, kit.repository.conversations, vision, choosing).tell)
    if kit.is_small_model:
        kit.tellings.append(Quoting(documents, files, shelf).tell)
    kit.statuses.append(AbilitiesHere(vision).lines)
    kit.remembering.recalls.append(shelf.recall)
    kit.taken_back.append(arrivals.take_back)
    document_tools.register(kit.tools, DocumentTools(documents, files, kit.files, arrivals, shelf, children))
    kit.home.append(home.part(files, documents, arrivals, kit.files))
    choices = VoiceChoices(kit.db)
    voices = Weights(settings.data_dir / "models" / "kokoro")
    studio = Studio(children, voices, settings.data_dir / "children", kit.channel.media)
    kit.voices.append(Papers(children, kit.channel.media, settings.data_dir / "children").voice)
    kit.voices.append(Speaking(choices, studio).voice)
    kit.running.append(voices.running())
    speaking.register(kit.commands, choices)
    kit.preferences.append(preferences.voice(kit.commands, choices))
    retention = Retention(kit.db, files, arrivals, clock, store=kit.files, keep_days=settings.media_keep_days)
    kit.jobs.add(Job("media", retention.release))


def _vision(kit: Kit) -> Vision:
    settings, projector = kit.settings, None
    if settings.llm_vision_path is not None and settings.llm_model_path is not None:
        projector = Projector(settings.llm_model_path, settings.llm_vision_path)
    return Vision(kit.vision, settings.vision_model, kit.children, settings.data_dir / "children", projector)


def _perception(kit: Kit, files: MediaFiles, arrivals: Arrivals, reading: Reading, vision: Vision) -> Perception:
    settings, children = kit.settings, kit.children
    weights = Weights(settings.data_dir / "models" / "whisper-base")
    kit.running.append(weights.running())
    hearing = Hearing(
        children, files, weights, model=settings.whisper_model, compute_type=settings.whisper_compute_type
    )
    return Perception(
        arrivals,
        {
            "document": reading.perceive,
            "audio": hearing.perceive,
            "video": hearing.perceive,
            "image": Seeing(children, files, vision).perceive,
        },
    )
