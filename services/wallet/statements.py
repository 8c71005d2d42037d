"""What players and operators are shown of the ledger. Nothing here locks or changes anything."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from services.wallet.books import Player, player_account
from services.wallet.ledger_sql import PLAYER_COLUMNS, Rows
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


class Statements:
    """Reads the ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def purse(self, account_id: str) -> Purse:
        """What a player has."""
        async with self._database.reading() as connection:
            rows = Rows(connection)
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
        async with self._database.reading() as connection:
            found: Sequence[Any] = await Rows(connection).fetch(
                f"SELECT * FROM ({sides}) AS sides ORDER BY id DESC LIMIT $3", account, below, most + 1
            )
        lines = [Line(*row) for row in found[:most]]
        return lines, lines[-1].transfer_id if len(found) > most else 0
