"""The daily tree against RFC 6962's own words, the sizes 0 to 40."""

import hashlib
from collections.abc import Sequence

import pytest

from shared.fairness.errors import FairnessError
from shared.fairness.merkle import (
    EMPTY_ROOT,
    FIRST_CHAIN,
    chain_hash,
    inclusion_proof,
    leaf_bytes,
    leaf_hash,
    root_from_proof,
    tree_root,
)
from tests.support.fair_deals import Ceremony

LEAVES = [b"leaf %d" % number for number in range(40)]
HASHES = [leaf_hash(leaf) for leaf in LEAVES]


def h(data: bytes) -> bytes:
    return hashlib.sha512(data).digest()


def split(count: int) -> int:
    """The largest power of two below `count`."""
    return 1 << (count - 1).bit_length() - 1


def reference_root(leaves: Sequence[bytes]) -> bytes:
    if not leaves:
        return h(b"")
    if len(leaves) == 1:
        return h(b"\0" + leaves[0])
    k = split(len(leaves))
    return h(b"\1" + reference_root(leaves[:k]) + reference_root(leaves[k:]))


def reference_path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if index < k:
        return [*reference_path(leaves[:k], index), reference_root(leaves[k:])]
    return [*reference_path(leaves[k:], index - k), reference_root(leaves[:k])]


@pytest.mark.parametrize("count", range(41))
def test_the_tree_is_the_one_of_the_rfc(count: int) -> None:
    assert tree_root(HASHES[:count]) == reference_root(LEAVES[:count])
    for index in range(count):
        path = inclusion_proof(HASHES[:count], index)
        assert list(path) == reference_path(LEAVES[:count], index)
        assert root_from_proof(LEAVES[index], index, count, path) == tree_root(HASHES[:count])


def test_an_empty_day_has_the_hash_of_nothing() -> None:
    assert tree_root([]) == EMPTY_ROOT == h(b"")


@pytest.mark.parametrize("count", range(1, 41))
def test_a_proof_is_good_for_one_leaf_at_one_place_only(count: int) -> None:
    root = tree_root(HASHES[:count])
    for index in range(count):
        path = inclusion_proof(HASHES[:count], index)
        assert root_from_proof(b"another", index, count, path) != root
        for wrong in range(count):
            assert wrong == index or leads_elsewhere(root, LEAVES[index], wrong, count, path)
        for at in range(len(path)):
            changed = (*path[:at], bytes((path[at][0] ^ 1,)) + path[at][1:], *path[at + 1 :])
            assert root_from_proof(LEAVES[index], index, count, changed) != root
        assert leads_elsewhere(root, LEAVES[index], index, count, (*path, root))
        assert not path or leads_elsewhere(root, LEAVES[index], index, count, path[:-1])


def leads_elsewhere(root: bytes, leaf: bytes, index: int, count: int, path: Sequence[bytes]) -> bool:
    try:
        return root_from_proof(leaf, index, count, path) != root
    except FairnessError:
        return True


@pytest.mark.parametrize(("index", "count"), [(0, 0), (-1, 3), (3, 3), (0, 2**32)])
def test_there_is_no_proof_for_a_leaf_that_the_tree_lacks(index: int, count: int) -> None:
    with pytest.raises(FairnessError, match=r"^index: "):
        root_from_proof(b"", index, count, ())
    if count < 100:
        with pytest.raises(FairnessError, match=r"^index: "):
            inclusion_proof(HASHES[:count], index)


def test_a_leaf_is_a_whole_reveal_and_a_void_one_has_zeros_for_its_transcript() -> None:
    deal = Ceremony().deal()
    head = deal.ctx.encode() + deal.closed.commitment + deal.played.secret
    assert leaf_bytes(deal.ctx, deal.closed.commitment, deal.played.secret, deal.transcript) == head + deal.transcript
    assert leaf_bytes(deal.ctx, deal.closed.commitment, deal.played.secret) == head + bytes(64)


def test_each_day_is_chained_to_the_one_before() -> None:
    root = tree_root(HASHES)
    first = chain_hash(FIRST_CHAIN, "20250601", root)
    assert first == h(b"\0\x15banakil/fair/v1/chain" + bytes(64) + b"20250601" + root)
    assert len({first, chain_hash(first, "20250602", root), chain_hash(FIRST_CHAIN, "20250602", root)}) == 3
