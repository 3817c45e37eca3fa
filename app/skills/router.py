"""Which tools a message is offered: categories from a model, then a budget shared among them."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol, TypeVar

import structlog

from app.domain.chat import ChatMessage, ChatRequest, ToolCall
from app.domain.errors import AppError, NotReady
from app.domain.ports import ChatModel
from app.llm.prompts import load_prompt
from app.skills.examples import EXAMPLES

REQUEST_MORE_TOOLS_NAME: Final = "request_more_tools"
NO_CATEGORY: Final = "none"
MAX_CATEGORIES: Final = 3

TOOL_CATEGORIES: Final = EXAMPLES.categories
DEFAULT_CATEGORIES: Final = EXAMPLES.defaults

_PROMPT: Final = load_prompt("app.skills", "classifier", examples=EXAMPLES.classifier)
_ABOUT_QUERY: Final = "tool_query: what a tool would have to do for it, in a few English words."
_FETCH: Final = "fetch"
_MIN_PER_CATEGORY: Final = 2
_TEXT_TOKENS: Final = 16
_JSON_TOKENS: Final = 32
_QUERY_TOKENS: Final = 32
_RECENT_MESSAGES: Final = 2
_RECENT_CHARS: Final = 160
_MESSAGE_CHARS: Final = 1_000
_EXAMPLE: Final = " -> "
# Of more categories than these, the description names the first few: all of them stand in the values of the
# parameter, which every model gets, and 82 of them took 235 tokens to say twice (45 for our own 12).
_MOST_LISTED: Final = 30
_FIRST_LISTED: Final = 10
_EXPAND: Final = "expand"
# What small models take for a question about the tools there are.
_INSTALL: Final = re.compile(
    r"\W*(?:(?:por favor|please|pod[eé]s|puedes|podr[ií]as|can you|could you|quiero|i want to)\W+)*"
    r"(?:des|re|un)?inst[aá]l(?:a|á|ar|a?me|[aá]?melo|alo|álo|l)?\b",
    re.IGNORECASE,
)
_URL: Final = re.compile(r"https?://\S", re.IGNORECASE)
_SEPARATOR: Final = re.compile(r"[,;:|/+&\n\[\]{}\"()]+|\s(?:and|y|e)\s", re.IGNORECASE)
_DECORATION: Final = " \t\r*_`'.!?-–•#<>"
_NUMBERING: Final = re.compile(r"^\d+[.)]\s*")

T = TypeVar("T")

log = structlog.get_logger(__name__)


def select_tools(
    categories: Sequence[str],
    all_tools: Mapping[str, T],
    max_tools: int = 8,
    tool_categories: Mapping[str, Sequence[str]] = TOOL_CATEGORIES,
) -> list[T]:
    """Share the budget among the categories: `max(2, max_tools // number of categories)` tools each.

    In the order of the categories, and of the tools in each; no tool twice; unknown categories and tools
    are ignored; never more than `max_tools`. What a category leaves of its share stays unused, because a
    short list serves small models and `request_more_tools` is the way to more.
    """
    wanted = list(dict.fromkeys(categories))
    if not wanted:
        return []
    per_category = max(_MIN_PER_CATEGORY, max_tools // len(wanted))
    selected: dict[str, T] = {}
    for category in wanted:
        new = _unselected(category, all_tools, selected, tool_categories)
        selected.update((name, all_tools[name]) for name in new[:per_category])
    return list(selected.values())[: max(0, max_tools)]


def next_tools(
    category: str,
    all_tools: Mapping[str, T],
    already: Collection[str],
    limit: int,
    tool_categories: Mapping[str, Sequence[str]] = TOOL_CATEGORIES,
) -> list[T]:
    """Return up to `limit` tools of a category that come after those `already` offered (by name).

    Repeated with a growing `already`, it reaches every tool of the category; [] when none is left or the
    category is unknown.
    """
    return [
        all_tools[name] for name in _unselected(category, all_tools, already, tool_categories)[: max(0, limit)]
    ]


def _unselected(
    category: str,
    all_tools: Mapping[str, T],
    already: Collection[str],
    tool_categories: Mapping[str, Sequence[str]],
) -> list[str]:
    names = dict.fromkeys(tool_categories.get(category, ()))
    return [name for name in names if name in all_tools and name not in already]


def build_request_more_tools_schema(
    available_categories: Iterable[str], *, is_searched: bool = False
) -> dict[str, object]:
    """Build the meta-tool that loads the tools of other categories; it names those there are, sorted.

    Its description does so as long as the list is short. All of them are the values of the parameter.
    `is_searched`: there are so many tools that they can also be asked for in words. The form is that of Ollama and
    OpenAI's API: `{"type": "function", "function": {…}}`.
    """
    names = sorted(set(available_categories))
    items: dict[str, object] = {"type": "string"}
    if names:
        items["enum"] = names
    properties: dict[str, object] = {
        "categories": {"type": "array", "items": items},
        "reason": {"type": "string"},
    }
    if is_searched:
        told = "what is needed, one capability each, in English"
        properties["query"] = {"type": "array", "items": {"type": "string"}, "description": told}
    description = (
        f"Load tools of other categories when none of these can do it. Available categories: {_listed(names)}"
    )
    required = [] if is_searched else ["categories"]
    parameters = {"type": "object", "properties": properties, "required": required}
    function = {"name": REQUEST_MORE_TOOLS_NAME, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _listed(names: Sequence[str]) -> str:
    if len(names) <= _MOST_LISTED:
        return ", ".join(names) or NO_CATEGORY
    first = ", ".join(names[:_FIRST_LISTED])
    return f"{first} and {len(names) - _FIRST_LISTED} more, which are the values of `categories`"


Wish = Literal["act", "look", "talk"]
"""What a message wants done: something changed, something looked up, or neither."""
SortedBy = Literal["model", "head", "rule", "fallback"]
"""Who sorted a message: the language model, a head over an encoder, a rule for its form, or nobody could."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What a message needs: categories, and where it was asked for, the need in a few English words or "".

    `by` says who sorted it, and `confidence` (0 to 1) how sure they were. The rest is there where they can tell:
    `wish`, with `wish_confidence`; `refers_back`: it makes sense only with the turn before; `names_place`: it says
    where to look ("in my notes"); `is_story`: it is long, and opens with no wish; `unmet` are categories that it
    needs and that are not there. `is_one_wish`: whatever its categories, one call does it.
    `parts` are its clauses; `is_elsewhere`: it opens with what nothing here can do; `is_live`: it asks for news of
    these days. `only`: its form tells which tools it is for, no other is offered; `calls`: it tells those, too,
    `in_doubt` that they are asked about before they are done, and `is_read` that their arguments are sure.
    """

    categories: tuple[str, ...]
    tool_query: str = ""
    by: SortedBy = "model"
    confidence: float | None = None
    wish: Wish | None = None
    wish_confidence: float = 0.0
    refers_back: bool = False
    names_place: bool = False
    is_story: bool = False
    unmet: tuple[str, ...] = ()
    is_one_wish: bool = False
    parts: tuple[str, ...] = ()
    is_elsewhere: bool = False
    is_live: bool = False
    only: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    in_doubt: bool = False
    is_read: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether no tool is needed."""
        return all(category == NO_CATEGORY for category in self.categories)


