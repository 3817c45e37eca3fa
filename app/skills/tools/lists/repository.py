"""Lists by name, each with items that are open or done; every row belongs to one person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from app.database.db import Database, Row, Transaction
from app.database.repositories.acts import Act, Undoable, recorded
from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.domain.wording import fold

UNDOABLE: Final = (
    Undoable("lists", ("name", "name_key")),
    Undoable("list_items", ("text", "text_key", "is_done")),
)

_DELETE: Final = "DELETE FROM list_items WHERE user_id = ?1 AND id = ?2"
_REWORD: Final = (
    "UPDATE list_items SET text = ?1, text_key = ?2 WHERE user_id = ?3 AND id = ?4 AND NOT EXISTS"
    " (SELECT 1 FROM list_items AS i WHERE i.list_id = list_items.list_id AND i.text_key = ?2 AND i.id <> ?4)"
)


@dataclass(frozen=True, slots=True)
class Item:
    id: int
    text: str
    is_done: bool


@dataclass(frozen=True, slots=True)
class NamedList:
    id: int
    name: str
    items: tuple[Item, ...] = ()

    @property
    def open_items(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if not item.is_done)


class Lists:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def list_all(self, user_id: UserId) -> list[NamedList]:
        """Return the person's lists with their items, the one used last first; open items before done ones."""
        lists = await self._db.fetch_all(
            "SELECT id, name FROM lists WHERE user_id = ? ORDER BY used_at DESC, id DESC", user_id
        )
        items = await self._db.fetch_all(
            "SELECT id, list_id, text, is_done FROM list_items WHERE user_id = ? ORDER BY is_done, id", user_id
        )
        return [
            NamedList(row["id"], row["name"], tuple(_item(one) for one in items if one["list_id"] == row["id"]))
            for row in lists
        ]

    async def add(
        self, user_id: UserId, name: str, texts: Sequence[str], at: datetime, *, act: Act | None = None
    ) -> None:
        """Put items on the list of that name, which is made when it is new; one that is done is open again."""
        async with recorded(self._db, act) as tx:
            await self._put(user_id, name, texts, at, tx)

    async def move(self, user_id: UserId, items: Sequence[Item], name: str, at: datetime, act: Act) -> None:
        """Put items on the list of that name instead of their own; what was taken off meanwhile is left out."""
        async with recorded(self._db, act) as tx:
            there = [
                item
                for item in items
                if await tx.execute("DELETE FROM list_items WHERE user_id = ? AND id = ?", user_id, item.id)
            ]
            await self._put(user_id, name, [item.text for item in there], at, tx)

    async def mark(self, user_id: UserId, items: Sequence[Item], *, is_done: bool, act: Act | None = None) -> int:
        """Check items off, or open them again; returns how many changed."""
        return await self._each(
            "UPDATE list_items SET is_done = ?3 WHERE user_id = ?1 AND id = ?2 AND is_done <> ?3",
            (user_id, act),
            items,
            int(is_done),
        )

    async def remove(
        self,
        user_id: UserId,
        items: Sequence[Item],
        act: Act | None = None,
        rest: Mapping[int, str] = MappingProxyType({}),
    ) -> int:
        """Take items off their list; returns how many were there. `rest` has what stays of one, by its id."""
        count = 0
        async with recorded(self._db, act) as tx:
            for item in items:
                left = rest.get(item.id)
                changed = await tx.execute(_REWORD, left, fold(left), user_id, item.id) if left else 0
                # Where the rest stands on the list already, none of it is left here.
                count += changed or await tx.execute(_DELETE, user_id, item.id)
        return count

    async def delete(self, user_id: UserId, list_id: int, act: Act | None = None) -> bool:
        """Delete a list with its items; returns whether it was there."""
        async with recorded(self._db, act) as tx:
            return bool(await tx.execute("DELETE FROM lists WHERE user_id = ? AND id = ?", user_id, list_id))

    async def reword(self, user_id: UserId, item: Item, text: str, act: Act | None = None) -> bool:
        """Write an item anew; returns whether it was still there, and nothing else on the list is called so."""
        async with recorded(self._db, act) as tx:
            changed = await tx.execute(_REWORD, text, fold(text), user_id, item.id)
        return bool(changed)

    async def rename(self, user_id: UserId, list_id: int, name: str, act: Act | None = None) -> bool:
        """Call a list otherwise; returns whether it was there, and no other is called so."""
        async with recorded(self._db, act) as tx:
            changed = await tx.execute(
                "UPDATE lists SET name = ?1, name_key = ?2 WHERE user_id = ?3 AND id = ?4 AND NOT EXISTS"
                " (SELECT 1 FROM lists AS l WHERE l.user_id = ?3 AND l.name_key = ?2 AND l.id <> ?4)",
                name,
                fold(name),
                user_id,
                list_id,
            )
        return bool(changed)

    async def use(self, user_id: UserId, list_id: int, at: datetime) -> None:
        """Note that the person has just dealt with this list."""
        async with self._db.transaction() as tx:
            await tx.execute(
                "UPDATE lists SET used_at = ? WHERE user_id = ? AND id = ?", to_ms(at), user_id, list_id
            )

    async def _put(self, user_id: UserId, name: str, texts: Sequence[str], at: datetime, tx: Transaction) -> None:
        list_id = await self._ensure(user_id, name, at, tx)
        for text in texts:
            await tx.execute(
                "INSERT INTO list_items(user_id, list_id, text, text_key, created_at) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT(list_id, text_key) DO UPDATE SET is_done = 0",
                user_id,
                list_id,
                text,
                fold(text),
                to_ms(at),
            )

    async def _ensure(self, user_id: UserId, name: str, at: datetime, tx: Transaction) -> int:
        row = await tx.fetch_one(
            "INSERT INTO lists(user_id, name, name_key, created_at, used_at) VALUES (?1, ?2, ?3, ?4, ?4)"
            " ON CONFLICT(user_id, name_key) DO UPDATE SET used_at = ?4 RETURNING id",
            user_id,
            name,
            fold(name),
            to_ms(at),
        )
        if row is None:
            raise LookupError("SQLite returned no id for a list that was made or used")
        return int(row["id"])

    async def _each(
        self, statement: str, whose: tuple[UserId, Act | None], items: Sequence[Item], *values: int
    ) -> int:
        user_id, act = whose
        async with recorded(self._db, act) as tx:
            return sum([await tx.execute(statement, user_id, item.id, *values) for item in items])


def _item(row: Row) -> Item:
    return Item(row["id"], row["text"], bool(row["is_done"]))
