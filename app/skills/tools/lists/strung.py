"""Things that are strung together without a comma: "12 huevos yerba y lavandina", "eggs bananas bread"."""

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import Final

from app.domain.wording import fold, stem
from app.language.catalogue import LANGUAGES
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.picking.in_its_place import without_said_place
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, pieces, span, stripped, tokens_of
from app.skills.tools.lists.held import held
from app.skills.tools.lists.joined import is_in, joined
from app.skills.tools.lists.lexicon import MEASURE, NOT_FIRST, UNITS, WORDS
from app.skills.tools.lists.rows import is_plural, plurals_in
from app.skills.tools.lists.slipped import household_word
from app.skills.tools.lists.talk import is_own_thing, tells
from app.skills.tools.lists.titles import title_in

_LINKS: Final = WORDS["in_items"] - WORDS["amounts"]
_BESIDE: Final = (
    (PICKING["opening"] | PICKING["closing"] | WORDS["filling"] | WORDS["as_well"])
    - WORDS["amounts"]
    - WORDS["vocatives"]
)
_ARTICLES: Final = PICKING["determiners"] - PICKING["opening"]
_QUOTES: Final = frozenset('"“«')
_OF: Final = frozenset({"de", "of"})
# Things of which English speaks in the plural: alone before another thing, the singular tells which kind that is.
_ENGLISH: Final = WORDS.tongues[LANGUAGES.index("en")].words["household"]
_PLURALS: Final = frozenset(
    word for word in _ENGLISH if word.endswith("s") and word[:-1] not in WORDS["household"]
)
# What is taken along or used: enough to cut where another thing begins, but nothing to buy by itself.
_GEAR: Final = WORDS["gear"] | frozenset(map(stem, WORDS["gear"]))
_BEHIND_GOING: Final = PICKING["particles"] | STOP_WORDS | COMMON_WORDS["days"] | WORDS["occasions"]
_MOST_WORDS: Final = 10
_FEW_WORDS: Final = 3
_MOST_UNKNOWN: Final = 2
_MARKED: Final = 3
_PAIR: Final = 2


def things_in(text: str, words: Sequence[Token], own: Set[str] = frozenset()) -> list[str] | None:
    """Return the things that words enumerate, without the reason behind them; None where that is not clear.

    `own` are the words for what the person had on their lists before.
    """
    found, has_ended, filler = list[str](), False, fillers(text, _BESIDE)
    parts = pieces(held(text, joined(text, words)))
    for number, piece in enumerate(parts):
        if (title := title_in(text, piece)) and not has_ended:
            found.append(span(text, title))
            continue
        end = end_of_thing(text, piece)
        thing = _without_opening(without_said_place(piece[:end]), filler, opens=number == 0)
        if thing and has_ended and not _is_ware(thing, own, is_strict=False):
            return None
        has_ended = has_ended or end < len(piece)
        if not thing:
            continue
        # Between marks, two words are one thing: "quiche, sausage rolls, napkins".
        is_marked = len(parts) >= _MARKED and len(thing) <= _PAIR
        side_by_side = own | plurals_in(text, thing)
        parted = (
            [thing] if is_marked else [each for one in _at_articles(thing) for each in _apart(one, side_by_side)]
        )
        apart = parted if len(parted) > 1 else [thing]
        if not all(_is_thing(one, own) for one in apart):
            return None
        # "Tortillas este frijoles": who searches for a word says nothing of the one before.
        found += [span(text, stripped(one, frozenset(), PICKING["determiners"]) or one) for one in apart]
    return list(dict.fromkeys(found))


