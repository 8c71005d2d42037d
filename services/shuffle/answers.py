"""What is answered, on the wire: only what is public, and only once it is."""

from collections.abc import Iterable, Mapping

from banakil.shuffle.v1 import fair_pb2, shuffle_pb2

from services.shuffle.attempts import MatchEnd, StoredAttempt
from services.shuffle.auditing import PublicMatch
from services.shuffle.ceremonies import Revealed, Step
from services.shuffle.signing_keys import public_bytes
from shared.codec.fair import write_attempt, write_context
from shared.fairness.fair_deal import Receipt, Signatures


def write_begun(attempt: StoredAttempt) -> shuffle_pb2.BeginResponse:
    """The commitment."""
    return shuffle_pb2.BeginResponse(
        commitment=attempt.commitment, key_id=attempt.key_id, commit_signature=attempt.commit_signature
    )


def write_closed(step: Step) -> shuffle_pb2.CloseResponse:
    """The closed set; the transcript only where nobody's contribution was awaited."""
    part = step.attempt.closed
    assert part is not None
    return shuffle_pb2.CloseResponse(
        closed=part.closed.encode(),
        closed_signature=part.signature,
        transcript=None if part.receipts else _transcript(step),
        receipts=_receipts(part.receipts),
    )


def write_opened(step: Step) -> shuffle_pb2.ContributeResponse:
    """The receipts so far, and what was decided."""
    attempt = step.attempt
    assert attempt.closed is not None
    return shuffle_pb2.ContributeResponse(
        receipts=_receipts(attempt.opened.receipts),
        transcript=_transcript(step),
        void=shuffle_pb2.VoidAttempt(deal=write_public(attempt)) if attempt.failed else None,
        contributions=attempt.opened.by_seat(attempt.closed.closed) if attempt.settled else (),
        deck=step.deck,
    )


def write_revealed(revealed: Revealed) -> shuffle_pb2.RevealResponse:
    """The attempt, and the void ones before it."""
    return shuffle_pb2.RevealResponse(
        deal=write_public(revealed.attempt), void_attempts=map(write_public, revealed.void)
    )


def write_audit(public: PublicMatch) -> shuffle_pb2.AuditResponse:
    """All of a match that is public by now."""
    key_ids = [attempt.key_id for attempt in public.attempts]
    if public.end is not None:
        key_ids.append(public.end.key_id)
    return shuffle_pb2.AuditResponse(
        deals=map(write_public, public.attempts),
        withheld_count=public.withheld,
        keys=[
            shuffle_pb2.SigningKey(key_id=key_id, public_key=public_bytes(key_id)) for key_id in dict.fromkeys(key_ids)
        ],
        match_end=_match_end(public.end),
        account_voids=[
            shuffle_pb2.AccountVoids(account_id=account, void_count=count)
            for account, count in sorted(public.voids.items())
        ],
    )


def write_public(attempt: StoredAttempt) -> fair_pb2.FairDeal:
    """What is public of an attempt by now: each c only once the attempt is decided, the secret once it is revealed."""
    if attempt.closed is None:
        return fair_pb2.FairDeal(
            context=write_context(attempt.ctx),
            commitment=attempt.commitment,
            signatures=fair_pb2.FairSignatures(key_id=attempt.key_id, commit=attempt.commit_signature),
        )
    closed = attempt.closed.closed
    return write_attempt(
        closed,
        attempt.opened.by_seat(closed) if attempt.decided else (b"",) * len(closed.seats),
        secret=b"" if attempt.revealed is None else attempt.revealed.secret,
        transcript=b"" if attempt.settled is None else attempt.settled.transcript,
        signatures=Signatures(attempt.key_id, attempt.signatures()),
        failed=attempt.failed,
    )


def _match_end(end: MatchEnd | None) -> shuffle_pb2.MatchEnd | None:
    if end is None:
        return None
    return shuffle_pb2.MatchEnd(
        last_deal_no=end.deal_no, last_attempt=end.attempt, key_id=end.key_id, signature=end.signature
    )


def _transcript(step: Step) -> shuffle_pb2.Transcript | None:
    settled = step.attempt.settled
    if settled is None:
        return None
    return shuffle_pb2.Transcript(
        transcript=settled.transcript,
        transcript_signature=settled.signature,
        starter=step.starter,
        automatic_cut=step.automatic_cut,
    )


def _receipts(receipts: Mapping[int, Receipt]) -> Iterable[fair_pb2.FairReceipt]:
    return [
        fair_pb2.FairReceipt(seat=seat, unix_ms=receipt.unix_ms, signature=receipt.signature)
        for seat, receipt in sorted(receipts.items())
    ]
