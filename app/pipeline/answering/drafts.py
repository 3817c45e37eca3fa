"""Texts that the assistant wrote for a person, and messages that want the newest of them changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from babel.core import Locale

from app.database.repositories.conversations import StoredMessage
from app.domain.wording import one_line, words
from app.language.catalogue import LANGUAGES, Language, say
from app.language.detection import language_by_words
from app.language.ellipsis import put_behind
from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import (
    WORDS,
    asks_for_kept,
    is_small_talk,
    names_reader,
    wants_done,
    wants_draft,
    wants_text,
)
from app.pipeline.lexicon.redrafts import (
    Change,
    asks_how_to_say,
    is_bare,
    is_plain_wish,
    puts_right,
    read_brought,
    read_change,
    read_instead,
    read_translation,
    says_manner,
    to_be_done,
)
from app.pipeline.lexicon.translating import courtesy_behind_joy
from app.pipeline.texts import PIPELINE
from app.skills.amending import amended, is_correction
from app.skills.drafted import WantedText
from app.skills.executor import LoopOptions
from app.skills.texts import SKILLS
from app.skills.unusable import sentences_wanted
from app.skills.writing.going_on import GoingOn, read_going_on
from app.skills.writing.told import names_in, without_asides
from app.skills.writing.wishes import find_text_wish

_OF_SOMEBODY: Final = LatePattern(WORDS.pattern("of_somebody"))
_LEAST_WORDS: Final = 6
_LEAST_TO_ADD_TO: Final = 3
_LITTLE: Final = 4
_BEFORE_CHARS: Final = 200
MOST_TURNS: Final = 12
"""How many turns back a text may have been written."""
_MOST_CHARS: Final = 3_000
# Tokens of the bundled model in a character of Spanish, and what an answer may have beside the old text's.
_TOKENS_OF_A_CHAR: Final = 0.4
# About 150 words. Asked for ideas, a small model does not end by itself (measured: 170 s beside other work).
_TALK_TOKENS: Final = 240
_TOKENS_MORE: Final = 60
_LONGER: Final = 3
_NO_TEXTS: Final = (
    PIPELINE.cannot_do,
    PIPELINE.cannot_look_up,
    PIPELINE.nothing_went_out,
    PIPELINE.nothing_found,
    SKILLS.nothing_done,
    SKILLS.good_to_know,
    SKILLS.nothing_to_say,
    SKILLS.nothing_else,
    SKILLS.text_bare,
)


@dataclass(frozen=True, slots=True)
class Redraft:
    """A text that was just written, and what is to be done with it.

    `asked` says so in the person's words, where they say more than `wanted.change` does.

    `language` is what the examples beside it are in. `made` is the new text where code makes it; where other words
    are to be told instead, `wish` is the one for a text that tells those.
    """

    wanted: WantedText
    asked: str = ""
    language: Language = LANGUAGES[0]
    made: str = ""
    wish: str = ""

    @property
    def most_tokens(self) -> int:
        """How long the new text may become."""
        share = _LONGER if self.wanted.change == "longer" else 1
        return round(len(self.wanted.before) * _TOKENS_OF_A_CHAR * share) + _TOKENS_MORE


def may_redraft(asked: str) -> bool:
    """Tell whether a message may want a text changed that was written before it; most do not."""
    is_change = (
        read_change(asked) is not None or is_correction(asked) or _brings(asked) or bool(read_instead(asked))
    )
    return is_change or _goes_on(asked) is not None


def _goes_on(asked: str) -> GoingOn | None:
    """Return what a message says of a text that code puts into it, where it is for nothing else."""
    goes_on = read_going_on(asked)
    return None if goes_on is None or asks_for_kept(asked) or wants_draft(asked) else goes_on


def _brings(asked: str) -> bool:
    return read_brought(asked) is not None or read_translation(asked) is not None


def read_redraft(
    asked: str,
    history: Sequence[StoredMessage],
    quoted: StoredMessage | None,
    language: Language,
    *,
    is_just_told: bool = True,
) -> Redraft | None:
    """Return what a message wants changed about the text that was just written, or is quoted; else None.

    A message that puts a name, a day or a number right makes the new text by itself. `history` has only what was
    talked about; where it `is_just_told` no longer, a bare wish ("shorter") still means the text written last.
    """
    if (translated := read_translation(asked)) is not None:
        return _translated(asked, *translated, language)
    if (brought := read_brought(asked)) is not None:
        return _polished(*brought, language)
    if (made := _made(asked, history, quoted, language, is_just_told=is_just_told)) is not None:
        return made
    change = read_change(asked)
    is_bare_wish = change is not None and is_bare(change, asked)
    if not (may_redraft(asked) and (is_bare_wish or is_just_told or quoted is not None)):
        return None
    if quoted is not None:
        text = quoted.text if quoted.role == "assistant" else ""
    else:
        is_any = change is not None and change.is_for_any and is_just_told
        text = last_written(history, is_any=is_any, is_bare=is_bare_wish)
    if not can_be_changed(text) or (change is not None and not change.fits(text)):
        return None
    if change is None and (right := amended(text, asked)) is not None:
        return Redraft(WantedText(asked, text), made=right.text)
    if change is None and not puts_right(asked):
        return None
    change = change or Change("replacement")
    wanted = WantedText(asked, text, to_be_done(change, asked), change.named, added=change.added, told=change.told)
    # In the words of its examples: a small model puts "make it firmer" into the text.
    said = "" if is_plain_wish(change, asked) else " ".join(asked.split())
    if change.kind == "language":
        wanted = replace(wanted, into=change.language)
        return Redraft(wanted, _into(change.language, language), language)
    return Redraft(wanted, said, language_by_words(text) or language)


def _made(
    asked: str,
    history: Sequence[StoredMessage],
    quoted: StoredMessage | None,
    language: Language,
    *,
    is_just_told: bool,
) -> Redraft | None:
    """Return the text that is to tell something else instead, or the one before with what a message says of it,
    which code puts there: a name, a sentence; else None."""
    if quoted is None and is_just_told and (instead := _wish_instead(asked, history)):
        return Redraft(WantedText(asked), language=language, wish=instead)
    if (goes_on := _goes_on(asked)) is None or not (is_just_told or quoted is not None):
        return None
    text = last_written(history, is_any=False, is_bare=False) if quoted is None else quoted.text
    is_text = can_be_changed(text, _LEAST_TO_ADD_TO) and (quoted is None or quoted.role == "assistant")
    new = goes_on.put_into(text) if is_text else ""
    return Redraft(WantedText(asked, text), made=new) if new else None


def _wish_instead(asked: str, history: Sequence[StoredMessage]) -> str:
    """Return the wish for the text written last with what it is to tell instead; "" where nothing is."""
    told = read_instead(asked) if last_written(history, is_any=False, is_bare=False) else ""
    wishes = (find_text_wish(one.text) for one in reversed(history) if told and one.role == "user")
    wish = next(filter(None, wishes), None)
    return "" if wish is None else f"{wish.text[wish.start : wish.end].strip()}: {told}"


def _into(code: str, language: Language) -> str:
    into = Locale(code).get_language_name(language) or code
    return say(PIPELINE.redraft_language, language, into=into)


def _translated(asked: str, code: str, text: str, language: Language) -> Redraft:
    """Return a text that somebody brought, wanted in another language; its examples are in its own."""
    own = language_by_words(text) or language
    own = own if own != code else next(one for one in LANGUAGES if one != code)
    return Redraft(WantedText(asked, text, "language", into=code, is_brought=True), _into(code, own), own)


def translated_too(asked: str, before: Sequence[str], language: Language) -> Redraft | None:
    """Return what is to be said in the tongue of the translation right before it: "and thank you very much?".

    `before` are the messages before it, oldest first; more such questions may stand between.
    """
    text = put_behind(asked) or courtesy_behind_joy(asked)
    is_wish = asks_for_kept(asked) or wants_done(asked)
    if is_wish or not (text or asks_how_to_say(asked)):
        return None
    into = _translated_into(before)
    translated = read_translation(asked, into) if asks_how_to_say(asked) else (into, text)
    is_said = translated is not None and fold(translated[1].split()[0]) not in COMMON_WORDS["pointing"]
    return _translated(asked, *translated, language) if into and translated and is_said else None


def _translated_into(before: Sequence[str]) -> str:
    """Return the code of the language of the translation that was wanted last; "" behind anything else."""
    for one in reversed(before):
        if (told := read_translation(one)) is not None:
            return told[0]
        if not (put_behind(one) or courtesy_behind_joy(one) or asks_how_to_say(one)):
            return ""
    return ""


def _polished(wish: str, text: str, language: Language) -> Redraft:
    """Return a text that somebody brought, with what is to be made better about it."""
    done = to_be_done(Change("manner"), wish) if says_manner(wish) else "correction"
    return Redraft(WantedText(wish, text, done, is_brought=True), wish, language_by_words(text) or language)


def context_of(text: str, history: Sequence[StoredMessage]) -> str:
    """Return what was said last where a wish for a text says little, or names nobody and means somebody who was
    spoken of ("a line to cheer her up"), or to whom nothing could be sent; else ""."""
    before = next((one.text for one in reversed(history) if one.role == "user"), "")
    is_little = len(words(text)) <= _LITTLE
    is_instead = not names_reader(text) and bool(history) and is_refused(history[-1].text)
    is_spoken_of = not names_in(text) and _OF_SOMEBODY.search(fold(text)) is not None
    is_meant = bool(before) and (is_little or is_instead or is_spoken_of) and not is_small_talk(before)
    return one_line(before, _BEFORE_CHARS) if is_meant else ""


def for_talk(
    options: LoopOptions,
    text: str,
    redraft: Redraft | None,
    history: Sequence[StoredMessage],
    avoided: tuple[str, ...] = (),
) -> LoopOptions:
    """Return how the loop goes about plain talk, or a text that is wanted in the person's name."""
    wished = WantedText(without_asides(text), context=context_of(text, history)) if wants_draft(text) else None
    draft, most = (wished, _TALK_TOKENS) if redraft is None else (redraft.wanted, redraft.most_tokens)
    sentences = sentences_wanted(text) if draft is None else None
    avoided = avoided if draft is None else ()
    return replace(
        options, is_talk=True, answer_tokens=most, max_sentences=sentences, draft=draft, avoided=avoided
    )


