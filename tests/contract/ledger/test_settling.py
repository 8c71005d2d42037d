"""Stakes are paid once a match is proven, or go back, once, whatever is told how often and in what order."""

import pytest
from banakil.events.v1.facts_pb2 import Fact
from banakil.table.v1 import standing_pb2 as standing

from services.wallet.proving import Proof, Verdict
from services.wallet.settling import AGAIN_FIRST_MS, AGAIN_MOST_MS, IDLE_MS
from services.wallet.store import OtherResultError
from shared.rules.options import make_options
from shared.rules.replay import options_rules_id
from tests.support.purses import FOUR, TABLE_ID, Purses, match_id
from tests.support.settling import ASK_AFTER_MS, PATIENCE_MS, STAKE, Saga, aborted, closed, won

PAID = {"ada": 1_080, "bob": 900, "cy": 1_080, "dee": 900}
"""After a match of four that the first and the third have won: 400 coins less 40."""
GIVEN_BACK = dict.fromkeys(FOUR, 1_000)
HELD = dict.fromkeys(FOUR, 900)


@pytest.fixture(name="wallet")
async def wallet_with_stakes(wallet: Purses) -> Saga:
    """Four accounts with a thousand coins each, of whom a match has the stakes."""
    await wallet.open(*FOUR)
    await wallet.hold(1, STAKE)
    return Saga(wallet)


async def test_the_winners_are_paid_once_the_match_is_proven(wallet: Saga) -> None:
    await wallet.take(won())
    assert await wallet.purses.players() == HELD
    await wallet.settle()
    assert await wallet.purses.players() == PAID
    assert await wallet.settlements() == [("settle", "won")]
    (claim,) = wallet.claims
    rules = options_rules_id(make_options({"preset": "sahrat", "stake": STAKE}))
    assert claim == (match_id(1), 7, rules, FOUR)
    assert await wallet.purses.count("pending_settlements") == 0


async def test_scenario_5_repeated_end_signals_pay_and_rate_once(wallet: Saga) -> None:
    for number in range(3):
        await wallet.take(won(fact_id=f"5c4b3a29-0000-4000-9000-00000000000{number}"))
        await wallet.settle()
    with pytest.raises(OtherResultError):
        await wallet.take(won(winner=1))
    await wallet.take(aborted(last_deal_no=7))
    await wallet.take(closed())
    wallet.wait(ASK_AFTER_MS)
    wallet.standing = standing.GetMatchStandingResponse(standing=standing.MATCH_STANDING_VOID)
    await wallet.reconciling.reconcile()
    await wallet.settle()
    assert await wallet.purses.players() == PAID
    assert await wallet.settlements() == [("settle", "won")]
    assert wallet.asked == []
    async with wallet.purses.database.reading() as connection:
        rows = await connection.exec_driver_sql("SELECT sum(played) FROM player_stats WHERE account_id = 'ada'")
        assert rows.scalar() == 3 + 1  # the matches that she had finished before, and this one


async def test_a_proof_that_fails_gives_the_stakes_back(wallet: Saga) -> None:
    wallet.proof = Proof(Verdict.FAILED, "commitment: it is another")
    await wallet.take(won())
    await wallet.settle()
    assert await wallet.purses.players() == GIVEN_BACK
    assert await wallet.settlements() == [("refund", "proof_failed")]


async def test_a_match_that_cannot_be_settled_keeps_nobody_elses_from_it(wallet: Saga) -> None:
    await wallet.purses.open("eve", "fay")
    await wallet.purses.hold(2, STAKE, ("eve", "fay"))
    wallet.faults = {match_id(1)}
    await wallet.take(won())
    await wallet.take(won(2, ("eve", "fay")))
    await wallet.settle()
    assert await wallet.settlements() == [("settle", "won")]
    wallet.faults = set()
    wallet.wait(AGAIN_FIRST_MS)
    await wallet.settle()
    assert await wallet.settlements() == [("settle", "won")] * 2


async def test_a_match_that_cannot_be_asked_about_keeps_nobody_elses_from_it(wallet: Saga) -> None:
    await wallet.purses.open("eve", "fay")
    await wallet.purses.hold(2, STAKE, ("eve", "fay"))
    wallet.standing = standing.GetMatchStandingResponse(standing=standing.MATCH_STANDING_VOID)
    wallet.faults = {match_id(1)}
    wallet.wait(ASK_AFTER_MS)
    await wallet.reconciling.reconcile()
    assert await wallet.settlements() == [("refund", "aborted")]


@pytest.mark.parametrize(
    ("proof", "days"), [(Proof(Verdict.OPEN, "the secret is not out"), 1), (None, 2)], ids=["open", "nobody answers"]
)
async def test_a_proof_is_waited_for_a_day_and_then_the_stakes_go_back(
    wallet: Saga, proof: Proof | None, days: int
) -> None:
    wallet.proof = proof
    await wallet.take(won())
    await wallet.settle()
    asked = len(wallet.claims)
    wallet.wait(AGAIN_FIRST_MS - 1)
    await wallet.settle()
    assert len(wallet.claims) == asked == 1
    wallet.wait(days * PATIENCE_MS - AGAIN_FIRST_MS)
    await wallet.settle()
    assert await wallet.purses.players() == HELD
    wallet.wait(AGAIN_MOST_MS)
    await wallet.settle()
    assert await wallet.purses.players() == GIVEN_BACK
    assert await wallet.settlements() == [("refund", "proof_missing")]


