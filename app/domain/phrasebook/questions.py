"""What is said around a server's question."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class QuestionPhrase(PhraseKey):
    """The sentences that frame what a server wants to know; its own words are shown as quotations."""

    ASKS = "question_asks"
    GOES_ON = "question_goes_on"
    OPEN_LINK = "question_open_link"
    YES = "question_yes"
    DONE = "question_done"
    SKIP = "question_skip"
    CHOOSE = "question_choose"
    TYPE_IT = "question_type_it"
    TYPE_NUMBER = "question_type_number"
    TYPE_NUMBERS = "question_type_numbers"
    OR_SKIP = "question_or_skip"
    DEFAULT = "question_default"
    NOT_INTEGER = "question_not_integer"
    NOT_NUMBER = "question_not_number"
    NOT_IN_LIST = "question_not_in_list"
    TOO_LONG = "question_too_long"
    EXPIRED = "question_expired"
    ANSWER_FIRST = "question_answer_first"


ES: Final[Mapping[QuestionPhrase, str]] = MappingProxyType(
    {
        QuestionPhrase.ASKS: "El servidor *{server}* te pregunta:",
        QuestionPhrase.GOES_ON: "El servidor *{server}* ({number} de {count}):",
        QuestionPhrase.OPEN_LINK: "Quiere que abras esta página de *{host}*:\n{url}",
        QuestionPhrase.YES: "Sí",
        QuestionPhrase.DONE: "Hecho",
        QuestionPhrase.SKIP: "Omitir",
        QuestionPhrase.CHOOSE: "Ver las opciones",
        QuestionPhrase.TYPE_IT: (
            "Tu próximo mensaje va a ese servidor y no se guarda en nuestra conversación. "
            "Escribe *no* o *cancelar* si no quieres responder."
        ),
        QuestionPhrase.TYPE_NUMBER: "Responde con el número de la opción, o escribe *no* o *cancelar*.",
        QuestionPhrase.TYPE_NUMBERS: (
            "Responde con los números de las opciones, separados por comas, o escribe *no* o *cancelar*."
        ),
        QuestionPhrase.OR_SKIP: "Con *omitir* lo dejas sin responder.",
        QuestionPhrase.DEFAULT: "Si lo omites, vale: {value}",
        QuestionPhrase.NOT_INTEGER: "Tiene que ser un número entero, como 12.",
        QuestionPhrase.NOT_NUMBER: "Tiene que ser un número, como 3,5.",
        QuestionPhrase.NOT_IN_LIST: "Eso no está entre las opciones.",
        QuestionPhrase.TOO_LONG: "Es demasiado largo: como mucho {limit} caracteres.",
        QuestionPhrase.EXPIRED: (
            "La pregunta del servidor *{server}* ya está cerrada; no le envié nada. "
            "Lo que escribas ahora es otra vez para mí."
        ),
        QuestionPhrase.ANSWER_FIRST: (
            "Aún espero tu respuesta a la pregunta del servidor *{server}*. Respóndela o escribe *cancelar*, "
            "y después envíame esto de nuevo."
        ),
    }
)

EN: Final[Mapping[QuestionPhrase, str]] = MappingProxyType(
    {
        QuestionPhrase.ASKS: "The server *{server}* asks you:",
        QuestionPhrase.GOES_ON: "The server *{server}* ({number} of {count}):",
        QuestionPhrase.OPEN_LINK: "It wants you to open this page of *{host}*:\n{url}",
        QuestionPhrase.YES: "Yes",
        QuestionPhrase.DONE: "Done",
        QuestionPhrase.SKIP: "Skip",
        QuestionPhrase.CHOOSE: "See the options",
        QuestionPhrase.TYPE_IT: (
            "Your next message goes to that server and is not kept in our conversation. "
            "Write *no* or *cancel* if you do not want to answer."
        ),
        QuestionPhrase.TYPE_NUMBER: "Answer with the number of the option, or write *no* or *cancel*.",
        QuestionPhrase.TYPE_NUMBERS: (
            "Answer with the numbers of the options, separated by commas, or write *no* or *cancel*."
        ),
        QuestionPhrase.OR_SKIP: "With *skip* you leave it out.",
        QuestionPhrase.DEFAULT: "If you skip it, this counts: {value}",
        QuestionPhrase.NOT_INTEGER: "It has to be a whole number, such as 12.",
        QuestionPhrase.NOT_NUMBER: "It has to be a number, such as 3.5.",
        QuestionPhrase.NOT_IN_LIST: "That is not among the options.",
        QuestionPhrase.TOO_LONG: "That is too long: {limit} characters at most.",
        QuestionPhrase.EXPIRED: (
            "The question of the server *{server}* is closed now; I sent it nothing. "
            "What you write from here on is for me again."
        ),
        QuestionPhrase.ANSWER_FIRST: (
            "I am still waiting for your answer to the question of the server *{server}*. Answer it or write "
            "*cancel*, then send me this again."
        ),
    }
)
