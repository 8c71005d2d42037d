"""Many writers at once, in one process and in several, on every database: nothing is lost, nothing waits for ever."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError
from structlog.testing import capture_logs

from services.wallet.books import Answer, Books, Cause, Needs, Order, Post, Transfer, Verdict, player_account
from services.wallet.checking import Checker
from services.wallet.holds import HoldAnswer, HoldOutcome, Obstacle
from services.wallet.refusals import GuestAccountError
from shared.kit.database import open_database
from shared.kit.metrics import Metrics
from tests.support.kit import eventually
from tests.support.purses import FOUR, Purses, emptied, purses

WRITERS = 64
EACH = 6


async def whole(wallet: Purses) -> bool:
    report = await Checker(wallet.database, wallet.clock, Metrics(), 5_000).check()
    return report.breaches == ()


async def test_64_writers_on_one_account_lose_no_update(wallet: Purses) -> None:
    await wallet.open("hot", "other")

    async def write(writer: int) -> list[Verdict]:
        debit, credit = map(player_account, ("hot", "other") if writer % 2 else ("other", "hot"))
        answers = []
        for number in range(EACH):
            moved = Transfer(f"{writer}:{number}", debit, credit, writer // 2 + 1, Cause.FEE)
            answers.append((await wallet.ledger.post(moved)).verdict)
        return answers

    verdicts = Counter(verdict for answers in await asyncio.gather(*map(write, range(WRITERS))) for verdict in answers)
    assert verdicts == {"CREATED": WRITERS * EACH}
    assert await wallet.players() == {"hot": 1_000, "other": 1_000}
    assert await whole(wallet)


async def test_64_writers_spread_over_1000_accounts_lose_no_update(wallet: Purses, rng: random.Random) -> None:
    accounts = [f"{number}" for number in range(1_000)]
    await asyncio.gather(*map(wallet.grants.open, accounts))
    expected = Counter(dict.fromkeys(accounts, 1_000))
    plans = [[(rng.sample(accounts, 2), rng.randrange(1, 100)) for _ in range(EACH)] for _ in range(WRITERS)]
    for (debit, credit), amount in (step for plan in plans for step in plan):
        expected[debit] -= amount
        expected[credit] += amount

    async def write(writer: int) -> None:
        for number, ((debit, credit), amount) in enumerate(plans[writer]):
            moved = Transfer(f"{writer}:{number}", player_account(debit), player_account(credit), amount, Cause.FEE)
            assert (await wallet.ledger.post(moved)).verdict is Verdict.CREATED

    await asyncio.gather(*map(write, range(WRITERS)))
    assert await wallet.players() == expected
    assert await whole(wallet)


async def test_no_more_is_spent_than_there_is_however_many_try_at_once(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    spent = await asyncio.gather(
        *(
            wallet.ledger.post(Transfer(f"{number}", player_account("ada"), player_account("bob"), 30, Cause.FEE))
            for number in range(WRITERS)
        )
    )
    assert Counter(answer.verdict for answer in spent) == {"CREATED": 33, "INSUFFICIENT": 31}
    assert await wallet.players() == {"ada": 10, "bob": 1_990}


@asynccontextmanager
async def several(url: str, count: int) -> AsyncIterator[list[Purses]]:
    """As many processes of the service as that, on one Postgres."""
    async with AsyncExitStack() as stack:
        databases = [await stack.enter_async_context(open_database(url)) for _ in range(count)]
        yield [await stack.enter_async_context(purses(database)) for database in databases]


@pytest.fixture
async def processes(postgres_url: str) -> AsyncIterator[list[Purses]]:
    async with emptied(postgres_url), several(postgres_url, 3) as made:
        yield made


@pytest.mark.needs_postgres
async def test_processes_that_order_of_the_same_accounts_in_any_order_all_get_their_answers(
    processes: list[Purses], rng: random.Random
) -> None:
    names = [f"{number}" for number in range(8)]
    await processes[0].open(*names)
    expected = Counter(dict.fromkeys(names, 1_000))
    orders = []
    for number in range(240):
        way = rng.sample(names, rng.randrange(2, 6))
        moves = [
            Transfer(f"{number}:{step}", player_account(debit), player_account(credit), 1, Cause.FEE)
            for step, (debit, credit) in enumerate(itertools.pairwise(way))
        ]
        expected[way[0]] -= 1
        expected[way[-1]] += 1
        orders.append(moves)
    answers = await asyncio.gather(*(processes[number % 3].ledger.post(*moves) for number, moves in enumerate(orders)))
    assert Counter(answer.verdict for answer in answers) == {"CREATED": 240}
    assert await processes[0].players() == expected
    assert await whole(processes[1])


@pytest.mark.needs_postgres
async def test_what_is_ordered_of_several_processes_at_once_happens_once(processes: list[Purses]) -> None:
    await asyncio.gather(*(each.grants.open(name) for name in FOUR for each in processes))
    assert await processes[0].players() == dict.fromkeys(FOUR, 1_000)
    for name in FOUR:
        await processes[0].finish(name, 3)
    claims = await asyncio.gather(*(each.grants.claim("ada", f"{each!r}"[:36]) for each in processes for _ in range(4)))
    assert set(claims) == {(100, 1, 1_100)}
    held = await asyncio.gather(*(each.hold(1) for each in processes for _ in range(4)))
    assert Counter(answer.outcome for answer in held) == {"HELD": 1, "EXISTS": 11}
    ended = await asyncio.gather(
        *(each.settle(1, "ada", "cy") for each in processes), *(each.refund(1) for each in processes)
    )
    assert sorted(ended) == ["DONE", "EXISTS", "EXISTS", "OTHER", "OTHER", "OTHER"]
    assert await whole(processes[2])


@pytest.mark.needs_postgres
async def test_a_hold_and_a_refund_that_come_at_once_leave_nothing_held(processes: list[Purses]) -> None:
    await processes[0].open(*FOUR)

    async def given_back(each: Purses, number: int) -> None:
        """As the inbox does: what fails is taken in again."""
        try:
            await each.refund(number)
        except DBAPIError:
            await each.refund(number)

    for number in range(1, 13):
        held, _ = await asyncio.gather(processes[0].hold(number), given_back(processes[1], number))
        assert held.outcome in {HoldOutcome.HELD, HoldOutcome.SETTLED}
        assert await processes[2].players() == dict.fromkeys(FOUR, 1_000)
    assert await whole(processes[0])


class Cheat:
    """An order that moves coins of an account which is not there."""

    def needs(self) -> Needs:
        return Needs(accounts=(player_account("ada"),))

    def decide(self, books: Books) -> Answer:
        books.balances["player:ghost"] = 10
        return books.post([Transfer("ghost", "player:ghost", player_account("ada"), 10, Cause.FEE)])


async def test_an_order_that_the_database_refuses_fails_alone(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    moved = [Transfer(f"{number}", player_account("ada"), player_account("bob"), 5, Cause.FEE) for number in range(4)]
    orders: list[Order[Answer]] = [*map(Post, zip(moved)), Cheat()]
    answers = await asyncio.gather(*map(wallet.ledger.submit, orders), return_exceptions=True)
    assert answers[:4] == [Answer(Verdict.CREATED)] * 4
    assert isinstance(answers[4], IntegrityError)
    assert await wallet.players() == {"ada": 980, "bob": 1_020}


async def test_an_order_whose_decision_fails_has_done_nothing_and_fails_alone(wallet: Purses) -> None:
    await wallet.open("ada")
    guest, opened = await asyncio.gather(
        wallet.grants.claim("bob", "one"), wallet.grants.claim("ada", "two"), return_exceptions=True
    )
    assert isinstance(guest, GuestAccountError)
    assert opened == (100, 1, 1_100)


async def waits_for_a_lock(connection: Any) -> None:
    """Returns once somebody does."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"

    async def somebody_waits() -> bool:
        return bool(await connection.fetchval(asked))

    await eventually(somebody_waits)


