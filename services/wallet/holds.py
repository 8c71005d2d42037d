"""Stakes of matches: held for all seats or for none, and then paid out or given back, once (R11.1)."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.books import (
    Answer,
    Books,
    Cause,
    Hold,
    Needs,
    Order,
    Settlement,
    Transfer,
    Verdict,
    escrow_account,
    player_account,
)
from services.wallet.ledger import Ledger
from services.wallet.ledger_sql import Rows, load
from services.wallet.refusals import LedgerFaultError, LedgerReadOnlyError
from services.wallet.schema import FEES

FEE_PERCENT: Final = 10
SETTLE: Final = "settle"
REFUND: Final = "refund"
WON: Final = "won"
CAUSE_CHARS: Final = 32


class Obstacle(StrEnum):
    """What keeps an account from a table with a stake."""

    GUEST = "GUEST"
    TOO_FEW_MATCHES = "TOO_FEW_MATCHES"
    TOO_FEW_COINS = "TOO_FEW_COINS"


class HoldOutcome(StrEnum):
    """What became of stakes that were to be held."""

    HELD = "HELD"
    EXISTS = "EXISTS"
    REFUSED = "REFUSED"
    DIFFERENT = "DIFFERENT"
    """The match has a hold of another kind."""
    SETTLED = "SETTLED"
    """The match's stakes are paid out or given back."""


class HoldAnswer(NamedTuple):
    """What became of them; where they are refused, each obstacle with its seat."""

    outcome: HoldOutcome
    obstacles: tuple[tuple[int, Obstacle], ...] = ()


class SettleOutcome(StrEnum):
    """What became of stakes that were to be paid out or given back."""

    DONE = "DONE"
    EXISTS = "EXISTS"
    """Just that has happened before."""
    OTHER = "OTHER"
    """The other has happened before, or others have won."""
    NO_HOLD = "NO_HOLD"
    """Nothing is held for the match. After a refund nothing ever will be."""
    AGAIN = "AGAIN"
    """Meanwhile the stakes were held: never answered."""


class BadSettlementError(Exception):
    """Who is said to have won has no stake in the match."""


class Holds:
    """The stakes of matches. `matches_needed`: finished ones, for a table with a stake."""

    def __init__(self, ledger: Ledger, matches_needed: int) -> None:
        self._ledger = ledger
        self.matches_needed = matches_needed

    async def hold(self, hold: Hold) -> HoldAnswer:
        """Take the stakes of all seats, or of none. Raises `LedgerReadOnlyError` and the database's errors."""
        return await self._ledger.submit(HoldStakes(hold, self.matches_needed))

    async def settle(
        self, connection: AsyncConnection, match_id: str, winner_accounts: tuple[str, ...]
    ) -> SettleOutcome:
        """Pay the pot less the fee to the winners, in the caller's transaction.

        Raises `BadSettlementError`, and `LedgerReadOnlyError`.
        """
        return await self._end(
            connection, match_id, lambda hold: Ending(match_id, hold, SETTLE, WON, tuple(winner_accounts))
        )

    async def refund(self, connection: AsyncConnection, match_id: str, cause: str) -> SettleOutcome:
        """Give every stake back, in the caller's transaction; `cause` has up to 32 characters.

        A match without a hold can then never have one. Raises `LedgerReadOnlyError`.
        """
        if not 0 < len(cause) <= CAUSE_CHARS:
            raise ValueError(f"a cause has 1 to {CAUSE_CHARS} characters")
        return await self._end(connection, match_id, lambda hold: Ending(match_id, hold, REFUND, cause))

    async def find(self, connection: AsyncConnection, match_id: str) -> Hold | None:
        """The stakes that were held for a match, whatever became of them."""
        return (await load(Rows(connection), [Needs(matches=(match_id,))])).holds.get(match_id)

    async def settlement(self, connection: AsyncConnection, match_id: str) -> Settlement | None:
        """What became of them."""
        return (await load(Rows(connection), [Needs(matches=(match_id,))])).settlements.get(match_id)

    async def _end(
        self, connection: AsyncConnection, match_id: str, order_of: Callable[[Hold | None], Order[SettleOutcome]]
    ) -> SettleOutcome:
        while True:  # once, or twice where the stakes were held in between
            (outcome,) = await self._ledger.execute(connection, [order_of(await self.find(connection, match_id))])
            if outcome is not SettleOutcome.AGAIN:
                return outcome


