"""Words around a reminder: how people ask for one, and how they name one or all of them."""

import re
from dataclasses import dataclass
from typing import Final

from app.domain.wording import fold, one_line
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS, Lexicon
from app.language.slips import slips

_WORDS: Final = Lexicon.of(__package__)
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def _opening(topic: str) -> str:
    """Return a pattern for phrases where a text begins, behind a please."""
    return rf"^\W*(?:{_WORDS.pattern('please')}\W+)*{_WORDS.pattern(topic)}"


def _letters_of(topic: str) -> set[str]:
    """Return the words of phrases that say something: a text without any of them has none of these phrases."""
    return {word for one in _WORDS.phrases(topic) for word in _LETTERS.findall(one)} - STOP_WORDS


def _no_title(end: str = "") -> str:
    """Return a pattern for a place that no title stands before: "Mrs. Bell" ends no sentence."""
    return "".join(rf"(?<!\b{one}{end})" for one in sorted(_WORDS["titles"]))


def _to_me() -> str:
    """Return a pattern for who asks to be told, or reminded of, something."""
    told = rf"{_WORDS.pattern('tells_me')}(?P<is_told>)|{_WORDS.pattern('reminding')}"
    return rf"(?:{_WORDS.pattern('please')} )?(?:{told})"


NO_TITLE: Final = _no_title()
NO_TITLE_BEFORE: Final = _no_title(r"\.")
NO_NAME: Final = _WORDS["no_name"]
EVERY_ONE: Final = _WORDS["every_one"]
OFF: Final = _WORDS["off"]
CREATE: Final = _WORDS["create"]
_OPENING: Final = LatePattern(
    rf"^(?:{_WORDS.pattern('please')}[\s,]+)*"
    rf"(?:{_WORDS.pattern('asking')}|{_WORDS.pattern('rousing')}|{_WORDS.pattern('reminding')}"
    rf"|{_WORDS.pattern('putting')})"
    r"(?:\s*[:,]\s*|\s+|$)"
)
JOINING: Final = LatePattern(rf"^{_WORDS.pattern('joining')}(?:\s+|$)")
_ENDING: Final = LatePattern(
    rf"(?:{_WORDS.pattern('asking_after')}"
    rf"|(?<!que )(?<! q )(?<! i )(?<! we )(?<! they )(?<! he )(?<! she ){_WORDS.pattern('not_to_forget')})$"
)
_TELLING: Final = LatePattern(
    rf"^(?:{_WORDS.pattern('please')}[\s,]+)*{_WORDS.pattern('telling')}\s"
    rf"(?:(?={_WORDS.pattern('looked_up')})(?!{_WORDS.pattern('belongs')})|(?!{_WORDS.pattern('to_be_told')}))",
)
_BELONGS: Final = LatePattern(_WORDS.pattern("belongs"))
_TOPICS: Final = _WORDS["topics"]
THIS_WEEK: Final = LatePattern(rf"\s{_WORDS.pattern('this_week')}$")
THIS_MONTH: Final = LatePattern(rf"\s{_WORDS.pattern('this_month')}$")
WEEKEND: Final = LatePattern(rf"\s{_WORDS.pattern('weekend')}$")
FOR_SO_LONG: Final = LatePattern(rf"\s{_WORDS.pattern('for_so_long')}\s(?=\w+ \w+$)")
WITHIN: Final = _WORDS["within"]
SPAN_FIRST: Final = LatePattern(
    rf"(?P<span>{_WORDS.pattern('this_week')}|{_WORDS.pattern('this_month')}|{_WORDS.pattern('today')}"
    rf"|{_WORDS.pattern('weekend')}|{_WORDS.pattern('until')}\s[^,]{{2,40}}?),?\s(?={_WORDS.pattern('being')}\s)",
)
BEING: Final = LatePattern(
    rf"(?:{_WORDS.pattern('by_the_way')},?\s)?(?:{_WORDS.pattern('being')})\s(?:{_WORDS.pattern('somewhere')})\s",
)
PURPOSE: Final = LatePattern(rf"\s{_WORDS.pattern('purpose')}$")
TODAY: Final = LatePattern(rf"\s{_WORDS.pattern('today')}$")
UNTIL: Final = LatePattern(rf"\s{_WORDS.pattern('until')}\s")
OPEN_ENDED: Final = LatePattern(rf" {_WORDS.pattern('open_ended')}\Z")
ASKS_ELSE: Final = LatePattern(rf"[,.;] ?{_WORDS.pattern('asks_else')}")
WORD: Final = re.compile(r"[^\W_]+")
PUTTING_OFF: Final = LatePattern(rf"{_opening('put_off')}\s*")
PUTTING_IT_OFF: Final = LatePattern(rf"{_opening('put_it_off')}(?!\w)")
RING: Final = LatePattern(_WORDS.pattern("ringing"))
RINGING: Final = LatePattern(_opening("ringing"))
RING_FOR: Final = LatePattern(_WORDS.pattern("ring_for"))
SO_LONG: Final = LatePattern(rf"^{_WORDS.pattern('for_so_long')}\s")
ONCE_MORE: Final = LatePattern(_WORDS.pattern("once_more"))
LAST_WORDS: Final = LatePattern(rf"\W{{1,9}}{_WORDS.pattern('please')}\W{{0,9}}$")
CALLING_OFF: Final = LatePattern(_WORDS.pattern("calling_off"))
_OPENS_OFF: Final = LatePattern(_opening("calling_off"))
_HAVE_DONE: Final = re.compile(r"\w[éÉ](?!\w)")
SURELY_OFF: Final = LatePattern(_WORDS.pattern("surely_off"))
OFF_WORDS: Final = _WORDS["off_words"]
MOVING: Final = _WORDS["moving"]
CORRECTING: Final = _WORDS["correcting"]
OFFERING: Final = LatePattern(_WORDS.pattern("offering"))
ACCEPTING: Final = _WORDS["accepting"]
LEFT_UNDONE: Final = LatePattern(_WORDS.pattern("left_undone"))
OF_THE_CLOCK: Final = _WORDS["of_the_clock"]
EARLIER: Final = _WORDS["earlier"]
LATER: Final = _WORDS["later"]
NOT_AT: Final = LatePattern(_WORDS.pattern("not_at"))
REMINDERS_CALLED: Final = _WORDS["called"]
POINTING: Final = _WORDS["pointing"]
NOT_YET: Final = _WORDS["not_yet"]
NOT_YET_BESIDE: Final = _WORDS["not_yet_beside"]
LISTING: Final = LatePattern(_WORDS.pattern("listing"))
_WHEN_SET: Final = LatePattern(_WORDS.pattern("when_set"))
_WHETHER_SET: Final = LatePattern(_WORDS.pattern("whether_set"))
_WHEN_AT_ALL: Final = LatePattern(_WORDS.pattern("when_at_all"))
LISTING_WORDS: Final = _WORDS["listing_words"]
LEFT: Final = _WORDS["left"]
SURELY_WHEN: Final = LatePattern(_WORDS.pattern("surely_when"))
_BESIDE_WHEN: Final = _WORDS["beside_when"]
_SETTING: Final = LatePattern(_WORDS.pattern("setting"))
_KNOWN_WHEN: Final = _WORDS["polite"] | LISTING_WORDS | _BESIDE_WHEN | COMMON_WORDS["address"]
TALK: Final = _WORDS["talk"] | COMMON_WORDS["address"]
BECAUSE: Final = LatePattern(_WORDS.pattern("because"))
SURELY_BECAUSE: Final = LatePattern(rf"(?<!\w){_WORDS.pattern('surely_because')}(?!\w)")
BEGINNING: Final = LatePattern(
    rf"(?:\d|(?<!\w)(?:[ap]m|{_WORDS.pattern('behind_hour')}))\s(?={_WORDS.pattern('who_does')}\s)"
)
DENYING: Final = LatePattern(_WORDS.pattern("denying"))
RIGHT_ONE: Final = LatePattern(_WORDS.pattern("right_one"))
NO_DENIAL: Final = _WORDS["no_denial"]
OF_ONE: Final = LatePattern(_WORDS.pattern("of_one"))
KEEPING: Final = LatePattern(_WORDS.pattern("keeping"))
OF_OTHERS: Final = _WORDS["of_others"]
OFF_MISTYPED: Final = _WORDS["off_mistyped"]
MOVE_MISTYPED: Final = _WORDS["move_mistyped"]
PART_BEFORE_HOUR: Final = LatePattern(_WORDS.pattern("part_before_hour"))
PART_BEHIND_HOUR: Final = LatePattern(_WORDS.pattern("part_behind_hour"))
HOUR_LEAD: Final = _WORDS["hour_lead"]
WHERE_OR_BEFORE: Final = _WORDS["where_or_before"]
ONLY: Final = _WORDS["only"]
THIS_ONCE: Final = _WORDS["this_once"]
ALSO: Final = _WORDS["also"]
AND_ANOTHER: Final = LatePattern(
    rf"^(?:\W*(?:{_WORDS.pattern('before_another')}\W+)?{_WORDS.pattern('and_another')}|\s*[&+])\W+"
)
SAME_DAY: Final = LatePattern(_WORDS.pattern("same_day"))
SO_THEN: Final = LatePattern(rf"{_WORDS.pattern('so_then')}$")
SO: Final = LatePattern(rf"(?<!\w){_WORDS.pattern('so_then')}\s", flags=0)
NOT_THAT: Final = LatePattern(rf"[,;]?\s{_WORDS.pattern('not_that')}\s(?=\w+(?:\s\w+){{0,3}}\W{{0,9}}$)")
TOLD_OF_THING: Final = LatePattern(_WORDS.pattern("told_of_thing"))
LATER_THAN: Final = LatePattern(_WORDS.pattern("later_than"))
TOLD_OF_BEFORE: Final = LatePattern(_WORDS.pattern("told_of_before"))
ARTICLES: Final = _WORDS["articles"]
HOUR_OF_PLACE: Final = _WORDS["hour_of_place"]
JOINS_PLACE: Final = _WORDS["beside_hour.place"]
HALF_BEHIND: Final = _WORDS["beside_hour.half"]
JOINS_DAYS: Final = LatePattern(rf" (?:{_WORDS.pattern('joins_days')}|[&+]) ")
SKIPPING: Final = _WORDS["skipping"]
NOT_OFF: Final = LatePattern(rf"(?<!\w){_WORDS.pattern('not_off')}(?!\w)")
COMES_AFTER_ALL: Final = _WORDS["comes_after_all"]
OTHER_ONE: Final = LatePattern(rf"(?<!\w){_WORDS.pattern('other_one')}(?!\w)")
BOTH: Final = LatePattern(rf"(?<!\w){_WORDS.pattern('both')}(?!\w)")
LEFT_OUT_BESIDE: Final = _WORDS["left_out_beside"]
SAME_TIME: Final = LatePattern(_WORDS.pattern("same_time"))
MOVED_BY_OTHERS: Final = LatePattern(_WORDS.pattern("moved_by_others"))
PUTS_RIGHT: Final = LatePattern(
    rf"^(?:(?:hm+|uh|uf|oh|ah|ay|uy|eh)\s){{0,3}}{_WORDS.pattern('puts_right')}(?:\s+{_WORDS.pattern('puts_right')}){{0,3}}\s+"
)
NO_REASON: Final = _WORDS["no_reason"]
REASON: Final = _WORDS["reason"]
PUSHING: Final = _WORDS["pushing"]
DAY_LATER: Final = LatePattern(rf"{_WORDS.pattern('day_later')}(?!\s{_WORDS.pattern('of_today')})")
DAY_EARLIER: Final = LatePattern(rf"{_WORDS.pattern('day_earlier')}(?!\s{_WORDS.pattern('of_today')})")
WEEK_LATER: Final = LatePattern(_WORDS.pattern("week_later"))
OTHER_WEEK: Final = LatePattern(_WORDS.pattern("other_week"))
ONE_MORE: Final = _WORDS["one_more"]
ALSO_WISHED: Final = LatePattern(_WORDS.pattern("also_wished"))
LINKING: Final = LatePattern(_WORDS.pattern("linking"))
EXCUSE: Final = LatePattern(_WORDS.pattern("excuse"))
ASIDE: Final = LatePattern(_WORDS.pattern("aside"))
PLACING: Final = _WORDS["placing"]
INFINITIVE: Final = LatePattern(_WORDS.pattern("infinitive"))
OF_PLACE: Final = _WORDS["of_place"]
BEFORE_A_DATE: Final = _WORDS["before_a_date"]
BEHIND_A_DATE: Final = _WORDS["behind_a_date"]
LEADING_IN: Final = LatePattern(rf"^{_WORDS.pattern('leading_in')}\s+(?=\w)")
STORY_BEHIND: Final = LatePattern(_WORDS.pattern("story_behind"))
TELLING_WHEN: Final = LatePattern(rf"\s{_WORDS.pattern('telling_when')}$")
SO_AS_NOT: Final = LatePattern(_WORDS.pattern("so_as_not"))
PURPOSE_BEHIND: Final = LatePattern(_WORDS.pattern("purpose_behind"))
ANNOUNCED: Final = _WORDS["announced"]
ANNOUNCING: Final = ANNOUNCED | _WORDS["announcing"]
"""What several reminders are announced with, and stands beside that: "two things for", "tengo tres cosas el"."""
STORY: Final = _WORDS["story"]
SAYING: Final = _WORDS["saying"]
SAYING_THAT: Final = LatePattern(_WORDS.pattern("saying_that"))
STORY_ENDINGS: Final = LatePattern(_WORDS.pattern("story_endings"))
MISTYPED: Final = _WORDS["mistyped"]
NO_SLIP: Final = _WORDS["no_slip"]
BEHIND: Final = LatePattern(
    rf"[,;.!] ?(?:(?:{_WORDS.pattern('please')} )?{_WORDS.pattern('thanks_behind')}[^,;.!?\n]{{0,40}}"
    rf"|{_WORDS.pattern('who_speaks')} \w+(?: \w+)?)[\W_]{{0,9}}$"
    rf"|[,;.!]? (?-i:{COMMON_WORDS.pattern('said_at_end')})[\W_]{{0,9}}$"
)
"""Thanks, or the name of who speaks, behind a mark at the end."""
WHEN_IT_IS: Final = LatePattern(
    rf"(?:[,;.!]? (?:y|and|also|then)|[,;.!]) (?:{_WORDS.pattern('please')} )?"
    rf"{_WORDS.pattern('when_it_is')}(?: {_WORDS.pattern('please')})?[\W_]{{0,9}}$"
)
"""Asks when the one is set for that is wished for in front."""
SLIPS_MIND: Final = LatePattern(_opening("slips_mind"))
NO_MORE: Final = _WORDS["no_more"]
MOVES_NAMED: Final = LatePattern(_opening("moves_named"))
TO_DO: Final = LatePattern(rf"^{_WORDS.pattern('to_do')}")
DIARY: Final = LatePattern(
    rf"^\W*(?:{_WORDS.pattern('please')}\W+)*(?!{_WORDS.pattern('no_diary')}){_WORDS.pattern('diary')}(?=\W+\w)",
)
_NOUN_FIRST: Final = LatePattern(_opening("opening_noun"))
_NOUNS: Final = REMINDERS_CALLED | frozenset(_letters_of("opening_noun"))
REMINDING: Final = LatePattern(_WORDS.pattern("reminding"))
_ASKING: Final = frozenset(_letters_of("reminding"))
ROUSING_FIRST: Final = LatePattern(_opening("rousing"))
_ROUSING: Final = frozenset(_letters_of("rousing"))
_RINGING: Final = frozenset(_letters_of("ringing"))
REMINDING_NO: Final = LatePattern(rf"\W+{_WORDS.pattern('reminding_no')}")
NOT_REMINDING: Final = _WORDS["not_reminding"]
OTHER_WISHES: Final = _WORDS["other_wishes"]
JOINERS: Final = _WORDS["joiners"]
PASSING: Final = _WORDS["passing"]
OF_A_QUESTION: Final = _WORDS["of_a_question"]
ALSO_THEN: Final = _WORDS["also_then"]
TOO_AT_END: Final = LatePattern(rf",? {_WORDS.pattern('too_at_end')}\W{{0,3}}\Z")
BUT_THEN: Final = _WORDS["but_then"]
TELLS_WHICH: Final = _WORDS["tells_which"]
LED_TO_MORE: Final = LatePattern(rf"^{_WORDS.pattern('led_to_more')} ")
SAME_AGAIN: Final = LatePattern(rf"{_WORDS.pattern('same_again')}(?! {_WORDS.pattern('same_of')})")
REPEATING: Final = _WORDS["repeating"]
_GETTING_UP: Final = LatePattern(_WORDS.pattern("getting_up"))
_BESIDE_GETTING_UP: Final = _WORDS["beside_getting_up"]
WAKING: Final = LatePattern(_WORDS.pattern("waking"))
INSTEAD_OF: Final = LatePattern(_WORDS.pattern("instead_of"))
INSTEAD: Final = LatePattern(_WORDS.pattern("instead"))
REPORTING: Final = _WORDS["reporting"]
_POLITE: Final = _WORDS["polite"]
_COURTESY: Final = _POLITE | JOINERS | _WORDS["courtesy"] | COMMON_WORDS["address"]
WHY_BEHIND: Final = LatePattern(rf"(?:[,;.!?]|(?<=\?)) {{0,3}}(?={_WORDS.pattern('why_behind')})")
BEFORE_WISH: Final = LatePattern(rf"[,;.!\n]+ ?| {_WORDS.pattern('before_wish')} ")
TO_THING: Final = LatePattern(rf"^\W*{_WORDS.pattern('to_thing')} ")
TELLS_ME: Final = LatePattern(_WORDS.pattern("tells_me"))
TOLD_BEHIND_SPAN: Final = LatePattern(rf"^\W{{0,3}}{_to_me()}(?!\w)")
TOLD_BEFORE_SPAN: Final = LatePattern(
    rf"(?:^|(?<=[,;.!\n])|(?<=[,;.!\n] )|(?<!\S){_WORDS.pattern('before_told')} ){_to_me()}\W{{0,3}}$"
)
LED_THING: Final = LatePattern(
    rf"\s(?!{_WORDS.pattern('led_thing')} \d)"
    rf"(?:{_WORDS.pattern('led_thing')}\s|(?={_WORDS.pattern('infinitive')}))"
)
TOLD_THING: Final = LatePattern(rf"^\W{{0,3}}(?={_WORDS.pattern('told_thing')}){_WORDS.pattern('to_thing')} ")
"""Who asks to be told something, beside the span of time after which: "tell me", and "to …" or "que …"."""
NOT_TOLD: Final = _WORDS["not_told"]
JOINED_BEHIND: Final = LatePattern(rf" {_WORDS.pattern('before_told')}$")
LAST_TIME: Final = LatePattern(_WORDS.pattern("last_time"))
WHY_JOINED: Final = LatePattern(rf"[,;.!]+ ?| (?={_WORDS.pattern('why_joined')} |{_WORDS.pattern('because')})")
WHY_JOINER: Final = LatePattern(rf"^{_WORDS.pattern('why_joined')} ")
POINTS_AT: Final = LatePattern(rf"^{_WORDS.pattern('points_at')}")
POINTS_AT_ALONE: Final = LatePattern(rf"^{_WORDS.pattern('points_at_alone')}\W*$")
NOT_POINTING: Final = _WORDS["not_pointing"]
HOLDING: Final = LatePattern(_WORDS.pattern("holding"))
NO_STORY: Final = _WORDS["no_story"]
WAS_THEN: Final = _WORDS["was_then"]
CONTACT: Final = _WORDS["contact"]
_PART: Final = re.compile(rf"[,;!?\n]|{NO_TITLE}\.(?=\s)", re.IGNORECASE)
_EDGES: Final = " ,.;:-–¡!¿?\n"
_ROUNDS: Final = 3


