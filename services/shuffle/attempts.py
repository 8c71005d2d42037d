"""What is kept of a ceremony: who owns its match, and one attempt as far as it has come."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from shared.fairness import signing
from shared.fairness.closed import NO_HOST, ClosedSet, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.derive import DEALER_DRAW, HOST_CUT
from shared.fairness.fair_deal import Receipt
from shared.kit.sealing import Sealed


@dataclass(frozen=True, slots=True)
class Owner:
    """The table that asks. `epoch` is raised whenever another process claims the table."""

    table_id: str
    epoch: int


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """The signed end of a match: no attempt of it begins after (`deal_no`, `attempt`)."""

    deal_no: int
    attempt: int
    key_id: str
    signature: bytes


class LastAttempt(NamedTuple):
    """How far the latest attempt of a match has come."""

    deal_no: int
    attempt: int
    settled: bool
    void: bool


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """The table that began a match, its first deal's first context, which later ones follow, and its end."""

    table_id: str
    first: DealContext
    end: MatchEnd | None = None

    def has(self, ctx: DealContext) -> bool:
        """Whether `ctx` is of this match and agrees with it in all that never changes."""
        first = self.first
        return (ctx.series, ctx.match_no, ctx.match, ctx.seats, ctx.rules) == (
            first.series, first.match_no, first.match, first.seats, first.rules,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClosedPart:
    """The set as it was closed. `receipts` has one for each seat whose h is in it, by seat.

    `draws_dealer`: whether the first dealer is drawn from this deal; None where the release before closed the set.
    """

    closed: ClosedSet
    signature: bytes
    draws_dealer: bool | None
    receipts: Mapping[int, Receipt] = field(default_factory=dict)

    @property
    def starter_rule(self) -> str:
        """The rule by which the shuffle draws the starter of this deal, empty where it draws none."""
        if self.draws_dealer:
            return DEALER_DRAW
        return "" if self.closed.host == NO_HOST else HOST_CUT


@dataclass(frozen=True, slots=True)
class Opened:
    """The contributions that came in, right or wrong, and their receipts; both by seat."""

    contributions: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    receipts: Mapping[int, Receipt] = field(default_factory=dict)

    def by_seat(self, closed: ClosedSet) -> tuple[bytes, ...]:
        """One c for each seat, empty where none came."""
        return tuple(self.contributions.get(seat, b"") for seat in range(len(closed.seats)))

    def missing(self, closed: ClosedSet) -> bool:
        """Whether some seat's is awaited."""
        return any(seat not in self.contributions for seat in closed.of_kind(SeatKind.HUMAN))


@dataclass(frozen=True, slots=True)
class Settled:
    """The transcript: what the deal is derived from, besides the secret."""

    transcript: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class RevealedPart:
    """The secret, once it is public."""

    secret: bytes = field(repr=False)
    signature: bytes


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """One attempt. `sealed` holds its secret until `revealed` does; `failed` names the seats that made it void.

    A closed one is settled, void, or waits for contributions.
    """

    ctx: DealContext
    commitment: bytes
    key_id: str
    commit_signature: bytes
    sealed: Sealed | None = field(repr=False)
    closed: ClosedPart | None = None
    opened: Opened = Opened()
    settled: Settled | None = None
    failed: tuple[int, ...] = ()
    revealed: RevealedPart | None = None

    @property
    def decided(self) -> bool:
        """Whether it is settled or void."""
        return self.settled is not None or bool(self.failed)

    def signatures(self) -> Mapping[str, bytes]:
        """All that were made so far, by what they sign; receipts aside."""
        signed = {signing.COMMIT: self.commit_signature}
        if self.closed is not None:
            signed[signing.CLOSED] = self.closed.signature
        if self.settled is not None:
            signed[signing.TRANSCRIPT] = self.settled.signature
        if self.revealed is not None:
            signed[signing.REVEAL] = self.revealed.signature
        return signed
