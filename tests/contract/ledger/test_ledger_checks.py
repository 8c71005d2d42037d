"""What does not hold in the ledger is found on every database, and closes it until an operator has looked."""

import pytest
from structlog.testing import capture_logs

from services.wallet import checking, invariants
from services.wallet.books import Verdict
from services.wallet.checking import Checker
from services.wallet.invariants import Reading, check_all
from services.wallet.ledger_sql import Rows
from shared.kit.metrics import Metrics
from tests.support.purses import FOUR, Purses, break_in

BREACHES = {
    "a balance is edited": (
        {"balance", "sum"},
        "UPDATE accounts SET balance = balance + 5 WHERE account_id = 'player:ada'",
    ),
    "a transfer is edited": ({"chain"}, "UPDATE transfers SET credit_after = 7 WHERE key = 'welcome:ada'"),
    "the newest transfer of an account is edited": (
        {"chain", "balance"},
        "UPDATE transfers SET credit_after = 7 WHERE id = (SELECT max(id) FROM transfers)",
    ),
    "an amount is edited": ({"chain"}, "UPDATE transfers SET amount = amount + 1 WHERE key = 'welcome:bob'"),
    "a transfer is gone": ({"chain"}, "DELETE FROM transfers WHERE key LIKE 'stake:%:ada'"),
    "an account is below zero": (
        {"negative", "balance", "sum"},
        "UPDATE accounts SET balance = -1 WHERE account_id = 'player:ada'",
    ),
    "stakes lie with a settled match": (
        {"escrow"},
        "UPDATE holds SET settled_ms = 1 WHERE match_id = '00000000000000000000000000000002'",
    ),
    "another stake is said to be held": ({"escrow"}, "UPDATE holds SET stake_coins = 7 WHERE settled_ms IS NULL"),
}


@pytest.fixture
async def checker(wallet: Purses) -> Checker:
    """Of a ledger in which something has happened."""
    await wallet.open(*FOUR)
    for number in (1, 2, 3):
        await wallet.hold(number)
    await wallet.settle(1, "ada", "cy")
    await wallet.refund(3)
    return Checker(wallet.database, wallet.clock, Metrics(), 5_000)


async def test_a_ledger_that_is_whole_is_found_whole(wallet: Purses, checker: Checker) -> None:
    assert await checker.look() == []
    assert await checker.check() == ((), 9, 4 + 3 * 4 + 3 + 4)
    assert await checker.is_writable()


@pytest.mark.parametrize("at_once", [5_000, 2])
async def test_each_breach_is_found_in_what_is_new_and_in_the_whole(
    wallet: Purses, checker: Checker, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invariants, "TRANSFERS_AT_ONCE", at_once)
    monkeypatch.setattr(invariants, "ACCOUNTS_AT_ONCE", at_once)
    for name, (rules, statement) in BREACHES.items():
        async with wallet.database.engine.connect() as connection:  # which takes it all back
            await break_in(connection, statement)
            ledger = Reading(Rows(connection))
            newest = await ledger.newest()
            new = [*await ledger.transfers(0, newest), *await ledger.touched(0, newest), *await ledger.total()]
            assert {breach.rule for breach in new} == rules, name
            assert {breach.rule for breach in (await check_all(ledger)).breaches} == rules, name
    assert (await checker.check()).breaches == ()


async def test_a_breach_closes_the_ledger_until_it_is_mended_and_an_operator_has_looked(
    wallet: Purses, checker: Checker
) -> None:
    await checker.look()
    async with wallet.database.transaction() as connection:
        await break_in(connection, "UPDATE accounts SET balance = balance + 5 WHERE account_id = 'player:bob'")
    with capture_logs() as logs:
        assert {breach.rule for breach in await checker.look()} == {"balance", "sum"}
    assert [line["log_level"] for line in logs] == ["error"] * 2
    assert not await checker.is_writable()
    assert await checker.read_only_since() == wallet.clock.now_ms()
    assert (await wallet.give("ada", 5)).verdict is Verdict.READ_ONLY
    wallet.clock.advance(60_000)
    assert (await checker.reopen()).breaches
    assert not await checker.is_writable()
    async with wallet.database.transaction() as connection:
        await break_in(connection, "UPDATE accounts SET balance = balance - 5 WHERE account_id = 'player:bob'")
    assert await checker.look() == []
    assert not await checker.is_writable()
    assert (await checker.reopen()).breaches == ()
    assert await checker.is_writable()


async def test_only_what_is_new_is_looked_at_again_and_the_others_in_their_turn(
    wallet: Purses, checker: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "OVERLAP", 0)
    monkeypatch.setattr(checking, "ACCOUNTS_AT_ONCE", 3)
    await checker.look()
    async with wallet.database.transaction() as connection:
        await break_in(connection, "UPDATE accounts SET balance = balance + 5 WHERE account_id = 'player:dee'")
    looks = [bool(await checker.look()) for _ in range(4)]
    assert looks.index(True) > 0
    assert not await checker.is_writable()
