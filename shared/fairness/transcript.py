"""The transcript `T`: the closed set with every contribution. Server's secret and `T` together give the whole deal."""

from collections.abc import Sequence

from shared.fairness.closed import ClosedSet, SeatKind
from shared.fairness.commitment import CONTRIBUTION_BYTES
from shared.fairness.encoding import digest, lp, require_length, tag
from shared.fairness.errors import FairnessError


def transcript(closed: ClosedSet, contributions: Sequence[bytes]) -> bytes:
    """`T`; `contributions` has one `c` per seat, empty but for a human. `FairnessError` for any other lengths."""
    if len(contributions) != len(closed.seats):
        raise FairnessError("c", f"{len(contributions)} contributions for {len(closed.seats)} seats")
    for number, (seat, contribution) in enumerate(zip(closed.seats, contributions, strict=True)):
        expected = CONTRIBUTION_BYTES if seat.kind is SeatKind.HUMAN else 0
        require_length(contribution, f"seats[{number}].c", expected)
    return digest(tag("transcript"), closed.encode(), *(lp(contribution) for contribution in contributions))


def transcript_fault(closed: ClosedSet, contributions: Sequence[bytes], value: bytes) -> str | None:
    """Why `value` is not their transcript, or None where it is."""
    try:
        right = transcript(closed, contributions) == value
    except FairnessError as error:
        return str(error)
    return None if right else "it is not that of the closed set and the contributions"
