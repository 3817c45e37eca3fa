"""What is said about facts that are remembered: the commands, and the words in MEMORY.md."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class MemoryPhrase(PhraseKey):
    """The sentences of /remember, /forget and /memories; `CATEGORY_…` are headings."""

    HELP_REMEMBER = "memory_help_remember"
    HELP_FORGET = "memory_help_forget"
    HELP_MEMORIES = "memory_help_memories"
    REMEMBER_WHAT = "memory_remember_what"
    ADDED = "memory_added"
    MERGED = "memory_merged"
    REPLACED = "memory_replaced"
    KNOWN = "memory_known"
    OUTDATED = "memory_outdated"
    NOT_KEPT = "memory_not_kept"
    TOO_LONG = "memory_too_long"
    FORGET_WHAT = "memory_forget_what"
    FORGOTTEN = "memory_forgotten"
    FORGET_NOTHING = "memory_forget_nothing"
    FORGET_WHICH = "memory_forget_which"
    FORGET_CHOOSE = "memory_forget_choose"
    FORGET_SECTION = "memory_forget_section"
    LIST_TITLE = "memory_list_title"
    LIST_EMPTY = "memory_list_empty"
    LIST_PAGE = "memory_list_page"
    LIST_NO_PAGE = "memory_list_no_page"
    FILE_TITLE = "memory_file_title"
    WHY_RECALLED = "memory_why_recalled"
    FILE_HELP = "memory_file_help"
    CATEGORY_PERSONAL = "memory_category_personal"
    CATEGORY_FAMILY = "memory_category_family"
    CATEGORY_HEALTH = "memory_category_health"
    CATEGORY_WORK = "memory_category_work"
    CATEGORY_HOME = "memory_category_home"
    CATEGORY_TASTES = "memory_category_tastes"
    CATEGORY_PLANS = "memory_category_plans"
    CATEGORY_GENERAL = "memory_category_general"


ES: Final[Mapping[MemoryPhrase, str]] = MappingProxyType(
    {
        MemoryPhrase.HELP_REMEMBER: "guardar un dato sobre ti: `/remember soy celíaca`",
        MemoryPhrase.HELP_FORGET: "borrar un dato, por su número o su texto",
        MemoryPhrase.HELP_MEMORIES: "lo que sé de ti",
        MemoryPhrase.REMEMBER_WHAT: "¿Qué quieres que recuerde? Por ejemplo: `/remember mi hija se llama Ana`",
        MemoryPhrase.ADDED: "Lo recordaré ({number}): {text}",
        MemoryPhrase.MERGED: "Lo recordaré ({number}): {text}\nReemplaza a lo que decía menos: {old}",
        MemoryPhrase.REPLACED: "Actualizado ({number}): {text}\nYa no vale: {old}",
        MemoryPhrase.KNOWN: "Eso ya lo sabía ({number}): {text}",
        MemoryPhrase.OUTDATED: "No lo cambié: después me dijiste otra cosa ({number}): {text}",
        MemoryPhrase.NOT_KEPT: "No lo guardé: me pediste olvidarlo después de escribirlo.",
        MemoryPhrase.TOO_LONG: "Es demasiado largo para un dato: caben {limit} caracteres. Divídelo en varios.",
        MemoryPhrase.FORGET_WHAT: (
            "¿Qué quieres que olvide? Escribe `/forget` y su número (está en /memories) o su texto."
        ),
        MemoryPhrase.FORGOTTEN: "Olvidado ({number}): {text}",
        MemoryPhrase.FORGET_NOTHING: "No sé nada parecido a «{text}». Con /memories ves lo que recuerdo.",
        MemoryPhrase.FORGET_WHICH: "No tengo ese dato tal cual. ¿Cuál olvido?",
        MemoryPhrase.FORGET_CHOOSE: "Elegir",
        MemoryPhrase.FORGET_SECTION: "Se parecen",
        MemoryPhrase.LIST_TITLE: "Lo que sé de ti ({count}):",
        MemoryPhrase.LIST_EMPTY: "Todavía no sé nada de ti. Cuéntame algo, o usa /remember.",
        MemoryPhrase.LIST_PAGE: "Página {page} de {pages}. La siguiente: `/memories {next}`",
        MemoryPhrase.LIST_NO_PAGE: "Solo hay {pages} páginas.",
        MemoryPhrase.FILE_TITLE: "Lo que sé de ti",
        MemoryPhrase.WHY_RECALLED: "Recordé",
        MemoryPhrase.FILE_HELP: (
            "Puedes editar este archivo: cambia una línea, bórrala o agrega otras que empiecen con un guion. "
            "Las marcas al final de cada línea las pongo yo."
        ),
        MemoryPhrase.CATEGORY_PERSONAL: "Sobre ti",
        MemoryPhrase.CATEGORY_FAMILY: "Familia y cercanos",
        MemoryPhrase.CATEGORY_HEALTH: "Salud",
        MemoryPhrase.CATEGORY_WORK: "Trabajo y estudio",
        MemoryPhrase.CATEGORY_HOME: "Casa",
        MemoryPhrase.CATEGORY_TASTES: "Gustos",
        MemoryPhrase.CATEGORY_PLANS: "Planes",
        MemoryPhrase.CATEGORY_GENERAL: "Otros datos",
    }
)

EN: Final[Mapping[MemoryPhrase, str]] = MappingProxyType(
    {
        MemoryPhrase.HELP_REMEMBER: "keep a fact about you: `/remember I am coeliac`",
        MemoryPhrase.HELP_FORGET: "delete a fact, by its number or its text",
        MemoryPhrase.HELP_MEMORIES: "what I know about you",
        MemoryPhrase.REMEMBER_WHAT: "What should I remember? For example: `/remember my daughter is called Ana`",
        MemoryPhrase.ADDED: "I will remember ({number}): {text}",
        MemoryPhrase.MERGED: "I will remember ({number}): {text}\nIt takes the place of what said less: {old}",
        MemoryPhrase.REPLACED: "Updated ({number}): {text}\nNo longer true: {old}",
        MemoryPhrase.KNOWN: "I knew that already ({number}): {text}",
        MemoryPhrase.OUTDATED: "I did not change it: you told me otherwise since ({number}): {text}",
        MemoryPhrase.NOT_KEPT: "I did not keep it: you asked me to forget it after you wrote it.",
        MemoryPhrase.TOO_LONG: "That is too long for one fact: {limit} characters fit. Split it into several.",
        MemoryPhrase.FORGET_WHAT: (
            "What should I forget? Write `/forget` and its number (see /memories) or its text."
        ),
        MemoryPhrase.FORGOTTEN: "Forgotten ({number}): {text}",
        MemoryPhrase.FORGET_NOTHING: "I know nothing like “{text}”. /memories shows what I remember.",
        MemoryPhrase.FORGET_WHICH: "I have no fact in just those words. Which one shall I forget?",
        MemoryPhrase.FORGET_CHOOSE: "Choose",
        MemoryPhrase.FORGET_SECTION: "Close matches",
        MemoryPhrase.LIST_TITLE: "What I know about you ({count}):",
        MemoryPhrase.LIST_EMPTY: "I know nothing about you yet. Tell me something, or use /remember.",
        MemoryPhrase.LIST_PAGE: "Page {page} of {pages}. The next one: `/memories {next}`",
        MemoryPhrase.LIST_NO_PAGE: "There are only {pages} pages.",
        MemoryPhrase.FILE_TITLE: "What I know about you",
        MemoryPhrase.WHY_RECALLED: "Recalled",
        MemoryPhrase.FILE_HELP: (
            "You may edit this file: change a line, delete it, or add others that begin with a dash. "
            "The marks at the end of each line are mine."
        ),
        MemoryPhrase.CATEGORY_PERSONAL: "About you",
        MemoryPhrase.CATEGORY_FAMILY: "Family and friends",
        MemoryPhrase.CATEGORY_HEALTH: "Health",
        MemoryPhrase.CATEGORY_WORK: "Work and study",
        MemoryPhrase.CATEGORY_HOME: "Home",
        MemoryPhrase.CATEGORY_TASTES: "Tastes",
        MemoryPhrase.CATEGORY_PLANS: "Plans",
        MemoryPhrase.CATEGORY_GENERAL: "Other facts",
    }
)