def spoken(text: str) -> list[str]:
    """Return the folded words and numbers of a text."""
    return WORD.findall(fold(text))


def flat(text: str) -> str:
    """Return the text without case and accents, each letter at its place."""
    if text.isascii():
        return text.casefold()
    return "".join(plain if len(plain := fold(one)) == 1 else one for one in text)


def may_ask(folded: str) -> bool:
    """Tell whether a text has a word of those that ask to be reminded; a time is dear to read, most have none."""
    return not _ASKING.isdisjoint(_LETTERS.findall(folded)) or opens_with_noun(folded)


def may_ring(folded: str) -> bool:
    """Tell whether a text has a word of those that ask to be rung, as `may_ask`."""
    return not _RINGING.isdisjoint(_LETTERS.findall(folded))


def may_rouse(folded: str) -> bool:
    """Tell whether a text has a word of those that ask to be woken or poked, as `may_ask`."""
    return not _ROUSING.isdisjoint(_LETTERS.findall(folded))


def orders_off(text: str) -> bool:
    """Tell whether a text opens with calling one off, and does not tell that somebody has: "apagué la alarma"."""
    found = _OPENS_OFF.match(flat(text))
    return found is not None and _HAVE_DONE.search(text[: found.end()]) is None


def opens_with_noun(folded: str) -> bool:
    """Tell whether a text begins "alarm for …", or "reminder: …"."""
    before, colon, _ = folded.partition(":")
    return _NOUN_FIRST.match(folded) is not None or (bool(colon) and before.strip() in REMINDERS_CALLED)


