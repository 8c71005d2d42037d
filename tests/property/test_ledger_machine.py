"""The ledger against a plain model: whatever is ordered in whatever order and company, both say and have the same."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from services.wallet.books import Cause, Transfer, player_account
from services.wallet.checking import Checker
from services.wallet.days import DAY_MS, Days
from services.wallet.refusals import GuestAccountError
from shared.kit.metrics import Metrics
from tests.support.ledger_model import Model
from tests.support.purses import SIZES, copy_of, make_database, match_id, purses

T = TypeVar("T")
NAMES: Final = ("ada", "bob", "cy", "dee")
SEATS: Final = [NAMES, NAMES[::-1], NAMES[:2], ("cy", "ada"), ("ada", "bob", "cy", "eve")]
names = st.sampled_from(NAMES)
numbers = st.integers(1, 4)
posts = st.tuples(st.just("post"), st.integers(0, 19), st.permutations(NAMES), st.integers(-1, 2))
"""The amount: so many coins more than there are, or so many."""
holds = st.tuples(st.just("hold"), numbers, st.sampled_from([5, 100, 1_000]), st.sampled_from(SEATS))
claims = st.tuples(st.just("claim"), names, st.integers(0, 9))
opens = st.tuples(st.just("open"), names)
HOUR_MS: Final = 3_600_000
FEW: Final = replace(SIZES, daily_most=140, free_wins_a_day=2)
"""Limits that are soon reached."""
RIYADH: Final = Days(180)


class Ledgers(RuleBasedStateMachine):
    """Both, side by side. `made` is a migrated database to copy."""

    made: Path

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = TemporaryDirectory(prefix="banakil-ledger-")
        self.model = Model(FEW)
        self.played = 0
        self.stack, self.service = AsyncExitStack(), AsyncExitStack()
        self.run(self._open())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    async def _open(self) -> None:
        """With accounts of which most may play, so that most of what is ordered does something."""
        self.database = await self.stack.enter_async_context(copy_of(self.made, Path(self.folder.name)))
        self.wallet = await self.service.enter_async_context(purses(self.database, FEW))
        for name, played in (("ada", 3), ("bob", 3), ("cy", 2)):
            await self.wallet.open(name, played=played)
            self.model.open(name)
            self.model.played[name] = played

    @property
    def today(self) -> int:
        return RIYADH.day(self.wallet.clock.now_ms())

    @rule(orders=st.lists(st.one_of(posts, holds, claims, opens), min_size=1, max_size=8))
    def together(self, orders: Sequence[tuple[Any, ...]]) -> None:
        """Ordered at once, they are written in one transaction, in their order."""

        orders = [self._with_amount(order) for order in orders]

        async def ordered() -> list[object]:
            return await asyncio.gather(*map(self._answer, orders))

        assert self.run(ordered()) == [self._expected(order) for order in orders]

    @rule(name=names, times=st.integers(1, 3))
    def finish(self, name: str, times: int) -> None:
        """Matches, of which a stake needs some."""
        self.played += 1
        self.run(self.wallet.finish(name, times, mode=f"{self.played}"))
        self.model.played[name] += times

    @precondition(lambda self: self.model.holds)
    @rule(number=numbers, team=st.integers(0, 1))
    def settle(self, number: int, team: int) -> None:
        accounts = self.model.holds.get(number, (0, NAMES))[1]
        winners = accounts[team::2]
        assert self.run(self.wallet.settle(number, *winners)) == self.model.settle(number, winners)

    @rule(number=numbers)
    def refund(self, number: int) -> None:
        assert self.run(self.wallet.refund(number)) == self.model.refund(number)

    @rule(number=st.integers(10, 19), winners=st.sampled_from(SEATS), late=st.integers(0, 1))
    def win(self, number: int, winners: Sequence[str], late: int) -> None:
        """At a free table, maybe told a day late."""

        async def told() -> None:
            ended_ms = self.wallet.clock.now_ms() - late * DAY_MS
            async with self.database.transaction() as connection:
                await self.wallet.grants.free_wins(connection, match_id(number), winners, ended_ms)

        self.run(told())
        self.model.win(number, winners, self.today - late)

    @rule(hours=st.sampled_from([1, 12, 24, 48]))
    def wait(self, hours: int) -> None:
        self.wallet.clock.advance(hours * HOUR_MS)

    @rule()
    def start_again(self) -> None:
        """The service, with the database that it left."""

        async def again() -> None:
            now_ms = self.wallet.clock.now_ms()
            await self.service.aclose()
            self.wallet = await self.service.enter_async_context(purses(self.database, FEW))
            self.wallet.clock.advance(now_ms - self.wallet.clock.now_ms())

        self.run(again())

    @invariant()
    def both_have_the_same(self) -> None:
        assert self.run(self.wallet.balances()) == self.model.balances()

    def teardown(self) -> None:
        report = self.run(Checker(self.database, self.wallet.clock, Metrics(), 5_000).check())
        self.run(self.service.aclose())
        self.run(self.stack.aclose())
        self.loop.close()
        self.folder.cleanup()
        assert report.breaches == ()

    def _with_amount(self, order: tuple[Any, ...]) -> tuple[Any, ...]:
        """A post of nearly all that the account has, or of very little."""
        if order[0] != "post":
            return order
        kind, number, sides, amount = order
        return kind, number, sides, amount if amount > 0 else max(1, self.model.coins[sides[0]] - amount)

    async def _answer(self, order: tuple[Any, ...]) -> object:
        match order:
            case ("post", number, (debit, credit, *_), amount):
                moved = Transfer(f"p{number}", player_account(debit), player_account(credit), amount, Cause.FEE)
                return (await self.wallet.ledger.post(moved)).verdict
            case ("hold", number, stake, accounts):
                return await self.wallet.hold(number, stake, accounts)
            case ("claim", name, command):
                try:
                    return await self.wallet.grants.claim(name, f"{command}")
                except GuestAccountError:
                    return None
            case ("open", name):
                await self.wallet.grants.open(name)
                return None
        raise AssertionError(order)

    def _expected(self, order: tuple[Any, ...]) -> object:
        match order:
            case ("post", number, (debit, credit, *_), amount):
                return self.model.post(number, debit, credit, amount)
            case ("hold", number, stake, accounts):
                return self.model.hold(number, stake, accounts)
            case ("claim", name, command):
                return self.model.claim(name, f"{command}", self.today)
            case ("open", name):
                self.model.open(name)
                return None
        raise AssertionError(order)


def test_the_ledger_does_what_a_plain_model_does(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    asyncio.run(make_database(path))
    machine = type("MadeLedgers", (Ledgers,), {"made": path})
    run_state_machine_as_test(machine, settings=settings(max_examples=25, stateful_step_count=25, deadline=None))