def _at_articles(words: Sequence[Token]) -> list[list[Token]]:
    """Return words cut at the article behind a thing, without that: "streamers a cake"; no "twice a day"."""
    parts = [list(words[:1])]
    for before, one, behind in zip(words, words[1:], [*words[2:], None], strict=False):
        is_thing = is_plural(before.key) or (_is_known(before, _GEAR) and before.key not in _LINKS | UNITS)
        is_noun = behind is not None and is_content(behind.key) and behind.key not in WORDS["no_things"]
        if is_thing and is_noun and one.key in WORDS["counts"]:
            parts.append([one] if _is_amount(one) else [])
        else:
            parts[-1].append(one)
    return parts


def end_of_thing(text: str, piece: Sequence[Token]) -> int:
    """Return where a thing ends before why it is wanted, to whom that is said, or thanks: "a torch man the …"."""
    spoken, last = fillers(text, frozenset()), len(piece) - 1
    first = int(is_own_thing(text, piece))
    ends = (n for n in range(first, last + 1) if _is_reason(piece, n) or (piece[n].key in spoken and 0 < n < last))
    end = min(next(ends, len(piece)), _thanks(piece))
    # "Tortillas k voy a hacer tacos", but "2 k".
    is_led = (
        1 < end < len(piece) and piece[end - 1].key in WORDS["which_slipped"] and not is_measure(piece[end - 2])
    )
    return end - 1 if is_led else end


def _thanks(piece: Sequence[Token]) -> int:
    """Return where thanks begin, with what stands before them."""
    at = next((n for n, one in enumerate(piece) if one.key in WORDS["thanking"]), len(piece))
    while 0 < at < len(piece) and piece[at - 1].key in WORDS["before_thanks"]:
        at -= 1
    return at


def are_wares(
    things: Sequence[str],
    own: Set[str] = frozenset(),
    *,
    is_strict: bool = False,
    is_more: bool = False,
    is_meant: bool = False,
) -> bool:
    """Tell whether each of some things is surely one to buy: it is known, or there is a number of it.

    Where it `is_strict`, no word of it says anything else. Where it `is_more`, several of them are enough:
    "and matches". Where it `is_meant`, any short name is: "and paraffin love, the stove is out".
    """
    each = [tokens_of(one) for one in things]
    return bool(each) and all(
        _is_ware(words, own, is_strict=is_strict)
        or (is_more and _are_several(words))
        or (is_meant and _is_name(one, words))
        for one, words in zip(things, each, strict=True)
    )


def _may_name(one: Token) -> bool:
    return is_content(one.key) or one.key in WORDS["noun_verbs"]


def _is_name(thing: str, words: Sequence[Token]) -> bool:
    """Tell whether words may name a thing and nobody, nothing that was done, and no time."""
    none = WORDS["no_things"] | WORDS["no_names"] | WORDS["story"] | COMMON_WORDS["days"] | WORDS["thanking"]
    others = none | COMMON_WORDS["interrogatives"] | WORDS["being"]
    is_plain = all(
        one.key.isalpha() and one.key not in others and (_may_name(one) or (n > 0 and one.key in _LINKS))
        for n, one in enumerate(words)
    )
    is_plain = is_plain and thing[-1] not in "éíó"  # "y ya volví"
    return is_plain and len(words) <= _FEW_WORDS and thing.islower() and not NOT_FIRST.search(words[-1].key)


def _are_several(words: Sequence[Token]) -> bool:
    none = WORDS["no_things"] | WORDS["no_names"] | COMMON_WORDS["interrogatives"]
    is_plain = all(_may_name(one) and one.key.isalpha() and one.key not in none for one in words)
    return is_plain and len(words) < _FEW_WORDS and len(words[-1].key) > _FEW_WORDS and words[-1].key.endswith("s")


def _is_ware(words: Sequence[Token], own: Set[str], *, is_strict: bool) -> bool:
    is_known = any(_is_known(one, own) for one in words)
    is_counted = _is_amount(words[0]) and words[0].key not in WORDS["counts"] and len(words) > 1
    is_begun = words[0].key not in _LINKS and PICKING["relative"].isdisjoint(one.key for one in words)
    is_plain = not is_strict or (is_known and is_begun and _is_explained(words, own))
    return (is_known or is_counted) and is_plain and not any(one.key in WORDS["no_things"] for one in words)


