"""Ceremonies that the page's own code made, with nothing of this code: `make test-web` writes them."""

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from shared.fairness.checks import Outcome
from shared.fairness.derive import CODES
from shared.fairness.fair_json import read_fair, write_fair
from shared.fairness.verify import Expected, Shown, record_holds, verify_fair
from shared.rules.options import make_options
from shared.rules.replay import drawn_starter, options_rules_id
from tests.support.needs import on_ci

MADE = Path(__file__).parents[3] / "build" / "web" / "fair_by_page.json"
FACES = {code: face for face, code in enumerate(CODES)}


def faces(codes: str) -> bytes:
    return bytes(FACES[code] for code in codes.split())


def verify_signature(key_id: str, signed: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key_id)).verify(signature, signed)
    except InvalidSignature:
        return False
    return True


@pytest.mark.skipif(not MADE.exists() and not on_ci(), reason="make test-web writes the ceremonies")
def test_what_the_page_makes_verifies_here_to_the_byte() -> None:
    made: list[dict[str, Any]] = json.loads(MADE.read_text())
    signed = 0
    for one in made:
        options = make_options(one["options"])
        deal = read_fair(one["fair"])
        assert write_fair(deal) == one["fair"]
        draws = deal.derivation()
        reshuffle = one["reshuffle"]
        pile, stock = faces(reshuffle["pile"]), faces(reshuffle["stock"])
        assert draws.automatic_cut() == one["autocut"]
        assert drawn_starter(deal, options) == one["starter"]
        assert draws.reshuffle(pile, reshuffle["n"]) == stock
        checks = verify_fair(
            deal,
            expected=Expected(options_rules_id(options), options.seats, options.starter, options.format == "single"),
            shown=Shown(one["starter"], faces(one["deck"]), ()),
            verify_signature=verify_signature,
        )
        assert record_holds(checks), checks
        if deal.played.signatures is not None:
            signed += 1
            signatures = [check for check in checks if check.name.startswith("signature.")]
            assert {check.outcome for check in signatures} == {Outcome.HOLDS}
    assert len(made) >= 300
    assert signed >= 30