@dataclass(frozen=True, slots=True)
class SortingFacts:
    """What sorting a message depends on.

    `recent` ends before the message. `sticky` are the categories of the turn before: they stand in for "none",
    because "and tomorrow?" is about what came before. `is_constrained` binds the answer to a JSON schema,
    `leans_to_category` asks for a category in case of doubt, `asks_for_query` for the need in English, too.
    """

    categories: tuple[str, ...]
    recent: tuple[ChatMessage, ...] = ()
    sticky: tuple[str, ...] = ()
    is_constrained: bool = True
    leans_to_category: bool = True
    asks_for_query: bool = False


class QuickSorter(Protocol):
    """Sorts the plain cases without the language model."""

    async def sort(self, user_message: str, facts: SortingFacts) -> Intent | None:
        """Return what a message needs, or None when the model should be asked."""
        ...


async def classify_intent(
    user_message: str, model: ChatModel, facts: SortingFacts, *, quick: QuickSorter | None = None
) -> Intent:
    """Tell which of the categories a message needs: one to three of them, or ("none",).

    `quick` is asked first, where there is one, and then the model. "none" for a message with a URL means the
    category "fetch" where there is one; one that begins with a wish to install something needs "expand", whoever
    sorted it. When the model fails or names nothing that is known: the default categories.

    Raises:
        NotReady: the model is still being fetched or loaded, so the turn cannot go on either.
    """
    valid = list(dict.fromkeys(facts.categories))
    intent = None if quick is None else await quick.sort(user_message, facts)
    if intent is None:
        try:
            answer = await model.chat(_sorting_request(user_message, valid, facts))
            intent = _intent_in(answer.text, valid)
        except NotReady:
            raise
        except AppError as exc:
            log.warning("intent.fell_back", reason=exc.code)
            return Intent(_defaults(valid), by="fallback")
    return _ruled(user_message, valid, intent, facts)


