"""The closed set `K`: who takes part in a deal, and by what. Once it stands, the deal is settled, and unknown."""

from dataclasses import dataclass, field
from enum import IntEnum

from shared.fairness.context import DealContext
from shared.fairness.encoding import HASH_BYTES, lp, require_length, text_bytes, u8
from shared.fairness.errors import FairnessError

NO_HOST = 255
CUT_MAX = 105


class SeatKind(IntEnum):
    """How a seat takes part in one attempt."""

    ABSENT = 0
    """Its client sent no h in time."""
    HUMAN = 1
    BOT = 2
    SHUT_OUT = 3
    """It failed in an earlier attempt of this deal."""


class CutKind(IntEnum):
    """Where the cut of a match's first starter comes from."""

    NONE = 0
    HOST = 1
    AUTOMATIC = 2


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat in `K`. `account` is the public id, empty for a bot; `h` is empty but for a human."""

    kind: SeatKind
    account: str = ""
    h: bytes = b""

    def __post_init__(self) -> None:
        require_length(self.h, "h", 0, HASH_BYTES)
        text_bytes(self.account, "account")


@dataclass(frozen=True, slots=True)
class ClosedSet:
    """All that `K` says. Raises `FairnessError` for what has no encoding; whether it makes sense, `faults` tells."""

    ctx: DealContext
    commitment: bytes
    host: int
    cut_kind: CutKind
    cut: int
    beacon: bytes
    seats: tuple[Seat, ...]
    _encoded: bytes = field(default=b"", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_length(self.commitment, "commitment", HASH_BYTES)
        require_length(self.beacon, "beacon")
        if len(self.seats) != self.ctx.seats:
            raise FairnessError("seats", f"{len(self.seats)} are listed, {self.ctx.seats} play")
        for name, value in (("host", self.host), ("cut", self.cut)):
            if not 0 <= value <= 0xFF:
                raise FairnessError(name, f"is {value}, not 0..255")

    def encode(self) -> bytes:
        """`K`."""
        if not self._encoded:
            object.__setattr__(self, "_encoded", self._encode())
        return self._encoded

    def _encode(self) -> bytes:
        parts = [
            self.ctx.encode(),
            self.commitment,
            u8(self.host),
            u8(self.cut_kind),
            u8(self.cut),
            lp(self.beacon),
        ]
        for number, seat in enumerate(self.seats):
            parts += u8(number), u8(seat.kind), text_bytes(seat.account, "account"), lp(seat.h)
        return b"".join(parts)

    def of_kind(self, kind: SeatKind) -> tuple[int, ...]:
        """The numbers of the seats of that kind, in order."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.kind is kind)

    def faults(self) -> tuple[str, ...]:
        """Everything in which this set contradicts itself; empty where it may be signed."""
        faults = [fault for number, seat in enumerate(self.seats) for fault in _seat_faults(number, seat)]
        shut_out = len(self.of_kind(SeatKind.SHUT_OUT))
        if self.ctx.attempt == 0 and shut_out:
            faults.append("a seat is shut out in the first attempt")
        if self.ctx.attempt > shut_out:
            faults.append(f"attempt {self.ctx.attempt}, but only {shut_out} seats are shut out")
        return (*faults, *self._cut_faults())

    def _cut_faults(self) -> list[str]:
        if self.host == NO_HOST:
            if (self.cut_kind, self.cut) != (CutKind.NONE, 0):
                return ["a cut, but no host"]
            return []
        if self.host >= self.ctx.seats:
            return [f"the host is seat {self.host}"]
        faults = []
        if (self.ctx.match_no, self.ctx.deal_no) != (1, 1):
            faults.append("a cut is due in the first deal of a series only")
        if self.cut_kind is CutKind.NONE:
            faults.append("a host, but no cut")
        elif self.cut_kind is CutKind.HOST and self.seats[self.host].kind is not SeatKind.HUMAN:
            faults.append("a cut by a host who took no part")
        if self.cut_kind is CutKind.HOST:
            if not 1 <= self.cut <= CUT_MAX:
                faults.append(f"the host's cut is {self.cut}, not 1..{CUT_MAX}")
        elif self.cut != 0:
            faults.append(f"a cut of {self.cut} that the host did not make")
        return faults


def _seat_faults(number: int, seat: Seat) -> list[str]:
    faults = []
    if (seat.kind is SeatKind.BOT) != (seat.account == ""):
        faults.append(f"seat {number}: {'a bot with an account' if seat.account else 'no account'}")
    if (seat.kind is SeatKind.HUMAN) != (seat.h != b""):
        faults.append(f"seat {number}: {'an h from a seat that sent none' if seat.h else 'no h'}")
    return faults
