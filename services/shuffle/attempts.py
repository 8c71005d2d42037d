"""What is kept of a ceremony: who owns its match, and one attempt as far as it has come."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from shared.fairness.closed import ClosedSet
from shared.fairness.context import DealContext
from shared.kit.sealing import Sealed


@dataclass(frozen=True, slots=True)
class Owner:
    """The table that asks. `epoch` is raised whenever another process claims the table."""

    table_id: str
    epoch: int


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """The table that began a match, and its first deal's first context, which later ones follow."""

    table_id: str
    first: DealContext

    def has(self, ctx: DealContext) -> bool:
        """Whether `ctx` is of this match and agrees with it in all that never changes."""
        return replace(ctx, deal_no=1, attempt=0) == self.first


@dataclass(frozen=True, slots=True)
class ClosedPart:
    """What the set was closed with. `digest` is of what the table asked for, to tell a repetition from another body."""

    digest: bytes
    closed: ClosedSet
    contributions: tuple[bytes, ...] = field(repr=False)
    signature: bytes
    transcript: bytes
    transcript_signature: bytes


@dataclass(frozen=True, slots=True)
class RevealedPart:
    """The secret, once it is public."""

    secret: bytes = field(repr=False)
    signature: bytes


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """One attempt. `sealed` holds its secret until `revealed` does; `set` is None until the set is closed."""

    ctx: DealContext
    commitment: bytes
    key_id: str
    commit_signature: bytes
    sealed: Sealed | None = field(repr=False)
    closed: ClosedPart | None = None
    revealed: RevealedPart | None = None

    def signatures(self) -> Mapping[str, bytes]:
        """All that were made so far, by what they sign."""
        signed = {"commit": self.commit_signature}
        if self.closed is not None:
            signed["closed"] = self.closed.signature
            signed["transcript"] = self.closed.transcript_signature
        if self.revealed is not None:
            signed["reveal"] = self.revealed.signature
        return signed
