"""What the ledger decides on: the accounts, transfers and holds that an order needs, as they stand, and what it adds.

Pure. Several orders are decided one after the other on the same books, each seeing what those before it did; what they
did is then written in one transaction (`ledger.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeVar

from services.wallet.schema import MINT

T_co = TypeVar("T_co", covariant=True)


class Cause(StrEnum):
    """Why coins moved."""

    WELCOME = "WELCOME"
    DAILY = "DAILY"
    FREE_WIN = "FREE_WIN"
    STAKE = "STAKE"
    PRIZE = "PRIZE"
    FEE = "FEE"
    REFUND = "REFUND"


class Verdict(StrEnum):
    """What became of transfers, of all or of none."""

    CREATED = "CREATED"
    EXISTS = "EXISTS"
    """All have happened before."""
    EXISTS_DIFFERENT = "EXISTS_DIFFERENT"
    """One of their keys belongs to another transfer, or some have happened and some have not."""
    INSUFFICIENT = "INSUFFICIENT"
    NO_ACCOUNT = "NO_ACCOUNT"
    READ_ONLY = "READ_ONLY"


class Answer(NamedTuple):
    """A verdict, and the accounts that it is about: too poor, or not there."""

    verdict: Verdict
    accounts: tuple[str, ...] = ()


def player_account(account_id: str) -> str:
    """The ledger's account of a player."""
    return f"player:{account_id}"


def escrow_account(match_id: str) -> str:
    """Where the stakes of a match lie."""
    return f"escrow:{match_id}"


@dataclass(frozen=True, slots=True)
class Transfer:
    """Whole coins, 1 or more, from `debit` to `credit`, which happen once under `key`. Raises `ValueError`."""

    key: str
    debit: str
    credit: str
    amount: int
    cause: Cause
    match_id: str = ""

    def __post_init__(self) -> None:
        if type(self.amount) is not int or not 0 < self.amount < 2**53 or self.debit == self.credit:
            raise ValueError("a transfer moves whole coins, at least one, between two accounts")


class Posted(NamedTuple):
    """A transfer that has happened, and what its accounts had afterwards."""

    transfer: Transfer
    debit_after: int
    credit_after: int


@dataclass(frozen=True, slots=True)
class Hold:
    """The stakes of a match, of every seat the same."""

    match_id: str
    table_id: str
    stake_coins: int
    account_ids: tuple[str, ...]


class Settlement(NamedTuple):
    """What became of a match's stakes: `outcome` is `settle` or `refund`."""

    match_id: str
    outcome: str
    cause: str


@dataclass(frozen=True, slots=True)
class Player:
    """What a named account has been granted; days as in the schema."""

    account_id: str
    claim_day: int = 0
    claim_command: str = ""
    claim_coins: int = 0
    claim_balance: int = 0
    streak_days: int = 0
    free_day: int = 0
    free_wins: int = 0


@dataclass(frozen=True, slots=True)
class Needs:
    """What an order has to see: accounts of the ledger, keys of transfers, matches, account ids of players.

    `played`: of whom it has to know how many matches they have finished.
    """

    accounts: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    played: tuple[str, ...] = ()


class Order(Protocol[T_co]):
    """Something to be done to the ledger."""

    def needs(self) -> Needs:
        """What `decide` looks at; all else seems not to be there."""

    def decide(self, books: "Books") -> T_co:
        """What comes of it, written into the books. What it raises has to be raised before it has written anything."""


@dataclass(slots=True)
class Books:
    """What stands, and what was added."""

    read_only: bool = False
    balances: dict[str, int] = field(default_factory=dict)
    posted: dict[str, Posted] = field(default_factory=dict)
    holds: dict[str, Hold] = field(default_factory=dict)
    settlements: dict[str, Settlement] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    played: dict[str, int] = field(default_factory=dict)

    opened: list[str] = field(default_factory=list)
    new_posted: list[Posted] = field(default_factory=list)
    new_holds: list[Hold] = field(default_factory=list)
    new_settlements: list[Settlement] = field(default_factory=list)
    new_players: dict[str, Player] = field(default_factory=dict)

    def open(self, account: str) -> None:
        """Open an account, unless it is there."""
        if account not in self.balances:
            self.balances[account] = 0
            self.opened.append(account)

    def post(self, transfers: Sequence[Transfer]) -> Answer:
        """Move all of these coins, or none."""
        answer = self.check(transfers)
        if answer.verdict is Verdict.CREATED:
            for transfer in transfers:
                self._move(transfer)
        return answer

    def check(self, transfers: Sequence[Transfer]) -> Answer:
        """What would become of them."""
        known = [self.posted.get(transfer.key) for transfer in transfers]
        if any(known):
            same = all(one is not None and one.transfer == told for one, told in zip(known, transfers, strict=True))
            return Answer(Verdict.EXISTS if same else Verdict.EXISTS_DIFFERENT)
        if self.read_only:
            return Answer(Verdict.READ_ONLY)
        if len({transfer.key for transfer in transfers}) < len(transfers):
            return Answer(Verdict.EXISTS_DIFFERENT)
        sides = dict.fromkeys(account for one in transfers for account in (one.debit, one.credit))
        if missing := tuple(account for account in sides if account not in self.balances):
            return Answer(Verdict.NO_ACCOUNT, missing)
        if short := self._short(transfers):
            return Answer(Verdict.INSUFFICIENT, short)
        return Answer(Verdict.CREATED)

    def hold(self, hold: Hold) -> None:
        """Note stakes that are held."""
        self.holds[hold.match_id] = hold
        self.new_holds.append(hold)

    def settle(self, settlement: Settlement) -> None:
        """Note what became of a match's stakes."""
        self.settlements[settlement.match_id] = settlement
        self.new_settlements.append(settlement)

    def set_player(self, player: Player) -> None:
        """Note what a player was granted."""
        self.players[player.account_id] = self.new_players[player.account_id] = player

    def _short(self, transfers: Sequence[Transfer]) -> tuple[str, ...]:
        """Who has less than it would have to give, in the order of the transfers."""
        left: dict[str, int] = {}
        short: dict[str, None] = {}
        for transfer in transfers:
            for account, coins in ((transfer.debit, -transfer.amount), (transfer.credit, transfer.amount)):
                left[account] = left.get(account, self.balances[account]) + coins
            if left[transfer.debit] < 0 and transfer.debit != MINT:
                short[transfer.debit] = None
        return tuple(short)

    def _move(self, transfer: Transfer) -> None:
        self.balances[transfer.debit] -= transfer.amount
        self.balances[transfer.credit] += transfer.amount
        posted = Posted(transfer, self.balances[transfer.debit], self.balances[transfer.credit])
        self.posted[transfer.key] = posted
        self.new_posted.append(posted)


@dataclass(frozen=True, slots=True)
class Post:
    """The order to move coins: all of these transfers, or none."""

    transfers: tuple[Transfer, ...]

    def needs(self) -> Needs:
        """See `Order`."""
        sides = {account for one in self.transfers for account in (one.debit, one.credit)}
        return Needs(accounts=tuple(sides), keys=tuple(transfer.key for transfer in self.transfers))

    def decide(self, books: Books) -> Answer:
        """See `Order`."""
        return books.post(self.transfers)
