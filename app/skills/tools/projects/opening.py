"""A project that is to be made, by its name, with talk behind it: "make me a project Barn, they lent it to us"."""

import re
from collections.abc import Sequence
from itertools import dropwhile
from typing import Final, NamedTuple

from app.language.lexicon import COMMON_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import BREAK, Token, is_other_wish, is_past, pieces, span, tokens_of
from app.skills.tools.projects import lexicon
from app.skills.tools.projects.lexicon import WORDS
from app.skills.tools.projects.listing import Listed, as_called, each_task

_MAX_CHARS: Final = 400
_MOST_OF_A_NAME: Final = 6
_MOST_BEFORE_TALK: Final = 4
"""A name of so many words that begins with a capital may go on without one: "Casa nueva de Ana"."""
_SEGMENT: Final = re.compile(r"(?:[^,;:!?()\n.…–—]|\.(?=\w)){1,80}")
_CLAUSE: Final = re.compile(r"[,.;!] |\s(?=so\s)", re.IGNORECASE)
_MARK: Final = re.compile(r"(?:\s?:|\s[-–—])\s?[\"'“«]?(?=\w)")
_PAST: Final = ("é", "í", "ó", "amos", "imos")
_PAUSE: Final = re.compile(r"[,;.!] ")
_LISTS: Final = re.compile(r"[,;]")
_EDGES: Final = " \"'“”«»-"
_BEHIND: Final = " .!?\"'“”«»)"
_OF_TASKS: Final = WORDS["tasks_called"] - WORDS["work"]
_OPENS_TALK: Final = PICKING["reason"] | PICKING["subjects"] | PICKING["relative"] | WORDS["opens_talk"]
_THANKS: Final = PICKING["closing"]
_AROUND: Final = PICKING["opening"] | PICKING["joining"]


class _Name(NamedTuple):
    name: str
    end: int


def read_new(text: str) -> Listed | None:
    """Return the project that a message wants made, with the tasks behind a colon; what is told beside it is none.

    None where it wants no project or something else, too, or says no name.
    """
    said = " ".join(text.split())
    if len(said) > _MAX_CHARS or "\n" in text.strip() or (wish := _wish(said)) is None:
        return None
    follow = lexicon.TASKS_FOLLOW.search(said, wish.end())
    head = said if follow is None else said[: follow.start()]
    name = None if _tells_of_it(said, wish) else _name(head, wish, is_sure=follow is not None)
    if name is None:
        return None
    rest = head[name.end :]
    if follow is not None:
        is_plain = not _wants_more(rest) and "?" not in rest
        told = as_called(said[: follow.end()], _untold(said[follow.end() :]).rstrip(" )"))
        return Listed(name.name, told) if is_plain else None
    if "?" in rest and rest.strip(_BEHIND):
        return None
    if rest.startswith(":"):
        tasks = rest[1:].strip()
        first = tokens_of(tasks)[:1]
        is_talk = not first or first[0].key in _OPENS_TALK | PICKING["pronouns"]
        return Listed(name.name, [] if is_talk else each_task(tasks))
    return None if _wants_more(rest) else Listed(name.name, [])


def _wish(said: str) -> re.Match[str] | None:
    """Return the wish for a project with which a text begins, or a clause behind talk that wishes for nothing."""
    if (first := lexicon.NEW_PROJECT.match(said)) is not None or WORDS["project_words"].isdisjoint(
        one.key for one in tokens_of(said)
    ):
        return first
    for clause in _CLAUSE.finditer(said):
        later = lexicon.NEW_PROJECT.match(said, clause.end())
        if later is not None and later["verb"]:
            is_talk = "?" not in said[: clause.end()] and not _wants_more(said[: clause.start()])
            return later if is_talk else None
    return None


def _tells_of_it(said: str, wish: re.Match[str]) -> bool:
    """Tell whether it is told that one was made: "armé un proyecto que se llama Feria"."""
    verb = tokens_of(wish["verb"] or "")[:1]
    if not verb:
        return False
    is_open = verb[0].key in WORDS["may_be_past"] and lexicon.IS_CALLED.match(said, wish.end()) is not None
    return is_open or (is_past(verb[0], wish["verb"]) and wish["verb"].casefold().startswith(_accented(verb[0])))


def _accented(verb: Token) -> str:
    return f"{verb.key[:-1]}é"


def _name(said: str, wish: re.Match[str], *, is_sure: bool = False) -> _Name | None:
    called = lexicon.CALL_IT.match(said, wish.end()) or lexicon.NAMED.match(said, wish.end())
    called = called or _after_mark(said, wish, is_sure=is_sure)
    start = said[wish.end() :].strip() if called is None else ""
    is_at_once = is_sure or (not wish["wants"] and _is_named_at_once(said, wish.end()))
    if called is None and not (start and is_at_once):
        return None
    at = wish.end() if called is None else called.end()
    segment = _SEGMENT.match(said, at)
    if segment is None:
        return None
    words = tokens_of(segment[0])
    name = _of(words, segment[0])
    if not name or name[0].key in PICKING["determiners"] | WORDS["no_name"] | WORDS["tasks_called"]:
        return None
    end = at + name[-1].end
    is_whole = not said[end:].strip(_EDGES) or said[end : end + 1] in ",;:.!?…)\"'”»-–— "
    is_only_told = _is_only_told(segment[0], name, wish, is_called=called is not None)
    written = span(segment[0], name).strip(_EDGES)
    return _Name(written, end) if is_whole and not is_only_told and len(name) <= _MOST_OF_A_NAME else None


