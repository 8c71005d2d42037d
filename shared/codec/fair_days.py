"""Days of the fair shuffle on the wire."""

from banakil.shuffle.v1 import days_pb2 as wire

from shared.codec.errors import MalformedError
from shared.codec.fair import read_context, write_context
from shared.fairness.day import DayProof, DayRoot, LeafProof, Listed
from shared.fairness.errors import FairnessError


def read_day_proof(message: wire.DayProof) -> DayProof:
    """A day with the proofs of some of its reveals. Raises `MalformedError` for what makes no sense."""
    try:
        return DayProof(read_day_root(message.day), tuple(map(_read_leaf, message.leaves)))
    except FairnessError as error:
        raise MalformedError(str(error)) from None


def write_day_proof(proof: DayProof) -> wire.DayProof:
    """`read_day_proof` gives the same back."""
    return wire.DayProof(day=write_day_root(proof.day), leaves=map(_write_leaf, proof.leaves))


def read_day_root(message: wire.DayRoot) -> DayRoot:
    """A day that is over. Raises `MalformedError` for what makes no sense."""
    try:
        return DayRoot(
            date=message.date,
            count=message.reveal_count,
            root=message.root,
            chain=message.chain,
            previous_chain=message.previous_chain,
            key=message.key_id,
            signature=message.signature,
        )
    except FairnessError as error:
        raise MalformedError(str(error)) from None


def write_day_root(day: DayRoot) -> wire.DayRoot:
    """`read_day_root` gives the same back."""
    return wire.DayRoot(
        date=day.date,
        reveal_count=day.count,
        root=day.root,
        chain=day.chain,
        previous_chain=day.previous_chain,
        key_id=day.key,
        signature=day.signature,
    )


def write_listed(listed: Listed) -> wire.DayReveal:
    """One line of a day's list."""
    return wire.DayReveal(context=write_context(listed.ctx), commitment=listed.commitment)


def _read_leaf(message: wire.LeafProof) -> LeafProof:
    listed = Listed(read_context(message.reveal.context), message.reveal.commitment)
    return LeafProof(listed, message.index, tuple(message.path))


def _write_leaf(leaf: LeafProof) -> wire.LeafProof:
    return wire.LeafProof(reveal=write_listed(leaf.listed), index=leaf.index, path=leaf.path)
