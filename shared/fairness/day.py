"""A day's published root, and the proof that a deal is in it (docs/fair.md, "The daily root")."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from shared.fairness import signing
from shared.fairness.checks import Check, VerifySignature, by_fault, cannot_check, signature_check
from shared.fairness.context import DealContext
from shared.fairness.encoding import HASH_BYTES, SIGNATURE_BYTES, U32_MAX, require_length
from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import Attempt
from shared.fairness.merkle import EMPTY_ROOT, NO_TRANSCRIPT, chain_hash, leaf_bytes, root_from_proof


@dataclass(frozen=True, slots=True)
class DayRoot:
    """What is signed and published of a day (UTC). `date` is YYYYMMDD; `FairnessError` for a value out of its range."""

    date: str
    count: int
    root: bytes
    chain: bytes
    previous_chain: bytes
    key: str
    signature: bytes

    def __post_init__(self) -> None:
        signing.date_bytes(self.date)
        if not 0 <= self.count <= U32_MAX:
            raise FairnessError("count", f"is {self.count}")
        for name, value in (("root", self.root), ("chain", self.chain), ("previous_chain", self.previous_chain)):
            require_length(value, name, HASH_BYTES)
        require_length(self.signature, "signature", SIGNATURE_BYTES)

    def fault(self) -> str | None:
        """In what the day contradicts itself, or None."""
        if self.count == 0 and self.root != EMPTY_ROOT:
            return "a day without reveals has another root"
        if chain_hash(self.previous_chain, self.date, self.root) != self.chain:
            return "the day's chain does not follow from the day before"
        return None


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a day's published list: which attempt was revealed, and what had been committed to."""

    ctx: DealContext
    commitment: bytes

    def __post_init__(self) -> None:
        require_length(self.commitment, "commitment", HASH_BYTES)


@dataclass(frozen=True, slots=True)
class LeafProof:
    """The place of a reveal in its day, and the hashes from there to the root, nearest first."""

    listed: Listed
    index: int
    path: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class DayProof:
    """A day, with the proofs of some of its reveals."""

    day: DayRoot
    leaves: tuple[LeafProof, ...]


def days_fault(days: Sequence[DayProof]) -> str | None:
    """Why these days are not of one history, or None: one that has two roots, or a chain that does not go on."""
    roots: dict[str, DayRoot] = {}
    for day in sorted((proof.day for proof in days), key=lambda day: day.date):
        other = roots.setdefault(day.date, day)
        if (other.count, other.root, other.chain) != (day.count, day.root, day.chain):
            return f"{day.date} has two roots"
        before = roots.get(_day_before(day.date))
        if before is not None and before.chain != day.previous_chain:
            return f"the chain of {day.date} does not go on from the day before"
    return None


def _day_before(text: str) -> str:
    try:
        return (date.fromisoformat(text) - timedelta(days=1)).isoformat().replace("-", "")
    except (ValueError, OverflowError):
        return ""


def root_checks(
    attempt: Attempt, transcript: bytes | None, days: Sequence[DayProof], verify: VerifySignature | None, prefix: str
) -> Iterator[Check]:
    """Whether a day's root holds the attempt, `transcript` being None for a void one, and who signed the root."""
    found = {(proof.day, leaf) for proof in days for leaf in proof.leaves if leaf.listed.ctx == attempt.ctx}
    if not found:
        yield cannot_check(prefix + "root", "the day's proof is not in this file")
        return
    if len(found) > 1:
        yield by_fault(prefix + "root", "it was revealed in two places, and has one")
        return
    ((day, leaf),) = found
    yield by_fault(prefix + "root", _leaf_fault(attempt, transcript or NO_TRANSCRIPT, day, leaf))
    payload = signing.root_payload(day.date, day.count, day.root, day.chain)
    yield signature_check(f"{prefix}signature.root", day.key, signing.ROOT, payload, day.signature, verify)


def _leaf_fault(attempt: Attempt, transcript: bytes, day: DayRoot, leaf: LeafProof) -> str | None:
    commitment = attempt.closed.commitment
    if leaf.listed.commitment != commitment:
        return "the day lists another commitment"
    try:
        root = root_from_proof(
            leaf_bytes(attempt.ctx, commitment, attempt.secret, transcript), leaf.index, day.count, leaf.path
        )
    except FairnessError as error:
        return str(error)
    return day.fault() if root == day.root else "the path does not lead to the day's root"
