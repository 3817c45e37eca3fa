"""The prompts of a turn for a small model whose messages are sorted beforehand: short, with one purpose each."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.database.repositories.conversations import StoredMessage
from app.domain.chat import ChatMessage, ChatRequest
from app.domain.recollection import Remembrance
from app.domain.wording import fold, one_line
from app.language.catalogue import LANGUAGE_NAMES, LANGUAGES, Language
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.answering.builder import NOTE_OPENING, Background, ContextBuilder, NewestMessage
from app.pipeline.answering.drafts import Redraft, context_of
from app.pipeline.answering.shown import Shown
from app.pipeline.lexicon import SAID_TO_THEM, is_small_talk, translates, wants_draft
from app.pipeline.lexicon.moods import mood_of
from app.pipeline.lexicon.world import asks_of_those
from app.skills.unusable import is_news
from app.skills.writing.told import without_asides
from app.skills.writing.wishes import find_text_wish, is_spoken

TALK_TOKENS: Final = 2_000
"""What a prompt of plain talk takes at most, its answer included: more confuses a small model."""
_HISTORY_TOKENS: Final = 300
"""What earlier messages take of it at most: a model without a graphics card reads about 65 tokens a second, and it
reads all of them where something else was asked of it meanwhile."""
_BEFORE_CHARS: Final = 200
_QUOTE_CHARS: Final = 400
_BEFORE_NEWS: Final = 4
"""How many earlier messages are read above news, whose prompt takes no conversation's place in the cache."""
_MARK: Final = re.compile(r"[,;:.!?¡¿…\n]\s{0,3}")
_QUOTED: Final = re.compile(
    r"(?<!\w)(?:\"[^\"\n]{2,200}\"|'[^'\n]{2,200}'(?!\w)|“[^”\n]{2,200}”|«[^»\n]{2,200}»|‘[^’\n]{2,200}’)"
)
_POINTING: Final = COMMON_WORDS["pointing"]
_LEAST_TO_TRANSLATE: Final = 2
_LEAST_STORY: Final = 6
_TRANSLATING: Final = LatePattern(COMMON_WORDS.pattern("translating"))


class BriefBuilder:
    """Writes prompts for plain talk, for turns that want calls, and for a text that is to be changed.

    `talk` is the system text of the first; `shown` are the examples of texts in somebody's name, and of news.
    """

    def __init__(self, talk: str, shown: Shown, context_tokens: int) -> None:
        most = min(context_tokens, TALK_TOKENS)
        self._talk = ContextBuilder(talk, most, history_tokens=_HISTORY_TOKENS, newest=_talk_message)
        self._alone = ContextBuilder("", most, newest=_draft_message)
        self._shown = shown

    def opening(self, capabilities: str) -> ChatMessage:
        """Return what plain talk begins with; it does not name the `capabilities`."""
        return self._talk.opening("")

    def prefixes(self) -> tuple[ChatRequest, ...]:
        """Return what prompts begin with beside `opening`."""
        opening = self._talk.opening("")
        each = (self._shown.answered(language, _note("", language)) for language in LANGUAGES)
        return tuple(ChatRequest((opening, *news), temperature=0.0, purpose="closing") for news in each)

    def avoided(self, newest: NewestMessage) -> tuple[str, ...]:
        """Return the words that the answer to a message should rather not have; none where it asks something."""
        return self._shown.avoided(newest.language) if _tells(newest) else ()

    def build_talk(
        self,
        history: list[StoredMessage],
        newest: NewestMessage,
        background: Background,
        recalled: Sequence[Remembrance],
    ) -> tuple[ChatMessage, ...]:
        """Return a short system text, the last turns, and the message with what is known of the person.

        Raises:
            Permanent: the newest message alone is too long (`llm_prompt_too_long`).
        """
        newest = replace(newest, guidance=self._guidance(history, newest))
        passing = (*background.passing, *(one.plainly for one in recalled))
        if wants_draft(newest.text) and newest.quoted is None and not translates(newest.text):
            return self._build_draft(history, newest, replace(background, passing=passing))
        background = replace(background, passing=passing)
        newest = replace(newest, text=without_story(newest.text))
        if _tells(newest):
            opening, *said = self._talk.build(history[-_BEFORE_NEWS:], newest, background)
            return (opening, *self._shown.answered(newest.language, _note("", newest.language)), *said)
        # Shown a greeting that was answered, a small model answers a wish with another one.
        before = history if is_small_talk(newest.text) else without_small_talk(history)
        return self._talk.build(before, newest, background)

    def _guidance(self, history: Sequence[StoredMessage], newest: NewestMessage) -> str:
        """Return how to speak to who just told of a loss or a joy, or did in the message before."""
        before = next((one.text for one in reversed(history) if one.role == "user"), "")
        is_still = _tells(newest) and mood_of(before) == "sorrow"
        mood = mood_of(newest.text) or ("sorrow" if is_still else None)
        return "" if translates(newest.text) else self._shown.guidance(mood, newest.language)

    def _build_draft(
        self, history: Sequence[StoredMessage], newest: NewestMessage, background: Background
    ) -> tuple[ChatMessage, ...]:
        """Return examples of texts and the wish for one, below what was said before where that is about it.

        Beside answers of its own, a small model answers the person.
        """
        wish, context = without_asides(newest.text), context_of(newest.text, history)
        newest = replace(newest, text="\n".join(filter(None, (context, wish))))
        _, asked = self._alone.build([], newest, background)
        draft = find_text_wish(wish)
        return (*self._shown.written(newest.language, is_spoken=draft is not None and is_spoken(draft)), asked)

    def build_redraft(self, redraft: Redraft) -> tuple[ChatMessage, ...]:
        """Return a text and what is to be changed about it, without the conversation: shown the text as an answer
        of its own, a small model gives it again."""
        wanted = redraft.wanted
        prompt = self._shown.brought if wanted.is_brought else self._shown.changed
        return prompt(wanted.before, wanted.change, redraft.asked, redraft.language)

    def build_call(
        self,
        history: Sequence[StoredMessage],
        newest: NewestMessage,
        background: Background,
        *,
        refers_back: bool,
    ) -> tuple[ChatMessage, ...]:
        """Return the message, and what it refers to; the text above it is the protocol's."""
        before = list(background.passing)
        if newest.quoted is not None:
            before.append(f'It quotes: "{one_line(newest.quoted.text, _QUOTE_CHARS)}"')
        if refers_back:
            before += _exchange(history)
        return (ChatMessage("user", "\n".join([f"{newest.text}\n", f"[{'; '.join(before)}]"])),)


