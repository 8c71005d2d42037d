"""Reads what a seat adds to a shuffle, strictly."""

from typing import Final, NamedTuple

from banakil.table.v1 import contributing_pb2

from services.table.ceremony import CeremonyStep
from shared.fairness.closed import CUT_MAX
from shared.fairness.commitment import CONTRIBUTION_BYTES
from shared.fairness.encoding import HASH_BYTES, ID_BYTES
from shared.kit.status import MalformedError

_HEX_DIGITS: Final = frozenset("0123456789abcdef")


class Asked(NamedTuple):
    """What is handed in."""

    match_id: bytes
    step: CeremonyStep
    """The step that it is for."""
    what: bytes | int
    """An h or a c; or a cut, 1..105."""


def read_contribution(request: contributing_pb2.ContributeRequest) -> Asked:
    """Raises ``MalformedError``."""
    match_id = _bytes(request.match_id, "match_id", ID_BYTES)
    match request.WhichOneof("what"):
        case "h_hex":
            return Asked(match_id, CeremonyStep.PROMISING, _bytes(request.h_hex, "h_hex", HASH_BYTES))
        case "c_hex":
            return Asked(match_id, CeremonyStep.OPENING, _bytes(request.c_hex, "c_hex", CONTRIBUTION_BYTES))
        case "cut" if 1 <= request.cut <= CUT_MAX:
            return Asked(match_id, CeremonyStep.CUTTING, request.cut)
        case _:
            raise MalformedError("BAD_REQUEST", f"an h, a c, or a cut of 1..{CUT_MAX}")


def _bytes(text: str, name: str, length: int) -> bytes:
    if len(text) != 2 * length or not _HEX_DIGITS.issuperset(text):
        raise MalformedError("BAD_REQUEST", f"{name} is {2 * length} lower-case hex digits")
    return bytes.fromhex(text)