def may_open_with_noun(folded: str) -> bool:
    """Tell whether a text has a word with which `opens_with_noun` could be true of a part of it."""
    return not _NOUNS.isdisjoint(_LETTERS.findall(folded))


def says_something(text: str) -> bool:
    """Tell whether a text says more than that something is wished for: not "shout" of "give me a shout"."""
    said = frozenset(spoken(REMINDING.sub(" ", fold(text))))
    return not said <= _POLITE | NO_NAME


def without_asking(text: str) -> str:
    """Return the parts of a text that say what it is about: "call Ann" of "give me a shout, call Ann"."""
    plain = " ".join(text.split())
    asking = REMINDING.search(fold(plain)) if len(plain) == len(fold(plain)) else None
    rest = plain if asking is None else f"{plain[: asking.start()]},{plain[asking.end() :]}"
    parts = [part.strip(_EDGES) for part in _PART.split(rest)]
    return ", ".join(part for part in parts if says_something(part))


@dataclass(frozen=True, slots=True)
class AskedWhen:
    """`names` are the words that name of what it is asked when it comes: none for the one that was just set.

    `is_sure`: the words say that something was set, not only "when is …".
    """

    names: tuple[str, ...]
    is_sure: bool


def when_asked_of(clause: str, is_asked: bool) -> AskedWhen | None:
    """Return of what a clause asks when it comes, "para qué hora era?"; None where it does not ask that.

    `is_asked`: the text has a question mark, without which "it is set for five" tells something.
    """
    plain = fold(clause)
    for pattern in (_WHEN_SET, _WHEN_AT_ALL, *([_WHETHER_SET] if is_asked else [])):
        rest, found = pattern.subn(" ", plain)
        if found:
            said = _LETTERS.findall(rest)
            left = tuple(word for word in said if word not in _KNOWN_WHEN)
            is_sure = pattern is not _WHEN_AT_ALL or _SETTING.search(" ".join(said)) is not None
            return AskedWhen(left, is_sure) if is_sure or left else None
    return None


