"""What must hold of the ledger whatever happens, as one reading of the database shows it.

- `chain`: what a transfer says that an account had afterwards is what it had before, and the transfer.
- `balance`: an account has what its newest transfer says, and the newest is the one that it names.
- `negative`: none but the mint is below zero.
- `escrow`: nothing lies with a match that is settled, and the stakes of all seats with one that is not.
- `sum`: all accounts together have nothing.

So each balance is the sum of the account's transfers.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

from services.wallet.ledger_sql import Rows, snapshot
from services.wallet.schema import MINT
from shared.kit.database import Database

MOST_BREACHES: Final = 20
TRANSFERS_AT_ONCE: Final = 5_000
ACCOUNTS_AT_ONCE: Final = 500
"""In one statement."""

_SIDES: Final = """
SELECT id, debit AS account_id, -amount AS coins, debit_after AS after FROM transfers WHERE id > $1 AND id <= $2
UNION ALL SELECT id, credit, amount, credit_after FROM transfers WHERE id > $1 AND id <= $2
"""
_BEFORE: Final = """
COALESCE((SELECT after FROM (
    SELECT * FROM (SELECT id, debit_after AS after FROM transfers WHERE debit = {account} AND id < {id}
        ORDER BY id DESC LIMIT 1) AS debits
    UNION ALL SELECT * FROM (SELECT id, credit_after FROM transfers WHERE credit = {account} AND id < {id}
        ORDER BY id DESC LIMIT 1) AS credits
) AS earlier ORDER BY id DESC LIMIT 1), 0)
"""
_CHAIN: Final = f"""
SELECT account_id, id, after, before + coins FROM (
    SELECT id, account_id, coins, after, COALESCE(
        within, {_BEFORE.format(account="linked.account_id", id="linked.id")}
    ) AS before FROM (
        SELECT id, account_id, coins, after, lag(after) OVER (PARTITION BY account_id ORDER BY id) AS within
        FROM ({_SIDES}) AS sides
    ) AS linked
) AS chained WHERE after <> before + coins ORDER BY id LIMIT {MOST_BREACHES}
"""
_STAKED: Final = """
(SELECT CASE WHEN settled_ms IS NULL THEN stake_coins * (
    SELECT count(*) FROM hold_seats WHERE hold_seats.match_id = holds.match_id
) ELSE 0 END FROM holds WHERE holds.match_id = substr(chosen.account_id, 8))
"""
_BALANCES: Final = f"""
SELECT * FROM (
    SELECT account_id, balance, {_BEFORE.format(account="chosen.account_id", id=2**62)} AS told, last_transfer,
        COALESCE((SELECT max(id) FROM (
            SELECT max(id) AS id FROM transfers WHERE debit = chosen.account_id
            UNION ALL SELECT max(id) FROM transfers WHERE credit = chosen.account_id
        ) AS newest), 0) AS newest,
        CASE WHEN account_id LIKE 'escrow:%' THEN COALESCE({_STAKED}, 0) ELSE balance END AS staked
    FROM (SELECT account_id, balance, last_transfer FROM accounts WHERE {{chosen}}) AS chosen
) AS found WHERE balance <> told OR last_transfer <> newest OR balance <> staked
    OR (balance < 0 AND account_id <> '{MINT}')
ORDER BY account_id LIMIT {MOST_BREACHES}
"""
_TOUCHED: Final = f"account_id IN (SELECT account_id FROM ({_SIDES}) AS sides)"
_BETWEEN: Final = "account_id > $1 AND account_id <= $2"


class Breach(NamedTuple):
    """Something that does not hold: by which rule, and where."""

    rule: str
    detail: str


class Report(NamedTuple):
    """What a check of everything found, the first 20 breaches, and how much it looked at."""

    breaches: tuple[Breach, ...]
    accounts: int
    transfers: int


class Reading:
    """The ledger at one moment."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    async def newest(self) -> int:
        """The id of the newest transfer."""
        return int((await self._rows.fetch("SELECT COALESCE(max(id), 0) FROM transfers"))[0][0])

    async def count(self) -> int:
        """How many transfers there are."""
        return int((await self._rows.fetch("SELECT count(*) FROM transfers"))[0][0])

    async def transfers(self, after: int, until: int) -> list[Breach]:
        """Whether those with ids above `after` up to `until` follow from the ones before them."""
        found = await self._rows.fetch(_CHAIN, after, until)
        return [Breach("chain", f"transfer {row[1]}: {row[0]} has {row[2]}, not {row[3]}") for row in found]

    async def touched(self, after: int, until: int) -> list[Breach]:
        """Whether the accounts that those transfers moved coins of have what they should."""
        return _of_accounts(await self._rows.fetch(_BALANCES.format(chosen=_TOUCHED), after, until))

    async def accounts(self, after: str, most: int) -> tuple[list[Breach], str, int]:
        """Whether accounts with names above `after` have what they should: so many at the most.

        Also the last of them, empty where there is none, and how many they were.
        """
        last, count = (
            await self._rows.fetch(
                "SELECT COALESCE(max(account_id), ''), count(*) FROM ("
                " SELECT account_id FROM accounts WHERE account_id > $1 ORDER BY account_id LIMIT $2) AS page",
                after,
                most,
            )
        )[0]
        return _of_accounts(await self._rows.fetch(_BALANCES.format(chosen=_BETWEEN), after, last)), last, count

    async def total(self) -> list[Breach]:
        """Whether all accounts together have nothing."""
        total = (await self._rows.fetch("SELECT COALESCE(sum(balance), 0) FROM accounts"))[0][0]
        return [Breach("sum", f"all accounts together have {total}")] if total else []


@asynccontextmanager
async def reading(database: Database) -> AsyncIterator[Reading]:
    """A reading of the ledger."""
    async with snapshot(database) as rows:
        yield Reading(rows)


async def check_all(ledger: Reading) -> Report:
    """Look at everything, in slices."""
    breaches: list[Breach] = []
    newest = await ledger.newest()
    for after in range(0, newest, TRANSFERS_AT_ONCE):
        breaches += await ledger.transfers(after, min(after + TRANSFERS_AT_ONCE, newest))
    last, accounts, more = "", 0, True
    while more:
        found, last, count = await ledger.accounts(last, ACCOUNTS_AT_ONCE)
        breaches += found
        accounts += count
        more = count == ACCOUNTS_AT_ONCE
    breaches += await ledger.total()
    return Report(tuple(breaches[:MOST_BREACHES]), accounts, await ledger.count())


def _of_accounts(found: Sequence[Any]) -> list[Breach]:
    """The rules that accounts break which are not as they should be."""
    breaches: list[Breach] = []
    for account, balance, told, last_transfer, newest, staked in found:
        if balance != told:
            breaches.append(Breach("balance", f"{account} has {balance}, and its transfers come to {told}"))
        elif last_transfer != newest:
            breaches.append(Breach("balance", f"{account} names transfer {last_transfer}, and the newest is {newest}"))
        if balance < 0 and account != MINT:
            breaches.append(Breach("negative", f"{account} has {balance}"))
        if balance != staked:
            breaches.append(Breach("escrow", f"{account} has {balance}, and {staked} are staked"))
    return breaches
