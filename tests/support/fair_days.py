"""A day of reveals, its root signed, with a proof for each."""

from collections.abc import Sequence

from shared.fairness import signing
from shared.fairness.day import DayProof, DayRoot, LeafProof, Listed
from shared.fairness.fair_deal import FairDeal
from shared.fairness.merkle import FIRST_CHAIN, chain_hash, inclusion_proof, leaf_bytes, leaf_hash, tree_root
from tests.support.fair_deals import Signer


def day_of(
    deals: Sequence[FairDeal], signer: Signer, date: str = "20250602", previous_chain: bytes = FIRST_CHAIN
) -> DayProof:
    """The deals' void attempts and themselves, in order."""
    listed: list[Listed] = []
    hashes: list[bytes] = []
    for deal in deals:
        for attempt in (*(void.attempt for void in deal.void), deal.played):
            parts = (attempt.ctx, attempt.closed.commitment, attempt.secret)
            listed.append(Listed(attempt.ctx, attempt.closed.commitment))
            leaf = leaf_bytes(*parts, deal.transcript) if attempt is deal.played else leaf_bytes(*parts)
            hashes.append(leaf_hash(leaf))
    root = tree_root(hashes)
    chain = chain_hash(previous_chain, date, root)
    signature = signer.sign(signing.ROOT, signing.root_payload(date, len(hashes), root, chain))
    day = DayRoot(date, len(hashes), root, chain, previous_chain, signer.key_id, signature)
    leaves = (LeafProof(each, at, inclusion_proof(hashes, at)) for at, each in enumerate(listed))
    return DayProof(day, tuple(leaves))