@pytest.mark.needs_postgres
async def test_a_deadlock_with_somebody_else_is_tried_again(processes: list[Purses]) -> None:
    wallet = processes[0]
    await wallet.open("ada", "bob")
    other, watcher = await wallet.database.connect_driver(), await wallet.database.connect_driver()
    lock = "SELECT 1 FROM accounts WHERE account_id = $1 FOR UPDATE"
    try:
        await other.execute("SET deadlock_timeout = '10min'")  # so that it is not the one to give way
        moved = Transfer("x", player_account("ada"), player_account("bob"), 5, Cause.FEE)
        with capture_logs() as logs:
            async with other.transaction():
                await other.fetch(lock, "player:bob")
                posting = asyncio.create_task(wallet.ledger.post(moved))
                await waits_for_a_lock(watcher)
                await other.fetch(lock, "player:ada")
            assert (await posting).verdict is Verdict.CREATED
        # Once, or more often where it is quicker to lock the account again than the other is to find it free.
        assert {line["reason"] for line in logs if line["event"] == "ledger.again"} == {"40P01"}
    finally:
        await other.close()
        await watcher.close()


@pytest.mark.needs_postgres
async def test_a_transaction_that_could_not_be_ordered_is_tried_again(processes: list[Purses]) -> None:
    wallet = processes[0]
    await wallet.open("ada", "bob")
    other, watcher = await wallet.database.connect_driver(), await wallet.database.connect_driver()
    name = wallet.database.engine.url.database
    try:
        await other.execute(f"ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'")
        async with several(str(wallet.database.engine.url).replace("+asyncpg", ""), 1) as (strict,):
            transaction = other.transaction()
            await transaction.start()
            await other.execute(
                "INSERT INTO transfers (key, debit, credit, amount, cause, match_id, at_ms, debit_after, credit_after)"
                " VALUES ('y', 'player:bob', 'player:ada', 5, 'FEE', '', 1, 995, 1005)"
            )
            moved = Transfer("x", player_account("ada"), player_account("bob"), 5, Cause.FEE)
            with capture_logs() as logs:
                posting = asyncio.create_task(strict.ledger.post(moved))
                await waits_for_a_lock(watcher)
                await transaction.commit()
                assert (await posting).verdict is Verdict.CREATED
            assert [line["reason"] for line in logs if line["event"] == "ledger.again"] == ["40001"]
        assert await wallet.players() == {"ada": 1_000, "bob": 1_000}
        assert await whole(wallet)
    finally:
        await other.execute(f"ALTER DATABASE {name} RESET default_transaction_isolation")
        await other.close()
        await watcher.close()


