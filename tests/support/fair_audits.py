"""Audit exports as the shuffle service gives them: the JSON of its answer."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from banakil.shuffle.v1 import fair_pb2, shuffle_pb2
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from shared.codec.fair import write_attempt, write_context
from shared.fairness import signing
from shared.fairness.fair_deal import Attempt, FairDeal
from tests.support.fair_deals import Signer


def audit_of(deals: Sequence[FairDeal], signer: Signer, *, ended: bool = True) -> shuffle_pb2.AuditResponse:
    """All attempts at the deals, all revealed, and the match's end."""
    attempts: list[fair_pb2.FairDeal] = []
    voids: Counter[str] = Counter()
    for deal in deals:
        for void in deal.void:
            attempts.append(_write(void.attempt, failed=void.failed))
            voids.update(void.attempt.closed.seats[seat].account for seat in void.failed)
        attempts.append(_write(deal.played, deal.transcript))
    last = deals[-1].ctx
    numbers = (last.deal_no, last.attempt)
    payload = signing.match_end_payload(last.series, last.match_no, last.match, *numbers)
    end = shuffle_pb2.MatchEnd(
        last_deal_no=numbers[0],
        last_attempt=numbers[1],
        key_id=signer.key_id,
        signature=signer.sign(signing.MATCH_END, payload),
    )
    return shuffle_pb2.AuditResponse(
        deals=attempts,
        keys=[shuffle_pb2.SigningKey(key_id=signer.key_id, public_key=signer.public_bytes())],
        match_end=end if ended else None,
        account_voids=[
            shuffle_pb2.AccountVoids(account_id=account, void_count=count) for account, count in sorted(voids.items())
        ],
    )


def hidden(attempt: Attempt, transcript: bytes = b"") -> fair_pb2.FairDeal:
    """The attempt before its secret is out; without a transcript, before its contributions are."""
    message = _write(attempt, transcript)
    message.ClearField("secret")
    message.signatures.ClearField("reveal")
    if not transcript:
        for seat in message.seats:
            seat.ClearField("c")
    return message


def begun(attempt: Attempt) -> fair_pb2.FairDeal:
    """The attempt before its set is closed."""
    assert attempt.signatures is not None
    return fair_pb2.FairDeal(
        context=write_context(attempt.ctx),
        commitment=attempt.closed.commitment,
        signatures=fair_pb2.FairSignatures(key_id=attempt.signatures.key, commit=attempt.signatures.of[signing.COMMIT]),
    )


def _write(attempt: Attempt, transcript: bytes = b"", failed: Sequence[int] = ()) -> fair_pb2.FairDeal:
    return write_attempt(
        attempt.closed,
        attempt.contributions,
        secret=attempt.secret,
        transcript=transcript,
        signatures=attempt.signatures,
        failed=failed,
    )


def export(message: Message) -> dict[str, Any]:
    """The message's JSON."""
    fields: dict[str, Any] = MessageToDict(message)
    return fields
