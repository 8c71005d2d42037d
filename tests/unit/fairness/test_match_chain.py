"""The deals of one match belong together."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import FairDeal
from shared.fairness.match_chain import chain_fault, check_chain
from tests.support.fair_deals import BOT, HUMAN, Ceremony

FIRST = Ceremony("chain", (HUMAN, HUMAN, BOT, HUMAN))


def deals(*ceremonies: Ceremony) -> list[FairDeal]:
    return [ceremony.deal() for ceremony in ceremonies]


def test_any_deal_may_be_a_files_first() -> None:
    for deal in deals(FIRST, replace(FIRST, deal_no=9)):
        check_chain([], deal)


def test_the_next_deal_follows_and_attempts_begin_anew() -> None:
    before = deals(FIRST, replace(FIRST, deal_no=2, voids=((0,),)))
    check_chain(before[:1], before[1])
    check_chain(before, replace(FIRST, deal_no=3).deal())


def test_deals_told_in_another_way_may_lie_between() -> None:
    check_chain(deals(FIRST), replace(FIRST, deal_no=4).deal(), apart=3)
    with pytest.raises(FairnessError, match=r"^chain: deal 4 after deal 1"):
        check_chain(deals(FIRST), replace(FIRST, deal_no=4).deal())


@pytest.mark.parametrize(
    ("current", "fault"),
    [
        (replace(FIRST, deal_no=1), "deal 1 after deal 1"),
        (replace(FIRST, deal_no=3), "deal 3 after deal 1"),
        (replace(FIRST, deal_no=2, series=bytes(16)), "another series than in the deal before"),
        (
            replace(FIRST, deal_no=2, seed="other", series=FIRST.context(0).series),
            "another match than in the deal before",
        ),
        (
            replace(FIRST, deal_no=2, match_no=2, series=FIRST.context(0).series),
            "another match_no than in the deal before",
        ),
        (replace(FIRST, deal_no=2, kinds=(HUMAN, HUMAN)), "another number of seats than in the deal before"),
        (replace(FIRST, deal_no=2, rules="banakil202"), "another rules than in the deal before"),
        (replace(FIRST, deal_no=2, accounts=("p1", "p0", "", "p3")), "seat 0 belongs to another account than before"),
    ],
)
def test_a_deal_of_another_match_does_not_follow(current: Ceremony, fault: str) -> None:
    assert chain_fault(deals(FIRST), current.deal()) == fault


@pytest.mark.parametrize(
    ("last", "account", "follows"),
    [((HUMAN, BOT, BOT, HUMAN), "p1", True), ((HUMAN, BOT, BOT, HUMAN), "p9", False), ((HUMAN,) * 4, "p9", False)],
)
def test_a_bot_keeps_a_seat_for_its_account_only(last: Sequence[object], account: str, follows: bool) -> None:
    kinds = tuple(kind for kind in last if kind in (HUMAN, BOT))
    before = deals(FIRST, replace(FIRST, deal_no=2, kinds=kinds))  # type: ignore[arg-type]  # kinds are seat kinds
    current = replace(FIRST, deal_no=3, accounts=("p0", account, "p2", "p3")).deal()
    assert (chain_fault(before, current) is None) == follows
