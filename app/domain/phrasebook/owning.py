"""The sentences around one's own data: the export, and being forgotten."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class OwningPhrase(PhraseKey):
    """The sentences of `/export` and `/forget-me`."""

    HELP_EXPORT = "owning_help_export"
    HELP_FORGET_ME = "owning_help_forget_me"
    EXPORT_READY = "owning_export_ready"
    EXPORT_FAILED = "owning_export_failed"
    README_TITLE = "owning_readme_title"
    README_INTRO = "owning_readme_intro"
    README_ROWS = "owning_readme_rows"
    README_CONVERSATION = "owning_readme_conversation"
    README_FILES = "owning_readme_files"
    README_TIMES = "owning_readme_times"
    README_KEPT_BACK = "owning_readme_kept_back"
    README_LEFT_OUT = "owning_readme_left_out"
    README_NOTHING_LEFT_OUT = "owning_readme_nothing_left_out"
    TALK_TITLE = "owning_talk_title"
    TALK_EMPTY = "owning_talk_empty"
    TALK_BEGAN = "owning_talk_began"
    YOU = "owning_you"
    ASSISTANT = "owning_assistant"
    FORGET_QUESTION = "owning_forget_question"
    FORGET_YES = "owning_forget_yes"
    FORGET_NO = "owning_forget_no"
    FORGET_WORD = "owning_forget_word"
    FORGET_TYPE = "owning_forget_type"
    FORGET_KEPT = "owning_forget_kept"
    FORGET_NOT_ASKED = "owning_forget_not_asked"
    ERASED = "owning_erased"


ES: Final[Mapping[OwningPhrase, str]] = MappingProxyType(
    {
        OwningPhrase.HELP_EXPORT: "un archivo con todo lo tuyo",
        OwningPhrase.HELP_FORGET_ME: "borrar todo lo que sé de ti",
        OwningPhrase.EXPORT_READY: (
            "Aquí está todo lo tuyo. Se lee como documento; para ver los datos y tus archivos, cambia el final "
            "del nombre, .docx, por .zip y ábrelo."
        ),
        OwningPhrase.EXPORT_FAILED: (
            "No pude entregarte el archivo: WhatsApp no lo aceptó. Avísale a quien me administra."
        ),
        OwningPhrase.README_TITLE: "Todo lo tuyo, a fecha de {date}",
        OwningPhrase.README_INTRO: (
            "Este archivo es un documento y a la vez un ZIP: con el nombre terminado en .zip se puede "
            "desempaquetar. Dentro está todo lo que el asistente guardaba de ti, y de nadie más."
        ),
        OwningPhrase.README_ROWS: "data/: una tabla por archivo y una fila por línea, en JSON.",
        OwningPhrase.README_CONVERSATION: "conversation.md: lo que nos dijimos, para leer.",
        OwningPhrase.README_FILES: "files/: los archivos de tu carpeta.",
        OwningPhrase.README_TIMES: "Las horas de data/ son UTC; las de la conversación, de la zona {timezone}.",
        OwningPhrase.README_KEPT_BACK: (
            "No van aquí, porque no dicen nada que no esté en lo demás o sirven de llave:"
        ),
        OwningPhrase.README_LEFT_OUT: "No cupo en {limit} MB:",
        OwningPhrase.README_NOTHING_LEFT_OUT: "Cupo todo.",
        OwningPhrase.TALK_TITLE: "Lo que nos dijimos",
        OwningPhrase.TALK_EMPTY: "Todavía no hay nada.",
        OwningPhrase.TALK_BEGAN: "Conversación del {date}",
        OwningPhrase.YOU: "Tú",
        OwningPhrase.ASSISTANT: "Asistente",
        OwningPhrase.FORGET_QUESTION: (
            "¿Borro todo lo que guardo de ti? Se van la conversación, lo que recuerdo, tus notas, tus proyectos"
            " y tus archivos, y se corta lo que estoy haciendo. No se puede deshacer. Si quieres una copia, "
            "pide antes /export."
        ),
        OwningPhrase.FORGET_YES: "Sí, borrar todo",
        OwningPhrase.FORGET_NO: "No, dejarlo",
        OwningPhrase.FORGET_WORD: "BORRAR TODO",
        OwningPhrase.FORGET_TYPE: "Para confirmarlo, escribe {word} en los próximos {minutes} minutos.",
        OwningPhrase.FORGET_KEPT: "No borré nada.",
        OwningPhrase.FORGET_NOT_ASKED: "No borré nada: primero escribe /forget-me y toca el botón.",
        OwningPhrase.ERASED: (
            "Borré todo lo que guardaba de ti; esta frase es lo último que te escribo por ahora. De lo que hice"
            " en tu nombre solo queda un registro sin contenido. Las copias de seguridad que ya se hicieron, y "
            "lo que hay en tu teléfono y en WhatsApp, no están en mi mano. Si me vuelves a escribir, empezamos "
            "de cero."
        ),
    }
)

EN: Final[Mapping[OwningPhrase, str]] = MappingProxyType(
    {
        OwningPhrase.HELP_EXPORT: "one file with everything that is yours",
        OwningPhrase.HELP_FORGET_ME: "erase everything I know about you",
        OwningPhrase.EXPORT_READY: (
            "Here is everything that is yours. It opens as a document; for the data and your files, change the "
            "end of its name, .docx, to .zip and open that."
        ),
        OwningPhrase.EXPORT_FAILED: (
            "I could not hand over the file: WhatsApp did not take it. Please tell whoever runs me."
        ),
        OwningPhrase.README_TITLE: "Everything that is yours, as of {date}",
        OwningPhrase.README_INTRO: (
            "This file is a document and a ZIP at once: with a name that ends in .zip it can be unpacked. In it"
            " is everything that the assistant kept about you, and about nobody else."
        ),
        OwningPhrase.README_ROWS: "data/: one file for each table and one line for each row, in JSON.",
        OwningPhrase.README_CONVERSATION: "conversation.md: what we said to each other, to be read.",
        OwningPhrase.README_FILES: "files/: the files of your folder.",
        OwningPhrase.README_TIMES: "Times in data/ are UTC; those of the conversation are of the zone {timezone}.",
        OwningPhrase.README_KEPT_BACK: "Not in here, because they say nothing new or work as a key:",
        OwningPhrase.README_LEFT_OUT: "Did not fit into {limit} MB:",
        OwningPhrase.README_NOTHING_LEFT_OUT: "Everything fitted in.",
        OwningPhrase.TALK_TITLE: "What we said to each other",
        OwningPhrase.TALK_EMPTY: "There is nothing yet.",
        OwningPhrase.TALK_BEGAN: "Conversation of {date}",
        OwningPhrase.YOU: "You",
        OwningPhrase.ASSISTANT: "Assistant",
        OwningPhrase.FORGET_QUESTION: (
            "Shall I erase everything that I keep about you? The conversation, what I remember, your notes, "
            "your projects and your files go, and what I am doing now is cut off. It cannot be undone. If you "
            "want a copy, ask for /export first."
        ),
        OwningPhrase.FORGET_YES: "Yes, erase it all",
        OwningPhrase.FORGET_NO: "No, keep it",
        OwningPhrase.FORGET_WORD: "ERASE EVERYTHING",
        OwningPhrase.FORGET_TYPE: "To confirm, write {word} within the next {minutes} minutes.",
        OwningPhrase.FORGET_KEPT: "I erased nothing.",
        OwningPhrase.FORGET_NOT_ASKED: "I erased nothing: first write /forget-me and press the button.",
        OwningPhrase.ERASED: (
            "I erased everything that I kept about you; this sentence is the last thing I write to you for now."
            " Of what I did in your name only a record without its contents is left. Backups that were made "
            "before, and what is on your phone and at WhatsApp, are out of my hands. If you write again, we "
            "start afresh."
        ),
    }
)
