"""What players and operators are shown of the ledger. Nothing here locks or changes anything."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from services.wallet.books import Player, escrow_account, player_account
from services.wallet.ledger_sql import PLAYER_COLUMNS, snapshot
from shared.kit.database import Database

_COLUMNS: Final = "id, at_ms, cause, debit, credit, amount, debit_after, credit_after, match_id, key"


class Line(NamedTuple):
    """A transfer as it stands in the ledger."""

    transfer_id: int
    at_ms: int
    cause: str
    debit: str
    credit: str
    coins: int
    debit_after: int
    credit_after: int
    match_id: str
    key: str


class Purse(NamedTuple):
    """What a player has: `player` is None where no account was opened."""

    player: Player | None
    balance: int
    held: int
    matches_finished: int


class TrialBalance(NamedTuple):
    """Of each kind of account how many there are and what they have together; how many transfers there are."""

    lines: tuple[tuple[str, int, int], ...]
    transfers: int


class Trace(NamedTuple):
    """The stakes of a match and where they went; `outcome` is empty while they are held."""

    table_id: str
    stake_coins: int
    account_ids: tuple[str, ...]
    held_ms: int
    outcome: str
    cause: str
    settled_ms: int
    escrow: int
    lines: tuple[Line, ...]


class Statements:
    """Reads the ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def purse(self, account_id: str) -> Purse:
        """What a player has."""
        async with snapshot(self._database) as rows:
            found = await rows.fetch(f"SELECT {PLAYER_COLUMNS} FROM players WHERE account_id = $1", account_id)
            balance = await rows.fetch("SELECT balance FROM accounts WHERE account_id = $1", player_account(account_id))
            held = await rows.fetch(
                "SELECT sum(stake_coins) FROM holds JOIN hold_seats USING (match_id) WHERE account_id = $1 AND held",
                account_id,
            )
            played = await rows.fetch("SELECT sum(played) FROM player_stats WHERE account_id = $1", account_id)
        return Purse(
            Player(*found[0]) if found else None,
            balance[0][0] if balance else 0,
            int(held[0][0] or 0),
            int(played[0][0] or 0),
        )

    async def is_unpaid(self, table_id: str, account_ids: Sequence[str]) -> bool:
        """Whether a stake of one of these players is held for a match of that table."""
        async with snapshot(self._database) as rows:
            found = await rows.fetch(
                "SELECT 1 FROM hold_seats JOIN holds USING (match_id)"
                " WHERE account_id in_list($1)) AND held AND table_id = $2 LIMIT 1",
                list(account_ids),
                table_id,
            )
        return bool(found)

    async def lines(self, account: str, before: int, most: int) -> tuple[list[Line], int]:
        """The newest transfers of an account of the ledger, below the id `before` (0: of all).

        Also the `before` of the page that follows; 0 where there is none.
        """
        below = before or 2**62
        sides = " UNION ALL ".join(
            f"SELECT * FROM (SELECT {_COLUMNS} FROM transfers WHERE {side} = $1 AND id < $2 ORDER BY id DESC LIMIT $3)"
            f" AS {side}s"
            for side in ("debit", "credit")
        )
        async with snapshot(self._database) as rows:
            found: Sequence[Any] = await rows.fetch(
                f"SELECT * FROM ({sides}) AS sides ORDER BY id DESC LIMIT $3", account, below, most + 1
            )
        lines = [Line(*row) for row in found[:most]]
        return lines, lines[-1].transfer_id if len(found) > most else 0

    async def balance(self, account: str) -> int | None:
        """What an account of the ledger has; None for one that is not there."""
        async with snapshot(self._database) as rows:
            found = await rows.fetch("SELECT balance FROM accounts WHERE account_id = $1", account)
        return found[0][0] if found else None

    async def trial_balance(self) -> TrialBalance:
        """What all accounts have, by their kind."""
        async with snapshot(self._database) as rows:
            found = await rows.fetch(
                "SELECT kind, count(*), sum(balance) FROM (SELECT balance, CASE"
                " WHEN account_id LIKE 'player:%' THEN 'player' WHEN account_id LIKE 'escrow:%' THEN 'escrow'"
                " ELSE account_id END AS kind FROM accounts) AS kinds GROUP BY kind ORDER BY kind"
            )
            transfers = await rows.fetch("SELECT count(*) FROM transfers")
        return TrialBalance(tuple((row[0], row[1], int(row[2])) for row in found), transfers[0][0])

    async def trace(self, match_id: str) -> Trace | None:
        """The stakes of a match; None where none were held and none ever will be."""
        async with snapshot(self._database) as rows:
            holds = await rows.fetch("SELECT table_id, stake_coins, at_ms FROM holds WHERE match_id = $1", match_id)
            seats = await rows.fetch("SELECT account_id FROM hold_seats WHERE match_id = $1 ORDER BY seat", match_id)
            ends = await rows.fetch("SELECT outcome, cause, at_ms FROM settlements WHERE match_id = $1", match_id)
            escrow = escrow_account(match_id)
            balance = await rows.fetch("SELECT balance FROM accounts WHERE account_id = $1", escrow)
            lines = await rows.fetch(
                f"SELECT {_COLUMNS} FROM transfers WHERE debit = $1 UNION ALL"
                f" SELECT {_COLUMNS} FROM transfers WHERE credit = $1 ORDER BY id",
                escrow,
            )
        if not holds and not ends:
            return None
        table_id, stake_coins, held_ms = holds[0] if holds else ("", 0, 0)
        outcome, cause, settled_ms = ends[0] if ends else ("", "", 0)
        return Trace(
            table_id,
            stake_coins,
            tuple(seat[0] for seat in seats),
            held_ms,
            outcome,
            cause,
            settled_ms,
            balance[0][0] if balance else 0,
            tuple(Line(*line) for line in lines),
        )
