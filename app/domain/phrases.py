"""Every sentence a person can read, in every language we speak."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from app.domain.phrasebook import (
    approvals,
    connect,
    expand,
    let_in,
    limits,
    mcp_auth,
    memory,
    owning,
    questions,
    servers,
    told,
    weather,
)
from app.domain.phrasebook.key import PhraseKey

Language = Literal["es", "en"]

LANGUAGES: Final[tuple[Language, ...]] = ("es", "en")
LANGUAGE_NAMES: Final[Mapping[Language, str]] = MappingProxyType({"es": "Spanish", "en": "English"})
"""The names by which a model is told which language to write in."""


class Phrase(PhraseKey):
    """The sentences of the conversation itself."""

    CANCELLED = "cancelled"
    NOTHING_TO_CANCEL = "nothing_to_cancel"
    CLEARED = "cleared"
    MODEL_DOWN = "model_down"
    MODEL_SLOW = "model_slow"
    MODEL_MISSING = "model_missing"
    MODEL_BUSY = "model_busy"
    MODEL_FETCHING = "model_fetching"
    EMPTY_ANSWER = "empty_answer"
    TURN_FAILED = "turn_failed"
    TOO_LONG = "too_long"
    RATE_LIMITED = "rate_limited"
    STALE_QUESTION = "stale_question"
    UNKNOWN_COMMAND = "unknown_command"
    UNKNOWN_COMMAND_CLOSEST = "unknown_command_closest"
    ADMIN_ONLY = "admin_only"
    HELP_TITLE = "help_title"
    HELP_FOOTER = "help_footer"
    HELP_HELP = "help_help"
    HELP_CLEAR = "help_clear"
    HELP_CANCEL = "help_cancel"
    HELP_STATUS = "help_status"
    STATUS_MODEL_READY = "status_model_ready"
    STATUS_MODEL_FETCHING = "status_model_fetching"
    STATUS_MODEL_LOADING = "status_model_loading"
    STATUS_MODEL_UNAVAILABLE = "status_model_unavailable"
    STATUS_HISTORY = "status_history"
    STATUS_STRANGERS = "status_strangers"
    STATUS_NO_STRANGERS = "status_no_strangers"
    STATUS_DELIVERY_PAUSED = "status_delivery_paused"
    CANNOT_LISTEN = "cannot_listen"
    CANNOT_SEE_IMAGE = "cannot_see_image"
    CANNOT_READ_DOCUMENT = "cannot_read_document"
    CANNOT_WATCH = "cannot_watch"
    CANNOT_STICKER = "cannot_sticker"
    CANNOT_ORDER = "cannot_order"
    CANNOT_UNSUPPORTED = "cannot_unsupported"
    CANNOT_FLOW = "cannot_flow"
    MISSED_WHILE_OFFLINE = "missed_while_offline"
    WELCOME = "welcome"
    HELP_TOOLS = "help_tools"
    HELP_SKILLS = "help_skills"
    HELP_WHY = "help_why"
    HELP_MODE = "help_mode"
    TOOLS_TITLE = "tools_title"
    SKILLS_TITLE = "skills_title"
    SKILL_UNKNOWN = "skill_unknown"
    WHY_NOTHING = "why_nothing"
    WHY_CATEGORIES = "why_categories"
    WHY_OFFERED = "why_offered"
    WHY_USED = "why_used"
    WHY_USED_NONE = "why_used_none"
    WHY_COST = "why_cost"
    MODE_NOW = "mode_now"
    MODE_SET = "mode_set"
    MODE_UNKNOWN = "mode_unknown"
    MODE_CONFIRM_ALL = "mode_confirm_all"
    MODE_CONFIRM_SENSITIVE = "mode_confirm_sensitive"
    MODE_YOLO = "mode_yolo"
    STOPPED = "stopped"
    APPROVAL_QUESTION = "approval_question"
    APPROVAL_RUN = "approval_run"
    APPROVAL_CANCEL = "approval_cancel"
    APPROVAL_ABORT = "approval_abort"
    TRUST_QUESTION = "trust_question"
    TRUST_YES = "trust_yes"
    TRUST_NO = "trust_no"
    TRUST_GRANTED = "trust_granted"
    TRUST_DENIED = "trust_denied"


_ES: Final[Mapping[Phrase, str]] = MappingProxyType(
    {
        Phrase.CANCELLED: "Listo, lo cancelé.",
        Phrase.NOTHING_TO_CANCEL: "No hay nada en marcha que cancelar.",
        Phrase.CLEARED: "Empezamos de nuevo. Ya no veo la conversación anterior.",
        Phrase.MODEL_DOWN: (
            "Ahora mismo no puedo pensar: mi modelo no responde. Tu mensaje quedó guardado; "
            "vuelve a escribirme en un rato. (ref {ref})"
        ),
        Phrase.MODEL_SLOW: (
            "Mi modelo tardó demasiado y tuve que cortar. Prueba con una pregunta más corta "
            "o inténtalo más tarde. (ref {ref})"
        ),
        Phrase.MODEL_MISSING: (
            "No puedo responder: al servidor le falta el modelo configurado. "
            "Quien me administra ve qué falta en el registro del servicio. (ref {ref})"
        ),
        Phrase.MODEL_BUSY: "Hay demasiadas conversaciones a la vez. Inténtalo en un minuto. (ref {ref})",
        Phrase.MODEL_FETCHING: (
            "Todavía estoy descargando mi modelo ({percent} %). Tu mensaje está guardado y "
            "te respondo en cuanto termine."
        ),
        Phrase.EMPTY_ANSWER: "No me salió ninguna respuesta. ¿Puedes decirlo de otra manera? (ref {ref})",
        Phrase.TURN_FAILED: (
            "Algo falló de mi lado y no pude responder. Tu mensaje quedó guardado; inténtalo de nuevo. (ref {ref})"
        ),
        Phrase.TOO_LONG: (
            "Ese mensaje es demasiado largo para mi modelo. ¿Me lo mandas en partes más cortas? (ref {ref})"
        ),
        Phrase.RATE_LIMITED: (
            "Van muy rápido los mensajes. No se pierde ninguno: los respondo de a poco, en orden."
        ),
        Phrase.STALE_QUESTION: "Esa pregunta ya no está abierta.",
        Phrase.UNKNOWN_COMMAND: "No conozco {command}. Escribe /help para ver lo que hay.",
        Phrase.UNKNOWN_COMMAND_CLOSEST: "No conozco {command}. ¿Querías decir {closest}?",
        Phrase.ADMIN_ONLY: "Eso solo lo puede hacer quien administra este asistente.",
        Phrase.HELP_TITLE: "Escríbeme con normalidad, o usa un comando:",
        Phrase.HELP_FOOTER: "Puedes citar un mensaje para preguntarme por él.",
        Phrase.HELP_HELP: "esta lista",
        Phrase.HELP_CLEAR: "empezar una conversación nueva",
        Phrase.HELP_CANCEL: "detener lo que estoy haciendo",
        Phrase.HELP_STATUS: "cómo estoy",
        Phrase.STATUS_MODEL_READY: "Modelo: {name}, listo.",
        Phrase.STATUS_MODEL_FETCHING: "Modelo: {name}, descargándose.",
        Phrase.STATUS_MODEL_LOADING: "Modelo: {name}, cargando.",
        Phrase.STATUS_MODEL_UNAVAILABLE: "Modelo: {name}, no disponible.",
        Phrase.STATUS_HISTORY: "Esta conversación: {count} mensajes.",
        Phrase.STATUS_STRANGERS: "Números no permitidos que escribieron: {list}",
        Phrase.STATUS_NO_STRANGERS: "Nadie ajeno escribió.",
        Phrase.STATUS_DELIVERY_PAUSED: "Envíos en pausa: {reason}",
        Phrase.CANNOT_LISTEN: "Todavía no puedo escuchar audios. ¿Me lo escribes?",
        Phrase.CANNOT_SEE_IMAGE: "Todavía no puedo ver imágenes. Cuéntame qué muestra y te ayudo.",
        Phrase.CANNOT_READ_DOCUMENT: (
            "Todavía no puedo leer documentos. Copia aquí la parte que importa y la vemos."
        ),
        Phrase.CANNOT_WATCH: "Todavía no puedo ver videos. Cuéntame qué pasa en él y te ayudo.",
        Phrase.CANNOT_STICKER: "¡Bonito sticker! No los puedo ver; dime con palabras.",
        Phrase.CANNOT_ORDER: "No atiendo pedidos por aquí. Dime con palabras qué necesitas.",
        Phrase.CANNOT_UNSUPPORTED: ("WhatsApp no me deja ver ese tipo de mensaje. ¿Me lo mandas como texto?"),
        Phrase.CANNOT_FLOW: "Recibí el formulario, pero todavía no sé usarlo. Dime con palabras qué necesitas.",
        Phrase.MISSED_WHILE_OFFLINE: (
            "Estuve fuera de línea y no respondí a tiempo: {quotes}. Si aún hace falta, pregúntamelo otra vez."
        ),
        Phrase.WELCOME: "¡Hola! Soy tu asistente. Escríbeme lo que necesites, o /help para ver qué puedo hacer.",
        Phrase.HELP_TOOLS: "qué herramientas tengo",
        Phrase.HELP_SKILLS: "mis habilidades; con un nombre, una en detalle",
        Phrase.HELP_WHY: "por qué respondí así la última vez",
        Phrase.HELP_MODE: "cuándo te pido permiso antes de actuar",
        Phrase.TOOLS_TITLE: "Herramientas ({count}):",
        Phrase.SKILLS_TITLE: "Habilidades:",
        Phrase.SKILL_UNKNOWN: "No tengo la habilidad {name}. Escribe /skills para verlas.",
        Phrase.WHY_NOTHING: "Todavía no hay un turno que explicar.",
        Phrase.WHY_CATEGORIES: "Categorías: {list}",
        Phrase.WHY_OFFERED: "Herramientas ofrecidas: {list}",
        Phrase.WHY_USED: "Usadas: {list}",
        Phrase.WHY_USED_NONE: "No usé ninguna herramienta.",
        Phrase.WHY_COST: (
            "Leí {prompt} fichas ({cached} ya estaban en memoria), escribí {completion} "
            "en {calls} consultas al modelo y {seconds} s."
        ),
        Phrase.MODE_NOW: "Modo actual: {mode}, {meaning}. Cámbialo con /mode y uno de: {choices}.",
        Phrase.MODE_SET: "Modo {mode}: {meaning}.",
        Phrase.MODE_UNKNOWN: "No conozco el modo {mode}. Elige uno de: {choices}.",
        Phrase.MODE_CONFIRM_ALL: "pregunto antes de cada herramienta",
        Phrase.MODE_CONFIRM_SENSITIVE: "pregunto antes de lo delicado",
        Phrase.MODE_YOLO: "no pregunto, salvo donde una regla lo exige",
        Phrase.STOPPED: "Detenido. No hice nada más.",
        Phrase.APPROVAL_QUESTION: "¿Ejecuto *{tool}*?\n{arguments}",
        Phrase.APPROVAL_RUN: "Ejecutar",
        Phrase.APPROVAL_CANCEL: "Cancelar",
        Phrase.APPROVAL_ABORT: "Detener todo",
        Phrase.TRUST_QUESTION: (
            "El WhatsApp de {name} cambió de número o de teléfono. Hasta que lo confirmes no le respondo. "
            "¿Sigue siendo la misma persona?"
        ),
        Phrase.TRUST_YES: "Sí, es la misma",
        Phrase.TRUST_NO: "No, bloquear",
        Phrase.TRUST_GRANTED: "Gracias. Sigo atendiendo a {name}.",
        Phrase.TRUST_DENIED: "Hecho. Ya no atiendo a {name}.",
    }
)

_EN: Final[Mapping[Phrase, str]] = MappingProxyType(
    {
        Phrase.CANCELLED: "Done, I stopped.",
        Phrase.NOTHING_TO_CANCEL: "There is nothing running to cancel.",
        Phrase.CLEARED: "Fresh start. I no longer see the earlier conversation.",
        Phrase.MODEL_DOWN: (
            "I cannot think right now: my model does not answer. Your message is saved; "
            "please write again in a while. (ref {ref})"
        ),
        Phrase.MODEL_SLOW: (
            "My model took too long and I had to stop it. Try a shorter question, or try later. (ref {ref})"
        ),
        Phrase.MODEL_MISSING: (
            "I cannot answer: the configured model is missing on the server. "
            "Whoever runs me finds what is missing in the service's log. (ref {ref})"
        ),
        Phrase.MODEL_BUSY: "Too many conversations at once. Please try again in a minute. (ref {ref})",
        Phrase.MODEL_FETCHING: (
            "I am still downloading my model ({percent} %). Your message is saved and "
            "I will answer as soon as it is done."
        ),
        Phrase.EMPTY_ANSWER: "I came up with no answer. Could you put it another way? (ref {ref})",
        Phrase.TURN_FAILED: (
            "Something failed on my side and I could not answer. Your message is saved; "
            "please try again. (ref {ref})"
        ),
        Phrase.TOO_LONG: (
            "That message is too long for my model. Could you send it in shorter parts? (ref {ref})"
        ),
        Phrase.RATE_LIMITED: (
            "Messages are coming in very fast. None is lost: I will answer them one by one, in order."
        ),
        Phrase.STALE_QUESTION: "That question is no longer open.",
        Phrase.UNKNOWN_COMMAND: "I don't know {command}. Write /help to see what there is.",
        Phrase.UNKNOWN_COMMAND_CLOSEST: "I don't know {command}. Did you mean {closest}?",
        Phrase.ADMIN_ONLY: "Only the person who runs this assistant can do that.",
        Phrase.HELP_TITLE: "Just write to me, or use a command:",
        Phrase.HELP_FOOTER: "Quote a message to ask me about it.",
        Phrase.HELP_HELP: "this list",
        Phrase.HELP_CLEAR: "start a new conversation",
        Phrase.HELP_CANCEL: "stop what I am doing",
        Phrase.HELP_STATUS: "how I am doing",
        Phrase.STATUS_MODEL_READY: "Model: {name}, ready.",
        Phrase.STATUS_MODEL_FETCHING: "Model: {name}, downloading.",
        Phrase.STATUS_MODEL_LOADING: "Model: {name}, loading.",
        Phrase.STATUS_MODEL_UNAVAILABLE: "Model: {name}, not available.",
        Phrase.STATUS_HISTORY: "This conversation: {count} messages.",
        Phrase.STATUS_STRANGERS: "Numbers that are not allowed and wrote: {list}",
        Phrase.STATUS_NO_STRANGERS: "No stranger has written.",
        Phrase.STATUS_DELIVERY_PAUSED: "Sending is paused: {reason}",
        Phrase.CANNOT_LISTEN: "I cannot listen to audio yet. Could you write it?",
        Phrase.CANNOT_SEE_IMAGE: "I cannot see images yet. Tell me what it shows and I will help.",
        Phrase.CANNOT_READ_DOCUMENT: (
            "I cannot read documents yet. Paste the part that matters here and we will look at it."
        ),
        Phrase.CANNOT_WATCH: "I cannot watch videos yet. Tell me what happens in it and I will help.",
        Phrase.CANNOT_STICKER: "Nice sticker! I cannot see them, though; tell me in words.",
        Phrase.CANNOT_ORDER: "I do not take orders here. Tell me in words what you need.",
        Phrase.CANNOT_UNSUPPORTED: (
            "WhatsApp does not let me see that kind of message. Could you send it as text?"
        ),
        Phrase.CANNOT_FLOW: "I received the form but cannot use it yet. Tell me in words what you need.",
        Phrase.MISSED_WHILE_OFFLINE: (
            "I was offline and did not answer in time: {quotes}. If you still need it, ask me again."
        ),
        Phrase.WELCOME: "Hello! I am your assistant. Write whatever you need, or /help to see what I can do.",
        Phrase.HELP_TOOLS: "which tools I have",
        Phrase.HELP_SKILLS: "my skills; with a name, one in detail",
        Phrase.HELP_WHY: "why I answered as I did last time",
        Phrase.HELP_MODE: "when I ask you before acting",
        Phrase.TOOLS_TITLE: "Tools ({count}):",
        Phrase.SKILLS_TITLE: "Skills:",
        Phrase.SKILL_UNKNOWN: "I have no skill {name}. Write /skills to see them.",
        Phrase.WHY_NOTHING: "There is no turn to explain yet.",
        Phrase.WHY_CATEGORIES: "Categories: {list}",
        Phrase.WHY_OFFERED: "Tools offered: {list}",
        Phrase.WHY_USED: "Used: {list}",
        Phrase.WHY_USED_NONE: "I used no tool.",
        Phrase.WHY_COST: (
            "I read {prompt} tokens ({cached} were in memory already) and wrote {completion}, "
            "in {calls} calls of the model and {seconds} s."
        ),
        Phrase.MODE_NOW: "Mode now: {mode}, {meaning}. Change it with /mode and one of: {choices}.",
        Phrase.MODE_SET: "Mode {mode}: {meaning}.",
        Phrase.MODE_UNKNOWN: "I don't know the mode {mode}. Choose one of: {choices}.",
        Phrase.MODE_CONFIRM_ALL: "I ask before every tool",
        Phrase.MODE_CONFIRM_SENSITIVE: "I ask before anything delicate",
        Phrase.MODE_YOLO: "I do not ask, except where a rule demands it",
        Phrase.STOPPED: "Stopped. I did nothing more.",
        Phrase.APPROVAL_QUESTION: "Shall I run *{tool}*?\n{arguments}",
        Phrase.APPROVAL_RUN: "Run",
        Phrase.APPROVAL_CANCEL: "Cancel",
        Phrase.APPROVAL_ABORT: "Stop everything",
        Phrase.TRUST_QUESTION: (
            "The WhatsApp of {name} moved to another number or phone. I will not answer until you confirm. "
            "Is it still the same person?"
        ),
        Phrase.TRUST_YES: "Yes, the same",
        Phrase.TRUST_NO: "No, block",
        Phrase.TRUST_GRANTED: "Thanks. I go on answering {name}.",
        Phrase.TRUST_DENIED: "Done. I no longer answer {name}.",
    }
)

FAMILIES: Final[tuple[type[PhraseKey], ...]] = (
    Phrase,
    connect.ConnectPhrase,
    owning.OwningPhrase,
    memory.MemoryPhrase,
    servers.ServerPhrase,
    expand.ExpandPhrase,
    approvals.ApprovalPhrase,
    mcp_auth.McpAuthPhrase,
    questions.QuestionPhrase,
    limits.LimitPhrase,
    let_in.LetInPhrase,
    told.ToldPhrase,
    weather.WeatherPhrase,
)

_CATALOGUE: Final[Mapping[Language, Mapping[PhraseKey, str]]] = MappingProxyType(
    {
        "es": MappingProxyType(
            {
                key: text
                for texts in (
                    *(_ES, connect.ES, owning.ES, memory.ES, limits.ES, let_in.ES),
                    *(servers.ES, expand.ES, approvals.ES, questions.ES, mcp_auth.ES, told.ES, weather.ES),
                )
                for key, text in texts.items()
            }
        ),
        "en": MappingProxyType(
            {
                key: text
                for texts in (
                    *(_EN, connect.EN, owning.EN, memory.EN, limits.EN, let_in.EN),
                    *(servers.EN, expand.EN, approvals.EN, questions.EN, mcp_auth.EN, told.EN, weather.EN),
                )
                for key, text in texts.items()
            }
        ),
    }
)


def say(phrase: PhraseKey, language: Language, **values: object) -> str:
    """Return the sentence in that language with its placeholders filled.

    Raises:
        KeyError: a placeholder of the sentence was not given.
    """
    return _CATALOGUE[language][phrase].format_map(values)