@dataclass(frozen=True, slots=True)
class HoldStakes:
    """The order to hold the stakes of a match."""

    hold: Hold
    matches_needed: int

    def needs(self) -> Needs:
        """See `Order`."""
        hold = self.hold
        stakes = self._stakes()
        return Needs(
            accounts=(escrow_account(hold.match_id), *(stake.debit for stake in stakes)),
            keys=tuple(stake.key for stake in stakes),
            matches=(hold.match_id,),
            played=hold.account_ids,
        )

    def decide(self, books: Books) -> HoldAnswer:
        """See `Order`."""
        hold = self.hold
        if (kept := books.holds.get(hold.match_id)) not in (None, hold):
            return HoldAnswer(HoldOutcome.DIFFERENT)
        if hold.match_id in books.settlements:
            return HoldAnswer(HoldOutcome.SETTLED)
        if kept is not None:
            return HoldAnswer(HoldOutcome.EXISTS)
        if books.read_only:
            raise LedgerReadOnlyError
        obstacles = tuple(
            (seat, obstacle)
            for seat, account_id in enumerate(hold.account_ids)
            for obstacle in obstacles_of(
                books.balances.get(player_account(account_id)),
                books.played.get(account_id, 0),
                hold.stake_coins,
                self.matches_needed,
            )
        )
        if obstacles:
            return HoldAnswer(HoldOutcome.REFUSED, obstacles)
        books.open(escrow_account(hold.match_id))
        must(books.post(self._stakes()))
        books.hold(hold)
        return HoldAnswer(HoldOutcome.HELD)

    def _stakes(self) -> tuple[Transfer, ...]:
        match_id = self.hold.match_id
        return tuple(
            Transfer(
                f"stake:{match_id}:{account_id}",
                player_account(account_id),
                escrow_account(match_id),
                self.hold.stake_coins,
                Cause.STAKE,
                match_id,
            )
            for account_id in self.hold.account_ids
        )


@dataclass(frozen=True, slots=True)
class Ending:
    """The order to pay out the stakes of a match, or to give them back. `hold`: as it was found beforehand."""

    match_id: str
    hold: Hold | None
    outcome: str
    cause: str
    winners: tuple[str, ...] = ()

    def needs(self) -> Needs:
        """See `Order`."""
        accounts = self.hold.account_ids if self.hold is not None else ()
        return Needs(
            accounts=(escrow_account(self.match_id), FEES, *map(player_account, accounts)),
            keys=tuple(self._prize_key(account_id) for account_id in self.winners),
            matches=(self.match_id,),
        )

    def decide(self, books: Books) -> SettleOutcome:
        """See `Order`."""
        if books.holds.get(self.match_id) != self.hold:
            return SettleOutcome.AGAIN
        if (settled := books.settlements.get(self.match_id)) is not None:
            same = settled.outcome == self.outcome and all(self._prize_key(one) in books.posted for one in self.winners)
            return SettleOutcome.EXISTS if same else SettleOutcome.OTHER
        if books.read_only:
            raise LedgerReadOnlyError
        if self.hold is not None:
            must(books.post(self._payments(self.hold)))
        elif self.outcome == REFUND:
            books.open(escrow_account(self.match_id))  # which a hold would open too: one of the two sees the other
        else:
            return SettleOutcome.NO_HOLD
        books.settle(Settlement(self.match_id, self.outcome, self.cause))
        return SettleOutcome.DONE if self.hold is not None else SettleOutcome.NO_HOLD

    def _payments(self, hold: Hold) -> list[Transfer]:
        escrow, stake = escrow_account(hold.match_id), hold.stake_coins
        if self.outcome == REFUND:
            return [
                Transfer(
                    f"refund:{hold.match_id}:{account_id}", escrow, player_account(account_id), stake, Cause.REFUND,
                    hold.match_id,
                )
                for account_id in hold.account_ids
            ]  # fmt: skip
        if not self.winners or len(set(self.winners) & set(hold.account_ids)) != len(self.winners):
            raise BadSettlementError
        prize, fee = shares(stake * len(hold.account_ids), len(self.winners))
        prizes = [
            Transfer(self._prize_key(account_id), escrow, player_account(account_id), prize, Cause.PRIZE, hold.match_id)
            for account_id in self.winners
        ]
        return [*prizes, Transfer(f"fee:{hold.match_id}", escrow, FEES, fee, Cause.FEE, hold.match_id)]

    def _prize_key(self, account_id: str) -> str:
        return f"prize:{self.match_id}:{account_id}"


def shares(pot: int, winners: int) -> tuple[int, int]:
    """The prize of each winner, and the fee: 10% rounded up so that the winners get the same whole coins (R11.1)."""
    prize = (pot * (100 - FEE_PERCENT) // 100) // winners
    return prize, pot - prize * winners


def obstacles_of(balance: int | None, played: int, stake_coins: int, matches_needed: int) -> tuple[Obstacle, ...]:
    """What keeps an account from a stake. `balance` is None for one that is not open: that it is a guest's says all."""
    if balance is None:
        return (Obstacle.GUEST,)
    short = {
        Obstacle.TOO_FEW_MATCHES: played < matches_needed,
        Obstacle.TOO_FEW_COINS: balance < stake_coins,
    }
    return tuple(obstacle for obstacle, holds in short.items() if holds)


def must(answer: Answer) -> None:
    """For transfers that nothing can be in the way of. Raises `LedgerFaultError`."""
    if answer.verdict is not Verdict.CREATED:
        raise LedgerFaultError(f"{answer.verdict}: {answer.accounts}")
