"""A ledger with pencil and paper, of dictionaries: no keys of transfers, no locks, no batches."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from services.wallet.grants import GrantSizes

NEEDED = 3


class Model:
    """What a ledger should say and have."""

    def __init__(self, sizes: GrantSizes) -> None:
        self.sizes = sizes
        self.coins: Counter[str] = Counter()
        """Of players, and of `fees`; those of the mint are what all others have."""
        self.opened: set[str] = set()
        self.played: Counter[str] = Counter()
        self.posts: dict[int, tuple[str, str, int]] = {}
        self.holds: dict[int, tuple[int, tuple[str, ...]]] = {}
        self.ended: dict[int, tuple[str, ...]] = {}
        """The winners of a match whose stakes are not held any more; none for a refund."""
        self.claims: dict[str, tuple[int, str, tuple[int, int, int]]] = {}
        self.wins: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.rewarded: set[tuple[str, int]] = set()

    def balances(self) -> dict[str, int]:
        """By the ledger's names, those that are not 0."""
        held = {
            f"escrow:{number:032x}": stake * len(accounts)
            for number, (stake, accounts) in self.holds.items()
            if number not in self.ended
        }
        named = {name if name == "fees" else f"player:{name}": coins for name, coins in self.coins.items() if coins}
        minted = {"mint": -sum(self.coins.values()) - sum(held.values())}
        return {name: coins for name, coins in {**named, **held, **minted}.items() if coins}

    def open(self, name: str) -> None:
        """With the welcome grant."""
        if name not in self.opened:
            self.opened.add(name)
            self.coins[name] += self.sizes.welcome

    def post(self, number: int, debit: str, credit: str, amount: int) -> str:
        """Under a key of that number; the verdict."""
        if number in self.posts:
            return "EXISTS" if self.posts[number] == (debit, credit, amount) else "EXISTS_DIFFERENT"
        if not {debit, credit} <= self.opened:
            return "NO_ACCOUNT"
        if self.coins[debit] < amount:
            return "INSUFFICIENT"
        self.posts[number] = debit, credit, amount
        self.coins[debit] -= amount
        self.coins[credit] += amount
        return "CREATED"

    def hold(self, number: int, stake: int, accounts: Sequence[str]) -> tuple[str, tuple[tuple[int, str], ...]]:
        """The outcome and the obstacles."""
        told = stake, tuple(accounts)
        if number in self.holds and self.holds[number] != told:
            return "DIFFERENT", ()
        if number in self.ended:
            return "SETTLED", ()
        if number in self.holds:
            return "EXISTS", ()
        obstacles: list[tuple[int, str]] = []
        for seat, name in enumerate(accounts):
            if name not in self.opened:
                obstacles.append((seat, "GUEST"))
                continue
            if self.played[name] < NEEDED:
                obstacles.append((seat, "TOO_FEW_MATCHES"))
            if self.coins[name] < stake:
                obstacles.append((seat, "TOO_FEW_COINS"))
        if obstacles:
            return "REFUSED", tuple(obstacles)
        for name in accounts:
            self.coins[name] -= stake
        self.holds[number] = told
        return "HELD", ()

    def settle(self, number: int, winners: tuple[str, ...]) -> str:
        """The outcome; the winners sit there."""
        if number in self.ended:
            return "EXISTS" if self.ended[number] == winners else "OTHER"
        if number not in self.holds:
            return "NO_HOLD"
        stake, accounts = self.holds[number]
        pot = stake * len(accounts)
        for name in winners:
            self.coins[name] += pot * 9 // 10 // len(winners)
        self.coins["fees"] += pot - pot * 9 // 10
        self.ended[number] = winners
        return "DONE"

    def refund(self, number: int) -> str:
        """The outcome."""
        if number in self.ended:
            return "OTHER" if self.ended[number] else "EXISTS"
        self.ended[number] = ()
        if number not in self.holds:
            return "NO_HOLD"
        stake, accounts = self.holds[number]
        for name in accounts:
            self.coins[name] += stake
        return "DONE"

    def claim(self, name: str, command: str, day: int) -> tuple[int, int, int] | None:
        """Coins, days in a row, balance; nothing for a guest."""
        if name not in self.opened:
            return None
        last = self.claims.get(name)
        if last is not None and (last[0] >= day or last[1] == command):
            return last[2]
        streak = last[2][1] + 1 if last is not None and last[0] == day - 1 else 1
        coins = min(self.sizes.daily + (streak - 1) * self.sizes.daily_step, self.sizes.daily_most)
        self.coins[name] += coins
        self.claims[name] = day, command, (coins, streak, self.coins[name])
        return self.claims[name][2]

    def win(self, number: int, names: Sequence[str], day: int) -> None:
        """A match at a free table."""
        for name in names:
            counted = max([day, *self.wins[name]])
            new = (name, number) not in self.rewarded
            if name in self.opened and new and self.wins[name][counted] < self.sizes.free_wins_a_day:
                self.rewarded.add((name, number))
                self.wins[name][counted] += 1
                self.coins[name] += self.sizes.free_win