def _sorting_request(user_message: str, valid: Sequence[str], facts: SortingFacts) -> ChatRequest:
    system = _system_text(valid, is_constrained=facts.is_constrained, leans_to_category=facts.leans_to_category)
    if facts.asks_for_query:
        system = f"{system}\n{_ABOUT_QUERY}"
    schema = _answer_schema(valid, asks_for_query=facts.asks_for_query)
    return ChatRequest(
        messages=(ChatMessage("system", system), ChatMessage("user", _question(user_message, facts.recent))),
        response_schema=schema if facts.is_constrained else None,
        max_tokens=_answer_tokens(facts),
        temperature=0.0,
        purpose="short",
    )


def sorting_prefix(facts: SortingFacts) -> ChatRequest:
    """The part of the request for sorting that is the same for every message."""
    whole = _sorting_request("", list(dict.fromkeys(facts.categories)), facts)
    return replace(whole, messages=whole.messages[:1])


def _intent_in(answer: str, valid: Sequence[str]) -> Intent:
    listed, tool_query = _split_answer(answer)
    if named := parse_categories(listed, valid):
        return Intent(tuple(named), tool_query)
    log.warning("intent.fell_back", reason="unreadable_answer")
    return Intent(_defaults(valid), tool_query, by="fallback")


def _ruled(user_message: str, valid: Sequence[str], intent: Intent, facts: SortingFacts) -> Intent:
    """Let the form of a message, and the turn before it, decide where they know better."""
    links = (_FETCH,) if _FETCH in valid and _URL.search(user_message) else ()
    if intent.by == "fallback":
        return replace(intent, categories=tuple(dict.fromkeys((*intent.categories, *links))))
    if _EXPAND in valid and _INSTALL.match(user_message):
        return replace(intent, categories=(_EXPAND,), by="rule", confidence=None, wish=None)
    if intent.categories != (NO_CATEGORY,):
        return replace(intent, categories=tuple(dict.fromkeys((*intent.categories, *links))))
    if links:
        return replace(intent, categories=links, by="rule", confidence=None, wish=None)
    # The head tells itself what refers back.
    stays = tuple(name for name in dict.fromkeys(facts.sticky) if name in valid and intent.by == "model")
    return replace(intent, categories=stays or intent.categories)


def with_needs(intent: Intent, sure: tuple[str, ...], only: tuple[str, ...] = ()) -> Intent:
    """Put categories that are surely needed, for what is surely wished for, in the place of those that were found.

    Beside "every morning at 8 tell me the weather" a small model takes the tool for the weather.
    """
    if not sure:
        return intent
    categories = tuple(dict.fromkeys(sure))[:MAX_CATEGORIES]
    return replace(
        intent,
        categories=categories,
        by="rule",
        confidence=None,
        wish="act",
        is_story=False,
        is_one_wish=True,
        only=only if len(categories) == 1 else (),
    )


