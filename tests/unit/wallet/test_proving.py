"""A match is proven by all that is public of it, and by nothing less."""

from collections.abc import Callable

import pytest
from banakil.shuffle.v1 import shuffle_pb2

from services.wallet.proving import Claim, Proof, Verdict, proof_of
from shared.rules.replay import options_rules_id
from tests.support.fair_audits import audit_of, begun, hidden
from tests.support.fair_deals import Signer
from tests.support.fair_matches import OPTIONS, SIGNER, fair_match

MATCH = fair_match("a match for coins", deals=2, last_steps=0)
KEYS = {SIGNER.key_id: SIGNER.public_bytes()}
LAST = MATCH.deals[-1]
CLAIM = Claim(
    match_id=LAST.ctx.match.hex(),
    last_deal_no=2,
    rules=options_rules_id(OPTIONS),
    account_ids=tuple(seat.account for seat in LAST.closed.seats),
)


def public() -> shuffle_pb2.AuditResponse:
    return audit_of(MATCH.deals, SIGNER)


def test_a_match_with_every_secret_out_and_its_end_signed_is_proven() -> None:
    assert proof_of(public(), KEYS, CLAIM) == Proof(Verdict.PROVEN)
    assert proof_of(public(), KEYS, CLAIM._replace(rules="")) == Proof(Verdict.PROVEN)


def not_revealed(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].CopyFrom(hidden(LAST.played, LAST.transcript))
    told.withheld_count = 1


def no_end(told: shuffle_pb2.AuditResponse) -> None:
    told.ClearField("match_end")


def nothing(told: shuffle_pb2.AuditResponse) -> None:
    told.Clear()


def no_transcript_signature(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].signatures.ClearField("transcript")


def no_signatures(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].ClearField("signatures")


@pytest.mark.parametrize(
    "lacks", [not_revealed, no_end, nothing, no_transcript_signature, no_signatures], ids=lambda lacks: lacks.__name__
)
def test_what_is_not_out_yet_is_waited_for(lacks: Callable[[shuffle_pb2.AuditResponse], None]) -> None:
    told = public()
    lacks(told)
    proof = proof_of(told, KEYS, CLAIM)
    assert proof.verdict is Verdict.OPEN
    assert proof.about


def other_secret(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].secret = bytes(128)


def other_secret_of_a_void_attempt(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[0].secret = bytes(128)


def other_contribution(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].seats[0].c = bytes(32)


def other_transcript(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].transcript = bytes(64)


def other_closed_set(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].closed = bytes(len(told.deals[-1].closed))


def other_signature_of_the_closed_set(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].signatures.closed = bytes(64)


def other_signature_of_the_transcript(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].signatures.transcript = bytes(64)


def other_end(told: shuffle_pb2.AuditResponse) -> None:
    told.match_end.signature = bytes(64)


def a_deal_left_out(told: shuffle_pb2.AuditResponse) -> None:
    del told.deals[-1]


def a_deal_begun_after_the_end(told: shuffle_pb2.AuditResponse) -> None:
    told.deals.append(begun(fair_match("a match for coins", deals=3, last_steps=0).deals[-1].played))


def no_deal_at_all(told: shuffle_pb2.AuditResponse) -> None:
    told.deals[-1].context.seats = 3


@pytest.mark.parametrize(
    "wrong",
    [
        other_secret, other_secret_of_a_void_attempt, other_contribution, other_transcript, other_closed_set,
        other_signature_of_the_closed_set, other_signature_of_the_transcript, other_end, a_deal_left_out,
        a_deal_begun_after_the_end, no_deal_at_all,
    ],
    ids=lambda wrong: wrong.__name__,
)  # fmt: skip
def test_one_wrong_value_fails_the_match(wrong: Callable[[shuffle_pb2.AuditResponse], None]) -> None:
    told = public()
    wrong(told)
    proof = proof_of(told, KEYS, CLAIM)
    assert proof.verdict is Verdict.FAILED
    assert proof.about


@pytest.mark.parametrize(
    "claim",
    [
        CLAIM._replace(match_id="0" * 32),
        CLAIM._replace(last_deal_no=3),
        CLAIM._replace(rules="sahrat"),
        CLAIM._replace(account_ids=CLAIM.account_ids[::-1]),
    ],
    ids=["match", "last deal", "rules", "accounts"],
)
def test_a_proof_of_another_match_proves_nothing(claim: Claim) -> None:
    assert proof_of(public(), KEYS, claim).verdict is Verdict.FAILED


def test_a_match_that_is_signed_with_a_key_that_nobody_published_is_not_proven() -> None:
    other = Signer("another", named=False)
    assert proof_of(public(), {other.key_id: other.public_bytes()}, CLAIM).verdict is Verdict.FAILED
