"""The audit export: all that is public of a match's shuffles, from the wire."""

from banakil.shuffle.v1 import fair_pb2, shuffle_pb2

from shared.codec.errors import MalformedError
from shared.codec.fair import read_closed, read_context, read_signatures
from shared.fairness.audit import Audit, MatchEnd, PublicAttempt


def read_audit(message: shuffle_pb2.AuditResponse) -> Audit:
    """The match. Raises `MalformedError` for what is no attempt; whether the values agree is for the checks."""
    try:
        attempts = tuple(map(_read_attempt, message.deals))
    except ValueError as error:
        raise MalformedError(str(error)) from None
    end = None
    if message.HasField("match_end"):
        given = message.match_end
        end = MatchEnd(given.last_deal_no, given.last_attempt, given.key_id, given.signature)
    voids = {each.account_id: each.void_count for each in message.account_voids}
    return Audit(attempts, message.withheld_count, end, voids)


def _read_attempt(message: fair_pb2.FairDeal) -> PublicAttempt:
    return PublicAttempt(
        ctx=read_context(message.context),
        commitment=message.commitment,
        closed=read_closed(message) if message.seats else None,
        closed_bytes=message.closed,
        contributions=tuple(seat.c for seat in message.seats),
        transcript=message.transcript,
        failed=tuple(message.failed_seats),
        secret=message.secret,
        signatures=read_signatures(message),
    )
