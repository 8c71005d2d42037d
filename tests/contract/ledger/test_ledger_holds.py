"""Stakes on every database: all seats' or none's, then paid out or given back, once."""

import asyncio

import pytest

from services.wallet.holds import BadSettlementError, HoldAnswer, HoldOutcome, Obstacle, SettleOutcome, shares
from services.wallet.schema import FEES
from tests.support.purses import FOUR, Purses

HELD, EXISTS = HoldAnswer(HoldOutcome.HELD), HoldAnswer(HoldOutcome.EXISTS)


async def test_stakes_of_all_seats_are_held_and_the_pot_less_the_fee_goes_to_the_winners(wallet: Purses) -> None:
    await wallet.open(*FOUR)
    assert await wallet.hold(1, 500) == HELD
    assert await wallet.players() == dict.fromkeys(FOUR, 500)
    assert (await wallet.statements.purse("ada"))[1:] == (500, 500, 3)
    assert await wallet.settle(1, "ada", "cy") is SettleOutcome.DONE
    assert await wallet.players() == {"ada": 1_400, "bob": 500, "cy": 1_400, "dee": 500}
    assert (await wallet.balances())[FEES] == 200
    assert (await wallet.statements.purse("ada")).held == 0


async def test_a_refund_gives_every_stake_back_and_takes_no_fee(wallet: Purses) -> None:
    await wallet.open(*FOUR)
    await wallet.hold(1, 500)
    assert await wallet.refund(1) is SettleOutcome.DONE
    assert await wallet.players() == dict.fromkeys(FOUR, 1_000)


async def test_one_of_settle_and_refund_happens_once(wallet: Purses) -> None:
    await wallet.open(*FOUR)
    await wallet.hold(1)
    await wallet.hold(2)
    await wallet.settle(1, "ada", "cy")
    await wallet.refund(2)
    after = await wallet.balances()
    assert await wallet.settle(1, "ada", "cy") is await wallet.refund(2, "another") is SettleOutcome.EXISTS
    assert await wallet.settle(1, "bob", "dee") is SettleOutcome.OTHER
    assert await wallet.refund(1) is await wallet.settle(2, "ada", "cy") is SettleOutcome.OTHER
    assert (await wallet.hold(1)).outcome is (await wallet.hold(2)).outcome is HoldOutcome.SETTLED
    assert await wallet.balances() == after


async def test_the_same_hold_again_exists_and_another_is_refused(wallet: Purses) -> None:
    await wallet.open(*FOUR, "eve")
    await wallet.hold(1)
    assert await wallet.hold(1) == EXISTS
    for stake, accounts in ((105, FOUR), (100, FOUR[:2]), (100, FOUR[::-1]), (100, (*FOUR[:3], "eve"))):
        assert (await wallet.hold(1, stake, accounts)).outcome is HoldOutcome.DIFFERENT
    assert await wallet.players() == {**dict.fromkeys(FOUR, 900), "eve": 1_000}


async def test_who_may_not_play_is_named_with_the_reasons_and_nobody_pays(wallet: Purses) -> None:
    await wallet.open("ada", "bob")
    await wallet.open("cy", played=2)
    await wallet.finish("eve", 5)
    answer = await wallet.hold(1, 1_005, ("ada", "eve", "cy", "bob"))
    assert answer == HoldAnswer(
        HoldOutcome.REFUSED,
        (
            (0, Obstacle.TOO_FEW_COINS),
            (1, Obstacle.GUEST),
            (2, Obstacle.TOO_FEW_MATCHES),
            (2, Obstacle.TOO_FEW_COINS),
            (3, Obstacle.TOO_FEW_COINS),
        ),
    )
    assert await wallet.players() == {"ada": 1_000, "bob": 1_000, "cy": 1_000}
    assert await wallet.count("holds") == await wallet.count("hold_seats") == 0
    await wallet.open("eve", played=0)
    assert await wallet.hold(1, 1_000, ("ada", "eve")) == HELD


async def test_a_match_that_is_given_back_before_its_stakes_came_never_has_any(wallet: Purses) -> None:
    await wallet.open(*FOUR)
    assert await wallet.refund(1) is SettleOutcome.NO_HOLD
    assert await wallet.refund(1) is SettleOutcome.EXISTS
    assert (await wallet.hold(1)).outcome is HoldOutcome.SETTLED
    assert await wallet.settle(1, "ada", "cy") is SettleOutcome.OTHER
    assert await wallet.settle(2, "ada", "cy") is SettleOutcome.NO_HOLD
    assert await wallet.hold(2) == HELD
    assert await wallet.players() == dict.fromkeys(FOUR, 900)


async def test_winners_without_a_stake_are_refused(wallet: Purses) -> None:
    await wallet.open(*FOUR)
    await wallet.hold(1)
    for winners in ((), ("eve",), ("ada", "eve"), ("ada", "ada")):
        with pytest.raises(BadSettlementError):
            await wallet.settle(1, *winners)
    assert await wallet.settle(1, "ada", "cy") is SettleOutcome.DONE


@pytest.mark.parametrize(
    ("pot", "winners", "expected"),
    [(20, 2, (9, 2)), (10, 1, (9, 1)), (2_000, 2, (900, 200)), (30, 1, (27, 3)), (11, 2, (4, 3)), (1, 1, (0, 1))],
)
def test_the_fee_is_a_tenth_rounded_up_so_that_partners_get_the_same(
    pot: int, winners: int, expected: tuple[int, int]
) -> None:
    assert shares(pot, winners) == expected


async def test_the_same_hold_at_once_is_held_once(wallet: Purses) -> None:
    await wallet.open(*FOUR)
    answers = await asyncio.gather(*(wallet.hold(1, 300) for _ in range(12)))
    assert sorted(answer.outcome for answer in answers) == ["EXISTS"] * 11 + ["HELD"]
    assert await wallet.players() == dict.fromkeys(FOUR, 700)
