"""When all is over: every match for coins is settled or refunded, once, as its journal tells; and no coin is lost."""

import json
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from services.wallet.holds import shares
from tests.sim.coin_plan import Truth, truth_of
from tests.sim.disk import observe
from tests.sim.world import World

_CAUSES: Final = {Truth.PROOF: "won", Truth.FAULT: "proof_failed", Truth.NOTHING: "proof_missing"}


@dataclass
class Told:
    """A match as its table's journal tells it."""

    stake: int
    accounts: list[str]
    funded: bool = False
    over: bool = False
    winner: int | None = None
    """The team."""


class Journals:
    """What the tables' journal tells, read as it grows."""

    def __init__(self, folder: Path) -> None:
        self._table = observe(folder / "table.db")
        self.matches: dict[str, Told] = {}
        self.closed: set[str] = set()
        self._now: dict[str, str] = {}
        """The match that a table plays."""
        self._last = 0

    def read(self) -> None:
        """All that is new."""
        asked = "SELECT rowid, table_id, events FROM entries WHERE rowid > ? ORDER BY rowid"
        for row, table_id, events in self._table.execute(asked, (self._last,)).fetchall():
            self._last = row
            for name, *about in json.loads(events):
                self._happened(table_id, name, about)

    def _happened(self, table_id: str, name: str, about: list[Any]) -> None:
        if name == "Created":
            options, seats, match_id = about[1], about[2], about[5]
            self._now[table_id] = match_id
            self.matches[match_id] = Told(options["stake"], [seat[0] for seat in seats])
            return
        told = self.matches[self._now[table_id]]
        match name:
            case "MatchBegan":
                self._now[table_id] = about[0]
                self.matches[about[0]] = Told(told.stake, list(told.accounts))
            case "SeatsSwapped":
                raise AssertionError("nobody swaps here")
            case "StakesHeld":
                told.funded = True
            case "DealEnded":
                told.winner, told.over = about[1] % 2, True
            case "Closed":
                self.closed.add(table_id)
                told.over = True

    def unsent(self) -> int:
        """Facts that wait in the outbox."""
        return int(self._table.execute("SELECT count(*) FROM outbox").fetchone()[0])


@dataclass
class Books:
    """The wallet's database."""

    folder: Path
    wallet: sqlite3.Connection = field(init=False)

    def __post_init__(self) -> None:
        self.wallet = observe(self.folder / "wallet.db")

    def rows(self, query: str) -> list[Any]:
        """What a query gives."""
        return self.wallet.execute(query).fetchall()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is left to settle."""
        held = "SELECT 1 FROM holds WHERE settled_ms IS NULL LIMIT 1"
        return not (self.rows(held) or self.rows("SELECT 1 FROM pending_settlements LIMIT 1"))


def check_all(world: World, journals: Journals, books: Books, opening: dict[str, int]) -> None:
    """Everything that must hold. ``opening``: what each player began with."""
    journals.read()
    _ledger(world, books)
    held = {row[0] for row in books.rows("SELECT match_id FROM holds")}
    settled = {row[0]: row[1:] for row in books.rows("SELECT match_id, outcome, cause FROM settlements")}
    results = dict(books.rows("SELECT match_id, winner_team FROM results"))
    coins = Counter(opening)
    fees = 0
    for match_id, told in journals.matches.items():
        wanted = _wanted(told, match_id)
        found = settled.get(match_id)
        if told.funded and match_id not in held:
            world.fail(f"{match_id} was begun and nothing is held for it")
        if match_id in held or told.funded:
            if found is None or found[0] != wanted[0] or (wanted[1] and found[1] not in wanted[1]):
                world.fail(f"{match_id} is settled as {found} instead of {wanted}: {told}")
        elif found is not None and found[0] != "refund":
            world.fail(f"{match_id} has no stakes and is settled as {found}")
        if results.get(match_id) != told.winner:
            world.fail(f"the result of {match_id} is {results.get(match_id)} instead of {told.winner}")
        if told.funded and wanted[0] == "settle" and told.winner is not None:
            winners = told.accounts[told.winner :: 2]
            prize, fee = shares(told.stake * len(told.accounts), len(winners))
            fees += fee
            coins.update(dict.fromkeys(winners, prize))
            coins.subtract(dict.fromkeys(told.accounts, told.stake))
    has = dict(books.rows("SELECT account_id, balance FROM accounts"))
    for account, balance in coins.items():
        if has[f"player:{account}"] != balance:
            world.fail(f"{account} has {has[f'player:{account}']} coins instead of {balance}")
    if has["fees"] != fees:
        world.fail(f"the fees are {has['fees']} instead of {fees}")
    world.counts.update(f"matches {cause}" for _, cause in settled.values())
    world.counts["matches"] += len(journals.matches)


def _wanted(told: Told, match_id: str) -> tuple[str, tuple[str, ...]]:
    """What is to become of the stakes, and why."""
    if not told.funded or told.winner is None:
        return "refund", ("aborted", "cancelled", "lost")
    cause = _CAUSES[truth_of(match_id)]
    return ("settle" if cause == "won" else "refund"), (cause,)


def _ledger(world: World, books: Books) -> None:
    balances: Counter[str] = Counter()
    for debit, credit, amount in books.rows("SELECT debit, credit, amount FROM transfers"):
        balances[debit] -= amount
        balances[credit] += amount
    for account, balance in books.rows("SELECT account_id, balance FROM accounts"):
        if balances[account] != balance:
            world.fail(f"{account} has {balance}, its transfers come to {balances[account]}")
        if balance < 0 and account != "mint":
            world.fail(f"{account} has {balance}")
        if balance and account.startswith("escrow:"):
            world.fail(f"{balance} coins are left in {account}")
    if sum(balances.values()):
        world.fail(f"all accounts come to {sum(balances.values())}")