def is_slip(word: str) -> bool:
    """Tell whether a word around such a question is one of those that name nothing, with a slip: "doen", "hav"."""
    return any(slips(word, one) <= 1 for one in _KNOWN_WHEN if len(one) > 3 and one[0] == word[0])


def only_wakes(text: str) -> bool:
    """Tell whether a text says nothing but that somebody wants to get up: "para despertarme temprano"."""
    rest, found = _GETTING_UP.subn(" ", " ".join(fold(text).split()))
    return found > 0 and _BESIDE_GETTING_UP.issuperset(spoken(rest))


def is_courtesy(text: str) -> bool:
    """Tell whether a text only greets, addresses somebody, or leads to a wish: "hey, could you please"."""
    return _COURTESY.issuperset(spoken(text))


def is_polite(text: str) -> bool:
    """Tell whether a text only says please or thanks."""
    return _POLITE.issuperset(spoken(text))


def names_topic(text: str) -> bool:
    """Tell whether a text has a word for something that can be looked up."""
    return not _TOPICS.isdisjoint(spoken(text))


def is_question(text: str) -> bool:
    """Tell whether a wish without its time is to be looked up then: "tell me the weather", not "to call"."""
    plain = fold(" ".join(text.split())).strip(_EDGES)
    told = _TELLING.match(plain)
    if told is None or _BELONGS.search(plain, told.end()):
        return False
    return names_topic(plain)


def what_to_say(text: str, limit: int) -> str:
    """Return a wish without the words that only ask for it: "remind me to call Ann" is "call Ann"."""
    rest = " ".join(text.split()).strip(_EDGES)
    for _ in range(_ROUNDS):
        shorter = _ENDING.sub("", _OPENING.sub("", rest, count=1), count=1).strip(_EDGES)
        shorter = JOINING.sub("", shorter, count=1).strip(_EDGES)
        if shorter == rest:
            break
        rest = shorter
    return one_line(rest, limit)