def without_story(text: str) -> str:
    """Return the question alone of a message that asks for a translation somewhere in a story, else the message.

    A small model translates the story.
    """
    asked = _TRANSLATING.search(text) or SAID_TO_THEM.search(text)
    if asked is None:
        return text
    begin = max((mark.end() for mark in _MARK.finditer(text, 0, asked.start())), default=0)
    said = _QUOTED.search(text, asked.end() - 1) or _QUOTED.search(text, begin)
    # What is to be translated may stand behind any mark but the question's own.
    end = text.find("?", asked.end()) if said is None else _end_of(text, max(asked.end(), said.end()))
    question = text[begin : end if end >= 0 else len(text)].strip()
    is_whole = said is not None or len(question.split()) - len(asked[0].split()) >= _LEAST_TO_TRANSLATE
    is_story = len(text.split()) - len(question.split()) >= _LEAST_STORY
    is_pointing = said is None and not _POINTING.isdisjoint(fold(question).split())
    return question if is_whole and is_story and not is_pointing else text


def _end_of(text: str, at: int) -> int:
    mark = _MARK.search(text, at)
    return -1 if mark is None else mark.start()


def _exchange(history: Sequence[StoredMessage]) -> list[str]:
    """The last thing that the person said, and its answer."""
    last = {one.role: one_line(one.text, _BEFORE_CHARS) for one in history[-2:]}
    return [f'Before: "{last.get("user", "")}" = {last.get("assistant", "")}'] if last.get("user") else []


def without_small_talk(history: Sequence[StoredMessage]) -> list[StoredMessage]:
    """Leave out the turns in which the person only greeted, thanked or said good-bye."""
    meant = {one.turn_id for one in history if one.role == "user" and not is_small_talk(one.text)}
    asked = {one.turn_id for one in history if one.role == "user"}
    return [one for one in history if one.turn_id in meant or one.turn_id not in asked]


def _known(background: Background) -> list[str]:
    facts = [f"- {fact}" for fact in background.passing]
    return ["What you know about this person:\n" + "\n".join(facts)] if facts else []


def _draft_message(text: str, _: NewestMessage, background: Background) -> ChatMessage:
    return ChatMessage("user", "\n\n".join([*_known(background), text]))


def _talk_message(text: str, newest: NewestMessage, background: Background) -> ChatMessage:
    parts = _known(background)
    if newest.quoted is not None:
        parts.append(f'The message quotes: "{one_line(newest.quoted.text, _QUOTE_CHARS)}"')
    return ChatMessage("user", "\n\n".join([*parts, text, _note(text, newest.language, newest.guidance)]))


def _tells(newest: NewestMessage) -> bool:
    """Tell whether a message is news, which wants interest and nothing else."""
    text = newest.text
    return newest.quoted is None and is_news(text) and not (is_small_talk(text) or asks_of_those(text))


def _note(text: str, language: Language, guidance: str = "") -> str:
    """Return what is wanted of an answer, with the `guidance`.

    Told to reply in Spanish, a small model translates into Spanish.
    """
    wanted = f"reply in {LANGUAGE_NAMES[language]}"
    if translates(text):
        other = LANGUAGE_NAMES[LANGUAGES[LANGUAGES.index(language) - 1]]
        wanted = f"give the translation into {other}" if SAID_TO_THEM.search(text) else "give the translation"
    return f"{NOTE_OPENING} {'; '.join(filter(None, (wanted, guidance)))}]"
