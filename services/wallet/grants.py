"""Coins that are given: with an account's name, by the day, and for matches won at free tables; all limited (R11.1)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.books import Books, Cause, Needs, Player, Transfer, player_account
from services.wallet.days import Days
from services.wallet.holds import must
from services.wallet.ledger import Ledger
from services.wallet.refusals import GuestAccountError, LedgerReadOnlyError
from services.wallet.schema import MINT
from shared.kit.clock import Clock


@dataclass(frozen=True, slots=True)
class GrantSizes:
    """Coins, and how often: each daily bonus in a row is `daily_step` more than the one before, up to `daily_most`."""

    welcome: int
    daily: int
    daily_step: int
    daily_most: int
    free_win: int
    free_wins_a_day: int

    def bonus(self, streak_days: int) -> int:
        """The daily bonus on that day in a row, from 1."""
        return min(self.daily + self.daily_step * (streak_days - 1), self.daily_most)


class Claim(NamedTuple):
    """A daily bonus that was had: coins, days in a row, and the balance afterwards."""

    coins: int
    streak_days: int
    balance: int


class Daily(NamedTuple):
    """The daily bonus as a player sees it: coins of today's, had or to be had."""

    available: bool
    streak_days: int
    next_at_ms: int
    coins: int


class Grants:
    """Gives coins."""

    def __init__(self, ledger: Ledger, clock: Clock, days: Days, sizes: GrantSizes) -> None:
        self._ledger = ledger
        self._clock = clock
        self._days = days
        self._sizes = sizes

    async def open(self, account_id: str) -> None:
        """Open a named account with the welcome grant, unless it is open. Raises `LedgerReadOnlyError`."""
        await self._ledger.submit(Welcome(account_id, self._sizes.welcome))

    async def claim(self, account_id: str, command_id: str) -> Claim:
        """Give today's bonus; again on that day, or by the same command, what was answered at first.

        Raises `GuestAccountError` for an account that is not open, and `LedgerReadOnlyError`.
        """
        today = self._days.day(self._clock.now_ms())
        return await self._ledger.submit(ClaimDaily(account_id, command_id, today, self._sizes))

    def daily(self, player: Player) -> Daily:
        """The daily bonus as it stands for a player."""
        today = self._days.day(self._clock.now_ms())
        had = player.claim_day >= today
        streak = player.streak_days if had else next_streak(player, today)
        coins = player.claim_coins if had else self._sizes.bonus(streak)
        return Daily(not had, streak, self._days.begins_ms(today + 1), coins)

    async def free_wins(
        self, connection: AsyncConnection, match_id: str, account_ids: Sequence[str], ended_ms: int
    ) -> None:
        """Give the open accounts among these what a match won at a free table is worth, in the caller's transaction.

        Raises `LedgerReadOnlyError`.
        """
        day = self._days.day(ended_ms)
        orders = [FreeWin(account_id, match_id, day, self._sizes) for account_id in account_ids]
        await self._ledger.execute(connection, orders)


@dataclass(frozen=True, slots=True)
class Welcome:
    """The order to open an account."""

    account_id: str
    coins: int

    def needs(self) -> Needs:
        """See `Order`."""
        return Needs(accounts=(player_account(self.account_id), MINT), keys=(self._key,), players=(self.account_id,))

    def decide(self, books: Books) -> None:
        """See `Order`."""
        account = player_account(self.account_id)
        if account in books.balances:
            return
        if books.read_only:
            raise LedgerReadOnlyError
        books.open(account)
        books.set_player(Player(self.account_id))
        if self.coins:
            must(books.post([Transfer(self._key, MINT, account, self.coins, Cause.WELCOME)]))

    @property
    def _key(self) -> str:
        return f"welcome:{self.account_id}"


@dataclass(frozen=True, slots=True)
class ClaimDaily:
    """The order to give the bonus of a day."""

    account_id: str
    command_id: str
    day: int
    sizes: GrantSizes

    def needs(self) -> Needs:
        """See `Order`."""
        return Needs(accounts=(player_account(self.account_id), MINT), keys=(self._key,), players=(self.account_id,))

    def decide(self, books: Books) -> Claim:
        """See `Order`."""
        player, account = books.players.get(self.account_id), player_account(self.account_id)
        if player is None:
            raise GuestAccountError
        if player.claim_day >= self.day or player.claim_command == self.command_id:
            return Claim(player.claim_coins, player.streak_days, player.claim_balance)
        if books.read_only:
            raise LedgerReadOnlyError
        streak = next_streak(player, self.day)
        coins = self.sizes.bonus(streak)
        if coins:
            must(books.post([Transfer(self._key, MINT, account, coins, Cause.DAILY)]))
        claim = Claim(coins, streak, books.balances[account])
        books.set_player(
            replace(
                player,
                claim_day=self.day,
                claim_command=self.command_id,
                claim_coins=coins,
                claim_balance=claim.balance,
                streak_days=streak,
            )
        )
        return claim

    @property
    def _key(self) -> str:
        return f"daily:{self.account_id}:{self.day}"


@dataclass(frozen=True, slots=True)
class FreeWin:
    """The order to give what a match won at a free table is worth. `day`: when the match ended."""

    account_id: str
    match_id: str
    day: int
    sizes: GrantSizes

    def needs(self) -> Needs:
        """See `Order`."""
        return Needs(accounts=(player_account(self.account_id), MINT), keys=(self._key,), players=(self.account_id,))

    def decide(self, books: Books) -> None:
        """See `Order`."""
        player = books.players.get(self.account_id)
        if player is None or self._key in books.posted or not self.sizes.free_win:
            return
        # A match that is told late counts for the last day with one, so that no day is opened twice.
        day = max(self.day, player.free_day)
        wins = player.free_wins if day == player.free_day else 0
        if wins >= self.sizes.free_wins_a_day:
            return
        if books.read_only:
            raise LedgerReadOnlyError
        account = player_account(self.account_id)
        must(books.post([Transfer(self._key, MINT, account, self.sizes.free_win, Cause.FREE_WIN, self.match_id)]))
        books.set_player(replace(player, free_day=day, free_wins=wins + 1))

    @property
    def _key(self) -> str:
        return f"free:{self.match_id}:{self.account_id}"


def next_streak(player: Player, day: int) -> int:
    """How many days in a row it is with this day's bonus."""
    return player.streak_days + 1 if player.claim_day == day - 1 else 1
