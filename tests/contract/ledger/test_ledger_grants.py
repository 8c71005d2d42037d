"""Coins that are given, on every database: once, by the day of one time zone, and no more than the limits say."""

import asyncio
from collections.abc import Sequence

import pytest

from services.wallet.days import DAY_MS, Days
from services.wallet.grants import Claim
from services.wallet.refusals import GuestAccountError
from tests.support.purses import Purses, match_id

RIYADH = Days(180)
HOUR_MS = 3_600_000


def to_day(wallet: Purses, day: int, after_ms: int = 0) -> None:
    """Let it be so long after a day has begun, the wallet's first being 0."""
    today = RIYADH.day(1_700_000_000_000)
    wallet.clock.advance(RIYADH.begins_ms(today + day) + after_ms - wallet.clock.now_ms())


async def claim(wallet: Purses, command: str = "", account: str = "ada") -> Claim:
    return await wallet.grants.claim(account, command or f"at {wallet.clock.now_ms()}")


async def test_an_account_is_welcomed_once(wallet: Purses) -> None:
    await asyncio.gather(*(wallet.grants.open(name) for name in ("ada", "bob") * 10))
    assert await wallet.players() == {"ada": 1_000, "bob": 1_000}


async def test_the_bonus_is_had_once_a_day_and_grows_with_each_day_in_a_row(wallet: Purses) -> None:
    await wallet.grants.open("ada")
    had = Claim(0, 0, 0)
    for day in range(1, 13):
        to_day(wallet, day, after_ms=(day * 7 % 24) * HOUR_MS)
        coins = min(80 + 20 * day, 300)
        had = await claim(wallet)
        assert had[:2] == (coins, day)
        assert await claim(wallet) == had
    assert had == (300, 12, 1_000 + sum(min(80 + 20 * day, 300) for day in range(1, 13)))
    to_day(wallet, 14)
    assert (await claim(wallet))[:2] == (100, 1)


async def test_the_day_begins_at_midnight_in_riyadh(wallet: Purses) -> None:
    await wallet.grants.open("ada")
    to_day(wallet, 1, after_ms=-1)
    assert wallet.clock.now_ms() % DAY_MS == 21 * HOUR_MS - 1
    assert (await claim(wallet))[:2] == (100, 1)
    wallet.clock.advance(1)
    assert (await claim(wallet))[:2] == (120, 2)
    to_day(wallet, 2, after_ms=-1)
    assert (await claim(wallet))[:2] == (120, 2)
    to_day(wallet, 3, after_ms=-1)
    assert (await claim(wallet))[:2] == (140, 3)
    to_day(wallet, 5)
    assert (await claim(wallet))[:2] == (100, 1)


async def test_a_claim_that_is_sent_again_after_midnight_has_its_first_answer(wallet: Purses) -> None:
    await wallet.grants.open("ada")
    to_day(wallet, 1, after_ms=-1)
    had = await claim(wallet, "one")
    await wallet.give("ada", 50)
    wallet.clock.advance(2)
    assert await claim(wallet, "one") == had
    assert (await claim(wallet, "two"))[:2] == (120, 2)


async def test_claims_at_once_give_one_bonus(wallet: Purses) -> None:
    await wallet.grants.open("ada")
    answers = await asyncio.gather(*(claim(wallet, f"{number}") for number in range(16)))
    assert set(answers) == {(100, 1, 1_100)}
    assert await wallet.players() == {"ada": 1_100}


async def test_a_guest_has_no_bonus(wallet: Purses) -> None:
    with pytest.raises(GuestAccountError):
        await claim(wallet)
    assert await wallet.players() == {}


async def test_what_a_player_is_told_of_its_bonus(wallet: Purses) -> None:
    async def told() -> tuple[bool, int, int]:
        player = (await wallet.statements.purse("ada")).player
        assert player is not None
        daily = wallet.grants.daily(player)
        assert daily.next_at_ms == RIYADH.begins_ms(RIYADH.day(wallet.clock.now_ms()) + 1)
        return daily.available, daily.streak_days, daily.coins

    await wallet.grants.open("ada")
    assert await told() == (True, 1, 100)
    await claim(wallet)
    assert await told() == (False, 1, 100)
    to_day(wallet, 1)
    assert await told() == (True, 2, 120)
    to_day(wallet, 2)
    assert await told() == (True, 1, 100)


async def won(wallet: Purses, number: int, *accounts: str) -> Sequence[int]:
    async with wallet.database.transaction() as connection:
        await wallet.grants.free_wins(connection, match_id(number), accounts, wallet.clock.now_ms())
    balances = await wallet.players()
    return [balances.get(account, 0) for account in accounts]


async def test_a_match_won_at_a_free_table_gives_coins_to_open_accounts_so_often_a_day(wallet: Purses) -> None:
    await wallet.grants.open("ada")
    assert [await won(wallet, number, "guest", "ada") for number in range(1, 7)] == [
        [0, coins] for coins in (1_020, 1_040, 1_060, 1_080, 1_100, 1_100)
    ]
    to_day(wallet, 1)
    assert await won(wallet, 7, "ada") == [1_120]
    assert await won(wallet, 7, "ada") == [1_120]


async def test_a_win_that_is_told_late_counts_for_the_last_day_and_opens_none_again(wallet: Purses) -> None:
    await wallet.grants.open("ada")
    to_day(wallet, 1)
    for number in range(1, 5):
        await won(wallet, number, "ada")
    yesterday = wallet.clock.now_ms() - 1
    async with wallet.database.transaction() as connection:
        for number in (11, 12, 13):
            await wallet.grants.free_wins(connection, match_id(number), ["ada"], yesterday)
    assert await won(wallet, 5, "ada") == [1_100]
