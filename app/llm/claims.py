"""Side effects that a model claims or promises in its answer: "I saved it", "I'll add it"."""

import re
from typing import Final

from app.language.late import LatePattern

_ASKED: Final = re.compile(r"[^.!?\n]{0,300}\?")
_SENTENCE_CHARS: Final = 300
"""How far around a claim its sentence is looked at."""
# Verb classes: what is kept, changed or sent; what is put somewhere, which needs a place to be told by.
_STEM: Final = (
    "guard|anot|apunt|cre|agregu?|añad|agend|registr|borr|elimin|actuali[zc]|mar(?:qu|c)|complet|program|"
    "modifi(?:qu|c)|cambi|envi|instal|escrib|ingres|inclu|sum|cargu?"
)
_KEPT: Final = "(?:guard|anot|cre|agreg|añad|registr|borr|elimin|ingres)[ai]d[oa]s?"
_KEEPING: Final = "(?:(?:anot|apunt|agreg|añad|guard|registr|ingres|agend|carg|program)o|(?<!a lo )sumo|incluyo)"
_PUTTING: Final = "(?:puse|metí|dejé|pondré|meteré|dejaré|pongo|meto)"
_THING: Final = "(?:nota|tarea|proyecto|recordatorio|note|task|project|reminder)"
_PLACE: Final = (
    "(?:list|expenses|notes?|calendar|diary|reminders|agenda|lista|gastos|notas|calendario|recordatorios|cuentas)"
)
_DONE: Final = (
    "(?:saved|created|added|deleted|removed|noted|updated|marked|recorded|stored|scheduled|completed|changed|sent|"
    "installed|written|logged|entered|registered)"
)
_DO: Final = (
    "(?:save|keep|put|write|create|add|delete|remove|note|update|mark|record|store|schedule|change|send|remind|"
    "install|log|enter|register|pop|set (?:an?|your|the|it|that|up)|include (?:it|that|them) (?:in|on)|"
    "(?:call|phone|ring|text|message|tell)(?! you\\b)|book|order|pay)"
)
_I_HAVE: Final = "i(?:['’]ve| have)? (?:just |now |already |successfully )?"
_ALL_OF_IT: Final = "(?:that|it|this|them|those|everything|all of (?:that|it))"
_SPANISH: Final = (
    r"\b(?<![\"“«—])(?:yo )?me (?:encargo|ocupo|encargaré|ocuparé|voy a (?:encargar|ocupar))(?: yo)?"
    r"(?: de (?:eso|esto|ello|todo))?(?= *(?:[.,!;\n]|$|ahora|enseguida|ya))",
    r"\b(?<![\"“«—])(?:dalo|dela|délo|dalos|dala) por hech[oa]s?\b",
    r"\b(?<![\"“«—])d[eé]j(?:a|á|e)(?:me)?l[oa] (?:todo )?(?:a mí|en mis manos|por mi cuenta)(?!\w)",
    rf"\b(?:{_STEM})[éí]\b",
    rf"\bse (?:{_STEM})i?ó\b",
    rf"\b(?:he|ha sido|han sido|se ha|se han|quedó|quedaron|fue|fueron) (?:{_STEM})[ai]d[oa]s?\b",
    r"\b(?:he|se ha|ha sido) (?:escrito|hecho)\b",
    r"\bhe (?:puesto|metido|dejado)\b",
    rf"\b(?:queda|quedan|dejo|dejé) (?:{_KEPT}|list[oa]s?)\b",
    rf"\bl[oa]s? {_KEEPING}\b",
    rf"\b{_PUTTING} [^.!?\n]{{0,40}}\b(?:en|a) (?:tus?|las?|los|el) {_PLACE}\b",
    rf"\b(?:{_STEM})[aei]ré\b",
    rf"\b(?:voy|vamos) a (?:{_STEM})[aei]r(?:l[oa]s?|te|me)?\b",
)
_ENGLISH: Final = (
    rf"\b(?<![\"“«])i(?:['’]ll| will|['’]m going to) (?:gladly |happily |just )?"
    rf"(?:take care of|handle|see to|deal with|sort|sort out|get) {_ALL_OF_IT}"
    r"(?= *(?:[.,!;\n]|$|for you|right away|now|done|sorted))",
    rf"\b(?<![\"“«])(?:leave {_ALL_OF_IT} (?:with|to) me|consider {_ALL_OF_IT} (?:done|sorted))\b",
    r"\b(?<![\"“«])i['’]m on it\b",
    rf"\b{_I_HAVE}{_DONE}\b",
    rf"\b{_I_HAVE}(?:put|set|popped|included)\b[^.!?\n]{{0,40}}"
    rf"\b(?:(?:on|to|in|into) (?:your|the)(?: \w+){{0,2}} {_PLACE}|(?:an?|your|the) (?:alarm|reminder|timer))\b",
    rf"\b(?:has|have) been (?:successfully )?{_DONE}\b",
    rf"\b(?:is|are|it['’]s|they['’]re) now (?:on|in) (?:your|the)(?: \w+){{0,2}} {_PLACE}\b",
    rf"\bi(?:['’]ll| will|['’]m going to| am going to) (?:now |just |also |go ahead and )?{_DO}\b",
)
_CLAIM: Final = LatePattern(
    "|".join(
        (
            rf"^[^\w\n]*+(?:(?:listo|hecho|done)[^\w\n]++)?(?:(?:la|el|tu|the|your) )?{_THING}"
            rf"(?: ['\"«“*].{{1,60}}?['\"»”*]| [^\W\d]+)? (?:{_KEPT}|saved|created|added)\b",
            rf"^[^\w\n]*+(?:{_KEPT}|{_DONE})\b",
            *_SPANISH,
            *_ENGLISH,
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)
_DENIAL: Final = re.compile(
    r"\b(?:no|not|nunca|never|sin|ni|si (?:quieres|querés|quiere|te)|if you)\b|n['’]t\b|¿", re.IGNORECASE
)


def claims_side_effect(text: str) -> bool:
    """Tell whether an answer says that something was, or will be, saved, created, deleted and the like.

    Knows the common ways in Spanish and English, in the first person or of a note, task or project.
    Sentences that deny, ask or offer it do not count. A guess: good for asking again, not for a verdict.
    """
    return any(
        not _DENIAL.search(_before(text, claim.start())) and not _ASKED.match(text, claim.end())
        for claim in _CLAIM.finditer(text)
    )


def _before(text: str, at: int) -> str:
    """The sentence so far."""
    floor = max(0, at - _SENTENCE_CHARS)
    return text[max(floor, *(text.rfind(mark, floor, at) + 1 for mark in ".!\n")) : at]