def is_measure(one: Token) -> bool:
    """Tell whether a word says how much of something there is."""
    return _is_amount(one) or one.key in UNITS


def with_measures(things: Sequence[str]) -> list[str]:
    """Return things, each with how much of it was told behind it: "papas", "2 kilos"."""
    found = list[str]()
    for one in things:
        words = tokens_of(one)
        is_told = len(words) > 1 and _is_amount(words[0]) and words[-1].key in UNITS - WORDS["household"]
        is_told = (is_told and all(map(is_measure, words))) or MEASURE.fullmatch(fold(one)) is not None
        if found and is_told and not any(each.key in UNITS for each in tokens_of(found[-1])):
            found[-1] += f" {one}"
        else:
            found.append(one)
    return found


def without_story(text: str, words: Sequence[Token]) -> Sequence[Token]:
    """Return how much there is to be of a thing without what is told behind it: "3 dozen the choir is hungry"."""
    at = next((n for n, one in enumerate(words) if is_measure(one)), len(words))
    end = at + len(list(takewhile(is_measure, words[at:])))
    return words[:end] if end < len(words) and tells(text, words[end:]) else words


def as_written(text: str, words: Sequence[Token]) -> list[str]:
    """Return what words enumerate, piece by piece as it is written."""
    filler = fillers(text, _BESIDE)
    parts = pieces(held(text, joined(text, words)))
    each = [
        title_in(text, one) or _without_opening(one[: _thanks(one)], filler, opens=number == 0)
        for number, one in enumerate(parts)
    ]
    return list(dict.fromkeys(span(text, one) for one in each if one))


def told_apart(item: str, own: Set[str] = frozenset()) -> list[str]:
    """Return the things that a model took for one; the one where that is not clear."""
    words = tokens_of(item)
    parts = [words] if words == (linked := joined(item, words)) else pieces(linked)
    apart = [each for part in parts if part for each in _apart(part, own)]
    return [span(item, one) for one in apart] if len(apart) > 1 else [item]


def _is_reason(piece: Sequence[Token], number: int) -> bool:
    """Tell whether a reason begins here: "pan q vienen mis tíos", "foil we're out"; no "leche que sea entera"."""
    key = piece[number].key
    if _sets_off(piece, number):
        return True
    behind = [one.key for one in piece[number + 1 : number + 3] if one.key not in PICKING["denying"]]
    after = next(iter(behind), "")
    if key in PICKING["breaks"]:
        return after not in WORDS["which_too"]
    if key in PICKING["relative"]:
        is_which = number > 0 and piece[number - 1].key in PICKING["determiners"] | _LINKS
        return not is_which and after not in WORDS["telling_which"]
    is_owner = number > 0 and piece[number - 1].key in WORDS["whose"] and bool(after)  # "milk for my mum"
    return (
        key in WORDS["story"]
        and not is_owner
        and not any(one.key in PICKING["relative"] for one in piece[:number])
    )


def _sets_off(piece: Sequence[Token], number: int) -> bool:
    """Tell whether a story begins with somebody who goes: "a rope leaving at six"; no "a leaving card"."""
    is_behind = number > 0 and piece[number - 1].key not in _LINKS | PICKING["determiners"]
    is_verb = is_behind and piece[number].key in WORDS["setting_off"]
    return is_verb and any(one.key in _BEHIND_GOING for one in piece[number + 1 : number + 2])


