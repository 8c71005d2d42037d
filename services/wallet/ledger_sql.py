"""The ledger's rows: read and locked for a batch of orders, and written for it, in a few statements.

All locks of a batch are taken at its beginning, in the order of the accounts' names, so that no two batches can each
wait for the other. What is read after that of these accounts (their transfers, the hold of a match, whose coins lie in
its escrow) nobody else changes until the batch is committed.
"""

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.books import Books, Cause, Hold, Needs, Player, Posted, Settlement, Transfer
from shared.kit.database import Database

PLAYER_COLUMNS: Final = (
    "account_id, claim_day, claim_command, claim_coins, claim_balance, streak_days, free_day, free_wins"
)
_READ_ONLY: Final = "EXISTS (SELECT 1 FROM breaches WHERE cleared_ms IS NULL)"
_CAUSES: Final = {cause.value: cause for cause in Cause}


class Rows:
    """A connection in a transaction, with SQL whose parameters are `$1`, `$2`, ..., and may be lists."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self.on_sqlite = connection.dialect.name == "sqlite"

    async def fetch(self, query: str, *values: object) -> Sequence[Any]:
        """All rows. `in_list($1)` is true of what is in the list of that number; of texts alone."""
        if self.on_sqlite:
            query = query.replace("in_list(", "IN (SELECT value FROM json_each(").replace("$", "?")
            values = tuple(json.dumps(value) if isinstance(value, list) else value for value in values)
        else:
            query = query.replace("in_list(", "= ANY((")
        result = await self._connection.exec_driver_sql(query, values)
        return result.all() if result.returns_rows else ()

    async def insert(self, into: str, types: Sequence[str], rows: Sequence[tuple[Any, ...]], more: str = "") -> None:
        """Insert rows in their order. `types`: of the columns, as Postgres calls them."""
        if not rows:
            return
        if self.on_sqlite:
            query = f"INSERT INTO {into} VALUES ({', '.join('?' * len(types))}) {more}"
            await self._connection.exec_driver_sql(query, list(rows))
            return
        columns = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(types, 1))
        names = ", ".join(f"c{number}" for number in range(len(types)))
        query = (
            f"INSERT INTO {into} SELECT {names} FROM unnest({columns}) WITH ORDINALITY AS fresh ({names}, number)"
            f" ORDER BY number {more}"
        )
        await self._connection.exec_driver_sql(query, tuple(map(list, zip(*rows, strict=True))))


@asynccontextmanager
async def snapshot(database: Database) -> AsyncIterator[Rows]:
    """To read with, all of it as of one moment."""
    async with database.reading() as connection:
        if not database.is_sqlite:
            await connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield Rows(connection)


async def load(rows: Rows, needs: Sequence[Needs]) -> Books:
    """The books that these orders need; their accounts are locked until the end of the transaction."""
    books = Books()
    if accounts := _all(need.accounts for need in needs):
        asked = (
            f"SELECT account_id, balance, {_READ_ONLY} FROM accounts WHERE account_id in_list($1)) ORDER BY account_id"
        )
        for account, balance, read_only in await rows.fetch(
            asked if rows.on_sqlite else f"{asked} FOR UPDATE", accounts
        ):
            books.balances[account] = balance
            books.read_only = bool(read_only)
    if not books.balances:
        books.read_only = bool((await rows.fetch(f"SELECT {_READ_ONLY}"))[0][0])
    if keys := _all(need.keys for need in needs):
        asked = (
            "SELECT key, debit, credit, amount, cause, match_id, debit_after, credit_after"
            " FROM transfers WHERE key in_list($1))"
        )
        books.posted = {row[0]: _posted(row) for row in await rows.fetch(asked, keys)}
    if matches := _all(need.matches for need in needs):
        await _load_matches(rows, books, matches)
    if players := _all(need.players for need in needs):
        asked = f"SELECT {PLAYER_COLUMNS} FROM players WHERE account_id in_list($1))"
        books.players = {row[0]: Player(*row) for row in await rows.fetch(asked, players)}
    if played := _all(need.played for need in needs):
        asked = "SELECT account_id, sum(played) FROM player_stats WHERE account_id in_list($1)) GROUP BY account_id"
        books.played = {row[0]: int(row[1]) for row in await rows.fetch(asked, played)}
    return books


async def store(rows: Rows, books: Books, now_ms: int) -> None:
    """Write what was added. Raises the driver's IntegrityError where another wrote something of it meanwhile."""
    opened = [(account, 0, 0) for account in sorted(books.opened)]
    await rows.insert("accounts (account_id, balance, last_transfer)", ("text", "bigint", "bigint"), opened)
    await rows.insert(
        "transfers (key, debit, credit, amount, cause, match_id, at_ms, debit_after, credit_after)",
        ("text", "text", "text", "bigint", "text", "text", "bigint", "bigint", "bigint"),
        [
            (one.key, one.debit, one.credit, one.amount, one.cause.value, one.match_id, now_ms, debited, credited)
            for one, debited, credited in books.new_posted
        ],
    )
    await _store_matches(rows, books, now_ms)
    changed = ", ".join(f"{name} = excluded.{name}" for name in PLAYER_COLUMNS.split(", ")[1:])
    await rows.insert(
        f"players ({PLAYER_COLUMNS}, opened_ms)",
        ("text", "int", "text", "int", "bigint", "int", "int", "int", "bigint"),
        [
            (
                one.account_id, one.claim_day, one.claim_command, one.claim_coins, one.claim_balance, one.streak_days,
                one.free_day, one.free_wins, now_ms,
            )
            for one in books.new_players.values()
        ],
        f"ON CONFLICT (account_id) DO UPDATE SET {changed}",
    )  # fmt: skip


