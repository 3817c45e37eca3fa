"""What becomes of a list that was just shown, by a message of which a head says how it relates to the list.

The message names an item somewhere; the reason beside it ("que mi suegra los trae") is no part of that.
How an item is called from now on, and what comes on the list, is asked of the model, in prompts of their own: of
44 corrections by strangers the bundled one put 37 right, of 40 additions 34; its own words are seen and dropped.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from app.domain.chat import ChatMessage, ChatRequest, ToolCall
from app.domain.ports import ChatModel
from app.domain.turn import TurnContext
from app.domain.wording import fold, one_line
from app.language.catalogue import Language
from app.skills.following.following import Calls, Spoken
from app.skills.following.relations import Relation
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, opening_verb, span, stripped, tokens_of
from app.skills.selection import READ_ID
from app.skills.tools.lists.at_hand import tells_of_use
from app.skills.tools.lists.item_acts import Deed, ItemAct, calls_for
from app.skills.tools.lists.leaving import leaves_some, leaves_there, without_left
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.rewording import tells_when
from app.skills.tools.lists.storied import tells_story
from app.skills.tools.lists.wording import Items, clauses_of, contents, hold

_DEEDS: Final[Mapping[Relation, Deed]] = MappingProxyType({"off": "remove", "got": "done", "change": "reword"})
_KINDS: Final = WORDS["kinds_behind"]
_TOKENS_OF_SEVERAL: Final = 60
_MOST_THINGS: Final = 8
_TELLER_WITHIN: Final = 5
_TOKENS: Final = 24
_MOST_CHARS: Final = 240
# What joins the words of a thing, and need not be said.
_JOINERS: Final = frozenset({"de", "of"})


def spoken_of(one: NamedList) -> Spoken:
    """Return a list that was just shown as what a message may be about."""

    async def act(relation: Relation, text: str, ctx: TurnContext, model: ChatModel) -> Calls:
        text = without_left(text) or "?"
        if relation == "ask":
            return [ToolCall(f"{READ_ID}_0", "show_list", {"list_name": one.name})]
        if relation == "more":
            said = _without_reasons(_behind_teller(text))
            things = [] if "?" in text else await more_by(model, said, ctx.language)
            return calls_for([ItemAct("add", new=thing) for thing in things], one)
        is_story = relation == "got" and tells_of_use(text)  # "I had eggs for breakfast"
        is_story = is_story or (relation == "off" and leaves_there(text)) or tells_story(text, [one])
        is_story = (
            is_story or (relation == "off" and leaves_some(text)) or (relation == "change" and tells_when(text))
        )
        found = named_items(text, one) if relation in _DEEDS and not is_story else []
        if relation != "change":
            return calls_for([ItemAct(_DEEDS[relation], item) for item in found], one)
        new = await reworded_by(model, found[0], text, ctx.language) if len(found) == 1 else ""
        return calls_for([ItemAct("reword", found[0], new)], one) if new else []

    return Spoken("list", " ".join([one.name, *(item.text for item in one.items)]), act, _says)


async def more_by(model: ChatModel, text: str, language: Language) -> list[str]:
    """Return the things that a message adds, each as it stands there; [] where the model writes words of its own.

    Raises:
        AppError: the model cannot be asked.
    """
    words = tokens_of(text)
    said = (await _asked(model, _prompts(language)["more"], "", text, _TOKENS_OF_SEVERAL)).split(",")
    things = [_as_written(text, words, [one.key for one in tokens_of(thing)]) for thing in said]
    return list(dict.fromkeys(things)) if all(things) and len(things) <= _MOST_THINGS else []


def _as_written(text: str, words: Sequence[Token], keys: Sequence[str]) -> str:
    """Return these words where they stand together in a text, as they are written there; "" where they do not."""
    places = range(len(words) - len(keys) + 1) if keys else range(0)
    found = next((n for n in places if [one.key for one in words[n : n + len(keys)]] == list(keys)), None)
    return "" if found is None else span(text, words[found : found + len(keys)])


def _says(relation: Relation, text: str) -> bool:
    words = tokens_of(text)
    verbs = {found for n in range(len(words)) if (found := opening_verb(words[n:])) and found[1] == 0}
    return relation in _DEEDS and any(deed == _DEEDS[relation] for deed, _ in verbs)


def _without_reasons(text: str) -> str:
    """Return a message up to the first reason in it: "oye y ponle pilas q el control murió"."""
    clauses = clauses_of(tokens_of(text))
    reason = next((n for n, one in enumerate(clauses) if n and one.is_reason), None)
    return text if reason is None else text[: clauses[reason].words[0].start].rstrip(" ,.;")


def _behind_teller(text: str) -> str:
    """Return what somebody else is said to want: "y mi cuñada dice que velas también"; else the whole text."""
    words = tokens_of(text)
    near = range(1, min(len(words), _TELLER_WITHIN))
    at = next((n for n in near if words[n].key in WORDS["reporting"]), None)
    if at is None or any(one.is_cut for one in words[1 : at + 1]):
        return text
    rest = stripped(words[at + 1 :], WORDS["reported"])
    return text[rest[0].start :] if rest else text


def named_items(text: str, one: NamedList) -> list[Item]:
    """Return the items that a message names in one clause, a reason only where no other clause names any.

    None where several clauses do: one of them may be to stay.
    """
    clauses = clauses_of(Items(one).mended(tokens_of(text)))
    for is_reason in (False, True):
        found = [list(_named(clause.words, one.items)) for clause in clauses if clause.is_reason == is_reason]
        if several := [items for items in found if items]:
            return several[0] if len(several) == 1 else []
    return []


def _named(words: Sequence[Token], items: Sequence[Item]) -> Iterator[Item]:
    said = [key for key in contents(words) if key not in PICKING["list_words"]]
    for item in items:
        own = contents(tokens_of(item.text))
        if any(hold([one], said) for one in own) and not _is_of_a_kind(words, own):
            yield item


def _is_of_a_kind(words: Sequence[Token], own: Sequence[str]) -> bool:
    """Tell whether a thing is named as another kind of it: "pan dulce" where "pan" is on the list."""
    return any(
        hold([one.key], own) and behind.key in _KINDS and behind.key not in own for one, behind in pairwise(words)
    )


async def reworded_by(model: ChatModel, item: Item, text: str, language: Language) -> str:
    """Return an item as a message wants it called; "" where the model says nothing new, or words of its own.

    Raises:
        AppError: the model cannot be asked.
    """
    new = await _asked(model, _prompts(language)["change"], item.text, text, _TOKENS)
    known = {one.key for one in (*tokens_of(item.text), *tokens_of(text))} | _JOINERS
    said = [one.key for one in tokens_of(new)]
    is_theirs = bool(said) and known.issuperset(said) and fold(new) != fold(item.text)
    return new if is_theirs else ""


async def _asked(model: ChatModel, prompt: "_Prompt", item: str, said: str, most_tokens: int) -> str:
    """Return what the model writes, in one line; asked so, the prompt of the conversation stays cached."""
    messages = (*prompt.shown, prompt.asks(item, said))
    request = ChatRequest(messages, max_tokens=most_tokens, temperature=0.0, purpose="call")
    return one_line((await model.chat(request)).text, _MOST_CHARS).strip(" .")


class _Prompt:
    def __init__(self, table: Mapping[str, object]) -> None:
        self._message = str(table["message"])
        self.shown = [ChatMessage("system", str(table["system"]))]
        examples = table["examples"]
        for item, said, new in examples if isinstance(examples, list) else ():
            self.shown += [self.asks(item, said), ChatMessage("assistant", new)]

    def asks(self, item: str, said: str) -> ChatMessage:
        return ChatMessage("user", self._message.replace("{item}", item).replace("{said}", " ".join(said.split())))


@cache
def _prompts(language: Language) -> Mapping[str, _Prompt]:
    file = files("app.skills.tools.lists") / "prompts" / "reworded.toml"
    return {name: _Prompt(table) for name, table in tomllib.loads(file.read_text("utf-8"))[language].items()}