async def test_scenario_11_of_two_writes_that_race_the_ledgers_constraints_decide(wallet: Purses) -> None:
    """A player with one stake sits at two tables, whose matches begin at once: one has the stake, the other none."""
    await wallet.open(*FOUR, "eve", "fay", "gil")
    first, second = await asyncio.gather(wallet.hold(1, 1_000), wallet.hold(2, 1_000, ("eve", "fay", "gil", FOUR[0])))
    assert first == HoldAnswer(HoldOutcome.HELD)
    assert second == HoldAnswer(HoldOutcome.REFUSED, ((3, Obstacle.TOO_FEW_COINS),))
    assert await wallet.players() == dict.fromkeys(("eve", "fay", "gil"), 1_000)
    assert await whole(wallet)


@pytest.mark.needs_postgres
async def test_scenario_11_of_two_processes_whose_writes_race_one_spends_the_coins(processes: list[Purses]) -> None:
    await processes[0].open("ada", "bob", "cy")
    for number in range(1, 9):
        one, other = await asyncio.gather(
            processes[1].hold(2 * number, 1_000, ("ada", "bob")),
            processes[2].hold(2 * number + 1, 1_000, ("ada", "cy")),
        )
        assert sorted([one.outcome, other.outcome]) == ["HELD", "REFUSED"]
        await processes[0].refund(2 * number)
        await processes[0].refund(2 * number + 1)
    assert await processes[0].players() == dict.fromkeys(("ada", "bob", "cy"), 1_000)
