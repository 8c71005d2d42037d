"""The daily root: a tree over a day's reveals, shaped as in RFC 6962 but with SHA-512, chained from day to day.

With it, nobody can be shown a history of deals that differs from the one shown to everybody else.
"""

from collections.abc import Sequence

from shared.fairness.context import DealContext
from shared.fairness.encoding import HASH_BYTES, U32_MAX, digest, require_length, tag
from shared.fairness.errors import FairnessError
from shared.fairness.signing import date_bytes

EMPTY_ROOT = digest(b"")
FIRST_CHAIN = bytes(HASH_BYTES)
"""What stands for the chain of the day before the first."""
NO_TRANSCRIPT = bytes(HASH_BYTES)
"""What a void attempt has for a transcript."""

_LEAF = b"\x00"
_NODE = b"\x01"


def leaf_bytes(ctx: DealContext, commitment: bytes, secret: bytes, transcript: bytes = NO_TRANSCRIPT) -> bytes:
    """One reveal as a leaf; without a transcript, that of a void attempt."""
    return ctx.encode() + commitment + secret + transcript


def leaf_hash(leaf: bytes) -> bytes:
    """The hash by which a leaf stands in the tree."""
    return digest(_LEAF, leaf)


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return digest(_NODE, left, right)


def _level_above(level: Sequence[bytes]) -> list[bytes]:
    # A last node without a neighbour rises unchanged: the same tree as RFC 6962's split at the largest power of two.
    above = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
    if len(level) % 2:
        above.append(level[-1])
    return above


def tree_root(leaf_hashes: Sequence[bytes]) -> bytes:
    """The root over the leaves' hashes in their order; of no leaves, the hash of nothing."""
    if not leaf_hashes:
        return EMPTY_ROOT
    level: Sequence[bytes] = leaf_hashes
    while len(level) > 1:
        level = _level_above(level)
    return level[0]


def inclusion_proof(leaf_hashes: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """The hashes that lead from leaf `index` to the root, nearest first. `FairnessError` for an index out of range."""
    if not 0 <= index < len(leaf_hashes):
        raise FairnessError("index", f"{index} is not one of {len(leaf_hashes)} leaves")
    path: list[bytes] = []
    level: Sequence[bytes] = leaf_hashes
    while len(level) > 1:
        neighbour = index ^ 1
        if neighbour < len(level):
            path.append(level[neighbour])
        level = _level_above(level)
        index //= 2
    return tuple(path)


def root_from_proof(leaf: bytes, index: int, count: int, path: Sequence[bytes]) -> bytes:
    """The root that a proof leads to. `FairnessError` for a path that no tree of `count` leaves has for `index`."""
    if not 0 <= index < count <= U32_MAX:
        raise FairnessError("index", f"{index} is not one of {count} leaves")
    current = leaf_hash(leaf)
    last = count - 1
    steps = iter(path)
    try:
        while last > 0:
            if index % 2:
                current = node_hash(next(steps), current)
            elif index < last:
                current = node_hash(current, next(steps))
            index //= 2
            last //= 2
    except StopIteration:
        raise FairnessError("path", "is too short") from None
    if next(steps, None) is not None:
        raise FairnessError("path", "is too long")
    return current


def chain_hash(previous: bytes, date: str, root: bytes) -> bytes:
    """A day's link: over the day before's (`FIRST_CHAIN` at first), the date as YYYYMMDD, and the day's root."""
    require_length(previous, "chain", HASH_BYTES)
    require_length(root, "root", HASH_BYTES)
    return digest(tag("chain"), previous, date_bytes(date), root)
