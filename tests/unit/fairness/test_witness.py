"""What only the player's own witness shows: that the published deal is the one the player took part in."""

from dataclasses import replace

import pytest

from shared.fairness import signing
from shared.fairness.checks import Outcome, first_failed
from shared.fairness.closed import CutKind, Seat
from shared.fairness.commitment import client_commitment
from shared.fairness.derive import DEALER_DRAW, HOST_CUT, derived_starter
from shared.fairness.fair_deal import FairDeal, Receipt, Witness
from shared.fairness.verify import Expected, verify_fair
from tests.support.fair_deals import (
    ABSENT,
    BOT,
    HUMAN,
    RECEIVED_UNIX_MS,
    SHUT_OUT,
    Ceremony,
    Signer,
    remade,
    with_witness,
)

SIGNER = Signer()
EXPECTED = Expected("banakil202", 4, HOST_CUT, single_match=True)
CEREMONY = Ceremony("witness", (HUMAN, HUMAN, HUMAN, BOT), "banakil202", host=1, cut=40, signer=SIGNER)
PLAIN = CEREMONY.deal()
STARTER = derived_starter(PLAIN.closed, PLAIN.derivation(), HOST_CUT) or 0
SEAT = 2
DEAL = with_witness(PLAIN, CEREMONY, SEAT, STARTER)
PARTS = {"contribution", "closed", "receipt-h", "receipt-c", "transcript", "hand"}


def witnessed(deal: FairDeal, expected: Expected | None = EXPECTED) -> dict[str, Outcome]:
    checks = verify_fair(deal, expected=expected, verify_signature=SIGNER.verify)
    return {check.name.removeprefix("witness."): check.outcome for check in checks if check.name.startswith("witness.")}


def failing(deal: FairDeal) -> set[str]:
    return {name for name, outcome in witnessed(deal).items() if outcome is Outcome.FAILS}


def test_an_honest_deal_holds_for_its_player() -> None:
    assert witnessed(DEAL) == dict.fromkeys(PARTS, Outcome.HOLDS)


def test_a_deal_without_a_witness_has_no_such_checks() -> None:
    assert witnessed(PLAIN) == {}


def test_what_the_witness_lacks_cannot_be_checked() -> None:
    bare = replace(DEAL, witness=Witness(SEAT, 0))
    assert witnessed(bare) == dict.fromkeys(PARTS, Outcome.CANNOT_CHECK)
    assert witnessed(DEAL, expected=None)["hand"] is Outcome.CANNOT_CHECK


def test_receipts_need_the_key_that_signed_them() -> None:
    checks = {check.name: check.outcome for check in verify_fair(DEAL, expected=EXPECTED)}
    assert checks["witness.receipt-h"] is checks["witness.receipt-c"] is Outcome.CANNOT_CHECK
    unsigned = replace(DEAL, played=replace(DEAL.played, signatures=None))
    assert witnessed(unsigned)["receipt-h"] is Outcome.CANNOT_CHECK


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"c": bytes(32)}, {"contribution", "receipt-h", "receipt-c"}),
        ({"closed": b"another"}, {"closed"}),
        ({"transcript": bytes(64)}, {"transcript"}),
        ({"hand": b"\0" * 18}, {"hand"}),
        ({"receipt_h": Receipt(RECEIVED_UNIX_MS + 1, bytes(64))}, {"receipt-h"}),
        ({"receipt_c": Receipt(RECEIVED_UNIX_MS, bytes(64))}, {"receipt-c"}),
        ({"seat": 1}, {"contribution", "receipt-h", "receipt-c", "hand"}),
        ({"seat": 3}, {"contribution", "receipt-h", "receipt-c", "hand"}),
    ],
)
def test_a_witness_of_something_else_says_in_what(change: dict[str, object], found: set[str]) -> None:
    assert DEAL.witness is not None
    assert failing(replace(DEAL, witness=replace(DEAL.witness, **change))) == found  # type: ignore[arg-type]  # a table


@pytest.mark.parametrize(
    "change",
    [
        {"host": 0},
        {"cut": 41},
        {"cut_kind": CutKind.AUTOMATIC, "cut": 0},
        {"beacon": b"chosen"},
        {"seats": (Seat(HUMAN, "somebody", PLAIN.closed.seats[0].h), *PLAIN.closed.seats[1:])},
    ],
)
def test_an_operator_who_changes_the_closed_set_afterwards_is_found_by_each_player(change: dict[str, object]) -> None:
    other = remade(DEAL, replace(DEAL.closed, **change))  # type: ignore[arg-type]  # one value of each field's type
    bare = replace(other, witness=None)
    assert first_failed(verify_fair(bare, expected=EXPECTED)) is None
    assert {"closed", "transcript"} <= failing(other)


def test_an_operator_who_says_that_a_player_never_came_is_convicted_by_the_receipt() -> None:
    seats = (*PLAIN.closed.seats[:SEAT], Seat(ABSENT, "p2"), PLAIN.closed.seats[3])
    without = (*PLAIN.played.contributions[:SEAT], b"", b"")
    shut = replace(DEAL, played=replace(DEAL.played, contributions=without))
    other = remade(shut, replace(DEAL.closed, seats=seats))
    other = replace(other, played=replace(other.played, signatures=PLAIN.played.signatures))
    assert {"contribution", "receipt-h", "receipt-c"} <= failing(other)


def test_an_operator_who_lists_a_c_as_missing_that_came_in_time_is_convicted_by_the_receipt() -> None:
    ceremony = Ceremony("framed", (HUMAN,) * 4, voids=((SEAT,),), signer=SIGNER)
    deal = ceremony.deal()
    attempt = deal.void[0].attempt
    c = ceremony.contribution(0, SEAT)
    h = client_commitment(attempt.ctx, SEAT, c)

    def receipt(what: str, value: bytes) -> Receipt:
        payload = signing.receipt_payload(attempt.ctx, SEAT, value, RECEIVED_UNIX_MS)
        return Receipt(RECEIVED_UNIX_MS, SIGNER.sign(what, payload))

    witness = Witness(
        SEAT, 0, c, attempt.closed.encode(), receipt_h=receipt("receipt-h", h), receipt_c=receipt("receipt-c", c)
    )
    assert deal.closed.seats[SEAT].kind is SHUT_OUT
    framed = replace(deal, witness=witness)
    expected = Expected("sahrat", 4, DEALER_DRAW, single_match=True)
    assert first_failed(verify_fair(deal, expected=expected, verify_signature=SIGNER.verify)) is None
    assert witnessed(framed, expected) == {
        "contribution": Outcome.FAILS,
        "closed": Outcome.HOLDS,
        "receipt-h": Outcome.HOLDS,
        "receipt-c": Outcome.FAILS,
    }
    # Nor does it help the operator to publish the c after all, with an h to which it is the wrong one.
    seats = [*attempt.closed.seats]
    seats[SEAT] = replace(seats[SEAT], h=bytes(64))
    forged = replace(attempt, closed=replace(attempt.closed, seats=tuple(seats)), contributions=(b"", b"", c, b""))
    framed_too = replace(framed, void=(replace(deal.void[0], attempt=forged),))
    assert witnessed(framed_too, expected) == {
        "contribution": Outcome.FAILS,
        "closed": Outcome.FAILS,
        "receipt-h": Outcome.FAILS,
        "receipt-c": Outcome.HOLDS,
    }
    assert witnessed(replace(framed, void=()), expected) == {"attempt": Outcome.CANNOT_CHECK}