def without_filler(piece: Sequence[Token], filler: Set[str], *, opens: bool = False) -> list[Token]:
    """Return the words for a thing without what only opens or closes them; what may belong to it stays.

    "Pera" is a fruit in a row, and at the end of "potitos de pera"; it asks to wait only where a message `opens`.
    """
    rest = list(piece)
    filler_first = filler - WORDS["spoken_to"]
    while rest and rest[0].key in filler_first and (opens or not _may_open(rest)) and not _is_quoted(rest[0]):
        is_article = rest.pop(0).key in _ARTICLES
        if is_article and len(rest) > 1 and rest[0].key not in PICKING["determiners"]:
            break  # "the good coffee"
    least = _quoted(rest)
    while len(rest) > least and rest[-1].key in filler - WORDS["household"] and not _leads_on(rest[-2]):
        rest.pop()
    return [] if len(rest) == 1 and rest[0].key in filler - WORDS["household"] - WORDS["staples"] else rest


def _quoted(words: Sequence[Token]) -> int:
    """Return how many words at the beginning stand in quotes; 1 where none do."""
    if not words or not _is_quoted(words[0]):
        return 1
    return next((n for n, one in enumerate(words) if n > 0 and one.gap[:1] in _QUOTES), len(words))


def _is_quoted(one: Token) -> bool:
    return one.gap[-1:] in _QUOTES


def _may_open(words: Sequence[Token]) -> bool:
    """Tell whether a filler may be the first word of a thing: "pera", "todo uso", "a bag of coal"."""
    if len(words) > 1 and words[0].key in WORDS["counts"]:
        return words[1].key in UNITS | WORDS["amounts"] | _OF
    is_drink = len(words) == 1 and words[0].key in WORDS["staples"]  # "té", not "te"
    return (
        is_drink
        or words[0].key in WORDS["household"]
        or (len(words) > 1 and words[0].key in WORDS["thing_openers"])
    )


def _leads_on(one: Token) -> bool:
    """Tell whether something must follow a word: "for", "de", "7"."""
    return one.key in _LINKS - PICKING["closing"] or _is_amount(one)


def fillers(text: str, some: Set[str]) -> Set[str]:
    """Return what fills a message: "mate" speaks to somebody in English, and is a thing in Spanish."""
    is_english = is_in(text, WORDS["english_marks"])
    return some | WORDS["vocatives"] if is_english else (some - WORDS["vocatives"]) | WORDS["spoken_to"]


def _without_opening(piece: Sequence[Token], filler: Set[str], *, opens: bool) -> list[Token]:
    verbs = WORDS["add_verbs"] | WORDS["put_verbs"] if opens else WORDS["put_verbs"]
    rest = list(piece)
    while len(rest) > 1 and rest[0].key in verbs - WORDS["noun_verbs"] and not rest[1].is_cut:
        rest.pop(0)
    rest = without_filler(rest, filler | PICKING["determiners"])
    # "Primero jabón", but no "first aid kit".
    is_counted_off = len(rest) > 1 and rest[0].key in WORDS["in_order"]
    return rest[1:] if is_counted_off and (household_word(rest[1].key) or is_measure(rest[1])) else rest


def _apart(words: Sequence[Token], own: Set[str]) -> list[list[Token]]:
    """Return words cut where another thing begins; as one where something in them tells nothing."""
    words = _paired(words)
    known = own | _GEAR
    parts = [list(words[:1])]
    for number, one in enumerate(words[1:], 1):
        if not (
            _goes_on(parts[-1], words[number - 1], one, known) and not _opens_amount(parts[-1], words, number)
        ):
            parts.append([])
        parts[-1].append(one)
    if len(parts) > 1 and all(map(is_measure, parts[-1])):
        parts[-2:] = [[*parts[-2], *parts[-1]]]  # "besan 2 kg": how much of it stands behind.
    is_clear = len(parts) > 1 and all(_is_explained(part, known) for part in parts)
    is_clear = is_clear and not any(_may_be_one(*pair, own) for pair in pairwise(parts))
    return parts if is_clear else [list(words)]


