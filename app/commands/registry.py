"""Slash commands: their specifications, how a text becomes one, and /help."""

import difflib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from app.commands.texts import COMMANDS
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import LANGUAGES, Language, Sentence, say
from app.language.hasty import as_wished
from app.language.late import LatePattern

_COMMAND: Final = re.compile(r"\s*/([a-zA-Z][\w-]*)(?:\s+(.*))?", re.DOTALL)

_LONGEST_PHRASE: Final = 60
_LONGEST_REASON: Final = 120

CommandHandler = Callable[[str, TurnContext], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """`is_control` lets a command run beside the user's running turn instead of behind it.

    `phrases` (folded) are messages that mean it without a slash, `wording` the pattern of such, folded too.
    `also` is what the command is called in each language; all of these names count, whatever a person speaks.
    Behind a reason, as `ending`, it is meant only while `applies`.
    `secret_words`: a message whose first argument is one of these holds a secret, so its text is kept nowhere.
    """

    name: str
    summary: Sentence
    run: CommandHandler
    is_control: bool = False
    aliases: tuple[str, ...] = ()
    also: Sentence | None = None
    secret_words: tuple[str, ...] = ()
    phrases: frozenset[str] = frozenset()
    wording: LatePattern | None = None
    ending: LatePattern | None = None
    applies: Callable[[TurnContext], Awaitable[bool]] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Every word that calls it, the canonical one first."""
        spoken = () if self.also is None else (say(self.also, language) for language in LANGUAGES)
        return tuple(dict.fromkeys((self.name, *self.aliases, *spoken)))

    def language_of(self, name: str) -> Language | None:
        """Return the only language in which that is its name; the canonical name and aliases belong to all."""
        if self.also is None or name in (self.name, *self.aliases):
            return None
        speaking = [language for language in LANGUAGES if say(self.also, language) == name]
        return speaking[0] if len(speaking) == 1 else None

    def is_meant(self, said: str) -> bool:
        """Tell whether a message, folded, means it as a whole."""
        return said in self.phrases or (self.wording is not None and self.wording.fullmatch(said) is not None)


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """`is_sure` is False where the message means it only while the command applies."""

    name: str
    args: str
    is_sure: bool = True


def parse_command(text: str) -> ParsedCommand | None:
    """Read `/name args`; None when the text is not a command (a path such as `/etc/hosts` is not)."""
    match = _COMMAND.fullmatch(text)
    return None if match is None else ParsedCommand(fold(match[1]), (match[2] or "").strip())


class CommandRegistry:
    """The commands by name, in the order in which `/help` lists them."""

    def __init__(self) -> None:
        self._by_name: dict[str, CommandSpec] = {}
        self._said: set[str] = set()

    def add(self, spec: CommandSpec) -> None:
        """Register a command.

        Raises:
            ValueError: the name is taken.
        """
        for name in spec.names:
            if name in self._by_name:
                raise ValueError(f"command {name} is already registered")
        self._by_name.update(dict.fromkeys(spec.names, spec))

    def say_plainly(self, *names: str) -> None:
        """Take a message that begins with one of these names, and says more, for a message: "/note the code …"."""
        self._said.update(names)

    def find(self, name: str) -> CommandSpec | None:
        return self._by_name.get(name)

    def parse(self, text: str) -> ParsedCommand | None:
        """Read `/name args`, or a message that means a command as a whole."""
        if (command := parse_command(text)) is not None or len(text) > _LONGEST_REASON:
            return None if command is not None and command.args and command.name in self._said else command
        said = " ".join(fold(as_wished(text)).strip(" .!?¡¿").split())
        specs = self.list_all()
        named = next((one.name for one in specs if len(text) <= _LONGEST_PHRASE and one.is_meant(said)), None)
        if named is not None:
            return ParsedCommand(named, "")
        ended = next((one.name for one in specs if one.ending is not None and one.ending.fullmatch(said)), None)
        return None if ended is None else ParsedCommand(ended, "", is_sure=False)

    async def applies(self, command: ParsedCommand, ctx: TurnContext) -> bool:
        """Tell whether what a message seems to mean is to be done: always, but where it is not sure."""
        spec = self.find(command.name)
        if command.is_sure or spec is None or spec.applies is None:
            return command.is_sure
        return await spec.applies(ctx)

    def language_of(self, text: str) -> Language | None:
        """Return the language that the name of a command tells: `/ayuda` is Spanish, `/help` is anybody's."""
        command = parse_command(text)
        spec = self.find(command.name) if command is not None else None
        return spec.language_of(command.name) if command is not None and spec is not None else None

    def find_closest(self, name: str) -> CommandSpec | None:
        """Return the command that was probably meant."""
        close = difflib.get_close_matches(name, self._by_name, n=1, cutoff=0.6)
        return self._by_name[close[0]] if close else None

    def list_all(self) -> tuple[CommandSpec, ...]:
        return tuple(dict.fromkeys(self._by_name.values()))

    def is_control(self, text: str) -> bool:
        """Tell whether a text must not wait behind the user's running turn."""
        command = parse_command(text)
        spec = self.find(command.name) if command is not None else None
        return spec is not None and spec.is_control

    def carries_secret(self, text: str) -> bool:
        """Tell whether a text is a command that gives a secret, so that it may be kept nowhere."""
        command = parse_command(text)
        spec = self.find(command.name) if command is not None else None
        if command is None or spec is None:
            return False
        return any(word in spec.secret_words for word in command.args.lower().split(maxsplit=1)[:1])


def add_help(registry: CommandRegistry) -> None:
    """Add /help, which lists every command, those that come later too."""

    async def show_help(args: str, ctx: TurnContext) -> Reply:
        lines = [f"- `/{spec.name}` {say(spec.summary, ctx.language)}" for spec in registry.list_all()]
        title, footer = say(COMMANDS.help_title, ctx.language), say(COMMANDS.help_footer, ctx.language)
        return Reply("\n".join([title, "", *lines, "", footer]))

    registry.add(CommandSpec("help", COMMANDS.help_help, show_help, also=COMMANDS.name_help))
