"""What an honest client sends for a shuffle, the same for the same attempt and seat."""

from services.table.ceremony import Ceremony, CeremonyStep
from shared.fairness.commitment import CONTRIBUTION_BYTES, client_commitment
from shared.fairness.context import DealContext
from tests.support.fair_deals import drawn


def contribution_of(ctx: DealContext, seat: int) -> bytes:
    """The c of a seat's client in one attempt."""
    return drawn("c", f"{ctx.match.hex()}/{ctx.deal_no}/{ctx.attempt}/{seat}", CONTRIBUTION_BYTES)


def sent_for(ceremony: Ceremony, seat: int) -> bytes:
    """What a seat's client sends for the step that a shuffle is at: its h, then its c."""
    c = contribution_of(ceremony.context, seat)
    return c if ceremony.step is CeremonyStep.OPENING else client_commitment(ceremony.context, seat, c)
