"""Figures of somebody who came by, with who that is: "Ann came by, note her sizes: …"; and one more note."""

from typing import Final

from app.domain.wording import fold
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import tokens_of
from app.skills.tools.notes.leading import wish_in, wishes_more
from app.skills.tools.notes.lexicon import CAME_BY, FIGURES_OF, ONE_MORE_NOTE, POLITE_END, WORDS

_MAX_CHARS: Final = 600
_LEAST_DIGITS: Final = 2
_ELSEWHERE: Final = PICKING["list_words"] | PICKING["task_words"] | PICKING["elsewhere"]
_NOBODY: Final = PICKING["pronouns"] | PICKING["subjects"]


def figures_in(said: str) -> str:
    """Return figures that are to be noted with whose they are, each as it is said; "" of any other message."""
    flat = " ".join(said.split())
    is_short = len(flat) <= _MAX_CHARS and ":" in flat and "?" not in flat
    found = FIGURES_OF.match(flat) if is_short else None
    if found is None:
        return ""
    figures = POLITE_END.sub("", f" {found['figures']}").strip().removesuffix(".")
    if sum(map(str.isdigit, figures)) < _LEAST_DIGITS or wishes_more(figures):
        return ""
    what = _without_down(found["what"].strip(" ,"))
    keys = [one.key for one in tokens_of(what)]
    is_called = not WORDS["figures_called"].isdisjoint(keys)
    is_theirs = is_called or set(keys) <= WORDS["this"] or keys[0] in WORDS["theirs"]
    if not is_theirs or not _ELSEWHERE.isdisjoint(keys):
        return ""
    if (who := (found["who"] or "").strip(" ,")) and not _came(who):
        return ""
    if not _names_somebody(who):
        return f"{what}: {figures}" if is_called else ""
    return f"{who}: {figures}" if set(keys) <= WORDS["this"] else f"{who}, {what}: {figures}"


def _came(who: str) -> bool:
    """Tell whether words tell that somebody came by, and wish for nothing."""
    return CAME_BY.search(fold(who)) is not None and not wish_in(who)


def _names_somebody(who: str) -> bool:
    """Tell whether it is said who came: "she came by" names nobody, "me llamó Paty" does."""
    words = tokens_of(who)
    is_named = any(who[one.start].isupper() for one in words[1:])
    return bool(words) and (is_named or words[0].key not in _NOBODY)


def _without_down(what: str) -> str:
    while fold(what.rpartition(" ")[2]) in WORDS["down_behind"]:
        what = what.rpartition(" ")[0].rstrip(" ,")
    return what


def one_more_in(said: str) -> str:
    """Return the words of one more note, behind a note that was just made; "" where another thing is wished."""
    found = ONE_MORE_NOTE.match(said) if len(said) <= _MAX_CHARS else None
    rest = "" if found is None else said[found.end() :].strip()
    words = tokens_of(rest)
    if not words or "?" in rest or words[0].key in WORDS["no_note_behind"] or wishes_more(rest):
        return ""
    return rest
