"""A verification names what is wrong, and never says more than the file shows."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from shared.fairness.checks import Check, Outcome, first_failed, require
from shared.fairness.closed import CutKind, Seat
from shared.fairness.derive import DEALER_DRAW, HOST_CUT, derived_starter
from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import FairDeal, VoidAttempt
from shared.fairness.verify import RECORD_CHECKS, Expected, Shown, record_holds, verify_fair
from tests.support.fair_deals import ABSENT, BOT, HUMAN, SHUT_OUT, Ceremony, Signer, remade

SIGNER = Signer()
DEAL = Ceremony("verify").deal()
EXPECTED = Expected("sahrat", 4, DEALER_DRAW, single_match=True)
CUT = Ceremony("verify", (HUMAN,) * 4, "banakil202", host=1, cut=40).deal()
EXPECTED_CUT = Expected("banakil202", 4, HOST_CUT, single_match=True)
BESIDE_A_RECORD = {"witness", "root", *(f"signature.{what}" for what in ("commit", "closed", "transcript", "reveal"))}
VOIDS = Ceremony("verify", (HUMAN,) * 4, voids=((1,), (2,)), signer=SIGNER)


def played(deal: FairDeal, rule: str = DEALER_DRAW) -> Shown:
    """What an honest table shows of a deal."""
    draws = deal.derivation()
    deck = draws.deck_faces()
    piles = (deck[:30], deck[:12])
    return Shown(
        starter=derived_starter(deal.closed, draws, rule),
        deck=deck,
        reshuffles=[(pile, draws.reshuffle(pile, n)) for n, pile in enumerate(piles, start=1)],
    )


def outcomes(checks: Sequence[Check]) -> dict[str, Outcome]:
    assert len({check.name for check in checks}) == len(checks), "a name twice"
    return {check.name: check.outcome for check in checks}


def failed(checks: Sequence[Check]) -> str | None:
    check = first_failed(checks)
    return check.name if check else None


def test_an_honest_deal_holds_with_every_check_named() -> None:
    checks = verify_fair(DEAL, expected=EXPECTED, shown=played(DEAL))
    assert outcomes(checks) == {
        **dict.fromkeys(RECORD_CHECKS - {"chain"}, Outcome.HOLDS),
        **dict.fromkeys(BESIDE_A_RECORD, Outcome.CANNOT_CHECK),
    }
    assert record_holds(checks)
    require(checks)


def test_a_deal_by_cut_holds() -> None:
    assert record_holds(verify_fair(CUT, expected=EXPECTED_CUT, shown=played(CUT, HOST_CUT)))


def test_what_the_file_does_not_show_is_never_said_to_hold() -> None:
    later = Ceremony("verify", deal_no=4, kinds=(HUMAN, SHUT_OUT, BOT, ABSENT)).deal()
    closed = replace(later.closed, ctx=replace(later.ctx, attempt=1))
    checks = outcomes(verify_fair(replace(later, played=replace(later.played, closed=closed))))
    assert {name for name, outcome in checks.items() if outcome is Outcome.CANNOT_CHECK} == {
        "rules", "cut_due", "starter", "deck", "reshuffles", "void_attempts", "earlier_deals", *BESIDE_A_RECORD,
    }  # fmt: skip
    assert outcomes(verify_fair(DEAL)) == {
        **dict.fromkeys(("commitment", "client_commitments", "closed_set", "transcript"), Outcome.HOLDS),
        **dict.fromkeys(("rules", "cut_due", "starter", "deck", "reshuffles"), Outcome.CANNOT_CHECK),
        **dict.fromkeys(BESIDE_A_RECORD, Outcome.CANNOT_CHECK),
    }
    assert not record_holds(verify_fair(DEAL))


@pytest.mark.parametrize(
    ("expected", "check"),
    [
        (replace(EXPECTED, rules="sahrat+0147ed992fe97d85"), "rules"),
        (replace(EXPECTED, seats=2), "rules"),
        (replace(EXPECTED, starter_rule=HOST_CUT), "cut_due"),
    ],
)
def test_a_deal_has_to_agree_with_the_options(expected: Expected, check: str) -> None:
    assert failed(verify_fair(DEAL, expected=expected)) == check


def test_no_cut_may_be_made_where_none_is_due() -> None:
    wrong = replace(EXPECTED_CUT, starter_rule=DEALER_DRAW)
    assert failed(verify_fair(CUT, expected=wrong)) == "cut_due"


def test_a_single_match_is_a_series_of_its_own() -> None:
    of_three = Ceremony("verify", series=bytes(16)).deal()
    assert failed(verify_fair(of_three, expected=EXPECTED)) == "rules"
    assert failed(verify_fair(of_three, expected=replace(EXPECTED, single_match=False))) is None


def test_each_card_of_the_deck_and_of_a_new_stock_counts() -> None:
    shown = played(DEAL)
    assert shown.deck is not None
    assert shown.reshuffles is not None
    for at in range(106):
        changed = shown.deck[:at] + bytes(((shown.deck[at] + 1) % 53,)) + shown.deck[at + 1 :]
        assert failed(verify_fair(DEAL, expected=EXPECTED, shown=replace(shown, deck=changed))) == "deck"
    pile, stock = shown.reshuffles[1]
    for wrong in ([shown.reshuffles[1]], [shown.reshuffles[0], (pile, stock[::-1])]):
        assert failed(verify_fair(DEAL, expected=EXPECTED, shown=replace(shown, reshuffles=wrong))) == "reshuffles"


def test_another_starter_than_the_drawn_one_fails() -> None:
    for deal, expected, rule in ((DEAL, EXPECTED, DEALER_DRAW), (CUT, EXPECTED_CUT, HOST_CUT)):
        right = played(deal, rule)
        assert right.starter is not None
        wrong = replace(right, starter=(right.starter + 1) % 4)
        assert failed(verify_fair(deal, expected=expected, shown=wrong)) == "starter"


def test_a_starter_that_follows_from_the_deal_before_is_no_draw() -> None:
    second = Ceremony("verify", deal_no=2).deal()
    checks = verify_fair(second, expected=EXPECTED, shown=replace(played(second), starter=3), before=[DEAL])
    assert "starter" not in outcomes(checks)
    assert record_holds(checks)


def test_a_deal_has_to_follow_the_deals_before_it() -> None:
    third = Ceremony("verify", deal_no=3).deal()
    assert failed(verify_fair(third, expected=EXPECTED, before=[DEAL])) == "chain"
    assert failed(verify_fair(third, expected=EXPECTED, before=[DEAL], apart=2)) is None


def test_the_first_check_that_fails_is_raised_by_its_name() -> None:
    wrong = replace(DEAL, transcript=bytes(64))
    shows_nothing = outcomes(verify_fair(wrong, expected=EXPECTED, shown=played(DEAL)))
    assert {shows_nothing[name] for name in ("starter", "deck", "reshuffles")} == {Outcome.CANNOT_CHECK}
    with pytest.raises(FairnessError, match=r"^transcript: ") as error:
        require(verify_fair(wrong))
    assert error.value.what == "transcript"


def closed_as(deal: FairDeal, **change: object) -> FairDeal:
    """The deal with its closed set changed and nothing else."""
    closed = replace(deal.closed, **change)  # type: ignore[arg-type]  # one value of each field's type, from a table
    return replace(deal, played=replace(deal.played, closed=closed))


def c_of(deal: FairDeal, seat: int, c: bytes) -> FairDeal:
    """The deal with the contribution of one seat changed and nothing else."""
    contributions = list(deal.played.contributions)
    contributions[seat] = c
    return replace(deal, played=replace(deal.played, contributions=tuple(contributions)))


OTHER_SEATS = (replace(DEAL.closed.seats[0], account="p9"), *DEAL.closed.seats[1:])


@pytest.mark.parametrize(
    ("deal", "check"),
    [
        (replace(DEAL, played=replace(DEAL.played, secret=bytes(128))), "commitment"),
        (closed_as(DEAL, commitment=bytes(64)), "commitment"),
        (c_of(DEAL, 0, bytes(32)), "client_commitments"),
        (c_of(DEAL, 0, b""), "client_commitments"),
        (c_of(DEAL, 3, bytes(32)), "client_commitments"),
        (closed_as(DEAL, beacon=b"x"), "transcript"),
        (closed_as(CUT, cut=41), "transcript"),
        (closed_as(CUT, host=2), "transcript"),
        (closed_as(CUT, cut_kind=CutKind.AUTOMATIC), "closed_set"),
        (closed_as(DEAL, cut=1), "closed_set"),
        (closed_as(DEAL, seats=OTHER_SEATS), "transcript"),
    ],
)
def test_what_was_changed_afterwards_is_found_by_the_check_for_it(deal: FairDeal, check: str) -> None:
    assert failed(verify_fair(deal)) == check


def test_a_contribution_of_a_seat_that_is_no_humans_is_found() -> None:
    bots = Ceremony("verify", (BOT,) * 4).deal()
    wrong = replace(bots, played=replace(bots.played, contributions=(b"", bytes(32), b"", b"")))
    assert failed(verify_fair(wrong)) == "client_commitments"


def test_void_attempts_hold_and_say_what_only_a_signature_could_show() -> None:
    checks = outcomes(verify_fair(VOIDS.deal(), expected=EXPECTED))
    assert checks["void_attempts"] is checks["void[0].failed"] is checks["void[1].commitment"] is Outcome.HOLDS
    assert checks["void[0].signature.closed"] is checks["void[0].failed_sent"] is Outcome.CANNOT_CHECK
    unsigned = outcomes(verify_fair(replace(VOIDS, signer=None).deal(), expected=EXPECTED))
    assert unsigned["void[0].signature.closed"] is Outcome.CANNOT_CHECK
    signed = outcomes(verify_fair(VOIDS.deal(), expected=EXPECTED, verify_signature=SIGNER.verify))
    assert signed["void[0].signature.closed"] is Outcome.HOLDS


VOID_DEAL = replace(VOIDS, signer=None).deal()
ZERO, ONE = VOID_DEAL.void


def with_void(number: int, void: VoidAttempt) -> FairDeal:
    """`VOID_DEAL` with another void attempt in the place of one of its own."""
    return replace(VOID_DEAL, void=(*VOID_DEAL.void[:number], void, *VOID_DEAL.void[number + 1 :]))


def contributed(void: VoidAttempt, seat: int, c: bytes) -> VoidAttempt:
    contributions = list(void.attempt.contributions)
    contributions[seat] = c
    return replace(void, attempt=replace(void.attempt, contributions=tuple(contributions)))


def closed_with(void: VoidAttempt, **change: object) -> VoidAttempt:
    closed = replace(void.attempt.closed, **change)  # type: ignore[arg-type]  # one value of each field's type
    return replace(void, attempt=replace(void.attempt, closed=closed))


def seated(void: VoidAttempt, seat: int, new: Seat) -> VoidAttempt:
    seats = list(void.attempt.closed.seats)
    seats[seat] = new
    return closed_with(void, seats=tuple(seats))


OTHER_SECRET = replace(ZERO, attempt=replace(ZERO.attempt, secret=bytes(128)))
OTHER_ACCOUNT = seated(ZERO, 1, replace(ZERO.attempt.closed.seats[1], account="p9"))
VOID_CASES = {
    "another secret": (with_void(0, OTHER_SECRET), "void[0].commitment"),
    "one is left out": (replace(VOID_DEAL, void=(ZERO,)), "void_attempts"),
    "out of order": (replace(VOID_DEAL, void=(ONE, ZERO)), "void_attempts"),
    "one too many": (replace(VOID_DEAL, void=(ZERO, ONE, ONE)), "void_attempts"),
    "another seat is blamed": (with_void(0, replace(ZERO, failed=(0,))), "void_attempts"),
    "nobody is blamed": (with_void(1, replace(ONE, failed=())), "void_attempts"),
    "the c that came was right": (with_void(0, contributed(ZERO, 1, VOIDS.contribution(0, 1))), "void[0].failed"),
    "a good c is gone": (with_void(0, contributed(ZERO, 0, b"")), "void[0].client_commitments"),
    "a good c is changed": (with_void(1, contributed(ONE, 3, bytes(32))), "void[1].client_commitments"),
    "another account": (with_void(0, OTHER_ACCOUNT), "void_attempts"),
    "shut out too late": (with_void(1, seated(ONE, 1, ZERO.attempt.closed.seats[1])), "void_attempts"),
    "a cut in one only": (with_void(0, closed_with(ZERO, host=0, cut_kind=CutKind.AUTOMATIC)), "void_attempts"),
}


@pytest.mark.parametrize(("deal", "check"), VOID_CASES.values(), ids=VOID_CASES)
def test_a_void_attempt_that_is_not_what_it_says_is_found(deal: FairDeal, check: str) -> None:
    assert failed(verify_fair(deal)) == check


def test_a_void_attempt_needs_a_seat_that_failed() -> None:
    deal = Ceremony("verify", (HUMAN,) * 4, voids=((),)).deal()
    assert "void[0].failed" in {check.name for check in verify_fair(deal) if check.outcome is Outcome.FAILS}


def test_a_seat_whose_c_was_right_may_not_be_shut_out_with_one_that_failed() -> None:
    ceremony = Ceremony("verify", (HUMAN,) * 4, voids=((0, 1),))
    deal = ceremony.deal()
    framed = replace(deal, void=(contributed(deal.void[0], 0, ceremony.contribution(0, 0)),))
    assert failed(verify_fair(deal)) is None
    assert failed(verify_fair(framed)) == "void[0].failed"


def test_an_attempt_number_out_of_all_reason_fails_at_once() -> None:
    checks = verify_fair(closed_as(VOID_DEAL, ctx=replace(VOID_DEAL.ctx, attempt=2**32 - 1)))
    assert outcomes(checks)["void_attempts"] is Outcome.FAILS


def test_signatures_hold_fail_or_want_a_key() -> None:
    deal = replace(VOIDS, voids=()).deal()
    names = {f"signature.{what}" for what in ("commit", "closed", "transcript", "reveal")}
    assert {outcomes(verify_fair(deal, verify_signature=SIGNER.verify))[name] for name in names} == {Outcome.HOLDS}
    assert {outcomes(verify_fair(deal))[name] for name in names} == {Outcome.CANNOT_CHECK}
    assert {outcomes(verify_fair(deal, verify_signature=Signer("another").verify))[name] for name in names} == {
        Outcome.FAILS
    }


def test_a_deal_remade_after_it_was_signed_fails_its_signatures() -> None:
    deal = replace(VOIDS, voids=()).deal()
    other = remade(deal, replace(deal.closed, beacon=b"chosen"))
    signed = replace(other, played=replace(other.played, signatures=deal.played.signatures))
    assert failed(verify_fair(signed)) is None
    assert failed(verify_fair(signed, verify_signature=SIGNER.verify)) == "signature.closed"
