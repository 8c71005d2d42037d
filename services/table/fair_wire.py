"""A deal's shuffle on the wire, as everybody may see it (docs/fair.md)."""

from functools import lru_cache
from typing import Final

from banakil.table.v1 import views_pb2 as wire

from services.table.ceremony import Ceremony, CeremonyStep

KEPT_INFOS: Final = 256
_STEPS: Final = {step: wire.FairStep.Value(f"FAIR_STEP_{step.name}") for step in CeremonyStep}


@lru_cache(maxsize=KEPT_INFOS)
def write_fair_info(ceremony: Ceremony) -> wire.FairInfo:
    """All that is published of a shuffle. One message for all who see it: it is copied, and never changed."""
    ctx = ceremony.context
    return wire.FairInfo(
        series_id=ctx.series.hex(),
        match_no=ctx.match_no,
        match_id=ctx.match.hex(),
        deal_no=ctx.deal_no,
        attempt=ctx.attempt,
        rules_id=ctx.rules,
        step=_STEPS[ceremony.step],
        commitment_hex=ceremony.commitment.hex(),
        closed_hex=ceremony.closed.hex(),
        transcript_hex=ceremony.transcript.hex(),
        key_id=ceremony.key_id,
        commit_signature_hex=ceremony.commit_signature.hex(),
        closed_signature_hex=ceremony.closed_signature.hex(),
        transcript_signature_hex=ceremony.transcript_signature.hex(),
        host_seat=ceremony.host,
        cut=ceremony.cut,
        automatic_cut=ceremony.automatic_cut,
        receipts=_receipts(ceremony),
        contributions_hex=[contribution.hex() for contribution in ceremony.contributions],
        void_attempts=[wire.FairVoid(attempt=attempt, failed_seats=failed) for attempt, failed in ceremony.void],
    )


def _receipts(ceremony: Ceremony) -> list[wire.FairReceipts]:
    contributed = {receipt.seat: receipt for receipt in ceremony.contribution_receipts}
    receipts = []
    for promised in ceremony.promise_receipts:
        both = wire.FairReceipts(
            seat=promised.seat, h_unix_ms=promised.unix_ms, h_signature_hex=promised.signature.hex()
        )
        later = contributed.get(promised.seat)
        if later is not None:
            both.c_unix_ms, both.c_signature_hex = later.unix_ms, later.signature.hex()
        receipts.append(both)
    return receipts