async def test_a_proof_that_comes_late_still_pays(wallet: Saga) -> None:
    wallet.proof = Proof(Verdict.OPEN, "the secret is not out")
    await wallet.take(won())
    await wallet.settle()
    wallet.proof = Proof(Verdict.PROVEN)
    wallet.wait(PATIENCE_MS - 1)
    await wallet.settle()
    assert await wallet.purses.players() == PAID


@pytest.mark.parametrize(("last_deal_no", "cause"), [(0, "cancelled"), (3, "aborted")])
async def test_an_aborted_match_gives_all_back_and_takes_no_fee(wallet: Saga, last_deal_no: int, cause: str) -> None:
    await wallet.take(aborted(last_deal_no=last_deal_no))
    assert await wallet.purses.players() == GIVEN_BACK
    assert await wallet.settlements() == [("refund", cause)]


async def test_a_match_that_was_aborted_before_its_stakes_were_held_never_has_any(wallet: Saga) -> None:
    await wallet.take(aborted(2))
    assert (await wallet.purses.hold(2, STAKE)).outcome.name == "SETTLED"
    assert await wallet.purses.players() == HELD


async def test_of_a_free_match_nothing_is_settled(wallet: Saga) -> None:
    await wallet.take(aborted(2, stake=0))
    assert await wallet.settlements() == []


@pytest.mark.parametrize("other", [won(1, ("bob", "ada", "cy", "dee")), won(2)], ids=["others' seats", "no stakes"])
async def test_a_result_of_what_was_not_staked_pays_nobody(wallet: Saga, other: Fact) -> None:
    await wallet.take(other)
    await wallet.settle()
    assert await wallet.purses.players() == HELD
    assert await wallet.settlements() == []


async def test_of_a_closed_table_is_asked_what_became_of_the_stakes_that_it_still_has(wallet: Saga) -> None:
    await wallet.take(closed())
    wallet.standing = standing.GetMatchStandingResponse(
        standing=standing.MATCH_STANDING_WON, winner_team=1, last_deal_no=4
    )
    wallet.wait(IDLE_MS)
    await wallet.reconciling.reconcile()
    assert wallet.asked == [(TABLE_ID, match_id(1))]
    await wallet.settle()
    assert await wallet.purses.players() == {"ada": 900, "bob": 1_080, "cy": 900, "dee": 1_080}
    assert wallet.claims == [(match_id(1), 4, "", FOUR)]
    await wallet.take(won(winner=1))  # which comes after all
    await wallet.settle()
    assert await wallet.settlements() == [("settle", "won")]


async def test_a_fact_that_comes_before_the_table_is_asked_spares_the_question(wallet: Saga) -> None:
    await wallet.take(closed())
    await wallet.take(won())
    wallet.wait(IDLE_MS)
    await wallet.reconciling.reconcile()
    assert wallet.asked == []
    await wallet.settle()
    assert await wallet.purses.players() == PAID


@pytest.mark.parametrize("goes_on", [standing.MATCH_STANDING_PLAYING, standing.MATCH_STANDING_FUNDING])
async def test_the_stakes_of_a_match_that_goes_on_are_kept_however_old(
    wallet: Saga, goes_on: "standing.MatchStanding.ValueType"
) -> None:
    wallet.standing = standing.GetMatchStandingResponse(standing=goes_on)
    wallet.wait(ASK_AFTER_MS - 1)
    await wallet.reconciling.reconcile()
    assert wallet.asked == []
    for times in range(1, 30):
        wallet.wait(ASK_AFTER_MS)
        await wallet.reconciling.reconcile()
        await wallet.reconciling.reconcile()
        assert len(wallet.asked) == times
    assert await wallet.purses.players() == HELD


@pytest.mark.parametrize(
    ("found", "cause"), [(standing.MATCH_STANDING_VOID, "aborted"), (standing.MATCH_STANDING_UNKNOWN, "lost")]
)
async def test_stakes_of_a_match_that_came_to_nothing_go_back_after_asking(
    wallet: Saga, found: "standing.MatchStanding.ValueType", cause: str
) -> None:
    wallet.wait(ASK_AFTER_MS)
    await wallet.reconciling.reconcile()  # nobody answers
    assert await wallet.purses.players() == HELD
    wallet.standing = standing.GetMatchStandingResponse(standing=found)
    wallet.wait(AGAIN_MOST_MS)
    await wallet.reconciling.reconcile()
    assert await wallet.purses.players() == GIVEN_BACK
    assert await wallet.settlements() == [("refund", cause)]
    await wallet.take(won())
    await wallet.settle()
    assert await wallet.purses.players() == GIVEN_BACK


async def test_stakes_that_were_held_just_now_are_not_given_back_where_the_table_is_not_known(wallet: Saga) -> None:
    wallet.standing = standing.GetMatchStandingResponse(standing=standing.MATCH_STANDING_UNKNOWN)
    await wallet.take(closed())
    wallet.wait(IDLE_MS)
    await wallet.reconciling.reconcile()
    assert len(wallet.asked) == 1
    assert await wallet.purses.players() == HELD


async def test_what_waits_for_its_proof_is_not_asked_about(wallet: Saga) -> None:
    wallet.proof = Proof(Verdict.OPEN, "the secret is not out")
    await wallet.take(won())
    await wallet.settle()
    wallet.wait(ASK_AFTER_MS)
    await wallet.reconciling.reconcile()
    assert wallet.asked == []
