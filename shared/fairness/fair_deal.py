"""A revealed deal as a record carries it: the attempt that was played, the void ones before it, a player's witness."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.fairness.closed import ClosedSet
from shared.fairness.commitment import SECRET_BYTES
from shared.fairness.context import DealContext
from shared.fairness.derive import Derivation
from shared.fairness.encoding import HASH_BYTES, require_length


@dataclass(frozen=True, slots=True)
class Signatures:
    """The shuffle service's signatures over one attempt: the id of its key, and 64 bytes for each thing signed."""

    key: str
    of: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, revealed. `contributions` has a c per seat, empty where none is known."""

    closed: ClosedSet
    secret: bytes = field(repr=False)
    contributions: tuple[bytes, ...] = field(repr=False)
    signatures: Signatures | None = None

    def __post_init__(self) -> None:
        require_length(self.secret, "secret", SECRET_BYTES)

    @property
    def ctx(self) -> DealContext:
        """Which attempt this is."""
        return self.closed.ctx


@dataclass(frozen=True, slots=True)
class VoidAttempt:
    """An attempt in which the `failed` seats sent no c, or one that does not match their h: it has no transcript."""

    attempt: Attempt
    failed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """The service's word for when it received something; the signature covers the value and the time."""

    unix_ms: int
    signature: bytes


@dataclass(frozen=True, slots=True)
class Witness:
    """What one player's own client kept of the ceremony; a part that it lacks is None.

    `attempt` is the attempt that it speaks of. `hand` holds faces, in any order.
    """

    seat: int
    attempt: int
    c: bytes | None = field(default=None, repr=False)
    closed: bytes | None = None
    transcript: bytes | None = None
    hand: bytes | None = field(default=None, repr=False)
    receipt_h: Receipt | None = None
    receipt_c: Receipt | None = None


@dataclass(frozen=True, slots=True)
class FairDeal:
    """The `fair` object of a record."""

    played: Attempt
    transcript: bytes
    void: tuple[VoidAttempt, ...] = ()
    witness: Witness | None = None

    def __post_init__(self) -> None:
        require_length(self.transcript, "transcript", HASH_BYTES)

    @property
    def ctx(self) -> DealContext:
        """Which deal this is, and which attempt at it was played."""
        return self.played.ctx

    @property
    def closed(self) -> ClosedSet:
        """The closed set of the attempt that was played."""
        return self.played.closed

    def derivation(self) -> Derivation:
        """The deal's draws, by the transcript as given; whether that is the right one, `verify` tells."""
        return Derivation(self.played.secret, self.transcript)
