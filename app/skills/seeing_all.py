"""Who wants to see all of a kind that they have, in so many words and no more: "mis notas", "show me my lists"."""

from types import MappingProxyType
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS

_MAX_CHARS: Final = 80
_KINDS: Final = ("notes", "lists", "projects", "reminders")


def _whole(kind: str) -> str:
    part = COMMON_WORDS.pattern
    kinds, whose = part(f"seeing.{kind}"), part("seeing.whose")
    every = rf"(?:{part('seeing.every')} )?"
    lead = rf"(?:{part('seeing.before')}[,.]? ){{0,2}}"
    led = rf"{part('seeing.see')} {every}(?:{whose} )?"
    own = rf"(?:{part('seeing.asks')} )?{every}{part('seeing.own')} "
    end = rf"(?:,? {part('seeing.behind')}){{0,2}}\W{{0,3}}"
    return rf"\W{{0,3}}{lead}(?:{led}|{own}){kinds}{end}"


_WHOLE: Final = MappingProxyType({kind: LatePattern(_whole(kind)) for kind in _KINDS})


def asks_to_see_all(text: str, kind: str) -> bool:
    """Tell whether a text only wants to see all of what the person has of a kind: "notes", "lists", "projects" or
    "reminders". "Mis notas del colegio" are no such, and "my lists are a mess" tells."""
    return len(text) <= _MAX_CHARS and _WHOLE[kind].fullmatch(" ".join(text.split())) is not None