def _after_mark(said: str, wish: re.Match[str], *, is_sure: bool) -> re.Match[str] | None:
    """Return the mark that leads to a name: "new project: Barn", where the name is all that stands behind it."""
    mark = _MARK.match(said, wish.end())
    if mark is None or is_sure:
        return mark
    name, *talk = BREAK.split(said[mark.end() :], 1)
    first, behind = name.strip().partition(" ")[0], tokens_of("".join(talk))[:1]
    is_talk = not behind or behind[0].key in _OPENS_TALK | COMMON_WORDS["address"] | _THANKS
    is_new = wish["verb"] is None and wish["wants"] is None
    tells = first.lower().endswith(_PAST) or any(one.key in _OPENS_TALK for one in tokens_of(first))
    return mark if is_talk and not tells and (is_new or first[:1].isupper()) else None


def _is_named_at_once(said: str, end: int) -> bool:
    """Tell whether a name stands right behind the word for a project: "make a project Barn"."""
    behind = said[end:].lstrip(" \"'“«")
    is_led = said[end : end + 1] == " "
    return is_led and (behind[:1].isupper() or behind[:1].isdigit() or _is_bare_name(behind))


def _is_bare_name(behind: str) -> bool:
    """Tell whether a single word is all that stands behind the word for a project: "crea un proyecto mudanza"."""
    words = tokens_of(behind)
    none = _OPENS_TALK | _THANKS | _AROUND | WORDS["no_bare_name"] | COMMON_WORDS["days"]
    is_name = len(words) == 1 and words[0].key.isalpha() and words[0].key not in none
    return is_name and "?" not in behind and not behind.rstrip(" .!").endswith(_PAST)


def _is_only_told(segment: str, name: Sequence[Token], wish: re.Match[str], *, is_called: bool) -> bool:
    """Tell whether a plan or news is told: "I want to open a project called Barn with my class", "new project
    Monday"."""
    behind = segment[name[-1].end :]
    if wish["wants"]:
        first = tokens_of(behind)[:1]
        return bool(first) and first[0].key not in _OPENS_TALK and lexicon.NAME_ENDS.fullmatch(behind) is None
    is_day = name[0].key in COMMON_WORDS["days"]
    return (
        wish["verb"] is None
        and not is_called
        and (is_day or bool(behind) or (len(name) > 1 and len(_proper(name, segment)) < len(name)))
    )


def _of(words: Sequence[Token], segment: str) -> list[Token]:
    """Return the words of a name with which a text begins, without talk that no mark parts from it."""
    talk = lexicon.TALK_BEHIND.search(segment, 1)
    end = len(segment) if talk is None else talk.start()
    named = [one for one in words if one.start < end]
    cut = next((n for n, one in enumerate(named) if n and one.key in _OPENS_TALK), len(named))
    named = named[:cut]
    while len(named) > 1 and named[-1].key in PICKING["joining"]:
        named.pop()
    is_proper = bool(named) and segment[named[0].start].isupper()
    if len(named) > _MOST_BEFORE_TALK and is_proper:
        return _proper(named, segment)
    return named


def _proper(named: Sequence[Token], segment: str) -> list[Token]:
    """Return the words to the last that begins with a capital, with what may stand between: "Feria del Libro"."""
    last = 0
    for number, one in enumerate(named):
        if segment[one.start].isupper() or one.key[0].isdigit():
            last = number
        elif one.key not in WORDS["within_name"]:
            break
    return list(named[: last + 1])


def _untold(tasks: str) -> str:
    """Return the tasks of a new project without what is told behind them: "…, I finally got the van"."""
    for mark in _PAUSE.finditer(tasks):
        first = tokens_of(tasks[mark.end() :])[:1]
        is_told = first and first[0].key in _OPENS_TALK | WORDS["tells_behind"]
        if is_told or (mark[0][0] in ".!" and _LISTS.search(tasks, 0, mark.start())):
            return tasks[: mark.start()]
    return tasks


def _wants_more(rest: str) -> bool:
    """Tell whether tasks, or something else, are wished for behind a name."""
    words = tokens_of(rest)
    if lexicon.LEADS_TO_FIRST.search(rest) is not None or any(one.key in _OF_TASKS for one in words):
        return True
    clauses = (list(dropwhile(lambda one: one.key in _AROUND, part)) for part in pieces(words))
    return any(part and (part[0].key in WORDS["adds_tasks"] or is_other_wish(part[0])) for part in clauses)