def _paired(words: Sequence[Token]) -> list[Token]:
    """Return words with the two of one thing as one: "red onions", "queso crema"."""
    found = list(words[:1])
    for one in words[1:]:
        pair = f"{found[-1].key}_{one.key}"
        is_one = pair in WORDS["pairs"] or (found[-1].key in WORDS["leading_kinds"] and _is_known(one, _GEAR))
        found[-1:] = [replace(found[-1], key=pair, end=one.end)] if is_one else [found[-1], one]
    return found


def _goes_on(part: Sequence[Token], before: Token, one: Token, own: Set[str]) -> bool:
    """Tell whether a word still belongs to the thing before it."""
    is_linked = (
        before.key in _LINKS | UNITS | WORDS["sizes"]
        or _is_amount(before)
        or before.key in PICKING["relative"]
        or f"{before.key}s" in _PLURALS  # "diaper cream"
        or (f"{before.key}s" in WORDS["gear"] and before.key not in WORDS["gear"])
        or (one.key in WORDS["gear_parts"] and before.key in WORDS["gear"] and not before.key.endswith("s"))
    )
    has_thing = any(_is_known(each, own) for each in part)
    return is_linked or not has_thing or not (_is_amount(one) or _is_known(one, own))


def _opens_amount(part: Sequence[Token], words: Sequence[Token], number: int) -> bool:
    """Tell whether how another thing is held begins there: "soga bolsa de dormir", no "2 bolsas de pan"."""
    is_held = words[number].key in UNITS and any(one.key in _OF for one in words[number + 1 : number + 2])
    before = words[number - 1]
    return (
        is_held and not (before.key in _LINKS or is_measure(before)) and any(_is_known(one, _GEAR) for one in part)
    )


def _is_explained(part: Sequence[Token], own: Set[str]) -> bool:
    """Tell whether each word of a thing is a name, an amount, or tells more of it."""
    return _unexplained(part, own) == 0


def _unexplained(part: Sequence[Token], own: Set[str]) -> int:
    """Return how many words of a thing say nothing that is known; behind a "que", all may."""
    at = next((n for n, one in enumerate(part) if one.key in PICKING["relative"]), len(part))
    plain = _LINKS | UNITS | WORDS["sizes"] | WORDS["described_as"] | PICKING["determiners"]
    return sum(
        not (_is_known(one, own) or _is_amount(one) or one.key in plain)
        and not (n > 0 and (part[n - 1].key in _LINKS or _is_amount(part[n - 1])))
        for n, one in enumerate(part[:at])
    )


def _may_be_one(part: Sequence[Token], behind: Sequence[Token], own: Set[str]) -> bool:
    """Tell whether a thing ends with what may be made of the next one: "jugo" of "jugo naranja".

    What everybody has goes with few words only: "bread flour", but not "bread eggs".
    """
    last = part[-1].key
    return (
        last in WORDS["before_what"]
        and "_" not in behind[0].key
        and last not in own
        and (last not in WORDS["staples"] or behind[0].key in WORDS["behind_staples"] | WORDS["gear"])
    )


def _is_thing(part: Sequence[Token], own: Set[str]) -> bool:
    named = [
        one
        for one in part
        if (is_content(one.key) or one.key in WORDS["staples"])
        and one.key not in WORDS["amounts"]
        and not one.key[0].isdigit()
    ]
    is_known = any(_is_known(one, own) for one in part)
    is_whole = len(part) <= _FEW_WORDS or is_known or any(one.key in _LINKS | WORDS["amounts"] for one in part)
    # Behind a thing that is known, two more words may be another one.
    is_one = not is_known or _unexplained(part, own) < _MOST_UNKNOWN
    is_short = len(part) <= _MOST_WORDS and not any(one.key in WORDS["no_item"] for one in part)
    return bool(named) and is_whole and is_one and is_short


def _is_known(one: Token, own: Set[str]) -> bool:
    return "_" in one.key or household_word(one.key) or one.key in own or stem(one.key) in own


def _is_amount(one: Token) -> bool:
    return one.key[0].isdigit() or one.key in WORDS["amounts"]
