"""Questions in the home: what waits for the person's answer, as they were shown it, with its buttons."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from app.asking.asking import Asking
from app.asking.repository import ShownQuestion
from app.asking.showing import neutralise
from app.database.repository import Repository
from app.domain.ids import UserId
from app.domain.outbound import Buttons, ListMenu, OutText, words_of
from app.domain.wording import one_line
from app.skills.pages import Choice, Entry, Form, Page, Part, Section, Visit, bare, told
from app.skills.tools.oversight.texts import OVERSIGHT

_ICON: Final = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.5h.01"
_SUBJECT_CHARS: Final = 80
Wake = Callable[[frozenset[UserId]], None]


def waiting_part(asking: Asking, repository: Repository, *, wake: Wake, begin: Wake) -> Part:
    """Return the part. What is answered here is told in the chat, too.

    `wake` sends what was put into people's outboxes, `begin` takes up what waits in their inboxes.
    """

    async def show(visit: Visit) -> Page:
        found = await asking.list_shown(visit.user_id)
        entries = [_entry(one, visit) for one in found]
        return Page(
            [Section(entries=entries, empty=visit.say(OVERSIGHT.waiting_none))], visit.say(OVERSIGHT.waiting_intro)
        )

    async def summary(visit: Visit) -> str:
        return visit.say(OVERSIGHT.waiting_count, count=len(await asking.list_shown(visit.user_id)))

    async def answer(visit: Visit, form: Form) -> str:
        address = form.get("button", "")
        found = await asking.list_shown(visit.user_id)
        one = next((one for one in found if address in _buttons(one)), None)
        # One that was answered meanwhile, or is not the visitor's, is not pressed: its address proves nothing.
        if one is None:
            return visit.say(OVERSIGHT.waiting_over)
        answered = await asking.press(address, visit.ctx())
        if not answered.is_taken:
            return told(answered.reply) or visit.say(OVERSIGHT.waiting_over)
        said = _decided(one, _buttons(one)[address], told(answered.reply), visit)
        async with repository.transaction() as tx:
            await repository.outbox.add(
                visit.user_id, [OutText(_as_written(said))], visit.now, turn_id=None, tx=tx
            )
        wake(answered.concerned | {visit.user_id})
        begin(answered.concerned)
        return said

    return Part("questions", OVERSIGHT.waiting_title, _ICON, show, MappingProxyType({"answer": answer}), summary)


def _decided(one: ShownQuestion, button: str, reply: str, visit: Visit) -> str:
    """Say what was decided, and what came of it; the same on the page and in the chat."""
    asked = one_line(bare(words_of(one.messages[-1])), _SUBJECT_CHARS)
    return "\n".join(filter(None, (visit.say(OVERSIGHT.waiting_decided, question=asked, answer=button), reply)))


def _as_written(said: str) -> str:
    """Return a text for the chat in which nothing of what was quoted is formatted."""
    return "\n".join(map(neutralise, said.split("\n")))


def _entry(one: ShownQuestion, visit: Visit) -> Entry:
    texts = [bare(words_of(message)) for message in one.messages]
    title, _, rest = "\n".join(texts).strip().partition("\n")
    notes = []
    if one.expires_at is not None:
        notes.append(visit.say(OVERSIGHT.waiting_until, time=visit.told(one.expires_at)))
    buttons = _buttons(one)
    if not buttons:
        notes.append(visit.say(OVERSIGHT.waiting_type))
    choices = tuple(
        Choice("answer", label, MappingProxyType({"button": address})) for address, label in buttons.items()
    )
    return Entry(title, rest, notes=tuple(notes), tone="good", choices=choices)


def _buttons(one: ShownQuestion) -> dict[str, str]:
    """Return what can be pressed, by its address."""
    match one.messages[-1]:
        case Buttons(buttons=buttons):
            return {button.id: button.title for button in buttons}
        case ListMenu(sections=sections):
            return {row.id: row.title for section in sections for row in section.rows}
        case _:
            return {}
