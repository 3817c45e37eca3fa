"""Things that belong on another list: "el jabón pasalo a la lista de la farmacia", "move the tape to Hardware"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.wording import fold, stem, words
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import tokens_of, without_pronouns
from app.skills.tools.lists.lexicon import MOVING, PUTTING_BACK, PUTTING_IT_BACK, TO_A_LIST, TO_NAMED, WORDS
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.wording import contents, hold

_MAX_CHARS: Final = 300
_MOST_NAME_WORDS: Final = 4
_PLURAL: Final = ("los", "las")


@dataclass(frozen=True, slots=True)
class Move:
    """Where something is to go, and what is said beside that, which names it."""

    name: str
    beside: str

    def find(self, known: Sequence[NamedList], shown: NamedList | None = None) -> list[str]:
        """Return what is meant among the things on the other lists.

        All of the one that was just `shown` where it is only pointed to: "pasalas", "put those".
        """
        others = [one for one in known if fold(one.name) != fold(self.name)]
        if shown in others and points_to_all(self.beside):
            return [item.text for item in shown.items]
        return [item.text for one in others for item in _named(self.beside, one)]


def read_move(text: str) -> Move | None:
    """Return to which list a message moves something; None where it moves nothing."""
    flat = " ".join(text.split())
    if len(flat) > _MAX_CHARS or "?" in flat or MOVING.search(fold(flat)) is None:
        return None
    found = TO_A_LIST.search(flat) or TO_NAMED.search(flat)
    name = "" if found is None else _trimmed(found["name"])
    if found is None or not name:
        return None
    return Move(name, f"{flat[: found.start()]} {flat[found.end() :]}")


def put_back(text: str, gone: Sequence[str]) -> list[str]:
    """Return those of the things just taken off that a message wants back: "put the bread back", "put it back"."""
    flat = " ".join(fold(text).split())
    is_all = PUTTING_IT_BACK.search(flat) is not None
    if len(text) > _MAX_CHARS or "?" in text or not (is_all or PUTTING_BACK.search(flat)):
        return []
    said = contents(tokens_of(text))
    named = [one for one in gone if any(hold([word], said) for word in contents(tokens_of(one)))]
    return named or (list(gone) if is_all else [])


def points_to_all(said: str) -> bool:
    """Tell whether words only point to all of what was just shown: "pasalas", "put those … instead"."""
    keys = [one.key for one in tokens_of(said)]
    points = [key for key in keys if key in WORDS["those"] or without_pronouns(key, WORDS["moves"]) != key]
    beside = (
        WORDS["those"]
        | WORDS["moves"]
        | WORDS["filling"]
        | PICKING["opening"]
        | PICKING["closing"]
        | PICKING["list_links"]
    )
    others = [key for key in keys if key not in beside and without_pronouns(key, WORDS["moves"]) == key]
    return bool(points) and not others and any(key in WORDS["those"] or key.endswith(_PLURAL) for key in points)


def _named(said: str, one: NamedList) -> list[Item]:
    """Return the items of a list that are named: those that share most words with what is said."""
    stems = {stem(word) for word in words(said)}
    shared = [(len(stems & {stem(word) for word in words(item.text)}), item) for item in one.items]
    most = max((count for count, _ in shared), default=0)
    found = [item for count, item in shared if count and (count == most or len(words(item.text)) == count)]
    return found if most else []


def _trimmed(name: str) -> str:
    """Return a name without what only goes on behind it."""
    kept: list[str] = []
    for word in name.split()[:_MOST_NAME_WORDS]:
        if kept and fold(word) in WORDS["behind_name"] | WORDS["not_a_name"]:
            break
        kept.append(word)
    return " ".join(kept).strip("\"”»' ")