def _answer_tokens(facts: SortingFacts) -> int:
    if not facts.is_constrained:
        return _TEXT_TOKENS
    return _JSON_TOKENS + (_QUERY_TOKENS if facts.asks_for_query else 0)


def _split_answer(answer: str) -> tuple[str, str]:
    """The part of an answer that names categories, and the need in words, "" where it has none."""
    try:
        value = json.loads(answer)
    except ValueError:
        return answer, ""
    if not isinstance(value, dict) or not isinstance(value.get("categories"), list):
        return answer, ""
    query = value.get("tool_query")
    return json.dumps(value["categories"]), query.strip() if isinstance(query, str) else ""


def parse_categories(answer: str, valid: Sequence[str]) -> list[str]:
    """Read the categories out of an answer in whatever form: a list, JSON, Markdown, a labelled line.

    At most three, in the order of the answer, in the spelling of `valid`; ["none"] when it says only that;
    [] when it names nothing known.
    """
    known = {_bare(name): name for name in (*valid, NO_CATEGORY)}
    found: dict[str, None] = {}
    for piece in map(_bare, _SEPARATOR.split(answer)):
        words = [piece] if piece in known else [word for word in map(_bare, piece.split()) if word]
        if all(word in known for word in words):
            found.update(dict.fromkeys(known[word] for word in words))
    named = [name for name in found if name != NO_CATEGORY]
    return named[:MAX_CATEGORIES] if named else list(found)


def _bare(piece: str) -> str:
    return _NUMBERING.sub("", piece.strip(_DECORATION)).strip(_DECORATION).casefold()


def _defaults(valid: Sequence[str]) -> tuple[str, ...]:
    return (
        tuple(name for name in DEFAULT_CATEGORIES if name in valid)
        or tuple(valid[:MAX_CATEGORIES])
        or (NO_CATEGORY,)
    )


def _system_text(valid: Sequence[str], *, is_constrained: bool, leans_to_category: bool) -> str:
    """Fill in the prompt: the same text for the same categories, so that the model's cache holds it."""
    lines = []
    for line in _PROMPT.splitlines():
        message, arrow, answer = line.partition(_EXAMPLE)
        if not arrow:
            lines.append(line)
        elif all(name in valid or name == NO_CATEGORY for name in answer.split(", ")):
            lines.append(f"{message}{_EXAMPLE}{_as_answer(answer, is_constrained=is_constrained)}")
    doubt = "a category" if leans_to_category else NO_CATEGORY
    return "\n".join(lines).replace("{categories}", ", ".join(valid)).replace("{doubt}", doubt)


def _as_answer(answer: str, *, is_constrained: bool) -> str:
    if not is_constrained:
        return answer
    quoted = ", ".join(f'"{name}"' for name in answer.split(", "))
    return f'{{"categories": [{quoted}]}}'


def _answer_schema(valid: Sequence[str], *, asks_for_query: bool) -> dict[str, object]:
    categories: dict[str, object] = {
        "type": "array",
        "items": {"enum": [*valid, NO_CATEGORY]},
        "minItems": 1,
        "maxItems": MAX_CATEGORIES,
    }
    query = {"tool_query": {"type": "string"}} if asks_for_query else {}
    return {
        "type": "object",
        "properties": {"categories": categories, **query},
        "required": ["categories", *query],
    }


def _question(user_message: str, recent_messages: Sequence[ChatMessage]) -> str:
    said = [message for message in recent_messages if message.role in {"user", "assistant"} and message.content]
    before = [
        f"{message.role}: {' '.join(message.content.split())[:_RECENT_CHARS]}"
        for message in said[-_RECENT_MESSAGES:]
    ]
    asked = user_message[:_MESSAGE_CHARS]
    return "\n".join(["Said before:", *before, "Message to sort:", asked]) if before else asked