def last_written(history: Sequence[StoredMessage], *, is_any: bool, is_bare: bool) -> str:
    """Return the newest answer where it is a text that was wished for, or one that was changed since; else "".

    Greetings and thanks in between, and their answers, are passed over; where the wish `is_bare`, other talk, too.
    `is_any`: whatever text it is.
    """
    turns = [(role, [one.text for one in said]) for role, said in groupby(history, key=lambda one: one.role)]
    if not turns or turns[-1][0] != "assistant":
        return ""
    written = ""
    for (_, asked), (_, answered) in list(zip(turns[-2::-2], turns[::-2], strict=False))[:MOST_TURNS]:
        if is_small_talk(asked[-1]) or _is_unchanged(answered[-1]):
            continue
        if is_any or wants_text(asked[-1]) or _brings(asked[-1]):
            return written or answered[-1]
        if may_redraft(asked[-1]):
            written = written or (answered[-1] if _is_told_by(answered[-1], asked[-1]) else "")
        elif not is_bare:
            break
    return ""


def _is_told_by(answer: str, asked: str) -> bool:
    """Tell whether an answer has the name that a message told: else that was about something else."""
    goes_on = _goes_on(asked)
    return goes_on is None or fold(goes_on.reader) in fold(answer)


def is_refused(answer: str) -> bool:
    """Tell whether an answer refused to reach or to pay somebody, for whom a text may be wanted then."""
    refusals = PIPELINE.cannot_do, PIPELINE.cannot_reach, PIPELINE.cannot_pay
    return any(say(one, language) in answer for one in refusals for language in LANGUAGES)


def _is_unchanged(text: str) -> bool:
    return text in {say(SKILLS.text_unchanged, language) for language in LANGUAGES}


def can_be_changed(text: str, least: int = _LEAST_WORDS) -> bool:
    """Tell whether an answer is a text of so many words, and no refusal, short enough to be written anew."""
    return len(text.split()) >= least and len(text) <= _MOST_CHARS and not _is_no_text(text)


def _is_no_text(text: str) -> bool:
    return any(say(one, language) in text for one in _NO_TEXTS for language in LANGUAGES)
