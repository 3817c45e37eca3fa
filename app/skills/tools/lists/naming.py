"""What lists are called, and which one is meant by a name."""

from collections.abc import Sequence
from typing import Final

from app.domain.wording import clean, fold, one_line, stem, words
from app.language.lexicon import COMMON_WORDS
from app.skills.picking.tokens import span, stripped, tokens_of
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.repository import NamedList
from app.skills.tools.lists.slipped import is_slip_of, shop_meant

MAX_NAME_CHARS: Final = 60
_LEAST_CHARS: Final = 4
_CALLED_OUT: Final = (
    WORDS["called_out"] | COMMON_WORDS["address"] | WORDS["vocatives"] | WORDS["spoken_to"] | WORDS["beside_list"]
)


def _words_of(said: str) -> list[str]:
    return [shop_meant(word) for word in words(said) if word not in WORDS["not_a_name"]]


def without_address(named: str) -> str:
    """Return what a list is called without whom one speaks to: "boat mate", "finca pues mi rey"."""
    words = stripped(tokens_of(named), frozenset(), _CALLED_OUT)
    return span(named, words) if words and len(words) < len(named.split()) else ""


def name_of(said: str) -> str:
    """Return what a new list is called: "la lista del súper" is "Súper"."""
    kept = set(_words_of(said))
    words_said = [shop_meant(word.strip(".,:;")) for word in clean(said).split()]
    places = [place for place, word in enumerate(words_said) if not kept.isdisjoint(words(word))]
    named = words_said[places[0] : places[-1] + 1] if places else []
    name = one_line(" ".join(named), MAX_NAME_CHARS)
    return name[:1].upper() + name[1:]


def find_list(known: Sequence[NamedList], said: str) -> NamedList | None:
    """Return the list that is meant: by name, else by what both are for; the one used last if none is named."""
    wanted = _words_of(said)
    if not wanted:
        return known[0] if known else None
    # "The store" is where one shops; a "pet store" is another one.
    is_shopping = bool(WORDS["shopping"].difference(WORDS["stores"] if wanted[1:] else ()).intersection(wanted))
    for one in known:
        if _words_of(one.name) == wanted:
            return one
    for one in known:
        have = [stem(word) for word in _words_of(one.name)]
        if have == [stem(word) for word in wanted] or (
            is_shopping and WORDS["shopping"].intersection(_words_of(one.name))
        ):
            return one
    # "The films", of which there is one list: "Films to watch". A longer name is that of another list.
    asked = {stem(word) for word in wanted}
    near = [one for one in known if asked <= {stem(word) for word in _words_of(one.name)}]
    # "La ferre" is "Ferretería" where nothing else begins so.
    short = "".join(wanted)
    near = near or [one for one in known if len(short) >= _LEAST_CHARS and fold(one.name).startswith(short)]
    near = near or [one for one in known if all(_begins_one(word, one.name) for word in wanted)]
    near = near or [one for one in known if is_slip_of(short, one.name)]
    return near[0] if len(near) == 1 else None


def _begins_one(said: str, name: str) -> bool:
    """Tell whether a word of a name begins so: "cole" of "Útiles del colegio"."""
    return any(len(said) >= _LEAST_CHARS and word.startswith(said) for word in _words_of(name))


def find_named(known: Sequence[NamedList], said: str) -> NamedList | None:
    """Return the list that is meant where all words are its name, or a part of it."""
    target = find_list(known, said) if _words_of(said) else None
    if target is None:
        return None
    is_shop = not WORDS["shopping"].isdisjoint(_words_of(target.name))
    is_whole = all(
        (is_shop and word in WORDS["shopping"])
        or _begins_one(word, target.name)
        or stem(word) in {stem(one) for one in _words_of(target.name)}
        for word in _words_of(said)
    )
    return target if is_whole else None


def shop_in(said: str, known: Sequence[NamedList]) -> str:
    """Return the name of the only list for shopping, where a message speaks of that; "" for any other."""
    shops = [one.name for one in known if WORDS["shopping"].intersection(words(one.name))]
    return shops[0] if len(shops) == 1 and WORDS["shopping"].intersection(words(said)) else ""
