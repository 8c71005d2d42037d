"""A wallet without its service: ledger, holds and grants on a database, as tests ask them."""

import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.app import MIGRATIONS
from services.wallet.books import Answer, Cause, Hold, Transfer, player_account
from services.wallet.days import Days
from services.wallet.grants import Grants, GrantSizes
from services.wallet.holds import HoldAnswer, Holds, SettleOutcome
from services.wallet.ledger import Ledger, open_ledger
from services.wallet.proving import Claim, Proof
from services.wallet.schema import MINT, PLAYER_STATS, metadata
from services.wallet.settling import Settling
from services.wallet.statements import Statements
from shared.kit.clock import Clock, VirtualClock
from shared.kit.database import Database, open_database
from shared.kit.metrics import Metrics
from shared.kit.migrations import migrate

SIZES = GrantSizes(welcome=1_000, daily=100, daily_step=20, daily_most=300, free_win=20, free_wins_a_day=5)
NEEDED = 3
FOUR = ("ada", "bob", "cy", "dee")
TABLE_ID = "5c4b3a29-0000-4000-8000-000000000001"


def match_id(number: int) -> str:
    """The id of a match."""
    return f"{number:032x}"


@dataclass
class Purses:
    """What a test asks."""

    database: Database
    clock: VirtualClock
    ledger: Ledger
    holds: Holds
    grants: Grants
    statements: Statements

    async def open(self, *account_ids: str, coins: int = 0, played: int = NEEDED) -> None:
        """Accounts that are named and have finished matches, with so many coins above the welcome grant."""
        for account_id in account_ids:
            await self.grants.open(account_id)
            if coins:
                await self.give(account_id, coins)
            if played:
                await self.finish(account_id, played)

    async def give(self, account_id: str, coins: int, key: str = "") -> Answer:
        """Coins from the mint."""
        key = key or f"given:{account_id}"
        return await self.ledger.post(Transfer(key, MINT, player_account(account_id), coins, Cause.FREE_WIN))

    async def finish(self, account_id: str, played: int, mode: str = "partners") -> None:
        """Matches that the account has finished, the first of that mode."""
        row = {"account_id": account_id, "preset": "sahrat", "mode": mode, "played": played, "won": 0}
        async with self.database.transaction() as connection:
            await connection.execute(PLAYER_STATS.insert().values(row))

    async def hold(self, number: int, stake: int = 100, accounts: Sequence[str] = FOUR) -> HoldAnswer:
        """Stakes of a match."""
        return await self.holds.hold(Hold(match_id(number), TABLE_ID, stake, tuple(accounts)))

    async def settle(self, number: int, *winners: str) -> SettleOutcome:
        """The pot to the winners."""
        async with self.database.transaction() as connection:
            return await self.holds.settle(connection, match_id(number), winners)

    async def refund(self, number: int, cause: str = "aborted") -> SettleOutcome:
        """Stakes given back."""
        async with self.database.transaction() as connection:
            return await self.holds.refund(connection, match_id(number), cause)

    async def balances(self) -> dict[str, int]:
        """What every account of the ledger has that has anything."""
        async with self.database.reading() as connection:
            rows = await connection.execute(text("SELECT account_id, balance FROM accounts WHERE balance <> 0"))
            return {row[0]: row[1] for row in rows}

    async def players(self) -> dict[str, int]:
        """What every player has that has anything."""
        return {
            name.removeprefix("player:"): coins
            for name, coins in (await self.balances()).items()
            if name.startswith("player:")
        }

    async def count(self, table: str) -> int:
        """Rows of a table."""
        async with self.database.reading() as connection:
            return int(await connection.scalar(text(f"SELECT count(*) FROM {table}")))


async def break_in(connection: AsyncConnection, statement: str) -> None:
    """Change what nobody may change, past all that the database watches over, within a transaction."""
    if connection.dialect.name == "sqlite":
        names = await connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'"))
        for name in names.scalars().all():
            await connection.execute(text(f"DROP TRIGGER {name}"))
        await connection.execute(text("PRAGMA ignore_check_constraints = ON"))
    else:
        await connection.execute(text("SET LOCAL session_replication_role = replica"))
        if "-1" in statement:
            await connection.execute(text("ALTER TABLE accounts DROP CONSTRAINT accounts_not_negative"))
    await connection.exec_driver_sql(statement)


async def make_database(path: Path) -> None:
    """A migrated SQLite database, to be copied: migrating takes longer than most tests."""
    async with open_database(f"sqlite:///{path}") as database:
        await migrate(database, MIGRATIONS)


@asynccontextmanager
async def copy_of(made: Path, folder: Path) -> AsyncIterator[Database]:
    """A database of the test's own."""
    path = folder / "wallet.db"
    shutil.copyfile(made, path)
    async with open_database(f"sqlite:///{path}") as database:
        yield database


@asynccontextmanager
async def emptied(url: str) -> AsyncIterator[Database]:
    """A database on Postgres, migrated if need be, with an empty ledger. Only a superuser gets past its triggers."""
    async with open_database(url) as database:
        await migrate(database, MIGRATIONS)
        async with database.transaction() as connection:
            await connection.execute(text("SET LOCAL session_replication_role = replica"))
            await connection.execute(text(f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY"))
            await connection.execute(text("INSERT INTO accounts VALUES ('mint', 0, 0), ('fees', 0, 0)"))
        yield database


@asynccontextmanager
async def purses(database: Database, sizes: GrantSizes = SIZES) -> AsyncIterator[Purses]:
    """On a migrated database; its clock stands still until a test moves it."""
    clock = VirtualClock()
    async with open_ledger(database, clock) as ledger:
        yield Purses(
            database,
            clock,
            ledger,
            Holds(ledger, NEEDED),
            Grants(ledger, clock, Days(180), sizes),
            Statements(database),
        )


def idle_settling(database: Database, ledger: Ledger, clock: Clock) -> Settling:
    """For a wallet that is told of free matches alone."""

    async def prove(claim: Claim) -> Proof:
        raise LookupError(f"nothing is at stake, and {claim} is to be proven")

    return Settling(database, Holds(ledger, NEEDED), prove, clock, Metrics(), proof_patience_ms=1)
