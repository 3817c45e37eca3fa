"""What an ability finds when it registers, and where it puts what it brings."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from app.asking.asking import Asking
from app.charts.charts import Charts
from app.commands.registry import CommandRegistry
from app.config import Settings
from app.database.db import Database, Running, Transaction
from app.database.repositories.outbox import LostMessage
from app.database.repository import Repository
from app.domain.connecting import Connect, Reception
from app.domain.health import Examine
from app.domain.ids import UserId
from app.domain.inbound import AccountNotice
from app.domain.outbound import Button
from app.domain.places import Places
from app.domain.ports import ChatModel, Children, Clock, MaySend, MediaSource, PeoplesFiles, Templates, TurnControl
from app.domain.recollection import FileLock, ForgetElsewhere, Remembering, TakenBack
from app.domain.senses import Sense, Telling, Voice
from app.domain.turn import TurnContext
from app.embeddings.indexer import Indexer
from app.jobs import JobRunner, Pruning
from app.log import LogRing
from app.security.oversight import Oversight
from app.skills.alarms import AlarmDone, Alarms
from app.skills.amending import Amend
from app.skills.catalog import ToolCatalog
from app.skills.following.following import Recall
from app.skills.pages import Part, Preference
from app.skills.registry import SkillRegistry
from app.skills.selection import Certain, Need, Needs
from app.web.guard import Guard
from app.web.routes import PlainRoute

Aside = Callable[[TurnContext, Transaction], Awaitable[str]]
"""Returns what a person is told with their next answer, or "", and notes in the transaction that it was."""


AnswerButton = Callable[[TurnContext], Awaitable[Button | None]]
"""Returns what a person may press under the answer of a turn, if anything."""


@dataclass(frozen=True, slots=True)
class Channel:
    """The way to the people: their turns, what they see meanwhile, and what is sent to them.

    `wake` sends at once what was put in these people's outboxes. `pause_reason` says why nothing is sent at
    the moment, if so. `is_idle` tells whether no turn is running. `admins` and `allowed` are aliases.
    `show_typing` brings back the mark that something we sent has ended. `may_send` asks the `limits` of all
    abilities. `begin` takes up what was put in these people's inboxes.
    """

    turns: TurnControl
    media: MediaSource
    admins: frozenset[str]
    allowed: frozenset[str]
    wake: Callable[[frozenset[UserId]], None]
    pause_reason: Callable[[], str | None]
    is_idle: Callable[[], bool]
    show_typing: Callable[[UserId], None]
    may_send: MaySend
    begin: Callable[[frozenset[UserId]], None]


@dataclass(frozen=True, slots=True)
class Process:
    """The running program, for whoever asks about it.

    `root` is the folder of its source; `health` gives one line for each of its parts. `guard` knows who is let in
    on this machine without a name; `examine` checks every hop and `connect` connects a number, where somebody
    brought that; `reception` answers Meta for that number meanwhile. Of several processes, the one that `is_chief`
    does what is done once; `list_all` tells of all; None: this one is alone.
    """

    root: Path
    logs: LogRing
    health: Callable[[], Awaitable[Mapping[str, str]]]
    guard: Guard
    examine: Examine | None = None
    connect: Connect | None = None
    reception: Reception = field(default_factory=Reception)
    is_chief: Callable[[], bool] = lambda: True
    list_all: Callable[[], Awaitable[Sequence[Running]]] | None = None


@dataclass(frozen=True, slots=True)
class Kit:
    """The core as an ability sees it; `register(kit)` of each ability is called once, before any message is read.

    What a command does to the machine, or to its guards, runs through `oversight`, which keeps rules and record.
    `repository` has the tables of the core; an ability opens its own over `db`. `model` takes its turn behind
    whoever else asks it. `vision` is the one that sees, if it is there.
    `web` is the client for the rest of the internet. `asking` puts questions to people.
    With `is_small_model`, what must be exact is quoted by code.

    An ability adds its own to `tools`, to the `catalog` if it brings tools from elsewhere, to `commands`, `jobs`
    (reconcilers in the background; `jobs.wake` when there is something to do) and `routes`, and to `running`
    what runs as long as the application does: entered in this order, left in the reverse one; `everywhere` also in
    a process that only serves pages. `remembering` tells what comes to mind for a message and keeps what it tells,
    `taken_back` is told of messages that were revoked or rewritten. What is to be found by meaning is added to
    `repository.embeddings`, and `indexer` finds it; it is None without an embedder. Whoever keeps something of a
    person's beside the tables adds to `forgetting` how it goes with them, and whoever writes into their folder a
    lock to `file_locks`. `senses` put messages with files in words, each those of a type; `tellings`
    answer, before any model is asked, questions about what was shown; `voices` may turn an answer into speech.
    `children` does heavy work outside this process, `charts` draws series with it. `files` has what is
    kept of people as files. Whoever works beside the jobs
    adds to `idles` how to wait for that. What goes by itself when it is old is in `prunings`. `needs` are asked
    which categories the form of a message is sure to need, `certain` for calls that need no model, `amending` by
    table for those that put right what was just kept, `retelling` for those that tell it again, `recalls` for what
    the last answer told of, which a message may be about. Who has something
    to be told at a time asks `alarms`,
    and hears in `when_done` that it is done. `limits` may stop messages from going out; where there are any, what
    waits is told with an answer by `when_held`. Under an answer stands the first of `answer_buttons` that is for
    its turn. `statuses` are lines of /status, `home` the parts of it that people may look at, `preferences` what
    each sets there for themselves. `when_lost` hears of messages that answered nobody and were not delivered,
    `when_noticed` of what Meta says of the account.
    `templates` are those of the account; None: nobody said which account it is.
    """

    settings: Settings
    db: Database
    repository: Repository
    clock: Clock
    model: ChatModel
    indexer: Indexer | None
    web: httpx.AsyncClient
    channel: Channel
    asking: Asking
    process: Process
    places: Places
    tools: SkillRegistry
    catalog: ToolCatalog
    commands: CommandRegistry
    oversight: Oversight
    jobs: JobRunner
    vision: ChatModel
    children: Children
    charts: Charts
    files: PeoplesFiles
    is_small_model: bool = False
    templates: Templates | None = None
    routes: list[PlainRoute] = field(default_factory=list)
    running: list[AbstractAsyncContextManager[object]] = field(default_factory=list)
    everywhere: list[AbstractAsyncContextManager[object]] = field(default_factory=list)
    remembering: Remembering = field(default_factory=Remembering)
    taken_back: list[TakenBack] = field(default_factory=list)
    forgetting: list[ForgetElsewhere] = field(default_factory=list)
    file_locks: list[FileLock] = field(default_factory=list)
    senses: dict[str, Sense] = field(default_factory=dict)
    tellings: list[Telling] = field(default_factory=list)
    voices: list[Voice] = field(default_factory=list)
    statuses: list[Callable[[TurnContext], Awaitable[Sequence[str]]]] = field(default_factory=list)
    idles: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    needs: list[Need] = field(default_factory=list)
    certain: list[Certain] = field(default_factory=list)
    amending: dict[str, Amend] = field(default_factory=dict)
    retelling: dict[str, Amend] = field(default_factory=dict)
    recalls: list[Recall] = field(default_factory=list)
    named: list[Needs] = field(default_factory=list)
    alarms: list[Alarms] = field(default_factory=list)
    when_done: list[AlarmDone] = field(default_factory=list)
    prunings: list[Pruning] = field(default_factory=list)
    limits: list[MaySend] = field(default_factory=list)
    when_held: list[Aside] = field(default_factory=list)
    answer_buttons: list[AnswerButton] = field(default_factory=list)
    home: list[Part] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    when_lost: list[Callable[[LostMessage], Awaitable[None]]] = field(default_factory=list)
    when_noticed: list[Callable[[AccountNotice], None]] = field(default_factory=list)
