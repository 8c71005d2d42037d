"""The vectors that every implementation of the scheme has to reproduce."""

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from shared.fairness.checks import Outcome
from shared.fairness.derive import CODES, derived_starter
from shared.fairness.fair_json import read_fair, write_fair
from shared.fairness.merkle import FIRST_CHAIN, chain_hash, leaf_bytes, leaf_hash, root_from_proof, tree_root
from shared.fairness.rules_id import rules_id
from shared.fairness.verify import Expected, Shown, record_holds, verify_fair

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[2] / "golden" / "fair.json").read_text())
SIGNED = ("commit", "closed", "transcript", "reveal")
DEALS: list[dict[str, Any]] = GOLDEN["deals"]
FACES = {code: face for face, code in enumerate(CODES)}


def faces(codes: str) -> bytes:
    return bytes(FACES[code] for code in codes.split())


def verify_signature(key_id: str, signed: bytes, signature: bytes) -> bool | None:
    if key_id != GOLDEN["signing_key"]["id"]:
        return None
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(GOLDEN["signing_key"]["public"])).verify(signature, signed)
    except InvalidSignature:
        return False
    return True


def leaves() -> list[bytes]:
    found = []
    for vector in DEALS:
        deal = read_fair(vector["fair"])
        attempts = [void.attempt for void in deal.void]
        found += [leaf_bytes(attempt.ctx, attempt.closed.commitment, attempt.secret) for attempt in attempts]
        found.append(leaf_bytes(deal.ctx, deal.closed.commitment, deal.played.secret, deal.transcript))
    return found


@pytest.mark.parametrize("vector", DEALS, ids=lambda vector: vector["name"])
def test_a_deal_is_derived_as_the_vector_has_it(vector: dict[str, Any]) -> None:
    deal = read_fair(vector["fair"])
    draws = deal.derivation()
    assert write_fair(deal) == vector["fair"]
    assert draws.deck_faces() == faces(vector["deck"])
    for reshuffle in vector["reshuffles"]:
        assert draws.reshuffle(faces(reshuffle["pile"]), reshuffle["n"]) == faces(reshuffle["stock"])
    assert draws.automatic_cut() == vector["automatic_cut"]
    assert derived_starter(deal.closed, draws, vector["starter_rule"]) == vector["starter"]


@pytest.mark.parametrize("vector", DEALS, ids=lambda vector: vector["name"])
def test_a_deal_verifies_in_full(vector: dict[str, Any]) -> None:
    deal = read_fair(vector["fair"])
    single = deal.ctx.series == deal.ctx.match
    checks = verify_fair(
        deal,
        expected=Expected(deal.ctx.rules, deal.ctx.seats, vector["starter_rule"], single),
        shown=Shown(
            starter=vector["starter"],
            deck=faces(vector["deck"]),
            reshuffles=[(faces(r["pile"]), faces(r["stock"])) for r in vector["reshuffles"]],
        ),
        verify_signature=verify_signature,
    )
    assert record_holds(checks)
    open_questions = {check.name for check in checks if check.outcome is Outcome.CANNOT_CHECK}
    void = {f"void[{number}].{name}" for number in range(len(deal.void)) for name in ("failed_sent", "root")}
    absent = set() if deal.played.signatures else {f"signature.{what}" for what in SIGNED}
    absent |= set() if deal.witness else {"witness"}
    assert open_questions <= {"root", "earlier_deals", "earlier_matches", *void, *absent}


@pytest.mark.parametrize("vector", GOLDEN["rules_ids"], ids=lambda vector: vector["id"])
def test_a_rules_id_is_as_the_vector_has_it(vector: dict[str, Any]) -> None:
    assert rules_id(vector["preset"], vector["changed"]) == vector["id"]


def test_the_days_are_as_the_vectors_have_them() -> None:
    all_leaves = leaves()
    previous = FIRST_CHAIN
    for day in GOLDEN["days"]:
        root = tree_root([leaf_hash(leaf) for leaf in all_leaves[: day["count"]]])
        assert root.hex() == day["root"]
        assert chain_hash(previous, day["date"], root).hex() == day["chain"]
        for index, path in day["proofs"].items():
            steps = tuple(bytes.fromhex(step) for step in path)
            assert root_from_proof(all_leaves[int(index)], int(index), day["count"], steps) == root
        previous = bytes.fromhex(day["chain"])
