"""The shuffle of a deal as a value: how far it has come, and what has been published of it (docs/fair.md)."""

from enum import StrEnum
from typing import Final, NamedTuple

from shared.fairness.context import DealContext

PROMISE_MS: Final = 3_000
"""For clients to send their h."""
CUT_MS: Final = 15_000
"""For the host to cut, before the cut is automatic (R3.2)."""
CONTRIBUTION_MS: Final = 3_000
"""For clients to check the closed set and send their c. At no pace less: who is late makes the attempt void."""


class CeremonyStep(StrEnum):
    """How far a shuffle has come."""

    BEGUN = "begun"
    """The commitment C is awaited."""
    PROMISING = "promising"
    """Clients send their h."""
    CUTTING = "cutting"
    CLOSING = "closing"
    """The cut is over, and the closed set K is awaited."""
    OPENING = "opening"
    """Clients send their c."""
    SETTLED = "settled"
    """There is a transcript T."""


class Receipt(NamedTuple):
    """The shuffle service's word that a seat's h or c came in."""

    seat: int
    unix_ms: int
    signature: bytes


class VoidAttempt(NamedTuple):
    """An attempt that came to nothing, and the seats whose c was missing or wrong."""

    attempt: int
    failed: tuple[int, ...]


class Ceremony(NamedTuple):
    """One attempt at shuffling one deal. Values are empty until they are published."""

    context: DealContext
    starter: int | None
    """Who starts the deal; ``None`` while the shuffle has still to draw it (R3.2)."""
    host: int | None
    """The seat that may cut, where a cut is due."""
    void: tuple[VoidAttempt, ...] = ()
    """Earlier attempts at the deal."""
    step: CeremonyStep = CeremonyStep.BEGUN
    deadline_ms: int | None = None
    """Unix milliseconds at which the time for this step is over."""
    commitment: bytes = b""
    key_id: str = ""
    commit_signature: bytes = b""
    promises: tuple[bytes, ...] = ()
    """Each seat's h, empty where it sent none; kept here over a cut alone, and else in the closed set."""
    cut: int = 0
    """The host's, 1..105."""
    closed: bytes = b""
    closed_signature: bytes = b""
    promise_receipts: tuple[Receipt, ...] = ()
    transcript: bytes = b""
    transcript_signature: bytes = b""
    contributions: tuple[bytes, ...] = ()
    """Each seat's c, empty where it sent none."""
    contribution_receipts: tuple[Receipt, ...] = ()
    automatic_cut: int = 0
    """Drawn where the host made none, 1..105."""

    @property
    def shut_out(self) -> frozenset[int]:
        """The seats that failed in earlier attempts."""
        return frozenset(seat for void in self.void for seat in void.failed)
