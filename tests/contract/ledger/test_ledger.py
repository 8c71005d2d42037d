"""The ledger alike on every database: coins move once, all or none, and nobody can say otherwise."""

import asyncio

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from services.wallet.books import Answer, Cause, Transfer, Verdict, player_account
from services.wallet.refusals import LedgerReadOnlyError
from services.wallet.schema import MINT
from shared.kit.database import Database
from tests.support.purses import FOUR, Purses, purses

ADA, BOB = player_account("ada"), player_account("bob")


def move(key: str, amount: int = 10, debit: str = ADA, credit: str = BOB) -> Transfer:
    return Transfer(key, debit, credit, amount, Cause.PRIZE)


async def test_what_one_account_gives_another_has_and_all_comes_to_zero(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    assert await wallet.ledger.post(move("a", 300)) == Answer(Verdict.CREATED)
    assert await wallet.balances() == {ADA: 700, BOB: 1_300, MINT: -2_000}


async def test_the_same_key_and_body_has_happened_and_another_body_is_refused(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    await wallet.ledger.post(move("a"))
    assert await wallet.ledger.post(move("a")) == Answer(Verdict.EXISTS)
    for other in (move("a", 11), move("a", 10, BOB, ADA), Transfer("a", ADA, BOB, 10, Cause.FEE)):
        assert await wallet.ledger.post(other) == Answer(Verdict.EXISTS_DIFFERENT)
    assert await wallet.players() == {"ada": 990, "bob": 1_010}


async def test_all_of_several_transfers_happen_or_none(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    poor = await wallet.ledger.post(move("a", 600), move("b", 600))
    assert poor == Answer(Verdict.INSUFFICIENT, (ADA,))
    nobody = await wallet.ledger.post(move("a"), move("b", credit="player:eve"))
    assert nobody == Answer(Verdict.NO_ACCOUNT, ("player:eve",))
    await wallet.ledger.post(move("b"))
    assert await wallet.ledger.post(move("a"), move("b")) == Answer(Verdict.EXISTS_DIFFERENT)
    assert await wallet.players() == {"ada": 990, "bob": 1_010}


async def test_coins_that_come_in_the_same_order_can_go_on_at_once(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    assert (await wallet.ledger.post(move("a", 1_000), move("b", 2_000, BOB, ADA))).verdict is Verdict.CREATED
    assert await wallet.players() == {"ada": 2_000}


async def test_of_those_that_are_written_together_one_fails_alone(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    answers = await asyncio.gather(
        *(wallet.ledger.post(move(f"{number}", amount)) for number, amount in enumerate((900, 200, 100, 50)))
    )
    assert [answer.verdict for answer in answers] == ["CREATED", "INSUFFICIENT", "CREATED", "INSUFFICIENT"]
    assert await wallet.players() == {"bob": 2_000}


async def test_a_read_only_ledger_refuses_what_is_new_and_knows_what_has_happened(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    await wallet.ledger.post(move("a"))
    async with wallet.database.transaction() as connection:
        await connection.execute(text("INSERT INTO breaches (rule, detail, found_ms) VALUES ('sum', 'by a test', 1)"))
    assert await wallet.ledger.post(move("a")) == Answer(Verdict.EXISTS)
    assert await wallet.ledger.post(move("b")) == Answer(Verdict.READ_ONLY)
    with pytest.raises(LedgerReadOnlyError):
        await wallet.open("eve")
    with pytest.raises(LedgerReadOnlyError):
        await wallet.hold(1, 10, ("ada", "bob"))
    assert await wallet.players() == {"ada": 990, "bob": 1_010}


DIRECT = {
    "a transfer's amount": "UPDATE transfers SET amount = 1",
    "nothing of a transfer": "UPDATE transfers SET amount = amount",
    "a transfer's cause": "UPDATE transfers SET cause = 'REFUND'",
    "a transfer is deleted": "DELETE FROM transfers",
    "an account is overdrawn": "UPDATE accounts SET balance = -1 WHERE account_id = 'player:ada'",
    "an account is given": "UPDATE accounts SET balance = balance + 1000 WHERE account_id = 'player:ada'",
    "the newest transfer again": (
        "UPDATE accounts SET balance = balance + 1000, last_transfer = (SELECT max(id) FROM transfers)"
        " WHERE account_id = 'player:bob'"
    ),
    "an account is renamed": "UPDATE accounts SET account_id = 'player:eve' WHERE account_id = 'player:ada'",
    "an account is deleted": "DELETE FROM accounts WHERE account_id = 'player:ada'",
    "an account begins with coins": "INSERT INTO accounts VALUES ('player:eve', 5, 0)",
    "more than there is": "{insert} ('x', 'player:ada', 'player:bob', 1001, 'FEE', '', 1, -1, 0)",
    "less than nothing": "{insert} ('x', 'player:ada', 'player:bob', -5, 'FEE', '', 1, 0, 0)",
    "from nobody": "{insert} ('x', 'player:eve', 'player:bob', 5, 'FEE', '', 1, 0, 0)",
    "to nobody": "{insert} ('x', 'player:ada', 'player:eve', 5, 'FEE', '', 1, 0, 0)",
    "a key again": "{insert} ('welcome:ada', 'player:ada', 'player:bob', 5, 'FEE', '', 1, 0, 0)",
    "a settlement": "UPDATE settlements SET outcome = 'settle'",
    "a settlement is deleted": "DELETE FROM settlements",
}
COLUMNS = "(key, debit, credit, amount, cause, match_id, at_ms, debit_after, credit_after)"


INSERT = f"INSERT INTO transfers {COLUMNS} VALUES"


async def test_direct_sql_that_edits_a_transfer_or_overdraws_an_account_fails(wallet: Purses) -> None:
    await wallet.open(*FOUR)
    await wallet.refund(7)
    before = await wallet.balances(), await wallet.count("transfers"), await wallet.count("settlements")
    assert [name for name, statement in DIRECT.items() if await goes(wallet, statement.format(insert=INSERT))] == []
    assert (await wallet.balances(), await wallet.count("transfers"), await wallet.count("settlements")) == before


async def goes(wallet: Purses, statement: str) -> bool:
    """Whether the database takes it."""
    try:
        async with wallet.database.transaction() as connection:
            await connection.execute(text(statement))
    except DBAPIError:
        return False
    return True


async def test_what_direct_sql_moves_by_the_rules_moves(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    assert await goes(
        wallet,
        f"{INSERT} ('x', 'player:ada', 'player:bob', 400, 'FEE', '', 1, 600, 1400),"
        " ('y', 'player:ada', 'player:bob', 600, 'FEE', '', 1, 0, 2000)",
    )
    assert await wallet.players() == {"bob": 2_000}


async def test_sqlite_does_not_replace_a_transfer(on_sqlite: Database) -> None:
    async with purses(on_sqlite) as wallet:
        await wallet.open("ada", "bob")
        insert = INSERT.replace("INSERT", "INSERT OR REPLACE")
        assert not await goes(wallet, f"{insert} ('welcome:ada', 'mint', 'player:ada', 5, 'FEE', '', 1, 0, 0)")
        insert = insert.replace("(key,", "(id, key,")
        assert not await goes(wallet, f"{insert} (1, 'z', 'mint', 'player:ada', 5, 'FEE', '', 1, 0, 0)")
        assert await wallet.players() == {"ada": 1_000, "bob": 1_000}
