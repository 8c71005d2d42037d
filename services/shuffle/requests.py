"""Reads what tables ask for, strictly: each value within its limits, or the call is refused."""

import re
from collections import Counter
from typing import Final

from banakil.shuffle.v1 import shuffle_pb2 as wire

from services.shuffle.attempts import Owner
from services.shuffle.closing import Closing, SeatAsked
from services.shuffle.refusals import BadRequestError
from shared.fairness.closed import NO_HOST
from shared.fairness.commitment import CONTRIBUTION_BYTES
from shared.fairness.derive import JOKER_FACE
from shared.fairness.encoding import HASH_BYTES, ID_BYTES
from shared.kit.identity import MAX_ACCOUNT_CHARS

MAX_EPOCH: Final = 2**63 - 1
MAX_SEATS: Final = 4
MAX_PILE: Final = 105
COPIES: Final = 2
_UUID: Final = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch


def read_owner(message: wire.TableOwner) -> Owner:
    """The table that asks. Raises `BadRequestError`."""
    if _UUID(message.table_id) is None:
        raise BadRequestError("owner.table_id is no UUID")
    if message.epoch > MAX_EPOCH:
        raise BadRequestError("owner.epoch is too large")
    return Owner(message.table_id, message.epoch)


def read_closing(request: wire.CloseRequest) -> Closing:
    """What the set is to be closed with. Raises `BadRequestError`."""
    if len(request.seats) > MAX_SEATS:
        raise BadRequestError(f"a deal has at most {MAX_SEATS} seats")
    accounts = [seat.account_id for seat in request.seats]
    if any(len(account) > MAX_ACCOUNT_CHARS or not account.isprintable() for account in accounts):
        raise BadRequestError(f"an account id has at most {MAX_ACCOUNT_CHARS} characters, all printable")
    if any(len(seat.h) not in {0, HASH_BYTES} for seat in request.seats):
        raise BadRequestError(f"an h has {HASH_BYTES} bytes")
    host = NO_HOST
    if request.HasField("host_seat"):
        host = request.host_seat
        if host >= MAX_SEATS:
            raise BadRequestError("host_seat is no seat")
    return Closing(
        seats=tuple(SeatAsked(seat.account_id, seat.bot, seat.h) for seat in request.seats),
        dealer_draw_due=request.dealer_draw_due,
        host=host,
        cut=request.cut,
    )


def read_contributions(request: wire.ContributeRequest) -> dict[int, bytes]:
    """Each seat's c. Raises `BadRequestError`, also for two of one seat."""
    if len(request.contributions) > MAX_SEATS:
        raise BadRequestError(f"a deal has at most {MAX_SEATS} contributions")
    came = {each.seat: each.c for each in request.contributions}
    if len(came) != len(request.contributions) or any(seat >= MAX_SEATS for seat in came):
        raise BadRequestError("each contribution is another seat's")
    if any(len(c) != CONTRIBUTION_BYTES for c in came.values()):
        raise BadRequestError(f"a contribution has {CONTRIBUTION_BYTES} bytes")
    return came


def read_pile(pile: bytes) -> bytes:
    """A part of the deck, one byte a card. Raises `BadRequestError`."""
    if not 0 < len(pile) <= MAX_PILE:
        raise BadRequestError(f"a pile to shuffle has 1 to {MAX_PILE} cards")
    counts = Counter(pile)
    if max(counts) > JOKER_FACE or max(counts.values()) > COPIES:
        raise BadRequestError("the pile is no part of the deck")
    return pile


def read_match_id(match_id: bytes) -> bytes:
    """A match's id. Raises `BadRequestError`."""
    if len(match_id) != ID_BYTES:
        raise BadRequestError(f"match_id has {ID_BYTES} bytes")
    return match_id