async def _load_matches(rows: Rows, books: Books, matches: list[str]) -> None:
    # In one statement: who only looks has no lock, and would else see the one and not the other.
    asked = (
        "SELECT match_id, table_id, stake_coins, account_id FROM holds JOIN hold_seats USING (match_id)"
        " WHERE match_id in_list($1)) ORDER BY match_id, seat"
    )
    for match_id, table_id, stake_coins, account_id in await rows.fetch(asked, matches):
        seats = books.holds[match_id].account_ids if match_id in books.holds else ()
        books.holds[match_id] = Hold(match_id, table_id, stake_coins, (*seats, account_id))
    asked = "SELECT match_id, outcome, cause FROM settlements WHERE match_id in_list($1))"
    books.settlements = {row[0]: Settlement(*row) for row in await rows.fetch(asked, matches)}


async def _store_matches(rows: Rows, books: Books, now_ms: int) -> None:
    await rows.insert(
        "holds (match_id, table_id, stake_coins, at_ms)",
        ("text", "text", "int", "bigint"),
        [(hold.match_id, hold.table_id, hold.stake_coins, now_ms) for hold in books.new_holds],
    )
    await rows.insert(
        "hold_seats (match_id, seat, account_id, held)",
        ("text", "int", "text", "bool"),
        [
            (hold.match_id, seat, account_id, True)
            for hold in books.new_holds
            for seat, account_id in enumerate(hold.account_ids)
        ],
    )
    await rows.insert(
        "settlements (match_id, outcome, cause, at_ms)",
        ("text", "text", "text", "bigint"),
        [(*settlement, now_ms) for settlement in books.new_settlements],
    )
    if settled := [settlement.match_id for settlement in books.new_settlements]:
        await rows.fetch("UPDATE holds SET settled_ms = $2 WHERE match_id in_list($1))", settled, now_ms)
        await rows.fetch("UPDATE hold_seats SET held = FALSE WHERE match_id in_list($1))", settled)


def _all(wanted: Iterable[Sequence[str]]) -> list[str]:
    return sorted({one for some in wanted for one in some})


def _posted(row: Any) -> Posted:
    key, debit, credit, amount, cause, match_id, debit_after, credit_after = row
    return Posted(Transfer(key, debit, credit, amount, _CAUSES[cause], match_id), debit_after, credit_after)
