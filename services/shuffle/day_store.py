"""Keeps days in SQL: each reveal's place in its day, and the roots and trees of days that are over."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from services.shuffle.day_tree import TILE, join, split
from shared.fairness.context import DealContext
from shared.fairness.day import DayRoot, Listed
from shared.kit.transactions import Rows, Transactions

DAY_MS: Final = 86_400_000
BATCH: Final = 256
EPOCH: Final = date(1970, 1, 1)

# Whoever takes places holds the row to the end of the transaction, so a day has no gap, and none is taken in a day
# that another has moved on from: what is numbered in it by then is all of it.
_TAKE_PLACES: Final = (
    "INSERT INTO open_day (id, day, reveal_count) VALUES (1, $1, $2) ON CONFLICT (id) DO UPDATE SET"
    " reveal_count = CASE WHEN open_day.day < excluded.day THEN 0 ELSE open_day.reveal_count END"
    " + excluded.reveal_count,"
    " day = CASE WHEN open_day.day < excluded.day THEN excluded.day ELSE open_day.day END RETURNING day, reveal_count"
)
_WITHOUT_PLACE: Final = (
    "SELECT match_id, deal_no, attempt FROM attempts WHERE secret IS NOT NULL AND leaf_day IS NULL"
    f" ORDER BY revealed_ms, match_id, deal_no, attempt LIMIT {BATCH}"
)
_PLACE: Final = "UPDATE attempts SET leaf_day = $4, leaf_no = $5 WHERE match_id = $1 AND deal_no = $2 AND attempt = $3"
_CONTEXT: Final = "m.series_id, m.match_no, m.match_id, a.deal_no, a.attempt, m.seats, m.rules_id"
_ATTEMPTS: Final = "FROM attempts a JOIN matches m ON m.match_id = a.match_id"
_LEAVES: Final = (
    f"SELECT {_CONTEXT}, a.commitment, a.secret, a.transcript {_ATTEMPTS}"
    " WHERE a.leaf_day = $1 AND a.leaf_no >= $2 AND a.leaf_no < $3 ORDER BY a.leaf_no"
)
_LISTED: Final = (
    f"SELECT {_CONTEXT}, a.commitment {_ATTEMPTS}"
    " WHERE a.leaf_day = $1 AND a.leaf_no >= $2 AND a.leaf_no < $3 ORDER BY a.leaf_no"
)
_OF_MATCH: Final = (
    f"SELECT {_CONTEXT}, a.commitment, a.leaf_day, a.leaf_no, a.secret IS NOT NULL {_ATTEMPTS}"
    " WHERE m.match_id = $1 AND a.deal_no >= $2 AND a.deal_no < $3 ORDER BY a.deal_no, a.attempt"
)
_NUMBERED: Final = "SELECT count(*), coalesce(max(leaf_no), -1) + 1 FROM attempts WHERE leaf_day = $1"
_FIRST: Final = "SELECT min(leaf_day) FROM attempts WHERE leaf_day IS NOT NULL"
_DAY: Final = "SELECT day, reveal_count, root, chain, previous_chain, signing_key_id, signature FROM days"
_ADD_DAY: Final = "INSERT INTO days VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING"
_ADD_TILE: Final = "INSERT INTO day_tiles (day, level, number, hashes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
_TILE: Final = "SELECT hashes FROM day_tiles WHERE day = $1 AND level = $2 AND number = $3"
_CONTEXT_SIZE: Final = 7


def date_of(day: int) -> str:
    """A day counted from 1970 as eight digits, year first."""
    return (EPOCH + timedelta(days=day)).strftime("%Y%m%d")


class Leaf(NamedTuple):
    """A reveal; `transcript` is None in a void attempt."""

    ctx: DealContext
    commitment: bytes
    secret: bytes
    transcript: bytes | None


class Placed(NamedTuple):
    """An attempt, and where its reveal stands; both are None until it is revealed."""

    listed: Listed
    day: int | None
    number: int | None
    revealed: bool


async def take_places(rows: Rows, now_ms: int, count: int) -> tuple[int, int]:
    """The day and the first number of `count` places in it, for the transaction's reveals; moves on to today.

    No other transaction takes places until this one has ended.
    """
    ((day, taken),) = await rows.fetch(_TAKE_PLACES, now_ms // DAY_MS, count)
    return day, taken - count


class DayStore:
    """The database of days."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def place_strays(self, now_ms: int) -> int:
        """Gives up to 256 reveals that have none their places today; how many. A release before this one gave none."""

        async def work(rows: Rows) -> int:
            await take_places(rows, now_ms, 0)
            strays = await rows.fetch(_WITHOUT_PLACE)
            day, first = await take_places(rows, now_ms, len(strays))
            for number, stray in enumerate(strays, start=first):
                await rows.fetch(_PLACE, *stray, day, number)
            return len(strays)

        return await self._transactions.write(work)

    async def first_open(self) -> int | None:
        """The day after the last one that is closed, or the first that has a reveal; None where none has."""
        ((after_last,),) = await self._fetch("SELECT max(day) + 1 FROM days")
        ((first,),) = await self._fetch(_FIRST)
        found: int | None = after_last or first
        return found

    async def leaf_count(self, day: int) -> int:
        """How many reveals a day has. Raises `RuntimeError` where its numbers have a gap: such a day is not signed."""
        ((count, numbers),) = await self._fetch(_NUMBERED, day)
        if count != numbers:
            raise RuntimeError(f"day {day} has {count} reveals, numbered up to {numbers}")
        return int(count)

    async def leaves(self, day: int, first: int) -> list[Leaf]:
        """Up to 256 reveals of a day from a number on, in their order."""
        rows = await self._fetch(_LEAVES, day, first, first + TILE)
        return [Leaf(DealContext(*row[:_CONTEXT_SIZE]), *row[_CONTEXT_SIZE:]) for row in rows]

    async def listed(self, day: int, first: int, most: int) -> list[Listed]:
        """Up to `most` reveals of a day from a number on, in their order."""
        return [_listed(row) for row in await self._fetch(_LISTED, day, first, first + most)]

    async def of_match(self, match_id: bytes, first_deal: int, end_deal: int) -> list[Placed]:
        """The attempts at a match's deals from the first up to the end, which is not among them; in their order."""
        rows = await self._fetch(_OF_MATCH, match_id, first_deal, end_deal)
        return [Placed(_listed(row), row[-3], row[-2], bool(row[-1])) for row in rows]

    async def day(self, day: int) -> DayRoot | None:
        """A day that is closed."""
        rows = await self._fetch(f"{_DAY} WHERE day = $1", day)
        return _day(rows[0]) if rows else None

    async def days(self, before: int, most: int) -> list[DayRoot]:
        """Up to `most` closed days before one, the newest first."""
        rows = await self._fetch(f"{_DAY} WHERE day < $1 ORDER BY day DESC LIMIT $2", before, most)
        return [_day(row) for row in rows]

    async def add_day(self, day: int, root: DayRoot) -> None:
        """Closes a day, for good: the first that does so counts."""
        values = root.count, root.root, root.chain, root.previous_chain, root.key, root.signature
        await self._write(_ADD_DAY, day, *values)

    async def add_tile(self, day: int, level: int, number: int, hashes: Sequence[bytes]) -> None:
        """Keeps a tile of a day's tree."""
        await self._write(_ADD_TILE, day, level, number, join(hashes))

    async def tile(self, day: int, level: int, number: int) -> list[bytes]:
        """The hashes of a tile."""
        ((hashes,),) = await self._fetch(_TILE, day, level, number)
        return split(hashes)

    async def _fetch(self, query: str, *values: object) -> Sequence[Any]:
        return await self._transactions.read(lambda rows: rows.fetch(query, *values))

    async def _write(self, query: str, *values: object) -> None:
        await self._transactions.write(lambda rows: rows.fetch(query, *values))


def _day(row: Sequence[Any]) -> DayRoot:
    return DayRoot(date_of(row[0]), *row[1:])


def _listed(row: Sequence[Any]) -> Listed:
    return Listed(DealContext(*row[:_CONTEXT_SIZE]), row[_CONTEXT_SIZE])
